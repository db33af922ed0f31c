// Counts per block, one block that turns counts into offsets, then every block writes with ballots; scratch from cudaMalloc, freed at the end.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256;

__global__ void count_kernel(const float* x, int* counts, int n) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  const int kept = __syncthreads_count(i < n && x[i] > 0.0f);
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

// Exclusive sums in place, 1024 at a time, and the total.
__global__ void offsets_kernel(int* counts, int blocks, int* total) {
  __shared__ int s[1024];
  int carry = 0;
  for (int base = 0; base < blocks; base += 1024) {
    const int i = base + threadIdx.x;
    const int own = i < blocks ? counts[i] : 0;
    s[threadIdx.x] = own;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
      const int left = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
      __syncthreads();
      s[threadIdx.x] += left;
      __syncthreads();
    }
    if (i < blocks) counts[i] = carry + s[threadIdx.x] - own;
    carry += s[1023];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = carry;
}

__global__ void write_kernel(const float* x, float* y, const int* offsets, int n) {
  __shared__ int warp_kept[kThreads / 32];
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float v = i < n ? x[i] : 0.0f;
  const bool keep = v > 0.0f;
  const unsigned mask = __ballot_sync(0xffffffffu, keep);
  if (lane == 0) warp_kept[warp] = __popc(mask);
  __syncthreads();
  if (keep) {
    int place = offsets[blockIdx.x] + __popc(mask & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w) place += warp_kept[w];
    y[place] = v;
  }
}
}  // namespace

extern "C" void compact(const float* x, float* y, int* count, int n) {
  const int blocks = (n - 1) / kThreads + 1;
  int* counts = nullptr;
  cudaMalloc(&counts, blocks * sizeof(int));
  count_kernel<<<blocks, kThreads>>>(x, counts, n);
  offsets_kernel<<<1, 1024>>>(counts, blocks, count);
  write_kernel<<<blocks, kThreads>>>(x, y, counts, n);
  cudaFree(counts);
}
