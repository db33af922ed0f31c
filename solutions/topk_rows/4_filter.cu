// One read: an element is compared with the k-th largest so far, and most are dropped at once.
//
// The block keeps candidates in shared memory, and sorts and cuts them when there is no more room
// (candidates.h). In random order, element i is among the k largest so far with probability k / i:
// of 131072 elements about 64 (1 + ln 2048) = 550 ever matter.
//
// Prediction: 256 steps per row of 131072, each with one load per thread and a barrier, 0.8 us; the
// four blocks of an SM overlap a little. 200 us per row, 1024 rows in two waves: 400 us. Two or
// three sorts of 2048 keys add 10 us each, so k = 256 costs hardly more than k = 64. Missed: a step
// takes 1.1 us, not 0.8 us.
// Measured: 557.3 us at 1024x131072x64, 22 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "candidates.h"

__global__ void __launch_bounds__(512)
    topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ CandidateMemory memory;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  Candidates candidates(memory, k);
  for (int first = 0; first < cols; first += blockDim.x) {
    const int col = first + threadIdx.x;
    const Key key = col < cols ? key_at(row[col], col) : NONE;
    candidates.add(1, [=](int) { return key; });
  }
  store_row(candidates.sorted(), values + out, indices + out, k);
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  topk_kernel<<<rows, threads_for(cols, 1, 512)>>>(x, values, indices, cols, k);
}
