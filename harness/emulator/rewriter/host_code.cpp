// What nvcc refuses in device code, and what host code may not do with a __device__ variable. To a
// C++ compiler that makes one program of both sides all of it is ordinary code.
//
// By the text of one file, and only where that leaves no doubt. nvcc is taken without
// --expt-relaxed-constexpr and --extended-lambda.

#include <algorithm>
#include <string>

#include "emulator/rewriter/passes.h"
#include "emulator/rewriter/spaces.h"
#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

using Problems = std::vector<RewriteProblem>;

/// Functions of namespace std that CUDA has for the device, or that are none to nvcc.
const Names std_for_device{
    "abs",    "acos",   "acosh",     "asin",      "asinh",  "atan",    "atan2",   "atanh",
    "cbrt",   "ceil",   "copysign",  "cos",       "cosh",   "erf",     "erfc",    "exp",
    "exp2",   "expm1",  "fabs",      "fdim",      "floor",  "fma",     "fmax",    "fmin",
    "fmod",   "frexp",  "hypot",     "isfinite",  "isinf",  "isnan",   "ldexp",   "lgamma",
    "log",    "log10",  "log1p",     "log2",      "logb",   "lrint",   "lround",  "modf",
    "nan",    "pow",    "remainder", "rint",      "round",  "signbit", "sin",     "sinh",
    "sqrt",   "tan",    "tanh",      "tgamma",    "trunc",  "move",    "forward", "nearbyint",
    "memcpy", "memset", "scalbn",    "nextafter", "llrint", "llround", "printf",  "declval"};

/// Classes of namespace std whose members are for the host.
const Names std_for_host{"vector",     "string",     "map",     "unordered_map", "set",
                         "deque",      "list",       "queue",   "cout",          "cerr",
                         "unique_ptr", "shared_ptr", "function"};

/// Functions of the C library that have no counterpart on the device.
const Names c_for_host{"rand", "srand", "exit", "fprintf", "sprintf", "snprintf",
                       "puts", "qsort", "time", "strlen",  "strcpy",  "getenv"};

/// What the file declares outside functions and classes.
struct Variables {
  Names host, host_arrays, device;
};

bool declares_no_variable(const Tokens& tokens, int head) {
  return is_one_of(tokens, head,
                   {"using", "typedef", "template", "struct", "class", "enum", "union", "namespace",
                    "static_assert", "extern", "friend", "asm"});
}

/// The name that a declaration from `head` to its `;` gives a variable; none for anything else.
int variable_of(const Tokens& tokens, int head, int end) {
  int name = none;
  for (int i = head; i != none && i < end; i = next(tokens, i)) {
    if (is_one_of(tokens, i, {"=", "[", "{", ","})) break;
    if (is(tokens, i, "(")) {
      if (!is_one_of(tokens, previous(tokens, i), {"__align__", "alignas", "__attribute__"}))
        return none;
      i = closing(tokens, i);
    } else if (is(tokens, i, "<")) {
      i = closing_angle(tokens, i);
    } else if (is_identifier(tokens, i)) {
      name = i;
    }
  }
  return name;
}

Variables variables_at_namespace_scope(const Tokens& tokens,
                                       const std::vector<FunctionBody>& bodies) {
  Variables found;
  int head = none;
  auto body = bodies.begin();
  for (int i = first(tokens); i != none; i = next(tokens, i)) {
    while (body != bodies.end() && body->close < i) ++body;
    if (head == none) head = i;
    if (body != bodies.end() && i == body->open) {
      i = body->close;
      head = none;
    } else if (is(tokens, i, "{")) {
      const bool enters = is_one_of(tokens, head, {"namespace", "extern", "inline"});
      if (!enters) i = closing(tokens, i);  // a class, or a value
      if (i == none) break;
      if (enters) head = none;
    } else if (is(tokens, i, "(")) {
      i = closing(tokens, i);
      if (i == none) break;
    } else if (is(tokens, i, "}")) {
      head = none;
    } else if (is(tokens, i, ";")) {
      const int name = declares_no_variable(tokens, head) ? none : variable_of(tokens, head, i);
      const auto says = [&](std::initializer_list<std::string_view> words) {
        return any_in(tokens, {head, i}, [&](int j) { return is_one_of(tokens, j, words); });
      };
      const bool is_value =  // nvcc puts it in place
          says({"const"}) && !is(tokens, next(tokens, name), "[") &&
          !any_in(tokens, {head, name}, [&](int j) { return is(tokens, j, "*"); });
      if (name != none && name != head && !says({"__managed__", "__shared__", "constexpr"})) {
        if (says({"__device__", "__constant__"}))
          found.device.insert(tokens[name].text);
        else if (!is_value)
          found.host.insert(tokens[name].text);
        if (found.host.count(tokens[name].text) && is(tokens, next(tokens, name), "["))
          found.host_arrays.insert(tokens[name].text);
      }
      head = none;
    }
  }
  return found;
}

/// Whether the function has a parameter or a variable of that name, as far as one can see.
bool declares(const Tokens& tokens, const FunctionBody& body, const std::string& name) {
  return any_in(tokens, {body.head, body.close}, [&](int i) {
    if (!is_identifier(tokens, i) || tokens[i].text != name) return false;
    const int after = next(tokens, i), left = previous(tokens, i);
    if (is(tokens, left, ",") && is_one_of(tokens, after, {"=", ";", "[", "]", "{"})) return true;
    int type = left;
    while (is_one_of(tokens, type, {"*", "&", "&&", "const"})) type = previous(tokens, type);
    if (is(tokens, type, ">"))  // of a template, or greater
      return opening_angle(tokens, type) != none &&
             is_one_of(tokens, after, {"=", ";", "[", "{", "(", ",", ")"});
    const bool is_word =
        is_identifier(tokens, type) &&
        !is_one_of(tokens, type, {"return", "else", "do", "case", "goto", "sizeof"});
    const bool is_product =  // in front of `T* name` nothing is computed
        is_one_of(tokens, left, {"*", "&", "&&"}) &&
        is_one_of(tokens, previous(tokens, type), {"=", "+", "-", "*", "/", "?", ":", "return"});
    return is_word && !is_product;
  });
}

/// A name that stands alone and is nothing of the function's own.
bool names_global(const Tokens& tokens, const FunctionBody& body, int i, const Names& globals) {
  return is_identifier(tokens, i) && globals.count(tokens[i].text) &&
         !is_one_of(tokens, previous(tokens, i), {".", "->", "::"}) &&
         !declares(tokens, body, tokens[i].text);
}

/// The name of the function whose arguments the token is among; none if there is none.
int called_around(const Tokens& tokens, int i) {
  for (int j = previous(tokens, i); j != none; j = previous(tokens, j)) {
    if (closes(tokens[j])) {
      j = opening(tokens, j);
      if (j == none) return none;
    } else if (is(tokens, j, "(")) {
      const int name = previous(tokens, j);
      return is(tokens, name, ">") ? previous(tokens, opening_angle(tokens, name)) : name;
    } else if (opens(tokens[j]) || is(tokens, j, ";")) {
      return none;
    }
  }
  return none;
}

/// Behind `std::`: what nvcc refuses there.
void check_std(const Tokens& tokens, int i, Problems& problems) {
  const int name = next(tokens, next(tokens, i));
  if (!is(tokens, next(tokens, i), "::") || !is_identifier(tokens, name)) return;
  const std::string& text = tokens[name].text;
  int after = next(tokens, name);
  const int angle = is(tokens, after, "<") ? closing_angle(tokens, after) : none;
  if (angle != none) after = next(tokens, angle);
  const bool is_limits = text == "numeric_limits" && is(tokens, after, "::") &&
                         is(tokens, next(tokens, next(tokens, after)), "(");
  const bool is_call =
      is(tokens, after, "(") && !std_for_device.count(text) && !text.ends_with("_t");
  if (is_limits) {
    problems.push_back({tokens[i].line,
                        "std::numeric_limits is for the host: in a kernel take a "
                        "constant such as INFINITY or FLT_MAX"});
  } else if (is_call || std_for_host.count(text)) {
    problems.push_back({tokens[i].line, "std::" + text +
                                            " is for the host: nvcc refuses it in a "
                                            "kernel; write it with CUDA's functions"});
  }
}

/// Names of classes whose operator() is for the host alone, and of constexpr functions that are.
struct HostFunctions {
  Names functors, constexprs;
};

HostFunctions host_functions(const Tokens& tokens, const std::vector<FunctionBody>& bodies) {
  HostFunctions found;
  Names for_device;
  for (const FunctionBody& body : bodies) {
    const auto says = [&](std::initializer_list<std::string_view> words) {
      return any_in(tokens, {body.head, body.open},
                    [&](int i) { return is_one_of(tokens, i, words); });
    };
    const bool on_device = says({"__device__", "__global__"});
    const int name = name_of_function(tokens, body);
    if (!body.in_class && name != none) {
      if (on_device) for_device.insert(tokens[name].text);
      if (!on_device && says({"constexpr"})) found.constexprs.insert(tokens[name].text);
    }
    if (!body.in_class || !is(tokens, name, "operator")) continue;
    int open = previous(tokens, body.head);  // the nearest `{` around it
    while (open != none && !is(tokens, open, "{")) {
      if (closes(tokens[open])) open = opening(tokens, open);
      if (open != none) open = previous(tokens, open);
    }
    const int of_class = open == none ? none : previous(tokens, open);
    if (!is_identifier(tokens, of_class)) continue;
    (on_device ? for_device : found.functors).insert(tokens[of_class].text);
  }
  for (const std::string& name : for_device) {
    found.functors.erase(name);
    found.constexprs.erase(name);
  }
  return found;
}

/// A body that nvcc compiles for the device alone.
void check_device_code(const Tokens& tokens, const FunctionBody& body, const Variables& variables,
                       const HostFunctions& functions, Problems& problems) {
  for (int i = next(tokens, body.open); i != none && i < body.close; i = next(tokens, i)) {
    const std::string name = "`" + tokens[i].text + "`";
    if (is(tokens, i, "std")) check_std(tokens, i, problems);
    if (is_one_of(tokens, i, {"throw", "try"}))
      problems.push_back({tokens[i].line, "device code has no exceptions: " + name});
    if (names_global(tokens, body, i, variables.host))
      problems.push_back({tokens[i].line, name + " is a variable of the host: a kernel needs it as "
                                                 "an argument, or as __device__ or __constant__"});
    const bool is_call = is(tokens, next(tokens, i), "(");
    if (is_call && names_global(tokens, body, i, functions.constexprs))
      problems.push_back({tokens[i].line, name + " is for the host alone: nvcc wants __device__ in "
                                                 "front of a constexpr function, too"});
    if (is_call && names_global(tokens, body, i, c_for_host))
      problems.push_back(
          {tokens[i].line, name + " is for the host alone: a kernel cannot call it"});
    if (names_global(tokens, body, i, functions.functors))
      problems.push_back({tokens[i].line, "the operator() of " + name +
                                              " is for the host alone: "
                                              "put __device__ in front of it"});
  }
}

/// The arguments of a launch whose `<<<` is at `i`.
void check_launch(const Tokens& tokens, const FunctionBody& body, int i, const Variables& variables,
                  const HostFunctions& functions, Problems& problems) {
  const int end = configuration_end(tokens, configuration_open(tokens, i));
  const int open = next(tokens, end == none ? none : configuration_close(tokens, end));
  const int close = is(tokens, open, "(") ? closing(tokens, open) : none;
  if (close == none) return;
  for (const Range& argument : arguments(tokens, open, close)) {
    const int first = argument.first;
    const std::string name = "`" + tokens[first].text + "`";
    const auto tell = [&](const std::string& what) {
      problems.push_back({tokens[first].line, what});
    };
    if (is(tokens, first, "[") &&
        !any_in(tokens, argument, [&](int j) { return is(tokens, j, "__device__"); }))
      tell("a lambda is for the host: give the kernel a struct with a __device__ operator()");
    if (is_one_of(tokens, next(tokens, first), {"(", "{"}) &&
        names_global(tokens, body, first, functions.functors))
      tell("the operator() of " + name + " is for the host alone: put __device__ in front of it");
    if (first == argument.last && names_global(tokens, body, first, variables.host_arrays))
      tell(name +
           " is an array of the host: copy it to device memory, or declare it __device__ or "
           "__constant__");
  }
}

/// A kernel's parameters are copied to the device: a reference would be an address of the host.
void check_parameters(const Tokens& tokens, const FunctionBody& body, Problems& problems) {
  const int name = name_of_function(tokens, body);
  const int open = name == none ? none : next(tokens, name);
  const int close = is(tokens, open, "(") ? closing(tokens, open) : none;
  if (close == none) return;
  for (const Range& parameter : arguments(tokens, open, close)) {
    if (is_identifier(tokens, parameter.last) &&
        is_one_of(tokens, previous(tokens, parameter.last), {"&", "&&"}))
      problems.push_back({tokens[parameter.last].line,
                          "`" + tokens[parameter.last].text +
                              "` is a reference: a kernel takes its parameters by value"});
  }
}

void check_host_code(const Tokens& tokens, const FunctionBody& body, const Variables& variables,
                     const HostFunctions& functions, const std::vector<Range>& device_parts,
                     Problems& problems) {
  for (int i = next(tokens, body.open); i != none && i < body.close; i = next(tokens, i)) {
    if (names_global(tokens, body, i, variables.device)) {
      const int function = called_around(tokens, i);
      const bool is_symbol =
          function != none && (tokens[function].text.find("Symbol") != std::string::npos ||
                               is_one_of(tokens, function, {"sizeof"}));
      if (!is_symbol)
        problems.push_back(
            {tokens[i].line,
             "`" + tokens[i].text +
                 "` is a __device__ variable, which host code "
                 "cannot use: copy with cudaMemcpyToSymbol or cudaMemcpyFromSymbol, or "
                 "ask cudaGetSymbolAddress for its address"});
    }
    if (configuration_open(tokens, i) == none) continue;
    check_launch(tokens, body, i, variables, functions, problems);
    for (const Range& part : device_parts) {
      if (part.first < i && i < part.last)
        problems.push_back({tokens[i].line,
                            "this launch is in a part for the device: the host's "
                            "compiler does not define __CUDA_ARCH__"});
    }
  }
}

/// What only a compiler for the device sees: from `#ifdef __CUDA_ARCH__` to its #else or #endif.
std::vector<Range> device_parts_of(const Tokens& tokens) {
  std::vector<Range> parts;
  for (const Conditional& one : conditionals(tokens)) {
    const bool is_positive =
        !one.text.starts_with("ifndef") && one.text.find('!') == std::string::npos;
    if (is_positive && one.text.find("__CUDA_ARCH__") != std::string::npos)
      parts.push_back(one.first_part);
  }
  return parts;
}

}  // namespace

void check_sides(const Tokens& tokens, const RewriteOptions& options, Problems& problems) {
  const std::vector<FunctionBody> bodies = function_bodies(tokens);
  const Variables variables = variables_at_namespace_scope(tokens, bodies);
  HostFunctions functions = host_functions(tokens, bodies);
  for (const std::string& name : options.elsewhere) {
    functions.functors.erase(name);
    functions.constexprs.erase(name);
  }
  const std::vector<Range> parts = conditional_parts(tokens);
  const std::vector<Range> device_parts = device_parts_of(tokens);
  for (const FunctionBody& body : bodies) {
    const bool for_both =
        any_in(tokens, {body.head, body.open}, [&](int i) { return is(tokens, i, "__host__"); });
    const bool in_doubt =
        for_both || body.in_class || std::ranges::any_of(parts, [&](const Range& part) {
          return part.first < body.close && body.open < part.last;
        });
    const Space space = space_of(tokens, body);
    if (space == Space::host && !for_both) {
      check_host_code(tokens, body, variables, functions, device_parts, problems);
    } else if (!in_doubt && space != Space::unknown) {
      if (space == Space::kernel) check_parameters(tokens, body, problems);
      check_device_code(tokens, body, variables, functions, problems);
    }
  }
}

}  // namespace kata::emulator
