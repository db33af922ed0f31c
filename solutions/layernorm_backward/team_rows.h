#pragma once
// Rung 8's kernel for rows of more than 4096 columns: a team of blocks shares a batch of 8 rows,
// 1024 columns of it each.

#include "row_batches.h"

constexpr int MOST_PARTS = 4;  // of a row, that a lane merges: 131072 / 1024 / 32
constexpr int RING = 4;        // batches whose sums are kept
constexpr int COUNTS = 2;      // counters of a team that take turns, and one that counts who has ended

// What the blocks of all teams tell each other.
struct Exchange {
  float4* sums;      // [teams][RING][BATCH_ROWS][members]: a PartSums
  unsigned* counts;  // [teams][COUNTS + 1], 0 between launches
};

// Where a team's sums down the columns go: dgamma and dbeta, or partials.
struct Target {
  float *gamma, *beta;
  size_t pitch;  // floats from team to team
};

// The terms of a row from its parts, by a warp: the sums about the parts' own means are moved to the
// mean of all.
__device__ inline RowTerms merge_parts(const float4* parts, int members, int cols, float eps) {
  float4 part[MOST_PARTS];
  int width[MOST_PARTS];
  float mean[1] = {};
#pragma unroll
  for (int i = 0; i < MOST_PARTS; ++i) {
    const int m = i * 32 + threadIdx.x % 32;
    width[i] = min(BATCH_COLS, cols - m * BATCH_COLS);  // above 0 for a member
    part[i] = m < members ? __ldcg(&parts[m]) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (m < members) mean[0] += width[i] * part[i].x;
  }
  warp_sums(mean);
  mean[0] /= cols;
  float sums[3] = {};
#pragma unroll
  for (int i = 0; i < MOST_PARTS; ++i) {
    const float apart = part[i].x - mean[0];
    if (width[i] > 0) sums[0] += part[i].y + width[i] * apart * apart;
    sums[1] += part[i].z;
    sums[2] += part[i].w + part[i].z * apart;
  }
  warp_sums(sums);
  return row_terms(mean[0], sums, cols, eps);
}

// A block publishes its sums of batch k, and then finishes batch k - 1, whose sums the others have
// published meanwhile. It can be one batch ahead of another block, whose reads are two batches
// behind its own writes: four batches of sums suffice, and two counters.
__global__ void __launch_bounds__(BATCH_THREADS)
    team_rows_kernel(const float* x, const float* gamma, const float* dy, float* dx, Target target,
                     Exchange exchange, int rows, int cols, float eps) {
  extern __shared__ __align__(128) float memory[];
  __shared__ Barrier full[STAGES];
  __shared__ RowTerms terms[BATCH_ROWS];
  float* scale = memory + STAGES * STAGE;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int members = kata::ceil_div(cols, BATCH_COLS);
  const int member = blockIdx.x % members, team = blockIdx.x / members;
  const Batches batches = {rows, team, static_cast<int>(gridDim.x) / members};
  const int count = batches.count();
  const int begin = member * BATCH_COLS, width = min(BATCH_COLS, cols - begin);
  float4* const sums = exchange.sums + static_cast<size_t>(team) * RING * BATCH_ROWS * members;
  unsigned* const counts = exchange.counts + team * (COUNTS + 1);

  const auto copy = [&](int k) {  // a row of a lane
    if (warp > 0 || k >= count) return;
    Barrier* barrier = &full[k % STAGES];
    if (lane == 0) arrive_expecting(barrier, 2 * 4 * width * batches.rows_of(k));
    __syncwarp();
    if (lane >= batches.rows_of(k)) return;
    const size_t from = static_cast<size_t>(batches.first_row(k) + lane) * cols + begin;
    float* to = memory + k % STAGES * STAGE + lane * BATCH_COLS;
    load_bytes(to, x + from, 4 * width, barrier);
    load_bytes(to + STAGE / 2, dy + from, 4 * width, barrier);
  };
  if (threadIdx.x == 0) {
    for (Barrier& barrier : full) init(&barrier, 1);
    fence_init();
  }
  __syncthreads();
  for (int k = 0; k < STAGES; ++k) copy(k);
  for (int c = threadIdx.x; c < width; c += BATCH_THREADS) scale[c] = gamma[begin + c];
  __syncthreads();
  Columns columns = {load_group<BATCH_THREADS, true>(scale, 0, width), {}, {}};

  for (int k = 0; k <= count; ++k) {
    if (k < count) {
      const float* row = memory + k % STAGES * STAGE + warp * BATCH_COLS;
      wait(&full[k % STAGES], k / STAGES % 2);
      if (warp < batches.rows_of(k)) {
        const PartSums part = part_sums<true>(row, row + STAGE / 2, scale, width);
        float4* to = &sums[(k % RING * BATCH_ROWS + warp) * members + member];
        if (lane == 0) __stcg(to, {part.mean, part.sums[0], part.sums[1], part.sums[2]});
      }
      __syncthreads();
      if (threadIdx.x == 0) {
        __threadfence();  // the sums, before the count
        atomicAdd(&counts[k % COUNTS], 1u);
      }
    }
    const int b = k - 1;  // the batch to finish
    if (b < 0) continue;
    if (threadIdx.x == 0) {
      const volatile unsigned* come = &counts[b % COUNTS];
      while (*come < static_cast<unsigned>(members * (b / COUNTS + 1))) {
      }
      __threadfence();
    }
    __syncthreads();
    if (warp < batches.rows_of(b)) {
      const float4* parts = &sums[(b % RING * BATCH_ROWS + warp) * members];
      const RowTerms merged = merge_parts(parts, members, cols, eps);
      if (lane == 0) terms[warp] = merged;
    }
    __syncthreads();
    float* out = dx + static_cast<size_t>(batches.first_row(b)) * cols + begin;
    batch_gradients<true>(memory + b % STAGES * STAGE, BATCH_COLS, width, batches.rows_of(b), terms,
                          columns, out, cols);
    __syncthreads();  // the stage is free
    copy(b + STAGES);
  }
  // Whoever ends last clears the counts for the next launch: nobody reads them any more.
  if (threadIdx.x == 0 && atomicInc(&counts[COUNTS], members - 1) == members - 1) {
    for (int c = 0; c < COUNTS; ++c) atomicExch(&counts[c], 0u);
  }
  const size_t at = team * target.pitch + begin;
  store_group<BATCH_THREADS, true>(target.gamma + at, 0, width, columns.of_gamma);
  store_group<BATCH_THREADS, true>(target.beta + at, 0, width, columns.of_beta);
}

// False if the blocks of a team cannot all be resident. Rows begin at multiples of 16 bytes.
inline bool launch_team_rows(const float* x, const float* gamma, const float* dy, float* dx,
                             float* dgamma, float* dbeta, int rows, int cols, float eps) {
  static const int most = resident_blocks(team_rows_kernel, BATCH_THREADS, BATCH_BYTES);
  const int members = kata::ceil_div(cols, BATCH_COLS);
  if (members > most || members > 32 * MOST_PARTS) return false;
  const int teams = min(most / members, kata::ceil_div(rows, BATCH_ROWS));
  float* partials = new_partials(teams, cols);
  Target target = {partials, partials + cols, 2 * static_cast<size_t>(cols)};
  if (teams == 1) target = {dgamma, dbeta, 0};
  static Scratch<float4> sums;
  static Scratch<unsigned> counts;
  Exchange exchange = {sums.get(static_cast<size_t>(teams) * RING * BATCH_ROWS * members),
                       counts.get_zeroed(teams * (COUNTS + 1))};
  void* arguments[] = {&x, &gamma, &dy, &dx, &target, &exchange, &rows, &cols, &eps};
  cudaLaunchCooperativeKernel(team_rows_kernel, dim3(teams * members), dim3(BATCH_THREADS),
                              arguments, BATCH_BYTES, nullptr);
  if (teams > 1) launch_add_partials(partials, teams, dgamma, dbeta, cols);
  return true;
}
