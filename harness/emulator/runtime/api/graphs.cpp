// CUDA graphs: nodes, which are calls that are kept, and the edges between them.

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "emulator/runtime/api/copies.h"
#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graph_nodes.h"
#include "emulator/runtime/api/objects.h"
#include "emulator/runtime/check/stream_races.h"
#include "emulator/runtime/launch/kernel_table.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {
namespace {

/// A place as a launch holds it: with a text that stays.
SourceLine kept_line(const Place& place, const char** file) {
  static std::mutex mutex;
  static auto* files = new std::set<std::string>;
  SourceLine line = source_line(place);
  const std::lock_guard lock(mutex);
  *file = files->insert(line.file).first->c_str();
  return line;
}

}  // namespace

bool is_graph(cudaGraph_t graph) {
  return Objects::instance().has(graph, ObjectKind::graph);
}

cudaError_t no_graph(const char* function, Place place) {
  return fail(cudaErrorInvalidValue, function, "the graph does not exist (any more)", place);
}

cudaError_t kernel_work(const cudaKernelNodeParams* params, const char* function, Place place,
                        GraphWork& work) {
  if (!params) return fail(cudaErrorInvalidValue, function, "there are no parameters", place);
  LaunchConfig config{};
  config.line = kept_line(place, &config.file).line;
  config.function = params->func;
  config.grid = {params->gridDim.x, params->gridDim.y, params->gridDim.z};
  config.block = {params->blockDim.x, params->blockDim.y, params->blockDim.z};
  config.shared_bytes = params->sharedMemBytes;
  const auto launcher = __kata_launcher(params->func);
  if (!launcher || !params->kernelParams) {
    __kata_unsupported(launcher ? "nodes with `extra` instead of kernelParams"
                                : "nodes of an address whose kernel it does not know: cast the "
                                  "kernel itself to void* in the file that defines it",
                       config.file, config.line);
    return cudaErrorNotSupported;
  }
  const auto kept = keep_launch([&] { launcher(&config, params->kernelParams); });
  if (!kept) return Errors::instance().peek();
  work = [launch = *kept](cudaStream_t stream) { return run_kept(launch, stream); };
  return cudaSuccess;
}

GraphWork copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                    Place place) {
  return [=](cudaStream_t stream) {
    return copy_rows(to, from, {bytes, bytes, bytes, 1}, kind, {"a node", true, stream, place});
  };
}

GraphWork fill_work(const cudaMemsetParams& p, Place place) {
  return [=](cudaStream_t stream) {
    const Fill fill{p.pitch, p.width * p.elementSize, p.height, p.value, p.elementSize};
    return fill_rows(p.dst, fill, {"a node", true, stream, place});
  };
}

GraphWork host_work(const cudaHostNodeParams& params) {
  return [=](cudaStream_t) {
    const StreamCallback callback;
    params.fn(params.userData);
    return cudaSuccess;
  };
}

}  // namespace kata::emulator

using namespace kata::emulator;

namespace {

bool has_node(const CUgraph_st& graph, cudaGraphNode_t node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto& one) { return one.get() == node; });
}

}  // namespace

cudaError_t kata::emulator::add_node(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count,
                                     cudaGraphNodeType type, const GraphWork& work,
                                     const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (!is_graph(graph)) return no_graph(function, place);
  if (!node)
    return fail(cudaErrorInvalidValue, function, "the pointer to the result is null", place);
  for (std::size_t i = 0; i < count; ++i) {
    if (!after || !has_node(*graph, after[i])) {
      return fail(cudaErrorInvalidValue, function,
                  "a node that it comes after belongs to no graph, or to another one", place);
    }
  }
  *node = graph->add({type, work, {after, after + count}});
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  KATA_RETURN_STICKY();
  if (!graph)
    return fail(cudaErrorInvalidValue, "cudaGraphCreate", "the pointer to the result is null",
                KATA_CALLER());
  *graph = new CUgraph_st;
  Objects::instance().add(*graph, ObjectKind::graph, KATA_CALLER());
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  KATA_RETURN_STICKY();
  if (!Objects::instance().remove(graph, ObjectKind::graph))
    return no_graph("cudaGraphDestroy", KATA_CALLER());
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  KATA_RETURN_STICKY();
  if (!is_graph(graph)) return no_graph("cudaGraphClone", KATA_CALLER());
  if (!clone)
    return fail(cudaErrorInvalidValue, "cudaGraphClone", "the pointer to the result is null",
                KATA_CALLER());
  auto* copy = new CUgraph_st;
  std::map<cudaGraphNode_t, cudaGraphNode_t> of;
  for (const auto& node : graph->nodes) of[node.get()] = copy->add(*node);
  for (const auto& node : copy->nodes) {
    for (cudaGraphNode_t& one : node->after) one = of[one];
  }
  *clone = copy;
  Objects::instance().add(copy, ObjectKind::graph, KATA_CALLER());
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* params) {
  GraphWork work;
  const Place place = KATA_CALLER();
  const char* const function = "cudaGraphAddKernelNode";
  if (const cudaError_t error = kernel_work(params, function, place, work)) return error;
  return add_node(node, graph, after, count, cudaGraphNodeTypeKernel, work, function, place);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemcpy3DParms* params) {
  const Place place = KATA_CALLER();
  const char* const function = "cudaGraphAddMemcpyNode";
  if (!params) return fail(cudaErrorInvalidValue, function, "there are no parameters", place);
  const auto work = [copy = *params, place](cudaStream_t stream) {
    return copy_3d(copy, {"a node", true, stream, place});
  };
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, work, function, place);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Place place = KATA_CALLER();
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                  copy_work(to, from, bytes, kind, place), "cudaGraphAddMemcpyNode1D", place);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemsetParams* params) {
  const Place place = KATA_CALLER();
  const char* const function = "cudaGraphAddMemsetNode";
  if (!params) return fail(cudaErrorInvalidValue, function, "there are no parameters", place);
  if (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4)
    return fail(cudaErrorInvalidValue, function, "an element has 1, 2 or 4 bytes", place);
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemset, fill_work(*params, place),
                  function, place);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, std::size_t count,
                                 const cudaHostNodeParams* params) {
  const char* const function = "cudaGraphAddHostNode";
  if (!params || !params->fn)
    return fail(cudaErrorInvalidValue, function, "there is no function", KATA_CALLER());
  return add_node(node, graph, after, count, cudaGraphNodeTypeHost, host_work(*params), function,
                  KATA_CALLER());
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t count) {
  return add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, {}, "cudaGraphAddEmptyNode",
                  KATA_CALLER());
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, std::size_t count,
                                       cudaGraph_t child) {
  const char* const function = "cudaGraphAddChildGraphNode";
  if (!is_graph(child)) return no_graph(function, KATA_CALLER());
  const GraphWork work = graph_work(*child);
  if (!work) return fail(cudaErrorInvalidValue, function, "the edges form a cycle", KATA_CALLER());
  return add_node(node, graph, after, count, cudaGraphNodeTypeGraph, work, function, KATA_CALLER());
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaGraphAddDependencies";
  if (!is_graph(graph)) return no_graph(function, KATA_CALLER());
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_node(*graph, from[i]) || !has_node(*graph, to[i]))
      return fail(cudaErrorInvalidValue, function, "the graph has no such node", KATA_CALLER());
    to[i]->after.push_back(from[i]);
  }
  return cudaSuccess;
}

/// Without `nodes` it says how many there are.
static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count,
                              bool roots, const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (!is_graph(graph)) return no_graph(function, place);
  if (!count)
    return fail(cudaErrorInvalidValue, function, "the pointer to the result is null", place);
  std::size_t found = 0;
  for (const auto& node : graph->nodes) {
    if (roots && !node->after.empty()) continue;
    if (nodes && found < *count) nodes[found] = node.get();
    ++found;
  }
  *count = nodes ? std::min(*count, found) : found;
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return list_nodes(graph, nodes, count, false, "cudaGraphGetNodes", KATA_CALLER());
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return list_nodes(graph, nodes, count, true, "cudaGraphGetRootNodes", KATA_CALLER());
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  KATA_RETURN_STICKY();
  if (!node || !type) {
    return fail(cudaErrorInvalidValue, "cudaGraphNodeGetType", "an argument is null",
                KATA_CALLER());
  }
  *type = node->type;
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaGraphKernelNodeSetParams";
  if (!node || node->type != cudaGraphNodeTypeKernel)
    return fail(cudaErrorInvalidValue, function, "the node is no kernel's", KATA_CALLER());
  return kernel_work(params, function, KATA_CALLER(), node->work);
}
