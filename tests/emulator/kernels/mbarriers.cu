// mbarriers. Expected values follow from the PTX ISA, 9.7.13.15.
#include <cuda/barrier>
#include <cuda/ptx>

#include "expect.cuh"

namespace ptx = cuda::ptx;
using barrier_t = cuda::barrier<cuda::thread_scope_block>;

__device__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void wait_parity(unsigned bar, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}" ::"r"(bar), "r"(parity)
      : "memory");
}

/// A fresh barrier answers true to parity 1; phases go on with the last arrival and the last byte.
__global__ void phases(int* out) {
  __shared__ uint64_t bar;
  ptx::mbarrier_init(&bar, 3);
  out[0] = ptx::mbarrier_test_wait_parity(&bar, 1) && !ptx::mbarrier_test_wait_parity(&bar, 0);
  const uint64_t first = ptx::mbarrier_arrive(&bar);
  out[1] = !ptx::mbarrier_test_wait(&bar, first);
  const uint64_t second = ptx::mbarrier_arrive_no_complete(&bar, 1);
  unsigned pending;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(second));
  out[2] = pending == 2;  // before that arrival
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 64);
  out[3] = !ptx::mbarrier_try_wait(&bar, first);  // bytes are missing
  const unsigned address = shared_address(&bar);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 48;" ::"r"(address));
  out[4] = !ptx::mbarrier_test_wait_parity(&bar, 0);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(address));
  out[5] = ptx::mbarrier_test_wait(&bar, first) && ptx::mbarrier_test_wait_parity(&bar, 0);
  out[6] = !ptx::mbarrier_test_wait_parity(&bar, 1);
  // Fewer in later phases: two arrive, one for good.
  asm volatile("{ .reg .b64 s; mbarrier.arrive_drop.shared::cta.b64 s, [%0];\n"
               "mbarrier.arrive.shared::cta.b64 _, [%0], 2; }" ::"r"(address));
  out[7] = ptx::mbarrier_test_wait_parity(&bar, 1);
  ptx::mbarrier_arrive(&bar, 2);
  out[8] = ptx::mbarrier_test_wait_parity(&bar, 0);
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address));
}

/// A ring of two slots: one warp produces, one consumes. No barrier of the block after the first.
__global__ void ring(const float* x, float* y, int tiles) {
  __shared__ float slot[2][32];
  __shared__ uint64_t full[2], empty[2];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) {
      ptx::mbarrier_init(&full[s], 32);
      ptx::mbarrier_init(&empty[s], 32);
    }
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    const int s = t % 2, parity = t / 2 % 2;
    if (threadIdx.x < 32) {
      wait_parity(shared_address(&empty[s]), parity ^ 1);
      slot[s][lane] = x[t * 32 + lane];
      ptx::mbarrier_arrive(&full[s]);
    } else {
      wait_parity(shared_address(&full[s]), parity);
      y[t * 32 + lane] = 2 * slot[s][31 - lane];
      ptx::mbarrier_arrive(&empty[s]);
    }
  }
}

/// cuda::barrier is the same object, and its token counts phases.
__global__ void both_ways(const float* x, float* y) {
  __shared__ float tile[32];
  __shared__ barrier_t bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x % 2) {
    ptx::mbarrier_arrive(cuda::device::barrier_native_handle(bar));
    bar.wait_parity(false);
  } else {
    bar.wait(bar.arrive());
  }
  y[threadIdx.x] = tile[31 - threadIdx.x];
}

/// cp.async counted by an mbarrier: with .noinc each thread's copies are one of its arrivals.
__global__ void async_copies(const float* x, float* y) {
  __shared__ float tile[32];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[threadIdx.x])),
               "l"(x + threadIdx.x));
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&bar)));
  wait_parity(shared_address(&bar), 0);
  y[threadIdx.x] = tile[31 - threadIdx.x];
}

/// Arrivals of a peer: each block waits for the other's value.
__global__ void __cluster_dims__(2, 1, 1) remote(int* out) {
  __shared__ int value;
  __shared__ uint64_t bar;
  unsigned rank, peer_bar, peer_value;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;");
  if (threadIdx.x == 0) {
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(peer_bar)
        : "r"(shared_address(&bar)), "r"(rank ^ 1));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(peer_value)
        : "r"(shared_address(&value)), "r"(rank ^ 1));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(peer_value), "r"(100 + rank) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer_bar)
                 : "memory");
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
    }
    out[rank] = value;
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;");
}

static void fixture() {
  Values<int, 9> right;
  phases<<<1, 1>>>(right);
  for (int i = 0; i < 9; ++i) EXPECT(right.get()[i] == 1);

  Values<float, 32 * 7> x, y;
  float numbers[32 * 7];
  for (int i = 0; i < 32 * 7; ++i) numbers[i] = i;
  x.set(numbers);
  ring<<<1, 64>>>(x, y, 7);
  for (int i = 0; i < 32 * 7; ++i) EXPECT(y.get()[i] == 2 * (i / 32 * 32 + 31 - i % 32));
  for (const auto kernel : {both_ways, async_copies}) {
    kernel<<<1, 32>>>(x, y);
    for (int i = 0; i < 32; ++i) EXPECT(y.get()[i] == 31 - i);
  }
  Values<int, 2> values;
  remote<<<2, 32>>>(values);
  EXPECT(values.get()[0] == 101);
  EXPECT(values.get()[1] == 100);
}
