// NCCL gathers A on each device, then cuBLAS multiplies.
#include <kata/kata.h>

#include "../common/cublas_products.h"
#include "../common/nccl_devices.h"

extern "C" void all_gather_gemm(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                                int gpus, const cudaStream_t* streams) {
  static CublasProducts products;
  const NcclDevices& devices = nccl_devices(gpus);
  const size_t part = size_t{1} * (M / gpus) * K;
  ncclGroupStart();
  for (int g = 0; g < gpus; ++g)
    ncclAllGather(A[g], first_free(scratch[g]), part, ncclBfloat16, devices.communicators[g],
                  streams[g]);
  ncclGroupEnd();
  for (int g = 0; g < gpus; ++g)
    products.queue(g, first_free(scratch[g]), B[g], C[g], M, N, K, streams[g]);
}
