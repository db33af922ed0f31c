#pragma once
// Calls visit(value) once for each of the n values of x, shared out over the whole grid.
//
// A thread reads int4 vectors, UNROLL of them at a time. It issues the loads of its next group
// before it visits the current one, so that memory latency and the work of visit overlap. The last
// groups and the last n % 4 values are read one by one. x must be aligned to 16 bytes.

#include <cuda_runtime.h>

template <int UNROLL, class Visit>
__device__ void each_value(const int* x, int n, Visit visit) {
  const int4* x4 = reinterpret_cast<const int4*>(x);
  const size_t count4 = n / 4;
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto visit4 = [&](int4 v) {
    visit(v.x);
    visit(v.y);
    visit(v.z);
    visit(v.w);
  };

  size_t i = thread;
  int4 next[UNROLL];
  const auto load_group = [&] {
    const bool in_bounds = i + (UNROLL - 1) * threads < count4;
    if (in_bounds) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) next[u] = x4[i + u * threads];
    }
    return in_bounds;
  };
  bool loaded = load_group();
  while (loaded) {
    int4 group[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) group[u] = next[u];
    i += UNROLL * threads;
    loaded = load_group();
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) visit4(group[u]);
  }
  for (; i < count4; i += threads) visit4(x4[i]);

  const size_t tail = 4 * count4 + thread;
  if (tail < static_cast<size_t>(n)) visit(x[tail]);
}
