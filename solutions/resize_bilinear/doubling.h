#pragma once
// Rung 5's kernel: four outputs of a row per thread where both sizes double.

#include "../common/aligned.h"
#include "../common/load4.h"
#include "resize.h"

constexpr int DOUBLING_THREADS = 256;
constexpr int STRIP = 2;  // input rows per thread

struct Row {
  float at[4];  // of four neighbouring outputs
};

__device__ __forceinline__ float near_quarter(float near, float far) {
  return 0.75f * near + 0.25f * far;
}

// Columns 2 col to 2 col + 3 of the output, from one row of the input.
__device__ __forceinline__ Row mix_of_row(const float* row, int col, int W) {
  const float2 own = *reinterpret_cast<const float2*>(row + col);
  const float left = col > 0 ? row[col - 1] : own.x;
  const float right = col + 2 < W ? row[col + 2] : own.y;
  return {{near_quarter(own.x, left), near_quarter(own.x, own.y), near_quarter(own.y, own.x),
           near_quarter(own.y, right)}};
}

__device__ __forceinline__ void store_mix(float* to, const Row& near, const Row& far) {
  Vec4 out;
#pragma unroll
  for (int c = 0; c < 4; ++c) out.at[c] = near_quarter(near.at[c], far.at[c]);
  __stcs(reinterpret_cast<float4*>(to), make_float4(out.at[0], out.at[1], out.at[2], out.at[3]));
}

// Thread i takes strip i: two columns of STRIP input rows. Strips are numbered across a plane, then
// from plane to plane.
__global__ void __launch_bounds__(DOUBLING_THREADS)
    doubling_kernel(const float* __restrict__ input, float* __restrict__ output, Resize resize,
                    unsigned strips, unsigned down, unsigned across) {
  const unsigned i = blockIdx.x * DOUBLING_THREADS + threadIdx.x;
  if (i >= strips) return;
  const int col = i % across * 2;
  const int first = i / across % down * STRIP;
  const size_t plane = i / across / down;
  const int W = resize.W, last = resize.H - 1;
  const float* in = input + plane * resize.plane_size();
  float* out = output + plane * resize.out_plane_size() + 2 * col;

  Row above = mix_of_row(in + max(first - 1, 0) * W, col, W);
  Row own = mix_of_row(in + first * W, col, W);
#pragma unroll
  for (int r = 0; r < STRIP; ++r) {
    const int row = first + r;
    if (row > last) return;
    const Row below = mix_of_row(in + min(row + 1, last) * W, col, W);
    float* to = out + 2 * row * resize.W_out;
    store_mix(to, own, above);
    store_mix(to + resize.W_out, own, below);
    above = own;
    own = below;
  }
}

// False if the output is not exactly twice the size, or not aligned.
inline bool launch_doubling(const float* input, float* output, size_t planes,
                            const Resize& resize) {
  const bool is_aligned = resize.W % 2 == 0 && is_aligned16(input) && is_aligned16(output);
  const bool is_twice = resize.H_out == 2 * resize.H && resize.W_out == 2 * resize.W;
  if (!is_twice || !is_aligned) return false;
  const unsigned down = kata::ceil_div(resize.H, STRIP), across = resize.W / 2;
  const unsigned strips = static_cast<unsigned>(planes * down * across);
  doubling_kernel<<<(strips - 1) / DOUBLING_THREADS + 1, DOUBLING_THREADS>>>(input, output, resize,
                                                                             strips, down, across);
  return true;
}
