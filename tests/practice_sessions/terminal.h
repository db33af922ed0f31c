#pragma once
// A person at a terminal of 80 columns.

#include <doctest/doctest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "desk.h"

namespace kata::test {

class Terminal {
 public:
  Terminal(const Desk& desk, std::vector<std::string> arguments,
           const std::string& term = "xterm") {
    auto environment = desk.environment();
    environment.emplace_back("TERM", term);
    arguments.insert(arguments.begin(), KATA_BINARY_DIR "/kata");
    winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    child_ = forkpty(&master_, nullptr, nullptr, &size);
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      std::vector<char*> pointers;
      for (std::string& one : arguments) pointers.push_back(one.data());
      pointers.push_back(nullptr);
      if (chdir((desk.scratch / "tree").c_str()) == 0) execv(pointers[0], pointers.data());
      _exit(127);
    }
  }
  ~Terminal() {
    if (child_ > 0) {
      kill(SIGKILL);
      status();
    }
    hang_up();
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& keys) const {
    REQUIRE(::write(master_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

  /// Waits until `text` is shown, after the text of the last wait.
  bool shows(const std::string& text) {
    const auto deadline = Clock::now() + std::chrono::seconds(60);
    for (;;) {
      const std::size_t found = seen_.find(text, looked_at_);
      if (found != std::string::npos) {
        looked_at_ = found + text.size();
        return true;
      }
      if (!read_until(deadline)) {
        MESSAGE("not shown: " << text << "\nafter: " << seen_.substr(looked_at_));
        return false;
      }
    }
  }

  /// Everything from the last match to the end of the program.
  std::string rest() {
    while (read_until(Clock::now() + std::chrono::seconds(60))) {
    }
    return seen_.substr(looked_at_);
  }

  const std::string& all() const { return seen_; }

  /// Echo and line editing, as a shell left them.
  bool is_as_it_was() const {
    termios mode{};
    return tcgetattr(master_, &mode) == 0 && (mode.c_lflag & ICANON) && (mode.c_lflag & ECHO);
  }

  void kill(int signal) const { ::kill(child_, signal); }
  void hang_up() {
    if (master_ >= 0) close(master_);
    master_ = -1;
  }

  /// Waits for the end: the exit status, or minus the signal.
  int status() {
    if (master_ >= 0) rest();  // what is not read would make it wait
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// False at the deadline, or when the program has ended.
  bool read_until(Clock::time_point deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || wait_for_input({master_}, static_cast<int>(left)).empty()) return false;
    char buffer[4096];
    const ssize_t size = read(master_, buffer, sizeof buffer);
    if (size <= 0) return false;
    seen_.append(buffer, static_cast<std::size_t>(size));
    return true;
  }

  int master_ = -1;
  pid_t child_ = -1;
  std::string seen_;
  std::size_t looked_at_ = 0;
};

// Candidates of relu.
inline constexpr const char* right_relu =
    "#include <kata/kata.h>\n"
    "__global__ void relu_kernel(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = fmaxf(x[i], 0.0f);\n"
    "}\n"
    "extern \"C\" void relu(const float* x, float* y, int n) {\n"
    "  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);\n"
    "}\n";
inline constexpr const char* wrong_relu =
    "#include <kata/kata.h>\n"
    "__global__ void relu_kernel(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  y[i] = fmaxf(x[i], 0.0f);  // no guard\n"
    "}\n"
    "extern \"C\" void relu(const float* x, float* y, int n) {\n"
    "  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);\n"
    "}\n";
inline constexpr const char* endless_relu =
    "#include <kata/kata.h>\n"
    "extern \"C\" void relu(const float*, float*, int) {\n"
    "  volatile bool on = true;\n"
    "  while (on) {}\n"
    "}\n";

}  // namespace kata::test
