#pragma once
// Rung 8's kernel: the blocks of a row own a slice of the columns each.

#include "../common/hopper.h"
#include "../common/resident_blocks.h"
#include "shared_slice.h"

constexpr int THREADS = 512;
constexpr int WARPS = THREADS / 32;
constexpr int PACKS = 4;                    // of four columns, per thread
constexpr int SLICE = 4 * PACKS * THREADS;  // 8192 columns, 32 KiB
constexpr int STAGES = 6;
constexpr int SLACK = 3;  // rows between the sum of a slice and its store
constexpr int SHARED_BYTES = STAGES * SLICE * sizeof(float);

__global__ void __launch_bounds__(THREADS, 1)
    slice_kernel(const float* x, const float* gamma, const float* beta, float* y, int rows,
                 int cols, float eps, int slices, TileStates states) {
  extern __shared__ float4 memory[];  // [STAGES][SLICE]
  __shared__ Barrier full[STAGES];
  __shared__ Moments of_warps[2][WARPS];
  __shared__ Statistics statistics[2];
  const int tid = threadIdx.x;
  const int warp = tid / 32;
  const int slice = blockIdx.x % slices;
  const int first_row = blockIdx.x / slices;
  const int stride = gridDim.x / slices;
  const int steps = (rows - 1 - first_row) / stride + 1;
  const int count = min(SLICE, cols - slice * SLICE);
  const auto stage = [&](int k) { return reinterpret_cast<float*>(memory) + k % STAGES * SLICE; };
  const auto row = [&](int k) { return static_cast<size_t>(first_row + k * stride); };
  const auto words = [&](int k) { return states.words + row(k) * 2 * slices; };
  const auto start_copy = [&](int k) {  // of row number k, if there is one
    if (k >= steps) return;
    const int bytes = count * sizeof(float);
    arrive_expecting(&full[k % STAGES], bytes);
    load_bytes(stage(k), x + row(k) * cols + slice * SLICE, bytes, &full[k % STAGES]);
  };
  if (tid == 0) {
    for (Barrier& barrier : full) init(&barrier, 1);
    fence_init();
    for (int k = 0; k < STAGES; ++k) start_copy(k);
  }
  __syncthreads();

  Pack<float, 4> scale[PACKS], shift[PACKS], values[PACKS];
  const auto column = [&](int p) { return 4 * (tid + p * THREADS); };  // in the slice
  const auto load = [&](Pack<float, 4>(&to)[PACKS], const float* from) {
#pragma unroll
    for (int p = 0; p < PACKS; ++p) {
      if (column(p) < count) to[p] = load_pack<4>(from + column(p));
    }
  };
  load(scale, gamma + slice * SLICE);
  load(shift, beta + slice * SLICE);

  for (int k = 0; k < steps + SLACK; ++k) {
    const int done = k - SLACK;  // the row to store
    SliceWords<SLICE> published;
    if (warp == 1 && done >= 0) published.read(words(done), slices);  // early: it takes long
    if (k < steps) {
      wait(&full[k % STAGES], k / STAGES % 2);
      load(values, stage(k));
      const Moments mine = moments_of_warp<THREADS>(values, count);
      if (tid % 32 == 0) of_warps[k % 2][warp] = mine;
    }
    __syncthreads();  // also: all threads have stored the row before
    if (tid == 0 && done > 0) start_copy(done - 1 + STAGES);
    if (warp == 0 && k < steps) {
      const Moments mine = warp_merge(tid < WARPS ? of_warps[k % 2][tid] : Moments{});
      if (tid == 0) publish(words(k) + slice, states.aggregate_tag(), mine.mean);
      if (tid == 0) publish(words(k) + slices + slice, states.aggregate_tag(), mine.m2);
    }
    if (done < 0) continue;
    if (warp == 1) {
      const Moments all = published.merge(words(done), states.aggregate_tag(), slices, cols);
      if (tid == 32) statistics[k % 2] = {all.mean, rsqrtf(all.m2 / cols + eps)};
    }
    __syncthreads();
    const Statistics by = statistics[k % 2];
    load(values, stage(done));
    float* to = y + row(done) * cols + slice * SLICE;
#pragma unroll
    for (int p = 0; p < PACKS; ++p) {
      if (column(p) >= count) continue;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        values[p].at[i] =
            (values[p].at[i] - by.mean) * by.inverse_sd * scale[p].at[i] + shift[p].at[i];
      }
      store_pack(to + column(p), values[p]);
    }
  }
}

// Whether it did: it takes rows that are aligned, longer than a block can hold in its registers,
// and no longer than the blocks that run at once.
inline bool layernorm_by_slices(const float* x, const float* gamma, const float* beta, float* y,
                                int rows, int cols, float eps) {
  // The blocks of a row wait for each other, so all of them must be resident.
  static const int most = resident_blocks(slice_kernel, THREADS, SHARED_BYTES);
  const int slices = kata::ceil_div(cols, SLICE);
  if (cols <= 16384 || cols % 4 != 0 || slices > min(most, 32)) return false;
  slice_kernel<<<min(rows, most / slices) * slices, THREADS, SHARED_BYTES>>>(
      x, gamma, beta, y, rows, cols, eps, slices, new_tile_states(size_t(rows) * 2 * slices));
  return true;
}
