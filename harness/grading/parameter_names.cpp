#include "grading/parameter_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "emulator/lexer/lexer.h"
#include "report/hardware.h"

namespace kata {
namespace {

using emulator::Token;
using emulator::TokenKind;
using Tokens = std::vector<Token>;

Tokens code_of(const std::string& source) {
  Tokens tokens = emulator::lex(source);
  std::erase_if(tokens, [](const Token& one) {
    return one.kind == TokenKind::space || one.kind == TokenKind::directive;
  });
  return tokens;
}

/// Behind the bracket that closes the one at `open`.
std::size_t end_of(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    depth += text == "(" || text == "{" || text == "[";
    depth -= text == ")" || text == "}" || text == "]";
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

/// What stands between the commas of the list that begins at `open`: of each part its last name, or
/// nothing where a part of `alone` has more than a name.
std::vector<std::string> names_in(const Tokens& tokens, std::size_t open, bool alone) {
  std::vector<std::string> names;
  const std::size_t end = end_of(tokens, open);
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string& text = tokens[i].text;
    if (depth == 0 && (text == "," || i + 1 == end)) {
      std::string name;
      for (std::size_t k = begin; k < i; ++k)
        if (tokens[k].kind == TokenKind::identifier) name = tokens[k].text;
      names.push_back(alone && i - begin != 1 ? "" : name);
      begin = i + 1;
    }
    depth += text == "(" || text == "{" || text == "[";
    depth -= text == ")" || text == "}" || text == "]";
  }
  return names;
}

/// Where the parameters of a function begin that is defined here.
std::optional<std::size_t> parameters_of(const Tokens& tokens, const std::string& function) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != function || tokens[i + 1].text != "(") continue;
    const std::size_t end = end_of(tokens, i + 1);
    if (end < tokens.size() && tokens[end].text == "{") return i + 1;
  }
  return {};
}

/// The kernel before "<<<" at `launch`; its template arguments are left out.
std::string kernel_before(const Tokens& tokens, std::size_t launch) {
  std::size_t i = launch;
  int depth = 0;
  while (i-- > 0) {
    depth += tokens[i].text == ">";
    if (depth == 0) return tokens[i].text;
    depth -= tokens[i].text == "<";
  }
  return {};
}

/// Of each kernel that the entry function launches: what it calls that function's variables.
std::map<std::string, std::map<std::string, std::string>> other_names(const Tokens& tokens,
                                                                      const std::string& entry) {
  std::map<std::string, std::map<std::string, std::string>> names;
  const auto function = parameters_of(tokens, entry);
  if (!function) return names;
  const std::size_t body = end_of(tokens, *function), end = end_of(tokens, body);
  for (std::size_t i = body; i < end; ++i) {
    if (tokens[i].text != "<<<") continue;
    const std::string kernel = kernel_before(tokens, i);
    while (i < end && tokens[i].text != ">>>") ++i;
    const auto parameters = parameters_of(tokens, kernel);
    if (!parameters || i + 1 >= end || tokens[i + 1].text != "(") continue;
    const std::vector<std::string> passed = names_in(tokens, i + 1, /*alone=*/true),
                                   called = names_in(tokens, *parameters, /*alone=*/false);
    for (std::size_t k = 0; k < std::min(passed.size(), called.size()); ++k)
      if (!passed[k].empty()) names[kernel].emplace(passed[k], called[k]);
  }
  return names;
}

}  // namespace

void add_parameter_names(const std::string& source, const std::string& entry,
                         std::vector<Finding>& findings) {
  if (std::ranges::all_of(findings, [](const Finding& one) { return one.object.empty(); })) return;
  const auto names = other_names(code_of(source), entry);
  for (Finding& one : findings) {
    const auto kernel = names.find(plain_kernel_name(one.kernel));
    if (kernel == names.end()) continue;
    const auto name = kernel->second.find(one.object);
    if (name == kernel->second.end() || name->second == one.object) continue;
    one.note += fmt::format("{}{} is {} in {}", one.note.empty() ? "" : "; ", one.object,
                            name->second, kernel->first);
  }
}

}  // namespace kata
