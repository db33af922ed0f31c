// cuBLAS: the handle.

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/cublas/call.h"

using namespace kata::emulator;

namespace {

constexpr int version = 120000;

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  cublasContext created;
  const cublasStatus_t status = CublasCall(&created, "cublasCreate", KATA_CALLER()).finish();
  if (status == CUBLAS_STATUS_SUCCESS) *handle = new cublasContext;
  return status;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle) handle->stream = nullptr;  // it may be gone: cublasDestroy waits for the whole device
  const cublasStatus_t status = CublasCall(handle, "cublasDestroy", KATA_CALLER()).finish();
  delete handle;
  return status;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (!handle) return CublasCall(handle, "cublasSetStream", KATA_CALLER()).finish();
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  if (!handle) return CublasCall(handle, "cublasGetStream", KATA_CALLER()).finish();
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (!handle) return CublasCall(handle, "cublasSetPointerMode", KATA_CALLER()).finish();
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  if (!handle) return CublasCall(handle, "cublasGetPointerMode", KATA_CALLER()).finish();
  *mode = handle->pointers;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* result) {
  *result = version;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

}  // extern "C"
