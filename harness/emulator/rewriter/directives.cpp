#include <algorithm>
#include <cctype>

#include "emulator/rewriter/libraries.h"
#include "emulator/rewriter/passes.h"
#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

struct Directive {
  std::string name;      ///< "include"
  std::string argument;  ///< the rest, trimmed
};

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) || c == '\\';
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

Directive parse(const Token& token) {
  const std::string text = trimmed(std::string_view(token.text).substr(1));
  const std::size_t end =
      std::find_if(text.begin(), text.end(), [](char c) { return !std::isalpha(c) && c != '_'; }) -
      text.begin();
  return {text.substr(0, end), trimmed(std::string_view(text).substr(end))};
}

/// What a directive includes; no name if it is no #include of that kind.
Include included(const Directive& directive) {
  if (directive.name != "include" || directive.argument.empty()) return {};
  const bool quoted = directive.argument[0] == '"';
  if (!quoted && directive.argument[0] != '<') return {};
  const std::size_t end = directive.argument.find(quoted ? '"' : '>', 1);
  if (end == std::string::npos) return {};
  return {directive.argument.substr(1, end - 1), quoted};
}

/// As many new lines as the text has, so that what follows keeps its line number.
std::string new_lines(const std::string& text) {
  return std::string(std::count(text.begin(), text.end(), '\n'), '\n');
}

/// The count in `#pragma unroll 4` or `unroll(4)`; g++ unrolls by 16 where nvcc would choose.
std::string unroll_count(const std::string& argument) {
  std::string count;
  for (char c : argument) {
    if (std::isdigit(static_cast<unsigned char>(c))) {
      count += c;
    } else if (!count.empty() || std::isalpha(static_cast<unsigned char>(c))) {
      break;
    }
  }
  return count.empty() || count.size() > 4 ? "16" : count;
}

}  // namespace

void rewrite_includes(Tokens& tokens, const RewriteOptions& options) {
  for (Token& token : tokens) {
    if (token.kind != TokenKind::directive) continue;
    const Directive directive = parse(token);
    const Include include = included(directive);
    if (include.name.empty()) continue;
    const std::string own = options.own_header ? options.own_header(include) : "";
    if (!own.empty()) {
      token.output = "#include \"" + own + "\"" + new_lines(token.text);
      continue;
    }
    const Library* library = library_of_header(include.name);
    if (!library || (options.cub_and_thrust && !library->package.empty())) continue;
    // Without its header the first use of the library is an error in its line.
    token.output =
        library->use.empty()
            ? "#error " + std::string(library->name) +
                  " does not run on the emulator: write that part as a kernel, or use a GPU"
            : "";
    token.output += new_lines(token.text);
  }
}

void rewrite_pragmas(Tokens& tokens, const RewriteOptions& options) {
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (tokens[i].kind != TokenKind::directive) continue;
    const Directive directive = parse(tokens[i]);
    if (directive.name != "pragma" || !directive.argument.starts_with("unroll")) continue;
    const int loop = next(tokens, i);
    const bool before_loop = is_one_of(tokens, loop, {"for", "while", "do"});
    const auto counted = loop_at(tokens, loop);
    const bool stays = before_loop && (options.unroll || !counted || is_short(tokens, *counted));
    if (stays && options.clang) continue;
    tokens[i].output = stays ? "#pragma GCC unroll " + unroll_count(directive.argument.substr(6))
                             : "";  // g++ calls it an error where no loop follows
    tokens[i].output += new_lines(tokens[i].text);
  }
}

void rewrite_noinline(Tokens& tokens) {
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (!is(tokens, i, "__noinline__")) continue;
    const int before = previous(tokens, i);
    if (is(tokens, before, "(") || is(tokens, before, ",")) continue;  // an attribute already
    tokens[i].output = "__attribute__((noinline))";
  }
}

std::vector<Include> includes(std::string_view source) {
  std::vector<Include> result;
  for (const Token& token : lex(source)) {
    if (token.kind != TokenKind::directive) continue;
    if (Include include = included(parse(token)); !include.name.empty()) {
      result.push_back(std::move(include));
    }
  }
  return result;
}

}  // namespace kata::emulator
