// Accesses outside what they belong to. `HERE out_of_bounds name` is where plant_name has its one
// fault.
#include "filled.cuh"

__global__ void next_buffer(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i + n];  // HERE out_of_bounds next_buffer: past the end
}

__global__ void index_of_the_larger(const float* small, float* large, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) large[i] = small[i];  // HERE out_of_bounds index_of_the_larger: past
}

__global__ void row_end(const float* x, float* y) {
  __shared__ float s[8][32];
  s[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  const int i = threadIdx.y * 32 + threadIdx.x;
  y[i] = s[threadIdx.y][threadIdx.x + 1];  // HERE out_of_bounds row_end: index 32
}

__global__ void row_start(const float* x, float* y) {
  __shared__ float s[8][32];
  s[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  const int i = threadIdx.y * 32 + threadIdx.x, left = threadIdx.x - 1;
  y[i] = s[threadIdx.y][left];  // HERE out_of_bounds row_start: index -1
}

__global__ void local_array(const float* x, float* y, int n) {
  float sums[4];
  for (int i = 0; i < n; ++i) sums[i] = x[i];  // HERE out_of_bounds local_array: index 4 of
  y[threadIdx.x] = sums[threadIdx.x % 4];
}

__constant__ float weights[5];
__device__ float table[16];

__global__ void constant_array(float* y) {
  y[threadIdx.x] = weights[threadIdx.x];  // HERE out_of_bounds constant_array: last index is 4
}

__global__ void device_array(float* y) {
  table[threadIdx.x] = y[threadIdx.x];  // HERE out_of_bounds device_array
}

struct Pair {
  int keys[2];
  int sum;
};

__global__ void member(Pair* pairs, int n) {
  pairs[threadIdx.x].sum = pairs[threadIdx.x].keys[n];  // HERE out_of_bounds member
}

struct Range {
  float low, high;
};

// Called twice: no compiler inlines it unasked.
__device__ Range range_of(const float* x, int n) {
  Range range = {x[0], x[0]};
  for (int i = 1; i < n; ++i) {
    range.low = fminf(range.low, x[i]);
    range.high = fmaxf(range.high, sqrtf(fabsf(x[i])) + expf(x[i]) * sinf(range.low));
  }
  return range;
}

__global__ void result_of_a_function(const float* x, Range* ranges, int n) {
  ranges[0] = range_of(x, n);
  ranges[n] = range_of(x + n, n);  // HERE out_of_bounds result_of_a_function: past the end
}

extern "C" void plant_next_buffer() {
  float* x = filled(1024);
  next_buffer<<<4, 256>>>(x, filled(1024), 1024);
}
extern "C" void plant_index_of_the_larger() {
  float* small = filled(256);
  index_of_the_larger<<<1024, 256>>>(small, filled(1 << 18), 1 << 18);
}
extern "C" void plant_row_end() {
  row_end<<<1, dim3(32, 8)>>>(filled(256), filled(256));
}
extern "C" void plant_row_start() {
  row_start<<<1, dim3(32, 8)>>>(filled(256), filled(256));
}
extern "C" void plant_local_array() {
  local_array<<<1, 32>>>(filled(32), filled(32), 5);
}
extern "C" void plant_constant_array() {
  constant_array<<<1, 32>>>(filled(32));
}
extern "C" void plant_device_array() {
  device_array<<<1, 32>>>(filled(32));
}
extern "C" void plant_member() {
  member<<<1, 32>>>(filled<Pair>(32), 2);
}
extern "C" void plant_result_of_a_function() {
  result_of_a_function<<<1, 1>>>(filled(32), filled<Range>(16), 16);
}
