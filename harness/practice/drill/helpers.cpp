#include "practice/drill/helpers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>

#include "emulator/lexer/lexer.h"
#include "practice/drill/reading.h"
#include "report/layout.h"
#include "support/diff.h"
#include "support/paths.h"

namespace kata::drill {
namespace {

using emulator::Token;
using emulator::TokenKind;
using Words = std::set<std::string>;

/// A declaration or a definition outside of functions; a directive or a namespace's bracket, which
/// has no name.
struct Part {
  std::string text;
  Words names, words;       ///< that it declares, that it has
  int first = 0, last = 0;  ///< lines from 1; 0: it has no code
};

Words words_of(const std::string& code) {
  Words words;
  for (const Token& one : emulator::lex(code)) {
    if (one.kind == TokenKind::identifier) words.insert(one.text);
  }
  return words;
}

/// Reads a header part by part.
class Parts {
 public:
  explicit Parts(const std::string& header) : tokens_(emulator::lex(header)) {
    while (at_ < tokens_.size()) all_.push_back(part());
  }
  std::vector<Part> all() && { return std::move(all_); }

 private:
  const Token* next_code(std::size_t from) const {
    while (from < tokens_.size() && tokens_[from].kind == TokenKind::space) ++from;
    return from < tokens_.size() ? &tokens_[from] : nullptr;
  }

  /// Takes what a template's brackets hold: nothing in them is declared outside.
  void skip_template(Part& one) {
    for (int depth = 0; at_ < tokens_.size(); ++at_) {
      const Token& token = tokens_[at_];
      one.text += token.text;
      if (token.kind == TokenKind::identifier) one.words.insert(token.text);
      depth += token.text == "<";
      depth -= token.text == ">";
      if (token.text == ">" && depth == 0) break;
    }
  }

  bool is_declared(const Token& token) const {
    static const Words ends = {"(", "=", "{", "[", ";", ":", ","};
    static const Words operators = {"sizeof",   "alignof",  "alignas",      "decltype",
                                    "noexcept", "explicit", "static_assert"};
    const Token* const next = next_code(at_ + 1);
    return token.kind == TokenKind::identifier && !token.text.starts_with("__") &&
           !operators.contains(token.text) && next && ends.contains(next->text);
  }

  /// A macro with its body, to the end of the line.
  Part macro() {
    Part one{tokens_[at_].text, {}, {}, tokens_[at_].line, tokens_[at_].line};
    static const std::regex define(R"(^#\s*define\s+(\w+))");
    std::smatch name;
    if (std::regex_search(one.text, name, define)) one.names.insert(name.str(1));
    for (++at_; at_ < tokens_.size(); ++at_) {
      const Token& token = tokens_[at_];
      const bool is_space = token.kind == TokenKind::space;
      if (is_space && token.text.find('\n') != std::string::npos &&
          token.text.find('\\') == std::string::npos)
        break;
      one.text += token.text;
      one.last = token.line;
      if (token.kind == TokenKind::identifier) one.words.insert(token.text);
    }
    return one;
  }

  Part part() {
    if (tokens_[at_].kind == TokenKind::define) return macro();
    Part one;
    int depth = 0;
    bool begun = false, is_namespace = false, is_value = false;
    for (; at_ < tokens_.size(); ++at_) {
      const Token& token = tokens_[at_];
      if (token.kind == TokenKind::define && !begun) return one;  // the spaces before it
      if (token.kind != TokenKind::space && !begun) {
        begun = true;
        one.first = token.line;
        is_namespace = token.text == "namespace";
      }
      one.last = token.line;
      if (token.text == "template" && depth == 0) {
        skip_template(one);
        continue;
      }
      one.text += token.text;
      if (token.kind == TokenKind::space) continue;
      if (token.kind == TokenKind::identifier) one.words.insert(token.text);
      if (depth == 0 && (token.text == "=" || token.text == ",")) is_value = token.text == "=";
      if (depth == 0 && !is_namespace && !is_value && is_declared(token))
        one.names.insert(token.text);
      if (ends(token, depth, is_namespace)) break;
    }
    ++at_;
    return one;
  }

  bool ends(const Token& token, int& depth, bool is_namespace) const {
    const bool opens = token.text == "{" || token.text == "(";
    const bool closes = token.text == "}" || token.text == ")";
    if (token.text.starts_with('#')) return depth == 0;
    if (is_namespace && token.text == "{") return true;
    if (closes && depth == 0) return true;  // of a namespace
    depth += opens - closes;
    if (depth > 0) return false;
    const Token* const next = next_code(at_ + 1);
    return token.text == ";" || (token.text == "}" && (!next || next->text != ";"));
  }

  const std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<Part> all_;
};

std::vector<Part> parts_in(const std::string& header) {
  return Parts(header).all();
}

bool is_used(const Part& one, const Words& needed) {
  return one.names.empty() || std::any_of(one.names.begin(), one.names.end(),
                                          [&](const auto& name) { return needed.contains(name); });
}

/// With all the words of what they name in these parts.
Words with_all_used(Words needed, const std::vector<Part>& parts) {
  for (std::size_t before = 0; before != needed.size();) {
    before = needed.size();
    for (const Part& one : parts) {
      if (!one.names.empty() && is_used(one, needed))
        needed.insert(one.words.begin(), one.words.end());
    }
  }
  return needed;
}

std::vector<Part> parts_of(const std::vector<SourceFile>& headers) {
  std::vector<Part> all;
  for (const SourceFile& one : headers) {
    const std::vector<Part> parts = parts_in(one.text);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

bool includes(const std::vector<SourceFile>& headers, const SourceFile& header) {
  return std::ranges::find(headers, header.path, &SourceFile::path) != headers.end();
}

/// Without the body of a long function or class of the host, and of a function that wraps an
/// instruction.
std::string in_short(const Part& one) {
  constexpr auto long_from = 8;
  static const std::regex type(R"(^\s*(template\s*<[^{]*>\s*)?(struct|class)\s)");
  const bool is_ptx = one.words.contains("asm") && !std::regex_search(one.text, type);
  const bool is_device = one.words.contains("__device__") || one.words.contains("__global__");
  const bool is_data = one.text.find('(') == std::string::npos;
  const bool is_long = std::count(one.text.begin(), one.text.end(), '\n') >= long_from;
  if (is_ptx && one.text.starts_with('#'))
    return one.text.substr(0, one.text.find('\n')) + "  // PTX instructions";
  const std::size_t body = one.text.find('{');
  if (one.names.empty() || body == std::string::npos ||
      !(is_ptx || (is_long && !is_device && !is_data)))
    return one.text;
  return fmt::format("{}{{ ... }}{}  // {}", one.text.substr(0, body),
                     one.text.ends_with(';') ? ";" : "",
                     is_ptx ? "PTX instructions" : "host code, left out");
}

/// The function of a header that has the line: the last one that begins from `first` on.
std::string function_at(const std::string& header, int first, int line) {
  static const std::regex head(R"(__device__.*?(\w+)\()");
  const std::vector<std::string_view> lines = lines_with_ends(header);
  for (; line >= first; --line) {
    std::smatch found;
    const std::string one(lines.at(static_cast<std::size_t>(line - 1)));
    if (std::regex_search(one, found, head)) return found.str(1);
  }
  return {};
}

std::vector<int> lines_with(const std::string& kernel, const std::string& word, std::size_t most) {
  std::vector<int> lines;
  int number = 0;
  for (const std::string_view one : lines_with_ends(kernel)) {
    ++number;
    if (lines.size() < most && words_of(std::string(one)).contains(word)) lines.push_back(number);
  }
  return lines;
}

}  // namespace

std::string used_code(const std::vector<Listing>& listings) {
  std::vector<SourceFile> headers;
  std::vector<Words> needed;
  Words named;  // by the kernels themselves
  for (const Listing& one : listings) {
    needed.push_back(with_all_used(words_of(one.kernel), parts_of(one.headers)));
    named.merge(words_of(one.kernel));
    for (const SourceFile& header : one.headers) {
      if (!includes(headers, header)) headers.push_back(header);
    }
  }
  std::string code, common;
  for (const SourceFile& header : headers) {
    std::string used;
    Words in_all;
    bool has_own = false;
    for (const Part& one : parts_in(without_comments(header.text))) {
      std::size_t users = 0;
      for (std::size_t i = 0; i < listings.size(); ++i)
        users += includes(listings[i].headers, header) && is_used(one, needed[i]);
      const bool is_common = !one.names.empty() && users > 1 && users == listings.size();
      if (is_common)
        std::ranges::set_intersection(one.names, named, std::inserter(in_all, in_all.end()));
      if (users == 0 || is_common) continue;
      used += in_short(one);
      has_own = has_own || !one.names.empty();
    }
    if (has_own) code += fmt::format("---- {} ----\n{}\n", header.path.filename().string(), used);
    if (!in_all.empty())
      common += layout::paragraph(
          fmt::format("{}: {}", shown(header.path), fmt::join(in_all, ", ")), 2, 4);
  }
  return common.empty() ? code : code + "Both use these helpers as well:\n" + common;
}

std::string used_names(const std::string& kernel, const std::vector<SourceFile>& headers) {
  const Words needed = words_of(kernel);
  std::string text;
  for (const SourceFile& header : headers) {
    std::vector<std::string> names;
    for (const Part& one : parts_in(header.text)) {
      std::set_intersection(one.names.begin(), one.names.end(), needed.begin(), needed.end(),
                            std::back_inserter(names));
    }
    if (!names.empty())
      text += layout::paragraph(fmt::format("{}: {}", shown(header.path), fmt::join(names, ", ")),
                                2, 4);
  }
  return text;
}

std::vector<int> lines_into(const std::string& kernel, const std::vector<SourceFile>& headers,
                            const std::filesystem::path& header, int line, std::size_t most) {
  Words meant;  // names of the part that has the line
  for (const SourceFile& one : headers) {
    if (one.path.filename() != header.filename()) continue;
    for (const Part& part : parts_in(one.text)) {
      if (part.first == 0 || part.first > line || line > part.last) continue;
      meant.insert(part.names.begin(), part.names.end());
      const auto calls = lines_with(kernel, function_at(one.text, part.first, line), most);
      if (!calls.empty()) return calls;
    }
  }
  // A line that only names a type leads nowhere: those that use the name do.
  static const std::regex alias(R"(^\s*(?:template.*>\s*)?using (\w+) =)");
  std::vector<Part> parts = parts_of(headers);
  std::vector<std::string> code;
  for (const std::string_view one : lines_with_ends(kernel)) {
    code.emplace_back(one);
    std::smatch name;
    if (!std::regex_search(code.back(), name, alias)) continue;
    parts.push_back({{}, {name.str(1)}, words_of(code.back())});
    code.back().clear();
  }
  std::vector<int> lines;
  for (std::size_t i = 0; i < code.size() && lines.size() < most; ++i) {
    const Words reached = with_all_used(words_of(code[i]), parts);
    const bool leads_there = std::any_of(meant.begin(), meant.end(),
                                         [&](const auto& name) { return reached.contains(name); });
    if (leads_there) lines.push_back(static_cast<int>(i) + 1);
  }
  return lines;
}

}  // namespace kata::drill
