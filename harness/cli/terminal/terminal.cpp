#include "cli/terminal/terminal.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "report/layout.h"

namespace kata::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto a_moment = 400ms;
constexpr auto repaint_every = 100ms;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_a_screen(int descriptor) {
  return isatty(descriptor) && environment("TERM") != "dumb";
}

ColorChoice color_choice = ColorChoice::automatic;

bool color_on(int descriptor, bool plain) {
  if (plain || !environment("NO_COLOR").empty()) return false;
  if (color_choice == ColorChoice::automatic) return is_a_screen(descriptor);
  return color_choice == ColorChoice::always;
}

struct Screen {
  std::size_t columns = 80, lines = 24;
};

Screen screen(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {size.ws_col, size.ws_row};
}

std::size_t rows_of(int descriptor, bool plain) {
  if (plain || !is_a_screen(descriptor)) return 0;
  return std::max<std::size_t>(screen(descriptor).lines, 24);
}

}  // namespace

void choose_color(ColorChoice choice) {
  color_choice = choice;
}

bool color_wanted(bool plain) {
  return color_on(STDOUT_FILENO, plain);
}

bool screen_wanted(bool plain) {
  return !plain && is_a_screen(STDOUT_FILENO);
}

std::size_t screen_columns() {
  return screen(STDOUT_FILENO).columns;
}

std::size_t screen_rows(bool plain) {
  return rows_of(STDOUT_FILENO, plain);
}

std::size_t screen_rows_on_errors(bool plain) {
  return rows_of(STDERR_FILENO, plain);
}

bool color_wanted_on_errors(bool plain) {
  return color_on(STDERR_FILENO, plain);
}

Progress::Progress(bool plain) {
  if (!plain && is_a_screen(STDERR_FILENO)) painter_ = std::thread([this] { show_until_done(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  if (painter_.joinable()) painter_.join();
}

void Progress::say(const std::string& what) {
  const std::lock_guard lock(mutex_);
  what_ = what;
}

void Progress::print(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (painter_.joinable()) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  fmt::print("{}", text);
  std::fflush(stdout);
}

void Progress::show_until_done() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, a_moment, [this] { return done_; })) return;
  while (!done_) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const std::string line = fmt::format("{} ... {:.0f} s", what_, elapsed.count());
    const std::size_t width = screen(STDERR_FILENO).columns - 1;  // a full line would wrap
    fmt::print(stderr, "\r\033[K{}", line.substr(0, width));
    std::fflush(stderr);
    changed_.wait_for(lock, repaint_every, [this] { return done_; });
  }
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

namespace {

/// Lets colours through, and says how to go on and how to leave, instead of ":" alone. Code is not
/// broken: the arrow keys show the rest of a long line.
std::string less_options(bool is_code) {
  const std::string keys =
      std::string(is_code ? "right and left scroll, " : "") + "b back, q closes";
  return (is_code ? "-S " : "") +
         fmt::format("-R -K -Ps?e(end)  {0}:Space next page, {0}  ?pB(%pB\\%)..$", keys);
}

}  // namespace

bool print_paged(const std::string& page, bool plain, std::string_view marks,
                 const std::string& code) {
  const std::string text =
      (screen_wanted(plain) ? layout::fitted(page, screen_columns(), marks) : page) + code;
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  std::FILE* pager = nullptr;
  if (screen_wanted(plain) && lines >= screen(STDOUT_FILENO).lines) {
    const std::string command = environment("PAGER");
    setenv("LESS", less_options(!code.empty()).c_str(), 0);
    signal(SIGPIPE, SIG_IGN);  // the person may leave the pager before the end
    pager = popen(command.empty() ? "less -R" : command.c_str(), "w");
  }
  // Ctrl-C is for the pager, which restores the terminal.
  struct sigaction before {
  }, ignore{};
  ignore.sa_handler = SIG_IGN;
  if (pager) sigaction(SIGINT, &ignore, &before);
  std::fwrite(text.data(), 1, text.size(), pager ? pager : stdout);
  const int status = pager ? pclose(pager) : 0;
  if (pager) sigaction(SIGINT, &before, nullptr);
  const bool no_such_pager = status != 0 && WEXITSTATUS(status) == 127;
  if (no_such_pager) std::fwrite(text.data(), 1, text.size(), stdout);
  constexpr int left_less = 2;  // by Ctrl-C, with -K; the shell that runs it may die of the signal
  return !(WIFEXITED(status) && WEXITSTATUS(status) == left_less) &&
         !(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

bool asked_and_agreed(const std::string& question) {
  if (isatty(STDIN_FILENO)) fmt::print(stderr, "{}", layout::prompt(question + " [y/N]"));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace kata::cli
