// CUDA graphs, captured and built by hand; kernels that launch kernels.
#include "expect.cuh"

__global__ void add(int* x, int value) {
  x[threadIdx.x] += value;
}
__global__ void sum(const int* a, const int* b, int* c) {
  c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
static void count(void* calls) {
  ++*static_cast<int*>(calls);
}

struct Streams {
  cudaStream_t one, other;
  cudaEvent_t forked, joined;
  Streams() {
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);
  }
  ~Streams() {
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
  }
};

static cudaGraph_t captured(const Streams& s, int* a, int* b, int* c, int* calls, int value) {
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status;
  EXPECT(cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaStreamIsCapturing(s.one, &status) == cudaSuccess);
  EXPECT(status == cudaStreamCaptureStatusActive);
  cudaMemsetAsync(a, 0, 32 * sizeof(int), s.one);
  cudaEventRecord(s.forked, s.one);
  cudaStreamWaitEvent(s.other, s.forked, 0);
  cudaMemsetAsync(b, 0, 32 * sizeof(int), s.other);
  add<<<1, 32, 0, s.other>>>(b, value);
  add<<<1, 32, 0, s.one>>>(a, 2);
  cudaEventRecord(s.joined, s.other);
  cudaStreamWaitEvent(s.one, s.joined, 0);
  sum<<<1, 32, 0, s.one>>>(a, b, c);
  cudaLaunchHostFunc(s.one, count, calls);
  EXPECT(cudaStreamEndCapture(s.one, &graph) == cudaSuccess);
  return graph;
}

static void from_streams() {
  Values<int, 32> a, b, c;
  const Streams streams;
  int calls = 0;
  cudaGraph_t graph = captured(streams, a, b, c, &calls, 5);
  size_t nodes = 0;
  EXPECT(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 6);
  cudaGraphExec_t exec;
  EXPECT(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0) == cudaSuccess);
  EXPECT(c.get()[0] == 0 && calls == 0);  // nothing has run
  for (int i = 0; i < 3; ++i) EXPECT(cudaGraphLaunch(exec, streams.one) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(streams.one) == cudaSuccess);
  EXPECT(c.get()[31] == 7 && calls == 3);
  cudaGraph_t changed = captured(streams, a, b, c, &calls, 50);
  cudaGraphExecUpdateResultInfo info;
  EXPECT(cudaGraphExecUpdate(exec, changed, &info) == cudaSuccess);
  EXPECT(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  EXPECT(c.get()[0] == 52);
  EXPECT(cudaGraphExecDestroy(exec) == cudaSuccess);
  EXPECT(cudaGraphDestroy(graph) == cudaSuccess && cudaGraphDestroy(changed) == cudaSuccess);
}

static void by_hand() {
  Values<int, 32> a;
  int* device = a;
  int host[32] = {}, calls = 0, value = 10;
  cudaGraph_t graph, clone;
  cudaGraphNode_t set, first, second, copy, call, join;
  EXPECT(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaMemsetParams fill = {};
  fill.dst = device;
  fill.value = 3;
  fill.elementSize = sizeof(int);
  fill.width = 32;
  fill.height = 1;
  EXPECT(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill) == cudaSuccess);
  void* arguments[] = {&device, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)add;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  EXPECT(cudaGraphAddKernelNode(&first, graph, &set, 1, &kernel) == cudaSuccess);
  value = 100;  // the first node keeps 10
  EXPECT(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel) == cudaSuccess);
  EXPECT(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, host, device, sizeof host,
                                  cudaMemcpyDeviceToHost) == cudaSuccess);
  const cudaHostNodeParams function = {count, &calls};
  EXPECT(cudaGraphAddHostNode(&call, graph, nullptr, 0, &function) == cudaSuccess);
  const cudaGraphNode_t both[] = {copy, call};
  EXPECT(cudaGraphAddEmptyNode(&join, graph, both, 2) == cudaSuccess);
  cudaGraphNodeType type;
  EXPECT(cudaGraphNodeGetType(copy, &type) == cudaSuccess && type == cudaGraphNodeTypeMemcpy);
  size_t roots = 0;
  EXPECT(cudaGraphGetRootNodes(graph, nullptr, &roots) == cudaSuccess && roots == 2);
  EXPECT(cudaGraphClone(&clone, graph) == cudaSuccess && cudaGraphDestroy(clone) == cudaSuccess);
  cudaGraphExec_t exec;
  EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  EXPECT(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(host[31] == 113 && calls == 1);
  value = 1000;
  EXPECT(cudaGraphExecKernelNodeSetParams(exec, second, &kernel) == cudaSuccess);
  EXPECT(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(host[0] == 1013 && calls == 2);
  EXPECT(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
}

/// One function for nodes of all types.
static void of_any_type() {
  Values<int, 32> a;
  int *device = a, value = 10, calls = 0, host[32] = {};
  cudaGraph_t graph, inner;
  cudaGraphNode_t nodes[5];
  EXPECT(cudaGraphCreate(&graph, 0) == cudaSuccess && cudaGraphCreate(&inner, 0) == cudaSuccess);
  cudaGraphNodeParams fill = {cudaGraphNodeTypeMemset};
  fill.memset.dst = device;
  fill.memset.value = 3;
  fill.memset.elementSize = sizeof(int);
  fill.memset.width = 32;
  fill.memset.height = 1;
  EXPECT(cudaGraphAddNode(&nodes[0], graph, nullptr, 0, &fill) == cudaSuccess);
  void* arguments[] = {&device, &value};
  cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
  kernel.kernel.func = (void*)add;
  kernel.kernel.gridDim = dim3(1);
  kernel.kernel.blockDim = dim3(32);
  kernel.kernel.kernelParams = arguments;
  EXPECT(cudaGraphAddNode(&nodes[1], graph, nodes, nullptr, 1, &kernel) == cudaSuccess);
  cudaGraphNodeParams call = {cudaGraphNodeTypeHost};
  call.host.fn = count;
  call.host.userData = &calls;
  EXPECT(cudaGraphAddNode(&nodes[2], inner, nullptr, 0, &call) == cudaSuccess);
  cudaGraphNodeParams child = {cudaGraphNodeTypeGraph};
  child.graph.graph = inner;
  EXPECT(cudaGraphAddNode(&nodes[3], graph, &nodes[1], 1, &child) == cudaSuccess);
  cudaGraphNodeParams copy = {cudaGraphNodeTypeMemcpy};
  copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(device, sizeof host, 32, 1);
  copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(host, sizeof host, 32, 1);
  copy.memcpy.copyParams.extent = make_cudaExtent(sizeof host, 1, 1);
  copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  EXPECT(cudaGraphAddNode(&nodes[4], graph, &nodes[3], 1, &copy) == cudaSuccess);
  cudaGraphExec_t exec;
  EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  EXPECT(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && host[31] == 13 && calls == 1);
  value = 20;
  EXPECT(cudaGraphExecNodeSetParams(exec, nodes[1], &kernel) == cudaSuccess);
  EXPECT(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && host[0] == 23 && calls == 2);
  EXPECT(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
  EXPECT(cudaGraphDestroy(inner) == cudaSuccess);
}

// ---- kernels that launch kernels

__global__ void last(int* y) {
  y[threadIdx.x] *= 10;
}
__global__ void child(int* y, int depth) {
  y[threadIdx.x] += depth;
  if (threadIdx.x == 0 && depth < 3) child<<<1, 32>>>(y, depth + 1);
}
__global__ void parent(int* y) {
  if (threadIdx.x > 0) return;
  last<<<1, 32, 0, cudaStreamTailLaunch>>>(y);
  child<<<1, 32>>>(y, 1);
}

static void by_kernels() {
  Values<int, 32> y;
  parent<<<1, 32>>>(y);
  EXPECT(y.get()[31] == 60);
}

static void fixture() {
  from_streams();
  by_hand();
  of_any_type();
  by_kernels();
}
