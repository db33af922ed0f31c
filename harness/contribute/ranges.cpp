// What an exercise promises about its inputs is what the cases hold.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "contribute/checks.h"
#include "judge/judge.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata::contribute {
namespace {

struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Away from 0, to a power of ten: other seeds draw other numbers.
double rounded_away(double value, Type type) {
  if (value == 0 || std::isinf(value)) return value;
  const double size = std::pow(10, std::ceil(std::log10(std::abs(value)) - 1e-9));
  return std::copysign(std::min(size, largest_finite(type)), value);
}

/// "10", "1e20", "-3.4e38"
std::string bound_text(double value) {
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  if (std::abs(value) < 1e6) return fmt::format("{:.6g}", value);
  std::string text = fmt::format("{:.2g}", value);
  std::erase(text, '+');
  return text;
}

/// "-1e37 to 10000": the same size on both sides where they differ by chance. A power of two that
/// is reached on the lower side is a bound that the problem draws by.
std::string range_text(const Range& range, Type type) {
  int exponent = 0;
  if (range.low < -1 && range.high <= -range.low && std::frexp(-range.low, &exponent) == 0.5)
    return fmt::format("{} to {}", bound_text(range.low), bound_text(-range.low));
  double low = rounded_away(range.low, type), high = rounded_away(range.high, type);
  if (low < 0 && high > 0 && -low / high < 99 && high / -low < 99) {
    high = std::max(-low, high);
    low = -high;
  }
  return fmt::format("{} to {}", bound_text(low), bound_text(high));
}

/// All distributions that the operator is judged with, at sizes that are quick to draw.
std::vector<Case> small_cases(const Problem& problem) {
  std::vector<Case> cases = problem.cases;
  for (const Case& one : problem.large_cases) {
    cases.push_back({largest(problem, problem.cases).shape, one.values, one.reals});
  }
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<Case> drawn = drawn_cases(problem, seed);
    cases.insert(cases.end(), drawn.begin(), drawn.end());
  }
  return cases;
}

/// Whether the ranges of the integers alone allow a tensor that is too large.
bool needs_limit_of_elements(const Problem& problem) {
  Shape most;
  for (const Parameter& integer : problem.signature.integers) most.push_back(integer.most);
  if (problem.limits.nearest) most = problem.limits.nearest(most);
  return !is_promised(problem, most);
}

/// "- Ranges: `rows` 1 to 4096, `cols` 1 to 131072, at most 1073741824 elements in each tensor; `x`
/// -10000 to 10000."
std::string ranges_line(const Problem& problem) {
  std::vector<Range> values(problem.signature.inputs.size());
  for (const Case& one : small_cases(problem)) {
    const Inputs inputs = make_inputs(problem, one, 42);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t k = 0; k < inputs[i].size(); ++k) values[i].add(inputs[i][k]);
    }
  }
  std::vector<std::string> of_sizes, of_values;
  for (const Parameter& size : problem.signature.integers)
    of_sizes.push_back(fmt::format("`{}` {} to {}", size.name, size.least, size.most));
  if (needs_limit_of_elements(problem))
    of_sizes.push_back(fmt::format("at most {} elements in each tensor", problem.most_elements));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parameter& tensor = problem.signature.inputs[i];
    if (!is_float(tensor.type)) continue;
    of_values.push_back(fmt::format("`{}` {}", tensor.name, range_text(values[i], tensor.type)));
  }
  return fmt::format("- Ranges: {}{}{}.", fmt::join(of_sizes, ", "), of_values.empty() ? "" : "; ",
                     fmt::join(of_values, ", "));
}

/// The words of the README's constraints, with one space between them.
std::string constraints_of(const Problem& problem) {
  const std::string readme =
      read_file(exercise(problem.name).parent_path() / "README.md").value_or("");
  std::string words;
  bool is_inside = false;
  for (const std::string& line : lines_of(readme)) {
    if (line.starts_with("## ")) is_inside = line == "## Constraints";
    if (!is_inside) continue;
    std::istringstream split(line);
    for (std::string word; split >> word;) words += word + " ";
  }
  return words;
}

}  // namespace

std::string rules_line(bool on_several_devices) {
  if (on_several_devices)
    return "- C++17. No library (NCCL, NVSHMEM, CUB, Thrust): write the kernels yourself. Helper "
           "functions, more kernels, more launches, and streams and events of your own are "
           "allowed. Allocate no memory after the first call.";
  return "- C++17. No library (CUB, Thrust, cuBLAS, cuDNN): write the kernels yourself. Helper "
         "functions, more kernels, more launches and memory of your own are allowed. All earlier "
         "work on the device has finished when the function is called; work on streams of your own "
         "must be ordered before what the caller launches next in the default stream.";
}

OperatorCheck check_ranges(const Problem& problem) try {
  std::vector<std::string> details;
  const std::string constraints = constraints_of(problem);
  for (const std::string& wanted : {rules_line(uses_devices(problem)), ranges_line(problem)}) {
    if (constraints.find(wanted) == std::string::npos)
      details.push_back("the constraints need this line: " + wanted);
  }
  return check_of("ranges", "the constraints say what the cases hold", details);
} catch (const ProblemFault& fault) {
  return check_of("ranges", "", {fmt::format("problem {}: {}", problem.name, fault.what())});
}

}  // namespace kata::contribute
