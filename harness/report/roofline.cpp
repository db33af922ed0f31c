#include "report/roofline.h"

#include <fmt/format.h>

namespace kata {

namespace {

constexpr double at_the_roof = 75;  // percent of it

/// What is left to gain, at that many percent of the roof.
std::string what_is_left(const RooflinePoint& point, double share, bool memory) {
  constexpr double hardly_more = 1.1;
  if (share < at_the_roof)
    return "It is not at the roof: latency, occupancy, L2 or shared memory is the limit.";
  if (!memory) return "To be faster it must do less arithmetic.";
  if (point.least_bytes <= 0 || point.bytes > hardly_more * point.least_bytes)
    return "To be faster it must move fewer bytes.";
  return fmt::format(
      "It moves only the bytes that the operator has to move, so at most {:.2f} times as fast is "
      "left: by keeping more loads in flight.",
      100 / share);
}

}  // namespace

std::string roofline_text(const RooflinePoint& point, const Roof& roof) {
  const double share = 100 * point.rate() / roof.at(point.intensity());
  const bool memory = point.intensity() < roof.ridge();
  return fmt::format(
      "Roofline of the {} ({:.0f} GB/s, {:.1f} TFLOP/s {} by its datasheet, which meet at {:.1f} "
      "operations a byte): {:.3g} operations for each byte that crosses device memory, so {} is "
      "the roof. {:.3g} of the {:.3g} Tera-operations/s that it allows there: {:.0f} %. {}",
      roof.chip, roof.bytes_per_s / 1e9, roof.operations_per_s / 1e12, to_string(roof.unit),
      roof.ridge(), point.intensity(), memory ? "memory" : "arithmetic", point.rate() / 1e12,
      roof.at(point.intensity()) / 1e12, share, what_is_left(point, share, memory));
}

}  // namespace kata
