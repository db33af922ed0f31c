// A sorted list per warp: each lane keeps one of the warp's 32 largest elements so far.
//
// Almost every element is smaller than the smallest in the list and costs one comparison. The
// others are inserted: the lanes behind its place hand their entry to the next lane. Lists are
// merged by inserting their entries. Entries are (key, inverted index) in 64 bits, so no two are
// equal. For k > 32 the search runs again, for the 32 largest below the last one found.
//
// Prediction: k <= 32: one read of x, 61 us at 2^26, and the merge, 15 us. k = 2048: 64 rounds, 5
// ms. Missed: one 4-byte load per thread in flight is too few for the read.
// Measured: 213.6 us at 67108864x8, 29 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/float_key.h"
#include "../common/scratch.h"

constexpr int THREADS = 1024;
constexpr int WARPS = THREADS / 32;
constexpr unsigned ALL_LANES = 0xffffffffu;
using Entry = unsigned long long;  // 0: none

__device__ Entry entry_of(const float* x, unsigned i) {
  return Entry(key_of(x[i])) << 32 | ~i;  // equal keys: lower index first
}

// `list` is one entry per lane, the largest in lane 0. Inserts those of the lanes' entries that
// belong among the 32 largest.
__device__ Entry insert(Entry list, Entry entry) {
  const int lane = threadIdx.x % 32;
  Entry smallest = __shfl_sync(ALL_LANES, list, 31);
  for (unsigned left = __ballot_sync(ALL_LANES, entry > smallest); left != 0; left &= left - 1) {
    const Entry next = __shfl_sync(ALL_LANES, entry, __ffs(left) - 1);
    const int place = __popc(__ballot_sync(ALL_LANES, list > next));
    const Entry previous = __shfl_up_sync(ALL_LANES, list, 1);
    if (lane == place) list = next;
    if (lane > place) list = previous;
  }
  return list;
}

// Merges the lists of the block's warps; the result is in the first warp.
__device__ Entry merge_block(Entry list) {
  __shared__ Entry lists[THREADS];
  lists[threadIdx.x] = list;
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int w = 1; w < WARPS; ++w) list = insert(list, lists[32 * w + threadIdx.x]);
  }
  return list;
}

// The block's 32 largest elements below `limit`.
__global__ void block_lists(const float* x, unsigned n, const Entry* limit, Entry* lists) {
  const Entry below = *limit;
  const unsigned stride = gridDim.x * THREADS;
  const unsigned lane = threadIdx.x % 32;
  Entry list = 0;
  for (unsigned first = blockIdx.x * THREADS + threadIdx.x - lane; first < n; first += stride) {
    Entry entry = first + lane < n ? entry_of(x, first + lane) : 0;
    if (entry >= below) entry = 0;
    list = insert(list, entry);
  }
  list = merge_block(list);
  if (threadIdx.x < 32) lists[blockIdx.x * 32 + threadIdx.x] = list;
}

// One block: merges all lists, stores up to 32 floats, and sets the limit for the next round.
__global__ void merge_lists(const Entry* lists, int count, Entry* limit, float* y, int k) {
  Entry list = 0;
  for (int first = threadIdx.x / 32 * 32; first < count; first += THREADS) {
    list = insert(list, lists[first + threadIdx.x % 32]);  // count is a multiple of 32
  }
  list = merge_block(list);
  if (threadIdx.x < 32 && static_cast<int>(threadIdx.x) < k) y[threadIdx.x] = float_of(list >> 32);
  if (threadIdx.x == 31) *limit = list;
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  static Scratch<Entry> scratch;
  const int needed = kata::ceil_div(n, 8 * THREADS);
  const int blocks = needed < 264 ? needed : 264;
  Entry* limit = scratch.get(1 + 32 * blocks);
  Entry* lists = limit + 1;
  cudaMemsetAsync(limit, 0xff, sizeof(Entry));  // no limit
  for (int done = 0; done < k; done += 32) {
    block_lists<<<blocks, THREADS>>>(x, n, limit, lists);
    merge_lists<<<1, THREADS>>>(lists, 32 * blocks, limit, y + done, k - done);
  }
}
