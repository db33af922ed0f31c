// `kata run` on programs that use cuBLASLt's matrix product.
#include "program_desk.h"

using kata::Finished;
using kata::test::contains;
using kata::test::Desk;
using kata::test::has_blas;

namespace {

/// A program that goes on in main: `set` and `layout` make what `Lt::run` computes, and `Array` is
/// managed memory with small numbers of both signs in it.
const char* const prelude = R"(
#include <cublasLt.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#define CHECK(call) if (cublasStatus_t s = (call)) printf("%s\n", cublasLtGetStatusName(s)), exit(3)
template <class T> struct Array {
  explicit Array(int n) : n(n) {
    cudaMallocManaged(&at, n * sizeof(T));
    for (int i = 0; i < n; ++i) at[i] = (T)((i * 7 + n) % 11 / 4.0f - 1.25f);
  }
  ~Array() { cudaFree(at); }
  float operator[](int i) const { return (float)at[i]; }
  T* at;
  int n;
};
cublasLtMatrixLayout_t layout(cudaDataType type, int rows, int cols, int ld, int order = 0,
                              int batch = 1, int64_t stride = 0) {
  cublasLtMatrixLayout_t l;
  CHECK(cublasLtMatrixLayoutCreate(&l, type, rows, cols, ld));
  CHECK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
  CHECK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
  CHECK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
  return l;
}
struct Lt {
  explicit Lt(cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT) {
    CHECK(cublasLtCreate(&handle));
    CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  }
  template <class V> void set(cublasLtMatmulDescAttributes_t name, V value) {
    CHECK(cublasLtMatmulDescSetAttribute(desc, name, &value, sizeof value));
  }
  void run(float alpha, const void* A, cublasLtMatrixLayout_t a, const void* B, cublasLtMatrixLayout_t b,
           float beta, const void* C, void* D, cublasLtMatrixLayout_t d) {
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    size_t limit = 1 << 20;
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &limit, sizeof limit));
    CHECK(cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, d, d, preference, 1, &result, &found));
    if (found != 1 || result.state || result.workspaceSize) exit(4);
    CHECK(cublasLtMatmul(handle, desc, &alpha, A, a, B, b, &beta, C, d, D, d, &result.algo, nullptr, 0, 0));
    cudaDeviceSynchronize();
    cublasLtMatmulPreferenceDestroy(preference);
    for (auto one : {a, b, d}) cublasLtMatrixLayoutDestroy(one);
    cublasLtMatmulDescDestroy(desc);
    cublasLtDestroy(handle);
  }
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t desc;
  cublasLtMatmulPreference_t preference;
};
float gelu(float x) { return 0.5f * x * (1 + std::tanh(0.7978846f * (x + 0.044715f * x * x * x))); }
bool agrees = true;
void same(float got, float wanted) { agrees &= std::fabs(got - wanted) < 1e-4f; }
int main() {
)";

Finished run(const Desk& desk, const std::string& main) {
  desk.folder.write("x.cu", prelude + main + "}\n");
  return desk.run("x.cu");
}

/// The program compares with plain arithmetic: `same`.
void agrees(const std::string& main) {
  if (!has_blas()) return;
  const Desk desk;
  const Finished ran = run(desk, main + R"(printf("%s\n", agrees ? "same" : "differs");)");
  INFO(ran.errors);
  CHECK(ran.exit_status == 0);
  CHECK(ran.output == "same\n");
  CHECK(contains(ran.errors, "nothing found"));
}

/// What is found, the message among it.
void finds(const std::string& main, const std::string& message) {
  if (!has_blas()) return;
  const Desk desk;
  const Finished ran = run(desk, main);
  INFO(ran.errors);
  CHECK(ran.exit_status != 0);
  CHECK(contains(ran.errors, message));
}

}  // namespace

TEST_CASE("cuBLASLt's product with a bias and GELU is that of plain arithmetic") {
  agrees(R"(
  const int m = 5, n = 3, k = 4;  // A^T of k x m, D in columns of 8
  Array<float> A(k * m), B(k * n), D(8 * n), bias(m), before(8 * n);
  Lt lt(CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  lt.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  lt.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.at);
  lt.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, before.at);
  lt.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)8);
  lt.run(0.5f, A.at, layout(CUDA_R_32F, k, m, k), B.at, layout(CUDA_R_32F, k, n, k), 0, D.at, D.at,
         layout(CUDA_R_32F, m, n, 8));
  for (int row = 0; row < m; ++row)
    for (int col = 0; col < n; ++col) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += A[i + row * k] * B[i + col * k];
      same(before[row + col * 8], 0.5f * sum + bias[row]);
      same(D[row + col * 8], gelu(0.5f * sum + bias[row]));
    }
)");
}

TEST_CASE("cuBLASLt takes matrices row by row, with C apart from D, a bias and ReLU") {
  agrees(R"(
  const int m = 5, n = 3, k = 4;
  Array<__half> A(m * k);
  Array<__half> B(k * n);
  Array<float> C(m * n), D(m * n), bias(m);
  Lt lt(CUBLASLT_EPILOGUE_RELU_BIAS);
  lt.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.at);
  lt.run(2, A.at, layout(CUDA_R_16F, m, k, k, CUBLASLT_ORDER_ROW), B.at,
         layout(CUDA_R_16F, k, n, k), 3, C.at, D.at, layout(CUDA_R_32F, m, n, n, CUBLASLT_ORDER_ROW));
  for (int row = 0; row < m; ++row)
    for (int col = 0; col < n; ++col) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i + col * k];
      same(D[row * n + col], std::fmax(0.0f, 2 * sum + 3 * C[row * n + col] + bias[row]));
    }
)");
}

TEST_CASE("cuBLASLt's batches are each multiplied, where the stride is 0 by the same matrix") {
  agrees(R"(
  const int m = 4, n = 2, k = 3, batch = 3;
  Array<__nv_bfloat16> A(batch * m * k), B(k * n);
  Array<float> D(batch * m * n);
  Lt lt;
  lt.run(1, A.at, layout(CUDA_R_16BF, m, k, m, 0, batch, m * k), B.at,
         layout(CUDA_R_16BF, k, n, k, 0, batch), 0, D.at, D.at, layout(CUDA_R_32F, m, n, m, 0, batch, m * n));
  for (int one = 0; one < batch; ++one)
    for (int row = 0; row < m; ++row)
      for (int col = 0; col < n; ++col) {
        float sum = 0;
        for (int i = 0; i < k; ++i) sum += A[one * m * k + row + i * m] * B[i + col * k];
        same(D[one * m * n + row + col * m], sum);
      }
)");
}

TEST_CASE("cuBLASLt's gradients of GELU and of a bias are those of plain arithmetic") {
  agrees(R"(
  const int m = 4, n = 3, k = 5;
  Array<float> A(m * k), B(n * k), before(m * n), D(m * n), E(m * n), gradient(n);
  Lt back(CUBLASLT_EPILOGUE_DGELU), sums(CUBLASLT_EPILOGUE_BGRADB);
  back.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, before.at);
  back.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)m);
  sums.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, gradient.at);
  back.set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T);
  sums.set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T);
  back.run(1, A.at, layout(CUDA_R_32F, m, k, m), B.at, layout(CUDA_R_32F, n, k, n), 0, D.at, D.at, layout(CUDA_R_32F, m, n, m));
  sums.run(1, A.at, layout(CUDA_R_32F, m, k, m), B.at, layout(CUDA_R_32F, n, k, n), 0, E.at, E.at, layout(CUDA_R_32F, m, n, m));
  for (int col = 0; col < n; ++col) {
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += B[col + i * n];
    same(gradient[col], sum);
    for (int row = 0; row < m; ++row) {
      const double x = before[row + col * m], h = 1e-3;
      const auto f = [](double v) { return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))); };
      same(D[row + col * m], E[row + col * m] * (f(x + h) - f(x - h)) / (2 * h));
    }
  }
)");
}

TEST_CASE("a bias that is too short for cuBLASLt, and shapes that do not go together, are found") {
  const std::string call = R"(
  Array<float> A(16), B(16), D(16), bias(2);
  Lt lt(CUBLASLT_EPILOGUE_BIAS);
  lt.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.at);
  lt.run(1, A.at, layout(CUDA_R_32F, 4, 4, 4), B.at, layout(CUDA_R_32F, ROWS, 4, 4), 0, D.at, D.at, layout(CUDA_R_32F, 4, 4, 4));
)";
  finds("const int ROWS = 4;" + call,
        "x.cu:44:5: error: out_of_bounds: cublasLtMatmul reads the bias, which has 8 bytes to the "
        "end of the buffer");
  finds("const int ROWS = 3;" + call,
        "x.cu:42:5: error: cuda_error: cublasLtMatmulAlgoGetHeuristic failed with "
        "CUBLAS_STATUS_INVALID_VALUE: op(A) is 4 x 4, op(B) 3 x 4 and D 4 x 4");
}

TEST_CASE("what the emulator's cuBLASLt lacks is CUBLAS_STATUS_NOT_SUPPORTED, by its name") {
  if (!has_blas()) return;
  const Desk desk;
  const Finished attribute =
      run(desk, "Lt lt;\nlt.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (void*)nullptr);\n");
  INFO(attribute.errors);
  CHECK(attribute.exit_status == 2);
  CHECK(attribute.output == "CUBLAS_STATUS_NOT_SUPPORTED\n");
  CHECK(contains(attribute.errors,
                 "cublasLtMatmulDescSetAttribute: the emulator does not have "
                 "CUBLASLT_MATMUL_DESC_A_SCALE_POINTER"));
  finds(R"(
  Array<float> A(16), B(16), D(16);
  Lt lt(CUBLASLT_EPILOGUE_DRELU);
  lt.run(1, A.at, layout(CUDA_R_32F, 4, 4, 4), B.at, layout(CUDA_R_32F, 4, 4, 4), 0, D.at, D.at, layout(CUDA_R_32F, 4, 4, 4));
)",
        "the emulator does not have CUBLASLT_EPILOGUE_DRELU");
  finds(R"(
  Array<float> A(16), B(16), D(16);
  Lt lt;
  lt.set(CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUDA_R_16F);
  lt.run(1, A.at, layout(CUDA_R_32F, 4, 4, 4), B.at, layout(CUDA_R_32F, 4, 4, 4), 0, D.at, D.at, layout(CUDA_R_32F, 4, 4, 4));
)",
        "CUBLAS_STATUS_NOT_SUPPORTED: the compute type does not go with that type of alpha and "
        "beta");
}
