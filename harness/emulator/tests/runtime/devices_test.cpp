// Several devices in one process: who may use whose memory, and what orders their work.
#include <doctest/doctest.h>

#include <thread>

#include "emulator/tests/runtime/several_devices.h"

using namespace kernels;

TEST_CASE("a host thread works with device 0 until it chooses another") {
  const Devices devices(3);
  int number = 0;
  CHECK(cudaGetDeviceCount(&number) == cudaSuccess);
  CHECK(number == 3);
  CHECK(cudaSetDevice(2) == cudaSuccess);
  std::thread other([&] { cudaGetDevice(&number); });
  other.join();
  CHECK(number == 0);
  cudaGetDevice(&number);
  CHECK(number == 2);
  CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
  CHECK(contains(only_finding().message, "there are 3 devices, numbers 0 to 2, and 3 was asked"));
  cudaGetDevice(&number);
  CHECK(number == 2);
}

TEST_CASE("each device has its own memory, which its pointers name") {
  const Devices devices(2);
  std::size_t all = 0, left[2] = {};
  int* x = on(1, std::vector<int>(1000), "x");
  for (const int number : {0, 1}) {
    cudaSetDevice(number);
    cudaMemGetInfo(&left[number], &all);
  }
  CHECK(left[0] == all);
  CHECK(left[1] == all - 4000);
  cudaSetDevice(0);
  cudaPointerAttributes attributes{};
  CHECK(cudaPointerGetAttributes(&attributes, x + 3) == cudaSuccess);
  CHECK(attributes.device == 1);
  CHECK(attributes.type == cudaMemoryTypeDevice);
  CHECK(cudaFree(x) == cudaSuccess);  // any device may be current
}

TEST_CASE("a kernel that uses a peer's memory without access names the missing call") {
  const Devices devices(2);
  int* x = on(1, std::vector<int>{7}, "x");
  int* y = on(0, std::vector<int>{0}, "y");
  enable(1, 0);  // the wrong way round
  launch_on(0, nullptr, [=] { store(y, load(x)); });
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::out_of_bounds);
  CHECK(finding.message ==
        "thread (0,0,0) of block (0,0,0) on device 0 reads x[0], memory of device 1");
  CHECK(
      contains(finding.note, "cudaDeviceEnablePeerAccess(1, 0) with device 0 current is missing"));
  CHECK(contains(finding.note, "the reverse"));
  cudaSetDevice(1);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);  // as on two H200s
}

TEST_CASE("with peer access a kernel uses what a peer allocates before and after") {
  const Devices devices(3);
  int* before = on(1, std::vector<int>{5}, "before");
  enable(0, 1);  // and not 2: not all are within reach
  int* after = on(1, std::vector<int>{6}, "after");
  int* y = on(0, std::vector<int>{0}, "y");
  launch_on(0, nullptr, [=] {
    store(y, load(before) + load(after));
    store(after, 8);
  });
  CHECK(host(y, 1)[0] == 11);
  CHECK(host(after, 1)[0] == 8);
  CHECK(kata::emulator::take_findings().empty());
  launch_on(0, nullptr, [=] { store(after + 1, 9); });
  CHECK(contains(only_finding().message, "past the end of after"));
  CHECK(cudaGetLastError() == cudaSuccess);
  int* far = on(2, std::vector<int>{1}, "far");
  launch_on(0, nullptr, [=] { store(y, load(far)); });
  CHECK(contains(only_finding().message, "memory of device 2"));
}

TEST_CASE("peer access does not cover memory of cudaMallocAsync") {
  const Devices devices(2);
  enable(0, 1);
  int* x = on(1, std::vector<int>{1}, "x");
  void* pooled = nullptr;
  __kata_malloc_async(&pooled, 4, nullptr, "somewhere.cu", 8);
  int* y = static_cast<int*>(pooled);
  launch_on(0, nullptr, [=] { store(x, 2); });
  CHECK(host(x, 1)[0] == 2);
  CHECK(kata::emulator::take_findings().empty());
  launch_on(0, nullptr, [=] { store(y, 2); });
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(contains(only_finding().note, "does not cover memory of cudaMallocAsync()"));
}

TEST_CASE("every device reaches pinned memory") {
  const Devices devices(2);
  void* pinned = nullptr;
  cudaSetDevice(1);
  REQUIRE(cudaHostAlloc(&pinned, 4, 0) == cudaSuccess);
  int* flag = static_cast<int*>(pinned);
  launch_on(0, nullptr, [=] { store(flag, 3); });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(*flag == 3);
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("peer access is enabled once, one way, and by the numbers of two devices") {
  const Devices devices(2);
  int can = -1;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess);
  CHECK(can == 1);
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 1) == cudaSuccess);
  CHECK(can == 0);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  CHECK(only_finding().severity == Severity::error);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorPeerAccessNotEnabled);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
  const Finding twice = only_finding();
  CHECK(twice.severity == Severity::warning);
  CHECK(contains(twice.message, "cudaGetLastError()"));
  CHECK(cudaGetLastError() == cudaErrorPeerAccessAlreadyEnabled);
  CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessUnsupported);
  CHECK(cudaDeviceEnablePeerAccess(2, 0) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceEnablePeerAccess(1, 1) == cudaErrorInvalidValue);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaSuccess);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  int value = -1;
  CHECK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, 0, 1) ==
        cudaSuccess);
  CHECK(value == 1);
  CHECK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1) ==
        cudaErrorInvalidDevice);
}

TEST_CASE("a stream or an event of another device than the current one gives error 400") {
  const Devices devices(2);
  cudaStream_t stream = stream_on(1);
  bool ran = false;
  launch_on(0, stream, [&] { ran = true; });
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  CHECK_FALSE(ran);
  CHECK(contains(only_finding().message, "cudaSetDevice(1) is missing before the launch"));
  launch_on(1, stream, [&] { ran = true; });
  CHECK(ran);
  cudaEvent_t here = event_on(0), there = event_on(1);
  CHECK(cudaEventRecord(here, stream) == cudaErrorInvalidResourceHandle);
  only_finding();
  CHECK(cudaEventRecord(here, nullptr) == cudaErrorInvalidResourceHandle);  // of device 1
  CHECK(contains(only_finding().message, "created on device 0, and the stream is of device 1"));
  cudaSetDevice(0);
  CHECK(cudaEventRecord(there, stream) == cudaSuccess);
  CHECK(cudaEventSynchronize(there) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(nullptr, there, 0) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  cudaEvent_t times[2] = {};
  for (const int number : {0, 1}) {
    cudaSetDevice(number);
    cudaEventCreateWithFlags(&times[number], 0);
    cudaEventRecord(times[number], nullptr);
  }
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, times[0], times[1]) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("nothing orders the default streams of two devices but an event") {
  const Devices devices(2);
  int* x = on(0, std::vector<int>{0}, "x");
  enable(1, 0);
  launch_on(0, nullptr, [=] { store(x, 1); });
  launch_on(1, nullptr, [=] { store(x, 2); });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::race);
  CHECK(contains(finding.message, "on device 1 writes x[0]"));
  CHECK(contains(finding.message, "in another stream of device 0"));
  for (const int number : {0, 1}) {
    cudaSetDevice(number);
    cudaDeviceSynchronize();
  }

  cudaEvent_t done = event_on(0);
  launch_on(0, nullptr, [=] { store(x, 1); });
  CHECK(cudaEventRecord(done, nullptr) == cudaSuccess);
  cudaSetDevice(1);
  CHECK(cudaStreamWaitEvent(nullptr, done, 0) == cudaSuccess);
  launch_on(1, nullptr, [=] { store(x, load(x) + 1); });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(kata::emulator::take_findings().empty());
  CHECK(host(x, 1)[0] == 2);
}

TEST_CASE("a host that waits for one device has not waited for another") {
  const Devices devices(2);
  int* x = on(0, std::vector<int>{0}, "x");
  enable(1, 0);
  launch_on(0, nullptr, [=] { store(x, 1); });
  cudaSetDevice(1);
  cudaDeviceSynchronize();
  launch_on(1, nullptr, [=] { store(x, 2); });
  CHECK(only_finding().kind == FindingKind::race);
  for (const int number : {0, 1}) {
    cudaSetDevice(number);
    cudaDeviceSynchronize();
  }
  launch_on(0, nullptr, [=] { store(x, 1); });
  cudaDeviceSynchronize();
  launch_on(1, nullptr, [=] { store(x, 2); });
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("copies between devices need no peer access") {
  const Devices devices(2);
  const std::vector<int> values{1, 2, 3};
  int* x = on(0, values, "x");
  int* y = on(1, std::vector<int>(3), "y");
  int* z = on(0, std::vector<int>(3), "z");
  CHECK(cudaMemcpyPeer(y, 1, x, 0, 12) == cudaSuccess);
  CHECK(host(y, 3) == values);
  cudaStream_t stream = stream_on(1);
  CHECK(cudaMemcpyPeerAsync(z, 0, y, 1, 12, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(host(z, 3) == values);
  cudaMemset(y, 0, 12);
  CHECK(cudaMemcpy(y, x, 12, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(host(y, 3) == values);
  cudaMemset(y, 0, 12);
  CHECK(cudaMemcpyAsync(y, x, 12, cudaMemcpyDefault, stream) == cudaSuccess);
  CHECK(host(y, 3) == values);
  CHECK(kata::emulator::take_findings().empty());
  CHECK(cudaMemcpyPeer(y, 2, x, 0, 12) == cudaErrorInvalidDevice);
}

TEST_CASE("a stream fills memory of its own device, and of a peer that it has access to") {
  const Devices devices(2);
  int* x = on(0, std::vector<int>{1}, "x");
  cudaStream_t stream = stream_on(1);
  CHECK(cudaMemsetAsync(x, 0, 4, stream) == cudaErrorInvalidValue);
  CHECK(contains(only_finding().message, "memory of device 0, to which device 1 of the stream"));
  CHECK(host(x, 1)[0] == 1);
  enable(1, 0);
  CHECK(cudaMemsetAsync(x, 0, 4, stream) == cudaSuccess);
  CHECK(host(x, 1)[0] == 0);
}

TEST_CASE("a limit that is raised for a kernel on one device is not raised on another") {
  const Devices devices(2);
  int* x = on(1, std::vector<int>{0}, "x");
  const auto body = [=] { store(x, 1); };
  cudaSetDevice(0);
  cudaFuncSetAttribute(reinterpret_cast<const void*>(&body),
                       cudaFuncAttributeMaxDynamicSharedMemorySize, 100'000);
  cudaSetDevice(1);
  launch({1, 1, 1}, {1, 1, 1}, body, 100'000);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(only_finding().kind == FindingKind::invalid_launch);
}

TEST_CASE("a reset of one device leaves the other's memory, streams and peer access") {
  const Devices devices(2);
  int* x = on(1, std::vector<int>{4}, "x");
  cudaStream_t stream = stream_on(1);
  enable(1, 0);
  cudaSetDevice(0);
  CHECK(cudaDeviceReset() == cudaSuccess);
  launch_on(1, stream, [=] { store(x, 5); });
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(host(x, 1)[0] == 5);
  CHECK(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);  // of a device now reset
}
