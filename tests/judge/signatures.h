#pragma once
// The forty operators' signatures, each with a candidate that checks what it is called with.

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "problems/spec/problem.h"

namespace kata::test {

/// What each pointer of a signature points to: as many elements.
inline constexpr int elements_each = 37;

inline Dims each(const Shape&) {
  return {elements_each};
}

/// Fills device memory with zeros: each backend has its own way.
inline void (*write_zeros)(void* memory, std::size_t bytes) = nullptr;

/// What the last call of a candidate was given.
struct Received {
  std::vector<const void*> pointers;
  std::vector<int> integers;
  std::vector<float> reals;
  int calls = 0;

  void take(const void* pointer) { pointers.push_back(pointer); }
  template <class T>
  requires(!std::is_const_v<T>) void take(T* output) {
    pointers.push_back(output);
    write_zeros(output, elements_each * sizeof(T));
  }
  void take(int value) { integers.push_back(value); }
  void take(float value) { reals.push_back(value); }
};
inline Received received;

template <class... P>
void candidate(P... arguments) {
  const int calls = received.calls;
  received = {};
  received.calls = calls + 1;
  (received.take(arguments), ...);
}

struct Known {
  std::string declaration;  ///< as OPERATORS has it, with CUDA's names of the types
  Problem problem;
  void* entry;
};

/// A problem whose outputs are zeros, for one signature.
template <class... P>
Known known(const std::string& name, const std::string& parameters, Declared<P>... declared) {
  Problem problem{
      .name = name,
      .summary = "",
      .frequency = "",
      .difficulty = "",
      .signature = signature(declared...),
      .cases = {},
      .bench_shapes = {},
      .reference = nullptr,
      .cost = [](const Shape&) { return Cost{.bytes_read = 1000, .bytes_written = 1000}; }};
  static constexpr std::size_t outputs =
      (0 + ... + (std::is_pointer_v<P> && !std::is_const_v<std::remove_pointer_t<P>>));
  problem.reference = [](const Inputs&, const Case&) {
    return Outputs(outputs, Expected{.value = std::vector<double>(elements_each)});
  };
  Shape shape;
  for (std::size_t i = 0; i < problem.signature.integers.size(); ++i) {
    shape.push_back(11 + static_cast<int>(i));
  }
  problem.cases = {{shape}};
  problem.bench_shapes = {shape};
  return {"void " + name + "(" + parameters + ")", problem,
          reinterpret_cast<void*>(&candidate<P...>)};
}

/// All of them.
inline const std::vector<Known>& signatures() {
  static const std::vector<Known> all{
      known("add", "const float* a, const float* b, float* c, int n", input<float>("a", each),
            input<float>("b", each), output<float>("c", each), integer("n")),
      known("relu", "const float* x, float* y, int n", input<float>("x", each),
            output<float>("y", each), integer("n")),
      known("sigmoid", "const float* x, float* y, int n", input<float>("x", each),
            output<float>("y", each), integer("n")),
      known("reduce_sum", "const float* x, float* sum, int n", input<float>("x", each),
            output<float>("sum", each), integer("n")),
      known("reduce_max", "const float* x, float* max, int n", input<float>("x", each),
            output<float>("max", each), integer("n")),
      known("softmax", "const float* x, float* y, int n", input<float>("x", each),
            output<float>("y", each), integer("n")),
      known("softmax_rows", "const float* x, float* y, int rows, int cols", input<float>("x", each),
            output<float>("y", each), integer("rows"), integer("cols")),
      known("transpose", "const float* in, float* out, int rows, int cols",
            input<float>("in", each), output<float>("out", each), integer("rows"), integer("cols")),
      known("sgemv", "const float* A, const float* x, float* y, int M, int K",
            input<float>("A", each), input<float>("x", each), output<float>("y", each),
            integer("M"), integer("K")),
      known("sgemm", "const float* A, const float* B, float* C, int M, int N, int K",
            input<float>("A", each), input<float>("B", each), output<float>("C", each),
            integer("M"), integer("N"), integer("K")),
      known("reverse", "float* x, int n", in_out<float>("x", each), integer("n")),
      known("rgb_to_gray", "const unsigned char* rgb, unsigned char* gray, int width, int height",
            input<unsigned char>("rgb", each), output<unsigned char>("gray", each),
            integer("width"), integer("height")),
      known("dot", "const float* a, const float* b, float* result, int n", input<float>("a", each),
            input<float>("b", each), output<float>("result", each), integer("n")),
      known("argmax", "const float* x, int* index, int n", input<float>("x", each),
            output<int>("index", each), integer("n")),
      known("scan", "const float* x, float* y, int n", input<float>("x", each),
            output<float>("y", each), integer("n")),
      known("histogram", "const int* x, int* counts, int n, int bins", input<int>("x", each),
            output<int>("counts", each), integer("n"), integer("bins")),
      known("compact", "const float* x, float* y, int* count, int n", input<float>("x", each),
            output<float>("y", each), output<int>("count", each), integer("n")),
      known("radix_sort", "const unsigned* in, unsigned* out, int n", input<unsigned>("in", each),
            output<unsigned>("out", each), integer("n")),
      known("topk", "const float* x, float* y, int n, int k", input<float>("x", each),
            output<float>("y", each), integer("n"), integer("k")),
      known("conv1d", "const float* x, const float* w, float* y, int n, int k",
            input<float>("x", each), input<float>("w", each), output<float>("y", each),
            integer("n"), integer("k")),
      known("conv2d",
            "const float* x, const float* w, float* y, int rows, int cols, int kernel_rows, int "
            "kernel_cols",
            input<float>("x", each), input<float>("w", each), output<float>("y", each),
            integer("rows"), integer("cols"), integer("kernel_rows"), integer("kernel_cols")),
      known("spmv",
            "const int* row_start, const int* col, const float* value, const float* x, float* y, "
            "int rows, int cols, int nnz",
            input<int>("row_start", each), input<int>("col", each), input<float>("value", each),
            input<float>("x", each), output<float>("y", each), integer("rows"), integer("cols"),
            integer("nnz")),
      known("gelu", "const float* x, float* y, int n", input<float>("x", each),
            output<float>("y", each), integer("n")),
      known("swiglu", "const float* x, float* y, int n", input<float>("x", each),
            output<float>("y", each), integer("n")),
      known("layernorm",
            "const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, "
            "float eps",
            input<float>("x", each), input<float>("gamma", each), input<float>("beta", each),
            output<float>("y", each), integer("rows"), integer("cols"), real("eps", 0.5f)),
      known("rmsnorm",
            "const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight, "
            "__nv_bfloat16* y, int rows, int cols, float eps",
            input<Bfloat16>("x", each), in_out<Bfloat16>("residual", each),
            input<Bfloat16>("weight", each), output<Bfloat16>("y", each), integer("rows"),
            integer("cols"), real("eps", 0.5f)),
      known("rope",
            "const float* x, const float* cosine, const float* sine, float* y, int tokens, int dim",
            input<float>("x", each), input<float>("cosine", each), input<float>("sine", each),
            output<float>("y", each), integer("tokens"), integer("dim")),
      known("embedding",
            "const int* ids, const float* table, float* y, int n, int vocabulary, int dim",
            input<int>("ids", each), input<float>("table", each), output<float>("y", each),
            integer("n"), integer("vocabulary"), integer("dim")),
      known("cross_entropy",
            "const float* logits, const int* labels, float* loss, int n, int classes",
            input<float>("logits", each), input<int>("labels", each), output<float>("loss", each),
            integer("n"), integer("classes")),
      known("batchnorm",
            "const float* x, const float* gamma, const float* beta, float* y, int n, int channels, "
            "float eps",
            input<float>("x", each), input<float>("gamma", each), input<float>("beta", each),
            output<float>("y", each), integer("n"), integer("channels"), real("eps", 0.5f)),
      known("adamw",
            "float* parameter, const float* gradient, float* m, float* v, int n, float lr, float "
            "beta1, float beta2, float eps, float weight_decay, int step",
            in_out<float>("parameter", each), input<float>("gradient", each),
            in_out<float>("m", each), in_out<float>("v", each), integer("n"), real("lr", 0.5f),
            real("beta1", 0.25f), real("beta2", 0.125f), real("eps", 2.5f),
            real("weight_decay", 1.5f), integer("step")),
      known("quantize_int8", "const float* x, signed char* q, float* scale, int rows, int cols",
            input<float>("x", each), output<signed char>("q", each), output<float>("scale", each),
            integer("rows"), integer("cols")),
      known("w4a16_gemv",
            "const unsigned* W, const __half* scale, const __half* x, __half* y, int M, int K",
            input<unsigned>("W", each), input<Half>("scale", each), input<Half>("x", each),
            output<Half>("y", each), integer("M"), integer("K")),
      known("moe_gate",
            "const float* logits, float* weight, int* expert, int tokens, int experts, int k",
            input<float>("logits", each), output<float>("weight", each),
            output<int>("expert", each), integer("tokens"), integer("experts"), integer("k")),
      known("attention",
            "const float* Q, const float* K, const float* V, float* O, int M, int N, int d",
            input<float>("Q", each), input<float>("K", each), input<float>("V", each),
            output<float>("O", each), integer("M"), integer("N"), integer("d")),
      known("decode_attention",
            "const __half* q, const __half* k_cache, const __half* v_cache, const int* lengths, "
            "__half* out, int batch, int heads, int kv_heads, int max_length, int dim",
            input<Half>("q", each), input<Half>("k_cache", each), input<Half>("v_cache", each),
            input<int>("lengths", each), output<Half>("out", each), integer("batch"),
            integer("heads"), integer("kv_heads"), integer("max_length"), integer("dim")),
      known("hgemm",
            "const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha, float "
            "beta",
            input<Half>("A", each), input<Half>("B", each), in_out<Half>("C", each), integer("M"),
            integer("N"), integer("K"), real("alpha", 0.5f), real("beta", 0.25f)),
      known("igemm", "const signed char* A, const signed char* B, int* C, int M, int N, int K",
            input<signed char>("A", each), input<signed char>("B", each), output<int>("C", each),
            integer("M"), integer("N"), integer("K")),
      known("gemm_bias_gelu",
            "const __nv_bfloat16* A, const __nv_bfloat16* B, const __nv_bfloat16* bias, "
            "__nv_bfloat16* C, int M, int N, int K",
            input<Bfloat16>("A", each), input<Bfloat16>("B", each), input<Bfloat16>("bias", each),
            output<Bfloat16>("C", each), integer("M"), integer("N"), integer("K")),
      known("flash_attention",
            "const __half* Q, const __half* K, const __half* V, __half* O, int batch, int heads, "
            "int length, int dim, int causal",
            input<Half>("Q", each), input<Half>("K", each), input<Half>("V", each),
            output<Half>("O", each), integer("batch"), integer("heads"), integer("length"),
            integer("dim"), integer("causal")),
  };
  return all;
}

/// Whether the last call gave each pointer its own tensor, and each number its place.
inline void check_received(const Known& one) {
  const Signature& signature = one.problem.signature;
  CAPTURE(one.declaration);
  CHECK(received.calls > 0);
  REQUIRE(received.pointers.size() == signature.tensors.size());
  const std::set<const void*> distinct(received.pointers.begin(), received.pointers.end());
  CHECK(distinct.size() == signature.tensors.size());
  CHECK(distinct.count(nullptr) == 0);
  CHECK(received.integers == one.problem.cases[0].shape);
  REQUIRE(received.reals.size() == signature.reals.size());
  for (std::size_t i = 0; i < received.reals.size(); ++i) {
    CHECK(received.reals[i] == signature.reals[i].value);
  }
}

}  // namespace kata::test
