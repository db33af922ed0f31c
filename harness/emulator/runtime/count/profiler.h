#pragma once
// What an estimate of time needs of a launch beyond its counters (report/profile.h): which loads
// find their sector in a cache, what the slowest thread of a block waits for, how many atomics meet
// at one address. Only when Options::profile asks for it: one OS thread runs all blocks then.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/abi.h"
#include "emulator/runtime/count/counts.h"
#include "emulator/types/launch_profile.h"

namespace kata::emulator {

/// Loads that a thread has asked for and not waited for yet: one loop's as a rule.
class LoadsInFlight {
 public:
  void start(const void* code);
  /// Whether this load need not wait for those before it: a loop's loads do after some iterations.
  bool goes_on(const void* code, bool is_copy);
  bool none() const { return first_ == nullptr; }
  void forget() { first_ = nullptr; }

 private:
  std::uint32_t loads_ = 0;      ///< how many they are
  std::uint32_t body_ = 0;       ///< how many an iteration has; 0: no second one has begun
  const void* first_ = nullptr;  ///< instruction of the first of them
  const void* last_ = nullptr;
  const void* marked_ = nullptr;  ///< of one behind the first 16, where the first is not repeated
};

/// What one thread has waited for so far.
class Chain {
 public:
  void load(const void* code, bool is_far);
  void load_shared(const void* code);
  void store(bool to_shared);
  /// The load before was an asynchronous copy's: the thread goes on without its data.
  void copy();
  /// It waits for its copies until that many groups are left.
  void wait_for_copies(unsigned groups_left);
  void atomic(bool waits);
  void warp_operation();
  void barrier();
  /// Of a loop whose iterations' loads are not in flight together.
  void begin_iteration() { pending_ = Pending::none; }
  /// A product of tensor cores: waits for the loads before it, not for the products before it.
  void multiply(double Steps::*unit, std::uint64_t multiply_adds);
  /// It has waited for `other`, which took longer.
  void catch_up(const Chain& other);

  /// In nominal clocks: it says which of two chains is the longer one.
  double cost() const;
  const Steps& steps() const { return steps_; }

  std::uint32_t accesses = 0;  ///< of global memory

 private:
  /// `both`: loads of device memory, and of shared memory after them.
  enum class Pending : std::uint8_t { none, device, both, shared };

  double& device_loads();

  Steps steps_;
  Pending pending_ = Pending::none;  ///< loads that nothing has waited for yet
  LoadsInFlight device_, shared_;
  bool is_far_ = false;      ///< one of the loads of device memory
  bool is_stored_ = false;   ///< one of them to shared memory
  bool has_copies_ = false;  ///< under way, with no read of shared memory since
};

/// One launch's profile, as its blocks make it.
class Profiler {
 public:
  /// Of a launch of so many blocks.
  void begin(std::uint64_t blocks);

  /// What tensor cores have multiplied so far, in accesses that take the emulator as long.
  std::uint64_t work() const;

  /// `address` is the offset from the arena's start or in the block's shared memory.
  void access(Chain& chain, AccessKind kind, std::uint64_t address, const void* code,
              std::uint64_t block);
  /// The thread has asked for a copy into shared memory.
  void async_copy(Chain& chain) {
    ++made_.async_copies;
    chain.copy();
  }
  void atomic(Chain& chain, AtomicOp op, AtomicType type, std::uintptr_t address, bool in_shared,
              std::uint64_t block);
  /// A bulk copy reads or writes these bytes of device memory.
  void bulk_copy(std::uint64_t address, std::uint64_t bytes, bool is_store, std::uint64_t block);
  /// A warp multiplies with mma.sync or wmma, or a warpgroup with wgmma.
  void mma(MatrixElement type, std::uint64_t multiply_adds);
  void wgmma(MatrixElement type, std::uint64_t multiply_adds);
  /// The lanes of a warp that waited for each other go on together; so do all threads of a block.
  static void meet(Chain* warp, unsigned lanes);
  static void meet_all(std::vector<Chain>& block);
  void end_block(const std::vector<Chain>& chains);

  /// The launch's profile without its counters.
  LaunchProfile take();

 private:
  struct Hot {
    std::uint64_t count = 0, block = 0;
    bool is_shared = false, adds_floats = false;
  };

  Touched& buffer_at(std::uintptr_t address);

  LaunchProfile made_;
  std::unordered_map<std::uintptr_t, Hot> atomics_;
  static constexpr std::uint64_t no_sector = ~std::uint64_t{0};
  std::uint64_t last_bulk_sector_ = no_sector;
  std::size_t last_buffer_ = 0;
  double longest_cost_ = 0;
  std::uint32_t stamp_ = 0;  ///< of this launch's first block
};

}  // namespace kata::emulator
