#pragma once
// Sixteen rows of weights times x on tensor cores, one group of 128 weights at a time.
//
// Lane 4 g + t of a warp holds 16 bytes, number t, of a group for the rows g and g + 8. The order
// of k within mma.m16n8k16 is free as long as weights and x agree, so the pairs that unpack() makes
// are used as they are. All 8 columns of the product hold the same x; the first one is used.

#include "unpack.h"

constexpr int ROWS = 16;
constexpr int WORDS_PER_GROUP = 16;

// What a lane holds of a group: 32 weights and the scale of two rows.
struct Group {
  unsigned upper[4], lower[4];
  __half upper_scale, lower_scale;
};

// `upper` and `lower` are the numbers of the group in two rows, counted from the start of W.
__device__ inline Group load_group(const uint4* W4, const __half* scale, size_t upper,
                                   size_t lower) {
  const int t = threadIdx.x % 4;
  const uint4 u = W4[4 * upper + t];
  const uint4 l = W4[4 * lower + t];
  return {{u.x, u.y, u.z, u.w}, {l.x, l.y, l.z, l.w}, scale[upper], scale[lower]};
}

// c += a b: a is 16 x 16 in the layout of mma.m16n8k16, b is 16 x 8.
__device__ inline void multiply_add(float (&c)[4], const __half2 (&a)[4], unsigned b0,
                                    unsigned b1) {
  const unsigned* bits = reinterpret_cast<const unsigned*>(a);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]), "r"(b0), "r"(b1));
}

// Adds the products of a group to the sums of this lane's two rows. x_pairs are the group's words
// of x, as store_pairs() has left them.
__device__ inline void add_group(const Group& in, const uint4* x_pairs, float& upper_sum,
                                 float& lower_sum) {
  float even[4] = {};  // two sums, so that half as many products wait for each other
  float odd[4] = {};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const uint4 x = x_pairs[4 * j + threadIdx.x % 4];
    __half2 u[4], l[4];
    unpack(in.upper[j], u);
    unpack(in.lower[j], l);
    multiply_add(even, {u[0], l[0], u[1], l[1]}, x.x, x.y);
    multiply_add(odd, {u[2], l[2], u[3], l[3]}, x.z, x.w);
  }
  upper_sum += __half2float(in.upper_scale) * (even[0] + odd[0]);
  lower_sum += __half2float(in.lower_scale) * (even[2] + odd[2]);
}

// Word i of x, eight halves, as the pairs (0, 4), (1, 5), (2, 6), (3, 7).
__device__ inline uint4 pairs_of(uint4 x) {
  return make_uint4(__byte_perm(x.x, x.z, 0x5410), __byte_perm(x.x, x.z, 0x7632),
                    __byte_perm(x.y, x.w, 0x5410), __byte_perm(x.y, x.w, 0x7632));
}

// Where word i lies in shared memory: the words that four neighbouring lanes read together are next
// to each other.
__device__ inline int place_of(int i) {
  const int in_group = i % WORDS_PER_GROUP;
  return i - in_group + in_group % 4 * 4 + in_group / 4;
}

__device__ inline void store_pairs(uint4* x_pairs, int i, uint4 x) {
  x_pairs[place_of(i)] = pairs_of(x);
}
