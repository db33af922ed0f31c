// One kernel: a block per head walks the chunks, with the state in the registers of a warpgroup.
//
// Nothing but Q, K, V and O crosses device memory. The state is an accumulator of wgmma, 128 floats
// of a thread at dim 128, so that another warpgroup makes the outputs, from a rounded copy in
// shared memory. A producer warp keeps three stages of copies under way, 144 KB. Barriers alone tie
// the three together (walk.h): the next state does not need these outputs. Needs compute capability
// 9.0.
//
// Prediction: products take 1536 clocks of a chunk and the longest chain, that of the outputs,
// about 2000; its 64 KB take 3400 at an SM's share of 4.3 TB/s. Memory decides: 265 us at 4 x 32
// heads x 8192 x 128.
// Measured: 264.3 us at 4x32x8192x128, 95 % of the limit (H200, 2026-11-30)
#include "walk.h"

template <int DIM>
void launch(const __half* Q, const __half* K, const __half* V, const float* decay, __half* O,
            int batch, int heads, int length) {
  walk<DIM>(maps_of<DIM>(Q, K, V, O, batch * heads, length), decay, nullptr, batch * heads, heads,
            length, {1, kata::ceil_div(length, CHUNK)});
}

extern "C" void linear_attention(const __half* Q, const __half* K, const __half* V,
                                 const float* decay, __half* O, int batch, int heads, int length,
                                 int dim) {
  const auto run = dim == 64 ? launch<64> : launch<128>;
  run(Q, K, V, decay, O, batch, heads, length);
}
