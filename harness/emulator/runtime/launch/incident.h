#pragma once
// A fault that a check noticed, as facts: cheap to record where it happens. check/messages.cpp puts
// it in words when the launch is over.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "emulator/abi.h"
#include "emulator/runtime/launch/streams.h"
#include "emulator/runtime/memory/place.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {

/// An access to memory that is not shared memory.
struct MemoryAccess {
  std::uintptr_t address = 0;
  unsigned size = 0;
  bool is_write = false;
};

inline constexpr std::uint64_t own_block = ~std::uint64_t{0};

/// What accesses shared memory: a thread, or the async proxy for it.
enum class Accessor : std::uint8_t { thread, bulk_copy, wgmma };

constexpr Accessor accessor(Access access) {
  if (access == Access::matrix_read) return Accessor::wgmma;
  return in_async_proxy(access) ? Accessor::bulk_copy : Accessor::thread;
}

/// An access to the shared memory of `block`, at most 16 bytes from `offset` on.
struct SharedAccess {
  std::uintptr_t offset = 0;
  unsigned size = 0;
  bool is_write = false;
  Accessor by = Accessor::thread;
  std::uint64_t block = own_block;
};

/// What makes a misaligned access.
enum class AccessedBy {
  load_or_store,
  atomic,
  async_copy,
  ldmatrix,
  stmatrix,
  mbarrier,
  bulk_copy
};

/// What a thread waits at that never goes on.
enum class WaitsAt {
  block_barrier,
  warp_operation,
  grid_barrier,
  named_barrier,
  mbarrier,
  cluster_barrier,
  registers,
  warpgroup,
};

// ---- the faults, each with the facts that its message needs

struct OutOfBounds {  ///< device memory: past an allocation, freed
  MemoryAccess access;
  /// The addresses of all such accesses from that place.
  std::uintptr_t lowest = access.address, highest = access.address;
};
struct SharedOutOfBounds {
  SharedAccess access;
};
struct IllegalAddress {  ///< neither device memory nor anything else a kernel may use
  MemoryAccess access;
};
struct PeerMissing {  ///< access to the memory of another device
  MemoryAccess access;
  int owner;
  bool pooled;                   ///< by cudaMallocAsync
  std::optional<Place> reverse;  ///< where `owner` was given access to the launch's device
};
struct BadSubscript {
  std::int64_t index;
  const char* array_type;  ///< as the compiler writes it, quoted: "'float [32][33]'"
};
struct IntegerOverflow {  ///< of signed integers; a negation is 0 - right
  char operation;
  std::int64_t left, right;
  const char* type;  ///< as the compiler writes it, quoted: "'int'"
};
struct StackOverflow {};
struct MissingReturn {};  ///< a function ends without the value that it returns
struct ForeignLocal {     ///< another thread's local variable
  bool is_write;
};
struct Misaligned {
  MemoryAccess access;
  AccessedBy by = AccessedBy::load_or_store;
};
struct MatrixMisaligned {  ///< wmma
  std::uintptr_t address;
  std::uint64_t bytes_apart;  ///< from row to row, or from column to column
  int element_bytes;
};
struct LayoutAssumed {  ///< wmma: the kernel knows which lane has which element
  enum How { filled, read } how;
};
struct InputModified {
  MemoryAccess access;
};
struct ConstantModified {  ///< a __constant__ variable
  MemoryAccess access;
};
struct Uninitialized {
  MemoryAccess access;
};
struct SharedUninitialized {
  SharedAccess access;
};
/// A phase of an mbarrier that is not complete.
struct MissingPhase {
  struct Copy {
    Place place;
    std::uint64_t bytes;
  };
  std::uint64_t phase = 0;
  unsigned arrivals = 0, expected_arrivals = 0;  ///< `arrivals` are missing
  std::int64_t bytes = 0, expected_bytes = 0;    ///< `bytes` are missing; below 0: too many came
  std::vector<Copy> copies = {};                 ///< those that brought bytes
};
struct CopyNotArrived {  ///< asynchronous; its destination is touched
  SharedAccess access;
  Place copy;
  bool is_bulk;
  std::shared_ptr<const MissingPhase> phase = nullptr;  ///< of a bulk copy, if it is known
};
struct AsyncStillReads {  ///< what is written here
  SharedAccess access;
  Place read;
  Accessor by;
};
struct AsyncNotFenced {  ///< the async proxy reads what a thread wrote without fence.proxy.async
  std::variant<MemoryAccess, SharedAccess> access;
  Place write;
  unsigned writer;
  bool reader_fenced;  ///< the issuing thread called it instead
};
struct ReadOnlyWritten {  ///< a load through the read-only cache; this launch has written there
  MemoryAccess access;
  Place write;
};
struct StoreLeft {};  ///< a bulk store whose thread returned without waiting for it
struct TensorMapMisused {
  enum Kind {
    not_encoded,        ///< cuTensorMapEncodeTiled() has not written these bytes, or has refused to
    not_grid_constant,  ///< it is a copy in a thread's own memory
    wrong_rank,         ///< the instruction's is `number`, the map's `expected`
    unaligned_box,      ///< it begins at byte `number` of a row
    store_before,       ///< the tensor, in dimension `expected` at `number`
    no_reduction,       ///< of the map's type by that operation
  } kind;
  std::int64_t number = 0;
  unsigned expected = 0;
};
struct MulticastBeyond {  ///< a mask that names a block which the cluster does not have
  unsigned rank, blocks;
};
struct SwizzleShifted {  ///< a tile that does not begin where its swizzle pattern repeats
  SharedAccess tile;
  unsigned period;
};
struct SwizzleDiffers {  ///< wgmma reads a tile by another pattern than a tensor copy wrote it
  SharedAccess cell;
  Place copy;
  unsigned copied, described;  ///< bytes of the swizzle's span; 16: none
};
struct BarrierNotInitialized {};  ///< an mbarrier or cuda::barrier
struct BarrierTouched {           ///< by an ordinary access
  SharedAccess access;
};
struct BarrierNotFenced {  ///< a bulk copy's mbarrier: the async proxy may not see its init
  Place init;
};
struct BarrierNotPublished {  ///< another block's mbarrier, after a cluster barrier that is relaxed
  Place init;
};
struct MbarrierMisuse {
  enum Kind {
    wrong_count,        ///< `number` of arrivals at init
    initialized_twice,  ///< at `init` before
    too_many_arrivals,  ///< of the `number` that it was initialised with
    too_many_bytes,     ///< `number` of them are expected, or have come
    other_block,        ///< only the block that it is in may wait for it or initialise it
  } kind;
  std::int64_t number;
  Place init;
};
struct PhaseMissed {    ///< a wait by parity that cannot tell the phase it means from a later one
  std::uint64_t known;  ///< phases that the thread knows to be complete
  std::uint64_t complete;  ///< that are
  unsigned parity;
  bool waits_again;  ///< for a phase that it knows to be complete
};
struct InvalidFree {  ///< free() or delete in a kernel
  std::uintptr_t address;
};
struct HostAccess {  ///< host code reads or writes device memory
  MemoryAccess access;
};
struct LibraryAccess {  ///< Thrust, called by host code, reads or writes what is no buffer's
  MemoryAccess access;
};
struct BarrierExited {     ///< threads had returned, before it or past it, when the others met
  std::uint64_t exited;    ///< threads
  unsigned exited_thread;  ///< one of them
  bool whole_warps;        ///< no warp of theirs has a thread that met the others
};
struct BarrierMixed {  ///< another thread waits at another barrier
  Place other;
  unsigned other_thread;
  bool whole_warps;  ///< each warp is at one barrier, and all are of one kind
};
struct MaskWithoutCaller {
  WarpOp op;
  unsigned mask;
};
struct MaskExited {
  WarpOp op;
  unsigned exited;  ///< lanes, one bit each
};
struct MaskElsewhere {  ///< lanes of the mask have left a loop that others are still in
  WarpOp op;
  unsigned mask;
  unsigned lanes;  ///< those that have left it most often
};
struct ShuffleFromNobody {  ///< the lane that is read takes no part
  WarpOp op;
  unsigned source;  ///< lane
  enum Why { exited, not_in_mask, not_in_block } why;
};
struct Deadlock {
  WaitsAt at = WaitsAt::block_barrier;
  WarpOp op = WarpOp::sync;  ///< of a warp operation
  Place other = {};          ///< where another thread waits; none: there is none
  unsigned other_thread = 0;
  std::uint64_t exited = 0;                                     ///< threads of the block
  MissingPhase missing = {};                                    ///< of an mbarrier
  std::shared_ptr<const MissingPhase> other_missing = nullptr;  ///< of the other thread's
};
struct RegistersWrong {  ///< setmaxnreg
  bool to_more;          ///< .inc to fewer than it has; else .dec to more
  unsigned has, wants;   ///< registers of a thread
  bool is_assumed;       ///< `has`: it is what __launch_bounds__ allows, and may be fewer
};
struct RegistersDiffer {  ///< setmaxnreg: from what another thread of the warpgroup asks for
  Place other;
  unsigned other_thread;
};
struct RegistersExceeded {  ///< by the accumulators of one thread that are on their way alone
  unsigned needed, has;
};
struct RegistersPartial {  ///< setmaxnreg, by some threads of a warpgroup only
  unsigned threads;
  unsigned warps;  ///< theirs, one bit each
};
struct RegistersEarly {  ///< of D of a wgmma that has not been waited for
  bool is_write;
  Place wgmma;
  bool is_committed;
};
struct MatrixRegistersTaken {  ///< some of D are on their way by another wgmma, of another shape
  Place other;
};
struct MatrixNotFenced {};  ///< wgmma without wgmma.fence
struct MatrixDiffers {      ///< from what another thread of the warpgroup issued
  Place other;
  unsigned other_thread;
};
struct WarpgroupIncomplete {  ///< four warps issue a wgmma
  std::uint64_t threads;      ///< of the block
};
struct NeverResident {     ///< all blocks that fit on the device wait for others
  std::uint64_t capacity;  ///< blocks
};
struct GridIncomplete {
  std::uint64_t exited;  ///< blocks that returned before grid.sync()
};
struct GridSyncNotCooperative {};
struct SharedTooLarge {
  std::uint64_t bytes, limit;
};
struct BlockBeyondBounds {  ///< more threads than __launch_bounds__ says
  unsigned threads, bound;
};
struct Unsupported {
  const char* what;
};
struct WrongTexture {
  unsigned texel_bytes = 0;  ///< 0: there is no such texture
  unsigned read_bytes = 0;
  bool wrong_shape = false;  ///< linear memory, layers or none: another function reads it
};
struct OutsideSurface {  ///< or between two elements
  int at[3];             ///< the first in bytes
  unsigned bytes;
  std::uint64_t row_bytes, rows;
};
struct SharedMemoryEarly {  ///< of another block of the cluster, which may not have begun
  SharedAccess access;
};
struct SharedMemoryLeft {  ///< of another block of the cluster, which may have returned
  SharedAccess access;
};
struct Trapped {};  ///< __trap()
struct AssertionFailed {
  const char* condition;
};
/// Why no launch that is under way can go on.
struct Blocked {
  struct Call {
    std::string name;  ///< of a function or a kernel
    Place place;
    int device = 0;
    bool same_stream = false;  ///< as the launch that waits
  };
  Call host;                      ///< what the host waits in
  std::vector<int> idle_devices;  ///< that have no launch
  std::vector<Call> queued;       ///< waits behind launches in their streams
};
/// What a thread looks at again and again.
struct Polled {
  std::uintptr_t address = 0;  ///< 0: it is not known
  unsigned size = 0;
  std::uint64_t value = 0;                        ///< that it holds
  std::shared_ptr<const StreamWork> writer = {};  ///< who wrote it last; null: nobody
  Place write = {};
};
struct WaitsForOthers {  ///< for another launch or the host, which do not go on either
  std::shared_ptr<const Blocked> blocked;
  Polled polled = {};
  std::uint64_t not_begun = 0;  ///< blocks that the device has no room for
};
struct Timeout {};  ///< the launch came to its limit of accesses
/// The other side of a race. The incident's own place, block and thread are the one side.
struct RaceSide {
  Place place;
  std::uint64_t block = 0;
  unsigned thread = 0;
  Mark::Kind kind = Mark::plain;
  bool is_write = false;
  Accessor by = Accessor::thread;
};
struct Race {
  std::variant<MemoryAccess, SharedAccess> access;  ///< `is_write` is the incident's own side's
  Mark::Kind kind = Mark::plain;
  RaceSide other;
  Mark::Many distance = Mark::one;  ///< between the two threads
  bool lacks_acquire = false;       ///< the reader has read a flag of the writer, and not fenced
  bool is_of_block_scope = false;   ///< an atomic that is none for the other block
  std::shared_ptr<const MissingPhase> phase = nullptr;  ///< of the bulk copy that is not waited for
  Place barrier = {};  ///< the __syncthreads() that the block met at last

  bool is_write() const {
    return std::visit([](const auto& one) { return one.is_write; }, access);
  }
};
/// Work of another stream, or not yet waited for, that touches the same memory.
struct OtherWork {
  std::shared_ptr<const StreamWork> work;
  Place place = {};  ///< of its access
  bool is_write = false, is_atomic = false;
};
struct StreamRace {
  MemoryAccess access;
  OtherWork other;
  bool is_dependency;  ///< the kernel before it in its stream, which it has not waited for
  /// Code of the fence or acquire that lacks nothing but the system's scope.
  std::optional<const void*> narrow_fence = {};
};
struct HostRace {  ///< host code touches managed or pinned memory that a launch or a copy uses
  MemoryAccess access;
  OtherWork other;
};

using Fault = std::variant<
    OutOfBounds, SharedOutOfBounds, IllegalAddress, PeerMissing, BadSubscript, IntegerOverflow,
    StackOverflow, MissingReturn, ForeignLocal, Misaligned, MatrixMisaligned, LayoutAssumed,
    InputModified, ConstantModified, Uninitialized, SharedUninitialized, CopyNotArrived,
    AsyncStillReads, AsyncNotFenced, ReadOnlyWritten, BarrierNotFenced, StoreLeft, TensorMapMisused,
    MulticastBeyond, SwizzleShifted, SwizzleDiffers, BarrierNotInitialized, BarrierTouched,
    BarrierNotPublished, MbarrierMisuse, PhaseMissed, InvalidFree, HostAccess, LibraryAccess,
    BarrierExited, BarrierMixed, MaskWithoutCaller, MaskExited, MaskElsewhere, ShuffleFromNobody,
    Deadlock, RegistersExceeded, RegistersWrong, RegistersDiffer, RegistersPartial, RegistersEarly,
    MatrixRegistersTaken, MatrixNotFenced, MatrixDiffers, WarpgroupIncomplete, NeverResident,
    GridIncomplete, GridSyncNotCooperative, SharedTooLarge, BlockBeyondBounds, Unsupported,
    WrongTexture, OutsideSurface, SharedMemoryEarly, SharedMemoryLeft, Trapped, AssertionFailed,
    WaitsForOthers, Timeout, Race, StreamRace, HostRace>;

struct Incident {
  Place place;
  Fault fault;
  std::uint64_t order = 0;  ///< of the block, in the schedule
  std::uint64_t block = 0;
  unsigned thread = 0;
  std::uint64_t count = 1;
};

/// The second place that an incident is about; none as a rule.
Place other_place(const Incident& incident);

/// Swaps the two sides of a race.
void swap_sides(Incident& race);

/// One incident per kind and place: the one of the first block and thread in the schedule.
/// Races of threads in one warp, of warps, and of blocks are kept apart.
class IncidentLog {
 public:
  void add(const Incident& incident);
  /// Whether it has one of this kind and place, of this thread or one before it.
  bool has(const Incident& incident) const;
  void merge(const IncidentLog& other);
  template <class Predicate>
  void remove_if(Predicate is_wrong) {
    std::erase_if(incidents_, [&](const auto& entry) { return is_wrong(entry.second); });
  }
  bool empty() const { return incidents_.empty(); }
  void clear() { incidents_.clear(); }

  /// The races between the most distant threads first, then in the order of the schedule, and last
  /// what never ended: the same for any number of OS threads. Incidents of blocks after
  /// `last_order` are left out: another run may not have come so far.
  std::vector<Incident> sorted(std::uint64_t last_order) const;

 private:
  using Key = std::tuple<std::size_t, Place, Place, unsigned>;  ///< fault, both places, distance
  static Key key_of(const Incident& incident);
  std::map<Key, Incident> incidents_;
};

}  // namespace kata::emulator
