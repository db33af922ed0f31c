// A block takes a long row and holds it in registers and shared memory: read once, too.
//
// An SM has 256 KiB of registers and 227 KiB of shared memory. Up to 32768 columns two blocks of
// 512 threads share it, so that one loads while the other stores: each holds half of its row in
// registers (8 groups of four floats a thread) and half in shared memory (64 KiB). Up to 4096 it is
// 256 threads and registers alone, and four blocks or more share the SM. A longer row gets it to
// itself: 1024 threads hold 81920 columns. What is beyond is read again, the last columns first:
// L2 (60 MiB) still has what came in last.
//
// Prediction: 8 bytes an element up to 81920 columns. 4096 x 32768: 1.07 GB, 0.25 ms at 4.3 TB/s in
// place of 0.37. 128 x 131072: 134 MB from memory and 25 MB from L2, 33 us at 4.1 TB/s, where a
// warp for each row would be one warp on each SM.
// Measured: 266.7 us at 4096x32768, 96 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <float.h>
#include <math.h>
#include <stdint.h>

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
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

// A group of the columns that begin at `first`, of which each of LANES threads takes four: four
// neighbours as one load, or four columns LANES apart, so that threads stay next to each other in
// each of four loads.
template <int LANES, bool VECTOR>
__device__ float4 load(const float* row_x, int first, int cols) {
  const int lane = threadIdx.x % LANES;
  if (VECTOR) {
    const int col = first + 4 * lane;
    return col < cols ? *reinterpret_cast<const float4*>(row_x + col)
                      : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
  }
  const int col = first + lane;
  return make_float4(at(row_x, col, cols), at(row_x, col + LANES, cols),
                     at(row_x, col + 2 * LANES, cols), at(row_x, col + 3 * LANES, cols));
}

template <int LANES, bool VECTOR>
__device__ void store(float* row_y, float4 v, int first, int cols) {
  const int lane = threadIdx.x % LANES;
  if (VECTOR) {
    const int col = first + 4 * lane;
    if (col < cols) *reinterpret_cast<float4*>(row_y + col) = v;
    return;
  }
  const int col = first + lane;
  if (col < cols) row_y[col] = v.x;
  if (col + LANES < cols) row_y[col + LANES] = v.y;
  if (col + 2 * LANES < cols) row_y[col + 2 * LANES] = v.z;
  if (col + 3 * LANES < cols) row_y[col + 3 * LANES] = v.w;
}

// Rows of at most GROUPS * 128 columns, a warp for each. The array is registers because each index
// is a constant once the loops are unrolled.
template <int GROUPS, bool VECTOR>
__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  constexpr int WIDTH = 4 * 32;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * WARPS + warp;
  if (row >= rows) return;  // the whole warp: the shuffles below never miss a lane
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  float4 held[GROUPS];
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) held[i] = load<32, VECTOR>(row_x, i * WIDTH, cols);

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
    store<32, VECTOR>(row_y, scaled(held[i], scale), i * WIDTH, cols);
  }
}

struct Partial {
  float max;
  float sum;  // of exp(x - max)
};

// The pair of no numbers. Not -infinity: merging two of those would take exp(-inf + inf), a NaN.
__device__ Partial nothing() {
  return {-FLT_MAX, 0.0f};
}

// The pairs of a block become one, in every thread. Every thread calls this, once in a kernel.
template <int LANES>
__device__ Partial block_merge(Partial mine) {
  __shared__ Partial slots[LANES / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float max = warp_max(mine.max);
  float sum = warp_sum(mine.sum * __expf(mine.max - max));
  if (lane == 0) slots[warp] = {max, sum};
  __syncthreads();
  mine = lane < LANES / 32 ? slots[lane] : nothing();
  max = warp_max(mine.max);
  sum = warp_sum(mine.sum * __expf(mine.max - max));
  return {max, sum};
}

// Adds COUNT groups to a pair: one maximum for all of them.
template <int COUNT>
__device__ void add(Partial& mine, const float4 (&values)[COUNT]) {
  float max = mine.max;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) max = fmaxf(max, max_of(values[i]));
  mine.sum *= __expf(mine.max - max);
  mine.max = max;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) mine.sum += sum_of(exponentials(values[i], max));
}

// One block of LANES threads for each row. The row's groups: the first IN_REGISTERS, the next
// IN_SHARED (a multiple of UNROLL), and the rest, if it is that long.
template <int LANES, int IN_REGISTERS, int IN_SHARED, bool VECTOR>
__global__ void __launch_bounds__(LANES, 1024 / LANES)
    block_kernel(const float* x, float* y, int cols) {
  extern __shared__ float4 shared[];  // [IN_SHARED][LANES]: each thread reads its own alone
  constexpr int UNROLL = 4;
  constexpr int WIDTH = 4 * LANES;
  constexpr int SHARED_FROM = IN_REGISTERS * WIDTH;
  constexpr int BEYOND_FROM = SHARED_FROM + IN_SHARED * WIDTH;
  const int tid = threadIdx.x;
  const float* row_x = x + static_cast<size_t>(blockIdx.x) * cols;
  float* row_y = y + static_cast<size_t>(blockIdx.x) * cols;
  Partial mine = nothing();

  float4 held[IN_REGISTERS];
#pragma unroll
  for (int i = 0; i < IN_REGISTERS; ++i) held[i] = load<LANES, VECTOR>(row_x, i * WIDTH, cols);
  add(mine, held);

  int first = SHARED_FROM;
  for (; first < cols; first += UNROLL * WIDTH) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      values[u] = load<LANES, VECTOR>(row_x, first + u * WIDTH, cols);
    }
    add(mine, values);
    if (first < BEYOND_FROM) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        shared[((first - SHARED_FROM) / WIDTH + u) * LANES + tid] = values[u];
      }
    }
  }

  const Partial all = block_merge<LANES>(mine);
  const float scale = 1.0f / all.sum;

  for (first -= UNROLL * WIDTH; first >= SHARED_FROM; first -= UNROLL * WIDTH) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      values[u] = first < BEYOND_FROM ? shared[((first - SHARED_FROM) / WIDTH + u) * LANES + tid]
                                      : load<LANES, VECTOR>(row_x, first + u * WIDTH, cols);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const float4 result = scaled(exponentials(values[u], all.max), scale);
      store<LANES, VECTOR>(row_y, result, first + u * WIDTH, cols);
    }
  }
#pragma unroll
  for (int i = 0; i < IN_REGISTERS; ++i) {
    const float4 result = scaled(exponentials(held[i], all.max), scale);
    store<LANES, VECTOR>(row_y, result, i * WIDTH, cols);
  }
}

template <int LANES, int IN_REGISTERS, int IN_SHARED, bool VECTOR>
void launch_blocks(const float* x, float* y, int rows, int cols) {
  constexpr int SHARED_BYTES = IN_SHARED * LANES * 16;
  if (SHARED_BYTES > 0) {
    cudaFuncSetAttribute(block_kernel<LANES, IN_REGISTERS, IN_SHARED, VECTOR>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  }
  block_kernel<LANES, IN_REGISTERS, IN_SHARED, VECTOR><<<rows, LANES, SHARED_BYTES>>>(x, y, cols);
}

template <bool VECTOR>
void launch(const float* x, float* y, int rows, int cols) {
  const int grid = kata::ceil_div(rows, WARPS);
  if (cols <= 128) {
    softmax_rows_kernel<1, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 512) {
    softmax_rows_kernel<4, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 1024) {
    softmax_rows_kernel<8, VECTOR><<<grid, THREADS>>>(x, y, rows, cols);
  } else if (cols <= 4096) {
    launch_blocks<256, 4, 0, VECTOR>(x, y, rows, cols);
  } else if (cols <= 16384) {
    launch_blocks<512, 8, 0, VECTOR>(x, y, rows, cols);
  } else if (cols <= 32768) {
    launch_blocks<512, 8, 8, VECTOR>(x, y, rows, cols);
  } else {
    launch_blocks<1024, 8, 12, VECTOR>(x, y, rows, cols);
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
