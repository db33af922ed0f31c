#pragma once
// One call of cuBLAS: what it reads and writes is checked before BLAS sees it.

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/include/cublas_types.h"
#include "emulator/runtime/check/stream_races.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/memory/place.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
};

extern "C" const char* cublasGetStatusName(cublasStatus_t status);

namespace kata::emulator {

/// Column-major: where a matrix's elements lie. A vector is a matrix of one row.
struct Extent {
  long long rows, cols, apart;
};

inline Extent vector_extent(int n, int increment) {
  if (increment == 1) return {n, 1, n};
  return {1, n, increment < 0 ? -static_cast<long long>(increment) : increment};
}

class CublasCall {
 public:
  CublasCall(cublasHandle_t handle, const char* function, Place place);
  /// A call that neither needs a handle nor touches device memory.
  CublasCall(const char* function, Place place);

  /// What cuBLAS refuses: a negative size, a leading dimension below the number of rows.
  void require(bool right, const std::string& otherwise);
  void require_leading(const char* name, long long leading, long long rows);
  /// What cuBLAS has and the emulator does not, and what neither supports.
  void lacks(const std::string& what);
  void not_supported(const std::string& reason);

  /// Device memory.
  template <class T>
  void reads(const char* name, const T* data, Extent extent) {
    touches(name, data, sizeof(T), extent, false);
  }
  template <class T>
  void writes(const char* name, T* data, Extent extent) {
    touches(name, data, sizeof(T), extent, true);
  }
  void touches(const char* name, const void* data, std::size_t element_bytes, Extent extent,
               bool is_write);

  /// On the side that the handle's pointer mode says.
  template <class T>
  T scalar(const char* name, const T* value) {
    return check_scalar(name, value, sizeof(T), false) ? *value : T{};
  }
  /// To the same side; the host waits for a result of its own.
  template <class T>
  void result(T* to, T value) {
    if (!check_scalar("result", to, sizeof(T), true)) return;
    *to = value;
    wait_for_result();
  }

  bool ok() const { return status_ == CUBLAS_STATUS_SUCCESS; }
  /// Marks what was written.
  cublasStatus_t finish();

 private:
  void refuse(cublasStatus_t status, const std::string& reason);
  bool check_scalar(const char* name, const void* value, std::size_t bytes, bool is_write);
  void wait_for_result();

  struct Written {
    const void* data;
    std::size_t element_bytes;
    Extent extent;
  };
  cublasContext* handle_;
  const char* function_;
  Place place_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
  std::vector<Written> written_;
};

}  // namespace kata::emulator
