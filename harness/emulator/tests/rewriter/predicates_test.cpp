// Conditions that nvcc makes predicates of.
#include <doctest/doctest.h>

#include <string>

#include "rewritten.h"

using namespace kata::emulator::test;

namespace {

std::string in_kernel(const std::string& text) {
  return rewritten(
      "__global__ void k(const float* x, float* y, int n) {\n__shared__ float s[64];\n"
      "const int t = threadIdx.x;\n" +
      text + "\n__syncthreads();\n}");
}

bool is_predicated(const std::string& text) {
  return contains(in_kernel(text), "::__kata::switches<");
}

}  // namespace

TEST_CASE("a short statement with shared memory under a condition says whether it runs") {
  CHECK(contains(
      in_kernel("if (t < n) s[t] += s[t + n];"),
      "if (::__kata::switches<1>(bool(t < n))) { s[t] += s[t + n]; ::__kata::switched(); }"));
  CHECK(contains(in_kernel("if (t < n) { s[t] = x[t]; } else s[t + 1] = 0;"),
                 "switches<3>(bool(t < n))) { s[t] = x[t]; ::__kata::in_order(); "
                 "::__kata::switched(); } else { s[t + 1] = 0; ::__kata::in_order(); "
                 "::__kata::switched(); }"));
  CHECK(contains(in_kernel("const float f = t < n ? s[t] : 0.f;"),
                 "::__kata::switches<1>(bool(t < n)) ? ::__kata::switched(s[t]) : 0.f;"));
  CHECK(contains(in_kernel("if (t < n && s[t] > 0) s[t] = 1;"),
                 "t < n && ::__kata::switches<1>(bool(s[t] > 0))"));
}

TEST_CASE("a statement that nvcc branches round says nothing") {
  CHECK_FALSE(is_predicated("if (t < n) y[t] = x[t];"));  // global memory alone
  CHECK_FALSE(is_predicated("if (t < n) { for (int i = 0; i < 4; ++i) s[t] += s[i]; }"));
  CHECK_FALSE(is_predicated("if (t < n) { s[t] = 1; __syncwarp(); }"));
  CHECK_FALSE(is_predicated("if (t < n) atomicAdd(&s[0], 1.f);"));
  CHECK_FALSE(is_predicated("if (t < n) { s[t] += s[t + 1] + s[t + 2] + s[t + 3] + s[t + 4]; }"));
  CHECK_FALSE(is_predicated("float& f = t < n ? s[t] : s[0];"));
  CHECK_FALSE(contains(rewritten("__global__ void k(float* y) {\n__shared__ float s[8];\n"
                                 "if (threadIdx.x == 0) y[0] = s[0];\n}"),
                       "switches"));  // the last statement: the other lanes exit
}
