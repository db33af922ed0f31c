#pragma once
#pragma GCC system_header
// Reads through textures and surfaces. What they read is decided by the emulator's runtime
// (runtime/api/textures.cpp); the loads and stores are made here, so that they are checked.

#include "../texture_types.h"
#include "abi.h"

// ---- what a texel is

static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                          cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc();

#define __KATA_CHANNEL(T, x, y, z, w, kind)                                \
  template <>                                                              \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                \
    return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind); \
  }
#define __KATA_CHANNELS(T, name, bits, kind)      \
  __KATA_CHANNEL(T, bits, 0, 0, 0, kind)          \
  __KATA_CHANNEL(name##1, bits, 0, 0, 0, kind)    \
  __KATA_CHANNEL(name##2, bits, bits, 0, 0, kind) \
  __KATA_CHANNEL(name##4, bits, bits, bits, bits, kind)
__KATA_CHANNELS(float, float, 32, Float)
__KATA_CHANNELS(int, int, 32, Signed)
__KATA_CHANNELS(unsigned, uint, 32, Unsigned)
__KATA_CHANNELS(short, short, 16, Signed)
__KATA_CHANNELS(unsigned short, ushort, 16, Unsigned)
__KATA_CHANNELS(signed char, char, 8, Signed)
__KATA_CHANNELS(unsigned char, uchar, 8, Unsigned)
__KATA_CHANNEL(char, 8, 0, 0, 0, Signed)

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

// ---- reads: a plain load from the texture's memory, which keeps its line; outside it 0

template <class T>
__KATA_INLINE T tex1Dfetch(cudaTextureObject_t object, int x, const char* file = __builtin_FILE(),
                           int line = __builtin_LINE()) {
  const T* const texel = (const T*)__kata_texel(object, x, sizeof(T), file, line);
  return texel ? *texel : T();
}
template <class T>
__KATA_INLINE void tex1Dfetch(T* result, cudaTextureObject_t object, int x,
                              const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  *result = tex1Dfetch<T>(object, x, file, line);
}

// ---- reads of arrays and of pitched memory: loads of the texels, and their weighted sum

namespace __kata {

static __KATA_INLINE float float_of_half(unsigned short half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                          : exponent == 0 ? ldexpf((float)fraction, -24)
                                          : ldexpf((float)(1024 + fraction), exponent - 25);
  return half >> 15 ? -magnitude : magnitude;
}

/// A component as the hardware makes a float of it.
static __KATA_INLINE float texel_component(const TextureSample& sample, const void* texel, int i) {
  if (sample.kind == cudaChannelFormatKindFloat) {
    if (sample.bits == 32) return ((const float*)texel)[i];
    return float_of_half(((const unsigned short*)texel)[i]);
  }
  if (sample.kind == cudaChannelFormatKindUnsigned) {
    return sample.bits == 8 ? (float)((const unsigned char*)texel)[i] / 255.0f
                            : (float)((const unsigned short*)texel)[i] / 65535.0f;
  }
  const float value = sample.bits == 8 ? (float)((const signed char*)texel)[i] / 127.0f
                                       : (float)((const short*)texel)[i] / 32767.0f;
  return value < -1.0f ? -1.0f : value;
}

template <class T>
__KATA_INLINE T fetched(cudaTextureObject_t object, const TextureFetch& fetch) {
  TextureSample sample;
  __kata_sample(object, &fetch, &sample);
  if (!sample.as_float && sample.count > 0 && sample.texel[0]) return *(const T*)sample.texel[0];
  constexpr int components = sizeof(T) / sizeof(float);
  float sum[components ? components : 1] = {};
  for (int k = 0; k < sample.count; ++k) {
    for (int i = 0; i < components; ++i) {
      const float value =
          sample.texel[k] ? texel_component(sample, sample.texel[k], i) : sample.border[i];
      sum[i] += sample.weight[k] * value;
    }
  }
  T result = T();
  if (sample.as_float || sample.kind == cudaChannelFormatKindFloat)
    __builtin_memcpy((void*)&result, sum, components * sizeof(float));
  return result;
}

}  // namespace __kata

// tex2D<float>(texture, x, y), and tex2D(&result, texture, x, y).
#define __KATA_TEXTURE(name, dimensions, layer_value, parameters, arguments, ...)             \
  template <class T>                                                                          \
  __KATA_INLINE T name(cudaTextureObject_t object, __KATA_LIST parameters,                    \
                       const char* file = __builtin_FILE(), int line = __builtin_LINE()) {    \
    return ::__kata::fetched<T>(                                                              \
        object, {dimensions, {__VA_ARGS__}, layer_value, (unsigned)sizeof(T), file, line});   \
  }                                                                                           \
  template <class T>                                                                          \
  __KATA_INLINE void name(T* result, cudaTextureObject_t object, __KATA_LIST parameters,      \
                          const char* file = __builtin_FILE(), int line = __builtin_LINE()) { \
    *result = name<T>(object, __KATA_LIST arguments, file, line);                             \
  }
#define __KATA_LIST(...) __VA_ARGS__
__KATA_TEXTURE(tex1D, 1, -1, (float x), (x), x)
__KATA_TEXTURE(tex2D, 2, -1, (float x, float y), (x, y), x, y)
__KATA_TEXTURE(tex3D, 3, -1, (float x, float y, float z), (x, y, z), x, y, z)
__KATA_TEXTURE(tex1DLayered, 1, layer < 0 ? 0 : layer, (float x, int layer), (x, layer), x)
__KATA_TEXTURE(tex2DLayered, 2, layer < 0 ? 0 : layer, (float x, float y, int layer), (x, y, layer),
               x, y)

// ---- surfaces: `x` counts bytes

namespace __kata {

template <class T>
__KATA_INLINE T surface_read(cudaSurfaceObject_t object, const SurfaceAccess& access) {
  const T* const element = (const T*)__kata_surface(object, &access);
  return element ? *element : T();
}
template <class T>
__KATA_INLINE void surface_write(const T& value, cudaSurfaceObject_t object,
                                 const SurfaceAccess& access) {
  if (T* const element = (T*)__kata_surface(object, &access)) *element = value;
}

}  // namespace __kata

// surf2Dread<float>(surface, x, y), surf2Dread(&result, surface, x, y) and
// surf2Dwrite(value, surface, x, y).
#define __KATA_SURFACE(name, dimensions, parameters, arguments, ...)                             \
  template <class T>                                                                             \
  __KATA_INLINE T name##read(cudaSurfaceObject_t object, __KATA_LIST parameters,                 \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                \
                             const char* file = __builtin_FILE(), int line = __builtin_LINE()) { \
    return ::__kata::surface_read<T>(                                                            \
        object, {dimensions, {__VA_ARGS__}, (unsigned)sizeof(T), (int)mode, file, line});        \
  }                                                                                              \
  template <class T>                                                                             \
  __KATA_INLINE void name##read(T* result, cudaSurfaceObject_t object, __KATA_LIST parameters,   \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,             \
                                const char* file = __builtin_FILE(),                             \
                                int line = __builtin_LINE()) {                                   \
    *result = name##read<T>(object, __KATA_LIST arguments, mode, file, line);                    \
  }                                                                                              \
  template <class T>                                                                             \
  __KATA_INLINE void name##write(T value, cudaSurfaceObject_t object, __KATA_LIST parameters,    \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,            \
                                 const char* file = __builtin_FILE(),                            \
                                 int line = __builtin_LINE()) {                                  \
    ::__kata::surface_write<T>(                                                                  \
        value, object, {dimensions, {__VA_ARGS__}, (unsigned)sizeof(T), (int)mode, file, line}); \
  }
__KATA_SURFACE(surf1D, 1, (int x), (x), x, 0, -1)
__KATA_SURFACE(surf2D, 2, (int x, int y), (x, y), x, y, -1)
__KATA_SURFACE(surf3D, 3, (int x, int y, int z), (x, y, z), x, y, z)
__KATA_SURFACE(surf2DLayered, 2, (int x, int y, int layer), (x, y, layer), x, y, layer)
