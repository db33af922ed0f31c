#pragma once
// The sum of one float per thread over the LANES threads that share a row, in each of them.
//
// LANES is 32, one warp, or the size of the block. All threads of the block call it, and only once
// in a kernel: a second call needs a barrier in between.

template <int LANES>
__device__ float row_sum(float value) {
  static_assert(LANES % 32 == 0 && LANES <= 1024, "a slot for each warp, read by one warp");
  constexpr int WARPS = LANES / 32;
  const auto warp_sum = [](float mine) {
    for (int offset = 16; offset > 0; offset /= 2) {
      mine += __shfl_xor_sync(0xffffffffu, mine, offset);
    }
    return mine;
  };
  value = warp_sum(value);
  if (WARPS == 1) return value;
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  if (lane == 0) slots[threadIdx.x / 32] = value;
  __syncthreads();
  return warp_sum(lane < WARPS ? slots[lane] : 0.0f);  // in every warp
}
