#include "emulator/runtime/check/names.h"

#include <fmt/format.h>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {
namespace {

std::string triple(const Triple& t) {
  return fmt::format("({},{},{})", t.x, t.y, t.z);
}

/// The __shared__ variable at or before this offset; no name for dynamic shared memory.
struct SharedVariable {
  std::string name = {};
  std::size_t low = 0, size = 0;
};

SharedVariable shared_variable(const SharedAccess& access, const Launch& launch) {
  if (access.offset >= dynamic_offset) return {"", dynamic_offset, launch.config.shared_bytes};
  SharedVariable found;
  for (const auto& variable : launch.shared.variables()) {
    if (variable.offset > access.offset && found.size > 0) continue;
    found = {variable.name, variable.offset, variable.size};
  }
  return found;
}

}  // namespace

std::string thread_name(const Launch& launch, unsigned id) {
  const Triple& block = launch.config.block;
  return triple({id % block.x, id / block.x % block.y, id / block.x / block.y});
}

std::string block_name(const Launch& launch, std::uint64_t index) {
  const Triple& grid = launch.config.grid;
  return triple({static_cast<unsigned>(index % grid.x),
                 static_cast<unsigned>(index / grid.x % grid.y),
                 static_cast<unsigned>(index / grid.x / grid.y)});
}

std::string plural(std::uint64_t count, const std::string& one, const std::string& many) {
  return count == 1 ? "1 " + one : fmt::format("{} {}", count, many);
}

std::string line_name(const SourceLine& line, const SourceLine& beside) {
  if (line.line == 0) return "another line";
  if (line.file == beside.file) return fmt::format("line {}", line.line);
  return fmt::format("{}:{}", line.file, line.line);
}

std::string line_name(const Place& place, const Place& beside) {
  return line_name(source_line(place), source_line(beside));
}

std::string elements_name(const ElementType& elements, std::size_t count) {
  const std::string& name = elements.name;
  return plural(count, name, name + (name.starts_with("__") ? " values" : "s"));
}

std::string element_name(const Allocation& allocation, std::uintptr_t address, unsigned size) {
  const ElementType& elements = allocation.elements;
  const auto offset = static_cast<std::int64_t>(address - allocation.low);
  const auto bytes = static_cast<std::int64_t>(elements.bytes);
  if (size < elements.bytes || offset % bytes != 0)
    return fmt::format("byte {} of {}", offset, buffer_name(allocation));
  if (!allocation.name.empty()) return fmt::format("{}[{}]", allocation.name, offset / bytes);
  return fmt::format("{} {} of {}", elements.name, offset / bytes, buffer_name(allocation));
}

std::string variable_name(std::uintptr_t address) {
  return variable_name(address, address);
}

std::string variable_name(std::uintptr_t address, std::uintptr_t low) {
  const Symbol variable = symbol_at(low);
  if (variable.name.empty()) return fmt::format("address {:#x}", address);
  // A __shared__ array whose size is not constant becomes a variable of ours with its name.
  constexpr std::string_view ours = "__kata_slot_";
  const std::size_t at = variable.name.find(ours);
  return fmt::format(
      "byte {} of {}", static_cast<std::int64_t>(address - variable.address),
      at == std::string::npos ? variable.name : variable.name.substr(at + ours.size()));
}

std::string buffer_name(const Allocation& allocation) {
  if (!allocation.name.empty()) return allocation.name;
  const SourceLine line = source_line(allocation.place);
  if (line.line == 0) return fmt::format("a buffer of {} bytes", allocation.bytes);
  return fmt::format("the buffer allocated in line {}", line.line);
}

std::optional<Allocation> owner_of(std::uintptr_t address) {
  return DeviceMemory::instance().owner(address);
}

std::string name_of(const MemoryAccess& access) {
  const auto owner = owner_of(access.address);
  const std::string width = access.size > (owner ? owner->elements.bytes : 4)
                                ? fmt::format("{} bytes at ", access.size)
                                : "";
  return width + (owner ? element_name(*owner, access.address, access.size)
                        : variable_name(access.address));
}

std::string object_of(const MemoryAccess& access) {
  if (const auto owner = owner_of(access.address)) return owner->name;
  return symbol_at(access.address).name;
}

std::string object_of(const SharedAccess& access, const Launch& launch) {
  return shared_variable(access, launch).name;
}

std::string name_of(const SharedAccess& access, const Launch& launch) {
  auto [name, low, size] = shared_variable(access, launch);
  if (name.empty()) name = low == dynamic_offset ? "dynamic shared memory" : "shared memory";
  if (access.block != own_block) name += " of block " + block_name(launch, access.block);
  const auto offset = static_cast<std::int64_t>(access.offset - low);
  if (access.size < 4) return fmt::format("byte {} of {} ({} bytes)", offset, name, size);
  return fmt::format("4-byte word {} of {} ({} words)", offset / 4, name, size / 4);
}

}  // namespace kata::emulator
