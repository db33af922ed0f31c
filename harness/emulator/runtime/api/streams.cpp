// Streams and events. An operation runs to its end when it is issued, which is an order that any
// stream allows, unless it has to wait (pending.h); launch/streams.h keeps which other orders a
// device could choose.

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <optional>

#include "emulator/runtime/api/errors.h"
#include "emulator/runtime/api/graphs.h"
#include "emulator/runtime/api/objects.h"
#include "emulator/runtime/api/pending.h"
#include "emulator/runtime/api/streams.h"
#include "emulator/runtime/check/stream_races.h"
#include "emulator/runtime/memory/devices.h"

struct CUstream_st {
  kata::emulator::StreamId id;
  kata::emulator::StreamKind kind;
};

struct CUevent_st {
  int device = kata::emulator::current_device();
  bool timed = true;
  std::shared_ptr<kata::emulator::EventRecord> record = {};   ///< the last one; null: none
  std::optional<kata::emulator::CapturePoint> captured = {};  ///< recorded in a captured stream
};

using namespace kata::emulator;

namespace {

bool is_event(cudaEvent_t event) {
  return Objects::instance().has(event, ObjectKind::event);
}

cudaError_t bad_stream(const char* function, Place place) {
  return fail(cudaErrorInvalidResourceHandle, function, "the stream does not exist (any more)",
              place);
}

cudaError_t bad_event(const char* function, Place place) {
  return fail(cudaErrorInvalidResourceHandle, function, "the event does not exist (any more)",
              place);
}

cudaError_t create_stream(cudaStream_t* stream, unsigned flags, const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (!stream)
    return fail(cudaErrorInvalidValue, function, "the pointer to the result is null", place);
  const auto kind = flags & cudaStreamNonBlocking ? StreamKind::non_blocking : StreamKind::blocking;
  *stream = new CUstream_st{StreamOrder::instance().create(kind), kind};
  Objects::instance().add(*stream, ObjectKind::stream, place);
  return cudaSuccess;
}

cudaError_t use_stream(cudaStream_t stream, const char* function, Place place) {
  KATA_RETURN_STICKY();
  return is_stream(stream) ? cudaSuccess : bad_stream(function, place);
}

cudaError_t wait_for_stream(cudaStream_t stream, const char* function, Place place) {
  const cudaError_t error = use_stream(stream, function, place);
  return error ? error : refuse_in_capture(stream, function, place);
}

cudaError_t wait_for_event(cudaEvent_t event, const char* function, Place place) {
  KATA_RETURN_STICKY();
  if (!is_event(event)) return bad_event(function, place);
  if (!event->captured) return cudaSuccess;
  return fail(
      cudaErrorCapturedEvent, function,
      "the event was recorded while its stream was captured, and happens in the graph alone",
      place);
}

cudaError_t call_host(cudaStream_t stream, const std::function<void()>& call, const char* function,
                      Place place) {
  if (const cudaError_t error = use_stream(stream, function, place)) return error;
  const auto work = [call](cudaStream_t) {
    const StreamCallback callback;
    call();
    return cudaSuccess;
  };
  if (const auto later = capture_or_keep(stream, cudaGraphNodeTypeHost, work, function, place))
    return *later;
  return work(stream);
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream, Place place) {
  KATA_RETURN_STICKY();
  if (!is_event(event)) return bad_event("cudaEventRecord", place);
  if (!is_stream(stream)) return bad_stream("cudaEventRecord", place);
  if (device_of(stream) != event->device) {
    return fail(cudaErrorInvalidResourceHandle, "cudaEventRecord",
                fmt::format("the event was created on device {}, and the stream is of device {}",
                            event->device, device_of(stream)),
                place);
  }
  event->captured = capture_point(stream);
  if (event->captured) return cudaSuccess;
  const auto happen = [record = event->record = std::make_shared<EventRecord>()](cudaStream_t in) {
    record->time = std::chrono::steady_clock::now();
    record->clock = StreamOrder::instance().record(stream_of(in));
    record->has_happened = true;
    return cudaSuccess;
  };
  if (Pending::instance().keep(stream, happen, "cudaEventRecord", place)) return cudaSuccess;
  return happen(stream);
}

/// As a call says that may come too early: no fault.
cudaError_t not_ready() {
  Errors::instance().set_last(cudaErrorNotReady);
  return cudaErrorNotReady;
}

}  // namespace

bool kata::emulator::is_stream(const void* handle) {
  if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread) return true;
  return Objects::instance().has(handle, ObjectKind::stream);
}

bool kata::emulator::is_blocking_stream(const void* handle) {
  if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread) return true;
  return static_cast<const CUstream_st*>(handle)->kind == StreamKind::blocking;
}

cudaStream_t kata::emulator::create_own_stream() {
  auto* stream = new CUstream_st{StreamOrder::instance().create(StreamKind::non_blocking),
                                 StreamKind::non_blocking};
  Objects::instance().add(stream, ObjectKind::stream, {});
  return stream;
}

StreamId kata::emulator::stream_of(const void* handle) {
  if (is_default_stream(handle)) return default_stream_of(current_device());
  if (handle == cudaStreamPerThread) return per_thread_stream_of(current_device());
  return static_cast<const CUstream_st*>(handle)->id;
}

bool kata::emulator::is_default_stream(const void* handle) {
  return !handle || handle == cudaStreamLegacy;
}

int kata::emulator::device_of(const void* handle) {
  return StreamOrder::instance().device_of(stream_of(handle));
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream(stream, cudaStreamDefault, "cudaStreamCreate", KATA_CALLER());
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(stream, flags, "cudaStreamCreateWithFlags", KATA_CALLER());
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return create_stream(stream, flags, "cudaStreamCreateWithPriority", KATA_CALLER());
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  KATA_RETURN_STICKY();
  if (!Objects::instance().has(stream, ObjectKind::stream))
    return bad_stream("cudaStreamDestroy", KATA_CALLER());
  Pending::instance().finish_stream(stream->id, {"cudaStreamDestroy", KATA_CALLER()});
  Objects::instance().remove(stream, ObjectKind::stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const HostCall call{"cudaStreamSynchronize", KATA_CALLER()};
  if (const cudaError_t error = wait_for_stream(stream, call.function, call.place)) return error;
  Pending::instance().finish_stream(stream_of(stream), call);
  StreamOrder::instance().host_waits_for(stream_of(stream));
  return Errors::instance().sticky();
}
/// It says that all is done, so a program may rely on that.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const HostCall call{"cudaStreamQuery", KATA_CALLER()};
  if (const cudaError_t error = wait_for_stream(stream, call.function, call.place)) return error;
  const bool is_done = Pending::instance().has_finished(stream_of(stream), call);
  KATA_RETURN_STICKY();
  if (!is_done) return not_ready();
  StreamOrder::instance().host_waits_for(stream_of(stream));
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  KATA_RETURN_STICKY();
  if (!is_event(event)) return bad_event("cudaStreamWaitEvent", KATA_CALLER());
  const cudaError_t error = use_stream(stream, "cudaStreamWaitEvent", KATA_CALLER());
  if (error) return error;
  if (event->captured) return join_capture(stream, *event->captured, KATA_CALLER());
  if (!event->record) return cudaSuccess;
  const auto wait = [record = event->record](cudaStream_t in) {
    StreamOrder::instance().wait(stream_of(in), record->clock);
    return cudaSuccess;
  };
  if (Pending::instance().keep(stream, wait, "cudaStreamWaitEvent", KATA_CALLER(), event->record))
    return cudaSuccess;
  return wait(stream);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
  return use_stream(stream, "cudaStreamAttachMemAsync", KATA_CALLER());
}
/// They are about speed alone.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID,
                                   const cudaStreamAttrValue*) {
  return use_stream(stream, "cudaStreamSetAttribute", KATA_CALLER());
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void* user,
                                  unsigned) {
  return call_host(
      stream, [=] { call(stream, cudaSuccess, user); }, "cudaStreamAddCallback", KATA_CALLER());
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void* user) {
  return call_host(
      stream, [=] { call(user); }, "cudaLaunchHostFunc", KATA_CALLER());
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  KATA_RETURN_STICKY();
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  KATA_RETURN_STICKY();
  if (!event)
    return fail(cudaErrorInvalidValue, "cudaEventCreate", "the pointer to the result is null",
                KATA_CALLER());
  *event = new CUevent_st;
  (*event)->timed = !(flags & cudaEventDisableTiming);
  Objects::instance().add(*event, ObjectKind::event, KATA_CALLER());
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record(event, stream, KATA_CALLER());
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return record(event, stream, KATA_CALLER());
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const HostCall call{"cudaEventSynchronize", KATA_CALLER()};
  if (const cudaError_t error = wait_for_event(event, call.function, call.place)) return error;
  const auto record = event->record;
  if (!record) return cudaSuccess;
  Pending::instance().finish_event(*record, call);
  StreamOrder::instance().host_waits_for(record->clock);
  return Errors::instance().sticky();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const HostCall call{"cudaEventQuery", KATA_CALLER()};
  if (const cudaError_t error = wait_for_event(event, call.function, call.place)) return error;
  const auto record = event->record;
  if (!record) return cudaSuccess;
  const bool is_done = Pending::instance().has_happened(*record, call);
  KATA_RETURN_STICKY();
  if (!is_done) return not_ready();
  StreamOrder::instance().host_waits_for(record->clock);
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  KATA_RETURN_STICKY();
  if (!milliseconds)
    return fail(cudaErrorInvalidValue, "cudaEventElapsedTime", "the pointer to the result is null",
                KATA_CALLER());
  for (cudaEvent_t event : {start, stop}) {
    if (!is_event(event)) return bad_event("cudaEventElapsedTime", KATA_CALLER());
    if (!event->timed || !event->record) {
      return fail(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime",
                  event->timed ? "an event was never recorded"
                               : "an event was created with cudaEventDisableTiming",
                  KATA_CALLER());
    }
  }
  if (start->device != stop->device) {
    return fail(
        cudaErrorInvalidResourceHandle, "cudaEventElapsedTime",
        fmt::format("the events are of two devices, {} and {}, whose clocks nothing compares",
                    start->device, stop->device),
        KATA_CALLER());
  }
  if (!start->record->has_happened || !stop->record->has_happened) return not_ready();
  *milliseconds =
      std::chrono::duration<float, std::milli>(stop->record->time - start->record->time).count();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  KATA_RETURN_STICKY();
  if (!Objects::instance().remove(event, ObjectKind::event))
    return bad_event("cudaEventDestroy", KATA_CALLER());
  delete event;
  return cudaSuccess;
}
