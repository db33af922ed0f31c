#pragma once
// Up to 16 points: a thread per transform.

#include "radix16.h"

constexpr int IN_THREAD_THREADS = 128;

template <int N>
__global__ void in_thread_kernel(const float2* signal, float2* spectrum, int batch) {
  const int row = blockIdx.x * IN_THREAD_THREADS + threadIdx.x;
  if (row >= batch) return;
  const size_t first = static_cast<size_t>(row) * N;
  float2 v[N];
#pragma unroll
  for (int i = 0; i < N; ++i) v[i] = signal[first + i];
  transform_in_registers(v);
#pragma unroll
  for (int i = 0; i < N; ++i) spectrum[first + i] = v[i];
}

template <int N>
void launch_in_thread(const float2* signal, float2* spectrum, int batch) {
  const int blocks = kata::ceil_div(batch, IN_THREAD_THREADS);
  in_thread_kernel<N><<<blocks, IN_THREAD_THREADS>>>(signal, spectrum, batch);
}

// Up to 16 points: a thread per transform. Up to 16384: calls launch with n as a constant.
template <class Launch>
void launch_by_length(const float2* x, float2* y, int n, int batch, Launch launch) {
  with_length(n, [&](auto length) {
    constexpr int N = decltype(length)::value;
    if constexpr (N <= POINTS) {
      launch_in_thread<N>(x, y, batch);
    } else {
      launch(length);
    }
  });
}
