#pragma once
// CUDA's error codes in words that say what to do.

#include <cuda_runtime_api.h>

#include <string>

#include "report/report.h"

namespace kata {

/// "cudaErrorIllegalAddress (700)"
std::string name_of(cudaError_t error);

/// An error of a candidate's launches, kernels or runtime calls.
Finding explain(cudaError_t error, const cudaDeviceProp& device);

/// Why there is no GPU to work on: one line that says what to do.
std::string explain_no_device(cudaError_t error);

}  // namespace kata
