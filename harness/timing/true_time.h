#pragma once
// Whether a measured time can be that of the whole work (docs/timing.md).

#include <optional>
#include <string>

#include "problems/spec/problem.h"
#include "timing/limit.h"

namespace kata {

/// A call on an idle GPU, in microseconds, the least of several: between the events, and by the
/// host's clock until the GPU is idle again.
struct IdleCall {
  double events_us = 0;
  double wall_us = 0;
};

/// How long the GPU works on beyond the events; 0 where that is within what varies. `empty` is a
/// call that does nothing, measured in the same way.
double outside_us(const IdleCall& call, const IdleCall& empty);

/// Whether calls that were enqueued behind other work took so much less than one on an idle GPU
/// that part of their work must have run beside that other work.
bool ran_ahead(double queued_us, const IdleCall& call);

/// What no kernel on this GPU can exceed.
struct Peak {
  double bytes_per_s = 0;  ///< of device memory by its clock and width; 0: not known
  double l2_bytes = 0;     ///< of what is written, so much may stay there
  ArithmeticRate arithmetic = {};
};

/// Why a time is impossible: one line. Empty if it may be true.
std::string why_impossible(double us, const Cost& cost, const Peak& peak);

/// How much two correct outputs may differ (relative L2 norm): ten times what the ladder's own
/// rungs differ, within bounds that depend on the type. The judge has the operator's tolerance;
/// this keeps out work that is left undone, and arithmetic of another precision.
double allowed_difference(Type type, double among_rungs);

}  // namespace kata
