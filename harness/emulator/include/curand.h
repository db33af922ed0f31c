#pragma once
#pragma GCC system_header
// cuRAND's host functions. The distributions are cuRAND's, the numbers are not: they come from
// another generator, the same for every type.

#include "kata_emulator/letters_begin.h"

#include <vector>

#include "cuda_runtime.h"

#ifndef CURAND_H_  // else <curand_kernel.h> has included the toolkit's
#include "kata_emulator/curand_types.h"
#endif

struct curandGenerator_st {
  bool fills_host_memory;
  unsigned long long seed = 0, position = 0;
  cudaStream_t stream = nullptr;

  /// 64 random bits: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators"
  /// (2014).
  unsigned long long next() {
    unsigned long long x = (seed * 0x9e3779b97f4a7c15u + ++position) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
  /// In (0, 1], as cuRAND's.
  double uniform() { return (double)((next() >> 11) + 1) * 0x1p-53; }
  double normal() { return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()); }
  /// D. Knuth, TAOCP 3.4.1; by the normal distribution where that takes long.
  unsigned poisson(double lambda) {
    if (lambda > 64) return (unsigned)fmax(0, lround(lambda + sqrt(lambda) * normal()));
    unsigned count = 0;
    for (double product = uniform(); product > exp(-lambda); product *= uniform()) ++count;
    return count;
  }
};

namespace __kata {

/// `draw()` for each element.
template <class T, class F>
__KATA_INLINE curandStatus_t fill_with(curandGenerator_t generator, T* to, size_t n, F draw) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  std::vector<T> values(n);
  for (T& value : values) value = (T)draw();
  if (generator->fills_host_memory) {
    memcpy(to, values.data(), n * sizeof(T));
    return CURAND_STATUS_SUCCESS;
  }
  return cudaMemcpyAsync(to, values.data(), n * sizeof(T), cudaMemcpyHostToDevice,
                         generator->stream) == cudaSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_LAUNCH_FAILURE;
}
/// Normal numbers come in pairs.
template <class T, class F>
__KATA_INLINE curandStatus_t fill_with_pairs(curandGenerator_t generator, T* to, size_t n, F draw) {
  return n % 2 ? CURAND_STATUS_LENGTH_NOT_MULTIPLE : fill_with(generator, to, n, draw);
}
static __KATA_INLINE curandStatus_t create_generator(curandGenerator_t* generator,
                                                     curandRngType_t type, bool fills_host_memory) {
  if (type < CURAND_RNG_PSEUDO_DEFAULT || type >= CURAND_RNG_QUASI_DEFAULT) {
    __kata_unsupported("cuRAND's quasi-random generators", __builtin_FILE(), __builtin_LINE());
    return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = new curandGenerator_st{fills_host_memory};
  return CURAND_STATUS_SUCCESS;
}

}  // namespace __kata

#define __KATA_CURAND extern "C" __KATA_INLINE curandStatus_t

__KATA_CURAND curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return ::__kata::create_generator(generator, type, false);
}
__KATA_CURAND curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return ::__kata::create_generator(generator, type, true);
}
__KATA_CURAND curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
__KATA_CURAND curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                 unsigned long long seed) {
  generator->seed = seed;
  generator->position = 0;
  return CURAND_STATUS_SUCCESS;
}
__KATA_CURAND curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  generator->position = offset;
  return CURAND_STATUS_SUCCESS;
}
__KATA_CURAND curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) {
  return CURAND_STATUS_SUCCESS;
}
__KATA_CURAND curandGenerateSeeds(curandGenerator_t) {
  return CURAND_STATUS_SUCCESS;
}
__KATA_CURAND curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
__KATA_CURAND curandGetVersion(int* version) {
  *version = 10300;
  return CURAND_STATUS_SUCCESS;
}

__KATA_CURAND curandGenerate(curandGenerator_t g, unsigned* to, size_t n) {
  return ::__kata::fill_with(g, to, n, [g] { return g->next() >> 32; });
}
__KATA_CURAND curandGenerateLongLong(curandGenerator_t g, unsigned long long* to, size_t n) {
  return ::__kata::fill_with(g, to, n, [g] { return g->next(); });
}
__KATA_CURAND curandGenerateUniform(curandGenerator_t g, float* to, size_t n) {
  return ::__kata::fill_with(g, to, n, [g] { return ((g->next() >> 40) + 1) * 0x1p-24f; });
}
__KATA_CURAND curandGenerateUniformDouble(curandGenerator_t g, double* to, size_t n) {
  return ::__kata::fill_with(g, to, n, [g] { return g->uniform(); });
}
__KATA_CURAND curandGeneratePoisson(curandGenerator_t g, unsigned* to, size_t n, double lambda) {
  return ::__kata::fill_with(g, to, n, [g, lambda] { return g->poisson(lambda); });
}
__KATA_CURAND curandGenerateNormal(curandGenerator_t g, float* to, size_t n, float mean,
                                   float deviation) {
  return ::__kata::fill_with_pairs(g, to, n, [=] { return mean + deviation * g->normal(); });
}
__KATA_CURAND curandGenerateNormalDouble(curandGenerator_t g, double* to, size_t n, double mean,
                                         double deviation) {
  return ::__kata::fill_with_pairs(g, to, n, [=] { return mean + deviation * g->normal(); });
}
__KATA_CURAND curandGenerateLogNormal(curandGenerator_t g, float* to, size_t n, float mean,
                                      float deviation) {
  return ::__kata::fill_with_pairs(g, to, n, [=] { return exp(mean + deviation * g->normal()); });
}
__KATA_CURAND curandGenerateLogNormalDouble(curandGenerator_t g, double* to, size_t n, double mean,
                                            double deviation) {
  return ::__kata::fill_with_pairs(g, to, n, [=] { return exp(mean + deviation * g->normal()); });
}
#undef __KATA_CURAND

#include "kata_emulator/letters_end.h"
