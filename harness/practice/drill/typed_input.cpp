// An input of an operator, as a person types it: sizes, values and scalars.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "grading/candidate.h"
#include "practice/drill/answer.h"
#include "support/text.h"

namespace kata::drill {
namespace {

/// "beta -1", as case names have it behind the values; what is not named has its usual value.
Result<std::vector<float>> reals_from(const Problem& problem,
                                      const std::vector<std::string>& parts) {
  const std::vector<Parameter>& all = problem.signature.reals;
  std::vector<float> reals;
  for (const Parameter& one : all) reals.push_back(one.value);
  for (const std::string& part : parts) {
    const std::string typed = std::regex_replace(part, std::regex(" *= *"), " ");
    const std::string name = typed.substr(0, typed.find(' ')), number = typed.substr(name.size());
    const auto named = std::ranges::find(all, name, &Parameter::name);
    if (named == all.end()) return Error{fmt::format("{} has no scalar {}.", problem.name, name)};
    char* end = nullptr;
    const float value = std::strtof(number.c_str(), &end);
    if (end == number.c_str() || *end != '\0') return Error{name + " needs a number."};
    reals[static_cast<std::size_t>(named - all.begin())] = value;
  }
  return reals;
}

/// "constant, beta -1" -> "constant" and "beta -1": scalars have numbers.
std::pair<std::string, std::vector<std::string>> values_and_scalars(const std::string& text) {
  std::string values;
  std::vector<std::string> scalars;
  for (const std::string& typed : split(text, ',')) {
    const std::string part(trimmed(typed));
    if (part.find_first_of("0123456789") != std::string::npos)
      scalars.push_back(part);
    else if (!part.empty())
      values += (values.empty() ? "" : " ") + part;
  }
  return {values, scalars};
}

/// "rows" as people say it: "row", "columns" for "cols".
std::string said_for(const std::string& size) {
  if (size == "cols") return "col(?:s|umns?)?";
  return size.size() > 1 && size.ends_with('s') ? size + "?" : size + "s?";
}

/// "rows = 17, cols 1023 constant", "17 rows and 1023 columns, constant" -> "17x1023 constant"; the
/// text as it is where a size is not named.
std::string with_sizes_in_order(const Problem& problem, const std::string& text) {
  const auto is_named = [&](const Parameter& one, const char* before) {
    return std::regex_search(text, std::regex(before + said_for(one.name) + R"(\b)", any_case));
  };
  const bool numbers_first = std::ranges::all_of(
      problem.signature.integers, [&](const Parameter& one) { return is_named(one, R"(\d\s+)"); });
  std::string rest = text, sizes;
  for (const Parameter& one : problem.signature.integers) {
    const std::regex named(
        numbers_first ? R"(\b(\d+)\s+)" + said_for(one.name) + R"(\b\s*(,|and\b)?)"
                      : R"(\b)" + said_for(one.name) + R"((?:\s*[=:]|\s+is)?\s*(\d+)\s*(,|and\b)?)",
        any_case);
    std::smatch found;
    if (!std::regex_search(rest, found, named)) return text;
    sizes += (sizes.empty() ? "" : "x") + found.str(1);
    rest = found.prefix().str() + " " + found.suffix().str();
  }
  return sizes + " " + std::string(trimmed(rest));
}

/// "17 by 1,023 values" -> "17x1023"
std::string with_plain_sizes(std::string text) {
  static const std::regex power(R"((\d+)\^(\d+))"), by(R"((\d) *(?:x|×|\*|by) *(?=\d))", any_case),
      list(R"(^\d+(?:[ ,]+\d+)+(?!\d))"),
      words(R"((^|\b)(a|any|size|sizes|shape|of|with|element|elements|value|values)\b)", any_case);
  std::smatch found;
  while (std::regex_search(text, found, power))
    text = fmt::format("{}{:.0f}{}", found.prefix().str(),
                       std::pow(std::stod(found.str(1)), std::stod(found.str(2))),
                       found.suffix().str());
  text = std::string(trimmed(std::regex_replace(text, words, "")));
  text = std::regex_replace(text, by, "$1x");
  if (!std::regex_search(text, found, list)) return text;
  return std::regex_replace(found.str(), std::regex("[ ,]+"), "x") + found.suffix().str();
}

}  // namespace

Result<Case> case_from(const Problem& problem, const std::string& typed) {
  const bool is_list = problem.signature.integers.size() > 1;  // 16,128
  const std::string text =
      with_plain_sizes(with_sizes_in_order(problem, is_list ? typed : without_thousands(typed)));
  const std::size_t size_end = std::min(text.find_first_of(", "), text.size());
  const auto [values, scalars] = values_and_scalars(text.substr(size_end));
  const Result<Shape> shape = parse_shape(text.substr(0, size_end));
  if (!shape)
    return Error{"Type sizes and values, such as " + name_of(problem, problem.cases.front()) + "."};
  std::vector<std::string> names;
  for (const auto& [value, name] : values_names) names.emplace_back(name);
  const auto known = std::ranges::find(names, values) != names.end() ? std::optional(values)
                                                                     : name_from(names, values);
  if (!values.empty() && !known)
    return Error{fmt::format("The kinds of values are: {}.", fmt::join(names, ", "))};
  const Result<Shape> fitting = check_shape(problem, *shape);
  constexpr std::string_view option = "--size ";
  if (!fitting) {
    const std::string& why = fitting.error().message;
    return Error{why.substr(why.starts_with(option) ? option.size() : 0)};
  }
  Case one{*shape};
  for (const auto& [value, name] : values_names) {
    if (known == name) one.values = value;
  }
  if (scalars.empty()) return one;
  auto reals = reals_from(problem, scalars);
  if (!reals) return reals.error();
  one.reals = std::move(*reals);
  return one;
}

}  // namespace kata::drill
