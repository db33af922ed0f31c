// Races with reads that many threads repeat. `HERE race name` is where plant_name has its one fault:
// the later of the two lines.
#include <cooperative_groups.h>

#include "filled.cuh"

namespace cg = cooperative_groups;

__device__ float sum_of(const float* values) {
  float sum = 0;
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 64; ++k) sum += values[k];
  }
  return sum;
}

__global__ void written_after_all_read(float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  const float sum = sum_of(tile);
  if (threadIdx.x == 40) tile[5] = sum;  // HERE race read_then_written
  y[threadIdx.x] = sum;
}

__global__ void read_after_one_wrote(float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  const float sum = sum_of(tile);
  __syncthreads();
  if (threadIdx.x == 40) tile[5] = sum;
  y[threadIdx.x] = tile[5];  // HERE race written_then_read
}

__global__ void written_after_grid_sync(float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int phase = 0; phase < 2; ++phase) {
    sum += sum_of(tile);
    if (phase == 0) cg::this_grid().sync();
  }
  if (threadIdx.x == 40) tile[5] = sum;  // HERE race grid_read_then_written
  y[64 + threadIdx.x] = sum;
}

__global__ void table_is_written(float* table, float* y) {
  const float sum = sum_of(table);
  if (blockIdx.x == 2 && threadIdx.x == 0) table[5] = sum;  // HERE race table_written
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void table_is_written_after_grid_sync(float* table, float* y) {
  const float sum = sum_of(table);
  cg::this_grid().sync();
  if (blockIdx.x == 2 && threadIdx.x == 0) table[5] = sum;
  y[blockIdx.x * 64 + threadIdx.x] = table[5];  // HERE race grid_table_written
}

extern "C" {
void plant_read_then_written() {
  float* y = filled(64);
  written_after_all_read<<<1, 64>>>(y);
  cudaFree(y);
}
void plant_written_then_read() {
  float* y = filled(64);
  read_after_one_wrote<<<1, 64>>>(y);
  cudaFree(y);
}
void plant_grid_read_then_written() {
  float* y = filled(128);
  void* arguments[] = {&y};
  cudaLaunchCooperativeKernel((void*)written_after_grid_sync, 1, 64, arguments, 0, 0);
  cudaFree(y);
}
void plant_table_written() {
  float *table = filled(64), *y = filled(4 * 64);
  table_is_written<<<4, 64>>>(table, y);
  cudaFree(table);
  cudaFree(y);
}
void plant_grid_table_written() {
  float *table = filled(64), *y = filled(4 * 64);
  void* arguments[] = {&table, &y};
  cudaLaunchCooperativeKernel((void*)table_is_written_after_grid_sync, 4, 64, arguments, 0, 0);
  cudaFree(table);
  cudaFree(y);
}
}
