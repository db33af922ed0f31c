// dx holds the products y dy first; then y times their sum is taken off: y dy - y s, not y (dy - s).
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void products_kernel(const float* y, const float* dy, float* dx, size_t count) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    dx[i] = y[i] * dy[i];
  }
}

// 8 lanes per row.
__global__ void sums_kernel(const float* y, float* dx, int rows, int cols) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  if (row >= rows) return;
  y += static_cast<size_t>(row) * cols;
  dx += static_cast<size_t>(row) * cols;
  float sum = 0.0f;
  for (int col = tile.thread_rank(); col < cols; col += 8) sum += dx[col];
  for (int step = 4; step > 0; step /= 2) sum += tile.shfl_xor(sum, step);
  for (int col = tile.thread_rank(); col < cols; col += 8) dx[col] -= y[col] * sum;
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  products_kernel<<<16, 128>>>(y, dy, dx, static_cast<size_t>(rows) * cols);
  sums_kernel<<<(rows + 15) / 16, 128>>>(y, dx, rows, cols);
}
