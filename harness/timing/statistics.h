#pragma once
// Median and spread of a set of times.

#include <vector>

namespace kata {

/// The q-quantile (0 <= q <= 1) by linear interpolation between the two nearest samples; 0 for no
/// samples.
double quantile(std::vector<double> samples, double q);

struct Summary {
  double median = 0;
  double iqr = 0;  ///< third quartile minus first quartile: the middle half of the samples
};

Summary summarize(const std::vector<double>& samples);

}  // namespace kata
