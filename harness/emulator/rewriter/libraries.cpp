#include "emulator/rewriter/libraries.h"

#include <algorithm>
#include <array>

namespace kata::emulator {
namespace {

constexpr std::array<Library, 27> libraries{{
    {"cub/", "CUB", "cub", "libcub-dev libthrust-dev"},
    {"thrust/", "Thrust", "thrust", "libcub-dev libthrust-dev"},
    {"cublasXt", "cuBLASXt", "cublasXt*"},
    {"cublasLt", "this part of cuBLASLt", "cublasLt*"},
    {"cublas", "this part of cuBLAS", "cublas*"},
    {"cudnn", "cuDNN", "cudnn*"},
    {"curand", "cuRAND", "curand*"},
    {"cufftXt", "cuFFTXt", "cufftXt*"},
    {"cudalibxt", "cuFFTXt", "cudaLibXt*"},
    {"cufft", "this part of cuFFT", "cufft*"},
    {"cusparse", "cuSPARSE", "cusparse*"},
    {"cusolver", "cuSOLVER", "cusolver*"},
    {"cutensor", "cuTENSOR", "cutensor*"},
    {"nccl", "NCCL", "nccl*"},
    {"nvrtc", "NVRTC", "nvrtc*"},
    {"nvtx3/", "NVTX", "nvtx*"},
    {"nvToolsExt", "NVTX", "nvtx*"},
    {"cutlass/", "CUTLASS", "cutlass"},
    {"cute/", "CuTe", "cute"},
    {"torch/", "PyTorch", "torch"},
    {"ATen/", "PyTorch", ""},
    {"cuda/std/barrier", "libcu++'s <cuda/std/barrier>", ""},
    {"cuda/std/latch", "libcu++'s <cuda/std/latch>", ""},
    {"cuda/std/semaphore", "libcu++'s <cuda/std/semaphore>", ""},
    {"cuda/std/", "libcu++", "", "libcu++-dev"},
    {"cuda/", "this part of libcu++", ""},
    {"cuda_texture_types", "textures", ""},
}};

// Of the libraries above, the headers that there are.
constexpr std::array<std::string_view, 10> present{
    "cuda/atomic", "cuda/std/atomic", "cuda/barrier", "cuda/pipeline", "cuda/ptx",
    "cublas_v2.h", "cublas_api.h",    "cublasLt.h",   "curand.h",      "cufft.h"};

}  // namespace

const Library* library_of_header(std::string_view header) {
  if (std::find(present.begin(), present.end(), header) != present.end()) return nullptr;
  const auto found = std::find_if(libraries.begin(), libraries.end(), [&](const Library& library) {
    return header.starts_with(library.header);
  });
  return found == libraries.end() ? nullptr : &*found;
}

const Library* library_of_name(std::string_view name) {
  const auto found = std::find_if(libraries.begin(), libraries.end(), [&](const Library& library) {
    if (!library.use.ends_with('*')) return !library.use.empty() && name == library.use;
    return name.starts_with(library.use.substr(0, library.use.size() - 1));
  });
  return found == libraries.end() ? nullptr : &*found;
}

}  // namespace kata::emulator
