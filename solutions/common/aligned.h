#pragma once
// Whether a pointer allows 16-byte accesses (float4). cudaMalloc aligns to 256 bytes, but a caller
// may pass the middle of an array.

#include <stdint.h>

inline bool is_aligned16(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}
