#pragma once
// The CUDA error that calls return: one that stays until it is asked for, or until the device is
// reset. Of several devices one stops all: the process is "in an inconsistent state".

#include <string>

#include "emulator/abi.h"
#include "emulator/emulator.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

class Errors {
 public:
  static Errors& instance();

  cudaError_t sticky() const { return sticky_; }
  /// After these a real device takes no more work from the process.
  void set_sticky(int error);
  void clear_sticky() { sticky_ = cudaSuccess; }

  void set_last(int error);
  cudaError_t peek() const;
  cudaError_t take();

 private:
  cudaError_t sticky_ = cudaSuccess;
};

/// What every call of the runtime API begins with: the sticky error, if any, and no last error.
#define KATA_RETURN_STICKY()                                                              \
  do {                                                                                    \
    if (const auto sticky = ::kata::emulator::Errors::instance().sticky()) return sticky; \
  } while (false)

/// Where the function that says it was called. A macro, as the return address is its caller's.
#define KATA_CALLER() ::kata::emulator::before(__builtin_return_address(0))

/// Records that a call failed, as the last error and as a finding, and returns the error.
cudaError_t fail(cudaError_t error, const char* function, const std::string& reason, Place place,
                 Severity severity = Severity::error);

/// The same of a launch that was refused.
void refuse_launch(cudaError_t error, const LaunchConfig& config, const std::string& kernel,
                   const std::string& reason);

}  // namespace kata::emulator
