#pragma once
// The BLAS that is installed ($KATA_BLAS, libopenblas.so.0 or libblas.so.3), loaded when cuBLAS is
// first used.

#include <cstddef>
#include <string>
#include <utility>

namespace kata::emulator {

/// A function of BLAS by its Fortran name without the underscore, "sgemm"; null where there is no
/// BLAS.
void* blas_function(const std::string& name);

template <class T>
inline constexpr char blas_letter = 'd';
template <>
inline constexpr char blas_letter<float> = 's';

/// Calls `<s or d><name>` with everything by address, as Fortran does. Characters' lengths, which
/// follow the other arguments, are the caller's: one {1} for each.
template <class T, class Result = void, class... Arguments>
Result call_blas(const char* name, Arguments... arguments) {
  using Function = Result (*)(Arguments...);
  return reinterpret_cast<Function>(blas_function(blas_letter<T> + std::string(name)))(
      arguments...);
}

}  // namespace kata::emulator
