#include "emulator/rewriter/cursor.h"

#include <algorithm>

namespace kata::emulator {
namespace {

int size(const Tokens& tokens) {
  return static_cast<int>(tokens.size());
}

/// A macro's body is a world of its own: from inside there is no way out, from outside none in.
int step(const Tokens& tokens, int i, int direction) {
  for (i += direction; i >= 0 && i < size(tokens); i += direction) {
    const bool begin = tokens[i].kind == TokenKind::define;
    const bool end = tokens[i].kind == TokenKind::define_end;
    if (direction > 0 ? end : begin) return none;
    if (begin) {
      while (tokens[i].kind != TokenKind::define_end) ++i;
    } else if (end) {
      while (tokens[i].kind != TokenKind::define) --i;
    } else if (tokens[i].kind != TokenKind::space && tokens[i].kind != TokenKind::directive) {
      return i;
    }
  }
  return none;
}

int match(const Tokens& tokens, int i, int direction) {
  int depth = 0;
  for (; i != none; i = step(tokens, i, direction)) {
    if (opens(tokens[i])) depth += direction;
    if (closes(tokens[i])) depth -= direction;
    if (depth == 0) return i;
  }
  return none;
}

bool is_type_keyword(const Token& token) {
  return token.kind == TokenKind::identifier &&
         (token.text == "struct" || token.text == "class" || token.text == "union" ||
          token.text == "enum" || token.text == "namespace");
}

/// Whether the `{` at `open`, whose declaration starts at `head`, begins a function.
bool begins_function(const Tokens& tokens, int head, int open) {
  bool parameters = false;
  for (int i = head; i != none && i < open; i = next(tokens, i)) {
    if (is(tokens, i, "(")) {
      const int before = previous(tokens, i);
      const int close = closing(tokens, i);
      if (close == none || close > open) return false;
      parameters |= !is(tokens, before, "__align__") && !is(tokens, before, "alignas") &&
                    !is(tokens, before, "__attribute__");
      i = close;
    } else if (is(tokens, i, "<")) {  // template <class T>: its `class` is no class head
      const int close = closing_angle(tokens, i);
      if (close != none && close < open) i = close;
    } else if (!parameters && (is_type_keyword(tokens[i]) || is(tokens, i, "="))) {
      return false;
    }
  }
  return parameters;
}

bool names_class(const Tokens& tokens, int head, int open) {
  for (int i = head; i != none && i < open; i = next(tokens, i)) {
    if (is(tokens, i, "struct") || is(tokens, i, "class") || is(tokens, i, "union")) return true;
  }
  return false;
}

}  // namespace

bool is(const Tokens& tokens, int i, std::string_view text) {
  return i >= 0 && i < size(tokens) && tokens[i].kind != TokenKind::string &&
         tokens[i].text == text;
}

bool is_identifier(const Tokens& tokens, int i) {
  return i >= 0 && i < size(tokens) && tokens[i].kind == TokenKind::identifier;
}

int first(const Tokens& tokens) {
  return step(tokens, -1, +1);
}

int next(const Tokens& tokens, int i) {
  return i == none ? none : step(tokens, i, +1);
}

int previous(const Tokens& tokens, int i) {
  return i == none ? none : step(tokens, i, -1);
}

bool opens(const Token& token) {
  return token.kind == TokenKind::punctuator &&
         (token.text == "(" || token.text == "[" || token.text == "{");
}

bool closes(const Token& token) {
  return token.kind == TokenKind::punctuator &&
         (token.text == ")" || token.text == "]" || token.text == "}");
}

int closing(const Tokens& tokens, int open) {
  return match(tokens, open, +1);
}

int opening(const Tokens& tokens, int close) {
  return match(tokens, close, -1);
}

int closing_angle(const Tokens& tokens, int open) {
  int depth = 0;
  for (int i = open; i != none && !is(tokens, i, ";"); i = next(tokens, i)) {
    if (opens(tokens[i])) {
      i = closing(tokens, i);
      if (i == none) return none;
    }
    depth += is(tokens, i, "<") - is(tokens, i, ">") - 2 * is(tokens, i, ">>") -
             3 * is(tokens, i, ">>>");
    if (depth <= 0) return i;
  }
  return none;
}

std::optional<QualifiedName> qualified_name(const Tokens& tokens, int first) {
  int i = is(tokens, first, "::") ? next(tokens, first) : first;
  while (is_identifier(tokens, i)) {
    QualifiedName name{first, i, i};
    int after = next(tokens, i);
    if (is(tokens, after, "<")) {
      name.last = closing_angle(tokens, after);
      if (name.last == none) return std::nullopt;
      after = next(tokens, name.last);
    }
    if (!is(tokens, after, "::")) return name;
    i = next(tokens, after);
  }
  return std::nullopt;
}

int configuration_open(const Tokens& tokens, int i) {
  if (is(tokens, i, "<<<")) return i;
  const int second = is(tokens, i, "<<") ? next(tokens, i) : none;
  return is(tokens, second, "<") ? second : none;
}

int configuration_close(const Tokens& tokens, int i) {
  if (is(tokens, i, ">>>")) return i;
  const int second = is(tokens, i, ">>") ? next(tokens, i) : none;
  return is(tokens, second, ">") ? second : none;
}

int configuration_end(const Tokens& tokens, int open) {
  for (int i = next(tokens, open); i != none; i = next(tokens, i)) {
    if (configuration_close(tokens, i) != none) return i;
    if (closes(tokens[i]) || is(tokens, i, ";")) return none;
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) return none;
  }
  return none;
}

int opening_angle(const Tokens& tokens, int close) {
  int depth = 0;
  for (int i = close; i != none; i = previous(tokens, i)) {
    const Token& token = tokens[i];
    if (closes(token)) {
      i = opening(tokens, i);
      if (i == none) return none;
    } else if (opens(token) || is(tokens, i, ";")) {
      return none;
    } else if (is(tokens, i, ">") || is(tokens, i, ">>") || is(tokens, i, ">>>")) {
      depth += static_cast<int>(token.text.size());
    } else if (is(tokens, i, "<") && --depth == 0) {
      return i;
    }
  }
  return none;
}

std::vector<Range> arguments(const Tokens& tokens, int open, int close) {
  std::vector<Range> result;
  Range current{none, none};
  for (int i = next(tokens, open); i != none; i = next(tokens, i)) {
    if (i == close || is(tokens, i, ",")) {
      if (current.first != none) result.push_back(current);
      current = {none, none};
      if (i == close) break;
      continue;
    }
    if (current.first == none) current.first = i;
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) break;
    current.last = i;
  }
  return result;
}

std::vector<FunctionBody> function_bodies(const Tokens& tokens) {
  std::vector<FunctionBody> result;
  std::vector<bool> class_scopes;  // of each `{` that is open: it or one around it is a class's
  int head = none;
  for (int i = first(tokens); i != none; i = next(tokens, i)) {
    if (head == none) head = i;
    const int before = previous(tokens, i);
    const bool after_access = is(tokens, before, "public") || is(tokens, before, "private") ||
                              is(tokens, before, "protected");
    if (is(tokens, i, "(") && closing(tokens, i) != none) {
      i = closing(tokens, i);  // a parameter's default value may have braces
    } else if (is(tokens, i, ";") || is(tokens, i, "}") || (is(tokens, i, ":") && after_access)) {
      if (is(tokens, i, "}") && !class_scopes.empty()) class_scopes.pop_back();
      head = none;
    } else if (is(tokens, i, "{")) {
      const bool in_class = !class_scopes.empty() && class_scopes.back();
      if (begins_function(tokens, head, i)) {
        const int close = closing(tokens, i);
        if (close == none) return result;
        result.push_back({head, i, close, in_class});
        i = close;
      } else {
        class_scopes.push_back(in_class || names_class(tokens, head, i));
      }
      head = none;
    }
  }
  return result;
}

}  // namespace kata::emulator
