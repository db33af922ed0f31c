// Warp functions, by their definition in the programming guide.
#include "expect.cuh"

template <class T>
__global__ void shuffles(T* out) {
  const int lane = threadIdx.x;
  const T mine = T(lane + 1);
  out[lane] = __shfl_sync(0xffffffff, mine, 5);
  out[32 + lane] = __shfl_up_sync(0xffffffff, mine, 3);
  out[64 + lane] = __shfl_down_sync(0xffffffff, mine, 3);
  out[96 + lane] = __shfl_xor_sync(0xffffffff, mine, 7);
  out[128 + lane] = __shfl_sync(0xffffffff, mine, 9, 8);       // lane 9 % 8 of each segment
  out[160 + lane] = __shfl_down_sync(0xffffffff, mine, 2, 4);  // stops at the segment's end
}
template <class T>
static bool shuffles_right() {
  Values<T, 192> out;
  shuffles<T><<<1, 32>>>(out.device);
  const T* got = out.get();
  bool right = true;
  for (int lane = 0; lane < 32; ++lane) {
    right &= got[lane] == T(6);
    right &= got[32 + lane] == T((lane < 3 ? lane : lane - 3) + 1);
    right &= got[64 + lane] == T((lane > 28 ? lane : lane + 3) + 1);
    right &= got[96 + lane] == T((lane ^ 7) + 1);
    right &= got[128 + lane] == T(lane / 8 * 8 + 1 + 1);
    right &= got[160 + lane] == T((lane % 4 < 2 ? lane + 2 : lane) + 1);
  }
  return right;
}

__global__ void votes(unsigned* out) {
  const int lane = threadIdx.x;
  out[lane] = __ballot_sync(0xffffffff, lane % 2);
  out[32 + lane] = __any_sync(0xffffffff, lane == 31) + 2 * __any_sync(0xffffffff, lane == 32);
  out[64 + lane] = __all_sync(0xffffffff, lane < 32) + 2 * __all_sync(0xffffffff, lane < 31);
  out[96 + lane] = __match_any_sync(0xffffffff, lane / 8);
  int same = -1;
  out[128 + lane] = __match_all_sync(0xffffffff, 1.5, &same) + same;  // all ones + 1
  out[160 + lane] = __match_all_sync(0xffffffff, lane, &same) + same;
  if (lane < 16) {
    out[192 + lane] = __ballot_sync(0x0000ffff, lane < 4);
    out[224 + lane] = __activemask();
  }
}
__global__ void reductions(int* out) {
  const int lane = threadIdx.x, value = lane - 16;
  if (lane == 0) __syncwarp(1);
  __syncwarp();
  const int sum = __reduce_add_sync(0xffffffff, value);  // -16 ... 15: -16
  const int smallest = __reduce_min_sync(0xffffffff, value),
            largest = __reduce_max_sync(~0u, value);
  const unsigned as_unsigned = __reduce_max_sync(0xffffffff, (unsigned)value);
  const unsigned bits = __reduce_or_sync(~0u, 1u << lane),
                 none = __reduce_and_sync(~0u, 1u << lane);
  const unsigned odd = __reduce_xor_sync(~0u, (unsigned)lane);  // 0 ^ 1 ^ ... ^ 31 = 0
  out[lane] = sum == -16 && smallest == -16 && largest == 15 && as_unsigned == 0xffffffffu &&
              bits == 0xffffffffu && none == 0 && odd == 0;
}
__global__ void block_votes(int* out) {
  const int odd = threadIdx.x & 1;
  const int count = __syncthreads_count(odd), all = __syncthreads_and(threadIdx.x < 96);
  const int any = __syncthreads_or(threadIdx.x == 95);
  out[threadIdx.x] = count + 1000 * (all != 0) + 10000 * (any != 0);
}

static void fixture() {
  EXPECT(shuffles_right<int>());
  EXPECT(shuffles_right<unsigned>());
  EXPECT(shuffles_right<long>());
  EXPECT(shuffles_right<long long>());
  EXPECT(shuffles_right<unsigned long long>());
  EXPECT(shuffles_right<float>());
  EXPECT(shuffles_right<double>());
  Values<unsigned, 256> out;
  votes<<<1, 32>>>(out.device);
  const unsigned* got = out.get();
  EXPECT(got[0] == 0xaaaaaaaau && got[31] == 0xaaaaaaaau);
  EXPECT(got[32] == 1 && got[64] == 1);
  EXPECT(got[96] == 0xff && got[96 + 31] == 0xff000000u);
  EXPECT(got[128] == 0xffffffffu + 1 && got[160] == 0);
  EXPECT(got[192] == 0xf && got[224] == 0xffff);
  Values<int, 96> flags;
  reductions<<<1, 32>>>(flags.device);
  EXPECT(flags.get()[0] == 1 && flags.host[31] == 1);
  block_votes<<<1, 96>>>(flags.device);
  EXPECT(flags.get()[0] == 48 + 1000 + 10000 && flags.host[95] == 11048);
}
