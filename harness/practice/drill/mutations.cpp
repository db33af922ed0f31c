#include "practice/drill/mutations.h"

#include <algorithm>
#include <set>

#include "practice/drill/operations.h"

namespace kata::drill {
namespace {

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

/// i < n) -> i < n - 1)
bool one_too_few(const Tokens& code, std::size_t i) {
  if (!is_plain_comparison(code, i)) return false;
  code.put(i + 1, code.text(i + 1) + " - 1");
  return true;
}

/// if (i < n) -> if (!(i > n))
bool negated_wrongly(const Tokens& code, std::size_t i) {
  return negate(code, i, ">");
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
  const auto index = index_at(code, i);
  if (!index) return false;
  const std::string a = code.text(index->a, index->a_end), b = code.text(index->b, index->b_end),
                    c = code.text(index->c, index->c_end);
  if (a == c) return false;
  code.replace(index->a, index->c_end, c + " * " + b + " + " + a);
  return true;
}

bool dimension(const Tokens& code, std::size_t i) {
  if (!code.is(i, {"threadIdx", ".", "y"}) && !code.is(i, {"blockIdx", ".", "y"})) return false;
  code.put(i + 2, "x");
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
bool begins_otherwise(const Tokens& code, std::size_t i) {
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
  const std::string zero = code.text(i + 3);
  if (!zeros.contains(zero) || code.text(i + 4) != ";") return false;
  code.put(i + 3, "1" + zero.substr(1));
  return true;
}

bool is_of_a_loop(const Tokens& code, std::size_t i) {
  return i >= 2 && code.is(i - 2, {"for", "("});
}

bool initial_value(const Tokens& code, std::size_t i) {
  return !is_of_a_loop(code, i) && begins_otherwise(code, i);
}

/// for (int i = 0; -> for (int i = 1;
bool first_step(const Tokens& code, std::size_t i) {
  return is_of_a_loop(code, i) && begins_otherwise(code, i);
}

/// (n + B - 1) / B -> n / B
bool tail(const Tokens& code, std::size_t i) {
  const auto up = rounded_up_at(code, i);
  if (up) code.replace(up->begin, up->end, operand(up->n) + " / " + operand(up->b));
  return up.has_value();
}

/// (n + B - 1) / B -> (n - 1) / B
bool rounded_down(const Tokens& code, std::size_t i) {
  const auto up = rounded_up_at(code, i);
  if (up) code.replace(up->begin, up->end, "(" + up->n + " - 1) / " + operand(up->b));
  return up.has_value();
}

/// double sum -> float sum
bool accumulator(const Tokens& code, std::size_t i) {
  if (code.text(i) != "double" || !code.is_name(i + 1) || code.text(i + 2) != "=") return false;
  code.put(i, "float");
  return true;
}

bool volatile_gone(const Tokens& code, std::size_t i) {
  return code.put_for(i, {"volatile"}, "");
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

/// __syncthreads() -> __syncwarp()
bool narrower(const Tokens& code, std::size_t i) {
  return code.put_for(i, {"__syncthreads", "("}, "__syncwarp");
}

constexpr Operation slips[] = {
    {"barrier", "barriers", 2, barrier,
     "threads read here what they stored themselves, or something else orders it", false,
     "nothing orders the stores of some threads and the reads of others"},
    {"warp barrier", "barriers", 2, narrower,
     "threads read here what they or their own warp stored, or another barrier orders it", false,
     "__syncwarp() orders the threads of one warp only"},
    {"comparison", "conditions", 1, comparison, "the step more changes no result", false,
     "the comparison is also true where both sides are equal"},
    {"guard", "conditions", 1, guard,
     "the condition never decides, or what it lets through changes no result", false,
     "the condition no longer keeps any thread out"},
    {"one too few", "conditions", 1, one_too_few, "the value that is left out changes no result",
     false, "the last value that passed the comparison no longer does"},
    {"wrong negation", "conditions", 1, negated_wrongly,
     "the two sides are never equal here, or that changes no result", false,
     "!(a > b) is also true where both are equal"},
    {"last step", "conditions", 2, last_step, "the last step changes no result", false,
     "the step with 1 is left out"},
    {"tail", "conditions", 2, tail,
     "nothing is left out: a loop covers it, or nothing follows the last whole block", false,
     "the quotient is rounded down: what follows the last whole block is left out"},
    {"rounded down", "conditions", 2, rounded_down,
     "nothing is left out: a loop covers it, or nothing follows the last whole block", false,
     "the quotient is rounded down: one block is missing"},
    {"index order", "indices", 1, index_order,
     "the threads still touch the same elements, each of them once", false,
     "the wrong index is multiplied by the constant, so threads touch other elements"},
    {"dimension", "indices", 1, dimension,
     "both indices are equal wherever this line decides something", false,
     "both directions use the x index"},
    {"initial value", "values", 1, initial_value, "the first value never reaches a result", false,
     "the variable begins with another value, and the result depends on it"},
    {"first step", "values", 1, first_step, "the first step of the loop changes no result", false,
     "the loop leaves out its first step"},
    {"mask", "values", 2, mask, "the lanes that the mask leaves out change no result", false,
     "lanes 16 to 31 execute an instruction whose mask does not name them: what they get is "
     "undefined, and the judge reports it as a barrier that they miss"},
    {"accumulator", "values", 3, accumulator, "a float is precise enough for these sums", false,
     "a sum in float loses digits as it grows"},
    {"atomic", "memory", 1, atomic, "no two threads add to one address at once", false,
     "threads load, add and store the same address at once, and additions are lost"},
    {"fence", "memory", 3, fence, "something else orders these accesses", false,
     "another block may see a later store before an earlier one"},
    {"volatile", "memory", 3, volatile_gone,
     "a barrier or a fence makes the threads read memory again, or once is enough", false,
     "the compiler may keep the value in a register instead of reading memory again"}};

}  // namespace

std::string operand(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::optional<Index> index_at(const Tokens& code, std::size_t i) {
  static const std::set<std::string> binds = {".", "->", "*",  "/",
                                              "%", "-",  "::", ")"};  // of a cast
  static const std::set<std::string> ends = {"]", ";", ")", ","};
  const auto followed_by = [&](std::size_t at, const char* sign) {
    return code.text(at) == sign && code.stands_apart(at);
  };
  Index index{};
  index.a = i;
  index.a_end = code.name_end(i);
  index.b = index.a_end + 1;
  index.b_end = code.name_end(index.b);
  index.c = index.b_end + 1;
  index.c_end = code.name_end(index.c);
  const bool fits = index.a_end > i && followed_by(index.a_end, "*") && index.b_end > index.b &&
                    followed_by(index.b_end, "+") && index.c_end > index.c &&
                    ends.contains(code.text(index.c_end)) &&
                    (i == 0 || !binds.contains(code.text(i - 1)));
  return fits ? std::optional(index) : std::nullopt;
}

std::optional<RoundedUp> rounded_up_at(const Tokens& code, std::size_t i) {
  const bool named = code.text(i) == "ceil_div" && code.text(i + 1) == "(";
  const std::size_t open = named ? i + 1 : i;
  if (code.text(open) != "(") return {};
  const std::size_t close = code.closing(open);
  int depth = 0;
  for (std::size_t at = open; at < close; ++at) {
    depth += code.text(at) == "(" || code.text(at) == "[";
    depth -= code.text(at) == ")" || code.text(at) == "]";
    if (depth != 1 || code.text(at) != (named ? "," : "+")) continue;
    const std::string n = code.text(open + 1, at);
    if (named) {
      const bool in_kata = i >= 2 && code.is(i - 2, {"kata", "::"});
      return RoundedUp{in_kata ? i - 2 : i, close + 1, n, code.text(at + 1, close)};
    }
    const std::size_t end = code.name_end(close + 2);
    const bool fits = close >= open + 6 && code.is(close - 2, {"-", "1", ")", "/"});
    if (!fits) return {};
    const std::size_t behind = std::max(end, close + 3);  // a number has one token
    return RoundedUp{open, behind, n, code.text(close + 2, behind)};
  }
  return {};
}

bool is_plain_comparison(const Tokens& code, std::size_t i) {
  static const std::set<std::string> ends = {")", ";", "&&", "||"};
  return code.text(i) == "<" && code.stands_apart(i) && code.is_name(i + 1) &&
         ends.contains(code.text(i + 2));
}

bool negate(const Tokens& code, std::size_t i, const char* opposite) {
  if (!code.is(i, {"if", "("})) return false;
  const std::size_t end = code.closing(i + 1), at = code.name_end(i + 2);
  if (at == i + 2 || code.text(at) != "<" || code.name_end(at + 1) != end || end == at + 1)
    return false;
  code.put(i + 2, "!(" + code.text(i + 2));
  code.put(at, opposite);
  code.put(end, "))");
  return true;
}

std::vector<Mutant> mutants_of(const std::string& text) {
  const std::vector<Token> original = emulator::lex(text);
  std::vector<Token> tokens = original;
  const Tokens code(tokens);
  std::vector<Mutant> mutants;
  const auto apply = [&](std::span<const Operation> operations, std::size_t i, bool harmless) {
    for (const Operation& one : operations) {
      if (!one.change(code, i)) continue;
      mutants.push_back({one.name, one.topic, code[i].line, emulator::output_text(tokens),
                         one.level, static_cast<int>(mutants.size()), harmless, one.same, one.why,
                         one.breaks});
      tokens = original;
    }
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    apply(slips, i, false);
    apply(harmless_operations(), i, true);
  }
  return mutants;
}

std::vector<std::string> mutation_names() {
  std::vector<std::string> names;
  for (const Operation& one : slips) names.emplace_back(one.name);
  for (const Operation& one : harmless_operations()) names.emplace_back(one.name);
  return names;
}

}  // namespace kata::drill
