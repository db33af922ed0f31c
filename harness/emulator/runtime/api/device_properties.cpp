// What the devices are: of compute capability 9.0 with an H200's figures. The limits of textures
// and surfaces are the CUDA C++ Programming Guide's, "Technical Specifications per Compute
// Capability", and an H200 gave the same where it was asked (2026-11-22; cubemaps and layers were
// not). Unknown values are 0.

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <map>

#include "emulator/runtime/api/devices.h"
#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/runtime.h"
#include "emulator/runtime/launch/limits.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/devices.h"

using namespace kata::emulator;

namespace {

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
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrSurfaceAlignment, limits::texture_alignment},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciBusId, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6144},
    {cudaDevAttrL2CacheSize, 60 << 20},
    {cudaDevAttrMaxThreadsPerMultiProcessor, limits::threads_per_multiprocessor},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 1 << 28},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, limits::shared_per_multiprocessor},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrMultiGpuBoardGroupID, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrCooperativeMultiDeviceLaunch, 0},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, limits::shared_per_block_opt_in},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {cudaDevAttrMaxBlocksPerMultiprocessor, limits::blocks_per_multiprocessor},
    {cudaDevAttrMaxPersistingL2CacheSize, 0},
    {cudaDevAttrMaxAccessPolicyWindowSize, 0},
    {cudaDevAttrReservedSharedMemoryPerBlock, limits::shared_reserved_per_block},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrClusterLaunch, 1},
};

int attribute(cudaDeviceAttr which) {
  if (const unsigned said = Runtime::instance().options.multiprocessors;
      which == cudaDevAttrMultiProcessorCount && said > 0)
    return static_cast<int>(said);
  const auto found = device_attributes.find(which);
  return found == device_attributes.end() ? 0 : found->second;
}

std::size_t size_attribute(cudaDeviceAttr which) {
  return static_cast<std::size_t>(attribute(which));
}

template <std::size_t n>
void set(int (&to)[n], const cudaDeviceAttr (&from)[n]) {
  for (std::size_t i = 0; i < n; ++i) to[i] = attribute(from[i]);
}

void set_textures(cudaDeviceProp& p) {
  p.textureAlignment = size_attribute(cudaDevAttrTextureAlignment);
  p.texturePitchAlignment = size_attribute(cudaDevAttrTexturePitchAlignment);
  p.maxTexture1D = attribute(cudaDevAttrMaxTexture1DWidth);
  p.maxTexture1DLinear = attribute(cudaDevAttrMaxTexture1DLinearWidth);
  set(p.maxTexture2D, {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight});
  set(p.maxTexture2DLinear,
      {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight,
       cudaDevAttrMaxTexture2DLinearPitch});
  set(p.maxTexture2DGather,
      {cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight});
  set(p.maxTexture3D,
      {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth});
  set(p.maxTexture3DAlt, {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt,
                          cudaDevAttrMaxTexture3DDepthAlt});
  p.maxTexture1DMipmap = attribute(cudaDevAttrMaxTexture1DMipmappedWidth);
  set(p.maxTexture2DMipmap,
      {cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight});
  p.maxTextureCubemap = attribute(cudaDevAttrMaxTextureCubemapWidth);
  set(p.maxTexture1DLayered,
      {cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers});
  set(p.maxTexture2DLayered,
      {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
       cudaDevAttrMaxTexture2DLayeredLayers});
  set(p.maxTextureCubemapLayered,
      {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers});
}

void set_surfaces(cudaDeviceProp& p) {
  p.surfaceAlignment = size_attribute(cudaDevAttrSurfaceAlignment);
  p.maxSurface1D = attribute(cudaDevAttrMaxSurface1DWidth);
  set(p.maxSurface2D, {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight});
  set(p.maxSurface3D,
      {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth});
  set(p.maxSurface1DLayered,
      {cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers});
  set(p.maxSurface2DLayered,
      {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
       cudaDevAttrMaxSurface2DLayeredLayers});
  p.maxSurfaceCubemap = attribute(cudaDevAttrMaxSurfaceCubemapWidth);
  set(p.maxSurfaceCubemapLayered,
      {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers});
}

/// Of a block, a multiprocessor and the grid.
void set_limits(cudaDeviceProp& p) {
  p.sharedMemPerBlock = limits::shared_per_block;
  p.sharedMemPerBlockOptin = limits::shared_per_block_opt_in;
  p.reservedSharedMemPerBlock = limits::shared_reserved_per_block;
  p.sharedMemPerMultiprocessor = limits::shared_per_multiprocessor;
  p.regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);
  p.regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.warpSize = 32;
  p.maxThreadsPerBlock = limits::threads_per_block;
  p.maxThreadsPerMultiProcessor = limits::threads_per_multiprocessor;
  p.maxBlocksPerMultiProcessor = limits::blocks_per_multiprocessor;
  p.multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
  set(p.maxThreadsDim, {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ});
  set(p.maxGridSize, {cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ});
}

void set_memory(cudaDeviceProp& p) {
  p.totalGlobalMem = DeviceMemory::bytes_total();
  p.memPitch = size_attribute(cudaDevAttrMaxPitch);
  p.totalConstMem = size_attribute(cudaDevAttrTotalConstantMemory);
  p.memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  p.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  p.globalL1CacheSupported = p.localL1CacheSupported = p.ECCEnabled = p.unifiedAddressing = 1;
  p.canMapHostMemory = p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.managedMemory = p.concurrentManagedAccess = p.memoryPoolsSupported = 1;
}

}  // namespace

cudaError_t kata::emulator::check_device(int device, const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (is_device(device)) return cudaSuccess;
  const int count = device_count();
  return fail(cudaErrorInvalidDevice, function,
              count == 1
                  ? fmt::format("there is one device, number 0, and {} was asked for", device)
                  : fmt::format("there are {} devices, numbers 0 to {}, and {} was asked for",
                                count, count - 1, device),
              place);
}

cudaError_t kata::emulator::check_devices(int one, int other, const char* function, Place place) {
  const cudaError_t error = check_device(one, function, place);
  return error ? error : check_device(other, function, place);
}

cudaError_t cudaGetDeviceCount(int* count) {
  KATA_RETURN_STICKY();
  if (count) *count = device_count();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  KATA_RETURN_STICKY();
  if (device) *device = current_device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (is_device(device)) set_current_device(device);
  return check_device(device, "cudaSetDevice", KATA_CALLER());
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  KATA_RETURN_STICKY();
  if (device) *device = 0;  // they are equal
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) {
  return Errors::instance().sticky();
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  const cudaError_t error = check_device(device, "cudaDeviceGetAttribute", KATA_CALLER());
  if (error) return error;
  const auto found = device_attributes.find(which);
  if (!value || found == device_attributes.end()) {
    return fail(cudaErrorInvalidValue, "cudaDeviceGetAttribute",
                fmt::format("the emulator does not know attribute {}", static_cast<int>(which)),
                KATA_CALLER());
  }
  *value = which == cudaDevAttrPciBusId ? device : attribute(which);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const cudaError_t error = check_device(device, "cudaGetDeviceProperties", KATA_CALLER());
  if (error) return error;
  cudaDeviceProp& p = *properties;
  p = {};
  std::strcpy(p.name, "kata emulator");
  p.major = 9;
  p.pciBusID = device;
  p.clockRate = attribute(cudaDevAttrClockRate);
  p.asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
  p.singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  p.deviceOverlap = p.concurrentKernels = p.streamPrioritiesSupported = 1;
  p.cooperativeLaunch = p.clusterLaunch = p.computePreemptionSupported = 1;
  p.deviceNumaId = p.hostNumaId = -1;  // there are none
  set_limits(p);
  set_memory(p);
  set_textures(p);
  set_surfaces(p);
  return cudaSuccess;
}
