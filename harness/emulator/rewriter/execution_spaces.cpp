// What runs where: nvcc refuses a launch of what is no kernel, a kernel that is called, and a
// kernel that calls what is for the host alone. To a C++ compiler all three are ordinary calls.
//
// By the text of one file, and only where that leaves no doubt: free functions whose every
// definition there is of one kind, without a macro that may say more.

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "emulator/rewriter/passes.h"
#include "emulator/rewriter/spaces.h"
#include "emulator/rewriter/statements.h"

namespace kata::emulator {
namespace {

bool is_in_capitals(const std::string& text) {
  return text.size() > 1 &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::islower(c); });
}

/// Whether the head may hold a macro, which may say __device__. A declaration names one type: a
/// word beside that is a macro, and so may be a type that is written in capitals.
bool may_hold_macro(const Tokens& tokens, const FunctionBody& body) {
  const int name = name_of_function(tokens, body);
  int types = 0;
  for (int i = body.head; i != none && i != name; i = next(tokens, i)) {
    if (is(tokens, i, "<")) {
      i = closing_angle(tokens, i);
      if (i == none || i > name) return true;  // `operator<` has no template arguments
      continue;
    }
    if (is_one_of(tokens, i,
                  {"static", "inline", "extern", "const", "volatile", "template", "struct",
                   "friend", "unsigned", "signed"}))
      continue;
    if (!is_identifier(tokens, i) || tokens[i].text.starts_with("__")) continue;
    const int after = next(tokens, i);
    types += !is(tokens, after, "::") && !is_one_of(tokens, after, {"long", "int", "double"});
    if (is_in_capitals(tokens[i].text)) return true;
  }
  return types > 1;
}

using Spaces = std::map<std::string, Space>;

/// The name in `KERNEL(name)(parameters)`; none elsewhere.
int name_given_to_macro(const Tokens& tokens, int macro) {
  const int open = next(tokens, macro), name = next(tokens, open), close = next(tokens, name);
  const bool is_so = is_identifier(tokens, macro) && is(tokens, open, "(") &&
                     is_identifier(tokens, name) && is(tokens, close, ")") &&
                     is(tokens, next(tokens, close), "(");
  return is_so ? name : none;
}

/// The names of functions whose declaration says __device__ or __global__, or may say so in a
/// macro.
std::vector<std::string> declared_for_device(const Tokens& tokens) {
  std::vector<std::string> names;
  for (int start = 0; start < static_cast<int>(tokens.size()); ++start) {
    if (const int name = name_given_to_macro(tokens, start); name != none)
      names.push_back(tokens[name].text);
    if (!is_one_of(tokens, start, {"__device__", "__global__"})) continue;
    for (int i = next(tokens, start); i != none && !is_one_of(tokens, i, {";", "{", "}"});
         i = next(tokens, i)) {
      if (!is(tokens, i, "(")) continue;
      const int name = previous(tokens, i);
      if (is_identifier(tokens, name)) names.push_back(tokens[name].text);
      i = closing(tokens, i);
      if (i == none) break;
    }
  }
  return names;
}

/// Of each name; unknown where its definitions differ, or another file has the name.
Spaces spaces_of(const Tokens& tokens, const std::vector<FunctionBody>& bodies,
                 const std::set<std::string>& elsewhere) {
  Spaces spaces;
  const std::vector<Range> parts = conditional_parts(tokens);
  for (const FunctionBody& body : bodies) {
    const int name = name_of_function(tokens, body);
    if (name == none || body.in_class) continue;  // not what the name says elsewhere
    const bool in_doubt = std::any_of(parts.begin(), parts.end(), [&](const Range& part) {
      return part.first < name && name < part.last;
    });
    const Space space = in_doubt ? Space::unknown : space_of(tokens, body);
    const auto [known, is_new] = spaces.try_emplace(tokens[name].text, space);
    if (!is_new && known->second != space) known->second = Space::unknown;
  }
  // An overload, a template or a function of another namespace may be meant.
  for (const std::string& name : declared_for_device(tokens)) {
    const auto known = spaces.find(name);
    if (known != spaces.end() && known->second == Space::host) known->second = Space::unknown;
  }
  for (const std::string& name : elsewhere) spaces.erase(name);
  return spaces;
}

Space space_named(const Spaces& spaces, const std::string& name) {
  const auto found = spaces.find(name);
  return found == spaces.end() ? Space::unknown : found->second;
}

/// A name as it stands, and of nothing that the body has declared itself.
bool is_plain_name(const Tokens& tokens, const FunctionBody& body, int i) {
  const int before = previous(tokens, i);
  if (!is_identifier(tokens, i) || is_one_of(tokens, before, {".", "->", "::", "~", "&", ">"}))
    return false;
  if (is_identifier(tokens, before) && !is_one_of(tokens, before, {"return", "else", "do"}))
    return false;
  return !any_in(tokens, {body.open, body.close}, [&](int j) {
    return is_identifier(tokens, j) && tokens[j].text == tokens[i].text &&
           is_one_of(tokens, next(tokens, j), {"=", "{", ";", ","});
  });
}

/// The `<<<` behind a name, with template arguments or without.
bool is_launched(const Tokens& tokens, int name) {
  int after = next(tokens, name);
  if (configuration_open(tokens, after) != none) return true;
  if (is(tokens, after, "<")) {
    const int close = closing_angle(tokens, after);
    after = close == none ? none : next(tokens, close);
  }
  return configuration_open(tokens, after) != none;
}

}  // namespace

std::vector<Conditional> conditionals(const Tokens& tokens) {
  std::vector<Conditional> found, open;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (tokens[i].kind != TokenKind::directive) continue;
    const std::string& text = tokens[i].text;
    const std::size_t name = std::min(text.find_first_not_of(" \t", 1), text.size());
    const bool ends = text.compare(name, 5, "endif") == 0;
    if (text.compare(name, 2, "if") == 0) {
      open.push_back({text.substr(name), {i, none}, {i, none}});
    } else if (!open.empty() && (ends || text.compare(name, 2, "el") == 0)) {
      if (open.back().first_part.last == none) open.back().first_part.last = i;
      if (!ends) continue;
      open.back().whole.last = i;
      found.push_back(open.back());
      open.pop_back();
    }
  }
  return found;
}

std::vector<Range> conditional_parts(const Tokens& tokens) {
  std::vector<Range> parts;
  for (const Conditional& one : conditionals(tokens)) {
    const std::string condition = one.text.substr(one.text.find_first_of(" \t(") + 1);
    if (condition.find("__CUDA") != std::string::npos || condition == "0")
      parts.push_back(one.whole);
  }
  return parts;
}

Space space_of(const Tokens& tokens, const FunctionBody& body) {
  const Range head{body.head, body.open};
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return any_in(tokens, head, [&](int i) { return is_one_of(tokens, i, words); });
  };
  if (has({"__global__"})) return Space::kernel;
  if (has({"__device__"})) return Space::device;
  const bool doubtful = has({"constexpr", "consteval"}) || may_hold_macro(tokens, body);
  return doubtful ? Space::unknown : Space::host;
}

std::set<std::string> function_names(std::string_view source) {
  const Tokens tokens = lex(source);
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const int after = next(tokens, i);
    if (is_identifier(tokens, i) && is_one_of(tokens, after, {"(", "<"}))
      names.insert(tokens[i].text);
  }
  return names;
}

std::vector<DeviceFunction> device_functions(std::string_view source) {
  const Tokens tokens = lex(source);
  std::vector<DeviceFunction> functions;
  for (const FunctionBody& body : function_bodies(tokens)) {
    const Space space = space_of(tokens, body);
    if (space == Space::kernel || space == Space::device)
      functions.push_back(
          {tokens[body.head].line, tokens[body.close].line, space == Space::kernel});
  }
  return functions;
}

void check_execution_spaces(const Tokens& tokens, const RewriteOptions& options,
                            std::vector<RewriteProblem>& problems) {
  const std::vector<FunctionBody> bodies = function_bodies(tokens);
  const Spaces spaces = spaces_of(tokens, bodies, options.elsewhere);
  for (const FunctionBody& body : bodies) {
    if (body.in_class) continue;
    const Space caller = space_of(tokens, body);
    for (int i = next(tokens, body.open); i != none && i < body.close; i = next(tokens, i)) {
      const Space callee = space_named(spaces, is_identifier(tokens, i) ? tokens[i].text : "");
      if (callee == Space::unknown || !is_plain_name(tokens, body, i)) continue;
      const std::string name = "`" + tokens[i].text + "`";
      const bool called = is(tokens, next(tokens, i), "(");
      const bool on_device = caller == Space::kernel || caller == Space::device;
      if (callee != Space::kernel && is_launched(tokens, i)) {
        problems.push_back({tokens[i].line, name + " is launched, but it is no kernel: its "
                                                   "declaration lacks __global__"});
      } else if (called && callee == Space::host && on_device) {
        problems.push_back({tokens[i].line, name + " is for the host alone: what a kernel calls "
                                                   "needs __device__ in its declaration"});
      } else if (called && callee == Space::kernel && caller == Space::host) {
        problems.push_back({tokens[i].line, name + " is a kernel: it is launched, " +
                                                tokens[i].text +
                                                "<<<blocks, threads>>>(...), not "
                                                "called"});
      }
    }
  }
}

}  // namespace kata::emulator
