#pragma once
// What orders the accesses of threads: barriers, __syncwarp(), and a fence with a flag. Each block
// has a clock that ticks whenever threads of it meet; an access is known by block, clock, thread.

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/runtime/launch/tickets.h"
#include "emulator/runtime/launch/vector_clock.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {

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

/// What a flag or a value holds; of 4 or 8 bytes, or of a size for which that is not known.
struct Word {
  std::uintptr_t address = 0;
  std::uint64_t bits = 0;
  unsigned size = 0;

  /// What an aligned access reads that has this byte among its `size` bytes.
  static Word at(std::uintptr_t address, unsigned size);
};

/// A read of what may be a flag: what it has seen is known when the thread goes on.
struct Look {
  const Shadow* shadow = nullptr;
  std::uintptr_t address = 0;
  unsigned size = 0;
  const void* code = nullptr;
  bool adds = false;  ///< it changes the flag, too
};

/// The order within one block, and what its threads know of others. Changes what is running.
class BlockOrder {
 public:
  /// The block is one of so many in its cluster, whose numbers begin at `cluster_first`.
  void begin(std::uint64_t block, unsigned threads, std::uint64_t cluster_first,
             unsigned cluster_blocks);
  /// The grid has met: what comes is done by a block of another number.
  void renumber(std::uint64_t block);
  std::uint64_t number() const { return block_; }
  std::uint64_t cluster_first() const { return cluster_first_; }
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
  void learn(unsigned thread, const VectorClock& before, const VectorClock& now);

  void meet_all();
  void meet(unsigned warp, unsigned lanes, bool all);
  /// These lanes have shuffled.
  void exchange(unsigned warp, unsigned lanes) { exchanges_[warp] = {clock_, lanes}; }
  /// The same of a vote. What is read after it is not taken to come before.
  void vote(unsigned warp, unsigned lanes) {
    exchange(warp, lanes);
    tick();
  }
  /// Whether this thread and the reader have voted since the read, or shuffled since or just before
  /// it: what comes of that may depend on the value that was read, and then a write comes after the
  /// read.
  bool may_depend_on(const Mark& read, unsigned thread) const;

  void fence(unsigned thread, Scope scope, const void* code);
  /// A fence, of what the thread has read so far.
  void acquire(unsigned thread, const Flags& flags, Scope scope, const void* code);
  /// The atomic read that is about to happen is an acquire.
  void acquire_at_look(unsigned thread, Scope scope, const void* code) {
    Member& member = members_[thread];
    member.acquires = member.looks_at;
    member.acquire_scope = scope;
    member.acquire_code = code;
  }
  /// An atomic or volatile write: whoever sees it sees what the thread did before its last fence.
  void publish(unsigned thread, std::uintptr_t address, Flags& flags);
  /// An atomic or volatile read, which is about to happen.
  void look_at(unsigned thread, std::uintptr_t address, const Flags& flags);
  /// It has happened.
  void has_looked(unsigned thread, const Flags& flags) {
    if (looking_ > 0 && members_[thread].looks_at != 0 && flags.any()) see(thread, flags);
  }

  /// The thread is about to read what may be a flag.
  void begin_look(unsigned thread, const Look& look) { use(thread).look = look; }
  /// The look before what the thread does now, once: no shadow if there is none.
  Look end_look(unsigned thread) {
    return used_ ? std::exchange(members_[thread].look, {}) : Look{};
  }
  /// The flag that the thread has read was written last by another block's thread, as the mark
  /// says.
  void pass(unsigned thread, const Mark& flag, const void* code, Word value);
  /// Whether the thread has read, in another line, a flag that this write's block set later. Not if
  /// flag and value carry the same tag: then the value says by itself whether it is there.
  bool has_passed(const Mark& write, unsigned thread, const void* code, Word value) const;
  /// An atomic addition, or its like: whether the thread's last one was to the same address.
  bool adds_again(unsigned thread, std::uintptr_t address);
  /// An atomic operation has changed global memory.
  void change(const Change& change);
  /// What the block has changed like that in other code, last of all, before what this thread does
  /// now, and what no fence has published.
  std::vector<Change> unfenced_changes(unsigned thread, std::uintptr_t address,
                                       const void* code) const;
  /// A volatile write to global memory has happened: its thread's next one is later.
  void end_volatile_write() { tick(); }

  /// The thread arrives at a barrier: what it did, and knows of others, is handed on to those who
  /// wait, of so wide a scope; what it has fenced as far as the fence reaches.
  void release(unsigned thread, Released& to, Scope scope);
  /// The thread has issued an asynchronous copy: that is handed on, and it alone.
  void release_copy(unsigned thread, Released& to);

  /// It runs beside other launches, of that device and others, and after what has ended before.
  void run_beside_others(int device, const StreamClock& before) {
    device_ = device;
    before_ = &before;
  }
  /// The fence or acquire but for whose scope the access of another device's thread would come
  /// before what this thread does now; nothing if there is none.
  std::optional<const void*> narrow_fence(const Mark& mark, unsigned thread) const;
  /// What the thread knows of others.
  const VectorClock& known_to(unsigned thread) const { return members_[thread].knows; }
  /// What its threads know together, and what the end of their kernel makes them know.
  VectorClock known_at_end();
  /// Whether the access comes before what this thread does now.
  bool comes_before(const Mark& mark, unsigned thread) const;
  /// Whether it would, had this thread fenced after it read the flag. Of another launch: it has
  /// read one that was published after the access.
  bool lacks_acquire(const Mark& mark, unsigned thread) const {
    return knows(members_[thread].seen, mark);
  }

  /// The thread waits for the kernel before this one in its stream (griddepcontrol.wait).
  void wait_for_dependency(unsigned thread);
  /// Whether it has done so, or another one before what it does now.
  bool has_met_dependency(unsigned thread) const;

  /// fence.proxy.async of a thread, for shared memory or for global memory.
  void fence_proxy(unsigned thread, bool shared, bool global);
  /// Whether its writer has fenced this generic write to global memory, of this block, or `thread`
  /// has done so since.
  bool is_fenced_in_global(const Mark& write, unsigned thread) const;
  unsigned clock() const { return clock_; }
  /// Whether the thread has ever called the fence for global memory.
  bool has_fenced_global(unsigned thread) const;
  /// Whether its writer has fenced this generic write, of this block, for the async proxy, and what
  /// `thread` does now comes after that.
  bool is_fenced_for_async(const Mark& write, unsigned thread) const;
  /// Whether `thread` itself has called fence.proxy.async since the write.
  bool has_fenced_since(const Mark& write, unsigned thread) const;

 private:
  struct Fence {
    unsigned at = 0;  ///< clock; 0: none
    unsigned barrier = 0;
  };
  /// The latest ones of a thread, in order.
  class Fences {
   public:
    void add(const Fence& fence);
    Fence last() const { return kept_.empty() ? Fence{} : kept_.back(); }
    /// The clock of the last one before this; 0: none.
    unsigned last_before(unsigned clock) const;

   private:
    std::vector<Fence> kept_;
  };
  /// A flag that a thread has read: who has written it, where and what it was.
  struct Passed {
    Mark flag;
    const void* code;
    Word value;
  };
  /// What a thread has published last, and where.
  struct Handed {
    std::uintptr_t address = 0;
    VectorClock published, knows;
    bool operator==(const Handed&) const = default;
  };
  struct Member {
    Fences to_block, to_device, to_system;  ///< the last, where there are several devices
    const void* fence_code = nullptr;       ///< of the last one
    std::uintptr_t looks_at = 0, acquires = 0, added_to = 0;
    Scope acquire_scope = Scope::system;
    const void* acquire_code = nullptr;
    VectorClock published;      ///< what its atomics publish, where `published_at` is the clock
    unsigned published_at = 0;  ///< 0: not known
    Handed handed;
    VectorClock knows;
    VectorClock seen;    ///< through flags, since its last fence
    VectorClock missed;  ///< the same, of which a scope has kept it
    Look look = {};
    std::vector<Passed> passed = {};          ///< the latest flags
    std::vector<unsigned> proxy_fences = {};  ///< the clocks after the latest ones, in order
    unsigned global_fence = 0;                ///< the same of the last one for global memory
  };

  void tick();
  Fences Member::*fences(Scope scope) const;
  Member& use(unsigned thread);
  void see(unsigned thread, const Flags& flags);
  void add_published(unsigned thread, Scope scope, std::vector<BlockClock>& to) const;
  VectorClock at_barrier(Member& member);
  VectorClock reaching(Member& member, const VectorClock& seen, Scope scope, const void* code);
  bool knows(const VectorClock& known, const Mark& mark) const {
    return covers_for(known, mark, block_);
  }

  int device_ = -1;  ///< -1: there is no other
  const StreamClock* before_ = nullptr;
  std::uint64_t block_ = 0, cluster_first_ = 0;
  unsigned cluster_blocks_ = 1;
  unsigned clock_ = 1;
  unsigned barrier_ = 0;  ///< clock of the last __syncthreads()
  struct Exchange {
    unsigned clock = 0, lanes = 0;
  };

  std::array<Change, 2> changes_{};  ///< the latest ones, of two words
  std::vector<WarpOrder> warps_;
  std::vector<Exchange> exchanges_;              ///< the last one, by warp
  std::vector<Member> members_;                  ///< by thread
  unsigned looking_ = 0;                         ///< threads that look at something
  bool used_ = false;                            ///< `members_`, in this block
  bool fenced_ = false;                          ///< some thread has called a fence
  bool learned_ = false;                         ///< some thread, since the last barrier
  bool proxy_fenced_ = false;                    ///< some thread has called fence.proxy.async
  std::vector<std::uint64_t> dependency_waits_;  ///< as `who` of a mark
};

}  // namespace kata::emulator
