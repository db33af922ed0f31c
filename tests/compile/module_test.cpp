#include <dlfcn.h>
#include <doctest/doctest.h>

#include "compile/elf.h"
#include "compile/hash.h"
#include "compile/toolchain.h"
#include "compilers.h"
#include "fixture.h"
#include "support/process.h"

using namespace kata;
using namespace kata::test;

TEST_CASE("a module's functions are the extern \"C\" ones that it defines") {
  Compiler compiler;
  const Result<Module> module = compiler("names.cu",
                                         "#include <cuda_runtime.h>\n"
                                         "extern \"C\" void softmax(float*) {}\n"
                                         "extern \"C\" { void relu(float*) {} }\n"
                                         "extern \"C\" void declared_only(float*);\n"
                                         "extern \"C\" int a_variable; int a_variable = 1;\n"
                                         "static void hidden() {}\n"
                                         "void mangled() { hidden(); }\n"
                                         "float g(float x) { return __expf(x); }\n");
  REQUIRE_MESSAGE(module, module.error().detail);
  CHECK(module->functions == std::vector<std::string>{"relu", "softmax"});
}

TEST_CASE("what other operators are called is free for a file's own functions and variables") {
  Compiler compiler;
  const Result<Module> module =
      compiler("names.cu",
               "#include <kata/kata.h>\n"
               "__device__ int histogram[256];\n"
               "__global__ void relu(const float* x, float* y, int n) {}\n"
               "extern \"C\" void gelu(const float* x, float* y, int n) {}\n");
  REQUIRE_MESSAGE(module, module.error().detail);
  CHECK(module->functions == std::vector<std::string>{"gelu"});
  const Result<Module> changed =
      compiler("changed.cu",
               "#include <kata/kata.h>\n"
               "extern \"C\" int gelu(const float* x, float* y, int n) { return 0; }\n");
  REQUIRE_FALSE(changed);
  CHECK(contains(changed.error().detail, "gelu"));
}

TEST_CASE("the emulator sees block copies and what kernels print") {
  for (const std::string& name : kata::test::compilers()) {
    CAPTURE(name);
    const Environment chosen("KATA_EMULATOR_CXX", name);
    Compiler compiler;
    const Result<Module> module = compiler("copies.cu", R"(
#include <cuda_runtime.h>
struct Row { float v[16]; };
__global__ void k(Row* a, const Row* b, int n) {
  memcpy(a, b, sizeof(Row));
  memset(a + 1, 0, n);
  printf("x\n");
}
__global__ void small(int* to, const float* from) { memcpy(to, from, 4); }
void f(Row* a) { k<<<1, 1>>>(a, a, 1); }
)");
    REQUIRE_MESSAGE(module, module.error().detail);
    const DynamicSymbols symbols = read_dynamic_symbols(module->path);
    CHECK(holds(symbols.undefined, "__kata_memcpy"));
    CHECK(holds(symbols.undefined, "__kata_memset"));
    CHECK(holds(symbols.undefined, "__kata_printf"));
    CHECK_FALSE(holds(symbols.undefined, "puts"));
    const Result<Finished> code =
        run({.arguments = {"objdump", "-d", "--no-show-raw-insn", module->path.string()}});
    REQUIRE(code);
    CHECK(contains(code->output, "<__kata_memcpy"));
    CHECK_FALSE(contains(code->output, "<memcpy"));
    CHECK_FALSE(contains(code->output, "<memset"));
    const std::string small = code->output.substr(code->output.find("<_Z5smallPiPKf>:"));
    const std::string body = small.substr(0, small.find("\n\n"));
    CHECK(contains(body, "<__tsan_read"));
    CHECK_FALSE(contains(body, "memcpy"));
  }
}

TEST_CASE("a file that is no shared object has no symbols") {
  const Scratch scratch;
  for (const std::string& text : {std::string(),
                                  std::string("\x7f"
                                              "ELF"),
                                  std::string(5000, 'x'),
                                  "\x7f"
                                  "ELF\x02" +
                                      std::string(100, '\xff')}) {
    const DynamicSymbols symbols = read_dynamic_symbols(scratch.write("x.so", text));
    CHECK(symbols.exported.empty());
  }
  CHECK(read_dynamic_symbols(scratch / "missing.so").exported.empty());
}

TEST_CASE("hashes are FNV-1a, and keep the borders of what they hash") {
  // The reference value of 128-bit FNV-1a for the byte 'a' differs from ours by the length only.
  CHECK(Hash().add("ab").add("c").hex() != Hash().add("a").add("bc").hex());
  CHECK(Hash().add("").hex() != Hash().hex());
  CHECK(Hash().hex() == "6c62272e07bb014262b821756295c58d");
}

TEST_CASE("a kernel with much arithmetic on halves is a small module") {
  std::string lines;
  for (int i = 0; i < 30; ++i) lines += "  a = __hfma2(a, b, x[" + std::to_string(i) + "]);\n";
  Compiler compiler;
  const Result<Module> module = compiler("halves.cu",
                                         "#include <cuda_fp16.h>\n"
                                         "__global__ void k(__half2* x, __half2 a, __half2 b) {\n" +
                                             lines + "  x[0] = a;\n}\n");
  REQUIRE_MESSAGE(module, module.error().detail);
  CHECK(std::filesystem::file_size(module->path) < 150'000);  // 228,000 with each in place
}

TEST_CASE("instances of one kernel share the code that launches them") {
  Compiler compiler;
  const Result<Module> module = compiler("instances.cu", R"(
template <int N> __global__ void k(float* x) { x[threadIdx.x] = N; }
template <int N> void launch(float* x) {
  k<N><<<1, 32>>>(x);
  if constexpr (N > 1) launch<N - 1>(x);
}
extern "C" void f(float* x) { launch<8>(x); }
)");
  REQUIRE_MESSAGE(module, module.error().detail);
  const Result<Finished> symbols = run({.arguments = {"nm", "-C", module->path.string()}});
  REQUIRE(symbols);
  const std::string& names = symbols->output;
  std::size_t launchers = 0;
  for (std::size_t at = 0; (at = names.find("void __kata::call_body", at)) != std::string::npos;
       ++at)
    ++launchers;
  CHECK(launchers == 1);
}
