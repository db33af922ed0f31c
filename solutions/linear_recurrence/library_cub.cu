// CUB, NVIDIA's library of device-wide algorithms: cub::DeviceScan::InclusiveScan of maps.
//
// All sequences stand one after the other; the first map of each forgets what came before. With
// several channels, neighbouring steps are far apart, which this scan does not know.
#include <kata/kata.h>

#include <cub/cub.cuh>

#include <iterator>
#include <stdio.h>

#include "../common/scratch.h"

// h -> a h + b
struct Map {
  float a, b;
};

struct Then {
  __host__ __device__ Map operator()(Map first, Map second) const {
    return {second.a * first.a, second.a * first.b + second.b};
  }
};

// Element n of the sequences is number place(n) in memory.
struct Layout {
  long long length, channels;

  __host__ __device__ long long place(long long n) const {
    const long long sequence = n / length, t = n % length;
    return (sequence / channels * length + t) * channels + sequence % channels;
  }
};

struct MapsInOrder {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Map;
  using reference = Map;
  using pointer = const Map*;
  using difference_type = long long;

  const float* a;
  const float* b;
  Layout layout;
  long long first = 0;

  __host__ __device__ Map operator[](long long n) const {
    const long long i = layout.place(first + n);
    return {(first + n) % layout.length == 0 ? 0.0f : a[i], b[i]};
  }
  __host__ __device__ Map operator*() const { return (*this)[0]; }
  __host__ __device__ MapsInOrder operator+(long long n) const {
    return {a, b, layout, first + n};
  }
};

// Keeps what the map makes of h = 0.
struct ValuesInOrder {
  struct Value {
    float* h;
    __host__ __device__ void operator=(Map map) const { *h = map.b; }
  };
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Map;
  using reference = Value;
  using pointer = void;
  using difference_type = long long;

  float* h;
  Layout layout;
  long long first = 0;

  __host__ __device__ Value operator[](long long n) const {
    return {h + layout.place(first + n)};
  }
  __host__ __device__ Value operator*() const { return (*this)[0]; }
  __host__ __device__ ValuesInOrder operator+(long long n) const { return {h, layout, first + n}; }
};

extern "C" void linear_recurrence(const float* a, const float* b, float* h, int batch, int length,
                                  int channels) {
  static Scratch<char> scratch;
  size_t bytes = 0;
  const Layout layout{length, channels};
  const long long n = static_cast<long long>(batch) * length * channels;
  const auto scan = [&](void* memory) {
    return cub::DeviceScan::InclusiveScan(memory, bytes, MapsInOrder{a, b, layout},
                                          ValuesInOrder{h, layout}, Then{}, n);
  };
  cudaError_t status = scan(nullptr);  // asks how much
  if (status == cudaSuccess) status = scan(scratch.get(bytes));
  if (status != cudaSuccess) {
    fprintf(stderr, "linear_recurrence: CUB: %s\n", cudaGetErrorString(status));
  }
}
