#pragma once
// What the programs of facts about a Hopper share. A program has groups of facts:
//
//   ./program                       the groups' names
//   ./program [--raw] GROUP [N]     its facts from number N on, one a line, "name: value"; --raw: the
//                                   bytes of each dump, too
//
// Where a fact is an error from which the device does not recover, the process ends with status 3.
// The facts after it need another one: run.sh counts the lines.
#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Group {
  const char* name;
  void (*run)();
};

inline bool prints_raw = false;
inline int facts_to_skip = 0;

/// Whether an earlier process has printed the next fact.
inline bool is_known() {
  return facts_to_skip > 0 && facts_to_skip-- > 0;
}

__attribute__((format(printf, 1, 2))) inline void fact(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  fflush(stdout);
}

/// The text, which lasts until the next one.
__attribute__((format(printf, 1, 2))) inline const char* name_of(const char* format, ...) {
  static char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

inline uint64_t hash_of(const void* data, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ ((const unsigned char*)data)[i]) * 0x100000001b3;
  return hash;
}

/// A fact of many bytes: their hash.
inline void dump(const char* name, const void* data, size_t bytes) {
  fact("%s: %016llx", name, (unsigned long long)hash_of(data, bytes));
  if (!prints_raw) return;
  for (size_t i = 0; i < bytes; ++i)
    printf("%s%02x", i % 64 ? "" : i ? "\n  " : "  ", ((const unsigned char*)data)[i]);
  putchar('\n');
}

/// A reproducible number.
__host__ __device__ inline unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

/// Device memory, freed at the end.
template <class T>
class Device {
 public:
  explicit Device(size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() {
    if (cudaFree(data_) != cudaSuccess) cudaGetLastError();  // an error has reset the device
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  operator T*() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    cudaMemcpy(result.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return result;
  }

 private:
  size_t count_;
  T* data_ = nullptr;
};

/// Prints an error of the launches so far as a fact. False: there is none.
inline bool printed_error(const char* name) {
  const int launched = cudaGetLastError(), finished = cudaDeviceSynchronize();
  const int error = launched ? launched : finished;
  if (!error) return false;
  fact("%s: error %d", name, error);
  cudaDeviceReset();
  if (cudaFree(nullptr) != cudaSuccess) exit(3);
  return true;
}

template <size_t count>
int run_groups(const Group (&groups)[count], int argc, char** argv) {
  int next = 1;
  if (argc > 1 && strcmp(argv[1], "--raw") == 0) prints_raw = ++next;
  if (next + 1 < argc) facts_to_skip = atoi(argv[next + 1]);
  for (const Group& group : groups) {
    if (next == argc)
      puts(group.name);
    else if (strcmp(group.name, argv[next]) == 0)
      group.run();
  }
  return 0;
}
