// Finds the k-th key eight bits at a time, gathers everything above it, fills up with copies of it, and sorts those k with a bitonic network.
#include <cuda_runtime.h>

namespace {
struct State {
  unsigned prefix, mask;
  int left, fill;
  int counts[256];
};

__device__ unsigned key_of(float v) {
  const unsigned u = __float_as_uint(v);
  return (u >> 31) ? ~u : u | 0x80000000u;
}

__global__ void begin(State* s, int k) {
  s->counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    s->prefix = s->mask = 0;
    s->left = k;
    s->fill = 0;
  }
}

__global__ void count(const float* x, int n, State* s, int shift) {
  __shared__ int c[256];
  c[threadIdx.x] = 0;
  __syncthreads();
  const unsigned prefix = s->prefix, mask = s->mask;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned key = key_of(x[i]);
    if ((key & mask) == prefix) atomicAdd(&c[key >> shift & 255], 1);
  }
  __syncthreads();
  if (c[threadIdx.x]) atomicAdd(&s->counts[threadIdx.x], c[threadIdx.x]);
}

__global__ void choose(State* s, int shift) {
  int left = s->left, d = 255;
  while (d > 0 && s->counts[d] < left) left -= s->counts[d--];
  s->left = left;
  s->prefix |= static_cast<unsigned>(d) << shift;
  s->mask |= 255u << shift;
  for (int i = 0; i < 256; ++i) s->counts[i] = 0;
}

__global__ void gather(const float* x, int n, State* s, unsigned* keys) {
  const unsigned limit = s->prefix;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned key = key_of(x[i]);
    if (key > limit) keys[atomicAdd(&s->fill, 1)] = key;
  }
}

__global__ void pad(const State* s, unsigned* keys, int k, int size) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < size && i >= k - s->left) keys[i] = i < k ? s->prefix : 0u;
}

__global__ void exchange(unsigned* keys, int size, int run, int distance) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int j = i ^ distance;
  if (i >= size || j <= i) return;
  const unsigned a = keys[i], b = keys[j];
  const bool descending = (i & run) == 0;
  if (descending ? a < b : a > b) {
    keys[i] = b;
    keys[j] = a;
  }
}

__global__ void store(const unsigned* keys, float* y, int k) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < k) y[i] = __uint_as_float((keys[i] >> 31) ? keys[i] & 0x7fffffffu : ~keys[i]);
}
}  // namespace

extern "C" void topk(const float* x, float* y, int n, int k) {
  int size = 1;
  while (size < k) size *= 2;
  State* state = nullptr;
  unsigned* keys = nullptr;
  cudaMallocAsync(&state, sizeof(State), 0);
  cudaMallocAsync(&keys, size * sizeof(unsigned), 0);
  const int wide = n > 256 * 1000 ? 1000 : (n + 255) / 256;
  const int narrow = (size + 255) / 256;
  begin<<<1, 256>>>(state, k);
  for (int shift = 24; shift >= 0; shift -= 8) {
    count<<<wide, 256>>>(x, n, state, shift);
    choose<<<1, 1>>>(state, shift);
  }
  gather<<<wide, 256>>>(x, n, state, keys);
  pad<<<narrow, 256>>>(state, keys, k, size);
  for (int run = 2; run <= size; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) exchange<<<narrow, 256>>>(keys, size, run, distance);
  store<<<narrow, 256>>>(keys, y, k);
  cudaFreeAsync(keys, 0);
  cudaFreeAsync(state, 0);
}
