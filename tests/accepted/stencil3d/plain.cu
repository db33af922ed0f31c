// A plain kernel: a thread per cell of a three-dimensional grid, two fields of its own that take
// turns, and a copy at the end. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void step_kernel(const float* from, float* to, int depth, int rows, int cols,
                            float center, float neighbor) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y0 = blockIdx.y * 4 + threadIdx.y;
  if (x >= cols) return;
  for (int z = blockIdx.z; z < depth; z += gridDim.z) {
    for (int y = y0; y < rows; y += 4 * gridDim.y) {
      const size_t plane = static_cast<size_t>(rows) * cols;
      const size_t i = z * plane + static_cast<size_t>(y) * cols + x;
      if (x == 0 || y == 0 || z == 0 || x == cols - 1 || y == rows - 1 || z == depth - 1) {
        to[i] = from[i];
      } else {
        to[i] = center * from[i] + neighbor * (from[i - 1] + from[i + 1] + from[i - cols] +
                                               from[i + cols] + from[i - plane] + from[i + plane]);
      }
    }
  }
}

extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  const size_t bytes = sizeof(float) * depth * rows * cols;
  float *from, *to;
  cudaMallocAsync(&from, bytes, 0);
  cudaMallocAsync(&to, bytes, 0);
  cudaMemcpyAsync(from, in, bytes, cudaMemcpyDeviceToDevice);
  const dim3 grid((cols + 31) / 32, min((rows + 3) / 4, 1000), min(depth, 1000));
  for (int step = 0; step < steps; ++step) {
    step_kernel<<<grid, dim3(32, 4)>>>(from, to, depth, rows, cols, center, neighbor);
    float* last = from;
    from = to;
    to = last;
  }
  cudaMemcpyAsync(out, from, bytes, cudaMemcpyDeviceToDevice);
  cudaFreeAsync(from, 0);
  cudaFreeAsync(to, 0);
}
