// Blocks that wait for each other: a scan in one pass over the data, with decoupled look-back.
#include "expect.cuh"

constexpr int threads = 64, tiles = 1000, n = threads * tiles - 5;

enum : unsigned { nothing = 0, aggregate = 1, prefix = 2 };

/// What a block says of its tile: `state` in the upper half, a sum in the lower one.
__device__ unsigned long long packed(unsigned state, unsigned sum) {
  return (unsigned long long)state << 32 | sum;
}

/// The sum of all tiles before this one: the last `prefix` on the way back, and what lies behind
/// it.
__device__ unsigned look_back(volatile unsigned long long* said, int tile) {
  unsigned sum = 0;
  for (int before = tile - 1; before >= 0;) {
    const unsigned long long word = said[before];
    const unsigned state = (unsigned)(word >> 32);
    if (state == nothing) continue;
    sum += (unsigned)word;
    if (state == prefix) break;
    --before;
  }
  return sum;
}

/// `ticket` null: the tile is blockIdx.x, which works where all blocks are resident.
__global__ void scan(const unsigned* in, unsigned* out, unsigned long long* said, int* ticket) {
  __shared__ unsigned sums[threads];
  __shared__ unsigned before;
  __shared__ int tile;
  const int tid = threadIdx.x;
  if (tid == 0) tile = ticket ? atomicAdd(ticket, 1) : blockIdx.x;
  __syncthreads();
  const int i = tile * threads + tid;
  sums[tid] = i < n ? in[i] : 0;
  for (int step = 1; step < threads; step *= 2) {
    __syncthreads();
    const unsigned more = tid >= step ? sums[tid - step] : 0;
    __syncthreads();
    sums[tid] += more;
  }
  __syncthreads();
  if (tid == 0) {
    const unsigned all = sums[threads - 1];
    __threadfence();
    atomicExch(&said[tile], packed(tile == 0 ? prefix : aggregate, all));
    before = look_back(said, tile);
    __threadfence();
    atomicExch(&said[tile], packed(prefix, before + all));
  }
  __syncthreads();
  if (i < n) out[i] = before + sums[tid];
}

static void scans(bool with_ticket) {
  static unsigned numbers[threads * tiles];
  for (int i = 0; i < n; ++i) numbers[i] = (unsigned)i % 7 + 1;
  Values<unsigned, threads * tiles> in, out;
  Values<unsigned long long, tiles> said;
  Values<int, 1> ticket;
  in.set(numbers);
  scan<<<tiles, threads>>>(in, out, said, with_ticket ? ticket.device : nullptr);
  out.get();
  unsigned sum = 0;
  int right = 0;
  for (int i = 0; i < n; ++i) right += out.host[i] == (sum += numbers[i]);
  EXPECT(right == n);
}

static void fixture() {
  scans(true);
  scans(false);
}
