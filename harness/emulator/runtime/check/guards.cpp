#include "emulator/runtime/check/guards.h"

#include <fmt/format.h>

#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/check/names.h"
#include "emulator/runtime/memory/device_memory.h"

namespace kata::emulator {

void check_guards() {
  for (const auto& [beside, address] : DeviceMemory::instance().take_overwrites()) {
    const auto size = static_cast<unsigned>(beside.elements.bytes);
    const std::uintptr_t first = address - (address - beside.low) % size;
    Findings::instance().add(
        {.kind = FindingKind::out_of_bounds,
         .message =
             fmt::format("a kernel wrote {}, {} {} ({})", element_name(beside, first, size),
                         address < beside.low ? "before the beginning of" : "past the end of",
                         buffer_name(beside), elements_name(beside.elements, beside.bytes / size)),
         .note = "run that size alone (--size) to see the line"});
  }
}

}  // namespace kata::emulator
