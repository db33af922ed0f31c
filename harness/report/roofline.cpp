#include "report/roofline.h"

#include <fmt/format.h>

namespace kata {

std::string roofline_text(const RooflinePoint& point, const Roof& roof) {
  const double share = 100 * point.rate() / roof.at(point.intensity());
  const bool memory = point.intensity() < roof.ridge();
  return fmt::format(
      "Roofline of the {} ({:.0f} GB/s, {:.1f} TFLOP/s {} by its datasheet, which meet at {:.1f} "
      "operations a byte): {:.3g} operations for each byte that crosses device memory, so {} is "
      "the roof. {:.3g} of the {:.3g} Tera-operations/s that it allows there: {:.0f} %. {}",
      roof.chip, roof.bytes_per_s / 1e9, roof.operations_per_s / 1e12, to_string(roof.unit),
      roof.ridge(), point.intensity(), memory ? "memory" : "arithmetic", point.rate() / 1e12,
      roof.at(point.intensity()) / 1e12, share,
      share >= 75 ? (memory ? "To be faster it must move fewer bytes."
                            : "To be faster it must do less arithmetic.")
                  : "It is not at the roof: latency, occupancy, L2 or shared memory is the limit.");
}

}  // namespace kata
