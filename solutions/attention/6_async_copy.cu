// Asynchronous copies: keys arrive during the product with V, values during the product with K.
//
// Each of the two tiles is idle while the other is in use, so that no second buffer is needed: the
// next keys may come as soon as the scores are computed, the next values when the sums are. Without
// it every tile begins with the latency of device memory or L2.
//
// Prediction: a tile of 64 keys takes 2 x 8 x 8 x 64 FMAs per thread, 8192 clocks of an SM at best,
// and waits about 1000 clocks for its loads. They vanish, 10 %: 350 us at 4096 x 4096 x 64, where
// 100 of 132 SMs still have nothing to do. Missed: the waits were 28 %, but one warp per scheduler
// still hides no other latency.
// Measured: 716.6 us at 4096x4096x64, 9.2 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "copy_rows.h"

template <class T>
__global__ void __launch_bounds__(T::THREADS, 2)
    attention_kernel(const float* Q, const float* K, const float* V, float* O, int M, int N, int d,
                     float scale) {
  extern __shared__ float shared[];
  const T tile(shared);
  const int row0 = blockIdx.x * T::BM;
  copy_rows<T>(tile.keys, K, 0, N, d);
  copy_rows<T>(tile.values, V, 0, N, d);
  load_rows<T>(tile.queries, Q, row0, T::BM, M, d, scale);

  Rows<T> rows;
  clear(rows);
  for (int first = 0; first < N; first += T::BN) {
    __pipeline_wait_prior(1);  // the keys are there, the values may still be on their way
    __syncthreads();
    float score[T::TM][8] = {};
    multiply_keys(score, tile, d);
    __syncthreads();  // all threads are done with the keys
    copy_rows<T>(tile.keys, K, first + T::BN, N, d);
    add_scores(rows, score, tile, N - first);
    __pipeline_wait_prior(1);  // the values are there
    __syncthreads();
    add_values(rows, tile);
    __syncthreads();
    copy_rows<T>(tile.values, V, first + T::BN, N, d);
  }
  __pipeline_wait_prior(0);

  float factor[T::TM];
#pragma unroll
  for (int i = 0; i < T::TM; ++i) factor[i] = 1.0f / row_sum(rows, i);
  store_rows(O, rows, factor, row0, M, d);
}

template <class T>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  cudaFuncSetAttribute(attention_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       T::SHARED_BYTES);
  attention_kernel<T><<<kata::ceil_div(M, T::BM), T::THREADS, T::SHARED_BYTES>>>(
      Q, K, V, O, M, N, d, 1.0f / sqrtf(d));
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  if (d <= 64) {
    launch<RegisterTile<8, 64>>(Q, K, V, O, M, N, d);
  } else if (d <= 128) {
    launch<RegisterTile<4, 128>>(Q, K, V, O, M, N, d);
  } else {
    launch<RegisterTile<4, 256>>(Q, K, V, O, M, N, d);
  }
}
