// A module's own variables, read and written by pointers up to their last bytes.
#include "../planted/filled.cuh"

struct Shape {
  char name[5];
  int sizes[3];
};
struct Base {
  __device__ virtual int value() const { return 1; }
};
struct Derived : Base {
  __device__ int value() const override { return 2; }
};

__device__ float table[32];
__device__ float start[32] = {1, 2, 3};
static __device__ char bytes[33];
__device__ float4 corner;
__device__ Shape shape = {"abcd", {1, 2, 3}};
__device__ const char* word = "word";
__device__ const char* const words[3] = {"one", "two", "three"};
__device__ bool flag;
__constant__ float weights[32];
__constant__ int one = 1, two = 2;
__device__ const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
constexpr int squares[4] = {0, 1, 4, 9};

__global__ void last_bytes(float* y) {
  float *p = table, *q = start;
  char* c = bytes;
  const float* w = weights;
  const int i = threadIdx.x;
  p[31 - i] = q[i] + w[i];
  c[i + 1] = 'x';
  y[i] = w[31 - i];
  if (i == 0) {
    float* f = &corner.x;
    f[3] = 1;
    flag = true;
    Shape copy = shape;
    copy.sizes[2] = 4;
    shape = copy;
  }
}

__global__ void literals(float* y) {
  const int i = threadIdx.x;
  const char* own = "0123456789012345678901234567890";
  const char* first = words[i % 3];
  const float local[4] = {1, 2, 3, 4};
  y[i] = own[i] + word[i % 5] + first[0] + local[i % 4];
}

__global__ void tables(float* y) {
  const int i = threadIdx.x;
  static __device__ int calls[32];
  const int *p = primes, *s = squares, *a = &one, *b = &two;
  calls[i] += 1;
  Derived derived;
  const Base* base = &derived;
  y[i] = p[i % 8] + s[i % 4] + *a + *b + calls[i] + base->value();
  switch (i % 6) {
    case 0:
      y[i] += 3;
      break;
    case 1:
      y[i] += 5;
      break;
    case 2:
      y[i] += 9;
      break;
    case 3:
      y[i] += 2;
      break;
    case 4:
      y[i] += 8;
      break;
  }
}

extern "C" void silent_last_bytes() {
  last_bytes<<<1, 32>>>(filled(32));
}
extern "C" void silent_literals() {
  literals<<<1, 32>>>(filled(32));
}
extern "C" void silent_tables() {
  tables<<<1, 32>>>(filled(32));
}
