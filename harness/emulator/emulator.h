#pragma once
// The emulator as its users see it (the worker, its tests): a CUDA runtime that also reports
// faults. It knows neither problems nor the judge.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/types/finding.h"
#include "emulator/types/kernel_record.h"
#include "emulator/types/launch_profile.h"

namespace kata::emulator {

enum class Schedule { forward, reverse, random };  ///< order of blocks, warps and lanes

/// A launch that is under way.
struct LaunchProgress {
  std::string kernel;
  std::uint64_t blocks = 0, of_blocks = 0;  ///< that are over, and all
  bool is_stuck = false;                    ///< none was over for a while
};

struct Options {
  unsigned threads = 0;  ///< OS threads; 0: as many as the machine has cores
  Schedule schedule = Schedule::forward;
  std::uint64_t schedule_seed = 0;
  /// Per launch: an endless loop ends here, so many after the last block that was over. A launch
  /// that has made so many and whose blocks go on ending is slow: no more of them begin, and the
  /// call ends (take_ended_slow()). Of a profile, of all launches together.
  std::uint64_t access_limit = 4'000'000'000;
  /// False: kernels' accesses to memory are not checked. For modules without instrumentation.
  bool checked = true;
  /// The memory that cudaMalloc gives holds NaN: where nothing is checked, a read of it shows.
  bool spoils_new_memory = false;
  bool count_requests = false;  ///< sectors and wavefronts too: about twice the time
  /// nvcc's machine code of the module, a cubin: where it can be run, the counted requests are
  /// those that it makes. Empty: the emulator's own rules say what nvcc would make.
  std::string machine_code = {};
  bool launches_only = false;  ///< launches are checked, and no kernel runs
  /// That the device says it has; 0: all of them. It still takes the launches of those.
  unsigned multiprocessors = 0;
  /// Where not 0: of each launch some blocks run, about so many, or all of a small launch, each
  /// until it has made `sampled_accesses`, or reads what a block would have written that did not
  /// run. The call ends where host code would need that, or when enough was seen. Launches run
  /// whole until they have done `whole_work` together.
  unsigned sampled_blocks = 0;
  std::uint64_t sampled_accesses = 1 << 17, whole_work = 3 << 23;
  /// Other blocks write 0; of a launch two blocks at each end run, or the first alone where
  /// sampled_blocks is 1, and share the accesses; first reads of what nothing has written count.
  bool others_write_zeros = false;
  /// Whether whole warps may have ended when the others meet at __syncthreads(), as they may on a
  /// device, or meet at different ones: a warning. Else it is an error, as for parts of a warp.
  bool warps_may_end = false;
  bool host_copies = false;  ///< take_host_copies() has the copies of modules
  bool profile = false;      ///< what an estimate of time needs, from some of each launch's blocks
  /// Blocks of a launch that a profile needs, and accesses after which it needs no more.
  std::uint64_t profiled_blocks = 64, profiled_accesses = 8'000'000;
  std::uint64_t counted_launches = ~0ull;  ///< requests: in the first so many of each kernel
  /// Of a launch that makes more accesses than this, requests are counted in some blocks that make
  /// about so many together, and scaled to all.
  std::uint64_t counted_accesses = ~0ull;
  /// Races: where launches of a kernel, with the same grid and block, make more accesses than this,
  /// plain accesses leave marks in some blocks that make so many, far from each other and beside
  /// each other. Bounds, unwritten memory and what atomics and fences order are checked in all.
  std::uint64_t marked_accesses = ~0ull;
  /// A launch after those that repeats an earlier one, with the same arguments on the same bytes of
  /// memory, does not run: what the earlier one left is copied. For checked kernels.
  bool copies_repeats = false;
  /// Where set, it is called when a launch is over, on the thread that made the launch, and
  /// take_kernels() stays empty. Must not launch anything.
  void (*launched)(const KernelRecord& kernel) = nullptr;
  /// Where set, it is called once, on a thread that runs blocks, when a kernel runs so many seconds
  /// after configure(); and then once, for the last time, when none of a kernel's blocks was over
  /// for half of that time.
  void (*is_slow)(const LaunchProgress& progress) = nullptr;
  double slow_after_s = 10;
};

void configure(const Options& options);

/// Runs to their ends the launches that wait for each other. take_findings() does so, too.
void finish_launches();

/// Soon no launch runs any more: those that do are ended, as if they had succeeded, and
/// Options::launched is told of them. False: none runs. Safe in a signal handler.
bool end_launches();

/// There are so many devices, 1 to 8. Before anything is allocated or created on any.
void set_devices(int count);

/// Findings since the last call, merged by source line, in a stable order.
std::vector<Finding> take_findings();

/// The same, which stay: the next take_findings() has them, too.
std::vector<Finding> findings_so_far();

/// Launches since the last call.
std::vector<KernelRecord> take_kernels();

/// Launches so far that Options::copies_repeats has spared.
std::uint64_t repeated_launches();

/// How often kernels went from one CUDA thread to another, since the last call: for each thread,
/// and each barrier or warp operation of one. Exact without checks; an access counts a little as
/// well.
std::uint64_t take_switches();

/// Profiles of the launches since the last call, where Options::profile asked for them.
std::vector<LaunchProfile> take_profiles();

/// What blocks of a launch were the first to read, of what nothing had written.
struct FirstReads {
  std::uint64_t blocks = 0;      ///< all of the launch
  std::uint64_t most_bytes = 0;  ///< of one that ran
  /// Where the first block ran alone: the words up to most_bytes that it left in global memory,
  /// large buffers apart, ascending; empty if they are many.
  std::vector<std::uint32_t> words = {};
  /// Where all blocks of the launch ran to their end: the stores of earlier ones, as offsets in the
  /// module, of whose words in memory of the candidate's they used the first and the last, or the
  /// first alone.
  std::set<std::uintptr_t> reaches_last = {}, short_of_last = {};
  std::string kernel = {};
};

/// What sampled blocks have written to the program's own buffers since configure().
struct Sample {
  /// One launch did so, without atomic operations, and its blocks ran to their end: what they wrote
  /// is what the call leaves there.
  bool is_final = false;
  bool is_whole = true;            ///< no block that ran, and no call, was ended early
  bool has_returned = true;        ///< no call was
  std::vector<FirstReads> reads;   ///< of each launch, where Options::others_write_zeros
  std::uint64_t blocks = 0;        ///< of that launch
  std::uint64_t ran = 0;           ///< those that ran
  std::uint64_t bytes = 0;         ///< that these were the first to write
  std::uint64_t most_bytes = 0;    ///< that one of them was
  std::vector<const void*> pages;  ///< of 4096 bytes, ascending, in any buffer
  /// Kernels by name, and whether blocks that ran have read or written global memory.
  std::map<std::string, bool> kernels;
};
Sample take_sample();

/// Fills device memory with the pattern, over and over. Of a large buffer all pages that nothing
/// writes are the same.
void repeat(void* device_pointer, std::size_t bytes, const void* pattern,
            std::size_t pattern_bytes);

/// Copies device memory in that stream, ordered as a candidate's cudaMemcpyAsync() is: nothing else
/// comes before or after it. Findings call it by that name, which must stay.
void queue_copy(void* to, const void* from, std::size_t bytes, void* stream, const char* name);

/// A candidate's function has returned, and its caller goes on in the default stream: what other
/// streams may still write to this program's buffers is a finding. Waits for everything.
void end_call();

/// What is issued from now on, to any stream, comes after all that was issued before. Host code
/// does not: it has waited for nothing.
void order_streams();

/// Whether the order of blocks may show in memory, since the last call: blocks of one launch raced,
/// or used atomicExch() or added floats by atomics. On several OS threads that order varies.
bool take_order_matters();

/// Whether a call has ended because it was slow (Options::access_limit), since it was asked. What
/// it has left in memory says nothing.
bool take_ended_slow();

/// Marks device memory as written.
void mark_written(void* device_pointer, std::size_t bytes);

/// Marks it as never written, and leaves what it holds.
void mark_unwritten(void* device_pointer, std::size_t bytes);

/// Whether nothing has written some of these bytes, nor read them since, where reads count.
bool any_unwritten(const void* device_pointer, std::size_t bytes);

/// Takes device memory as an input, written and const, until something is copied to it.
void make_input(void* device_pointer, std::size_t bytes);

/// Fills device memory with a word, of which the last may be cut off, and marks it as never
/// written.
void poison(void* device_pointer, std::size_t bytes, std::uint32_t word);

/// What a buffer holds, as a declaration spells it.
struct ElementType {
  std::string name = "float";
  std::size_t bytes = 4;
};

/// Names a buffer, so that findings can say "x[3]" and not "4-byte word 3 of the buffer".
void name_buffer(const void* device_pointer, const std::string& name,
                 const ElementType& elements = {});

enum class ObjectKind { memory, texture, surface, array, stream, event, graph, graph_exec };

/// What a line of the candidate allocated or created and the candidate never freed, since the last
/// call.
struct Leak {
  ObjectKind kind = ObjectKind::memory;
  std::size_t count = 0;  ///< of memory: bytes
  std::string file = {};
  int line = 0;
};
std::vector<Leak> take_leaks();

/// A copy that a module has made between device memory and memory that the host can use.
enum class CopyDirection { to_host, from_host };
struct HostCopy {
  const void* device = nullptr;
  std::size_t bytes = 0;
  CopyDirection direction = CopyDirection::to_host;
  std::string file = {};
  int line = 0;
};

/// Since the last call, in order; a row of a cudaMemcpy2D is a copy.
std::vector<HostCopy> take_host_copies();

/// Forgets the last error, a sticky one too: the device goes on as if nothing had happened, with
/// its memory as it is.
void recover();

/// A line of a file at which basic blocks of its code begin, and whether one of them has run.
struct CodeLine {
  int line = 0;
  bool ran = false;
};

/// Those of functions that have run, of the file that this function of a module is in, ascending,
/// in all copies of the module; empty if the module does not say.
std::vector<CodeLine> code_lines(const void* function);

/// "file:line" of a code address in a loaded module: the first frame outside the emulator's own
/// headers; empty if unknown. For the worker's signal handlers.
std::string locate(const void* code_address);

/// Blocks of all launches that have ended, and turns of all resident blocks in which some got on: a
/// grid may meet again and again before a block ends. For a watchdog's signal handler.
std::uint64_t steps_done();

/// Whether all blocks that fit on the device have begun, none was over since, and others wait for
/// room: they may wait for one another. For a watchdog's signal handler.
bool is_full();

/// Whether the address of a fault lies just below the stack of the CUDA thread that this OS thread
/// runs.
bool is_stack_overflow(const void* address);

/// Ends that thread's launch with a finding at this code of the module. For a handler of the
/// fault's signal that has a stack of its own: goes on where the launch was made.
[[noreturn]] void end_at_stack_overflow(const void* code_address);

}  // namespace kata::emulator
