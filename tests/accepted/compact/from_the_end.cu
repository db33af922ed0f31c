// Counts first, then one warp fills y from the last kept element backwards.
#include <cuda_runtime.h>

__global__ void count_kernel(const float* x, int* count, int n) {
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) {
    if (x[i] > 0.0f) atomicAdd(count, 1);
  }
}

__global__ void fill_kernel(const float* x, float* y, const int* count, int n) {
  int end = *count;
  for (int first = (n - 1) / 32 * 32; first >= 0; first -= 32) {
    const int i = first + threadIdx.x;
    const bool keep = i < n && x[i] > 0.0f;
    const unsigned kept = __ballot_sync(~0u, keep);
    if (keep) y[end - __popc(kept >> threadIdx.x)] = x[i];
    end -= __popc(kept);
  }
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  cudaMemset(count, 0, sizeof(int));
  count_kernel<<<20, 64>>>(x, count, n);
  fill_kernel<<<1, 32>>>(x, y, count, n);
}
