// `kata run` on programs that use several devices.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "programs/program_desk.h"

using kata::Finished;
using kata::test::check_one_line;
using kata::test::contains;
using kata::test::Desk;

namespace {

const std::string head = R"(
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                            \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));                           \
      std::exit(3);                                                                        \
    }                                                                                      \
  } while (0)
)";

Finished run_on(const Desk& desk, const std::string& devices, const std::string& program) {
  desk.folder.write("program.cu", head + program);
  return desk.shell("KATA_DEVICES=" + devices + " \"$KATA\" run program.cu");
}

/// It prints `output`, and the emulator finds no fault.
void prints_on(const std::string& devices, const std::string& program, const std::string& output) {
  const Desk desk;
  const Finished finished = run_on(desk, devices, program);
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(finished.output == output);
  CHECK(contains(finished.errors, "nothing found"));
}

}  // namespace

TEST_CASE("a program with one device sees one, and a wrong number of devices is one line") {
  const Desk desk;
  desk.folder.write("program.cu", R"(
#include <cstdio>
int main() {
  int count = 0;
  cudaGetDeviceCount(&count);
  std::printf("%d\n", count);
}
)");
  CHECK(desk.run("program.cu").output == "1\n");
  CHECK(desk.shell("KATA_DEVICES=8 \"$KATA\" run program.cu").output == "8\n");
  for (const char* wrong : {"9", "0", "two"}) {
    check_one_line(desk.shell(std::string("KATA_DEVICES=") + wrong + " \"$KATA\" run program.cu"),
                   std::string("KATA_DEVICES is ") + wrong);
  }
}

TEST_CASE("two devices find each other, copy back and forth, and use each other's memory") {
  prints_on("2", R"(
__global__ void twice(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * from[i];
}
int main() {
  int count = 0, there = 0, back = 0;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaDeviceCanAccessPeer(&there, 0, 1));
  CHECK(cudaDeviceCanAccessPeer(&back, 1, 0));
  for (int d = 0; d < count; ++d) {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, d));
    std::printf("device %d at bus %d reaches: %d\n", d, properties.pciBusID, d ? back : there);
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
  }
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  float *a, *b, *host;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMallocHost(&host, bytes));
  for (int i = 0; i < n; ++i) host[i] = i;
  CHECK(cudaSetDevice(0));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMemcpy(a, host, bytes, cudaMemcpyDefault));
  CHECK(cudaEventRecord(start));
  for (int i = 0; i < 10; ++i)
    CHECK(i % 2 ? cudaMemcpy(a, b, bytes, cudaMemcpyDefault)
                : cudaMemcpy(b, a, bytes, cudaMemcpyDefault));
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaSetDevice(1));
  twice<<<(n + 127) / 128, 128>>>(a, b, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
  twice<<<(n + 127) / 128, 128>>>(b, a, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, a, bytes, cudaMemcpyDefault));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != 4 * i;
  std::printf("%d wrong, time %s\n", wrong, ms >= 0 ? "known" : "unknown");
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceDisablePeerAccess(1 - d));
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFreeHost(host));
}
)",
            "device 0 at bus 0 reaches: 1\ndevice 1 at bus 1 reaches: 1\n0 wrong, time known\n");
}

namespace {

/// Each device adds what its left neighbour holds, as often as there are devices, ordered by
/// events: every one has the sum of all at the end. `wait` is how a copy waits for the neighbour.
std::string ring(const std::string& wait) {
  return R"(
__global__ void add(float* sum, const float* part, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += part[i];
}
int main() {
  const int n = 300;
  const size_t bytes = n * sizeof(float);
  int devices;
  CHECK(cudaGetDeviceCount(&devices));
  struct Rank { float *sum, *parts[2]; cudaStream_t stream; cudaEvent_t ready, taken; };
  std::vector<Rank> ranks(devices);
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    Rank& rank = ranks[d];
    CHECK(cudaMalloc(&rank.sum, bytes));
    for (float*& part : rank.parts) CHECK(cudaMalloc(&part, bytes));
    CHECK(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&rank.ready, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&rank.taken, cudaEventDisableTiming));
    const std::vector<float> values(n, d + 1.0f);
    for (float* to : {rank.sum, rank.parts[0]})
      CHECK(cudaMemcpy(to, values.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(rank.ready, rank.stream));
    CHECK(cudaEventRecord(rank.taken, rank.stream));
  }
  for (int step = 0; step + 1 < devices; ++step) {
    const int now = step % 2, next = 1 - now;
    for (int d = 0; d < devices; ++d) {
      Rank &rank = ranks[d], &left = ranks[(d + devices - 1) % devices];
      CHECK(cudaSetDevice(d));
      )" +
         wait +
         R"(
      CHECK(cudaMemcpyPeerAsync(rank.parts[next], d, left.parts[now],
                                (d + devices - 1) % devices, bytes, rank.stream));
      CHECK(cudaEventRecord(rank.taken, rank.stream));
      add<<<(n + 127) / 128, 128, 0, rank.stream>>>(rank.sum, rank.parts[next], n);
      CHECK(cudaGetLastError());
    }
    for (int d = 0; d < devices; ++d) {
      CHECK(cudaSetDevice(d));
      CHECK(cudaStreamWaitEvent(ranks[d].stream, ranks[(d + 1) % devices].taken, 0));
      CHECK(cudaEventRecord(ranks[d].ready, ranks[d].stream));
    }
  }
  for (int d = 0; d < devices; ++d) {
    Rank& rank = ranks[d];
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamSynchronize(rank.stream));
    std::vector<float> sums(n);
    CHECK(cudaMemcpy(sums.data(), rank.sum, bytes, cudaMemcpyDeviceToHost));
    std::printf("%g ", sums[n - 1]);
    CHECK(cudaEventDestroy(rank.ready));
    CHECK(cudaEventDestroy(rank.taken));
    CHECK(cudaStreamDestroy(rank.stream));
    for (float* one : {rank.sum, rank.parts[0], rank.parts[1]}) CHECK(cudaFree(one));
  }
}
)";
}

}  // namespace

TEST_CASE("a ring of four devices hands parts on, ordered by events") {
  prints_on("4", ring("CHECK(cudaStreamWaitEvent(rank.stream, left.ready, 0));"), "10 10 10 10 ");
}

TEST_CASE("a copy from a peer that does not wait for the peer's copy is a race in its line") {
  const Desk desk;
  const Finished finished = run_on(desk, "4", ring(""));
  INFO(finished.errors);
  CHECK(finished.exit_status == 1);
  CHECK(contains(finished.errors, "race"));
  CHECK(contains(finished.errors, "cudaMemcpyPeerAsync"));
  CHECK(contains(finished.errors, "cudaStreamWaitEvent"));
}

TEST_CASE("cudaMemcpyPeer comes after what both devices do, and before what they do next") {
  prints_on("2", R"(
__global__ void set(float* x, float value) { *x = value; }
int main() {
  float *a, *b, host;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&a, 4));
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&b, 4));
  set<<<1, 1>>>(b, 1);
  CHECK(cudaSetDevice(0));
  set<<<1, 1>>>(a, 2);
  CHECK(cudaMemcpyPeer(b, 1, a, 0, 4));
  set<<<1, 1>>>(a, 3);
  CHECK(cudaSetDevice(1));
  CHECK(cudaMemcpy(&host, b, 4, cudaMemcpyDeviceToHost));
  std::printf("%g\n", host);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}
)",
            "2\n");
}

TEST_CASE("each device has its own copy of a __device__ and of a __constant__ variable") {
  prints_on("2", R"(
__device__ int counter = 10;
__constant__ int step;
__global__ void count() { atomicAdd(&counter, step); }
int main() {
  for (int round = 0; round < 2; ++round) {
    for (int d = 0; d < 2; ++d) {
      CHECK(cudaSetDevice(d));
      const int mine = d + 1;
      if (round == 0) CHECK(cudaMemcpyToSymbol(step, &mine, sizeof mine));
      count<<<1, 32>>>();
    }
  }
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    int seen = 0;
    CHECK(cudaMemcpyFromSymbol(&seen, counter, sizeof seen));
    std::printf("%d ", seen);
  }
}
)",
            "74 138 ");
}

TEST_CASE("a kernel that reads a peer's memory without access is found in its line") {
  const Desk desk;
  const Finished finished = run_on(desk, "2", R"(
__global__ void copy(float* to, const float* from) {
  to[threadIdx.x] = from[threadIdx.x];
}
int main() {
  float *a, *b;
  cudaSetDevice(1);
  cudaMalloc(&b, 128);
  cudaMemset(b, 0, 128);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  cudaMalloc(&a, 128);
  copy<<<1, 32>>>(a, b);
  std::printf("%d ", (int)cudaDeviceSynchronize());
  cudaSetDevice(1);
  std::printf("%d ", (int)cudaFree(b));
}
)");
  INFO(finished.errors);
  CHECK(finished.exit_status == 1);
  CHECK(finished.output == "700 700 ");
  CHECK(contains(finished.errors, "program.cu:15"));
  CHECK(contains(finished.errors, "memory of device 1"));
  CHECK(contains(finished.errors, "cudaDeviceEnablePeerAccess(1, 0)"));
}

namespace {

/// "NAME what: value" of each line.
std::map<std::string, std::string> facts_of(std::istream& lines) {
  std::map<std::string, std::string> facts;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != line.npos && line[0] != '#') facts[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return facts;
}

}  // namespace

TEST_CASE("calls about two devices answer as on two H200s") {
  const std::string folder = KATA_SOURCE_DIR "/tests/gpu/devices/";
  std::ifstream file(folder + "h200x2.txt");
  const auto measured = facts_of(file);
  const Desk desk;
  const Finished finished = desk.shell(
      "for fact in launches events host_function memory peer_calls no_access one_direction "
      "before_and_after copies attributes event_order per_device other_current; do "
      "KATA_DEVICES=2 \"$KATA\" run " +
      folder + "calls.cu -- $fact; done");
  INFO(finished.errors);
  std::istringstream printed(finished.output);
  std::set<std::string> differ;
  std::size_t compared = 0;
  for (const auto& [what, value] : facts_of(printed)) {
    const auto known = measured.find(what);
    compared += known != measured.end();
    if (known != measured.end() && known->second != value) differ.insert(what);
  }
  CHECK(compared > 70);
  // CUDA documents an error for the first, and the emulator runs the second at once.
  CHECK(differ == std::set<std::string>{"launches in a stream of device 1, current 0",
                                        "no_access launch on 0"});
}

TEST_CASE("what waits for a kernel of another device or for the host ends as on two H200s") {
  const std::string folder = KATA_SOURCE_DIR "/tests/gpu/devices/";
  std::ifstream file(folder + "h200x2.txt");
  const auto measured = facts_of(file);
  const Desk desk;
  const Finished finished = desk.shell(
      "for fact in fresh malloc_on_0 malloc_on_1 free_on_1 pageable_copy_on_0 pageable_copy_on_1 "
      "async_pageable_copy_on_1 peer_copy async_peer_copy query synchronize_1 default_stream_of_0 "
      "enable_access pinned_memory host_raises host_waits host_waits_and_asks small_streams; do "
      "KATA_DEVICES=2 \"$KATA\" run " +
      folder + "waits.cu -- $fact; done");
  std::istringstream printed(finished.output);
  std::size_t compared = 0;
  for (const auto& [what, value] : facts_of(printed)) {
    CAPTURE(what);
    const auto known = measured.find(what);
    if (known == measured.end()) continue;
    ++compared;
    CHECK(value == known->second);
  }
  CHECK(compared > 40);
  CHECK_FALSE(contains(finished.errors, "error"));
}

TEST_CASE("what never ends on two H200s is a deadlock, which says why") {
  const std::string waits = KATA_SOURCE_DIR "/tests/gpu/devices/waits.cu";
  const std::pair<const char*, const char*> facts[] = {
      {"free_on_0", "device 1 has no launch under way, and the host waits in cudaFree"},
      {"full_streams", "3832 of the launch's 4096 blocks have no room on the device"}};
  for (const auto& [fact, why] : facts) {
    const Desk desk;
    const Finished finished = desk.shell("KATA_DEVICES=2 \"$KATA\" run " + waits + " -- " + fact);
    INFO(finished.errors);
    CHECK(contains(finished.errors, "waits.cu:12:3: error: deadlock"));
    CHECK(contains(finished.errors, why));
  }
}
