// One read: a sample of x gives a lower bound for the k-th largest key before the first full pass.
//
// Split a sample of x into 4096 groups and take each group's largest key. The k-th largest of these
// maxima is a lower bound: k keys are at least that large. One pass over x keeps the keys from the
// bound on, and the exact selection runs on those few. Any input stays right: if too many keys
// pass the bound, the selection reads x, as in the rung before. Not for k near 4096 or n: then the
// selection reads x at once.
//
// Prediction: at 2^26 the sample is n / 16, groups of 1024. For k = 2048, half of the maxima, the
// bound keeps n ln 2 / 1024 = 45000 random keys. One read of x, 61 us, the sample 4 us, six
// launches of about 3 us and a sort of 2048 keys, 6 us: 90 us.
// Measured: not yet.
#include <kata/kata.h>

#include "../common/radix_select.h"
#include "../common/scratch.h"
#include "../common/topk_output.h"

constexpr int GROUPS = 4096;
constexpr int LARGEST_K = 3072;     // of the 4096 maxima
constexpr int SMALLEST_N = 65536;   // 16 elements per group
constexpr int BOUND_THREADS = 1024;
constexpr int SELECT_WARPS = SELECT_THREADS / 32;

// maxima[g] is the largest key in the first sixteenth of the g-th of 4096 parts of x, but of 8
// elements at least. A warp takes a group.
__global__ void group_maxima(const float* x, unsigned n, unsigned* maxima) {
  const unsigned part = n / GROUPS / 4 * 4;  // a multiple of 4 for float4
  const unsigned group_size = max(part / 16, 8u);
  const unsigned group = blockIdx.x * SELECT_WARPS + threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  const float4* first = reinterpret_cast<const float4*>(x + size_t(group) * part);
  unsigned largest = NO_KEY;
  for (unsigned i = lane; i < group_size / 4; i += 32) {
    const float4 v = first[i];
    largest = max(max(largest, key_of(fmaxf(v.x, v.y))), key_of(fmaxf(v.z, v.w)));
  }
  largest = __reduce_max_sync(0xffffffffu, largest);
  if (lane == 0) maxima[group] = largest;
}

// The k-th largest of the maxima, rounded down to 24 bits: one block finds one bit per step.
__global__ void choose_bound(const unsigned* maxima, unsigned k, unsigned* bound) {
  __shared__ unsigned counts[32];  // one per step, so that one barrier per step is enough
  const int tid = threadIdx.x;
  unsigned keys[GROUPS / BOUND_THREADS];
  for (int j = 0; j < GROUPS / BOUND_THREADS; ++j) keys[j] = maxima[j * BOUND_THREADS + tid];
  if (tid < 32) counts[tid] = 0;
  __syncthreads();
  unsigned known = 0;
  for (int bit = 31; bit >= 8; --bit) {
    const unsigned trial = known | 1u << bit;
    unsigned at_least = 0;
    for (const unsigned key : keys) at_least += key >= trial;
    at_least = __reduce_add_sync(0xffffffffu, at_least);
    if (tid % 32 == 0) atomicAdd(&counts[bit], at_least);
    __syncthreads();
    if (counts[bit] >= k) known = trial;
  }
  if (tid == 0) *bound = known;
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  static Scratch<Selection> selection_scratch;
  static Scratch<unsigned> key_scratch, candidate_scratch;
  Selection* selection = selection_scratch.get(1);
  unsigned* keys = key_scratch.get(power_of_two_from(k));
  const unsigned blocks = select_blocks(n);
  const KeySource all = {x, unsigned(n), nullptr, nullptr, 0};
  KeySource few = all;
  cudaMemsetAsync(selection, 0, sizeof(Selection));

  if (n >= SMALLEST_N && k <= LARGEST_K) {
    const unsigned capacity = n / 8;
    unsigned* maxima = candidate_scratch.get(GROUPS + 1 + capacity);
    unsigned* bound = maxima + GROUPS;
    unsigned* candidates = bound + 1;
    few = {x, unsigned(n), candidates, &selection->candidate_count, capacity};
    group_maxima<<<GROUPS / SELECT_WARPS, SELECT_THREADS>>>(x, n, maxima);
    choose_bound<<<1, BOUND_THREADS>>>(maxima, k, bound);
    keep_candidates<<<blocks, SELECT_THREADS>>>(all, bound, candidates,
                                                &selection->candidate_count, capacity);
  }
  select_digit<<<blocks, SELECT_THREADS>>>(few, selection, k, 21, 32);  // bits 21 to 31
  select_digit<<<blocks, SELECT_THREADS>>>(few, selection, k, 10, 21);  // bits 10 to 20
  select_digit<<<blocks, SELECT_THREADS>>>(few, selection, k, 0, 10);   // bits 0 to 9
  collect<<<blocks, SELECT_THREADS>>>(few, selection, keys, k);
  sort_and_store(keys, &selection->found, &selection->threshold, y, k);
}
