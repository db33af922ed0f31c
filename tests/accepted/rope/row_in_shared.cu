// A block per token at a time. The row is staged in shared memory in pieces of 64 pairs, both
// halves of each.
#include <cuda_runtime.h>

constexpr int PAIRS = 64;

__global__ void rope_kernel(const float* x, const float* cosine, const float* sine, float* y,
                            int tokens, int dim) {
  __shared__ float staged[2][PAIRS];
  const int half = dim / 2;
  const int side = threadIdx.x / PAIRS;
  const int lane = threadIdx.x % PAIRS;
  for (int token = blockIdx.x; token < tokens; token += gridDim.x) {
    const size_t row = static_cast<size_t>(token) * dim;
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
}

extern "C" void rope(const float* x, const float* cosine, const float* sine, float* y, int tokens,
                     int dim) {
  rope_kernel<<<30, 2 * PAIRS>>>(x, cosine, sine, y, tokens, dim);
}
