#pragma once
#pragma GCC system_header
// Reads through textures: of linear memory; the rest is declared, so that a file that uses it
// elsewhere compiles.

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

#define __KATA_TEXTURE(name, ...)                                               \
  template <class T>                                                            \
  T name(cudaTextureObject_t, __VA_ARGS__, const char* file = __builtin_FILE(), \
         int line = __builtin_LINE()) {                                         \
    __kata_unsupported(#name "(), but tex1Dfetch()", file, line);               \
    return T();                                                                 \
  }
__KATA_TEXTURE(tex1D, float)
__KATA_TEXTURE(tex2D, float, float)
__KATA_TEXTURE(tex3D, float, float, float)
