#pragma once
#pragma GCC system_header
// The runtime API's typed forms: allocation, symbols, attributes of kernels, and launches by call.

#include "../cuda_runtime_api.h"
#include "execution_configuration.h"
#include "padding.h"

// ---- allocation: the file and line of the call name the buffer in findings

template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  const auto error = (cudaError_t)__kata_malloc((void**)pointer, bytes, 0, file, line);
  if constexpr (::__kata::may_have_padding<T>())
    if (!error) __kata_set_padding(*pointer, ::__kata::padding_of<T>());
  return error;
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream,
                            const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (__kata_is_capturing(stream)) {
    __kata_unsupported("cudaMallocAsync() in a captured stream", file, line);
    return cudaErrorNotSupported;
  }
  return (cudaError_t)__kata_malloc_async((void**)pointer, bytes, stream, file, line);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned = cudaMemAttachGlobal,
                              const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return (cudaError_t)__kata_malloc((void**)pointer, bytes, 1, file, line);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height,
                            const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  *pitch = (width + 511) / 512 * 512;
  return (cudaError_t)__kata_malloc((void**)pointer, *pitch * height, 0, file, line);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaHostAlloc((void**)pointer, bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned flags) {
  return cudaHostAlloc((void**)pointer, bytes, flags);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer((void**)device, host, flags);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault) {
  return cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
static inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = nullptr;
  return cudaSuccess;
}
/// Of the one pool there is, whose memory goes back at once.
static inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
static inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  return cudaSuccess;
}

// ---- symbols: __device__ and __constant__ variables are the module's own variables

namespace __kata {
template <class S>
__KATA_INLINE char* address_of(const S& symbol) {
  return (char*)__kata_symbol_address((const void*)&symbol, sizeof(S));
}
}  // namespace __kata

template <class S>
cudaError_t cudaGetSymbolAddress(void** pointer, const S& symbol) {
  *pointer = ::__kata::address_of(symbol);
  return cudaSuccess;
}
template <class S>
cudaError_t cudaGetSymbolSize(size_t* bytes, const S&) {
  *bytes = sizeof(S);
  return cudaSuccess;
}
template <class S>
__KATA_INLINE cudaError_t cudaMemcpyToSymbol(const S& symbol, const void* from, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  if (offset > sizeof(S) || bytes > sizeof(S) - offset) return cudaErrorInvalidValue;
  return cudaMemcpy(::__kata::address_of(symbol) + offset, from, bytes, kind);
}
template <class S>
__KATA_INLINE cudaError_t cudaMemcpyFromSymbol(void* to, const S& symbol, size_t bytes,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  if (offset > sizeof(S) || bytes > sizeof(S) - offset) return cudaErrorInvalidValue;
  return cudaMemcpy(to, ::__kata::address_of(symbol) + offset, bytes, kind);
}
template <class S>
__KATA_INLINE cudaError_t cudaMemcpyToSymbolAsync(const S& symbol, const void* from, size_t bytes,
                                                  size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = nullptr) {
  if (offset > sizeof(S) || bytes > sizeof(S) - offset) return cudaErrorInvalidValue;
  return cudaMemcpyAsync(::__kata::address_of(symbol) + offset, from, bytes, kind, stream);
}
template <class S>
__KATA_INLINE cudaError_t cudaMemcpyFromSymbolAsync(void* to, const S& symbol, size_t bytes,
                                                    size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = nullptr) {
  if (offset > sizeof(S) || bytes > sizeof(S) - offset) return cudaErrorInvalidValue;
  return cudaMemcpyAsync(to, ::__kata::address_of(symbol) + offset, bytes, kind, stream);
}

// ---- attributes and occupancy of a kernel

template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute((const void*)kernel, attribute, value);
}
template <class... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(P...)) {
  return cudaFuncGetAttributes(attributes, (const void*)kernel);
}
template <class... P>
cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), cudaFuncCache config) {
  return cudaFuncSetCacheConfig((const void*)kernel, config);
}
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(P...),
                                                          int block_size, size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)kernel, block_size,
                                                       shared_bytes);
}
template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, K kernel,
                                                                   int block_size,
                                                                   size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)kernel, block_size,
                                                       shared_bytes);
}

/// The block size, a multiple of a warp, that keeps most threads resident; the largest such one.
template <class K, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid_size, int* block_size,
                                                           K kernel, SharedBytes shared_bytes,
                                                           int limit = 0) {
  int processors = 0, best_threads = 0, device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (!error) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  for (int size = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; size >= 32 && !error;
       size -= 32) {
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)kernel, size,
                                                          (size_t)shared_bytes(size));
    if (blocks * size <= best_threads) continue;
    best_threads = blocks * size;
    *block_size = size;
    *min_grid_size = blocks * processors;
  }
  return error;
}
template <class K>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size, K kernel,
                                               size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      min_grid_size, block_size, kernel, [shared_bytes](int) { return shared_bytes; }, limit);
}

// ---- launches by call

namespace __kata {

template <size_t... I>
struct Indices {};
template <size_t N, size_t... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <size_t... I>
struct MakeIndices<0, I...> {
  typedef Indices<I...> type;
};

template <class... P>
cudaError_t launch_values(LaunchConfig config, void (*kernel)(P...), P... values) {
  config.function = (const void*)kernel;
  run_call(
      config, [kernel](P&... v) { kernel(v...); }, values...);
  return cudaPeekAtLastError();
}

template <class... P, size_t... I>
cudaError_t launch_pointers(const LaunchConfig& config, void (*kernel)(P...), void** arguments,
                            Indices<I...>) {
  return launch_values<P...>(
      config, kernel, *static_cast<typename std::remove_reference<P>::type*>(arguments[I])...);
}
template <class... P>
cudaError_t launch_pointers(const LaunchConfig& config, void (*kernel)(P...), void** arguments) {
  return launch_pointers(config, kernel, arguments, typename MakeIndices<sizeof...(P)>::type{});
}

/// `object`, which is `builtin` unless the program has a variable of that name.
template <class T, class B>
__KATA_INLINE T& in_kernel(T& object, const B& builtin, const char* what, const char* file,
                           int line) {
  if ((const void*)&object == (const void*)&builtin && !__kata_is_device_code())
    __kata_unsupported(what, file, line);
  return object;
}

/// The kernel itself; from now on it can be launched by its address alone.
template <class... P>
auto launchable(void (*kernel)(P...)) -> void (*)(P...) {
  __kata_set_launcher((const void*)kernel, [](const LaunchConfig* config, void** arguments) {
    return (int)launch_pointers(*config, (void (*)(P...))config->function, arguments);
  });
  return kernel;
}

static inline cudaError_t launch_address(const LaunchConfig& config, void** arguments) {
  if (const auto launcher = __kata_launcher(config.function))
    return (cudaError_t)launcher(&config, arguments);
  __kata_unsupported(
      "launches of an address whose kernel it does not know: cast the kernel itself to void* in "
      "the file that defines it",
      config.file, config.line);
  return cudaErrorNotSupported;
}

}  // namespace __kata

// CUDA 13's: a location in place of a device's number.
static __KATA_INLINE int __kata_device_at(cudaMemLocation where) {
  return where.type == cudaMemLocationTypeDevice ? where.id : cudaCpuDeviceId;
}
static __KATA_INLINE cudaError_t cudaMemAdvise(const void* pointer, size_t bytes,
                                               cudaMemoryAdvise advice, cudaMemLocation where) {
  return cudaMemAdvise(pointer, bytes, advice, __kata_device_at(where));
}
static __KATA_INLINE cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes,
                                                      cudaMemLocation where, unsigned,
                                                      cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, bytes, __kata_device_at(where), stream);
}

#define __KATA_IN_KERNEL(name)                                                              \
  ::__kata::in_kernel(name, ::name,                                                         \
                      #name " in a functor of Thrust: its algorithms run on the host here", \
                      __FILE__, __LINE__)

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                             const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return ::__kata::launch_pointers(
      {nullptr, file, line, grid, block, shared_bytes, stream, nullptr, 0}, kernel, arguments);
}
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                        void** arguments, size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr,
                                        const char* file = __builtin_FILE(),
                                        int line = __builtin_LINE()) {
  return ::__kata::launch_pointers(
      {nullptr, file, line, grid, block, shared_bytes, stream, nullptr, 1}, kernel, arguments);
}
static inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block,
                                           void** arguments, size_t shared_bytes = 0,
                                           cudaStream_t stream = nullptr,
                                           const char* file = __builtin_FILE(),
                                           int line = __builtin_LINE()) {
  return ::__kata::launch_address(
      {nullptr, file, line, grid, block, shared_bytes, stream, kernel, 0}, arguments);
}
static inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                                      void** arguments, size_t shared_bytes = 0,
                                                      cudaStream_t stream = nullptr,
                                                      const char* file = __builtin_FILE(),
                                                      int line = __builtin_LINE()) {
  return ::__kata::launch_address(
      {nullptr, file, line, grid, block, shared_bytes, stream, kernel, 1}, arguments);
}

// ---- launches with attributes

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

namespace __kata {

/// A configuration with the place of the call that it is handed to.
struct LaunchHere {
  const cudaLaunchConfig_t* from;
  const char* file;
  int line;
  LaunchHere(const cudaLaunchConfig_t* from, const char* file = __builtin_FILE(),
             int line = __builtin_LINE())
      : from(from), file(file), line(line) {}

  /// Attributes that are about speed alone change nothing.
  LaunchConfig config() const {
    LaunchConfig result = {
        nullptr,      file,    line, from->gridDim, from->blockDim, from->dynamicSmemBytes,
        from->stream, nullptr, 0,    {0, 0, 0}};
    for (unsigned i = 0; i < from->numAttrs; ++i) {
      if (from->attrs[i].id == cudaLaunchAttributeCooperative)
        result.cooperative = from->attrs[i].val.cooperative;
      if (from->attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization)
        result.programmatic = from->attrs[i].val.programmaticStreamSerializationAllowed;
      const auto& cluster = from->attrs[i].val.clusterDim;
      if (from->attrs[i].id == cudaLaunchAttributeClusterDimension)
        result.cluster = {cluster.x, cluster.y, cluster.z};
    }
    return result;
  }
};

}  // namespace __kata

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(::__kata::LaunchHere here, void (*kernel)(P...), A&&... arguments) {
  return ::__kata::launch_values<P...>(here.config(), kernel, static_cast<A&&>(arguments)...);
}
static inline cudaError_t cudaLaunchKernelExC(::__kata::LaunchHere here, const void* kernel,
                                              void** arguments) {
  ::__kata::LaunchConfig config = here.config();
  config.function = kernel;
  return ::__kata::launch_address(config, arguments);
}

/// A kernel begins when those before it in its stream are over, but what they wrote counts as there
/// only from here on, if the launch has cudaLaunchAttributeProgrammaticStreamSerialization.
static inline void cudaGridDependencySynchronize() {
  __kata_wait_for_dependency();
}
static inline void cudaTriggerProgrammaticLaunchCompletion() {}
