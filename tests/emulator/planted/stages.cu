// Stages that are released while a wgmma may still read them, planted. `HERE kind name` is where
// plant_name has its one fault.
#include "stages.cuh"

namespace cg = cooperative_groups;

__global__ void released_early(const Stage* x, float* y) {
  __shared__ __align__(128) Stage stage;
  __shared__ uint64_t full, empty;
  init(&full, 1);
  init(&empty, 128);
  if (threadIdx.x >= 128) {
    for (int t = 0; t < 3 && threadIdx.x == 128; ++t) {
      WAIT(&empty, (t & 1) ^ 1)
      EXPECT_STAGE(&full)
      LOAD_STAGE(stage, x, &full);  // HERE race released_early: while the wgmma of line 23 may still read it
    }
    return;
  }
  float d[4] = {};
  for (int t = 0; t < 3; ++t) {
    WAIT(&full, t & 1)
    START_PRODUCT(d, stage);
    cuda::ptx::mbarrier_arrive(&empty);
    WAIT_FOR_PRODUCT();
  }
  y[threadIdx.x] = d[0];
}
/// Block 0 loads for both blocks. Block 1 releases its stage too early.
__global__ void __cluster_dims__(2) peer_released_early(const Stage* x, float* y) {
  __shared__ __align__(128) Stage stage;
  __shared__ uint64_t full, empty;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  init(&full, 1);
  init(&empty, 129);
  cluster.sync();
  if (threadIdx.x == 128) {
    for (int t = 0; t < 3; ++t) {
      if (t > 0 && rank == 1) WAIT(&full, (t - 1) & 1)
      EXPECT_STAGE(&full)
      if (rank == 1) continue;
      WAIT(&empty, (t & 1) ^ 1)
      LOAD_STAGE_FOR_ALL(stage, x, &full);  // HERE race peer_released_early: of block (1,0,0)
    }
  }
  if (threadIdx.x < 128) {
    float d[4] = {};
    const auto release = [&] {
      if (rank == 1 || threadIdx.x == 0)
        cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cluster,
                                   cuda::ptx::space_cluster, cluster.map_shared_rank(&empty, 0), 1);
    };
    for (int t = 0; t < 3; ++t) {
      WAIT(&full, t & 1)
      START_PRODUCT(d, stage);
      if (rank == 1) release();
      WAIT_FOR_PRODUCT();
      if (rank == 0) release();
    }
    y[rank * 128 + threadIdx.x] = d[0];
  }
  cluster.sync();
}

__global__ void __cluster_dims__(2) no_such_rank(const Stage* x, float* y) {
  __shared__ __align__(128) Stage stage;
  __shared__ uint64_t full;
  init(&full, 1);
  cg::this_cluster().sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    EXPECT_STAGE(&full)
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, &stage, x, stage_bytes, &full, 4);  // HERE out_of_bounds no_such_rank: rank 2, but its cluster has 2 blocks
    WAIT(&full, 0)
  }
  y[blockIdx.x * 32 + threadIdx.x] = 1;
  cg::this_cluster().sync();
}

extern "C" void plant_no_such_rank() { no_such_rank<<<2, 32>>>(filled<Stage>(1), filled(64)); }
extern "C" void plant_released_early() { released_early<<<1, 160>>>(filled<Stage>(1), filled(128)); }
extern "C" void plant_peer_released_early() {
  peer_released_early<<<2, 160>>>(filled<Stage>(1), filled(256));
}
