// all_gather_gemm: C[g] = A B[g] on every device g, where each device has M / gpus rows of A.
//
// A, B, C and scratch are host arrays; entry g points to memory of device g. The work of device g
// goes to streams[g]. Nothing orders the streams with each other: README.md says what that means.
// Given: one kernel per device, one thread per result, and the device that was current is current
// again. Missing: what the kernel does, and what orders the devices before and after it.
// Check it: harness/kata check all_gather_gemm   or   ctest -R all_gather_gemm
#include <cuda_bf16.h>

#include <kata/kata.h>

struct Shards {
  const __nv_bfloat16* A[8];  // [M / gpus, K] each
};

__global__ void all_gather_gemm_kernel(Shards all, const __nv_bfloat16* B, __nv_bfloat16* C, int M,
                                       int N, int K, int gpus) {
  // your code
}

extern "C" void all_gather_gemm(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                                int gpus, const cudaStream_t* streams) {
  int before = 0;
  cudaGetDevice(&before);
  Shards all = {};
  for (int g = 0; g < gpus; ++g) all.A[g] = A[g];
  const dim3 block(32, 8), grid(kata::ceil_div(N, 32), kata::ceil_div(M, 8));
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    all_gather_gemm_kernel<<<grid, block, 0, streams[g]>>>(all, B[g], C[g], M, N, K, gpus);
  }
  cudaSetDevice(before);
}
