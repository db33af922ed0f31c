#include "worker/gpu/cuda_error.h"

#include <fmt/format.h>

namespace kata {
namespace {

Finding invalid_configuration(const cudaDeviceProp& device) {
  return {.kind = FindingKind::invalid_launch,
          .message = fmt::format(
              "a launch configuration is not possible on this GPU, so the kernel never ran. The "
              "limits: 1 to {} threads in a block, block dimensions up to {} x {} x {}, grid "
              "dimensions from 1 to {} x {} x {}, {} bytes of shared memory in a block (up to {} "
              "after cudaFuncSetAttribute). A grid of 0 blocks comes from n / BLOCK where "
              "(n + BLOCK - 1) / BLOCK is meant",
              device.maxThreadsPerBlock, device.maxThreadsDim[0], device.maxThreadsDim[1],
              device.maxThreadsDim[2], device.maxGridSize[0], device.maxGridSize[1],
              device.maxGridSize[2], device.sharedMemPerBlock, device.sharedMemPerBlockOptin)};
}

Finding invalid_value(const cudaDeviceProp& device) {
  return {.kind = FindingKind::cuda_error,
          .message = fmt::format(
              "a CUDA call or launch got an argument that it cannot accept. Usual causes: more "
              "dynamic shared memory than allowed ({} bytes, up to {} after "
              "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)), "
              "or a cudaMemcpy with a wrong pointer, size or direction",
              device.sharedMemPerBlock, device.sharedMemPerBlockOptin)};
}

Finding out_of_resources(const cudaDeviceProp& device) {
  return {.kind = FindingKind::invalid_launch,
          .message = fmt::format(
              "a block needs more registers than one has ({}), so the kernel never ran: registers "
              "per thread times threads per block. Launch fewer threads in a block, or tell the "
              "compiler the block size with __launch_bounds__(THREADS)",
              device.regsPerBlock)};
}

Finding finding(FindingKind kind, std::string message) {
  return {.kind = kind, .message = std::move(message)};
}

Finding described(cudaError_t error, const cudaDeviceProp& device) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
      return invalid_configuration(device);
    case cudaErrorInvalidValue:
      return invalid_value(device);
    case cudaErrorLaunchOutOfResources:
      return out_of_resources(device);
    case cudaErrorIllegalAddress:
      return finding(FindingKind::out_of_bounds,
                     "a kernel read or wrote an address that is not mapped: far outside its "
                     "buffers, or a null or host pointer. Check the index against the size before "
                     "the access; --backend emulator names the line");
    case cudaErrorMisalignedAddress:
      return finding(FindingKind::misaligned,
                     "a kernel accessed an address that is no multiple of the access's size. A "
                     "float4 needs 16-byte alignment: rows whose length is no multiple of 4 do "
                     "not start at one; --backend emulator names the line");
    case cudaErrorLaunchFailure:
      return finding(FindingKind::cuda_error,
                     "a kernel was stopped by an exception on the GPU, often an access past the "
                     "end of shared or local memory; --backend emulator names the line");
    case cudaErrorAssert:
      return finding(FindingKind::cuda_error,
                     "an assert() in a kernel failed; its line is in the output");
    case cudaErrorLaunchTimeout:
      return finding(FindingKind::timeout,
                     "a kernel ran longer than the driver allows on a GPU that also drives a "
                     "screen. Look for a loop that does not end");
    case cudaErrorCooperativeLaunchTooLarge:
      return finding(FindingKind::invalid_launch,
                     "a cooperative launch has more blocks than fit on the GPU at once: ask "
                     "cudaOccupancyMaxActiveBlocksPerMultiprocessor and let each block loop");
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorInvalidAddressSpace:
      return finding(FindingKind::cuda_error,
                     "a kernel was stopped by an exception on the GPU: a trap, a wrong pointer to "
                     "shared or local memory, or too deep a recursion");
    case cudaErrorMemoryAllocation:
      return finding(FindingKind::cuda_error,
                     "the candidate asked for more device memory than is free. Free what is "
                     "allocated in each call, or need no workspace");
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorNoKernelImageForDevice:
      return finding(FindingKind::cuda_error,
                     fmt::format("the module holds no code for this GPU (compute capability "
                                 "{}.{}): remove kata's module cache and check again",
                                 device.major, device.minor));
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
      return finding(FindingKind::cuda_error,
                     "the driver is older than the CUDA Toolkit that compiled this file and "
                     "cannot translate its code: update the driver, or use an older toolkit");
    case cudaErrorUnknown:
      return finding(FindingKind::cuda_error,
                     "the driver gives no reason. If the next check fails in the same way, look "
                     "at `nvidia-smi` and `kata doctor`");
    default:
      return finding(FindingKind::cuda_error, cudaGetErrorString(error));
  }
}

}  // namespace

std::string name_of(cudaError_t error) {
  return fmt::format("{} ({})", cudaGetErrorName(error), static_cast<int>(error));
}

Finding explain(cudaError_t error, const cudaDeviceProp& device) {
  Finding result = described(error, device);
  result.message = fmt::format("{}: {}", name_of(error), result.message);
  return result;
}

std::string explain_no_device(cudaError_t error) {
  switch (error) {
    case cudaErrorNoDevice:
      return "there is no NVIDIA GPU in this machine (or CUDA_VISIBLE_DEVICES hides it): use "
             "kata check --backend emulator";
    case cudaErrorInsufficientDriver:
      return "there is no NVIDIA driver, or it is older than the CUDA Toolkit: update it, or use "
             "kata check --backend emulator";
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
      return fmt::format(
          "{}: the NVIDIA driver is not ready (a reboot after its update may be missing): look at "
          "`nvidia-smi`, or use kata check --backend emulator",
          name_of(error));
    default:
      return fmt::format("{}: {}; look at `nvidia-smi`, or use kata check --backend emulator",
                         name_of(error), cudaGetErrorString(error));
  }
}

}  // namespace kata
