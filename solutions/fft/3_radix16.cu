// Radix 16 in registers: a thread has 16 points, and threads exchange them between stages only.
//
// Rung 2 goes through shared memory in each of log2 n stages. 16 points in 32 registers take four
// stages without it: 1024 = 16 x 16 x 4 has two exchanges left. The roots of all 16 points of a
// thread are powers of one, so sincospi runs once per stage. Up to 16 points need one thread and no
// exchange. The stages are in radix16.h. 16384 points fit: 128 KiB, with 1024 threads.
//
// Prediction: at n = 1024, two exchanges of 16 bytes a point, 72 us, and some 35 instructions a
// point, 80 us, run beside the memory's 250 us. But stores at stride 16 meet in two banks: a
// 16-way conflict in the first exchange makes 36 us of its stores 290: 400 us.
// Measured: 277.5 us at 1024x65536, 91 % of the limit (H200, 2026-11-30)
#include "in_thread.h"
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
    __syncthreads();  // all have loaded what the last exchange stored
#pragma unroll
    for (int m = 0; m < POINTS; ++m) points[begin + m * stride] = v[m];
    __syncthreads();
#pragma unroll
    for (int m = 0; m < POINTS; ++m) v[m] = points[j + m * THREADS];
  });
#pragma unroll
  for (int m = 0; m < POINTS; ++m) spectrum[first + m * THREADS] = v[m];
}

template <int N>
void launch_block(const float2* signal, float2* spectrum, int batch) {
  constexpr int BYTES = N * sizeof(float2);
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
