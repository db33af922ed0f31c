// A block loads its inputs into shared memory once: its tile of outputs plus a halo of k - 1.
//
// The rung to reach in 30 minutes. 256 outputs need 256 + k - 1 inputs. All threads load them in a
// strided loop, because the halo may be longer than the block. Inputs past the end of x are not
// read. No thread returns before the barrier.
//
// Prediction: global reads fall from k to 1 + (k - 1) / 256 per output, but L1 served most of them
// before. Every product still needs one load, now from shared memory, and the load units stay the
// limit: no more than 1/4 of the FFMA peak, 265 us at n = 2^24, k = 129.
// Measured: not yet
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr int MAX_TAPS = 2048;

__constant__ float filter[MAX_TAPS];

__global__ void conv1d_kernel(const float* x, float* y, int n, int k) {
  extern __shared__ float tile[];  // [THREADS + k - 1]
  const int tid = threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * THREADS;
  for (int i = tid; i < THREADS + k - 1; i += THREADS) {
    tile[i] = first + i < static_cast<size_t>(n) ? x[first + i] : 0.0f;
  }
  __syncthreads();

  float sum = 0.0f;
  for (int j = 0; j < k; ++j) sum += tile[tid + j] * filter[j];
  if (first + tid + k <= static_cast<size_t>(n)) y[first + tid] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  const size_t bytes = (THREADS + k - 1) * sizeof(float);
  cudaMemcpyToSymbolAsync(filter, w, k * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  conv1d_kernel<<<(outputs - 1) / THREADS + 1, THREADS, bytes>>>(x, y, n, k);
}
