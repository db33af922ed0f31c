// A block per token. The row is staged in shared memory in pieces of 64 pairs, both halves of each.
#include <cuda_runtime.h>

constexpr int PAIRS = 64;

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int dim) {
  __shared__ float staged[2][PAIRS];
  const int half = dim / 2;
  const size_t row = static_cast<size_t>(blockIdx.x) * dim;
  const int side = threadIdx.x / PAIRS;
  const int lane = threadIdx.x % PAIRS;
  for (int first = 0; first < half; first += PAIRS) {
    const int j = first + lane;
    const size_t i = row + side * half + j;
    if (j < half) staged[side][lane] = x[i];
    __syncthreads();
    if (j < half) {
      const float partner = staged[1 - side][lane];
      y[i] = fmaf(staged[side][lane], cosine[i], (side == 0 ? -partner : partner) * sine[i]);
    }
    __syncthreads();
  }
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  rope_kernel<<<tokens, 2 * PAIRS>>>(x, cosine, sine, y, dim);
}
