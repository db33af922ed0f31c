#pragma once
// How a vertex is found once, although many threads reach it at the same time.
//
// Threads that store the same distance without an atomic get the right answer on a GPU, but it is
// a data race, and they all believe that they found the vertex: it enters the queue several times.

#include <cuda_runtime.h>

// Reads from L2: another thread may write this word at any time.
template <class T>
__device__ T observe(const T* word) {
  return *static_cast<const volatile T*>(word);
}

// Stores the distance of a vertex that has none. True in one thread only. Most vertices have been
// found before, and a load is cheaper than an atomic.
__device__ inline bool claim(int* distance, int vertex, int level) {
  return observe(&distance[vertex]) < 0 && atomicCAS(&distance[vertex], -1, level) < 0;
}
