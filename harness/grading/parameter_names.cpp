#include "grading/parameter_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/rewriter/cursor.h"
#include "emulator/rewriter/statements.h"
#include "report/hardware.h"
#include "report/text/diagnostic.h"

namespace kata {
namespace {

using emulator::closing;
using emulator::FunctionBody;
using emulator::next;
using emulator::none;
using emulator::previous;
using emulator::Range;
using emulator::Tokens;

/// What is between the commas behind the bracket at `open`.
std::vector<Range> parts(const Tokens& tokens, int open) {
  return emulator::is(tokens, open, "(") ? emulator::arguments(tokens, open, closing(tokens, open))
                                         : std::vector<Range>{};
}

/// The last name of a parameter, which is its own.
std::string name_of(const Tokens& tokens, const Range& parameter) {
  std::string name;
  for (int i = parameter.first; i <= parameter.last; ++i)
    if (emulator::is_identifier(tokens, i)) name = tokens[i].text;
  return name;
}

/// The function of that name, if it is defined here.
const FunctionBody* find_function(const Tokens& tokens, const std::vector<FunctionBody>& bodies,
                                  const std::string& name) {
  const auto found = std::ranges::find_if(bodies, [&](const FunctionBody& body) {
    return emulator::is(tokens, emulator::name_of_function(tokens, body), name);
  });
  return found == bodies.end() ? nullptr : &*found;
}

/// The name before "<<<" at `launch`, without template arguments.
std::string kernel_before(const Tokens& tokens, int launch) {
  int i = previous(tokens, launch);
  if (emulator::is(tokens, i, ">")) i = previous(tokens, emulator::opening_angle(tokens, i));
  return i == none ? "" : tokens[i].text;
}

using NamesOfKernel = std::map<std::string, std::string>;  ///< by those of the entry function

/// Of each kernel that the entry function launches: what it calls that function's variables.
std::map<std::string, NamesOfKernel> other_names(const Tokens& tokens, const std::string& entry) {
  const std::vector<FunctionBody> bodies = emulator::function_bodies(tokens);
  std::map<std::string, NamesOfKernel> names;
  const FunctionBody* const function = find_function(tokens, bodies, entry);
  if (!function) return names;
  for (int i = function->open; i != none && i < function->close; i = next(tokens, i)) {
    const int opened = emulator::configuration_open(tokens, i);
    if (opened == none) continue;
    const std::string name = kernel_before(tokens, i);
    const FunctionBody* const kernel = find_function(tokens, bodies, name);
    const int end = emulator::configuration_end(tokens, opened);
    if (!kernel || end == none) continue;
    const auto passed = parts(tokens, next(tokens, emulator::configuration_close(tokens, end)));
    const auto called = parts(tokens, next(tokens, emulator::name_of_function(tokens, *kernel)));
    for (std::size_t k = 0; k < std::min(passed.size(), called.size()); ++k)
      if (passed[k].first == passed[k].last)
        names[name].emplace(tokens[passed[k].first].text, name_of(tokens, called[k]));
  }
  return names;
}

}  // namespace

void add_parameter_names(const std::string& source, const std::string& entry,
                         std::vector<Finding>& findings) {
  if (std::ranges::all_of(findings, [](const Finding& one) { return one.object.empty(); })) return;
  const auto names = other_names(emulator::lex(source), entry);
  for (Finding& one : findings) {
    const auto kernel = names.find(plain_kernel_name(one.kernel));
    if (kernel == names.end()) continue;
    const auto name = kernel->second.find(one.object);
    if (name == kernel->second.end() || name->second == one.object) continue;
    one.note += fmt::format("{}{} is {} in {}", one.note.empty() ? "" : "; ", one.object,
                            name->second, kernel->first);
    point_at(name->second, one);
  }
}

}  // namespace kata
