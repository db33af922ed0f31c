// PTX loads, stores, atomics and asynchronous copies: the same checks and counts as an access in
// C++, with the asm statement's line.

#include <cstring>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/async_copies.h"
#include "emulator/runtime/kernel/atomics.h"
#include "emulator/runtime/ptx/ptx.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator::ptx {
namespace {

template <Access access>
void check(std::uintptr_t address, unsigned bytes, const void* code) {
  switch (bytes) {
    case 1:
      return check_access<1, access>(address, code);
    case 2:
      return check_access<2, access>(address, code);
    case 4:
      return check_access<4, access>(address, code);
    case 8:
      return check_access<8, access>(address, code);
    default:
      return check_access<16, access>(address, code);
  }
}

/// The vector's registers, or the one.
const Source& element(const Operand& operand, unsigned k) {
  return operand.elements.empty() ? operand.value : operand.elements[k];
}

unsigned elements_of(Context& c, const Instruction& i, const Operand& operand) {
  const unsigned count = i.has("v4") ? 4 : i.has("v2") ? 2 : 1;
  const auto given = operand.elements.empty() ? 1 : operand.elements.size();
  if (count != given || count * bytes_of(i.type()) > 16) c.unsupported(i);
  return count;
}

std::uint64_t extended(std::uint64_t value, Type type) {
  const unsigned unused = 64 - 8 * bytes_of(type);
  if (!is_signed(type)) return value;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

AtomicOp atomic_op(Context& c, const Instruction& i) {
  static constexpr struct {
    Modifier modifier;
    AtomicOp op;
  } operations[] = {{"add", AtomicOp::add},   {"min", AtomicOp::min},  {"max", AtomicOp::max},
                    {"exch", AtomicOp::exch}, {"cas", AtomicOp::cas},  {"and", AtomicOp::and_},
                    {"or", AtomicOp::or_},    {"xor", AtomicOp::xor_}, {"inc", AtomicOp::inc},
                    {"dec", AtomicOp::dec}};
  for (const auto& [modifier, op] : operations) {
    if (i.has(modifier)) return op;
  }
  c.unsupported(i);
}

AtomicType atomic_type(Context& c, const Instruction& i) {
  switch (i.type()) {
    case Type::b32:
    case Type::u32:
      return AtomicType::u32;
    case Type::s32:
      return AtomicType::i32;
    case Type::b64:
    case Type::u64:
      return AtomicType::u64;
    case Type::s64:
      return AtomicType::i64;
    case Type::f32:
      return AtomicType::f32;
    case Type::f64:
      return AtomicType::f64;
    case Type::f16:
      return AtomicType::f16;
    case Type::f16x2:
      return AtomicType::f16x2;
    case Type::bf16:
      return AtomicType::bf16;
    case Type::bf16x2:
      return AtomicType::bf16x2;
    default:
      c.unsupported(i);
  }
}

/// Not kept in the first-level cache: CUB hands values from block to block with .cg.
bool is_seen_by_all(const Instruction& i) {
  return i.has("volatile") || i.has("cg");
}

Scope scope_of(const Instruction& i) {
  return i.has("cta") ? Scope::block : i.has("sys") ? Scope::system : Scope::device;
}

/// st.release and atom.acq_rel are a fence and a store or an atomic.
void fence_if_release(const Context& c, const Instruction& i) {
  if (i.has("release") || i.has("acq_rel")) emulator::fence(scope_of(i), c.code);
}

void acquire_if_said(const Context& c, const Instruction& i) {
  if (i.has("acquire") || i.has("acq_rel")) emulator::acquire(scope_of(i), c.code);
}

std::uint64_t atomic(Context& c, const Instruction& i, unsigned address_operand) {
  const auto operand = [&](unsigned k) {
    return k < i.operands.size() ? c.bits(i.operands[k].value) : 0;
  };
  // atom.cas d, [a], compare, value
  const bool swaps = i.has("cas");
  fence_if_release(c, i);
  const std::uint64_t first = operand(address_operand + 1), second = operand(address_operand + 2);
  const std::uintptr_t target = c.address(i, address_operand, i.in_shared());
  if (scope_of(i) == Scope::block) __kata_block_scope(reinterpret_cast<const void*>(target));
  const std::uint64_t old = atomic_update(atomic_op(c, i), atomic_type(c, i), target,
                                          swaps ? second : first, swaps ? first : 0, c.code);
  acquire_if_said(c, i);
  end_atomic(target, c.code);
  return old;
}

}  // namespace

std::uintptr_t Context::address(const Instruction& i, unsigned operand, bool in_shared) const {
  const Operand& o = i.operands[operand];
  if (!o.is_address) unsupported(i);
  const std::uint64_t value = bits(o.value) + static_cast<std::uint64_t>(o.offset);
  return in_shared ? from_shared_window(static_cast<std::uint32_t>(value)) : value;
}

void ld(Context& c, const Instruction& i) {
  const Operand& to = i.operands[0];
  const unsigned count = elements_of(c, i, to), each = bytes_of(i.type());
  const std::uintptr_t address = c.address(i, 1, i.in_shared());
  if (is_seen_by_all(i) || i.has("relaxed") || i.has("acquire")) charge_for_spinning();
  if (i.has("relaxed") || i.has("acquire")) {
    check<Access::atomic_read>(address, count * each, c.code);
    acquire_if_said(c, i);
  } else if (is_seen_by_all(i)) {
    check<Access::volatile_read>(address, count * each, c.code);
  } else {
    if (i.has("nc")) check_read_only(address, count * each, c.code);
    check<Access::read>(address, count * each, c.code);
  }
  std::uint64_t bits[4] = {};
  for (unsigned k = 0; k < count; ++k)
    std::memcpy(&bits[k], reinterpret_cast<const char*>(address) + k * each, each);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  for (unsigned k = 0; k < count; ++k) c.set_bits(element(to, k), extended(bits[k], i.type()));
}

void st(Context& c, const Instruction& i) {
  const Operand& from = i.operands[1];
  const unsigned count = elements_of(c, i, from), each = bytes_of(i.type());
  const std::uintptr_t address = c.address(i, 0, i.in_shared());
  fence_if_release(c, i);
  if (i.has("relaxed") || i.has("release")) {
    check<Access::atomic_write>(address, count * each, c.code);
  } else if (is_seen_by_all(i)) {
    check<Access::volatile_write>(address, count * each, c.code);
  } else {
    check<Access::write>(address, count * each, c.code);
  }
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (unsigned k = 0; k < count; ++k) {
    const std::uint64_t bits = c.bits(element(from, k));
    std::memcpy(reinterpret_cast<char*>(address) + k * each, &bits, each);
  }
}

void atom(Context& c, const Instruction& i) {
  c.set_bits(i.operands[0].value, atomic(c, i, 1));
}

void red(Context& c, const Instruction& i) {
  atomic(c, i, 0);
}

/// cp.async.ca.shared.global [to], [from], bytes{, source bytes}, and its groups.
void cp(Context& c, const Instruction& i) {
  if (i.has("commit_group")) return running.scheduler->block().copies().commit();
  if (i.has("wait_all")) return wait_for_all_copies();
  if (i.has("wait_group")) {
    if (i.operands.size() != 1) c.unsupported(i);
    return wait_for_copies(c.get<std::uint32_t>(i, 0));
  }
  if (i.operands.size() < 3 || !i.has("async")) c.unsupported(i);
  const auto bytes = c.get<std::uint32_t>(i, 2);
  const bool allowed = i.has("cg") ? bytes == 16 : bytes == 4 || bytes == 8 || bytes == 16;
  if (!allowed) c.unsupported(i);
  // With L2::cache_hint the last operand is a policy, which has no effect here.
  const bool short_source = i.operands.size() - i.has("L2::cache_hint") > 3;
  const auto source_bytes = short_source ? c.get<std::uint32_t>(i, 3) : bytes;
  issue_copy(c.address(i, 0, true), c.address(i, 1, false), bytes,
             source_bytes < bytes ? source_bytes : bytes,
             i.has("cg") ? AccessKind::bypass_source : AccessKind::copy_source, c.code);
}

void fence(Context& c, const Instruction& i) {
  emulator::fence(scope_of(i), c.code);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/// Launches run one after the other.
void griddepcontrol(Context&, const Instruction& i) {
  if (i.has("wait")) __kata_wait_for_dependency();
}

void no_effect(Context&, const Instruction&) {}

}  // namespace kata::emulator::ptx
