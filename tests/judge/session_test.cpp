// Operators on several devices, which here are ordinary memory, with candidates that are ordinary
// functions.

#include "judge/session.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>

#include "judge/host_device.h"
#include "judge/judge.h"
#include "scratch.h"

namespace kata::test::on_devices {
namespace {

/// Devices without limits, whose copies are done when they are queued.
class HostDevices : public HostDevice {
 public:
  void* allocate(Type type, std::size_t count, const std::string&) override {
    memory_.push_back(std::make_unique<std::byte[]>(count * size_of(type) + 1));
    device_of[memory_.back().get()] = current_;
    return memory_.back().get();
  }
  void release(void*) override {}
  std::vector<Finding> check_guards() override { return {}; }
  int devices() const override { return 4; }
  int current() const override { return current_; }
  void make_current(int device) override { current_ = device; }
  CUstream_st* stream(int device) override {
    return reinterpret_cast<CUstream_st*>(&streams_[device]);
  }
  void queue_copy(int, void* to, const void* from, std::size_t bytes, const char*) override {
    std::memcpy(to, from, bytes);
  }

  std::map<const void*, int> device_of;

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  char streams_[4] = {};
  int current_ = 0;
};

HostDevices* devices = nullptr;  // for candidates
std::set<int> current;           // at their calls
unsigned least_calls = 0;        // that the scratch of a device had seen before a call

using Candidate = void (*)(const float* const* x, float* const* y, void* const* scratch, int n,
                           int gpus, CUstream_st* const* streams);

/// y[i] = x[first][i] + x[first + 1][i] + ..., round all devices.
void sum_from(int first, const float* const* x, float* y, int n, int gpus) {
  for (int i = 0; i < n; ++i) {
    y[i] = 0;
    for (int h = 0; h < gpus; ++h) y[i] += x[(first + h) % gpus][i];
  }
}

void right(const float* const* x, float* const* y, void* const* scratch, int n, int gpus,
           CUstream_st* const* streams) {
  current.insert(devices->current());
  for (int g = 0; g < gpus; ++g) {
    CHECK(devices->device_of.at(x[g]) == g);
    CHECK(devices->device_of.at(y[g]) == g);
    CHECK(devices->device_of.at(scratch[g]) == g);
    CHECK(streams[g] == devices->stream(g));
    sum_from(0, x, y[g], n, gpus);
  }
  least_calls = ++*static_cast<unsigned*>(scratch[0]);
}
void begins_with_its_own(const float* const* x, float* const* y, void* const*, int n, int gpus,
                         CUstream_st* const*) {
  for (int g = 0; g < gpus; ++g) sum_from(g, x, y[g], n, gpus);
}
void forgets_the_last_device(const float* const* x, float* const* y, void* const*, int n, int gpus,
                             CUstream_st* const*) {
  for (int g = 0; g + 1 < gpus; ++g) sum_from(0, x, y[g], n, gpus);
}
void leaves_another_device_current(const float* const* x, float* const* y, void* const* scratch,
                                   int n, int gpus, CUstream_st* const* streams) {
  right(x, y, scratch, n, gpus, streams);
  devices->make_current((devices->current() + 1) % gpus);
}
void changes_an_input(const float* const* x, float* const* y, void* const* scratch, int n, int gpus,
                      CUstream_st* const* streams) {
  right(x, y, scratch, n, gpus, streams);
  const_cast<float*>(x[1])[n - 1] += 1;
}

/// What the judge says of it.
std::string judged(Candidate candidate) {
  HostDevices here;
  devices = &here;
  current = {};
  const Problem& problem = *find_problem("all_reduce");
  std::string said;
  judge(problem, reinterpret_cast<void*>(candidate), {{{3, 4}}, {{257, 2}}, {{100, 4}}}, 42, here,
        {.started = [](const Case&) {},
         .finished = [&](const CaseResult& result) { said += result.explanation; },
         .found = [&](const Finding& finding) { said += finding.message; },
         .counted = [](const Case&, const std::vector<KernelRecord>&) {},
         .stopped = [](int) {}});
  return said;
}

}  // namespace

TEST_CASE("an operator on several devices is declared with arrays of pointers and streams") {
  CHECK(declaration(*find_problem("all_reduce")) ==
        "void all_reduce(const float* const* x, float* const* y, void* const* scratch, int n, int "
        "gpus, const cudaStream_t* streams)");
}

TEST_CASE("each device has its tensors, its scratch and its stream, and any may be current") {
  CHECK(judged(right) == "");
  CHECK(current == std::set{0, 1, 2, 3});  // of two devices a third one, too
}

TEST_CASE("scratch is zeroed once, and keeps what calls leave there") {
  judged(right);
  CHECK(least_calls == 6);  // three cases, each called twice
}

TEST_CASE("results that differ from device to device in their last bits are wrong") {
  CHECK(contains(judged(begins_with_its_own), "add in the same order on every device"));
}

TEST_CASE("a device that gets no result is named") {
  CHECK(contains(judged(forgets_the_last_device), "y[3][0] ... y[3][2]"));
}

TEST_CASE("a call that leaves another device current is reported") {
  CHECK(contains(judged(leaves_another_device_current), "device 1 is after it"));
}

TEST_CASE("an input that a call changes is reported, though the caller overwrites it at once") {
  CHECK(contains(judged(changes_an_input), "the input x was changed"));
}

}  // namespace kata::test::on_devices
