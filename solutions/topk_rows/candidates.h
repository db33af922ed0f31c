#pragma once
// What may still be among the k largest of a row: a buffer in shared memory, and a bound.
//
// Keys above the bound are added in any order. When the buffer is full it is sorted and cut to its
// k largest, and the k-th becomes the bound: nothing below it can win. On most rows the bound soon
// rejects nearly everything. On an ascending row everything passes, and the buffer is sorted again
// and again: slow, and still right. This is the selection of Johnson, Douze and Jegou,
// "Billion-scale Similarity Search with GPUs", 2017, by a block in place of a warp.

#include "sort_keys.h"

constexpr int CAPACITY = 2048;  // of keys, 16 KB
constexpr int LARGEST_K = 256;

struct CandidateMemory {
  Key keys[CAPACITY];
  int next;  // the first free place; beyond the buffer if more wanted to be added
};

// All threads of the block call all members, with the same k.
class Candidates {
 public:
  __device__ Candidates(CandidateMemory& memory, int k) : memory_(memory), k_(k) {
    if (threadIdx.x == 0) memory_.next = 0;
    __syncthreads();
  }

  // At least k keys of the row are larger than `bound`.
  __device__ void raise_bound(Key bound) { bound_ = max(bound_, bound); }

  // Whether a key with this value may be above the bound. With the bound NONE, which stands for no
  // float, it may.
  __device__ bool may_pass(float value) const {
    return !(value < float_of(static_cast<unsigned>(bound_ >> 32)));
  }

  // Adds those of key(j) that are above the bound, for the bits j of `left`. Lanes go through their
  // bits together, the first of each at once. One barrier, unless the buffer is full.
  template <class KeyOf>
  __device__ void add(unsigned left, const KeyOf& key) {
    while (true) {
      unsigned without_place = 0;
      for (; left != 0; left &= left - 1) {
        if (!put(key(__ffs(left) - 1))) without_place |= left & -left;
      }
      if (!__syncthreads_or(without_place != 0)) return;
      cut(CAPACITY);
      left = without_place;
    }
  }

  // Calls take(key) for those candidates that may be among the k largest, each by one thread.
  template <class Take>
  __device__ void for_each(const Take& take) const {
    for (int i = threadIdx.x; i < memory_.next; i += blockDim.x) {
      const Key key = memory_.keys[i];
      if (key >= bound_) take(key);  // after a cut the k-th key is the bound itself
    }
  }

  // The candidates, the k largest first.
  __device__ const Key* sorted() {
    __syncthreads();
    cut(memory_.next);
    return memory_.keys;
  }

 private:
  // False if there is no place for a key above the bound.
  __device__ bool put(Key key) {
    if (key <= bound_) return true;
    const int place = atomicAdd(&memory_.next, 1);
    if (place < CAPACITY) memory_.keys[place] = key;
    return place < CAPACITY;
  }

  // Sorts the first `count` places and keeps k. Begins after, and ends with a barrier.
  __device__ void cut(int count) {
    const int size = power_of_two_from(count);
    for (int i = count + threadIdx.x; i < size; i += blockDim.x) memory_.keys[i] = NONE;
    __syncthreads();
    sort_descending(memory_.keys, size);
    if (count >= k_) bound_ = memory_.keys[k_ - 1];  // which stays, and is not larger than itself
    if (threadIdx.x == 0) memory_.next = min(count, k_);
    __syncthreads();
  }

  CandidateMemory& memory_;
  int k_;
  Key bound_ = NONE;
};

__device__ inline void store_row(const Key* keys, float* values, int* indices, int k) {
  for (int r = threadIdx.x; r < k; r += blockDim.x) store_key(keys[r], &values[r], &indices[r]);
}

// Threads of a block, at most `most`, for rows with that many columns, `items` of which a thread
// takes at once.
inline int threads_for(int cols, int items, int most) {
  int threads = 32;
  while (threads < most && threads * items < cols) threads *= 2;
  return threads;
}
