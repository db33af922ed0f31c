#pragma once
// The cost model: how fast this GPU could do it at best.

#include <string>

#include "problems/problem.h"

namespace kata {

/// What the GPU in the machine was measured to reach (timing/ceilings.cu), per second.
struct Ceilings {
  double copy_bytes = 0;       ///< a copy of several GiB, bytes read plus bytes written
  double read_bytes = 0;       ///< reading alone
  double ffma_operations = 0;  ///< FP32 fused multiply-adds in registers, two operations each
};

/// A time that no kernel is expected to beat.
struct Limit {
  std::string name;  ///< "limit (copy)", "limit (read)" or "limit (FFMA)"
  double us = 0;
};

/// The larger of bytes over bandwidth and operations over the FFMA rate. The bandwidth is the
/// copy's if the operator writes a substantial part (an eighth or more) of what it reads, else the
/// read's: DRAM that turns between reading and writing is a few percent slower.
Limit limit(const Cost& cost, const Ceilings& ceilings);

}  // namespace kata
