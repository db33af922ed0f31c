// Launch expressions: every way of writing one.
#include "expect.cuh"

__global__ void plain(int* out, int value) {
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}
__global__ void defaulted(int* out, int value = 7) {
  out[0] = value;
}
template <class T>
__global__ void deduced(T* out, T value) {
  out[0] = value;
}
template <int n, class T = int>
__global__ void given(T* out) {
  out[0] = n;
}
__global__ void overloaded(int* out, int) {
  out[0] = 1;
}
__global__ void overloaded(int* out, float) {
  out[0] = 2;
}
__global__ void pointers(int* out, const float* p, const int* q) {
  out[0] = (p == nullptr) + 2 * (q == nullptr);
}
__global__ void geometry(unsigned* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = 1 + block * threads + thread;
}
struct Options {
  int a;
  float b[3];
};
__global__ void by_value(int* out, Options options) {
  out[0] = options.a + (int)options.b[2];
}
__global__ void with_vector(int* out, float4 v, int2 pair = {1, 2}) {
  out[0] = (int)(v.x + v.w) + pair.x + pair.y;
}
struct Pinned {  // becomes a number and cannot be copied
  int value;
  explicit Pinned(int v) : value(v) {}
  Pinned(const Pinned&) = delete;
  operator int() const { return value; }
};
__global__ void __launch_bounds__(32, 1)
    constant_parameter(int* out, const __grid_constant__ Options o) {
  out[0] = o.a;
}
template <class T>
__global__ void constant_of_any_type(int* out, const __grid_constant__ T o) {
  out[0] = o.a;
}
template __global__ void constant_of_any_type<Options>(int*, const __grid_constant__ Options);
struct Counted {  // a lock's or a handle's kind: it is released when it goes
  static int alive;
  int value;
  explicit Counted(int v) : value(v) { ++alive; }
  Counted(const Counted& other) : value(other.value) { ++alive; }
  ~Counted() { --alive; }
};
int Counted::alive = 0;
__global__ void with_destructor(int* out, Counted c, int more) {
  c.value += threadIdx.x;  // of this thread's own
  out[threadIdx.x] = c.value + more;
}
template <class F>
__global__ void apply(int* out, F f) {
  out[threadIdx.x] = f(threadIdx.x);
}
namespace inner {
__global__ void kernel(int* out) {
  out[0] = 11;
}
struct Holder {
  template <int n>
  static void launch(int* out) {
    given<n><<<1, 1>>>(out);
  }
};
}  // namespace inner

#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 1>>>(__VA_ARGS__)
#define LAUNCH_TWICE(kernel, ...)  \
  do {                             \
    kernel<<<1, 1>>>(__VA_ARGS__); \
    kernel<<<1, 1>>>(__VA_ARGS__); \
  } while (0)

static int evaluations = 0;
static int counted(int value) {
  ++evaluations;
  return value;
}

template <class T>
static void launch_dependent(T* out, T value) {
  deduced<T><<<1, 1>>>(out, value);
}

static void fixture() {
  Values<int, 64> out;
  plain<<<2, 32>>>(out.device, 5);
  EXPECT(out.get()[0] == 5 && out.host[1] == 5 && out.host[2] == 0);

  defaulted<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 7);
  defaulted<<<1, 1>>>(out.device, 8);
  EXPECT(out.get()[0] == 8);
  deduced<<<1, 1>>>(out.device, 9);
  EXPECT(out.get()[0] == 9);
  launch_dependent(out.device, 10);
  EXPECT(out.get()[0] == 10);
  given<3 + (4 > 3)><<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 4);
  overloaded<<<1, 1>>>(out.device, 0.5f);
  EXPECT(out.get()[0] == 2);
  pointers<<<1, 1>>>(out.device, 0, NULL);
  EXPECT(out.get()[0] == 3);
  inner::kernel<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 11);
  inner::Holder::launch<12>(out);
  EXPECT(out.get()[0] == 12);
  LAUNCH(plain, 3, out.device, 13);
  EXPECT(out.get()[2] == 13);
  LAUNCH((given<14, int>), 1, out.device);
  EXPECT(out.get()[0] == 14);
  LAUNCH_TWICE(plain, out.device, counted(15));
  EXPECT(out.get()[0] == 15 && evaluations == 2);  // once per launch, not once per thread
  plain<<<1, 32>>>(out.device, counted(16));
  EXPECT(out.get()[0] == 16 && evaluations == 3);

  void (*pointer)(int*, int) = plain;
  pointer<<<1, 1>>>(out.device, 17);
  EXPECT(out.get()[0] == 17);
  void (*table[])(int*) = {given<18>, given<19>};
  table[1]<<<1, 1>>>(out.device);
  EXPECT(out.get()[0] == 19);
  by_value<<<1, 1>>>(out.device, Options{20, {0, 0, 3}});
  EXPECT(out.get()[0] == 23);
  by_value<<<1, 1>>>(out.device, {21, {0, 0, 4}});
  EXPECT(out.get()[0] == 25);
  with_vector<<<1, 1>>>(out, {1, 0, 0, (float)counted(3)}, {4, 5});
  EXPECT(out.get()[0] == 13 && evaluations == 4);
  with_vector<<<1, 1>>>(out, make_float4(1, 0, 0, 4));
  EXPECT(out.get()[0] == 8);
  plain<<<1, 64>>>(out, Pinned(26));
  EXPECT(out.get()[0] == 26);
  const Pinned pinned(27);
  overloaded<<<1, 1>>>(out.device, (int)pinned);
  EXPECT(out.get()[0] == 1);
  plain<<<1, 1>>>(out, pinned);
  EXPECT(out.get()[0] == 27);
  constant_parameter<<<1, 1>>>(out.device, {28, {}});
  EXPECT(out.get()[0] == 28);
  constant_of_any_type<<<1, 1>>>(out.device, Options{29, {}});
  EXPECT(out.get()[0] == 29);
  const int offset = 24;
  apply<<<1, 4>>>(out.device, [=] __device__(int i) { return offset + i; });
  EXPECT(out.get()[3] == 27);

  {  // a person's own variables may have the names of the built-in ones
    dim3 blockDim(2, 3, 4), gridDim(2, 2, 2);
    Values<unsigned, 192> numbers;
    geometry<<<gridDim, blockDim>>>(numbers.device);
    numbers.get();
    int right = 0;
    for (unsigned i = 0; i < 192; ++i) right += numbers.host[i] == i + 1;
    EXPECT(right == 192);
  }
  {
    int value = 30;
    int* pointer_to_out = out.device;
    void* arguments[] = {&pointer_to_out, &value};
    EXPECT(cudaLaunchKernel((void*)plain, dim3(1), dim3(1), arguments, 0, 0) == cudaSuccess);
    EXPECT(out.get()[0] == 30);
    value = 31;
    EXPECT(cudaLaunchCooperativeKernel((void*)plain, dim3(1), dim3(1), arguments) == cudaSuccess);
    EXPECT(out.get()[0] == 31);
  }
  {  // kernels in void pointers, as a table of launches keeps them
    const void* kernels[] = {(const void*)plain, reinterpret_cast<const void*>(&given<33>),
                             (const void*)deduced<int>};
    int value = 34;
    int* pointer_to_out = out.device;
    void* arguments[] = {&pointer_to_out, &value};
    EXPECT(cudaLaunchKernel(kernels[1], dim3(1), dim3(1), arguments, 0, 0) == cudaSuccess);
    EXPECT(out.get()[0] == 33);
    EXPECT(cudaLaunchKernel(kernels[2], dim3(1), dim3(1), arguments, 0, 0) == cudaSuccess);
    EXPECT(out.get()[0] == 34);
    value = 35;
    EXPECT(cudaLaunchCooperativeKernel(kernels[0], dim3(2), dim3(1), arguments) == cudaSuccess);
    EXPECT(out.get()[0] == 35 && out.host[1] == 35);
  }
  {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;  // of one block: like any other launch
    attribute.val.clusterDim.x = attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    EXPECT(cudaLaunchKernelEx(&config, plain, out.device, 36) == cudaSuccess);
    EXPECT(out.get()[0] == 36 && out.host[1] == 36);
    int value = 37;
    int* pointer_to_out = out.device;
    void* arguments[] = {&pointer_to_out, &value};
    EXPECT(cudaLaunchKernelExC(&config, (const void*)plain, arguments) == cudaSuccess);
    EXPECT(out.get()[0] == 37);
  }
  with_destructor<<<1, 4>>>(out.device, Counted(38), 1);
  EXPECT(out.get()[0] == 39 && out.host[3] == 42);
  EXPECT(Counted::alive == 0);  // destroyed by the host, and not by each thread
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  plain<<<dim3(1), dim3(1), 0, stream>>>(out.device, 32);
  cudaStreamSynchronize(stream);
  EXPECT(out.get()[0] == 32);
  cudaStreamDestroy(stream);
}
