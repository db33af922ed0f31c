// cuBLAS multiplies on each device, then NCCL adds the products and scatters the sum.
#include <kata/kata.h>

#include "../common/cublas_products.h"
#include "../common/nccl_devices.h"

extern "C" void gemm_reduce_scatter(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                    __nv_bfloat16* const* C, void* const* scratch, int M, int N,
                                    int K, int gpus, const cudaStream_t* streams) {
  static CublasProducts products;
  const NcclDevices& devices = nccl_devices(gpus);
  for (int g = 0; g < gpus; ++g)
    products.queue(g, A[g], B[g], first_free(scratch[g]), M, N, K, streams[g]);
  const size_t part = size_t{1} * (M / gpus) * N;
  ncclGroupStart();
  for (int g = 0; g < gpus; ++g)
    ncclReduceScatter(first_free(scratch[g]), C[g], part, ncclBfloat16, ncclSum,
                      devices.communicators[g], streams[g]);
  ncclGroupEnd();
}
