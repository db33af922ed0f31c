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
  int next;    // the first free place; beyond the buffer if more wanted to be added
  int filled;  // places that are taken when the buffer is full
};

// All threads of the block call all members, with the same k.
class Candidates {
 public:
  __device__ Candidates(CandidateMemory& memory, int k) : memory_(memory), k_(k) {
    if (threadIdx.x == 0) memory_.next = 0;
    __syncthreads();
  }

  // At least k keys of the row are larger.
  __device__ void set_bound(Key bound) { bound_ = bound; }

  // Adds those of this thread's keys, key(0) to key(ITEMS - 1), that are above the bound. One
  // barrier, unless the buffer is full.
  template <int ITEMS, class KeyOf>
  __device__ void add(const KeyOf& key) {
    static_assert(ITEMS <= 32 && CAPACITY >= LARGEST_K + 32, "a cut makes room for one thread");
    unsigned left = 0;  // bit j: key(j) waits for a place
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) left |= static_cast<unsigned>(key(j) > bound_) << j;
    while (true) {
      const int mine = __popc(left);
      int place = mine > 0 ? atomicAdd(&memory_.next, mine) : 0;
      const bool fits = place + mine <= CAPACITY;
      if (fits) {
#pragma unroll
        for (int j = 0; j < ITEMS; ++j) {
          if (left >> j & 1) memory_.keys[place++] = key(j);
        }
        left = 0;
      } else if (place <= CAPACITY) {
        memory_.filled = place;  // one thread: all after it are beyond the buffer
      }
      if (!__syncthreads_or(!fits)) return;
      cut(memory_.filled);
#pragma unroll
      for (int j = 0; j < ITEMS; ++j) {
        if (key(j) <= bound_) left &= ~(1u << j);
      }
    }
  }

  // The candidates, the k largest first.
  __device__ const Key* sorted() {
    __syncthreads();
    cut(memory_.next);
    return memory_.keys;
  }

 private:
  // Sorts the first `count` places and keeps k. Begins after, and ends with a barrier.
  __device__ void cut(int count) {
    const int size = power_of_two_from(count);
    for (int i = count + threadIdx.x; i < size; i += blockDim.x) memory_.keys[i] = NONE;
    __syncthreads();
    sort_descending(memory_.keys, size);
    if (count >= k_) bound_ = memory_.keys[k_ - 1];
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

// Threads of a block for rows with that many columns, `items` of which a thread takes at once.
inline int threads_for(int cols, int items) {
  int threads = 32;
  while (threads < 512 && threads * items < cols) threads *= 2;
  return threads;
}
