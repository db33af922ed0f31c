// Counts of tiles of 160 in a table [tile][expert]; a thread per expert adds up its column. Ranks
// within a tile come from comparisons with all earlier assignments of the tile, and each tile copies
// its own rows, four bytes at a time where rows begin at multiples of four.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int TILE = 160;

__global__ void count(const int* expert, int* table, int n, int experts) {
  extern __shared__ int counts[];
  for (int e = threadIdx.x; e < experts; e += TILE) counts[e] = 0;
  __syncthreads();
  const int a = blockIdx.x * TILE + threadIdx.x;
  if (a < n) atomicAdd(&counts[expert[a]], 1);
  __syncthreads();
  for (int e = threadIdx.x; e < experts; e += TILE) table[blockIdx.x * experts + e] = counts[e];
}

// Column e of the table becomes the places of expert e relative to its first row.
__global__ void add_columns(int* table, int* totals, int tiles, int experts) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= experts) return;
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const int value = table[tile * experts + e];
    table[tile * experts + e] = sum;
    sum += value;
  }
  totals[e] = sum;
}

// One block; thread e has expert e.
__global__ void add_totals(const int* totals, int* offsets, int experts) {
  __shared__ int sums[1024];
  const int e = threadIdx.x;
  sums[e] = e < experts ? totals[e] : 0;
  __syncthreads();
  for (int d = 1; d < 1024; d *= 2) {
    const int lower = e >= d ? sums[e - d] : 0;
    __syncthreads();
    sums[e] += lower;
    __syncthreads();
  }
  if (e < experts) offsets[e + 1] = sums[e];
  if (e == 0) offsets[0] = 0;
}

__global__ void move(const __nv_bfloat16* x, const int* expert, const int* table,
                     const int* offsets, __nv_bfloat16* y, int* position, int n, int dim,
                     int experts, int k) {
  __shared__ int own[TILE], place[TILE];
  const int a = blockIdx.x * TILE + threadIdx.x;
  const int count = min(TILE, n - blockIdx.x * TILE);
  own[threadIdx.x] = a < n ? expert[a] : -1;
  __syncthreads();
  if (a < n) {
    int rank = 0;
    for (int i = 0; i < threadIdx.x; ++i) rank += own[i] == own[threadIdx.x];
    const int e = own[threadIdx.x];
    place[threadIdx.x] = offsets[e] + table[blockIdx.x * experts + e] + rank;
    position[a] = place[threadIdx.x];
  }
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    const size_t from = static_cast<size_t>((blockIdx.x * TILE + i) / k) * dim;
    const size_t to = static_cast<size_t>(place[i]) * dim;
    if (dim % 2 == 0) {
      const unsigned* source = reinterpret_cast<const unsigned*>(x + from);
      unsigned* target = reinterpret_cast<unsigned*>(y + to);
      for (int col = threadIdx.x; col < dim / 2; col += TILE) target[col] = source[col];
    } else {
      for (int col = threadIdx.x; col < dim; col += TILE) y[to + col] = x[from + col];
    }
  }
}

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  const int n = tokens * k, tiles = (n + TILE - 1) / TILE;
  int* table;
  cudaMalloc(&table, sizeof(int) * (static_cast<size_t>(tiles) + 1) * experts);
  int* totals = table + static_cast<size_t>(tiles) * experts;
  count<<<tiles, TILE, experts * sizeof(int)>>>(expert, table, n, experts);
  add_columns<<<(experts + 31) / 32, 32>>>(table, totals, tiles, experts);
  add_totals<<<1, 1024>>>(totals, offsets, experts);
  move<<<tiles, TILE>>>(x, expert, table, offsets, y, position, n, dim, experts, k);
  cudaFree(table);
}
