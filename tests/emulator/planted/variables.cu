// Pointers that leave a __device__ or __constant__ variable, or write a constant. `HERE kind name` is
// where plant_name has its one fault. No subscript is of an array: the compiler would see that.
#include "filled.cuh"

__device__ float first[32];
__device__ float sums[32];
__device__ float start[32] = {1, 2, 3};
static __device__ int counts[32];
__device__ float4 corner;
__constant__ float weights[32];
__constant__ float biases[32];
template <class T>
struct Table {
  static __device__ T values[32];
};
template <class T>
__device__ T Table<T>::values[32];

__device__ int* pointer_to_counts() {
  return counts;
}

__global__ void past_zeros(int n) {
  float* p = first;
  p[threadIdx.x + n] = 1;  // HERE out_of_bounds zeros: byte 128 of first, past its end (it has 128
}
__global__ void before(int n) {
  float* p = sums;
  p[(int)threadIdx.x - n] = 1;  // HERE out_of_bounds negative: byte -4 of sums, before its start
}
__global__ void past_numbers(int n) {
  float* p = start;
  p[threadIdx.x + n] = 1;  // HERE out_of_bounds numbers: byte 128 of start, past its end
}
__global__ void past_static(int n) {
  int* p = pointer_to_counts();
  p[threadIdx.x + n] = 1;  // HERE out_of_bounds static: byte 128 of counts, past its end
}
__global__ void in_part() {
  float2* p = reinterpret_cast<float2*>(&corner.z);
  const int i = threadIdx.x + 1;
  p[i].x = 1;  // HERE out_of_bounds in_part: byte 16 of corner, past its end (it has 16 bytes)
}
__global__ void past_constant(float* y, int n) {
  const float* p = weights;
  y[threadIdx.x] = p[threadIdx.x + n];  // HERE out_of_bounds constant: byte 128 of weights, past
}
__global__ void before_constant(float* y, int n) {
  const float* p = biases;
  y[threadIdx.x] = p[(int)threadIdx.x - n];  // HERE out_of_bounds constant_start: byte -4 of
}
__global__ void writes_constant(float* p) {
  p[threadIdx.x] = 1;  // HERE input_modified writes_constant: byte 0 of biases, which is __constant__
}
__global__ void past_member(int n) {
  float* p = Table<float>::values;
  p[threadIdx.x + n] = 1;  // HERE out_of_bounds static_member: of Table<float>::values, past its
}
__global__ void wide(int n) {
  float4* p = reinterpret_cast<float4*>(sums);
  p[threadIdx.x + n] = make_float4(1, 2, 3, 4);  // HERE out_of_bounds wide: byte 128 of sums
}

extern "C" void plant_zeros() {
  past_zeros<<<1, 32>>>(1);
}
extern "C" void plant_negative() {
  before<<<1, 32>>>(1);
}
extern "C" void plant_numbers() {
  past_numbers<<<1, 32>>>(1);
}
extern "C" void plant_static() {
  past_static<<<1, 32>>>(1);
}
extern "C" void plant_in_part() {
  in_part<<<1, 1>>>();
}
extern "C" void plant_constant() {
  past_constant<<<1, 32>>>(filled(32), 1);
}
extern "C" void plant_constant_start() {
  before_constant<<<1, 32>>>(filled(32), 1);
}
extern "C" void plant_writes_constant() {
  void* address = nullptr;
  cudaGetSymbolAddress(&address, biases);
  writes_constant<<<1, 32>>>(static_cast<float*>(address));
}
extern "C" void plant_static_member() {
  past_member<<<1, 32>>>(1);
}
extern "C" void plant_wide() {
  wide<<<1, 8>>>(1);
}

__device__ float sign_of(float x) {  // HERE uninitialized missing_return: without a return
  if (x > 0) return 1;
  if (x < 0) return -1;
}

__global__ void missing_return(float* y) {
  y[threadIdx.x] = sign_of(y[threadIdx.x]);
}
extern "C" void plant_missing_return() {
  missing_return<<<1, 32>>>(filled(32));
}

extern "C" void plant_kind_of_copy() {
  cudaMemcpyToSymbol(weights, filled(32), 128);  // HERE cuda_error kind_of_copy: it works, though
}
