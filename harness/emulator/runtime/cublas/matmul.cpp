#include "emulator/runtime/cublas/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>

namespace kata::emulator {
namespace {

// The parts of which an epilogue's value is the sum.
constexpr int relu = CUBLASLT_EPILOGUE_RELU, bias = CUBLASLT_EPILOGUE_BIAS,
              gelu = CUBLASLT_EPILOGUE_GELU, gelu_gradient = CUBLASLT_EPILOGUE_DGELU & ~128,
              bias_gradient_a = CUBLASLT_EPILOGUE_BGRADA,
              bias_gradient_b = CUBLASLT_EPILOGUE_BGRADB, auxiliary = 128;

/// cuBLASLt's GELU is the approximation by tanh.
struct Gelu {
  explicit Gelu(double of) : x(of), tanh(std::tanh(root * (of + 0.044715 * of * of * of))) {}
  double value() const { return 0.5 * x * (1 + tanh); }
  double slope() const {
    return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * root * (1 + 3 * 0.044715 * x * x);
  }
  static constexpr double root = 0.7978845608028654;  // sqrt(2 / pi)
  double x, tanh;
};

/// The name of an epilogue that the emulator lacks; else null.
const char* lacking_epilogue(cublasLtEpilogue_t epilogue) {
  switch (epilogue) {
    case CUBLASLT_EPILOGUE_RELU_AUX:
      return "CUBLASLT_EPILOGUE_RELU_AUX";
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
      return "CUBLASLT_EPILOGUE_RELU_AUX_BIAS";
    case CUBLASLT_EPILOGUE_DRELU:
      return "CUBLASLT_EPILOGUE_DRELU";
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
      return "CUBLASLT_EPILOGUE_DRELU_BGRAD";
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
      return "CUBLASLT_EPILOGUE_DGELU_BGRAD";
    default:
      return nullptr;
  }
}

bool is_by_rows(const Matmul::Layout& layout) {
  return layout.order == CUBLASLT_ORDER_ROW;
}

Elements elements(const Matmul::Layout& layout, const void* data, int index) {
  const auto rows = static_cast<long long>(layout.rows), cols = static_cast<long long>(layout.cols);
  const long long start = index * layout.strided_batch_offset * (long long)bytes_of(layout.type);
  const Extent extent =
      is_by_rows(layout) ? Extent{cols, rows, layout.ld} : Extent{rows, cols, layout.ld};
  return {static_cast<const char*>(data) + start, layout.type, extent, is_by_rows(layout)};
}

/// Of op(matrix).
struct Shape {
  std::uint64_t rows, cols;
  bool operator==(const Shape&) const = default;
  std::string text() const { return fmt::format("{} x {}", rows, cols); }
};

Shape shape(const Matmul::Layout& layout, cublasOperation_t op = CUBLAS_OP_N) {
  return op == CUBLAS_OP_N ? Shape{layout.rows, layout.cols} : Shape{layout.cols, layout.rows};
}

/// Of each row of op(matrix), or of each column.
std::vector<double> sums(const Elements& matrix, cublasOperation_t op, bool of_rows) {
  const bool of_stored_rows = of_rows == (op == CUBLAS_OP_N);
  std::vector<double> result(
      static_cast<std::size_t>(of_stored_rows ? matrix.rows() : matrix.cols()));
  const std::vector<double> values = matrix.packed();
  const auto rows = static_cast<std::size_t>(matrix.rows());
  for (std::size_t i = 0; i < values.size(); ++i)
    result[of_stored_rows ? i % rows : i / rows] += values[i];
  return result;
}

}  // namespace

void Matmul::check_layout(CublasCall& call, const char* name, const Layout& layout) const {
  if (bytes_of(layout.type) == 0) call.lacks(fmt::format("elements of {}'s type", name));
  if (layout.order != CUBLASLT_ORDER_COL && !is_by_rows(layout))
    call.lacks(fmt::format("the order of {}: CUBLASLT_ORDER_COL and CUBLASLT_ORDER_ROW run", name));
  if (std::max(layout.rows, layout.cols) > INT_MAX)
    call.lacks("matrices of more than 2^31 rows or columns");
  const std::uint64_t lines = is_by_rows(layout) ? layout.cols : layout.rows;
  call.require(layout.ld >= static_cast<long long>(lines),
               fmt::format("the leading dimension of {} is {}, and it has {} {}", name, layout.ld,
                           lines, is_by_rows(layout) ? "columns" : "rows"));
  call.require(layout.batch_count == d_.batch_count,
               fmt::format("{} is a batch of {} matrices, and D of {}", name, layout.batch_count,
                           d_.batch_count));
}

void Matmul::check_shapes(CublasCall& call) const {
  const Shape a = shape(a_, desc_.transa), b = shape(b_, desc_.transb);
  call.require(a.cols == b.rows && shape(d_) == Shape{a.rows, b.cols},
               fmt::format("op(A) is {}, op(B) {} and D {}", a.text(), b.text(), shape(d_).text()));
  call.require(shape(c_) == shape(d_),
               fmt::format("C is {}, and D {}", shape(c_).text(), shape(d_).text()));
}

void Matmul::check_epilogue(CublasCall& call) const {
  if (const char* name = lacking_epilogue(desc_.epilogue)) call.lacks(name);
  if (has(bias | bias_gradient_a | bias_gradient_b) && bytes_of(bias_type()) == 0)
    call.lacks("elements of the bias' type");
  if (!has(auxiliary)) return;
  if (bytes_of(aux_type()) == 0) call.lacks("elements of the auxiliary matrix' type");
  if (is_by_rows(d_)) call.lacks("an auxiliary matrix beside a D of CUBLASLT_ORDER_ROW");
  call.require(desc_.aux_ld >= static_cast<long long>(d_.rows),
               fmt::format("CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD is {}, and D has {} rows",
                           desc_.aux_ld, d_.rows));
}

void Matmul::check(CublasCall& call) const {
  check_layout(call, "A", a_);
  check_layout(call, "B", b_);
  check_layout(call, "C", c_);
  check_layout(call, "D", d_);
  check_shapes(call);
  check_epilogue(call);
  if (desc_.pointer_mode > CUBLASLT_POINTER_MODE_DEVICE) call.lacks("a vector of alphas");
  const bool scales_ints =
      desc_.compute_type == CUBLAS_COMPUTE_32I && desc_.scale_type == CUDA_R_32F;
  if (desc_.scale_type != scalar_type(desc_.compute_type) && !scales_ints)
    call.not_supported("the compute type does not go with that type of alpha and beta");
  if (a_.type != b_.type) call.not_supported("A and B have different types");
}

void Matmul::run(CublasCall& call, const void* alpha, const void* beta, const Data& data) const {
  const double scale = scalar(call, "alpha", alpha, desc_.scale_type);
  const double keep = scalar(call, "beta", beta, desc_.scale_type);
  for (int i = 0; i < d_.batch_count && call.ok(); ++i) run_one(call, scale, keep, data, i);
}

void Matmul::run_one(CublasCall& call, double alpha, double beta, const Data& data,
                     int index) const {
  const Elements A = elements(a_, data.a, index), B = elements(b_, data.b, index);
  const Elements C = elements(c_, data.c, index), D = elements(d_, data.d, index);
  const auto beside = [&](const void* start, cudaDataType type, long long stride, Extent extent) {
    return Elements{static_cast<const char*>(start) + index * stride * (long long)bytes_of(type),
                    type, extent};
  };
  const long long length = has(bias_gradient_b) ? D.cols() : D.rows();
  const Elements vector =
      beside(desc_.bias_pointer, bias_type(), desc_.bias_batch_stride, {length, 1, length});
  const Elements aux = beside(desc_.aux_pointer, aux_type(), desc_.aux_batch_stride,
                              {D.rows(), D.cols(), desc_.aux_ld});
  A.check(call, "A", false);
  B.check(call, "B", false);
  if (beta != 0) C.check(call, "C", false);
  D.check(call, "D", true);
  if (has(bias)) vector.check(call, "the bias", false);
  if (has(bias_gradient_a | bias_gradient_b)) vector.check(call, "the bias' gradient", true);
  if (has(auxiliary)) aux.check(call, "the auxiliary matrix", !has(gelu_gradient));
  if (!call.ok()) return;

  std::vector<double> result = multiply(desc_.transa, desc_.transb, alpha, A, B, beta, C);
  if (has(bias)) {
    const std::vector<double> added = vector.packed();
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += added[i % added.size()];
  }
  if (has(gelu_gradient)) {
    const std::vector<double> before = aux.packed();
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= Gelu(before[i]).slope();
  } else if (has(auxiliary)) {
    aux.set(result);
  }
  for (double& value : result) {
    if (has(relu) && value < 0) value = 0;
    if (has(gelu)) value = Gelu(value).value();
  }
  if (has(bias_gradient_a)) vector.set(sums(A, desc_.transa, true));
  if (has(bias_gradient_b)) vector.set(sums(B, desc_.transb, false));
  D.set(result);
}

}  // namespace kata::emulator
