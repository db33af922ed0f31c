// Three kernels: scores, softmax of their rows, product with V, with the scores in device memory.
//
// The scores take 4 length^2 bytes per head, so as many heads at a time as fit into 1 GB. A causal
// mask sets the scores right of the diagonal to -infinity, before the maximum is taken.
//
// Prediction: 4 x 32 heads x 1024^2 scores are 537 MB; writing, reading, writing and reading them
// takes 500 us at 4.3 TB/s. The products load two halves for each multiply-add, 34 G x 2 loads / 32
// lanes / 132 SMs at 1.75 GHz = 9.3 ms: 10 ms in all. Missed: each lane reads a row of K of its
// own, 32 cache lines per load at one per clock: 77 ms.
// Measured: 75934.3 us at 4x32x1024x128x0, 0.1 % of the limit (H200, 2026-11-24)
#include <cuda_fp16.h>
#include <kata/kata.h>

#include "../attention/row_softmax.h"
#include "../common/scratch.h"

constexpr int COLS = 32, ROWS = 8;  // of a block; blockIdx.z is the head

__global__ void scores_kernel(const __half* Q, const __half* K, float* S, int length, int dim,
                              int causal, float scale) {
  const int col = blockIdx.x * COLS + threadIdx.x, row = blockIdx.y * ROWS + threadIdx.y;
  if (row >= length || col >= length) return;
  const size_t first = static_cast<size_t>(blockIdx.z) * length;
  const __half* q = Q + (first + row) * dim;
  const __half* k = K + (first + col) * dim;
  float sum = 0.0f;
  for (int c = 0; c < dim; ++c) sum += __half2float(q[c]) * __half2float(k[c]);
  S[(first + row) * length + col] = causal && col > row ? -CUDART_INF_F : scale * sum;
}

__global__ void softmax_kernel(float* S, int length) {
  const int row = blockIdx.x * ROWS + threadIdx.y;
  if (row >= length) return;
  row_softmax(S + (static_cast<size_t>(blockIdx.z) * length + row) * length, length);
}

__global__ void values_kernel(const float* S, const __half* V, __half* O, int length, int dim) {
  const int col = blockIdx.x * COLS + threadIdx.x, row = blockIdx.y * ROWS + threadIdx.y;
  if (row >= length || col >= dim) return;
  const size_t first = static_cast<size_t>(blockIdx.z) * length;
  float sum = 0.0f;
  for (int key = 0; key < length; ++key) {
    sum += S[(first + row) * length + key] * __half2float(V[(first + key) * dim + col]);
  }
  O[(first + row) * dim + col] = __float2half(sum);
}

extern "C" void flash_attention(const __half* Q, const __half* K, const __half* V, __half* O,
                                int batch, int heads, int length, int dim, int causal) {
  constexpr size_t MOST_SCORES = size_t{1} << 28;
  const size_t of_head = static_cast<size_t>(length) * length;
  const int all = batch * heads;
  const int at_once = max(min(static_cast<int>(min(MOST_SCORES / of_head, size_t{65535})), all), 1);
  static Scratch<float> scratch;
  float* S = scratch.get(at_once * of_head);
  const dim3 block(COLS, ROWS);
  const int rows = kata::ceil_div(length, ROWS);
  for (int head = 0; head < all; head += at_once) {
    const int count = min(at_once, all - head);
    const size_t at = static_cast<size_t>(head) * length * dim;
    scores_kernel<<<dim3(kata::ceil_div(length, COLS), rows, count), block>>>(
        Q + at, K + at, S, length, dim, causal, 1.0f / sqrtf(dim));
    softmax_kernel<<<dim3(rows, 1, count), block>>>(S, length);
    values_kernel<<<dim3(kata::ceil_div(dim, COLS), rows, count), block>>>(S, V + at, O + at,
                                                                           length, dim);
  }
}
