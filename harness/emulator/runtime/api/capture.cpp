// Streams that are captured: what is issued to them becomes nodes of a graph.

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graphs.h"
#include "emulator/runtime/api/objects.h"
#include "emulator/runtime/api/pending.h"
#include "emulator/runtime/api/streams.h"
#include "emulator/runtime/memory/devices.h"
#include "emulator/runtime/memory/locate.h"

namespace kata::emulator {

struct Capture {
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
  cudaStream_t origin = nullptr;
  bool invalid = false;
};

namespace {

/// The streams that are captured now, with the nodes that each is behind.
struct Captures {
  std::mutex mutex;
  std::atomic<bool> any = false;
  std::map<cudaStream_t, CapturePoint> streams;

  static Captures& instance() {
    static auto* captures = new Captures;  // never destroyed, as device memory
    return *captures;
  }
};

cudaError_t invalidate(Capture& capture, cudaError_t error, const char* function,
                       const char* reason, Place place) {
  capture.invalid = true;
  return fail(error, function, reason, place);
}

/// What the nodes come after, directly or not; with the nodes.
std::set<cudaGraphNode_t> with_ancestors(const std::vector<cudaGraphNode_t>& nodes) {
  std::set<cudaGraphNode_t> found;
  std::vector<cudaGraphNode_t> left = nodes;
  while (!left.empty()) {
    const cudaGraphNode_t node = left.back();
    left.pop_back();
    if (found.insert(node).second) left.insert(left.end(), node->after.begin(), node->after.end());
  }
  return found;
}

}  // namespace

std::optional<cudaError_t> capture_call(cudaStream_t stream, cudaGraphNodeType type,
                                        const GraphWork& work, const char* function, Place place) {
  Captures& captures = Captures::instance();
  if (!captures.any) return std::nullopt;
  const std::lock_guard lock(captures.mutex);
  const auto found = captures.streams.find(stream);
  if (found == captures.streams.end()) {
    if (!is_default_stream(stream)) return std::nullopt;
    for (auto& [other, point] : captures.streams) {
      if (!is_blocking_stream(other) || device_of(other) != current_device()) continue;
      return invalidate(*point.capture, cudaErrorStreamCaptureImplicit, function,
                        "the default stream waits for a stream that is captured", place);
    }
    return std::nullopt;
  }
  CapturePoint& point = found->second;
  if (point.capture->invalid) {
    return fail(cudaErrorStreamCaptureInvalidated, function,
                "an earlier call has made the stream's capture invalid", place);
  }
  if (!work) {
    return invalidate(*point.capture, cudaErrorStreamCaptureUnsupported, function,
                      "the emulator cannot capture this call", place);
  }
  point.nodes = {point.capture->graph->add({type, work, point.nodes})};
  return cudaSuccess;
}

std::optional<cudaError_t> capture_or_keep(cudaStream_t stream, cudaGraphNodeType type,
                                           const GraphWork& work, const char* function,
                                           Place place) {
  if (auto captured = capture_call(stream, type, work, function, place)) return captured;
  if (Pending::instance().keep(stream, work, function, place)) return cudaSuccess;
  return std::nullopt;
}

cudaError_t refuse_in_capture(std::optional<cudaStream_t> stream, const char* function,
                              Place place) {
  Captures& captures = Captures::instance();
  if (!captures.any) return cudaSuccess;
  const std::lock_guard lock(captures.mutex);
  for (auto& [captured, point] : captures.streams) {
    if (stream && *stream != captured) continue;
    return invalidate(*point.capture, cudaErrorStreamCaptureUnsupported, function,
                      "a stream is captured, and nothing runs before its graph is launched", place);
  }
  return cudaSuccess;
}

std::optional<CapturePoint> capture_point(cudaStream_t stream) {
  Captures& captures = Captures::instance();
  if (!captures.any) return std::nullopt;
  const std::lock_guard lock(captures.mutex);
  const auto found = captures.streams.find(stream);
  if (found == captures.streams.end()) return std::nullopt;
  return found->second;
}

bool is_capturing(cudaStream_t stream) {
  return capture_point(stream).has_value();
}

void forget_captures() {
  Captures& captures = Captures::instance();
  const std::lock_guard lock(captures.mutex);
  captures.streams.clear();
  captures.any = false;
}

cudaError_t join_capture(cudaStream_t stream, const CapturePoint& point, Place place) {
  Captures& captures = Captures::instance();
  const std::lock_guard lock(captures.mutex);
  const auto origin = captures.streams.find(point.capture->origin);
  if (origin == captures.streams.end() || origin->second.capture != point.capture) {
    return fail(cudaErrorCapturedEvent, "cudaStreamWaitEvent",
                "the event was recorded in a capture that has ended", place);
  }
  if (device_of(stream) != device_of(point.capture->origin)) {
    const SourceLine line = source_line(place);
    __kata_unsupported("graphs of several devices", line.file.c_str(), line.line);
    point.capture->invalid = true;
    return cudaErrorNotSupported;
  }
  const auto [own, is_new] = captures.streams.try_emplace(stream, point);
  if (is_new) return cudaSuccess;
  if (own->second.capture != point.capture) {
    return invalidate(*point.capture, cudaErrorStreamCaptureMerge, "cudaStreamWaitEvent",
                      "the two streams belong to different captures", place);
  }
  for (cudaGraphNode_t node : point.nodes) own->second.nodes.push_back(node);
  return cudaSuccess;
}

}  // namespace kata::emulator

using namespace kata::emulator;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaStreamBeginCapture";
  if (!is_stream(stream)) {
    return fail(cudaErrorInvalidResourceHandle, function, "the stream does not exist (any more)",
                KATA_CALLER());
  }
  if (is_default_stream(stream)) {
    return fail(cudaErrorStreamCaptureUnsupported, function,
                "the default stream cannot be captured: create a stream", KATA_CALLER());
  }
  Captures& captures = Captures::instance();
  const std::lock_guard lock(captures.mutex);
  if (captures.streams.count(stream)) {
    return fail(cudaErrorIllegalState, function, "the stream is captured already", KATA_CALLER());
  }
  auto capture = std::make_shared<Capture>();
  capture->origin = stream;
  captures.streams[stream] = {std::move(capture), {}};
  captures.any = true;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  KATA_RETURN_STICKY();
  const char* const function = "cudaStreamEndCapture";
  if (!graph)
    return fail(cudaErrorInvalidValue, function, "the pointer to the result is null",
                KATA_CALLER());
  *graph = nullptr;
  Captures& captures = Captures::instance();
  const std::lock_guard lock(captures.mutex);
  const auto found = captures.streams.find(stream);
  if (found == captures.streams.end() || found->second.capture->origin != stream) {
    return fail(cudaErrorIllegalState, function, "the stream has begun no capture", KATA_CALLER());
  }
  const CapturePoint end = found->second;
  const std::set<cudaGraphNode_t> reached = with_ancestors(end.nodes);
  bool joined = true;
  std::erase_if(captures.streams, [&](const auto& one) {
    if (one.second.capture != end.capture) return false;
    joined &= std::all_of(one.second.nodes.begin(), one.second.nodes.end(),
                          [&](cudaGraphNode_t node) { return reached.count(node) != 0; });
    return true;
  });
  captures.any = !captures.streams.empty();
  if (end.capture->invalid) {
    return fail(cudaErrorStreamCaptureInvalidated, function,
                "an earlier call has made the stream's capture invalid", KATA_CALLER());
  }
  if (!joined) {
    return fail(cudaErrorStreamCaptureUnjoined, function,
                "another stream of the capture has work that this stream does not wait for: let "
                "it wait for an event (cudaEventRecord, cudaStreamWaitEvent)",
                KATA_CALLER());
  }
  *graph = end.capture->graph.release();
  Objects::instance().add(*graph, ObjectKind::graph, KATA_CALLER());
  return cudaSuccess;
}

int __kata_is_capturing(const void* stream) {
  return is_capturing(static_cast<cudaStream_t>(const_cast<void*>(stream)));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  KATA_RETURN_STICKY();
  if (!status) {
    return fail(cudaErrorInvalidValue, "cudaStreamIsCapturing", "the pointer to the result is null",
                KATA_CALLER());
  }
  const auto point = capture_point(stream);
  *status = !point                    ? cudaStreamCaptureStatusNone
            : point->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                      : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
