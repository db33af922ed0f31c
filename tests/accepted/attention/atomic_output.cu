// The maxima first, by atomicMax on ordered bits; then every key adds to O and to the sums by
// atomicAdd, in any order; then the division.
#include <cuda_runtime.h>

__device__ float score(const float* q, const float* k, int d) {
  float s = 0.0f;
  for (int c = d - 1; c >= 0; --c) s = fmaf(q[c], k[c], s);
  return s / sqrtf(d);
}

__device__ unsigned ordered(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ float unordered(unsigned bits) {
  return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

__global__ void max_kernel(const float* Q, const float* K, unsigned* max, int N, int d) {
  const size_t row = blockIdx.x, key = blockIdx.y * blockDim.x + threadIdx.x;
  if (key < N) atomicMax(max + row, ordered(score(Q + row * d, K + key * d, d)));
}

__global__ void add_kernel(const float* Q, const float* K, const float* V, const unsigned* max,
                           float* sum, float* O, int N, int d) {
  const size_t row = blockIdx.x, key = blockIdx.y * blockDim.x + threadIdx.x;
  if (key >= N) return;
  const float weight = expf(score(Q + row * d, K + key * d, d) - unordered(max[row]));
  atomicAdd(sum + row, weight);
  for (int c = 0; c < d; ++c) atomicAdd(O + row * d + c, weight * V[key * d + c]);
}

__global__ void divide_kernel(const float* sum, float* O, int d) {
  for (int c = threadIdx.x; c < d; c += blockDim.x) {
    O[static_cast<size_t>(blockIdx.x) * d + c] /= sum[blockIdx.x];
  }
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  unsigned* max;
  float* sum;
  cudaMalloc(&max, M * sizeof(unsigned));
  cudaMalloc(&sum, M * sizeof(float));
  cudaMemset(max, 0, M * sizeof(unsigned));
  cudaMemset(sum, 0, M * sizeof(float));
  cudaMemset(O, 0, static_cast<size_t>(M) * d * sizeof(float));
  const dim3 grid(M, (N + 63) / 64);
  max_kernel<<<grid, 64>>>(Q, K, max, N, d);
  add_kernel<<<grid, 64>>>(Q, K, V, max, sum, O, N, d);
  divide_kernel<<<M, 64>>>(sum, O, d);
  cudaFree(max);
  cudaFree(sum);
}
