// cuSPARSE: cusparseSpMV with CSR, without the optional preprocessing.
//
// Every call creates new descriptors, because the pointers may change. That takes the host a
// microsecond or two. The handle and the workspace are kept.
#include <kata/kata.h>

#include "../common/scratch.h"

#include <cusparse.h>
#include <stdio.h>

static void report(const char* call, cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    fprintf(stderr, "%s: %s\n", call, cusparseGetErrorString(status));
  }
}

static cusparseHandle_t new_handle() {
  cusparseHandle_t handle = nullptr;
  report("cusparseCreate", cusparseCreate(&handle));
  return handle;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  static const cusparseHandle_t handle = new_handle();
  static Scratch<char> workspace;
  const float one = 1.0f;
  const float zero = 0.0f;  // y may hold NaN: with beta 0 it is not read
  cusparseConstSpMatDescr_t matrix;
  cusparseConstDnVecDescr_t in;
  cusparseDnVecDescr_t out;
  report("cusparseCreateConstCsr",
         cusparseCreateConstCsr(&matrix, rows, cols, nnz, row_start, col, value, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  report("cusparseCreateConstDnVec", cusparseCreateConstDnVec(&in, cols, x, CUDA_R_32F));
  report("cusparseCreateDnVec", cusparseCreateDnVec(&out, rows, y, CUDA_R_32F));

  size_t bytes = 0;
  report("cusparseSpMV_bufferSize",
         cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero,
                                 out, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1, &bytes));
  report("cusparseSpMV",
         cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out,
                      CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1, workspace.get(bytes)));
  cusparseDestroyDnVec(out);
  cusparseDestroyDnVec(in);
  cusparseDestroySpMat(matrix);
}
