// Launches of several devices that wait for each other or for the host.
#include <doctest/doctest.h>

#include <thread>

#include "emulator/tests/runtime/several_devices.h"

extern "C" void __tsan_volatile_write4(void*);

using namespace kernels;

namespace {

void wait_for(int* flag, int value) {
  for (;;) {
    __tsan_volatile_read4(flag);
    __sanitizer_cov_trace_pc();
    if (*const_cast<volatile int*>(flag) >= value) return;
  }
}

void raise(int* flag, int value) {
  __tsan_volatile_write4(flag);
  *const_cast<volatile int*>(flag) = value;
}

/// With arguments that can be copied: the call need not wait for the launch.
void launch_copied(int device_number, cudaStream_t stream, const auto& body) {
  cudaSetDevice(device_number);
  using Body = std::remove_cvref_t<decltype(body)>;
  LaunchConfig config{"kernel", __FILE__, 1, {1, 1, 1}, {1, 1, 1}, 0, stream, nullptr, 0};
  config.function = reinterpret_cast<const void*>(&launch_copied<Body>);
  config.closure_bytes = sizeof body;
  const auto call = [](void* closure) { (*static_cast<const Body*>(closure))(); };
  __kata_launch(&config, call, const_cast<Body*>(&body), &body, &body + 1);
}

struct Pair {
  Pair() {
    for (const int number : {0, 1}) {
      enable(number, 1 - number);
      flag[number] = on(number, std::vector<int>{0}, number == 0 ? "flag0" : "flag1");
      stream[number] = stream_on(number);
    }
  }
  int* flag[2];
  cudaStream_t stream[2];
};

}  // namespace

TEST_CASE("a launch that waits returns to the host, which goes on and launches what it waits for") {
  const Devices devices(2);
  const Pair two;
  launch_copied(0, two.stream[0], [flag = two.flag[0]] { wait_for(flag, 1); });
  CHECK(cudaStreamQuery(two.stream[0]) == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaErrorNotReady);
  launch_copied(1, two.stream[1], [flag = two.flag[0]] { raise(flag, 1); });
  CHECK(cudaStreamSynchronize(two.stream[0]) == cudaSuccess);
  CHECK(cudaStreamQuery(two.stream[1]) == cudaSuccess);
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("what was issued behind a launch that waits is done after it, with the bytes of then") {
  const Devices devices(2);
  const Pair two;
  int* x = on(0, std::vector<int>{0}, "x");
  int* y = on(1, std::vector<int>{0}, "y");
  cudaEvent_t done = event_on(0);
  int value = 7;
  launch_copied(0, two.stream[0], [flag = two.flag[0]] { wait_for(flag, 1); });
  CHECK(cudaMemcpyAsync(x, &value, 4, cudaMemcpyHostToDevice, two.stream[0]) == cudaSuccess);
  value = 8;  // pageable memory: the copy has read it
  CHECK(cudaEventRecord(done, two.stream[0]) == cudaSuccess);
  CHECK(cudaEventQuery(done) == cudaErrorNotReady);
  CHECK(cudaStreamWaitEvent(two.stream[1], done, 0) == cudaSuccess);
  cudaMemcpyAsync(y, x, 4, cudaMemcpyDefault, two.stream[1]);
  CHECK(cudaStreamQuery(two.stream[1]) == cudaErrorNotReady);
  cudaStream_t other = stream_on(1);
  launch_copied(1, other, [flag = two.flag[0]] { raise(flag, 1); });
  CHECK(cudaStreamSynchronize(two.stream[1]) == cudaSuccess);
  CHECK(host(y, 1)[0] == 7);
  CHECK(cudaEventQuery(done) == cudaSuccess);
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("launches whose arguments cannot be copied go on while the host waits in their call") {
  const Devices devices(2);
  const Pair two;
  launch_copied(0, two.stream[0], [flag = two.flag[0]] { wait_for(flag, 1); });
  bool ran = false;
  launch_on(1, two.stream[1], [&] {
    ran = true;
    raise(two.flag[0], 1);
  });
  CHECK(ran);
  CHECK(cudaStreamSynchronize(two.stream[0]) == cudaSuccess);
}

TEST_CASE("a thread of the host waits for its device while another still launches") {
  const Devices devices(2);
  const Pair two;
  std::thread other([&] {
    launch_copied(0, two.stream[0], [=] { wait_for(two.flag[0], 1); });
    CHECK(cudaStreamSynchronize(two.stream[0]) == cudaSuccess);
  });
  launch_copied(1, two.stream[1], [=] {
    wait_for(two.flag[1], 0);
    raise(two.flag[0], 1);
  });
  CHECK(cudaStreamSynchronize(two.stream[1]) == cudaSuccess);
  other.join();
  CHECK(kata::emulator::take_findings().empty());
}

TEST_CASE("an error of one launch ends those that wait, and what is queued is not done") {
  const Devices devices(2);
  const Pair two;
  int* x = on(0, std::vector<int>{0}, "x");
  launch_copied(0, two.stream[0], [flag = two.flag[0]] { wait_for(flag, 1); });
  launch_copied(0, two.stream[0], [x] { store(x, 1); });
  launch_copied(1, two.stream[1], [] { load(reinterpret_cast<int*>(8)); });
  CHECK(cudaStreamSynchronize(two.stream[0]) == cudaErrorIllegalAddress);
  CHECK(only_finding().kind == FindingKind::out_of_bounds);
  CHECK(*x == 0);
}

TEST_CASE("a wait that nothing ends is a deadlock, which names the flag and its last writer") {
  const Devices devices(2);
  kata::emulator::configure({.slow_after_s = 0.2});
  const Pair two;
  launch_copied(1, two.stream[1], [flag = two.flag[0]] { raise(flag, 3); });
  launch_copied(0, two.stream[0], [flag = two.flag[0]] { wait_for(flag, 4); });
  launch_copied(0, two.stream[0], [flag = two.flag[0]] { raise(flag, 4); });
  CHECK(cudaStreamSynchronize(two.stream[0]) == cudaErrorLaunchTimeout);
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::deadlock);
  CHECK(contains(finding.message, "waits here for ever for flag0[0] (it is 3)"));
  CHECK(contains(finding.message, "kernel on device 1 wrote it last"));
  CHECK(contains(finding.note, "waits behind it in the same stream"));
  CHECK(contains(finding.note, "cudaStreamSynchronize"));
}

TEST_CASE("a program that ends while launches wait has a deadlock") {
  const Devices devices(2);
  kata::emulator::configure({.slow_after_s = 0.2});
  const Pair two;
  launch_copied(0, two.stream[0], [flag = two.flag[0]] { wait_for(flag, 1); });
  const Finding finding = only_finding();
  CHECK(finding.kind == FindingKind::deadlock);
  CHECK(contains(finding.note, "device 1 has no launch under way"));
  CHECK(contains(finding.note, "the end of the program"));
}
