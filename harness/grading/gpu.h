#pragma once
// Which GPU this machine has, asked of the GPU worker.

#include <string>

#include "support/result.h"
#include "worker/job.h"

namespace kata {

/// The answer to a probe job, asked once per process: starting CUDA takes a while. An Error says
/// what is missing: the GPU worker (built without a CUDA Toolkit), the driver, or the GPU.
const Result<GpuInfo>& gpu();

/// "9.0" for the GPU in this machine, empty where there is none.
std::string compute_capability();

}  // namespace kata
