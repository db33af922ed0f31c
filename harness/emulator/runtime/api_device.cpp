// What the device is: one of compute capability 9.0 with an H200's figures.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "emulator/runtime/device_memory.h"
#include "emulator/runtime/errors.h"
#include "emulator/runtime/fiber.h"
#include "emulator/runtime/kernels.h"

using namespace kata::emulator;

namespace {

#define CALLER ::kata::emulator::before(__builtin_return_address(0))

const std::map<int, int> device_attributes = {
    {cudaDevAttrMaxThreadsPerBlock, limits::threads_per_block},
    {cudaDevAttrMaxBlockDimX, limits::block.x},
    {cudaDevAttrMaxBlockDimY, limits::block.y},
    {cudaDevAttrMaxBlockDimZ, limits::block.z},
    {cudaDevAttrMaxGridDimX, limits::grid.x},
    {cudaDevAttrMaxGridDimY, limits::grid.y},
    {cudaDevAttrMaxGridDimZ, limits::grid.z},
    {cudaDevAttrMaxSharedMemoryPerBlock, limits::shared_per_block},
    {cudaDevAttrTotalConstantMemory, 64 << 10},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, std::numeric_limits<int>::max()},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrTextureAlignment, limits::texture_alignment},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrMultiProcessorCount, limits::multiprocessors},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciBusId, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6144},
    {cudaDevAttrL2CacheSize, 60 << 20},
    {cudaDevAttrMaxThreadsPerMultiProcessor, limits::threads_per_multiprocessor},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, limits::shared_per_multiprocessor},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, limits::shared_per_block_opt_in},
    {cudaDevAttrMaxBlocksPerMultiprocessor, limits::blocks_per_multiprocessor},
    {cudaDevAttrMaxPersistingL2CacheSize, 0},
    {cudaDevAttrReservedSharedMemoryPerBlock, limits::shared_reserved_per_block},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrClusterLaunch, 1},
};

int attribute(cudaDeviceAttr which) {
  const auto found = device_attributes.find(which);
  return found == device_attributes.end() ? 0 : found->second;
}

std::size_t size_attribute(cudaDeviceAttr which) {
  return static_cast<std::size_t>(attribute(which));
}

cudaError_t check_device(int device, const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (device == 0) return cudaSuccess;
  return fail(cudaErrorInvalidDevice, function,
              fmt::format("there is one device, number 0, and {} was asked for", device), place);
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  KATA_RETURN_STICKY();
  if (count) *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  KATA_RETURN_STICKY();
  if (device) *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return check_device(device, "cudaSetDevice", CALLER);
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return cudaGetDevice(device);  // the only one
}
cudaError_t cudaSetDeviceFlags(unsigned) {
  return Errors::instance().sticky();
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  const cudaError_t error = check_device(device, "cudaDeviceGetAttribute", CALLER);
  if (error) return error;
  const auto found = device_attributes.find(which);
  if (!value || found == device_attributes.end()) {
    return fail(cudaErrorInvalidValue, "cudaDeviceGetAttribute",
                fmt::format("the emulator does not know attribute {}", static_cast<int>(which)),
                CALLER);
  }
  *value = found->second;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const cudaError_t error = check_device(device, "cudaGetDeviceProperties", CALLER);
  if (error) return error;
  cudaDeviceProp& p = *properties;
  p = {};
  std::strcpy(p.name, "kata emulator");
  p.totalGlobalMem = DeviceMemory::bytes_total();
  p.sharedMemPerBlock = limits::shared_per_block;
  p.regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = 32;
  p.memPitch = size_attribute(cudaDevAttrMaxPitch);
  p.maxThreadsPerBlock = limits::threads_per_block;
  const auto extent = [](int* to, const Triple& limit) {
    to[0] = static_cast<int>(limit.x);
    to[1] = static_cast<int>(limit.y);
    to[2] = static_cast<int>(limit.z);
  };
  extent(p.maxThreadsDim, limits::block);
  extent(p.maxGridSize, limits::grid);
  p.clockRate = attribute(cudaDevAttrClockRate);
  p.totalConstMem = size_attribute(cudaDevAttrTotalConstantMemory);
  p.major = 9;
  p.textureAlignment = size_attribute(cudaDevAttrTextureAlignment);
  p.deviceOverlap = attribute(cudaDevAttrGpuOverlap);
  p.multiProcessorCount = limits::multiprocessors;
  p.canMapHostMemory = p.concurrentKernels = p.ECCEnabled = p.unifiedAddressing = 1;
  p.asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
  p.memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  p.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  p.maxThreadsPerMultiProcessor = limits::threads_per_multiprocessor;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = limits::shared_per_multiprocessor;
  p.regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.managedMemory = p.concurrentManagedAccess = p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = limits::shared_per_block_opt_in;
  p.maxBlocksPerMultiProcessor = limits::blocks_per_multiprocessor;
  p.reservedSharedMemPerBlock = limits::shared_reserved_per_block;
  p.memoryPoolsSupported = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return Errors::instance().sticky();  // every launch has run to its end
}

cudaError_t cudaDeviceReset() {
  DeviceMemory::instance().release_all();
  Kernels::instance().clear();
  Errors::instance().clear_sticky();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  KATA_RETURN_STICKY();
  if (limit == cudaLimitMallocHeapSize) DeviceMemory::instance().set_heap_limit(value);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  KATA_RETURN_STICKY();
  if (!value)
    return fail(cudaErrorInvalidValue, "cudaDeviceGetLimit", "the result has no place", CALLER);
  *value = limit == cudaLimitStackSize        ? fiber_stack_bytes
           : limit == cudaLimitMallocHeapSize ? DeviceMemory::instance().heap_limit()
                                              : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return Errors::instance().sticky();
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return Errors::instance().sticky();
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  KATA_RETURN_STICKY();
  if (config) *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  KATA_RETURN_STICKY();
  if (config) *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  KATA_RETURN_STICKY();
  if (can) *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return fail(cudaErrorInvalidDevice, "cudaDeviceEnablePeerAccess",
              fmt::format("there is no device {} to be a peer", peer), CALLER);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return fail(cudaErrorPeerAccessNotEnabled, "cudaDeviceDisablePeerAccess",
              fmt::format("there is no device {} to be a peer", peer), CALLER);
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version) *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}
