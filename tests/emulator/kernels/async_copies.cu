// Asynchronous copies to shared memory, in each of CUDA's ways to write them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <initializer_list>

#include "expect.cuh"

namespace cg = cooperative_groups;

/// Sums of tiles of 64 floats, one tile ahead; the last one is short and filled up with zeros.
__global__ void double_buffered(const float* x, float* sums, int n, int tiles) {
  __shared__ float4 tile[2][16];
  const int i = threadIdx.x;
  const auto fetch = [&](int t) {
    const int first = t * 64 + i * 4;
    const int there = min(max(n - first, 0), 4);
    __pipeline_memcpy_async(&tile[t % 2][i], there ? x + first : x, 16, (4 - there) * 4);
    __pipeline_commit();
  };
  fetch(0);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      fetch(t + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    if (i == 0) {
      float sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += tile[t % 2][k].x + tile[t % 2][k].y + tile[t % 2][k].z + tile[t % 2][k].w;
      sums[t] = sum;
    }
    __syncthreads();
  }
}

__global__ void by_group(const int* x, int* y) {
  __shared__ int all[96], few[32];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, all, x, sizeof all);
  cg::memcpy_async(block, few, cg::thread_block::size() - 32, x + 96, 32);
  cg::wait_prior<1>(block);
  int sum = all[95 - block.thread_rank()];
  cg::wait(block);
  y[block.thread_rank()] = sum + few[block.thread_rank() % 32];
}

__global__ void with_barrier(const int* x, int* y) {
  __shared__ int tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (int t = 0; t < 3; ++t) {
    cuda::memcpy_async(block, tile, x + t * 64, cuda::aligned_size_t<16>(sizeof tile), bar);
    bar.arrive_and_wait();
    y[t * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    auto token = bar.arrive();
    bar.wait(std::move(token));
  }
}

/// Of a thread's own pipeline the wait takes the stage, so that releasing it is optional.
template <bool releases>
__global__ void own_pipeline(const int* x, int* y) {
  __shared__ int tile[3][32];
  auto pipe = cuda::make_pipeline();
  const int i = threadIdx.x;
  for (int t = 0; t < 2; ++t) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[t][i], x + t * 32 + i, sizeof(int), pipe);
    pipe.producer_commit();
  }
  for (int t = 0; t < 6; ++t) {
    if (t + 2 < 6) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[(t + 2) % 3][i], x + (t + 2) * 32 + i, sizeof(int), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    y[t * 32 + i] = tile[t % 3][i] + 1;
    if (releases) pipe.consumer_release();
  }
}

__global__ void shared_pipeline(const int* x, int* y) {
  __shared__ int tile[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, tile[0], x, sizeof tile[0], pipe);
  pipe.producer_commit();
  for (int t = 0; t < 3; ++t) {
    if (t < 2) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[(t + 1) % 2], x + (t + 1) * 64, sizeof tile[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    y[t * 64 + threadIdx.x] = tile[t % 2][63 - threadIdx.x];
    pipe.consumer_release();
  }
}

/// The first warp fetches, the second one writes out.
__global__ void two_roles(const int* x, int* y) {
  __shared__ int tile[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const cg::thread_block block = cg::this_thread_block();
  const bool fetches = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, fetches ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int i = threadIdx.x % 32;
  for (int t = 0; t < 6; ++t) {
    if (fetches) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[t % 2][i], x + t * 32 + i, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      y[t * 32 + i] = tile[t % 2][31 - i];
      pipe.consumer_release();
    }
  }
}

static void fixture() {
  {
    Values<float, 200> x;
    Values<float, 4> sums;
    float host[200];
    for (int i = 0; i < 200; ++i) host[i] = i < 150 ? i : 1e6f;  // what is behind n is not read
    x.set(host);
    double_buffered<<<1, 16>>>(x.device, sums.device, 150, 4);
    EXPECT(sums.get()[0] == 63 * 64 / 2);
    EXPECT(sums.host[1] == 64 * 64 + 63 * 64 / 2);
    EXPECT(sums.host[2] == (128 + 149) * 22 / 2 && sums.host[3] == 0);
  }
  Values<int, 192> x, y;
  int host[192];
  for (int i = 0; i < 192; ++i) host[i] = i * 3;
  x.set(host);
  by_group<<<1, 96>>>(x.device, y.device);
  EXPECT(y.get()[0] == (95 + 96) * 3 && y.host[40] == (55 + 96 + 8) * 3);
  with_barrier<<<1, 64>>>(x.device, y.device);
  EXPECT(y.get()[0] == 63 * 3 && y.host[65] == (64 + 62) * 3 && y.host[191] == 128 * 3);
  for (const auto kernel : {own_pipeline<true>, own_pipeline<false>}) {
    kernel<<<1, 32>>>(x.device, y.device);
    int right = 0;
    for (int i = 0; i < 192; ++i) right += y.get()[i] == i * 3 + 1;
    EXPECT(right == 192);
  }
  shared_pipeline<<<1, 64>>>(x.device, y.device);
  EXPECT(y.get()[0] == 63 * 3 && y.host[65] == (64 + 62) * 3 && y.host[191] == 128 * 3);
  two_roles<<<1, 64>>>(x.device, y.device);
  EXPECT(y.get()[0] == 31 * 3 && y.host[33] == (32 + 30) * 3 && y.host[191] == 160 * 3);
}
