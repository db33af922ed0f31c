#include "practice/drill/mutations.h"

#include <algorithm>
#include <set>

#include "emulator/lexer/lexer.h"

namespace kata::drill {
namespace {

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

 private:
  std::vector<Token>& all_;
  std::vector<std::size_t> places_;
};

/// Changes the code at `i` and says so, or leaves it.
using Change = bool (*)(const Tokens& code, std::size_t i);

struct Operation {
  const char *name, *words;
  int level;
  Change change;
};

bool drop_call(const Tokens& code, std::size_t i, const char* function) {
  if (code.text(i) != function || code.text(i + 1) != "(") return false;
  const std::size_t end = code.closing(i + 1);
  if (code.text(end + 1) != ";") return false;
  code.drop(i, end + 1);
  return true;
}

bool barrier(const Tokens& code, std::size_t i) {
  return drop_call(code, i, "__syncthreads") || drop_call(code, i, "__syncwarp");
}

bool fence(const Tokens& code, std::size_t i) {
  return drop_call(code, i, "__threadfence") || drop_call(code, i, "__threadfence_block");
}

bool comparison(const Tokens& code, std::size_t i) {
  if (code.text(i) != "<" || !code.stands_apart(i)) return false;
  code.put(i, "<=");
  return true;
}

/// if (i < n) -> if (true); if (i >= n) return -> if (false) return.
bool guard(const Tokens& code, std::size_t i) {
  if (!code.is(i, {"if", "("})) return false;
  const std::size_t end = code.closing(i + 1);
  if (end >= code.size()) return false;
  bool compares = false;
  for (std::size_t at = i + 2; at < end; ++at)
    compares =
        compares || (code.stands_apart(at) && (code.text(at) == "<" || code.text(at) == ">="));
  if (!compares || end == i + 2) return false;
  code.drop(i + 2, end);
  code.put(i + 2, code.text(end + 1) == "return" ? "false" : "true");
  return true;
}

/// row * cols + col -> col * cols + row
bool index_order(const Tokens& code, std::size_t i) {
  if (!code.is_name(i) || code.text(i + 1) != "*" || !code.is_name(i + 2) ||
      code.text(i + 3) != "+" || !code.is_name(i + 4) || !code.stands_apart(i + 1))
    return false;
  const std::string before = i > 0 ? code.text(i - 1) : "", after = code.text(i + 5);
  const bool whole = after == "]" || after == ";" || after == ")" || after == ",";
  if (before == "." || before == "*" || !whole || code.text(i) == code.text(i + 4)) return false;
  code.put(i, code.text(i + 4));
  code.put(i + 4, code.text(i));
  return true;
}

bool dimension(const Tokens& code, std::size_t i) {
  if (!code.is(i, {"threadIdx", ".", "y"}) && !code.is(i, {"blockIdx", ".", "y"})) return false;
  code.put(i + 2, "x");
  return true;
}

/// constexpr int BLOCK = 256; -> 512
bool block_size(const Tokens& code, std::size_t i) {
  static const std::set<std::string> sizes = {"32", "64", "128", "256", "512", "1024"};
  const bool is_constant = i >= 4 && code.text(i - 1) == "=" && code.is_name(i - 2) &&
                           (code.text(i - 4) == "const" || code.text(i - 4) == "constexpr");
  if (!is_constant || !sizes.contains(code.text(i)) || code.text(i + 1) != ";") return false;
  const int size = std::stoi(code.text(i));
  code.put(i, std::to_string(size == 1024 ? 512 : 2 * size));
  return true;
}

/// atomicAdd(&x, v); -> x += v;
bool atomic(const Tokens& code, std::size_t i) {
  if (!code.is(i, {"atomicAdd", "("})) return false;
  const std::string before = i > 0 ? code.text(i - 1) : "";
  const std::size_t end = code.closing(i + 1);
  if (code.text(end + 1) != ";" ||
      (before != ";" && before != "{" && before != "}" && before != ")"))
    return false;
  int depth = 0;
  for (std::size_t at = i + 1; at < end; ++at) {
    const std::string one = code.text(at);
    depth += one == "(" || one == "[";
    depth -= one == ")" || one == "]";
    if (one != "," || depth != 1) continue;
    code.put(i, "");
    code.put(i + 1, "*(");
    code.put(at, ") +=");
    code.put(end, "");
    return true;
  }
  return false;
}

/// float most = -INFINITY; -> 0; int sum = 0; -> 1
bool initial_value(const Tokens& code, std::size_t i) {
  static const std::set<std::string> types = {"float", "double", "int", "unsigned"};
  static const std::set<std::string> zeros = {"0", "0.0f", "0.f", "0.0"};
  if (!types.contains(code.text(i)) || !code.is_name(i + 1) || code.text(i + 2) != "=")
    return false;
  if (code.is(i + 3, {"-"}) && code.text(i + 5) == ";") {
    const std::string least = code.text(i + 4);
    if (least != "INFINITY" && least != "FLT_MAX") return false;
    code.put(i + 3, "0");
    code.put(i + 4, "");
    return true;
  }
  if (!zeros.contains(code.text(i + 3)) || code.text(i + 4) != ";") return false;
  code.put(i + 3, "1");
  return true;
}

/// (n + B - 1) / B -> n / B
bool tail(const Tokens& code, std::size_t i) {
  if (code.text(i) != "(") return false;
  const std::size_t end = code.closing(i);
  if (end < i + 6 || !code.is(end - 2, {"-", "1", ")", "/"})) return false;
  std::size_t plus = i + 1;
  while (plus < end && code.text(plus) != "+") ++plus;
  if (plus >= end - 2) return false;
  code.drop(plus, end);
  return true;
}

/// double sum -> float sum
bool accumulator(const Tokens& code, std::size_t i) {
  if (code.text(i) != "double" || !code.is_name(i + 1) || code.text(i + 2) != "=") return false;
  code.put(i, "float");
  return true;
}

bool volatile_gone(const Tokens& code, std::size_t i) {
  if (code.text(i) != "volatile") return false;
  code.put(i, "");
  return true;
}

bool mask(const Tokens& code, std::size_t i) {
  static const std::set<std::string> full = {"0xffffffff", "0xffffffffu", "0xFFFFFFFF",
                                             "0xFFFFFFFFu"};
  if (!full.contains(code.text(i))) return false;
  code.put(i, "0x0000ffffu");
  return true;
}

/// offset > 0 -> offset > 1
bool last_step(const Tokens& code, std::size_t i) {
  if (!code.is(i, {">", "0", ";"}) || !code.stands_apart(i)) return false;
  code.put(i + 1, "1");
  return true;
}

/// tile[32][32 + 1] -> tile[32][32]
bool padding(const Tokens& code, std::size_t i) {
  if (code.text(i) != "+" || code.text(i + 2) != "]" || i < 2) return false;
  std::size_t begin = i;
  while (begin > 0 && code.text(begin) != ";" && code.text(begin) != "{") --begin;
  if (code.text(begin + 1) != "__shared__") return false;
  code.drop(i, i + 2);
  return true;
}

bool unrolling(const Tokens& code, std::size_t i) {
  if (!code.text(i).starts_with("#pragma unroll")) return false;
  code.put(i, "");
  return true;
}

bool twice(const Tokens& code, std::size_t i) {
  if (!code.is(i, {"__syncthreads", "(", ")", ";"})) return false;
  code.put(i + 3, "; __syncthreads();");
  return true;
}

constexpr Operation operations[] = {
    {"barrier", "a barrier is gone", 2, barrier},
    {"comparison", "< became <=", 1, comparison},
    {"guard", "a condition is gone", 1, guard},
    {"index order", "two parts of an index changed places", 1, index_order},
    {"dimension", "y became x", 1, dimension},
    {"block size", "a constant has another value", 2, block_size},
    {"fence", "a fence is gone", 3, fence},
    {"atomic", "an atomic became an ordinary addition", 1, atomic},
    {"initial value", "a variable begins with another value", 1, initial_value},
    {"tail", "a division no longer rounds up", 2, tail},
    {"accumulator", "double became float", 3, accumulator},
    {"volatile", "volatile is gone", 3, volatile_gone},
    {"mask", "the mask has half of the lanes", 2, mask},
    {"last step", "a loop ends one step earlier", 2, last_step},
    {"padding", "the padding of a tile is gone", 3, padding},
    {"unrolling", "an unroll pragma is gone", 2, unrolling},
    {"second barrier", "a barrier is there twice", 2, twice}};

}  // namespace

std::vector<Mutant> mutants_of(const std::string& text) {
  const std::vector<Token> original = emulator::lex(text);
  std::vector<Token> tokens = original;
  const Tokens code(tokens);
  std::vector<Mutant> mutants;
  for (std::size_t i = 0; i < code.size(); ++i) {
    for (const Operation& one : operations) {
      if (!one.change(code, i)) continue;
      mutants.push_back({one.name, code[i].line, emulator::output_text(tokens), one.level});
      tokens = original;
    }
  }
  return mutants;
}

const char* words_of(const std::string& operation) {
  return std::find_if(std::begin(operations), std::end(operations),
                      [&](const Operation& one) { return operation == one.name; })
      ->words;
}

std::vector<std::string> mutation_names() {
  std::vector<std::string> names;
  for (const Operation& one : operations) names.emplace_back(one.name);
  return names;
}

}  // namespace kata::drill
