#pragma once
// Matrices of elements of any type that cuBLAS has. They are computed with in double precision.

#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/runtime/cublas/call.h"

namespace kata::emulator {

/// 0: not a type of elements here.
std::size_t bytes_of(cudaDataType type);

/// A matrix in memory. `extent` is its columns there, or its rows if it lies row by row.
struct Elements {
  const char* data;
  cudaDataType type;
  Extent extent;
  bool by_rows = false;

  long long rows() const { return by_rows ? extent.cols : extent.rows; }
  long long cols() const { return by_rows ? extent.rows : extent.cols; }
  std::size_t offset(long long row, long long col) const {
    if (by_rows) std::swap(row, col);
    return static_cast<std::size_t>(row + col * extent.apart) * bytes_of(type);
  }
  /// Column by column, without gaps.
  std::vector<double> packed() const;
  /// Rounds each value once.
  void set(const std::vector<double>& values) const;

  void check(CublasCall& call, const char* name, bool is_write) const {
    call.touches(name, data, bytes_of(type), extent, is_write);
  }
};

/// The type of alpha and beta.
cudaDataType scalar_type(cublasComputeType_t compute);
double scalar(CublasCall& call, const char* name, const void* value, cudaDataType type);

/// alpha op(A) op(B) + beta C, column by column without gaps. C is not read where beta is 0.
std::vector<double> multiply(cublasOperation_t op_a, cublasOperation_t op_b, double alpha,
                             const Elements& a, const Elements& b, double beta, const Elements& c);

}  // namespace kata::emulator
