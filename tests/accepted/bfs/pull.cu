// No atomics on distances: every vertex writes only its own, from a copy of all distances of the
// level before. A warp reads the row of one vertex.
#include <cuda_runtime.h>

__global__ void pull(const int* row_start, const int* col, const int* before, int* distance,
                     int vertices, int level, int* changed) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (v >= vertices || before[v] >= 0) return;  // the whole warp
  bool found = false;
  for (int first = row_start[v]; first < row_start[v + 1] && !found; first += 32) {
    const int i = first + lane;
    found = __any_sync(0xffffffffu, i < row_start[v + 1] && before[col[i]] >= 0);
  }
  if (lane > 0 || !found) return;
  distance[v] = level;
  atomicOr(changed, 1);
}

__global__ void set_source(int* distance, int source) {
  distance[source] = 0;
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  (void)edges;
  int *before, *changed;
  const size_t bytes = sizeof(int) * vertices;
  cudaMalloc(&before, bytes);
  cudaMalloc(&changed, sizeof(int));
  cudaMemset(distance, 0xff, bytes);
  set_source<<<1, 1>>>(distance, source);
  int again = 1;
  for (int level = 1; again != 0; ++level) {
    cudaMemcpy(before, distance, bytes, cudaMemcpyDeviceToDevice);
    cudaMemset(changed, 0, sizeof(int));
    pull<<<(vertices + 3) / 4, 128>>>(row_start, col, before, distance, vertices, level, changed);
    cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost);
  }
  cudaFree(before);
  cudaFree(changed);
}
