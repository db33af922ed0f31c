// What is done to the device and set on it.

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graphs.h"
#include "emulator/runtime/api/objects.h"
#include "emulator/runtime/api/pending.h"
#include "emulator/runtime/api/textures.h"
#include "emulator/runtime/launch/kernel_table.h"
#include "emulator/runtime/launch/streams.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/run/fiber.h"
#include "emulator/runtime/run/scheduler.h"

using namespace kata::emulator;

cudaError_t cudaDeviceSynchronize() {
  if (running.thread) {
    const Unsupported fault{"cudaDeviceSynchronize() in a kernel, which CUDA 12 has removed"};
    running.scheduler->abort(running.scheduler->incident(KATA_CALLER(), fault),
                             cudaErrorNotSupported);
  }
  if (const auto error = refuse_in_capture({}, "cudaDeviceSynchronize", KATA_CALLER()))
    return error;
  Pending::instance().finish_device(current_device(), {"cudaDeviceSynchronize", KATA_CALLER()});
  StreamOrder::instance().host_waits_for_device(current_device());
  return Errors::instance().sticky();
}

cudaError_t cudaDeviceReset() {
  const int device = current_device();
  Pending::instance().finish_device(device, {"cudaDeviceReset", KATA_CALLER()});
  DeviceMemory::instance().release_all(device);
  PeerAccess::instance().forget(device);
  forget_captures();
  release_textures();
  Objects::instance().clear(device);
  StreamOrder::instance().host_waits_for_device(device);
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
    return fail(cudaErrorInvalidValue, "cudaDeviceGetLimit", "the pointer to the result is null",
                KATA_CALLER());
  *value = limit == cudaLimitStackSize        ? fiber_stack_bytes
           : limit == cudaLimitMallocHeapSize ? DeviceMemory::instance().heap_limit()
                                              : 0;
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  return Errors::instance().sticky();  // nothing persists
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
cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version) *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}
