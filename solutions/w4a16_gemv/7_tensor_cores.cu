// Tensor cores multiply and add: 16 rows of weights times x, exact products, sums in float.
//
// mma.m16n8k16 takes the unpacked pairs as they are, so the conversions and multiply-adds go. Its
// order of k is free as long as weights and x agree. Only one of its 8 columns is needed; all hold
// the same x. Lane (g, t) of a warp loads the 16 bytes number t of a group for rows g and g + 8.
// The 8 warps of a block share the groups of its 16 rows, with DEPTH of them in flight each.
//
// Prediction: 9 instructions to unpack a word and 2 to reorder x: 1.5 per weight, 12 us of issue
// slots at 28672 x 8192. Memory is the limit, 30 us: 33 us. At 4096 x 4096 one wave of blocks asks
// for all weights at once: 2.7 us of launch, 1 us of latency and 3 us of traffic, 7 us.
// Measured: 61.2 us at 28672x8192, 49 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "unpack.h"

constexpr int WARPS = 8;
constexpr int ROWS = 16;
constexpr int DEPTH = 4;

// c += a b: a is 16 x 16 in the layout of mma.m16n8k16, b is 16 x 8.
__device__ void multiply_add(float (&c)[4], const __half2 (&a)[4], unsigned b0, unsigned b1) {
  const unsigned* bits = reinterpret_cast<const unsigned*>(a);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]), "r"(b0), "r"(b1));
}

// What a lane loads of one group: 32 weights and the scale of two rows.
struct Group {
  unsigned upper[4], lower[4];
  __half upper_scale, lower_scale;
};

__device__ void load_words(unsigned (&words)[4], const uint4* from) {
  const uint4 v = *from;
  words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
}

__global__ void __launch_bounds__(32 * WARPS, 2)
    gemv_kernel(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M, int K) {
  __shared__ float partial[WARPS][ROWS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int g = lane / 4;
  const int t = lane % 4;
  const int groups = K / 128;
  const int first_row = blockIdx.x * ROWS;
  const size_t upper = min(first_row + g, M - 1);  // rows past the end repeat the last one
  const size_t lower = min(first_row + g + 8, M - 1);

  const auto load = [&](int group, Group& in) {
    load_words(in.upper, W4 + (upper * groups + group) * 4 + t);
    load_words(in.lower, W4 + (lower * groups + group) * 4 + t);
    in.upper_scale = scale[upper * groups + group];
    in.lower_scale = scale[lower * groups + group];
  };
  Group stages[DEPTH] = {};
#pragma unroll
  for (int d = 0; d < DEPTH; ++d) {
    if (warp + d * WARPS < groups) load(warp + d * WARPS, stages[d]);
  }
  float upper_sum = 0.0f;
  float lower_sum = 0.0f;
  for (int first = warp; first < groups; first += DEPTH * WARPS) {
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      const int group = first + d * WARPS;
      if (group >= groups) break;
      const Group in = stages[d];
      if (group + DEPTH * WARPS < groups) load(group + DEPTH * WARPS, stages[d]);
      float c[4] = {};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const uint4 x = x8[group * 16 + t * 4 + j];
        __half2 u[4], l[4];
        unpack(in.upper[j], u);
        unpack(in.lower[j], l);
        multiply_add(c, {u[0], l[0], u[1], l[1]}, __byte_perm(x.x, x.z, 0x5410),
                     __byte_perm(x.x, x.z, 0x7632));  // x of (0, 4) and (1, 5)
        multiply_add(c, {u[2], l[2], u[3], l[3]}, __byte_perm(x.y, x.w, 0x5410),
                     __byte_perm(x.y, x.w, 0x7632));  // (2, 6) and (3, 7)
      }
      upper_sum += __half2float(in.upper_scale) * c[0];
      lower_sum += __half2float(in.lower_scale) * c[2];
    }
  }
  if (t == 0) {
    partial[warp][g] = upper_sum;
    partial[warp][g + 8] = lower_sum;
  }
  __syncthreads();
  const int row = first_row + threadIdx.x;
  if (threadIdx.x < ROWS && row < M) {
    float sum = 0.0f;
    for (int w = 0; w < WARPS; ++w) sum += partial[w][threadIdx.x];
    y[row] = __float2half(sum);
  }
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  gemv_kernel<<<kata::ceil_div(M, ROWS), 32 * WARPS>>>(reinterpret_cast<const uint4*>(W), scale,
                                                       reinterpret_cast<const uint4*>(x), y, M, K);
}
