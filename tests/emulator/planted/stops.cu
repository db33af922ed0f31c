// Faults that have nothing to do with the order of threads. `HERE kind name` is where plant_name
// has its one fault.
#include "filled.cuh"

__global__ void past_end(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * 2.0f;  // HERE out_of_bounds past_end
}

__global__ void unwritten_tile(float* y) {
  __shared__ float tile[64];
  if (threadIdx.x < 60) tile[threadIdx.x] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];  // HERE uninitialized unwritten_tile
}

__global__ void early_return(float* y, int n) {
  __shared__ float tile[64];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = y[threadIdx.x];
  __syncthreads();  // HERE barrier_divergence early_return
  y[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void shuffle_from_nobody(float* y) {
  if (threadIdx.x >= 20) return;
  float v = y[threadIdx.x];
  v += __shfl_down_sync(0xffffffffu, v, 16);  // HERE barrier_divergence shuffle_from_nobody
  y[threadIdx.x] = v;
}

__global__ void odd_vector(float* y) {
  float4 v = *reinterpret_cast<const float4*>(y + 1);  // HERE misaligned odd_vector
  y[0] = v.x + v.y + v.z + v.w;
}

__global__ void follow(const float* host, float* y) {
  y[threadIdx.x] = host[threadIdx.x];  // HERE out_of_bounds host_pointer
}

__global__ void wait_for_ever(float* y) {
  if (threadIdx.x == 0) {
    __syncthreads();  // HERE deadlock wait_for_ever
  } else {
    __syncwarp();
  }
  y[threadIdx.x] = 1.0f;
}

extern "C" void plant_past_end() {
  float* x = filled(100);
  float* y = filled(128);
  past_end<<<2, 64>>>(x, y, 100);
}
extern "C" void plant_unwritten_tile() {
  unwritten_tile<<<1, 64>>>(filled(64));
}
extern "C" void plant_early_return() {
  early_return<<<1, 64>>>(filled(64), 64 - 16);
}
extern "C" void plant_shuffle_from_nobody() {
  shuffle_from_nobody<<<1, 32>>>(filled(32));
}
extern "C" void plant_odd_vector() {
  odd_vector<<<1, 1>>>(filled(32));
}
extern "C" void plant_host_pointer() {
  float* host = new float[32]();
  follow<<<1, 32>>>(host, filled(32));
  delete[] host;
}
extern "C" void plant_wait_for_ever() {
  wait_for_ever<<<1, 32>>>(filled(32));
}
extern "C" void plant_wrong_launch() {
  past_end<<<1, 2048>>>(filled(8), filled(8), 8);  // HERE invalid_launch wrong_launch
}
template <int Warps>
__global__ void __launch_bounds__(Warps * 32) bounded(float* y) {
  y[threadIdx.x] = 1.0f;
}
extern "C" void plant_beyond_launch_bounds() {
  bounded<2><<<1, dim3(32, 3)>>>(filled(96));  // HERE invalid_launch beyond_launch_bounds: allows 64
}
extern "C" void plant_wrong_copy() {
  float host[8];
  cudaMemcpy(host, filled(4), sizeof host, cudaMemcpyDeviceToHost);  // HERE cuda_error wrong_copy
}
extern "C" void plant_unwritten_copy() {
  float host[8];
  float* x = nullptr;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);  // HERE uninitialized unwritten_copy
}
extern "C" float plant_host_access() {
  float* x = filled(8);
  return x[3];  // HERE out_of_bounds host_access
}

struct Best {
  char flag;
  int index;
};
__global__ void unset_member(int* y) {
  __shared__ Best best[32];
  best[threadIdx.x].flag = 1;
  y[threadIdx.x] = best[threadIdx.x].index;  // HERE uninitialized unset_member
}
extern "C" void plant_unset_member() {
  unset_member<<<1, 32>>>(filled<int>(32));
}

__global__ void half_a_warp(float* y) {
  y[threadIdx.x] += __shfl_down_sync(0xffffffff, y[threadIdx.x], 8);  // HERE barrier_divergence half_a_warp: the block has no such thread
}
extern "C" void plant_half_a_warp() {
  half_a_warp<<<1, 48>>>(filled(48));
}
__global__ void beside_the_mask(float* y) {
  if (threadIdx.x < 16)
    y[threadIdx.x] = __shfl_sync(0x0000ffff, y[threadIdx.x], 20);  // HERE barrier_divergence beside_the_mask: the mask does not name that lane
}
extern "C" void plant_beside_the_mask() {
  beside_the_mask<<<1, 32>>>(filled(32));
}
__global__ void odd_atomic(int* y) {
  atomicAdd(reinterpret_cast<unsigned long long*>(y + 1), 1ull);  // HERE misaligned odd_atomic: an atomic operation on 8 bytes
}
extern "C" void plant_odd_atomic() {
  odd_atomic<<<1, 1>>>(filled<int>(32));
}

// Lanes go on with the next row while others are still in this one: votes of two rows meet.
__global__ void vote_in_uneven_loop(unsigned* y) {
  for (int row = 0; row < 2; ++row) {
    const int lane = row == 0 ? threadIdx.x : 31 - threadIdx.x;
    for (int i = lane; i < 48; i += 32)
      y[threadIdx.x] += __ballot_sync(0xffffffffu, i & 1);  // HERE barrier_divergence vote_in_uneven_loop: have left
  }
}
extern "C" void plant_vote_in_uneven_loop() {
  vote_in_uneven_loop<<<1, 32>>>(filled<unsigned>(32));
}
__device__ float sum_of_warp(float v) {
  for (int o = 16; o > 0; o /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, o);  // HERE barrier_divergence sum_in_uneven_loop: have left
  return v;
}
__global__ void sum_in_uneven_loop(float* y) {
  for (int row = 0; row < 2; ++row) {
    int i = row == 0 ? threadIdx.x : 31 - threadIdx.x;
    while (i < 48) {
      y[threadIdx.x] += sum_of_warp(i);
      i += 32;
    }
  }
}
extern "C" void plant_sum_in_uneven_loop() {
  sum_in_uneven_loop<<<1, 32>>>(filled(32));
}
