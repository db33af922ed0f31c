// Stages that are released when the wgmma that reads them is over.
#include "../planted/stages.cuh"

namespace cg = cooperative_groups;

/// One thread's wait and arrival stand for its warpgroup, as in many public kernels.
__global__ void one_releases(const Stage* x, float* y) {
  __shared__ __align__(128) Stage stage;
  __shared__ uint64_t full, empty;
  init(&full, 1);
  init(&empty, 1);
  if (threadIdx.x >= 128) {
    for (int t = 0; t < 3 && threadIdx.x == 128; ++t) {
      WAIT(&empty, (t & 1) ^ 1)
      EXPECT_STAGE(&full)
      LOAD_STAGE(stage, x, &full);
    }
    return;
  }
  float d[4] = {};
  for (int t = 0; t < 3; ++t) {
    WAIT(&full, t & 1)
    START_PRODUCT(d, stage);
    WAIT_FOR_PRODUCT();
    if (threadIdx.x == 0) cuda::ptx::mbarrier_arrive(&empty);
  }
  y[threadIdx.x] = d[0];
}
/// Both blocks of a cluster release to both, and each loads for both in turn.
__global__ void __cluster_dims__(2) both_release(const Stage* x, float* y) {
  __shared__ __align__(128) Stage stage;
  __shared__ uint64_t full, empty;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  init(&full, 1);
  init(&empty, 2);
  cluster.sync();
  if (threadIdx.x == 128) {
    for (int t = 0; t < 4; ++t) {
      WAIT(&empty, (t & 1) ^ 1)
      EXPECT_STAGE(&full)
      if (t % 2 == rank) LOAD_STAGE_FOR_ALL(stage, x, &full);
    }
  }
  if (threadIdx.x < 128) {
    float d[4] = {};
    for (int t = 0; t < 4; ++t) {
      WAIT(&full, t & 1)
      START_PRODUCT(d, stage);
      WAIT_FOR_PRODUCT();
      if (threadIdx.x < 2)
        cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cluster,
                                   cuda::ptx::space_cluster,
                                   cluster.map_shared_rank(&empty, threadIdx.x), 1);
    }
    y[rank * 128 + threadIdx.x] = d[0];
  }
  cluster.sync();
}

extern "C" void silent_one_releases() { one_releases<<<1, 160>>>(filled<Stage>(1), filled(128)); }
extern "C" void silent_both_release() { both_release<<<2, 160>>>(filled<Stage>(1), filled(256)); }
