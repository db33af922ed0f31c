#pragma once
// The roofline model: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual
// performance model for multicore architectures", CACM 52(4), 2009.

#include <string>

#include "problems/spec/arithmetic_unit.h"

namespace kata {

/// What a chip can do at best, per second, by its datasheet.
struct Roof {
  std::string chip;             ///< "H200"
  double operations_per_s = 0;  ///< of `unit`, a multiply-add as two
  double bytes_per_s = 0;       ///< of device memory
  ArithmeticUnit unit = ArithmeticUnit::fma;

  /// Operations for each byte from which on arithmetic is the limit.
  double ridge() const { return operations_per_s / bytes_per_s; }

  /// The most operations per second at that intensity (operations for each byte).
  double at(double intensity) const {
    return intensity < ridge() ? intensity * bytes_per_s : operations_per_s;
  }
};

/// What a kernel did.
struct RooflinePoint {
  double operations = 0;   ///< of a problem without arithmetic: elements, one operation each
  double bytes = 0;        ///< from and to device memory
  double least_bytes = 0;  ///< that the operator has to move; 0: not known
  double seconds = 0;

  double intensity() const { return operations / bytes; }
  double rate() const { return operations / seconds; }
};

/// Where the kernel sits and what that means, in sentences.
std::string roofline_text(const RooflinePoint& point, const Roof& roof);

}  // namespace kata
