#include "emulator/runtime/cublas/elements.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "emulator/runtime/cublas/product.h"
#include "emulator/runtime/kernel/narrow_floats.h"

namespace kata::emulator {
namespace {

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
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

}  // namespace

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

std::vector<double> Elements::packed() const {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(rows() * cols()));
  for (long long col = 0; col < cols(); ++col)
    for (long long row = 0; row < rows(); ++row)
      result.push_back(element(data + offset(row, col), type));
  return result;
}

void Elements::set(const std::vector<double>& values) const {
  auto value = values.begin();
  for (long long col = 0; col < cols(); ++col)
    for (long long row = 0; row < rows(); ++row)
      set_element(const_cast<char*>(data) + offset(row, col), type, *value++);
}

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

std::vector<double> multiply(cublasOperation_t op_a, cublasOperation_t op_b, double alpha,
                             const Elements& a, const Elements& b, double beta, const Elements& c) {
  const auto size = [](long long count) { return std::max(1, static_cast<int>(count)); };
  std::vector<double> result =
      beta != 0 ? c.packed() : std::vector<double>(static_cast<std::size_t>(c.rows() * c.cols()));
  const long long k = op_a == CUBLAS_OP_N ? a.cols() : a.rows();
  const Product product{op_a,
                        op_b,
                        static_cast<int>(c.rows()),
                        static_cast<int>(c.cols()),
                        static_cast<int>(k),
                        size(a.rows()),
                        size(b.rows()),
                        size(c.rows())};
  multiply(product, alpha, a.packed().data(), b.packed().data(), beta, result.data());
  return result;
}

}  // namespace kata::emulator
