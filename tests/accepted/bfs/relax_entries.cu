// Every entry is relaxed in every round, by atomicMin, until nothing changes (Bellman and Ford). A
// thread finds the row of its entry by binary search. Distances come down in any order.
#include <limits.h>

#include <cuda_runtime.h>

__global__ void start(int* best, int vertices, int source) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices) best[v] = v == source ? 0 : INT_MAX;
}

__global__ void relax(const int* row_start, const int* col, int* best, int vertices, int edges,
                      int* changed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  int row = 0, high = vertices;  // row_start[row] <= i < row_start[high]
  while (high - row > 1) {
    const int middle = row + (high - row) / 2;
    (row_start[middle] <= i ? row : high) = middle;
  }
  const int from = atomicAdd(&best[row], 0);
  if (from == INT_MAX) return;
  if (atomicMin(&best[col[i]], from + 1) > from + 1) atomicExch(changed, 1);
}

__global__ void finish(const int* best, int* distance, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices) distance[v] = best[v] == INT_MAX ? -1 : best[v];
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  int *best, *changed;
  cudaMalloc(&best, sizeof(int) * vertices);
  cudaMalloc(&changed, sizeof(int));
  const int grid = (vertices + 127) / 128;
  start<<<grid, 128>>>(best, vertices, source);
  int again = edges > 0;
  while (again != 0) {
    cudaMemset(changed, 0, sizeof(int));
    relax<<<(edges + 255) / 256, 256>>>(row_start, col, best, vertices, edges, changed);
    cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost);
  }
  finish<<<grid, 128>>>(best, distance, vertices);
  cudaFree(best);
  cudaFree(changed);
}
