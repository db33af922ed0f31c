#pragma once
// Source as a person reads it in a drill: where two texts differ in code, and which comments would
// give a fault away.

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "problems/spec/problem.h"

namespace kata::drill {

/// Lines that were replaced, as half-open ranges of lines counted from 0. One of them may be empty.
struct Hunk {
  std::size_t before_begin = 0, before_end = 0;
  std::size_t after_begin = 0, after_end = 0;
};

/// Where the code of two texts differs; comments, blanks at the ends of lines and empty lines do
/// not count.
std::vector<Hunk> hunks_between(const std::string& before, const std::string& after);

/// The number of the last line above that one, counted from 0, that has code; 0 if there is none.
std::size_t line_of_code_before(const std::string& text, std::size_t line);

/// Lines of code that differ: of each hunk the longer side.
std::size_t changed_lines(const std::vector<Hunk>& hunks);

/// `before` with some of the hunks of `after`.
std::string with_hunks(const std::string& before, const std::string& after,
                       const std::vector<Hunk>& hunks);

/// The tokens that one side of some hunk has more often than the other.
std::set<std::string> changed_words(const std::string& before, const std::string& after);

/// Words of at least five letters in a sentence, in lower case.
std::set<std::string> long_words(const std::string& sentence);

/// ASCII letters alone.
std::string lower(std::string text);

/// Without the comment at its beginning, which tells of measurements and of the ladder.
std::string without_header(const std::string& text);

/// Removes comments in and directly above `after`'s side of the hunks and above its function, and
/// every comment that has one of the `telling` words; comments alone on lines that follow each
/// other go together, up to an empty one.
std::string without_telling_comments(const std::string& text, const std::vector<Hunk>& hunks,
                                     const std::set<std::string>& telling);

/// The operator's declaration, indented, and broken between parameters alone.
std::string signature_text(const Problem& problem);

/// Each line with its number in front.
std::string numbered(const std::string& text);

/// The code alone, with at most one empty line between others.
std::string without_comments(const std::string& text);

/// The same text for a file in another folder: #include "x.h" finds what it found in `from`.
std::string moved(const std::string& text, const std::filesystem::path& from,
                  const std::filesystem::path& to);

}  // namespace kata::drill
