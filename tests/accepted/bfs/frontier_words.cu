// Frontiers as bitmaps: a warp takes the 32 vertices of a word, and its lanes walk along the row of
// one vertex after the other. A bitmap has 32 k bits, those past the last vertex stay 0.
#include <cuda_runtime.h>

__global__ void start(int* distance, unsigned* seen, unsigned* now, int vertices, int source) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices) distance[v] = v == source ? 0 : -1;
  if (v >= (vertices + 31) / 32) return;
  const unsigned word = v == source / 32 ? 1u << source % 32 : 0u;
  seen[v] = word;
  now[v] = word;
}

__global__ void expand(const int* row_start, const int* col, int* distance, int level, int words,
                       const unsigned* now, unsigned* seen, unsigned* next, int* found) {
  const int word = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (word >= words) return;
  for (unsigned left = now[word]; left != 0; left &= left - 1) {
    const int v = 32 * word + __ffs(left) - 1;
    for (int i = row_start[v] + lane; i < row_start[v + 1]; i += 32) {
      const int u = col[i];
      const unsigned bit = 1u << u % 32;
      if (atomicOr(&seen[u / 32], bit) & bit) continue;
      atomicOr(&next[u / 32], bit);
      distance[u] = level;
      atomicMax(found, 1);
    }
  }
}

extern "C" void bfs(const int* row_start, const int* col, int* distance, int vertices, int edges,
                    int source) {
  (void)edges;
  const int words = (vertices + 31) / 32;
  unsigned* memory;
  cudaMalloc(&memory, sizeof(unsigned) * (3 * size_t(words) + 1));
  unsigned *seen = memory + 1, *now = seen + words, *next = now + words;
  int* found = reinterpret_cast<int*>(memory);
  start<<<(vertices + 255) / 256, 256>>>(distance, seen, now, vertices, source);
  int again = 1;
  for (int level = 1; again != 0; ++level) {
    cudaMemset(found, 0, sizeof(int));
    cudaMemset(next, 0, sizeof(unsigned) * words);
    expand<<<(words + 3) / 4, dim3(32, 4)>>>(row_start, col, distance, level, words, now, seen,
                                             next, found);
    cudaMemcpy(&again, found, sizeof(int), cudaMemcpyDeviceToHost);
    unsigned* done = now;
    now = next;
    next = done;
  }
  cudaFree(memory);
}
