#pragma once
// Copies and fills of device memory, as the functions of the runtime API share them.

#include <cstddef>

#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

/// A copy or a fill as it was called.
struct CopyCall {
  const char* function;
  bool is_async;
  cudaStream_t stream;
  Place place;
};

/// `height` rows of `width` bytes, which begin `to_pitch` and `from_pitch` bytes apart.
struct Rows {
  std::size_t to_pitch, from_pitch, width, height;
};

cudaError_t copy_rows(void* to, const void* from, const Rows& rows, cudaMemcpyKind kind,
                      const CopyCall& call);

/// Rows of elements of `element` bytes (1, 2 or 4) that get the low bytes of `value`; `width` is in
/// bytes.
struct Fill {
  std::size_t pitch, width, height;
  unsigned value;
  unsigned element = 1;
};

cudaError_t fill_rows(void* to, const Fill& fill, const CopyCall& call);

/// cudaMemcpy3D, between pitched memory and arrays.
cudaError_t copy_3d(const cudaMemcpy3DParms& params, const CopyCall& call);

}  // namespace kata::emulator
