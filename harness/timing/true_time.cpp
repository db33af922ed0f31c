#include "timing/true_time.h"

#include <fmt/format.h>

#include <algorithm>

namespace kata {
namespace {

/// Of the least time: a flush leaves something, and clocks vary.
constexpr double margin = 0.8;

/// How far a faster unit, and fewer operations than by the definition, may exceed the rate that was
/// measured. A product of floats may be computed on tensor cores, in several parts.
double headroom(ArithmeticUnit unit) {
  return unit == ArithmeticUnit::fma ? 8 : 1.5;
}

}  // namespace

double outside_us(const IdleCall& call, const IdleCall& empty) {
  constexpr double varies_us = 8, varies = 0.25;
  const double outside =
      (call.wall_us - call.events_us) - std::max(0.0, empty.wall_us - empty.events_us);
  return outside > varies_us + varies * call.events_us ? outside : 0;
}

bool ran_ahead(double queued_us, const IdleCall& call) {
  constexpr double launches_us = 15;  // an idle GPU waits for the host
  return queued_us < 0.67 * call.events_us - launches_us;
}

std::string why_impossible(double us, const Cost& cost, const Peak& peak) {
  const double bytes = cost.bytes_read + std::max(0.0, cost.bytes_written - peak.l2_bytes);
  const double memory_us = peak.bytes_per_s > 0 ? 1e6 * bytes / peak.bytes_per_s : 0;
  const double rate = headroom(peak.arithmetic.unit) * peak.arithmetic.operations_per_s;
  const double arithmetic_us = rate > 0 ? 1e6 * cost.operations / rate : 0;
  if (us >= margin * std::max(memory_us, arithmetic_us)) return {};
  if (memory_us >= arithmetic_us) {
    return fmt::format(
        "not timed: {:.3g} us is less than this GPU needs. It must move {:.3g} MB, which takes "
        "{:.3g} us at its {:.0f} GB/s: the timed calls do not do all the work",
        us, bytes / 1e6, memory_us, peak.bytes_per_s / 1e9);
  }
  return fmt::format(
      "not timed: {:.3g} us is less than this GPU needs. {:.3g} G operations take at least {:.3g} "
      "us: the timed calls do not do all the work",
      us, cost.operations / 1e9, arithmetic_us);
}

double allowed_difference(Type type, double among_rungs) {
  constexpr double most = 0.05;
  const double least = type == Type::f32 ? 1e-4 : type == Type::f16 ? 1e-2 : most;
  return std::clamp(10 * among_rungs, least, most);
}

}  // namespace kata
