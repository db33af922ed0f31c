#pragma once
// The copies between device and host that the candidate makes.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "judge/device.h"

namespace kata {

/// For whoever stands between the candidate and the CUDA runtime: cudaMemcpy was called so. Any
/// thread may call this.
void note_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

/// Those between device and host since the last call, in order, with those of the judge's own.
std::vector<HostCopy> take_noted_copies();

}  // namespace kata
