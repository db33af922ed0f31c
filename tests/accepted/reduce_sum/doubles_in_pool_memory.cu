// Partial sums in double go to memory from the stream-ordered pool; a second kernel of one block adds them.
#include <cuda_runtime.h>

namespace {
template <int Threads>
__device__ double block_total(double v) {
  __shared__ double part[Threads / 32];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  double t = 0.0;
  if (threadIdx.x == 0)
    for (int w = 0; w < Threads / 32; ++w) t += part[w];
  return t;  // meaningful in thread 0 only
}

__global__ void first(const float* x, double* part, int n) {
  double t = 0.0;
  const long long step = static_cast<long long>(gridDim.x) * 512;
  for (long long i = blockIdx.x * 512LL + threadIdx.x; i < n; i += step) t += x[i];
  t = block_total<512>(t);
  if (threadIdx.x == 0) part[blockIdx.x] = t;
}

__global__ void second(const double* part, float* sum, int parts) {
  double t = 0.0;
  for (int i = threadIdx.x; i < parts; i += 128) t += part[i];
  t = block_total<128>(t);
  if (threadIdx.x == 0) *sum = static_cast<float>(t);
}
}  // namespace

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  int parts = (n - 1) / 512 + 1;
  if (parts > 1056) parts = 1056;
  double* part = nullptr;
  cudaMallocAsync(&part, parts * sizeof(double), 0);
  first<<<parts, 512>>>(x, part, n);
  second<<<1, 128>>>(part, sum, parts);
  cudaFreeAsync(part, 0);
}
