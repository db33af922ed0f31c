// What a timing job loads: the kernels of the ceilings, and kernels of all sorts, on the CPU.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "gpu_worker/fake_cuda.h"

namespace {

void work_for(double us) {
  const auto start = std::chrono::steady_clock::now();
  while (
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() <
      us) {
  }
}

}  // namespace

extern "C" {

void kata_fill(float* x, long long count, unsigned seed) {
  fake_cuda::note_write();
  for (long long i = 0; i < count; ++i) x[i] = std::sin(static_cast<float>(i + seed));
}
void kata_copy(const float*, float*, long long) {
  work_for(200);
}
void kata_read(const float*, float*, long long count) {
  fake_cuda::note_read(static_cast<std::size_t>(count) * sizeof(float));
  work_for(100);
}
void kata_read_streaming(const float*, float*, long long) {
  work_for(150);
}
void kata_occupy(int) {}
double kata_ffma(float*, int blocks) {
  work_for(100);
  return 1e6 * blocks;
}
double kata_tensor_f16(float*, int) {
  work_for(100);
  return 1e9;
}
double kata_tensor_bf16(float*, int) {
  return 0;
}
double kata_tensor_i8(float*, int) {
  work_for(100);
  return 2e9;
}

void right(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = std::fmax(x[i], 0.0f);
  work_for(50);
}
void slower(const float* x, float* y, int n) {
  right(x, y, n);
  work_for(450);
}
void wrong(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = 1.1f * std::fmax(x[i], 0.0f);
}
/// Returns its first answer again, although the inputs have changed.
void replays(const float* x, float* y, int n) {
  static std::vector<float> answer;
  if (answer.size() != static_cast<std::size_t>(n)) {
    answer.resize(static_cast<std::size_t>(n));
    right(x, answer.data(), n);
  }
  std::copy(answer.begin(), answer.end(), y);
}
void writes_nothing(const float*, float*, int) {}
void refused(const float*, float*, int) {
  fake_cuda::refuse_launch(cudaErrorInvalidConfiguration);
}
void deadly(const float*, float*, int) {
  fake_cuda::kill_device(cudaErrorIllegalAddress);
}
}
