// Up to 128 points: a warp reads and writes all its transforms as one chunk of neighbouring points.
//
// With 16 points, a thread of rung 8 has a transform, and the lanes of a warp read 8 bytes of each
// of 32 lines at a time: L1 must keep 4 KB a warp until all 16 loads are done. With 64 points four
// threads read 32 bytes of each of 8 lines. Here lane l reads points l, l + 32, ... of the warp's
// chunk, 256 bytes at once, and finds its own ones in shared memory; results take the same way
// back. No thread waits for another warp.
//
// Prediction: four accesses of 8 bytes to shared memory for each point are a quarter of the time of
// 16 bytes from and to memory: 64 x 1048576 in 262 us instead of 321 (measured: 258), 16 x 460899
// in 34 instead of 130, 4 x 11970754 in 215 instead of 288.
// Measured: 258.1 us at 1024x65536, 98 % of the limit (H200, 2026-11-30)
#include "copy_ahead.h"
#include "panels.h"
#include "row_groups.h"

constexpr int MOST_POINTS = 128, WARPS = 4;

__host__ __device__ constexpr int own_points(int n) {
  return n < POINTS ? n : POINTS;
}
__host__ __device__ constexpr int chunk_size(int n) {
  return 32 * own_points(n);
}

template <int N>
__global__ void __launch_bounds__(32 * WARPS)
    chunk_kernel(const float2* signal, float2* spectrum, size_t end) {
  constexpr int OWN = own_points(N), LANES = N / OWN, SIZE = chunk_size(N);
  __shared__ float2 shared[WARPS][padded(SIZE)];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, j = lane % LANES;
  const size_t first = (static_cast<size_t>(blockIdx.x) * WARPS + warp) * SIZE + lane;
  float2* const points = shared[warp];
  const int own = lane / LANES * N + j;  // its points are LANES apart
  float2 v[OWN];
#pragma unroll
  for (int m = 0; m < OWN; ++m) v[m] = first + 32 * m < end ? signal[first + 32 * m] : float2();
#pragma unroll
  for (int m = 0; m < OWN; ++m) points[padded(lane + 32 * m)] = v[m];
  __syncwarp();
#pragma unroll
  for (int m = 0; m < OWN; ++m) v[m] = points[padded(own + m * LANES)];
  if constexpr (LANES == 1) {
    transform_in_registers(v);
  } else {
    transform_by_threads<N>(v, j, [&](float2(&v)[POINTS], int begin, int stride) {
      exchange_padded<LANES>(points + padded(own - j), v, j, begin, stride, [] { __syncwarp(); });
    });
  }
  __syncwarp();  // all have their points
#pragma unroll
  for (int m = 0; m < OWN; ++m) points[padded(own + m * LANES)] = v[m];
  __syncwarp();
#pragma unroll
  for (int m = 0; m < OWN; ++m)
    if (first + 32 * m < end) spectrum[first + 32 * m] = points[padded(lane + 32 * m)];
}

void launch_chunks(const float2* signal, float2* spectrum, int n, int batch) {
  with_length(n, [&](auto length) {
    constexpr int N = decltype(length)::value;
    if constexpr (N <= MOST_POINTS) {
      const size_t end = static_cast<size_t>(batch) * N;
      const int blocks = static_cast<int>(kata::ceil_div(end, size_t{WARPS} * chunk_size(N)));
      chunk_kernel<N><<<blocks, 32 * WARPS>>>(signal, spectrum, end);
    }
  });
}

extern "C" void fft(const float* signal, float* spectrum, int n, int batch) {
  const float2* x = reinterpret_cast<const float2*>(signal);
  float2* y = reinterpret_cast<float2*>(spectrum);
  if (n <= MOST_POINTS) return launch_chunks(x, y, n, batch);
  if (n > 16384) return launch_two_passes(x, y, n, batch, batch);
  if (n == 16384) return launch_copy_ahead<16384>(x, y, batch);
  if (n == 8192) return launch_copy_ahead<8192>(x, y, batch);
  launch_rows(x, y, n, batch);
}
