// cuBLAS's products of elements of any type: converted, multiplied by BLAS, and converted back.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/cublas/product.h"
#include "emulator/runtime/kernel/narrow_floats.h"

using namespace kata::emulator;

namespace {

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8I:
      return 1;
    default:
      return 0;  // not one of those
  }
}

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double element(const void* from, cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return load<double>(from);
    case CUDA_R_32F:
      return static_cast<double>(load<float>(from));
    case CUDA_R_32I:
      return load<std::int32_t>(from);
    case CUDA_R_16F:
      return static_cast<double>(float_from_half(load<std::uint16_t>(from)));
    case CUDA_R_16BF:
      return static_cast<double>(float_from_bf16(load<std::uint16_t>(from)));
    default:
      return load<std::int8_t>(from);
  }
}

template <class T>
void store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

void set_element(void* to, cudaDataType type, double value) {
  switch (type) {
    case CUDA_R_64F:
      return store(to, value);
    case CUDA_R_32F:
      return store(to, static_cast<float>(value));
    case CUDA_R_32I:
      return store(to, static_cast<std::int32_t>(std::llrint(value)));
    case CUDA_R_16F:
      return store(to, half_from_float(static_cast<float>(value)));
    case CUDA_R_16BF:
      return store(to, bf16_from_float(static_cast<float>(value)));
    default:
      return store(to, static_cast<std::int8_t>(std::llrint(value)));
  }
}

/// A matrix in memory, and its elements without gaps.
struct Narrow {
  const char* data;
  cudaDataType type;
  Extent extent;

  std::size_t offset(long long row, long long col) const {
    return static_cast<std::size_t>(row + col * extent.apart) * bytes_of(type);
  }
  std::vector<double> elements() const {
    std::vector<double> result;
    for (long long col = 0; col < extent.cols; ++col)
      for (long long row = 0; row < extent.rows; ++row)
        result.push_back(element(data + offset(row, col), type));
    return result;
  }
};

cudaDataType scalar_type(cublasComputeType_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return CUDA_R_32I;
    default:
      return CUDA_R_32F;
  }
}

double scalar(CublasCall& call, const char* name, const void* value, cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return call.scalar(name, static_cast<const double*>(value));
    case CUDA_R_32I:
      return call.scalar(name, static_cast<const std::int32_t*>(value));
    case CUDA_R_16F:
      return static_cast<double>(
          float_from_half(call.scalar(name, static_cast<const std::uint16_t*>(value))));
    default:
      return static_cast<double>(call.scalar(name, static_cast<const float*>(value)));
  }
}

/// In double precision, rounded once at the end.
cublasStatus_t narrow_products(CublasCall&& call, const Product& p, cudaDataType scalars,
                               const void* alpha, const void* a, cudaDataType a_type,
                               long long stride_a, const void* b, cudaDataType b_type,
                               long long stride_b, const void* beta, void* c, cudaDataType c_type,
                               long long stride_c, int count) {
  const double scale = scalar(call, "alpha", alpha, scalars);
  const double keep = scalar(call, "beta", beta, scalars);
  p.check_sizes(call);
  for (cudaDataType type : {a_type, b_type, c_type})
    call.require(bytes_of(type) > 0, "the emulator's cuBLAS has no such type of elements");
  for (int i = 0; i < count && call.ok(); ++i) {
    const auto at = [&](const void* data, cudaDataType type, long long stride) {
      return static_cast<const char*>(data) + i * stride * static_cast<long long>(bytes_of(type));
    };
    const Narrow A{at(a, a_type, stride_a), a_type, p.a()};
    const Narrow B{at(b, b_type, stride_b), b_type, p.b()};
    const Narrow C{at(c, c_type, stride_c), c_type, p.c()};
    call.touches("A", A.data, bytes_of(a_type), A.extent, false);
    call.touches("B", B.data, bytes_of(b_type), B.extent, false);
    if (keep != 0) call.touches("C", C.data, bytes_of(c_type), C.extent, false);
    call.touches("C", C.data, bytes_of(c_type), C.extent, true);
    if (!call.ok()) break;
    std::vector<double> result =
        keep != 0
            ? C.elements()
            : std::vector<double>(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    Product packed = p;
    packed.lda = std::max<int>(1, static_cast<int>(A.extent.rows));
    packed.ldb = std::max<int>(1, static_cast<int>(B.extent.rows));
    packed.ldc = std::max(1, p.m);
    multiply(packed, scale, A.elements().data(), B.elements().data(), keep, result.data());
    for (long long col = 0; col < p.n; ++col)
      for (long long row = 0; row < p.m; ++row)
        set_element(const_cast<char*>(C.data) + C.offset(row, col), c_type,
                    result[static_cast<std::size_t>(row + col * p.m)]);
  }
  return call.finish();
}

}  // namespace

extern "C" {

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                            int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  return narrow_products(CublasCall(handle, "cublasGemmEx", KATA_CALLER()),
                         {op_a, op_b, m, n, k, lda, ldb, ldc}, scalar_type(compute), alpha, a,
                         a_type, 0, b, b_type, 0, beta, c, c_type, 0, 1);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  return narrow_products(CublasCall(handle, "cublasGemmStridedBatchedEx", KATA_CALLER()),
                         {op_a, op_b, m, n, k, lda, ldb, ldc}, scalar_type(compute), alpha, a,
                         a_type, stride_a, b, b_type, stride_b, beta, c, c_type, stride_c, count);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                           int m, int n, int k, const void* alpha, const void* a, int lda,
                           const void* b, int ldb, const void* beta, void* c, int ldc) {
  return narrow_products(CublasCall(handle, "cublasHgemm", KATA_CALLER()),
                         {op_a, op_b, m, n, k, lda, ldb, ldc}, CUDA_R_16F, alpha, a, CUDA_R_16F, 0,
                         b, CUDA_R_16F, 0, beta, c, CUDA_R_16F, 0, 1);
}

}  // extern "C"
