// A single launch of a single block, which goes through the queue of all vertices: a level is a
// part of it. A warp takes one vertex, and its lanes the neighbours.
#include <cuda_runtime.h>

constexpr int THREADS = 256;

__global__ void __launch_bounds__(THREADS)
    search(const int* row_start, const int* col, int* distance, int vertices, int source,
           int* queue) {
  __shared__ int tail;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int v = threadIdx.x; v < vertices; v += THREADS) distance[v] = -1;
  __syncthreads();
  if (threadIdx.x == 0) {
    distance[source] = 0;
    queue[0] = source;
    tail = 1;
  }
  __syncthreads();
  int begin = 0, end = 1;
  for (int level = 1; begin < end; ++level) {
    for (int place = begin + warp; place < end; place += THREADS / 32) {
      const int v = queue[place];
      for (int i = row_start[v] + lane; i < row_start[v + 1]; i += 32) {
        if (atomicCAS(&distance[col[i]], -1, level) == -1) queue[atomicAdd(&tail, 1)] = col[i];
      }
    }
    __syncthreads();
    begin = end;
    end = tail;
    __syncthreads();
  }
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  (void)edges;
  int* queue;
  cudaMallocAsync(&queue, sizeof(int) * vertices, nullptr);
  search<<<1, THREADS>>>(row_start, col, distance, vertices, source, queue);
  cudaFreeAsync(queue, nullptr);
}
