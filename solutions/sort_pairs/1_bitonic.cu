// Bitonic sort of 64-bit words: the key above, the index below. The values are gathered at the end.
//
// A network of compare-exchanges is not stable. With the index in the lower half no two words are
// equal, and words with one key come in the order of their indices: the sort of words is the stable
// sort of pairs. The array is padded to a power of two with the largest word, which no pair has.
//
// Prediction: log2(n) = 26 stages are 351 steps at 2^26, each reads and writes 8 bytes per pair:
// 1.07 GB, 250 us at 4298 GB/s, 88 ms. The gather reads a sector of 32 bytes per value: 1 ms.
// Measured: 75299.7 us at 67108864, 0.3 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/scratch.h"

constexpr int THREADS = 256;
using Word = unsigned long long;

__global__ void pack(const unsigned* keys_in, Word* words, int n, unsigned size) {
  const unsigned i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= size) return;
  words[i] = i < static_cast<unsigned>(n) ? Word(keys_in[i]) << 32 | i : ~Word(0);
}

// One step: each thread compares two words `distance` apart. Runs of `length` words rise and fall
// by turns.
__global__ void compare_exchange(Word* words, unsigned size, unsigned length, unsigned distance) {
  const unsigned pair = blockIdx.x * THREADS + threadIdx.x;
  if (pair >= size / 2) return;
  const unsigned low = 2 * pair - (pair & (distance - 1));
  const unsigned high = low + distance;
  const bool rising = (low & length) == 0;
  const Word a = words[low];
  const Word b = words[high];
  if ((a > b) == rising) {
    words[low] = b;
    words[high] = a;
  }
}

__global__ void unpack(const Word* words, const int* values_in, unsigned* keys_out,
                       int* values_out, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  keys_out[i] = static_cast<unsigned>(words[i] >> 32);
  values_out[i] = values_in[static_cast<unsigned>(words[i])];
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  static Scratch<Word> scratch;
  unsigned size = 1;
  while (size < static_cast<unsigned>(n)) size *= 2;
  Word* words = scratch.get(size);

  pack<<<kata::ceil_div(size, THREADS), THREADS>>>(keys_in, words, n, size);
  for (unsigned length = 2; length <= size && length != 0; length *= 2) {
    for (unsigned distance = length / 2; distance > 0; distance /= 2) {
      compare_exchange<<<kata::ceil_div(size / 2, THREADS), THREADS>>>(words, size, length,
                                                                       distance);
    }
  }
  unpack<<<kata::ceil_div(n, THREADS), THREADS>>>(words, values_in, keys_out, values_out, n);
}
