#include "compile/constants.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <optional>

#include "emulator/lexer/lexer.h"

namespace kata {
namespace {

using emulator::Token;
using emulator::TokenKind;
using Use = SourceConstant::Use;

/// Code without white space, in which `#define N 4` reads as `constexpr N = 4;`.
std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  const auto add = [&](TokenKind kind, std::string word) {
    tokens.push_back({kind, std::move(word), "", 0});
  };
  for (Token& token : emulator::lex(text)) {
    if (token.kind == TokenKind::define) {
      const std::vector<Token> head =
          emulator::lex(token.text.substr(token.text.find("define") + 6));
      const auto name = std::ranges::find(head, TokenKind::identifier, &Token::kind);
      add(TokenKind::punctuator, ";");
      if (name == head.end() || (name + 1 != head.end() && (name + 1)->text == "(")) continue;
      add(TokenKind::identifier, "constexpr");
      tokens.push_back(*name);
      add(TokenKind::punctuator, "=");
    } else if (token.kind == TokenKind::define_end) {
      add(TokenKind::punctuator, ";");
    } else if (token.kind == TokenKind::identifier || token.kind == TokenKind::number ||
               token.kind == TokenKind::punctuator) {
      tokens.push_back(std::move(token));
    }
  }
  add(TokenKind::punctuator, ";");
  return tokens;
}

std::optional<std::int64_t> integer_of(std::string text) {
  std::erase(text, '\'');
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* const begin = text.c_str() + (hexadecimal ? 2 : 0);
  const char* const end = text.c_str() + text.size();
  std::int64_t value = 0;
  const auto [stop, failed] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
  const bool suffix = std::all_of(stop, end, [](char c) {
    return std::string_view("uUlLzZ").find(c) != std::string_view::npos;
  });
  return failed == std::errc() && suffix ? std::optional(value) : std::nullopt;
}

constexpr int product = 3, no_operator = 4;

int precedence(const std::string& text) {
  if (text == "*" || text == "/" || text == "%") return product;
  if (text == "+" || text == "-") return 2;
  return text == "<<" || text == ">>" ? 1 : 0;
}

std::optional<std::int64_t> calculated(std::int64_t a, const std::string& op, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  if (op == "*") {
    overflows = __builtin_mul_overflow(a, b, &result);
  } else if (op == "+") {
    overflows = __builtin_add_overflow(a, b, &result);
  } else if (op == "-") {
    overflows = __builtin_sub_overflow(a, b, &result);
  } else if (op == "/" || op == "%") {
    if (b <= 0) return {};
    result = op == "/" ? a / b : a % b;
  } else {
    if (a < 0 || a > INT32_MAX || b < 0 || b > 31) return {};
    result = op == "<<" ? a << b : a >> b;
  }
  return overflows ? std::nullopt : std::optional(result);
}

bool is_comparison(const std::string& text) {
  return text == "<" || text == ">" || text == "<=" || text == ">=" || text == "==" || text == "!=";
}

bool ends_operand(const std::string& text) {
  static const std::set<std::string> ends{";",  "{", "}", ",",      "?",   ":",  "&&",
                                          "||", "!", "=", "return", "<<<", ">>>"};
  return ends.contains(text) || is_comparison(text);
}

/// Bytes of shared memory of a block, with and without leave, by what asks the runtime for them
/// (compute capability 9.0). Something is compared with the answer.
const std::map<std::string, std::int64_t> answers{
    {"cudaDevAttrMaxSharedMemoryPerBlock", 48 << 10},
    {"sharedMemPerBlock", 48 << 10},
    {"cudaDevAttrMaxSharedMemoryPerBlockOptin", 227 << 10},
    {"sharedMemPerBlockOptin", 227 << 10}};

class Reader {
 public:
  explicit Reader(const std::string& text, std::map<std::string, std::int64_t>& known)
      : tokens_(tokens_of(text)), known_(known) {}

  void learn_names() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::identifier || word(i + 1) != "=") continue;
      const auto value = expression(i + 2, 1);
      if (value && ends_operand(word(value->end)) && is_constant(i))
        known_.emplace(word(i), value->value);
    }
  }

  void find(std::set<SourceConstant>& found) const {
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      if (const auto answer = answers.find(word(i)); answer != answers.end())
        found.insert({.use = Use::compared, .value = answer->second});
      if (word(i - 1) == "%" || word(i - 1) == "&") find_remainder(i, found);
      const auto value = expression(i, 1);
      if (!value) continue;
      found.insert({.value = value->value});
      for (const int least : {product, no_operator})
        found.insert({.value = expression(i, least)->value});
      const std::string &before = word(i - 1), &after = word(value->end);
      if (precedence(before) > 0 || precedence(after) > 0) continue;
      if (is_comparison(before))
        found.insert({.use = Use::compared, .value = value->value, .names = names_before(i - 1)});
      if (is_comparison(after))
        found.insert(
            {.use = Use::compared, .value = value->value, .names = names_after(value->end)});
    }
  }

 private:
  struct Value {
    std::int64_t value;
    std::size_t end;  ///< the first token after it
  };

  const std::string& word(std::size_t i) const {
    return tokens_[std::min(i, tokens_.size() - 1)].text;
  }

  std::optional<Value> operand(std::size_t i) const {
    if (i >= tokens_.size()) return {};
    const Token& token = tokens_[i];
    if (token.kind == TokenKind::number) {
      const auto value = integer_of(token.text);
      return value ? std::optional(Value{*value, i + 1}) : std::nullopt;
    }
    if (token.text == "sizeof" && word(i + 1) == "(" && word(i + 3) == ")") {
      static const std::map<std::string, std::int64_t> sizes{
          {"float", 4}, {"int", 4}, {"unsigned", 4}, {"double", 8}, {"float2", 8}, {"float4", 16}};
      const auto size = sizes.find(word(i + 2));
      if (size != sizes.end()) return Value{size->second, i + 4};
    }
    if (token.text == "(") {
      auto inner = expression(i + 1, 1);
      if (!inner || word(inner->end) != ")") return {};
      ++inner->end;
      return inner;
    }
    const auto known = known_.find(token.text);
    return known == known_.end() ? std::nullopt : std::optional(Value{known->second, i + 1});
  }

  /// As far as it is constant: the 4 of `4 * n`.
  std::optional<Value> expression(std::size_t i, int least) const {
    std::optional<Value> left = operand(i);
    while (left) {
      const std::string& op = word(left->end);
      const int binds = precedence(op);
      if (binds < least) break;
      const auto right = expression(left->end + 1, binds + 1);
      const auto value = right ? calculated(left->value, op, right->value) : std::nullopt;
      if (!value) break;
      left = Value{*value, right->end};
    }
    return left;
  }

  /// Whether the name before a `=` is declared there, as one that does not change.
  bool is_constant(std::size_t name) const {
    static const std::set<std::string> signs{"constexpr", "const", "template", "enum"};
    std::size_t i = name;
    while (i > 0 && word(i) != ";" && word(i) != "{" && word(i) != "}" && word(i) != "(") {
      if (signs.contains(word(--i))) return true;
    }
    for (std::size_t before = 1; before <= 5 && before <= i; ++before)
      if (word(i) == "{" && word(i - before) == "enum") return true;
    return false;
  }

  void add_name(std::size_t i, std::set<std::string>& names) const {
    if (tokens_[i].kind == TokenKind::identifier && !known_.contains(word(i)))
      names.insert(word(i));
  }

  /// In the operand that ends before the token.
  std::set<std::string> names_before(std::size_t end) const {
    std::set<std::string> names;
    int depth = 0;
    for (std::size_t i = end; i-- > 0;) {
      if (word(i) == ")" || word(i) == "]") ++depth;
      if ((word(i) == "(" || word(i) == "[") && depth-- == 0) break;
      if (depth == 0 && ends_operand(word(i))) break;
      add_name(i, names);
    }
    return names;
  }

  std::set<std::string> names_after(std::size_t begin) const {
    std::set<std::string> names;
    int depth = 0;
    for (std::size_t i = begin + 1; i < tokens_.size(); ++i) {
      if (word(i) == "(" || word(i) == "[") ++depth;
      if ((word(i) == ")" || word(i) == "]") && depth-- == 0) break;
      if (depth == 0 && ends_operand(word(i))) break;
      add_name(i, names);
    }
    return names;
  }

  /// `n % 48 == 17`, `(n & 3) == 0`; without a comparison, whether anything remains.
  void find_remainder(std::size_t i, std::set<SourceConstant>& found) const {
    const auto divisor = operand(i);
    if (!divisor || divisor->value < 1) return;
    const bool masks = word(i - 1) == "&";
    const std::int64_t modulus = divisor->value + masks;
    if (modulus < 2 || (masks && !std::has_single_bit(static_cast<std::uint64_t>(modulus)))) return;
    const std::set<std::string> names = names_before(i - 1);
    const std::size_t after = divisor->end + (word(divisor->end) == ")");
    std::int64_t first = 0, last = 1;
    if (word(after) == "==")
      if (const auto wanted = expression(after + 1, 1)) first = last = wanted->value;
    for (std::int64_t rest = first; rest <= last; ++rest)
      found.insert({.use = Use::remainder, .value = rest, .modulus = modulus, .names = names});
  }

  std::vector<Token> tokens_;
  std::map<std::string, std::int64_t>& known_;
};

}  // namespace

std::set<SourceConstant> constants_of(const std::vector<SourceFile>& sources) {
  std::map<std::string, std::int64_t> known;
  std::vector<Reader> readers;
  for (const SourceFile& source : sources) readers.emplace_back(source.text, known);
  // Headers come after the file that includes them: what they define is known in the second round.
  for (int round = 0; round < 2; ++round)
    for (Reader& reader : readers) reader.learn_names();
  std::set<SourceConstant> found;
  for (const Reader& reader : readers) reader.find(found);
  return found;
}

}  // namespace kata
