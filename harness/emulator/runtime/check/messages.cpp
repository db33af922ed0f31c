// Events in words: what happened, to whom, and what to look for.

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/check/names.h"
#include "emulator/runtime/memory/variables.h"

namespace kata::emulator {
namespace {

std::string who(const Event& event, const Launch& launch) {
  return fmt::format("thread {} of block {}", thread_name(launch, event.thread),
                     block_name(launch, event.block));
}

std::string device_access(const Event& event) {
  const auto owner = DeviceMemory::instance().owner(event.address);
  const std::string width = event.size > 4 ? fmt::format("{} bytes at ", event.size) : "";
  return width +
         (owner ? element_name(*owner, event.address, event.size) : variable_name(event.address));
}

const char* verb(const Event& event) {
  return event.is_write ? "writes" : "reads";
}

std::string out_of_bounds(const Event& event, const Launch& launch) {
  const auto owner = DeviceMemory::instance().owner(event.address);
  const auto variable = launch.variables->left(event.address, event.size);
  const std::string what =
      fmt::format("{} {} {}", who(event, launch), verb(event),
                  variable ? variable_name(event.address, variable->low) : device_access(event));
  if (!owner && !variable) return what + ", which is no allocation";
  if (owner && owner->freed && owner->contains(event.address))
    return what + ", after " + (owner->on_heap ? "the kernel's free()" : "cudaFree") +
           " released it";
  if (event.address < (variable ? variable->low : owner->low))
    return what + ", before its start: is an index negative, or did an unsigned one wrap round?";
  const char* const advice = "is a bounds check such as `if (i < n)` missing?";
  if (variable)
    return fmt::format("{}, past its end (it has {}): {}", what,
                       plural(variable->high - variable->low, "byte", "bytes"), advice);
  const Element element{event.size < 4 ? std::size_t{1} : 4};
  return fmt::format("{}, past its end ({} has {}): {}", what,
                     owner->name.empty() ? "it" : owner->name,
                     element.name(owner->bytes / element.bytes, !owner->name.empty()), advice);
}

/// The __shared__ variable at or before this offset.
std::string shared_access(const Event& event, const Launch& launch) {
  std::string name = "dynamic shared memory";
  std::size_t low = dynamic_offset, size = launch.config.shared_bytes;
  if (event.address < dynamic_offset) {
    name = "shared memory";
    low = size = 0;
    for (const auto& variable : launch.shared.variables()) {
      if (variable.offset > event.address && size > 0) continue;
      name = variable.name;
      low = variable.offset;
      size = variable.size;
    }
  }
  if (event.memory_of != its_own) name += " of block " + block_name(launch, event.memory_of);
  const auto offset = static_cast<std::int64_t>(event.address - low);
  if (event.size < 4) return fmt::format("byte {} of {} ({} bytes)", offset, name, size);
  return fmt::format("4-byte word {} of {} ({} words)", offset / 4, name, size / 4);
}

std::string shared_out_of_bounds(const Event& event, const Launch& launch) {
  std::string text = fmt::format("{} {} {}, outside it", who(event, launch), verb(event),
                                 shared_access(event, launch));
  if (event.address >= dynamic_offset && launch.config.shared_bytes == 0)
    return text + ": the launch asks for no dynamic shared memory (its third argument)";
  if (event.address >= dynamic_offset)
    return text + ": the launch's third argument says how many bytes there are";
  return text + ": is the array as large as the block needs?";
}

/// `text` is the array's type as the compiler writes it, quoted: "'float [32][33]'".
std::string subscript(const Event& event, const Launch& launch) {
  std::string type = event.text;
  std::erase(type, '\'');
  const auto index = static_cast<std::int64_t>(event.amount);
  return fmt::format(
      "{} takes element {} of an array `{}`, whose elements are 0 to {}: {}", who(event, launch),
      index, type, std::strtoll(type.c_str() + type.find('[') + 1, nullptr, 10) - 1,
      index < 0 ? "is an index negative?" : "is a loop one too long, or the dimension too small?");
}

/// Whether the process has a page there.
bool is_mapped(std::uint64_t address) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address & ~(page - 1)), 1, &resident) == 0;
}

std::string illegal_address(const Event& event, const Launch& launch) {
  const std::string start = fmt::format("{} {} ", who(event, launch), verb(event));
  if (event.address < 4096) return start + "through a null pointer";
  if (in_arena(reinterpret_cast<const void*>(event.address)))
    return fmt::format("{}address {:#x}, far from any allocation: is an index wrong by a lot?",
                       start, event.address);
  if (!is_mapped(event.address))
    return fmt::format(
        "{}address {:#x}, which is no memory at all: is an index wrong by a lot, or too large for "
        "its type?",
        start, event.address);
  return fmt::format(
      "{}address {:#x}, which is not device memory: host memory must be copied with cudaMemcpy "
      "before a kernel can use it",
      start, event.address);
}

std::string misaligned(const Event& event, const Launch& launch) {
  const bool in_device_memory = in_arena(reinterpret_cast<const void*>(event.address));
  std::string what = "shared memory";
  if (in_device_memory) {
    const auto owner = DeviceMemory::instance().owner(event.address);
    if (owner) what = element_name(*owner, event.address, event.size);
  }
  const std::string access = event.text ? fmt::format("({})", event.text) : "at once";
  std::string advice = fmt::format("its address must be a multiple of {}", event.size);
  if (!event.text && event.size >= 8) {
    advice = fmt::format(
        "a vector of {} bytes ({}) needs an index that is a multiple of {} floats from the start "
        "of the buffer",
        event.size, event.size == 16 ? "float4, int4, double2" : "float2, int2, double",
        event.size / 4);
  }
  return fmt::format("{} {} {} bytes {} at {}, which is not aligned to {} bytes: {}",
                     who(event, launch), verb(event), event.size, access, what, event.size, advice);
}

std::string freed_wrongly(const Event& event, const Launch& launch) {
  const auto owner = DeviceMemory::instance().owner(event.address);
  const std::string text = who(event, launch) + " frees ";
  if (!owner || !owner->on_heap)
    return text +
           "what neither malloc() nor new in a kernel gave: what cudaMalloc() gave, "
           "cudaFree() takes back";
  if (owner->freed) return text + buffer_name(*owner) + ", which has been freed before";
  return fmt::format("{}{}, which is not its start: free the pointer that malloc() or new gave",
                     text, element_name(*owner, event.address, 1));
}

std::string matrix_misaligned(const Event& event, const Launch& launch) {
  if (event.amount % 16 == 0)
    return fmt::format(
        "{} gives wmma a matrix at {:#x}: the address of its first element must be "
        "a multiple of 32",
        who(event, launch), event.address);
  return fmt::format(
      "{} gives wmma a matrix whose rows or columns are {} bytes apart (ldm): that "
      "must be a multiple of 16 bytes, 8 elements of half or 4 of float",
      who(event, launch), event.amount);
}

std::string host_access_text(const Event& event) {
  const auto owner = DeviceMemory::instance().owner(event.address);
  return fmt::format(
      "host code {} device memory ({}): only kernels can, the host goes through cudaMemcpy",
      verb(event), owner ? element_name(*owner, event.address, event.size) : "no allocation");
}

std::string barrier_exited(const Event& event, const Launch& launch) {
  return fmt::format(
      "{} of block {} had returned (thread {} is one) when the others met at __syncthreads(): "
      "every "
      "thread of the block must reach it, so guard the work and not the barrier",
      plural(event.amount, "thread", "threads"), block_name(launch, event.block),
      thread_name(launch, event.other_thread));
}

std::string barrier_mixed(const Event& event, const Launch& launch) {
  return fmt::format(
      "thread {} of block {} waits at this __syncthreads() while thread {} waits at the one in {}: "
      "all threads of a block must meet at the same one",
      thread_name(launch, event.thread), block_name(launch, event.block),
      thread_name(launch, event.other_thread), line_name(event.other, event.place));
}

std::string mask_text(const Event& event, const Launch& launch) {
  switch (event.kind) {
    case EventKind::mask_without_caller:
      return fmt::format("{} calls {} with mask {:#010x}, which does not name its own lane {}",
                         who(event, launch), event.text, event.amount, event.thread % 32);
    case EventKind::mask_exited:
      return fmt::format("{} calls {} with a mask that names lanes which have returned ({:#010x})",
                         who(event, launch), event.text, event.amount);
    default:
      return fmt::format(
          "{} reads lane {} in {}, but that lane has returned, so the value is undefined: let all "
          "lanes of the warp take part",
          who(event, launch), event.amount, event.text);
  }
}

std::string deadlock(const Event& event, const Launch& launch) {
  std::string text = fmt::format("{} waits at {} for ever", who(event, launch), event.text);
  if (event.other != Place{}) {
    text += fmt::format(", while thread {} waits in {}", thread_name(launch, event.other_thread),
                        line_name(event.other, event.place));
  }
  if (event.amount > 0) {
    text += fmt::format(" ({} of the block returned)", plural(event.amount, "thread", "threads"));
  }
  return text;
}

std::string never_resident(const Event& event, const Launch& launch) {
  return fmt::format(
      "{} waits here for a block that cannot begin: {} blocks of this launch fit on the device at "
      "once, all of them wait, and the grid has {}. Let a block wait only for blocks that began "
      "before it (its number from an atomic counter, not blockIdx), or launch no more than fit",
      who(event, launch), event.amount, launch.blocks);
}

/// What is missing between two accesses, by how far apart their threads are.
std::string missing_order(const Event& event, const std::string& line, const std::string& other) {
  const bool atomic = std::strstr(event.text, "atomic") || std::strstr(event.other_text, "atomic");
  const bool both_write =
      !std::strstr(event.text, "read") && !std::strstr(event.other_text, "read");
  const std::string between =
      line == other
          ? "after every round of " + line + "; or, if they all add to one element, atomicAdd()"
          : fmt::format("between {} and {}", other, line);
  const bool same_block = event.amount < Mark::blocks;
  if (!same_block && event.in_shared) return "cluster.sync() is missing " + between;
  if (!same_block && atomic)
    return "nothing orders blocks of one launch: make both accesses atomic, or use two launches";
  if (!same_block && (both_write || line == other))
    return "nothing orders blocks of one launch: use an atomic such as atomicAdd()";
  if (!same_block)
    return "nothing orders blocks of one launch: use two launches, grid.sync(), or __threadfence() "
           "and an atomic flag";
  if (line == other && both_write) return "give each thread its own element, or use an atomic";
  if (event.amount == Mark::lanes)
    return "lanes of a warp do not run in step: __syncwarp() is missing " + between;
  return "__syncthreads() is missing " + between +
         (line == other ? "" : " (in a loop: also at its end)");
}

std::string race(const Event& event, const Launch& launch) {
  const std::string line = line_name(event.place, event.place);
  const std::string other = line_name(event.other, event.place);
  const std::string what = event.in_shared ? shared_access(event, launch) : device_access(event);
  const std::string also =
      event.thread == event.other_thread && event.block == event.other_block
          ? "another thread"
          : fmt::format("thread {} of block {}", thread_name(launch, event.other_thread),
                        block_name(launch, event.other_block));
  return fmt::format("{} {} {}, and {} {} it in {}, in any order: {}", who(event, launch),
                     event.text, what, also, event.other_text, other,
                     missing_order(event, line, other));
}

/// The finding is at the later of a race's two lines: what is missing belongs before it.
Event at_later_line(Event event) {
  const SourceLine line = source_line(event.place), other = source_line(event.other);
  if (event.kind != EventKind::race || line.file != other.file || line.line >= other.line)
    return event;
  std::swap(event.place, event.other);
  std::swap(event.block, event.other_block);
  std::swap(event.thread, event.other_thread);
  std::swap(event.text, event.other_text);
  return event;
}

std::string copy_not_arrived(const Event& event, const Launch& launch) {
  return fmt::format(
      "{} {} {} before the wait: the asynchronous copy of {} has not arrived. Commit it, wait for "
      "its group (__pipeline_wait_prior, cp.async.wait_group, consumer_wait), then meet at a "
      "barrier if other threads use it",
      who(event, launch), verb(event), shared_access(event, launch),
      line_name(event.other, event.place));
}

std::string wrong_texture(const Event& event, const Launch& launch) {
  if (event.amount == 0) {
    return fmt::format("{} reads a texture that was never created, or that has been destroyed",
                       who(event, launch));
  }
  return fmt::format(
      "{} reads {} bytes at once from a texture whose texels have {}: make its "
      "channels those of the type that tex1Dfetch names",
      who(event, launch), event.size, event.amount);
}

struct Words {
  FindingKind kind;
  std::string message;
  Severity severity = Severity::error;
};

Words words_of(const Event& event, const Launch& launch) {
  switch (event.kind) {
    case EventKind::out_of_bounds:
      return {FindingKind::out_of_bounds, out_of_bounds(event, launch)};
    case EventKind::shared_out_of_bounds:
      return {FindingKind::out_of_bounds, shared_out_of_bounds(event, launch)};
    case EventKind::illegal_address:
      return {FindingKind::out_of_bounds, illegal_address(event, launch)};
    case EventKind::subscript:
      return {FindingKind::out_of_bounds, subscript(event, launch)};
    case EventKind::stack_overflow:
      return {FindingKind::out_of_bounds,
              fmt::format("{} needs more than the {} KiB of local memory that the emulator gives a "
                          "thread: is a local array too large, or a recursion too deep?",
                          who(event, launch), fiber_stack_bytes >> 10)};
    case EventKind::foreign_local:
      return {FindingKind::out_of_bounds,
              fmt::format("{} {} a local variable of another thread, through a pointer that only "
                          "means something to its own thread: hand values over in shared memory",
                          who(event, launch), verb(event))};
    case EventKind::misaligned:
      return {FindingKind::misaligned, misaligned(event, launch)};
    case EventKind::matrix_misaligned:
      return {FindingKind::misaligned, matrix_misaligned(event, launch)};
    case EventKind::input_modified:
      return {FindingKind::input_modified,
              fmt::format("{} writes {}, an input: inputs are const, so write to the output or to "
                          "memory of your own",
                          who(event, launch), device_access(event))};
    case EventKind::uninitialized:
      return {FindingKind::uninitialized, fmt::format("{} reads {}, which nothing has written yet",
                                                      who(event, launch), device_access(event))};
    case EventKind::shared_uninitialized:
      return {FindingKind::uninitialized,
              fmt::format("{} reads {}, which no thread of the block has written yet",
                          who(event, launch), shared_access(event, launch))};
    case EventKind::barrier_exited:
      return {FindingKind::barrier_divergence, barrier_exited(event, launch)};
    case EventKind::barrier_mixed:
      return {FindingKind::barrier_divergence, barrier_mixed(event, launch)};
    case EventKind::mask_exited:
      return {FindingKind::barrier_divergence, mask_text(event, launch), Severity::warning};
    case EventKind::mask_without_caller:
    case EventKind::shuffle_from_exited:
      return {FindingKind::barrier_divergence, mask_text(event, launch)};
    case EventKind::deadlock:
      return {FindingKind::deadlock, deadlock(event, launch)};
    case EventKind::never_resident:
      return {FindingKind::deadlock, never_resident(event, launch)};
    case EventKind::copy_not_arrived:
      return {FindingKind::race, copy_not_arrived(event, launch)};
    case EventKind::barrier_not_initialized:
      return {FindingKind::uninitialized,
              fmt::format("{} uses a cuda::barrier that no thread has initialised: let one thread "
                          "call init(&barrier, count), then __syncthreads()",
                          who(event, launch))};
    case EventKind::freed_wrongly:
      return {FindingKind::out_of_bounds, freed_wrongly(event, launch)};
    case EventKind::grid_incomplete:
      return {FindingKind::deadlock,
              fmt::format("{} waits at grid.sync() for ever: {} of the grid returned without it",
                          who(event, launch), plural(event.amount, "block", "blocks"))};
    case EventKind::grid_sync_not_cooperative:
      return {FindingKind::invalid_launch,
              "grid.sync() needs all blocks of the grid on the device at once: launch the kernel "
              "with cudaLaunchCooperativeKernel"};
    case EventKind::shared_too_large:
      return {FindingKind::invalid_launch,
              fmt::format("{} bytes of static and dynamic shared memory, where a block of this "
                          "kernel may have {}",
                          event.amount, event.size)};
    case EventKind::shared_memory_early:
      return {FindingKind::out_of_bounds,
              fmt::format("{} {} {}, and that block may not have begun: cluster.sync() is missing "
                          "before this line",
                          who(event, launch), verb(event), shared_access(event, launch))};
    case EventKind::shared_memory_left:
      return {FindingKind::out_of_bounds,
              fmt::format("{} {} {}, which is gone when that block returns: cluster.sync() is "
                          "missing between this line and the kernel's end",
                          who(event, launch), verb(event), shared_access(event, launch))};
    case EventKind::trapped:
      return {FindingKind::cuda_error, "the kernel ended itself with __trap()"};
    case EventKind::assertion_failed:
      return {FindingKind::cuda_error, fmt::format("assert({}) failed", event.text)};
    case EventKind::wrong_texture:
      return {FindingKind::cuda_error, wrong_texture(event, launch)};
    case EventKind::unsupported:
      return {FindingKind::unsupported, fmt::format("the emulator does not have {}", event.text)};
    case EventKind::timeout:
      return {FindingKind::timeout,
              fmt::format("{} was still here after {} memory accesses of this launch: "
                          "does a loop never end?",
                          who(event, launch), event.amount)};
    case EventKind::race:
      return {FindingKind::race, race(event, launch)};
    case EventKind::host_access:
      break;
  }
  return {FindingKind::out_of_bounds, host_access_text(event)};
}

}  // namespace

Finding finding_of(const Event& seen, const Launch* launch) {
  const Event event = at_later_line(seen);
  const Words words = launch ? words_of(event, *launch)
                             : Words{FindingKind::out_of_bounds, host_access_text(event)};
  const SourceLine line = source_line(event.place);
  Finding finding;
  finding.kind = words.kind;
  finding.severity = words.severity;
  finding.file = line.file;
  finding.line = line.line;
  if (launch) finding.kernel = launch->name;
  finding.message = words.message;
  return finding;
}

}  // namespace kata::emulator
