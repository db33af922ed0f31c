// The exchange padded, so that stores 16 points apart do not meet in the same banks.
//
// One empty place after every 16 points (padded.h). It costs a sixteenth of the shared memory.
//
// Prediction: shared memory takes 72 us at n = 1024 and is no longer the limit: 265 us, near the
// 251 of a copy. Rung 3 lost 16 times as many clocks as needed in the first exchange's stores.
// Measured: 259.2 us at 1024x65536, 98 % of the limit (H200, 2026-11-30)
#include "in_thread.h"
#include "padded.h"
#include "stages.h"

template <int N>
__global__ void __launch_bounds__(N / POINTS)
    block_kernel(const float2* signal, float2* spectrum) {
  constexpr int THREADS = N / POINTS;
  extern __shared__ float2 points[];
  const int j = threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * N + j;
  float2 v[POINTS];
#pragma unroll
  for (int m = 0; m < POINTS; ++m) v[m] = signal[first + m * THREADS];
  transform_by_threads<N>(v, j, [&](float2(&v)[POINTS], int begin, int stride) {
    exchange_padded<THREADS>(points, v, j, begin, stride, [] { __syncthreads(); });
  });
#pragma unroll
  for (int m = 0; m < POINTS; ++m) spectrum[first + m * THREADS] = v[m];
}

template <int N>
void launch_block(const float2* signal, float2* spectrum, int batch) {
  constexpr int BYTES = padded(N) * sizeof(float2);
  cudaFuncSetAttribute(block_kernel<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  block_kernel<N><<<batch, N / POINTS, BYTES>>>(signal, spectrum);
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  if (n > 16384) return launch_stages(signal, spectrum, n, batch);
  const float2* x = reinterpret_cast<const float2*>(signal);
  float2* y = reinterpret_cast<float2*>(spectrum);
  launch_by_length(x, y, n, batch,
                   [&](auto length) { launch_block<decltype(length)::value>(x, y, batch); });
}
