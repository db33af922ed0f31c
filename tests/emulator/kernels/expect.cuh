#pragma once
// What the language fixtures share. Expected values are worked out by hand from the CUDA C++
// Programming Guide, never copied from a run.
#include <cuda_runtime.h>

typedef void (*Report)(const char* text, int line);

static Report report_failure;
static int expectations;

static inline void expect(bool holds, const char* text, int line) {
  ++expectations;
  if (!holds) report_failure(text, line);
}
#define EXPECT(...) expect((__VA_ARGS__), #__VA_ARGS__, __LINE__)

/// `count` values on the device, zero at first.
template <class T, int count>
struct Values {
  T* device;
  T host[count];
  Values() {
    cudaMalloc(&device, sizeof host);
    cudaMemset(device, 0, sizeof host);
  }
  ~Values() { cudaFree(device); }
  Values(const Values&) = delete;
  operator T*() { return device; }
  /// The values as they are now.
  const T* get() {
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    return host;
  }
  void set(const T* values) { cudaMemcpy(device, values, sizeof host, cudaMemcpyHostToDevice); }
};

static void fixture();

/// Runs a fixture; how many expectations it had.
extern "C" int run_fixture(Report report) {
  report_failure = report;
  fixture();
  expect(cudaDeviceSynchronize() == cudaSuccess, "no CUDA error is left", __LINE__);
  return expectations;
}
