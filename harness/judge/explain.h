#pragma once
// Why a result is wrong: the pattern of the wrong elements, said in one sentence with the numbers
// that show it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "problems/spec/problem.h"
#include "report/report.h"

namespace kata {

/// A wrong output and everything that it can be explained from.
struct Wrong {
  const Problem& problem;
  const Case& one_case;
  const Inputs& inputs;
  std::size_t output;       ///< which of the signature's outputs
  const Parameter& tensor;  ///< the same
  const Expected& expected;
  const Array& got;
  std::vector<std::int64_t> bad;        ///< elements out of tolerance, ascending, at least one
  std::vector<std::int64_t> unwritten;  ///< those of them that were never written
  Dims dims;                            ///< of the output
};

/// One sentence, without a full stop at the end.
struct Explanation {
  Explanation(std::string sentence, ExplanationKind how_much = ExplanationKind::pattern)
      : text(std::move(sentence)), kind(how_much) {}

  std::string text;
  ExplanationKind kind;
};

/// The most specific pattern that the numbers show.
Explanation explain(const Wrong& wrong);

/// "scale is wrong, too (3 of 17 elements)": of another output than the explained one.
std::string also_wrong(const std::string& tensor, std::size_t bad, std::size_t elements);

/// "rows 3 to 16 (of 17)", "elements from index 256 on (1 of 257): ..." for a set of elements of a
/// tensor, ascending. Empty if they form no simple pattern.
std::string describe_place(const std::vector<std::int64_t>& elements, const Dims& dims);

/// How far an element is from the nearest value that is accepted; NaN for a NaN.
double error_of(const Expected& expected, std::size_t i, double got);

/// "y[4][1020]"; "sum" for a single number.
std::string element_name(const std::string& tensor, std::int64_t element, const Dims& dims);

/// Whole numbers below 10^11 in full, others with six significant digits; "NaN" for any NaN.
std::string number(double value);

/// The index of an element, one number per dimension.
std::vector<std::int64_t> index_of(std::int64_t element, const Dims& dims);

/// An element of a tensor whose value is wrong.
FirstBad bad_element(const std::string& tensor, std::int64_t element, const Dims& dims, double got,
                     double want);

}  // namespace kata
