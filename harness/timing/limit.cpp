#include "timing/limit.h"

namespace kata {

Limit limit(const Cost& cost, const Ceilings& ceilings) {
  const bool writes_much = cost.bytes_written >= cost.bytes_read / 8;
  const double bandwidth = writes_much ? ceilings.copy_bytes : ceilings.read_bytes;
  const double memory_us = 1e6 * (cost.bytes_read + cost.bytes_written) / bandwidth;
  const double arithmetic_us = 1e6 * cost.operations / ceilings.ffma_operations;
  if (arithmetic_us > memory_us) return {"limit (FFMA)", arithmetic_us};
  return {writes_much ? "limit (copy)" : "limit (read)", memory_us};
}

}  // namespace kata
