// Eight stable passes of four bits: digit counts per tile, one long exclusive sum, ranks by ballots inside a warp.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256, kRounds = 8, kTile = kThreads * kRounds, kWarps = kThreads / 32;

__global__ void count_kernel(const unsigned* in, int* table, int n, int tiles, int shift) {
  __shared__ int c[16];
  if (threadIdx.x < 16) c[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 0; r < kRounds; ++r) {
    const long long i = static_cast<long long>(blockIdx.x) * kTile + r * kThreads + threadIdx.x;
    if (i < n) atomicAdd(&c[in[i] >> shift & 15], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16) table[threadIdx.x * tiles + blockIdx.x] = c[threadIdx.x];
}

__global__ void sums_kernel(int* table, int length) {
  __shared__ int warp_total[32];
  __shared__ int carry_in;
  if (threadIdx.x == 0) carry_in = 0;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();
  for (int base = 0; base < length; base += 1024) {
    const int i = base + threadIdx.x;
    const int own = i < length ? table[i] : 0;
    int s = own;
    for (int d = 1; d < 32; d *= 2) {
      const int left = __shfl_up_sync(0xffffffffu, s, d);
      if (lane >= d) s += left;
    }
    if (lane == 31) warp_total[warp] = s;
    __syncthreads();
    int before = carry_in;
    for (int w = 0; w < warp; ++w) before += warp_total[w];
    if (i < length) table[i] = before + s - own;
    __syncthreads();  // everybody has read carry_in and warp_total
    if (threadIdx.x == 1023) carry_in = before + s;
    __syncthreads();
  }
}

__global__ void scatter_kernel(const unsigned* in, unsigned* out, const int* table, int n, int tiles, int shift) {
  __shared__ int next[16];
  __shared__ int per_warp[kWarps][16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x < 16) next[threadIdx.x] = table[threadIdx.x * tiles + blockIdx.x];
  for (int r = 0; r < kRounds; ++r) {
    if (threadIdx.x < 16 * kWarps) per_warp[threadIdx.x / 16][threadIdx.x % 16] = 0;
    __syncthreads();
    const long long i = static_cast<long long>(blockIdx.x) * kTile + r * kThreads + threadIdx.x;
    const bool valid = i < n;
    const unsigned key = valid ? in[i] : 0u;
    const unsigned digit = key >> shift & 15;
    unsigned same = __ballot_sync(0xffffffffu, valid);
    for (int b = 0; b < 4; ++b) {
      const bool bit = digit >> b & 1;
      const unsigned ones = __ballot_sync(0xffffffffu, bit);
      same &= bit ? ones : ~ones;
    }
    const int rank = __popc(same & ((1u << lane) - 1));
    if (valid && rank == 0) per_warp[warp][digit] = __popc(same);
    __syncthreads();
    if (valid) {
      int place = next[digit] + rank;
      for (int w = 0; w < warp; ++w) place += per_warp[w][digit];
      out[place] = key;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
      int sum = 0;
      for (int w = 0; w < kWarps; ++w) sum += per_warp[w][threadIdx.x];
      next[threadIdx.x] += sum;
    }
    __syncthreads();
  }
}
}  // namespace

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  static unsigned* other = nullptr;
  static int* table = nullptr;
  static int room = 0;
  const int tiles = (n - 1) / kTile + 1;
  if (n > room) {
    cudaFree(other);
    cudaFree(table);
    cudaMalloc(&other, n * sizeof(unsigned));
    cudaMalloc(&table, 16 * tiles * sizeof(int));
    room = n;
  }
  const unsigned* from = in;
  for (int pass = 0; pass < 8; ++pass) {
    unsigned* to = pass % 2 == 0 ? other : out;
    count_kernel<<<tiles, kThreads>>>(from, table, n, tiles, 4 * pass);
    sums_kernel<<<1, 1024>>>(table, 16 * tiles);
    scatter_kernel<<<tiles, kThreads>>>(from, to, table, n, tiles, 4 * pass);
    from = to;
  }
}
