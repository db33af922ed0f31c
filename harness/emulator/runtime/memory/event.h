#pragma once
// What a check noticed, in facts alone: cheap to record where it happens, turned into words when
// the launch is over.

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace kata::emulator {

/// A place in the candidate: the address of its code, or a file and line that it handed over.
struct Place {
  const void* code = nullptr;
  const char* file = nullptr;
  int line = 0;

  auto operator<=>(const Place&) const = default;
};

/// The place of a call, from the address that it returns to.
inline Place before(const void* return_address) {
  return {static_cast<const char*>(return_address) - 1, nullptr, 0};
}

enum class EventKind {
  out_of_bounds,  ///< device memory: past an allocation, freed
  shared_out_of_bounds,
  illegal_address,  ///< anywhere else
  subscript,        ///< `amount`, of an array whose type is `text`
  stack_overflow,
  foreign_local,  ///< another thread's local variable
  misaligned,
  matrix_misaligned,  ///< wmma: at `address`, rows `amount` bytes apart
  input_modified,
  uninitialized,
  shared_uninitialized,
  copy_not_arrived,         ///< asynchronous, `other`, whose destination is touched
  barrier_not_initialized,  ///< cuda::barrier
  freed_wrongly,            ///< free() or delete in a kernel
  host_access,              ///< host code reads or writes device memory
  barrier_exited,
  barrier_mixed,
  mask_without_caller,
  mask_exited,
  shuffle_from_exited,
  deadlock,
  never_resident,   ///< all that fit on the device wait for blocks that have not begun
  grid_incomplete,  ///< blocks returned before grid.sync()
  grid_sync_not_cooperative,
  shared_too_large,
  unsupported,
  wrong_texture,        ///< `amount` bytes a texel, read as `size`; 0: there is no such texture
  shared_memory_early,  ///< of another block of the cluster, which may not have begun
  shared_memory_left,   ///< of another block of the cluster, which may have returned
  trapped,              ///< __trap()
  assertion_failed,     ///< `text` is the condition
  timeout,
  race,  ///< `text` and `other_text` say what each did, `amount` how far apart they were
};

inline constexpr std::uint64_t its_own = ~std::uint64_t{0};

struct Event {
  EventKind kind;
  Place place;
  Place other = {};
  std::uint64_t order = 0;  ///< of the block, in the schedule
  std::uint64_t block = 0;
  unsigned thread = 0;
  unsigned other_thread = 0;
  std::uint64_t other_block = 0;
  std::uintptr_t address = 0;
  unsigned size = 0;
  bool is_write = false;
  bool in_shared = false;             ///< `address` is an offset in shared memory
  std::uint64_t memory_of = its_own;  ///< the block whose shared memory that is
  std::uint64_t amount = 0;           ///< what it counts depends on the kind
  const char* text = nullptr;         ///< a literal
  const char* other_text = nullptr;
  std::uint64_t count = 1;
};

/// One event per kind and place: the one of the first block and thread, whatever came first. Races
/// of threads in one warp, of warps, and of blocks are told apart.
class EventLog {
 public:
  void add(const Event& event);
  void merge(const EventLog& other);
  bool empty() const { return events_.empty(); }
  void clear() { events_.clear(); }

  /// The races that reach furthest, then in the order of the schedule: the same whatever the number
  /// of OS threads. Events of blocks after `last_order` are left out: another run may not have come
  /// so far.
  std::vector<Event> sorted(std::uint64_t last_order) const;

 private:
  using Key = std::tuple<EventKind, Place, Place, std::uint64_t>;
  std::map<Key, Event> events_;
};

}  // namespace kata::emulator
