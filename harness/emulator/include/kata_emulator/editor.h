#pragma once
#pragma GCC system_header
// For clangd alone, which reads a candidate in clang's CUDA mode: the C library's functions as
// device code may call them, and what a launch calls. Nothing here is ever compiled to code.

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#pragma clang force_cuda_host_device begin
#include "../driver_types.h"
#include "../vector_types.h"
#pragma clang force_cuda_host_device end

extern "C" {
__device__ void __assert_fail(const char* condition, const char* file, unsigned line,
                              const char* function);
__device__ int printf(const char* format, ...);
__device__ void* memcpy(void* to, const void* from, size_t bytes);
__device__ void* memmove(void* to, const void* from, size_t bytes);
__device__ void* memset(void* to, int value, size_t bytes);
__device__ void* malloc(size_t bytes);
__device__ void free(void* pointer);
__device__ int abs(int x);
__device__ long labs(long x);
__device__ long long llabs(long long x);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                     cudaStream_t stream = nullptr);
unsigned cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0,
                           cudaStream_t stream = nullptr);
}

// name(double), name(float) and namef(float)
#define __KATA_EDIT1(name)                   \
  __device__ float name(float x);            \
  extern "C" __device__ double name(double); \
  extern "C" __device__ float name##f(float);
#define __KATA_EDIT2(name)                           \
  __device__ float name(float x, float y);           \
  extern "C" __device__ double name(double, double); \
  extern "C" __device__ float name##f(float, float);

__KATA_EDIT1(acos)
__KATA_EDIT1(acosh)
__KATA_EDIT1(asin)
__KATA_EDIT1(asinh)
__KATA_EDIT1(atan)
__KATA_EDIT1(atanh)
__KATA_EDIT1(cbrt)
__KATA_EDIT1(ceil)
__KATA_EDIT1(cos)
__KATA_EDIT1(cosh)
__KATA_EDIT1(erf)
__KATA_EDIT1(erfc)
__KATA_EDIT1(exp)
__KATA_EDIT1(exp10)
__KATA_EDIT1(exp2)
__KATA_EDIT1(expm1)
__KATA_EDIT1(fabs)
__KATA_EDIT1(floor)
__KATA_EDIT1(lgamma)
__KATA_EDIT1(log)
__KATA_EDIT1(log10)
__KATA_EDIT1(log1p)
__KATA_EDIT1(log2)
__KATA_EDIT1(nearbyint)
__KATA_EDIT1(rint)
__KATA_EDIT1(round)
__KATA_EDIT1(sin)
__KATA_EDIT1(sinh)
__KATA_EDIT1(sqrt)
__KATA_EDIT1(tan)
__KATA_EDIT1(tanh)
__KATA_EDIT1(tgamma)
__KATA_EDIT1(trunc)
__KATA_EDIT2(atan2)
__KATA_EDIT2(copysign)
__KATA_EDIT2(fdim)
__KATA_EDIT2(fmax)
__KATA_EDIT2(fmin)
__KATA_EDIT2(fmod)
__KATA_EDIT2(hypot)
__KATA_EDIT2(nextafter)
__KATA_EDIT2(pow)
__KATA_EDIT2(remainder)

__device__ float abs(float x);
__device__ double abs(double x);
extern "C" {
__device__ float fmaf(float a, float b, float c);
__device__ double fma(double a, double b, double c);
__device__ float ldexpf(float x, int exponent);
__device__ float frexpf(float x, int* exponent);
__device__ long lrintf(float x);
__device__ long lroundf(float x);
__device__ void sincosf(float x, float* s, float* c);
__device__ float __expf(float x);
__device__ float __exp10f(float x);
__device__ float __logf(float x);
__device__ float __log2f(float x);
__device__ float __log10f(float x);
__device__ float __sinf(float x);
__device__ float __cosf(float x);
__device__ float __tanf(float x);
__device__ float __tanhf(float x);
__device__ float __powf(float x, float y);
__device__ void __sincosf(float x, float* s, float* c);
__device__ void sincos(double x, double* s, double* c);
}
