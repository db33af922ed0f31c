// gemm_reduce_scatter: device g gets M / gpus rows of A[0] B[0] + ... + A[gpus - 1] B[gpus - 1], where
// A[h] and B[h] are in the memory of device h.
//
// A, B, C and scratch are host arrays; entry g points to memory of device g. The work of device g
// goes to streams[g]. Nothing orders the streams with each other: README.md says what that means.
// Given: one kernel per device, one thread per result, and the device that was current is current
// again. Missing: what the kernel does, and what orders the devices before and after it.
// Check it: harness/kata check gemm_reduce_scatter   or   ctest -R gemm_reduce_scatter
#include <cuda_bf16.h>

#include <kata/kata.h>

struct Factors {
  const __nv_bfloat16* A[8];  // [M, K] each
  const __nv_bfloat16* B[8];  // [K, N] each
};

__global__ void gemm_reduce_scatter_kernel(Factors all, __nv_bfloat16* C, int first_row, int rows,
                                           int N, int K, int gpus) {
  // your code
}

extern "C" void gemm_reduce_scatter(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                    __nv_bfloat16* const* C, void* const* scratch, int M, int N,
                                    int K, int gpus, const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  Factors all = {};
  for (int g = 0; g < gpus; ++g) {
    all.A[g] = A[g];
    all.B[g] = B[g];
  }
  const int rows = M / gpus;
  const dim3 block(32, 8), grid(kata::ceil_div(N, 32), kata::ceil_div(rows, 8));
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    gemm_reduce_scatter_kernel<<<grid, block, 0, streams[g]>>>(all, C[g], g * rows, rows, N, K, gpus);
  }
  cudaSetDevice(before);
}
