#pragma once
// What a node of a graph does, from the parameters that the API takes.

#include "emulator/runtime/api/graphs.h"

namespace kata::emulator {

bool is_graph(cudaGraph_t graph);
cudaError_t no_graph(const char* function, Place place);

cudaError_t kernel_work(const cudaKernelNodeParams* params, const char* function, Place place,
                        GraphWork& work);
GraphWork copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                    Place place);
GraphWork fill_work(const cudaMemsetParams& params, Place place);
GraphWork host_work(const cudaHostNodeParams& params);
/// Of a child graph, as it is now; empty if its edges form a cycle.
GraphWork graph_work(const CUgraph_st& graph);

}  // namespace kata::emulator
