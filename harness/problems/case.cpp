#include "problems/case.h"

namespace kata {

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
    case Values::uniform:
      return "uniform";
    case Values::positive:
      return "positive";
    case Values::large_mean:
      return "large mean";
    case Values::skewed:
      return "skewed";
    case Values::sorted:
      return "sorted";
    case Values::descending:
      return "descending";
    case Values::few_distinct:
      return "few distinct";
  }
  return "";
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (int size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::int64_t count(const Dims& dims) {
  std::int64_t product = 1;
  for (std::int64_t dim : dims) product *= dim;
  return product;
}

}  // namespace kata
