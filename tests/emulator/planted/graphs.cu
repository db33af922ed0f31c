// Faults with graphs. `HERE kind name` is where plant_name has its one fault.
#include "filled.cuh"

__global__ void add(float* x) {
  x[threadIdx.x] += 1;  // HERE race nodes_not_ordered: nothing orders
}

extern "C" void plant_nodes_not_ordered() {
  float* x = filled(32);
  void* arguments[] = {&x};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)add;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel);
  cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, nullptr);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

extern "C" void plant_captured_default_stream() {
  float* x = filled(32);
  cudaGraph_t graph;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, 32, 0, stream>>>(x);
  cudaMemset(x, 0, 128);  // HERE cuda_error captured_default_stream: captured
  cudaDeviceReset();
}
