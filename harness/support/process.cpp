#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "support/interrupts.h"
#include "support/silence.h"

extern char** environ;

namespace kata {
namespace {

constexpr double last_words_s = 5;  // the same, for a child that has used up its processor time
constexpr int grace_ms = 1000;      // between SIGTERM and SIGKILL, for a child that is cancelled

/// A descriptor that closes itself. Kept above the standard ones, so that dup2 in the child
/// never overwrites one that is still needed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd_ >= 0 && fd_ < 10) {
      const int low = fd_;
      fd_ = fcntl(low, F_DUPFD_CLOEXEC, 10);
      ::close(low);
    }
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read, write;
};

bool make_pipe(Pipe& ends) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return false;
  ends.read = Descriptor(fds[0]);
  ends.write = Descriptor(fds[1]);
  return ends.read.open() && ends.write.open();
}

/// Standard input as a file in memory: the child cannot make us wait or die of SIGPIPE.
Descriptor input_file(const std::string& text) {
  Descriptor file(memfd_create("kata-input", MFD_CLOEXEC));
  if (!file.open()) return file;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(file.get(), text.data() + written, text.size() - written);
    if (n < 0) return {};
    written += static_cast<std::size_t>(n);
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

struct Pipes {
  Descriptor input;
  Pipe output, errors, answer, exec_failure;
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const ProcessOptions& options) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : options.environment) {
      replaced |= text.starts_with(name + "=");
    }
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : options.environment) result.push_back(name + "=" + value);
  return result;
}

/// In the child, between fork and exec: async-signal-safe calls alone.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         const char* folder, const Pipes& pipes, pid_t parent, bool interactive) {
  if (!interactive) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // if kata itself is killed, nothing is left behind
  if (getppid() != parent) _exit(127);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  if (interactive) dup2(0, 4);  // may be closed: the child finds out
  bool ready = dup2(pipes.input.get(), 0) >= 0;
  if (!interactive) {
    ready =
        ready && dup2(pipes.output.write.get(), 1) >= 0 && dup2(pipes.errors.write.get(), 2) >= 0;
  }
  if (pipes.answer.write.open()) ready = ready && dup2(pipes.answer.write.get(), 3) >= 0;
  if (folder) ready = ready && chdir(folder) == 0;
  if (ready) execve(program, arguments, environment);
  const int reason = errno;
  [[maybe_unused]] const ssize_t ignored =
      write(pipes.exec_failure.write.get(), &reason, sizeof reason);
  _exit(127);
}

/// One of the child's output streams: kept up to a limit, or passed on line by line.
class Stream {
 public:
  Stream(Descriptor descriptor, std::size_t limit,
         const std::function<void(const std::string&)>* on_line = nullptr)
      : descriptor_(std::move(descriptor)), limit_(limit), on_line_(on_line) {
    if (open()) fcntl(fd(), F_SETFL, fcntl(fd(), F_GETFL) | O_NONBLOCK);
  }

  int fd() const { return descriptor_.get(); }
  bool open() const { return descriptor_.open(); }
  std::string take() { return std::move(text_); }
  Clock::time_point last_line() const { return last_line_; }

  /// Reads the available bytes without waiting; closes at the end of the stream.
  void read_available() {
    std::array<char, 1 << 16> buffer;
    while (open()) {
      const ssize_t n = read(fd(), buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return;  // EAGAIN: nothing more for now
      if (n == 0) return descriptor_.close();
      accept({buffer.data(), static_cast<std::size_t>(n)});
    }
  }

 private:
  void accept(std::string_view chunk) {
    if (!on_line_) {
      text_.append(chunk.substr(0, limit_ - std::min(limit_, text_.size())));
      return;
    }
    text_.append(chunk);
    std::size_t start = 0;
    for (std::size_t end; (end = text_.find('\n', start)) != std::string::npos; start = end + 1) {
      (*on_line_)(text_.substr(start, end - start));
      last_line_ = Clock::now();
    }
    text_.erase(0, start);
  }

  Descriptor descriptor_;
  std::size_t limit_;
  const std::function<void(const std::string&)>* on_line_;
  std::string text_;
  Clock::time_point last_line_ = Clock::now();
};

/// For poll(): -1 waits for ever.
int milliseconds_until(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return -1;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(0, left.count()));
}

bool output_open(const std::vector<Stream*>& streams) {
  return std::any_of(streams.begin(), streams.end(), [](Stream* stream) { return stream->open(); });
}

/// Follows the child until it ends, its time is over, or the person interrupts.
void follow(const ProcessOptions& options, pid_t pid, const Descriptor& child,
            const std::vector<Stream*>& streams, const Stream& answer, Finished& result) {
  auto end = later(Clock::now(), options.time_limit_s);
  Silence silence(pid, options.silence_limit_s);
  Pulse pulse(Clock::now());
  for (;;) {
    const auto deadline =
        std::min({end, silence.deadline(answer.last_line()), Clock::now() + Pulse::beat});
    std::vector<pollfd> polled{{child.get(), POLLIN, 0}, {interrupts::descriptor(), POLLIN, 0}};
    for (Stream* stream : streams) polled.push_back({stream->fd(), POLLIN, 0});
    const auto first_of_ours = static_cast<std::ptrdiff_t>(polled.size());
    const std::vector<int> wake_on = options.wake_on ? options.wake_on() : std::vector<int>();
    for (int descriptor : wake_on) polled.push_back({descriptor, POLLIN, 0});
    poll(polled.data(), polled.size(), milliseconds_until(deadline));
    for (Stream* stream : streams) stream->read_available();
    if (polled[0].revents != 0) return;
    if (!child.open() && !output_open(streams)) return;  // an old kernel without pidfd_open
    const bool woken = std::any_of(polled.begin() + first_of_ours, polled.end(),
                                   [](const pollfd& one) { return one.revents != 0; });
    if (interrupts::pending() && options.interactive) {
      interrupts::hand_to(pid);
    } else if (interrupted() || (woken && options.on_wake())) {
      result.interrupted = true;
      return;
    }
    if (const auto missed = pulse.missed(Clock::now()); missed > missed.zero()) {
      if (end != Clock::time_point::max()) end += missed;
      silence.put_off(missed);
    }
    const bool is_silent =
        Clock::now() >= silence.deadline(answer.last_line()) && silence.is_over();
    if (is_silent || Clock::now() >= end) {
      result.timed_out = true;
      return;
    }
    if (options.processor_limit_s > 0 && !result.timed_out &&
        times_of(pid).processor_s > options.processor_limit_s) {
      result.timed_out = true;
      kill(pid, SIGTERM);
      end = later(Clock::now(), last_words_s);  // what it still says is read
    }
  }
}

/// SIGTERM, and time to clean up after it.
void ask_to_end(pid_t child, const Descriptor& handle) {
  kill(child, SIGTERM);
  pollfd ended{handle.get(), POLLIN, 0};
  poll(&ended, 1, grace_ms);
}

void wait_for(pid_t child, Finished& result) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  } else {
    result.exit_status = WEXITSTATUS(status);
  }
}

/// A signal has been sent when kill() returns, and takes effect some time after that.
void wait_for_group(pid_t group) {
  while (waitpid(-group, nullptr, 0) > 0 || errno == EINTR) {
  }
}

}  // namespace

Result<Finished> run(const ProcessOptions& options) {
  const interrupts::Waiting waits;
  const std::string& name = options.arguments.at(0);
  const std::filesystem::path program = find_program(name);
  if (program.empty()) return Error{"cannot find the program " + name};

  Pipes pipes;
  pipes.input = options.input_descriptor < 0 ? input_file(options.input)
                                             : Descriptor(dup(options.input_descriptor));
  if (!pipes.input.open() || !make_pipe(pipes.output) || !make_pipe(pipes.errors) ||
      !make_pipe(pipes.exec_failure) || (options.on_answer && !make_pipe(pipes.answer))) {
    return Error{"cannot start " + name + ": " + std::strerror(errno)};
  }
  const std::vector<std::string> environment = merged_environment(options);
  const std::vector<char*> arguments = pointers(options.arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  const std::string folder = options.folder.string();

  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what outlives the child is ours to wait for
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return Error{"cannot start " + name + ": " + std::strerror(errno)};
  if (child == 0) {
    become(program.c_str(), arguments.data(), environment_pointers.data(),
           folder.empty() ? nullptr : folder.c_str(), pipes, parent, options.interactive);
  }
  if (!options.interactive) setpgid(child, child);
  pipes.output.write.close();
  pipes.errors.write.close();
  pipes.answer.write.close();
  pipes.exec_failure.write.close();

  int reason = 0;
  if (read(pipes.exec_failure.read.get(), &reason, sizeof reason) == sizeof reason) {
    Finished ignored;
    wait_for(child, ignored);
    return Error{"cannot start " + name + ": " + std::strerror(reason)};
  }

  Stream output(std::move(pipes.output.read), options.output_limit);
  Stream errors(std::move(pipes.errors.read), options.output_limit,
                options.on_error_line ? &options.on_error_line : nullptr);
  Stream answer(std::move(pipes.answer.read), options.output_limit, &options.on_answer);
  Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  Finished result;
  follow(options, child, handle, {&output, &errors, &answer}, answer, result);
  if (result.interrupted && options.on_wake) ask_to_end(child, handle);
  if (options.interactive) {
    if (result.timed_out) kill(child, SIGKILL);
    wait_for(child, result);
    interrupts::forget();  // it was meant for the child
  } else {
    kill(-child, SIGKILL);  // the group: also what the child started
    wait_for(child, result);
    wait_for_group(child);
  }
  for (Stream* stream : {&output, &errors, &answer}) stream->read_available();
  result.output = output.take();
  result.errors = errors.take();
  return result;
}

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return access(name.c_str(), X_OK) == 0 ? std::filesystem::path(name) : std::filesystem::path();
  }
  const char* path = std::getenv("PATH");
  std::string_view folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::filesystem::path candidate = std::filesystem::path(folders.substr(0, end)) / name;
    std::error_code ignored;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate, ignored))
      return candidate;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

}  // namespace kata
