#include "problems/problem.h"

#include <algorithm>

namespace kata {
namespace {

std::vector<Problem>& registry() {
  static std::vector<Problem> all;
  return all;
}

const char* to_string(Values values) {
  switch (values) {
    case Values::normal:
      return "normal";
    case Values::large_magnitude:
      return "large magnitude";
    case Values::all_negative:
      return "all negative";
    case Values::constant:
      return "constant";
    case Values::outliers:
      return "outliers";
    case Values::far_below_zero:
      return "far below zero";
    case Values::largest_last:
      return "largest last";
    case Values::whole_numbers:
      return "whole numbers";
  }
  return "";
}

}  // namespace

std::string declaration(const Problem& problem) {
  std::string text = "void " + problem.name + "(";
  const char* separator = "";
  for (const Parameter& parameter : problem.signature.parameters) {
    text += separator;
    switch (parameter.kind) {
      case Parameter::Kind::input:
        text += "const float* ";
        break;
      case Parameter::Kind::output:
        text += "float* ";
        break;
      case Parameter::Kind::size:
        text += "int ";
        break;
    }
    text += parameter.name;
    separator = ", ";
  }
  return text + ")";
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (int size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::string to_string(const Case& one_case) {
  return to_string(one_case.shape) + " " + to_string(one_case.values);
}

std::int64_t count(const Dims& dims) {
  std::int64_t product = 1;
  for (std::int64_t dim : dims) product *= dim;
  return product;
}

const std::vector<Problem>& problems() {
  return registry();
}

const Problem* find_problem(const std::string& name) {
  for (const Problem& problem : registry()) {
    if (problem.name == name) return &problem;
  }
  return nullptr;
}

RegisterProblem::RegisterProblem(Problem problem) {
  auto& all = registry();
  const auto place =
      std::upper_bound(all.begin(), all.end(), problem,
                       [](const Problem& a, const Problem& b) { return a.name < b.name; });
  all.insert(place, std::move(problem));
}

}  // namespace kata
