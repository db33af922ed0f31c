// Quotients in double, a tile of 8 lanes per row.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void quantize_kernel(const float* x, signed char* q, float* scale, int rows, int cols) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * cols;
  float most = 0.0f;
  for (int col = tile.thread_rank(); col < cols; col += 8) {
    most = fmaxf(most, fabsf(x[first + col]));
  }
  most = cg::reduce(tile, most, cg::greater<float>());
  if (tile.thread_rank() == 0) scale[row] = most == 0.0f ? 1.0f : most / 127.0;
  for (int col = tile.thread_rank(); col < cols; col += 8) {
    q[first + col] = most == 0.0f ? 0 : static_cast<int>(rint(x[first + col] * 127.0 / most));
  }
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  quantize_kernel<<<(rows + 15) / 16, 128>>>(x, q, scale, rows, cols);
}
