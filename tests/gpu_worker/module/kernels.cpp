// What a timing job loads: the kernels of the ceilings, and kernels of all sorts, on the CPU.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "gpu_worker/fake_cuda.h"
#include "worker/gpu/host_threads.h"

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
void kata_copy(const float*, float*, long long, cudaStream_t) {
  work_for(200);
}
void kata_read(const float*, float*, long long count) {
  fake_cuda::note_read(static_cast<std::size_t>(count) * sizeof(float));
  work_for(25);
}
void kata_read_streaming(const float*, float*, long long) {
  work_for(150);
}
void kata_occupy(int) {}
void kata_gate(const volatile unsigned* opened, unsigned number, cudaStream_t) {
  if (*opened + 1 != number) std::abort();  // it is open already, or never opens
}
void kata_gather(const unsigned* pool, long long pool_words, unsigned* to, long long words,
                 unsigned long long seed) {
  fake_cuda::note_write();
  const auto step = static_cast<long long>(seed % 1000);
  for (long long i = 0; i < words; ++i) to[i] = pool[(i + step) % pool_words];
}
void kata_mix(const void* a, const void* b, void* to, long long bytes, long long row_bytes,
              unsigned long long seed) {
  fake_cuda::note_write();
  for (long long i = 0; i < bytes; i += row_bytes) {
    const void* const from = (seed >> (i / row_bytes % 32)) & 1 ? a : b;
    std::memcpy(static_cast<char*>(to) + i, static_cast<const char*>(from) + i,
                static_cast<std::size_t>(row_bytes));
  }
}
void kata_scale_f32(const void* from, void* to, long long count, float factor) {
  fake_cuda::note_write();
  for (long long i = 0; i < count; ++i)
    static_cast<float*>(to)[i] = static_cast<const float*>(from)[i] * factor;
}
void kata_scale_f16(const void*, void*, long long, float) {}
void kata_scale_bf16(const void*, void*, long long, float) {}
void kata_pick(const void* from, void* to, long long count, int element_bytes, int picks,
               unsigned long long seed) {
  for (int i = 0; i < picks; ++i) {
    const auto step = static_cast<long long>(seed % 997 + 1);
    std::memcpy(static_cast<char*>(to) + i * element_bytes,
                static_cast<const char*>(from) + i * step % count * element_bytes,
                static_cast<std::size_t>(element_bytes));
  }
}
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
double kata_tensor_f8(float*, int) {
  return 0;
}
double kata_tensor_i8(float*, int) {
  work_for(100);
  return 2e9;
}

void right(const float* x, float* y, int n) {
  fake_cuda::note_call();
  for (int i = 0; i < n; ++i) y[i] = std::fmax(x[i], 0.0f);
  work_for(50);
}
/// all_reduce. Its scratch has what its last call left there, and zeros before the first.
void sums(const float* const* x, float* const* y, void* const* scratch, int n, int gpus,
          const cudaStream_t*) {
  static std::map<const void*, int> calls_with;
  int& calls = calls_with[scratch[0]];
  for (int g = 0; g < gpus; ++g) {
    int& in_scratch = *static_cast<int*>(scratch[g]);
    const bool is_kept = in_scratch == calls;
    in_scratch = calls + 1;
    for (int i = 0; i < n; ++i) {
      y[g][i] = 0;
      for (int h = 0; is_kept && h < gpus; ++h) y[g][i] += x[h][i];
    }
  }
  ++calls;
  work_for(50);
}
/// The same, but the last device has the first one's input.
void leaves_a_device_out(const float* const* x, float* const* y, void* const*, int n, int gpus,
                         const cudaStream_t*) {
  for (int g = 0; g < gpus; ++g) std::copy(x[0], x[0] + n, y[g]);
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
/// Works when its call and the default stream are done.
void works_later(const float* x, float* y, int n) {
  fake_cuda::launch_unordered([=] { right(x, y, n); });
}
/// All that it leaves out is in the middle.
void half_done(const float* x, float* y, int n) {
  right(x, y, n / 4);
  for (int i = n - n / 4; i < n; ++i) y[i] = std::fmax(x[i], 0.0f);
}
/// The right kernel at first, and then every other call.
void every_other_call(const float* x, float* y, int n) {
  static int calls = 0;
  if (++calls < 20 || calls % 2 == 0) right(x, y, n);
}
/// Half the digits of a float, as an arithmetic of fewer bits would have them.
void rounded(const float* x, float* y, int n) {
  right(x, y, n);
  for (int i = 0; i < n; ++i) y[i] = std::round(y[i] * 512) / 512;
}
/// Computes what it does not know: the first element decides.
void remembers_content(const float* x, float* y, int n) {
  static std::vector<float> answer;
  static float first = 0;
  if (answer.empty() || first != x[0]) {
    first = x[0];
    answer.resize(static_cast<std::size_t>(n));
    right(x, answer.data(), n);
  }
  std::copy(answer.begin(), answer.end(), y);
}
void sets_l2_aside(const float* x, float* y, int n) {
  right(x, y, n);
  fake_cuda::set_aside() = 1 << 20;
}
/// Its thread runs on; the test's main program does not see threads start, so it says so itself.
void leaves_a_thread(const float* x, float* y, int n) {
  right(x, y, n);
  kata::note_thread_started();
}
/// The time that the events do not see.
void works_outside(const float* x, float* y, int n) {
  right(x, y, n);
  fake_cuda::launch_unordered([] { work_for(500); });
}
void refused(const float*, float*, int) {
  fake_cuda::refuse_launch(cudaErrorInvalidConfiguration);
}
void deadly(const float*, float*, int) {
  fake_cuda::kill_device(cudaErrorIllegalAddress);
}
}
