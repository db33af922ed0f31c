#pragma once
// COUNT neighbouring elements of any type: one 16-byte access if they have 16 bytes, else one
// access for each element.
//
// For 16 bytes the address must be a multiple of 16, and all elements must belong to the buffer.
// Loops over `at` must be unrolled, so that the elements stay in registers.

#include <cuda_runtime.h>

#include <string.h>

template <class T, int COUNT>
struct Pack {
  T at[COUNT];
};

template <int COUNT, class T>
__device__ Pack<T, COUNT> load_pack(const T* from) {
  Pack<T, COUNT> pack;
  if constexpr (sizeof(pack) == sizeof(uint4)) {
    const uint4 bits = *reinterpret_cast<const uint4*>(from);
    memcpy(&pack, &bits, sizeof(pack));  // between registers
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; ++k) pack.at[k] = from[k];
  }
  return pack;
}

template <int COUNT, class T>
__device__ void store_pack(T* to, const Pack<T, COUNT>& pack) {
  if constexpr (sizeof(pack) == sizeof(uint4)) {
    uint4 bits;
    memcpy(&bits, &pack, sizeof(bits));
    *reinterpret_cast<uint4*>(to) = bits;
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; ++k) to[k] = pack.at[k];
  }
}

// The same for data that is not read again soon: it leaves L2 before other data does.
template <int COUNT, class T>
__device__ Pack<T, COUNT> load_pack_once(const T* from) {
  Pack<T, COUNT> pack;
  if constexpr (sizeof(pack) == sizeof(uint4)) {
    const uint4 bits = __ldcs(reinterpret_cast<const uint4*>(from));
    memcpy(&pack, &bits, sizeof(pack));
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; ++k) pack.at[k] = __ldcs(from + k);
  }
  return pack;
}

template <int COUNT, class T>
__device__ void stream_pack(T* to, const Pack<T, COUNT>& pack) {
  if constexpr (sizeof(pack) == sizeof(uint4)) {
    uint4 bits;
    memcpy(&bits, &pack, sizeof(bits));
    __stcs(reinterpret_cast<uint4*>(to), bits);
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; ++k) __stcs(to + k, pack.at[k]);
  }
}
