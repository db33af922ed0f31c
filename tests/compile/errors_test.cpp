#include <doctest/doctest.h>

#include "compile/diagnostics.h"
#include "compile/sources.h"
#include "compilers.h"
#include "fixture.h"

using namespace kata;
using namespace kata::test;

namespace {

/// What compile() says of a file that does not compile, with each compiler.
template <class Check>
void with_both_compilers(const Check& check) {
  for (const std::string& name : kata::test::compilers()) {
    CAPTURE(name);
    const Environment chosen("KATA_EMULATOR_CXX", name);
    check();
  }
}

Error error_of(Compiler& compiler, const std::string& text) {
  const Result<Module> result = compiler("mine.cu", text);
  REQUIRE_FALSE(result);
  return result.error();
}

}  // namespace

TEST_CASE("a compile error has the person's file and line, in the compiler's words") {
  with_both_compilers([] {
    Compiler compiler;
    const Error error = error_of(compiler,
                                 "#include <cuda_runtime.h>\n"
                                 "__global__ void k(float* x) {\n"
                                 "  __shared__ float s[32];\n"
                                 "  s[0] = 1;\n"
                                 "  x[0] = s[0] + undeclared;\n"
                                 "}\n"
                                 "void f(float* x) { k<<<1, 32>>>(x); }\n");
    CHECK(contains(error.message, "mine.cu does not compile"));
    CHECK(contains(error.message, "1 error"));
    CHECK(contains(error.message, "mine.cu:5"));
    CHECK(contains(error.detail, "mine.cu:5:"));
    CHECK(contains(error.detail, "undeclared"));
    CHECK(contains(error.detail, "x[0] = s[0] + undeclared;"));
    CHECK_FALSE(contains(error.detail, "__kata"));
  });
}

TEST_CASE("a wrong launch is shown as it was written, at its line, once") {
  with_both_compilers([] {
    Compiler compiler;
    const Error error = error_of(compiler,
                                 "#include <cuda_runtime.h>\n"
                                 "__global__ void k(float* x, int n) {}\n"
                                 "void f(float* x) {\n"
                                 "  k<<<1, 32>>>(x);\n"
                                 "  k<<<1>>>(x, 3);\n"
                                 "  unknown<<<1, 32>>>(x);\n"
                                 "}\n");
    CHECK(contains(error.message, " errors)"));
    CHECK(contains(error.detail, "mine.cu:4:3: error: "));
    CHECK(contains(error.detail, "  k<<<1, 32>>>(x);"));
    CHECK(
        contains(error.detail, "mine.cu:5:3: error: a launch configuration is <<<grid, block>>>"));
    CHECK(contains(error.detail, "mine.cu:6:3: error: "));
    CHECK_FALSE(contains(error.detail, "__kata"));
    CHECK_FALSE(contains(error.detail, "__KATA"));
    CHECK_FALSE(contains(error.detail, "kata_emulator"));
  });
}

TEST_CASE("a missing semicolon is shown behind the code that it is missing from") {
  with_both_compilers([] {
    Compiler compiler;
    const Error error = error_of(compiler,
                                 "#include <cuda_runtime.h>\n"
                                 "__global__ void k(float* x) {\n"
                                 "  __shared__ float s[32];\n"
                                 "  int i = threadIdx.x  // and a comment\n"
                                 "\n"
                                 "  x[i] = s[i];\n"
                                 "}\n");
    CAPTURE(error.detail);
    CHECK(contains(error.detail, "mine.cu:4:22: error: expected "));
    CHECK(contains(error.message, "mine.cu:4"));
  });
}

TEST_CASE("a brace that is never closed is the first error, at the brace") {
  Compiler compiler;
  const Error error = error_of(compiler,
                               "#include <cuda_runtime.h>\n"
                               "__global__ void k(float* x) {\n"
                               "  if (threadIdx.x < 3) {\n"
                               "    x[0] = 1;\n"
                               "}\n"
                               "void f(float* x) { k<<<1, 32>>>(x); }\n");
  CAPTURE(error.detail);
  CHECK(contains(error.message, "begin at "));
  CHECK(contains(error.message, "mine.cu:2"));
  CHECK(contains(error.detail, "error: nothing closes this"));
}

TEST_CASE(
    "a launch with a wrong argument, and a wrong use of a shared array, are shown as written") {
  with_both_compilers([] {
    Compiler compiler;
    const Error error = error_of(compiler,
                                 "#include <cuda_runtime.h>\n"
                                 "__global__ void k(float* x) {\n"
                                 "  __shared__ float s[32];\n"
                                 "  s.foo();\n"
                                 "}\n"
                                 "void f(const float* x) {\n"
                                 "  k<<<1, 32>>>(x);\n"
                                 "}\n");
    CAPTURE(error.detail);
    CHECK(contains(error.detail, "mine.cu:4:"));
    CHECK(contains(error.detail, "mine.cu:7:3: error: "));
    CHECK(contains(error.detail, "  k<<<1, 32>>>(x);"));
    CHECK(contains(error.detail, "float"));
    CHECK_FALSE(contains(error.detail, "<stdin>"));
    CHECK_FALSE(contains(error.detail, "__kata"));
    CHECK_FALSE(contains(error.detail, "kata_emulator"));
  });
}

TEST_CASE("an error in a header of one's own names that header and its line") {
  with_both_compilers([] {
    Compiler compiler;
    compiler.files.write("lib/tile.cuh",
                         "#pragma once\n\n__device__ int f() { return nothing; }\n");
    const Error error = error_of(compiler, "#include \"lib/tile.cuh\"\nint x;\n");
    CHECK(contains(error.detail, "lib/tile.cuh:3:"));
    CHECK(contains(error.message, "tile.cuh:3"));
  });
}

TEST_CASE("own headers are CUDA too: launches and shared memory in them work") {
  with_both_compilers([] {
    Compiler compiler;
    compiler.files.write("lib/more.cuh", "#pragma once\n#include \"../tile.cuh\"\n");
    compiler.files.write("tile.cuh",
                         "#pragma once\n#include \"lib/more.cuh\"\n"
                         "template <class T> __global__ void k(T* x) {\n"
                         "  __shared__ T s[32];\n  s[threadIdx.x] = 1;\n  x[0] = s[0];\n}\n"
                         "inline void launch(float* x) { k<<<1, 32>>>(x); }\n");
    const Result<Module> result =
        compiler("own.cu",
                 "#include \"lib/more.cuh\"\n#include \"tile.cuh\"\nextern \"C\" void go(float* x) "
                 "{ launch(x); }\n");
    REQUIRE_MESSAGE(result, result.error().detail);
    CHECK(result->functions == std::vector<std::string>{"go"});
  });
}

TEST_CASE("what the emulator lacks is said in one line, with its place") {
  with_both_compilers([] {
    Compiler compiler;
    CHECK(contains(error_of(compiler, "#include <cudnn.h>\ncudnnHandle_t handle;\n").message,
                   "mine.cu:2: cuDNN does not run on the emulator: "));
    CHECK(contains(error_of(compiler, "#include <cuda/latch>\n").message,
                   "mine.cu:1: this part of libcu++ does not run on the emulator: "));
    CHECK(contains(error_of(compiler, "\nvoid f() { cudaExternalMemory_t memory; }\n").message,
                   "mine.cu:2: the emulator does not know cudaExternalMemory_t"));
    CHECK(contains(error_of(compiler, "void f() {\n  __syncthreadz();\n}\n").message,
                   "mine.cu:2: there is no __syncthreadz: did you mean __syncthreads?"));
    // A person begins where the compiler does.
    const std::string both =
        error_of(compiler, "int one() { return 1 }\nvoid f() {\n  __syncthreadz();\n}\n").message;
    CHECK(contains(both, ": begin at "));
    CHECK(both.ends_with("mine.cu:1"));
  });
}

TEST_CASE("without its package, CUB is refused where it is first used") {
  setenv("KATA_CUB_AND_THRUST", "/nowhere", 1);
  Compiler compiler;
  CHECK(contains(
      error_of(compiler, "#include <cub/cub.cuh>\n\nusing Scan = cub::BlockScan<int, 32>;\n")
          .message,
      "mine.cu:3: CUB does not run on the emulator without libcub-dev libthrust-dev: apt-get "
      "install "
      "them"));
  CHECK(compiler("b.cu", "#include <cub/cub.cuh>\nint x;\n"));
  unsetenv("KATA_CUB_AND_THRUST");
}

TEST_CASE("a library that is asked for only elsewhere, or never used, is not missed") {
  Compiler compiler;
  CHECK(compiler("b.cu", "#include <cub/cub.cuh>\n#include <cuda_fp8.h>\nint x;\n"));
  CHECK(compiler("a.cu", "#ifdef USE_CUB\n#include <cub/cub.cuh>\n#endif\nint x;\n"));
}

TEST_CASE("local variables that are read before anything is written to them are named") {
  with_both_compilers([] {
    Compiler compiler;
    const std::string kernel =
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  float best, sum;\n"
        "  for (int i = 0; i < n; ++i) best = fmaxf(best, x[i]);\n"
        "  y[0] = best;\n"
        "  y[1] = sum;\n}\n";
    for (const bool cached : {false, true}) {  // the cache keeps what the compiler said
      const Result<Module> module = compiler("locals.cu", kernel);
      REQUIRE(module);
      CHECK(module->cached == cached);
      REQUIRE(module->uninitialized.size() == 2);
      const UninitializedLocal& sum =
          module->uninitialized[module->uninitialized[0].certain ? 0 : 1];
      CHECK(sum.name == "sum");
      CHECK(sum.line == 5);
      CHECK(sum.declared == 2);
      const UninitializedLocal& best =
          module->uninitialized[module->uninitialized[0].certain ? 1 : 0];
      CHECK(best.name == "best");
      CHECK_FALSE(best.certain);
    }
    const Result<Module> right = compiler("right.cu", "__device__ float f() { return 1; }\n");
    REQUIRE(right);
    CHECK(right->uninitialized.empty());
  });
}

TEST_CASE("locals without a value are known even where the compiler warns of none") {
  Compiler compiler;
  const Result<Module> module = compiler("unset.cu",
                                         "__global__ void k(const float* x, float* y, int n) {\n"
                                         "  float largest, copies[4];\n"
                                         "  int first = 0, last;\n"
                                         "  do last = n; while (n < 0);\n"
                                         "  for (int i = first; i < last; ++i)\n"
                                         "    largest = x[i] > largest ? x[i] : largest;\n"
                                         "  y[0] = largest + (copies[0] = 1);\n}\n"
                                         "float host() { float later; return later = 1; }\n");
  REQUIRE(module);
  REQUIRE(module->uninitialized.size() == 2);
  const UninitializedLocal& largest = module->uninitialized[0];
  CHECK(largest.name == "largest");
  CHECK(largest.line == 2);
  CHECK_FALSE(largest.warned);
  CHECK(module->uninitialized[1].name == "last");
}

TEST_CASE("an initialised shared variable is an error with its line, as under nvcc") {
  Compiler compiler;
  CHECK(
      contains(error_of(compiler, "__global__ void k() {\n  __shared__ int hits = 0;\n}\n").message,
               "mine.cu:2: the __shared__ variable `hits` cannot be initialised"));
}

TEST_CASE("an undefined function is named before anything runs") {
  Compiler compiler;
  CHECK(contains(error_of(compiler,
                          "#include <cuda_runtime.h>\n#include <cmath>\n"
                          "float forgotten(float x, int n);\n"
                          "extern \"C\" float go(float x) { cudaFree(nullptr); "
                          "return forgotten(std::erf(x), 1); }\n")
                     .message,
                 "calls the undefined function forgotten(float, int): define it"));
}

TEST_CASE("files that are none") {
  const Scratch scratch;
  CHECK(contains(compile({.source = scratch / "missing.cu"}).error().message, "there is no file"));
  CHECK(contains(compile({.source = scratch.path()}).error().message, "is a folder"));
}

TEST_CASE("an error of nvcc points at the word that it is about, in the person's line") {
  const std::string code = "\n__global__ void k() { nothing(); }\n";
  const auto detail = [&](const std::string& below) {
    const std::string output = "bad.cu(2): error: identifier \"nothing\" is undefined\n" + below;
    return compile_error("bad.cu", {{"bad.cu", code}}, {}, "nvcc", output).detail;
  };
  const std::string placed =
      "bad.cu:2:23: error: identifier \"nothing\" is undefined\n"
      "    2 | __global__ void k() { nothing(); }\n"
      "      |                       ^\n";
  const std::string indent = "    ";
  CHECK(detail(indent + "__global__ void k() { nothing(); }\n" + std::string(26, ' ') + "^\n") ==
        placed);
  // The caret where the macro's longer text would put it.
  CHECK(detail(indent + "__global__ void k() { nothing(); }\n" + std::string(37, ' ') + "^\n") ==
        placed);
  CHECK(detail("") == placed);
}

TEST_CASE("a compiler that is missing or dies is named") {
  Compiler compiler;
  {
    const Environment chosen("KATA_EMULATOR_CXX", "no-such-compiler");
    CHECK(contains(error_of(compiler, "int x;\n").message, "no-such-compiler"));
  }
  const auto dying = compiler.files.write_program("dying-g++", "#!/bin/sh\nkill -9 $$\n");
  const Environment chosen("KATA_EMULATOR_CXX", dying.string());
  CHECK(contains(error_of(compiler, "int x; // dies\n").message, "signal 9"));
}

TEST_CASE("a byte-order mark is accepted; UTF-16 text and a binary file are named") {
  const Scratch scratch;
  const auto read = [&](const std::string& bytes) {
    return read_source(scratch.write("mine.cu", bytes));
  };
  CHECK(*read("\xEF\xBB\xBFint x;\n") == "int x;\n");
  CHECK(contains(read(std::string("\xFF\xFEi\0n\0", 6)).error().message, "UTF-16"));
  CHECK(contains(read(std::string("\x7F"
                                  "ELF\0\0",
                                  6))
                     .error()
                     .message,
                 "binary file"));
}

TEST_CASE("parameters of a kernel beyond 32764 bytes do not compile, those up to it do") {
  Compiler compiler;
  const auto source = [](int bytes) {
    return "struct Large { char bytes[" + std::to_string(bytes) +
           "]; };\n__global__ void k(Large large) { if (large.bytes[0]) __trap(); }\n"
           "extern \"C\" void f() {\n  k<<<1, 1>>>(Large{});\n}\n";
  };
  const Error error = error_of(compiler, source(32765));
  CHECK(contains(error.detail, ":4:"));
  CHECK(contains(error.detail, "at most 32764 bytes"));
  CHECK(compile({.source = compiler.files.write("fits.cu", source(32764))}));
}
