#include <bit>
#include <cmath>
#include <limits>

#include "judge/explain.h"
#include "judge/judge.h"

namespace kata {
namespace {

/// The error in units of what is allowed; a NaN is worse than anything.
double badness(double error, double tolerance) {
  if (std::isnan(error)) return std::numeric_limits<double>::infinity();
  if (error == 0) return 0;
  return tolerance > 0 ? error / tolerance : std::numeric_limits<double>::max();
}

}  // namespace

std::vector<std::int64_t> index_of(std::int64_t element, const Dims& dims) {
  std::vector<std::int64_t> index(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = element % dims[d];
    element /= dims[d];
  }
  return index;
}

std::vector<std::int64_t> find_unwritten(const std::vector<float>& output) {
  std::vector<std::int64_t> unwritten;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(output[i]) == poison_bits) {
      unwritten.push_back(static_cast<std::int64_t>(i));
    }
  }
  return unwritten;
}

CaseResult compare(const Problem& problem, const Case& one_case, const Expected& expected,
                   const std::vector<float>& got, const Inputs& inputs) {
  CaseResult result{.name = to_string(one_case), .of = static_cast<std::int64_t>(got.size())};
  std::vector<std::int64_t> bad;
  double worst = -1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double tolerance = expected.tolerance[i];
    const double error = std::fabs(static_cast<double>(got[i]) - expected.value[i]);
    if (const double this_bad = badness(error, tolerance); this_bad > worst) {
      worst = this_bad;
      result.max_error = error;
      result.tolerance = tolerance;
    }
    if (!(error <= tolerance)) bad.push_back(static_cast<std::int64_t>(i));
  }
  if (bad.empty()) return result;

  const Dims dims = problem.output.dims(one_case.shape);
  const std::int64_t first = bad.front();
  const auto at = static_cast<std::size_t>(first);
  result.verdict = Verdict::fail;
  result.bad = static_cast<std::int64_t>(bad.size());
  result.first_bad = FirstBad{.index = index_of(first, dims),
                              .element = element_name(problem.output.name, first, dims),
                              .got = got[at],
                              .want = expected.value[at]};
  result.explanation = explain({.problem = problem,
                                .one_case = one_case,
                                .inputs = inputs,
                                .expected = expected,
                                .got = got,
                                .bad = std::move(bad),
                                .unwritten = find_unwritten(got),
                                .dims = dims});
  return result;
}

}  // namespace kata
