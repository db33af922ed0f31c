// Allocation, copies and fills.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "emulator/runtime/api/copies.h"
#include "emulator/runtime/api/device_ranges.h"
#include "emulator/runtime/api/devices.h"
#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graphs.h"
#include "emulator/runtime/api/pending.h"
#include "emulator/runtime/api/repeats.h"
#include "emulator/runtime/api/runtime.h"
#include "emulator/runtime/api/streams.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/check/stream_races.h"
#include "emulator/runtime/launch/host_copies.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/variables.h"

using namespace kata::emulator;

namespace {

DeviceMemory& memory() {
  return DeviceMemory::instance();
}

/// CUDA C++ Programming Guide, "Stream-Ordered Memory Allocator": cudaMalloc and cudaFree cause the
/// GPU to synchronize across all executing streams. "Implicit Synchronization" says so of
/// page-locked memory.
/// Kernels that wait for others do not hinder them: so two H200s have it (tests/gpu/devices).
void wait_as_allocations_do() {
  if (Pending::instance().is_busy(current_device())) return;
  StreamOrder::instance().host_waits_for_device(current_device());
}

/// To give it back waits for the device that it belongs to.
void wait_as_frees_do(const void* pointer, const HostCall& call) {
  const auto owner = memory().owner(address_of(pointer));
  const int device = owner ? owner->device : current_device();
  Pending::instance().finish_device(device, call);
  StreamOrder::instance().host_waits_for_device(device);
}

cudaError_t allocate(void** pointer, std::size_t bytes, MemoryType type, const char* function,
                     Place place, bool pooled = false) {
  KATA_RETURN_STICKY();
  if (!pointer)
    return fail(cudaErrorInvalidValue, function, "the pointer to the result is null", place);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const bool is_sampled = Runtime::instance().options.sampled_blocks > 0 && place != Place{};
  // Host code would read there what has not been computed.
  if (is_sampled && type != MemoryType::device) Runtime::instance().end_call_early();
  *pointer = memory().allocate(bytes, type, place, pooled);
  constexpr std::uint32_t spoilt = 0x7fa5a5a5;  // NaN
  if (*pointer && type == MemoryType::device && Runtime::instance().options.spoils_new_memory)
    repeat_pages(address_of(*pointer), bytes, std::as_bytes(std::span(&spoilt, 1)));
  // Host code may fill it in ways that nothing shows: fread(), a stream's read().
  if (*pointer && type != MemoryType::device) memory().mark_from_host(address_of(*pointer), bytes);
  if (*pointer) return cudaSuccess;
  // A device may have more, but none has this much: the number of bytes has overflowed.
  constexpr std::size_t beyond_any = std::size_t{1} << 42;
  const bool device_may_have_it = is_sampled && bytes < beyond_any;
  if (device_may_have_it) Runtime::instance().end_call_early();
  return fail(cudaErrorMemoryAllocation, function,
              fmt::format("{} bytes wanted, {} of the emulator's {} are free (is the address space "
                          "limited?)",
                          bytes, memory().bytes_free(), memory().bytes_total()),
              place, device_may_have_it ? Severity::warning : Severity::error);
}

cudaError_t release(void* pointer, const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (!pointer || memory().release(pointer)) return cudaSuccess;
  const auto owner = memory().owner(address_of(pointer));
  std::string reason = "the pointer is not from cudaMalloc";
  if (owner && owner->freed) reason = "the buffer has been freed before";
  if (owner && !owner->freed) reason = "the pointer is not the start of its buffer";
  if (owner && owner->on_heap) reason = "a kernel allocated the buffer, and a kernel must free it";
  return fail(cudaErrorInvalidValue, function, reason, place);
}

bool is_symbol(const void* pointer) {
  return memory().bytes_of_symbol(address_of(pointer)) > 0;
}

/// While a copy or a fill uses variables of the module, of the current device: no kernel runs.
std::unique_lock<std::mutex> use_variables(const void* to, const void* from) {
  if (device_count() == 1) return {};
  const bool writes = is_symbol(to), reads = from && is_symbol(from);
  if (!writes && !reads) return {};
  std::unique_lock lock(Runtime::instance().launching);
  if (reads) ModuleVariables::beside(from).use(address_of(from), current_device(), false);
  if (writes) ModuleVariables::beside(to).use(address_of(to), current_device(), true);
  return lock;
}

/// One end of a copy. `is_device`: what the copy's kind says it is. Device memory is found by its
/// address, even if the kind says host, as on a device with unified addressing.
std::string check_end(const char* name, const void* pointer, std::size_t bytes, cudaMemcpyKind kind,
                      bool is_device) {
  if (!pointer) return fmt::format("the {} is a null pointer", name);
  if (in_arena(pointer)) {
    const std::string reason = check_device_range(pointer, bytes);
    return reason.empty() ? "" : fmt::format("the {} {}", name, reason);
  }
  if (kind != cudaMemcpyDefault && is_device && !memory().is_registered(address_of(pointer)) &&
      !is_symbol(pointer))
    return fmt::format("the {} is host memory, but the kind of the copy says device memory", name);
  return "";
}

bool is_to_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

bool is_from_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

std::string check_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  std::string reason = check_end("destination", to, bytes, kind, is_to_device(kind));
  if (reason.empty()) reason = check_end("source", from, bytes, kind, is_from_device(kind));
  return reason;
}

/// CUDA calls a copy undefined whose kind is not that of its pointers, though it succeeds.
void warn_of_kind(const void* to, const void* from, cudaMemcpyKind kind, const char* function,
                  Place place) {
  if (kind == cudaMemcpyDefault) return;
  const auto misnamed = [](const void* pointer, bool is_device) {
    return in_arena(pointer) && !is_device && !host_may_use(pointer);
  };
  const bool source = misnamed(from, is_from_device(kind));
  if (!source && !misnamed(to, is_to_device(kind))) return;
  const SourceLine line = source_line(place);
  Findings::instance().add(
      {FindingKind::cuda_error, Severity::warning, line.file, line.line, "",
       fmt::format("the {} of {} is device memory, but the kind of the copy says host memory: it "
                   "works, though CUDA's documentation calls it undefined",
                   source ? "source" : "destination", function)});
}

/// The call as the order of streams sees it: a candidate's, or one without a place (queue_copy()).
/// Otherwise the harness waits for all.
std::optional<Transfer> transfer_of(const CopyCall& call, const char* verb = nullptr) {
  if (call.place.code && !in_loaded_module(call.place.code)) return {};
  return std::make_optional<Transfer>(call.function, stream_of(call.stream), call.place, verb);
}

/// A candidate that copies to the host what no kernel has written.
void check_written(const void* from, std::size_t bytes, const char* function, Place place) {
  const std::size_t unwritten = DeviceMemory::first_unwritten(address_of(from), bytes);
  if (unwritten == bytes) return;
  const auto owner = memory().owner(address_of(from));
  const SourceLine line = source_line(place);
  Findings::instance().add(
      {FindingKind::uninitialized, Severity::warning, line.file, line.line, "",
       fmt::format("{} copies {} to the host, of which nothing has written byte {} yet", function,
                   owner->name.empty() ? "a buffer" : owner->name,
                   address_of(from) + unwritten - owner->low)});
}

/// Where not all of a kernel has run, host code that gets what one writes goes on with other
/// numbers.
void stop_before_unknown(const void* to, const void* from, std::size_t bytes) {
  if (Runtime::instance().runs_all() || in_arena(to) || !in_arena(from)) return;
  if (DeviceMemory::first_unwritten(address_of(from), bytes) < bytes)
    Runtime::instance().end_call_early();
}

/// A copy or fill of one of the program's own buffers: sampled blocks need not be who writes last.
void write_beside_sample(const void* to) {
  if (Runtime::instance().runs_all() || !in_arena(to)) return;
  const auto owner = memory().owner(address_of(to));
  if (owner && owner->place == Place{}) Runtime::instance().sampled.is_partial = true;
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
  if (!in_arena(to)) return;
  if (in_arena(from)) {
    memory().copy_marks(address_of(to), address_of(from), bytes);
  } else {
    memory().mark_from_host(address_of(to), bytes);
  }
}

/// Of device memory; nothing of what else a copy may use.
std::optional<int> owning_device(const void* pointer) {
  const auto owner = in_arena(pointer) ? memory().owner(address_of(pointer)) : std::nullopt;
  if (!owner || owner->type != MemoryType::device) return {};
  return owner->device;
}

/// While a copy between two devices is in the default stream of the current one. CUDA Programming
/// Guide, "Programming Systems with Multiple GPUs": it begins when all that was issued to either
/// has ended, and what is issued later to either begins when it has. Two H200s do not wait for
/// kernels in non-blocking streams (tests/gpu/devices).
class BetweenDevices {
 public:
  BetweenDevices(const void* to, const void* from, cudaStream_t stream, const HostCall& call)
      : stream_(stream) {
    if (device_count() == 1 || !is_default_stream(stream)) return;
    const auto a = owning_device(to), b = owning_device(from);
    if (!a || !b || *a == *b) return;
    devices_ = {*a, *b};
    for (const int device : devices_) {
      Pending::instance().finish_stream(default_stream_of(device), call);
      order_.wait(stream_of(stream_), Pending::instance().is_busy(device)
                                          ? order_.record(default_stream_of(device))
                                          : order_.record_all_of(device));
    }
  }
  ~BetweenDevices() {
    for (const int device : devices_) order_.all_wait(device, order_.record(stream_of(stream_)));
  }
  BetweenDevices(const BetweenDevices&) = delete;
  BetweenDevices& operator=(const BetweenDevices&) = delete;

 private:
  StreamOrder& order_ = StreamOrder::instance();
  cudaStream_t stream_;
  std::vector<int> devices_;
};

void note_host_copy(const void* to, const void* from, std::size_t bytes, const Place& place) {
  if (is_symbol(to) || is_symbol(from)) return;
  HostCopies& copies = HostCopies::instance();
  if (host_may_use(to) && !host_may_use(from))
    copies.add(from, bytes, CopyDirection::to_host, place);
  if (host_may_use(from) && !host_may_use(to))
    copies.add(to, bytes, CopyDirection::from_host, place);
}

void fill_row(char* row, const Fill& fill) {
  if (!Runtime::instance().runs_all() && in_arena(row)) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&fill.value);
    return repeat_pages(address_of(row), fill.width, {bytes, fill.element});
  }
  if (fill.element == 1) {
    std::memset(row, static_cast<int>(fill.value), fill.width);
    return;
  }
  for (std::size_t at = 0; at + fill.element <= fill.width; at += fill.element)
    std::memcpy(row + at, &fill.value, fill.element);
}

bool is_kind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

/// What a copy is called to which the inline functions for symbols have led, or cudaMemcpy().
const char* copy_name(const void* to, const void* from, bool is_async) {
  const auto is_variable = [](const void* address) {
    return DeviceMemory::instance().bytes_of_symbol(reinterpret_cast<std::uintptr_t>(address)) > 0;
  };
  if (is_variable(to)) return is_async ? "cudaMemcpyToSymbolAsync" : "cudaMemcpyToSymbol";
  if (is_variable(from)) return is_async ? "cudaMemcpyFromSymbolAsync" : "cudaMemcpyFromSymbol";
  return is_async ? "cudaMemcpyAsync" : "cudaMemcpy";
}

/// Memory that the host has not pinned.
bool is_pageable(const void* pointer) {
  return !in_arena(pointer) && !memory().is_registered(address_of(pointer)) && !is_symbol(pointer);
}

/// A copy that its stream cannot do yet. What it reads from pageable memory it reads now.
bool keep_copy(void* to, const void* from, const Rows& rows, cudaMemcpyKind kind,
               const CopyCall& call) {
  Pending& pending = Pending::instance();
  if (!pending.any()) return false;
  auto bytes = std::make_shared<std::vector<char>>();
  if (rows.height > 0 && is_pageable(from)) {
    const auto* const first = static_cast<const char*>(from);
    bytes->assign(first, first + (rows.height - 1) * rows.from_pitch + rows.width);
  }
  const auto work = [=](cudaStream_t stream) {
    return copy_rows(to, bytes->empty() ? from : bytes->data(), rows, kind,
                     {call.function, true, stream, call.place});
  };
  return pending.keep(call.stream, work, call.function, call.place);
}

}  // namespace

cudaError_t kata::emulator::copy_rows(void* to, const void* from, const Rows& rows,
                                      cudaMemcpyKind kind, const CopyCall& call) {
  KATA_RETURN_STICKY();
  const auto& [function, is_async, stream, place] = call;
  if (!is_kind(kind)) {
    return fail(cudaErrorInvalidMemcpyDirection, function, "the kind of the copy is none of CUDA's",
                place);
  }
  if (!is_stream(stream)) {
    return fail(cudaErrorInvalidResourceHandle, function, "the stream does not exist (any more)",
                place);
  }
  const auto work = [=](cudaStream_t again) {
    return copy_rows(to, from, rows, kind, {call.function, true, again, call.place});
  };
  // What CUDA's "API synchronization behavior" promises: a copy without Async returns when it is
  // done, unless both ends are device memory; with Async if it ends in pageable memory.
  const bool host_waits = is_async ? is_pageable(to) : host_may_use(to) || host_may_use(from);
  if (host_waits && !is_capturing(stream))
    Pending::instance().finish_stream(stream_of(stream), {function, place});
  if (const auto captured = capture_call(stream, cudaGraphNodeTypeMemcpy, work, function, place))
    return *captured;
  if (keep_copy(to, from, rows, kind, call)) return cudaSuccess;
  if (rows.width == 0 || rows.height == 0) return cudaSuccess;
  if (rows.height > 1 && (rows.width > rows.to_pitch || rows.width > rows.from_pitch))
    return fail(cudaErrorInvalidPitchValue, function, "a row is wider than its pitch", place);
  const BetweenDevices between(to, from, stream, {function, place});
  const auto variables = use_variables(to, from);
  std::optional<Transfer> transfer = transfer_of(call);
  if (transfer && host_waits) transfer->leave_no_marks();
  for (std::size_t row = 0; row < rows.height; ++row) {
    char* row_to = static_cast<char*>(to) + row * rows.to_pitch;
    const char* row_from = static_cast<const char*>(from) + row * rows.from_pitch;
    const std::string reason = check_copy(row_to, row_from, rows.width, kind);
    if (!reason.empty()) return fail(cudaErrorInvalidValue, function, reason, place);
    if (transfer && row == 0) warn_of_kind(to, from, kind, function, place);
    if (transfer && in_arena(row_from) && !in_arena(row_to) && Runtime::instance().runs_all())
      check_written(row_from, rows.width, function, place);
    check_not_input(row_to, function, place);
    // Where no kernel runs, nobody reads what is on the device.
    const bool is_idle = Runtime::instance().options.launches_only && in_arena(row_to);
    Runtime::instance().take_step(is_idle ? 0 : rows.width / 4);
    if (is_idle) continue;
    write_beside_sample(row_to);
    stop_before_unknown(row_to, row_from, rows.width);
    if (transfer) {
      transfer->reads(row_from, rows.width);
      transfer->writes(row_to, rows.width);
      note_host_copy(row_to, row_from, rows.width, place);
    }
    copy_bytes(row_to, row_from, rows.width);
  }
  if (host_waits) StreamOrder::instance().host_waits_for(stream_of(stream));
  return cudaSuccess;
}

void kata::emulator::queue_copy(void* to, const void* from, std::size_t bytes, void* stream,
                                const char* name) {
  copy_rows(to, from, {bytes, bytes, bytes, 1}, cudaMemcpyDefault,
            {name, true, static_cast<cudaStream_t>(stream), Place{}});
}

namespace {

/// Unlike a copy, a fill is done by the device of its stream: what is wrong if that has no access.
std::string check_filled_by(int device, const void* to) {
  if (device_count() == 1) return "";
  const auto owner = owning_device(to);
  if (!owner || *owner == device || PeerAccess::instance().enabled(device, *owner)) return "";
  return fmt::format("is memory of device {}, to which device {} of the stream has no access",
                     *owner, device);
}

}  // namespace

cudaError_t kata::emulator::fill_rows(void* to, const Fill& fill, const CopyCall& call) {
  KATA_RETURN_STICKY();
  const auto& [function, is_async, stream, place] = call;
  if (!is_stream(stream)) {
    return fail(cudaErrorInvalidResourceHandle, function, "the stream does not exist (any more)",
                place);
  }
  const auto work = [=](cudaStream_t again) {
    return fill_rows(to, fill, {call.function, true, again, call.place});
  };
  if (const auto later = capture_or_keep(stream, cudaGraphNodeTypeMemset, work, function, place))
    return *later;
  const auto variables = use_variables(to, nullptr);
  std::optional<Transfer> transfer = transfer_of(call);
  for (std::size_t row = 0; row < fill.height && fill.width > 0; ++row) {
    char* row_to = static_cast<char*>(to) + row * fill.pitch;
    std::string reason = check_device_range(row_to, fill.width);
    if (reason.empty()) reason = check_filled_by(device_of(stream), row_to);
    if (!reason.empty())
      return fail(cudaErrorInvalidValue, function, "the destination " + reason, place);
    check_not_input(row_to, function, place);
    Runtime::instance().take_step();
    write_beside_sample(row_to);
    if (transfer) transfer->writes(row_to, fill.width);
    const bool may_repeat =
        Runtime::instance().options.copies_repeats && fill.height == 1 && owning_device(row_to);
    Repeats* const repeats = may_repeat ? &Repeats::instance() : nullptr;
    if (repeats && repeats->holds(row_to, fill)) continue;
    fill_row(row_to, fill);
    if (in_arena(row_to)) DeviceMemory::mark(address_of(row_to), fill.width, ByteState::written);
    if (repeats) repeats->note_fill(row_to, fill);
  }
  if (!is_async && host_may_use(to)) StreamOrder::instance().host_waits_for(stream_of(stream));
  if (Runtime::instance().options.profile)
    Findings::instance().add_memset(fill.width * fill.height);
  return cudaSuccess;
}

// ---- allocation

int __kata_malloc(void** pointer, std::size_t bytes, int managed, const char* file, int line) {
  // Without a file it is the harness that allocates.
  const Place place = file && *file ? Place{nullptr, file, line} : Place{};
  wait_as_allocations_do();
  return allocate(pointer, bytes, managed ? MemoryType::managed : MemoryType::device,
                  managed ? "cudaMallocManaged" : "cudaMalloc", place);
}

int __kata_malloc_async(void** pointer, std::size_t bytes, void* stream, const char* file,
                        int line) {
  const Place place{nullptr, file, line};
  if (!is_stream(stream)) {
    return fail(cudaErrorInvalidResourceHandle, "cudaMallocAsync",
                "the stream does not exist (any more)", place);
  }
  const cudaError_t error =
      allocate(pointer, bytes, MemoryType::device, "cudaMallocAsync", place, true);
  if (!error && bytes > 0)
    Transfer("cudaMallocAsync", stream_of(stream), place, "allocates").writes(*pointer, bytes);
  return error;
}

void* __kata_symbol_address(const void* symbol, std::size_t bytes) {
  memory().add_symbol(address_of(symbol), bytes);
  return const_cast<void*>(symbol);
}

cudaError_t cudaFree(void* pointer) {
  wait_as_frees_do(pointer, {"cudaFree", KATA_CALLER()});
  return release(pointer, "cudaFree", KATA_CALLER());
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const CopyCall call{"cudaFreeAsync", true, stream, KATA_CALLER()};
  if (const auto captured =
          capture_call(stream, cudaGraphNodeTypeEmpty, {}, call.function, call.place))
    return *captured;
  const auto work = [=](cudaStream_t) {
    const auto owner = memory().owner(address_of(pointer));
    // It gives the memory back, which nothing may use any more.
    if (auto transfer = owner && !owner->freed ? transfer_of(call, "frees") : std::nullopt) {
      transfer->leave_no_marks();
      transfer->writes(pointer, owner->bytes);
    }
    return release(pointer, call.function, call.place);
  };
  if (Pending::instance().keep(stream, work, call.function, call.place)) return cudaSuccess;
  return work(stream);
}
cudaError_t cudaFreeHost(void* pointer) {
  wait_as_frees_do(pointer, {"cudaFreeHost", KATA_CALLER()});
  return release(pointer, "cudaFreeHost", KATA_CALLER());
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  wait_as_allocations_do();
  return allocate(pointer, bytes, MemoryType::host, "cudaHostAlloc", KATA_CALLER());
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  KATA_RETURN_STICKY();
  if (!device || (!memory().is_registered(address_of(host)) && !in_arena(host))) {
    return fail(cudaErrorInvalidValue, "cudaHostGetDevicePointer",
                "the pointer is not from cudaHostAlloc or cudaHostRegister", KATA_CALLER());
  }
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  KATA_RETURN_STICKY();
  if (!pointer || bytes == 0)
    return fail(cudaErrorInvalidValue, "cudaHostRegister", "there is no memory to register",
                KATA_CALLER());
  if (memory().register_host(address_of(pointer), bytes)) return cudaSuccess;
  return fail(cudaErrorHostMemoryAlreadyRegistered, "cudaHostRegister",
              "the memory has been registered before", KATA_CALLER());
}

cudaError_t cudaHostUnregister(void* pointer) {
  KATA_RETURN_STICKY();
  if (memory().unregister_host(address_of(pointer))) return cudaSuccess;
  return fail(cudaErrorHostMemoryNotRegistered, "cudaHostUnregister",
              "the memory has not been registered", KATA_CALLER());
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  KATA_RETURN_STICKY();
  if (free) *free = memory().bytes_free();
  if (total) *total = memory().bytes_total();
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* result, const void* pointer) {
  KATA_RETURN_STICKY();
  if (!result)
    return fail(cudaErrorInvalidValue, "cudaPointerGetAttributes",
                "the pointer to the result is null", KATA_CALLER());
  auto* address = const_cast<void*>(pointer);
  const auto owner = in_arena(pointer) ? memory().owner(address_of(pointer)) : std::nullopt;
  *result = {cudaMemoryTypeUnregistered, 0, nullptr, address};
  if (memory().is_registered(address_of(pointer)))
    *result = {cudaMemoryTypeHost, 0, address, address};
  if (!owner || owner->freed || !owner->contains(address_of(pointer))) return cudaSuccess;
  const bool device_only = owner->type == MemoryType::device;
  const auto type = device_only                          ? cudaMemoryTypeDevice
                    : owner->type == MemoryType::managed ? cudaMemoryTypeManaged
                                                         : cudaMemoryTypeHost;
  *result = {type, owner->device, address, device_only ? nullptr : address};
  return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return Errors::instance().sticky();
}
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) {
  return Errors::instance().sticky();
}

// ---- copies and fills

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_rows(to, from, {bytes, bytes, bytes, 1}, kind,
                   {copy_name(to, from, false), false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_rows(to, from, {bytes, bytes, bytes, 1}, kind,
                   {copy_name(to, from, true), true, stream, KATA_CALLER()});
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(to, from, {to_pitch, from_pitch, width, height}, kind,
                   {"cudaMemcpy2D", false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_rows(to, from, {to_pitch, from_pitch, width, height}, kind,
                   {"cudaMemcpy2DAsync", true, stream, KATA_CALLER()});
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
  if (const auto error = check_devices(to_device, from_device, "cudaMemcpyPeer", KATA_CALLER()))
    return error;
  return copy_rows(to, from, {bytes, bytes, bytes, 1}, cudaMemcpyDefault,
                   {"cudaMemcpyPeer", false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  if (const auto error =
          check_devices(to_device, from_device, "cudaMemcpyPeerAsync", KATA_CALLER()))
    return error;
  return copy_rows(to, from, {bytes, bytes, bytes, 1}, cudaMemcpyDefault,
                   {"cudaMemcpyPeerAsync", true, stream, KATA_CALLER()});
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return fill_rows(to, {bytes, bytes, 1, static_cast<unsigned>(value)},
                   {"cudaMemset", false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return fill_rows(to, {bytes, bytes, 1, static_cast<unsigned>(value)},
                   {"cudaMemsetAsync", true, stream, KATA_CALLER()});
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return fill_rows(to, {pitch, width, height, static_cast<unsigned>(value)},
                   {"cudaMemset2D", false, nullptr, KATA_CALLER()});
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return fill_rows(to, {pitch, width, height, static_cast<unsigned>(value)},
                   {"cudaMemset2DAsync", true, stream, KATA_CALLER()});
}
