#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "judge/explain.h"
#include "judge/judge.h"
#include "judge/poison.h"

namespace kata {
namespace {

/// The error in units of what is allowed; a NaN is worse than anything.
double badness(double error, double tolerance) {
  if (std::isnan(error)) return std::numeric_limits<double>::infinity();
  if (error == 0) return 0;
  return tolerance > 0 ? error / tolerance : std::numeric_limits<double>::max();
}

std::size_t specified(const Expected& expected) {
  return expected.specified < 0 ? expected.value.size()
                                : static_cast<std::size_t>(expected.specified);
}

/// What is wrong in one output.
struct Difference {
  std::vector<std::int64_t> bad;
  double worst = -1;  ///< badness
  double error = 0, tolerance = 0;
};

Difference difference(const Expected& expected, const Array& got) {
  Difference result;
  got.visit([&](auto elements) {
    for (std::size_t i = 0; i < specified(expected); ++i) {
      const double tolerance = expected.tolerance_of(i);
      const double error = error_of(expected, i, static_cast<double>(elements[i]));
      if (const double this_bad = badness(error, tolerance); this_bad > result.worst) {
        result.worst = this_bad;
        result.error = error;
        result.tolerance = tolerance;
      }
      if (!(error <= tolerance)) result.bad.push_back(static_cast<std::int64_t>(i));
    }
  });
  return result;
}

/// The elements of a replicated output that have other bits than those of the first device.
std::vector<std::int64_t> unlike_first_device(const Array& got, std::int64_t devices) {
  const std::size_t size = size_of(got.type()),
                    each = got.size() / static_cast<std::size_t>(devices);
  std::vector<std::int64_t> unlike;
  for (std::size_t i = each; i < got.size(); ++i)
    if (std::memcmp(&got.bytes()[i * size], &got.bytes()[i % each * size], size) != 0)
      unlike.push_back(static_cast<std::int64_t>(i));
  return unlike;
}

/// What is right, but not the same on all devices.
void compare_replicas(const Parameter& tensor, const Dims& dims, const Array& got,
                      CaseResult& result) {
  const std::vector<std::int64_t> unlike = unlike_first_device(got, dims.front());
  if (unlike.empty()) return;
  const std::int64_t each = count(dims) / dims.front(), first = unlike.front();
  const auto at = static_cast<std::size_t>(first), same = static_cast<std::size_t>(first % each);
  result.verdict = Verdict::fail;
  result.bad += static_cast<std::int64_t>(unlike.size());
  result.first_bad = bad_element(tensor.name, first, dims, got[at], got[same]);
  result.explanation = fmt::format(
      "{} and {} are both right, and differ in their last bits: add in the same order on every "
      "device",
      element_name(tensor.name, first, dims), element_name(tensor.name, first % each, dims));
  result.explanation_kind = ExplanationKind::pattern;
}

}  // namespace

double error_of(const Expected& expected, std::size_t i, double got) {
  const auto distance = [&](double want) {
    if (got != want) return std::fabs(got - want);
    const bool lost_sign = expected.keeps_sign_of_zero && std::signbit(got) != std::signbit(want);
    return lost_sign ? std::numeric_limits<double>::infinity() : 0;  // equal infinities, too
  };
  const double error = distance(expected.value[i]);
  if (expected.alternative.empty()) return error;
  return std::min(error, distance(expected.alternative[i]));
}

std::vector<std::int64_t> index_of(std::int64_t element, const Dims& dims) {
  std::vector<std::int64_t> index(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = element % dims[d];
    element /= dims[d];
  }
  return index;
}

Unwritten find_unwritten(const Problem& problem, const Outputs& expected,
                         const std::vector<Array>& got) {
  Unwritten unwritten(got.size());
  for (std::size_t o = 0; o < got.size(); ++o) {
    if (problem.signature.outputs[o].kind == Parameter::Kind::in_out) continue;
    for (std::int64_t i : find_poison(got[o])) {
      const auto at = static_cast<std::size_t>(i);
      const bool right = error_of(expected[o], at, got[o][at]) <= expected[o].tolerance_of(at);
      if (at < specified(expected[o]) && !right) unwritten[o].push_back(i);
    }
  }
  return unwritten;
}

CaseResult compare(const Problem& problem, const Case& one_case, const Inputs& inputs,
                   const Outputs& expected, const std::vector<Array>& got,
                   const Unwritten& unwritten) {
  CaseResult result{.name = name_of(problem, one_case), .tested = one_case};
  double worst = -1;
  for (std::size_t o = 0; o < got.size(); ++o) {
    Difference found = difference(expected[o], got[o]);
    result.of += static_cast<std::int64_t>(specified(expected[o]));
    if (found.worst > worst) {
      worst = found.worst;
      result.max_error = found.error;
      result.tolerance = found.tolerance;
    }
    const Parameter& tensor = problem.signature.outputs[o];
    const Dims dims = tensor.dims(one_case.shape);
    if (found.bad.empty() && tensor.is_replicated && result.verdict == Verdict::pass)
      compare_replicas(tensor, dims, got[o], result);
    if (found.bad.empty()) continue;

    const std::size_t bad = found.bad.size();
    result.verdict = Verdict::fail;
    result.bad += static_cast<std::int64_t>(bad);
    if (result.first_bad) {
      result.explanation += "; " + also_wrong(tensor.name, bad, got[o].size());
      continue;
    }
    const std::int64_t first = found.bad.front();
    const auto at = static_cast<std::size_t>(first);
    result.first_bad = bad_element(tensor.name, first, dims, got[o][at], expected[o].value[at]);
    const Explanation explanation = explain({.problem = problem,
                                             .one_case = one_case,
                                             .inputs = inputs,
                                             .output = o,
                                             .tensor = tensor,
                                             .expected = expected[o],
                                             .got = got[o],
                                             .bad = std::move(found.bad),
                                             .unwritten = unwritten[o],
                                             .dims = dims});
    result.explanation = explanation.text;
    result.explanation_kind = explanation.kind;
  }
  return result;
}

}  // namespace kata
