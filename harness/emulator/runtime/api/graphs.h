#pragma once
// CUDA graphs, and the capture of streams into them.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/runtime/launch/kept_launch.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/memory/place.h"

namespace kata::emulator {

/// What a node does when its graph runs: the same call, in that stream.
using GraphWork = std::function<cudaError_t(cudaStream_t stream)>;

struct Capture;

/// Where a captured stream is: what it issues next comes after these nodes.
struct CapturePoint {
  std::shared_ptr<Capture> capture;
  std::vector<cudaGraphNode_t> nodes;
};

/// Makes the call a node of a graph, if its stream is captured: what the call returns. Nothing if
/// it is to run now. Without `work` the call cannot be captured.
std::optional<cudaError_t> capture_call(cudaStream_t stream, cudaGraphNodeType type,
                                        const GraphWork& work, const char* function, Place place);

/// The same, and of work that its stream cannot do yet: it is kept.
std::optional<cudaError_t> capture_or_keep(cudaStream_t stream, cudaGraphNodeType type,
                                           const GraphWork& work, const char* function,
                                           Place place);

/// The error of a call that waits for the stream, or where `stream` is empty for all of them, while
/// they are captured.
cudaError_t refuse_in_capture(std::optional<cudaStream_t> stream, const char* function,
                              Place place);

std::optional<CapturePoint> capture_point(cudaStream_t stream);
/// The stream waits for an event that was recorded there, which takes it into the capture.
cudaError_t join_capture(cudaStream_t stream, const CapturePoint& point, Place place);
bool is_capturing(cudaStream_t stream);
/// As a reset of the device does it.
void forget_captures();

/// Runs a kept launch in a stream.
cudaError_t run_kept(const KeptLaunch& kept, cudaStream_t stream);

/// Of a launch by the address of its kernel: keeps it instead of running it. Nothing if the launch
/// was refused.
std::optional<KeptLaunch> keep_launch(const std::function<void()>& launch);

/// A stream of the runtime's own, which no program has to destroy.
cudaStream_t create_own_stream();

}  // namespace kata::emulator

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  kata::emulator::GraphWork work = {};
  std::vector<cudaGraphNode_t> after = {};
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

  cudaGraphNode_t add(CUgraphNode_st node) {
    nodes.push_back(std::make_unique<CUgraphNode_st>(std::move(node)));
    return nodes.back().get();
  }
};
