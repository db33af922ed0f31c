// Both fields get the boundary first; then kernels write the interior only, and skip fields that
// have none.
#include <cuda_runtime.h>

__global__ void copy_kernel(const float* in, float* out, float* scratch, size_t cells) {
  const size_t i = static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= cells) return;
  out[i] = in[i];
  scratch[i] = in[i];
}

__global__ void interior_kernel(const float* from, float* to, int rows, int cols, size_t count,
                                float center, float neighbor) {
  const size_t i = static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= count) return;
  const int x = 1 + i % (cols - 2), y = 1 + i / (cols - 2) % (rows - 2);
  const size_t z = 1 + i / (cols - 2) / (rows - 2);
  const long long plane = static_cast<long long>(rows) * cols;
  const float* at = from + z * plane + static_cast<long long>(y) * cols + x;
  const float sum = ((at[-1] + at[1]) + (at[-cols] + at[cols])) + (at[-plane] + at[plane]);
  to[at - from] = fmaf(neighbor, sum, center * at[0]);
}

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  static float* scratch = nullptr;
  static size_t size = 0;
  const size_t cells = static_cast<size_t>(depth) * rows * cols;
  if (cells > size) {
    cudaFree(scratch);
    cudaMalloc(&scratch, cells * sizeof(float));
    size = cells;
  }
  copy_kernel<<<(cells + 255) / 256, 256>>>(in, out, scratch, cells);
  if (depth < 3 || rows < 3 || cols < 3) return;
  const size_t count = static_cast<size_t>(depth - 2) * (rows - 2) * (cols - 2);
  float* from = steps % 2 == 0 ? out : scratch;
  float* to = steps % 2 == 0 ? scratch : out;
  for (int step = 0; step < steps; ++step) {
    interior_kernel<<<(count + 255) / 256, 256>>>(from, to, rows, cols, count, center, neighbor);
    float* last = from;
    from = to;
    to = last;
  }
}
