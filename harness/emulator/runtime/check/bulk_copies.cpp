#include "emulator/runtime/check/bulk_copies.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/async_proxy.h"
#include "emulator/runtime/check/cluster_access.h"
#include "emulator/runtime/check/mbarriers.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator {
namespace {

/// While it lives, no other thread runs, and accesses are no part of their warp's requests: an
/// engine makes them, and not the lane that asks for them. A sample ends after a number of
/// accesses, these included.
class ByEngine {
 public:
  ByEngine()
      : trace_(std::exchange(running.trace, nullptr)),
        quantum_(std::exchange(running.quantum, endless)) {}
  ByEngine(const ByEngine&) = delete;
  ByEngine& operator=(const ByEngine&) = delete;
  ~ByEngine() {
    running.trace = trace_;
    const bool is_sampled = running.scheduler->launch().options.sampled_blocks > 0;
    const std::int64_t spent = is_sampled ? endless - running.quantum : 0;
    running.quantum = quantum_ - spin_price - spent;
  }

 private:
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max() / 2;

  WarpTrace* trace_;
  std::int64_t quantum_;
};

void profile_bulk_copy(std::uintptr_t address, unsigned bytes, bool is_store) {
  if (!running.is_profiled) return;
  running.scheduler->profiler().bulk_copy(address - arena_low, bytes, is_store,
                                          running.scheduler->block().order());
}

template <Access access>
void check_global_bytes(std::uintptr_t address, unsigned bytes, const void* code) {
  for (; bytes >= 16 && address % 16 == 0; address += 16, bytes -= 16)
    check_access<16, access>(address, code);
  check_range(address, bytes, access, code);
}

std::uint8_t* state_at(std::uintptr_t address) {
  return reinterpret_cast<std::uint8_t*>(address + shared_span);
}

/// Reports bytes that the copy may not write. False: some of them do not exist.
bool check_state(std::uintptr_t address, unsigned bytes, const void* code) {
  const std::uintptr_t offset = address - running.shared_low;
  if (offset >= shared_span || bytes > shared_span - offset) {
    check_elsewhere(address, 4, Access::async_write, code);
    return false;
  }
  bool exists = true;
  for (unsigned at = 0; at < bytes && exists; ++at) {
    const std::uint8_t state = *state_at(address + at);
    exists = state != absent;
    if (state == unwritten || state == written) continue;
    check_shared(offset + at, std::min(4u, bytes - at), Access::async_write, code);
    at += 3;
  }
  return exists;
}

/// Its destination is on its way. False: it does not exist.
bool check_destination(Block& owner, const BulkPiece& piece, const void* code) {
  if (!check_state(piece.to, piece.bytes, code)) return false;
  check_matrix_reads(owner, piece.to, piece.bytes, code);
  for (unsigned at = 0; at < piece.bytes; at += 4)
    check_word(*shared_shadow(running.shared_low, piece.to + at - running.shared_low),
               piece.to + at, 15, Access::async_write, code);
  std::fill_n(state_at(piece.to), piece.bytes, in_flight);
  return true;
}

/// To nearest, ties to even. On an H200 every NaN becomes the same one, and the largest numbers
/// become infinite.
void round_to_tf32(std::uint8_t* at, unsigned bytes) {
  for (std::uint8_t* const end = at + bytes; at < end; at += 4) {
    std::uint32_t bits;
    std::memcpy(&bits, at, 4);
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    bits = is_nan ? 0x7fffe000 : (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
    std::memcpy(at, &bits, 4);
  }
}

void move_bytes(const BulkCopy& copy, const BulkPiece& piece) {
  auto* to = reinterpret_cast<std::uint8_t*>(piece.to);
  if (piece.from) {
    std::memcpy(to, reinterpret_cast<const void*>(piece.from), piece.bytes);
    if (copy.rounds_to_tf32) round_to_tf32(to, piece.bytes);
    return;
  }
  for (unsigned at = 0; at < piece.bytes; ++at) to[at] = copy.fill[at % copy.fill.size()];
}

bool is_staged(const BulkCopy& copy, const BulkPiece& piece) {
  return piece.from - reinterpret_cast<std::uintptr_t>(copy.staged.data()) < copy.staged.size();
}

}  // namespace

void issue_load(BulkCopy copy, std::uintptr_t mbarrier, std::int64_t bytes, const void* code) {
  Block* owner = copy.pieces.empty() ? nullptr : block_of_shared(copy.pieces.front().to);
  if (!owner) owner = &running.scheduler->block();
  if (running.is_checked) {
    const ByEngine engine;
    for (const BulkPiece& piece : copy.pieces) {
      if (!piece.from || is_staged(copy, piece)) continue;
      if (!copy.is_multicast_again) profile_bulk_copy(piece.from, piece.bytes, false);
      check_global_bytes<Access::read>(piece.from, piece.bytes, code);
      check_global_source(piece.from, piece.bytes, code);
    }
    const std::uintptr_t first = copy.pieces.empty() ? owner->shared().low() : copy.pieces[0].to;
    const InSharedMemoryOf its(*owner, first, 16, true, code);
    std::erase_if(copy.pieces,
                  [&](const BulkPiece& piece) { return !check_destination(*owner, piece, code); });
    for (const BulkPiece& piece : copy.pieces)
      owner->tile_swizzles().set(piece.to, piece.bytes, copy.swizzle_span);
  }
  for (const BulkPiece& piece : copy.pieces)
    std::memset(reinterpret_cast<void*>(piece.to), 0xff, piece.bytes);
  complete_bytes(mbarrier, bytes, std::make_shared<const BulkCopy>(std::move(copy)), code);
}

void deliver_load(const BulkCopy& copy) {
  for (const BulkPiece& piece : copy.pieces) {
    move_bytes(copy, piece);
    std::fill_n(state_at(piece.to), piece.bytes, written);
  }
}

void issue_store(const BulkCopy& copy, const void* code) {
  issue_bulk_read(copy.pieces, code);
  if (running.is_checked) {
    const ByEngine engine;
    for (const BulkPiece& piece : copy.pieces) {
      profile_bulk_copy(piece.to, piece.bytes, true);
      check_global_bytes<Access::write>(piece.to, piece.bytes, code);
    }
  }
  for (const BulkPiece& piece : copy.pieces) move_bytes(copy, piece);
}

void issue_bulk_read(const std::vector<BulkPiece>& pieces, const void* code) {
  if (!running.is_checked) return;
  std::vector<SharedRange> ranges;
  for (const BulkPiece& piece : pieces) {
    const std::uintptr_t low = piece.from / 16 * 16,
                         high = (piece.from + piece.bytes + 15) / 16 * 16;
    if (!ranges.empty() && ranges.back().low + ranges.back().bytes >= low &&
        ranges.back().low <= low)
      ranges.back().bytes = static_cast<unsigned>(high - ranges.back().low);
    else
      ranges.push_back({low, static_cast<unsigned>(high - low)});
  }
  Block& block = running.scheduler->block();
  const std::uint64_t read = begin_async_read(Access::async_read, std::move(ranges), code);
  block.bulk_groups().add(read, before(code));
}

void check_bulk_source(std::uintptr_t address, unsigned bytes, const void* code) {
  if (!running.is_checked) return;
  end_async_read(begin_async_read(Access::async_read, {{address, bytes}}, code));
}

void commit_bulk_group() {
  running.scheduler->block().bulk_groups().commit();
}

void wait_for_bulk_groups(unsigned groups_left) {
  running.scheduler->settle();
  for (const std::uint64_t read : running.scheduler->block().bulk_groups().take(groups_left))
    end_async_read(read);
}

}  // namespace kata::emulator
