// What a tolerance must not let pass: zeros, and numbers with fewer bits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "contribute/checks.h"
#include "judge/judge.h"

namespace kata::contribute {
namespace {

/// Significant bits of the next smaller type: a float is narrowed to half (or TF32), a half to
/// bfloat16. 0: not narrowed.
int narrow_bits(Type type) {
  return type == Type::f32 ? 11 : type == Type::f16 ? 8 : 0;
}

double narrowed(double value, int bits) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}

/// A case with its inputs and what is expected of it.
struct Drawn {
  Drawn(const Problem& problem_, const Case& one_case_, std::uint64_t seed)
      : problem(problem_),
        one_case(one_case_),
        inputs(make_inputs(problem, one_case, seed)),
        expected(expected_outputs(problem, inputs, one_case)) {}

  const Problem& problem;
  const Case& one_case;
  Inputs inputs;
  Outputs expected;

  /// The judge's rule, for one of the outputs.
  bool accepts(std::size_t output, const std::vector<double>& got) const {
    const Expected& want = expected[output];
    const bool is_f32 = problem.signature.outputs[output].type == Type::f32;
    const std::size_t specified =
        want.specified < 0 ? got.size() : static_cast<std::size_t>(want.specified);
    for (std::size_t i = 0; i < specified; ++i) {
      const double value = is_f32 ? static_cast<float>(got[i]) : got[i];
      const bool right = std::fabs(value - want.value[i]) <= want.tolerance_of(i);
      const bool as_good = !want.alternative.empty() &&
                           std::fabs(value - want.alternative[i]) <= want.tolerance_of(i);
      if (!right && !as_good) return false;
    }
    return true;
  }

  bool accepts_all_of(const Inputs& other) const {
    const Outputs got = expected_outputs(problem, other, one_case);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (!accepts(i, got[i].value)) return false;
    }
    return true;
  }
};

/// Whether all cases accept a wrong result.
bool passes_everywhere(const Problem& problem, std::uint64_t seed,
                       const std::function<bool(const Drawn&)>& accepts) {
  return std::all_of(problem.cases.begin(), problem.cases.end(),
                     [&](const Case& one_case) { return accepts(Drawn(problem, one_case, seed)); });
}

bool has_float_input(const Problem& problem, bool to_narrow) {
  const std::vector<Parameter>& inputs = problem.signature.inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](const Parameter& one) {
    return to_narrow ? narrow_bits(one.type) > 0 : is_float(one.type);
  });
}

/// Inputs with each element of a float type changed.
Inputs changed(Inputs inputs, double (*change)(double value, Type type)) {
  for (Array& tensor : inputs) {
    if (!is_float(tensor.type())) continue;
    for (std::size_t i = 0; i < tensor.size(); ++i) tensor.set(i, change(tensor[i], tensor.type()));
  }
  return inputs;
}

double to_zero(double, Type) {
  return 0;
}
double to_fewer_bits(double value, Type type) {
  const int bits = narrow_bits(type);
  return bits > 0 && std::isfinite(value) ? narrowed(value, bits) : value;
}

void check_output(const Problem& problem, std::size_t output, std::uint64_t seed,
                  std::vector<std::string>& details) {
  const Parameter& tensor = problem.signature.outputs[output];
  const auto accepts_changed = [&](double (*change)(double, Type)) {
    return [&, change](const Drawn& drawn) {
      std::vector<double> got = drawn.expected[output].value;
      for (double& value : got) value = change(value, tensor.type);
      return drawn.accepts(output, got);
    };
  };
  if (passes_everywhere(problem, seed, accepts_changed(to_zero)))
    details.push_back(tensor.name + " filled with zeros passes every case");
  if (narrow_bits(tensor.type) > 0 &&
      passes_everywhere(problem, seed, accepts_changed(to_fewer_bits)))
    details.push_back(tensor.name + " rounded to fewer bits passes every case");
}

/// The wrong results that every case accepts.
std::vector<std::string> accepted_mistakes(const Problem& problem, TestScope scope) {
  std::vector<std::string> details;
  const std::uint64_t seeds = scope == TestScope::quick ? 1 : 5;
  for (std::uint64_t seed = 1; seed <= seeds && details.empty(); ++seed) {
    for (std::size_t i = 0; i < problem.signature.outputs.size(); ++i)
      check_output(problem, i, seed, details);
    if (has_float_input(problem, false) && passes_everywhere(problem, seed, [](const Drawn& drawn) {
          return drawn.accepts_all_of(changed(drawn.inputs, to_zero));
        }))
      details.push_back("the result of inputs that are all zero passes every case");
    if (has_float_input(problem, true) && passes_everywhere(problem, seed, [](const Drawn& drawn) {
          return drawn.accepts_all_of(changed(drawn.inputs, to_fewer_bits));
        }))
      details.push_back("the result of inputs with fewer bits passes every case");
  }
  return details;
}

}  // namespace

OperatorCheck check_tolerance(const Problem& problem, TestScope scope) {
  std::vector<std::string> details;
  try {
    details = accepted_mistakes(problem, scope);
  } catch (const ProblemFault& fault) {
    details = {fmt::format("problem {}: {}", problem.name, fault.what())};
  }
  return check_of("tolerance", "rejects zeros, and numbers with fewer bits", details);
}

}  // namespace kata::contribute
