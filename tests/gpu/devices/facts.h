#pragma once
// What the programs of facts about several devices share. A program has facts, and each runs in a
// process of its own, since some leave a device unusable and some never end (run.sh):
//
//   ./program          the names of its facts
//   ./program NAME     the lines of that fact, "NAME what: value"
#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

struct Fact {
  const char* name;
  void (*run)();
};

inline const char* fact_name = "";

__attribute__((format(printf, 2, 3))) inline void tell(const char* what, const char* format, ...) {
  printf("%s %s: ", fact_name, what);
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  fflush(stdout);
}

/// An error's number. The last error is cleared, so that the next call tells its own.
inline void tell_error(const char* what, cudaError_t error) {
  cudaGetLastError();
  tell(what, "%d", static_cast<int>(error));
}

/// Makes a device current, and the one before it again at the end.
class Current {
 public:
  explicit Current(int device) {
    cudaGetDevice(&before_);
    cudaSetDevice(device);
  }
  ~Current() { cudaSetDevice(before_); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int before_ = 0;
};

/// Memory of a device, filled with zeros. It lasts until the process ends.
template <class T>
T* memory_on(int device, size_t count = 1) {
  const Current current(device);
  T* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  cudaMemset(memory, 0, count * sizeof(T));
  cudaDeviceSynchronize();
  return memory;
}

inline cudaStream_t stream_on(int device) {
  const Current current(device);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

inline cudaEvent_t event_on(int device) {
  const Current current(device);
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  return event;
}

template <class T>
T value_of(const T* memory) {
  T value{};
  cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDefault);
  return value;
}

/// Each of the two may reach the other's memory.
inline void connect() {
  for (int device : {0, 1}) {
    const Current current(device);
    cudaDeviceEnablePeerAccess(1 - device, 0);
  }
}

template <size_t N>
int run_facts(const Fact (&facts)[N], int argc, char** argv) {
  for (const Fact& one : facts) {
    if (argc < 2) puts(one.name);
    if (argc < 2 || strcmp(one.name, argv[1]) != 0) continue;
    fact_name = one.name;
    one.run();
    return 0;
  }
  return argc < 2 ? 0 : 2;
}
