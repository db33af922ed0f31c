#pragma once
#pragma GCC system_header
// cuBLASLt's matrix product over the BLAS that is installed. SUPPORTED.md lists what there is; any
// other name is not declared.

#include "kata_emulator/letters_begin.h"

#include "cublasLt_types.h"
#include "cublas_v2.h"

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle);

#define __KATA_CUBLASLT(Object)                                                                   \
  cublasStatus_t cublasLt##Object##Destroy(cublasLt##Object##_t);                                 \
  cublasStatus_t cublasLt##Object##SetAttribute(cublasLt##Object##_t, __KATA_ATTRIBUTE,           \
                                                const void* from, size_t bytes);                  \
  cublasStatus_t cublasLt##Object##GetAttribute(cublasLt##Object##_t, __KATA_ATTRIBUTE, void* to, \
                                                size_t bytes, size_t* written);
#define __KATA_ATTRIBUTE cublasLtMatmulDescAttributes_t
__KATA_CUBLASLT(MatmulDesc)
#undef __KATA_ATTRIBUTE
#define __KATA_ATTRIBUTE cublasLtMatrixLayoutAttribute_t
__KATA_CUBLASLT(MatrixLayout)
#undef __KATA_ATTRIBUTE
#define __KATA_ATTRIBUTE cublasLtMatmulPreferenceAttributes_t
__KATA_CUBLASLT(MatmulPreference)
#undef __KATA_ATTRIBUTE
#undef __KATA_CUBLASLT

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t*, cublasComputeType_t,
                                        cudaDataType scale_type);
cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t, cublasComputeType_t,
                                      cudaDataType scale_type);
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t*, cudaDataType, uint64_t rows,
                                          uint64_t cols, int64_t ld);
cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t, cudaDataType, uint64_t rows,
                                        uint64_t cols, int64_t ld);
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t*);
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t);

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                              cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B,
                                              cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
                                              cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found);
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void* alpha,
                              const void* A, cublasLtMatrixLayout_t, const void* B,
                              cublasLtMatrixLayout_t, const void* beta, const void* C,
                              cublasLtMatrixLayout_t, void* D, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t*, void* workspace, size_t workspace_bytes,
                              cudaStream_t);

}  // extern "C"

static inline size_t cublasLtGetVersion() {
  return CUBLAS_VERSION;
}
static inline const char* cublasLtGetStatusName(cublasStatus_t status) {
  return cublasGetStatusName(status);
}
static inline const char* cublasLtGetStatusString(cublasStatus_t status) {
  return cublasGetStatusString(status);
}

#include "kata_emulator/letters_end.h"
