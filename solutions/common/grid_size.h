#pragma once
// The grid of a kernel whose threads stride through their input: one wave, never more.

/// `needed` blocks, but at most as many as the GPU runs at once with `blocks_per_sm` on each SM.
inline int one_wave(int needed, int blocks_per_sm) {
  static const int processors = [] {
    int device = 0;
    int count = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
  }();
  const int most = processors * blocks_per_sm;
  return needed < most ? needed : most;
}
