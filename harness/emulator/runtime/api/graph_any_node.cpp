// CUDA graphs: nodes of any type, by parameters that say which.

#include "emulator/runtime/api/copies.h"
#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graph_nodes.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {
namespace {

cudaError_t unsupported_node(Place place) {
  const SourceLine line = source_line(place);
  __kata_unsupported("graph nodes for events, memory, semaphores and conditions", line.file.c_str(),
                     line.line);
  return cudaErrorNotSupported;
}

}  // namespace

cudaError_t node_work(const cudaGraphNodeParams* params, const char* function, Place place,
                      GraphWork& work) {
  if (!params) return fail(cudaErrorInvalidValue, function, "there are no parameters", place);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& p = params->kernel;
      const cudaKernelNodeParams kernel{p.func,           p.gridDim,      p.blockDim,
                                        p.sharedMemBytes, p.kernelParams, p.extra};
      return kernel_work(&kernel, function, place, work);
    }
    case cudaGraphNodeTypeMemcpy:
      work = [copy = params->memcpy.copyParams, place](cudaStream_t stream) {
        return copy_3d(copy, {"a node", true, stream, place});
      };
      return cudaSuccess;
    case cudaGraphNodeTypeMemset: {
      const unsigned size = params->memset.elementSize;
      if (size != 1 && size != 2 && size != 4)
        return fail(cudaErrorInvalidValue, function, "an element has 1, 2 or 4 bytes", place);
      work = fill_work(params->memset, place);
      return cudaSuccess;
    }
    case cudaGraphNodeTypeHost:
      if (!params->host.fn)
        return fail(cudaErrorInvalidValue, function, "there is no function", place);
      work = host_work(params->host);
      return cudaSuccess;
    case cudaGraphNodeTypeGraph:
      if (!is_graph(params->graph.graph)) return no_graph(function, place);
      work = graph_work(*params->graph.graph);
      if (work) return cudaSuccess;
      return fail(cudaErrorInvalidValue, function, "the edges form a cycle", place);
    case cudaGraphNodeTypeEmpty:
      return cudaSuccess;
    default:
      return unsupported_node(place);
  }
}

}  // namespace kata::emulator

using namespace kata::emulator;

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t count,
                             cudaGraphNodeParams* params) {
  GraphWork work;
  const Place place = KATA_CALLER();
  const char* const function = "cudaGraphAddNode";
  if (const cudaError_t error = node_work(params, function, place, work)) return error;
  return add_node(node, graph, after, count, params->type, work, function, place);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaGraphNodeSetParams";
  if (!node || !params || node->type != params->type) {
    return fail(cudaErrorInvalidValue, function, "the parameters are of another type than the node",
                KATA_CALLER());
  }
  return node_work(params, function, KATA_CALLER(), node->work);
}
