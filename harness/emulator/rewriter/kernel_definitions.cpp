// Kernels by their declarations and addresses: what a launch needs to know besides its own text.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "emulator/rewriter/passes.h"
#include "emulator/rewriter/spaces.h"
#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

/// Macros that may stand between `__global__` and the kernel's name.
bool takes_arguments(const Tokens& tokens, int i) {
  constexpr std::array<std::string_view, 4> names{"__launch_bounds__", "__cluster_dims__",
                                                  "__maxnreg__", "__attribute__"};
  return is_identifier(tokens, i) &&
         std::find(names.begin(), names.end(), tokens[i].text) != names.end();
}

std::set<std::string> kernel_names(const Tokens& tokens) {
  std::set<std::string> names;
  for (int start = 0; start < static_cast<int>(tokens.size()); ++start) {
    if (!is(tokens, start, "__global__")) continue;
    for (int i = next(tokens, start); i != none && !is(tokens, i, "{"); i = next(tokens, i)) {
      if (!is(tokens, i, "(")) continue;
      const int before = previous(tokens, i);
      if (!takes_arguments(tokens, before)) {
        if (is_identifier(tokens, before)) names.insert(tokens[before].text);
        break;
      }
      i = closing(tokens, i);
      if (i == none) break;
    }
  }
  return names;
}

/// `k`, `&k`, `ns::k<T>`, `(&k<T>)`.
std::optional<QualifiedName> name_at(const Tokens& tokens, int first) {
  const bool address = is(tokens, first, "&"), bracket = is(tokens, first, "(");
  if (bracket) {
    const auto name = name_at(tokens, next(tokens, first));
    return name && next(tokens, name->last) == closing(tokens, first) ? name : std::nullopt;
  }
  auto name = qualified_name(tokens, address ? next(tokens, first) : first);
  if (name) name->first = first;
  return name;
}

/// The operand of a cast to a void pointer that begins at `i`; none if there is no such cast.
int cast_operand(const Tokens& tokens, int i) {
  const bool named = is(tokens, i, "reinterpret_cast");
  if (!named && !is(tokens, i, "(")) return none;
  int j = next(tokens, i);
  if (named) j = next(tokens, j);  // behind the `<`
  if (is(tokens, j, "const")) j = next(tokens, j);
  if (!is(tokens, j, "void")) return none;
  j = next(tokens, j);
  if (is(tokens, j, "const")) j = next(tokens, j);
  if (!is(tokens, j, "*")) return none;
  j = next(tokens, j);
  if (named && is(tokens, j, ">")) j = next(tokens, j);
  return is(tokens, j, named ? "(" : ")") ? next(tokens, j) : none;
}

bool is_first_argument_of_launch(const Tokens& tokens, int i) {
  const int open = previous(tokens, i);
  const int function = open == none ? none : previous(tokens, open);
  return is(tokens, open, "(") && (is(tokens, function, "cudaLaunchKernel") ||
                                   is(tokens, function, "cudaLaunchCooperativeKernel"));
}

struct Parameter {
  int last;         ///< its last token
  int name = none;  ///< none if it has only a type
};

/// The parameter of a function that token `i` belongs to.
Parameter parameter_around(const Tokens& tokens, int i) {
  constexpr std::array<std::string_view, 7> qualifiers{
      "const", "volatile", "__grid_constant__", "struct", "class", "typename", "union"};
  constexpr std::array<std::string_view, 10> built_in{
      "unsigned", "signed", "char", "short", "int", "long", "float", "double", "bool", "auto"};
  const auto among = [&](const auto& words, int at) {
    return std::find(words.begin(), words.end(), tokens[at].text) != words.end();
  };
  int first = i;
  for (int j = i; j != none && !is(tokens, j, ",") && !opens(tokens[j]); j = previous(tokens, j)) {
    first = j;
    const int angle = is(tokens, j, ">") ? opening_angle(tokens, j) : none;
    if (angle != none) first = j = angle;
  }
  Parameter result{i};
  bool typed = false;  // a type has been read: the next word is the name
  for (int j = first; j != none && !closes(tokens[j]); j = next(tokens, j)) {
    if (is(tokens, j, ",") || is(tokens, j, "=")) break;
    result.last = j;
    if (is_identifier(tokens, j) && !among(qualifiers, j)) {
      if (typed && !among(built_in, j) && !is(tokens, previous(tokens, j), "::")) result.name = j;
      typed = true;
    }
    if (const int angle = is(tokens, j, "<") ? closing_angle(tokens, j) : none; angle != none) {
      result.last = j = angle;
    }
  }
  return result;
}

/// Whether a macro's body is `__grid_constant__`, the token at `i`, with or without a const.
bool is_all_of_macro(const Tokens& tokens, int i) {
  int first = i;
  while (previous(tokens, first) != none) {
    first = previous(tokens, first);
    if (!is(tokens, first, "const")) return false;
  }
  int last = i;
  while (next(tokens, last) != none) {
    last = next(tokens, last);
    if (!is(tokens, last, "const")) return false;
  }
  return true;
}

/// `__grid_constant__` and the macros that stand for it.
std::set<std::string> names_of_grid_constant(const Tokens& tokens) {
  std::set<std::string> names{"__grid_constant__"};
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const int macro = is(tokens, i, "__grid_constant__") ? macro_around(tokens, i) : none;
    if (macro != none && is_all_of_macro(tokens, i)) names.insert(name_of_macro(tokens[macro]));
  }
  return names;
}

}  // namespace

void rewrite_kernel_addresses(Tokens& tokens) {
  const std::set<std::string> kernels = kernel_names(tokens);
  const std::vector<FunctionBody> bodies = function_bodies(tokens);
  // A kernel of another file, or a variable that holds one.
  const auto may_be_kernel = [&](int operand, const QualifiedName& name) {
    if (is_one_of(tokens, next(tokens, name.last), {"(", "[", ".", "->"})) return false;
    const auto body = std::ranges::find_if(
        bodies, [&](const FunctionBody& one) { return one.open < operand && operand < one.close; });
    if (body == bodies.end()) return false;
    const Space space = space_of(tokens, *body);
    return space == Space::host || space == Space::unknown;
  };
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const int operand = cast_operand(tokens, i);
    const auto name = operand == none ? std::nullopt : name_at(tokens, operand);
    if (!name) continue;
    if (!kernels.count(tokens[name->identifier].text) && !is_first_argument_of_launch(tokens, i) &&
        !may_be_kernel(operand, *name))
      continue;
    tokens[name->first].output.insert(0, "::__kata::launchable(");
    tokens[name->last].output += ")";
  }
}

void rewrite_kernel_attributes(Tokens& tokens) {
  for (const FunctionBody& body : function_bodies(tokens)) {
    for (int i = body.head; i != none && i < body.open; i = next(tokens, i)) {
      const bool is_cluster = is(tokens, i, "__cluster_dims__");
      const int open = next(tokens, i);
      const int close = (is_cluster || is(tokens, i, "__launch_bounds__")) && is(tokens, open, "(")
                            ? closing(tokens, open)
                            : none;
      if (close == none) continue;
      std::string sizes;
      for (int j = open; j <= close; ++j) {
        if (tokens[j].kind != TokenKind::space) sizes += " " + tokens[j].text;
      }
      tokens[body.open].output +=
          (is_cluster ? " __kata_cluster_dims" : " __kata_launch_bounds") + sizes + ";";
    }
  }
}

void rewrite_grid_constants(Tokens& tokens) {
  const std::set<std::string> names = names_of_grid_constant(tokens);
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (!is_identifier(tokens, i) || !names.count(tokens[i].text) || is_all_of_macro(tokens, i))
      continue;
    const Parameter parameter = parameter_around(tokens, i);
    if (parameter.name != none) {
      tokens[parameter.name].output.insert(0, "&");
    } else {
      tokens[parameter.last].output += "&";  // of an explicit instantiation or a declaration
    }
  }
}

}  // namespace kata::emulator
