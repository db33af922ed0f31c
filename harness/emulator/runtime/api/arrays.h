#pragma once
// CUDA arrays: device memory that kernels reach through textures and surfaces alone.

#include <cstddef>

#include "emulator/runtime/memory/cuda_types.h"

/// Elements lie row by row without gaps. That a device orders them otherwise shows nowhere.
struct cudaArray {
  char* data = nullptr;
  cudaChannelFormatDesc desc = {};
  cudaExtent extent = {};  ///< as the program gave it
  unsigned flags = 0;
  unsigned bytes = 0;  ///< of an element

  std::size_t rows() const { return extent.height ? extent.height : 1; }
  std::size_t slices() const { return extent.depth ? extent.depth : 1; }
  std::size_t pitch() const { return extent.width * bytes; }
};

namespace kata::emulator {

/// Bytes of a texel: one, two or four components of 8, 16 or 32 bits; 0 if it is none.
unsigned texel_bytes(const cudaChannelFormatDesc& desc);

/// Whether it was allocated and not freed.
bool is_array(const cudaArray* array);

}  // namespace kata::emulator
