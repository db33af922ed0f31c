#pragma once
#pragma GCC system_header
// Of cuBLASLt only the handle, which many programs create and never use. Any other name is not
// declared.

#include "cublas_v2.h"

typedef struct cublasLtContext* cublasLtHandle_t;

static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return cublasCreate_v2(reinterpret_cast<cublasHandle_t*>(handle));
}
static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return cublasDestroy_v2(reinterpret_cast<cublasHandle_t>(handle));
}
