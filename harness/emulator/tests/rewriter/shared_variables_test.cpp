// __shared__ variables become references into the block's memory.
#include <doctest/doctest.h>

#include "emulator/tests/rewriter/rewritten.h"

using namespace kata::emulator;
using namespace kata::emulator::test;

TEST_CASE("a shared variable becomes a reference into the block's memory") {
  CHECK(rewritten("__global__ void k() { __shared__ float s[32][N + 1]; }") ==
        "__global__ void k() { typedef  float __kata_type_s[32][N + 1]; "
        "static __KATA_CONSTINIT ::__kata::SharedSlot __kata_slot_s = {sizeof(__kata_type_s), "
        "alignof(__kata_type_s), \"s\", __LINE__, 0, 0, ::__kata::padding_of<__kata_type_s>()}; "
        "__kata_type_s& s = *(__kata_type_s*)__kata_shared(&__kata_slot_s); }");
}

TEST_CASE("shared declarations of every shape are found") {
  const auto in_kernel = [](const std::string& declaration) {
    return rewritten("void k() { " + declaration + " }");
  };
  CHECK(contains(in_kernel("__shared__ int a, b[3];"), "__kata_type_a, __kata_type_b[3]"));
  CHECK(contains(in_kernel("__shared__ int a, b[3];"), "__kata_type_b& b ="));
  CHECK(contains(in_kernel("volatile __shared__ float v;"), "typedef volatile"));
  CHECK(contains(in_kernel("static __shared__ float v;"), "__kata_type_v& v"));
  CHECK(contains(in_kernel("__shared__ std::pair<int, float> p;"),
                 "std::pair<int, float> __kata_type_p;"));
  CHECK(
      contains(in_kernel("__shared__ float4 x[K][2], *p;"), "__kata_type_x[K][2], *__kata_type_p"));
  CHECK(contains(in_kernel("__shared__ __align__(16) char c[4];"),
                 "__align__(16) char __kata_type_c[4]"));
  CHECK(
      contains(in_kernel("__shared__ alignas(16) char c[4];"), "__align__(16) char __kata_type_c"));
  CHECK(contains(in_kernel("alignas(float4) __shared__ char c[4];"), "__align__(alignof(float4))"));
  CHECK(contains(in_kernel("__shared__ struct { int a; float b[2]; } s;"), "} __kata_type_s;"));
  CHECK(contains(in_kernel("__shared__ union U { int a, b; } u;"), "} __kata_type_u;"));
  CHECK(contains(in_kernel("__shared__ typename X<T>::type t[N];"), "X<T>::type __kata_type_t[N]"));
}

TEST_CASE("dynamic shared memory is one reference without a slot") {
  const std::string text = rewritten("void k() { extern __shared__ float s[]; s[0] = 1; }");
  CHECK(contains(text,
                 "typedef   float __kata_type_s[]; "
                 "__kata_type_s& s = ::__kata::dynamic_shared<__kata_type_s>(); s[0] = 1;"));
  CHECK_FALSE(contains(text, "SharedSlot"));
}

TEST_CASE("shared variables at namespace scope are declared in the functions that use them") {
  const std::string text = rewritten(
      "extern __shared__ float dyn[];\n__shared__ int fixed[4];\n"
      "template <class T> __global__ void a(T* x) { x[0] = dyn[fixed[1]]; }\n"
      "struct S { __device__ int f() const { return fixed[0]; } int g() { return s.dyn; } };\n"
      "__global__ void parameter(float* dyn) { dyn[0] = 1; }\n"
      "namespace n { __global__ void b() { { dyn[1] = 2; } } }\n"
      "__global__ void none(float* x) { x[0] = 1; }\n");
  CHECK(contains(text, "typedef   float __kata_type_dyn[];\n"));
  CHECK(contains(text,
                 "void a(T* x) { __kata_type_dyn& dyn = "
                 "::__kata::dynamic_shared<__kata_type_dyn>(); { __kata_type_fixed& fixed = "
                 "*(__kata_type_fixed*)__kata_shared(&__kata_slot_fixed); { x[0]"));
  CHECK(contains(text, "f() const { __kata_type_fixed& fixed"));
  CHECK(contains(text, "int g() { return s.dyn; }"));
  CHECK(contains(text, "parameter(float* dyn) { dyn[0] = 1; }"));
  CHECK(contains(text, "void b() { __kata_type_dyn& dyn"));
  CHECK(contains(text, "none(float* x) { x[0] = 1; }"));
  CHECK(lines(text) == 7);
}

TEST_CASE("an initialised shared variable is refused, as nvcc does, with its line") {
  const Rewritten result = rewrite("void k() {\n  __shared__ int hits = 0;\n}\n", {});
  REQUIRE(result.problems.size() == 1);
  CHECK(result.problems[0].line == 2);
  CHECK(contains(result.problems[0].message, "hits"));
}

TEST_CASE("a type may precede __shared__") {
  CHECK(rewritten("void k() { extern float __shared__ x[]; }") ==
        "void k() { typedef  float  __kata_type_x[]; __kata_type_x& x = "
        "::__kata::dynamic_shared<__kata_type_x>(); }");
}

TEST_CASE("a macro may declare shared memory by a name that it is given or puts together") {
  const std::string text = rewritten(
      "#define DYNAMIC(T, n) extern __shared__ T n##_raw[]; T* n = n##_raw;\n"
      "#define TILE(T, n) __shared__ T n[32]\n");
  CHECK(contains(text,
                 "T __kata_type_##n##_raw[]; __kata_type_##n##_raw& n##_raw = "
                 "::__kata::dynamic_shared<__kata_type_##n##_raw>(); T* n = n##_raw;\n"));
  CHECK(contains(text,
                 "T __kata_type_##n[32]; static __KATA_CONSTINIT ::__kata::SharedSlot "
                 "__kata_slot_##n = {sizeof(__kata_type_##n), alignof(__kata_type_##n), #n,"));
}
