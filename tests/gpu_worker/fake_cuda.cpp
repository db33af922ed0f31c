#include "gpu_worker/fake_cuda.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "worker/gpu/host_copies.h"

namespace {

cudaError_t last = cudaSuccess;
cudaError_t dead = cudaSuccess;
std::size_t free_memory = std::size_t{1} << 28;
std::map<void*, std::size_t> allocations;
constexpr int l2_bytes = 1 << 16;
long written = 0;
long reads = 0;
long unwaited = 0;
bool dirty = false;
long beside_writes = 0;
double peak = 0;
std::size_t l2_set_aside = 0;
long times_let_go = 0;
std::function<void()> unordered;
int devices = 1, current = 0;

using Clock = std::chrono::steady_clock;
std::map<cudaEvent_t, Clock::time_point> recorded;

/// What a call returns on a device in this state; errors stay for cudaGetLastError.
cudaError_t state(cudaError_t error = cudaSuccess) {
  if (dead != cudaSuccess) error = dead;
  if (error != cudaSuccess) last = error;
  return error;
}

}  // namespace

namespace fake_cuda {

void refuse_launch(cudaError_t error) {
  last = error;
}
void kill_device(cudaError_t error) {
  last = dead = error;
}
void revive() {
  last = dead = cudaSuccess;
}
void set_free_memory(std::size_t bytes) {
  free_memory = bytes;
}
std::size_t allocated() {
  std::size_t sum = 0;
  for (const auto& [memory, bytes] : allocations) sum += bytes;
  return sum;
}
void reset_traffic() {
  written = reads = beside_writes = times_let_go = 0;
}
long writes() {
  return written;
}
long flushing_reads() {
  return reads;
}
void note_read(std::size_t bytes) {
  if (bytes < 2 * l2_bytes) return;
  ++reads;
  dirty = false;
}
void note_write() {
  ++written;
  dirty = true;
}
void set_peak(double bytes_per_s) {
  peak = bytes_per_s;
}
void note_call() {
  beside_writes += dirty;
}
long calls_beside_writes() {
  return beside_writes;
}
std::size_t& set_aside() {
  return l2_set_aside;
}
long let_go() {
  return times_let_go;
}

void launch_unordered(std::function<void()> work) {
  unordered = std::move(work);
}

void set_devices(int count) {
  devices = count;
}

long under_way() {
  return unwaited;
}

}  // namespace fake_cuda

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices;
  return state();
}

cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return state();
}
cudaError_t cudaSetDevice(int device) {
  current = device;
  return state();
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::calloc(1, bytes);
  return state();
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return state();
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return state();
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return state();
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return state();
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "Fake GPU");
  properties->major = 9;
  properties->l2CacheSize = l2_bytes;
  properties->multiProcessorCount = 2;
  properties->maxThreadsPerBlock = 1024;
  return state();
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  constexpr int width_bits = 4096;
  *value = attribute == cudaDevAttrMemoryClockRate ? static_cast<int>(peak / 1e3 / width_bits * 4)
                                                   : width_bits;
  return state();
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit) {
  *value = l2_set_aside;
  return state();
}

cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t value) {
  l2_set_aside = value;
  return state();
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  ++times_let_go;
  return state();
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = free_memory;
  *total = free_memory;
  return state();
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (bytes > free_memory) return state(cudaErrorMemoryAllocation);
  if (dead != cudaSuccess) return state();
  *memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  allocations[*memory] = bytes;
  free_memory -= bytes;
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  free_memory += allocations[memory];
  allocations.erase(memory);
  std::free(memory);
  return state();
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  ++unwaited;
  kata::note_copy(to, from, bytes, kind);  // as worker/gpu/main/copies.cpp does
  if (kind == cudaMemcpyHostToDevice) fake_cuda::note_write();
  if (dead == cudaSuccess && bytes > 0) std::memcpy(to, from, bytes);  // CUDA takes null for none
  return state();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void* memory, int byte, std::size_t bytes) {
  ++unwaited;
  fake_cuda::note_write();
  if (dead == cudaSuccess) std::memset(memory, byte, bytes);
  return state();
}

cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t) {
  return cudaMemset(memory, byte, bytes);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new char);
  return state();
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  recorded.erase(event);
  delete reinterpret_cast<char*>(event);
  return state();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  recorded[event] = Clock::now();
  return state();
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  *ms = std::chrono::duration<float, std::milli>(recorded[end] - recorded[start]).count();
  return state();
}

cudaError_t cudaDeviceSynchronize() {
  unwaited = 0;
  if (unordered) std::exchange(unordered, {})();
  return state();
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = dead != cudaSuccess ? dead : last;
  last = cudaSuccess;
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOfSomeKind";
}

const char* cudaGetErrorString(cudaError_t) {
  return "the runtime's own words";
}
}
