// PTX instructions by which threads meet, and control flow.

#include <time.h>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/ptx/ptx.h"
#include "emulator/runtime/run/cluster.h"
#include "emulator/runtime/run/scheduler.h"
#include "emulator/runtime/run/shared_window.h"

namespace kata::emulator::ptx {
namespace {

std::uint64_t meet(Context& c, WarpOp op, unsigned mask, std::uint64_t value, int argument = 0,
                   int width = 32) {
  return Scheduler::meet_warp(op, mask, value, argument, width, c.code);
}

}  // namespace

/// d|p, a, b, c, mask: c is 31 (0 for .up) plus (32 - width) << 8.
void shfl(Context& c, const Instruction& i) {
  const auto b = c.get<std::uint32_t>(i, 2), segment = c.get<std::uint32_t>(i, 3);
  const int width = 32 - static_cast<int>(segment >> 8 & 31);
  const int lane = static_cast<int>(running.thread->lane), first = lane / width * width;
  const int by = static_cast<int>(b & 31);
  bool inside = true;
  WarpOp op = WarpOp::shfl_idx;
  if (i.has("up")) {
    op = WarpOp::shfl_up;
    inside = lane - by >= first;
  } else if (i.has("down")) {
    op = WarpOp::shfl_down;
    inside = lane + by < first + width;
  } else if (i.has("bfly")) {
    op = WarpOp::shfl_xor;
    inside = (lane ^ by) < first + width;
  }
  const std::uint64_t value =
      meet(c, op, c.get<std::uint32_t>(i, 4), c.get<std::uint32_t>(i, 1), by, width);
  c.set(i, static_cast<std::uint32_t>(value));
  c.set_bits(i.operands[0].second, inside);
}

void vote(Context& c, const Instruction& i) {
  const auto mask = c.get<std::uint32_t>(i, 2);
  const bool predicate = c.bits(i.operands[1].value) != 0;
  if (i.has("uni")) {
    const bool all = meet(c, WarpOp::all, mask, predicate) != 0;
    const bool none = meet(c, WarpOp::any, mask, predicate) == 0;
    return c.set_bits(i.operands[0].value, all || none);
  }
  const WarpOp op = i.has("ballot") ? WarpOp::ballot : i.has("all") ? WarpOp::all : WarpOp::any;
  c.set_bits(i.operands[0].value, meet(c, op, mask, predicate));
}

void match(Context& c, const Instruction& i) {
  const std::uint64_t value =
      bytes_of(i.type()) == 8 ? c.get<std::uint64_t>(i, 1) : c.get<std::uint32_t>(i, 1);
  const std::uint64_t lanes = meet(c, i.has("any") ? WarpOp::match_any : WarpOp::match_all,
                                   c.get<std::uint32_t>(i, 2), value);
  c.set_bits(i.operands[0].value, lanes);
  c.set_bits(i.operands[0].second, lanes != 0);
}

void redux(Context& c, const Instruction& i) {
  const bool with_sign = i.type() == Type::s32;
  WarpOp op = WarpOp::add;
  if (i.has("min")) op = with_sign ? WarpOp::min_signed : WarpOp::min_unsigned;
  if (i.has("max")) op = with_sign ? WarpOp::max_signed : WarpOp::max_unsigned;
  if (i.has("and")) op = WarpOp::and_;
  if (i.has("or")) op = WarpOp::or_;
  if (i.has("xor")) op = WarpOp::xor_;
  c.set(i, static_cast<std::uint32_t>(
               meet(c, op, c.get<std::uint32_t>(i, 2), c.get<std::uint32_t>(i, 1))));
}

/// PTX ISA, "movmatrix": lane l has the elements 2 (l % 4) and the next one of row l / 4.
void movmatrix(Context& c, const Instruction& i) {
  const auto a = c.get<std::uint32_t>(i, 1);
  const unsigned lane = running.thread->lane, row = lane / 4, col = lane % 4 * 2;
  std::uint32_t result = 0;
  for (unsigned e = 0; e < 2; ++e) {
    const int from = static_cast<int>((col + e) * 4 + row / 2);
    const std::uint64_t pair = meet(c, WarpOp::shfl_idx, ~0u, a, from);
    result |= static_cast<std::uint32_t>(pair >> 16 * (row % 2) & 0xffff) << 16 * e;
  }
  c.set(i, result);
}

void activemask(Context& c, const Instruction& i) {
  c.set(i, __kata_activemask(c.place.file, c.place.line));
}

/// bar.sync a{, b}: without b, or with all threads at barrier 0, __syncthreads().
void bar(Context& c, const Instruction& i) {
  const auto first = c.get<std::uint32_t>(i, 0);
  if (i.has("warp")) {
    meet(c, WarpOp::sync, first, 0);
    return;
  }
  const unsigned all = running.scheduler->launch().threads_per_block;
  const unsigned threads = i.operands.size() > 1 ? c.get<std::uint32_t>(i, 1) : all;
  const bool waits = i.has("sync");
  if (first >= named_barriers || threads == 0 || threads % 32 != 0) {
    if (threads != all || first >= named_barriers) c.unsupported(i);
  }
  running.quantum -= spin_price;
  if (first == 0 && threads == all && waits) {
    __kata_barrier(static_cast<int>(BarrierKind::sync), 0, c.place.file, c.place.line);
  } else {
    running.scheduler->block().split_barriers().meet(first, threads, waits, before(c.code));
  }
}

void barrier(Context& c, const Instruction& i) {
  if (i.has("cluster")) {
    if (i.has("wait")) return __kata_cluster_wait(c.place.file, c.place.line);
    if (!i.has("arrive")) c.unsupported(i);
    if (!i.has("relaxed")) return __kata_cluster_arrive();
    running.quantum -= spin_price;
    if (Cluster* cluster = running.scheduler->block().cluster()) cluster->arrive();
    return;
  }
  if (i.operands.empty() || i.has("wait")) c.unsupported(i);
  bar(c, i);
}

namespace {

/// A generic address, or one of the shared window.
const void* source_of(Context& c, const Instruction& i) {
  const auto address = c.get<std::uint64_t>(i, 1);
  if (!i.has("shared::cluster") && i.type() == Type::u32) c.unsupported(i);
  return reinterpret_cast<const void*>(
      i.has("shared::cluster") ? from_shared_window(static_cast<std::uint32_t>(address)) : address);
}

}  // namespace

void mapa(Context& c, const Instruction& i) {
  const auto there = reinterpret_cast<std::uintptr_t>(
      __kata_cluster_map(source_of(c, i), c.get<std::uint32_t>(i, 2)));
  c.set_bits(i.operands[0].value, i.has("shared::cluster") ? to_shared_window(there) : there);
}

void getctarank(Context& c, const Instruction& i) {
  c.set(i, __kata_cluster_rank(source_of(c, i)));
}

/// d|p, mask. Which lane it is PTX leaves open.
void elect(Context& c, const Instruction& i) {
  const auto leader = static_cast<unsigned>(meet(c, WarpOp::elect, c.get<std::uint32_t>(i, 1), 0));
  c.set(i, leader);
  c.set_bits(i.operands[0].second, leader == running.thread->lane);
}

void setmaxnreg(Context& c, const Instruction& i) {
  const auto registers = c.get<std::uint32_t>(i, 0);
  if (registers < 24 || registers > 256 || registers % 8 != 0 || i.has("inc") == i.has("dec"))
    c.unsupported(i);
  RegisterPool& pool = running.scheduler->block().registers();
  if (i.has("inc")) {
    pool.increase(registers, before(c.code));
  } else {
    pool.decrease(registers, before(c.code));
  }
}

void bra(Context& c, const Instruction& i) {
  if (i.target < c.next) charge_for_spinning();
  if (running.quantum < 0) look_around(c.code);
  c.next = i.target;
}

void nanosleep(Context&, const Instruction&) {
  __kata_sleep();
}

void trap(Context& c, const Instruction&) {
  __kata_trap("trap", c.place.file, c.place.line);
}

void exit_thread(Context&, const Instruction&) {
  throw ThreadExit{};
}

}  // namespace kata::emulator::ptx
