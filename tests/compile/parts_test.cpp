// Files that take long: from the second time on, two compilers share the kernels.
#include "compile/parts.h"

#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "compile/elf.h"
#include "fixture.h"
#include "support/process.h"

using namespace kata;
using namespace kata::test;

namespace {

/// What makes a file seem to take long.
const std::string large = "extern \"C\" const char padding[200000] = {1};\n";

const std::string instances = large + R"(
template <int N, bool B> __global__ void k(float* x) {
  float unset;
  if (x[0] > N) unset = x[1];
  x[N] = B ? x[N + 1] : unset;
}
template <> __global__ void k<7, true>(float* x) { x[7] = x[8] + 1; }
__global__ void plain(float* x) { x[0] = x[1] + x[2]; }
static __global__ void own(float* x) { x[0] = x[1]; }
namespace { template <class T> __global__ void hidden(T* x) { x[0] = x[1] * x[2]; } }
template <int N> void launch(float* x) {
  static int launched;
  k<N, true><<<1, ++launched>>>(x);
  k<N, false><<<1, 1>>>(x);
  if constexpr (N > 1) launch<N - 1>(x);
}
struct Guard { __attribute__((noinline)) ~Guard() { printf("done\n"); } };
extern "C" void f(float* x) {
  static int launched;
  const Guard guard;  // what is thrown passes here
  launch<8>(x);
  plain<<<1, ++launched>>>(x);
  own<<<1, 1>>>(x);
  hidden<float><<<1, 1>>>(x);
}
)";

/// A compiler that writes down its options.
struct Recorder : Compiler {
  Recorder() { files_of_all().write("log", ""); }

  static const Scratch& files_of_all() {  // one compiler, whose headers are precompiled once
    static const Scratch scratch;
    return scratch;
  }
  bool used_parts() const { return contains(content_of(files_of_all() / "log"), "-D__KATA_PART"); }

  Environment chosen{
      "KATA_EMULATOR_CXX",
      files_of_all()
          .write_program("g++", "#!/bin/sh\necho \"$@\" >> " + (files_of_all() / "log").string() +
                                    "\nexec " + find_program("g++").string() + " \"$@\"\n")
          .string()};
};

bool is_in_parts(const Module& module) {
  return contains(content_of(module.path), "kata: in the other part");
}

/// The size of each kernel's code.
std::map<std::string, std::string> kernels(const Module& module) {
  const auto listed = run({.arguments = {"nm", "-C", "-S", module.path.string()}});
  REQUIRE(listed);
  std::map<std::string, std::string> sizes;
  std::istringstream lines(listed->output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string address, size, kind, name;
    words >> address >> size >> kind;
    std::getline(words, name);
    const bool is_kernel = name.starts_with(" void k<") || name.starts_with(" plain(") ||
                           name.starts_with(" own(") || contains(name, "::hidden<float>(");
    if (is_kernel && !contains(name, "call_body")) sizes[name] = size;
  }
  return sizes;
}

std::vector<std::string> warned(const Module& module) {
  std::vector<std::string> names;
  for (const UninitializedLocal& local : module.uninitialized) {
    names.push_back(local.name + " " + std::to_string(local.line) + (local.certain ? " is" : ""));
  }
  return names;
}

}  // namespace

TEST_CASE("a file that takes long is compiled by two compilers from the second time on") {
  Recorder compiler;
  const Result<Module> whole = compiler("x.cu", instances);
  REQUIRE_MESSAGE(whole, whole.error().detail);
  CHECK_FALSE(compiler.used_parts());
  const Result<Module> parts = compiler("x.cu", instances + "// saved\n");
  REQUIRE_MESSAGE(parts, parts.error().detail);
  CHECK(compiler.used_parts());

  CHECK_FALSE(is_in_parts(*whole));
  CHECK(is_in_parts(*parts));
  CHECK(parts->functions == whole->functions);
  CHECK(kernels(*whole).size() == 19);
  CHECK(kernels(*parts) == kernels(*whole));
  CHECK(warned(*parts) == warned(*whole));
  CHECK_FALSE(warned(*parts).empty());
}

TEST_CASE("the errors of a file that two compilers share are those of the whole file") {
  Recorder compiler;
  const std::string wrong = instances +
                            "template <int N> __global__ void e() { static_assert(N < 0); }\n"
                            "void g() { e<1><<<1, 1>>>(); e<2><<<1, 1>>>(); }\n";
  const Result<Module> whole = compiler("x.cu", wrong);
  REQUIRE(compiler("x.cu", instances));
  CHECK_FALSE(compiler.used_parts());
  const Result<Module> parts = compiler("x.cu", wrong);
  CHECK(compiler.used_parts());
  REQUIRE_FALSE(whole);
  REQUIRE_FALSE(parts);
  CHECK(parts.error().message == whole.error().message);
  CHECK(parts.error().detail == whole.error().detail);
}

TEST_CASE("what two compilers would make two of keeps a file whole") {
  for (const std::string text :
       {"__device__ int a_variable;", "__constant__ float taps[4];", "static int calls = 1;",
        "int _others;", "__device__ int next() { static int last; return ++last; }",
        "__global__ void c(); __global__ void p() { c<<<1, 1>>>(); } __global__ void c() {}"}) {
    CAPTURE(text);
    Recorder compiler;
    const std::string source = large + text +
                               "\ntemplate <int N> __global__ void k(float* x) { x[0] = N; }\n"
                               "extern \"C\" int f() { k<1><<<1, 1>>>(nullptr); return 1; }\n" +
                               (contains(text, "calls") ? "int* g() { return &calls; }\n" : "");
    REQUIRE(compiler("x.cu", source));
    const Result<Module> again = compiler("x.cu", source + "// saved\n");
    REQUIRE_MESSAGE(again, again.error().detail);
    CHECK_FALSE(is_in_parts(*again));
  }
}

TEST_CASE("a variable that is new makes the next module whole again") {
  Recorder compiler;
  const std::string source = large + R"(
template <int N> __global__ void k(int* x) { x[0] = N; }
extern "C" void f() { k<1><<<1, 1>>>(nullptr); k<2><<<1, 1>>>(nullptr); }
)";
  REQUIRE(compiler("x.cu", source));
  const Result<Module> module = compiler("x.cu", "__device__ int added;\n" + source);
  REQUIRE_MESSAGE(module, module.error().detail);
  CHECK_FALSE(is_in_parts(*module));
}
