#pragma once
// Finding one's way in a list of tokens: neighbours, brackets, and which ones lie in functions.

#include <optional>
#include <string_view>
#include <vector>

#include "emulator/lexer/lexer.h"

namespace kata::emulator {

using Tokens = std::vector<Token>;

inline constexpr int none = -1;

bool is(const Tokens& tokens, int i, std::string_view text);
bool is_identifier(const Tokens& tokens, int i);

/// The first token that is no space and lies in no macro's body; none if there is none.
int first(const Tokens& tokens);

/// The next or previous token that is no space and lies in the same line of macro body or in the
/// same stretch of ordinary code; none where there is no such, and of none.
int next(const Tokens& tokens, int i);
int previous(const Tokens& tokens, int i);

/// From an opening bracket of ( [ { to the one that closes it, and back; none if unbalanced.
int closing(const Tokens& tokens, int open);
int opening(const Tokens& tokens, int close);

/// From the `<` of a template's arguments to their `>`, `>>` or `>>>`; none if they do not end.
int closing_angle(const Tokens& tokens, int open);

/// `k`, `::a::k<T>`: its tokens, and its last identifier.
struct QualifiedName {
  int first, last, identifier;
};
std::optional<QualifiedName> qualified_name(const Tokens& tokens, int first);

/// The last token of a launch's `<<<` that begins at `i`, and of its `>>>`; nvcc also reads `<< <`
/// and `>> >`. None if there is none.
int configuration_open(const Tokens& tokens, int i);
int configuration_close(const Tokens& tokens, int i);

/// The first token of the `>>>` of a launch; `open` is the last token of its `<<<`.
int configuration_end(const Tokens& tokens, int open);

/// From the last `>` of a template's arguments back to their `<`.
int opening_angle(const Tokens& tokens, int close);

bool opens(const Token& token);
bool closes(const Token& token);

/// The first and last token of each argument between brackets; empty ones are left out.
struct Range {
  int first, last;
};
std::vector<Range> arguments(const Tokens& tokens, int open, int close);

/// A function's body at namespace or class scope, from its `{` to its `}`.
struct FunctionBody {
  int head;  ///< the first token of its declaration
  int open, close;
  bool in_class;
};
std::vector<FunctionBody> function_bodies(const Tokens& tokens);

}  // namespace kata::emulator
