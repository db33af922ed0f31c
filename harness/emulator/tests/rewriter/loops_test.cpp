// What the emulator must know of loops: how often a lane goes round, and that it may be ended.
#include <doctest/doctest.h>

#include "emulator/tests/rewriter/rewritten.h"

using namespace kata::emulator;
using namespace kata::emulator::test;

TEST_CASE("unroll pragmas speak the compiler's language") {
  CHECK(rewritten("#pragma unroll\nfor (;;) {}") == "#pragma GCC unroll 16\nfor (;;) {}");
  CHECK(rewritten("  #pragma unroll 4\n  for (;;) {}") == "  #pragma GCC unroll 4\n  for (;;) {}");
  CHECK(rewritten("#pragma unroll(8)\nwhile (x) {}") == "#pragma GCC unroll 8\nwhile (x) {}");
  CHECK(rewritten("#pragma unroll (TILE)\nfor (;;) {}") == "#pragma GCC unroll 16\nfor (;;) {}");
  CHECK(rewritten("#pragma unroll // all 32 of them\nfor (;;) {}") ==
        "#pragma GCC unroll 16\nfor (;;) {}");
  // A long body would take the compiler long; a fast module has it unrolled all the same.
  CHECK(rewritten("#pragma unroll 4\nfor (;;) f(x);") == "\nfor (;;) f(x);");
  CHECK(rewrite("#pragma unroll 4\nfor (;;) f(x);", {.unroll = true}).text ==
        "#pragma GCC unroll 4\nfor (;;) f(x);");
  CHECK(rewritten("#pragma unroll\nint x;") == "\nint x;");  // g++ would call it an error
  CHECK(rewritten("#pragma once\n#pragma omp parallel for\n") ==
        "#pragma once\n#pragma omp parallel for\n");
  CHECK(rewrite("#pragma unroll\nfor (;;) {}", {.clang = true}).text ==
        "#pragma unroll\nfor (;;) {}");
}

TEST_CASE("a loop that lanes may run differently often says how often, in its line") {
  const std::string begin = "__global__ void k(float* x, int n) {\n", end = "\n}";
  const auto loop = [&](const std::string& text) {
    const std::string all = rewritten(begin + text + end);
    CHECK(lines(all) == lines(begin + text + end));
    return all.substr(begin.size(), all.size() - begin.size() - end.size());
  };
  CHECK(loop("for (int i = threadIdx.x; i < n; i += 2) x[i] = 1;") ==
        "{ int __kata_loop_19 = 0; for (int i = threadIdx.x; i < n; i += 2) { "
        "::__kata::iterates<::__kata::less, 19, 4>(__kata_loop_19, i, i, n, 2); x[i] = 1; } "
        "::__kata::ends<19>(__kata_loop_19); }");
  CHECK(contains(loop("for (int i = threadIdx.x; n - 1 >= i; ++i) {\n x[i] = 1;\n}"),
                 "::__kata::less_equal, 19, 4>(__kata_loop_19, i, i, n - 1, 1); {\n x[i]"));
  CHECK(contains(loop("while (i + 3 > 0) { x[i] = 1; i = i - (n + 1); }"),
                 "::__kata::greater, 19, 4>(__kata_loop_19, i, i + 3, 0, ( n + 1 )); {"));
  CHECK(contains(loop("if (n) for (; p != e; p++) if (*p) s = 1; else s = 2; else return;"),
                 "else s = 2; } ::__kata::ends<25>(__kata_loop_25); } else return;"));
  CHECK(contains(loop("const int first = f(); for (int i = first; i < n; ++i) x[i] = 1;"),
                 "iterates"));
}

TEST_CASE("a loop with a pragma says where it may be left at each iteration") {
  const std::string text = rewritten(
      "__global__ void k(float* x, int n) {\n#pragma unroll 4\n"
      "for (int i = threadIdx.x; i < n; i += blockDim.x) {}\n}");
  CHECK(contains(text, "#pragma GCC unroll 4\nfor (int i = threadIdx.x;"));
  CHECK(contains(text, "{ ::__kata::leaves<::__kata::less>(i, i, n, blockDim . x); {} }"));
}

TEST_CASE("loops that the source unrolls say which copy of shared accesses a lane is at") {
  const auto loop = [&](const std::string& text) {
    return rewritten("__global__ void k() {\n__shared__ float s[8];\n" + text + "\n}");
  };
  const std::string inner = "for (int j = 0; j < 4; ++j) f(s[j]);";
  CHECK(contains(loop("#pragma unroll\nfor (int i = 0; i < 2; ++i) { f(s[i]);\n" + inner + " }"),
                 "::__kata::copies<::__kata::less, ::__kata::added"));
  CHECK(contains(loop("#pragma unroll\n" + inner), ", 0, 1>("));  // of any size
  CHECK_FALSE(contains(loop("#pragma unroll 1\n" + inner), "copies"));
  CHECK_FALSE(contains(loop("#pragma unroll\nfor (int j = 0; j < 4; ++j) t += s[j];"), "copies"));
  // Without braces one token would get the calls of both loops.
  const std::string bare = loop("#pragma unroll\nfor (int i = 0; i < 2; ++i)\n" + inner);
  CHECK(bare.find("copies<") == bare.rfind("copies<"));
}

TEST_CASE("a called function's loop is constant by declarations, not by how names are spelled") {
  const auto is_unrolled = [](const std::string& declaration, const std::string& bound) {
    const std::string result = rewritten(
        declaration + "__device__ float f(float v, int N) {\n  for (int j = 0; j < " + bound +
        "; ++j) v += v;\n  return v;\n}\n"
        "__global__ void k(float* x, int n, int N) {\n"
        "  for (int i = threadIdx.x; i < n; i += 32) x[i] = f(x[i], N);\n}");
    return contains(result, ", i, i, n, 32)");
  };
  CHECK(is_unrolled("constexpr int taps = 4;\n", "taps"));
  CHECK(is_unrolled("const int taps = 4;\n", "taps"));
  CHECK(is_unrolled("template <int taps> ", "taps"));
  CHECK(is_unrolled("", "TAPS"));  // from a header, or a macro
  CHECK_FALSE(is_unrolled("__constant__ int TAPS;\n", "TAPS"));
  CHECK_FALSE(is_unrolled("", "N"));
  CHECK_FALSE(is_unrolled("", "warpSize"));
}

TEST_CASE("a loop that cannot end has code in it, so that the emulator can end it") {
  CHECK(contains(rewritten("__global__ void k() { for (;;) {} }"),
                 "for (;;) { __asm__ volatile(\"\"); {} } }"));
  CHECK(contains(rewritten("__global__ void k() { while (true); }"),
                 "while (true){ __asm__ volatile(\"\"); ; } }"));
  CHECK(!contains(rewritten("__global__ void k(int* p) { while (true) if (*p) break; }"), "asm"));
}

TEST_CASE("a loop of constant length with shared memory in it tells its iterations apart") {
  const auto loop = [](const std::string& text) {
    return rewritten("__global__ void k() { __shared__ float p[8]; " + text + " }");
  };
  CHECK(contains(loop("for (int s = N / 2; s > 0; s >>= 1) p[s] = 1;"),
                 "::__kata::copies<::__kata::greater, ::__kata::shifted_right, "));
  CHECK(contains(loop("for (int s = 1; s < N; s = s * 2) p[s] = 1;"),
                 "::__kata::copies<::__kata::less, ::__kata::multiplied, "));
  CHECK(contains(loop("for (int s = 1; s < N; s = s * 2) p[s] = 1;"), ", s, 1, N, 2); p[s] = 1;"));
  CHECK_FALSE(contains(loop("for (int s = 1; s < N; s *= 2) q[s] = 1;"), "copies"));
}

TEST_CASE("loops round operations of a warp say when they are left, the inner one first") {
  const std::string result = rewritten(
      "__global__ void k(int* p) { for (int i = 0; i < p[0]; ++i) for (int j = 0; j < p[i]; ++j)"
      " p[j] = __any_sync(~0u, p[j]); }");
  const auto inner = result.rfind("{ const unsigned"), outer = result.find("{ const unsigned");
  CAPTURE(result);
  REQUIRE(inner != outer);
  const auto name = [&](std::size_t at) {
    const std::size_t begin = result.find("__kata_before_", at);
    return result.substr(begin, result.find(' ', begin) - begin);
  };
  CHECK(contains(
      result, "__kata_left_loop(" + name(inner) + "); } __kata_left_loop(" + name(outer) + "); }"));
  CHECK_FALSE(contains(rewritten("__device__ int f(int* p) { for (;;) if (__any_sync(~0u, *p)) "
                                 "return 1; }"),
                       "left_loop"));  // lanes that return are elsewhere, too
}
