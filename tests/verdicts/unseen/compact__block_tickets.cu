// Each block ranks its kept elements with ballots and reserves room for them with one atomic addition to the count.
#include <kata/kata.h>

namespace {
__global__ void reserve(const float* x, float* y, int* count, int n) {
  __shared__ int warp_first[8];
  __shared__ int first;
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float v = i < n ? x[i] : 0.0f;
  const unsigned mask = __ballot_sync(0xffffffffu, v > 0.0f);
  if (lane == 0) warp_first[warp] = __popc(mask);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < 8; ++w) {
      const int kept = warp_first[w];
      warp_first[w] = sum;
      sum += kept;
    }
    first = atomicAdd(count, sum);
  }
  __syncthreads();
  if (v > 0.0f) y[first + warp_first[warp] + __popc(mask & ((1u << lane) - 1))] = v;
}
}  // namespace

extern "C" void compact(const float* x, float* y, int* count, int n) {
  cudaMemsetAsync(count, 0, sizeof(int));
  reserve<<<kata::ceil_div(n, 256), 256>>>(x, y, count, n);
}
