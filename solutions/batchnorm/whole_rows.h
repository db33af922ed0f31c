#pragma once
// Blocks that own whole rows of x[n, channels], four neighbouring channels per thread, and the sums
// of the channels over all blocks.

#include "../common/hopper.h"
#include "channel_statistics.h"

constexpr int THREADS = 512;
constexpr int MAX_CHANNELS = 4 * THREADS;

// What one thread works on. Its row number j is row high + j step of the block. Threads past the
// last whole row have none. channels is a multiple of 4.
struct RowShare {
  int channels;
  int begin, count;  // rows of the block
  int step;          // rows of a block side by side
  int high;          // this thread's among them
  int channel;       // the first of four
  int rows;          // of this thread

  __device__ RowShare(int n, int channels, int rows_per_block)
      : channels(channels),
        begin(blockIdx.x * rows_per_block),
        count(min(n - begin, rows_per_block)),
        step(THREADS / (channels / 4)),
        high(threadIdx.x / (channels / 4)),
        channel(threadIdx.x % (channels / 4) * 4),
        rows(high < step ? rows_of(high) : 0) {}

  __device__ int rows_of(int first) const { return max(0, count - first + step - 1) / step; }
  __device__ int in_block(int j) const { return (high + j * step) * channels + channel; }
  __device__ size_t at(int j) const { return static_cast<size_t>(begin) * channels + in_block(j); }
};

// Of all rows, in double precision: mean(x^2) - mean^2 is then more exact than a float mean.
struct ChannelSums {
  double values[MAX_CHANNELS];
  double squares[MAX_CHANNELS];

  // The whole grid calls it.
  __device__ void clear() {
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < MAX_CHANNELS; i += gridDim.x * THREADS) {
      values[i] = squares[i] = 0.0;
    }
  }

  // Merges the moments of a block's threads in `slots`, [2][step][channels], and adds them. All
  // threads of the block call it.
  __device__ void add(const RowShare& mine, const Moments (&moments)[4], float* slots) {
    float* const m2 = slots + mine.step * mine.channels;
    if (mine.high < mine.step) {
      const int slot = mine.in_block(0);
      store_pack<4, float>(slots + slot,
                           {moments[0].mean, moments[1].mean, moments[2].mean, moments[3].mean});
      store_pack<4, float>(m2 + slot, {moments[0].m2, moments[1].m2, moments[2].m2, moments[3].m2});
    }
    __syncthreads();
    for (int c = threadIdx.x; c < mine.channels; c += THREADS) {
      Moments all = {};
      for (int h = 0; h < mine.step; ++h) {
        const int slot = h * mine.channels + c;
        all = merge(all, {static_cast<float>(mine.rows_of(h)), slots[slot], m2[slot]});
      }
      const double mean = all.mean;
      atomicAdd(&values[c], mine.count * mean);
      atomicAdd(&squares[c], all.m2 + mine.count * mean * mean);
    }
  }

  // Of four neighbouring channels.
  __device__ void statistics(int channel, int n, const float* gamma, float eps,
                             Normalise (&by)[4]) const {
    const double share = 1.0 / n;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const auto value = load_pack<2>(values + channel + k / 2 * 2);
      const auto square = load_pack<2>(squares + channel + k / 2 * 2);
      const double mean = value.at[k % 2] * share;
      const float variance = fmax(0.0, square.at[k % 2] * share - mean * mean);
      by[k] = {static_cast<float>(mean), rsqrtf(variance + eps) * gamma[channel + k]};
    }
  }
};

// load_bytes, but L2 drops these lines before others.
__device__ inline void load_bytes_once(void* to, const void* from, int bytes, Barrier* barrier) {
  asm volatile(
      "{.reg .b64 p; createpolicy.fractional.L2::evict_first.b64 p, 1.0;"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], p;}" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}
