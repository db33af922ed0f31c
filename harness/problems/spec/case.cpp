#include "problems/spec/case.h"

namespace kata {

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
