// Cases too large for the host: inputs that repeat, outputs that are looked at in parts.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "judge/host_device.h"
#include "judge/judge.h"
#include "scratch.h"

using namespace kata;
using kata::test::contains;
using test::HostDevice;

namespace {

constexpr int covered = 50'000;  // elements that a grid without a loop reaches
const RepeatedCase repeated{{{101}}, {70'001}};
int largest_n = 0;

void whole(const float* x, float* y, int n) {
  largest_n = std::max(largest_n, n);
  for (int i = 0; i < n; ++i) y[i] = std::max(x[i], 0.0f);
}
void capped(const float* x, float* y, int n) {
  whole(x, y, std::min(n, covered));
}
void wraps(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = std::max(x[i % covered], 0.0f);
}

std::vector<CaseResult> judge_relu(void (*candidate)(const float*, float*, int),
                                   HostDevice device = {}) {
  std::vector<CaseResult> results;
  const JudgeEvents events{.started = [](const Case&) {},
                           .finished = [&](const CaseResult& result) { results.push_back(result); },
                           .found = [](const Finding&) {},
                           .counted = [](const Case&, const std::vector<KernelRecord>&) {},
                           .stopped = [](int) {}};
  largest_n = 0;
  judge(*find_problem("relu"), reinterpret_cast<void*>(candidate), {{{64}}}, 42, device, events,
        {.repeated = {repeated}});
  return results;
}

std::vector<Shape> shapes_of(const char* name) {
  std::vector<Shape> shapes;
  for (const RepeatedCase& one : repeated_cases(*find_problem(name))) shapes.push_back(one.shape);
  return shapes;
}

}  // namespace

TEST_CASE("a right kernel passes where its inputs repeat") {
  const std::vector<CaseResult> results = judge_relu(whole);
  REQUIRE(results.size() == 2);
  CHECK(results[1].verdict == Verdict::pass);
  CHECK(results[1].name == "70001 normal");
  CHECK(largest_n == 70'001);
}

TEST_CASE("a grid that is capped and does not loop fails, with the first element left out") {
  const std::vector<CaseResult> results = judge_relu(capped);
  REQUIRE(results.size() == 2);
  CHECK(results[0].verdict == Verdict::pass);
  CHECK(results[1].verdict == Verdict::fail);
  CHECK(contains(results[1].explanation, "never written, such as y[50000]"));
}

TEST_CASE("elements from another place are wrong, and said to be written") {
  const std::vector<CaseResult> results = judge_relu(wraps);
  REQUIRE(results.size() == 2);
  REQUIRE(results[1].first_bad);
  CHECK(results[1].first_bad->index[0] >= covered);
  CHECK(contains(results[1].explanation, "and should be"));
}

TEST_CASE("a large case that does not fit into memory is left out") {
  HostDevice small;
  small.most_bytes = 1000;
  const std::vector<CaseResult> results = judge_relu(whole, std::move(small));
  CHECK(results.size() == 1);
  CHECK(largest_n == 64);
}

TEST_CASE("more elements than 65535 blocks cover, where outputs repeat with the inputs") {
  for (const char* elements : {"add", "relu", "sigmoid"}) {
    CAPTURE(elements);
    CHECK(shapes_of(elements) == std::vector<Shape>{{65535 * 1024 + 259}});
  }
  CHECK(shapes_of("sgemv") == std::vector<Shape>{{1 << 20, 1}});  // the exercise has no more rows
  CHECK(shapes_of("softmax_rows") == std::vector<Shape>{{65535 * 8 + 259, 1}});
}

TEST_CASE("no repeated case where a row of the outputs depends on other rows or on its place") {
  for (const char* name : {"reduce_sum", "softmax", "scan", "transpose", "histogram", "batchnorm",
                           "reverse", "rope", "conv1d", "topk"}) {
    CAPTURE(name);
    CHECK(shapes_of(name).empty());
  }
}

TEST_CASE("rows of a product may be mapped to gridDim.y: none beyond what the exercise promises") {
  for (const char* product : {"sgemm", "hgemm", "igemm", "gemm_bias_gelu", "attention"}) {
    CAPTURE(product);
    CHECK(shapes_of(product).empty());
    const auto has_more_rows = [](const Case& one) { return one.shape[0] > 65535; };
    CHECK(std::ranges::none_of(grid_limit_cases(*find_problem(product)), has_more_rows));
  }
  for (const char* rows : {"softmax_rows", "moe_gate", "embedding"}) {
    CAPTURE(rows);
    REQUIRE(shapes_of(rows).size() == 1);
    CHECK(shapes_of(rows)[0][0] == 65535 * 8 + 259);
  }
}

TEST_CASE("repeated cases are cheap for the host and fit into 8 GiB, for every operator") {
  for (const Problem& problem : problems()) {
    for (const RepeatedCase& one : repeated_cases(problem)) {
      CAPTURE(problem.name);
      CAPTURE(to_string(one.shape));
      CHECK(is_legal(problem, one.shape));
      CHECK(is_legal(problem, one.pattern.shape));
      std::size_t bytes = 0, on_host = 0;
      for (const Parameter& tensor : problem.signature.tensors) {
        bytes += elements(tensor, one.shape) * size_of(tensor.type);
        on_host += elements(tensor, one.pattern.shape);
      }
      CHECK(bytes <= std::size_t{8} << 30);
      CHECK(on_host <= 1 << 20);
    }
  }
}
