// Functions of the CUDA runtime that a module finds here first: the dynamic linker takes the
// program's own before those of libcudart.so, with which modules are linked.
#include <dlfcn.h>

#include "worker/gpu/host_copies.h"

namespace {

template <class Function>
Function* in_cuda_runtime(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_on_device(const void* pointer) {
  cudaPointerAttributes attributes{};
  const bool known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
  return known && attributes.type == cudaMemoryTypeDevice;
}

/// cudaMemcpyDefault leaves it to the addresses.
cudaMemcpyKind resolved(cudaMemcpyKind kind, const void* to, const void* from) {
  if (kind != cudaMemcpyDefault) return kind;
  if (is_on_device(from))
    return is_on_device(to) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  return is_on_device(to) ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

}  // namespace

extern "C" cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes,
                                  cudaMemcpyKind kind) {
  static auto* const real = in_cuda_runtime<decltype(cudaMemcpy)>("cudaMemcpy");
  kata::note_copy(to, from, bytes, resolved(kind, to, from));
  return real(to, from, bytes, kind);
}

extern "C" cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  static auto* const real = in_cuda_runtime<decltype(cudaMemcpyAsync)>("cudaMemcpyAsync");
  kata::note_copy(to, from, bytes, resolved(kind, to, from));
  return real(to, from, bytes, kind, stream);
}
