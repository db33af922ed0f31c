// What `kata run` compiles: several files, headers beside them, and code that must not be refused.
#include <doctest/doctest.h>

#include "compilers.h"
#include "programs/program_desk.h"

namespace fs = std::filesystem;
using kata::Finished;
using kata::test::check_one_line;
using kata::test::contains;
using kata::test::count_lines;
using kata::test::Desk;
using kata::test::Scratch;

TEST_CASE("several files are one program, with headers beside them and in -I folders") {
  const Desk desk;
  desk.folder.write("include/shapes/tile.cuh",
                    "#pragma once\n"
                    "constexpr int tile = 32;\n"
                    "template <class T> __device__ T reversed(T value) {\n"
                    "  __shared__ T all[tile];\n"
                    "  all[threadIdx.x] = value;\n"
                    "  __syncthreads();\n"
                    "  return all[tile - 1 - threadIdx.x];\n"
                    "}\n");
  desk.folder.write("src/reverse.h", "#pragma once\nvoid reverse(int* device);\n");
  desk.folder.write("src/reverse.cu",
                    "#include <shapes/tile.cuh>\n"
                    "#include \"reverse.h\"\n"
                    "static __global__ void kernel(int* x) {\n"
                    "  x[threadIdx.x] = reversed(x[threadIdx.x]);\n"
                    "}\n"
                    "void reverse(int* device) { kernel<<<1, tile>>>(device); }\n");
  // A C++ file of the host's: CUDA's names are its own there.
  desk.folder.write(
      "src/print.cpp",
      "#include <cstdio>\n"
      "struct float4 { int only; };\n"
      "void print(int value) { float4 mine{value}; std::printf(\"%d\\n\", mine.only); }\n");
  desk.folder.write("src/main.cu",
                    "#include \"reverse.h\"\n"
                    "#include \"shapes/tile.cuh\"\n"
                    "void print(int);\n"
                    "static __global__ void kernel(int* x) { x[threadIdx.x] = threadIdx.x; }\n"
                    "int main() {\n"
                    "  int* x;\n"
                    "  int first;\n"
                    "  cudaMalloc(&x, tile * sizeof(int));\n"
                    "  kernel<<<1, tile>>>(x);\n"
                    "  reverse(x);\n"
                    "  cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);\n"
                    "  cudaFree(x);\n"
                    "  print(first);\n"
                    "}\n");
  const Finished finished = desk.run("src/main.cu src/reverse.cu src/print.cpp -I include");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(finished.output == "31\n");

  SUBCASE("a change of a header in an -I folder is seen") {
    desk.folder.write("include/shapes/tile.cuh",
                      "#pragma once\n"
                      "constexpr int tile = 16;\n"
                      "template <class T> __device__ T reversed(T value) { return value; }\n");
    CHECK(desk.run("src/main.cu src/reverse.cu src/print.cpp -I include").output == "0\n");
  }
  SUBCASE("a file left out is one line") {
    check_one_line(desk.run("src/main.cu src/reverse.cu -I include"), "print(int)");
  }
  SUBCASE("the unit that does not compile is named, and its own line shown") {
    desk.folder.write("src/reverse.cu",
                      "#include \"reverse.h\"\nvoid reverse(int*) { return 1; }\n");
    const Finished broken = desk.run("src/main.cu src/reverse.cu src/print.cpp -I include");
    CHECK(broken.exit_status == 2);
    CHECK(broken.output == "");
    CHECK(contains(broken.errors, "src/reverse.cu does not compile"));
    CHECK(contains(broken.errors, "src/reverse.cu:2"));
  }
}

TEST_CASE("programs that nvcc takes are not refused") {
  const Desk desk;
  desk.folder.write("more.cu",
                    "#pragma once\ntemplate <class T> __device__ T more(T x) { return x + 1; }\n");
  desk.folder.write("main.cu", R"(
#include <cmath>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda_fp8.h>
#include <curand_kernel.h>
#include <nvtx3/nvToolsExt.h>
#include <thrust/device_vector.h>
#include "more.cu"
#ifndef __CUDACC__
inline float fminf(float a, float b) { return a < b ? a : b; }
#endif
volatile __device__ float counts[8];
__device__ int total[4];
__global__ void k(float* y) {
  __shared__ float tile[(int)ceil(10 / 4.0)];
  tile[2] = fminf(2.0f, 3.0f);
  y[0] = tile[2] + more(1) + counts[7] + total[2];
}
int main() {
  float *y, h = 0;
  cudaMalloc(&y, 4);
  void *of_counts, *of_total;
  cudaGetSymbolAddress(&of_counts, counts);
  cudaMemset(of_counts, 0, 8 * sizeof(float));
  cudaGetSymbolAddress(&of_total, total);
  int values[4] = {1, 2, 3, 4}, back[4];
  cudaMemcpy(of_total, values, sizeof values, cudaMemcpyHostToDevice);
  k << <1, 1 >> > (y);
  cudaMemcpy(&h, y, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(back, of_total, sizeof back, cudaMemcpyDeviceToHost);
  printf("%g %d\n", h, back[3]);
  cudaFree(y);
}
)");
  for (const std::string& compiler : kata::test::compilers()) {
    const Finished finished = desk.shell("KATA_EMULATOR_CXX=" + compiler +
                                         " \"$KATA\" run main.cu more.cu -I /no/such/folder");
    INFO(finished.errors);
    CHECK(finished.exit_status == 0);
    CHECK(finished.output == "7 4\n");
    CHECK(contains(finished.errors, "nothing found"));
  }
}

TEST_CASE("a program may define N and K before it includes CUDA's headers") {
  const Desk desk;
  desk.folder.write("x.cu",
                    "#define A 3\n#define B 4\n#define M 5\n#define N 6\n#define T 7\n"
                    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
                    "#include <cuComplex.h>\n#include <cublas_v2.h>\n#include <cuda/barrier>\n"
                    "#include <cuda/pipeline>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                    "#include <cuda_fp8.h>\n#include <cstdio>\n#include <mma.h>\n"
                    "int main() { printf(\"%d\\n\", A + B + K + M + N + T); }\n");
  for (const std::string& compiler : kata::test::compilers()) {
    const Finished finished =
        desk.shell("KATA_EMULATOR_CXX=" + compiler + " \"$KATA\" run x.cu -D K=100");
    INFO(finished.errors);
    CHECK(finished.exit_status == 0);
    CHECK(finished.output == "125\n");
  }
}

TEST_CASE("a header that a macro names may have kernels") {
  const Desk desk;
  desk.folder.write("kernels.cuh",
                    "#pragma once\n__global__ void k(int* y) {\n  __shared__ int s;\n"
                    "  s = 5;\n  *y = s;\n}\n");
  desk.folder.write("x.cu",
                    "#include <cstdio>\n#define KERNELS \"kernels.cuh\"\n#include KERNELS\n"
                    "int main() {\n  int *y, h;\n  cudaMalloc(&y, 4);\n  k<<<1, 1>>>(y);\n"
                    "  cudaMemcpy(&h, y, 4, cudaMemcpyDeviceToHost);\n  cudaFree(y);\n"
                    "  printf(\"%d\\n\", h);\n}\n");
  const Finished finished = desk.run("x.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(finished.output == "5\n");
}

TEST_CASE("a program that does not compile is shown its own line, and exits with 2") {
  const Desk desk;
  desk.folder.write("typo.cu", "__global__ void k(int* x) {\n  x[0] = y;\n}\nint main() {}\n");
  const Finished finished = desk.run("typo.cu");
  CHECK(finished.exit_status == 2);
  CHECK(finished.output == "");
  CHECK(contains(finished.errors, "typo.cu:2"));
  CHECK(contains(finished.errors, "typo.cu does not compile"));
}

TEST_CASE("a host file casts a variable of its template to void* and includes nothing of CUDA") {
  const Desk desk;
  desk.folder.write("zeros.h",
                    "#pragma once\n#include <cstdlib>\n#include <cstring>\n"
                    "template <class T>\nT* zeros(int n) {\n"
                    "  T* a = (T*)std::malloc(sizeof(T) * n);\n"
                    "  std::memset((void*)a, 0, sizeof(T) * n);\n  return a;\n}\n");
  desk.folder.write("main.cpp",
                    "#include <cstdio>\n#include \"zeros.h\"\nvoid add_one(int*);\n"
                    "int main() {\n  int* a = zeros<int>(4);\n  add_one(a);\n"
                    "  std::printf(\"%d\\n\", a[3]);\n  std::free(a);\n}\n");
  desk.folder.write("kernel.cu",
                    "#include \"zeros.h\"\n__global__ void k(int* x) { ++x[threadIdx.x]; }\n"
                    "void add_one(int* a) {\n  int* x;\n  cudaMalloc(&x, 16);\n"
                    "  cudaMemcpy(x, a, 16, cudaMemcpyHostToDevice);\n  k<<<1, 4>>>(x);\n"
                    "  cudaMemcpy(a, x, 16, cudaMemcpyDeviceToHost);\n  cudaFree(x);\n}\n");
  const Finished finished = desk.run("main.cpp kernel.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(finished.output == "1\n");
}
