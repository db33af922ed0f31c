// Thread block clusters and their shared memory.
#include <cooperative_groups.h>

#include "expect.cuh"

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 2, 1) shape(int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  const dim3 index = cluster.block_index(), of = cluster.dim_blocks();
  bool right = of.x == 2 && of.y == 2 && of.z == 1 && cluster.num_blocks() == 4;
  right &= index.x == blockIdx.x % 2 && index.y == blockIdx.y % 2 && index.z == 0;
  right &= cluster.block_rank() == blockIdx.x % 2 + 2 * (blockIdx.y % 2);
  right &= cluster.num_threads() == 4 * 32 && cluster.thread_rank() % 32 == threadIdx.x;
  right &= cluster.thread_rank() / 32 == cluster.block_rank();
  __shared__ int mine;
  right &= cluster.query_shared_rank(&mine) == cluster.block_rank();
  right &= cluster.query_shared_rank(cluster.map_shared_rank(&mine, 3)) == 3;
  right &= cluster.map_shared_rank(&mine, cluster.block_rank()) == &mine;
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x] = right;
}

/// Every block has its rank in shared memory, and adds up those of its cluster.
__global__ void add_ranks(int* out) {
  __shared__ int rank;
  extern __shared__ int sums[];
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) rank = cluster.block_rank();
  if (threadIdx.x == 0) sums[0] = 0;
  cluster.sync();
  int sum = 0;
  for (unsigned r = 0; r < cluster.num_blocks(); ++r) sum += *cluster.map_shared_rank(&rank, r);
  if (threadIdx.x == 0) atomicAdd(cluster.map_shared_rank(&sums[0], 0), sum);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(sums, 0);
  cluster.sync();
}

/// A histogram with its bins spread over the cluster, as the programming guide has it.
__global__ void __cluster_dims__(4) histogram(const int* values, int n, int* bins) {
  __shared__ int mine[16];
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  cluster.sync();
  const int begin = cluster.thread_rank();
  for (int i = begin; i < n; i += cluster.num_threads()) {
    int* bin = cluster.map_shared_rank(mine, values[i] / 16);
    atomicAdd(bin + values[i] % 16, 1);
  }
  cluster.sync();
  if (threadIdx.x < 16) bins[cluster.block_rank() * 16 + threadIdx.x] = mine[threadIdx.x];
}

/// The arrival and the wait apart; a ring in which each block writes to the next, three times.
__global__ void ring(int* out) {
  __shared__ int inbox[2][64];
  const cg::cluster_group cluster = cg::this_cluster();
  const int next = (cluster.block_rank() + 1) % cluster.num_blocks();
  int value = cluster.thread_rank();
  cluster.sync();  // all have begun
  for (int round = 0; round < 3; ++round) {
    cluster.map_shared_rank(&inbox[round % 2][0], next)[threadIdx.x] = value;
    auto token = cluster.barrier_arrive();
    const int own = threadIdx.x;
    cluster.barrier_wait(static_cast<decltype(token)&&>(token));
    value = inbox[round % 2][own];
  }
  out[cluster.thread_rank()] = value;
  if (threadIdx.x < 10) return;  // who returns is not waited for
  cluster.sync();
}

/// More clusters than begin together: others take the place of blocks that have ended.
__global__ void __cluster_dims__(2) meet_twice(int* count) {
  cg::this_cluster().sync();
  atomicAdd(count, 1);
  cg::this_cluster().sync();
}

template <class... P, class... A>
static cudaError_t launch(void (*kernel)(P...), int blocks, int threads, unsigned cluster,
                          A... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = 16;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

static void fixture() {
  Values<int, 1024> out;
  for (int again = 0; again < 2; ++again) {  // how the kernel is known the second time
    shape<<<dim3(4, 6), 32>>>(out);
    int right = 0;
    for (int i = 0; i < 24 * 32; ++i) right += out.get()[i] == 1;
    EXPECT(right == 24 * 32);
    cudaMemset(out.device, 0, sizeof out.host);
  }
  EXPECT(launch(add_ranks, 64, 32, 8, out.device) == cudaSuccess);
  EXPECT(out.get()[0] == 8 * 28 && out.host[63] == 8 * 28);
  EXPECT(launch(add_ranks, 3, 32, 1, out.device) == cudaSuccess);
  EXPECT(out.get()[2] == 0);
  EXPECT(launch(ring, 4, 64, 4, out.device) == cudaSuccess);
  // Three blocks on: what comes to block 0 began in block 1.
  EXPECT(out.get()[0] == 64 && out.host[3 * 64 + 5] == 5);

  Values<int, 200> values;
  for (int i = 0; i < 200; ++i) values.host[i] = i % 64;
  values.set(values.host);
  histogram<<<4, 32>>>(values, 200, out);
  EXPECT(out.get()[0] == 4 && out.host[7] == 4 && out.host[8] == 3 && out.host[63] == 3);

  Values<int, 1> count;
  meet_twice<<<200, 32>>>(count);
  EXPECT(count.get()[0] == 200 * 32);
}
