// Tensor cores: 32 heads of a sequence by a block, on mma.sync, with bf16 operands and float sums.
//
// mma_heads.h has the layout. A tile of 64 rows lies in shared memory once, 72 KB; read in rows it
// is K, and transposed by ldmatrix it is V. The outputs of 32 heads x 512 are too large for a warp,
// so each warp has 64 columns of all heads, and the weights pass through shared memory. Two blocks
// on an SM: one copies while the other one multiplies.
//
// Prediction: a tile needs 1750 clocks of the tensor cores at the 62 % that mma.sync reaches, 3072
// of shared memory, and four barriers. 5000 clocks for 124 tiles of an SM: 350 us at 64 x 128 heads
// x 4096.
// Measured: 364.3 us at 64x128x4096, 21 % of the limit (H200, 2026-11-30)
#include "mma_heads.h"

__global__ void __launch_bounds__(THREADS, 2) mla_kernel(Latents x, __nv_bfloat16* out) {
  extern __shared__ __align__(128) unsigned char bytes[];
  const int groups = kata::ceil_div(x.heads, HEADS);
  const int sequence = blockIdx.x / groups, head0 = blockIdx.x % groups * HEADS;
  MmaHeads heads(*reinterpret_cast<Shared*>(bytes), x, sequence, head0);
  heads.attend(0, x.lengths[sequence]);
  heads.finish([&](int head, int column, float, float sum, float2 o) {
    if (head0 + head >= x.heads) return;
    const size_t row = static_cast<size_t>(sequence) * x.heads + head0 + head;
    *reinterpret_cast<__nv_bfloat162*>(&out[row * LATENT + column]) =
        __floats2bfloat162_rn(o.x / sum, o.y / sum);
  });
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  constexpr int BYTES = sizeof(Shared);
  cudaFuncSetAttribute(mla_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  mla_kernel<<<batch * kata::ceil_div(heads, HEADS), THREADS, BYTES>>>(
      latents(q, cache, lengths, heads, max_length, scale), out);
}
