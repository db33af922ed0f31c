// A launch that repeats an earlier one is not run again, and no result depends on that.
#include <doctest/doctest.h>

#include <string>

#include "compilers.h"
#include "programs/program_desk.h"

using kata::Finished;
using kata::test::contains;
using kata::test::Desk;

namespace {

/// A program with `kernel`, whose main() has x and y of 4096 ints, of which x counts up and y is 0,
/// does `body` a hundred times, and prints y[7].
std::string program(const std::string& kernel, const std::string& body) {
  return "#include <cstdio>\n" + kernel +
         "\nint main() {\n"
         "  constexpr int n = 4096;\n"
         "  static int host[n];\n"
         "  int *x, *y, result;\n"
         "  cudaMalloc(&x, sizeof host);\n"
         "  cudaMalloc(&y, sizeof host);\n"
         "  for (int i = 0; i < n; ++i) host[i] = i;\n"
         "  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);\n"
         "  cudaMemset(y, 0, sizeof host);\n"
         "  for (int i = 0; i < 100; ++i) {\n" +
         body +
         "  }\n"
         "  cudaMemcpy(&result, y + 7, sizeof result, cudaMemcpyDeviceToHost);\n"
         "  std::printf(\"%d\\n\", result);\n"
         "  cudaFree(x);\n"
         "  cudaFree(y);\n"
         "}\n";
}

Finished run(const std::string& text) {
  const Desk desk;
  desk.folder.write("program.cu", text);
  return desk.run("program.cu");
}

const std::string triple =
    "__global__ void triple(const int* x, int* y) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  y[i] = 3 * x[i];\n"
    "}\n";
const std::string add =
    "__global__ void add(const int* x, int* y) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  y[i] += x[i];\n"
    "}\n";

}  // namespace

TEST_CASE("a benchmark's launches with the same data run a few times") {
  const Finished finished = run(program(triple, "triple<<<16, 256>>>(x, y);\n"));
  CHECK(finished.output == "21\n");
  CHECK(contains(finished.errors, "96 of 100 launches repeated an earlier one"));
}

TEST_CASE("a launch is repeated where what it changes is put back first") {
  const Finished finished =
      run(program(add, "cudaMemset(y, 0, sizeof host);\nadd<<<16, 256>>>(x, y);\n"));
  CHECK(finished.output == "7\n");
  CHECK(contains(finished.errors, "96 of 100 launches"));
}

TEST_CASE("launches that go on with what the one before left all run") {
  const Finished finished = run(program(add, "add<<<16, 256>>>(x, y);\n"));
  CHECK(finished.output == "700\n");
  CHECK(!contains(finished.errors, "repeated an earlier"));
}

TEST_CASE("a launch runs if its grid or its input has changed") {
  const Finished finished =
      run(program(triple,
                  "triple<<<16 - i % 2, 256>>>(x, y);\n"
                  "host[7] = i / 10;\n"
                  "if (i % 10 == 8) cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);\n"));
  CHECK(finished.output == "27\n");
  CHECK(contains(finished.errors, "nothing found"));
}

TEST_CASE("a fill that was done before is done again where something has written since") {
  const auto result_of = [](const std::string& writes) {
    const Finished finished =
        run(program(add, "cudaMemset(y, 0, sizeof host);\nif (i > 90) {\n" + writes +
                             "cudaMemset(y, 0, sizeof host);\n}\nadd<<<16, 256>>>(x, y);\n"));
    CHECK(contains(finished.errors, "launches repeated an earlier one"));
    return finished.output;
  };
  CHECK(result_of("cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice);\n") == "7\n");
  CHECK(result_of("cudaMemcpy(y, x, sizeof host, cudaMemcpyDeviceToDevice);\n") == "7\n");
  CHECK(result_of("cudaMemset(y + 7, 1, 4);\n") == "7\n");
  CHECK(result_of("add<<<15 + i % 2, 256>>>(x, y);\n") == "7\n");
}

TEST_CASE("a launch runs if host code has written its managed memory") {
  const Finished finished = run(program(triple,
                                        "static int* z = nullptr;\n"
                                        "if (!z) cudaMallocManaged(&z, sizeof host);\n"
                                        "if (i == 0) cudaMemset(z, 0, sizeof host);\n"
                                        "cudaDeviceSynchronize();\nz[7] = i / 10;\n"
                                        "triple<<<16, 256>>>(z, y);\ncudaDeviceSynchronize();\n"
                                        "if (i == 99) cudaFree(z);\n"));
  CHECK(finished.output == "27\n");
  CHECK(contains(finished.errors, "launches repeated an earlier one"));
}

TEST_CASE("a launch runs if it prints, or uses a variable of the device") {
  SUBCASE("it prints") {
    const Finished finished =
        run(program("__global__ void say(int* y) { y[threadIdx.x] = 5; if (threadIdx.x == 7) "
                    "printf(\"7\\n\"); }",
                    "say<<<1, 256>>>(y);\n"));
    std::string expected;
    for (int i = 0; i < 100; ++i) expected += "7\n";
    CHECK(finished.output == expected + "5\n");
  }
  SUBCASE("it counts") {
    const Finished finished =
        run(program("__device__ int count;\n"
                    "__global__ void next(int* y) { const int i = atomicAdd(&count, 1); if (i >= "
                    "0) y[7] = i; }",
                    "next<<<1, 1>>>(y);\n"));
    CHECK(finished.output == "99\n");
  }
  SUBCASE("its constant has changed") {
    const Finished finished =
        run(program("__constant__ int factor;\n"
                    "__global__ void scale(int* y) { y[threadIdx.x] = factor; }",
                    "const int f = i / 10;\n"
                    "cudaMemcpyToSymbol(factor, &f, sizeof f);\nscale<<<1, 256>>>(y);\n"));
    CHECK(finished.output == "9\n");
  }
}

TEST_CASE("a program whose kernels make many accesses is told in which blocks races were sought") {
  const Desk desk;
  desk.folder.write("x.cu", R"(
__global__ void k(int* y, bool all) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 128; ++i) sum += s[t ^ i];
  if (t == 0) y[all ? 0 : blockIdx.x] = sum;
}
int main(int n, char**) {
  int* y;
  cudaMalloc(&y, 3000 * sizeof *y);
  k<<<3000, 128>>>(y, n > 1);
  cudaFree(y);
}
)");
  const Finished right = desk.run("x.cu"), wrong = desk.run("x.cu -- 1");
  INFO(right.errors, wrong.errors);
  CHECK(right.exit_status == 0);
  CHECK(contains(right.errors, "Races of plain loads and stores were looked for in some blocks"));
  CHECK_FALSE(contains(right.errors, "Every access was checked"));
  CHECK(wrong.exit_status == 1);
  CHECK(contains(wrong.errors, "x.cu:9:"));
  CHECK(contains(wrong.errors, "error: race"));
  CHECK(contains(desk.run("--json x.cu").output, "\"unmarked_blocks\":"));
}
