#pragma once
#include "barriers.cuh"

__global__ void barriers(int* out) {
  __shared__ uint64_t storage[8];
  uint64_t* barrier = storage;
  const auto say = [&](bool answer) { *out++ = answer; };
  // A fresh barrier answers for the phase before it.
  init(barrier, 2);
  say(is_complete(barrier, 0)), say(is_complete(barrier, 1));
  const uint64_t first = arrive(barrier);
  say(is_complete(barrier, 0));
  const uint64_t second = arrive(barrier);
  say(is_complete(barrier, 0)), say(is_complete(barrier, 1));
  unsigned answer;
  const auto is_over = [&](uint64_t state) {
    asm volatile(
        "{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
        : "=r"(answer)
        : "r"(shared_address(barrier)), "l"(state)
        : "memory");
    return answer;
  };
  say(is_over(first)), say(is_over(second));
  const uint64_t third = arrive(barrier);
  say(is_over(third));
  arrive(barrier);
  say(is_over(third)), say(is_complete(barrier, 0)), say(is_complete(barrier, 1));
  // Two arrivals at once.
  arrive(barrier, 2);
  say(is_complete(barrier, 0));
  // Bytes that come before they are expected.
  barrier = storage + 1;
  init(barrier, 1);
  complete(barrier, 64);
  say(is_complete(barrier, 0));
  expect(barrier, 64);
  say(is_complete(barrier, 0));
  // More bytes than expected.
  barrier = storage + 2;
  init(barrier, 1);
  expect(barrier, 16);
  complete(barrier, 48);
  say(is_complete(barrier, 0));
  add_bytes(barrier, 32);
  say(is_complete(barrier, 0));
  // Expected bytes alone: the arrival is missing.
  barrier = storage + 3;
  init(barrier, 1);
  add_bytes(barrier, 16);
  complete(barrier, 16);
  say(is_complete(barrier, 0));
  arrive(barrier);
  say(is_complete(barrier, 0));
  // Expected bytes after the last arrival of a phase count for the next one.
  add_bytes(barrier, 16);
  arrive(barrier);
  say(is_complete(barrier, 1));
  complete(barrier, 16);
  say(is_complete(barrier, 1));
  // Three threads, of which one drops out.
  barrier = storage + 4;
  init(barrier, 3);
  asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
  arrive(barrier, 2);
  say(is_complete(barrier, 0));
  arrive(barrier);
  say(is_complete(barrier, 1));
  arrive(barrier);
  say(is_complete(barrier, 1));
  // Arrivals that were pending before.
  barrier = storage + 5;
  init(barrier, 7);
  uint64_t state;
  for (int i = 0; i < 3; ++i) {
    asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(shared_address(barrier)), "r"(i + 1)
                 : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(answer) : "l"(state));
    *out++ = answer;
  }
  // No arrivals at all are missing from a phase of bytes alone.
  barrier = storage + 6;
  init(barrier, (1 << 20) - 1);
  arrive(barrier, (1 << 20) - 2);
  say(is_complete(barrier, 0));
  arrive(barrier);
  say(is_complete(barrier, 0));
  *out = -1;
}

void mbarriers() {
  Device<int> out(64);
  barriers<<<1, 1>>>(out);
  const std::vector<int> answers = out.values();
  for (int i = 0; answers[i] >= 0; ++i) fact("answer %d: %d", i, answers[i]);
}

__global__ void elect(unsigned mask, unsigned* out) {
  if (!(mask >> threadIdx.x & 1)) return;
  unsigned leader, elected;
  asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p;}"
               : "=r"(leader), "=r"(elected)
               : "r"(mask));
  out[threadIdx.x] = leader << 1 | elected;
}

void leaders() {
  for (unsigned i = 0; i < 20; ++i) {
    const unsigned mask = i == 0 ? ~0u : i == 1 ? 1 : i == 2 ? 1u << 31 : i == 3 ? 6 : mixed(i);
    Device<unsigned> out(32);
    elect<<<1, 32>>>(mask, out);
    const std::vector<unsigned> answers = out.values();
    int elected = 0, leader = -1;
    bool agree = true;
    for (int lane = 0; lane < 32; ++lane) {
      if (!(mask >> lane & 1)) continue;
      elected += answers[lane] & 1;
      if (answers[lane] & 1) leader = lane;
    }
    for (int lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1) agree &= (int)(answers[lane] >> 1) == leader;
    fact("mask %08x: %d elected, all know it: %d", mask, elected, agree);
    fact("chip: mask %08x elects lane %d", mask, leader);
  }
}

