// Streams that are ordered: nothing is to be found in them.
#include <thread>

#include "../planted/filled.cuh"

constexpr int n = 64;

__global__ void fill(float* y) {
  y[threadIdx.x] = threadIdx.x;
}

__global__ void twice(const float* x, float* y) {
  y[threadIdx.x] = 2 * x[threadIdx.x];
}

static cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t result;
  cudaStreamCreateWithFlags(&result, flags);
  return result;
}

static float* ready() {
  float* x = filled(n);
  cudaDeviceSynchronize();
  return x;
}

extern "C" void silent_event() {
  float *x = ready(), *y = ready();
  const cudaStream_t first = stream(), second = stream();
  cudaEvent_t done;
  cudaEventCreate(&done);
  fill<<<1, n, 0, first>>>(x);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done, 0);
  twice<<<1, n, 0, second>>>(x, y);
  cudaEventRecord(done, second);
  cudaEventSynchronize(done);
  float values[n];
  cudaMemcpy(values, y, sizeof values, cudaMemcpyDeviceToHost);
}

// A chain of events over three streams, back to the default stream.
extern "C" void silent_chain() {
  float *x = ready(), *y = ready(), *z = ready();
  const cudaStream_t first = stream(), second = stream();
  cudaEvent_t done[2];
  for (cudaEvent_t& event : done) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  fill<<<1, n, 0, first>>>(x);
  cudaEventRecord(done[0], first);
  cudaStreamWaitEvent(second, done[0], 0);
  twice<<<1, n, 0, second>>>(x, y);
  cudaEventRecord(done[1], second);
  cudaStreamWaitEvent(nullptr, done[1], 0);
  twice<<<1, n>>>(x, z);
  fill<<<1, n>>>(x);
  fill<<<1, n>>>(y);
}

extern "C" void silent_stream_synchronize() {
  float *x = ready(), *y = ready();
  const cudaStream_t first = stream();
  fill<<<1, n, 0, first>>>(x);
  cudaStreamSynchronize(first);
  twice<<<1, n, 0, stream()>>>(x, y);
  cudaDeviceSynchronize();
  fill<<<1, n>>>(y);
}

// The default stream waits for blocking streams, and they wait for it.
extern "C" void silent_blocking_streams() {
  float *x = filled(n), *y = filled(n);
  const cudaStream_t first = stream(cudaStreamDefault), second = stream(cudaStreamDefault);
  fill<<<1, n, 0, first>>>(x);
  twice<<<1, n>>>(x, y);
  fill<<<1, n, 0, second>>>(x);
  float values[n];
  cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost);
}

// Two streams read the same input and write their own halves.
extern "C" void silent_halves() {
  float *x = ready(), *y = ready(), *z = ready();
  twice<<<1, n, 0, stream()>>>(x, y);
  twice<<<1, n, 0, stream()>>>(x, z);
  cudaDeviceSynchronize();
  twice<<<1, n>>>(y, x);
}

extern "C" void silent_overlapped_copies() {
  float *pinned = nullptr, *x = ready(), *y = ready();
  cudaMallocHost(&pinned, 2 * n * sizeof(float));
  for (int i = 0; i < n; ++i) pinned[i] = i;
  const cudaStream_t one = stream();
  cudaMemcpyAsync(x, pinned, n * sizeof(float), cudaMemcpyHostToDevice, one);
  twice<<<1, n, 0, one>>>(x, y);
  cudaMemcpyAsync(pinned + n, y, n * sizeof(float), cudaMemcpyDeviceToHost, one);
  cudaStreamSynchronize(one);
  if (pinned[n] != 0) pinned[n] = 0;
}

// A copy to pageable memory returns when it is done.
extern "C" void silent_pageable_copy() {
  float* y = ready();
  float values[n];
  const cudaStream_t one = stream();
  fill<<<1, n, 0, one>>>(y);
  cudaMemcpyAsync(values, y, sizeof values, cudaMemcpyDeviceToHost, one);
  fill<<<1, n, 0, stream()>>>(y);
}

extern "C" void silent_managed() {
  float *x = nullptr, *y = nullptr;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = i;
  twice<<<1, n>>>(x, y);
  cudaDeviceSynchronize();
  x[0] = y[1];
  twice<<<1, n, 0, stream()>>>(x, y);
  cudaDeviceSynchronize();
  y[0] = 1;
}

extern "C" void silent_callback() {
  float* y = nullptr;
  cudaMallocManaged(&y, n * sizeof(float));
  const cudaStream_t one = stream();
  fill<<<1, n, 0, one>>>(y);
  cudaLaunchHostFunc(
      one, [](void* values) { static_cast<float*>(values)[0] += 1; }, y);
  cudaStreamSynchronize(one);
  y[0] += 1;
}

extern "C" void silent_thread_of_callback() {
  struct Reader {
    float* values;
    std::thread thread;
  } reader;
  cudaMallocManaged(&reader.values, n * sizeof(float));
  const cudaStream_t one = stream();
  fill<<<1, n, 0, one>>>(reader.values);
  cudaLaunchHostFunc(
      one,
      [](void* user) {
        auto* reader = static_cast<Reader*>(user);
        reader->thread = std::thread([reader] { reader->values[0] += 1; });
      },
      &reader);
  reader.thread.join();
  cudaStreamSynchronize(one);
}

extern "C" void silent_freed_in_order() {
  const cudaStream_t first = stream(), second = stream();
  float *x = ready(), *y = ready();
  fill<<<1, n, 0, first>>>(x);
  cudaFreeAsync(x, first);
  fill<<<1, n, 0, first>>>(y);
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done);
  cudaFreeAsync(y, second);
}

__constant__ float taps[4];

__global__ void filtered(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] * taps[threadIdx.x % 4];
}

// Memory and taps that come and go in the order of their stream.
extern "C" void silent_symbol_and_pool() {
  static const float ones[4] = {1, 1, 1, 1};
  float *x = ready(), *y = nullptr, *z = nullptr;
  const cudaStream_t first = stream(), second = stream();
  cudaMallocAsync(&y, n * sizeof(float), first);
  cudaMemcpyToSymbolAsync(taps, ones, sizeof ones, 0, cudaMemcpyHostToDevice, first);
  filtered<<<1, n, 0, first>>>(x, y);
  cudaMallocAsync(&z, n * sizeof(float), first);
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done);
  filtered<<<1, n, 0, second>>>(y, z);
  cudaFreeAsync(y, second);
  cudaFreeAsync(z, second);
  cudaStreamSynchronize(second);
  cudaMemcpyToSymbol(taps, ones, sizeof ones);
  filtered<<<1, n, 0, stream()>>>(x, x);
}
