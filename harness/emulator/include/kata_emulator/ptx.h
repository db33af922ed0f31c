#pragma once
#pragma GCC system_header
// The rewriter turns   asm volatile("add.s32 %0, %1, 1;" : "=r"(y) : "r"(x) : "memory");
// into                 ::__kata::ptx(__KATA_PTX("add..."), ::__kata::ptx_out(y),
// ::__kata::ptx_in(x));

#include <string.h>

#include "abi.h"

namespace __kata {

/// The bits in the low end of a register.
template <class T>
__KATA_INLINE unsigned long long ptx_bits(T value) {
  static_assert(sizeof(T) <= 8, "an operand of asm has at most 8 bytes on the emulator");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

struct PtxIn {
  unsigned long long bits;
  static constexpr unsigned char size = 0;
  __KATA_INLINE unsigned long long get() const { return bits; }
  __KATA_INLINE void put(unsigned long long) const {}
};

template <class T, bool reads>
struct PtxOut {
  T* target;
  static constexpr unsigned char size = sizeof(T);
  __KATA_INLINE unsigned long long get() const {
    if constexpr (reads) return ptx_bits(*target);
    return 0;
  }
  __KATA_INLINE void put(unsigned long long bits) const {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    *target = value;
  }
};

template <class T>
__KATA_INLINE PtxIn ptx_in(T value) {
  return {ptx_bits(value)};
}
template <class T>
__KATA_INLINE PtxOut<T, false> ptx_out(T& target) {
  return {&target};
}
template <class T>
__KATA_INLINE PtxOut<T, true> ptx_inout(T& target) {
  return {&target};
}

/// wgmma writes to its operands when it is waited for.
constexpr bool holds_wgmma(const char* text) {
  for (; *text; ++text) {
    if (text[0] == 'm' && text[1] == 'm' && text[2] == 'a' && text[3] == '_' && text[4] == 'a')
      return true;
  }
  return false;
}

template <bool in_place>
struct PtxPlace {
  PtxSite* site;
};

template <class... Operands>
__KATA_INLINE void ptx(PtxPlace<false> place, Operands... operands) {
  unsigned long long values[sizeof...(Operands) + 1] = {operands.get()...};
  __kata_ptx(place.site, values, (int)sizeof...(Operands));
  int i = 0;
  (void)i;
  (operands.put(values[i++]), ...);
}

/// Not inline: what it does to fill in its list is not the kernel's.
template <class... Operands>
__KATA_CONVERGENT __attribute__((noinline, no_sanitize("thread"))) void ptx(PtxPlace<true> place,
                                                                            Operands... operands) {
  static constexpr unsigned char sizes[] = {Operands::size...};
  const unsigned long long list[] = {__builtin_bit_cast(unsigned long long, operands)...};
  __kata_ptx_in_place(place.site, list, sizes, (int)sizeof...(Operands),
                      __builtin_return_address(0));
}

}  // namespace __kata

#define __KATA_PTX(...)                                                                \
  (::__kata::PtxPlace<::__kata::holds_wgmma(__VA_ARGS__)>{[]() -> ::__kata::PtxSite* { \
    static ::__kata::PtxSite site = {__VA_ARGS__, __FILE__, __LINE__, nullptr};        \
    return &site;                                                                      \
  }()})
