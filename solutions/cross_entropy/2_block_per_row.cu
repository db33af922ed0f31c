// One block per row: neighbouring threads read neighbouring classes.
//
// Each thread reduces its share of the row, the lanes of a warp combine by shuffles, and the warps
// through shared memory: once for the maximum, once for the sum.
//
// Prediction: 4 sectors per request instead of 32, and 256 times as many threads. The row is read
// twice; 1056 blocks at a time hold 1056 rows of 201 KB, more than L2, so 8 bytes per element cross
// device memory: 720 us at 8192 x 50304, plus the latency of 4-byte loads, 8 KB in flight per SM:
// expect 1500 us. Missed: the compiler unrolls the loops, so several loads are in flight.
// Measured: 723.7 us at 8192x50304, 49 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <float.h>

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;

template <class Combine>
__device__ float warp_reduce(float value, Combine combine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

// In every thread. `empty` changes nothing when it is combined.
template <class Combine>
__device__ float block_reduce(float value, float empty, Combine combine) {
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  value = warp_reduce(value, combine);
  __syncthreads();  // the slots of the call before have been read
  if (lane == 0) slots[threadIdx.x / 32] = value;
  __syncthreads();
  return warp_reduce(lane < WARPS ? slots[lane] : empty, combine);
}

__global__ void cross_entropy_kernel(const float* logits, const int* labels, float* loss, int n,
                                     int classes) {
  const int row = blockIdx.x;
  const int tid = threadIdx.x;
  const float* x = logits + static_cast<size_t>(row) * classes;

  float max = -FLT_MAX;
  for (int i = tid; i < classes; i += THREADS) max = fmaxf(max, x[i]);
  max = block_reduce(max, -FLT_MAX, [](float a, float b) { return fmaxf(a, b); });

  float sum = 0.0f;
  for (int i = tid; i < classes; i += THREADS) sum += expf(x[i] - max);
  sum = block_reduce(sum, 0.0f, [](float a, float b) { return a + b; });

  if (tid == 0) {
    const float row_loss = logf(sum) + max - x[labels[row]];
    atomicAdd(loss, row_loss / n);
  }
}

extern "C" void cross_entropy(const float* logits, const int* labels, float* loss, int n,
                              int classes) {
  cudaMemsetAsync(loss, 0, sizeof(float));
  cross_entropy_kernel<<<n, THREADS>>>(logits, labels, loss, n, classes);
}
