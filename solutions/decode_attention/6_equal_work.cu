// Equal work: the keys of all sequences are one line, and each block takes an equal stretch.
//
// Parts cut from max_length leave blocks without keys where a sequence is short, and the last wave
// of blocks is seldom full. Here one wave of blocks shares all tiles of 16 keys, regardless of the
// lengths. Each block finds its stretch with a scan over the lengths (work_line.h). The kv heads of
// a key are neighbours in memory, so their blocks read the same keys at the same time.
//
// Prediction: with equal lengths the blocks end together: 64 x 8 kv heads x 8192 in 480 us, 2 us of
// them for the scan. Of 64 sequences between 1 and 8192 keys only the keys that exist take time.
// Measured: 476.1 us at 64x32x8x8192x128, 97 % of the limit (H200, 2026-11-30)
#include "tensor_rows.h"
#include "work_line.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS, 2)
    line_kernel(const __half* q, Cache cache, int batch, Cuts<DIM> cuts, __half* out) {
  __shared__ Merged<DIM> merged;
  WorkLine line(cache, batch);
  if (threadIdx.x == 0) cuts.blocks[blockIdx.x] = {};

  while (line.has_work()) {
    const Stretch s = line.next();
    const Heads heads(s, cache);
    TensorRows<DIM> tensor_rows(q + heads.row * DIM, heads.count, cache);
    Rows<DIM> rows = tensor_rows.attend(s.sequence, heads.kv_head, s.begin(), s.end(cache));
    store_stretch(line, s, heads, rows, merged, cuts, out);
  }
}

template <int DIM>
void launch(const __half* q, const Cache& cache, __half* out, int batch) {
  const int blocks = blocks_of(cache, batch);
  const Cuts<DIM> cuts = make_cuts<DIM>(blocks);
  line_kernel<DIM><<<blocks, THREADS>>>(q, cache, batch, cuts, out);
  merge_cuts(cuts, cache, blocks, out);
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache,  v_cache,    lengths,     heads,
                       kv_heads, max_length, 1.0f / sqrtf(dim)};
  if (dim == 64) {
    launch<64>(q, cache, out, batch);
  } else {
    launch<128>(q, cache, out, batch);
  }
}
