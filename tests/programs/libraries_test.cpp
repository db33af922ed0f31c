// `kata run` on programs that use CUB, Thrust and cuBLAS, over what Debian has of them.
#include <doctest/doctest.h>

#include <filesystem>

#include "compile/library_headers.h"
#include "compile/toolchain.h"
#include "program_desk.h"
#include "skip.h"

using kata::Finished;
using kata::test::contains;
using kata::test::Desk;
using kata::test::has_blas;

namespace {

bool has_cub_and_thrust() {
  if (kata::is_installed("libcub-dev libthrust-dev")) return true;
  kata::test::skip("neither libcub-dev and libthrust-dev nor the CUDA Toolkit is installed");
  return false;
}

/// C = 2 A B + C of 3 x 4 and 4 x 2, column-major; `n` columns of B. Then B . B, and its length.
const char* const products = R"(
#include <cublas_v2.h>
#include <cstdio>
int main() {
  float a[12], b[8], c[6] = {1, 1, 1, 1, 1, 1}, *A, *B, *C;
  for (int i = 0; i < 12; ++i) a[i] = i;
  for (int i = 0; i < 8; ++i) b[i] = i + 1;
  cudaMalloc(&A, sizeof a);
  cudaMalloc(&B, sizeof b);
  cudaMalloc(&C, sizeof c);
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 3;
  cublasSetMatrix(3, 4, sizeof(float), a, 3, A, 3);
  cublasSetMatrix(4, 2, sizeof(float), b, 4, B, 4);
  cublasSetVector(6, sizeof(float), c, 1, C, 1);
  float two = 2, one = 1, dot = 0, length = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, COLUMNS, 4, &two, A, 3, B, LDB, &one, C, 3);
  cublasGetMatrix(3, 2, sizeof(float), C, 3, c, 3);
  cublasSdot(handle, 8, B, 1, B, 1, &dot);
  cublasSnrm2(handle, 8, B, 1, &length);
  printf("%g %g %g %g %.3f\n", c[0], c[1], c[5], dot, length);
  cublasDestroy(handle);
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
}
)";

}  // namespace

TEST_CASE("Thrust's containers are device memory, and its algorithms run") {
  if (!has_cub_and_thrust()) return;
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
__global__ void twice(int* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}
int main() {
  thrust::device_vector<int> x(100);
  for (int i = 0; i < 100; ++i) x[i] = 100 - i;
  thrust::sort(thrust::device, x.begin(), x.end());  // without its header, too
  thrust::transform(x.begin(), x.end(), x.begin(), Square());
  twice<<<1, 128>>>(thrust::raw_pointer_cast(x.data()), 100);
  std::cout << x[2] << " " << thrust::reduce(x.begin(), x.end()) << "\n";  // nvcc's Thrust has it
}
)");
  const Finished ran = desk.run("x.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 0);
  CHECK(ran.output == "18 676700\n");
  CHECK(contains(ran.errors, "nothing found"));
}

TEST_CASE("a range that Thrust writes past its buffer is found at the call") {
  if (!has_cub_and_thrust()) return;
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
int main() {
  float* x;
  cudaMalloc(&x, 40);
  thrust::fill(thrust::device, x, x + 11, 1.0f);
  cudaFree(x);
  thrust::device_vector<float> y(10);
  return thrust::raw_pointer_cast(y.data())[3] > 0;
}
)");
  const Finished ran = desk.run("x.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 1);
  CHECK(contains(ran.errors, "x.cu:8:3: error: out_of_bounds: the library called here writes"));
  CHECK(contains(ran.errors, "x.cu:11:3: error: out_of_bounds: host code reads device memory"));
  CHECK(contains(ran.errors, "2 errors"));
}

TEST_CASE("the types of cuda::std run in kernels, and what they access is checked") {
  if (!kata::is_installed("libcu++-dev"))
    return kata::test::skip("neither the CUDA Toolkit nor libcu++-dev is installed");
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cstdio>
__global__ void k(float* out, int n) {
  const int i = threadIdx.x;
  const cuda::std::array<float, 3> parts{1, 2, 3};
  cuda::std::complex<float> c(parts[i % 3], 1);
  c *= c;
  const auto [re, im] = cuda::std::make_tuple(c.real(), c.imag());
  const cuda::std::span<float> all(out, n);
  all[i] = re > im ? re : im;
}
int main(int argc, char**) {
  float* y;
  cudaMallocManaged(&y, 32 * sizeof(float));
  k<<<1, argc > 1 ? 33 : 32>>>(y, 32);
  cudaDeviceSynchronize();
  printf("%g %g %g\n", y[0], y[1], y[2]);
  cudaFree(y);
}
)");
  const Finished right = desk.run("x.cu");
  INFO(right.errors);
  CHECK(right.output == "2 4 8\n");
  CHECK(contains(right.errors, "nothing found"));
  const Finished wrong = desk.run("x.cu -- more");
  INFO(wrong.errors);
  CHECK(contains(wrong.errors, "x.cu:14:3: error: out_of_bounds"));
}

TEST_CASE("CUB's block and device algorithms run as kernels, and are checked") {
  if (!has_cub_and_thrust()) return;
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cstdio>
__global__ void sums(const int* x, int* sum, int n) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ Reduce::TempStorage storage;
  int total = Reduce(storage).Sum(threadIdx.x < n ? x[threadIdx.x] : 0);
  if (threadIdx.x == 0) *sum = total;
}
int main(int argc, char**) {
  int *x, *y;
  cudaMallocManaged(&x, 4000);
  cudaMallocManaged(&y, 4000);
  for (int i = 0; i < 1000; ++i) x[i] = i;
  const int n = argc > 1 ? 1001 : 1000;
  void* storage = nullptr;
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(storage, bytes, x, y, n);
  cudaMalloc(&storage, bytes);
  cub::DeviceScan::InclusiveSum(storage, bytes, x, y, n);
  cudaDeviceSynchronize();
  printf("%d ", y[999]);
  sums<<<1, 128>>>(x, y, 100);
  cudaDeviceSynchronize();
  printf("%d\n", y[0]);
  cudaFree(storage);
  cudaFree(x);
  cudaFree(y);
}
)");
  const Finished right = desk.run("x.cu");
  INFO(right.errors);
  CHECK(right.output == "499500 4950\n");
  CHECK(contains(right.errors, "nothing found"));
  const Finished wrong = desk.run("x.cu -- 1001");
  INFO(wrong.errors);
  CHECK(wrong.exit_status == 1);
  CHECK(contains(wrong.errors, "x.cu:21:3: error: out_of_bounds"));
  CHECK(contains(wrong.errors, "note: in cub/"));
}

TEST_CASE("cuBLAS gives what BLAS gives, column-major") {
  if (!has_blas()) return;
  const Desk desk;
  desk.folder.write("x.cu", products);
  const Finished ran = desk.run("-D COLUMNS=2 -D LDB=4 x.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 0);
  CHECK(ran.output == "121 141 369 204 14.283\n");
  CHECK(contains(ran.errors, "nothing found"));
}

TEST_CASE("cublasGemmStridedBatchedEx multiplies halves, each matrix where its stride says") {
  if (!has_blas()) return;
  kata::test::prints(R"(
#include <cublas_v2.h>
#include <cstdio>
int main() {
  __half *A, *B;
  float *C, alpha = 2, beta = 1;
  cudaMallocManaged(&A, 12 * sizeof *A);
  cudaMallocManaged(&B, 6 * sizeof *B);
  cudaMallocManaged(&C, 8 * sizeof *C);
  for (int i = 0; i < 12; ++i) A[i] = (float)i;
  for (int i = 0; i < 6; ++i) B[i] = i - 1.5f;
  for (int i = 0; i < 8; ++i) C[i] = 100 * i;
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasGemmStridedBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 3, &alpha, A, CUDA_R_16F, 3, 6, B,
                             CUDA_R_16F, 3, 0, &beta, C, CUDA_R_32F, 2, 4, 2, CUBLAS_COMPUTE_32F,
                             CUBLAS_GEMM_DEFAULT);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; ++i) printf("%g ", C[i]);
  cublasDestroy(handle);
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
}
)",
                     "1 92 219 364 383 474 709 854 ");
}

TEST_CASE("a cuBLAS handle may outlive its stream") {
  if (!has_blas()) return;
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cublas_v2.h>
int main() {
  cublasHandle_t handle;
  cudaStream_t stream;
  cublasCreate(&handle);
  cudaStreamCreate(&stream);
  cublasSetStream(handle, stream);
  cudaStreamDestroy(stream);
  return cublasDestroy(handle);
}
)");
  const Finished ran = desk.run("x.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 0);
  CHECK(contains(ran.errors, "nothing found"));
}

TEST_CASE("a matrix that cuBLAS reads past its buffer, and a wrong leading dimension, are found") {
  if (!has_blas()) return;
  const Desk desk;
  desk.folder.write("x.cu", products);
  const Finished wide = desk.run("-D COLUMNS=3 -D LDB=4 x.cu");
  INFO(wide.errors);
  CHECK(wide.exit_status == 1);
  CHECK(contains(wide.errors,
                 "x.cu:17:3: error: out_of_bounds: cublasSgemm reads B, which has 32 bytes to the "
                 "end of the buffer"));
  const Finished narrow = desk.run("-D COLUMNS=2 -D LDB=2 x.cu");
  INFO(narrow.errors);
  CHECK(contains(narrow.errors,
                 "x.cu:17:3: error: cuda_error: cublasSgemm failed with "
                 "CUBLAS_STATUS_INVALID_VALUE: ldb is 2, and b has 4 rows"));
}

TEST_CASE("without Debian's packages the CUDA Toolkit's CUB and Thrust run, wherever nvcc lies" *
          doctest::test_suite("slow")) {
  if (kata::find_cuda_header("cccl/cub/cub.cuh").empty())
    return kata::test::skip("no CUDA Toolkit with CCCL is installed");
  if (std::filesystem::exists("/usr/include/cub"))
    return kata::test::skip("Debian's packages are installed");
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <cstdio>
__global__ void last(const int* x, int n, int* y) {
  cuda::atomic_ref<int, cuda::thread_scope_device> largest(*y);
  for (int i = threadIdx.x; i < n; i += blockDim.x) largest.fetch_max(x[i]);
}
template <class F> void with_storage(F algorithm) {
  size_t bytes = 0;
  algorithm(nullptr, bytes);
  thrust::device_vector<char> storage(bytes);
  algorithm(thrust::raw_pointer_cast(storage.data()), bytes);
}
int main() {
  const int n = 3000;
  thrust::device_vector<int> x(n), y(n), most(1);
  thrust::sequence(x.begin(), x.end());
  int *from = thrust::raw_pointer_cast(x.data()), *to = thrust::raw_pointer_cast(y.data());
  with_storage([&](void* s, size_t& bytes) { cub::DeviceScan::InclusiveSum(s, bytes, from, to, n); });
  const int sum = y[n - 1];
  with_storage([&](void* s, size_t& bytes) { cub::DeviceRadixSort::SortKeysDescending(s, bytes, from, to, n); });
  last<<<1, 32>>>(to, n, thrust::raw_pointer_cast(most.data()));
  std::printf("%d %d %d\n", sum, (int)y[0], (int)most[0]);
}
)");
  desk.folder.write("bin/nvcc",
                    "#!/bin/sh\nexec '" + kata::find_cuda_tool("nvcc").string() + "' \"$@\"\n");
  const Finished ran = desk.shell(
      "chmod +x bin/nvcc && PATH=$PWD/bin:$PATH env -u KATA_CUB_AND_THRUST \"$KATA\" run x.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 0);
  CHECK(ran.output == "4498500 2999 2999\n");
}

TEST_CASE(
    "a functor that reads threadIdx where Thrust runs on the host is told so, not given zeros") {
  if (!has_cub_and_thrust()) return;
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <cstdio>
struct Store {
  int* to;
  __device__ void operator()(int i) const { to[i] = threadIdx.x; }
};
__global__ void k(Store store) { store(threadIdx.x); }
int main(int n, char**) {
  int* p;
  cudaMalloc(&p, 16);
  dim3 blockDim(4);
  k<<<1, blockDim.x>>>({p});
  if (n > 1) thrust::for_each_n(thrust::device, thrust::counting_iterator<int>(0), 4, Store{p});
  cudaFree(p);
}
)");
  CHECK(desk.run("x.cu").exit_status == 0);
  const Finished ran = desk.run("x.cu -- 1");
  INFO(ran.errors);
  CHECK(ran.exit_status == 2);
  CHECK(contains(ran.errors, "x.cu:8"));
  CHECK(contains(ran.errors, "threadIdx in a functor of Thrust"));
}

TEST_CASE("a .cpp file may include a header of Thrust alone") {
  if (!has_cub_and_thrust()) return;
  const Desk desk;
  desk.folder.write("x.cu", "int three();\nint main() { return three() - 3; }\n");
  desk.folder.write("host.cpp",
                    "#include <thrust/host_vector.h>\n"
                    "int three() { return (int)thrust::host_vector<int>(3).size(); }\n");
  const Finished ran = desk.run("x.cu host.cpp");
  INFO(ran.errors);
  CHECK(ran.exit_status == 0);
}

TEST_CASE("cuBLAS brings the types of its elements along, and a handle of cuBLASLt works") {
  if (!has_blas()) return;
  const Desk desk;
  desk.folder.write("x.cu", R"(
#include <cublas_v2.h>
#include <cublasLt.h>
__device__ cuComplex z;  // of a header that comes with it
__global__ void k(__nv_bfloat16* x) { *x = 1.0f; }
int main() {
  cublasLtHandle_t handle;
  return cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS || cublasLtDestroy(handle);
}
)");
  const Finished ran = desk.run("x.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 0);
}

TEST_CASE("without a BLAS, cuBLAS says what to install") {
  const Desk desk;
  desk.folder.write("x.cu", products);
  const Finished ran =
      desk.shell("KATA_BLAS=/nowhere/blas.so \"$KATA\" run -D COLUMNS=2 -D LDB=4 x.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 2);
  CHECK(contains(ran.errors, "x.cu:12"));
  CHECK(contains(ran.errors,
                 "cuBLAS runs over a BLAS, and none is installed: apt-get install "
                 "libopenblas0"));
}

TEST_CASE("what cuBLASLt lacks is refused where it is first used, not where it is included") {
  const Desk desk;
  const std::string unused = "#include <cublasLt.h>\n#include <cstdio>\nint main() {\n  ";
  desk.folder.write("unused.cu", unused + "puts(\"ran\");\n}\n");
  const Finished ran = desk.run("unused.cu");
  INFO(ran.errors);
  CHECK(ran.exit_status == 0);
  CHECK(ran.output == "ran\n");
  desk.folder.write("used.cu",
                    unused + "cublasLtHandle_t lt;\n  cublasLtMatrixTransformDesc_t x;\n}\n");
  const Finished refused = desk.run("used.cu");
  INFO(refused.errors);
  CHECK(refused.exit_status == 2);
  CHECK(refused.output == "");
  CHECK(contains(refused.errors,
                 "kata: used.cu:5: this part of cuBLASLt does not run on the emulator"));
}

TEST_CASE("a function of the driver API is refused by its name, with what to use in its place") {
  const Desk desk;
  desk.folder.write("x.cu",
                    "#include <cuda.h>\nint main() {\n  CUmodule module;\n"
                    "  return cuModuleLoad(&module, \"x.ptx\");\n}\n");
  const Finished refused = desk.run("x.cu");
  INFO(refused.errors);
  CHECK(refused.exit_status == 2);
  CHECK(contains(refused.errors, "x.cu:3"));
  CHECK(contains(refused.errors, "the driver API's CUmodule does not run on the emulator"));
  CHECK(contains(refused.errors, "use the runtime API"));
}
