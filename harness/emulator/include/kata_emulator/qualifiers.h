#pragma once
#pragma GCC system_header
// CUDA's keywords. Host and device code share one pass, so __CUDA_ARCH__ is defined for both:
// undefined, it would hide device code that asks for an architecture, and a host-device function
// that chooses its device branch runs as well here as its host branch would.

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_FEAT_SM90_ALL 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_EMULATOR__ 1
#define __HOST_DEFINES_H__  // Thrust undefines the keywords where NVIDIA's own guard is missing

#if defined(__clang__) && defined(__CUDA__)
// An editor's clangd reads the person's file itself, in clang's CUDA mode, where CUDA's keywords
// are attributes and a launch calls __cudaPushCallConfiguration.
#define __KATA_EDITOR 1
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#else
// Functions are inlined, as nvcc does it. It matters: of `pairs[i] = f(x)` g++ shows no store if f
// is called and returns a structure in registers.
#define __global__ __attribute__((noinline, flatten))
#define __device__
#define __host__
// The runtime finds them by their sections; each has its own, since const ones are laid out apart.
#define __KATA_SECTION(number) section(".kata_constant." #number)
#define __KATA_CONSTANT(number) __attribute__((__KATA_SECTION(number)))
#define __constant__ __KATA_CONSTANT(__COUNTER__)
#endif
#define __managed__
#define __NV_SILENCE_DEPRECATION_BEGIN  // in cuRAND's headers
#define __NV_SILENCE_DEPRECATION_END
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#ifdef __CUDA__
#define __noinline__ __attribute__((noinline))
#endif  // else the rewriter's: libstdc++ has __attribute__((__noinline__)), which no macro survives
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#ifndef __restrict__
#define __restrict__ __restrict
#endif
