#pragma once
// The shared memory of one block: static variables in the lower half of a fixed span, dynamic
// memory in the upper half, a state byte for every byte right behind, and behind those what races
// are found by (shadow.h): shadows, then stamps. Everything between two variables is redzone.
// Offsets are the addresses that PTX has for it (run/shared_window.h).

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "emulator/abi.h"

namespace kata::emulator {

inline constexpr std::size_t shared_span = 1 << 20;
inline constexpr std::size_t dynamic_offset = shared_span / 2;
/// Static variables begin here, so that these and dynamic memory have different low 18 bits, which
/// is what descriptors of wgmma keep of an address.
inline constexpr std::size_t static_offset = 228 << 10;

/// in_flight: the destination of an asynchronous copy that has not arrived. being_read: written,
/// and the async proxy is reading it. barrier: holds an mbarrier object.
enum SharedState : std::uint8_t { absent, unwritten, written, in_flight, being_read, barrier };

/// Where a launch's __shared__ variables lie. Filled in as threads first meet them.
class SharedLayout {
 public:
  struct Variable {
    std::size_t offset, size;
    const char* name;
    int line;
    Padding padding;  ///< of its elements
    const SharedSlot* slot;
  };

  /// Gives the slot its offset in this launch. False: no room. Launches on several devices take
  /// turns, and each gets back the one that it had.
  bool place(SharedSlot& slot, unsigned launch);

  std::vector<Variable> variables() const;
  void set_dynamic_padding(const Padding& padding);
  /// Whether these bytes, as far as they are not written, belong to no member of an object.
  bool is_padding(std::size_t offset, const std::uint8_t* state, unsigned size) const;
  std::size_t static_bytes() const;  ///< as a compiler packs them, without redzones

 private:
  mutable std::mutex mutex_;
  std::vector<Variable> variables_;
  Padding dynamic_padding_;
  std::size_t top_ = static_offset, static_bytes_ = 0;
};

class SharedMemory {
 public:
  SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::uintptr_t low() const { return low_; }

  /// Nothing has been written yet.
  void prepare(const SharedLayout& layout, std::size_t dynamic_bytes);

  /// Whether a variable that ends here has been prepared in this block.
  bool covers(std::size_t end) const { return end <= static_high_; }
  void extend(const SharedLayout& layout);

 private:
  void allow(std::size_t offset, std::size_t bytes);
  void forbid(std::size_t offset, std::size_t bytes);
  std::uint8_t* state(std::size_t offset) const;

  std::uintptr_t low_;
  std::size_t variables_ = 0;  ///< of the layout, prepared
  std::size_t static_high_ = static_offset, dynamic_used_ = 0;
  unsigned number_round_ = 0;  ///< of the blocks that its shadows know
};

}  // namespace kata::emulator
