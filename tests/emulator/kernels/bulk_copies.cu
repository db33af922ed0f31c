// Linear bulk copies. Expected values follow from the PTX ISA, 9.7.9.25.4.
#include <cuda/barrier>
#include <cuda/ptx>

#include "expect.cuh"

namespace ptx = cuda::ptx;
using barrier_t = cuda::barrier<cuda::thread_scope_block>;

/// In and out again through shared memory, as the CUDA C++ Programming Guide writes it.
__global__ void add_one(int* data, int offset) {
  __shared__ alignas(16) int tile[256];
  __shared__ barrier_t bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier_t::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, data + offset, cuda::aligned_size_t<16>(sizeof tile), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, data + offset, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

/// Reductions of a tile into global memory, by elements.
template <class T, class Op>
__global__ void reduce(T* to, const T* from, Op op) {
  __shared__ alignas(16) T tile[32];
  tile[threadIdx.x] = from[threadIdx.x];
  ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, op, to, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

/// One block reads for all of its cluster; then each sends a piece to the next one.
__global__ void __cluster_dims__(4, 1, 1) cluster(const int* x, int* out) {
  __shared__ alignas(16) int tile[64], piece[4], received[4];
  __shared__ uint64_t bar, piece_bar;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_init(&piece_bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &piece_bar,
                                   16);
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;");
  if (rank == 1 && threadIdx.x == 0)
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, x, 256, &bar, uint16_t(0xf));
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  if (threadIdx.x < 4) piece[threadIdx.x] = tile[4 * rank + threadIdx.x];
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned to, to_bar;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(to)
        : "r"((unsigned)__cvta_generic_to_shared(received)), "r"((rank + 1) % 4));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(to_bar)
        : "r"((unsigned)__cvta_generic_to_shared(&piece_bar)), "r"((rank + 1) % 4));
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
        "[%0], [%1], 16, [%2];" ::"r"(to),
        "r"((unsigned)__cvta_generic_to_shared(piece)), "r"(to_bar)
        : "memory");
  }
  while (!ptx::mbarrier_try_wait_parity(&piece_bar, 0)) {
  }
  out[64 * rank + threadIdx.x] = tile[threadIdx.x];
  if (threadIdx.x < 4) out[256 + 4 * rank + threadIdx.x] = received[threadIdx.x];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;");
}

static void fixture() {
  Values<int, 512> data;
  int numbers[512];
  for (int i = 0; i < 512; ++i) numbers[i] = i;
  data.set(numbers);
  add_one<<<1, 64>>>(data, 128);
  for (int i = 0; i < 512; ++i) EXPECT(data.get()[i] == i + (i >= 128 && i < 384));

  Values<int, 32> sums, terms;
  sums.set(numbers + 10);
  terms.set(numbers);
  reduce<<<1, 32>>>((int*)sums, (const int*)terms, ptx::op_add);
  for (int i = 0; i < 32; ++i) EXPECT(sums.get()[i] == 2 * i + 10);
  reduce<<<1, 32>>>((int*)sums, (const int*)terms, ptx::op_min);
  for (int i = 0; i < 32; ++i) EXPECT(sums.get()[i] == i);

  Values<int, 272> out;
  data.set(numbers);
  cluster<<<4, 64>>>((const int*)(int*)data, out);
  for (int i = 0; i < 256; ++i) EXPECT(out.get()[i] == i % 64);
  for (int i = 0; i < 16; ++i) EXPECT(out.get()[256 + i] == (i + 12) % 16);
}
