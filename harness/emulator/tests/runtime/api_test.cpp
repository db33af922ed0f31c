#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

#include "emulator/tests/runtime/kernels.h"

using namespace kernels;

namespace {

std::string only_cuda_error() {
  const auto findings = kata::emulator::take_findings();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::cuda_error);
  CHECK(findings[0].line > 0);
  return findings[0].message;
}

}  // namespace

TEST_CASE("what is copied to the device comes back, row by row too") {
  const Fresh fresh;
  const std::vector<int> values{1, 2, 3, 4, 5, 6};
  int* x = device(values);
  int* y = device<int>(6);
  CHECK(cudaMemcpy(y, x, 24, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(host(y, 6) == values);
  CHECK(cudaMemset(y, 0xff, 8) == cudaSuccess);
  CHECK(host(y, 3) == std::vector<int>{-1, -1, 3});
  int columns[4] = {};
  CHECK(cudaMemcpy2D(columns, 8, x + 1, 12, 8, 2, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(columns[0] == 2);
  CHECK(columns[3] == 6);
}

TEST_CASE("a write beside a buffer shows after the call where accesses are not checked") {
  const Fresh fresh;
  kata::emulator::configure({.checked = false});
  float* x = device(std::vector<float>(3, 1), "x");
  x[3] = 0;
  kata::emulator::end_call();
  auto findings = kata::emulator::take_findings();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::out_of_bounds);
  CHECK(findings[0].message == "a kernel wrote x[3], past the end of x (3 floats)");
  kata::emulator::end_call();
  CHECK(kata::emulator::take_findings().empty());
  x[-1] = 0;
  kata::emulator::end_call();
  findings = kata::emulator::take_findings();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message == "a kernel wrote x[-1], before the beginning of x (3 floats)");
  CHECK(std::isnan(x[-1]));  // so that what is read there shows, too
}

TEST_CASE("a wrong call gives the error of a device and says why") {
  const Fresh fresh;
  float values[8] = {};
  float* x = device(std::vector<float>(4, 1), "x");
  CHECK(cudaMemcpy(x, values, 20, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(only_cuda_error() ==
        "cudaMemcpy failed with cudaErrorInvalidValue: the destination has 16 bytes to the end of "
        "x, and 20 are wanted");
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaMemcpy(values, x, 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(only_cuda_error().find("the destination is host memory") != std::string::npos);
  CHECK(cudaMemcpy(x, values, 16, cudaMemcpyKind(7)) == cudaErrorInvalidMemcpyDirection);
  only_cuda_error();
  CHECK(cudaMemset(values, 0, 4) == cudaErrorInvalidValue);
  only_cuda_error();
  CHECK(cudaFree(x + 1) == cudaErrorInvalidValue);
  CHECK(only_cuda_error().find("not the start") != std::string::npos);
  CHECK(cudaFree(x) == cudaSuccess);
  CHECK(cudaFree(x) == cudaErrorInvalidValue);
  CHECK(only_cuda_error().find("freed before") != std::string::npos);
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  only_cuda_error();
  CHECK(cudaFree(nullptr) == cudaSuccess);
}

TEST_CASE("more memory than there is cannot be had, and less still can") {
  const Fresh fresh;
  void* pointer = nullptr;
  CHECK(__kata_malloc(&pointer, std::size_t{1} << 40, 0, "k.cu", 1) == cudaErrorMemoryAllocation);
  CHECK(pointer == nullptr);
  only_cuda_error();
  CHECK(__kata_malloc(&pointer, 1 << 20, 0, "k.cu", 1) == cudaSuccess);
}

TEST_CASE("memory that is freed can be had again, without end") {
  const Fresh fresh;
  std::set<void*> had;
  bool again = false;
  for (int i = 0; i < 20'000; ++i) {  // each with its gaps: 2.5 TiB of an address space of 1 TiB
    void* pointer = nullptr;
    REQUIRE(__kata_malloc(&pointer, 64, 0, "k.cu", 1) == cudaSuccess);
    REQUIRE(cudaFree(pointer) == cudaSuccess);
    again |= !had.insert(pointer).second;
  }
  CHECK(again);
  CHECK(had.size() > 1000);  // as late as can be, so that a use after the free is seen
}

TEST_CASE("a candidate's leak is reported once, the harness's own buffers never") {
  const Fresh fresh;
  kata::emulator::take_leaks();
  void* own = nullptr;
  __kata_malloc(&own, 64, 0, "", 0);
  float* x = device<float>(10);
  const auto leaks = kata::emulator::take_leaks();
  REQUIRE(leaks.size() == 1);
  CHECK(leaks[0].count == 40);
  CHECK(leaks[0].file == "somewhere.cu");
  CHECK(leaks[0].line == 7);
  CHECK(kata::emulator::take_leaks().empty());
  CHECK(cudaFree(x) == cudaSuccess);
}

TEST_CASE("what the threads of a kernel allocate and never free is one leak, in its line") {
  const Fresh fresh;
  kata::emulator::take_leaks();
  launch({1, 1, 1}, {32, 1, 1}, [] {
    void* kept = __kata_heap_malloc(12);
    void* freed = __kata_heap_new(100);
    if (kept != freed) __kata_heap_delete(freed);
  });
  const auto leaks = kata::emulator::take_leaks();
  REQUIRE(leaks.size() == 1);
  CHECK(leaks[0].count == 32 * 12);
  CHECK(leaks[0].file.find("api_test.cpp") != std::string::npos);
}

TEST_CASE("streams and events work as queues that are always empty") {
  const Fresh fresh;
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&start, 0) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&stop, 0) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaErrorInvalidResourceHandle);
  only_cuda_error();
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, nullptr) ==
        cudaSuccess);
  CHECK(cudaEventRecord(start, stream) == cudaSuccess);
  bool ran = false;
  launch(
      {1, 1, 1}, {1, 1, 1}, [&] { ran = true; }, 0, 0, stream);
  CHECK(ran);
  CHECK(cudaEventRecord(stop, stream) == cudaSuccess);
  CHECK(cudaEventSynchronize(stop) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  kata::emulator::take_findings();
  launch(
      {1, 1, 1}, {1, 1, 1}, [] {}, 0, 0, stream);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventDestroy(start) == cudaSuccess);
  CHECK(cudaEventDestroy(stop) == cudaSuccess);
}

TEST_CASE("the device is one of compute capability 9.0") {
  const Fresh fresh;
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(std::strcmp(properties.name, "kata emulator") == 0);
  CHECK(properties.major == 9);
  CHECK(properties.multiProcessorCount == 132);
  CHECK(properties.sharedMemPerBlockOptin == 232448);
  CHECK(properties.l2CacheSize == 60 << 20);
  CHECK(properties.maxGridSize[1] == 65535);
  CHECK(properties.maxTexture2DLinear[2] == 2097120);
  CHECK(properties.maxSurface2DLayered[2] == 2048);
  CHECK(properties.clusterLaunch == 1);
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess);
  CHECK(value == 1024);
}

TEST_CASE("a device may say that it has few multiprocessors") {
  const Fresh fresh;
  kata::emulator::configure({.multiprocessors = 5});
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(value == 5);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(properties.multiProcessorCount == 5);
}

TEST_CASE("to allocate and free a large buffer in a stream takes little memory of the machine") {
  const Fresh fresh;
  const auto resident_pages = [] {
    std::ifstream file("/proc/self/statm");
    long all = 0, resident = 0;
    file >> all >> resident;
    return resident;
  };
  cudaStream_t one = nullptr;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  const long before = resident_pages();
  void* buffer = nullptr;
  CHECK(__kata_malloc_async(&buffer, std::size_t{1} << 30, one, "x.cu", 1) == cudaSuccess);
  CHECK(cudaFreeAsync(buffer, one) == cudaSuccess);
  CHECK(resident_pages() - before < 1 << 14);
  cudaStreamDestroy(one);
  kata::emulator::take_findings();
}

TEST_CASE("occupancy follows from threads and shared memory") {
  const Fresh fresh;
  const auto blocks = [](int threads, std::size_t shared) {
    int result = -1;
    static const int kernel = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result, &kernel, threads, shared) ==
          cudaSuccess);
    return result;
  };
  CHECK(blocks(1024, 0) == 2);
  CHECK(blocks(256, 0) == 8);
  CHECK(blocks(33, 0) == 32);
  CHECK(blocks(256, 100 << 10) == 2);
  CHECK(blocks(256, 227 << 10) == 1);
  CHECK(blocks(256, 228 << 10) == 0);
}

TEST_CASE("errors have CUDA's names and words") {
  CHECK(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  CHECK(std::strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                    "invalid configuration argument") == 0);
  CHECK(std::strcmp(cudaGetErrorString(cudaError_t(12345)), "unrecognized error code") == 0);
}
