// Conditions that nvcc makes predicates of (docs/fidelity.md): all lanes run what depends on them,
// and a device counts it for warps in which no lane needs it.
//
//   if (t < n) s[t] += s[t + n];     becomes
//   if (::__kata::switches<1>(bool(t < n))) { s[t] += s[t + n]; ::__kata::switched(); }
//
// Only where accesses to shared memory depend on them: requests to global memory that no lane makes
// count nowhere.

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "emulator/rewriter/loop_size.h"
#include "emulator/rewriter/passes.h"

namespace kata::emulator {
namespace {

constexpr unsigned has_branch = 1000;
/// The largest statements that nvcc 13.0 predicates, in machine instructions (docs/fidelity.md).
constexpr unsigned most = 8, most_if_uniform = 6, most_with_global_load = 20, most_of_both = 10;

/// What arithmetic with 64 bits takes more than with 32.
constexpr unsigned wide_index = 5;

/// An asynchronous copy, with its addresses.
constexpr unsigned copy = 3;

/// What becomes of a call: one instruction or two, without branches.
const std::map<std::string, unsigned, std::less<>> calls{{"fmaxf", 1},
                                                         {"fminf", 1},
                                                         {"max", 1},
                                                         {"min", 1},
                                                         {"fabsf", 0},
                                                         {"fmaf", 1},
                                                         {"__ldg", 0},
                                                         {"static_cast", 0},
                                                         {"reinterpret_cast", 0},
                                                         {"__expf", 2},
                                                         {"__popc", 1},
                                                         {"sizeof", 0},
                                                         {"float", 1},
                                                         {"int", 1},
                                                         {"double", 1},
                                                         {"unsigned", 0},
                                                         {"asm", 0},
                                                         {"__asm__", 0},
                                                         {"volatile", 0},
                                                         {"__cvta_generic_to_shared", 0},
                                                         {"memcpy_async", copy},
                                                         {"__pipeline_memcpy_async", copy},
                                                         {"aligned_size_t", 0}};

/// In a function.
struct KernelNames {
  const Functions& functions;
  const Names &variables, &shared;  ///< of the FunctionOnDevice
  Names registers;                  ///< arrays of its own
};

/// The operand `a.b[i]->c` from its last identifier back to its first.
int root_of(const Tokens& tokens, int i) {
  while (is_one_of(tokens, previous(tokens, i), {".", "->"})) {
    const int before = previous(tokens, previous(tokens, i));
    i = before != none && closes(tokens[before]) ? previous(tokens, opening(tokens, before))
                                                 : before;
    if (i == none) return none;
  }
  return i;
}

/// Arrays that are not shared.
Names registers_of(const Tokens& tokens, const FunctionBody& body, const Names& shared) {
  Names registers;
  any_in(tokens, {body.open, body.close}, [&](int i) {
    const int before = previous(tokens, i);
    if (is_identifier(tokens, i) && is(tokens, next(tokens, i), "[") &&
        !shared.count(tokens[i].text) && !is(tokens, before, "return") &&
        (is_identifier(tokens, before) || is(tokens, before, ">")))
      registers.insert(tokens[i].text);
    return false;
  });
  return registers;
}

/// What nvcc makes of a statement.
class Size {
 public:
  Size(const Tokens& tokens, const KernelNames& names) : tokens_(tokens), names_(names) {}

  void add(const Range& range, unsigned depth = 0) {
    for (int i = range.first; i != none && i <= range.last && other_ < has_branch;
         i = next(tokens_, i))
      add_token(i, depth);
  }
  unsigned instructions() const { return other_ + std::max(products_, sums_); }
  bool loads_global() const { return loads_global_; }

 private:
  void add_token(int i, unsigned depth) {
    if (is_one_of(tokens_, i,
                  {"if", "for", "while", "do", "switch", "break", "continue", "goto", "else"}) ||
        (is(tokens_, i, "return") && depth == 0)) {
      other_ = has_branch;
    } else if (tokens_[i].kind == TokenKind::string) {
      if (is(tokens_, previous(tokens_, i), "(")) add_assembly(tokens_[i].text);
    } else if (is_identifier(tokens_, i)) {
      add_name(i, depth);
    } else if (is(tokens_, i, "[")) {
      add_subscript(i);
    } else if (is_one_of(tokens_, i, {"/", "%", "/=", "%="})) {
      const int divisor = next(tokens_, i);
      other_ += is_constant(divisor) ? 1 : has_branch;
    } else if (is_one_of(tokens_, i, {"*", "*="})) {
      ++products_;
    } else if (is_one_of(tokens_, i, {"+", "-"})) {
      sums_ += !is_constant(next(tokens_, i));
    } else if (is_one_of(tokens_, i, {"+=", "-="})) {
      ++sums_;
    } else if (is(tokens_, i, "=")) {
      const int value = next(tokens_, i);
      other_ += value != none && tokens_[value].kind == TokenKind::number &&
                is_one_of(tokens_, next(tokens_, value), {";", ","}) &&
                tokens_[value].text[0] != '0';
    } else {
      other_ += is_one_of(tokens_, i,
                          {"|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "++", "--",
                           "|=", "&=", "^=", "?", "&&", "||"});
    }
  }

  /// A number, or a name that is no variable.
  bool is_constant(int i) const {
    if (i == none) return false;
    if (tokens_[i].kind == TokenKind::number) return true;
    return is_identifier(tokens_, i) && !names_.variables.count(tokens_[i].text) &&
           tokens_[i].text.size() > 1 && !is_one_of(tokens_, next(tokens_, i), {"(", "[", "."});
  }

  void add_name(int i, unsigned depth) {
    const int after = next(tokens_, i);
    const int angle = is(tokens_, after, "<") ? closing_angle(tokens_, after) : none;
    if (is(tokens_, after, "(") || is(tokens_, next(tokens_, angle), "(")) {
      add_call(i, depth);
    } else if (is_one_of(tokens_, i, {"size_t", "int64_t", "uint64_t", "long"})) {
      other_ += wide_index;
    } else if (names_.shared.count(tokens_[i].text) &&
               !is_one_of(tokens_, after, {"[", ".", "->"})) {
      other_ += 1 + is_compound(after);
    }
  }

  void add_call(int i, unsigned depth) {
    const auto known = calls.find(tokens_[i].text);
    if (known != calls.end()) {
      other_ += known->second;
      loads_global_ |= known->second == copy;
      return;
    }
    const auto found = names_.functions.by_name.find(tokens_[i].text);
    if (found == names_.functions.by_name.end() || depth == 3) {
      other_ = has_branch;
      return;
    }
    const FunctionBody& body = names_.functions.all[found->second].body;
    add({next(tokens_, body.open), previous(tokens_, body.close)}, depth + 1);
  }

  void add_assembly(const std::string& text) {
    const bool copies =
        text.find("cp.async.c") != std::string::npos && text.find("commit") == std::string::npos;
    other_ += copies ? copy : has_branch;
    loads_global_ |= copies;
  }

  void add_subscript(int i) {
    const int close = closing(tokens_, i), before = previous(tokens_, i);
    if (close == none || !is_identifier(tokens_, before)) return;
    const int root = root_of(tokens_, before);
    if (root == none || names_.registers.count(tokens_[root].text)) return;
    const int after = next(tokens_, close);
    other_ += 1 + is_compound(after);
    if (!names_.shared.count(tokens_[root].text)) loads_global_ |= !is(tokens_, after, "=");
  }

  /// An access that loads and stores.
  bool is_compound(int after) const {
    return is_one_of(tokens_, after, {"+=", "-=", "*=", "|=", "&=", "^=", "++", "--"});
  }

  const Tokens& tokens_;
  const KernelNames& names_;
  unsigned other_ = 0, products_ = 0, sums_ = 0;
  bool loads_global_ = false;
};

/// The last part of a condition whose first ones, up to an `&&`, a branch may decide: nvcc does not
/// read memory before it knows that it may.
Range decided_last(const Tokens& tokens, const Range& condition) {
  for (int i = condition.first, part = condition.first; i != none && i <= condition.last;
       i = next(tokens, i)) {
    if (is(tokens, i, "&&")) part = next(tokens, i);
    if (is(tokens, i, "[")) return {part, condition.last};
    if (is(tokens, i, "(")) i = closing(tokens, i);
    if (i == none) break;
  }
  return condition;
}

void write_condition(Tokens& tokens, const Range& condition, unsigned sides) {
  const Range rest = decided_last(tokens, condition);
  tokens[rest.first].output.insert(0, "::__kata::switches<" + std::to_string(sides) + ">(bool(");
  tokens[rest.last].output += "))";
}

/// `is_one`: of two statements that the compiler must not make one of.
void write_statement(Tokens& tokens, const Range& statement, bool is_one) {
  const std::string end =
      std::string(is_one ? "::__kata::in_order(); " : "") + "::__kata::switched(); ";
  if (is(tokens, statement.first, "{")) {
    tokens[statement.last].output.insert(0, end);
    return;
  }
  tokens[statement.first].output.insert(0, "{ ");
  tokens[statement.last].output += " " + end + "}";
}

/// The last assignment of a statement.
struct Assignment {
  std::string to = {};   ///< as text
  bool is_load = false;  ///< its value is one from memory, without arithmetic
};

Assignment last_assignment(const Tokens& tokens, const Range& statement) {
  Assignment last;
  std::string left;
  for (int i = statement.first; i != none && i <= statement.last; i = next(tokens, i)) {
    if (is_one_of(tokens, i, {"{", ";", "}"})) {
      left.clear();
    } else if (is(tokens, i, "=")) {
      last = {left, true};
    } else {
      last.is_load &= !is_one_of(tokens, i, {"*", "+", "-", "("});
      left += tokens[i].text;
      if (!is(tokens, i, "[")) continue;
      const int close = closing(tokens, i);
      for (; i != none && i < close; i = next(tokens, i)) left += tokens[next(tokens, i)].text;
    }
  }
  return last;
}

/// Of an `if` in its function.
struct Place {
  int kernel_end;  ///< the last `}` of a kernel; none: of another function
  bool in_loop;
};

class Branches {
 public:
  Branches(Tokens& tokens, KernelNames names) : tokens_(tokens), names_(std::move(names)) {}

  void rewrite_if(const Branch& branch, const Place& place) {
    const auto& [condition, then, other] = branch;
    if (other.first == none && next(tokens_, then.last) == place.kernel_end)
      return;  // the others exit
    if (condition.first == none || has_any(tokens_, condition, {"=", ",", ";"})) return;
    const Assignment one = last_assignment(tokens_, then);
    const bool same = other.first != none && one.to == last_assignment(tokens_, other).to;
    if (same && !one.to.empty() && (place.in_loop || !one.is_load)) return;  // nvcc stores once
    bool is_then = is_predicated(condition, then), is_other = is_predicated(condition, other);
    if (is_then && is_other && size_of(then) + size_of(other) > most_of_both)
      is_then = is_other = false;
    if (!is_then && !is_other) return;
    write_condition(tokens_, condition, is_then + 2 * is_other);
    if (is_then) write_statement(tokens_, then, is_other);
    if (is_other) write_statement(tokens_, other, is_then);
  }

  /// `= c ? a : b;`, `return c ? a : b;`
  void rewrite_conditional(int first) {
    const Range all{first, end_of_value(tokens_, first)};
    const int question = all.last == none ? none : find(tokens_, all, "?");
    const int colon = question == none ? none : find(tokens_, {question, all.last}, ":");
    if (colon == none || question == first) return;
    const Range condition{first, previous(tokens_, question)};
    const Range then{next(tokens_, question), previous(tokens_, colon)};
    const Range other{next(tokens_, colon), all.last};
    if (has_any(tokens_, then, {"?", "{"}) || has_any(tokens_, other, {"?", "{"})) return;
    const bool is_then = has_any(tokens_, then, {"["}) && is_predicated(condition, then);
    const bool is_other = has_any(tokens_, other, {"["}) && is_predicated(condition, other);
    if (is_then == is_other) return;  // nvcc makes one load of two
    write_condition(tokens_, condition, is_then ? 1 : 2);
    const Range& value = is_then ? then : other;
    tokens_[value.first].output.insert(0, "::__kata::switched(");
    tokens_[value.last].output += ")";
  }

 private:
  unsigned size_of(const Range& statement) const {
    Size size(tokens_, names_);
    size.add(statement);
    return size.instructions();
  }

  bool is_predicated(const Range& condition, const Range& statement) const {
    if (statement.first == none || !names_any(tokens_, statement, names_.shared)) return false;
    Size size(tokens_, names_);
    size.add(statement);
    const bool uniform = is_uniform(tokens_, condition, names_.variables);
    return size.instructions() <= (size.loads_global() ? most_with_global_load
                                   : uniform           ? most_if_uniform
                                                       : most);
  }

  Tokens& tokens_;
  KernelNames names_;
};

/// A reference would be bound to a copy.
bool sets_reference(const Tokens& tokens, int equals) {
  return is(tokens, previous(tokens, previous(tokens, equals)), "&");
}

}  // namespace

void rewrite_predicates(Tokens& tokens, const Functions& functions,
                        const std::vector<FunctionOnDevice>& on_device) {
  for (const auto& [function, is_kernel, variables, shared] : on_device) {
    const FunctionBody& body = function.body;
    Branches branches(tokens, {functions, variables, shared, registers_of(tokens, body, shared)});
    const int kernel_end = is_kernel ? body.close : none;
    int loops_end = none;
    for (int i = body.open; i != none && i < body.close; i = next(tokens, i)) {
      if (const auto loop = loop_at(tokens, i)) loops_end = std::max(loops_end, loop->body.last);
      if (const auto branch = branch_at(tokens, i))
        branches.rewrite_if(*branch, {kernel_end, i < loops_end});
      const bool begins_value = is_one_of(tokens, i, {"return", "+="}) ||
                                (is(tokens, i, "=") && !sets_reference(tokens, i));
      if (begins_value) branches.rewrite_conditional(next(tokens, i));
    }
  }
}

}  // namespace kata::emulator
