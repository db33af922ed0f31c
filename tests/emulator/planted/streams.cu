// Work of streams that nothing orders. `HERE race name` is where plant_name has its one fault.
#include "filled.cuh"

constexpr int n = 64;

__global__ void fill(float* y) {
  y[threadIdx.x] = threadIdx.x;
}

__global__ void fill_for_copy(float* y) {
  y[threadIdx.x] = threadIdx.x;
}

__global__ void twice(const float* x, float* y) {
  y[threadIdx.x] = 2 * x[threadIdx.x];  // HERE race two_streams: writes it in line 7 (launched
}

__global__ void thrice(const float* x, float* y) {
  y[threadIdx.x] = 3 * x[threadIdx.x];  // HERE race event_too_early: in another stream
}

__global__ void overwrite(float* y) {
  y[threadIdx.x] = 0;  // HERE race written_while_read: twice_read reads it
}

__global__ void twice_read(const float* x, float* y) {
  y[threadIdx.x] = 2 * x[threadIdx.x];
}

__global__ void after_memset(float* y) {
  y[threadIdx.x] += 1;  // HERE race memset_in_default_stream: and cudaMemset in line
}

__global__ void add_to(float* sum) {
  atomicAdd(sum, 1.0f);  // HERE race atomics_before_memset: and cudaMemsetAsync in line
}

static cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t result;
  cudaStreamCreateWithFlags(&result, flags);
  return result;
}

static float* ready() {
  float* x = filled(n);
  cudaDeviceSynchronize();
  return x;
}

extern "C" void plant_two_streams() {
  float *x = ready(), *y = ready();
  fill<<<1, n, 0, stream()>>>(x);
  twice<<<1, n, 0, stream()>>>(x, y);
  cudaDeviceSynchronize();
}

// The event comes before the work that the other stream needs.
extern "C" void plant_event_too_early() {
  float *x = ready(), *y = ready();
  const cudaStream_t first = stream(), second = stream();
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaEventRecord(done, first);
  fill<<<1, n, 0, first>>>(x);
  cudaStreamWaitEvent(second, done, 0);
  thrice<<<1, n, 0, second>>>(x, y);
  cudaDeviceSynchronize();
}

// Blocking streams wait for the default stream, not for each other.
extern "C" void plant_written_while_read() {
  float *x = ready(), *y = ready();
  twice_read<<<1, n, 0, stream(cudaStreamDefault)>>>(x, y);
  overwrite<<<1, n, 0, stream(cudaStreamDefault)>>>(x);
  cudaDeviceSynchronize();
}

// The other stream's atomics come after these, and the fill may come after both.
extern "C" void plant_atomics_before_memset() {
  float* sum = ready();
  const cudaStream_t first = stream();
  cudaMemsetAsync(sum, 0, sizeof(float), first);
  add_to<<<1, n, 0, first>>>(sum);
  add_to<<<1, n, 0, stream()>>>(sum);
  cudaDeviceSynchronize();
}

extern "C" void plant_copy_in_default_stream() {
  float* y = ready();
  float values[n];
  fill_for_copy<<<1, n, 0, stream()>>>(y);
  const auto to_host = cudaMemcpyDeviceToHost;
  cudaMemcpy(values, y, n * 4, to_host);  // HERE race copy_in_default_stream: fill_for_copy writes
}

extern "C" void plant_copy_in_wrong_stream() {
  float *y = ready(), *z = ready();
  const cudaStream_t first = stream(), second = stream();
  fill<<<1, n, 0, first>>>(y);
  const auto on_device = cudaMemcpyDeviceToDevice;
  cudaMemcpyAsync(z, y, n * 4, on_device, second);  // HERE race copy_in_wrong_stream
  cudaStreamSynchronize(first);
}

extern "C" void plant_overwritten_by_copy() {
  float *x = ready(), *y = ready();
  const float zeros[n] = {};
  twice_read<<<1, n, 0, stream()>>>(x, y);
  const auto to_device = cudaMemcpyHostToDevice;
  cudaMemcpy(x, zeros, n * 4, to_device);  // HERE race overwritten_by_copy: cudaMemcpy writes
}

extern "C" void plant_result_of_copy() {
  float *y = ready(), *pinned = nullptr;
  cudaMallocHost(&pinned, n * sizeof(float));
  fill<<<1, n>>>(y);
  cudaMemcpyAsync(pinned, y, n * sizeof(float), cudaMemcpyDeviceToHost);
  volatile float first = pinned[0];  // HERE race result_of_copy: and cudaMemcpyAsync in line
  (void)first;
}

extern "C" void plant_memset_in_default_stream() {
  const cudaStream_t other = stream();
  float* y = nullptr;
  cudaMalloc(&y, n * sizeof(float));
  cudaMemset(y, 0, n * sizeof(float));
  after_memset<<<1, n, 0, other>>>(y);
  cudaDeviceSynchronize();
}

extern "C" void plant_managed_read_early() {
  float* y = nullptr;
  cudaMallocManaged(&y, n * sizeof(float));
  fill<<<1, n>>>(y);
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += y[i];  // HERE race managed_read_early: host code reads
  volatile float kept = sum;
  (void)kept;
  cudaDeviceSynchronize();
}

extern "C" void plant_managed_written_early() {
  float *x = nullptr, *y = nullptr;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = i;
  twice_read<<<1, n>>>(x, y);
  x[0] = 1;  // HERE race managed_written_early: twice_read reads it
  cudaDeviceSynchronize();
}

extern "C" void plant_freed_while_used() {
  const cudaStream_t first = stream(), second = stream();
  float* y = filled(n);
  cudaDeviceSynchronize();
  fill<<<1, n, 0, first>>>(y);
  cudaFreeAsync(y, second);  // HERE race freed_while_used: frees
}

// A copy to a symbol is ordered by its stream alone.
__constant__ float taps[4];
__device__ float offsets[4];

__global__ void filtered(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] *
                   taps[threadIdx.x % 4];  // HERE race taps_in_another_stream: cudaMemcpyToSymbol
}

__global__ void filtered_before(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] * taps[threadIdx.x % 4];
}

__global__ void shifted(float* y) {
  y[threadIdx.x] += offsets[threadIdx.x % 4];  // HERE race offsets_in_another_stream: of offsets
}

static const float ones[4] = {1, 1, 1, 1};

extern "C" void plant_taps_in_another_stream() {
  float *x = ready(), *y = ready();
  cudaMemcpyToSymbolAsync(taps, ones, sizeof ones, 0, cudaMemcpyHostToDevice, stream());
  filtered<<<1, n>>>(x, y);
}

extern "C" void plant_taps_overwritten() {
  float *x = ready(), *y = ready();
  filtered_before<<<1, n, 0, stream()>>>(x, y);
  cudaMemcpyToSymbol(taps, ones, sizeof ones);  // HERE race taps_overwritten: of taps, and
  cudaDeviceSynchronize();
}

extern "C" void plant_offsets_in_another_stream() {
  float* y = ready();
  cudaMemcpyToSymbolAsync(offsets, ones, sizeof ones, 0, cudaMemcpyHostToDevice, stream());
  shifted<<<1, n, 0, stream()>>>(y);
}

__global__ void fill_elsewhere(float* y) {
  y[threadIdx.x] = threadIdx.x;  // HERE race allocated_in_another_stream: allocates it
}

extern "C" void plant_allocated_in_another_stream() {
  const cudaStream_t first = stream(), second = stream();
  float* y = nullptr;
  cudaMallocAsync(&y, n * sizeof(float), first);
  fill_elsewhere<<<1, n, 0, second>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}

__global__ void next_places(int* place) {
  place[threadIdx.x] = n - 1 - threadIdx.x;  // HERE race read_by_two_streams: moved reads it
}

__global__ void moved(const float* x, const int* place, float* y) {
  y[threadIdx.x] = x[place[threadIdx.x]];
}

/// Both streams read; the write comes after the default stream's read, and not after the other.
extern "C" void plant_read_by_two_streams() {
  float *x = ready(), *y = ready(), *z = ready();
  int* place = filled<int>(n);
  cudaDeviceSynchronize();
  moved<<<1, n, 0, stream()>>>(x, place, y);
  moved<<<1, n>>>(x, place, z);
  next_places<<<1, n>>>(place);
}
