#include <algorithm>
#include <set>
#include <string>

#include "emulator/rewriter/passes.h"

namespace kata::emulator {
namespace {

// __shared__ float tile[N][N + 1], sum;   in a function becomes, on its own line,
//   typedef float __kata_type_tile[N][N + 1], __kata_type_sum;
//   static __KATA_CONSTINIT ::__kata::SharedSlot __kata_slot_tile = {...};
//   __kata_type_tile& tile = *(__kata_type_tile*)__kata_shared(&__kata_slot_tile); ...
// At namespace scope the type and the slot stay there, and the reference is declared in every
// function that uses the name.

// A macro may make the name: the name `n##_raw` becomes __kata_type_##n##_raw.

/// The name of a variable that is declared.
struct Name {
  int first = none, last = none;  ///< its tokens: several where a macro pastes them
  std::string text;               ///< "x", "n##_raw"
  std::string pasted;             ///< behind a prefix: "x"; "##n##_raw" where `n` is a parameter
  std::string literal;            ///< "\"x\"", "#n \"_raw\""
};

struct Declaration {
  int first = none;  ///< its first token, attributes included
  int end = none;    ///< the `;`, or the end of the macro's body
  bool external = false;
  std::vector<Name> names;
};

/// A specifier or the type: `extern float __shared__ x[]` is the same as `extern __shared__ float`.
bool may_stand_before(const Tokens& tokens, int i) {
  const bool statement = is(tokens, i, "else") || is(tokens, i, "do");
  return (is_identifier(tokens, i) && !statement) || is(tokens, i, "::");
}

/// Back over what may precede `__shared__`: extern, static, volatile, __align__(16), ...
int declaration_begin(const Tokens& tokens, int shared) {
  int first = shared;
  for (int i = previous(tokens, shared); i != none; i = previous(tokens, i)) {
    if (is(tokens, i, ")")) {
      const int open = opening(tokens, i);
      const int name = open == none ? none : previous(tokens, open);
      if (!is(tokens, name, "__align__") && !is(tokens, name, "alignas")) break;
      i = name;
    } else if (!may_stand_before(tokens, i)) {
      break;
    }
    first = i;
  }
  return first;
}

int declaration_end(const Tokens& tokens, int shared) {
  int last = shared;
  for (int i = next(tokens, shared); i != none; i = next(tokens, i)) {
    if (is(tokens, i, ";")) return i;
    if (closes(tokens[i])) return none;
    if (opens(tokens[i])) i = closing(tokens, i);
    if (i == none) return none;
    last = i;
  }
  int end = last + 1;  // a macro's body without `;`: the macro's user writes it
  while (end < static_cast<int>(tokens.size()) && tokens[end].kind == TokenKind::space) ++end;
  if (end >= static_cast<int>(tokens.size()) || tokens[end].kind != TokenKind::define_end) {
    return none;
  }
  return end;
}

/// The name that ends at the token `last`; `parameters` are those of the macro around it.
Name name_ending(const Tokens& tokens, int last, const std::set<std::string>& parameters) {
  Name name;
  name.first = name.last = last;
  while (is(tokens, previous(tokens, name.first), "##"))
    name.first = previous(tokens, previous(tokens, name.first));
  for (int i = name.first; i != none && i <= last; i = next(tokens, i)) {
    const std::string& text = tokens[i].text;
    name.text += text;
    if (text == "##") continue;
    const bool is_parameter = parameters.contains(text);
    if (is_parameter || i != name.first) name.pasted += "##";
    name.pasted += text;
    if (i != name.first) name.literal += " ";
    name.literal += is_parameter ? "#" + text : "\"" + text + "\"";
  }
  return name;
}

/// The declared names: the last identifier before `[`, `,`, `=` or the end of each declarator.
/// False at an initialiser, which a __shared__ variable cannot have.
bool find_names(const Tokens& tokens, Declaration& declaration) {
  const int macro = macro_around(tokens, declaration.first);
  const auto parameters =
      macro == none ? std::set<std::string>{} : parameters_of_macro(tokens[macro]);
  int last = none;
  bool named = false;
  for (int i = declaration.first; i != none && i <= declaration.end; i = next(tokens, i)) {
    const bool end = i == declaration.end;
    if (is(tokens, i, "<")) {  // template arguments of the type
      i = closing_angle(tokens, i);
      if (i == none) return true;
      continue;
    }
    const bool array = is(tokens, i, "["), comma = is(tokens, i, ",");
    const bool initialised = is(tokens, i, "=");
    if ((array || comma || initialised || end) && !named && last != none) {
      declaration.names.push_back(name_ending(tokens, last, parameters));
      named = true;
    }
    if (initialised) return false;
    if (end) break;
    if (comma) named = false, last = none;
    if (is_identifier(tokens, i)) last = i;
    if (opens(tokens[i])) i = closing(tokens, i);
  }
  if (!named && last != none)  // at the end of a macro's body
    declaration.names.push_back(name_ending(tokens, last, parameters));
  return true;
}

/// alignas() does not apply to a typedef; the attribute does, but takes no type.
void rewrite_alignment(Tokens& tokens, int name) {
  tokens[name].output = "__align__";
  const int open = next(tokens, name);
  const int operand = open == none ? none : next(tokens, open);
  if (!is_identifier(tokens, operand) || closing(tokens, open) != next(tokens, operand)) return;
  const std::string& text = tokens[operand].text;
  const bool is_type = text == "double" || text == "float" || text == "int" || text == "T" ||
                       (text.size() > 3 && text.back() >= '2' && text.back() <= '4' &&
                        (text.starts_with("float") || text.starts_with("int") ||
                         text.starts_with("uint") || text.starts_with("double")));
  if (is_type) tokens[operand].output = "alignof(" + text + ")";
}

std::string reference(const Name& name, bool external) {
  const std::string type = "__kata_type_" + name.pasted;
  return type + "& " + name.text + " = " +
         (external ? "::__kata::dynamic_shared<" + type + ">()"
                   : "*(" + type + "*)__kata_shared(&__kata_slot_" + name.pasted + ")");
}

std::string slot(const Name& name) {
  const std::string type = "__kata_type_" + name.pasted;
  return "static __KATA_CONSTINIT ::__kata::SharedSlot __kata_slot_" + name.pasted + " = {sizeof(" +
         type + "), alignof(" + type + "), " + name.literal +
         ", __LINE__, 0, 0, ::__kata::padding_of<" + type + ">()}";
}

void rewrite_declaration(Tokens& tokens, const Declaration& declaration, bool in_function) {
  for (int i = declaration.first; i != none && i < declaration.end; i = next(tokens, i)) {
    if (is(tokens, i, "extern") || is(tokens, i, "static") || is(tokens, i, "__shared__") ||
        is(tokens, i, "inline") || is(tokens, i, "__device__")) {
      tokens[i].output.clear();
    } else if (is(tokens, i, "alignas")) {
      rewrite_alignment(tokens, i);
    }
  }
  tokens[declaration.first].output.insert(0, "typedef ");
  std::string tail;
  for (const Name& name : declaration.names) {
    for (int i = name.first; i <= name.last; ++i) tokens[i].output.clear();
    tokens[name.first].output = "__kata_type_" + name.pasted;
    if (!declaration.external) tail += "; " + slot(name);
    if (in_function) tail += "; " + reference(name, declaration.external);
  }
  tokens[declaration.end].output.insert(0, tail);
}

bool mentions(const Tokens& tokens, int first, int last, const std::string& name) {
  for (int i = first; i != none && i < last; i = next(tokens, i)) {
    if (!is(tokens, i, name)) continue;
    const int before = previous(tokens, i);
    if (!is(tokens, before, ".") && !is(tokens, before, "->")) return true;
  }
  return false;
}

/// Declares a namespace-scope variable again in the functions that use it, in a block of its own so
/// that the body may still declare the same name.
void declare_in_functions(Tokens& tokens, const std::vector<FunctionBody>& bodies,
                          const Declaration& declaration) {
  for (const Name& name : declaration.names) {
    for (const FunctionBody& body : bodies) {
      if (body.open < declaration.end || mentions(tokens, body.head, body.open, name.text) ||
          !mentions(tokens, body.open, body.close, name.text)) {
        continue;
      }
      tokens[body.open].output += " " + reference(name, declaration.external) + "; {";
      tokens[body.close].output += "}";
    }
  }
}

}  // namespace

void rewrite_shared(Tokens& tokens, std::vector<RewriteProblem>& problems) {
  const std::vector<FunctionBody> bodies = function_bodies(tokens);
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (!is(tokens, i, "__shared__")) continue;
    Declaration declaration;
    declaration.first = declaration_begin(tokens, i);
    declaration.end = declaration_end(tokens, i);
    if (declaration.end == none) continue;
    if (!find_names(tokens, declaration)) {
      const std::string& name = declaration.names.back().text;
      problems.push_back({tokens[i].line, "the __shared__ variable `" + name +
                                              "` cannot be initialised where it is declared: let " +
                                              "one thread set it, then call __syncthreads()"});
      continue;
    }
    if (declaration.names.empty()) continue;
    for (int j = declaration.first; j != none && j < declaration.end; j = next(tokens, j)) {
      declaration.external |= is(tokens, j, "extern");
    }
    const bool in_function =
        macro_around(tokens, i) != none ||
        std::any_of(bodies.begin(), bodies.end(),
                    [&](const FunctionBody& body) { return body.open < i && i < body.close; });
    rewrite_declaration(tokens, declaration, in_function);
    if (!in_function) declare_in_functions(tokens, bodies, declaration);
    i = declaration.end;
  }
}

}  // namespace kata::emulator
