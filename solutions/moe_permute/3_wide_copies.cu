// 16-byte copies where rows begin at multiples of 16 bytes, which is the case if dim % 8 == 0.
//
// A block still copies the row of one assignment. Rows of any other dim are misaligned, each by
// another amount, and are copied element by element.
//
// Prediction: a thread of 128 has up to seven loads of 16 bytes in flight, so memory is the limit.
// 470 MB are written. x is read eight times, mostly from L2, since the k blocks of a token run at
// about the same time; these 470 MB from L2 share its bandwidth with the stores: 140 us, with 12 us
// for the places 152 us.
// Measured: 165.3 us at 4096x7168x256x8, 75 % of the limit (H200, 2026-11-29)
#include <cuda_bf16.h>

#include "../common/aligned.h"
#include "../common/pack.h"
#include "counting_sort.h"

constexpr int COPY_THREADS = 128;

// WIDTH elements per access: 8 or 1.
template <int WIDTH>
__global__ void copy_kernel(const __nv_bfloat16* __restrict__ x, const int* position,
                            __nv_bfloat16* __restrict__ y, int dim, int k) {
  const int assignment = blockIdx.x;
  const __nv_bfloat16* row = x + static_cast<size_t>(assignment / k) * dim;
  __nv_bfloat16* out = y + static_cast<size_t>(position[assignment]) * dim;
#pragma unroll 4
  for (int col = threadIdx.x * WIDTH; col < dim; col += COPY_THREADS * WIDTH) {
    store_pack<WIDTH>(out + col, load_pack<WIDTH>(row + col));
  }
}

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  const int assignments = tokens * k;
  place_assignments(expert, offsets, position, assignments, experts);
  const bool is_wide = dim % 8 == 0 && is_aligned16(x) && is_aligned16(y);
  const auto kernel = is_wide ? copy_kernel<8> : copy_kernel<1>;
  kernel<<<assignments, COPY_THREADS>>>(x, position, y, dim, k);
}
