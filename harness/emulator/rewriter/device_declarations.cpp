// Declarations that nvcc refuses and a C++ compiler takes: kernels that are members of a class,
// lambdas with __device__, dynamic shared memory of one name with two types; and in device code
// arrays whose size is a variable, arrays of constants of the host, and std::array's functions.
//
// By the text of one file, and only where that leaves no doubt, as in host_code.cpp.

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "emulator/rewriter/passes.h"
#include "emulator/rewriter/spaces.h"
#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

/// The names of the namespaces around the token.
std::string namespaces_around(const Tokens& tokens, int i) {
  std::string path;
  for (int j = previous(tokens, i); j != none; j = previous(tokens, j)) {
    if (closes(tokens[j])) {
      j = opening(tokens, j);
      if (j == none) break;
    } else if (is(tokens, j, "{")) {
      path = "::" + path;
      for (int name = previous(tokens, j); is_identifier(tokens, name) || is(tokens, name, "::");
           name = previous(tokens, name))
        path = tokens[name].text + path;
    }
  }
  return path;
}

/// A built-in type or a vector type of CUDA's as the compiler sees it; nothing for other types,
/// which may be names for the same one.
std::optional<std::string> canonical_type(const std::vector<std::string>& words) {
  static const std::map<std::string, std::string> other_names{
      {"unsigned int", "unsigned"},       {"uint8_t", "unsigned char"},
      {"int8_t", "signed char"},          {"int32_t", "int"},
      {"uint32_t", "unsigned"},           {"half", "__half"},
      {"nv_bfloat16", "__nv_bfloat16"},   {"half2", "__half2"},
      {"nv_bfloat162", "__nv_bfloat162"},
  };
  static const Names types{
      "char",     "signed char", "unsigned char", "short",   "unsigned short", "int",
      "unsigned", "float",       "double",        "bool",    "float2",         "float3",
      "float4",   "int2",        "int4",          "uint2",   "uint4",          "uchar4",
      "char4",    "double2",     "__half",        "__half2", "__nv_bfloat16",  "__nv_bfloat162"};
  std::string text, qualifier;
  for (const std::string& word : words) {
    if (word == "volatile") {
      qualifier = "volatile ";
    } else {
      text += (text.empty() ? "" : " ") + word;
    }
  }
  if (const auto other = other_names.find(text); other != other_names.end()) text = other->second;
  if (!types.contains(text)) return std::nullopt;
  return qualifier + text;
}

struct DynamicArray {
  std::string name, type;
  int line;
};

/// What the `extern` at `i` declares, if that is dynamic shared memory of a known type.
std::optional<DynamicArray> dynamic_array_at(const Tokens& tokens, int i) {
  std::vector<std::string> words;
  bool is_shared = false;
  int name = none;
  for (int j = next(tokens, i); j != none && !is_one_of(tokens, j, {"[", ";", "{"});
       j = next(tokens, j)) {
    if (is(tokens, j, "__shared__")) {
      is_shared = true;
    } else if (is_one_of(tokens, j, {"__align__", "alignas"})) {
      j = closing(tokens, next(tokens, j));
      if (j == none) return std::nullopt;
    } else {
      words.push_back(tokens[j].text);
      name = j;
    }
  }
  if (!is_shared || words.size() < 2 || !is(tokens, next(tokens, name), "[")) return std::nullopt;
  words.pop_back();
  const auto type = canonical_type(words);
  if (!type) return std::nullopt;
  return DynamicArray{tokens[name].text, *type, tokens[name].line};
}

/// nvcc takes all arrays of one name in a namespace for one variable, also across functions.
void check_dynamic_arrays(const Tokens& tokens, const std::vector<Conditional>& conditional,
                          std::vector<RewriteProblem>& problems) {
  std::map<std::string, DynamicArray> known;
  const std::vector<FunctionBody> bodies = function_bodies(tokens);
  for (int i = first(tokens); i != none; i = next(tokens, i)) {
    if (!is(tokens, i, "extern")) continue;
    const auto one = dynamic_array_at(tokens, i);
    const bool in_doubt = std::ranges::any_of(conditional, [&](const Conditional& part) {
      return part.whole.first < i && i < part.whole.last;
    });
    if (!one || in_doubt) continue;
    const auto body = std::ranges::find_if(
        bodies, [&](const FunctionBody& b) { return b.open < i && i < b.close; });
    const int scope = body == bodies.end() ? i : body->head;
    const auto [other, is_new] =
        known.try_emplace(namespaces_around(tokens, scope) + one->name, *one);
    if (is_new || other->second.type == one->type) continue;
    problems.push_back({one->line, "`" + one->name + "` is declared as " + one->type +
                                       " here and as " + other->second.type + " in line " +
                                       std::to_string(other->second.line) +
                                       ": nvcc takes both for one array; give them two names"});
  }
}

/// `[=] __device__ (float x) { ... }`
void check_lambdas(const Tokens& tokens, std::vector<RewriteProblem>& problems) {
  for (int i = first(tokens); i != none; i = next(tokens, i)) {
    const int close = previous(tokens, i);
    if (!is_one_of(tokens, i, {"__device__", "__host__"}) || !is(tokens, close, "]")) continue;
    const int open = opening(tokens, close);
    const int before = open == none ? none : previous(tokens, open);
    const bool is_attribute = is(tokens, before, "[") || is(tokens, next(tokens, open), "[");
    const bool is_array = is_identifier(tokens, before) && !is(tokens, before, "return");
    if (open == none || is_attribute || is_array || is_one_of(tokens, before, {"]", ">"})) continue;
    problems.push_back(
        {tokens[i].line, "a lambda with " + tokens[i].text +
                             " needs nvcc --extended-lambda, which kata does not use: write a "
                             "struct with a __device__ operator()"});
  }
}

void check_member_kernels(const Tokens& tokens, const std::vector<FunctionBody>& bodies,
                          std::vector<RewriteProblem>& problems) {
  for (const FunctionBody& body : bodies) {
    if (!body.in_class) continue;
    for (int i = body.head; i != none && i < body.open; i = next(tokens, i)) {
      if (!is(tokens, i, "__global__")) continue;
      problems.push_back({tokens[i].line,
                          "a kernel cannot be a member of a class, nor be defined in one: define "
                          "it outside"});
    }
  }
}

/// The first token of the statement, or of the part of a `for` or an `if`, that holds the token.
int statement_begin(const Tokens& tokens, int i) {
  int begin = i;
  for (int j = previous(tokens, i); j != none && !is_one_of(tokens, j, {";", "{", "}", "("});
       j = previous(tokens, j)) {
    begin = j;
    if (closes(tokens[j])) begin = j = opening(tokens, j);
    if (j == none) break;
  }
  return begin;
}

/// What a compiler works out itself, and nvcc allows any constant in: `constexpr`, static_assert,
/// sizeof, the bounds of arrays and the arguments of templates.
bool is_worked_out(const Tokens& tokens, const FunctionBody& body, int i) {
  for (int j = previous(tokens, i); j != none && j > body.open; j = previous(tokens, j)) {
    if (is_one_of(tokens, j, {";", "{", "}"})) return false;
    if (is_one_of(
            tokens, j,
            {"constexpr", "static_assert", "sizeof", "alignas", "decltype", "case", "<", "["}))
      return true;
    if (closes(tokens[j])) j = opening(tokens, j);
    if (j == none) return false;
  }
  return false;
}

/// Names declared outside functions and classes as `constexpr T name[...]`, without __device__.
Names constant_arrays(const Tokens& tokens, const std::vector<FunctionBody>& bodies) {
  Names names;
  for (int i = first(tokens); i != none; i = next(tokens, i)) {
    if (!is(tokens, i, "constexpr")) continue;
    const bool in_function = std::ranges::any_of(
        bodies, [&](const FunctionBody& body) { return body.head <= i && i <= body.close; });
    const int begin = statement_begin(tokens, i);
    int name = none;
    bool for_device = false, is_other = false;
    for (int j = begin; j != none && !is_one_of(tokens, j, {"[", "=", ";", "{", "("});
         j = next(tokens, j)) {
      for_device = for_device || is_one_of(tokens, j, {"__device__", "__constant__"});
      is_other = is_other || is_one_of(tokens, j, {"*", "operator"});
      name = j;
    }
    if (in_function || for_device || is_other || name == none) continue;
    if (is(tokens, next(tokens, name), "[")) names.insert(tokens[name].text);
  }
  return names;
}

/// The names of variables and parameters of type std::array, also by an alias, among those tokens.
Names arrays_of_std(const Tokens& tokens, const FunctionBody& body, const Names& aliases) {
  Names names;
  any_in(tokens, {body.head, body.close}, [&](int i) {
    int last = aliases.contains(tokens[i].text) ? i : none;
    const int name = next(tokens, next(tokens, i));
    if (is(tokens, i, "std") && is(tokens, name, "array") && is(tokens, next(tokens, name), "<"))
      last = closing_angle(tokens, next(tokens, name));
    int variable = last == none ? none : next(tokens, last);
    while (is_one_of(tokens, variable, {"&", "const"})) variable = next(tokens, variable);
    if (is_identifier(tokens, variable)) names.insert(tokens[variable].text);
    return false;
  });
  return names;
}

/// `using A = std::array<...>;`
Names aliases_of_std_array(const Tokens& tokens) {
  Names names;
  for (int i = first(tokens); i != none; i = next(tokens, i)) {
    const int name = next(tokens, i), space = next(tokens, next(tokens, name));
    if (is(tokens, i, "using") && is(tokens, next(tokens, name), "=") && is(tokens, space, "std") &&
        is(tokens, next(tokens, next(tokens, space)), "array"))
      names.insert(tokens[name].text);
  }
  return names;
}

/// The variables of a function that no compiler can know: its parameters, what is not const, and
/// constants that follow from these.
Names known_at_run_time(const Tokens& tokens, const FunctionBody& body, const Names& constants) {
  Names names{"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
  const int name = name_of_function(tokens, body);
  const int open = name == none ? none : next(tokens, name);
  const int close = open == none ? none : closing(tokens, open);
  if (close == none) return names;
  for (const Range& parameter : arguments(tokens, open, close)) {
    int last = none;
    for (int i = parameter.first; i != none && i <= parameter.last; i = next(tokens, i)) {
      if (is_one_of(tokens, i, {"=", "["})) break;
      if (is_identifier(tokens, i)) last = i;
    }
    if (last != none && !constants.contains(tokens[last].text)) names.insert(tokens[last].text);
  }
  any_in(tokens, {body.open, body.close}, [&](int i) {
    const bool is_declared = is_identifier(tokens, i) && is(tokens, next(tokens, i), "=") &&
                             is_identifier(tokens, previous(tokens, i)) &&
                             !is_one_of(tokens, previous(tokens, i), {"return", "else", "do"});
    if (!is_declared || constants.contains(tokens[i].text)) return false;
    const int begin = statement_begin(tokens, i);
    bool is_const = false, is_constexpr = false, follows = false;
    for (int j = begin; j != none && !is(tokens, j, ";") && j < body.close; j = next(tokens, j)) {
      is_const = is_const || is(tokens, j, "const");
      is_constexpr = is_constexpr || is(tokens, j, "constexpr");
      follows = follows || (j > i && is_identifier(tokens, j) && names.contains(tokens[j].text) &&
                            !is_one_of(tokens, previous(tokens, j), {".", "->", "::"}));
      if (is_one_of(tokens, j, {"sizeof", "decltype"})) return false;
    }
    if (!is_constexpr && (!is_const || follows)) names.insert(tokens[i].text);
    return false;
  });
  return names;
}

/// `float a[4][n];` where only a run knows n.
void check_bounds(const Tokens& tokens, int i, const Names& at_run_time,
                  std::vector<RewriteProblem>& problems) {
  const int open = next(tokens, i), type = previous(tokens, i);
  if (!is_identifier(tokens, i) || !is(tokens, open, "[") || !is_identifier(tokens, type) ||
      is_one_of(tokens, type,
                {"return", "else", "do", "case", "new", "delete", "goto", "operator", "throw"}))
    return;
  // `x = threadIdx.x` without its semicolon, then `a[x] = 1;`: the compiler says what is missing.
  if (any_in(tokens, {statement_begin(tokens, i), type}, [&](int j) {
        return is_one_of(tokens, j, {"=", ".", "->"});
      }))
    return;
  int close = closing(tokens, open);
  while (close != none && is(tokens, next(tokens, close), "["))
    close = closing(tokens, next(tokens, close));
  if (close == none || !is_one_of(tokens, next(tokens, close), {";", ",", "=", "{"})) return;
  const bool is_variable = any_in(tokens, {open, close}, [&](int j) {
    return at_run_time.contains(tokens[j].text) &&
           !is_one_of(tokens, previous(tokens, j), {".", "->", "::"});
  });
  const bool in_doubt = any_in(tokens, {open, close}, [&](int j) {
    return is_one_of(tokens, j, {"sizeof", "("});
  });
  if (!is_variable || in_doubt) return;
  problems.push_back(
      {tokens[i].line, "the size of `" + tokens[i].text +
                           "` is known only at run time: in device code an array has a constant "
                           "size"});
}

void check_device_body(const Tokens& tokens, const FunctionBody& body, const Names& constants,
                       const Names& arrays, const Names& aliases,
                       std::vector<RewriteProblem>& problems) {
  const Names at_run_time = known_at_run_time(tokens, body, constants);
  const Names of_std = arrays_of_std(tokens, body, aliases);
  const Names own = variables_of(tokens, body, {}), parameters = parameters_of(tokens, body);
  for (int i = next(tokens, body.open); i != none && i < body.close; i = next(tokens, i)) {
    if (!is_identifier(tokens, i)) continue;
    const std::string& name = tokens[i].text;
    const int after = next(tokens, i);
    check_bounds(tokens, i, at_run_time, problems);
    const bool is_member = is_one_of(tokens, previous(tokens, i), {".", "->", "::"});
    if (is_member || !is_one_of(tokens, after, {"[", "."})) continue;
    if (is_worked_out(tokens, body, i)) continue;
    if (of_std.contains(name)) {
      problems.push_back({tokens[i].line, "the functions of std::array are for the host, `" + name +
                                              "[i]` too: take a plain array"});
    } else if (is(tokens, after, "[") && arrays.contains(name) && !own.contains(name) &&
               !parameters.contains(name)) {
      problems.push_back(
          {tokens[i].line, "`" + name +
                               "` is an array of the host, constexpr or not: put __constant__ or "
                               "__device__ in front of it, or declare it in the kernel"});
    }
  }
}

}  // namespace

void check_declarations(const Tokens& tokens, std::vector<RewriteProblem>& problems) {
  const std::vector<FunctionBody> bodies = function_bodies(tokens);
  const std::vector<Conditional> conditional = conditionals(tokens);
  check_dynamic_arrays(tokens, conditional, problems);
  check_lambdas(tokens, problems);
  check_member_kernels(tokens, bodies, problems);
  const Names constants = constants_of(tokens), arrays = constant_arrays(tokens, bodies),
              aliases = aliases_of_std_array(tokens);
  const std::vector<Range> parts = conditional_parts(tokens);
  for (const FunctionBody& body : bodies) {
    const Space space = space_of(tokens, body);
    const bool for_both =
        any_in(tokens, {body.head, body.open}, [&](int i) { return is(tokens, i, "__host__"); });
    const bool in_doubt =
        for_both || body.in_class || std::ranges::any_of(parts, [&](const Range& part) {
          return part.first < body.close && body.open < part.last;
        });
    if (in_doubt || (space != Space::kernel && space != Space::device)) continue;
    check_device_body(tokens, body, constants, arrays, aliases, problems);
  }
}

}  // namespace kata::emulator
