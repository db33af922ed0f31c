#include "emulator/runtime/api/device_ranges.h"

#include <fmt/format.h>

#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {
std::string check_device_range(const void* pointer, std::size_t bytes) {
  if (const std::size_t left = DeviceMemory::instance().bytes_of_symbol(address_of(pointer))) {
    return bytes <= left ? ""
                         : fmt::format("has {} bytes to the end of the variable, and {} are wanted",
                                       left, bytes);
  }
  const auto owner = DeviceMemory::instance().owner(address_of(pointer));
  if (!in_arena(pointer) || !owner) return "is not device memory";
  const std::string name = owner->name.empty() ? "the buffer" : owner->name;
  if (owner->freed) return "has been freed";
  if (owner->on_heap) return "lies in the kernels' heap, which only kernels reach";
  if (address_of(pointer) < owner->low || address_of(pointer) > owner->high())
    return fmt::format("lies outside {} ({} bytes)", name, owner->bytes);
  if (bytes > owner->high() - address_of(pointer)) {
    return fmt::format("has {} bytes to the end of {}, and {} are wanted",
                       owner->high() - address_of(pointer), name, bytes);
  }
  return "";
}

bool host_may_use(const void* pointer) {
  if (!in_arena(pointer)) return DeviceMemory::instance().bytes_of_symbol(address_of(pointer)) == 0;
  const auto owner = DeviceMemory::instance().owner(address_of(pointer));
  return owner && owner->type != MemoryType::device;
}

void check_not_input(const void* to, const char* function, Place place) {
  const std::uintptr_t offset = address_of(to) - arena_low;
  if (!in_arena(to) || byte_state(offset) != ByteState::input) return;
  if (!place.code || !in_loaded_module(place.code)) return;  // the judge gives them new values
  const auto owner = DeviceMemory::instance().owner(address_of(to));
  if (owner->is_only_read) return;
  const SourceLine line = source_line(place);
  Findings::instance().add({FindingKind::input_modified, Severity::error, line.file, line.line, "",
                            fmt::format("{} writes to {}, an input: inputs are const, so write to "
                                        "the output or to memory of your own",
                                        function, owner->name)});
}

}  // namespace kata::emulator
