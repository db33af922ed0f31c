// Cooperative groups: a block takes rows in turn, tiles of 32 reduce by shuffles and meet in shared memory.
#include <kata/kata.h>
#include <cooperative_groups.h>
#include <cfloat>

namespace cg = cooperative_groups;

namespace {
constexpr int kWarps = 6;

template <class Op>
__device__ float reduce_all(cg::thread_block block, cg::thread_block_tile<32> tile, float v, float* slots, Op op) {
  for (int d = tile.size() / 2; d > 0; d /= 2) v = op(v, tile.shfl_xor(v, d));
  if (tile.thread_rank() == 0) slots[block.thread_rank() / 32] = v;
  block.sync();
  float t = slots[0];
  for (int w = 1; w < kWarps; ++w) t = op(t, slots[w]);
  block.sync();
  return t;
}

__global__ void rows_kernel(const float* x, float* y, int rows, int cols) {
  __shared__ float slots[kWarps];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const float* in = x + static_cast<size_t>(r) * cols;
    float* out = y + static_cast<size_t>(r) * cols;
    float m = -FLT_MAX;
    for (int c = block.thread_rank(); c < cols; c += 32 * kWarps) m = fmaxf(m, in[c]);
    m = reduce_all(block, tile, m, slots, [](float a, float b) { return fmaxf(a, b); });
    float s = 0.0f;
    for (int c = block.thread_rank(); c < cols; c += 32 * kWarps) s += expf(in[c] - m);
    s = reduce_all(block, tile, s, slots, [](float a, float b) { return a + b; });
    for (int c = block.thread_rank(); c < cols; c += 32 * kWarps) out[c] = expf(in[c] - m) / s;
  }
}
}  // namespace

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  rows_kernel<<<rows < 1000 ? rows : 1000, 32 * kWarps>>>(x, y, rows, cols);
}
