// Loops that nvcc unrolls by four, or by two if they are large, with a loop for the rest, which
// comes first, and loops that it leaves as they are: tests/nvcc looks at their PTX. What decides is
// whether the compiler can compute the number of iterations: the counter must not wrap round.
//
// Lanes read x[lane], x[lane + 32], ... below n.
#include <cuda_runtime.h>

// Of each kernel, loads of global memory in its PTX: 5 if the loop is unrolled by four, 3 by two,
// else 1.

__device__ int times(int n) {
  return (n - static_cast<int>(threadIdx.x) + 31) / 32;
}

__device__ float twelve_steps(float value, float sum) {
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  value = value * value + sum;
  return value;
}

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

extern "C" __global__ void sum_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void while_by_four(const float* x, float* y, int n) {
  float sum = 0;
  int i = threadIdx.x;
  while (i < n) {
    sum += x[i];
    i += 32;
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void turned_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; n > i; i = i + 32) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void down_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = n - threadIdx.x; i > 0; i -= 32) sum += x[n - i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void down_to_zero_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = n - 1 - threadIdx.x; i >= 0; i -= 32) sum += x[n - 1 - i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void unequal_by_four(const float* x, float* y, int n) {
  float sum = 0;
  const int end = times(n);
  for (int i = 0; i != end; ++i) sum += x[threadIdx.x + 32 * i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void at_most_by_four(const float* x, float* y, int n) {
  float sum = 0;
  const int last = times(n) - 1;
  for (int i = 0; i <= last; i++) sum += x[threadIdx.x + 32 * i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void unsigned_by_four(const float* x, float* y, int n) {
  float sum = 0;
  const unsigned end = times(n);
  for (unsigned i = 0; i < end; ++i) sum += x[threadIdx.x + 32 * i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void pointers_by_four(const float* x, float* y, int n) {
  float sum = 0;
  const float* const end = x + threadIdx.x + 32 * times(n);
  for (const float* p = x + threadIdx.x; p != end; p += 32) sum += *p;
  y[threadIdx.x] = sum;
}
extern "C" __global__ void signed_stride_by_four(const float* x, float* y, int n) {
  float sum = 0;
  const int stride = blockDim.x;
  for (int i = threadIdx.x; i < n; i += stride) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void two_counters_by_four(const float* x, float* y, int n) {
  float sum = 0;
  const float* p = x + threadIdx.x;
  for (int i = threadIdx.x; i < n; i += 32, p += 32) {
    sum += *p;
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void exponentials_by_four(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += 32) y[i] = expf(x[i]);
}
extern "C" __global__ void branch_by_four(const float* x, float* y, int n) {
  float max = 0, sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float value = x[i];
    if (value > max) {
      sum = sum * __expf(max - value) + 1;
      max = value;
    } else {
      sum += __expf(value - max);
    }
  }
  y[threadIdx.x] = max + sum;
}
extern "C" __global__ void continue_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float value = x[i];
    if (value < 0) continue;
    sum += value;
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void steps_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += twelve_steps(x[i], sum);
  y[threadIdx.x] = sum;
}
extern "C" __global__ void more_steps_by_two(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float value = twelve_steps(x[i], sum);
    sum += twelve_steps(value, sum);
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void many_steps_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    float value = twelve_steps(x[i], sum);
    value = twelve_steps(value, sum);
    value = twelve_steps(value, sum);
    sum += twelve_steps(value, sum);
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void block_stride_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void grid_stride_as_it_is(const float* x, float* y, int n) {
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) y[i] = x[i];
}
extern "C" __global__ void unsigned_stride_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += 32) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void at_most_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i <= n; i += 32) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void pointers_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (const float *p = x + threadIdx.x, *end = x + n; p < end; p += 32) sum += *p;
  y[threadIdx.x] = sum;
}
extern "C" __global__ void two_ends_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n && i < 100000; i += 32) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void changed_counter_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    sum += x[i];
    if (sum < 0) ++i;
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void break_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float value = x[i];
    if (value < 0) break;
    sum += value;
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void pragma_as_it_is(const float* x, float* y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
  y[threadIdx.x] = sum;
}
extern "C" __global__ void shuffle_by_four(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = 0; i < n; i += 32) sum += warp_sum(x[i + threadIdx.x]);
  y[threadIdx.x] = sum;
}

// One warp; its first 7 lanes have 6 iterations, the others 5.
extern "C" int launch_all() {
  constexpr int n = 5 * 32 + 7, room = 6 * 32;
  float *x, *y;
  cudaMalloc(&x, room * sizeof(float));
  cudaMalloc(&y, room * sizeof(float));
  cudaMemset(x, 0, room * sizeof(float));
  sum_by_four<<<1, 32>>>(x, y, n);
  while_by_four<<<1, 32>>>(x, y, n);
  turned_by_four<<<1, 32>>>(x, y, n);
  down_by_four<<<1, 32>>>(x, y, n);
  down_to_zero_by_four<<<1, 32>>>(x, y, n);
  unequal_by_four<<<1, 32>>>(x, y, n);
  at_most_by_four<<<1, 32>>>(x, y, n);
  unsigned_by_four<<<1, 32>>>(x, y, n);
  pointers_by_four<<<1, 32>>>(x, y, n);
  signed_stride_by_four<<<1, 32>>>(x, y, n);
  two_counters_by_four<<<1, 32>>>(x, y, n);
  exponentials_by_four<<<1, 32>>>(x, y, n);
  branch_by_four<<<1, 32>>>(x, y, n);
  continue_by_four<<<1, 32>>>(x, y, n);
  steps_by_four<<<1, 32>>>(x, y, n);
  more_steps_by_two<<<1, 32>>>(x, y, n);
  many_steps_as_it_is<<<1, 32>>>(x, y, n);
  block_stride_as_it_is<<<1, 32>>>(x, y, n);
  grid_stride_as_it_is<<<1, 32>>>(x, y, n);
  unsigned_stride_as_it_is<<<1, 32>>>(x, y, n);
  at_most_as_it_is<<<1, 32>>>(x, y, n);
  pointers_as_it_is<<<1, 32>>>(x, y, n);
  two_ends_as_it_is<<<1, 32>>>(x, y, n);
  changed_counter_as_it_is<<<1, 32>>>(x, y, n);
  break_as_it_is<<<1, 32>>>(x, y, n);
  pragma_as_it_is<<<1, 32>>>(x, y, n);
  shuffle_by_four<<<1, 32>>>(x, y, n);
  const cudaError_t ended = cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  return ended;
}
