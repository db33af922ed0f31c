#include "emulator/runtime/count/profiler.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "emulator/runtime/count/wavefronts.h"
#include "emulator/runtime/memory/device_memory.h"

namespace kata::emulator {
namespace {

/// nvcc unrolls a loop and asks for the loads of several iterations at once. Read from the machine
/// code that nvcc 13.0 makes of the rungs for sm_90a (2026-11-23): 13 to 16 loads are in flight in
/// a loop with one or two loads (sgemv 1 and 2, sgemm 1, attention 1), 4 to 8 in longer ones, 4 in
/// one that copies to shared memory (sgemm 4, attention 5).
constexpr unsigned short_body = 2, loads_of_short_body = 16, loads_of_long_body = 8,
                   loads_of_copy = 4;

/// Within so many of a thread's accesses, what a block has touched is still in the L1.
constexpr std::uint32_t near_accesses = 64;

/// Multiply-adds of tensor cores that take as long in the emulator as an access.
constexpr std::uint64_t products_for_access = 32;

/// Which block touched a sector last, at which of a thread's accesses, and whether it has written
/// to it.
struct LastTouch {
  std::uint32_t block;  ///< stamp; 0: none
  std::uint32_t access : 31;
  std::uint32_t is_written : 1;
};

/// That of a sector of the arena, or, far from it, of a `__device__` variable. The arena's table is
/// reserved, not used: a page of it costs memory once the sectors that it describes are touched.
LastTouch& last_touch(std::uint64_t sector) {
  constexpr std::uint64_t sectors = arena_bytes / sector_bytes;
  static auto* table =
      static_cast<LastTouch*>(mmap(nullptr, sectors * sizeof(LastTouch), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (sector < sectors) return table[sector];
  static std::unordered_map<std::uint64_t, LastTouch> variables;
  return variables[sector];
}

void add(Steps& sum, const Steps& more) {
  sum.far_loads += more.far_loads;
  sum.near_loads += more.near_loads;
  sum.hidden_loads += more.hidden_loads;
  sum.shared_loads += more.shared_loads;
  sum.warp_operations += more.warp_operations;
  sum.barriers += more.barriers;
  sum.atomics += more.atomics;
  sum.mma += more.mma;
  sum.wgmma += more.wgmma;
}

void add(MatrixWork& work, MatrixElement type, std::uint64_t multiply_adds) {
  switch (type) {
    case MatrixElement::f16:
      work.f16 += multiply_adds;
      break;
    case MatrixElement::bf16:
      work.bf16 += multiply_adds;
      break;
    case MatrixElement::e4m3:
    case MatrixElement::e5m2:
      work.f8 += multiply_adds;
      break;
    case MatrixElement::s8:
    case MatrixElement::u8:
      work.i8 += multiply_adds;
      break;
    default:
      work.tf32 += multiply_adds;
  }
}

}  // namespace

void LoadsInFlight::start(const void* code) {
  first_ = last_ = code;
  marked_ = nullptr;
  body_ = 0;
  loads_ = 1;
}

bool LoadsInFlight::goes_on(const void* code, bool is_copy) {
  const bool is_repeated = code == first_;
  const bool comes_back =
      is_repeated && last_ != code;  // others were in between: an iteration ends
  if (comes_back && body_ == 0) body_ = loads_;
  last_ = code;
  ++loads_;
  // The first load may lie in front of a loop: then another one comes back.
  if (code == marked_) return false;
  if (!is_repeated && body_ == 0 && loads_ > loads_of_short_body && !marked_) marked_ = code;
  if (!is_repeated || (body_ > 0 && !comes_back)) return true;
  const std::uint32_t body = std::max(body_, 1u);
  const unsigned most = is_copy              ? loads_of_copy
                        : body <= short_body ? loads_of_short_body
                                             : loads_of_long_body;
  return loads_ - 1 + body <= most;
}

/// The steps that the present loads of device memory are one of.
double& Chain::device_loads() {
  if (!is_far_) return steps_.near_loads;
  return pending_ == Pending::both ? steps_.hidden_loads : steps_.far_loads;
}

void Chain::load(const void* code, bool is_far) {
  const bool in_flight = pending_ == Pending::device || pending_ == Pending::both;
  if (!in_flight || !device_.goes_on(code, is_stored_)) {
    pending_ = Pending::device;
    is_far_ = is_stored_ = false;
    device_.start(code);
    ++device_loads();
  }
  if (is_far && !is_far_) {
    --device_loads();
    is_far_ = true;
    ++device_loads();
  }
}

void Chain::store(bool to_shared) {
  // nvcc moves later loads of device memory before a store to shared memory: the two cannot
  // overlap.
  if (to_shared && pending_ == Pending::device)
    is_stored_ = true;
  else
    pending_ = Pending::none;
}

void Chain::copy() {
  has_copies_ = true;
  if (pending_ != Pending::device) return;
  --device_loads();
  pending_ = Pending::none;
}

void Chain::wait_for_copies(unsigned groups_left) {
  // With groups left, those that are waited for were asked for a stage ago or more.
  if (groups_left > 0 || !has_copies_) return;
  ++steps_.far_loads;
  has_copies_ = false;
}

void Chain::load_shared(const void* code) {
  has_copies_ = false;
  if (is_stored_) pending_ = Pending::none;
  is_stored_ = false;
  if (pending_ == Pending::device) {  // which the thread has not used yet
    --device_loads();
    pending_ = Pending::both;
    ++device_loads();
    shared_.forget();
  }
  if (pending_ == Pending::none) {
    pending_ = Pending::shared;
    shared_.forget();
  }
  if (pending_ == Pending::both) device_.goes_on(code, false);  // a load of the same loop
  if (!shared_.none() && shared_.goes_on(code, false)) return;
  shared_.start(code);
  ++steps_.shared_loads;
}

void Chain::atomic(bool waits) {
  pending_ = Pending::none;
  steps_.atomics += waits;
}

void Chain::warp_operation() {
  pending_ = Pending::none;
  ++steps_.warp_operations;
}

void Chain::barrier() {
  pending_ = Pending::none;
  ++steps_.barriers;
}

void Chain::multiply(double Steps::*unit, std::uint64_t multiply_adds) {
  pending_ = Pending::none;
  steps_.*unit += static_cast<double>(multiply_adds);
}

void Chain::catch_up(const Chain& other) {
  steps_ = other.steps_;
  pending_ = Pending::none;
}

double Chain::cost() const {
  constexpr double mma_a_clock = 320, wgmma_a_clock = 2048;
  return steps_.mma / mma_a_clock + steps_.wgmma / wgmma_a_clock + 800 * steps_.far_loads +
         40 * steps_.near_loads + 30 * steps_.shared_loads + 30 * steps_.warp_operations +
         30 * steps_.barriers + 700 * steps_.atomics;
}

std::uint64_t Profiler::work() const {
  return (made_.mma.total() + made_.wgmma.total()) / products_for_access;
}

void Profiler::begin(std::uint64_t blocks) {
  made_ = {};
  atomics_.clear();
  last_buffer_ = 0;
  last_bulk_sector_ = no_sector;
  longest_cost_ = 0;
  // A stamp is used once: what an earlier launch touched is not in the L1.
  static std::uint32_t used = 0;
  stamp_ = used + 1;
  used += static_cast<std::uint32_t>(blocks);
}

Touched& Profiler::buffer_at(std::uintptr_t address) {
  const auto holds = [&](const Touched& one) { return address - one.buffer < one.bytes; };
  auto& all = made_.touched;
  if (last_buffer_ < all.size() && holds(all[last_buffer_])) return all[last_buffer_];
  auto found = std::find_if(all.begin(), all.end(), holds);
  if (found == all.end()) {
    const auto owner = DeviceMemory::instance().owner(address);
    found = all.insert(all.end(), owner ? Touched{.buffer = owner->low, .bytes = owner->bytes}
                                        : Touched{.buffer = address, .bytes = sector_bytes});
  }
  last_buffer_ = static_cast<std::size_t>(found - all.begin());
  return *found;
}

void Profiler::access(Chain& chain, AccessKind kind, std::uint64_t address, const void* code,
                      std::uint64_t block) {
  if (kind == AccessKind::global_atomic || kind == AccessKind::shared_atomic) return;  // atomic()
  if (kind == AccessKind::shared_load) return chain.load_shared(code);
  if (kind == AccessKind::shared_store) return chain.store(true);
  const std::uint32_t now = ++chain.accesses;
  LastTouch& last = last_touch(address / sector_bytes);
  const auto stamp = stamp_ + static_cast<std::uint32_t>(block);
  const bool is_first = last.block != stamp;
  const bool was_written = !is_first && last.is_written;
  const std::uint32_t before = last.access;
  const std::uint32_t distance = now > before ? now - before : before - now;
  const bool is_store = kind == AccessKind::global_store;
  last = {stamp, now & 0x7fffffff, is_store || was_written};
  if (is_store) {  // a sector that is read first goes to device memory when it is written, too
    if (!was_written) ++buffer_at(arena_low + address).written_sectors;
    return chain.store(false);
  }
  if (is_first) {
    ++buffer_at(arena_low + address).read_sectors;
    ++made_.first_reads;
  } else {
    const auto size = static_cast<std::size_t>(std::bit_width(distance));
    if (made_.re_reads.size() <= size) made_.re_reads.resize(size + 1);
    ++made_.re_reads[size];
  }
  chain.load(code, is_first || distance > near_accesses);
}

void Profiler::atomic(Chain& chain, AtomicOp op, AtomicType type, std::uintptr_t address,
                      bool in_shared, std::uint64_t block) {
  // A loop of compare-and-swap waits for what it answers; nvcc drops the unused result of a sum
  // or a maximum, and those that count tickets use inc or exch or an integer sum.
  const bool is_integer = type == AtomicType::i32 || type == AtomicType::u32 ||
                          type == AtomicType::i64 || type == AtomicType::u64;
  const bool adds_floats = op == AtomicOp::add && !is_integer;
  chain.atomic(op == AtomicOp::cas || op == AtomicOp::exch || op == AtomicOp::inc);
  if (in_shared) return;  // the wavefronts of its requests say what it takes
  Hot& hot = atomics_[address];
  hot.is_shared |= hot.count > 0 && hot.block != block;
  hot.adds_floats |= adds_floats;
  hot.block = block;
  ++hot.count;
}

void Profiler::bulk_copy(std::uint64_t address, std::uint64_t bytes, bool is_store,
                         std::uint64_t block) {
  const auto stamp = stamp_ + static_cast<std::uint32_t>(block);
  for (std::uint64_t sector = address / sector_bytes; sector * sector_bytes < address + bytes;
       ++sector) {
    // The pieces of a swizzled row have 16 bytes, half a sector: the other half is fetched with it.
    if (sector == last_bulk_sector_) continue;
    last_bulk_sector_ = sector;
    ++made_.bulk_sectors;
    LastTouch& last = last_touch(sector);
    const bool is_first = last.block != stamp;
    const bool was_written = !is_first && last.is_written;
    last = {stamp, 0, is_store || was_written};
    Touched& buffer = buffer_at(arena_low + sector * sector_bytes);
    if (is_store) {
      buffer.written_sectors += !was_written;
    } else if (is_first) {
      ++buffer.read_sectors;
      ++made_.first_reads;
    }
  }
}

void Profiler::mma(MatrixElement type, std::uint64_t multiply_adds) {
  add(made_.mma, type, multiply_adds);
  ++made_.matrix_instructions;
}

void Profiler::wgmma(MatrixElement type, std::uint64_t multiply_adds) {
  add(made_.wgmma, type, multiply_adds);
}

void Profiler::meet(Chain* warp, unsigned lanes) {
  Chain* longest = nullptr;
  for (unsigned rest = lanes; rest; rest &= rest - 1) {
    Chain& one = warp[std::countr_zero(rest)];
    if (!longest || one.cost() > longest->cost()) longest = &one;
  }
  if (!longest) return;
  longest->warp_operation();
  for (unsigned rest = lanes; rest; rest &= rest - 1)
    warp[std::countr_zero(rest)].catch_up(*longest);
}

void Profiler::meet_all(std::vector<Chain>& block) {
  const auto shorter = [](const Chain& a, const Chain& b) { return a.cost() < b.cost(); };
  const auto longest = std::max_element(block.begin(), block.end(), shorter);
  if (longest == block.end()) return;
  longest->barrier();
  for (Chain& one : block) one.catch_up(*longest);
}

void Profiler::end_block(const std::vector<Chain>& chains) {
  const Chain* longest = &chains.front();
  std::uint32_t accesses = 0;
  for (const Chain& one : chains) {
    if (one.cost() > longest->cost()) longest = &one;
    accesses = std::max(accesses, one.accesses);
  }
  add(made_.steps, longest->steps());
  if (longest->cost() > longest_cost_) {
    longest_cost_ = longest->cost();
    made_.longest = longest->steps();
  }
  made_.thread_accesses += accesses;
  ++made_.blocks_run;
}

LaunchProfile Profiler::take() {
  for (const auto& [address, hot] : atomics_) {
    if (hot.count < made_.hottest_atomics) continue;
    made_.hottest_atomics = hot.count;
    made_.hottest_is_shared = hot.is_shared;
    made_.hottest_adds_floats = hot.adds_floats;
  }
  return std::exchange(made_, {});
}

}  // namespace kata::emulator
