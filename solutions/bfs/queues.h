#pragma once
// Two queues of vertices: the frontier of this level, and that of the next one.

#include <utility>

#include "../common/scratch.h"

struct Queue {
  int* vertices;
  int* count;
};

struct Queues {
  Queue now, next;

  // Reads how many vertices the last kernel has appended, and makes them the frontier.
  int turn() {
    std::swap(now, next);
    int count = 0;
    cudaMemcpy(&count, now.count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemsetAsync(next.count, 0, sizeof(int));
    return count;
  }
};

// A vertex is found once, so no queue holds more than all of them.
inline Queues new_queues(int vertices) {
  static Scratch<int> scratch;
  int* memory = scratch.get(2 * static_cast<size_t>(vertices) + 2);
  return {{memory + 2, memory}, {memory + 2 + vertices, memory + 1}};
}

__global__ void start_kernel(int* distance, int source, Queue queue) {
  distance[source] = 0;
  queue.vertices[0] = source;
  *queue.count = 1;
}

// No vertex but the source has a distance, and the next frontier is the source.
inline void start(int* distance, int vertices, int source, Queue queue) {
  cudaMemsetAsync(distance, 0xff, vertices * sizeof(int));  // -1
  start_kernel<<<1, 1>>>(distance, source, queue);
}
