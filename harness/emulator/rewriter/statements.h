#pragma once
// Statements and loops in a list of tokens, as far as the rewriter has to tell them apart.

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "emulator/rewriter/cursor.h"

namespace kata::emulator {

/// `for (initial; condition; change) body` or `while (condition) body`; empty parts are {none,
/// none}.
struct Loop {
  int keyword = none;
  Range initial{none, none}, condition{none, none}, change{none, none}, body{none, none};
};

/// The loop whose `for` or `while` is the token `keyword`; nothing if it is none of these, as after
/// `do` or with a range.
std::optional<Loop> loop_at(const Tokens& tokens, int keyword);

/// `if (condition) then else other`; without else `other` is {none, none}.
struct Branch {
  Range condition{none, none}, then{none, none}, other{none, none};
};
std::optional<Branch> branch_at(const Tokens& tokens, int keyword);

/// Whether a `#pragma unroll` of that loop costs a compiler little: its body is one of arithmetic
/// and subscripts, without loops, calls and conditions.
bool is_short(const Tokens& tokens, const Loop& loop);

bool is_one_of(const Tokens& tokens, int i, std::initializer_list<std::string_view> texts);

/// The identifier before the function's parameters; none if there is none, as of an operator.
int name_of_function(const Tokens& tokens, const FunctionBody& body);

using Names = std::set<std::string, std::less<>>;

/// What the file declares constexpr, or const with a number as its value, and the parameters of its
/// templates.
Names constants_of(const Tokens& tokens);

/// Whether the name at `i` is changed there, or its address taken.
bool is_changed(const Tokens& tokens, int i);

Names parameters_of(const Tokens& tokens, const FunctionBody& body);

/// What a function's body declares or changes, but for `constants`.
Names variables_of(const Tokens& tokens, const FunctionBody& body, const Names& constants);

/// The variables that have an integer for a value, or in a part of it, which the compiler knows at
/// the end of the range.
Names known_integers(const Tokens& tokens, const Range& range);

/// The last token of a value that begins at `i`, before the `,`, `;` or bracket that ends it.
int end_of_value(const Tokens& tokens, int i);

bool names_any(const Tokens& tokens, const Range& range, const Names& names);

bool has_any(const Tokens& tokens, const Range& range,
             std::initializer_list<std::string_view> texts);

/// The first token with that text that no bracket within the range is round; none if there is none.
int find(const Tokens& tokens, const Range& range, std::string_view text);

/// What a function declares __shared__, and pointers that may point there: those that it sets to
/// such, and the parameters of a function that is no kernel.
Names shared_names(const Tokens& tokens, const FunctionBody& body, bool is_kernel);

/// Whether all threads of a block have one value there: it names no variable of the function, no
/// index of a thread, and calls nothing but min and max. `warpSize` is a register of the device: it
/// has no value before ptxas.
bool is_uniform(const Tokens& tokens, const Range& range, const Names& variables);

/// Whether f(i) holds for a token of the range.
template <class F>
bool any_in(const Tokens& tokens, const Range& range, F f) {
  for (int i = range.first; i != none && i <= range.last; i = next(tokens, i)) {
    if (f(i)) return true;
  }
  return false;
}

}  // namespace kata::emulator
