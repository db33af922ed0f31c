// The lanes that found work form a coalesced group and add up among themselves.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void rows_kernel(const float* A, const float* x, float* y, int K) {
  if (threadIdx.x >= K) return;
  const cg::coalesced_group group = cg::coalesced_threads();
  const float* row = A + static_cast<size_t>(blockIdx.x) * K;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += 32) sum += row[k] * x[k];
  float total = 0.0f;
  for (int lane = 0; lane < group.size(); ++lane) total += group.shfl(sum, lane);
  if (group.thread_rank() == 0) y[blockIdx.x] = total;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  rows_kernel<<<M, 32>>>(A, x, y, K);
}
