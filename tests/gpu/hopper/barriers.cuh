#pragma once
// mbarriers in PTX, for the facts about a Hopper.
#include "facts.cuh"

__device__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void init(uint64_t* barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void expect(uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ void add_bytes(uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                   shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ void complete(uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                   shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ uint64_t arrive(uint64_t* barrier, unsigned count = 1) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(shared_address(barrier)), "r"(count)
               : "memory");
  return state;
}
__device__ bool is_complete(uint64_t* barrier, unsigned parity) {
  unsigned answer;
  asm volatile(
      "{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
      : "=r"(answer)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return answer;
}
/// Gives up after a while: a copy takes a few microseconds.
__device__ bool becomes_complete(uint64_t* barrier, unsigned parity) {
  for (int i = 0; i < 10; ++i) {
    if (is_complete(barrier, parity)) return true;
    __nanosleep(100000);
  }
  return false;
}
__device__ void fence_async() {
  asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ void finish_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
