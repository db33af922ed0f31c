// Timing of operators with in-out buffers, several outputs and other types than float.

#include <doctest/doctest.h>

#include <map>

#include "gpu_worker/fake_cuda.h"
#include "problems/spec/problem.h"
#include "scratch.h"
#include "worker/gpu/time_kernels.h"

using namespace kata;
using kata::test::contains;

namespace {

// x = x / 2, and flags[i] = whether x[i] was positive; of h only the type matters.
const Problem problem{.name = "halve",
                      .summary = "",
                      .frequency = "",
                      .difficulty = "",
                      .signature = signature(in_out<float>("x", dims<0>), input<Half>("h", dims<0>),
                                             input<int>("ids", dims<0>, draw::below(0)),
                                             output<unsigned char>("flags", dims<0>), integer("n")),
                      .cases = {},
                      .bench_shapes = {},
                      .reference = nullptr,
                      .cost = [](const Shape& shape) {
                        return Cost{4.0 * shape[0], 4.0 * shape[0], 0};
                      }};

std::map<float, int> first_elements;  // that the calls found in x
bool half_is_drawn = false, ids_are_in_range = true;

std::map<std::string, TimingRow> timed(const std::vector<std::string>& names) {
  Job job{.kind = Job::Kind::time, .shapes = {{300'001}}, .ceilings_module = KERNELS_MODULE};
  for (const std::string& name : names)
    job.kernels.push_back({name == "halve" ? RowKind::rung : RowKind::yours, name, "", name});
  std::map<std::string, TimingRow> rows;
  const TimeEvents told{.turn = [](const std::string&) {},
                        .ended = [] {},
                        .row = [&](const TimingRow& row) { rows[row.name] = row; }};
  CHECK_FALSE(time_kernels(job, problem, told));
  return rows;
}

}  // namespace

extern "C" {
void halve(float* x, const Half* h, const int* ids, unsigned char* flags, int n) {
  ++first_elements[x[0]];
  half_is_drawn = half_is_drawn || (h[n - 1].bits != 0 && h[n - 1].bits != h[n - 2].bits);
  ids_are_in_range = ids_are_in_range && ids[n - 1] >= 0 && ids[n - 1] < n;
  for (int i = 0; i < n; ++i) {
    flags[i] = x[i] > 0;
    x[i] /= 2;
  }
}
void wrong_flags(float* x, const Half* h, const int* ids, unsigned char* flags, int n) {
  halve(x, h, ids, flags, n);
  for (int i = 0; i < n; ++i) flags[i] = 1;
}
void leaves_x(float* x, const Half*, const int*, unsigned char* flags, int n) {
  for (int i = 0; i < n; ++i) flags[i] = x[i] > 0;
}
}

TEST_CASE("an in-out buffer is new before each timed call, and inputs of any type are drawn") {
  fake_cuda::set_free_memory(std::size_t{1} << 28);
  first_elements.clear();
  auto rows = timed({"halve"});
  CHECK(rows["halve"].error == "");
  CHECK(rows["halve"].samples > 5);
  CHECK(first_elements.size() > 5);
  CHECK(half_is_drawn);
  CHECK(ids_are_in_range);
}

TEST_CASE("a kernel is compared in every output") {
  auto rows = timed({"halve", "wrong_flags", "leaves_x"});
  CHECK(rows["halve"].error == "");
  CHECK(contains(rows["wrong_flags"].error, "its output is not that of halve"));
  CHECK(contains(rows["leaves_x"].error, "its output is not that of halve"));
}
