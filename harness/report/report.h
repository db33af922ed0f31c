#pragma once
// The one report that text, JSON, HTML and the history are made from. Types alone: no rendering.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/finding.h"

namespace kata {

enum class Verdict { pass, fail, error, not_attempted };

/// 0, 1, 2 or 77: what the process exits with.
int exit_status(Verdict verdict);

/// "pass", "fail", "error" or "not_attempted", and back (anything else is an error).
const char* to_string(Verdict verdict);
Verdict verdict_from(const std::string& text);

struct FirstBad {
  std::vector<std::int64_t> index;  ///< one per dimension of the output
  std::string element = {};         ///< the same as a person writes it: "y[4][1020]"
  double got = 0;                   ///< NaN becomes null in JSON
  double want = 0;
};

struct CaseResult {
  std::string name;  ///< "17x1023 normal"
  Verdict verdict = Verdict::pass;
  double max_error = 0;  ///< absolute, at the element worst against its tolerance
  double tolerance = 0;  ///< of that element
  std::optional<FirstBad> first_bad = {};
  std::int64_t bad = 0;  ///< elements out of tolerance
  std::int64_t of = 0;
  std::string explanation = {};  ///< the pattern of what is wrong, one sentence with its numbers
};

/// One request of a warp: the one that moves most beyond its ideal, of all at a source line.
struct WorstRequest {
  unsigned lanes = 0;        ///< that took part; 0: there was no request
  unsigned needed = 0;       ///< sectors, wavefronts or an atomic's turns
  unsigned ideal = 0;        ///< the fewest of them that the same bytes need
  std::int64_t stride = 0;   ///< bytes from lane to lane; 0 where they differ, or are none
  std::string pattern = {};  ///< "lanes 0-31 read A[...] with a stride of 512 bytes"
};

/// Memory accesses by one kind of instruction, of one launch or one source line of it. `accesses`
/// counts lanes and `bytes` what they asked for; the rest is of whole warps, and 0 where requests
/// were not counted.
struct AccessCount {
  std::uint64_t accesses = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;                    ///< instructions of a warp
  std::uint64_t sectors = 0, ideal_sectors = 0;  ///< of global memory, 32 bytes each
  std::uint64_t wavefronts = 0;                  ///< of shared memory
  std::uint64_t conflicts = 0;                   ///< wavefronts beyond the fewest
  std::uint64_t turns = 0;                       ///< atomics: lanes at one address take turns
  WorstRequest worst = {};

  /// Lanes that take part in a request, on average.
  double active_lanes() const {
    return requests ? static_cast<double>(accesses) / static_cast<double>(requests) : 0;
  }
};

/// What one line of the candidate asks of memory. Code of kata's CUDA headers belongs to the line
/// that calls it.
struct LineRecord {
  std::string file = {};  ///< empty, and line 0, where the compiler kept no line
  int line = 0;
  AccessCount global_load{}, global_store{}, shared_load{}, shared_store{}, atomic{};
};

/// What a line reads of a buffer.
struct BufferRead {
  std::string file = {};
  int line = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0;  ///< ideal: of all its requests as if of one
};

/// A buffer of device memory in one launch.
struct BufferRecord {
  std::string name;         ///< "A", or "the buffer allocated in line 12"
  std::uint64_t bytes = 0;  ///< from the first to the last sector that the launch touches
  std::uint64_t load_sectors = 0, store_sectors = 0;
  std::vector<BufferRead> reads = {};  ///< by file and line
};

/// One kernel launch of the counted case, as the emulator saw it; of a whole program, all launches
/// of a kernel, with the grid and block of the first. `lines` and `buffers` are empty where
/// requests were not counted.
struct KernelRecord {
  std::string name;
  std::uint64_t launches = 1;          ///< that this stands for
  std::uint64_t counted_launches = 0;  ///< the first of these, with requests; counts are their sums
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  std::uint64_t shared_bytes = 0;  ///< static and dynamic
  AccessCount global_load{}, global_store{}, shared_load{}, shared_store{}, atomic{};
  std::uint64_t barriers = 0;          ///< __syncthreads passed, counted once per block
  std::vector<LineRecord> lines = {};  ///< by file and line
  std::vector<BufferRecord> buffers = {};

  /// Lanes that take part in a memory request, on average; 0 where requests were not counted.
  double active_lanes() const;
};

/// One row of the table: yours, a rung, the library or the limit.
struct TimingRow {
  std::string name;  ///< "yours", "1_thread_per_row", "cuBLAS", "limit (copy)"
  std::string size;  ///< "4096x32768"
  double median_us = 0;
  double iqr_us = 0;
  int samples = 0;
  double gb_per_s = 0;        ///< the problem's least bytes over the median
  double tflop_per_s = 0;     ///< the problem's operations over the median
  double of_limit = 0;        ///< limit's time over this time
  double vs_yours = 0;        ///< this time over yours; 0 where there is no "yours"
  bool launch_bound = false;  ///< under 10 us: the launch, not the kernel
  std::string error = {};     ///< why there is no time
};

/// Without a GPU: what a ladder's rung asked of memory in the emulator, in the counted case.
struct CountRow {
  std::string name;  ///< "yours", "1_thread_per_row"
  std::uint64_t launches = 0;
  std::uint64_t threads = 0;
  std::uint64_t global_accesses = 0, global_bytes = 0;
  std::uint64_t shared_accesses = 0, shared_bytes = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0;  ///< of global memory; 0 where not counted
  std::uint64_t wavefronts = 0, conflicts = 0;   ///< of shared memory; 0 where not counted
  std::uint64_t atomics = 0;
  std::uint64_t barriers = 0;       ///< once per block
  std::uint64_t barrier_warps = 0;  ///< once per warp: does not depend on how blocks are cut
};

/// Which rung's idea a candidate has reached, by its times or counts (grading/level.h).
struct Level {
  int rung = 0;
  int of = 0;                          ///< the last rung's number
  std::string name;                    ///< "2_warp_per_row"
  std::vector<std::string> same = {};  ///< other rungs that the counts do not tell from it
  std::string next_idea = {};          ///< of the rung above; empty at the top
  double of_best = 0;  ///< the best rung over this one: by time, estimate or counts; 1: as good
};

/// Without a GPU: how long yours or a rung would take on a chip that is not there.
struct Estimate {
  std::string name = {};  ///< "yours", "1_thread_per_row"
  std::string chip = {};  ///< "h200"
  std::string size = {};  ///< "4096x32768"
  double us = 0;
  double memory_bytes = 0;   ///< from and to device memory
  std::string limiter = {};  ///< of the longest launch: "device memory", "latency", ...
  double occupancy = 0;      ///< of the longest launch: threads resident, of those that fit
  unsigned registers = 0;    ///< of its threads, as ptxas counts them; 0: not known, 32 assumed
  std::string extrapolated_from = {};  ///< the smaller size that was emulated; empty if none
  std::string error = {};              ///< why there is no estimate
};

/// How a program of the person's came to its end.
struct ProgramEnd {
  int exit_status = 0;    ///< valid if signal == 0
  int signal = 0;         ///< the signal that ended it
  bool checked = true;    ///< false: nobody looked at what its kernels did to memory
  std::string file = {};  ///< where it was then, if that is known
  int line = 0;
};

struct Report {
  std::string operator_name;
  std::string candidate;  ///< path as shown to a person
  std::string backend;    ///< "gpu" or "emulator"
  std::string device;     ///< "emulator" or the GPU's name
  Verdict verdict = Verdict::error;
  std::uint64_t seed = 0;
  std::string error = {};   ///< verdict error: one line that says what to do
  std::string detail = {};  ///< the compiler's own words
  std::string output = {};  ///< what the candidate printed, shortened
  std::vector<CaseResult> cases;
  int cases_not_run = 0;  ///< left out after the third failing case
  std::vector<Finding> findings;
  std::string counted_case = {};  ///< the case that `kernels` and `counts` describe
  std::vector<KernelRecord> kernels;
  std::uint64_t least_bytes = 0;      ///< of device memory that the counted case must move at least
  std::uint64_t output_elements = 0;  ///< of the counted case
  std::vector<CountRow> counts;
  std::vector<TimingRow> timing;
  std::optional<Level> level = {};
  std::string chip = {};  ///< that `estimates` are for: "H200"
  std::vector<Estimate> estimates;
  std::optional<ProgramEnd> program = {};  ///< of `kata run`, which judges no operator
};

}  // namespace kata
