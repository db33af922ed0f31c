#pragma once
// A product by cuBLASLt: of the algorithms that its heuristic proposes for a size, the fastest.
//
// The first call with a size times every proposal, so it takes long; later calls use the choice.
// cuBLASLt is column-major, and a row-major matrix is the column-major form of its transpose, so
// the call computes C^T = B^T A^T: the same memory, with the factors swapped.

#include <cublasLt.h>
#include <stdint.h>
#include <stdio.h>

#include <map>
#include <tuple>

struct LtTypes {
  cudaDataType_t factor, result, scale;
  cublasComputeType_t compute;
  bool b_is_n_by_k = false;  // B is [N, K], else [K, N]
};

class LtProduct {
 public:
  explicit LtProduct(const LtTypes& types) : types_(types) {
    check(cublasLtCreate(&handle_), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&operation_, types.compute, types.scale), "desc");
    const cublasOperation_t op = types.b_is_n_by_k ? CUBLAS_OP_T : CUBLAS_OP_N;
    set(CUBLASLT_MATMUL_DESC_TRANSA, op);
    cudaMalloc(&workspace_, WORKSPACE);
  }

  // D = epilogue(A B + bias), with one bias per column.
  void use_bias(cublasLtEpilogue_t epilogue, const void* bias, cudaDataType_t type) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type);
  }

  // C = alpha A B + beta C. alpha and beta are of type LtTypes::scale.
  void run(const void* A, const void* B, void* C, int M, int N, int K, const void* alpha,
           const void* beta, bool may_overwrite) {
    Layouts l(types_, M, N, K);
    const auto call = [&](const cublasLtMatmulAlgo_t& algorithm) {
      return cublasLtMatmul(handle_, operation_, alpha, B, l.b, A, l.a, beta, C, l.c, C, l.c,
                            &algorithm, workspace_, WORKSPACE, nullptr);
    };
    const auto size = std::make_tuple(M, N, K);
    if (chosen_.count(size) == 0) chosen_[size] = choose(l, call, may_overwrite);
    check(call(chosen_[size]), "cublasLtMatmul");
  }

 private:
  static constexpr size_t WORKSPACE = 64 << 20;

  struct Layouts {
    Layouts(const LtTypes& types, int M, int N, int K) {
      cublasLtMatrixLayoutCreate(&a, types.factor, K, M, K);
      cublasLtMatrixLayoutCreate(&b, types.factor, types.b_is_n_by_k ? K : N,
                                 types.b_is_n_by_k ? N : K, types.b_is_n_by_k ? K : N);
      cublasLtMatrixLayoutCreate(&c, types.result, N, M, N);
    }
    ~Layouts() {
      for (cublasLtMatrixLayout_t layout : {a, b, c}) cublasLtMatrixLayoutDestroy(layout);
    }
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  };

  // Without permission to overwrite C, the first proposal.
  template <class Call>
  cublasLtMatmulAlgo_t choose(const Layouts& l, const Call& call, bool may_overwrite) {
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &WORKSPACE, sizeof(WORKSPACE));
    // Partial sums of a split K are added as they were computed, not rounded to the result's type.
    const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                         &reductions, sizeof(reductions));
    cublasLtMatmulHeuristicResult_t proposals[24];
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle_, operation_, l.b, l.a, l.c, l.c, preference, 24,
                                         proposals, &count),
          "cublasLtMatmulAlgoGetHeuristic");
    cublasLtMatmulPreferenceDestroy(preference);
    int best = 0;
    float best_ms = 1e30f;
    for (int i = 0; may_overwrite && i < count; ++i) {
      const float ms = milliseconds([&] { return call(proposals[i].algo); });
      if (ms < best_ms) best_ms = ms, best = i;
    }
    return proposals[best].algo;
  }

  // Of three calls, after one to warm up.
  template <class Call>
  static float milliseconds(const Call& call) {
    if (call() != CUBLAS_STATUS_SUCCESS) return 1e30f;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    for (int i = 0; i < 3; ++i) call();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return ms;
  }

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulDescSetAttribute(operation_, attribute, &value, sizeof(value)),
          "attribute");
  }
  static void check(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS) {
      fprintf(stderr, "%s: %s\n", what, cublasLtGetStatusString(status));
    }
  }

  LtTypes types_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  void* workspace_ = nullptr;
  std::map<std::tuple<int, int, int>, cublasLtMatmulAlgo_t> chosen_;
};
