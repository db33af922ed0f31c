// Each of the forty operators' signatures through what a GPU's worker calls: the judge's device,
// the timing loop and the profiler's call.

#include "judge/signatures.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "gpu_worker/fake_cuda.h"
#include "judge/judge.h"
#include "worker/gpu/gpu_device.h"
#include "worker/gpu/profile.h"
#include "worker/gpu/time_kernels.h"

using namespace kata;

namespace {

/// The name by which dlsym() finds a function of this program.
std::string symbol_of(void* function) {
  Dl_info info{};
  REQUIRE(dladdr(function, &info) != 0);
  REQUIRE(info.dli_sname != nullptr);
  return info.dli_sname;
}

const std::vector<test::Known>& signatures() {
  test::write_zeros = [](void* memory, std::size_t bytes) { cudaMemset(memory, 0, bytes); };
  return test::signatures();
}

}  // namespace

TEST_CASE("the judge calls every operator's signature on a GPU") {
  for (const test::Known& one : signatures()) {
    CAPTURE(one.declaration);
    test::received = {};
    GpuDevice device(*open_gpu());
    judge(one.problem, one.entry, one.problem.cases, 42, device,
          {.started = [](const Case&) {},
           .finished = [](const CaseResult& result) { CHECK(result.explanation == ""); },
           .found = [](const Finding& finding) { CHECK(finding.message == ""); },
           .counted = [](const Case&, const std::vector<KernelRecord>&) {},
           .stopped = [](int) {}});
    test::check_received(one);
  }
}

TEST_CASE("signatures are timed: of the forty, which the judge has called, each eighth") {
  for (std::size_t i = 0; i < signatures().size(); i += 8) {
    const test::Known& one = signatures()[i];
    CAPTURE(one.declaration);
    test::received = {};
    const Job job{.kind = Job::Kind::time,
                  .shapes = one.problem.bench_shapes,
                  .kernels = {{RowKind::yours, "yours", "", symbol_of(one.entry)}},
                  .ceilings_module = KERNELS_MODULE};
    std::vector<TimingRow> rows;
    const TimeEvents events{.turn = [](const std::string&) {},
                            .ended = [] {},
                            .row = [&](const TimingRow& row) { rows.push_back(row); }};
    CHECK_FALSE(time_kernels(job, one.problem, events));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].error == "");
    test::check_received(one);
  }
}

TEST_CASE("every operator's signature is called once for a profiler") {
  for (const test::Known& one : signatures()) {
    CAPTURE(one.declaration);
    test::received = {};
    const Job job{.kind = Job::Kind::profile,
                  .entry = symbol_of(one.entry),
                  .shapes = one.problem.bench_shapes};
    CHECK(profile(job, one.problem));
    test::check_received(one);
    CHECK(test::received.calls == 1);
  }
}
