#include "emulator/rewriter/unset_locals.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

bool is_scalar_type(const Tokens& tokens, int i) {
  static const std::set<std::string_view> scalars{
      "bool",    "char",    "short",   "int",      "long",          "unsigned",
      "signed",  "float",   "double",  "size_t",   "int8_t",        "int16_t",
      "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",      "uint64_t",
      "half",    "half2",   "__half",  "__half2",  "__nv_bfloat16", "__nv_bfloat162"};
  static const std::set<std::string_view> of_vectors{"char", "uchar", "short", "ushort", "int",
                                                     "uint", "long",  "ulong", "float",  "double"};
  const std::string_view name = tokens[i].text;
  if (!is_identifier(tokens, i)) return false;
  const bool has_length = name.back() >= '2' && name.back() <= '4';
  return scalars.contains(name) ||
         (has_length && of_vectors.contains(name.substr(0, name.size() - 1)));
}

bool mentions(const Tokens& tokens, const Range& range, const std::string& name) {
  return any_in(tokens, range, [&](int i) { return tokens[i].text == name; });
}

/// Whether the brackets are those of an asm statement that surely writes the variable and does not
/// read it: "=r"(name) is an operand, and no instruction has a predicate.
bool is_asm_output(const Tokens& tokens, const Range& brackets, const std::string& name) {
  int keyword = previous(tokens, brackets.first);
  if (is_one_of(tokens, keyword, {"volatile", "__volatile__"})) keyword = previous(tokens, keyword);
  if (!is_one_of(tokens, keyword, {"asm", "__asm__", "__asm"}) ||
      !is_one_of(tokens, previous(tokens, keyword), {"{", "}", ";"}))
    return false;
  int mentioned = 0, written = 0;
  const bool has_predicate = any_in(tokens, brackets, [&](int i) {
    const int before = previous(tokens, i), constraint = previous(tokens, before);
    mentioned += tokens[i].text == name;
    written += tokens[i].text == name && is(tokens, before, "(") &&
               tokens[constraint].text.starts_with("\"=") && is(tokens, next(tokens, i), ")");
    return tokens[i].kind == TokenKind::string && tokens[i].text.find('@') != std::string::npos;
  });
  return !has_predicate && written == 1 && mentioned == 1;
}

/// Whether the brackets are those of a statement memcpy(&name, ..., sizeof(name)) that does not
/// read it.
bool is_copied_to(const Tokens& tokens, const Range& brackets, const std::string& name) {
  const int function = previous(tokens, brackets.first);
  if (!is(tokens, function, "memcpy") ||
      !is_one_of(tokens, previous(tokens, function), {"{", "}", ";"}))
    return false;
  const int target = next(tokens, next(tokens, brackets.first));
  const int size = previous(tokens, previous(tokens, brackets.last));
  int mentioned = 0;
  any_in(tokens, brackets, [&](int i) {
    mentioned += tokens[i].text == name;
    return false;
  });
  return mentioned == 2 && is(tokens, next(tokens, brackets.first), "&") &&
         is(tokens, target, name) && is(tokens, next(tokens, target), ",") &&
         is(tokens, size, name) && is(tokens, previous(tokens, size), "(") &&
         is(tokens, previous(tokens, previous(tokens, size)), "sizeof");
}

/// Whether a condition, a loop or an operator decides if the token is reached in its statement.
bool is_conditional(const Tokens& tokens, int token) {
  for (int i = previous(tokens, token); i != none && !is_one_of(tokens, i, {"{", "}", ";"});
       i = previous(tokens, i)) {
    if (is_one_of(tokens, i, {"?", "&&", "||", "if", "else", "for", "while", "do", "switch"}))
      return true;
    if (closes(tokens[i])) i = opening(tokens, i);
    if (i == none) return true;
  }
  return false;
}

/// Whether the brackets are those of a call that surely happens and writes the variable: it is the
/// argument of a parameter that the function writes first.
bool is_written_by_call(const Tokens& tokens, const Range& brackets, const std::string& name,
                        const WrittenParameters& written) {
  int function = previous(tokens, brackets.first);
  if (is(tokens, function, ">")) {
    const int angle = opening_angle(tokens, function);
    function = angle == none ? none : previous(tokens, angle);
  }
  if (function == none || is_conditional(tokens, function)) return false;
  const std::vector<Range> all = arguments(tokens, brackets.first, brackets.last);
  int mentioned = 0;
  bool is_written = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!mentions(tokens, all[i], name)) continue;
    ++mentioned;
    is_written = all[i].first == all[i].last &&
                 written.contains({tokens[function].text, static_cast<int>(i)});
  }
  return mentioned == 1 && is_written;
}

/// Whether the brackets are those of a sincos() that surely happens and writes the variable: all of
/// it, or both of its parts.
bool is_sine_or_cosine(const Tokens& tokens, const Range& brackets, const std::string& name,
                       int parts) {
  const int function = previous(tokens, brackets.first);
  if (!is_one_of(tokens, function, {"sincos", "sincosf", "__sincosf", "sincospi", "sincospif"}) ||
      is_conditional(tokens, function))
    return false;
  const std::vector<Range> all = arguments(tokens, brackets.first, brackets.last);
  int mentioned = 0, wholes = 0;
  std::set<std::string> written;
  for (const Range& one : all) {
    if (!mentions(tokens, one, name)) continue;
    ++mentioned;
    const int variable = next(tokens, one.first), dot = next(tokens, variable);
    if (!is(tokens, one.first, "&") || !is(tokens, variable, name)) continue;
    wholes += variable == one.last;
    if (is(tokens, dot, ".") && next(tokens, dot) == one.last)
      written.insert(tokens[one.last].text);
  }
  return mentioned == 1 ? wholes == 1
                        : mentioned == 2 && parts == 2 && written.size() == 2 && wholes == 0;
}

/// Whether a statement `name = ...;` that does not read it begins at `i`.
bool is_assignment(const Tokens& tokens, int i, const std::string& name) {
  if (!is_one_of(tokens, previous(tokens, i), {"{", "}", ";"}) || !is(tokens, next(tokens, i), "="))
    return false;
  for (i = next(tokens, i); i != none && !is(tokens, i, ";"); i = next(tokens, i)) {
    if (tokens[i].text == name) return false;
  }
  return i != none;
}

/// Whether statements `name.x = ...; name.y = ...;` that write all parts, and read none, begin at
/// `i`.
bool is_assignment_of_parts(const Tokens& tokens, int i, const std::string& name, int parts) {
  if (!is_one_of(tokens, previous(tokens, i), {"{", "}", ";"})) return false;
  std::set<std::string> written;
  while (is(tokens, i, name) && is(tokens, next(tokens, i), ".")) {
    const int part = next(tokens, next(tokens, i));
    if (!is(tokens, next(tokens, part), "=")) return false;
    written.insert(tokens[part].text);
    for (i = next(tokens, part); i != none && !is(tokens, i, ";"); i = next(tokens, i)) {
      if (tokens[i].text == name) return false;
    }
    if (i == none || static_cast<int>(written.size()) == parts) return i != none;
    i = next(tokens, i);
  }
  return false;
}

/// Whether the block in which the variable is declared writes it before it is used: `float y;
/// asm("..." : "=f"(y) : "f"(x));`, or a copy, assignments, or a call. `parts`: of a float4 four.
bool is_written_first(const Tokens& tokens, int declaration_end, const std::string& name, int parts,
                      const WrittenParameters& written) {
  for (int i = next(tokens, declaration_end); i != none && !closes(tokens[i]);
       i = next(tokens, i)) {
    if (tokens[i].text == name)
      return is_assignment(tokens, i, name) || is_assignment_of_parts(tokens, i, name, parts);
    if (!opens(tokens[i])) continue;
    const Range brackets{i, closing(tokens, i)};
    if (brackets.last == none) return false;
    if (mentions(tokens, brackets, name))
      return is_asm_output(tokens, brackets, name) || is_copied_to(tokens, brackets, name) ||
             is_written_by_call(tokens, brackets, name, written) ||
             is_sine_or_cosine(tokens, brackets, name, parts);
    i = brackets.last;
  }
  return false;
}

/// The names that the declaration at `i` gives no value, up to its `;`. `jumps`: a case or a label
/// of the function may pass over the statement that writes them.
void add_declared(const Tokens& tokens, int i, bool jumps, const WrittenParameters& written,
                  std::vector<UnsetLocal>& locals) {
  while (is_scalar_type(tokens, i)) i = next(tokens, i);
  const char last = tokens[previous(tokens, i)].text.back();
  const int parts = last >= '2' && last <= '4' ? last - '0' : 1;  // of a float4
  const std::size_t first = locals.size();
  for (; i != none && !is(tokens, i, ";"); i = next(tokens, i)) {
    const bool begins =
        is_scalar_type(tokens, previous(tokens, i)) || is(tokens, previous(tokens, i), ",");
    if (is_identifier(tokens, i) && begins && is_one_of(tokens, next(tokens, i), {",", ";"}))
      locals.push_back({tokens[i].text, tokens[i].line});
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) return;
  }
  if (i == none || jumps) return;
  const auto is_written = [&](const UnsetLocal& local) {
    return is_written_first(tokens, i, local.name, parts, written);
  };
  locals.erase(
      std::remove_if(locals.begin() + static_cast<std::ptrdiff_t>(first), locals.end(), is_written),
      locals.end());
}

bool has_jumps(const Tokens& tokens, const FunctionBody& body) {
  return any_in(tokens, {body.open, body.close}, [&](int i) {
    return is_one_of(tokens, i, {"switch", "goto"});
  });
}

/// Whether the function writes its parameter of that name first: nothing returns before.
bool is_written_parameter(const Tokens& tokens, const FunctionBody& body, const Range& parameter) {
  const std::string& name = tokens[parameter.last].text;
  if (!is(tokens, previous(tokens, parameter.last), "&") || has_jumps(tokens, body)) return false;
  bool returns = false;
  any_in(tokens, {body.open, body.close}, [&](int i) {
    returns = returns || is(tokens, i, "return");
    return tokens[i].text == name;
  });
  return !returns && is_written_first(tokens, body.open, name, 1, {});
}

}  // namespace

WrittenParameters written_parameters(const std::vector<std::string_view>& sources) {
  WrittenParameters written, others;
  for (std::string_view source : sources) {
    const Tokens tokens = lex(source);
    for (const FunctionBody& body : function_bodies(tokens)) {
      const int name = name_of_function(tokens, body);
      const int open = name == none ? none : next(tokens, name);
      if (open == none || !is(tokens, open, "(")) continue;
      const std::vector<Range> parameters = arguments(tokens, open, closing(tokens, open));
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool is_written = is_written_parameter(tokens, body, parameters[i]);
        (is_written ? written : others).emplace(tokens[name].text, static_cast<int>(i));
      }
    }
  }
  std::erase_if(written, [&](const auto& one) { return others.contains(one); });  // overloads
  return written;
}

std::vector<UnsetLocal> unset_locals(std::string_view source, const WrittenParameters& written) {
  const Tokens tokens = lex(source);
  std::vector<UnsetLocal> locals;
  for (const FunctionBody& body : function_bodies(tokens)) {
    const bool on_device = any_in(tokens, {body.head, body.open}, [&](int i) {
      return is_one_of(tokens, i, {"__global__", "__device__"});
    });
    if (!on_device) continue;
    const bool jumps = has_jumps(tokens, body);
    any_in(tokens, {body.open, body.close}, [&](int i) {
      const bool begins = is_one_of(tokens, previous(tokens, i), {"{", "}", ";"});
      if (begins && is_scalar_type(tokens, i)) add_declared(tokens, i, jumps, written, locals);
      return false;
    });
  }
  return locals;
}

}  // namespace kata::emulator
