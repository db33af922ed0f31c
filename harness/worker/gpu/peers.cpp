#include "worker/gpu/peers.h"

namespace kata {

int device_count() {
  int count = 1;
  cudaGetDeviceCount(&count);
  return count;
}

std::vector<cudaStream_t> open_devices() {
  std::vector<cudaStream_t> streams(static_cast<std::size_t>(device_count()));
  for (std::size_t device = 0; device < streams.size(); ++device) {
    const OnDevice current(static_cast<int>(device));
    for (std::size_t peer = 0; peer < streams.size(); ++peer)
      if (peer != device) cudaDeviceEnablePeerAccess(static_cast<int>(peer), 0);
    cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking);
  }
  cudaGetLastError();  // devices without a link between them: kernels will say so
  return streams;
}

cudaError_t finish_devices(std::size_t count) {
  cudaError_t first = cudaSuccess;
  for (std::size_t device = 0; device < count; ++device) {
    const OnDevice current(static_cast<int>(device));
    const cudaError_t error = cudaDeviceSynchronize();
    if (first == cudaSuccess) first = error;
  }
  return first;
}

Gate::Gate(Kernel kernel) : kernel_(kernel) {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, sizeof(unsigned), cudaHostAllocPortable | cudaHostAllocMapped) ==
      cudaSuccess) {
    opened_ = static_cast<volatile unsigned*>(memory);
    *opened_ = 0;
  }
}

Gate::~Gate() {
  cudaFreeHost(const_cast<unsigned*>(opened_));
}

void Gate::open() {
  *opened_ = ++number_;
}

}  // namespace kata
