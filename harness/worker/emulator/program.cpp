#include "worker/emulator/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "emulator/emulator.h"
#include "report/launches.h"
#include "worker/answers.h"
#include "worker/emulator/findings.h"
#include "worker/emulator/leaks.h"
#include "worker/emulator/locate.h"
#include "worker/serve.h"
#include "worker/signals.h"

namespace kata {
namespace {

constexpr int program_input = 4;

/// Requests of a kernel's first launches are counted: that takes longer, and later
/// launches of a loop seldom differ.
constexpr std::uint64_t counted_launches = 3;

/// Of a launch that makes more accesses, requests are counted in some of its blocks.
constexpr std::uint64_t counted_accesses = 1 << 23;

/// Where launches of a kernel make more accesses, races are looked for in some blocks: the marks
/// take as much time as all else, and eight times the memory.
constexpr std::uint64_t marked_accesses = 1 << 25;

/// What is known of the program so far. Its functions are called from any of its threads.
struct Told {
  Told(int descriptor, const Job& job) : answers(descriptor, job.token) {}

  AnswerWriter answers;
  const pid_t process = getpid();  ///< a child that the program forks has nothing to tell
  std::mutex mutex;
  std::vector<KernelRecord> kernels;  ///< one for each name
  std::size_t findings = 0;           ///< number of findings reported
  bool is_quiet = false;              ///< standard error is the program's own
};

Told* told = nullptr;  // lives until the process ends: exit handlers and signals need it

void tell(const std::vector<Finding>& findings) {
  told->findings = findings.size();
  told->answers.found_so_far(findings);
  told->answers.counted("", {}, told->kernels);
}

/// Reports new findings at once, in case the program does not survive.
void tell_launch(const KernelRecord& record) {
  const std::lock_guard lock(told->mutex);
  const auto known =
      std::find_if(told->kernels.begin(), told->kernels.end(),
                   [&](const KernelRecord& kernel) { return kernel.name == record.name; });
  const bool is_new = known == told->kernels.end();
  if (is_new) {
    told->kernels.push_back(record);
  } else if (record.counted_launches > 0) {
    add(*known, record);
  } else {
    ++known->launches;
    known->unmarked_blocks += record.unmarked_blocks;
  }
  const std::vector<Finding> findings = from_emulator(emulator::findings_so_far());
  if (is_new || findings.size() > told->findings) tell(findings);
}

void after_launch(const KernelRecord& record) {
  tell_launch(record);
  end_if_interrupted();
}

/// On the thread that runs the blocks: what it prints is a line of its own.
void tell_slow(const emulator::LaunchProgress& progress) {
  const std::string line =
      fmt::format("kata: {} has finished {} of {} blocks so far{}\n", progress.kernel,
                  progress.blocks, progress.of_blocks,
                  progress.is_stuck
                      ? ", and none in the last 5 s.\n"
                        "      Does a loop never end? Ctrl-C stops the program and names the line."
                      : "; a smaller size gives the same findings sooner");
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, line.data(), line.size());
}

/// A line of its own on standard error, since the program may not know.
void tell_repeats() {
  const std::uint64_t repeated = emulator::repeated_launches();
  if (repeated == 0 || told->is_quiet) return;
  std::uint64_t launches = 0;
  for (const KernelRecord& kernel : told->kernels) launches += kernel.launches;
  fmt::print(
      stderr,
      "kata: {} of {} launches repeated an earlier one, with the same arguments and memory:\n"
      "      what that one had left was copied\n",
      repeated, launches);
}

void at_exit(int, void*) {
  if (getpid() != told->process) return;
  emulator::finish_launches();
  const std::lock_guard lock(told->mutex);
  std::vector<Finding> findings = from_emulator(emulator::take_findings());
  add_leaks(findings);
  tell(findings);
  tell_repeats();
  told->answers.done();
}

/// In a signal's handler: locks that the program holds will not be given back.
void last_words() {
  const std::unique_lock lock(told->mutex, std::try_to_lock);
  if (lock && getpid() == told->process) tell(from_emulator(emulator::findings_so_far()));
}

/// KATA_DEVICES, from 1 to 8; one device if it is not set.
Result<int> wanted_devices() {
  const char* const wanted = std::getenv("KATA_DEVICES");
  if (!wanted || !*wanted) return 1;
  if (wanted[0] >= '1' && wanted[0] <= '8' && wanted[1] == '\0') return wanted[0] - '0';
  return Error{fmt::format("KATA_DEVICES is {}, but the emulator has 1 to 8 devices", wanted)};
}

/// The descriptors as the person's shell meant them.
void arrange_streams(const Job& job) {
  if (dup2(program_input, STDIN_FILENO) < 0) close(STDIN_FILENO);  // the person has none
  close(program_input);
  if (job.output_on_errors) dup2(STDERR_FILENO, STDOUT_FILENO);
}

}  // namespace

void run_program(const Job& job, const std::vector<std::string>& arguments, int answer_descriptor) {
  told = new Told(answer_descriptor, job);
  told->is_quiet = job.output_on_errors;
  told->answers.device("emulator");
  locate_in(job.module);
  arrange_streams(job);
  const Result<int> devices = wanted_devices();
  if (!devices) {
    told->answers.failed(devices.error());
    std::exit(2);
  }
  emulator::set_devices(*devices);
  emulator::Options options;
  options.access_limit = ~std::uint64_t{0};
  options.checked = job.checked;
  options.count_requests = job.checked;
  options.warps_may_end = true;
  options.counted_launches = counted_launches;
  options.counted_accesses = counted_accesses;
  options.marked_accesses = marked_accesses;
  // What a device may use, and what its variables hold, is not compared.
  options.copies_repeats = job.checked && *devices == 1;
  options.is_slow = tell_slow;
  options.launched = after_launch;
  emulator::configure(options);
  report_deaths_of_program(answer_descriptor, job.token, code_of_candidate(), last_words);
  on_exit(at_exit, nullptr);  // before the module comes: its own handlers run first

  const Result<void*> main_function = load_entry(job.module, "main");
  if (!main_function) {
    told->answers.failed(main_function.error());
    std::exit(2);
  }
  static std::vector<std::string> words = arguments;
  static std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  using Main = int (*)(int, char**, char**);
  std::exit(
      reinterpret_cast<Main>(*main_function)(static_cast<int>(words.size()), argv.data(), environ));
}

}  // namespace kata
