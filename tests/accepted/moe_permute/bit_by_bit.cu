// One block sorts the assignments by one bit of the expert after the other, each time with a stable
// split; offsets come from a binary search, and rows of y are gathered by 16-bit words.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int THREADS = 512;

__global__ void split(const int* expert, const int* from, int* to, int n, int bit) {
  __shared__ int zeros, sums[THREADS];
  const int tid = threadIdx.x;
  if (tid == 0) zeros = 0;
  __syncthreads();
  int own = 0;
  for (int i = tid; i < n; i += THREADS) own += !(expert[bit == 0 ? i : from[i]] >> bit & 1);
  atomicAdd(&zeros, own);
  __syncthreads();
  int low = 0, high = zeros;
  for (int first = 0; first < n; first += THREADS) {
    const int i = first + tid;
    const int a = i < n ? (bit == 0 ? i : from[i]) : 0;
    const bool is_low = i < n && !(expert[a] >> bit & 1);
    sums[tid] = is_low;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
      const int other = tid >= d ? sums[tid - d] : 0;
      __syncthreads();
      sums[tid] += other;
      __syncthreads();
    }
    const int lows = sums[THREADS - 1], before = sums[tid] - is_low;
    if (i < n) to[is_low ? low + before : high + tid - before] = a;
    low += lows;
    high += min(THREADS, n - first) - lows;
    __syncthreads();
  }
}

__global__ void bounds(const int* expert, const int* order, int* offsets, int* position, int n,
                       int experts) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) position[order[i]] = i;
  if (i > experts) return;
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (expert[order[middle]] < i)
      low = middle + 1;
    else
      high = middle;
  }
  offsets[i] = low;
}

__global__ void gather(const unsigned short* x, const int* order, unsigned short* y, int n, int dim,
                       int k) {
  for (int row = blockIdx.x; row < n; row += gridDim.x) {
    const size_t token = order[row] / k;
    for (int col = threadIdx.x; col < dim; col += blockDim.x) {
      y[static_cast<size_t>(row) * dim + col] = x[token * dim + col];
    }
  }
}

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  const int n = tokens * k;
  int* orders;
  cudaMalloc(&orders, 2 * sizeof(int) * n);
  int bit = 0;
  do {
    split<<<1, THREADS>>>(expert, orders + (bit % 2) * n, orders + (1 - bit % 2) * n, n, bit);
    ++bit;
  } while (experts > 1 << bit);
  const int* order = orders + (bit % 2) * n;
  bounds<<<(max(n, experts + 1) + 63) / 64, 64>>>(expert, order, offsets, position, n, experts);
  gather<<<min(n, 500), 96>>>(reinterpret_cast<const unsigned short*>(x), order,
                              reinterpret_cast<unsigned short*>(y), n, dim, k);
  cudaFree(orders);
}
