// Matrices that wmma cannot load, or not yet. `HERE kind name` is where plant_name has its one
// fault.
#include <mma.h>

#include "filled.cuh"

using namespace nvcuda;

__global__ void load(const float* from, float* to, int ldm) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(c, from, ldm, wmma::mem_row_major);  // HERE misaligned ldm: 72 bytes apart
  wmma::store_matrix_sync(to, c, 16, wmma::mem_row_major);
}

__global__ void store(const float* from, float* to) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(c, from, 16, wmma::mem_row_major);
  wmma::store_matrix_sync(to + 4, c, 16, wmma::mem_row_major);  // HERE misaligned start: of 32
}

extern "C" void plant_ldm() {
  load<<<1, 32>>>(filled(512), filled(256), 18);
}
extern "C" void plant_start() {
  store<<<1, 32>>>(filled(256), filled(512));
}

__global__ void by_hand(const half* from, float* to) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  for (int i = 0; i < a.num_elements; ++i) a.x[i] = from[threadIdx.x * 8 + i % 8];
  for (float& x : c.x) x = 0.0f;  // is right on every device
  wmma::load_matrix_sync(b, from, 16);
  wmma::mma_sync(c, a, b, c);  // HERE unsupported filled_by_hand: set one by one
  wmma::store_matrix_sync(to, c, 16, wmma::mem_row_major);
}

__global__ void read(const half* from, float* to) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(a, from, 16);
  wmma::load_matrix_sync(b, from, 16);
  wmma::fill_fragment(c, 0.0f);
  wmma::mma_sync(c, a, b, c);  // HERE unsupported read_by_hand: one by one
  for (int i = 0; i < c.num_elements; ++i) to[threadIdx.x * 8 + i] = c.x[i];
}

static const half* numbers() {
  static half host[256];
  for (int i = 0; i < 256; ++i) host[i] = __float2half((float)(i % 7));
  half* device;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  return device;
}
extern "C" void plant_filled_by_hand() {
  by_hand<<<1, 32>>>(numbers(), filled(256));
}
extern "C" void plant_read_by_hand() {
  read<<<1, 32>>>(numbers(), filled(256));
}

__global__ void loaded_unsynchronized(const half* from, float* to) {
  __shared__ __align__(32) half tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = from[i];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(b, from, 16);
  wmma::load_matrix_sync(a, tile, 16);  // HERE race loaded_unsynchronized: __syncwarp() is missing
  wmma::fill_fragment(c, 0.0f);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(to, c, 16, wmma::mem_row_major);
}

__global__ void stored_unsynchronized(float* to) {
  __shared__ __align__(32) float tile[256];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 1.0f);
  wmma::store_matrix_sync(tile, c, 16, wmma::mem_row_major);
  to[threadIdx.x] = tile[255 - threadIdx.x];  // HERE race stored_unsynchronized: __syncwarp() is
}

extern "C" void plant_loaded_unsynchronized() {
  loaded_unsynchronized<<<1, 32>>>(numbers(), filled(256));
}
extern "C" void plant_stored_unsynchronized() {
  stored_unsynchronized<<<1, 32>>>(filled(32));
}
