// `kata run` on what programs of strangers do and tutorials do not.
#include <doctest/doctest.h>

#include "compilers.h"
#include "programs/program_desk.h"

using kata::Finished;
using kata::test::check_one_line;
using kata::test::contains;
using kata::test::Desk;
using kata::test::prints;
using kata::test::run_with;

TEST_CASE("macros that declare shared memory, unroll loops and mark parameters") {
  prints(R"(
#include <cstdio>
#define UNROLL #pragma unroll
#define UNROLL_BY(n) _Pragma(TEXT(unroll n))
#define TEXT(x) #x
#define CONSTANT const __grid_constant__
#define TILE(T, name) __shared__ T name##_tile[4]; T* name = name##_tile;
#define DYNAMIC(T, name) extern __shared__ T name[]
struct Pair { int a, b; };
__global__ void k(int* sum, CONSTANT Pair pair) {
  TILE(int, x)
  TILE(float, y)
  DYNAMIC(int, z);
  x[threadIdx.x] = pair.a;
  y[threadIdx.x] = pair.b;
  z[threadIdx.x] = 100;
  __syncthreads();
  if (threadIdx.x > 0) return;
  int total = 0;
  UNROLL
  for (int i = 0; i < 4; ++i) total += x[i] + (int)y[i];
  UNROLL_BY(4)
  for (int i = 0; i < 4; ++i) total += z[i];
  *sum = total;
}
int main() {
  int* sum;
  cudaMallocManaged(&sum, sizeof *sum);
  k<<<1, 4, 16>>>(sum, {1, 10});
  cudaDeviceSynchronize();
  std::printf("%d\n", *sum);
  cudaFree(sum);
}
)",
         "444\n");
}

TEST_CASE("a kernel can ask in which memory a pointer points") {
  prints(R"(
#include <cstdio>
__device__ int of_program;
__global__ void ask(int* x) {
  __shared__ int shared[1];
  int local[1] = {threadIdx.x};
  const int* all[] = {x, &of_program, shared, local};
  for (const int* one : all)
    printf("%d%d%d ", __isGlobal(one) != 0, __isShared(one) != 0, __isLocal(one) != 0);
}
int main() {
  int* x;
  cudaMalloc(&x, 4);
  ask<<<1, 1>>>(x);
  cudaFree(x);
}
)",
         "100 100 010 001 ");
}

TEST_CASE("kernels that are launched by an address in brackets or in a variable") {
  prints(R"(
#include <cstdio>
template <int n> __global__ void add(int* sum) { *sum += n; }
__global__ void add_100(int* sum) { *sum += 100; }
void launch(void const* kernel, int* sum) {
  void* arguments[] = {&sum};
  cudaLaunchKernel(kernel, 1, 1, arguments, 0, 0);
}
template <int n> struct Adder {
  static constexpr auto kernel = &add<n>;
  static void run(int* sum) { launch((void const*)kernel, sum); }
};
int main() {
  int* sum;
  cudaMallocManaged(&sum, sizeof *sum);
  *sum = 0;
  launch((void const*)(&add<1>), sum);
  void (*pointer)(int*) = add_100;
  launch((const void*)pointer, sum);
  Adder<10>::run(sum);
  cudaDeviceSynchronize();
  std::printf("%d\n", *sum);
  cudaFree(sum);
}
)",
         "111\n");
}

TEST_CASE("what nvcc brings along: initializer lists, and __NVCC__") {
  prints(R"(
#include <cstdio>
#ifndef __NVCC__
#error "this is nvcc's branch"
#endif
int main() {
  int sum = 0;
  for (auto x : {1, 2}) sum += x;
  std::printf("%d\n", sum);
}
)",
         "3\n");
}

TEST_CASE(
    "the inverses of the error function and of the normal distribution are right to the last "
    "digits") {
  prints(R"(
#include <cstdio>
__global__ void k(double* worst) {
  for (double x = 1e-12; x < 2; x *= 1.5) {
    worst[0] = fmax(worst[0], fabs(erfc(erfcinv(x)) / x - 1));
    worst[0] = fmax(worst[0], fabs(erf(erfinv(x / 2)) / (x / 2) - 1));
  }
  worst[1] = normcdfinv(0.975) + erfinvf(-0.3f);
}
int main() {
  double* worst;
  cudaMallocManaged(&worst, 16);
  worst[0] = 0;
  k<<<1, 1>>>(worst);
  cudaDeviceSynchronize();
  std::printf("%d %.6f\n", worst[0] < 1e-13, worst[1]);
  cudaFree(worst);
}
)",
         "1 1.687501\n");
}

TEST_CASE("cuda::atomic and cuda::atomic_ref order what they publish") {
  const std::string program = R"(
#include <cuda/atomic>
#include <cstdio>
using Flag = cuda::atomic<int, cuda::thread_scope_device>;
__global__ void hand_over(int* data, Flag* flag, int* out) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    flag->store(1, cuda::std::memory_order_release);
  } else {
    while (flag->load(cuda::memory_order_ORDER) == 0) {}
    out[0] = data[0];
  }
}
__global__ void count(int* n, float* largest) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> lanes;
  if (threadIdx.x == 0) lanes.store(0);
  __syncthreads();
  lanes++;
  cuda::std::atomic_ref<float>(*largest).fetch_max(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) cuda::atomic_ref<int>(*n).fetch_add(lanes, cuda::memory_order_relaxed);
}
int main() {
  int* data;
  Flag* flag;
  cudaMallocManaged(&data, 4 * sizeof *data);
  cudaMalloc(&flag, sizeof *flag);
  cudaMemset(flag, 0, sizeof *flag);
  data[2] = data[3] = 0;
  hand_over<<<2, 1>>>(data, flag, data + 1);
  count<<<2, 32>>>(data + 2, (float*)data + 3);
  cudaDeviceSynchronize();
  std::printf("%d %d %g\n", data[1], data[2], *((float*)data + 3));
  cudaFree(data);
  cudaFree(flag);
}
)";
  const auto with = [&](const std::string& order) {
    std::string text = program;
    return text.replace(text.find("ORDER"), 5, order);
  };
  prints(with("acquire"), "42 64 31\n");
  const Desk desk;
  desk.folder.write("program.cu", with("relaxed"));
  const Finished ran = desk.run("program.cu");
  CHECK(ran.exit_status == 1);
  CHECK(contains(ran.errors, ": error: race"));
}

TEST_CASE("cuRAND's host functions fill device memory with its distributions") {
  prints(R"(
#include <curand.h>
#include <cstdio>
#include <vector>
int main() {
  const int n = 100000;
  float* x;
  cudaMalloc(&x, n * sizeof *x);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(generator, 1);
  std::vector<float> host(n);
  const auto print_moments = [&] {
    cudaMemcpy(host.data(), x, n * sizeof *x, cudaMemcpyDeviceToHost);
    double sum = 0, squares = 0;
    for (float value : host) sum += value, squares += value * value;
    std::printf("%.2f %.1f\n", sum / n, squares / n);
  };
  curandGenerateUniform(generator, x, n);
  print_moments();
  curandGenerateNormal(generator, x, n, 1, 2);
  print_moments();
  std::printf("%d\n", curandGenerateNormal(generator, x, 99, 0, 1));
  curandDestroyGenerator(generator);
  cudaFree(x);
}
)",
         "0.50 0.3\n1.00 5.0\n105\n");
}

TEST_CASE("managed memory is prefetched to a device's number, or to a location as in CUDA 13") {
  prints(R"(
#include <cstdio>
int main() {
  int* x;
  cudaMallocManaged(&x, 16);
  cudaMemLocation where{cudaMemLocationTypeDevice, 0};
  std::printf("%d %d %d\n", cudaMemPrefetchAsync(x, 16, 0), cudaMemPrefetchAsync(x, 16, where, 0),
              cudaMemAdvise(x, 16, cudaMemAdviseSetReadMostly, where));
  cudaFree(x);
}
)",
         "0 0 0\n");
}

TEST_CASE("-std=c++20 gives a program concepts, and a .c file is C") {
  const Desk desk;
  desk.folder.write("main.cu", R"(
#include <concepts>
extern "C" int next(int n);
template <std::integral T> __global__ void k(T* x) { *x = 41; }
int main() {
  int* x;
  cudaMallocManaged(&x, sizeof *x);
  k<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  const int result = next(*x);
  cudaFree(x);
  return result - 42;
}
)");
  desk.folder.write("next.c",
                    "#include <stdlib.h>\n"
                    "int next(int n) {\n"
                    "  int* class = malloc(sizeof(int));\n"
                    "  *class = n + 1;\n"
                    "  n = *class;\n"
                    "  free(class);\n"
                    "  return n;\n"
                    "}\n");
  for (const std::string& compiler : kata::test::compilers()) {
    const Finished ran =
        desk.shell("KATA_EMULATOR_CXX=" + compiler + " \"$KATA\" run -std=c++20 main.cu next.c");
    INFO(ran.errors);
    CHECK(ran.exit_status == 0);
  }
  CHECK(desk.run("main.cu next.c").exit_status == 2);
  check_one_line(desk.run("-std=c++98 main.cu"), "run takes no -std=c++98");
}

TEST_CASE(
    "whole warps that end before a barrier are a warning in a program, parts of one an error") {
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cstdio>
__global__ void k(int* y) {
  if (threadIdx.x >= STAY) return;
  __syncthreads();
  y[threadIdx.x] = 1;
}
int main() {
  int* y;
  cudaMalloc(&y, 512);
  k<<<1, 128>>>(y);
  cudaFree(y);
}
)");
  const Finished warps = desk.run("-D STAY=32 x.cu"), lanes = desk.run("-D STAY=40 x.cu");
  CHECK(warps.exit_status == 0);
  CHECK(contains(warps.errors, "x.cu:5:3: warning: barrier_divergence: 96 threads"));
  CHECK(contains(warps.errors, "A device goes on: whole warps have ended"));
  CHECK(lanes.exit_status == 1);
  CHECK(contains(lanes.errors, "x.cu:5:3: error: barrier_divergence: 88 threads"));
  CHECK(contains(lanes.errors, "(for example thread (40,0,0))"));
}

TEST_CASE(
    "whole warps that meet at different barriers are a warning in a program, lanes an error") {
  const Desk desk;
  desk.folder.write("x.cu", R"(
__global__ void k(int* y, int least) {
  if (threadIdx.x < least) {
    __syncthreads();
    y[threadIdx.x] = 1;
    return;
  }
  if (SYNC(y[threadIdx.x] = 2)) y[threadIdx.x] = 3;
}
int main() {
  int* y;
  cudaMalloc(&y, 512);
  for (int least : {FIRST, LAST}) k<<<1, 128>>>(y, least);
  cudaFree(y);
}
)");
  const auto run = [&](const std::string& defined) { return desk.run(defined + " x.cu"); };
  const std::string same = "-D \"SYNC(x)=((x), __syncthreads(), true)\" ";
  const Finished warps = run(same + "-D FIRST=32 -D LAST=64");
  CHECK(warps.exit_status == 0);
  CHECK(contains(warps.errors, "x.cu:4:5: warning: barrier_divergence: thread (0,0,0) of block"));
  CHECK(contains(warps.errors, "waits at the one in line 8"));
  CHECK(contains(warps.errors, "A device goes on: each warp meets as a whole"));
  CHECK(run(same + "-D FIRST=40 -D LAST=40").exit_status == 1);
  CHECK(run(same + "-D FIRST=32 -D LAST=40").exit_status == 1);
  const std::string reduces = "-D \"SYNC(x)=__syncthreads_or((x))\" ";
  CHECK(run(reduces + "-D FIRST=32 -D LAST=64").exit_status == 1);
}

TEST_CASE("a program that ends itself at a failed call keeps the finding that made it fail") {
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cstdlib>
#define CHECK(call) if ((call) != cudaSuccess) std::exit(1)
__global__ void k(int* y) { y[threadIdx.x] = 1; }
int main() {
  k<<<1, 32>>>(nullptr);
  CHECK(cudaDeviceSynchronize());
}
)");
  const Finished ran = desk.run("x.cu");
  CHECK(ran.exit_status == 1);
  CHECK(contains(ran.errors, "x.cu:4:"));
  CHECK(contains(ran.errors, "writes through a null pointer"));
}

TEST_CASE("ceil_div() of 64-bit numbers is a 64-bit number, and of ints an int") {
  prints(R"(
#include <kata/kata.h>
#include <cstdio>
static_assert(sizeof(kata::ceil_div(7, 2)) == sizeof(int));
int main() {
  const long long elements = 1ll << 40;
  const unsigned long size = 0xffffffff;
  std::printf("%lld %lld %lu %d\n", kata::ceil_div(elements, 256ll), kata::ceil_div(elements, 3),
              kata::ceil_div(size, 2), kata::ceil_div(2147483647, 2));
}
)",
         "4294967296 366503875926 2147483648 1073741824\n");
}
