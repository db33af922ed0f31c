// cuBLASLt: its handle, and the product. Its handles are cuBLAS's own.

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/cublas/matmul.h"

using namespace kata::emulator;

namespace {

/// A call on a stream, with the pointer mode of its descriptor.
struct LightCall {
  LightCall(cublasLtHandle_t handle, const cublasLtMatmulDescOpaque_t* desc, cudaStream_t stream,
            const char* function, Place place)
      : context{stream, desc && desc->pointer_mode == CUBLASLT_POINTER_MODE_DEVICE
                            ? CUBLAS_POINTER_MODE_DEVICE
                            : CUBLAS_POINTER_MODE_HOST},
        call(handle ? &context : nullptr, function, place) {}
  cublasContext context;
  CublasCall call;
};

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  cublasContext created;
  const cublasStatus_t status = CublasCall(&created, "cublasLtCreate", KATA_CALLER()).finish();
  if (status == CUBLAS_STATUS_SUCCESS)
    *handle = reinterpret_cast<cublasLtHandle_t>(new cublasContext);
  return status;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  auto* const context = reinterpret_cast<cublasContext*>(handle);
  const cublasStatus_t status = CublasCall(context, "cublasLtDestroy", KATA_CALLER()).finish();
  delete context;
  return status;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  LightCall light(handle, desc, nullptr, "cublasLtMatmulAlgoGetHeuristic", KATA_CALLER());
  CublasCall& call = light.call;
  call.require(desc && a && b && c && d && results && found, "a pointer is null");
  call.require(wanted > 0, "no algorithm is asked for");
  if (found) *found = 0;
  if (call.ok()) Matmul(*desc, *a, *b, *c, *d).check(call);
  if (!call.ok()) return call.finish();
  results[0] = {{}, 0, CUBLAS_STATUS_SUCCESS, 1, {}};
  *found = 1;
  return call.finish();
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*,
                              std::size_t, cudaStream_t stream) {
  LightCall light(handle, desc, stream, "cublasLtMatmul", KATA_CALLER());
  CublasCall& call = light.call;
  call.require(desc && a_layout && b_layout && c_layout && d_layout, "a descriptor is null");
  if (!call.ok()) return call.finish();
  const Matmul product(*desc, *a_layout, *b_layout, *c_layout, *d_layout);
  product.check(call);
  if (call.ok()) product.run(call, alpha, beta, {a, b, c, d});
  return call.finish();
}

}  // extern "C"
