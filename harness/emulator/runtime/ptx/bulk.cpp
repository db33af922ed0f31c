// PTX bulk copies: linear ones, and of boxes of tensors.

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "emulator/runtime/check/bulk_copies.h"
#include "emulator/runtime/check/mbarriers.h"
#include "emulator/runtime/kernel/atomics.h"
#include "emulator/runtime/memory/tensor_map.h"
#include "emulator/runtime/ptx/ptx.h"
#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator::ptx {
namespace {

[[noreturn]] void end_at(const Fault& fault, int error, const Context& c) {
  Scheduler& scheduler = *running.scheduler;
  scheduler.abort(scheduler.incident(before(c.code), fault), error);
}

void check_alignment(const Context& c, std::uintptr_t address, unsigned multiple, bool is_write) {
  if (address % multiple == 0) return;
  end_at(Misaligned{{address, multiple, is_write}, AccessedBy::bulk_copy},
         cudaErrorMisalignedAddress, c);
}

/// A linear copy's bytes, which like both addresses are a multiple of 16.
unsigned linear_bytes(Context& c, const Instruction& i, std::uintptr_t to, std::uintptr_t from) {
  const auto bytes = c.get<std::uint32_t>(i, 2);
  check_alignment(c, to, 16, true);
  check_alignment(c, from, 16, false);
  check_alignment(c, bytes, 16, true);
  return bytes;
}

/// The same byte of shared memory in the block of that rank.
std::uintptr_t in_block(const Context& c, std::uintptr_t address, unsigned rank) {
  const Block& block = running.scheduler->block();
  const std::uintptr_t offset = address - running.shared_low;
  const Cluster* cluster = block.cluster();
  const unsigned blocks = cluster ? cluster->size() : 1;
  if (rank >= blocks) end_at(MulticastBeyond{rank, blocks}, cudaErrorLaunchFailure, c);
  if (offset >= shared_span) end_at(IllegalAddress{{address, 16, true}}, cudaErrorLaunchFailure, c);
  return (cluster ? cluster->block(rank).shared().low() : running.shared_low) + offset;
}

/// Issues the load, with .multicast::cluster once for each block of the mask in `mask_operand`.
void load(Context& c, const Instruction& i, const BulkCopy& copy, std::uintptr_t mbarrier,
          std::int64_t bytes, unsigned mask_operand) {
  check_mbarrier_fence(mbarrier, c.code);
  if (!i.has("multicast::cluster")) return issue_load(copy, mbarrier, bytes, c.code);
  const auto mask = c.get<std::uint16_t>(i, mask_operand);
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    const auto rank = static_cast<unsigned>(std::countr_zero(rest));
    BulkCopy its = copy;
    its.is_multicast_again = rest != mask;
    for (BulkPiece& piece : its.pieces) piece.to = in_block(c, piece.to, rank);
    issue_load(std::move(its), in_block(c, mbarrier, rank), bytes, c.code);
  }
}

struct Reduction {
  AtomicOp op;
  AtomicType type;
  unsigned bytes;
  bool flushes = false;
};

AtomicOp operation(Context& c, const Instruction& i) {
  static constexpr struct {
    Modifier modifier;
    AtomicOp op;
  } operations[] = {{"add", AtomicOp::add}, {"min", AtomicOp::min}, {"max", AtomicOp::max},
                    {"inc", AtomicOp::inc}, {"dec", AtomicOp::dec}, {"and", AtomicOp::and_},
                    {"or", AtomicOp::or_},  {"xor", AtomicOp::xor_}};
  for (const auto& [modifier, op] : operations) {
    if (i.has(modifier)) return op;
  }
  c.unsupported(i);
}

Reduction linear_reduction(Context& c, const Instruction& i) {
  const AtomicOp op = operation(c, i);
  switch (i.type()) {
    case Type::b32:
    case Type::u32:
      return {op, AtomicType::u32, 4};
    case Type::s32:
      return {op, AtomicType::i32, 4};
    case Type::b64:
    case Type::u64:
      return {op, AtomicType::u64, 8};
    case Type::s64:
      return {op, AtomicType::i64, 8};
    case Type::f32:
      return {op, AtomicType::f32, 4};
    case Type::f64:
      return {op, AtomicType::f64, 8};
    case Type::f16:
      return {op, AtomicType::f16, 2};
    case Type::bf16:
      return {op, AtomicType::bf16, 2};
    default:
      c.unsupported(i);
  }
}

Reduction tensor_reduction(Context& c, const Instruction& i, const TensorMap& map) {
  const AtomicOp op = operation(c, i);
  const bool adds = op == AtomicOp::add, compares = op == AtomicOp::min || op == AtomicOp::max,
             counts = op == AtomicOp::inc || op == AtomicOp::dec;
  switch (map.type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
      return {op, AtomicType::u32, 4};
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
      if (!counts) return {op, AtomicType::i32, 4};
      break;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
      if (!counts) return {op, AtomicType::u64, 8};
      break;
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
      if (compares) return {op, AtomicType::i64, 8};
      break;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      if (adds) return {op, AtomicType::f64, 8};
      break;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
      if (adds) return {op, AtomicType::f32, 4};
      break;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
      if (adds || compares) return {op, AtomicType::f16, 2};
      break;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      if (adds || compares) return {op, AtomicType::bf16, 2};
      break;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
      if (adds) return {op, AtomicType::f32, 4, true};
      break;
    default:
      break;
  }
  end_at(TensorMapMisused{TensorMapMisused::no_reduction}, cudaErrorIllegalInstruction, c);
}

/// A subnormal float becomes 0.
void flush(std::uintptr_t at) {
  std::uint32_t bits;
  std::memcpy(&bits, reinterpret_cast<const void*>(at), sizeof bits);
  if ((bits & 0x7f800000) != 0) return;
  bits &= 0x80000000;
  std::memcpy(reinterpret_cast<void*>(at), &bits, sizeof bits);
}

/// The elements of each piece, in shared memory of the block, into those at its destination.
void reduce(const Context& c, const std::vector<BulkPiece>& pieces, const Reduction& how) {
  for (const BulkPiece& piece : pieces) {
    for (unsigned at = 0; at < piece.bytes; at += how.bytes) {
      std::uint64_t value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(piece.from + at), how.bytes);
      atomic_update(how.op, how.type, piece.to + at, value, 0, c.code);
      if (how.flushes) flush(piece.to + at);
    }
  }
}

/// Its bytes count at the mbarrier: whoever waits for the phase sees them.
void complete_reduction(const Context& c, std::uintptr_t mbarrier, unsigned bytes) {
  complete_bytes(mbarrier, bytes, std::make_shared<const BulkCopy>(), c.code);
}

// ---- tensors

/// The map in an operand like [map, {x, y}], of as many dimensions as the instruction has.
TensorMap map_of(Context& c, const Instruction& i, unsigned operand) {
  const std::uintptr_t address = c.address(i, operand, false);
  const auto dimensions = static_cast<unsigned>(i.operands[operand].elements.size());
  if (address - running.stack_low < fiber_stack_bytes)
    end_at(TensorMapMisused{TensorMapMisused::not_grid_constant}, cudaErrorIllegalAddress, c);
  check_alignment(c, address, 64, false);
  const std::optional<TensorMap> map = decode(*reinterpret_cast<const CUtensorMap*>(address));
  if (!map) end_at(TensorMapMisused{TensorMapMisused::not_encoded}, cudaErrorIllegalInstruction, c);
  static constexpr Modifier of_rank[] = {"1d", "2d", "3d", "4d", "5d"};
  if (map->rank != dimensions || !i.has(of_rank[dimensions - 1]))
    end_at(TensorMapMisused{TensorMapMisused::wrong_rank, dimensions, map->rank},
           cudaErrorIllegalInstruction, c);
  if (map->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) c.unsupported(i);
  return *map;
}

/// The box at the operand's coordinates, as the tile that begins at `tile`.
std::vector<TensorMap::Cell> cells_of(Context& c, const Instruction& i, unsigned operand,
                                      const TensorMap& map, std::uintptr_t tile, bool stores) {
  check_alignment(c, tile, 128, true);
  if (tile % map.swizzle_period() != 0) {
    Scheduler& scheduler = *running.scheduler;
    const SwizzleShifted fault{
        scheduler.shared_access(tile - running.shared_low, 4, Access::async_write),
        map.swizzle_period()};
    scheduler.incidents().add(scheduler.incident(before(c.code), fault));
  }
  std::int32_t coordinates[most_dimensions] = {};
  for (unsigned d = 0; d < map.rank; ++d)
    coordinates[d] = c.get<std::int32_t>(i.operands[operand].elements[d]);
  const std::int64_t first_byte = std::int64_t{coordinates[0]} * map.element_bytes();
  if (first_byte % 16 != 0)
    end_at(TensorMapMisused{TensorMapMisused::unaligned_box, first_byte},
           cudaErrorIllegalInstruction, c);
  for (unsigned d = 0; stores && d < map.rank; ++d) {
    if (coordinates[d] < 0)
      end_at(TensorMapMisused{TensorMapMisused::store_before, coordinates[d], d},
             cudaErrorIllegalInstruction, c);
  }
  return map.cells(coordinates, tile, stores);
}

/// What a tile writes: the cells that are inside the tensor.
std::vector<BulkPiece> pieces_inside(const std::vector<TensorMap::Cell>& cells) {
  std::vector<BulkPiece> pieces;
  for (const TensorMap::Cell& cell : cells) {
    if (cell.global) pieces.push_back({cell.global, cell.shared, cell.bytes});
  }
  return pieces;
}

}  // namespace

/// [to], [from], bytes, [mbarrier]{, mask}{, policy}
void bulk_load(Context& c, const Instruction& i) {
  const std::uintptr_t to = c.address(i, 0, true), from = c.address(i, 1, false);
  const unsigned bytes = linear_bytes(c, i, to, from);
  load(c, i, {{{to, from, bytes}}}, c.address(i, 3, true), bytes, 4);
}

/// [to], [from], bytes, [mbarrier]: the source is read at once.
void bulk_send(Context& c, const Instruction& i) {
  const std::uintptr_t to = c.address(i, 0, true), from = c.address(i, 1, true);
  const unsigned bytes = linear_bytes(c, i, to, from);
  check_bulk_source(from, bytes, c.code);
  BulkCopy copy;
  const auto* source = reinterpret_cast<const std::uint8_t*>(from);
  copy.staged.assign(source, source + bytes);
  copy.pieces = {{to, reinterpret_cast<std::uintptr_t>(copy.staged.data()), bytes}};
  issue_load(std::move(copy), c.address(i, 3, true), bytes, c.code);
}

/// [to], [from], bytes{, policy}
void bulk_store(Context& c, const Instruction& i) {
  const std::uintptr_t to = c.address(i, 0, false), from = c.address(i, 1, true);
  const unsigned bytes = linear_bytes(c, i, to, from);
  issue_store({{{to, from, bytes}}}, c.code);
}

/// [to], [from], bytes: to global memory in a bulk group, else at an mbarrier.
void bulk_reduce(Context& c, const Instruction& i) {
  const bool to_global = i.has("bulk_group");
  const std::uintptr_t to = c.address(i, 0, !to_global), from = c.address(i, 1, true);
  const unsigned bytes = linear_bytes(c, i, to, from);
  const std::vector<BulkPiece> pieces{{to, from, bytes}};
  if (to_global) {
    issue_bulk_read(pieces, c.code);
  } else {
    check_bulk_source(from, bytes, c.code);
  }
  reduce(c, pieces, linear_reduction(c, i));
  if (!to_global) complete_reduction(c, c.address(i, 3, true), bytes);
}

/// [to], value or {values}, [mbarrier]
void store_async(Context& c, const Instruction& i) {
  const unsigned each = bytes_of(i.type());
  const auto& elements = i.operands[1].elements;
  const auto count = std::max(1u, static_cast<unsigned>(elements.size()));
  const std::uintptr_t to = c.address(i, 0, i.in_shared());
  if (each * count > 16) c.unsupported(i);
  check_alignment(c, to, each * count, true);
  BulkCopy copy;
  copy.staged.resize(each * count);
  for (unsigned e = 0; e < count; ++e) {
    const std::uint64_t value = c.bits(elements.empty() ? i.operands[1].value : elements[e]);
    std::memcpy(&copy.staged[e * each], &value, each);
  }
  copy.pieces = {{to, reinterpret_cast<std::uintptr_t>(copy.staged.data()), each * count}};
  issue_load(std::move(copy), c.address(i, 2, i.in_shared()), each * count, c.code);
}

/// [to], value, [mbarrier]
void reduce_async(Context& c, const Instruction& i) {
  const std::uint64_t value = c.bits(i.operands[1].value);
  const unsigned bytes = bytes_of(i.type());
  const std::uintptr_t to = c.address(i, 0, i.in_shared());
  check_alignment(c, to, bytes, true);
  reduce(c, {{to, reinterpret_cast<std::uintptr_t>(&value), bytes}}, linear_reduction(c, i));
  complete_reduction(c, c.address(i, 2, i.in_shared()), bytes);
}

void bulk_commit(Context&, const Instruction&) {
  commit_bulk_group();
}

void bulk_wait(Context& c, const Instruction& i) {
  wait_for_bulk_groups(c.get<std::uint32_t>(i, 0));
}

/// [to], [map, {x, ...}], [mbarrier]{, mask}{, policy}
void tensor_load(Context& c, const Instruction& i) {
  const TensorMap map = map_of(c, i, 1);
  const std::uintptr_t to = c.address(i, 0, true);
  BulkCopy copy;
  if (map.fills_with_nan) copy.fill = {0xf7, 0x7f};  // a NaN of every type, on an H200
  copy.rounds_to_tf32 = map.is_tf32();
  copy.swizzle_span = map.swizzle_span();
  for (const TensorMap::Cell& cell : cells_of(c, i, 1, map, to, false))
    copy.pieces.push_back({cell.shared, cell.global, cell.bytes});
  load(c, i, copy, c.address(i, 2, true), static_cast<std::int64_t>(map.box_bytes()), 3);
}

/// [map, {x, ...}], [from]{, policy}
void tensor_store(Context& c, const Instruction& i) {
  const TensorMap map = map_of(c, i, 0);
  issue_store({pieces_inside(cells_of(c, i, 0, map, c.address(i, 1, true), true))}, c.code);
}

void tensor_reduce(Context& c, const Instruction& i) {
  const TensorMap map = map_of(c, i, 0);
  const auto pieces = pieces_inside(cells_of(c, i, 0, map, c.address(i, 1, true), true));
  issue_bulk_read(pieces, c.code);
  reduce(c, pieces, tensor_reduction(c, i, map));
}

}  // namespace kata::emulator::ptx
