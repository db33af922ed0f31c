#pragma once
// What orders the accesses of threads: barriers, __syncwarp(), and a fence with a flag. Each block
// has a clock that ticks whenever threads of it meet; an access is known by block, clock, thread.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kata::emulator {

/// One access: `who` is block, clock, many, thread (most significant first), `what` the address
/// that its code returns to, then many, kind and bytes. Numbers and not bit fields: `who` is
/// compared as a whole.
struct Mark {
  std::uint64_t who = 0, what = 0;

  static constexpr unsigned thread_bits = 10, clock_low = 11, clock_bits = 24, block_low = 35;
  static constexpr std::uint64_t many_bit = std::uint64_t{1} << thread_bits;
  static constexpr std::uint64_t clock_mask = ((std::uint64_t{1} << clock_bits) - 1) << clock_low;

  /// More than one thread made this access, and `thread` is one of them.
  enum Many : unsigned { one, lanes, warps, blocks };
  enum Kind : unsigned { plain, is_volatile, is_atomic };

  static std::uint64_t what_of(const void* code, Many many, Kind kind, unsigned bytes) {
    return reinterpret_cast<std::uint64_t>(code) << 8 | many << 6 | kind << 4 | bytes;
  }
  unsigned thread() const { return who & (many_bit - 1); }
  unsigned clock() const { return static_cast<unsigned>((who & clock_mask) >> clock_low); }
  std::uint64_t block() const { return who >> block_low; }
  unsigned bytes() const { return what & 15; }
  Kind kind() const { return static_cast<Kind>(what >> 4 & 3); }
  Many many() const { return static_cast<Many>(what >> 6 & 3); }
  const void* code() const { return reinterpret_cast<const void*>(what >> 8); }
};

/// Numbers for so many blocks, higher than all before: the first of them. When they run out, all
/// shadows are cleared and numbers begin anew.
std::uint64_t number_blocks(std::uint64_t blocks);
/// How often numbers have begun anew.
unsigned number_rounds();

/// What a thread has made visible to those that see its flag: for each thread of the block, the
/// clock before which its accesses are meant. A fence of the device, or one of the block.
struct Published {
  std::uint64_t block = 0;
  bool to_device = false;
  std::shared_ptr<const std::vector<unsigned>> before;
};
/// Sorted by block and scope. Null: nothing.
using Knowledge = std::shared_ptr<const std::vector<Published>>;
Knowledge joined(const Knowledge& a, const Knowledge& b);

/// The locations of a launch that threads have published something by.
class Flags {
 public:
  bool any() const { return any_.load(std::memory_order_relaxed); }
  void publish(std::uintptr_t address, const Knowledge& knowledge);
  Knowledge at(std::uintptr_t address) const;

 private:
  std::atomic<bool> any_ = false;
  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, Knowledge> locations_;
};

/// What the lanes of a warp know of each other.
class WarpOrder {
 public:
  void begin();
  /// What these lanes did before `clock` comes before what they do from now on.
  void meet(unsigned lanes, bool all, unsigned clock);
  /// What `lane` did before this clock comes before what `reader` does now.
  unsigned known(unsigned reader, unsigned lane) const;

 private:
  struct Row {
    unsigned before[32];
  };
  unsigned all_ = 0;
  bool in_parts_ = false;  ///< some lanes have met without the others
  std::vector<Row> rows_;  ///< by reader
};

/// The order within one block, and what its threads know of others. Changes what is running.
class BlockOrder {
 public:
  /// The block is one of so many in its cluster, whose numbers begin at `cluster_first`.
  void begin(std::uint64_t block, unsigned threads, std::uint64_t cluster_first,
             unsigned cluster_blocks);
  /// The grid has met: what comes is done by a block of another number.
  void renumber(std::uint64_t block) { block_ = cluster_first_ = block; }
  std::uint64_t number() const { return block_; }
  bool in_cluster(std::uint64_t block) const { return block - cluster_first_ < cluster_blocks_; }
  /// To be asked whenever another thread or block runs.
  std::uint64_t me(unsigned thread) const {
    return block_ << Mark::block_low | std::uint64_t{clock_} << Mark::clock_low | thread;
  }
  std::uint64_t block_first() const { return block_ << Mark::block_low; }
  std::uint64_t before_barrier() const { return std::uint64_t{barrier_} << Mark::clock_low; }

  /// Below: accesses to shared memory that come before any of this block.
  std::uint64_t before_shared() const {
    return cluster_blocks_ > 1 ? cluster_first_ << Mark::block_low
                               : block_first() + before_barrier();
  }

  /// No thread has fenced, or looked at a flag: none knows what others have done.
  bool is_alone() const { return !used_; }

  /// The clock before which its threads' accesses come before their cluster's meeting.
  unsigned meet_cluster();
  /// A thread that knew `before`, or less, knows `now`.
  void learn(unsigned thread, const Knowledge& before, const Knowledge& now);

  void meet_all();
  void meet(unsigned warp, unsigned lanes, bool all);
  void fence(unsigned thread, bool to_device);
  /// An atomic or volatile write: whoever sees it sees what the thread did before its last fence.
  void publish(unsigned thread, std::uintptr_t address, Flags& flags);
  /// An atomic or volatile read, which is about to happen.
  void look_at(unsigned thread, std::uintptr_t address, const Flags& flags);
  /// It has happened.
  void has_looked(unsigned thread, const Flags& flags);

  /// Whether the access comes before what this thread does now.
  bool comes_before(const Mark& mark, unsigned thread) const;

 private:
  struct Fence {
    unsigned at = 0;  ///< clock; 0: none
    unsigned barrier = 0;
  };
  struct Member {
    Fence to_block, to_device;
    std::uintptr_t looks_at = 0;
    Knowledge knows;
  };

  void tick();
  Member& use(unsigned thread);
  void share_knowledge(unsigned first, unsigned lanes);
  void add_published(unsigned thread, Fence Member::*fence, std::vector<Published>& to) const;
  bool knows(const Mark& mark, unsigned thread) const;

  std::uint64_t block_ = 0, cluster_first_ = 0;
  unsigned cluster_blocks_ = 1;
  unsigned clock_ = 1;
  unsigned barrier_ = 0;  ///< clock of the last __syncthreads()
  std::vector<WarpOrder> warps_;
  std::vector<Member> members_;  ///< by thread
  bool used_ = false;            ///< `members_`, in this block
  bool fenced_ = false;          ///< some thread has called a fence
  bool learned_ = false;         ///< some thread, since the last barrier
};

}  // namespace kata::emulator
