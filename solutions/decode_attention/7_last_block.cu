// The last block merges: a block that has written its part counts it, and who counts last merges.
//
// Rung 6 leaves the merge to a second kernel, which starts when all blocks of the first have ended,
// and first reads which rows are cut. Here the parts of a sequence are merged while other blocks
// still read keys (last_part.h). The counter wraps to 0 at the last part, ready for the next call.
//
// Prediction: a second launch and its chain of reads cost 5 us, the fence and the counter 1.5 us:
// 73 us instead of 76 at 8 x 8 kv heads x 8192.
// The fence and the counter cost as much as the launch: 1 us is won at one sequence, none at 8 or 64.
// Measured: 72.4 us at 8x32x8x8192x128, 85 % of the limit (H200, 2026-11-30)
#include "last_part.h"

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache,  v_cache,    lengths,     heads,
                       kv_heads, max_length, 1.0f / sqrtf(dim)};
  if (dim == 64) {
    launch_line<64>(q, cache, out, batch);
  } else {
    launch_line<128>(q, cache, out, batch);
  }
}
