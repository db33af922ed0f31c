#include "practice/drill/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>

#include "emulator/lexer/lexer.h"
#include "report/layout.h"
#include "support/diff.h"

namespace fs = std::filesystem;

namespace kata::drill {
namespace {

using emulator::Token;
using emulator::TokenKind;

bool is_comment(const Token& token) {
  return token.kind == TokenKind::space && token.text.starts_with('/');
}

std::string without_end_blanks(std::string line) {
  line.erase(line.find_last_not_of(" \t\r\n") + 1);
  return line;
}

/// Line by line without comments: as many lines as the text has.
std::vector<std::string> code_lines(const std::string& text) {
  std::string code;
  for (const Token& token : emulator::lex(text)) {
    if (is_comment(token))
      code.append(static_cast<std::size_t>(std::count(token.text.begin(), token.text.end(), '\n')),
                  '\n');
    else
      code += token.text;
  }
  std::vector<std::string> lines;
  for (const std::string_view line : lines_with_ends(code))
    lines.push_back(without_end_blanks(std::string(line)));
  return lines;
}

/// The lines that are not empty, and which they are.
struct Code {
  std::vector<std::string> all;
  std::vector<std::string_view> lines;
  std::vector<std::size_t> numbers;

  explicit Code(const std::string& text) : all(code_lines(text)) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].empty()) continue;
      lines.push_back(all[i]);
      numbers.push_back(i);
    }
  }
  std::size_t number(std::size_t i) const { return i < numbers.size() ? numbers[i] : all.size(); }
};

std::map<std::string, int> words_in(const std::vector<std::string>& lines, std::size_t begin,
                                    std::size_t end) {
  std::map<std::string, int> words;
  for (std::size_t i = begin; i < std::min(end, lines.size()); ++i) {
    for (const Token& token : emulator::lex(lines[i])) {
      if (token.kind != TokenKind::space) ++words[token.text];
    }
  }
  return words;
}

/// Letters, digits and _ in a row.
template <class Visit>
void for_each_word(const std::string& text, Visit visit) {
  std::string word;
  for (const char letter : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(letter)) || letter == '_') {
      word += letter;
    } else if (!word.empty()) {
      visit(word);
      word.clear();
    }
  }
}

bool tells(const std::string& comment, const std::set<std::string>& telling) {
  bool found = false;
  for_each_word(comment, [&](const std::string& word) {
    found = found || telling.contains(word) || telling.contains(lower(word));
  });
  return found;
}

/// A comment behind code, or comments alone on lines that follow each other.
struct Block {
  std::vector<std::size_t> tokens;
  std::size_t first = 0, last = 0;  ///< lines, from 0
  bool behind_code = false;
};

std::vector<Block> comment_blocks(const std::vector<Token>& tokens) {
  std::vector<Block> blocks;
  int line_of_code = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::space) line_of_code = tokens[i].line;
    if (!is_comment(tokens[i])) continue;
    const auto first = static_cast<std::size_t>(tokens[i].line - 1);
    const auto ends = std::count(tokens[i].text.begin(), tokens[i].text.end(), '\n');
    const bool behind = tokens[i].line == line_of_code;
    const bool begins = tokens[i].text == "//";  // a paragraph of its own
    const bool goes_on = !behind && !begins && !blocks.empty() && !blocks.back().behind_code &&
                         first <= blocks.back().last + 1;
    if (!goes_on) blocks.push_back({{}, first, first, behind});
    blocks.back().tokens.push_back(i);
    blocks.back().last = first + static_cast<std::size_t>(ends);
  }
  return blocks;
}

bool is_at(const Block& block, const Hunk& hunk) {
  return block.last + 1 >= hunk.after_begin && block.first <= hunk.after_end;
}

/// Whether it stands above the function that has the hunk: no function ends between them.
bool is_above(const Block& block, const Hunk& hunk, const std::vector<std::string_view>& lines) {
  if (!lines[block.first].starts_with("/") || block.last >= hunk.after_begin) return false;
  return std::none_of(lines.begin() + static_cast<std::ptrdiff_t>(block.last),
                      lines.begin() + static_cast<std::ptrdiff_t>(hunk.after_begin),
                      [](std::string_view line) { return line.starts_with('}'); });
}

}  // namespace

std::vector<Hunk> hunks_between(const std::string& before, const std::string& after) {
  const Code old_code(before), new_code(after);
  std::vector<Hunk> hunks;
  std::size_t i = 0, j = 0;  // lines of code that are behind us
  bool within = false;
  for (const Edit& edit : edits_between(old_code.lines, new_code.lines)) {
    if (edit.sign == ' ') {
      within = false;
      ++i, ++j;
      continue;
    }
    if (!within)
      hunks.push_back(
          {old_code.number(i), old_code.number(i), new_code.number(j), new_code.number(j)});
    within = true;
    if (edit.sign == '-') hunks.back().before_end = old_code.number(i++) + 1;
    if (edit.sign == '+') hunks.back().after_end = new_code.number(j++) + 1;
  }
  return hunks;
}

std::size_t line_of_code_before(const std::string& text, std::size_t line) {
  const std::vector<std::string> lines = code_lines(text);
  while (line > 0 && lines[line - 1].empty()) --line;
  return line;
}

std::size_t changed_lines(const std::vector<Hunk>& hunks) {
  std::size_t lines = 0;
  for (const Hunk& hunk : hunks)
    lines += std::max(hunk.before_end - hunk.before_begin, hunk.after_end - hunk.after_begin);
  return lines;
}

std::string with_hunks(const std::string& before, const std::string& after,
                       const std::vector<Hunk>& hunks) {
  const std::vector<std::string_view> from = lines_with_ends(before), to = lines_with_ends(after);
  std::string text;
  std::size_t line = 0;
  for (const Hunk& hunk : hunks) {
    for (; line < hunk.before_begin; ++line) text += from[line];
    for (std::size_t i = hunk.after_begin; i < hunk.after_end; ++i) text += to[i];
    line = hunk.before_end;
  }
  for (; line < from.size(); ++line) text += from[line];
  return text;
}

std::set<std::string> changed_words(const std::string& before, const std::string& after) {
  const std::vector<std::string> from = code_lines(before), to = code_lines(after);
  std::set<std::string> changed;
  for (const Hunk& hunk : hunks_between(before, after)) {
    std::map<std::string, int> difference = words_in(from, hunk.before_begin, hunk.before_end);
    for (const auto& [word, times] : words_in(to, hunk.after_begin, hunk.after_end))
      difference[word] -= times;
    for (const auto& [word, times] : difference) {
      if (times != 0) changed.insert(word);
    }
  }
  return changed;
}

std::set<std::string> long_words(const std::string& sentence) {
  constexpr std::size_t least_letters = 5;
  std::set<std::string> words;
  for_each_word(sentence, [&](const std::string& word) {
    if (word.size() >= least_letters) words.insert(lower(word));
  });
  return words;
}

std::string lower(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

std::string without_header(const std::string& text) {
  std::size_t begin = 0;
  for (const Token& token : emulator::lex(text)) {
    if (token.kind != TokenKind::space) break;
    begin += token.text.size();
  }
  return text.substr(begin);
}

std::string without_telling_comments(const std::string& text, const std::vector<Hunk>& hunks,
                                     const std::set<std::string>& telling) {
  std::vector<Token> tokens = emulator::lex(text);
  const std::vector<std::string_view> lines = lines_with_ends(text);
  std::set<std::size_t> emptied;  // of them
  for (const Block& block : comment_blocks(tokens)) {
    const bool near = std::any_of(hunks.begin(), hunks.end(), [&](const Hunk& hunk) {
      return is_at(block, hunk) || is_above(block, hunk, lines);
    });
    const bool told = std::any_of(block.tokens.begin(), block.tokens.end(),
                                  [&](std::size_t i) { return tells(tokens[i].text, telling); });
    if (!near && !told) continue;
    for (const std::size_t i : block.tokens) {
      const auto ends = std::count(tokens[i].text.begin(), tokens[i].text.end(), '\n');
      tokens[i].output = std::string(static_cast<std::size_t>(ends), '\n');
    }
    for (std::size_t line = block.first; line <= block.last; ++line) emptied.insert(line);
  }
  const std::string left = emulator::output_text(tokens);
  std::string result;
  std::size_t number = 0;
  bool after_comment = false;
  for (const std::string_view line : lines_with_ends(left)) {
    const std::string kept = without_end_blanks(std::string(line));
    const bool goes_on = kept != "//" || after_comment;  // after one, an empty comment parts two
    if (goes_on && (!kept.empty() || !emptied.contains(number))) result += kept + "\n";
    after_comment = kept.starts_with("//") && goes_on;
    ++number;
  }
  return result;
}

std::string signature_text(const Problem& problem) {
  constexpr char glue = '\x1f';
  std::string text = declaration(problem);
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ' ' && text[i - 1] != ',') text[i] = glue;
  }
  text = layout::paragraph(text, 2, 4);
  std::replace(text.begin(), text.end(), glue, ' ');
  return text;
}

std::string numbered(const std::string& text) {
  std::string result;
  int number = 0;
  for (const std::string_view line : lines_with_ends(text))
    result += fmt::format("{:>4}  {}", ++number, line);
  return result;
}

std::string without_comments(const std::string& text) {
  std::string code;
  for (const std::string& line : code_lines(text)) {
    if (!line.empty() || (!code.empty() && !code.ends_with("\n\n"))) code += line + "\n";
  }
  return code;
}

std::string moved(const std::string& text, const fs::path& from, const fs::path& to) {
  static const std::regex include("#include \"([^\"]+)\"");
  std::string result;
  auto begin = text.cbegin();
  for (std::sregex_iterator i(text.begin(), text.end(), include), end; i != end; ++i) {
    const fs::path header = (from / i->str(1)).lexically_normal();
    result.append(begin, text.cbegin() + i->position());
    result += fmt::format("#include \"{}\"", header.lexically_relative(to).string());
    begin = text.cbegin() + i->position() + i->length();
  }
  return result.append(begin, text.cend());
}

}  // namespace kata::drill
