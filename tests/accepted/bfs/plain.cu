// A plain kernel with a queue and one thread per vertex of it. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void start(int* distance, int vertices, int source, int* queue, int* count) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  distance[v] = -1;
  if (v != source) return;
  distance[v] = 0;
  queue[0] = v;
  *count = 1;
}

__global__ void expand(const int* row_start, const int* col, int* distance, int level,
                       const int* queue, int count, int* next, int* next_count) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const int v = queue[place];
  for (int i = row_start[v]; i < row_start[v + 1]; ++i) {
    const int u = col[i];
    if (atomicCAS(&distance[u], -1, level) != -1) continue;
    next[atomicAdd(next_count, 1)] = u;
  }
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  (void)edges;
  int *queue, *next, *counts;
  cudaMalloc(&queue, sizeof(int) * vertices);
  cudaMalloc(&next, sizeof(int) * vertices);
  cudaMalloc(&counts, sizeof(int) * 2);
  start<<<(vertices + 255) / 256, 256>>>(distance, vertices, source, queue, counts);
  for (int level = 1;; ++level) {
    int count = 0;
    cudaMemcpy(&count, counts, sizeof(int), cudaMemcpyDeviceToHost);
    if (count == 0) break;
    cudaMemset(counts + 1, 0, sizeof(int));
    expand<<<(count + 127) / 128, 128>>>(row_start, col, distance, level, queue, count, next,
                                         counts + 1);
    cudaMemcpy(counts, counts + 1, sizeof(int), cudaMemcpyDeviceToDevice);
    int* done = queue;
    queue = next;
    next = done;
  }
  cudaFree(queue);
  cudaFree(next);
  cudaFree(counts);
}
