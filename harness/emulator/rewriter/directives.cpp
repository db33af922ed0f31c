#include <algorithm>
#include <cctype>
#include <set>
#include <string>

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

/// The file in `"name"` or `<name>`; no name if the text begins otherwise.
Include file_in(const std::string& text) {
  const bool quoted = text.starts_with('"');
  if (!quoted && !text.starts_with('<')) return {};
  const std::size_t end = text.find(quoted ? '"' : '>', 1);
  if (end == std::string::npos) return {};
  return {text.substr(1, end - 1), quoted};
}

std::string identifier_at_start(const std::string& text) {
  const auto end = std::find_if(text.begin(), text.end(),
                                [](unsigned char c) { return !std::isalnum(c) && c != '_'; });
  return {text.begin(), end};
}

/// What a directive includes by name.
Include included(const Token& token) {
  if (token.kind != TokenKind::directive) return {};
  const Directive directive = parse(token);
  return directive.name == "include" ? file_in(directive.argument) : Include{};
}

/// The macros in `#include MACRO`.
std::set<std::string> included_macros(const Tokens& tokens) {
  std::set<std::string> result;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::directive) continue;
    const Directive directive = parse(token);
    if (directive.name == "include") result.insert(identifier_at_start(directive.argument));
  }
  result.erase("");
  return result;
}

/// The token "name" of `#define MACRO "name"` at `i`, if the macro is one of `macros`; else none.
int file_of_macro(const Tokens& tokens, int i, const std::set<std::string>& macros) {
  if (tokens[i].kind != TokenKind::define || !macros.count(parse(tokens[i]).argument)) return none;
  const int body = next(tokens, i);
  const bool alone = body != none && next(tokens, body) == none;
  return alone && tokens[body].text.starts_with('"') ? body : none;
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
  const std::set<std::string> macros = included_macros(tokens);
  const auto own_header = [&](const Include& file) {
    const std::string own = options.own_header ? options.own_header(file) : "";
    return own.empty() ? "" : "\"" + own + "\"";
  };
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (const int body = file_of_macro(tokens, i, macros); body != none) {
      const std::string own = own_header(file_in(tokens[body].text));
      if (!own.empty()) tokens[body].output = own;
    }
    Token& token = tokens[i];
    const Include include = included(token);
    if (include.name.empty()) continue;
    if (const std::string own = own_header(include); !own.empty()) {
      token.output = "#include " + own + new_lines(token.text);
      continue;
    }
    const Library* library = options.of_library ? nullptr : library_of_header(include.name);
    if (!library || options.packages.contains(std::string(library->package))) continue;
    // Without its header the first use of the library is an error in its line.
    token.output =
        library->use.empty()
            ? "#error " + std::string(library->name) + " does not run on the emulator" +
                  (library->package.empty() ? ": write that part as a kernel, or use a GPU"
                                            : " without " + std::string(library->package))
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

void rewrite_pragma_operators(Tokens& tokens) {
  const auto clear = [&](int begin, int end) {
    for (int i = begin; i != none && i <= end; i = next(tokens, i)) tokens[i].output.clear();
  };
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const int second = next(tokens, i), third = next(tokens, second);
    if (is(tokens, i, "_Pragma") && is(tokens, second, "(") && third != none &&
        tokens[third].text.starts_with("\"unroll")) {
      clear(i, next(tokens, third));
    } else if (is(tokens, i, "#") && is(tokens, second, "pragma") && is(tokens, third, "unroll")) {
      int last = third;  // all of a macro's body: a directive of its own is no such tokens
      while (next(tokens, last) != none) last = next(tokens, last);
      clear(i, last);
    }
  }
}

std::string name_of_macro(const Token& define) {
  return identifier_at_start(parse(define).argument);
}

int macro_around(const Tokens& tokens, int i) {
  while (i >= 0 && tokens[i].kind != TokenKind::define) {
    if (tokens[i].kind == TokenKind::define_end) return none;
    --i;
  }
  return i;
}

std::set<std::string> parameters_of_macro(const Token& define) {
  std::set<std::string> parameters;
  for (const Token& token : lex(parse(define).argument))
    if (token.kind == TokenKind::identifier) parameters.insert(token.text);
  parameters.erase(name_of_macro(define));
  return parameters;
}

std::string unroll_pragma_of(const Tokens& tokens, int loop) {
  int i = loop - 1;
  while (i >= 0 && tokens[i].kind == TokenKind::space) --i;
  const bool unrolls = i >= 0 && tokens[i].kind == TokenKind::directive &&
                       tokens[i].text.find("unroll") != std::string::npos;
  return unrolls ? tokens[i].text : "";
}

bool forbids_unrolling(const std::string& pragma) {
  const std::string word = "unroll";
  for (std::size_t at = pragma.find(word); at != std::string::npos;
       at = pragma.find(word, at + 1)) {
    const std::size_t count = pragma.find_first_not_of(" \t\n\v\f\r(", at + word.size());
    if (count == std::string::npos || pragma[count] != '1') continue;
    const auto next = static_cast<unsigned char>(pragma[count + 1]);
    if (!std::isalnum(next) && next != '_') return true;
  }
  return false;
}

bool has_directive(const Tokens& tokens, int first, int last) {
  return std::any_of(tokens.begin() + first, tokens.begin() + last, [](const Token& token) {
    return token.kind == TokenKind::directive && token.text.find("unroll") == std::string::npos;
  });
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
  const Tokens tokens = lex(source);
  const std::set<std::string> macros = included_macros(tokens);
  std::vector<Include> result;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const int body = file_of_macro(tokens, i, macros);
    Include file = body == none ? included(tokens[i]) : file_in(tokens[body].text);
    if (!file.name.empty()) result.push_back(std::move(file));
  }
  return result;
}

}  // namespace kata::emulator
