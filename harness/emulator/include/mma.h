#pragma once
#pragma GCC system_header
// nvcuda::wmma: matrices spread over the lanes of a warp. Which element is where is unspecified in
// CUDA; here element i of a lane is number (lane * num_elements + i), by rows, of the matrix, over
// again from the start where a fragment holds a matrix more than once, as halves do. The lanes
// change places with the schedule, and a fragment knows whether its elements were set one by one:
// both show a kernel that relies on the layout.

#include "kata_emulator/letters_begin.h"

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

namespace __detail {

// The emulator's names of element types: harness/emulator/abi.h.
enum Element {
  element_f16,
  element_bf16,
  element_tf32,
  element_f32,
  element_s8,
  element_u8,
  element_s32
};

template <class T>
struct Type;
#define __KATA_WMMA_TYPE(T, S, name)         \
  template <>                                \
  struct Type<T> {                           \
    typedef S storage;                       \
    static constexpr Element element = name; \
  };
__KATA_WMMA_TYPE(__half, __half, element_f16)
__KATA_WMMA_TYPE(__nv_bfloat16, __nv_bfloat16, element_bf16)
__KATA_WMMA_TYPE(precision::tf32, float, element_tf32)
__KATA_WMMA_TYPE(float, float, element_f32)
__KATA_WMMA_TYPE(signed char, signed char, element_s8)
__KATA_WMMA_TYPE(unsigned char, unsigned char, element_u8)
__KATA_WMMA_TYPE(int, int, element_s32)

template <class Use, int m, int n, int k>
struct Extent;
template <int m, int n, int k>
struct Extent<matrix_a, m, n, k> {
  static constexpr int rows = m, columns = k;
};
template <int m, int n, int k>
struct Extent<matrix_b, m, n, k> {
  static constexpr int rows = k, columns = n;
};
template <int m, int n, int k>
struct Extent<accumulator, m, n, k> {
  static constexpr int rows = m, columns = n;
};

template <class Use, class T>
struct Repeats {
  static constexpr bool value = false;
};
template <>
struct Repeats<matrix_a, __half> {
  static constexpr bool value = true;
};
template <>
struct Repeats<matrix_b, __half> {
  static constexpr bool value = true;
};

static __KATA_INLINE unsigned lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

/// Calls f(storage index, place in memory) for each element of the lane.
template <class Fragment, class F>
__KATA_INLINE void for_each_element(unsigned ldm, bool by_rows, const F& f) {
  const unsigned layout = __kata_matrix_layout();
  for (int i = 0; i < Fragment::num_elements; ++i) {
    const unsigned e =
        ((lane() ^ layout) * Fragment::num_elements + i) % (Fragment::__rows * Fragment::__columns);
    const unsigned row = e / Fragment::__columns, column = e % Fragment::__columns;
    f(i, by_rows ? row * ldm + column : column * ldm + row);
  }
}

}  // namespace __detail

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  static_assert((m == 16 && n == 16 && (k == 16 || k == 8)) || (m == 32 && n == 8 && k == 16) ||
                    (m == 8 && n == 32 && k == 16),
                "the emulator's fragments are 16x16x16, 32x8x16, 8x32x16, and 16x16x8 of tf32");

 public:
  static constexpr int __rows = __detail::Extent<Use, m, n, k>::rows;
  static constexpr int __columns = __detail::Extent<Use, m, n, k>::columns;
  enum {
    num_elements = __detail::Repeats<Use, T>::value ? 16 : __rows * __columns / 32,
    num_storage_elements = num_elements
  };
  typedef T element_type;
  typedef typename __detail::Type<T>::storage storage_element_type;
  storage_element_type x[num_elements];
  bool __by_hand = true;  ///< nothing but the kernel's own code has set `x`
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
__KATA_INLINE void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const Value& value) {
  typedef typename fragment<Use, m, n, k, T, Layout>::storage_element_type Storage;
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = Storage(value);
  f.__by_hand = false;
}

namespace __detail {

template <class Layout>
struct ByRows;
template <>
struct ByRows<row_major> {
  static constexpr bool value = true;
};
template <>
struct ByRows<col_major> {
  static constexpr bool value = false;
};

}  // namespace __detail

/// `ldm`: elements from one row, or column, to the next.
template <class Use, int m, int n, int k, class T, class Layout>
__KATA_INLINE void load_matrix_sync(
    fragment<Use, m, n, k, T, Layout>& f,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* p, unsigned ldm) {
  __kata_check_matrix(p, sizeof(*p) * (unsigned long long)ldm, sizeof(*p));
  __detail::for_each_element<fragment<Use, m, n, k, T, Layout>>(
      ldm, __detail::ByRows<Layout>::value, [&](int i, unsigned at) __attribute__((always_inline)) {
        f.x[i] = p[at];
      });
  f.__by_hand = false;
}
template <int m, int n, int k, class T>
__KATA_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned ldm,
                                    layout_t layout) {
  __kata_check_matrix(p, sizeof(*p) * (unsigned long long)ldm, sizeof(*p));
  __detail::for_each_element<fragment<accumulator, m, n, k, T>>(
      ldm, layout == mem_row_major, [&](int i, unsigned at) __attribute__((always_inline)) {
        f.x[i] = p[at];
      });
  f.__by_hand = false;
}
template <int m, int n, int k, class T>
__KATA_INLINE void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned ldm,
                                     layout_t layout) {
  __kata_check_matrix(p, sizeof(*p) * (unsigned long long)ldm, sizeof(*p));
  __kata_store_matrix(f.x, f.num_elements, sizeof(*p), f.__by_hand);
  __detail::for_each_element<fragment<accumulator, m, n, k, T>>(
      ldm, layout == mem_row_major, [&](int i, unsigned at) __attribute__((always_inline)) {
        p[at] = f.x[i];
      });
}

template <int m, int n, int k, class A, class LayoutA, class LayoutB, class C, class D>
__KATA_INLINE void mma_sync(fragment<accumulator, m, n, k, D>& d,
                            const fragment<matrix_a, m, n, k, A, LayoutA>& a,
                            const fragment<matrix_b, m, n, k, A, LayoutB>& b,
                            const fragment<accumulator, m, n, k, C>& c, bool = false) {
  const ::__kata::MatrixProduct product = {m,
                                           n,
                                           k,
                                           a.num_elements,
                                           b.num_elements,
                                           __detail::Type<A>::element,
                                           __detail::Type<C>::element,
                                           __detail::Type<D>::element,
                                           a.x,
                                           b.x,
                                           c.x,
                                           d.x,
                                           a.__by_hand | b.__by_hand << 1 | c.__by_hand << 2};
  __kata_multiply_matrices(&product);
  d.__by_hand = false;
}

/// To 10 bits of mantissa, ties away from zero: cvt.rna.tf32.
static __KATA_INLINE float __float_to_tf32(float value) {
  const unsigned bits = __float_as_uint(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  return __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

}  // namespace wmma
}  // namespace nvcuda

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "kata_emulator/letters_end.h"
