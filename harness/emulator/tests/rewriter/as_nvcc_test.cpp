// What nvcc refuses and a C++ compiler takes.
#include <doctest/doctest.h>

#include <string>

#include "emulator/rewriter/rewrite.h"

using namespace kata::emulator;

TEST_CASE("what nvcc refuses in device code is refused, with its line") {
  const auto refused = [](const std::string& source) {
    const Rewritten result = rewrite(source, {.as_nvcc = true});
    return !result.problems.empty();
  };
  const auto kernel = [](const std::string& body) {
    return "__global__ void k(float* p, int n) { " + body + " }";
  };
  for (const char* body :
       {"p[0] = std::max(p[0], p[1]);", "std::swap(p[0], p[1]);", "std::sort(p, p + n);",
        "p[0] = std::numeric_limits<float>::max();", "std::vector<float> v(n);", "throw 1;",
        "std::cout << p[0];", "p[0] = rand();", "p[0] = std::accumulate(p, p + n, 0.f);"}) {
    CAPTURE(body);
    CHECK(refused(kernel(body)));
    CHECK_FALSE(refused("void h(float* p, int n) { " + std::string(body) + " }"));
    CHECK(rewrite(kernel(body), {}).problems.empty());
  }
  for (const char* body : {"p[0] = std::abs(p[0]) + std::sqrt(p[1]);", "float x = std::move(p[0]);",
                           "p[0] = static_cast<std::size_t>(n); std::size_t(n);",
                           "max(p[0], p[1]);", "constexpr std::uint32_t m = 3; p[0] = m;"}) {
    CAPTURE(body);
    CHECK_FALSE(refused(kernel(body)));
  }
  CHECK_FALSE(refused(kernel("int i = threadIdx.x p[i] = 1;")));  // a semicolon is missing
  CHECK(refused("int g = 3; " + kernel("p[0] = g;")));
  CHECK(refused("static float t[] = {1, 2}; " + kernel("p[0] = t[n];")));
  CHECK_FALSE(refused("const int g = 3; " + kernel("p[0] = g;")));
  CHECK_FALSE(refused("__device__ int g; __constant__ float t[4]; " + kernel("p[0] = g + t[n];")));
  CHECK_FALSE(refused("int g = 3; " + kernel("int g = n; p[0] = g;")));
  CHECK(refused("constexpr int f(int x) { return x; } " + kernel("p[0] = f(n);")));
  CHECK_FALSE(refused("__device__ constexpr int f(int x) { return x; } " + kernel("p[0] = f(n);")));
  const std::string call = " float operator()(float x) const { return x; } }; ";
  CHECK(refused("struct F {" + call + kernel("p[0] = F()(p[1]);")));
  CHECK_FALSE(refused("struct F { __device__" + call + kernel("p[0] = F()(p[1]);")));
}

TEST_CASE("host code that takes a __device__ variable for its own is refused") {
  const auto refused = [](const std::string& body) {
    return !rewrite(
                "__device__ int d[4]; __global__ void k(int* p) { p[0] = d[0]; } void h(int* p) {" +
                    body + "}",
                {.as_nvcc = true})
                .problems.empty();
  };
  CHECK(refused("k<<<1, 1>>>(d);"));
  CHECK(refused("g<<<1, 1>>>([](float x) { return x; }, p);"));
  CHECK(refused("d[0] = 1;"));
  CHECK(refused("cudaMemset(d, 0, 16);"));
  CHECK_FALSE(refused("cudaMemcpyToSymbol(d, p, sizeof(d));"));
  CHECK_FALSE(refused("void* q; cudaGetSymbolAddress(&q, d); k<<<1, 1>>>((int*)q);"));
  CHECK_FALSE(refused("int d = 3; p[0] = d;"));
  CHECK(refused("\n#ifdef __CUDA_ARCH__\nk<<<1, 1>>>(p);\n#endif\n"));
  CHECK_FALSE(refused("\n#ifndef __CUDA_ARCH__\nk<<<1, 1>>>(p);\n#endif\n"));
}

TEST_CASE("what a launch cannot hand to a kernel is refused") {
  const auto refused = [](const std::string& source) {
    return !rewrite(source, {.as_nvcc = true}).problems.empty();
  };
  const std::string kernel = "template <class F> __global__ void k(F f, float* p) { p[0] = f(1); }";
  const auto functor = [&](const std::string& space, const std::string& argument) {
    return refused("struct F { " + space + " float operator()(float x) const { return x; } }; " +
                   kernel + "void h(float* p) { k<<<1, 1>>>(" + argument + ", p); }");
  };
  CHECK(functor("", "F()"));
  CHECK(functor("", "F{}"));
  CHECK_FALSE(functor("__device__", "F{}"));
  CHECK_FALSE(functor("__host__ __device__", "F{}"));
  const auto global = [&](const std::string& declared, const std::string& argument) {
    return refused(declared + kernel + "void h(float* p) { k<<<1, 1>>>(" + argument + ", p); }");
  };
  CHECK(global("static float t[4];", "t"));
  CHECK(global("const float t[2] = {1, 2};", "t"));
  CHECK_FALSE(global("static float t[4];", "t[0]"));
  CHECK_FALSE(global("static float* t;", "t"));
  CHECK_FALSE(global("__managed__ float t[4];", "t"));
  CHECK(refused("__global__ void k(float* p, const int& n) { p[0] = n; }"));
  CHECK(refused("template <class F> __global__ void k(float* p, F&& f) { p[0] = f(1); }"));
  CHECK_FALSE(refused("__global__ void k(float* p, int n = 3 & 1) { float& x = p[0]; x = n; }"));
  CHECK_FALSE(refused("__device__ void f(float& x) { x = 1; }"));
}

TEST_CASE("two dynamic shared arrays of one name and different types are refused") {
  const auto refused = [](const std::string& source) {
    return !rewrite(source, {.as_nvcc = true}).problems.empty();
  };
  const auto kernel = [](const std::string& name, const std::string& type) {
    return "__global__ void " + name + "() { extern __shared__ " + type + " s[]; s[0] = 1; }\n";
  };
  CHECK(refused(kernel("a", "float") + kernel("b", "int")));
  CHECK(refused(kernel("a", "float") + kernel("b", "float4")));
  CHECK(refused(kernel("a", "float") + kernel("b", "volatile float")));
  CHECK(refused("template <int N> " + kernel("a", "float") + kernel("b", "double")));
  CHECK(refused("namespace {" + kernel("a", "float") + kernel("b", "int") + "}"));
  CHECK_FALSE(rewrite(kernel("a", "float") + kernel("b", "int"), {}).problems.size() > 0);
  CHECK_FALSE(refused(kernel("a", "float") + kernel("b", "__align__(16) float")));
  CHECK_FALSE(refused(kernel("a", "unsigned") + kernel("b", "unsigned int")));
  CHECK_FALSE(refused("using real = float;" + kernel("a", "float") + kernel("b", "real")));
  CHECK_FALSE(refused("template <class T>" + kernel("a", "T") + kernel("b", "float")));
  CHECK_FALSE(refused("namespace x {" + kernel("a", "float") + "} namespace y {" +
                      kernel("b", "int") + "}"));
  CHECK_FALSE(
      refused("#if N\n" + kernel("a", "float") + "#else\n" + kernel("b", "int") + "#endif\n"));
}

TEST_CASE("kernels in classes and lambdas with __device__ are refused") {
  const auto refused = [](const std::string& source) {
    return !rewrite(source, {.as_nvcc = true}).problems.empty();
  };
  CHECK(refused("struct S { static __global__ void k(float* p) { p[0] = 1; } };"));
  CHECK(refused("struct S { template <int N> static __global__ void k(float* p) { p[0] = N; } };"));
  CHECK_FALSE(refused("namespace n { __global__ void k(float* p) { p[0] = 1; } }"));
  CHECK_FALSE(refused("struct S { __device__ void f(float* p) { p[0] = 1; } };"));
  CHECK(refused("void h(float* p) { k<<<1, 1>>>([=] __device__(float x) { return x; }, p); }"));
  CHECK(refused("void h(float* p) { auto f = [] __host__ __device__(float x) { return x; }; }"));
  CHECK(
      refused("__global__ void k(float* p) { auto f = [&] __device__(int i) { return p[i]; }; }"));
  CHECK_FALSE(refused("__global__ void k(float* p) { auto f = [&](int i) { return p[i]; }; }"));
  CHECK_FALSE(refused("[[nodiscard]] __device__ float f(float x) { return x; }"));
  CHECK_FALSE(refused("void h(float* p) { auto f = [&](int i) { return p[i]; }; f(1); }"));
}

TEST_CASE("arrays of variable size in device code are refused, those of constants are not") {
  const auto refused = [](const std::string& body) {
    return !rewrite(
                "constexpr int tile = 4; template <int N> __global__ void k(float* p, int n) {" +
                    body + "}",
                {.as_nvcc = true})
                .problems.empty();
  };
  CHECK(refused("float a[n];"));
  CHECK(refused("float a[4][n + 1];"));
  CHECK(refused("float a[blockDim.x];"));
  CHECK(refused("const int m = n * 2; float a[m];"));
  CHECK(refused("int m = 4; float a[m];"));
  CHECK_FALSE(refused("const int m = N * 2; constexpr int q = m / 2; float a[m], b[q];"));
  CHECK_FALSE(refused("float a[tile][N + 1]; a[n][0] = p[n];"));
  CHECK_FALSE(refused("constexpr int bytes = sizeof(p[n]); char a[bytes], b[sizeof(n)];"));
  CHECK_FALSE(refused("if (n) return; else p[n] = 2;"));
  CHECK_FALSE(refused("const int last = tile - 1; float a[last]; float x = a[n];"));
  CHECK(rewrite("void h(int n) { float a[n]; }", {.as_nvcc = true}).problems.empty());
}

TEST_CASE("an array of host constants and std::array's functions are refused in device code") {
  const auto refused = [](const std::string& body) {
    return !rewrite(
                "constexpr float w[4] = {1, 2, 3, 4}; __constant__ constexpr int c[2] = {1, 2};\n"
                "using Three = std::array<float, 3>;\n"
                "__global__ void k(float* p, int n) {" +
                    body + "}",
                {.as_nvcc = true})
                .problems.empty();
  };
  CHECK(refused("p[0] = w[n];"));
  CHECK(refused("for (int j = 0; j < 4; ++j) p[j] = w[j];"));
  CHECK(refused("p[0] = w[2];"));
  CHECK_FALSE(refused("constexpr float a = w[2]; p[0] = a;"));
  CHECK_FALSE(refused("float z[int(w[1])]; static_assert(w[1] == 2); if constexpr (w[0] == 1) {}"));
  CHECK_FALSE(refused("p[0] = sizeof(w) / sizeof(w[0]);"));
  CHECK_FALSE(refused("p[0] = c[n];"));
  CHECK_FALSE(refused("constexpr float w[2] = {1, 2}; p[0] = w[n];"));
  CHECK_FALSE(refused("float w[2]; p[0] = w[n];"));
  CHECK(refused("std::array<float, 4> a; a[n] = 1;"));
  CHECK(refused("std::array<float, 4> a{}; p[0] = a.size();"));
  CHECK(refused("Three a; p[0] = a[1];"));
  CHECK_FALSE(
      refused("std::array<float, 4> a; float* q = reinterpret_cast<float*>(&a); p[0] = *q;"));
}

TEST_CASE("a variable of the host is refused in device code, one that the kernel declares is not") {
  const auto refused = [](const std::string& outside, const std::string& body) {
    return !rewrite(outside + "\n__global__ void k(float* p, int n) {" + body + "}",
                    {.as_nvcc = true})
                .problems.empty();
  };
  const std::string slope = "namespace { static float slope = 0.5f; }";
  CHECK(refused(slope, "p[n] = p[n] * slope;"));
  CHECK(refused("unsigned long long calls;", "p[n] = calls;"));
  CHECK_FALSE(refused(slope, "float slope = 2; p[n] *= slope;"));
  CHECK_FALSE(refused(slope, "float a = 1, slope = 2; p[n] *= slope * a;"));
  CHECK_FALSE(refused(slope, "auto f = [](float slope) { return slope; }; p[n] = f(1);"));
  CHECK_FALSE(refused("__device__ float slope = 1;", "p[n] *= slope;"));
  CHECK_FALSE(refused("const float slope = 1; constexpr float b = 2;", "p[n] *= slope * b;"));
  CHECK_FALSE(refused("int const threads = sizeof(long) * 8;", "p[threads - n] = 1;"));
  CHECK(refused("const float slope[1] = {2 * 3};", "int i = 0; p[n] = slope[i];"));
  CHECK(refused("const float* slope = nullptr;", "int i = 0; p[n] = slope[i];"));
  CHECK_FALSE(refused("struct Row { float slope; };", "Row row; row.slope = 1; p[n] = row.slope;"));
  CHECK_FALSE(refused("void h() { float slope = 1; }", "p[n] = slope;"));
  CHECK_FALSE(refused("int n;", "p[n] = sizeof(n);"));
}
