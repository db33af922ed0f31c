#include "emulator/runtime/cublas/call.h"

#include <fmt/format.h>

#include "emulator/runtime/api/device_ranges.h"
#include "emulator/runtime/api/pending.h"
#include "emulator/runtime/api/streams.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/cublas/blas.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {
namespace {

void add(FindingKind kind, Severity severity, const Place& place, const std::string& message) {
  const SourceLine line = source_line(place);
  Findings::instance().add({kind, severity, line.file, line.line, "", message});
}

bool is_empty(const Extent& extent) {
  return extent.rows <= 0 || extent.cols <= 0;
}

/// From the first element to the last.
std::size_t span_of(const Extent& extent, std::size_t element_bytes) {
  return static_cast<std::size_t>((extent.cols - 1) * extent.apart + extent.rows) * element_bytes;
}

/// Calls `visit(address, bytes)` for each column.
template <class Visit>
void for_each_column(const void* data, std::size_t element_bytes, const Extent& extent,
                     Visit visit) {
  const std::size_t step = static_cast<std::size_t>(extent.apart) * element_bytes;
  const std::size_t bytes = static_cast<std::size_t>(extent.rows) * element_bytes;
  if (bytes == step) return visit(address_of(data), span_of(extent, element_bytes));
  for (long long col = 0; col < extent.cols; ++col)
    visit(address_of(data) + static_cast<std::size_t>(col) * step, bytes);
}

}  // namespace

CublasCall::CublasCall(cublasHandle_t handle, const char* function, Place place)
    : handle_(handle), function_(function), place_(place) {
  if (!blas_function("sgemm")) {
    add(FindingKind::unsupported, Severity::error, place_,
        "cuBLAS runs over a BLAS, and none is installed: apt-get install libopenblas0");
    status_ = CUBLAS_STATUS_NOT_INITIALIZED;
  } else if (!handle) {
    refuse(CUBLAS_STATUS_NOT_INITIALIZED, "the handle is null: create it first");
  } else if (!is_stream(handle->stream)) {
    refuse(CUBLAS_STATUS_EXECUTION_FAILED, "the handle's stream does not exist (any more)");
  } else {
    Pending::instance().finish_stream(stream_of(handle->stream), {function_, place_});
  }
}

CublasCall::CublasCall(const char* function, Place place)
    : handle_(nullptr), function_(function), place_(place) {}

void CublasCall::refuse(cublasStatus_t status, const std::string& reason) {
  if (!ok()) return;
  status_ = status;
  add(FindingKind::cuda_error, Severity::error, place_,
      fmt::format("{} failed with {}: {}", function_, cublasGetStatusName(status), reason));
}

void CublasCall::require(bool right, const std::string& otherwise) {
  if (!right) refuse(CUBLAS_STATUS_INVALID_VALUE, otherwise);
}

void CublasCall::lacks(const std::string& what) {
  if (!ok()) return;
  status_ = CUBLAS_STATUS_NOT_SUPPORTED;
  add(FindingKind::unsupported, Severity::error, place_,
      fmt::format("{}: the emulator does not have {}", function_, what));
}

void CublasCall::not_supported(const std::string& reason) {
  refuse(CUBLAS_STATUS_NOT_SUPPORTED, reason);
}

void CublasCall::require_leading(const char* name, long long leading, long long rows) {
  require(leading >= rows && leading >= 1,
          fmt::format("ld{} is {}, and {} has {} rows in memory", name, leading, name, rows));
}

void CublasCall::touches(const char* name, const void* data, std::size_t element_bytes,
                         Extent extent, bool is_write) {
  if (!ok() || is_empty(extent)) return;
  const std::size_t bytes = span_of(extent, element_bytes);
  if (const std::string reason = check_device_range(data, bytes); !reason.empty()) {
    status_ = CUBLAS_STATUS_EXECUTION_FAILED;
    return add(
        FindingKind::out_of_bounds, Severity::error, place_,
        fmt::format("{} {} {}, which {}", function_, is_write ? "writes" : "reads", name, reason));
  }
  Transfer transfer(function_, stream_of(handle_->stream), place_);
  if (is_write) {
    check_not_input(data, function_, place_);
    transfer.writes(data, bytes);
    written_.push_back({data, element_bytes, extent});
    return;
  }
  transfer.reads(data, bytes);
  bool all_written = true;
  for_each_column(data, element_bytes, extent, [&](std::uintptr_t low, std::size_t size) {
    all_written &= !in_arena(data) || DeviceMemory::first_unwritten(low, size) == size;
  });
  if (!all_written) {
    add(FindingKind::uninitialized, Severity::error, place_,
        fmt::format("{} reads {}, of which nothing has written all elements yet", function_, name));
  }
}

bool CublasCall::check_scalar(const char* name, const void* value, std::size_t bytes,
                              bool is_write) {
  if (!ok()) return false;
  if (handle_->pointers == CUBLAS_POINTER_MODE_DEVICE) {
    touches(name, value, bytes, {1, 1, 1}, is_write);
  } else {
    require(value != nullptr, fmt::format("{} is a null pointer", name));
    if (ok() && !host_may_use(value)) {
      refuse(CUBLAS_STATUS_EXECUTION_FAILED,
             fmt::format("{} is device memory, and the pointer mode is "
                         "CUBLAS_POINTER_MODE_HOST",
                         name));
    }
  }
  return ok();
}

void CublasCall::wait_for_result() {
  if (handle_->pointers == CUBLAS_POINTER_MODE_HOST)
    StreamOrder::instance().host_waits_for(stream_of(handle_->stream));
}

cublasStatus_t CublasCall::finish() {
  for (const Written& one : written_) {
    if (!ok() || !in_arena(one.data)) continue;
    for_each_column(one.data, one.element_bytes, one.extent,
                    [](std::uintptr_t low, std::size_t bytes) {
                      DeviceMemory::mark(low, bytes, ByteState::written);
                    });
  }
  return status_;
}

}  // namespace kata::emulator
