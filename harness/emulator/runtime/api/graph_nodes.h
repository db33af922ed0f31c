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
/// Of a node of any type.
cudaError_t node_work(const cudaGraphNodeParams* params, const char* function, Place place,
                      GraphWork& work);
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, cudaGraphNodeType type, const GraphWork& work,
                     const char* function, Place place);
/// Of a child graph, as it is now; empty if its edges form a cycle.
GraphWork graph_work(const CUgraph_st& graph);

}  // namespace kata::emulator
