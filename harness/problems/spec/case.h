#pragma once
// One input of a problem, before anything is drawn: sizes, distribution, scalars.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kata {

/// The `int` parameters in the order of the signature, e.g. {rows, cols} for softmax_rows.
using Shape = std::vector<int>;

/// Dimensions of a row-major tensor, outermost first.
using Dims = std::vector<std::int64_t>;

/// How a case's inputs are drawn (draw.h). Integers are drawn uniformly from their range where a
/// line below speaks of N(0, 1).
enum class Values {
  normal,           ///< N(0, 1)
  large_magnitude,  ///< 100 N(0, 1): exp() of it overflows
  all_negative,     ///< -1 - |N(0, 1)|: a maximum that starts at 0 is wrong
  constant,         ///< one number drawn from N(0, 1), everywhere
  outliers,         ///< N(0, 1), the first and one in 512 (at least one) 1000 times as large
  far_below_zero,   ///< -3.3e38, some -3.38e38: a maximum must start below them
  largest_last,     ///< N(0, 1), the largest moved to the end: a maximum of all but it is wrong
  whole_numbers,    ///< -3 to 3 without 0: float adds them up without rounding, in any order
  uniform,          ///< [-1, 1); integers: their whole range
  positive,         ///< 0.1 + |N(0, 1)|
  large_mean,       ///< 1000 + N(0, 1): the mean of squares minus the squared mean cancels
  skewed,           ///< N(0, 1), but seven of eight elements are the same one
  sorted,           ///< N(0, 1), ascending
  descending,       ///< N(0, 1), descending
  few_distinct,     ///< N(0, 1), but only four different numbers
  steps,            ///< the same, ascending: equal ones side by side
  lowest,           ///< the lowest finite float, everywhere: no element is larger than -FLT_MAX
  signed_zeros,     ///< -0, then 0 and -0 in random order: equal numbers, different bits
  strided,          ///< two numbers, the larger one at each 32nd place, in one half at each 256th
  mostly_zero,      ///< 0 or -0, one in 512 from N(0, 1): a 0 must not take a larger one's place
  subnormal,        ///< 2^-149 to 2^-127: all are 0 where subnormal numbers are flushed
  mostly_lowest,    ///< integers: the lowest but for an odd one in 256, so that sums are odd
  two_levels,       ///< exponents: a late, wide level as far above the first as exp and float bear
  alike_ends,       ///< integers: the smallest and the largest differ in their first byte alone
  // Of normal numbers, for any operator:
  zero_runs,  ///< 0 in runs of 16 of 48, at the same places of all inputs
  early,      ///< some inputs are 0 in their second half
  late,       ///< some inputs are 0 in their first half
  tiny,       ///< each input 1e-3 or 1e-6 times as large
  // Where elements are selected:
  gaps,           ///< two numbers, the smaller one at each 256th place alone
  largest_twice,  ///< N(0, 1), the largest at one of the last four places and shortly before
};

/// Those for any operator.
inline constexpr Values general_values[] = {Values::tiny, Values::zero_runs, Values::late,
                                            Values::early};

inline constexpr std::pair<Values, const char*> values_names[] = {
    {Values::normal, "normal"},
    {Values::large_magnitude, "large magnitude"},
    {Values::all_negative, "all negative"},
    {Values::constant, "constant"},
    {Values::outliers, "outliers"},
    {Values::far_below_zero, "far below zero"},
    {Values::largest_last, "largest last"},
    {Values::whole_numbers, "whole numbers"},
    {Values::uniform, "uniform"},
    {Values::positive, "positive"},
    {Values::large_mean, "large mean"},
    {Values::skewed, "skewed"},
    {Values::sorted, "sorted"},
    {Values::descending, "descending"},
    {Values::few_distinct, "few distinct"},
    {Values::steps, "steps"},
    {Values::lowest, "lowest"},
    {Values::signed_zeros, "signed zeros"},
    {Values::strided, "strided"},
    {Values::gaps, "gaps"},
    {Values::largest_twice, "largest twice"},
    {Values::mostly_zero, "mostly zero"},
    {Values::subnormal, "subnormal"},
    {Values::mostly_lowest, "mostly lowest"},
    {Values::two_levels, "two levels"},
    {Values::alike_ends, "alike at the ends"},
    {Values::zero_runs, "zeros in runs"},
    {Values::early, "zeros at the end"},
    {Values::late, "zeros at the beginning"},
    {Values::tiny, "tiny"},
};

/// "large magnitude"
inline const char* to_string(Values values) {
  for (const auto& [value, name] : values_names) {
    if (value == values) return name;
  }
  return "";
}

/// One input of a problem; the seed is the run's.
struct Case {
  Shape shape;
  Values values = Values::normal;
  std::vector<float> reals = {};  ///< the `float` parameters, in order; empty: their defaults

  bool operator==(const Case&) const = default;
};

/// "17x1023"
std::string to_string(const Shape& shape);

std::int64_t count(const Dims& dims);

}  // namespace kata
