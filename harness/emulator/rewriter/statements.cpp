#include "emulator/rewriter/statements.h"

#include <algorithm>

namespace kata::emulator {
namespace {

/// The tokens between two others.
Range between(const Tokens& tokens, int before, int behind) {
  const int first = next(tokens, before);
  return first == behind ? Range{none, none} : Range{first, previous(tokens, behind)};
}

/// The next `;` from `i` on that no bracket is round, before `end`.
int semicolon(const Tokens& tokens, int i, int end) {
  return find(tokens, {i, end - 1}, ";");
}

/// The `)` of `if (...)` and its like.
int head_end(const Tokens& tokens, int keyword) {
  int open = next(tokens, keyword);
  if (is(tokens, open, "constexpr")) open = next(tokens, open);
  return is(tokens, open, "(") ? closing(tokens, open) : none;
}

/// The last token of the statement that begins at `i`.
int statement_end(const Tokens& tokens, int i) {
  if (i == none) return none;
  if (is(tokens, i, "{")) return closing(tokens, i);
  if (!is_one_of(tokens, i, {"if", "for", "while", "switch"}))
    return semicolon(tokens, i, static_cast<int>(tokens.size()));
  const int close = head_end(tokens, i);
  const int end = close == none ? none : statement_end(tokens, next(tokens, close));
  const int other = end == none ? none : next(tokens, end);
  if (!is(tokens, i, "if") || !is(tokens, other, "else")) return end;
  return statement_end(tokens, next(tokens, other));
}

bool is_operand(const Tokens& tokens, int i) {
  return is_identifier(tokens, i) || is_one_of(tokens, i, {")", "]"});
}

/// The number, or the name of a constant, that a declaration gives the name at `i`.
bool has_constant_value(const Tokens& tokens, int i, const Names& constants) {
  const int value = next(tokens, next(tokens, i));
  return value != none && is(tokens, next(tokens, i), "=") &&
         is_one_of(tokens, next(tokens, value), {";", ","}) &&
         (tokens[value].kind == TokenKind::number || constants.count(tokens[value].text));
}

bool is_pointer_declaration(const Tokens& tokens, int i) {
  return is_identifier(tokens, i) &&
         is_one_of(tokens, previous(tokens, i), {"*", "__restrict__", "&"});
}

Names shared_variables(const Tokens& tokens, const FunctionBody& body) {
  Names names;
  for (int i = body.open; i != none && i < body.close; i = next(tokens, i)) {
    if (!is(tokens, i, "__shared__")) continue;
    for (; i != none && !is(tokens, i, ";"); i = next(tokens, i)) {
      if (is_identifier(tokens, i) && is_one_of(tokens, next(tokens, i), {"[", ",", ";"}))
        names.insert(tokens[i].text);
      if (opens(tokens[i])) i = closing(tokens, i);
    }
    if (i == none) break;
  }
  return names;
}

bool is_integer(const Tokens& tokens, int i) {
  if (is(tokens, i, "-")) i = next(tokens, i);
  return i != none && tokens[i].kind == TokenKind::number &&
         (tokens[i].text.starts_with("0x") ||
          tokens[i].text.find_first_of(".efEF") == std::string::npos);
}

/// Whether the statement at `name` gives it an integer that the compiler knows: `int i = 0`,
/// `Pair best = {0, -1.0f}`.
bool gives_integer(const Tokens& tokens, int name) {
  int type = name;
  while (previous(tokens, type) != none &&
         !is_one_of(tokens, previous(tokens, type), {";", "{", "}", "("}))
    type = previous(tokens, type);
  if (has_any(tokens, {type, name}, {"float", "double", "half", "__half", "*"})) return false;
  int value = next(tokens, next(tokens, name));
  if (!is(tokens, value, "{"))
    return is_integer(tokens, value) && !is_one_of(tokens, next(tokens, value), {"."});
  return any_in(tokens, {value, closing(tokens, value)}, [&](int i) {
    return is_one_of(tokens, previous(tokens, i), {"{", ","}) && is_integer(tokens, i);
  });
}

}  // namespace

bool is_one_of(const Tokens& tokens, int i, std::initializer_list<std::string_view> texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](std::string_view text) { return is(tokens, i, text); });
}

int name_of_function(const Tokens& tokens, const FunctionBody& body) {
  for (int i = body.head; i != none && i < body.open; i = next(tokens, i)) {
    const int after = next(tokens, i);
    if (!is(tokens, after, "(") || !is_identifier(tokens, i)) continue;
    if (!is_one_of(tokens, i,
                   {"__align__", "alignas", "__attribute__", "__launch_bounds__",
                    "__cluster_dims__", "decltype"}))
      return i;
    i = closing(tokens, after);
    if (i == none) break;
  }
  return none;
}

bool is_short(const Tokens& tokens, const Loop& loop) {
  constexpr int most_tokens = 32;
  int count = 0;
  return !any_in(tokens, loop.body, [&](int i) {
    return ++count > most_tokens || is_one_of(tokens, i, {"for", "while", "do", "if", "(", "?"});
  });
}

std::optional<Loop> loop_at(const Tokens& tokens, int keyword) {
  if (!is_one_of(tokens, keyword, {"for", "while"})) return std::nullopt;
  const int close = head_end(tokens, keyword);
  if (close == none) return std::nullopt;
  const int open = next(tokens, keyword), body = next(tokens, close);
  Loop loop;
  loop.keyword = keyword;
  loop.body = {body, statement_end(tokens, body)};
  if (is(tokens, keyword, "for")) {
    const int first = semicolon(tokens, next(tokens, open), close);
    const int second = first == none ? none : semicolon(tokens, next(tokens, first), close);
    if (second == none) return std::nullopt;
    loop.initial = between(tokens, open, first);
    loop.condition = between(tokens, first, second);
    loop.change = between(tokens, second, close);
  } else {
    loop.condition = between(tokens, open, close);
  }
  if (loop.body.last == none) return std::nullopt;
  return loop;
}

std::optional<Branch> branch_at(const Tokens& tokens, int keyword) {
  const int open = is(tokens, keyword, "if") ? next(tokens, keyword) : none;
  const int close = is(tokens, open, "(") ? closing(tokens, open) : none;
  if (close == none) return std::nullopt;
  const int then = next(tokens, close), end = statement_end(tokens, then);
  if (end == none) return std::nullopt;
  Branch branch{between(tokens, open, close), {then, end}, {none, none}};
  if (!is(tokens, next(tokens, end), "else")) return branch;
  const int other = next(tokens, next(tokens, end));
  branch.other = {other, statement_end(tokens, other)};
  if (branch.other.last == none) return std::nullopt;
  return branch;
}

bool is_changed(const Tokens& tokens, int i) {
  const int before = previous(tokens, i), after = next(tokens, i);
  if (is_one_of(tokens, before, {"++", "--"}) || is_one_of(tokens, after, {"++", "--"}))
    return true;
  if (is_one_of(tokens, before, {"&", "*"}) && !is_operand(tokens, previous(tokens, before)))
    return is(tokens, before, "&");
  const bool shifts =
      is_one_of(tokens, after, {"<<", ">>"}) && is(tokens, next(tokens, after), "=");
  return shifts || is_one_of(tokens, after, {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="});
}

Names constants_of(const Tokens& tokens) {
  Names names;
  const auto declared = [&](int i, bool any_value, std::initializer_list<std::string_view> ends) {
    for (; i != none && !is_one_of(tokens, i, ends); i = next(tokens, i)) {
      if (is_identifier(tokens, i) && is_one_of(tokens, next(tokens, i), {"=", ",", ">"}) &&
          (any_value || has_constant_value(tokens, i, names)))
        names.insert(tokens[i].text);
      if (opens(tokens[i])) i = closing(tokens, i);
      if (i == none) return;
    }
  };
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (is(tokens, i, "constexpr")) declared(next(tokens, i), true, {";", "(", "{"});
    if (is(tokens, i, "const")) declared(next(tokens, i), false, {";", "(", ")", "{"});
    if (is(tokens, i, "template")) declared(next(tokens, i), true, {">", ";"});
  }
  return names;
}

Names parameters_of(const Tokens& tokens, const FunctionBody& body) {
  Names names;
  any_in(tokens, {body.head, body.open}, [&](int i) {
    if (is_identifier(tokens, i) && is_one_of(tokens, next(tokens, i), {",", ")", "[", "="}))
      names.insert(tokens[i].text);
    return false;
  });
  return names;
}

Names variables_of(const Tokens& tokens, const FunctionBody& body, const Names& constants) {
  Names names;
  any_in(tokens, {body.open, body.close}, [&](int i) {
    const int before = previous(tokens, i);
    const bool is_declared =
        is_identifier(tokens, before) && !is_one_of(tokens, before, {"return", "else", "do"});
    if (is_identifier(tokens, i) && (is_declared || is_changed(tokens, i)) &&
        !constants.count(tokens[i].text))
      names.insert(tokens[i].text);
    return false;
  });
  return names;
}

int end_of_value(const Tokens& tokens, int i) {
  int last = none;
  for (; i != none && !closes(tokens[i]) && !is_one_of(tokens, i, {",", ";"});
       i = next(tokens, i)) {
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) return none;
    last = i;
  }
  return last;
}

bool has_any(const Tokens& tokens, const Range& range,
             std::initializer_list<std::string_view> texts) {
  return any_in(tokens, range, [&](int i) { return is_one_of(tokens, i, texts); });
}

int find(const Tokens& tokens, const Range& range, std::string_view text) {
  for (int i = range.first; i != none && i <= range.last; i = next(tokens, i)) {
    if (is(tokens, i, text)) return i;
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) break;
  }
  return none;
}

bool names_any(const Tokens& tokens, const Range& range, const Names& names) {
  return any_in(tokens, range,
                [&](int i) { return is_identifier(tokens, i) && names.count(tokens[i].text) > 0; });
}

Names shared_names(const Tokens& tokens, const FunctionBody& body, bool is_kernel) {
  Names names = shared_variables(tokens, body);
  const int first = is_kernel ? body.open : body.head;
  any_in(tokens, {first, body.close}, [&](int i) {
    if (!is_pointer_declaration(tokens, i)) return false;
    const int after = next(tokens, i);
    if (i < body.open ||
        (is(tokens, after, "=") && names_any(tokens, {after, end_of_value(tokens, after)}, names)))
      names.insert(tokens[i].text);
    return false;
  });
  return names;
}

Names known_integers(const Tokens& tokens, const Range& range) {
  Names known;
  any_in(tokens, range, [&](int i) {
    if (!is_identifier(tokens, i) || !is(tokens, next(tokens, i), "=")) return false;
    if (gives_integer(tokens, i)) {
      known.insert(tokens[i].text);
    } else {
      known.erase(tokens[i].text);
    }
    return false;
  });
  return known;
}

bool is_uniform(const Tokens& tokens, const Range& range, const Names& variables) {
  return range.first != none && !any_in(tokens, range, [&](int i) {
           if (!is_identifier(tokens, i) || is_one_of(tokens, i, {"min", "max"})) return false;
           return variables.count(tokens[i].text) || is(tokens, next(tokens, i), "(") ||
                  is_one_of(tokens, i, {"threadIdx", "warpSize"});
         });
}

}  // namespace kata::emulator
