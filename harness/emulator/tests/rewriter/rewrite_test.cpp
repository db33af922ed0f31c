#include <doctest/doctest.h>

#include "emulator/tests/rewriter/rewritten.h"

using namespace kata::emulator;
using namespace kata::emulator::test;

TEST_CASE("a file of 50,000 functions is read in a moment") {
  std::string source = "namespace a { struct S { int size() const { return 1; } };\n";
  for (int i = 0; i < 50'000; ++i) {
    source += "__device__ float f" + std::to_string(i) + "(float x) { return x; }\n";
  }
  source += "}\n";
  const Rewritten result = rewrite(source, {});  // minutes, if its time grew with the square
  CHECK(result.problems.empty());
  CHECK(result.text == source);
}

TEST_CASE("a launch keeps every token of the person's in its place") {
  CHECK(rewritten("k<<<g, b>>>(x, n);") == "__KATA_KERNEL(k)(g, b)(x, n);");
  CHECK(rewritten("k<T, 4><<<g, b, s, st>>>(x);") == "__KATA_KERNEL(k<T, 4>)(g, b, s, st)(x);");
  CHECK(rewritten("k <<< g , b >>> ( ) ;") == "__KATA_KERNEL(k )( g , b ) ( ) ;");
  CHECK(rewritten("k<<<\n  g,\n  b>>>(\n  x);") == "__KATA_KERNEL(k)(\n  g,\n  b)(\n  x);");
}

TEST_CASE("the kernel's name is found however it is written") {
  CHECK(rewritten("a::b::k<<<1,2>>>(x)") == "__KATA_KERNEL(a::b::k)(1,2)(x)");
  CHECK(rewritten("return ::k<<<1,2>>>(x)") == "return __KATA_KERNEL(::k)(1,2)(x)");
  CHECK(rewritten("else k<<<1,2>>>(x)") == "else __KATA_KERNEL(k)(1,2)(x)");
  CHECK(rewritten("S<int>::k<3><<<1,2>>>(x)") == "__KATA_KERNEL(S<int>::k<3>)(1,2)(x)");
  CHECK(rewritten("k<sizeof(float) * 2, (a > b)><<<1,2>>>(x)") ==
        "__KATA_KERNEL(k<sizeof(float) * 2, (a > b)>)(1,2)(x)");
  CHECK(rewritten("k<P<Q<1>>><<<1,2>>>(x)") == "__KATA_KERNEL(k<P<Q<1>>>)(1,2)(x)");
  CHECK(rewritten("(*pointer)<<<1,2>>>(x)") == "__KATA_KERNEL((*pointer))(1,2)(x)");
  CHECK(rewritten("f = x; table[i + 1]<<<1,2>>>(x)") ==
        "f = x; __KATA_KERNEL(table[i + 1])(1,2)(x)");
  CHECK(rewritten("t.kernels[0]<<<1,2>>>(x)") == "__KATA_KERNEL(t.kernels[0])(1,2)(x)");
  CHECK(rewritten("if (a) k<<<1,2>>>(x)") == "if (a) __KATA_KERNEL(k)(1,2)(x)");
  CHECK(rewritten("{ k<<<1,2>>>(x); }") == "{ __KATA_KERNEL(k)(1,2)(x); }");
}

TEST_CASE("launches inside macros, arguments and configurations are rewritten too") {
  CHECK(rewritten("#define L(k, ...) k<<<1, 32>>>(__VA_ARGS__)\nL(f, x);") ==
        "#define L(k, ...) __KATA_KERNEL(k)(1, 32)(__VA_ARGS__)\nL(f, x);");
  CHECK(rewritten("#define L(k) \\\n  do { k<<<1, 32>>>(0); \\\n  } while (0)\n") ==
        "#define L(k) \\\n  do { __KATA_KERNEL(k)(1, 32)(::__kata::Zero()); \\\n  } while (0)\n");
  CHECK(rewritten("CHECK((k<<<1, f(a<b, c>>1)>>>(x)));") ==
        "CHECK((__KATA_KERNEL(k)(1, f(a<b, c>>1))(x)));");
}

TEST_CASE("types of a union's members are wrapped, and nothing else is") {
  CHECK(rewritten("union { float4 v; float f[4]; };") ==
        "union { ::__kata::InUnion<float4> v; ::__kata::InUnion<float> f[4]; };");
  CHECK(rewritten("union alignas(16) U { typename P<T, 2>::type a{}; n::V b, c[2]; };") ==
        "union alignas(16) U { ::__kata::InUnion<typename P<T, 2>::type> a{}; "
        "::__kata::InUnion<n::V> b, c[2]; };");
  CHECK(rewritten("union { struct { float2 a; } s; int i; };") ==
        "union { struct { ::__kata::InUnion<float2> a; } s; ::__kata::InUnion<int> i; };");
  for (const std::string same :
       {"union { float4* p; unsigned int i : 4; };", "union { T sum() const { return x; } U(); };",
        "union { using V = float4; typedef float4 W; static T s; };", "union U u;",
        "union U f(union U u) { float4 v; return u; }", "struct { float4 v; };"}) {
    CHECK(rewritten(same) == same);
  }
}

TEST_CASE("a literal null argument keeps its meaning") {
  CHECK(rewritten("k<<<1, 2>>>(0, NULL, 10, f(0))") ==
        "__KATA_KERNEL(k)(1, 2)(::__kata::Zero(), ::__kata::Zero(), 10, f(0))");
}

TEST_CASE("a braced argument waits for its parameter's type") {
  CHECK(rewritten("k<<<1, 2>>>(x, {1, {2, 3}}, f({4}))") ==
        "__KATA_KERNEL(k)(1, 2)(x, ::__kata::braced([&](auto __kata_t) -> typename "
        "decltype(__kata_t)::type { return {1, {2, 3}}; }), f({4}))");
}

TEST_CASE("what is no launch stays as it is") {
  for (const char* source :
       {"auto s = \"k<<<1, 2>>>(x)\";", "// k<<<1, 2>>>(x)", "/* k<<<1, 2>>>(x) */",
        "auto r = R\"(k<<<1, 2>>>(x))\";", "std::vector<std::vector<std::vector<int>>> v;",
        "std::cout << a << b;", "x <<= 3;", "#if 0 // k<<<\n#endif\n", "int y = a < b > (c);"}) {
    CAPTURE(source);
    CHECK(rewritten(source) == source);
  }
}

TEST_CASE("what nvcc refuses between host and device is refused, at its line") {
  const auto problem_of = [](const std::string& text) -> std::string {
    const auto problems = rewrite(text, {}).problems;
    if (problems.empty()) return "";
    return std::to_string(problems[0].line) + ": " + problems[0].message;
  };
  const std::string kernel = "__global__ void k(float* x) { x[0] = helper(x[1]); }\n";
  const std::string host = "void f(float* x) {\n  k<<<1, 1>>>(x);\n}\n";
  CHECK(contains(problem_of("float helper(float v) { return v; }\n" + kernel + host),
                 "2: `helper` is for the host alone"));
  CHECK(problem_of("hd float helper(float v) { return v; }\n" + kernel + host) == "");
  CHECK(problem_of("FN helper(float v) { return v; }\n" + kernel + host) == "");
  CHECK(contains(problem_of("void k(float* x) { x[0] = 1; }\n" + host), "3: `k` is launched"));
  CHECK(
      contains(problem_of("template <int n> void k(float* x) {}\nvoid f() { k<2><<<1, 1>>>(0); }"),
               "2: `k` is launched"));
  CHECK(contains(problem_of("__global__ void k(float* x) {}\nvoid f(float* x) {\n  k(x);\n}\n"),
                 "3: `k` is a kernel"));

  for (const std::string right :
       {"__device__ float helper(float v) { return v; }\n",
        "__host__ __device__ float helper(float v) { return v; }\n",
        "constexpr float helper(float v) { return v; }\n",
        "#define BOTH __host__ __device__\nBOTH float helper(float v) { return v; }\n",
        "struct S { float helper(float v) { return v; } };\n",
        "float helper(int v) { return v; }\n__device__ float helper(float v) { return v; }\n",
        "template <class F = S>\n__device__ float helper(float v, F op = {}) {\n"
        "  if (v > 0) {\n    return v;\n  }\n  return op(v);\n}\n"
        "__global__ void other(float* x) {\n  if (x[0] > 0) {\n    x[0] = 1;\n  }\n}\n"}) {
    CAPTURE(right);
    CHECK(problem_of(right + kernel + host) == "");
  }
  CHECK(problem_of("float helper(float v) { return v; }\n"
                   "__global__ void k(float* x) { auto helper = [](float v) { return v; };\n"
                   "  x[0] = helper(x[1]); }\n" +
                   host) == "");
  CHECK(problem_of(
            "__global__ void k(int* x) {}\nvoid f() { auto p = &k; void (*q)(int*) = k; }") == "");
}

TEST_CASE("a kernel's address in a void pointer is remembered with its parameters' types") {
  const std::string kernel = "__global__ void __launch_bounds__(32, 1) k(int);";
  CHECK(rewritten(kernel + "auto f = (void*)k;") ==
        kernel + "auto f = (void*)::__kata::launchable(k);");
  CHECK(rewritten(kernel + "const void* f[] = {(const void *)&k<3, (4 > 3)>, 0};") ==
        kernel + "const void* f[] = {(const void *)::__kata::launchable(&k<3, (4 > 3)>), 0};");
  CHECK(rewritten(kernel + "f(reinterpret_cast<const void*>(a::k));") ==
        kernel + "f(reinterpret_cast<const void*>(::__kata::launchable(a::k)));");
  CHECK(rewritten(kernel + "f((void*)other, (int*)k);") == kernel + "f((void*)other, (int*)k);");
}

TEST_CASE(
    "in host code any address may be a kernel's: of another file, or one that a variable holds") {
  const auto in_host = [](const std::string& code) {
    return rewritten("void f() { " + code + " }");
  };
  CHECK(contains(in_host("g((void const*)(&k<16>));"),
                 "g((void const*)(::__kata::launchable(&k<16>)));"));
  CHECK(contains(in_host("auto p = k; g((void*)p);"), "g((void*)::__kata::launchable(p));"));
  for (const char* other : {"g((void*)p[0], (void*)q->r, (void*)h(1));", "int n = sizeof(void*);"})
    CHECK(!contains(in_host(other), "launchable"));
  CHECK(!contains(rewritten("__device__ void f(int* p) { g((void*)p); }"), "launchable"));
}

TEST_CASE("a launch by address knows kernels of other files, too") {
  CHECK(rewritten("cudaLaunchKernel((void*)k<3>, g, b, a)") ==
        "cudaLaunchKernel((void*)::__kata::launchable(k<3>), g, b, a)");
  CHECK(rewritten("cudaLaunchKernel(k, g, b, a)") == "cudaLaunchKernel(k, g, b, a)");
}

TEST_CASE("a kernel that asks for a cluster says so when it runs") {
  CHECK(contains(rewritten("\n__global__ void __cluster_dims__(2, W, 1)\nk(int* x) { *x = 1; }"),
                 "{ __kata_cluster_dims ( 2 , W , 1 ); *x"));
  const std::string none = "__global__ void k(int* x) { *x = 1; }";
  CHECK(rewritten(none) == none);
}

TEST_CASE("inline PTX becomes a call with its text and its operands") {
  const std::string text = rewritten(
      "__device__ unsigned lane() {\n  unsigned r;\n"
      "  asm volatile(\"mov.u32 %0, %%laneid;\"\n               : \"=r\"(r));\n  return r;\n}\n");
  CHECK(contains(text, "::__kata::ptx (__KATA_PTX(\"mov.u32 %0, %%laneid;\"\n"));
  CHECK(contains(text, ") , ::__kata::ptx_out(r));"));
  CHECK_FALSE(contains(text, "asm"));
  CHECK(lines(text) == 6);
  CHECK(
      rewritten(
          "asm(\"a\" \"b\" : \"+f\"(x[1]), \"=r\"(y) : \"r\"(f(2, 3)), \"n\"(4) : \"memory\");") ==
      "::__kata::ptx(__KATA_PTX(\"a\" \"b\" ) , ::__kata::ptx_inout(x[1]) , ::__kata::ptx_out(y)  "
      ", "
      "::__kata::ptx_in(f(2, 3)) , ::__kata::ptx_in(4)  );");
  CHECK(rewritten("asm volatile(\"a\" :: \"l\"(p) : \"memory\", \"cc\");") ==
        "::__kata::ptx (__KATA_PTX(\"a\" ) , ::__kata::ptx_in(p)   );");
  CHECK(rewritten("asm volatile(\"a\" ::: \"memory\");") == "::__kata::ptx (__KATA_PTX(\"a\" ) );");
  CHECK(rewritten("asm(\"a\");") == "::__kata::ptx(__KATA_PTX(\"a\"));");
}

TEST_CASE("outputs of inline PTX may be a macro of another file") {
  CHECK(rewritten("asm(\"add\" : SUMS(d), \"=r\"(y) : POINTER(p));") ==
        "::__kata::ptx(__KATA_PTX(\"add\" ) , SUMS(d) , ::__kata::ptx_out(y)  , "
        "::__kata::ptx_in(p));");
}

TEST_CASE("inline PTX in a macro is rewritten where the macro is defined") {
  CHECK(contains(
      rewritten("#define LOAD(d, p) asm(\"ld\" #p : \"=f\"(d) : \"l\"(p))\n"),
      "::__kata::ptx(__KATA_PTX(\"ld\" #p ) , ::__kata::ptx_out(d)  , ::__kata::ptx_in(p))"));
}

TEST_CASE("a macro may hold operands of an asm statement") {
  const std::string text = rewritten(
      "#define TWO(d) \"+r\"((d)[0]), \"+r\"((d)[1])\n"
      "#define ADD(n, d) asm(\"add\" : \"=r\"(y), TWO(d), MORE_##n(d) : \"r\"(x))\n");
  CHECK(contains(text, "#define TWO(d) ::__kata::ptx_inout((d)[0]), ::__kata::ptx_inout((d)[1])"));
  CHECK(contains(text, ", TWO(d) , MORE_##n(d)  , ::__kata::ptx_in(x))"));
}

TEST_CASE("a macro may hold the constraint of an asm statement's input") {
  CHECK(contains(rewritten("void f() { asm(\"ld\" : \"=f\"(d) : POINTER(p)); }\n"),
                 "::__kata::ptx_out(d)  , ::__kata::ptx_in(p))"));
}

TEST_CASE("a compiler barrier stays what it is") {
  CHECK(contains(rewritten("void f() { asm volatile(\"\" : \"+f\"(x)); }"),
                 "asm volatile(\"\" ::: \"memory\" )"));
  CHECK(contains(rewritten("void f() { asm volatile(\"\" ::: \"memory\"); }"),
                 "asm volatile(\"\" ::: \"memory\")"));
}

TEST_CASE("headers of missing libraries go; where no name shows a use, #error takes their place") {
  CHECK(rewritten("#include <cub/cub.cuh>\nint x;") == "\nint x;");
  CHECK(rewritten("#include \"cudnn.h\"\n") == "\n");
  CHECK(rewritten("# include <curand_kernel.h> // the library\n") == "\n");
  CHECK(contains(rewritten("#include <cuda/latch>"), "libcu++ does not run on the emulator: "));
  CHECK(contains(rewritten("#include <cuda/std/array>"), "does not run on the emulator without"));
  CHECK(rewritten("#include <cublas_v2.h>") == "#include <cublas_v2.h>");
  CHECK_FALSE(contains(rewritten("#include <mma.h>\n#include <cuda/pipeline>\n"), "#error"));
  for (const char* source :
       {"#include <cuda_runtime.h>", "#include <vector>", "// #include <cub/x>",
        "#include <cooperative_groups/reduce.h>", "#include MACRO"}) {
    CAPTURE(source);
    CHECK(rewritten(source) == source);
  }
}

TEST_CASE("own headers are included from where their rewritten copies lie") {
  RewriteOptions options;
  options.own_header = [](const Include& include) {
    const bool mine = include.name == "util/tile.cuh" || include.name == "folder/helper.cuh";
    return mine ? std::string(include.quoted ? "copy_1" : "copy_2") : std::string();
  };
  CHECK(rewrite("#include \"util/tile.cuh\" // mine\n#include \"other.h\"\n", options).text ==
        "#include \"copy_1\"\n#include \"other.h\"\n");
  CHECK(rewrite("#include <folder/helper.cuh>\n", options).text == "#include \"copy_2\"\n");
  std::string seen;
  for (const Include& include :
       includes("#include \"a.h\"\n//#include \"b.h\"\n# include \"c.h\"\n#include <d.h>")) {
    seen += include.quoted ? "\"" + include.name + "\"" : "<" + include.name + ">";
  }
  CHECK(seen == "\"a.h\"\"c.h\"<d.h>");
}

TEST_CASE("a header that a macro names is included from where its rewritten copy lies") {
  RewriteOptions options;
  options.own_header = [](const Include& include) {
    return include.name == "kernels.cuh" ? std::string("copy") : std::string();
  };
  const std::string source =
      "#ifdef A\n#define KERNELS \"kernels.cuh\"\n#else\n#define KERNELS \"other.h\"\n#endif\n"
      "#define TITLE \"kernels.cuh\"\n#include KERNELS\n";
  CHECK(rewrite(source, options).text ==
        "#ifdef A\n#define KERNELS \"copy\"\n#else\n#define KERNELS \"other.h\"\n#endif\n"
        "#define TITLE \"kernels.cuh\"\n#include KERNELS\n");
  REQUIRE(includes(source).size() == 2);
  CHECK(includes(source)[0].name == "kernels.cuh");
  CHECK(includes(source)[1].name == "other.h");
}

TEST_CASE("a __grid_constant__ parameter is a reference, named or not") {
  const auto parameter = [](const std::string& text) {
    const std::string all = rewritten("__global__ void k(int n, " + text + ");");
    return all.substr(25, all.size() - 27);
  };
  CHECK(parameter("const __grid_constant__ T p") == "const __grid_constant__ T &p");
  CHECK(parameter("__grid_constant__ const T p, int m") == "__grid_constant__ const T &p, int m");
  CHECK(parameter("T const __grid_constant__ p") == "T const __grid_constant__ &p");
  CHECK(parameter("const A<B, 3> __grid_constant__ p") == "const A<B, 3> __grid_constant__ &p");
  CHECK(parameter("const __grid_constant__ a::T p") == "const __grid_constant__ a::T &p");
  CHECK(parameter("const __grid_constant__ unsigned n") == "const __grid_constant__ unsigned &n");
  CHECK(parameter("const __grid_constant__ int n = N") == "const __grid_constant__ int &n = N");
  CHECK(parameter("int* const __grid_constant__ p") == "int* const __grid_constant__ &p");
  CHECK(parameter("const __grid_constant__ T") == "const __grid_constant__ T&");
  CHECK(parameter("const __grid_constant__ a::T<B>") == "const __grid_constant__ a::T<B>&");
  CHECK(parameter("const __grid_constant__ unsigned int, int*") ==
        "const __grid_constant__ unsigned int&, int*");
}

TEST_CASE("a macro may stand for __grid_constant__, with a const or without") {
  const auto with = [](const std::string& macro) {
    return rewritten("#define GC " + macro + "\n__global__ void k(GC T p);");
  };
  for (const char* macro :
       {"__grid_constant__", "const __grid_constant__", "__grid_constant__ const"})
    CHECK(contains(with(macro), "void k(GC T &p);"));
  CHECK(contains(with("const __grid_constant__"), "#define GC const __grid_constant__\n"));
}

TEST_CASE("where Thrust's functors run on the host, they may not read a thread's index") {
  const std::string functor =
      "struct F { __device__ int operator()(int i) { return threadIdx.x + i; } };";
  const std::string kernel = "__global__ void k(int* p) { p[threadIdx.x] = 1; }";
  CHECK(contains(rewrite(functor, {.functors_on_host = true}).text,
                 "return __KATA_IN_KERNEL(threadIdx).x + i;"));
  CHECK(rewrite(functor, {}).text == functor);
  CHECK(rewrite(kernel, {.functors_on_host = true}).text == kernel);
}

TEST_CASE("__noinline__ is an attribute in every position") {
  CHECK(rewritten("__noinline__ int f();") == "__attribute__((noinline)) int f();");
  CHECK(rewritten("__attribute__((__noinline__)) int f();") ==
        "__attribute__((__noinline__)) int f();");
}

TEST_CASE("every line keeps its number") {
  const std::string source =
      "#include <a>\n#define M(x) \\\n  x \\\n  + 1\n\nextern __shared__ int d[];\n"
      "__global__ void k(int* p) {\n  __shared__ int a[\n    4];\n  asm(\"x\"\n      \"y\");\n"
      "  asm(R\"(\nx\n)\" : R\"(\n=r)\"(*p) : : R\"(\nmemory)\");\n"
      "#pragma unroll \\\n  4\n  for (;;) d[0] = 1;\n}\nvoid h() {\n  k<<<1,\n    2>>>\n    "
      "(0);\n}\n";
  CHECK(lines(rewritten(source)) == lines(source));
}

TEST_CASE("broken code goes through unharmed, for the compiler to complain about") {
  for (const char* source :
       {"k<<<1, 2", "k<<<1, 2>>>", "<<<>>>()", "k<<<1, 2>>>(x", "__shared__", "__shared__ float",
        "void f() { __shared__ float s[", "}}}} __shared__ int x;",
        "#define X __shared__\nX int y;", "template <class T", "asm", "void f() { asm(",
        "#pragma unroll", ">><<<1,2>>>(x)"}) {
    CAPTURE(source);
    CHECK(lines(rewritten(source)) == lines(source));
  }
}

TEST_CASE("what looks like the beginning of template arguments does not send the rewriter back") {
  for (const char* source :
       {"struct P { int a; };\n"
        "inline bool operator<(const P& x, const P& y) { return x.a < y.a; }\n"
        "__global__ void k() {}\n",
        "std::vector<std::vector<std::vector<int>>> f(int n) { return {}; }\n"
        "__global__ void k() {}\n",
        "bool operator<(P, P) { return a < b; } bool operator<<(P, P) { return 1 < 2 > 0; }",
        "template <int N, bool B = (N < 3)> void f() {}"}) {
    CAPTURE(source);
    CHECK(rewritten(source) == source);
    CHECK(rewrite(source, {}).problems.empty());
  }
}

TEST_CASE("a namesake of another kind, file or namespace leaves in doubt what is meant") {
  const std::string host = "void run(int n, float* p) { run<2><<<1, 32>>>(n, p); }\n";
  CHECK(rewrite(host, {}).problems.size() == 1);
  CHECK(rewrite(host,
                {.elsewhere = function_names("template <int N> __global__ void run(int, float*);")})
            .problems.empty());
  CHECK(
      rewrite("template <int N> __global__ void run(int, float*);\n" + host, {}).problems.empty());
  const std::string call = "void gemm(char, float*) {}\n__global__ void k(lib::T t) { gemm(t); }\n";
  CHECK(rewrite(call, {}).problems.size() == 1);
  CHECK(rewrite("namespace lib { __device__ void gemm(T); }\n" + call, {}).problems.empty());
}

TEST_CASE("what stands for #pragma unroll or __grid_constant__ is a macro of one's own") {
  CHECK(rewritten("#define UNROLL _Pragma(\"unroll\")\n") == "#define UNROLL \n");
  CHECK(rewritten("#define UNROLL #pragma unroll 4\n") == "#define UNROLL   \n");
  CHECK(rewritten("#define GC __grid_constant__\n__global__ void k(const GC T p);") ==
        "#define GC __grid_constant__\n__global__ void k(const GC T &p);");
}

TEST_CASE("a macro that is given a name may make a kernel of it") {
  const auto problems = [](const std::string& kernel) {
    return rewrite(kernel +
                       "(int* p) { *p = 1; }\nvoid k(int n) {}\nvoid f(int* p) { k<<<1, 1>>>(p); }",
                   {})
        .problems.size();
  };
  CHECK(problems("KERNEL(k)") == 0);
  CHECK(problems("void other") == 1);
}

TEST_CASE("a kernel begins with its launch bounds") {
  CHECK(rewritten("__global__ void __launch_bounds__(128, 2) k() {}") ==
        "__global__ void __launch_bounds__(128, 2) k() { __kata_launch_bounds ( 128 , 2 );}");
}
