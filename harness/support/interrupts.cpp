#include "support/interrupts.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>
#include <vector>

#include "support/process.h"

namespace kata {
namespace {

constexpr int patience_ms = 100;  // for a command that computes to look at an interrupt

// Handlers may only touch these, and a pipe that wakes poll().
volatile sig_atomic_t interrupt_seen = 0;  // the signal's number
volatile sig_atomic_t from_terminal = 0;   // then everybody in our process group has it, too
std::atomic<int> waiting = 0;              // threads that the pipe wakes
std::atomic<bool> noticed = false;         // the interrupt: the command is about to end
int wake_pipe[2] = {-1, -1};
termios first_settings;  // of the terminal
bool has_terminal = false;

/// The command computes and has not looked at the interrupt: ends it here.
void on_impatience(int) {
  if (noticed || !interrupt_seen) return;
  constexpr std::string_view message = "kata: interrupted\n";
  if (has_terminal) tcsetattr(STDIN_FILENO, TCSANOW, &first_settings);
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, message.data(), message.size());
  _exit(interrupted_status());
}

void on_interrupt(int signal_number, siginfo_t* origin, void*) {
  const int saved = errno;
  interrupt_seen = signal_number;
  from_terminal = origin->si_code > 0;
  [[maybe_unused]] const ssize_t ignored = write(wake_pipe[1], "", 1);
  if (waiting == 0) {
    const itimerval once{{0, 0}, {0, patience_ms * 1000}};
    setitimer(ITIMER_REAL, &once, nullptr);
  }
  errno = saved;
}

}  // namespace

namespace interrupts {

Waiting::Waiting() {
  ++waiting;
}
Waiting::~Waiting() {
  --waiting;
}

int descriptor() {
  return wake_pipe[0];
}

bool pending() {
  return interrupt_seen != 0;
}

void forget() {
  char ignored[16];
  while (read(wake_pipe[0], ignored, sizeof ignored) > 0) {
  }
  interrupt_seen = 0;
  noticed = false;
}

void hand_to(pid_t child) {
  const int signal_number = interrupt_seen;
  forget();
  if (!from_terminal) kill(child, signal_number);
}

}  // namespace interrupts

void catch_interrupts() {
  if (wake_pipe[0] >= 0 || pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  struct sigaction action {};
  action.sa_sigaction = on_interrupt;
  action.sa_flags = SA_SIGINFO;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  has_terminal = tcgetattr(STDIN_FILENO, &first_settings) == 0;
  signal(SIGALRM, on_impatience);
}

bool interrupted() {
  if (interrupt_seen == 0) return false;
  noticed = true;
  return true;
}

int interrupted_status() {
  return 128 + interrupt_seen;
}

std::vector<int> wait_for_input(const std::vector<int>& descriptors, int milliseconds) {
  const interrupts::Waiting waits;
  std::vector<pollfd> polled{{wake_pipe[0], POLLIN, 0}};
  for (int descriptor : descriptors) polled.push_back({descriptor, POLLIN, 0});
  std::vector<int> ready;
  if (poll(polled.data(), polled.size(), milliseconds) <= 0) return ready;
  for (std::size_t i = 1; i < polled.size(); ++i) {
    if (polled[i].revents != 0) ready.push_back(polled[i].fd);
  }
  return ready;
}

}  // namespace kata
