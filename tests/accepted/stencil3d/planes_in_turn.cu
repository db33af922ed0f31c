// All steps of a field in one block per call, plane by plane: two planes of the old values are kept
// aside, so each step can replace the field where it stands.
#include <cuda_runtime.h>

__global__ void planes_kernel(const float* in, float* out, float* kept, int depth, int rows,
                              int cols, int steps, float center, float neighbor) {
  const int plane = rows * cols;
  for (int i = threadIdx.x; i < depth * plane; i += blockDim.x) out[i] = in[i];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    for (int z = 1; z < depth - 1; ++z) {
      float* old = kept + z % 2 * plane;  // this plane before the step
      const float* below = z == 1 ? out : kept + (z + 1) % 2 * plane;
      for (int i = threadIdx.x; i < plane; i += blockDim.x) old[i] = out[z * plane + i];
      __syncthreads();
      for (int i = threadIdx.x; i < plane; i += blockDim.x) {
        const int x = i % cols, y = i / cols;
        if (x == 0 || y == 0 || x == cols - 1 || y == rows - 1) continue;
        const float sum = old[i - 1] + old[i + 1] + old[i - cols] + old[i + cols] + below[i] +
                          out[(z + 1) * plane + i];
        out[z * plane + i] = center * old[i] + neighbor * sum;
      }
      __syncthreads();
    }
  }
}

__global__ void step_kernel(const float* from, float* to, int depth, int rows, int cols,
                            float center, float neighbor) {
  const int i = blockIdx.x * 256 + threadIdx.x, plane = rows * cols;
  if (i >= depth * plane) return;
  const int x = i % cols, y = i / cols % rows, z = i / plane;
  const bool fixed = x == 0 || y == 0 || z == 0 || x == cols - 1 || y == rows - 1 || z == depth - 1;
  to[i] = fixed ? from[i]
                : neighbor * (from[i - plane] + from[i - cols] + from[i - 1] + from[i + 1] +
                              from[i + cols] + from[i + plane]) +
                      center * from[i];
}

// One block is enough for small fields only.
extern "C" void stencil3d(const float* in, float* out, int depth, int rows, int cols, int steps,
                          float center, float neighbor) {
  float* scratch;
  const size_t cells = static_cast<size_t>(depth) * rows * cols;
  if (cells <= 20000) {
    cudaMallocAsync(&scratch, 2 * sizeof(float) * rows * cols, 0);
    planes_kernel<<<1, 512>>>(in, out, scratch, depth, rows, cols, steps, center, neighbor);
  } else {
    cudaMallocAsync(&scratch, 2 * sizeof(float) * cells, 0);
    for (int step = 0; step < steps; ++step) {
      const float* from = step == 0 ? in : scratch + (step - 1) % 2 * cells;
      float* to = step == steps - 1 ? out : scratch + step % 2 * cells;
      step_kernel<<<(cells + 255) / 256, 256>>>(from, to, depth, rows, cols, center, neighbor);
    }
  }
  cudaFreeAsync(scratch, 0);
}
