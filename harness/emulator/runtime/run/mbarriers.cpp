#include "emulator/runtime/run/mbarriers.h"

namespace kata::emulator {

MissingPhase Mbarrier::missing() const {
  return {.phase = phase,
          .arrivals = pending,
          .expected_arrivals = expected,
          .bytes = bytes,
          .expected_bytes = bytes_expected,
          .copies = copies};
}

}  // namespace kata::emulator
