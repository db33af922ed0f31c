#include "cli/terminal/keyboard.h"

#include <fmt/format.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "cli/terminal/terminal.h"
#include "support/process.h"

namespace kata::cli {
namespace {

constexpr int a_second_ms = 1000;

constexpr char end_of_input = 4, kill_line = 21, kill_word = 23, escape = 27, erase = 127;

// A handler may only touch these.
termios as_it_was, key_by_key;

void set_terminal(const termios& mode) {
  tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

/// Ctrl-Z: the shell gets its terminal as it was, and back comes ours.
void on_stop(int) {
  const int saved = errno;
  set_terminal(as_it_was);
  raise(SIGSTOP);
  set_terminal(key_by_key);
  errno = saved;
}

bool in_foreground() {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

void remove_last_letter(std::string& text) {
  // The later bytes of a letter in UTF-8 are 10xxxxxx.
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
    text.pop_back();
  }
  if (!text.empty()) text.pop_back();
}

std::size_t letters_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

}  // namespace

Keyboard::Keyboard(bool by_key) {
  if (!by_key || !isatty(STDIN_FILENO) || !in_foreground()) return;
  if (tcgetattr(STDIN_FILENO, &as_it_was) != 0) return;
  key_by_key = as_it_was;
  key_by_key.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  key_by_key.c_cc[VMIN] = 1;
  key_by_key.c_cc[VTIME] = 0;
  key_by_key.c_cc[VQUIT] = _POSIX_VDISABLE;  // Ctrl-\ would leave without putting it back
  struct sigaction action {};
  action.sa_handler = on_stop;
  sigaction(SIGTSTP, &action, nullptr);
  set_terminal(key_by_key);
  raw_ = true;
}

Keyboard::~Keyboard() {
  if (!raw_) return;
  signal(SIGTSTP, SIG_DFL);
  set_terminal(as_it_was);
}

std::string Keyboard::read_available() {
  std::string keys;
  while (!closed_ && !wait_for_input({STDIN_FILENO}, 0).empty()) {
    std::array<char, 4096> buffer;
    const ssize_t size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      closed_ = true;
    } else {
      keys.append(buffer.data(), static_cast<std::size_t>(size));
    }
  }
  return keys;
}

void Keyboard::drop() {
  if (isatty(STDIN_FILENO)) tcflush(STDIN_FILENO, TCIFLUSH);
}

void Keyboard::lend(const std::function<void()>& action) {
  if (raw_) set_terminal(as_it_was);
  action();
  if (raw_) set_terminal(key_by_key);
}

LineReader::LineReader(bool live)
    : live_(live && isatty(STDIN_FILENO) != 0), echo_(isatty(STDIN_FILENO) == 0), keyboard_(live) {
  drop_typed();
}

void LineReader::drop_typed() {
  keyboard_.drop();
  if (!echo_) waiting_.clear();
}

std::optional<std::string> LineReader::read(const std::function<std::string()>& prompt) {
  typed_.clear();
  rows_ = 0;
  std::string text = prompt();
  if (!live_) fmt::print("{}", text);
  for (;;) {
    if (live_) paint(text);
    std::fflush(stdout);
    if (const auto line = next_line(text)) return line;
    if (interrupted() || keyboard_.closed()) {
      fmt::print("\n");
      return {};
    }
    wait_for_input({STDIN_FILENO}, a_second_ms);
    waiting_ += keyboard_.read_available();
    if (keyboard_.closed() && !waiting_.empty()) waiting_ += '\n';  // a last line without its end
    if (live_) erase_painted();
    text = prompt();
  }
}

/// Looks at what was typed, up to the end of a line.
std::optional<std::string> LineReader::next_line(const std::string& prompt) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (!type(waiting_[i])) continue;
    waiting_.erase(0, i + 1);
    if (live_) {
      erase_painted();
      paint(prompt);
    }
    if (live_ || echo_) fmt::print("{}\n", echo_ ? typed_ : "");
    return typed_;
  }
  waiting_.clear();
  return {};
}

/// True at the end of the line.
bool LineReader::type(char key) {
  if (in_escape_) {
    in_escape_ = key == '[' || key == 'O' || key == ';' || (key >= '0' && key <= '9');
    return false;
  }
  if (key == '\n' || key == '\r') return true;
  if (key == end_of_input && typed_.empty()) {
    typed_ = "quit";
    return true;
  }
  if (key == escape) {
    in_escape_ = true;
  } else if (key == erase || key == '\b') {
    remove_last_letter(typed_);
  } else if (key == kill_line) {
    typed_.clear();
  } else if (key == kill_word) {
    while (typed_.ends_with(' ')) typed_.pop_back();
    typed_.erase(typed_.find_last_of(' ') + 1);
  } else if (static_cast<unsigned char>(key) >= ' ') {
    typed_ += key;
  }
  return false;
}

/// A long line goes on in the next row, where the terminal breaks it.
void LineReader::paint(const std::string& prompt) {
  const std::size_t columns = std::max<std::size_t>(1, screen_columns());
  const std::size_t letters = letters_in(prompt) + letters_in(typed_);
  rows_ = std::max<std::size_t>(1, (letters + columns - 1) / columns);
  fmt::print("{}{}", prompt, typed_);
}

/// The cursor is past the last letter, in the last row.
void LineReader::erase_painted() {
  if (rows_ > 1) fmt::print("\033[{}A", rows_ - 1);
  fmt::print("\r\033[J");
  rows_ = 0;
}

}  // namespace kata::cli
