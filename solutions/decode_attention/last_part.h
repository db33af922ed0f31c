#pragma once
// Rung 7's kernel, which rung 8 also launches: the block whose part of a sequence comes last merges
// all of them.

#include "work_line.h"

template <int DIM>
struct Shares {
  Part<DIM>* parts;  // two for each block, as in Cuts
  unsigned* come;    // parts that have come, for each block that begins a row; 0 between launches
};

template <int DIM>
Shares<DIM> make_shares(int blocks) {
  static Scratch<Part<DIM>> parts;
  static Scratch<unsigned> come;
  return {parts.get(2 * blocks), come.get_zeroed(blocks)};
}

// The parts of one row of work: those of every `units`-th block from `first_block` on.
template <int DIM>
struct RowParts {
  Part<DIM>* parts;
  int first_block, units, count;

  // The first part of a row is the last work of its block, so it has the second place.
  __device__ Part<DIM>& operator[](int p) const {
    return parts[2 * (first_block + p * units) + (p == 0 ? 1 : 0)];
  }
};

// Writes the rows of `heads`; `weights` is shared memory, [heads.count][parts.count].
struct ByElement {
  template <int DIM>
  static __device__ void merge(const RowParts<DIM>& parts, const Heads& heads, float* weights,
                               __half* out) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int head = warp; head < heads.count; head += WARPS) {
      float* const weight = weights + head * parts.count;
      float max = -CUDART_INF_F, sum = 0.0f;
      for (int p = lane; p < parts.count; p += 32) max = fmaxf(max, __ldcg(&parts[p].max[head]));
      for (int lanes = 16; lanes > 0; lanes /= 2) {
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, lanes));
      }
      for (int p = lane; p < parts.count; p += 32) {
        weight[p] = __expf(__ldcg(&parts[p].max[head]) - max);
        sum += weight[p] * __ldcg(&parts[p].sum[head]);
      }
      const float factor = 1.0f / warp_sum_all(sum);
      for (int p = lane; p < parts.count; p += 32) weight[p] *= factor;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < heads.count * DIM; i += THREADS) {
      float o = 0.0f;
#pragma unroll 8
      for (int p = 0; p < parts.count; ++p) {
        o += weights[i / DIM * parts.count + p] * __ldcg(&parts[p].o[i / DIM][i % DIM]);
      }
      out[heads.row * DIM + i] = __float2half(o);
    }
  }
};

// Writes what the block's warps have of a stretch. A complete stretch goes to rows of `out`, any
// other to a part. Whoever writes the last part of a sequence merges them into `out`.
template <class Merge = ByElement, int DIM, class Rows>
__device__ void finish_stretch(const WorkLine& line, const Stretch& s, const Heads& heads,
                               const Cache& cache, const Rows& rows, Merged<DIM>& merged,
                               const Shares<DIM>& shares, __half* out) {
  Part<DIM>& part = shares.parts[2 * blockIdx.x + (s.first_tile == 0 ? 1 : 0)];
  merge_warps(merged, rows, heads.count, [&](int head, int element, float max, float sum, float o) {
    if (s.is_complete()) {
      out[(heads.row + head) * DIM + element] = __float2half(o / sum);
    } else {
      part.put(head, element, max, sum, o);
    }
  });
  if (s.is_complete()) {
    __syncthreads();  // `merged` is free
    return;
  }
  const int units = units_of(cache);
  const int unit = blockIdx.x % units, first_block = line.first_group_of(s) * units + unit;
  const RowParts<DIM> parts = {shares.parts, first_block, units, line.all_groups_of(s)};
  __shared__ bool is_last;
  __threadfence();  // this part, before the count
  __syncthreads();
  if (threadIdx.x == 0) {  // the count wraps to 0 for the next launch
    is_last = atomicInc(&shares.come[parts.first_block], parts.count - 1) == parts.count - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last) Merge::merge(parts, heads, &merged.o[0][0][0], out);
  __syncthreads();
}

template <int DIM, class Merge, int PER_SM>
__global__ void __launch_bounds__(THREADS, PER_SM)
    line_kernel(const __half* q, Cache cache, int batch, Shares<DIM> shares, __half* out) {
  __shared__ Merged<DIM> merged;
  WorkLine line(cache, batch);
  while (line.has_work()) {
    const Stretch s = line.next();
    const Heads heads(s, cache);
    TensorRows<DIM> tensor_rows(q + heads.row * DIM, heads.count, cache);
    const Rows<DIM> rows = tensor_rows.attend(s.sequence, heads.kv_head, s.begin(), s.end(cache));
    finish_stretch<Merge>(line, s, heads, cache, rows, merged, shares, out);
  }
}

// Blocks that share the line: `per_sm` for each multiprocessor, as far as there is room for a row's
// weights.
template <int DIM>
int line_blocks(const Cache& cache, int batch, int per_sm = 2) {
  constexpr int MOST_PARTS = sizeof(Merged<DIM>::o) / (ROWS * sizeof(float));
  return min(blocks_of(cache, batch, per_sm), MOST_PARTS * units_of(cache));
}

template <int DIM, class Merge = ByElement, int PER_SM = 2>
void launch_line(const __half* q, const Cache& cache, __half* out, int batch) {
  const int blocks = line_blocks<DIM>(cache, batch, PER_SM);
  line_kernel<DIM, Merge, PER_SM>
      <<<blocks, THREADS>>>(q, cache, batch, make_shares<DIM>(blocks), out);
}
