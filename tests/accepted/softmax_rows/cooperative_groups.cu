// A tile of 16 lanes per row, by cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void rows_kernel(const float* x, float* y, int rows, int cols) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (row >= rows) return;
  const float* in = x + static_cast<size_t>(row) * cols;
  float best = -INFINITY;
  for (int col = tile.thread_rank(); col < cols; col += tile.size()) best = fmaxf(best, in[col]);
  best = cg::reduce(tile, best, cg::greater<float>());
  float sum = 0.0f;
  for (int col = tile.thread_rank(); col < cols; col += tile.size()) sum += expf(in[col] - best);
  sum = cg::reduce(tile, sum, cg::plus<float>());
  for (int col = tile.thread_rank(); col < cols; col += tile.size())
    y[static_cast<size_t>(row) * cols + col] = expf(in[col] - best) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  rows_kernel<<<(rows + 7) / 8, 128>>>(x, y, rows, cols);
}
