// A ring of tiles: eight warps wait for tiles that a ninth copies, and never for each other.
//
// Barriers of the block make its warps compute exponentials at the same time, while the FMA pipe is
// idle. Here a warp releases a tile and goes on: its softmax runs under the multiply-adds of
// others. Bulk copies (cp.async.bulk, compute capability 9.0) bring a row each, with mbarriers to
// count the bytes. Rows of 128 and more columns are shared by more threads: 8 x 8 results each.
//
// Prediction: per tile a thread has 8192 multiply-adds and about 1000 other instructions. At 85 %
// of the issue slots that is 76 % of FFMA for the kernel, 62 % with the merge: 105 us at 4096 x
// 4096 x 64, 200 us at 4096 x 4096 x 128.
// Measured: 132.4 us at 4096x4096x64, 50 % of the limit (H200, 2026-11-30)
#include "warp_ring.h"

template <int D>
__global__ void __launch_bounds__(THREADS, 1)
    part_kernel(const float* Q, const float* K, const float* V, Parts parts, int tiles_per_part,
                int M, int N, int d, float factor) {
  extern __shared__ __align__(128) float memory[];
  Ring<D>& ring = *reinterpret_cast<Ring<D>*>(memory);
  const int row0 = blockIdx.x * Ring<D>::BM;
  const int begin = blockIdx.y * tiles_per_part * BN, end = min(begin + tiles_per_part * BN, N);
  ring.start(Q, row0, M, d, factor);

  if (threadIdx.x >= 32 * WARPS) {
    give_registers<40>();
    ring.copy_all(K, V, begin, end, d);
    return;
  }
  take_registers<232>();
  WarpRows<D> rows(ring);
  for (int first = begin, use = 0; first < end; first += BN, use += 2) {
    ring.wait_for(use);
    rows.multiply_keys(ring.tile(use), d);
    ring.release(use);
    rows.exponentiate(end - first);
    ring.wait_for(use + 1);
    rows.add_values(ring.tile(use + 1));
    ring.release(use + 1);
  }
  rows.store(parts, row0, M, d);
}

template <int D>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  constexpr int BYTES = sizeof(Ring<D>);
  cudaFuncSetAttribute(part_kernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const int query_tiles = kata::ceil_div(M, Ring<D>::BM);
  const int tiles = tiles_of_part(processors(), query_tiles, N);
  const Parts parts = make_parts(kata::ceil_div(N, tiles * BN), M, d);
  part_kernel<D><<<dim3(query_tiles, parts.count), THREADS, BYTES>>>(Q, K, V, parts, tiles, M, N, d,
                                                                     1.44269504f / sqrtf(d));
  merge_parts(parts, O, M, d);
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  if (d <= 64) {
    launch<64>(Q, K, V, O, M, N, d);
  } else if (d <= 128) {
    launch<128>(Q, K, V, O, M, N, d);
  } else {
    launch<256>(Q, K, V, O, M, N, d);
  }
}
