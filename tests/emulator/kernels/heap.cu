// malloc, free, new and delete in kernels: a heap of the device's own, with a limit.
#include <cstdlib>
#include <new>
#include <vector>

#include "expect.cuh"

struct Shape {
  __device__ Shape(int side) : side(side) {}
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const { return side * side; }
  int side;
};
struct Cube : Shape {
  __device__ Cube(int side) : Shape(side) {}
  __device__ int area() const override { return 6 * side * side; }
};

__global__ void objects(int* out) {
  Shape* shape = threadIdx.x % 2 ? new Cube(threadIdx.x) : new Shape(threadIdx.x);
  out[threadIdx.x] = shape->area();
  delete shape;
}

__global__ void arrays(int* out, int n) {
  int* mine = new int[n];
  int* other = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; ++i) mine[i] = threadIdx.x + i;
  memcpy(other, mine, n * sizeof(int));
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += other[i];
  out[threadIdx.x] = sum + (((size_t)mine | (size_t)other) % 16 ? 1000 : 0);
  delete[] mine;
  free(other);
  free(nullptr);
}

struct List {
  int value;
  List* next;
};
__global__ void push(List** head) {
  List* node = (List*)malloc(sizeof(List));
  node->value = threadIdx.x;
  node->next = *head;
  *head = node;
}
__global__ void pop(List** head, int* out) {  // what one launch allocated, another frees
  while (List* node = *head) {
    *out = *out * 10 + node->value;
    *head = node->next;
    free(node);
  }
}

__global__ void fill(int* out, size_t bytes) {
  void* kept[4];
  for (int i = 0; i < 4; ++i) kept[i] = malloc(bytes);
  for (int i = 0; i < 4; ++i) {
    out[i] = kept[i] != nullptr;
    free(kept[i]);
  }
}

static void fixture() {
  Values<int, 64> out;
  objects<<<1, 64>>>(out);
  EXPECT(out.get()[8] == 64 && out.host[9] == 6 * 81);
  arrays<<<1, 64>>>(out, 5);
  EXPECT(out.get()[0] == 10 && out.host[63] == 5 * 63 + 10);

  Values<List*, 1> head;
  Values<int, 1> popped;
  for (int i = 0; i < 3; ++i) push<<<1, 1>>>(head);
  pop<<<1, 1>>>(head, popped);
  EXPECT(popped.get()[0] == 0 && head.get()[0] == nullptr);

  fill<<<1, 1>>>(out, 3 << 20);  // two of them are 6 MiB of the heap's 8
  EXPECT(out.get()[1] == 1 && out.host[2] == 0 && out.host[3] == 0);
  size_t limit = 0;
  EXPECT(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) == cudaSuccess && limit == 8 << 20);
  EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20) == cudaSuccess);
  fill<<<1, 1>>>(out, 3 << 20);
  EXPECT(out.get()[3] == 1);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, limit);

  // Host code in the same file has the C++ library's.
  std::vector<int> values(100, 7);
  values.push_back(8);
  int* host = new int[3]{1, 2, 3};
  void* raw = realloc(malloc(10), 1000);
  EXPECT(values[99] + values[100] == 15 && host[2] == 3 && raw);
  delete[] host;
  free(raw);
}
