#pragma once
// Rung 7's kernel for rows of 513 to 1024 columns: a block has batches of 8 rows in shared memory.
// Rung 8 uses its steps for parts of wider rows.

#include "../common/hopper.h"
#include "../common/resident_blocks.h"
#include "column_sums.h"
#include "row_gradient.h"

constexpr int BATCH_THREADS = 256;
constexpr int BATCH_COLS = 4 * BATCH_THREADS;  // four columns of a thread
constexpr int BATCH_ROWS = BATCH_THREADS / 32;  // a row of a warp
constexpr int STAGES = 3;
constexpr int STAGE = 2 * BATCH_ROWS * BATCH_COLS;  // floats: x, then dy
constexpr int BATCH_BYTES = (STAGES * STAGE + BATCH_COLS) * 4;

// What a row, or a part of one, adds up to: its mean, and the sums of (x - mean)^2, g and
// g (x - mean).
struct PartSums {
  float mean, sums[3];
};

// Of `cols` columns in shared memory, by a warp. They are read once.
template <bool VECTOR>
__device__ PartSums part_sums(const float* x, const float* dy, const float* gamma, int cols) {
  constexpr int GROUPS = BATCH_COLS / 128;
  Vec4 of_x[GROUPS], of_dy[GROUPS];
  float mean[1] = {};
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    of_x[i] = load_group<32, VECTOR>(x, i * 128, cols);
    of_dy[i] = load_group<32, VECTOR>(dy, i * 128, cols);
#pragma unroll
    for (int k = 0; k < 4; ++k) mean[0] += of_x[i].at[k];  // 0 outside the row
  }
  warp_sums(mean);
  PartSums part = {mean[0] / cols, {}};
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    const Vec4 scale = load_group<32, VECTOR>(gamma, i * 128, cols);
    add_sums<32, VECTOR>(part.sums, of_x[i], of_dy[i], scale, part.mean, i * 128, cols);
  }
  warp_sums(part.sums);
  return part;
}

// A thread's four columns: gamma, and what rows have added to dgamma and dbeta.
struct Columns {
  Vec4 scale, of_gamma, of_beta;
};

// dx of `count` rows, `pitch` floats apart in the stage, to rows of `dx` that are `cols` apart. The
// stage has the first `width` of their columns.
template <bool VECTOR>
__device__ void batch_gradients(const float* stage, int pitch, int width, int count,
                                const RowTerms* terms, Columns& columns, float* dx, int cols) {
#pragma unroll 4
  for (int r = 0; r < count; ++r) {
    const float* row = stage + r * pitch;
    const Vec4 x = load_group<BATCH_THREADS, VECTOR>(row, 0, width);
    const Vec4 dy = load_group<BATCH_THREADS, VECTOR>(row + STAGE / 2, 0, width);
    const Vec4 result =
        row_gradient(terms[r], x, dy, columns.scale, columns.of_gamma, columns.of_beta);
    store_group<BATCH_THREADS, VECTOR>(dx + static_cast<size_t>(r) * cols, 0, width, result);
  }
}

// The batches of a block, or of a team of blocks: every `teams`-th.
struct Batches {
  int rows, team, teams;

  __device__ int count() const {
    const int all = kata::ceil_div(rows, BATCH_ROWS);
    return team < all ? (all - 1 - team) / teams + 1 : 0;
  }
  __device__ int first_row(int k) const { return (team + k * teams) * BATCH_ROWS; }
  __device__ int rows_of(int k) const { return min(BATCH_ROWS, rows - first_row(k)); }
};

// 8 whole rows are one piece of memory that begins at a multiple of 16 bytes, whatever their length:
// one bulk copy each for x and dy. The last rows may end with up to 3 floats more.
template <bool VECTOR>
__global__ void __launch_bounds__(BATCH_THREADS)
    row_batches_kernel(const float* x, const float* gamma, const float* dy, float* dx,
                       float* partials, int rows, int cols, float eps) {
  extern __shared__ __align__(128) float memory[];
  __shared__ Barrier full[STAGES];
  __shared__ RowTerms terms[BATCH_ROWS];
  float* scale = memory + STAGES * STAGE;
  const Batches batches = {rows, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)};
  const int count = batches.count(), warp = threadIdx.x / 32;

  const auto copy = [&](int k) {
    if (threadIdx.x > 0 || k >= count) return;
    float* to = memory + k % STAGES * STAGE;
    const size_t from = static_cast<size_t>(batches.first_row(k)) * cols;
    const int floats = batches.rows_of(k) * cols, whole = floats / 4 * 4;
    for (int i = whole; i < floats; ++i) to[i] = x[from + i], to[STAGE / 2 + i] = dy[from + i];
    arrive_expecting(&full[k % STAGES], 2 * 4 * whole);
    if (whole == 0) return;
    load_bytes(to, x + from, 4 * whole, &full[k % STAGES]);
    load_bytes(to + STAGE / 2, dy + from, 4 * whole, &full[k % STAGES]);
  };
  if (threadIdx.x == 0) {
    for (Barrier& barrier : full) init(&barrier, 1);
    fence_init();
  }
  for (int k = 0; k < STAGES; ++k) copy(k);
  for (int c = threadIdx.x; c < cols; c += BATCH_THREADS) scale[c] = gamma[c];
  __syncthreads();
  Columns columns = {load_group<BATCH_THREADS, VECTOR>(scale, 0, cols), {}, {}};

  for (int k = 0; k < count; ++k) {
    const float* stage = memory + k % STAGES * STAGE;
    wait(&full[k % STAGES], k / STAGES % 2);
    if (warp < batches.rows_of(k)) {
      const float* row = stage + warp * cols;
      const PartSums part = part_sums<VECTOR>(row, row + STAGE / 2, scale, cols);
      if (threadIdx.x % 32 == 0) terms[warp] = row_terms(part.mean, part.sums, cols, eps);
    }
    __syncthreads();
    float* out = dx + static_cast<size_t>(batches.first_row(k)) * cols;
    batch_gradients<VECTOR>(stage, cols, cols, batches.rows_of(k), terms, columns, out, cols);
    __syncthreads();  // the stage is free
    copy(k + STAGES);
  }
  float* partial = partials + static_cast<size_t>(blockIdx.x) * 2 * cols;
  store_group<BATCH_THREADS, VECTOR>(partial, 0, cols, columns.of_gamma);
  store_group<BATCH_THREADS, VECTOR>(partial + cols, 0, cols, columns.of_beta);
}

// Rows of up to 1024 columns; x, dy and dx begin at multiples of 16 bytes.
template <bool VECTOR>
void launch_row_batches(const float* x, const float* gamma, const float* dy, float* dx,
                        float* dgamma, float* dbeta, int rows, int cols, float eps) {
  const auto kernel = row_batches_kernel<VECTOR>;
  static const int most = resident_blocks(kernel, BATCH_THREADS, BATCH_BYTES);
  const int blocks = min(most, kata::ceil_div(rows, BATCH_ROWS));
  float* partials = new_partials(blocks, cols);
  kernel<<<blocks, BATCH_THREADS, BATCH_BYTES>>>(x, gamma, dy, dx, partials, rows, cols, eps);
  launch_add_partials(partials, blocks, dgamma, dbeta, cols);
}
