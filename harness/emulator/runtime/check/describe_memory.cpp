#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/names.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/variables.h"
#include "emulator/runtime/run/fiber.h"

namespace kata::emulator {
namespace {

std::optional<Allocation> owner_of(std::uintptr_t address) {
  return DeviceMemory::instance().owner(address);
}

bool is_device_memory(std::uintptr_t address) {
  return in_arena(reinterpret_cast<const void*>(address));
}

const char* verb(bool is_write) {
  return is_write ? "writes" : "reads";
}

const char* verb(Mark::Kind kind, bool is_write) {
  if (kind == Mark::is_atomic) return is_write ? "atomically changes" : "atomically reads";
  return verb(is_write);
}

/// "x[12]", "8 bytes at x[12]"
std::string name_of(const MemoryAccess& access) {
  const auto owner = owner_of(access.address);
  const std::string width = access.size > 4 ? fmt::format("{} bytes at ", access.size) : "";
  return width + (owner ? element_name(*owner, access.address, access.size)
                        : variable_name(access.address));
}

/// "4-byte word 12 of tile (32 words)": of the __shared__ variable at or before this offset.
std::string name_of(const SharedAccess& access, const Launch& launch) {
  std::string name = "dynamic shared memory";
  std::size_t low = dynamic_offset, size = launch.config.shared_bytes;
  if (access.offset < dynamic_offset) {
    name = "shared memory";
    low = size = 0;
    for (const auto& variable : launch.shared.variables()) {
      if (variable.offset > access.offset && size > 0) continue;
      name = variable.name;
      low = variable.offset;
      size = variable.size;
    }
  }
  if (access.block != own_block) name += " of block " + block_name(launch, access.block);
  const auto offset = static_cast<std::int64_t>(access.offset - low);
  if (access.size < 4) return fmt::format("byte {} of {} ({} bytes)", offset, name, size);
  return fmt::format("4-byte word {} of {} ({} words)", offset / 4, name, size / 4);
}

/// "thread (0,0,0) of block (0,0,0) reads x[12]"
std::string who_does_what(const MemoryAccess& access, const Circumstances& c) {
  return fmt::format("{} {} {}", c.who(), verb(access.is_write), name_of(access));
}

std::string who_does_what(const SharedAccess& access, const Circumstances& c) {
  return fmt::format("{} {} {}", c.who(), verb(access.is_write), name_of(access, c.launch));
}

/// Whether the process has a page there.
bool is_mapped(std::uint64_t address) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address & ~(page - 1)), 1, &resident) == 0;
}

std::string name_of(AccessedBy by) {
  switch (by) {
    case AccessedBy::load_or_store:
      return "at once";
    case AccessedBy::async_copy:
      return "(the piece of an asynchronous copy)";
    case AccessedBy::ldmatrix:
      return "(a row of ldmatrix)";
    case AccessedBy::stmatrix:
      return "(a row of stmatrix)";
  }
  return "";
}

/// What is missing between two accesses, by how far apart their threads are.
std::string missing_order(const Race& race, const std::string& line, const std::string& other) {
  const bool atomic = race.kind == Mark::is_atomic || race.other.kind == Mark::is_atomic;
  const bool both_write = race.is_write() && race.other.is_write;
  const std::string between =
      line == other
          ? "after every round of " + line + "; or, if they all add to one element, atomicAdd()"
          : fmt::format("between {} and {}", other, line);
  const bool same_block = race.distance < Mark::blocks;
  if (!same_block && std::holds_alternative<SharedAccess>(race.access))
    return "cluster.sync() is missing " + between;
  if (!same_block && atomic)
    return "nothing orders blocks of one launch: make both accesses atomic, or use two launches";
  if (!same_block && (both_write || line == other))
    return "nothing orders blocks of one launch: use an atomic such as atomicAdd()";
  if (!same_block)
    return "nothing orders blocks of one launch: use two launches, grid.sync(), or __threadfence() "
           "and an atomic flag";
  if (line == other && both_write) return "give each thread its own element, or use an atomic";
  if (race.distance == Mark::lanes)
    return "lanes of a warp do not run in step: __syncwarp() is missing " + between;
  return "__syncthreads() is missing " + between +
         (line == other ? "" : " (in a loop: also at its end)");
}

}  // namespace

Words describe(const OutOfBounds& fault, const Circumstances& c) {
  const std::uintptr_t address = fault.access.address;
  const unsigned size = fault.access.size;
  const auto owner = owner_of(address);
  const auto variable = c.launch.variables->left(address, size);
  const std::string what = variable ? fmt::format("{} {} {}", c.who(), verb(fault.access.is_write),
                                                  variable_name(address, variable->low))
                                    : who_does_what(fault.access, c);
  const auto text = [&]() -> std::string {
    if (!owner && !variable) return what + ", which is no allocation";
    if (owner && owner->freed && owner->contains(address))
      return what + ", after " + (owner->on_heap ? "the kernel's free()" : "cudaFree") +
             " released it";
    if (address < (variable ? variable->low : owner->low))
      return what + ", before its start: is an index negative, or did an unsigned one wrap round?";
    const char* const advice = "is a bounds check such as `if (i < n)` missing?";
    if (variable)
      return fmt::format("{}, past its end (it has {}): {}", what,
                         plural(variable->high - variable->low, "byte", "bytes"), advice);
    const Element element{size < 4 ? std::size_t{1} : 4};
    return fmt::format("{}, past its end ({} has {}): {}", what,
                       owner->name.empty() ? "it" : owner->name,
                       element.name(owner->bytes / element.bytes, !owner->name.empty()), advice);
  };
  return {FindingKind::out_of_bounds, text()};
}

Words describe(const SharedOutOfBounds& fault, const Circumstances& c) {
  const bool is_dynamic = fault.access.offset >= dynamic_offset;
  const char* const advice =
      !is_dynamic ? "is the array as large as the block needs?"
      : c.launch.config.shared_bytes == 0
          ? "the launch asks for no dynamic shared memory (its third argument)"
          : "the launch's third argument says how many bytes there are";
  return {FindingKind::out_of_bounds,
          fmt::format("{}, outside it: {}", who_does_what(fault.access, c), advice)};
}

Words describe(const IllegalAddress& fault, const Circumstances& c) {
  const std::uintptr_t address = fault.access.address;
  const std::string start = fmt::format("{} {} ", c.who(), verb(fault.access.is_write));
  const auto text = [&]() -> std::string {
    if (address < 4096) return start + "through a null pointer";
    if (is_device_memory(address))
      return fmt::format("{}address {:#x}, far from any allocation: is an index wrong by a lot?",
                         start, address);
    if (!is_mapped(address))
      return fmt::format(
          "{}address {:#x}, which is no memory at all: is an index wrong by a lot, or too large "
          "for "
          "its type?",
          start, address);
    return fmt::format(
        "{}address {:#x}, which is not device memory: host memory must be copied with cudaMemcpy "
        "before a kernel can use it",
        start, address);
  };
  return {FindingKind::out_of_bounds, text()};
}

Words describe(const BadSubscript& fault, const Circumstances& c) {
  std::string type = fault.array_type;
  std::erase(type, '\'');
  return {FindingKind::out_of_bounds,
          fmt::format("{} takes element {} of an array `{}`, whose elements are 0 to {}: {}",
                      c.who(), fault.index, type,
                      std::strtoll(type.c_str() + type.find('[') + 1, nullptr, 10) - 1,
                      fault.index < 0 ? "is an index negative?"
                                      : "is a loop one too long, or the dimension too small?")};
}

Words describe(const StackOverflow&, const Circumstances& c) {
  return {FindingKind::out_of_bounds,
          fmt::format("{} needs more than the {} KiB of local memory that the emulator gives a "
                      "thread: is a local array too large, or a recursion too deep?",
                      c.who(), fiber_stack_bytes >> 10)};
}

Words describe(const ForeignLocal& fault, const Circumstances& c) {
  return {FindingKind::out_of_bounds,
          fmt::format("{} {} a local variable of another thread, through a pointer that only means "
                      "something to its own thread: hand values over in shared memory",
                      c.who(), verb(fault.is_write))};
}

Words describe(const Misaligned& fault, const Circumstances& c) {
  const auto& [address, size, is_write] = fault.access;
  std::string what = "shared memory";
  if (is_device_memory(address)) {
    const auto owner = owner_of(address);
    if (owner) what = element_name(*owner, address, size);
  }
  std::string advice = fmt::format("its address must be a multiple of {}", size);
  if (fault.by == AccessedBy::load_or_store && size >= 8) {
    advice = fmt::format(
        "a vector of {} bytes ({}) needs an index that is a multiple of {} floats from the start "
        "of the buffer",
        size, size == 16 ? "float4, int4, double2" : "float2, int2, double", size / 4);
  }
  return {FindingKind::misaligned,
          fmt::format("{} {} {} bytes {} at {}, which is not aligned to {} bytes: {}", c.who(),
                      verb(is_write), size, name_of(fault.by), what, size, advice)};
}

Words describe(const MatrixMisaligned& fault, const Circumstances& c) {
  if (fault.bytes_apart % 16 == 0)
    return {FindingKind::misaligned,
            fmt::format("{} gives wmma a matrix at {:#x}: the address of its first element must be "
                        "a multiple of 32",
                        c.who(), fault.address)};
  return {FindingKind::misaligned,
          fmt::format("{} gives wmma a matrix whose rows or columns are {} bytes apart (ldm): that "
                      "must be a multiple of 16 bytes, 8 elements of half or 4 of float",
                      c.who(), fault.bytes_apart)};
}

Words describe(const InputModified& fault, const Circumstances& c) {
  return {FindingKind::input_modified,
          fmt::format("{} writes {}, an input: inputs are const, so write to the output or to "
                      "memory of your own",
                      c.who(), name_of(fault.access))};
}

Words describe(const Uninitialized& fault, const Circumstances& c) {
  return {FindingKind::uninitialized, fmt::format("{} reads {}, which nothing has written yet",
                                                  c.who(), name_of(fault.access))};
}

Words describe(const SharedUninitialized& fault, const Circumstances& c) {
  return {FindingKind::uninitialized,
          fmt::format("{} reads {}, which no thread of the block has written yet", c.who(),
                      name_of(fault.access, c.launch))};
}

Words describe(const CopyNotArrived& fault, const Circumstances& c) {
  return {FindingKind::race,
          fmt::format("{} before the wait: the asynchronous copy of {} has not arrived. Commit it, "
                      "wait for its group (__pipeline_wait_prior, cp.async.wait_group, "
                      "consumer_wait), then meet at a barrier if other threads use it",
                      who_does_what(fault.access, c), line_name(fault.copy, c.incident.place))};
}

Words describe(const InvalidFree& fault, const Circumstances& c) {
  const auto owner = owner_of(fault.address);
  const std::string text = c.who() + " frees ";
  if (!owner || !owner->on_heap)
    return {FindingKind::out_of_bounds,
            text +
                "what neither malloc() nor new in a kernel gave: what cudaMalloc() gave, "
                "cudaFree() takes back"};
  if (owner->freed)
    return {FindingKind::out_of_bounds,
            text + buffer_name(*owner) + ", which has been freed before"};
  return {FindingKind::out_of_bounds,
          fmt::format("{}{}, which is not its start: free the pointer that malloc() or new gave",
                      text, element_name(*owner, fault.address, 1))};
}

Words describe(const HostAccess& fault) {
  const auto& [address, size, is_write] = fault.access;
  const auto owner = owner_of(address);
  return {
      FindingKind::out_of_bounds,
      fmt::format("host code {} device memory ({}): only kernels can, the host goes through "
                  "cudaMemcpy",
                  verb(is_write), owner ? element_name(*owner, address, size) : "no allocation")};
}

Words describe(const SharedMemoryEarly& fault, const Circumstances& c) {
  return {
      FindingKind::out_of_bounds,
      fmt::format("{}, and that block may not have begun: cluster.sync() is missing before this "
                  "line",
                  who_does_what(fault.access, c))};
}

Words describe(const SharedMemoryLeft& fault, const Circumstances& c) {
  return {
      FindingKind::out_of_bounds,
      fmt::format("{}, which is gone when that block returns: cluster.sync() is missing between "
                  "this line and the kernel's end",
                  who_does_what(fault.access, c))};
}

Words describe(const WrongTexture& fault, const Circumstances& c) {
  if (fault.texel_bytes == 0) {
    return {FindingKind::cuda_error,
            fmt::format("{} reads a texture that was never created, or that has been destroyed",
                        c.who())};
  }
  return {FindingKind::cuda_error,
          fmt::format("{} reads {} bytes at once from a texture whose texels have {}: make its "
                      "channels those of the type that tex1Dfetch names",
                      c.who(), fault.read_bytes, fault.texel_bytes)};
}

Words describe(const Race& fault, const Circumstances& c) {
  const std::string line = line_name(c.incident.place, c.incident.place);
  const std::string other = line_name(fault.other.place, c.incident.place);
  const auto* shared = std::get_if<SharedAccess>(&fault.access);
  const std::string what =
      shared ? name_of(*shared, c.launch) : name_of(std::get<MemoryAccess>(fault.access));
  const bool is_same_thread =
      c.incident.thread == fault.other.thread && c.incident.block == fault.other.block;
  const std::string also = is_same_thread ? "another thread"
                                          : fmt::format("thread {} of block {}",
                                                        thread_name(c.launch, fault.other.thread),
                                                        block_name(c.launch, fault.other.block));
  return {FindingKind::race, fmt::format("{} {} {}, and {} {} it in {}, in any order: {}", c.who(),
                                         verb(fault.kind, fault.is_write()), what, also,
                                         verb(fault.other.kind, fault.other.is_write), other,
                                         missing_order(fault, line, other))};
}

}  // namespace kata::emulator
