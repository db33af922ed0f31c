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

const char* writes_or_reads(bool is_write) {
  return is_write ? "writes" : "reads";
}

namespace {

bool is_device_memory(std::uintptr_t address) {
  return in_arena(reinterpret_cast<const void*>(address));
}

const char* verb(Accessor by, bool is_write) {
  if (by == Accessor::wgmma) return "has a wgmma read";
  if (by == Accessor::bulk_copy) return is_write ? "has a bulk copy write" : "has a bulk copy read";
  return writes_or_reads(is_write);
}

const char* verb(Mark::Kind kind, Accessor by, bool is_write) {
  if (kind == Mark::is_atomic) return is_write ? "atomically changes" : "atomically reads";
  return verb(by, is_write);
}

/// "thread (0,0,0) of block (0,0,0) reads x[12]"
std::string who_does_what(const MemoryAccess& access, const Circumstances& c) {
  return fmt::format("{} {} {}", c.who(), writes_or_reads(access.is_write), name_of(access));
}

std::string who_does_what(const SharedAccess& access, const Circumstances& c) {
  return fmt::format("{} {} {}", c.who(), verb(access.by, access.is_write),
                     name_of(access, c.launch));
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
    case AccessedBy::atomic:
      return "atomically";
    case AccessedBy::async_copy:
      return "(the piece of an asynchronous copy)";
    case AccessedBy::ldmatrix:
      return "(a row of ldmatrix)";
    case AccessedBy::stmatrix:
      return "(a row of stmatrix)";
    case AccessedBy::mbarrier:
      return "(an mbarrier)";
    case AccessedBy::bulk_copy:
      return "(of a bulk copy)";
  }
  return "";
}

/// What the phase lacks that counts the copy; nothing for one that was not looked up.
std::string phase_of_copy(const std::shared_ptr<const MissingPhase>& phase,
                          const Circumstances& c) {
  return phase ? "; at that mbarrier " + missing_in_words(*phase, c) : "";
}

/// Whether the block last met at a barrier between the two lines. Both accesses come after it, so
/// the one in the earlier line is of a later round of a loop.
bool has_barrier_between(const Race& race, const Circumstances& c) {
  const SourceLine line = source_line(c.incident.place), other = source_line(race.other.place),
                   barrier = source_line(race.barrier);
  return barrier.file == line.file && barrier.file == other.file && other.line < barrier.line &&
         barrier.line < line.line;
}

/// What is missing between two accesses, by how far apart their threads are.
std::string missing_order(const Race& race, const std::string& line, const std::string& other,
                          const Circumstances& c) {
  const bool atomic = race.kind == Mark::is_atomic || race.other.kind == Mark::is_atomic;
  const bool both_write = race.is_write() && race.other.is_write;
  const std::string between =
      line == other
          ? "after every round of " + line + "; or, if they all add to one element, atomicAdd()"
          : fmt::format("between {} and {}", other, line);
  if (race.kind == Mark::is_async && race.is_write())
    return "before the copy, wait for a barrier that all arrive at who used this memory";
  if (race.other.kind == Mark::is_async && race.other.is_write)
    return "wait for the phase of the copy's mbarrier, and then at a barrier, " + between +
           phase_of_copy(race.phase, c);
  if (race.kind == Mark::is_async || race.other.kind == Mark::is_async)
    return "a barrier is missing " + between +
           ": after the writes and fence.proxy.async, or, where a bulk store's buffer is used "
           "again, after the wait for its bulk group";
  const bool same_block = race.distance < Mark::blocks;
  const bool in_shared = std::holds_alternative<SharedAccess>(race.access);
  if (!same_block && in_shared) return "cluster.sync() is missing " + between;
  if (race.lacks_acquire)
    return "the flag does not order this read: __threadfence() is missing between the value and "
           "flag where they are written, after a barrier if two threads write them, or between the "
           "flag and the value where they are read";
  if (race.is_of_block_scope)
    return "an atomic of block scope is atomic among the threads of one block alone: where other "
           "blocks use the same address, use atomicAdd() and not atomicAdd_block(), or the scope "
           "of the device";
  if (!same_block && atomic)
    return "nothing orders blocks of one launch: make both accesses atomic, or use two launches";
  const bool overwrites = both_write && line == other;  // adding reads first what another wrote
  if (!same_block && overwrites)
    return "nothing orders blocks of one launch: do all of them mean the same element? If they "
           "add to it, use an atomic such as atomicAdd()";
  if (!same_block && (both_write || line == other))
    return "nothing orders blocks of one launch: use an atomic such as atomicAdd()";
  if (!same_block)
    return "nothing orders blocks of one launch: use two launches, grid.sync(), or __threadfence() "
           "and an atomic flag";
  if (overwrites)
    return "do all these threads mean the same element? Give each its own or, if they add to it, "
           "use an atomic";
  if (has_barrier_between(race, c))
    return fmt::format(
        "__syncthreads() is missing after {}, before the next round comes to {}: at "
        "the end of the loop",
        line, other);
  if (!in_shared)  // whether more blocks use it may depend on the size
    return fmt::format(
        "if only this block uses this memory, __syncthreads() is missing {}; if others do, nothing "
        "orders blocks of one launch: use two launches",
        between);
  if (race.distance == Mark::lanes)
    return "lanes of a warp do not run in step: __syncwarp() is missing " + between +
           (c.launch.threads_per_block > 32
                ? "; if other warps use this memory too, __syncthreads() is"
                : "");
  return "__syncthreads() is missing " + between +
         (line == other ? "" : " (in a loop: also at its end)");
}

}  // namespace

Words describe(const OutOfBounds& fault, const Circumstances& c) {
  const std::uintptr_t address = fault.access.address;
  const unsigned size = fault.access.size;
  const auto owner = owner_of(address);
  const auto variable = c.launch.variables->left(address, size);
  const std::string what =
      variable ? fmt::format("{} {} {}", c.who(), writes_or_reads(fault.access.is_write),
                             variable_name(address, variable->low))
               : who_does_what(fault.access, c);
  const bool before_start =
      (owner || variable) && address < (variable ? variable->low : owner->low);
  const auto text = [&]() -> std::string {
    if (!owner && !variable) return what + ", which is not an allocation";
    if (owner && owner->freed && owner->contains(address))
      return what + ", after " + (owner->on_heap ? "the kernel's free()" : "cudaFree") +
             " released it";
    if (before_start) return what + ", before its start";
    if (variable)
      return fmt::format("{}, past its end (it has {})", what,
                         plural(variable->high - variable->low, "byte", "bytes"));
    const ElementType& elements = owner->elements;
    return fmt::format(
        "{}, past the end of {} ({})", what, owner->name.empty() ? "its buffer" : owner->name,
        size < elements.bytes ? plural(owner->bytes, "byte", "bytes")
                              : elements_name(elements, owner->bytes / elements.bytes));
  };
  const bool is_freed = owner && owner->freed && owner->contains(address);
  std::string note;
  if (before_start) {
    note = "is an index negative, or did an unsigned one wrap around?";
  } else if ((owner || variable) && !is_freed) {
    const std::uintptr_t end = variable ? variable->high : owner->high();
    note =
        fault.lowest == end && fault.highest == end
            ? "only the first element past the end is touched: does a bounds check let one index "
              "too many through (`i <= n` for `i < n`), or is it missing?"
            : "is a bounds check such as `if (i < n)` missing?";
  }
  return {.kind = FindingKind::out_of_bounds,
          .message = text(),
          .note = std::move(note),
          .object = object_of(fault.access)};
}

Words describe(const SharedOutOfBounds& fault, const Circumstances& c) {
  const bool is_dynamic = fault.access.offset >= dynamic_offset;
  const char* const advice =
      !is_dynamic ? "is the array as large as the block needs?"
      : c.launch.config.shared_bytes == 0
          ? "the launch asks for no dynamic shared memory (its third argument)"
          : "the launch's third argument says how many bytes there are";
  return {.kind = FindingKind::out_of_bounds,
          .message = who_does_what(fault.access, c) + ", outside it",
          .note = advice,
          .object = object_of(fault.access, c.launch)};
}

Words describe(const IllegalAddress& fault, const Circumstances& c) {
  const std::uintptr_t address = fault.access.address;
  const std::string start = fmt::format("{} {} ", c.who(), writes_or_reads(fault.access.is_write));
  const auto text = [&]() -> std::string {
    if (address < 4096) return start + "through a null pointer";
    if (is_device_memory(address))
      return fmt::format("{}address {:#x}, far from any allocation", start, address);
    if (!is_mapped(address))
      return fmt::format("{}address {:#x}, which is not mapped", start, address);
    return start + "host memory";
  };
  const auto note = [&]() -> std::string {
    if (address < 4096) return {};
    if (is_device_memory(address)) return "is an index wrong by a lot?";
    if (!is_mapped(address)) return "is an index wrong by a lot, or too large for its type?";
    return "copy it to device memory with cudaMemcpy, and pass that address";
  };
  return {.kind = FindingKind::out_of_bounds, .message = text(), .note = note()};
}

Words describe(const PeerMissing& fault, const Circumstances& c) {
  const int device = c.launch.device;
  std::string note = fmt::format(
      "cudaDeviceEnablePeerAccess({}, 0) with device {} current is missing", fault.owner, device);
  if (fault.reverse) {
    note +=
        fmt::format(" (the reverse, {}, is enabled)", line_name(*fault.reverse, c.incident.place));
  }
  if (fault.pooled)
    note =
        "cudaDeviceEnablePeerAccess() does not cover memory of cudaMallocAsync(): use cudaMalloc()";
  return {.kind = FindingKind::out_of_bounds,
          .message =
              fmt::format("{}, memory of device {}", who_does_what(fault.access, c), fault.owner),
          .note = std::move(note),
          .object = object_of(fault.access)};
}

Words describe(const BadSubscript& fault, const Circumstances& c) {
  std::string type = fault.array_type;
  std::erase(type, '\'');
  return {.kind = FindingKind::out_of_bounds,
          .message = fmt::format("{} uses index {} of an array `{}`, whose last index is {}",
                                 c.who(), fault.index, type,
                                 std::strtoll(type.c_str() + type.find('[') + 1, nullptr, 10) - 1),
          .note = fault.index < 0 ? "is an index negative?"
                                  : "does a loop run once too often, or is the array too small?"};
}

Words describe(const IntegerOverflow& fault) {
  std::string type = fault.type;
  std::erase(type, '\'');
  return {.kind = FindingKind::integer_overflow,
          .message = fmt::format("{} {} {} does not fit the type `{}`", fault.left, fault.operation,
                                 fault.right, type),
          .severity = Severity::warning,
          .note = "compute it in std::size_t or std::int64_t: cast an operand first"};
}

Words describe(const StackOverflow&, const Circumstances& c) {
  return {.kind = FindingKind::out_of_bounds,
          .message = fmt::format("{} overflows its stack: calls and local arrays need more than "
                                 "{} KiB",
                                 c.who(), fiber_stack_bytes >> 10),
          .note = "does a recursion never end, or is a local array too large?"};
}

Words describe(const MissingReturn&, const Circumstances& c) {
  return {.kind = FindingKind::uninitialized,
          .message = fmt::format("{} reaches the end of a function that returns a value, without a "
                                 "return statement",
                                 c.who()),
          .note = "return a value on every path"};
}

Words describe(const ForeignLocal& fault, const Circumstances& c) {
  return {.kind = FindingKind::out_of_bounds,
          .message = fmt::format("{} {} a local variable of another thread, through a pointer that "
                                 "is valid in that thread only",
                                 c.who(), writes_or_reads(fault.is_write)),
          .note = "pass values through shared memory"};
}

Words describe(const Misaligned& fault, const Circumstances& c) {
  const auto& [address, size, is_write] = fault.access;
  std::string what = "shared memory";
  std::string advice = fault.by == AccessedBy::atomic
                           ? fmt::format(
                                 "the address of an atomic operation on {} bytes must be a "
                                 "multiple of {}; memory of a smaller type, cast to this "
                                 "one, need not begin at one",
                                 size, size)
                           : fmt::format("its address must be a multiple of {} bytes", size);
  const bool is_vector = fault.by == AccessedBy::load_or_store && size >= 8;
  if (is_vector) {
    advice = fmt::format("a vector of {} bytes ({}) must begin at a multiple of {} bytes", size,
                         size == 16 ? "float4, int4, double2" : "float2, int2, double", size);
  }
  if (const auto owner = is_device_memory(address) ? owner_of(address) : std::nullopt) {
    what = element_name(*owner, address, size);
    if (is_vector) advice += ": " + elements_name(owner->elements, size / owner->elements.bytes);
  }
  return {
      .kind = FindingKind::misaligned,
      .message = fmt::format("{} {} {} bytes {} at {}, which is not aligned to {} bytes", c.who(),
                             writes_or_reads(is_write), size, name_of(fault.by), what, size),
      .note = std::move(advice),
      .object = is_device_memory(address) ? object_of(fault.access) : ""};
}

Words describe(const MatrixMisaligned& fault, const Circumstances& c) {
  if (fault.bytes_apart % 16 != 0) {
    return {
        .kind = FindingKind::misaligned,
        .message = fmt::format("{} gives wmma a matrix whose rows or columns are {} bytes apart "
                               "(ldm)",
                               c.who(), fault.bytes_apart),
        .note = "the distance must be a multiple of 16 bytes: 8 elements of half or 4 of float"};
  }
  // Tiles of 16 bytes of int8 side by side: CUDA's own samples load them, and devices do.
  const bool works = fault.element_bytes == 1 && fault.address % 16 == 0;
  return {.kind = FindingKind::misaligned,
          .message = fmt::format("{} gives wmma a matrix at {:#x}", c.who(), fault.address),
          .severity = works ? Severity::warning : Severity::error,
          .note = "the address of its first element must be a multiple of 32"};
}

Words describe(const LayoutAssumed& fault, const Circumstances& c) {
  const bool read = fault.how == LayoutAssumed::read;
  return {.kind = FindingKind::unsupported,
          .message = read ? "no store_matrix_sync() takes what mma_sync() computes here; if the "
                            "kernel reads its elements one by one, the results depend on the device"
                          : c.who() +
                                " gives wmma a fragment whose elements were set one by one, "
                                "so the results depend on the device",
          .severity = Severity::warning,
          .note = read ? "CUDA leaves open which element of the matrix a lane's x[i] is: store the "
                         "fragment to shared memory with store_matrix_sync()"
                       : "CUDA leaves open which element of the matrix a lane's x[i] is: use "
                         "load_matrix_sync() or fill_fragment(); ldmatrix is for mma.sync"};
}

Words describe(const InputModified& fault, const Circumstances& c) {
  return {.kind = FindingKind::input_modified,
          .message = fmt::format("{} writes {}, an input", c.who(), name_of(fault.access)),
          .note = "inputs are const: write to the output, or to memory of your own",
          .object = object_of(fault.access)};
}

Words describe(const ConstantModified& fault, const Circumstances& c) {
  return {
      .kind = FindingKind::input_modified,
      .message = fmt::format("{} writes {}, which is __constant__", c.who(), name_of(fault.access)),
      .note =
          "kernels may go on reading the old value: copy to it from the host, with "
          "cudaMemcpyToSymbol()",
      .object = object_of(fault.access)};
}

Words describe(const Uninitialized& fault, const Circumstances& c) {
  const bool is_buffer = owner_of(fault.access.address).has_value();
  return {
      .kind = FindingKind::uninitialized,
      .message =
          fmt::format("{} reads {}, which nothing has written yet", c.who(), name_of(fault.access)),
      .note = is_buffer ? "no buffer arrives as zeros: cudaMemset it before the launch, or write "
                          "before reading"
                        : "",
      .object = object_of(fault.access)};
}

Words describe(const SharedUninitialized& fault, const Circumstances& c) {
  return {.kind = FindingKind::uninitialized,
          .message = fmt::format("{} reads {}, which no thread of the block has written yet",
                                 c.who(), name_of(fault.access, c.launch)),
          .object = object_of(fault.access, c.launch)};
}

Words describe(const CopyNotArrived& fault, const Circumstances& c) {
  return {
      .kind = FindingKind::race,
      .message =
          fmt::format("{} before the asynchronous copy of {} has arrived",
                      who_does_what(fault.access, c), line_name(fault.copy, c.incident.place)),
      .note = fault.is_bulk
                  ? "wait for the phase of the mbarrier that the copy counts at, in each thread "
                    "that uses the bytes, or before a barrier" +
                        phase_of_copy(fault.phase, c)
                  : "commit the copy, wait for its group (__pipeline_wait_prior, "
                    "cp.async.wait_group, consumer_wait), then use a barrier if other threads "
                    "read it",
      .object = object_of(fault.access, c.launch)};
}

Words describe(const InvalidFree& fault, const Circumstances& c) {
  const auto owner = owner_of(fault.address);
  const std::string text = c.who() + " frees ";
  if (!owner || !owner->on_heap)
    return {.kind = FindingKind::out_of_bounds,
            .message = text + "a pointer that neither malloc() nor new in a kernel returned",
            .note = "memory from cudaMalloc() is released with cudaFree()"};
  if (owner->freed)
    return {FindingKind::out_of_bounds,
            text + buffer_name(*owner) + ", which has been freed before"};
  return {.kind = FindingKind::out_of_bounds,
          .message = fmt::format("{}{}, which is not its start", text,
                                 element_name(*owner, fault.address, 1)),
          .note = "free the pointer that malloc() or new returned"};
}

Words describe(const HostAccess& fault) {
  const auto& [address, size, is_write] = fault.access;
  const auto owner = owner_of(address);
  return {.kind = FindingKind::out_of_bounds,
          .message = fmt::format("host code {} device memory ({})", writes_or_reads(is_write),
                                 owner ? element_name(*owner, address, size) : "no allocation"),
          .note = "only kernels can access it; use cudaMemcpy in host code",
          .object = owner ? owner->name : ""};
}

Words describe(const LibraryAccess& fault) {
  const auto& [address, size, is_write] = fault.access;
  const auto owner = owner_of(address);
  return {.kind = FindingKind::out_of_bounds,
          .message = fmt::format("the library called here {} {}", writes_or_reads(is_write),
                                 owner ? element_name(*owner, address, size)
                                       : "device memory that was never allocated"),
          .note = "does the range that it was given end where the buffer ends?",
          .object = owner ? owner->name : ""};
}

Words describe(const SharedMemoryEarly& fault, const Circumstances& c) {
  return {.kind = FindingKind::out_of_bounds,
          .message = who_does_what(fault.access, c) + ", and that block may not have begun",
          .note = "cluster.sync() is missing before this line"};
}

Words describe(const SharedMemoryLeft& fault, const Circumstances& c) {
  return {.kind = FindingKind::out_of_bounds,
          .message = who_does_what(fault.access, c) + ", which is gone when that block returns",
          .note = "cluster.sync() is missing between this line and the kernel's end"};
}

Words describe(const WrongTexture& fault, const Circumstances& c) {
  if (fault.wrong_shape) {
    return {.kind = FindingKind::cuda_error,
            .message = c.who() + " uses a texture or surface of another shape",
            .note =
                "tex1Dfetch() reads linear memory, tex2D() and surf2Dread() arrays, and the "
                "...Layered() functions arrays with cudaArrayLayered"};
  }
  if (fault.texel_bytes == 0) {
    return {.kind = FindingKind::cuda_error,
            .message = c.who() +
                       " uses a texture or surface that was never created or has been destroyed"};
  }
  return {.kind = FindingKind::cuda_error,
          .message = fmt::format("{} reads {} bytes at once from a texture whose texels have {}",
                                 c.who(), fault.read_bytes, fault.texel_bytes),
          .note = "the texture's channels must match the type that the fetch names"};
}

Words describe(const OutsideSurface& fault, const Circumstances& c) {
  const bool aligned = fault.at[0] % static_cast<int>(fault.bytes) == 0;
  return {.kind = aligned ? FindingKind::out_of_bounds : FindingKind::misaligned,
          .message = fmt::format("{} uses {} bytes at byte {} of row {} of a surface that has {} "
                                 "rows of {} bytes",
                                 c.who(), fault.bytes, fault.at[0], fault.at[1], fault.rows,
                                 fault.row_bytes),
          .note = "the x coordinate of a surface counts bytes: x * sizeof(element)"};
}

Words describe(const Race& fault, const Circumstances& c) {
  const std::string line = line_name(c.incident.place, c.incident.place);
  const std::string other = line_name(fault.other.place, c.incident.place);
  const auto* shared = std::get_if<SharedAccess>(&fault.access);
  const std::string what =
      shared ? name_of(*shared, c.launch) : name_of(std::get<MemoryAccess>(fault.access));
  const Accessor by = shared ? shared->by : Accessor::thread;
  const bool is_same_thread =
      c.incident.thread == fault.other.thread && c.incident.block == fault.other.block;
  // Of several threads of several blocks, the one that is kept may be of this block.
  const bool is_of_another_block =
      fault.distance == Mark::blocks && c.incident.block == fault.other.block;
  const std::string also = is_of_another_block ? "a thread of another block"
                           : is_same_thread    ? "another thread"
                                               : fmt::format("thread {} of block {}",
                                                             thread_name(c.launch, fault.other.thread),
                                                             block_name(c.launch, fault.other.block));
  return {
      .kind = FindingKind::race,
      .message = fmt::format("{} {} {}, and {} {} it in {}; nothing says which comes first",
                             c.who(), verb(fault.kind, by, fault.is_write()), what, also,
                             verb(fault.other.kind, fault.other.by, fault.other.is_write), other),
      .note = missing_order(fault, line, other, c),
      .object =
          shared ? object_of(*shared, c.launch) : object_of(std::get<MemoryAccess>(fault.access))};
}

Words describe(const ReadOnlyWritten& fault, const Circumstances& c) {
  return {.kind = FindingKind::race,
          .message =
              fmt::format("{} reads {} by __ldg() or ld.global.nc, and {} of the same launch "
                          "writes it",
                          c.who(), name_of(fault.access), line_name(fault.write, c.incident.place)),
          .note =
              "the read-only cache may hold an older value: use an ordinary load, or let an "
              "earlier launch write it",
          .object = object_of(fault.access)};
}

}  // namespace kata::emulator
