#include "contribute/new_signature.h"
#include "support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace kata::contribute {
namespace {

using Kind = NewParameter::Kind;

struct ElementType {
  const char* typed;
  const char* cuda;
  const char* host;
};

constexpr ElementType element_types[] = {
    {"float", "float", "float"},
    {"__half", "__half", "Half"},
    {"half", "__half", "Half"},
    {"__nv_bfloat16", "__nv_bfloat16", "Bfloat16"},
    {"bf16", "__nv_bfloat16", "Bfloat16"},
    {"__nv_fp8_e4m3", "__nv_fp8_e4m3", "E4m3"},
    {"fp8", "__nv_fp8_e4m3", "E4m3"},
    {"int", "int", "int"},
    {"unsigned", "unsigned", "unsigned"},
    {"unsigned int", "unsigned", "unsigned"},
    {"signed char", "signed char", "signed char"},
    {"int8", "signed char", "signed char"},
    {"unsigned char", "unsigned char", "unsigned char"},
    {"uint8", "unsigned char", "unsigned char"},
};

Error wrong(const std::string& parameter) {
  return {fmt::format(
      "cannot read the parameter \"{}\": write \"const T* x\" for an input, \"T* y\" for "
      "an output, \"int n\" for a size or \"float eps\"; T is float, __half, "
      "__nv_bfloat16, __nv_fp8_e4m3, int, unsigned, signed char or unsigned char",
      parameter)};
}

/// "const float * x" as words, with `*` apart.
std::vector<std::string> words_of(std::string text) {
  for (std::size_t at = 0; (at = text.find('*', at)) != std::string::npos; at += 3)
    text.replace(at, 1, " * ");
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Result<NewParameter> parse_parameter(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  std::erase(words, "__restrict__");
  if (words.size() < 2) return wrong(text);
  NewParameter parameter{.kind = Kind::size, .name = words.back()};
  if (!std::regex_match(parameter.name, std::regex("[A-Za-z_][A-Za-z0-9_]*"))) return wrong(text);
  words.pop_back();
  const bool is_const = std::erase(words, "const") > 0;
  const auto stars = std::erase(words, "*");
  std::string type;
  for (const std::string& word : words) type += (type.empty() ? "" : " ") + word;
  const auto* const found = std::find_if(std::begin(element_types), std::end(element_types),
                                         [&](const ElementType& one) { return type == one.typed; });
  if (found == std::end(element_types) || stars > 1) return wrong(text);
  parameter.cuda_type = found->cuda;
  parameter.host_type = found->host;
  if (stars == 1) {
    parameter.kind = is_const ? Kind::input : Kind::output;
  } else if (parameter.cuda_type == "float") {
    parameter.kind = Kind::real;
  } else if (parameter.cuda_type != "int") {
    return wrong(text);
  }
  return parameter;
}

bool has(const std::vector<NewParameter>& parameters, Kind kind) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const NewParameter& one) { return one.kind == kind; });
}

}  // namespace

Result<std::vector<NewParameter>> parse_signature(const std::string& name, const std::string& text,
                                                  const std::vector<std::string>& scalars) {
  const std::size_t open = text.find('('), close = text.rfind(')');
  const bool whole = open != std::string::npos && close != std::string::npos && open < close;
  if (whole && words_of(text.substr(0, open)) != std::vector<std::string>{"void", name})
    return Error{fmt::format("the signature must begin with \"void {}(\"", name)};
  const std::string list = whole ? text.substr(open + 1, close - open - 1) : text;
  std::vector<NewParameter> parameters;
  std::set<std::string> names;
  for (const std::string& one : split(list, ',')) {
    const Result<NewParameter> parameter =
        parse_parameter(one.substr(std::min(one.find_first_not_of(' '), one.size())));
    if (!parameter) return parameter.error();
    if (!names.insert(parameter->name).second)
      return Error{fmt::format("two parameters are named {}", parameter->name)};
    parameters.push_back(*parameter);
  }
  for (const std::string& scalar : scalars) {
    const auto found = std::find_if(
        parameters.begin(), parameters.end(),
        [&](const NewParameter& one) { return one.kind == Kind::size && one.name == scalar; });
    if (found == parameters.end())
      return Error{fmt::format("--scalar {}: the signature has no \"int {}\"", scalar, scalar)};
    found->kind = Kind::integer;
  }
  if (!has(parameters, Kind::output))
    return Error{"the signature has no output such as \"float* y\""};
  if (!has(parameters, Kind::size)) return Error{"the signature has no size such as \"int n\""};
  return parameters;
}

std::string parameter_list(const std::vector<NewParameter>& parameters) {
  std::string list;
  for (const NewParameter& one : parameters) {
    const bool pointer = one.kind == Kind::input || one.kind == Kind::output;
    list += fmt::format("{}{}{}{} {}", list.empty() ? "" : ", ",
                        one.kind == Kind::input ? "const " : "", one.cuda_type, pointer ? "*" : "",
                        one.name);
  }
  return list;
}

}  // namespace kata::contribute
