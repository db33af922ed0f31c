#include "emulator/runtime/check/stream_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "emulator/runtime/check/describe.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/check/names.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/shadow_words.h"
#include "emulator/runtime/memory/variables.h"

namespace kata::emulator {
namespace {

thread_local int callbacks = 0;  ///< of streams, that run now
/// A thread that has asked for no callback may have been started by one. It comes after the
/// stream's work then.
thread_local bool asks_for_callbacks = false;
std::atomic<bool> has_called_back = false;

struct Conflict {
  MemoryAccess access;
  OtherWork other;
};

/// The first access to a range that is not among what comes before: a write and, if the range is
/// written to, a read. `shares`: with atomics there is no conflict, and beside other devices with
/// volatile accesses neither.
std::optional<Conflict> find_conflict(std::uintptr_t low, std::size_t bytes, bool is_write,
                                      const StreamClock& before, std::uint64_t first_unordered,
                                      bool shares = false) {
  std::optional<Conflict> found;
  const auto try_mark = [&](const Mark& mark, bool mark_is_write, std::uintptr_t address,
                            unsigned touched) {
    if (found || mark.block() < first_unordered || !(mark.bytes() & touched)) return;
    if (shares && (mark.kind() == Mark::is_atomic ||
                   (mark.kind() == Mark::is_volatile && device_count() > 1)))
      return;
    auto work = StreamOrder::instance().unordered(mark, before);
    if (!work) return;
    const Place place = work->is_kernel ? kata::emulator::before(mark.code()) : work->place;
    found = {{address, std::min(4u, static_cast<unsigned>(bytes)), is_write},
             {std::move(work), place, mark_is_write, mark.kind() == Mark::is_atomic}};
  };
  for_each_marked_word(low, bytes, [&](Shadow& shadow, std::uintptr_t address, unsigned touched) {
    try_mark(load_mark(&shadow.write), true, address, touched);
    if (is_write) try_mark(load_mark(&shadow.read), false, address, touched);
    return !found;
  });
  return found;
}

std::string element_at(const MemoryAccess& access) {
  const auto owner = DeviceMemory::instance().owner(access.address);
  return owner ? element_name(*owner, access.address, access.size) : variable_name(access.address);
}

const char* verb(const StreamWork& work, bool is_write) {
  return work.verb ? work.verb : writes_or_reads(is_write);
}

/// " of device 1", where there are several.
std::string device_of(const StreamWork& work) {
  if (device_count() == 1) return "";
  return fmt::format(" of device {}", StreamOrder::instance().device_of(work.stream));
}

/// "`scale` writes it in line 12 (launched in line 30, in another stream)"
std::string what_it_does(const OtherWork& other, const Place& beside, bool same_stream) {
  const std::string line = line_name(other.place, beside);
  const StreamWork& work = *other.work;
  if (!work.is_kernel) {
    const std::string device = device_of(work);
    const std::string place = work.place == Place{} ? "" : " in " + line;
    return fmt::format("{}{}{} {} it", work.name, place,
                       device.empty() ? "" : ", in a stream" + device + ",",
                       verb(work, other.is_write));
  }
  return fmt::format("{} {} it in {} (launched in {}{})", work.name,
                     writes_or_reads(other.is_write), line, line_name(work.place, beside),
                     same_stream ? "" : ", in another stream" + device_of(work));
}

constexpr const char* order_two_streams =
    "nothing orders the two streams: record an event (cudaEventRecord) and let the other stream "
    "wait for it (cudaStreamWaitEvent), or synchronize in between";

}  // namespace

Transfer::Transfer(const char* function, StreamId stream, Place place, const char* verb)
    : work_{.first_number = number_blocks(1),
            .stream = stream,
            .name = function,
            .place = place,
            .verb = verb},
      before_(StreamOrder::instance().begin(work_)),
      first_unordered_(StreamOrder::instance().first_unordered(*before_)) {}

void Transfer::touches(const void* pointer, std::size_t bytes, bool is_write) {
  const auto low = reinterpret_cast<std::uintptr_t>(pointer);
  if (!in_arena(pointer) && DeviceMemory::instance().bytes_of_symbol(low) == 0) return;
  if (first_unordered_ < work_.first_number && !told_) {
    if (const auto conflict = find_conflict(low, bytes, is_write, *before_, first_unordered_)) {
      told_ = true;
      const Place& place = work_.place == Place{} ? conflict->other.place : work_.place;
      const SourceLine line = source_line(place);
      Findings::instance().add(
          {.kind = FindingKind::race,
           .file = line.file,
           .line = line.line,
           .message = fmt::format("{} {} {}, and {}; nothing says which comes first", work_.name,
                                  verb(work_, is_write), element_at(conflict->access),
                                  what_it_does(conflict->other, place, false)),
           .note = order_two_streams});
    }
  }
  // The caller's own look (queue_copy()) must not hide who else reads.
  if (!leaves_marks_ || (!is_write && !work_.place.code)) return;
  const auto owner = DeviceMemory::instance().owner(low);
  if (!StreamOrder::instance().has_streams() && (!owner || owner->type == MemoryType::device))
    return;
  const auto mark = [&](Shadow& shadow, std::uintptr_t, unsigned touched) {
    store_mark(is_write ? &shadow.write : &shadow.read,
               {work_.first_number << Mark::block_low,
                Mark::what_of(work_.place.code, Mark::one, Mark::plain, touched)});
    return true;
  };
  // To allocate or to free a large buffer changes none of its bytes: marks at its ends are enough.
  constexpr std::size_t end = 1 << 20;
  const bool at_ends = work_.verb && bytes > 4 * end;
  for_each_word(low, at_ends ? end : bytes, mark);
  if (at_ends) for_each_word(low + bytes - end, end, mark);
}

StreamCallback::StreamCallback() {
  asks_for_callbacks = has_called_back = true;
  ++callbacks;
}
StreamCallback::~StreamCallback() {
  --callbacks;
}

void check_host_order(std::uintptr_t address, std::size_t bytes, Access access,
                      const void* return_address) {
  const StreamOrder& order = StreamOrder::instance();
  const std::uint64_t first_unordered = order.first_unordered_for_host();
  if (first_unordered == ~std::uint64_t{0} || callbacks > 0) return;
  if (has_called_back && !asks_for_callbacks) return;
  if (access == Access::compare) Findings::instance().confirm_host_reads(address);
  const bool is_volatile = access == Access::volatile_read || access == Access::volatile_write;
  const bool shares = made_atomically(access) || (is_volatile && device_count() > 1);
  auto conflict =
      find_conflict(address, bytes, writes(access), order.host_clock(), first_unordered, shares);
  if (shares && reads(access) && device_count() > 1)
    StreamOrder::instance().host_learns(of_system(Flags::of_all().at(address)));
  if (!conflict) return;
  Findings::instance().add_host_incident(
      {before(return_address), HostRace{conflict->access, std::move(conflict->other)}});
}

namespace {

void tell_not_waited_for(const std::string& what, const OtherWork& other) {
  const SourceLine line = source_line(other.place);
  Findings::instance().add(
      {.kind = FindingKind::race,
       .file = line.file,
       .line = line.line,
       .kernel = other.work->is_kernel ? other.work->name : "",
       .message = fmt::format("{} in a stream that the function does not wait for (issued in {})",
                              what, line_name(other.work->place, other.place)),
       .note = "call cudaStreamSynchronize() before the function returns, or let the default "
               "stream wait for an event (cudaEventRecord, cudaStreamWaitEvent)"});
}

}  // namespace

void check_end_of_call() {
  StreamOrder& order = StreamOrder::instance();
  const StreamClock seen = order.record(default_stream);
  const std::uint64_t first_unordered = order.first_unordered(seen);
  if (first_unordered == ~std::uint64_t{0}) return;
  for (const Allocation& buffer : DeviceMemory::instance().own_buffers()) {
    const auto conflict = find_conflict(buffer.low, buffer.bytes, false, seen, first_unordered);
    if (!conflict) continue;
    tell_not_waited_for(element_at(conflict->access) + " is written", conflict->other);
  }
}

void check_streams_at_end() {
  StreamOrder& order = StreamOrder::instance();
  const StreamClock seen = order.record(default_stream);
  const auto work = order.unordered(order.first_unordered(seen), seen);
  if (work && work->is_kernel)
    tell_not_waited_for(work->name + " runs", {work, work->place, true, false});
}

Words describe(const StreamRace& fault, const Circumstances& c) {
  if (fault.is_dependency)
    return {.kind = FindingKind::race,
            .message = fmt::format("{} {} {} before griddepcontrol.wait, and {}, which may not be "
                                   "over yet: this launch allows programmatic stream serialization",
                                   c.who(), writes_or_reads(fault.access.is_write),
                                   element_at(fault.access),
                                   what_it_does(fault.other, c.incident.place, true)),
            .note = "call cudaGridDependencySynchronize() (griddepcontrol.wait) before this line"};
  std::string note = order_two_streams;
  if (fault.narrow_fence) {
    note = "the fence ";
    if (*fault.narrow_fence)
      note +=
          "in " + line_name(kata::emulator::before(*fault.narrow_fence), c.incident.place) + " ";
    note +=
        "orders the threads of one device, and these are on two: __threadfence_system(), or "
        ".sys in PTX";
  } else if (c.launch.runner) {
    note +=
        ". A flag orders kernels that run together if there is a __threadfence_system() "
        "between value and flag where they are written, and where they are read";
  }
  return {.kind = FindingKind::race,
          .message = fmt::format("{} {} {}, and {}; nothing says which comes first", c.who(),
                                 writes_or_reads(fault.access.is_write), element_at(fault.access),
                                 what_it_does(fault.other, c.incident.place, false)),
          .note = std::move(note)};
}

Words describe(const HostRace& fault) {
  return {.kind = FindingKind::race,
          .message = fmt::format("host code {} {}, and {}; nothing says which comes first",
                                 writes_or_reads(fault.access.is_write), element_at(fault.access),
                                 what_it_does(fault.other, fault.other.place, true)),
          .note = "call cudaDeviceSynchronize() before this line"};
}

}  // namespace kata::emulator
