// What a call did beside its result: results are read in the order of the default stream, and
// copies through the host are seen.

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "gpu_worker/fake_cuda.h"
#include "judge/call.h"
#include "judge/judge.h"
#include "scratch.h"
#include "worker/gpu/gpu_device.h"

using namespace kata;
using kata::test::contains;

namespace {

void relu(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
}
void relu_later(const float* x, float* y, int n) {
  fake_cuda::launch_unordered([=] { relu(x, y, n); });
}

void relu_on_the_host(const float* x, float* y, int n) {
  const auto bytes = static_cast<std::size_t>(n) * sizeof(float);
  std::vector<float> values(static_cast<std::size_t>(n));
  cudaMemcpy(values.data(), x, bytes, cudaMemcpyDeviceToHost);
  relu(values.data(), values.data(), n);
  cudaMemcpy(y, values.data(), bytes, cudaMemcpyHostToDevice);
}
void relu_in_place_of_a_copy(const float* x, float* y, int n) {
  cudaMemcpyAsync(y, x, static_cast<std::size_t>(n) * sizeof(float), cudaMemcpyDeviceToDevice);
  relu(y, y, n);
}

void reverse(float* x, int n) {
  std::reverse(x, x + n);
}

template <class Candidate>
std::vector<Finding> findings_of(Candidate* candidate, std::function<void()> occupy,
                                 const std::string& operator_name = "relu") {
  const Problem& problem = *find_problem(operator_name);
  GpuDevice device(*open_gpu(), true, std::move(occupy));
  const Case one_case{{300}};
  const Buffers buffers = allocate(problem, one_case.shape, device);
  return call_once(problem, reinterpret_cast<void*>(candidate), one_case,
                   make_inputs(problem, one_case, 42), buffers, device)
      .findings;
}

}  // namespace

TEST_CASE("work that the default stream does not wait for is a race") {
  int occupied = 0;
  const std::vector<Finding> findings = findings_of(relu_later, [&] { ++occupied; });
  CHECK(occupied == 1);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::race);
  CHECK(findings[0].severity == Severity::error);
  CHECK(contains(findings[0].message, "y changes after the function has returned"));
}

TEST_CASE("work in the default stream's order is right, however late its kernels begin") {
  int occupied = 0;
  CHECK(findings_of(relu, [&] { ++occupied; }).empty());
  CHECK(occupied == 1);
}

TEST_CASE("an operator that the CPU computes is an error on the GPU as well") {
  const std::vector<Finding> findings = findings_of(relu_on_the_host, [] {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::host_computation);
  CHECK(findings[0].severity == Severity::error);
  CHECK(contains(findings[0].message, "the CPU computes y"));
}

TEST_CASE("copies within the device, and the judge's own, are no work on the CPU") {
  CHECK(findings_of(relu_in_place_of_a_copy, [] {}).empty());
  CHECK(findings_of(
            reverse, [] {}, "reverse")
            .empty());  // whose output is its only input
}
