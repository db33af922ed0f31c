#pragma once
// What a person sees: colour, the progress line, the pager and questions.

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "config/config.h"

namespace kata::cli {

/// What the person prefers, for the rest of the program; NO_COLOR and --plain come before it.
void choose_color(ColorChoice choice);

/// True if standard output is a terminal, NO_COLOR is not set, and --plain was not given.
bool color_wanted(bool plain);

/// The same of standard error.
bool color_wanted_on_errors(bool plain);

/// True if standard output is a terminal on which the cursor may be moved and lines erased.
bool screen_wanted(bool plain);

/// Of standard output; 80 where it is no terminal.
std::size_t screen_columns();

/// Lines of standard output's terminal, at least 24; 0 where it is no terminal, or with --plain.
std::size_t screen_rows(bool plain);

/// The same of standard error.
std::size_t screen_rows_on_errors(bool plain);

/// Before what a check that `watch` started says is going on, on its standard error.
inline constexpr std::string_view progress_mark = "progress: ";

/// A line on standard error that says what is going on. It appears once something has taken
/// longer than a moment, only on a terminal, and is erased when this ends.
class Progress {
 public:
  explicit Progress(bool plain);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void say(const std::string& what);

  /// Prints to standard output, above the line.
  void print(const std::string& text);

 private:
  void show_until_done();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool done_ = false;
  std::thread painter_;  // last: it uses the others
};

/// Prints through $PAGER, or `less`, if standard output is a terminal that the text overflows. On a
/// terminal, lines that are wider are broken at words, but for those of the `code` that follows,
/// which the arrow keys move sideways; `marks` as for layout::fitted. False if the person left it
/// with Ctrl-C.
bool print_paged(const std::string& text, bool plain, std::string_view marks = {},
                 const std::string& code = {});

/// Asks on the terminal; without one the answer is no.
bool asked_and_agreed(const std::string& question);

}  // namespace kata::cli
