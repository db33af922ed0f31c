#pragma once
// Keys as they are pressed, and lines with a prompt that goes on changing while they are typed.

#include <functional>
#include <optional>
#include <string>

namespace kata::cli {

/// Standard input. Where it is a terminal and `by_key`, keys come one by one and are not echoed;
/// the terminal is as it was when this ends, and while the program is stopped (Ctrl-Z). Otherwise
/// the terminal hands over whole lines. A pipe's bytes come as they are.
class Keyboard {
 public:
  explicit Keyboard(bool by_key);
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  /// What was typed since the last call, without waiting.
  std::string read_available();

  /// Throws away what was typed and not read; a pipe keeps it.
  void drop();

  /// True at the end of a script or pipe, or when the terminal is gone.
  bool closed() const { return closed_; }

  /// The terminal as it was while `action` runs: a pager wants it so.
  void lend(const std::function<void()>& action);

 private:
  bool raw_ = false;
  bool closed_ = false;
};

/// Reads commands, one a line.
class LineReader {
 public:
  /// `live`: the prompt is repainted every second, followed by what was typed; else it is
  /// printed once for each line, and the terminal does the editing.
  explicit LineReader(bool live);

  /// Before a question that comes after work: what was typed meanwhile on a terminal is no answer
  /// to it.
  void drop_typed();

  /// The next line; nothing at the end of the input, or when the person interrupts. `prompt` is
  /// asked for at least once a second.
  std::optional<std::string> read(const std::function<std::string()>& prompt);

 private:
  std::optional<std::string> next_line(const std::string& prompt);
  bool type(char key);
  void paint(const std::string& prompt);
  void erase_painted();

  const bool live_;
  const bool echo_;  ///< of a script: what is printed then reads like what a terminal shows
  Keyboard keyboard_;
  std::string waiting_;  ///< read and not yet looked at
  std::string typed_;
  bool in_escape_ = false;  ///< within the bytes of an arrow key
  std::size_t rows_ = 0;    ///< of the screen, that the prompt and what was typed take
};

}  // namespace kata::cli
