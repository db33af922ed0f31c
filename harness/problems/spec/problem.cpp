#include "problems/spec/problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <stdexcept>

namespace kata {
namespace {

std::vector<Problem>& registry() {
  static std::vector<Problem> all;
  return all;
}

std::string type_text(const Parameter& parameter) {
  const std::string name = cuda_name(parameter.type);
  const std::string pointer = parameter.is_on_each_device ? "* const* " : "* ";
  switch (parameter.kind) {
    case Parameter::Kind::input:
      return "const " + name + pointer;
    case Parameter::Kind::output:
    case Parameter::Kind::in_out:
      return name + pointer;
    case Parameter::Kind::integer:
    case Parameter::Kind::real:
      return name + " ";
    case Parameter::Kind::scratch:
      return "void* const* ";
    case Parameter::Kind::streams:
      return "const cudaStream_t* ";
  }
  return "";
}

std::string number_text(float value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// The case with all of its reals.
Case complete(const Problem& problem, Case one_case) {
  for (std::size_t i = one_case.reals.size(); i < problem.signature.reals.size(); ++i) {
    one_case.reals.push_back(problem.signature.reals[i].value);
  }
  return one_case;
}

std::string fault_of_shape(const Problem& problem, const Shape& shape) {
  const std::size_t wanted = problem.signature.integers.size();
  if (shape.size() != wanted) {
    return "the shape " + to_string(shape) + " has " + std::to_string(shape.size()) +
           " numbers, the signature " + std::to_string(wanted) + " integers";
  }
  if (!is_legal(problem, shape)) return "the shape " + to_string(shape) + " is not legal";
  if (!is_promised(problem, shape))
    return "the shape " + to_string(shape) + " is outside the ranges of its signature";
  return {};
}

std::string fault_of_signature(const Signature& signature) {
  std::set<std::string> names;
  for (const Parameter& parameter : signature.parameters) {
    if (!names.insert(parameter.name).second) return "two parameters are named " + parameter.name;
  }
  using Kind = Parameter::Kind;
  for (const Parameter& one : signature.parameters) {
    const bool is_tensor =
        one.kind == Kind::input || one.kind == Kind::output || one.kind == Kind::in_out;
    if (is_tensor && !one.dims) return "the tensor " + one.name + " has no dimensions";
  }
  return signature.outputs.empty() ? "it has no output" : "";
}

}  // namespace

void Expected::add_rounding(Type type) {
  for (std::size_t i = 0; i < value.size(); ++i)
    tolerance[i] += rounding(type, std::abs(value[i]) + tolerance[i]);
}

namespace detail {

Signature by_role(std::vector<Parameter> parameters) {
  Signature result;
  for (const Parameter& one : parameters) {
    const Parameter::Kind kind = one.kind;
    const bool in_out = kind == Parameter::Kind::in_out;
    if (kind == Parameter::Kind::integer) result.integers.push_back(one);
    if (kind == Parameter::Kind::real) result.reals.push_back(one);
    if (kind == Parameter::Kind::input || in_out) result.inputs.push_back(one);
    if (kind == Parameter::Kind::output || in_out) result.outputs.push_back(one);
    if (one.dims) result.tensors.push_back(one);
  }
  result.parameters = std::move(parameters);
  return result;
}

}  // namespace detail

int nearest_devices(int wanted) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(wanted, 1, 8))));
}

Shape with_equal_rows(Shape shape) {
  for (int& size : shape) size = std::max(size, 1);
  shape.back() = nearest_devices(shape.back());
  shape.front() = std::max(shape.front() / shape.back(), 1) * shape.back();
  return shape;
}

bool uses_devices(const Problem& problem) {
  return std::ranges::any_of(problem.signature.integers, &Parameter::counts_devices);
}

int devices_of(const Problem& problem, const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (problem.signature.integers[i].counts_devices) return shape[i];
  return 1;
}

int most_devices(const Problem& problem) {
  int most = 1;
  for (const Parameter& one : problem.signature.integers)
    if (one.counts_devices) most = one.most;
  return most;
}

const Parameter* scratch_of(const Problem& problem) {
  const auto place =
      std::ranges::find(problem.signature.parameters, Parameter::Kind::scratch, &Parameter::kind);
  return place == problem.signature.parameters.end() ? nullptr : &*place;
}

std::string declaration(const Problem& problem) {
  std::string text = "void " + problem.name + "(";
  const char* separator = "";
  for (const Parameter& parameter : problem.signature.parameters) {
    text += separator + type_text(parameter) + parameter.name;
    separator = ", ";
  }
  return text + ")";
}

std::string named_sizes(const Problem& problem, const Shape& shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text +=
        (i > 0 ? ", " : "") + problem.signature.integers[i].name + " = " + std::to_string(shape[i]);
  }
  return text;
}

std::string name_of(const Problem& problem, const Case& one_case) {
  std::string text = to_string(one_case.shape) + " " + to_string(one_case.values);
  for (std::size_t i = 0; i < one_case.reals.size(); ++i) {
    const Parameter& real = problem.signature.reals[i];
    if (one_case.reals[i] == real.value) continue;
    text += ", " + real.name + " " + number_text(one_case.reals[i]);
  }
  return text;
}

bool is_legal(const Problem& problem, const Shape& shape) {
  if (problem.limits.nearest) return problem.limits.nearest(shape) == shape;
  return std::all_of(shape.begin(), shape.end(), [](int size) { return size > 0; });
}

bool is_promised(const Problem& problem, const Shape& shape) {
  if (!is_legal(problem, shape)) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Parameter& integer = problem.signature.integers[i];
    if (shape[i] < integer.least || shape[i] > integer.most) return false;
  }
  const auto fits = [&](const Parameter& tensor) {
    return count(tensor.dims(shape)) <= problem.most_elements;
  };
  return std::ranges::all_of(problem.signature.tensors, fits);
}

Arguments arguments_of(const Problem& problem, const Case& one_case) {
  return {.tensors = {}, .integers = one_case.shape, .reals = complete(problem, one_case).reals};
}

Array& Inputs::missing(std::size_t i) const {
  throw ProblemFault("it reads inputs[" + std::to_string(i) + "], but its signature has " +
                     std::to_string(size()) + (size() == 1 ? " input" : " inputs") +
                     "; should an output be in_out?");
}

Outputs expected_outputs(const Problem& problem, const Inputs& inputs, const Case& one_case) {
  const std::vector<Parameter>& tensors = problem.signature.outputs;
  Outputs outputs = problem.reference(inputs, complete(problem, one_case));
  bool fits = outputs.size() == tensors.size();
  for (std::size_t i = 0; fits && i < tensors.size(); ++i) {
    const Expected& one = outputs[i];
    const std::size_t size = elements(tensors[i], one_case.shape);
    fits = one.value.size() == size && (one.tolerance.empty() || one.tolerance.size() == size) &&
           (one.alternative.empty() || one.alternative.size() == size);
  }
  if (fits) return outputs;
  throw ProblemFault("its reference does not fill all outputs at " + to_string(one_case.shape));
}

std::size_t elements(const Parameter& tensor, const Shape& shape) {
  return static_cast<std::size_t>(count(tensor.dims(shape)));
}

std::int64_t output_elements(const Problem& problem, const Shape& shape) {
  std::int64_t sum = 0;
  for (const Parameter& tensor : problem.signature.outputs) sum += count(tensor.dims(shape));
  return sum;
}

const std::vector<Problem>& problems() {
  return registry();
}

std::size_t name_width() {
  std::size_t width = 0;
  for (const Problem& problem : registry()) width = std::max(width, problem.name.size());
  return width;
}

const Problem* find_problem(const std::string& name) {
  for (const Problem& problem : registry()) {
    if (problem.name == name) return &problem;
  }
  return nullptr;
}

std::string fault_of(const Problem& problem) {
  const std::string who = "problem " + problem.name + ": ";
  if (const std::string fault = fault_of_signature(problem.signature); !fault.empty()) {
    return who + fault;
  }
  if (problem.cases.empty() || problem.bench_shapes.empty() || !problem.reference ||
      !problem.cost) {
    return who + "it needs cases, bench_shapes, a reference and a cost";
  }
  std::vector<Case> all = problem.cases;
  all.insert(all.end(), problem.large_cases.begin(), problem.large_cases.end());
  for (const Shape& shape : problem.bench_shapes) all.push_back({shape});
  for (const Case& one : all) {
    if (const std::string fault = fault_of_shape(problem, one.shape); !fault.empty()) {
      return who + fault;
    }
    if (one.reals.size() > problem.signature.reals.size()) {
      return who + "a case of shape " + to_string(one.shape) + " has more reals than the signature";
    }
  }
  return {};
}

RegisterProblem::RegisterProblem(Problem problem) {
  std::string fault = fault_of(problem);
  if (fault.empty() && find_problem(problem.name)) {
    fault = "problem " + problem.name + ": two files register it";
  }
  if (!fault.empty()) throw std::logic_error(fault);
  auto& all = registry();
  const auto place =
      std::upper_bound(all.begin(), all.end(), problem,
                       [](const Problem& a, const Problem& b) { return a.name < b.name; });
  all.insert(place, std::move(problem));
}

}  // namespace kata
