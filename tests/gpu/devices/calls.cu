// What calls of the runtime answer where two devices meet. run.sh runs each fact.
#include "facts.h"

namespace {

__global__ void store(int* to, int value) {
  *to = value;
}

__global__ void copy(int* to, const int* from) {
  *to = *from;
}

__device__ int counter;

__global__ void count() {
  ++counter;
}

__global__ void with_shared(int* to) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = 1;
  *to = dynamic[threadIdx.x];
}

void launches() {
  int* const one = memory_on<int>(1);
  const cudaStream_t stream = stream_on(1);
  store<<<1, 1, 0, stream>>>(one, 7);
  tell_error("in a stream of device 1, current 0", cudaGetLastError());
  tell_error("then cudaStreamSynchronize, current 0", cudaStreamSynchronize(stream));
  tell("value so far", "%d", value_of(one));
  const Current current(1);
  store<<<1, 1, 0, stream>>>(one, 8);
  tell_error("in the same stream, current 1", cudaGetLastError());
  tell_error("then cudaStreamSynchronize", cudaStreamSynchronize(stream));
  tell("value", "%d", value_of(one));
}

void events() {
  const cudaStream_t stream = stream_on(1);
  const cudaEvent_t zero = event_on(0), one = event_on(1), later = event_on(1);
  tell_error("record event of 0 in stream of 1", cudaEventRecord(zero, stream));
  tell_error("record event of 1 in stream of 1, current 0", cudaEventRecord(one, stream));
  tell_error("record event of 0 in stream of 0", cudaEventRecord(zero, nullptr));
  tell_error("synchronize event of 1, current 0", cudaEventSynchronize(one));
  tell_error("query event of 1, current 0", cudaEventQuery(one));
  cudaEventSynchronize(zero);
  float ms = 0;
  tell_error("elapsed between devices", cudaEventElapsedTime(&ms, zero, one));
  cudaEventRecord(later, stream);
  cudaEventSynchronize(later);
  tell_error("elapsed of device 1, current 0", cudaEventElapsedTime(&ms, one, later));
  tell_error("stream of 0 waits for event of 1", cudaStreamWaitEvent(nullptr, one, 0));
  tell_error("query stream of 1, current 0", cudaStreamQuery(stream));
  tell_error("synchronize stream of 1, current 0", cudaStreamSynchronize(stream));
}

void host_function() {
  const cudaStream_t stream = stream_on(1);
  int called = 0;
  tell_error("in a stream of 1, current 0",
             cudaLaunchHostFunc(
                 stream, [](void* to) { *static_cast<int*>(to) = 1; }, &called));
  cudaStreamSynchronize(stream);
  tell("called", "%d", called);
}

void memory() {
  int *const from = memory_on<int>(0), *const to = memory_on<int>(0),
             *const one = memory_on<int>(1);
  store<<<1, 1>>>(from, 5);
  cudaDeviceSynchronize();
  const cudaStream_t stream = stream_on(1);
  tell_error("copy within device 0 in a stream of 1",
             cudaMemcpyAsync(to, from, sizeof *to, cudaMemcpyDeviceToDevice, stream));
  tell_error("then synchronize", cudaStreamSynchronize(stream));
  tell("value", "%d", value_of(to));
  tell_error("fill memory of 0 in a stream of 1", cudaMemsetAsync(to, 1, sizeof *to, stream));
  tell_error("then synchronize the fill", cudaStreamSynchronize(stream));
  tell("filled", "%#x", value_of(to));
  cudaPointerAttributes attributes{};
  tell_error("attributes of memory of 1, current 0", cudaPointerGetAttributes(&attributes, one));
  tell("type and device", "%d %d", attributes.type, attributes.device);
  tell_error("free memory of 1, current 0", cudaFree(one));
}

void peer_calls() {
  int can = -1;
  tell_error("can 0 reach 1", cudaDeviceCanAccessPeer(&can, 0, 1));
  tell("answer", "%d", can);
  tell_error("can 0 reach 0", cudaDeviceCanAccessPeer(&can, 0, 0));
  tell("answer of itself", "%d", can);
  tell_error("can 0 reach 9", cudaDeviceCanAccessPeer(&can, 0, 9));
  tell_error("disable before", cudaDeviceDisablePeerAccess(1));
  tell_error("enable with flags 1", cudaDeviceEnablePeerAccess(1, 1));
  tell_error("enable", cudaDeviceEnablePeerAccess(1, 0));
  tell_error("enable twice", cudaDeviceEnablePeerAccess(1, 0));
  cudaDeviceEnablePeerAccess(1, 0);
  tell("last error then", "%d", cudaGetLastError());
  tell("and once more", "%d", cudaGetLastError());
  tell_error("enable itself", cudaDeviceEnablePeerAccess(0, 0));
  tell_error("enable device 9", cudaDeviceEnablePeerAccess(9, 0));
  tell_error("disable", cudaDeviceDisablePeerAccess(1));
  tell_error("disable twice", cudaDeviceDisablePeerAccess(1));
  tell_error("set device 9", cudaSetDevice(9));
}

void no_access() {
  int *const one = memory_on<int>(1), *const own = memory_on<int>(0);
  copy<<<1, 1>>>(own, one);
  tell("launch on 0", "%d", cudaGetLastError());
  tell("synchronize 0", "%d", cudaDeviceSynchronize());
  int* more = nullptr;
  tell("next call on 0", "%d", cudaMalloc(&more, 4));
  cudaSetDevice(1);
  tell("malloc on 1", "%d", cudaMalloc(&more, 4));
  store<<<1, 1>>>(one, 3);
  tell("launch on 1", "%d", cudaGetLastError());
  tell("synchronize 1", "%d", cudaDeviceSynchronize());
}

void one_direction() {
  int *const zero = memory_on<int>(0), *const one = memory_on<int>(1);
  tell_error("0 may reach 1", cudaDeviceEnablePeerAccess(1, 0));
  store<<<1, 1>>>(one, 6);
  tell_error("0 writes into 1", cudaDeviceSynchronize());
  tell("value", "%d", value_of(one));
  cudaSetDevice(1);
  copy<<<1, 1>>>(one, zero);
  tell("1 reads from 0", "%d", cudaDeviceSynchronize());
}

void before_and_after() {
  int *const own = memory_on<int>(0), *const before = memory_on<int>(1);
  store<<<1, 1>>>(own, 4);
  cudaDeviceEnablePeerAccess(1, 0);
  int* const after = memory_on<int>(1);
  copy<<<1, 1>>>(before, own);
  copy<<<1, 1>>>(after, own);
  tell_error("allocated before and after", cudaDeviceSynchronize());
  tell("values", "%d %d", value_of(before), value_of(after));
  int* pooled = nullptr;
  {
    const Current current(1);
    tell_error("cudaMallocAsync on 1", cudaMallocAsync(&pooled, sizeof(int), nullptr));
    cudaDeviceSynchronize();
  }
  copy<<<1, 1>>>(pooled, own);
  tell("0 writes memory of 1's pool", "%d", cudaDeviceSynchronize());
}

void copies() {
  int *const zero = memory_on<int>(0), *const one = memory_on<int>(1);
  const cudaStream_t stream = stream_on(0);
  store<<<1, 1>>>(zero, 11);
  cudaDeviceSynchronize();
  tell_error("cudaMemcpyPeerAsync", cudaMemcpyPeerAsync(one, 1, zero, 0, sizeof *one, stream));
  cudaStreamSynchronize(stream);
  tell("value of it", "%d", value_of(one));
  store<<<1, 1>>>(zero, 12);
  tell_error("cudaMemcpyDefault", cudaMemcpy(one, zero, sizeof *one, cudaMemcpyDefault));
  tell("value of default", "%d", value_of(one));
  store<<<1, 1>>>(zero, 13);
  tell_error("cudaMemcpyDeviceToDevice",
             cudaMemcpy(one, zero, sizeof *one, cudaMemcpyDeviceToDevice));
  tell("value of device to device", "%d", value_of(one));
  store<<<1, 1>>>(zero, 14);
  tell_error("cudaMemcpyPeer", cudaMemcpyPeer(one, 1, zero, 0, sizeof *one));
  tell("value of peer", "%d", value_of(one));
  tell_error("wrong device number", cudaMemcpyPeer(one, 0, zero, 0, sizeof *one));
  tell_error("device 9", cudaMemcpyPeer(one, 9, zero, 0, sizeof *one));
}

void attributes() {
  for (int from : {0, 1}) {
    for (int kind = 1; kind <= 5; ++kind) {
      int value = -1;
      const cudaError_t error =
          cudaDeviceGetP2PAttribute(&value, static_cast<cudaDeviceP2PAttr>(kind), from, 1 - from);
      printf("attributes %d of %d to %d: %d, error %d\n", kind, from, 1 - from, value, error);
    }
  }
  int value = -1;
  cudaDeviceGetAttribute(&value, cudaDevAttrHostNativeAtomicSupported, 0);
  tell("hostNativeAtomicSupported", "%d", value);
  cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, 0);
  tell("concurrentManagedAccess", "%d", value);
  cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0);
  tell("pageableMemoryAccess", "%d", value);
}

void event_order() {
  connect();
  constexpr int rounds = 1024;
  int *const zero = memory_on<int>(0), *const one = memory_on<int>(1);
  const cudaStream_t first = stream_on(0), second = stream_on(1);
  const cudaEvent_t written = event_on(0), read = event_on(1);
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    cudaSetDevice(0);
    cudaStreamWaitEvent(first, read, 0);
    store<<<1, 1, 0, first>>>(zero, round);
    cudaEventRecord(written, first);
    cudaSetDevice(1);
    cudaStreamWaitEvent(second, written, 0);
    copy<<<1, 1, 0, second>>>(one, zero);
    cudaEventRecord(read, second);
    cudaStreamSynchronize(second);
    wrong += value_of(one) != round;
  }
  tell("wrong of 1024 rounds", "%d", wrong);
}

void per_device() {
  for (int device : {0, 1}) {
    const Current current(device);
    count<<<1, 1>>>();
    tell_error("count", cudaDeviceSynchronize());
    int value = -1;
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    printf("per_device counter of %d: %d\n", device, value);
  }
  constexpr int bytes = 200 << 10;
  tell_error("attribute on 0",
             cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  for (int device : {0, 1}) {
    int* const to = memory_on<int>(device);
    const Current current(device);
    with_shared<<<1, 32, bytes>>>(to);
    const cudaError_t launched = cudaGetLastError();
    printf("per_device launch with 200 KB on %d: %d, then %d\n", device, launched,
           cudaDeviceSynchronize());
  }
}

void other_current() {
  tell_error("event of device 0 destroyed, current 1", [] {
    const cudaEvent_t event = event_on(0);
    const Current current(1);
    return cudaEventDestroy(event);
  }());
  tell_error("stream of device 0 destroyed, current 1", [] {
    const cudaStream_t stream = stream_on(0);
    const Current current(1);
    return cudaStreamDestroy(stream);
  }());
  int* const zero = memory_on<int>(0);
  tell_error("cudaMemset of memory of 0, current 1", [&] {
    const Current current(1);
    return cudaMemset(zero, 0, sizeof *zero);
  }());
  tell_error("cudaMemcpy to memory of 0, current 1", [&] {
    const Current current(1);
    const int value = 3;
    return cudaMemcpy(zero, &value, sizeof value, cudaMemcpyHostToDevice);
  }());
}

const Fact facts[] = {
    {"launches", launches},
    {"events", events},
    {"host_function", host_function},
    {"memory", memory},
    {"peer_calls", peer_calls},
    {"no_access", no_access},
    {"one_direction", one_direction},
    {"before_and_after", before_and_after},
    {"copies", copies},
    {"attributes", attributes},
    {"event_order", event_order},
    {"per_device", per_device},
    {"other_current", other_current},
};

}  // namespace

int main(int argc, char** argv) {
  return run_facts(facts, argc, argv);
}
