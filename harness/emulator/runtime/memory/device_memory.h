#pragma once
// Device memory: one reserved range of addresses, in which allocations lie far apart, those of each
// device in a part of its own, and one state byte for each 4-byte word of it: bits 0-3 say which
// bytes may be read, bits 4-7 which may be written. All lie at fixed addresses, so that a check
// costs one load.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/abi.h"
#include "emulator/emulator.h"
#include "emulator/runtime/memory/locate.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

inline constexpr std::uintptr_t arena_low = 0x1000'0000'0000;
inline constexpr std::uintptr_t arena_bytes = std::uintptr_t{1} << 40;
inline constexpr std::uintptr_t arena_state_low = 0x1800'0000'0000;
inline constexpr std::uintptr_t arena_stamp_low = 0x1900'0000'0000;   ///< for races: see shadow.h
inline constexpr std::uintptr_t arena_shadow_low = 0x2000'0000'0000;  ///< likewise
inline constexpr std::size_t shadow_per_byte = 8;

/// Of cudaLimitMallocHeapSize, as the CUDA C++ Programming Guide has it.
inline constexpr std::size_t default_heap_limit = 8 << 20;

inline std::uintptr_t address_of(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

inline bool in_arena(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) - arena_low < arena_bytes;
}

/// State byte of the word at this offset in the arena.
inline std::uint8_t* state_of(std::uintptr_t offset) {
  return reinterpret_cast<std::uint8_t*>(arena_state_low + (offset >> 2));
}

/// What a kernel may do with a byte: its two bits of the state.
enum class ByteState : std::uint8_t {
  absent = 0x00,
  unwritten = 0x10,  ///< allocated; nothing to read yet
  input = 0x01,      ///< const for the function that is judged; or Allocation::is_only_read
  written = 0x11,
};

inline ByteState byte_state(std::uintptr_t offset) {
  return static_cast<ByteState>(*state_of(offset) >> (offset & 3) & 0x11);
}
inline bool may_read(ByteState state) {
  return (static_cast<unsigned>(state) & 0x01) != 0;
}

enum class MemoryType {
  device,
  managed,  ///< host code may use it too
  host,     ///< pinned host memory, which kernels may use
};

struct Allocation {
  std::uintptr_t low = 0;  ///< address
  std::size_t bytes = 0;
  std::size_t redzone = 0;  ///< on each side
  MemoryType type = MemoryType::device;
  int device = 0;       ///< that was current
  bool pooled = false;  ///< by cudaMallocAsync: out of reach for peers
  bool freed = false;
  bool poisoned = false;   ///< its owner filled it: never-written bytes keep what they hold
  bool forgotten = false;  ///< take_leaks has returned it
  bool on_heap = false;    ///< by malloc() or new in a kernel
  /// A program's large buffer that no kernel has written. Reads leave no marks in its shadow, which
  /// takes 8 times its size.
  bool is_only_read = false;
  Place place = {};  ///< of the call that made it; none: the harness's own
  std::string name = {};
  ElementType elements = {"4-byte word", 4};
  Padding padding = {};  ///< of its elements

  std::uintptr_t high() const { return low + bytes; }
  bool contains(std::uintptr_t address) const { return address - low < bytes; }
};

/// Fills memory with the pattern, over and over. Of a large range all pages that nothing writes are
/// those of one file. It begins at a page, or the pattern is a word at most.
void repeat_pages(std::uintptr_t address, std::size_t bytes, std::span<const std::byte> pattern);

class DeviceMemory {
 public:
  static DeviceMemory& instance();

  /// For device_count() devices. Nothing may be allocated.
  void divide();
  /// One of the parts of the arena: a device's has its number; where there are several, the one
  /// behind them holds what all reach, pinned and managed memory.
  std::size_t part_of(std::uintptr_t address) const { return (address - arena_low) / part_bytes_; }
  /// Whether cudaMallocAsync has given some of it.
  bool has_pool(std::size_t part) const { return parts_[part].has_pool; }
  struct Reach {
    unsigned parts;             ///< one bit each
    std::uintptr_t low, bytes;  ///< addresses that all lie in these
  };
  /// What the kernels of a device may use now. Pools of peers lie in `parts`, and not above `low`.
  Reach reach_of(int device) const;

  /// The address of new, never-written memory of the current device; null if there is none left.
  void* allocate(std::size_t bytes, MemoryType type, Place place, bool pooled = false);
  /// The state of newly allocated memory: written, if writes are not checked.
  void set_new_memory(ByteState state);
  /// For a kernel: null where the heap's limit would be passed.
  void* allocate_on_heap(std::size_t bytes, Place place);

  /// False if `pointer` is not the start of a live allocation, on the heap or not.
  bool release(void* pointer, bool on_heap = false);
  /// All of a device's.
  void release_all(int device);

  /// Forgets all accesses, as far as races are concerned.
  void clear_shadows();

  /// The allocation that is nearest to this address, freed or not: none beyond the last redzone of
  /// a device.
  std::optional<Allocation> owner(std::uintptr_t address) const;

  void name(const void* pointer, const std::string& name, const ElementType& elements);
  void set_padding(const void* pointer, const Padding& padding);
  void poison(void* pointer, std::size_t bytes, std::uint32_t word);
  /// Those of this program itself, which have no place.
  std::vector<Allocation> own_buffers() const;
  /// All that are not freed, but on the heap.
  std::vector<Allocation> buffers() const;
  /// What is not freed and no static of a module points to; each is returned once.
  std::vector<Allocation> forget_leaks();

  // Of the current device.
  std::size_t heap_limit() const;
  void set_heap_limit(std::size_t bytes);
  std::size_t bytes_free() const;
  static constexpr std::size_t bytes_total() { return std::size_t{32} << 30; }

  /// What the guards right beside an allocation say was written there since the last call.
  struct Overwrite {
    Allocation beside;
    std::uintptr_t address;  ///< of the first byte
  };
  std::vector<Overwrite> take_overwrites();

  static void mark(std::uintptr_t address, std::size_t bytes, ByteState state);
  /// Marks all but inputs as never written.
  void forget_writes();
  /// The host has written this.
  void mark_from_host(std::uintptr_t address, std::size_t bytes);
  /// A kernel writes to memory that was only read: from now on all accesses leave marks. False if
  /// the memory is an input of the function that is judged.
  bool begin_writes(std::uintptr_t address);
  /// The destination of a copy has been written as far as the source has.
  void copy_marks(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);

  /// Where host code has written, or memory is new or gone, since the last call; from the first
  /// call on.
  static std::vector<AddressRange> take_host_writes();

  /// Offset of the first byte that nothing has written; `bytes` if there is none.
  static std::size_t first_unwritten(std::uintptr_t address, std::size_t bytes);

  /// Host memory that kernels may use (cudaHostRegister).
  bool register_host(std::uintptr_t low, std::size_t bytes);
  bool unregister_host(std::uintptr_t low);
  bool is_registered(std::uintptr_t address) const;

  /// A `__device__` variable whose address host code has asked for.
  void add_symbol(std::uintptr_t low, std::size_t bytes);
  /// Bytes from this address to the end of such a variable; 0: it lies in none.
  std::size_t bytes_of_symbol(std::uintptr_t address) const;

 private:
  /// Of the arena.
  struct Part {
    std::uintptr_t low, high;
    std::uintptr_t top = low;  ///< end of the highest redzone
    std::size_t used = 0;      ///< bytes
    std::size_t largest = 0;   ///< bytes of any allocation so far
    bool has_pool = false;
    std::size_t heap_limit = default_heap_limit, heap_used = 0;
  };

  DeviceMemory();
  const Part& own_part() const;
  Part& own_part();
  void forget(const Allocation& allocation);
  std::uintptr_t place_for(Part& part, std::size_t needed, std::size_t kept_free);
  std::uintptr_t place_among_freed(const Part& part, std::size_t needed);
  void* insert(Part& part, Allocation wanted, bool keeps_room);
  Allocation* nearest(std::uintptr_t address);
  template <class Wanted>
  std::vector<Allocation> in_use(Wanted wanted) const;

  mutable std::mutex mutex_;
  bool mapped_ = false;
  std::uintptr_t part_bytes_ = arena_bytes;
  std::vector<Part> parts_;
  ByteState new_memory_ = ByteState::unwritten;
  std::map<std::uintptr_t, Allocation> allocations_;  ///< by the start of the lower redzone
  std::map<std::uintptr_t, std::size_t> registered_, symbols_;
};

}  // namespace kata::emulator
