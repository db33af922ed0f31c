// Equal work: the keys of all sequences are one line, and each block takes an equal stretch.
//
// Parts cut from max_length leave blocks without keys where a sequence is short, and the last wave
// of blocks is seldom full. Here one wave of blocks shares all tiles of 64 keys, regardless of the
// lengths. Each block finds its stretch with a scan over the lengths (work_line.h). A block writes
// complete rows itself; at most its first and its last row are parts.
//
// Prediction: with equal lengths the blocks end together: 64 x 8 kv heads x 8192 in 480 us, of which
// the scan is 2 us. Of 64 sequences between 1 and 8192 keys only the keys that exist take time.
// Measured: not yet
#include "../common/scratch.h"
#include "tensor_rows.h"
#include "work_line.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS, 2)
    line_kernel(const __half* q, Cache cache, int batch, Cuts<DIM> cuts, __half* out) {
  __shared__ Merged<DIM> merged;
  const int chunks = kata::ceil_div(cache.group(), ROWS);
  WorkLine line(cache, batch, cache.kv_heads * chunks);
  if (threadIdx.x == 0) cuts.blocks[blockIdx.x].parts = 0;

  while (line.has_work()) {
    const Stretch s = line.next();
    const int chunk = s.unit % chunks, kv_head = s.unit / chunks;
    const int count = min(ROWS, cache.group() - chunk * ROWS);
    const size_t row =
        static_cast<size_t>(s.sequence) * cache.heads + kv_head * cache.group() + chunk * ROWS;
    const int begin = s.first_tile * KEYS;
    const int end = min(s.end_tile * KEYS, cache.lengths[s.sequence]);

    TensorRows<DIM> tensor_rows(q + row * DIM, count, cache);
    Rows<DIM> rows = tensor_rows.attend(s.sequence, kv_head, begin, end);
    // The first part of a row is the last work of its block, so it has the second place.
    Part<DIM>& part = cuts.parts[2 * blockIdx.x + (s.first_tile == 0 ? 1 : 0)];
    merge_warps(merged, rows, count, [&](int head, int element, float max, float sum, float o) {
      if (s.is_complete()) {
        out[(row + head) * DIM + element] = __float2half(o / sum);
      } else {
        part.o[head][element] = o;
        if (element == 0) {
          part.max[head] = max;
          part.sum[head] = sum;
        }
      }
    });
    if (s.first_tile == 0 && !s.is_complete() && threadIdx.x == 0) {
      cuts.blocks[blockIdx.x] = {row, count, line.blocks_of(s)};
    }
    __syncthreads();  // `merged` is free
  }
}

// Block i merges the rows that block i has begun and others have ended.
template <int DIM>
__global__ void merge_kernel(Cuts<DIM> cuts, __half* out) {
  const Cut cut = cuts.blocks[blockIdx.x];
  const auto part = [&](int p) -> const Part<DIM>& {
    return cuts.parts[2 * (blockIdx.x + p) + (p == 0 ? 1 : 0)];
  };
  for (int i = threadIdx.x; cut.parts > 0 && i < cut.heads * DIM; i += THREADS) {
    const int head = i / DIM, element = i % DIM;
    float max = -CUDART_INF_F, sum = 0.0f, o = 0.0f;
    for (int p = 0; p < cut.parts; ++p) max = fmaxf(max, part(p).max[head]);
    for (int p = 0; p < cut.parts; ++p) {
      const float weight = __expf(part(p).max[head] - max);
      sum += weight * part(p).sum[head];
      o += weight * part(p).o[head][element];
    }
    out[cut.row * DIM + i] = __float2half(o / sum);
  }
}

template <int DIM>
void launch(const __half* q, const Cache& cache, __half* out, int batch) {
  static Scratch<Part<DIM>> parts;
  static Scratch<Cut> blocks;
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int grid = 2 * processors;
  const Cuts<DIM> cuts = {parts.get(2 * grid), blocks.get(grid)};
  line_kernel<DIM><<<grid, THREADS>>>(q, cache, batch, cuts, out);
  merge_kernel<DIM><<<grid, THREADS>>>(cuts, out);
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
