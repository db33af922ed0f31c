// Forgets that A and B ascend: sorts all elements by odd-even merges of one key, made of the float
// and of the position in A followed by B. Zeros have one key, so their positions decide.
#include <cuda_runtime.h>

using Key = unsigned long long;

__global__ void make_keys(const float* A, const float* B, Key* keys, int M, int N, unsigned size) {
  const unsigned i = blockIdx.x * 256u + threadIdx.x;
  if (i >= size) return;
  if (i >= static_cast<unsigned>(M + N)) {
    keys[i] = ~0ull;
    return;
  }
  const float value = i < static_cast<unsigned>(M) ? A[i] : B[i - M];
  const unsigned bits = value == 0.0f ? 0u : __float_as_uint(value);
  const unsigned order = bits >> 31 ? ~bits : bits | 0x80000000u;
  keys[i] = static_cast<Key>(order) << 32 | i;
}

__global__ void exchange(Key* keys, unsigned size, unsigned run, unsigned distance) {
  const unsigned i = blockIdx.x * 256u + threadIdx.x;
  if (i + distance >= size) return;
  const unsigned offset = distance % run;
  if (i < offset || (i - offset) / distance % 2 != 0) return;
  if (i / (2 * run) != (i + distance) / (2 * run)) return;
  const Key a = keys[i], b = keys[i + distance];
  if (a > b) {
    keys[i] = b;
    keys[i + distance] = a;
  }
}

__global__ void take(const float* A, const float* B, const Key* keys, float* C, int M, int N) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= M + N) return;
  const int from = static_cast<int>(keys[i]);
  C[i] = from < M ? A[from] : B[from - M];
}

extern "C" void merge(const float* A, const float* B, float* C, int M, int N) {
  unsigned size = 1;
  while (size < static_cast<unsigned>(M + N)) size *= 2;
  const unsigned blocks = (size - 1) / 256 + 1;
  Key* keys = nullptr;
  if (cudaMalloc(&keys, size * sizeof(Key)) != cudaSuccess) return;
  make_keys<<<blocks, 256>>>(A, B, keys, M, N, size);
  for (unsigned run = 1; run < size; run *= 2)
    for (unsigned distance = run; distance > 0; distance /= 2)
      exchange<<<blocks, 256>>>(keys, size, run, distance);
  take<<<blocks, 256>>>(A, B, keys, C, M, N);
  cudaFree(keys);
}
