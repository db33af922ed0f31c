// One block per transform in shared memory, in Stockham's order.
//
// Points cross device memory once each way; the stages run in shared memory. Stockham's stages read
// points j and j + n / 2 and write their sum and difference where they belong, so that no reordering
// is needed: device memory is read and written in order. A stage reads one buffer and writes the
// other, so one barrier per stage suffices. Two buffers hold up to 8192 points; more go to rung 1.
// The rung to reach in 30 minutes.
//
// Prediction: at n = 1024, ten stages of 16 bytes a point through shared memory at 128 bytes a clock
// and SM: 360 us; with barriers and the roots 600 us.
// Measured: 996.5 us at 1024x65536, 25 % of the limit (H200, 2026-11-30)
#include "stages.h"

constexpr int MOST_POINTS = 8192;
constexpr int MOST_THREADS = 512;

__global__ void __launch_bounds__(MOST_THREADS)
    shared_kernel(const float2* signal, float2* spectrum, int n) {
  extern __shared__ float2 buffers[];
  float2* from = buffers;
  float2* to = buffers + n;
  const size_t first = static_cast<size_t>(blockIdx.x) * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) from[i] = signal[first + i];
  __syncthreads();
  for (int done = 1; done < n; done *= 2) {  // length of the transforms that are there
    for (int j = threadIdx.x; j < n / 2; j += blockDim.x) {
      const int k = j & (done - 1);
      const float2 a = from[j], b = from[j + n / 2] * root(k, 2 * done);
      float2* place = to + 2 * (j - k) + k;
      place[0] = a + b;
      place[done] = a - b;
    }
    float2* last = from;
    from = to;
    to = last;
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) spectrum[first + i] = from[i];
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  if (n > MOST_POINTS) return launch_stages(signal, spectrum, n, batch);
  cudaFuncSetAttribute(shared_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       2 * MOST_POINTS * sizeof(float2));
  const int threads = min(max(n / 2, 1), MOST_THREADS);
  const int bytes = 2 * n * sizeof(float2);
  shared_kernel<<<batch, threads, bytes>>>(reinterpret_cast<const float2*>(signal),
                                           reinterpret_cast<float2*>(spectrum), n);
}
