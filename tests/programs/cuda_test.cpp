// `kata run` on small programs, each with a part of CUDA that programs use and problems do not.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "compile/toolchain.h"
#include "compilers.h"
#include "programs/program_desk.h"

using kata::Finished;
using kata::test::contains;
using kata::test::Desk;
using kata::test::prints;
using kata::test::run_with;

TEST_CASE("a __shared__ array of a size known only at run time is an error in its line") {
  const Desk desk;
  desk.folder.write("program.cu", R"(
template <class T, int n> __global__ void fixed(T* y) {
  __shared__ T s[n + 1];
  s[0] = 1;
  y[0] = s[0];
}
__global__ void k(float* y, int n) {
  __shared__ float s[n];
  s[0] = 1;
  y[0] = s[0];
}
int main() { fixed<float, 4><<<1, 1>>>(nullptr); }
)");
  const Finished finished = run_with(desk, "g++", "program.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "program.cu:8:"));
  CHECK(contains(finished.errors, "the size of a __shared__ array is a constant"));
  CHECK(!contains(finished.errors, "program.cu:3"));
}

TEST_CASE("a class may give a name another meaning after its use, as nvcc lets it") {
  prints(R"(
#include <cstdio>
template <class T, int n> struct Array { T at[n]; };
template <class T> struct Box { using Array = Array<T, 4>; Array x; };
__global__ void k(int* y) {
  Box<int> box;
  box.x.at[3] = 5;
  *y = box.x.at[3];
}
int main() {
  int *y, host;
  cudaMalloc(&y, 4);
  k<<<1, 1>>>(y);
  cudaMemcpy(&host, y, 4, cudaMemcpyDeviceToHost);
  cudaFree(y);
  std::printf("%d\n", host);
}
)",
         "5\n");
}

TEST_CASE("a return without a value, of which nvcc warns, lets a program run") {
  const Desk desk;
  desk.folder.write("program.cu", R"(
#include <cstdio>
int tell(int times) {
  std::printf("once\n");
  if (times < 2) return;
  std::printf("twice\n");
  return 2;
}
int main() { tell(1); }
)");
  const Finished finished = run_with(desk, "g++", "program.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(finished.output == "once\n");
}

TEST_CASE("a wrong conversion beside such a name is still an error") {
  const Desk desk;
  desk.folder.write("program.cu", R"(
template <class T, int n> struct Array { T at[n]; };
template <class T> struct Box { using Array = Array<T, 4>; Array x; };
int main() { int* p = 5; return *p; }
)");
  const Finished finished = run_with(desk, "g++", "program.cu");
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "program.cu:4:"));
}

TEST_CASE("atomics on 16 bits and on vectors of floats, and an unused handle of cuBLASLt") {
  prints(R"(
#include <cublas_v2.h>
#include <cublasLt.h>
#include <cstdio>
cublasLtHandle_t unused;
struct Sums { float4 four; float2 two; unsigned short lock[2]; };
__global__ void k(Sums* sums) {
  const float4 before = atomicAdd(&sums->four, make_float4(1, 2, 3, 4));
  atomicAdd(&sums->two, make_float2(before.x >= 0 ? 1 : 100, 2));
  atomicCAS(&sums->lock[1], (unsigned short)0, (unsigned short)7);
}
int main() {
  Sums* sums;
  cudaMallocManaged(&sums, sizeof *sums);
  *sums = {};
  k<<<2, 32>>>(sums);
  cudaDeviceSynchronize();
  std::printf("%g %g %g %d %d\n", sums->four.x, sums->four.w, sums->two.y, sums->lock[0], sums->lock[1]);
  cudaFree(sums);
}
)",
         "64 256 128 0 7\n");
}

TEST_CASE("-fopenmp gives host code OpenMP's threads, also as nvcc spells it") {
  const Desk desk;
  desk.folder.write("program.cu", R"(
#include <cstdio>
#include <omp.h>
int main() {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += omp_get_num_threads() > 0 ? i : 0;
  std::printf("%d\n", sum);
}
)");
  for (const char* flags : {"-fopenmp", "-Xcompiler -fopenmp", "-Xcompiler=-fopenmp"}) {
    const Finished finished = run_with(desk, "g++", std::string("program.cu ") + flags);
    INFO(finished.errors);
    CHECK(finished.output == "4950\n");
  }
  CHECK(contains(desk.run("program.cu").errors, "add -fopenmp"));
  CHECK(contains(desk.run("program.cu -fast").errors, "run takes no -fast"));
}

TEST_CASE(
    "host code that reads managed memory too early, and a copy in the wrong stream, are races") {
  const Desk desk;
  desk.folder.write("program.cu", R"(
__global__ void k(int* y) { y[threadIdx.x] = 1; }
int main() {
  int *y, *z, h[32];
  cudaMallocManaged(&y, sizeof h);
  k<<<1, 32>>>(y);
  h[0] = y[3];
  cudaDeviceSynchronize();
  cudaMalloc(&z, sizeof h);
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  k<<<1, 32, 0, one>>>(z);
  cudaMemcpyAsync(h, z, sizeof h, cudaMemcpyDeviceToHost, other);
  cudaDeviceSynchronize();
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
  cudaFree(y);
  cudaFree(z);
  return h[0] == 1 ? 0 : 3;
}
)");
  const Finished finished = desk.run("program.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 1);
  CHECK(contains(finished.errors, "2 errors"));
  CHECK(contains(finished.errors, "program.cu:7:3: error: race: host code reads"));
  CHECK(contains(finished.errors, "program.cu:14:3: error: race: cudaMemcpyAsync reads"));
}

TEST_CASE("clock() in a kernel counts cycles, in host code processor time") {
  const Desk desk;
  desk.folder.write("ticks.cu", R"(
#include <cstdio>
#include <ctime>
__global__ void wait_for(clock_t ticks) {
  const clock_t start = clock();
  while (clock() - start < ticks) {}
}
int main() {
  const clock_t start = clock();
  wait_for<<<1, 1>>>(20000000);
  cudaDeviceSynchronize();
  printf("%d\n", clock() - start < 10 * CLOCKS_PER_SEC);
}
)");
  const Finished finished = desk.run("ticks.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(finished.output == "1\n");
}

TEST_CASE("atomics of host code do not race with a kernel's, but a plain read does") {
  const Desk desk;
  desk.folder.write("both.cu", R"(
#include <cstdio>
__global__ void add(int* x) { atomicAdd_system(x, 1); }
int main() {
  int *x, seen;
  cudaMallocManaged(&x, sizeof *x);
  *x = 0;
  add<<<1, 32>>>(x);
  __sync_fetch_and_add(x, 100);
  do seen = *x;
  while (__sync_val_compare_and_swap(x, seen, seen + 1000) != seen);
#ifdef PLAIN
  printf("%d\n", *x);
#endif
  cudaDeviceSynchronize();
  printf("%d\n", *x);
  cudaFree(x);
}
)");
  const Finished atomics = desk.run("both.cu");
  INFO(atomics.errors);
  CHECK(atomics.exit_status == 0);
  CHECK(atomics.output == "1132\n");
  const Finished plain = desk.run("-D PLAIN both.cu");
  INFO(plain.errors);
  CHECK(plain.exit_status == 1);
  CHECK(contains(plain.errors, "both.cu:13:"));
  CHECK(!contains(plain.errors, "both.cu:10:"));
}

TEST_CASE("streams and events that are never destroyed are advice in the line that made them") {
  const Desk desk;
  desk.folder.write("program.cu", R"(
cudaStream_t kept;
int main() {
  cudaStream_t stream;
  cudaEvent_t events[2], destroyed;
  cudaStreamCreate(&kept);
  cudaStreamCreate(&stream);
  for (cudaEvent_t& event : events) cudaEventCreate(&event);
  cudaEventCreate(&destroyed);
  cudaEventDestroy(destroyed);
}
)");
  const Finished finished = desk.run("program.cu");
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.errors, "nothing found"));
  CHECK(
      contains(finished.errors, "program.cu:7:3: warning: leak: the stream created here is never"));
  CHECK(contains(finished.errors, "program.cu:8:"));
  CHECK(contains(finished.errors, "2 events created here are never destroyed"));
  CHECK(!contains(finished.errors, "program.cu:6"));
  CHECK(!contains(finished.errors, "program.cu:9"));
}

TEST_CASE("cuComplex.h has complex numbers of floats and of doubles") {
  prints(R"(
#include <cstdio>
#include <cuComplex.h>
__global__ void k(cuFloatComplex* y, cuDoubleComplex* z) {
  y[0] = cuCmulf(make_cuComplex(1, 2), make_cuFloatComplex(3, 4));
  y[1] = cuCaddf(cuCsubf(y[0], make_cuComplex(1, 1)), cuConjf(y[0]));
  y[2] = cuCfmaf(make_cuComplex(0, 1), make_cuComplex(0, 1), make_cuComplex(5, 6));
  z[0] = cuCdiv(make_cuDoubleComplex(-5e200, 10e200), make_cuDoubleComplex(3e200, 4e200));
  z[1] = make_cuDoubleComplex(cuCabs(make_cuDoubleComplex(3, 4)), cuCimagf(y[0]));
}
int main() {
  cuFloatComplex *y, a[3];
  cuDoubleComplex *z, b[2];
  cudaMalloc(&y, sizeof a);
  cudaMalloc(&z, sizeof b);
  k<<<1, 1>>>(y, z);
  cudaMemcpy(a, y, sizeof a, cudaMemcpyDeviceToHost);
  cudaMemcpy(b, z, sizeof b, cudaMemcpyDeviceToHost);
  for (cuFloatComplex v : a) std::printf("%g %g,", v.x, v.y);
  for (cuDoubleComplex v : b) std::printf("%g %g,", v.x, v.y);
  cudaFree(y);
  cudaFree(z);
}
)",
         "-5 10,-11 -1,4 6,1 2,5 10,");
}

TEST_CASE("tiles of several warps of cooperative groups meet, shuffle and reduce") {
  prints(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void k(int* y) {
  __shared__ cg::block_tile_memory<256> memory;
  __shared__ int first[2];
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<128>(block);
  if (tile.thread_rank() == 0) first[tile.meta_group_rank()] = 1000 * tile.meta_group_rank();
  tile.sync();
  const int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
  const int next = tile.shfl_down((int)threadIdx.x, 33);
  y[threadIdx.x] = sum + first[tile.meta_group_rank()] + next + tile.any(threadIdx.x == 200);
}
int main() {
  int *y, h[256];
  cudaMalloc(&y, sizeof h);
  k<<<1, 256>>>(y);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d", h[0], h[128], h[255]);
  cudaFree(y);
}
)",
         "8161 25674 25768");
}

TEST_CASE("cuRAND's device functions give the device's sequences where the toolkit is installed") {
  const Desk desk;
  desk.folder.write("program.cu", R"(
#include <cstdio>
#include <curand_kernel.h>
__global__ void k(unsigned* y) {
  curandStatePhilox4_32_10_t philox;
  curand_init(0, 0, 0, &philox);
  const uint4 four = curand4(&philox);
  y[0] = four.x;
  y[1] = four.w;
  curandState xorwow;
  curand_init(0, 0, 0, &xorwow);
  y[2] = curand(&xorwow);
  for (int i = 0; i < 3; ++i) y[3] = curand(&xorwow);
  curand_init(0, 0, 3, &xorwow);  // the same number by skipping ahead
  y[4] = curand(&xorwow);
}
int main() {
  unsigned *y, h[5];
  cudaMalloc(&y, sizeof h);
  k<<<1, 1>>>(y);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%08x %08x %d", h[0], h[1], h[3] == h[4] && h[2] != h[3]);
  cudaFree(y);
}
)");
  // Behind a script, nvcc's folder says nothing about where the headers are.
  const std::filesystem::path nvcc = kata::find_cuda_tool("nvcc");
  const std::filesystem::path script = desk.folder.path() / "nvcc";
  std::ofstream(script) << "#!/bin/sh\nexec '" << nvcc.string() << "' \"$@\"\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Finished finished = desk.shell("PATH=\"$PWD:$PATH\" \"$KATA\" run program.cu");
  INFO(finished.errors);
  if (kata::find_cuda_header("curand_kernel.h").empty()) {
    CHECK(finished.exit_status == 2);
    CHECK(contains(finished.errors, "program.cu:5"));
    CHECK(contains(finished.errors, "needs cuRAND's headers"));
    return;
  }
  // Philox4x32-10 with counter and key 0: known answers of Random123, by its authors.
  CHECK(finished.output == "6627e8d5 9b00dbd8 1");
  CHECK(contains(finished.errors, "nothing found"));
  CHECK(contains(desk.run("program.cu").errors, "nothing found"));
  desk.folder.write(
      "both.cu", "#include <curand.h>\n#include <curand_kernel.h>\nint main() { curandState s; }");
  desk.folder.write(
      "other_order.cu",
      "#include <curand_kernel.h>\n#include <curand.h>\nint main() { curandState s; }");
  CHECK(desk.run("both.cu").exit_status == 0);
  CHECK(desk.run("other_order.cu").exit_status == 0);
}
