// A tile of 8 lanes per row, by cooperative groups; Welford in each lane.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int rows, int cols, float eps) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * cols;
  float count = 0.0f, mean = 0.0f, m2 = 0.0f;
  for (int col = tile.thread_rank(); col < cols; col += 8) {
    const float delta = in[col] - mean;
    mean += delta / ++count;
    m2 += delta * (in[col] - mean);
  }
  for (int step = 4; step > 0; step /= 2) {
    const float other = tile.shfl_xor(count, step), delta = tile.shfl_xor(mean, step) - mean;
    m2 += tile.shfl_xor(m2, step);
    if (other > 0.0f) {
      mean += delta * other / (count + other);
      m2 += delta * delta * count * other / (count + other);
      count += other;
    }
  }
  mean = tile.shfl(mean, 0);
  const float inverse = 1.0f / sqrtf(tile.shfl(m2, 0) / cols + eps);
  for (int col = tile.thread_rank(); col < cols; col += 8) {
    y[static_cast<size_t>(row) * cols + col] = (in[col] - mean) * inverse * gamma[col] + beta[col];
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  layernorm_kernel<<<(rows + 15) / 16, 128>>>(x, gamma, beta, y, rows, cols, eps);
}
