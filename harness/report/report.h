#pragma once
// The one report that text, JSON, HTML and the history are made from. Types alone: no rendering.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/types/kernel_record.h"
#include "problems/spec/case.h"
#include "report/finding.h"

namespace kata {

using emulator::AccessCount;
using emulator::BufferRead;
using emulator::BufferRecord;
using emulator::KernelRecord;
using emulator::LineRecord;
using emulator::WorstRequest;

enum class Verdict { pass, fail, error, not_attempted };

/// 0, 1, 2 or 77: what the process exits with.
int exit_status(Verdict verdict);

/// "pass", "fail", "error" or "not_attempted", and back (anything else is an error).
const char* to_string(Verdict verdict);
Verdict verdict_from(const std::string& text);

struct FirstBad {
  std::vector<std::int64_t> index;  ///< one per dimension of the output
  std::string element = {};         ///< the same as a person writes it: "y[4][1020]"
  std::string output = {};          ///< the tensor: "y"
  double got = 0;                   ///< NaN becomes null in JSON
  double want = 0;
};

/// How specific an explanation is, the most specific last.
enum class ExplanationKind {
  finding,           ///< the output is correct: a finding says what is wrong
  unknown,           ///< no pattern fits: how many elements are wrong, and the worst
  uncertain,         ///< a pattern that several faults would show
  pattern,           ///< where it is wrong, or what it holds instead
  nondeterministic,  ///< different at each run
};

struct CaseResult {
  std::string name;        ///< "17x1023 normal"
  std::string sizes = {};  ///< if it failed and has many: "n = 4194304, vocabulary = 262144, ..."
  Case tested = {};        ///< its shape, distribution and reals
  Verdict verdict = Verdict::pass;
  double max_error = 0;  ///< absolute, at the element worst against its tolerance
  double tolerance = 0;  ///< of that element
  std::optional<FirstBad> first_bad = {};
  std::int64_t bad = 0;  ///< elements out of tolerance
  std::int64_t of = 0;
  std::string explanation = {};  ///< the pattern of what is wrong, one sentence with its numbers
  ExplanationKind explanation_kind = ExplanationKind::pattern;
  bool large =
      false;  ///< beyond the operator's cases: how many of these run depends on the machine
};

/// Whose numbers a row of a table has.
enum class RowKind { yours, rung, library, limit };

/// What a row of the person's own is called.
inline constexpr const char* yours_name = "yours";

/// One row of the table of times.
struct TimingRow {
  RowKind kind = RowKind::rung;
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
  bool failed = false;        ///< since a launch or a kernel of it failed at this size
  bool invalid = false;       ///< since what was measured is not the time of the work
  /// The day of a time that was measured earlier; empty: just now.
  std::string kept_from = {};
};

/// Without a GPU: what a ladder's rung asked of memory in the emulator, in the counted case.
struct CountRow {
  RowKind kind = RowKind::rung;
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
  bool blocks_wait = false;         ///< for each other: then accesses depend on the schedule
};

/// Where a candidate stands at one size of the bench.
struct SizeLevel {
  std::string size = {};  ///< "65536x128"
  int rung = 0;           ///< the rung that it is level with there, or nearest to
  double of_best = 0;     ///< the best rung's time over the candidate's
};

/// Which rung's idea a candidate has reached, by its times or counts (grading/level.h).
struct Level {
  int rung = 0;
  int of = 0;                          ///< the last rung's number
  std::string name;                    ///< "2_warp_per_row"
  std::vector<std::string> same = {};  ///< other rungs that are as fast, or have the same counts
  std::string size = {};               ///< by time: where it is farthest from the best rung
  std::vector<SizeLevel> sizes = {};   ///< by time: each that yours has a time at
  double behind = 1;                   ///< times the rung's time, where it is more than 5 % slower
  int next = 0;                        ///< the rung to aim for; 0 at the top
  std::string next_idea = {};          ///< of that rung
  /// The best rung over this one: by times or estimates half of the worst and half of the typical
  /// size, else by counts; 1: as good.
  double of_best = 0;
};

/// The time of the candidate over the best rung's there, at least 1.
double times_of_best(const SizeLevel& size);
/// The geometric mean over the sizes of a level by time.
double typical_of_best(const Level& level);

/// Without a GPU: how long yours or a rung would take on a chip that is not there.
struct Estimate {
  RowKind kind = RowKind::rung;
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
  bool pending = false;                ///< the time for estimates was over before this one
  bool older = false;                  ///< from a profile that is older than the rung's text
  bool placed = false;  ///< by the rung's measured time beside those of rungs with an estimate
};

/// How a program of the person's came to its end.
struct ProgramEnd {
  int exit_status = 0;  ///< valid if signal == 0
  int signal = 0;       ///< the signal that ended it
  bool checked = true;  ///< false: memory accesses of its kernels were not checked
  /// Of processor time, after which checks ended; 0: they went on to the end. Then the program
  /// ran again, to its end and without checks, unless it `was_ended`, for the errors found by then.
  double checked_s = 0;
  bool was_ended = false;
  std::string file = {};  ///< where it was then, if that is known
  int line = 0;
};

/// A line of the candidate's device code at which a stretch begins that has no branch.
struct CodeBlock {
  int line = 0;
  bool ran = false;
};

struct Report {
  std::string operator_name;
  std::string candidate;  ///< path as shown to a person
  std::string backend;    ///< "gpu", "emulator" or "both"
  std::string device;     ///< "emulator" or the GPU's name
  Verdict verdict = Verdict::error;
  std::uint64_t seed = 0;
  std::vector<std::string> options = {};  ///< of `kata check`, to judge the same again; not in JSON
  std::string error = {};                 ///< verdict error: one line that says what to do
  std::string detail = {};                ///< the compiler's own words
  std::string output = {};                ///< what the candidate printed, shortened
  std::int64_t output_lines = 0;          ///< of what it printed
  std::vector<CaseResult> cases;
  int cases_not_run = 0;         ///< of the operator's: left out after three failed, or a crash
  int cases_too_long = 0;        ///< large ones that would take seconds, as its smaller cases show
  bool large_cases_off = false;  ///< by KATA_LARGE_CASES
  std::vector<CodeBlock> code = {};  ///< in checked cases on the emulator; empty: not known
  std::vector<Finding> findings;
  std::string counted_case = {};  ///< the case that `kernels` and `counts` describe
  Shape counted_shape = {};       ///< its shape
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

/// The operator's cases, of which every run has the same number. Large sizes do not count.
struct CaseCount {
  int right = 0;
  int of = 0;
};
CaseCount count_cases(const Report& report);

/// Adds lines that another worker has seen to `all`.
void add_code(const std::vector<CodeBlock>& lines, std::vector<CodeBlock>& all);

/// The lines at which device code begins that did not run.
std::vector<int> unreached_lines(const Report& report);

/// Rungs that have no estimate at that size: one of them may be the best.
std::vector<std::string> rungs_without_estimate(const std::vector<Estimate>& rows,
                                                const std::string& size);

/// Whose estimates a check shows: where yours is farthest from the best rung, else the first.
std::string shown_size(const Report& report);

/// The failing case to explain; null if none failed. If several failed: the one whose result
/// changes at each run, else the one with the most specific explanation, and of equals the largest.
/// Of those that only a finding explains, the one that the first finding is from.
const CaseResult* most_specific_failure(const Report& report);

}  // namespace kata
