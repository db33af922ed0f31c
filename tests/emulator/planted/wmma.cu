// Matrices that wmma cannot load. `HERE kind name` is where plant_name has its one fault.
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
