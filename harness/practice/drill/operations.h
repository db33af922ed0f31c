#pragma once
// Operations on a kernel's tokens, which the tables of mutations.cpp and harmless.cpp hold.

#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "emulator/lexer/lexer.h"

namespace kata::drill {

using emulator::Token;
using emulator::TokenKind;

/// The tokens that are code, and a change of some of them.
class Tokens {
 public:
  explicit Tokens(std::vector<Token>& all) : all_(all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind != TokenKind::space) places_.push_back(i);
    }
  }

  std::size_t size() const { return places_.size(); }
  Token& operator[](std::size_t i) const { return all_[places_[i]]; }
  /// Empty behind the end.
  std::string text(std::size_t i) const { return i < size() ? (*this)[i].text : std::string(); }
  bool is(std::size_t i, std::initializer_list<const char*> texts) const {
    for (const char* one : texts) {
      if (text(i++) != one) return false;
    }
    return true;
  }
  /// Puts `text` for the first of these, where they stand; whether they do.
  bool put_for(std::size_t i, std::initializer_list<const char*> texts,
               const std::string& text) const {
    if (!is(i, texts)) return false;
    put(i, text);
    return true;
  }
  /// A name that is declared as `int` in this file, and as nothing else that has another.
  bool is_int(std::size_t i) const {
    static const std::set<std::string> others = {"float",  "double",  "half",     "__half", "auto",
                                                 "size_t", "int64_t", "unsigned", "long"};
    bool found = false;
    for (std::size_t at = 0; at + 1 < size(); ++at) {
      if (text(at + 1) != text(i)) continue;
      if (others.contains(text(at))) return false;
      found = found || text(at) == "int";
    }
    return found;
  }
  bool is_name(std::size_t i) const {
    return i < size() && (*this)[i].kind == TokenKind::identifier;
  }
  /// Spaces on both sides: of an operator, not of a template's brackets.
  bool stands_apart(std::size_t i) const {
    const std::size_t at = places_[i];
    return at > 0 && at + 1 < all_.size() && all_[at - 1].kind == TokenKind::space &&
           all_[at + 1].kind == TokenKind::space;
  }
  /// The bracket that closes the one at i, or size().
  std::size_t closing(std::size_t i) const {
    int depth = 0;
    for (; i < size(); ++i) {
      const std::string one = text(i);
      depth += one == "(" || one == "[";
      depth -= one == ")" || one == "]";
      if (depth == 0) return i;
    }
    return size();
  }
  /// With the blanks between them.
  void drop(std::size_t begin, std::size_t end) const {
    for (std::size_t i = places_[begin]; i <= places_[end - 1]; ++i) all_[i].output.clear();
  }
  void put(std::size_t i, const std::string& text) const { (*this)[i].output = text; }
  void replace(std::size_t begin, std::size_t end, const std::string& text) const {
    drop(begin, end);
    put(begin, text);
  }
  /// With the blanks between them.
  std::string text(std::size_t begin, std::size_t end) const {
    std::string all;
    for (std::size_t i = places_[begin]; i <= places_[end - 1]; ++i) all += all_[i].text;
    return all;
  }
  /// Behind a name with its members, such as blockIdx.x; `i` if there is none.
  std::size_t name_end(std::size_t i) const {
    if (!is_name(i)) return i;
    for (++i; text(i) == "." && is_name(i + 1);) i += 2;
    return i;
  }

 private:
  std::vector<Token>& all_;
  std::vector<std::size_t> places_;
};

/// Changes the code at `i` and says so, or leaves it.
using Change = bool (*)(const Tokens& code, std::size_t i);

struct Operation {
  const char *name, *topic;
  int level;
  Change change;
  const char* why;          ///< why it breaks nothing, where it does not
  bool same = false;        ///< computes the same in every kernel
  const char* breaks = "";  ///< what it does to the kernel, where it breaks
};

/// row * cols + col, as the ends of its operands; nothing where something else begins, or where it
/// goes on.
struct Index {
  std::size_t a, a_end, b, b_end, c, c_end;
};
std::optional<Index> index_at(const Tokens& code, std::size_t i);

/// (n + B - 1) / B or ceil_div(n, B), as the ends of its two operands.
struct RoundedUp {
  std::size_t begin, end;  ///< all of it
  std::string n, b;
};
std::optional<RoundedUp> rounded_up_at(const Tokens& code, std::size_t i);

/// In brackets where it has more than one part.
std::string operand(const std::string& text);

/// i < n, where nothing else follows n.
bool is_plain_comparison(const Tokens& code, std::size_t i);

/// if (i < n) -> if (!(i `opposite` n))
bool negate(const Tokens& code, std::size_t i, const char* opposite);

/// Operations that nearly always change nothing that the judge could find.
std::span<const Operation> harmless_operations();

}  // namespace kata::drill
