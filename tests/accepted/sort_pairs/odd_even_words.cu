// Words of key and index in an odd-even merge sort, which needs no direction: a block sorts 512 of
// them in shared memory, and later stages work in global memory.
#include <cuda_runtime.h>

using Word = unsigned long long;
constexpr unsigned part = 512;

__device__ void exchange(Word* words, unsigned size, unsigned i, unsigned run, unsigned distance) {
  const unsigned offset = distance % run;
  if (i < offset || (i - offset) / distance % 2 != 0 || i + distance >= size) return;
  if (i / (2 * run) != (i + distance) / (2 * run)) return;
  const Word a = words[i], b = words[i + distance];
  if (b < a) {
    words[i] = b;
    words[i + distance] = a;
  }
}

__global__ void sort_parts(const unsigned* keys, Word* words, unsigned n) {
  __shared__ Word mine[part];
  const unsigned first = blockIdx.x * part;
  for (unsigned k = threadIdx.x; k < part; k += 128)
    mine[k] = first + k < n ? static_cast<Word>(keys[first + k]) << 32 | (first + k) : ~0ull;
  for (unsigned run = 1; run < part; run *= 2)
    for (unsigned distance = run; distance > 0; distance /= 2) {
      __syncthreads();
      for (unsigned k = threadIdx.x; k < part; k += 128) exchange(mine, part, k, run, distance);
    }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < part; k += 128) words[first + k] = mine[k];
}

__global__ void step(Word* words, unsigned size, unsigned run, unsigned distance) {
  exchange(words, size, blockIdx.x * 256u + threadIdx.x, run, distance);
}

__global__ void take(const Word* words, const int* values_in, unsigned* keys_out, int* values_out,
                     int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  keys_out[i] = words[i] >> 32;
  values_out[i] = values_in[words[i] & 0xffffffff];
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  unsigned size = part;
  while (size < static_cast<unsigned>(n)) size *= 2;
  Word* words = nullptr;
  if (cudaMalloc(&words, size * sizeof(Word)) != cudaSuccess) return;
  sort_parts<<<size / part, 128>>>(keys_in, words, n);
  for (unsigned run = part; run < size; run *= 2)
    for (unsigned distance = run; distance > 0; distance /= 2)
      step<<<size / 256, 256>>>(words, size, run, distance);
  take<<<(n - 1) / 256 + 1, 256>>>(words, values_in, keys_out, values_out, n);
  cudaFree(words);
}
