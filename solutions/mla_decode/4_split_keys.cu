// Split the rows of a sequence over several blocks (flash-decoding): few fill the chip, too.
//
// A part leaves its maximum, its sum and its output in float, and a second kernel merges them. The
// grid is sized from max_length, since the lengths are in device memory: a part that begins past
// the end of its sequence leaves the sum 0. As many parts as fill the chip once: the parts of 128
// heads are 256 KB each, so that more of them cost what they win.
//
// Prediction: 64 x 128 heads x 4096 are 256 blocks in one part: 350 us as before. 1 x 128 heads x
// 65536 become 66 parts instead of 4 blocks: 90 us, was 2800.
// Measured: 363.9 us at 64x128x4096, 21 % of the limit (H200, 2026-11-30)
#include "mma_heads.h"
#include "parts.h"

__global__ void __launch_bounds__(THREADS, 2) mla_kernel(Latents x, Parts parts) {
  extern __shared__ __align__(128) unsigned char bytes[];
  const Share share(x, parts, HEADS);
  MmaHeads heads(*reinterpret_cast<Shared*>(bytes), x, share.sequence, share.head0);
  heads.attend(share.begin, share.end);
  heads.finish([&](int head, int column, float max, float sum, float2 o) {
    if (share.head0 + head >= x.heads) return;
    const size_t row = static_cast<size_t>(share.sequence) * x.heads + share.head0 + head;
    parts.put(row, share.part, column, max, sum, o);
  });
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  constexpr int BYTES = sizeof(Shared);
  const int rows = batch * heads, blocks = batch * kata::ceil_div(heads, HEADS);
  const Parts parts = make_parts(out, rows, blocks, 2, max_length);
  cudaFuncSetAttribute(mla_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  mla_kernel<<<blocks * parts.count, THREADS, BYTES>>>(
      latents(q, cache, lengths, heads, max_length, scale), parts);
  merge_parts(parts, rows);
}
