#include "worker/signals.h"

#include <dirent.h>
#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "support/spent.h"

namespace kata {
namespace {

// What a handler needs, set once before the first signal can come.
int descriptor = -1;
std::string answer_token;
std::string calls_line;  ///< AnswerWriter::calls(), as it was sent before
CodeOfCandidate candidate;
void (*say_last_words)() = nullptr;
std::atomic<long> dying_thread = 0;
std::atomic<bool> located = false;

constexpr int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

void say(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t n = write(descriptor, text, size);
    if (n <= 0) return;
    text += n;
    size -= static_cast<std::size_t>(n);
  }
}

/// The innermost frame of a thread that lies in the candidate.
struct Frame {
  std::string place;  ///< "file:line"
  const void* code = nullptr;
  int depth = -1;  ///< calls between it and where the signal came; -1: not reached yet
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* result) {
  auto& frame = *static_cast<Frame*>(result);
  int interrupted_here = 0;
  const auto address = _Unwind_GetIPInfo(context, &interrupted_here);
  if (interrupted_here) frame.depth = 0;  // all before this was the handler
  if (frame.depth < 0) return _URC_NO_REASON;
  // A return address belongs to the instruction before it.
  const auto* code = reinterpret_cast<const char*>(address) - (interrupted_here ? 0 : 1);
  frame.place = candidate.locate(code);
  frame.code = code;
  if (!frame.place.empty()) return _URC_END_OF_STACK;
  ++frame.depth;
  return _URC_NO_REASON;
}

/// Says where in the candidate this thread is, if at most `deepest` calls away from it. The first
/// thread that knows speaks for all.
void say_where(int deepest) {
  Frame frame;
  if (candidate.locate) _Unwind_Backtrace(visit, &frame);
  const std::size_t colon = frame.place.rfind(':');
  if (colon == std::string::npos || frame.depth > deepest || located.exchange(true)) return;
  const nlohmann::json where{{"message", "where"},
                             {"file", frame.place.substr(0, colon)},
                             {"line", std::atoi(frame.place.c_str() + colon + 1)}};
  const std::string line =
      answer_token + where.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  say(line.data(), line.size());
}

/// A thread that runs the candidate is in its code or in something that it called just now; one
/// that waits for others is deeper in the library.
constexpr int running = 2, anywhere = 1000;

bool is_in_candidate() {
  Frame frame;
  if (candidate.locate) _Unwind_Backtrace(visit, &frame);
  return !frame.place.empty() && frame.depth <= running;
}

void on_where(int) {
  if (!located) say_where(running);
}

/// The watchdog: how long, and what the clocks said when it was set.
double limit_s = 0;
bool patient = false;
ProcessTimes before;
std::uint64_t progress = 0;
double progressed_at_s = 0;  ///< when kernels were seen to have got on, or when it was set
double due_s = 0;            ///< when the next alarm comes, by the clock

bool gets_on = false;  ///< kernels do, until shortly before

constexpr double beat_s = 1;

void alarm_in(double seconds) {
  double whole = 0;
  const double fraction = std::modf(seconds, &whole);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>(fraction * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

/// The alarm looks at the clock again and again: one that comes late tells that the process did not
/// run (support/silence.h).
void beat(double seconds, const ProcessTimes& now) {
  due_s = now.clock_s + seconds;
  alarm_in(seconds);
}

/// On a busy machine a process that hangs in nothing may not have had its time yet.
bool may_go_on() {
  constexpr double longest_s = 60, longest_pause_s = 2;
  const ProcessTimes now = times_of(getpid());
  if (now.clock_s - due_s > beat_s) before.clock_s += now.clock_s - due_s;  // it was stopped
  const double spent = spent_s(before, now);
  const std::uint64_t known = progress;
  if (candidate.progress) progress = candidate.progress();
  if (progress != known) {
    progressed_at_s = spent;
    // Whoever waits for answers, too, is to be patient.
    if (patient) say(calls_line.data(), calls_line.size());
  }
  gets_on = spent - progressed_at_s < longest_pause_s;
  const double allowed_s = patient ? std::min(longest_s, progressed_at_s + longest_pause_s) : 0;
  const double left_s = std::max(limit_s, allowed_s) - spent;
  if (left_s <= 0) return false;
  beat(std::clamp(left_s, 0.1, beat_s), now);
  return true;
}

void handle(int signal_number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal_number, &action, nullptr);
}

void ask_other_threads() {
  handle(SIGUSR2, on_where, SA_ONSTACK | SA_RESTART);
  DIR* threads = opendir("/proc/self/task");
  if (!threads) return;
  const pid_t process = getpid();
  const auto self = syscall(SYS_gettid);
  while (const dirent* entry = readdir(threads)) {
    const int thread = std::atoi(entry->d_name);
    if (thread > 0 && thread != self) syscall(SYS_tgkill, process, thread, SIGUSR2);
  }
  closedir(threads);
}

/// The thread that took the alarm may be one that only waits for the others.
void say_who_hangs() {
  say_where(running);
  for (int i = 0; i < 30 && !located; ++i) {
    ask_other_threads();
    const timespec moment{0, 10'000'000};
    nanosleep(&moment, nullptr);
  }
  if (!located) say_where(anywhere);
}

void say_died(int signal_number) {
  char text[64];
  const int size = std::snprintf(
      text, sizeof text, "{\"message\":\"died\",\"signal\":%d,\"full\":%d,\"gets_on\":%d}\n",
      signal_number, candidate.is_full && candidate.is_full(), gets_on);
  say(answer_token.data(), answer_token.size());
  say(text, static_cast<std::size_t>(size));
}

std::atomic<int> awaited_signal = 0;  ///< has been told; kernels are to end after it

void on_death(int signal_number) {
  const long self = syscall(SYS_gettid);
  long nobody = 0;
  if (!dying_thread.compare_exchange_strong(nobody, self)) {
    if (nobody == self) _exit(128 + signal_number);  // a second fault while looking for the place
    for (;;) pause();                                // the thread that died first speaks for all
  }
  if (awaited_signal == 0) say_died(signal_number);
  // From here on anything may fail, or wait for a lock that this very thread holds.
  signal(SIGALRM, SIG_DFL);
  sigset_t alarm_set;
  sigemptyset(&alarm_set);
  sigaddset(&alarm_set, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm_set, nullptr);
  alarm_in(2);
  if (signal_number == SIGALRM || signal_number == SIGINT || signal_number == SIGTERM) {
    say_who_hangs();
  } else {
    say_where(anywhere);
  }
  if (say_last_words) say_last_words();
  _exit(128 + signal_number);
}

/// A thread of a kernel that overflowed its stack ends its launch, and not the process.
void on_segmentation_fault(int signal_number, siginfo_t* fault, void*) {
  if (candidate.is_stack_overflow && candidate.is_stack_overflow(fault->si_addr)) {
    Frame frame;
    _Unwind_Backtrace(visit, &frame);
    if (!frame.place.empty()) candidate.end_at_stack_overflow(frame.code);
  }
  on_death(signal_number);
}

/// A stack that overflowed cannot take the handler's frame.
void use_alternate_stack() {
  static char alternate[1 << 18];
  stack_t stack{};
  stack.ss_sp = alternate;
  stack.ss_size = sizeof alternate;
  sigaltstack(&stack, nullptr);
}

void report_crashes(int answer_descriptor, const std::string& token, const CodeOfCandidate& code) {
  descriptor = answer_descriptor;
  answer_token = token;
  calls_line = token + R"({"message":"calls"})" + "\n";
  candidate = code;
  use_alternate_stack();
  for (int signal_number : crash_signals) handle(signal_number, on_death, SA_ONSTACK | SA_NODEFER);
  struct sigaction action {};
  action.sa_sigaction = on_segmentation_fault;
  action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

void on_alarm(int signal_number) {
  const int saved = errno;
  if (!may_go_on()) on_death(signal_number);
  errno = saved;
}

// A handler that came while its thread was inside malloc() must not enter it again, and what the
// handler has to say is made of strings.

struct Code {
  std::uintptr_t low = 0, high = 0;
  bool contains(std::uintptr_t address) const { return address >= low && address < high; }
};
Code c_library;
timer_t once_more{};
std::atomic<int> times_put_off = 0;

int find_c_library(dl_phdr_info* object, std::size_t, void*) {
  if (!std::strstr(object->dlpi_name, "libc.so")) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    c_library.low = object->dlpi_addr + part.p_vaddr;
    c_library.high = c_library.low + part.p_memsz;
  }
  return 1;
}

std::uintptr_t interrupted_code(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

/// In the C library it is tried again a moment later; a thread that waits there stays there. So it
/// is where a kernel's thread gives its turn away, which one that waits in a loop does all the
/// time.
void on_interrupt(int signal_number, siginfo_t*, void* context) {
  constexpr int patience = 100;
  constexpr itimerspec moment{{}, {0, 1'000'000}};
  static const int first_signal = signal_number;  // the timer knows one only
  const bool is_early = c_library.contains(interrupted_code(context)) || !is_in_candidate();
  if (is_early && times_put_off++ < patience && timer_settime(once_more, 0, &moment, nullptr) == 0)
    return;
  if (awaited_signal == 0 && candidate.end_kernels) {
    say_died(first_signal);
    say_who_hangs();
    awaited_signal = first_signal;
    constexpr itimerspec long_enough{{}, {2, 0}};
    if (candidate.end_kernels() && timer_settime(once_more, 0, &long_enough, nullptr) == 0) return;
  }
  on_death(first_signal);
}

void handle_interrupts() {
  dl_iterate_phdr(find_c_library, nullptr);
  sigevent again{};
  again.sigev_notify = SIGEV_SIGNAL;
  again.sigev_signo = SIGINT;
  timer_create(CLOCK_MONOTONIC, &again, &once_more);
  struct sigaction action {};
  action.sa_sigaction = on_interrupt;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART;
  for (int signal_number : {SIGINT, SIGTERM}) sigaction(signal_number, &action, nullptr);
}

}  // namespace

void report_deaths(int answer_descriptor, const std::string& token, const CodeOfCandidate& code) {
  report_crashes(answer_descriptor, token, code);
  handle(SIGALRM, on_alarm, SA_ONSTACK | SA_RESTART);
}

void report_deaths_of_program(int answer_descriptor, const std::string& token,
                              const CodeOfCandidate& code, void (*last_words)()) {
  say_last_words = last_words;
  report_crashes(answer_descriptor, token, code);
  handle_interrupts();
}

void end_if_interrupted() {
  if (const int signal_number = awaited_signal) on_death(signal_number);
}

double set_watchdog(double seconds, bool is_patient) {
  const ProcessTimes now = times_of(getpid());
  const double left_s = std::max(0.0, limit_s - spent_s(before, now));
  limit_s = seconds;
  before = now;
  patient = is_patient && candidate.progress;
  progressed_at_s = 0;
  if (candidate.progress) progress = candidate.progress();
  beat(std::min(seconds, beat_s), now);
  return left_s;
}

}  // namespace kata
