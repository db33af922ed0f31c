#include "report/text/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "emulator/lexer/lexer.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata {
namespace {

using namespace layout;

/// Tabs become single blanks, so that a caret below them is in the right place.
std::string source_line(const std::string& path, int wanted) {
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < wanted; ++i) {
    if (!std::getline(file, line)) return {};
  }
  for (char& letter : line) {
    if (letter == '\t') letter = ' ';
  }
  return line.substr(0, line.find_last_not_of(" \r") + 1);
}

/// cudaMalloc, cuMemAllocManaged, cudaStreamCreate; malloc and new in a kernel.
bool allocates(const std::string& token) {
  const auto has = [&](const char* part) { return token.find(part) != std::string::npos; };
  const bool of_cuda = token.starts_with("cu");
  return token == "malloc" || token == "new" ||
         (of_cuda && (has("Alloc") || has("Malloc") || has("Create") || has("Instantiate")));
}

bool is_of_an_access(FindingKind kind) {
  return kind == FindingKind::race || kind == FindingKind::out_of_bounds ||
         kind == FindingKind::uninitialized || kind == FindingKind::misaligned;
}

bool is_name(const emulator::Token& token) {
  return token.kind == emulator::TokenKind::identifier;
}

/// Where the one array is named that a line indexes, or changes by atomics; npos where it is
/// several.
std::size_t only_access(const std::vector<emulator::Token>& tokens) {
  std::size_t at = 0, found = std::string::npos;
  std::string name;
  bool in_atomic = false;  // between the bracket and the first name
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_indexed = i + 1 < tokens.size() && tokens[i + 1].text == "[";
    const bool calls_atomic = is_name(tokens[i]) && tokens[i].text.starts_with("atomic");
    if (is_name(tokens[i]) && (is_indexed || in_atomic)) {
      if (!name.empty() && name != tokens[i].text) return std::string::npos;
      if (name.empty()) found = at;
      name = tokens[i].text;
    }
    in_atomic = calls_atomic || (in_atomic && !is_name(tokens[i]));
    at += tokens[i].text.size();
  }
  return found;
}

int column_of(const std::string& code, const Finding& finding) {
  const std::size_t begin = code.find_first_not_of(' ');
  if (begin == std::string::npos) return 0;
  std::size_t at = 0, named = std::string::npos;
  const std::vector<emulator::Token> tokens = emulator::lex(code);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool leaks = finding.kind == FindingKind::leak && allocates(tokens[i].text);
    if (leaks || (!finding.object.empty() && tokens[i].text == finding.object)) {
      if (i + 1 < tokens.size() && tokens[i + 1].text == "[") return static_cast<int>(at) + 1;
      if (named == std::string::npos) named = at;
    }
    at += tokens[i].text.size();
  }
  if (named == std::string::npos && is_of_an_access(finding.kind)) named = only_access(tokens);
  return static_cast<int>(named == std::string::npos ? begin : named) + 1;
}

/// "    5 |   the code" and a caret below its column.
std::string excerpt(const Finding& finding, bool color, bool wrapped) {
  std::string code = finding.line > 0 ? source_line(finding.file, finding.line) : "";
  if (code.empty()) return {};
  constexpr std::size_t gutter = 8;
  auto caret = static_cast<std::size_t>(std::max(finding.column, 1)) - 1;
  if (wrapped && code.size() > width - gutter) {
    const std::size_t indent = code.find_first_not_of(' ');
    code.erase(0, indent);
    caret -= std::min(caret, indent);
  }
  const std::size_t columns = wrapped ? width - gutter : code.size();
  std::string text;
  std::size_t done = 0;  // of the code's letters
  for (const std::string& row : rows_of(code, columns)) {
    const std::size_t blanks = done == 0 ? 0 : row.find_first_not_of(' ');
    if (done > 0) done = code.find_first_not_of(' ', done);
    text += fmt::format("{:>5} | {}\n", done == 0 ? std::to_string(finding.line) : "", row);
    const std::size_t end = done + row.size() - blanks;
    if (finding.column > 0 && caret >= done && caret < end) {
      text += fmt::format("{:>5} | {}{}\n", "", std::string(caret - done + blanks, ' '),
                          paint("^", Color::green, color));
    }
    done = end;
  }
  return text;
}

/// Columns of "   12 | " or "      | " before a compiler's source line, caret or fix-it; 0: none.
std::size_t gutter_of(const std::string& line) {
  const std::size_t bar = line.find_first_not_of(" 0123456789");
  const bool is_gutter = bar != std::string::npos && line[bar] == '|' && bar > 0;
  return is_gutter ? std::min(bar + 2, line.size()) : 0;
}

/// Without `cut` columns behind the gutter, and no wider than the screen.
std::string narrowed(const std::string& line, std::size_t gutter, std::size_t cut) {
  std::string code = line.substr(std::min(gutter + cut, line.size()));
  const bool is_source = line.find_first_of("0123456789") < gutter;
  const bool lacks_code = line.find_first_not_of(' ', gutter) < gutter + cut;
  if (is_source && lacks_code) code.replace(0, 3, "...");
  if (code.size() > width - gutter) code.resize(width - gutter);
  return line.substr(0, gutter) + code;
}

const char* word_of(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

std::string row_of(const std::string& text, bool wrapped) {
  return wrapped ? paragraph(text, 0, 4) : text + "\n";
}

/// Colours the first `part` of the text, if it is there in one piece.
void paint_part(std::string& text, const std::string& part, Color shade, bool color) {
  const std::size_t at = text.find(part);
  if (color && at != std::string::npos) text.replace(at, part.size(), paint(part, shade, true));
}

}  // namespace

void add_columns(std::vector<Finding>& findings) {
  for (Finding& one : findings) {
    if (one.line > 0 && one.column == 0)
      one.column = column_of(source_line(one.file, one.line), one);
  }
}

void point_at(const std::string& name, Finding& finding) {
  Finding other = finding;
  other.object = name;
  finding.column = column_of(source_line(finding.file, finding.line), other);
}

std::string with_narrow_excerpts(const std::string& words) {
  std::vector<std::string> lines;
  std::istringstream all(words);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  std::string text;
  std::size_t cut = 0;  // of the excerpt that goes on
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t gutter = gutter_of(lines[i]);
    const bool is_source = lines[i].find_first_of("0123456789") < gutter;
    const bool has_caret = i + 1 < lines.size() && gutter_of(lines[i + 1]) == gutter;
    if (is_source || gutter == 0) cut = 0;
    if (is_source && has_caret && lines[i].size() > width) {
      const std::size_t indent = lines[i].find_first_not_of(' ', gutter) - gutter;
      const std::size_t caret = lines[i + 1].find('^'), middle = gutter + (width - gutter) / 2;
      cut = caret == std::string::npos || caret - indent <= middle ? indent : caret - middle;
    }
    text += (gutter > 0 && cut > 0 ? narrowed(lines[i], gutter, cut) : lines[i]) + "\n";
  }
  return text;
}

std::string diagnostic(const Finding& finding, bool color, bool wrapped) {
  std::string place = shown(finding.file);
  if (finding.line > 0) place += fmt::format(":{}", finding.line);
  if (finding.column > 0) place += fmt::format(":{}", finding.column);
  const std::string severity = word_of(finding.severity) + std::string(":");
  std::string head =
      row_of(fmt::format("{}{}{} {}: {}{}", place, place.empty() ? "" : ": ", severity,
                         to_string(finding.kind), finding.message,
                         finding.kernel.empty() ? "" : fmt::format(" [{}]", finding.kernel)),
             wrapped);
  paint_part(head, severity, finding.severity == Severity::error ? Color::red : Color::yellow,
             color);
  if (!place.empty()) paint_part(head, place + ":", Color::bold, color);
  const std::string note = finding.note.empty() ? "" : row_of("note: " + finding.note, wrapped);
  return head + excerpt(finding, color, wrapped) + note;
}

}  // namespace kata
