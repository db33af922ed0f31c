// Kernels that wait for each other or for the host: what ends, and what the host may call
// meanwhile. run.sh runs each fact, and ends those that never do.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "facts.h"

namespace {

__device__ int load(const volatile int* flag) {
  return *flag;
}

__global__ void wait_for(const int* flag, int value) {
  while (load(flag) < value) {
  }
  __threadfence_system();
}

__global__ void raise_flag(int* flag, int value) {
  __threadfence_system();
  *const_cast<volatile int*>(flag) = value;
}

/// Raises its flag in the other's memory and waits for its own, again and again.
__global__ void ping_pong(int* mine, int* theirs, int rounds, int is_first) {
  for (int round = 1; round <= rounds; ++round) {
    if (is_first) *const_cast<volatile int*>(theirs) = round;
    while (load(mine) < round) {
    }
    __threadfence_system();
    if (!is_first) *const_cast<volatile int*>(theirs) = round;
  }
}

double seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Two kernels on two devices, each waiting for the other.
void play(int rounds, const char* what) {
  connect();
  int *const zero = memory_on<int>(0), *const one = memory_on<int>(1);
  const cudaStream_t streams[] = {stream_on(0), stream_on(1)};
  const double begin = seconds();
  cudaSetDevice(0);
  ping_pong<<<1, 1, 0, streams[0]>>>(zero, one, rounds, 1);
  cudaSetDevice(1);
  ping_pong<<<1, 1, 0, streams[1]>>>(one, zero, rounds, 0);
  const cudaError_t first = cudaStreamSynchronize(streams[0]);
  const cudaError_t second = cudaStreamSynchronize(streams[1]);
  printf("%s %s: %d %d\n", fact_name, what, first, second);
  if (rounds > 1)
    printf("chip: %s us a round: %.2f\n", fact_name, (seconds() - begin) * 1e6 / rounds);
}

void rounds() {
  play(10000, "10000 rounds");
}

void fresh() {
  play(1, "one round");
}

void eager() {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  play(1, "one round");
}

void blocking() {
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  play(1, "one round");
}

void one_connection() {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
  play(1, "one round");
}

/// A kernel of device 0 waits for one of device 1; `between` is called before that is launched.
template <class Between>
void call_between(Between between) {
  connect();
  int* const flag = memory_on<int>(0);
  int *const own = memory_on<int>(0), *const one = memory_on<int>(1);
  const cudaStream_t streams[] = {stream_on(0), stream_on(1)};
  raise_flag<<<1, 1>>>(own, 1);  // both kernels are loaded on both devices
  wait_for<<<1, 1>>>(own, 0);
  cudaDeviceSynchronize();
  cudaSetDevice(1);
  raise_flag<<<1, 1>>>(one, 1);
  wait_for<<<1, 1>>>(one, 0);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  wait_for<<<1, 1, 0, streams[0]>>>(flag, 1);
  tell("between", "%d", between(own, one, streams[0]));
  cudaSetDevice(1);
  raise_flag<<<1, 1, 0, streams[1]>>>(flag, 1);
  tell("end of 1", "%d", cudaStreamSynchronize(streams[1]));
  tell("end of 0", "%d", cudaStreamSynchronize(streams[0]));
}

void malloc_on_0() {
  call_between([](int*, int*, cudaStream_t) {
    void* more = nullptr;
    return cudaMalloc(&more, 1 << 20);
  });
}

void malloc_on_1() {
  call_between([](int*, int*, cudaStream_t) {
    const Current current(1);
    void* more = nullptr;
    return cudaMalloc(&more, 1 << 20);
  });
}

void free_on_0() {
  call_between([](int* own, int*, cudaStream_t) { return cudaFree(own); });
}

void free_on_1() {
  call_between([](int*, int* one, cudaStream_t) { return cudaFree(one); });
}

void pageable_copy_on_1() {
  call_between([](int*, int* one, cudaStream_t) {
    const Current current(1);
    const int value = 1;
    return cudaMemcpy(one, &value, sizeof value, cudaMemcpyHostToDevice);
  });
}

void pageable_copy_on_0() {
  call_between([](int* own, int*, cudaStream_t) {
    const int value = 1;
    return cudaMemcpy(own, &value, sizeof value, cudaMemcpyHostToDevice);
  });
}

void async_pageable_copy_on_1() {
  call_between([](int*, int* one, cudaStream_t) {
    const Current current(1);
    const int value = 1;
    return cudaMemcpyAsync(one, &value, sizeof value, cudaMemcpyHostToDevice, stream_on(1));
  });
}

void peer_copy() {
  call_between(
      [](int* own, int* one, cudaStream_t) { return cudaMemcpyPeer(one, 1, own, 0, sizeof(int)); });
}

void async_peer_copy() {
  call_between([](int* own, int* one, cudaStream_t) {
    return cudaMemcpyPeerAsync(one, 1, own, 0, sizeof(int), stream_on(1));
  });
}

void query() {
  call_between([](int*, int*, cudaStream_t stream) { return cudaStreamQuery(stream); });
}

void synchronize_1() {
  call_between([](int*, int*, cudaStream_t) {
    const Current current(1);
    return cudaDeviceSynchronize();
  });
}

void default_stream_of_0() {
  call_between([](int* own, int*, cudaStream_t) {
    raise_flag<<<1, 1>>>(own, 1);
    return cudaStreamSynchronize(nullptr);
  });
}

void enable_access() {
  call_between([](int*, int*, cudaStream_t) {
    cudaDeviceDisablePeerAccess(1);
    return cudaDeviceEnablePeerAccess(1, 0);
  });
}

void pinned_memory() {
  call_between([](int*, int*, cudaStream_t) {
    void* more = nullptr;
    return cudaHostAlloc(&more, 1 << 20, cudaHostAllocMapped);
  });
}

int* mapped_flag() {
  int* flag = nullptr;
  cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped | cudaHostAllocPortable);
  *flag = 0;
  return flag;
}

void host_raises() {
  int* const flag = mapped_flag();
  wait_for<<<1, 1>>>(flag, 1);
  tell("launched", "%d", cudaGetLastError());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  *const_cast<volatile int*>(flag) = 1;
  tell("then synchronize", "%d", cudaDeviceSynchronize());
}

void host_waits() {
  int* const flag = mapped_flag();
  raise_flag<<<1, 1>>>(flag, 1);
  while (*const_cast<volatile int*>(flag) == 0) {
  }
  tell("without queries", "ends");
}

void host_waits_and_asks() {
  int* const flag = mapped_flag();
  raise_flag<<<1, 1>>>(flag, 1);
  while (*const_cast<volatile int*>(flag) == 0) cudaStreamQuery(nullptr);
  tell("with queries", "ends");
}

/// One stream's kernel waits for another stream's of the same device.
void two_streams(int blocks) {
  int* const flag = memory_on<int>(0);
  const cudaStream_t first = stream_on(0), second = stream_on(0);
  raise_flag<<<1, 1>>>(flag, 0);
  cudaDeviceSynchronize();
  wait_for<<<blocks, 1024, 0, first>>>(flag, 1);
  raise_flag<<<1, 1, 0, second>>>(flag, 1);
  tell("ends", "%d %d", cudaStreamSynchronize(second), cudaStreamSynchronize(first));
}

void small_streams() {
  two_streams(1);
}

void full_streams() {
  two_streams(4096);
}

__global__ void add_one(int* to, const int* from) {
  *to = *from + 1;
}

/// One graph of both devices' streams, launched twice.
void graph() {
  connect();
  int *const zero = memory_on<int>(0), *const one = memory_on<int>(1);
  const cudaStream_t streams[] = {stream_on(0), stream_on(1)};
  const cudaEvent_t forked = event_on(0), joined = event_on(1);
  cudaSetDevice(0);
  cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed);
  add_one<<<1, 1, 0, streams[0]>>>(zero, one);
  cudaEventRecord(forked, streams[0]);
  cudaStreamWaitEvent(streams[1], forked, 0);
  cudaSetDevice(1);
  add_one<<<1, 1, 0, streams[1]>>>(one, zero);
  tell_error("launch on 1", cudaGetLastError());
  cudaEventRecord(joined, streams[1]);
  cudaSetDevice(0);
  cudaStreamWaitEvent(streams[0], joined, 0);
  cudaGraph_t graph = nullptr;
  tell_error("end of capture", cudaStreamEndCapture(streams[0], &graph));
  cudaGraphExec_t runs = nullptr;
  tell_error("instantiate", cudaGraphInstantiate(&runs, graph, 0));
  for (int i = 0; i < 2; ++i) tell_error("launch", cudaGraphLaunch(runs, streams[0]));
  tell_error("synchronize", cudaStreamSynchronize(streams[0]));
  tell("values", "%d %d", value_of(zero), value_of(one));
}

const Fact facts[] = {
    {"rounds", rounds},
    {"fresh", fresh},
    {"eager", eager},
    {"blocking", blocking},
    {"one_connection", one_connection},
    {"malloc_on_0", malloc_on_0},
    {"malloc_on_1", malloc_on_1},
    {"free_on_0", free_on_0},
    {"free_on_1", free_on_1},
    {"pageable_copy_on_0", pageable_copy_on_0},
    {"pageable_copy_on_1", pageable_copy_on_1},
    {"async_pageable_copy_on_1", async_pageable_copy_on_1},
    {"peer_copy", peer_copy},
    {"async_peer_copy", async_peer_copy},
    {"query", query},
    {"synchronize_1", synchronize_1},
    {"default_stream_of_0", default_stream_of_0},
    {"enable_access", enable_access},
    {"pinned_memory", pinned_memory},
    {"host_raises", host_raises},
    {"host_waits", host_waits},
    {"host_waits_and_asks", host_waits_and_asks},
    {"small_streams", small_streams},
    {"full_streams", full_streams},
    {"graph", graph},
};

}  // namespace

int main(int argc, char** argv) {
  return run_facts(facts, argc, argv);
}
