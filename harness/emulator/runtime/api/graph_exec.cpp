// Executable graphs, which run their nodes again and again. Nodes that no edge orders run in
// streams of their own, so that races between them are found.

#include <algorithm>
#include <map>
#include <set>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graph_nodes.h"
#include "emulator/runtime/api/objects.h"
#include "emulator/runtime/api/pending.h"
#include "emulator/runtime/api/streams.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"

using namespace kata::emulator;

using Lanes = std::vector<cudaStream_t>;

struct CUgraphExec_st {
  struct Step {
    const CUgraphNode_st* node;  ///< of the graph that it was made from, to be named by
    cudaGraphNodeType type;
    GraphWork work;
    std::vector<std::size_t> after;  ///< steps
    std::size_t lane = 0;
  };
  std::vector<Step> steps;             ///< each behind those that it comes after
  std::shared_ptr<const Lanes> lanes;  ///< the first is the stream that the graph is launched in
};

namespace {

bool is_exec(cudaGraphExec_t exec) {
  return Objects::instance().has(exec, ObjectKind::graph_exec);
}

cudaError_t no_exec(const char* function, Place place) {
  return fail(cudaErrorInvalidValue, function, "the executable graph does not exist (any more)",
              place);
}

/// In an order that the edges allow, which is that of their creation as far as may be; empty if
/// they form a cycle.
std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph) {
  std::vector<cudaGraphNode_t> order;
  std::set<cudaGraphNode_t> done;
  while (order.size() < graph.nodes.size()) {
    const std::size_t before = order.size();
    for (const auto& node : graph.nodes) {
      const bool ready = std::all_of(node->after.begin(), node->after.end(),
                                     [&](cudaGraphNode_t one) { return done.count(one) != 0; });
      if (!ready || !done.insert(node.get()).second) continue;
      order.push_back(node.get());
    }
    if (order.size() == before) return {};
  }
  return order;
}

void destroy_lanes(const Lanes* lanes) {
  for (cudaStream_t lane : *lanes) {
    if (lane) cudaStreamDestroy(lane);
  }
  delete lanes;
}

/// A chain of steps shares a lane.
void choose_lanes(CUgraphExec_st& exec) {
  std::vector<std::size_t> ends;  ///< by lane, its last step
  for (std::size_t i = 0; i < exec.steps.size(); ++i) {
    CUgraphExec_st::Step& step = exec.steps[i];
    const auto free = std::find_if(step.after.begin(), step.after.end(), [&](std::size_t earlier) {
      return ends[exec.steps[earlier].lane] == earlier;
    });
    step.lane = free != step.after.end() ? exec.steps[*free].lane : ends.size();
    ends.resize(std::max(ends.size(), step.lane + 1));
    ends[step.lane] = i;
  }
  auto* lanes = new Lanes(std::max<std::size_t>(1, ends.size()));
  for (std::size_t lane = 1; lane < lanes->size(); ++lane) (*lanes)[lane] = create_own_stream();
  exec.lanes = {lanes, destroy_lanes};
}

/// Null if the edges form a cycle.
std::unique_ptr<CUgraphExec_st> executable(const CUgraph_st& graph) {
  auto exec = std::make_unique<CUgraphExec_st>();
  std::map<cudaGraphNode_t, std::size_t> number;
  const std::vector<cudaGraphNode_t> order = in_order(graph);
  if (order.size() != graph.nodes.size()) return nullptr;
  for (cudaGraphNode_t node : order) {
    number[node] = exec->steps.size();
    exec->steps.push_back({node, node->type, node->work, {}});
    for (cudaGraphNode_t one : node->after) exec->steps.back().after.push_back(number[one]);
  }
  choose_lanes(*exec);
  return exec;
}

cudaError_t run(const CUgraphExec_st& exec, cudaStream_t stream) {
  const OnDevice on(device_of(stream));
  StreamOrder& streams = StreamOrder::instance();
  const StreamClock begin = streams.record(stream_of(stream));
  std::vector<StreamClock> ended(exec.steps.size());
  const Lanes& lanes = *exec.lanes;
  const bool forks = lanes.size() > 1;
  for (std::size_t lane = 1; lane < lanes.size(); ++lane)
    streams.wait(stream_of(lanes[lane]), begin);
  for (std::size_t i = 0; i < exec.steps.size(); ++i) {
    const CUgraphExec_st::Step& step = exec.steps[i];
    const cudaStream_t lane = step.lane == 0 ? stream : lanes[step.lane];
    for (std::size_t earlier : step.after) {
      if (exec.steps[earlier].lane != step.lane) streams.wait(stream_of(lane), ended[earlier]);
    }
    if (const cudaError_t error = step.work ? step.work(lane) : cudaSuccess) return error;
    if (forks) Pending::instance().finish_stream(stream_of(lane), {"cudaGraphLaunch", {}});
    if (forks) ended[i] = streams.record(stream_of(lane));
  }
  for (std::size_t lane = 1; lane < lanes.size(); ++lane)
    streams.wait(stream_of(stream), streams.record(stream_of(lanes[lane])));
  return cudaSuccess;
}

/// Gives the step of that node other work.
cudaError_t set_work(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type,
                     const GraphWork& work, const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (!is_exec(exec)) return no_exec(function, place);
  for (CUgraphExec_st::Step& step : exec->steps) {
    if (step.node != node || step.type != type) continue;
    step.work = work;
    return cudaSuccess;
  }
  return fail(cudaErrorInvalidValue, function, "the executable graph has no such node of that type",
              place);
}

}  // namespace

GraphWork kata::emulator::graph_work(const CUgraph_st& graph) {
  const std::shared_ptr<CUgraphExec_st> exec = executable(graph);
  if (!exec) return {};
  return [exec](cudaStream_t stream) { return run(*exec, stream); };
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaGraphInstantiate";
  if (!is_graph(graph)) return no_graph(function, KATA_CALLER());
  if (!exec)
    return fail(cudaErrorInvalidValue, function, "the pointer to the result is null",
                KATA_CALLER());
  if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
    const SourceLine line = source_line(KATA_CALLER());
    __kata_unsupported("graphs that kernels launch", line.file.c_str(), line.line);
    return cudaErrorNotSupported;
  }
  std::unique_ptr<CUgraphExec_st> made = executable(*graph);
  if (!made) return fail(cudaErrorInvalidValue, function, "the edges form a cycle", KATA_CALLER());
  *exec = made.release();
  Objects::instance().add(*exec, ObjectKind::graph_exec, KATA_CALLER());
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  KATA_RETURN_STICKY();
  if (!Objects::instance().remove(exec, ObjectKind::graph_exec))
    return no_exec("cudaGraphExecDestroy", KATA_CALLER());
  delete exec;
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  KATA_RETURN_STICKY();
  return is_exec(exec) ? cudaSuccess : no_exec("cudaGraphUpload", KATA_CALLER());
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaGraphLaunch";
  if (!is_exec(exec)) return no_exec(function, KATA_CALLER());
  if (!is_stream(stream)) {
    return fail(cudaErrorInvalidResourceHandle, function, "the stream does not exist (any more)",
                KATA_CALLER());
  }
  const auto work = [graph = *exec](cudaStream_t in) { return run(graph, in); };
  if (const auto captured =
          capture_or_keep(stream, cudaGraphNodeTypeGraph, work, function, KATA_CALLER()))
    return *captured;
  return run(*exec, stream);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  GraphWork work;
  const Place place = KATA_CALLER();
  const char* const function = "cudaGraphExecKernelNodeSetParams";
  if (const cudaError_t error = kernel_work(params, function, place, work)) return error;
  return set_work(exec, node, cudaGraphNodeTypeKernel, work, function, place);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  const Place place = KATA_CALLER();
  return set_work(exec, node, cudaGraphNodeTypeMemcpy, copy_work(to, from, bytes, kind, place),
                  "cudaGraphExecMemcpyNodeSetParams1D", place);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  const Place place = KATA_CALLER();
  const char* const function = "cudaGraphExecMemsetNodeSetParams";
  if (!params) return fail(cudaErrorInvalidValue, function, "there are no parameters", place);
  return set_work(exec, node, cudaGraphNodeTypeMemset, fill_work(*params, place), function, place);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  const char* const function = "cudaGraphExecHostNodeSetParams";
  if (!params || !params->fn)
    return fail(cudaErrorInvalidValue, function, "there is no function", KATA_CALLER());
  return set_work(exec, node, cudaGraphNodeTypeHost, host_work(*params), function, KATA_CALLER());
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  GraphWork work;
  const Place place = KATA_CALLER();
  const char* const function = "cudaGraphExecNodeSetParams";
  if (const cudaError_t error = node_work(params, function, place, work)) return error;
  return set_work(exec, node, params->type, work, function, place);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaGraphExecUpdate";
  if (!is_graph(graph)) return no_graph(function, KATA_CALLER());
  if (!is_exec(exec)) return no_exec(function, KATA_CALLER());
  const std::unique_ptr<CUgraphExec_st> now = executable(*graph);
  auto result = cudaGraphExecUpdateSuccess;
  if (!now || now->steps.size() != exec->steps.size())
    result = cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; i < exec->steps.size() && !result; ++i) {
    if (now->steps[i].after != exec->steps[i].after)
      result = cudaGraphExecUpdateErrorTopologyChanged;
    else if (now->steps[i].type != exec->steps[i].type)
      result = cudaGraphExecUpdateErrorNodeTypeChanged;
  }
  if (info) *info = {result, nullptr, nullptr};
  // A program asks, and makes a new executable graph if this fails: no finding.
  for (std::size_t i = 0; i < exec->steps.size() && !result; ++i)
    exec->steps[i].work = now->steps[i].work;
  return result ? cudaErrorGraphExecUpdateFailure : cudaSuccess;
}
