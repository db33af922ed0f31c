#include "emulator/runtime/memory/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/round_up.h"

namespace kata::emulator {
namespace {

constexpr std::size_t page = 4096;
/// Bytes from which on repeat_pages() saves memory and time.
constexpr std::size_t least_repeated = 32 << 20;
/// See Allocation::is_only_read.
bool may_be_only_read(const Allocation& allocation) {
  return allocation.bytes >= 256 << 20 && allocation.place != Place{};
}

/// On each side of an allocation, while there is room: an index that is wrong by a whole buffer, of
/// this size or of the largest, lands in no other one.
constexpr std::size_t wide_redzone = 64 << 20;
/// A program with so many allocations that there is none: wrong by half the buffer.
constexpr std::size_t narrow_redzone = 64 << 10;
constexpr std::size_t kept_for_narrow = 16;  ///< the share of a part: one in so many

/// On each side of an allocation, so many bytes are NaN: where accesses are not checked, what is
/// read there shows, and what is written.
constexpr std::size_t guarded_bytes = 4096;
constexpr unsigned char guard = 0xff;

/// Where the guards before and behind it begin.
std::array<std::uintptr_t, 2> guards_of(const Allocation& allocation) {
  return {allocation.low - guarded_bytes, allocation.high()};
}

void fill_guard(std::uintptr_t begin) {
  std::memset(reinterpret_cast<void*>(begin), guard, guarded_bytes);
}

bool map_at(std::uintptr_t address, std::size_t bytes) {
  void* wanted = reinterpret_cast<void*>(address);
  return mmap(wanted, bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == wanted;
}

std::atomic<bool> has_files = false;  ///< some pages are a file's (repeat_pages)

/// Gives the pages that lie wholly inside back to the system; they read as zeros again.
void forget_pages(std::uintptr_t low, std::uintptr_t high) {
  low = round_up(low, page);
  high = high / page * page;
  if (low >= high) return;
  auto* const begin = reinterpret_cast<void*>(low);
  if (!has_files) {
    madvise(begin, high - low, MADV_DONTNEED);
    return;
  }
  mmap(begin, high - low, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void fill(std::byte* to, std::size_t bytes, std::span<const std::byte> pattern) {
  std::size_t done = std::min(bytes, pattern.size());
  std::copy_n(pattern.begin(), done, to);
  for (std::size_t more; done < bytes; done += more) {
    more = std::min(done, bytes - done);
    std::memcpy(to + done, to, more);
  }
}

/// Of a file whose pages repeat: a prime number of them, so that what lies a power of two apart
/// differs.
constexpr std::size_t file_bytes = 509 * page;

/// A file that is filled with the pattern; -1 if there can be none.
int file_of(std::span<const std::byte> pattern) {
  std::vector<std::byte> content(file_bytes);
  fill(content.data(), content.size(), pattern);
  const int file = memfd_create("pages", MFD_CLOEXEC);
  if (file >= 0 && ::write(file, content.data(), file_bytes) == ssize_t{file_bytes}) return file;
  if (file >= 0) close(file);
  return -1;
}

void forget_shadows(std::uintptr_t low, std::uintptr_t high) {
  forget_pages(arena_stamp_low + (low - arena_low), arena_stamp_low + (high - arena_low));
  forget_pages(arena_shadow_low + (low - arena_low) * shadow_per_byte,
               arena_shadow_low + (high - arena_low) * shadow_per_byte);
}

/// From an address to the end of the range that it lies in; 0: in none.
std::size_t bytes_left(const std::map<std::uintptr_t, std::size_t>& ranges,
                       std::uintptr_t address) {
  const auto above = ranges.upper_bound(address);
  if (above == ranges.begin()) return 0;
  const auto& [low, bytes] = *std::prev(above);
  return address - low < bytes ? bytes - (address - low) : 0;
}

/// See DeviceMemory::take_host_writes(). Never destroyed, as device memory.
struct HostWrites {
  std::mutex mutex;
  std::atomic<bool> wanted = false;
  std::vector<AddressRange> ranges;

  static HostWrites& instance() {
    static auto* writes = new HostWrites;
    return *writes;
  }
  void add(std::uintptr_t low, std::size_t bytes) {
    if (!wanted) return;
    const std::lock_guard lock(mutex);
    ranges.push_back({low, low + bytes});
  }
};

void set_bits(std::uintptr_t offset, ByteState wanted) {
  std::uint8_t& state = *state_of(offset);
  const unsigned byte = offset & 3;
  state =
      static_cast<std::uint8_t>((state & ~(0x11u << byte)) | static_cast<unsigned>(wanted) << byte);
}

}  // namespace

void repeat_pages(std::uintptr_t address, std::size_t bytes, std::span<const std::byte> pattern) {
  auto* to = reinterpret_cast<std::byte*>(address);
  if (bytes < least_repeated) return fill(to, bytes, pattern);
  const std::uintptr_t low = round_up(address, page), high = (address + bytes) / page * page;
  const int file = file_of(pattern);
  fill(to, low - address, pattern);  // no page, if the pattern is longer than a word
  to += low - address;
  std::size_t more = 0;
  for (std::size_t left = high - low; file >= 0 && left > 0; left -= more, to += more) {
    more = std::min(left, file_bytes);
    if (mmap(to, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file, 0) ==
        MAP_FAILED)
      break;
    has_files = true;
  }
  if (file >= 0) close(file);
  fill(to, address + bytes - reinterpret_cast<std::uintptr_t>(to), pattern);
}

DeviceMemory& DeviceMemory::instance() {
  // Never destroyed: a program's own destructors may still use the device.
  static auto* memory = new DeviceMemory;
  return *memory;
}

DeviceMemory::DeviceMemory() {
  mapped_ = map_at(arena_low, arena_bytes) && map_at(arena_state_low, arena_bytes / 4) &&
            map_at(arena_stamp_low, arena_bytes) &&
            map_at(arena_shadow_low, arena_bytes * shadow_per_byte);
  divide();
}

void DeviceMemory::divide() {
  const std::lock_guard lock(mutex_);
  const auto devices = static_cast<std::size_t>(device_count());
  const std::size_t count = devices > 1 ? devices + 1 : 1;
  part_bytes_ = arena_bytes / count / page * page;
  parts_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uintptr_t low = arena_low + i * part_bytes_;
    parts_.push_back({.low = low, .high = low + part_bytes_});
  }
}

DeviceMemory::Reach DeviceMemory::reach_of(int device) const {
  const unsigned all = (1u << parts_.size()) - 1;
  if (parts_.size() == 1) return {all, arena_low, arena_bytes};
  unsigned reached = 1u << device | 1u << device_count();
  bool has_pool = false;
  for (int peer = 0; peer < device_count(); ++peer) {
    if (!PeerAccess::instance().enabled(device, peer)) continue;
    reached |= 1u << peer;
    has_pool |= parts_[static_cast<std::size_t>(peer)].has_pool;
  }
  if (reached == all && !has_pool) return {all, arena_low, arena_bytes};
  const Part& own = parts_[static_cast<std::size_t>(device)];
  return {reached, own.low, own.high - own.low};
}

const DeviceMemory::Part& DeviceMemory::own_part() const {
  return parts_[static_cast<std::size_t>(current_device())];
}

DeviceMemory::Part& DeviceMemory::own_part() {
  return parts_[static_cast<std::size_t>(current_device())];
}

std::uintptr_t DeviceMemory::place_for(Part& part, std::size_t needed, std::size_t kept_free) {
  const std::uintptr_t end = part.high - kept_free;
  if (part.top > end || needed > end - part.top) return place_among_freed(part, needed);
  return std::exchange(part.top, part.top + needed);
}

std::uintptr_t DeviceMemory::place_among_freed(const Part& part, std::size_t needed) {
  // Freed memory is used again only now, so that uses after free are seen as long as possible.
  const auto behind = allocations_.lower_bound(part.high);
  for (auto first = allocations_.lower_bound(part.low); first != behind; ++first) {
    auto last = first;
    while (last != behind && last->second.freed) {
      ++last;
      const std::uintptr_t end = last == behind ? part.top : last->first;
      if (end - first->first < needed) continue;
      const std::uintptr_t low = first->first;
      allocations_.erase(first, last);
      return low;
    }
  }
  return 0;
}

void* DeviceMemory::insert(Part& part, Allocation wanted, bool keeps_room) {
  const std::size_t pages = round_up(wanted.bytes, page);
  const std::size_t kept_free = keeps_room ? (part.high - part.low) / kept_for_narrow : 0;
  const std::uintptr_t low = place_for(part, 2 * wanted.redzone + pages, kept_free);
  if (!low) return nullptr;
  wanted.low = low + wanted.redzone;
  wanted.device = current_device();
  mark(wanted.low, wanted.bytes, new_memory_);
  part.used += wanted.bytes;
  allocations_[low] = wanted;
  if (!wanted.on_heap) std::ranges::for_each(guards_of(wanted), fill_guard);
  return reinterpret_cast<void*>(wanted.low);
}

void DeviceMemory::set_new_memory(ByteState state) {
  const std::lock_guard lock(mutex_);
  new_memory_ = state;
}

void* DeviceMemory::allocate(std::size_t bytes, MemoryType type, Place place, bool pooled) {
  const std::lock_guard lock(mutex_);
  Part& part = type == MemoryType::device ? own_part() : parts_.back();
  if (!mapped_ || bytes > bytes_total() - part.used) return nullptr;
  part.largest = std::max(part.largest, round_up(bytes, page));
  part.has_pool |= pooled;
  Allocation wanted{.bytes = bytes, .type = type, .pooled = pooled, .place = place};
  wanted.is_only_read = may_be_only_read(wanted);
  wanted.redzone = std::max(wide_redzone, part.largest);
  if (void* pointer = insert(part, wanted, true)) return pointer;
  wanted.redzone = std::max(narrow_redzone, round_up(bytes / 2, page));
  return insert(part, wanted, false);
}

void* DeviceMemory::allocate_on_heap(std::size_t bytes, Place place) {
  const std::lock_guard lock(mutex_);
  Part& part = own_part();
  if (!mapped_ || part.heap_used > part.heap_limit || bytes > part.heap_limit - part.heap_used)
    return nullptr;
  // Every thread may allocate: pages enough for its neighbours not to be hit.
  const std::size_t redzone = std::max(page, round_up(bytes / 2, page));
  void* pointer =
      insert(part, {.bytes = bytes, .redzone = redzone, .on_heap = true, .place = place}, true);
  if (pointer) part.heap_used += bytes;
  return pointer;
}

Allocation* DeviceMemory::nearest(std::uintptr_t address) {
  const std::size_t part = part_of(address);
  if (part >= parts_.size() || address >= parts_[part].top) return nullptr;
  const auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return nullptr;
  const auto own = std::prev(above);
  Allocation& allocation = own->second;
  if (address < allocation.low && own != allocations_.begin()) {
    Allocation& below = std::prev(own)->second;
    if (address - below.high() < allocation.low - address) return &below;
  }
  if (address > allocation.high() && above != allocations_.end() &&
      above->second.low - address < address - allocation.high())
    return &above->second;
  return &allocation;
}

std::optional<Allocation> DeviceMemory::owner(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  const Allocation* found = const_cast<DeviceMemory*>(this)->nearest(address);
  return found ? std::optional(*found) : std::nullopt;
}

bool DeviceMemory::release(void* pointer, bool on_heap) {
  const std::lock_guard lock(mutex_);
  Allocation* found = nearest(reinterpret_cast<std::uintptr_t>(pointer));
  if (!found || found->freed || found->on_heap != on_heap ||
      found->low != reinterpret_cast<std::uintptr_t>(pointer))
    return false;
  forget(*found);
  found->freed = true;
  return true;
}

/// Its contents, and that it takes room.
void DeviceMemory::forget(const Allocation& allocation) {
  Part& part = parts_[part_of(allocation.low)];
  part.used -= allocation.bytes;
  if (allocation.on_heap) part.heap_used -= allocation.bytes;
  const std::uintptr_t low = allocation.low - allocation.redzone;
  mark(allocation.low, allocation.bytes, ByteState::absent);
  forget_pages(low, allocation.high() + allocation.redzone);
  forget_shadows(low, allocation.high() + allocation.redzone);
}

void DeviceMemory::clear_shadows() {
  const std::lock_guard lock(mutex_);
  for (const Part& part : parts_) forget_shadows(part.low, part.top);
}

void DeviceMemory::release_all(int device) {
  const std::lock_guard lock(mutex_);
  std::erase_if(allocations_, [&](const auto& entry) {
    const Allocation& allocation = entry.second;
    if (allocation.device != device) return false;
    if (!allocation.freed) forget(allocation);
    return true;
  });
  registered_.clear();
  Part& own = parts_[static_cast<std::size_t>(device)];
  own = {.low = own.low, .high = own.high};
}

void DeviceMemory::name(const void* pointer, const std::string& name, const ElementType& elements) {
  const std::lock_guard lock(mutex_);
  Allocation* found = nearest(reinterpret_cast<std::uintptr_t>(pointer));
  if (!found) return;
  found->name = name;
  found->elements = elements;
}

void DeviceMemory::set_padding(const void* pointer, const Padding& padding) {
  const std::lock_guard lock(mutex_);
  Allocation* found = nearest(reinterpret_cast<std::uintptr_t>(pointer));
  if (found) found->padding = padding;
}

void DeviceMemory::poison(void* pointer, std::size_t bytes, std::uint32_t word) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  repeat_pages(address, bytes, std::as_bytes(std::span(&word, 1)));
  mark(address, bytes, ByteState::unwritten);
  const std::lock_guard lock(mutex_);
  if (Allocation* found = nearest(address)) found->poisoned = true;
}

std::vector<DeviceMemory::Overwrite> DeviceMemory::take_overwrites() {
  const std::lock_guard lock(mutex_);
  std::vector<Overwrite> overwrites;
  for (const auto& [low, allocation] : allocations_) {
    if (allocation.freed || allocation.on_heap) continue;
    for (const std::uintptr_t begin : guards_of(allocation)) {
      const auto* const bytes = reinterpret_cast<const unsigned char*>(begin);
      const auto* const end = bytes + guarded_bytes;
      const auto* const changed =
          std::find_if(bytes, end, [](unsigned char one) { return one != guard; });
      if (changed == end) continue;
      overwrites.push_back({allocation, reinterpret_cast<std::uintptr_t>(changed)});
      fill_guard(begin);
    }
  }
  return overwrites;
}

template <class Wanted>
std::vector<Allocation> DeviceMemory::in_use(Wanted wanted) const {
  const std::lock_guard lock(mutex_);
  std::vector<Allocation> result;
  for (const auto& [low, allocation] : allocations_) {
    if (!allocation.freed && wanted(allocation)) result.push_back(allocation);
  }
  return result;
}

std::vector<Allocation> DeviceMemory::own_buffers() const {
  return in_use([](const Allocation& one) { return one.place == Place{}; });
}

std::vector<Allocation> DeviceMemory::buffers() const {
  return in_use([](const Allocation& one) { return !one.on_heap; });
}

std::vector<Allocation> DeviceMemory::forget_leaks() {
  const std::lock_guard lock(mutex_);
  std::vector<Allocation*> left;
  for (auto& [low, allocation] : allocations_) {
    if (allocation.freed || allocation.forgotten || allocation.place == Place{}) continue;
    left.push_back(&allocation);
  }
  if (left.empty()) return {};
  const std::vector<std::uintptr_t> held = held_by_variables({arena_low, arena_low + arena_bytes});
  std::vector<Allocation> leaks;
  for (Allocation* allocation : left) {
    const auto first = std::lower_bound(held.begin(), held.end(), allocation->low);
    if (first != held.end() && *first < std::max(allocation->high(), allocation->low + 1)) continue;
    allocation->forgotten = true;
    leaks.push_back(*allocation);
  }
  return leaks;
}

std::size_t DeviceMemory::heap_limit() const {
  const std::lock_guard lock(mutex_);
  return own_part().heap_limit;
}

void DeviceMemory::set_heap_limit(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  own_part().heap_limit = bytes;
}

std::size_t DeviceMemory::bytes_free() const {
  const std::lock_guard lock(mutex_);
  return bytes_total() - own_part().used;
}

std::vector<AddressRange> DeviceMemory::take_host_writes() {
  HostWrites& writes = HostWrites::instance();
  const std::lock_guard lock(writes.mutex);
  writes.wanted = true;
  return std::exchange(writes.ranges, {});
}

void DeviceMemory::mark(std::uintptr_t address, std::size_t bytes, ByteState state) {
  HostWrites::instance().add(address, bytes);
  std::uintptr_t offset = address - arena_low;
  const std::uintptr_t end = offset + bytes;
  for (; offset < end && offset % 4 != 0; ++offset) set_bits(offset, state);
  const std::size_t words = (end - offset) / 4;
  const int whole = static_cast<int>(state) * 0x0f;
  // A large buffer's state goes back to the system, which is faster than clearing it.
  if (whole == 0 && words >= 16 * page) {
    const std::uintptr_t low = reinterpret_cast<std::uintptr_t>(state_of(offset));
    const std::uintptr_t inner = round_up(low, page), outer = (low + words) / page * page;
    std::memset(reinterpret_cast<void*>(low), 0, inner - low);
    forget_pages(inner, outer);
    std::memset(reinterpret_cast<void*>(outer), 0, low + words - outer);
  } else if (words >= least_repeated) {
    const auto each = static_cast<std::byte>(whole);
    repeat_pages(reinterpret_cast<std::uintptr_t>(state_of(offset)), words, {&each, 1});
  } else {
    std::memset(state_of(offset), whole, words);
  }
  for (offset += words * 4; offset < end; ++offset) set_bits(offset, state);
}

void DeviceMemory::forget_writes() {
  const std::lock_guard lock(mutex_);
  for (const auto& [low, allocation] : allocations_) {
    if (allocation.freed || byte_state(allocation.low - arena_low) == ByteState::input) continue;
    mark(allocation.low, allocation.bytes, ByteState::unwritten);
  }
}

void DeviceMemory::mark_from_host(std::uintptr_t address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const Allocation* owner = nearest(address);
  mark(address, bytes, owner && owner->is_only_read ? ByteState::input : ByteState::written);
}

bool DeviceMemory::begin_writes(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  Allocation* owner = nearest(address);
  if (!may_be_only_read(*owner)) return false;
  if (!std::exchange(owner->is_only_read, false)) return true;
  constexpr int input = 15 * static_cast<int>(ByteState::input);
  constexpr int written = 15 * static_cast<int>(ByteState::written);
  const std::uint8_t* const end = state_of(owner->high() - arena_low + 3);
  // Kernels go on meanwhile, and write the states of other words.
  for (std::uint8_t* state = state_of(owner->low - arena_low); state < end; ++state) {
    if (__atomic_load_n(state, __ATOMIC_RELAXED) == input)
      __atomic_store_n(state, written, __ATOMIC_RELAXED);
  }
  return true;
}

void DeviceMemory::copy_marks(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  HostWrites::instance().add(to, bytes);
  if (((to | from | bytes) & 3) == 0) {
    std::uint8_t* const states = state_of(to - arena_low);
    std::memmove(states, state_of(from - arena_low), bytes / 4);
    const std::lock_guard lock(mutex_);
    const Allocation* owner = nearest(to);
    const bool is_only_read = owner && owner->is_only_read;
    // An input's copy is none.
    for (std::size_t i = 0; i < bytes / 4; ++i)
      states[i] = is_only_read && (states[i] & 0x0f) == 0x0f ? 0x0f : states[i] | 0xf0;
    return;
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    const bool is_written = may_read(byte_state(from - arena_low + i));
    set_bits(to - arena_low + i, is_written ? ByteState::written : ByteState::unwritten);
  }
}

std::size_t DeviceMemory::first_unwritten(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t low = address - arena_low;
  for (std::size_t i = 0; i < bytes;) {
    const std::uintptr_t offset = low + i;
    if (offset % 4 == 0 && (*state_of(offset) & 0x0f) == 0x0f) {
      i += 4;
    } else if (may_read(byte_state(offset))) {
      ++i;
    } else {
      return i;
    }
  }
  return bytes;
}

bool DeviceMemory::register_host(std::uintptr_t low, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  return registered_.try_emplace(low, bytes).second;
}

bool DeviceMemory::unregister_host(std::uintptr_t low) {
  const std::lock_guard lock(mutex_);
  return registered_.erase(low) == 1;
}

bool DeviceMemory::is_registered(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  return bytes_left(registered_, address) > 0;
}

void DeviceMemory::add_symbol(std::uintptr_t low, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  symbols_[low] = bytes;
}

std::size_t DeviceMemory::bytes_of_symbol(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  return bytes_left(symbols_, address);
}

}  // namespace kata::emulator
