// The runtime API's functions about kernels: attributes and occupancy.

#include <fmt/format.h>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/launch/kernel_table.h"

using namespace kata::emulator;

namespace {

cudaError_t set_attribute(const void* function, int attribute, int value, Place place) {
  KATA_RETURN_STICKY();
  if (!function) {
    return fail(cudaErrorInvalidDeviceFunction, "cudaFuncSetAttribute", "the kernel is null",
                place);
  }
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed && value)
    Kernels::instance().allow_large_clusters(function);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const std::size_t static_bytes = Kernels::instance().of(function).static_bytes;
  if (value < 0 ||
      static_bytes + static_cast<std::size_t>(value) > limits::shared_per_block_opt_in) {
    return fail(cudaErrorInvalidValue, "cudaFuncSetAttribute",
                fmt::format("{} bytes of dynamic shared memory, where a block has at most {}",
                            value, limits::shared_per_block_opt_in - static_bytes),
                place);
  }
  Kernels::instance().allow_dynamic(function, static_cast<std::size_t>(value));
  return cudaSuccess;
}

}  // namespace

int __kata_set_function_attribute(const void* function, int attribute, int value) {
  return set_attribute(function, attribute, value, KATA_CALLER());
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return set_attribute(function, attribute, value, KATA_CALLER());
}

cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
  return Errors::instance().sticky();
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  KATA_RETURN_STICKY();
  if (!attributes || !function) {
    return fail(cudaErrorInvalidDeviceFunction, "cudaFuncGetAttributes", "an argument is null",
                KATA_CALLER());
  }
  const auto kernel = Kernels::instance().of(function);
  *attributes = {};
  attributes->sharedSizeBytes = kernel.static_bytes;
  attributes->maxThreadsPerBlock = limits::threads_per_block;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel.dynamic_limit);
  attributes->preferredShmemCarveout = -1;
  attributes->nonPortableClusterSizeAllowed = kernel.cluster_limit > limits::blocks_per_cluster;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size,
                                                          std::size_t shared_bytes) {
  KATA_RETURN_STICKY();
  if (!blocks || block_size <= 0) {
    return fail(cudaErrorInvalidValue, "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                "the block size must be positive, and the pointer to the result must not be null",
                KATA_CALLER());
  }
  const std::size_t static_bytes = Kernels::instance().of(function).static_bytes;
  *blocks = static_cast<int>(
      resident_blocks(static_cast<unsigned>(block_size), static_bytes + shared_bytes));
  return cudaSuccess;
}
