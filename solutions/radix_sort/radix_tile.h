#pragma once
// A stable counting sort of one tile by an 8-bit digit.
//
// Each warp ranks its own keys, 32 at a time: __match_any_sync gives a lane all lanes that hold the
// same digit, so its rank is the warp's count of that digit so far plus its place among them. The
// warps' counts are then added up per digit, and the digits' counts across digits.
// The order of the keys is: warp, item, lane. Equal digits keep it.

#include "../common/block_scan.h"

constexpr int RADIX = 256;

__device__ inline unsigned digit_of(unsigned key, int shift) {
  return key >> shift & (RADIX - 1);
}

// The lanes that hold the same 8-bit digit as this one. The whole warp calls it.
struct SameDigit {
  __device__ unsigned operator()(unsigned digit) const {
    unsigned lanes = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
      const bool set = digit >> bit & 1;
      const unsigned vote = __ballot_sync(0xffffffffu, set);
      lanes &= set ? vote : ~vote;
    }
    return lanes;
  }
};

// THREADS is a multiple of 32 and at least RADIX.
template <int THREADS, int ITEMS>
struct RadixTile {
  static constexpr int WARPS = THREADS / 32;
  static constexpr int SIZE = THREADS * ITEMS;

  using Counts = unsigned[WARPS][RADIX];
  union Shared {
    Counts counts;        // while ranking
    unsigned keys[SIZE];  // afterwards: the tile in order
  };

  unsigned key[ITEMS];
  unsigned place[ITEMS];  // in the sorted tile, after rank()

  // Only the first `count` keys exist. The others become the largest key and rank behind all that
  // exist, so they are at the end of the sorted tile.
  __device__ void load(const unsigned* tile, int count) {
    const int first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const int i = first + 32 * k;
      key[k] = i < count ? tile[i] : 0xffffffffu;
    }
  }

  // Thread d < RADIX gets the number of keys with digit d, and where they start in the sorted tile.
  // Every thread of the block calls it.
  template <class Match = SameDigit>
  __device__ void rank(int shift, Shared& shared, unsigned& digit_count, unsigned& digit_start,
                       const Match& same_digit = Match()) {
    const int tid = threadIdx.x;
    const int lane = tid % 32;
    unsigned* counts = shared.counts[tid / 32];
    for (int d = lane; d < RADIX; d += 32) counts[d] = 0;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const unsigned digit = digit_of(key[k], shift);
      const unsigned lanes = same_digit(digit);
      const unsigned before = counts[digit];
      __syncwarp();  // all have read before one writes
      if (lanes >> lane == 1) counts[digit] = before + __popc(lanes);  // the highest of them
      __syncwarp();
      // The digit rides along: kept in a register of its own, it would cost ITEMS of them.
      place[k] = digit << 16 | (before + __popc(lanes & ((1u << lane) - 1)));
    }
    __syncthreads();

    digit_count = tid < RADIX ? count_of_digit(shared.counts) : 0;
    unsigned total;
    digit_start = block_exclusive_scan<THREADS>(digit_count, total);
    if (tid < RADIX) counts_to_places(shared.counts, digit_start);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) place[k] = counts[place[k] >> 16] + (place[k] & 0xffff);
    __syncthreads();  // the counts are no longer needed
  }

  // How often the tile has digit d, for thread d < RADIX.
  __device__ static unsigned count_of_digit(const Counts& counts) {
    unsigned count = 0;
    for (int w = 0; w < WARPS; ++w) count += counts[w][threadIdx.x];
    return count;
  }

  // counts[w][d] becomes the place of the first key of warp w with digit d. Thread d < RADIX calls
  // it.
  __device__ static void counts_to_places(Counts& counts, unsigned digit_start) {
    unsigned start = digit_start;
    for (int w = 0; w < WARPS; ++w) {
      const unsigned warp_count = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = start;
      start += warp_count;
    }
  }

  // Puts the keys in order. Afterwards any thread may read shared.keys.
  __device__ void sort(Shared& shared) const {
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) shared.keys[place[k]] = key[k];
    __syncthreads();
  }
};
