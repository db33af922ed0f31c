// Warp specialization: half of the warps compute the softmax weights, half multiply them by V.
//
// A thread of rung 8 has 64 scores and 64 results, so two warps per scheduler, which wait at the
// same time. Here a thread has one kind and 96 to 128 registers: four warps per scheduler, and the
// exponentials of one run under the FMAs of three. In nvcc's code of rung 8, 200 of 512 FMAs read
// one register bank twice, which costs a clock. Here it is 8 of 64 (two_roles.h says how).
//
// Prediction: instructions and second reads of a bank are 1.47 to 1.54 clocks per FMA in rung 8 and
// 1.25 to 1.36 here. With fewer stalls: 110 us at 4096 x 4096 x 64, 205 us at 4096 x 4096 x 128.
// Measured: 116.9 us at 4096x4096x64, 56 % of the limit (H200, 2026-11-30)
#include "two_roles.h"

template <int D>
__global__ void __launch_bounds__(THREADS, 1)
    part_kernel(const float* Q, const float* K, const float* V, QuadParts parts, int tiles_per_part,
                int M, int N, int d, float factor) {
  extern __shared__ __align__(128) float shared[];
  auto& memory = *reinterpret_cast<RoleMemory<D>*>(shared);
  const int row0 = blockIdx.x * RoleMemory<D>::BM;
  const int begin = blockIdx.y * tiles_per_part * BN, end = min(begin + tiles_per_part * BN, N);
  const int role = threadIdx.x / (32 * WARPS);
  memory.start(d);
  if (role < 2) memory.load_queries(Q, row0, M, d, factor);  // while the first keys are copied

  if (role == 0) {
    take_registers<128>();
    ScoreRows<D> rows(memory);
    for (int first = begin, n = 0; first < end; first += BN, ++n) {
      memory.wait_for(2 * n);
      rows.multiply_keys(memory.tile(2 * n), d);
      memory.release(2 * n);
      rows.exponentiate(end - first);
      rows.hand_over(n);
    }
    rows.store(parts, row0, M);
  } else if (role == 1) {
    take_registers<96>();
    ValueRows<D> rows(memory);
    for (int first = begin, n = 0; first < end; first += BN, ++n) {
      memory.wait_for(2 * n + 1);
      rows.take(n);
      rows.add_values(memory.tile(2 * n + 1));
      memory.release(2 * n + 1);
    }
    rows.store(parts, row0, M, d);
  } else {
    give_registers<32>();
    memory.copy_all(K, V, begin, end, d);
  }
}

template <int D>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  constexpr int BYTES = sizeof(RoleMemory<D>);
  cudaFuncSetAttribute(part_kernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const int query_tiles = kata::ceil_div(M, RoleMemory<D>::BM);
  const int tiles = tiles_of_part(processors(), query_tiles, N);
  const QuadParts parts = make_quad_parts(kata::ceil_div(N, tiles * BN), M, d);
  part_kernel<D><<<dim3(query_tiles, parts.count), THREADS, BYTES>>>(Q, K, V, parts, tiles, M, N, d,
                                                                     1.44269504f / sqrtf(d));
  merge_quads(parts, O, M, d);
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
