#pragma once
// The arithmetic units of a multiprocessor that a problem's contract lets a kernel use.

namespace kata {

/// Tensor cores are named by what they multiply; they add up in float, or in int where they
/// multiply bytes.
enum class ArithmeticUnit { fma, tensor_f16, tensor_bf16, tensor_f8, tensor_i8 };

inline const char* to_string(ArithmeticUnit unit) {
  switch (unit) {
    case ArithmeticUnit::tensor_f16:
      return "tensor f16";
    case ArithmeticUnit::tensor_bf16:
      return "tensor bf16";
    case ArithmeticUnit::tensor_f8:
      return "tensor fp8";
    case ArithmeticUnit::tensor_i8:
      return "tensor int8";
    case ArithmeticUnit::fma:
      break;
  }
  return "FFMA";
}

}  // namespace kata
