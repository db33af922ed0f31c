// Each of the forty operators' signatures through what the emulator's worker calls: the judge's
// device, and the call that an estimate profiles.

#include "judge/signatures.h"

#include <dlfcn.h>

#include "judge/judge.h"
#include "worker/emulator/emulator_device.h"
#include "worker/emulator/profile.h"

using namespace kata;

extern "C" int cudaMemset(void* memory, int byte, std::size_t bytes);

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

TEST_CASE("the judge calls every operator's signature on the emulator") {
  for (const test::Known& one : signatures()) {
    CAPTURE(one.declaration);
    test::received = {};
    EmulatorDevice device(emulator::Options{});
    judge(one.problem, one.entry, one.problem.cases, 42, device,
          {.started = [](const Case&) {},
           .finished = [](const CaseResult& result) { CHECK(result.explanation == ""); },
           .found = [](const Finding& finding) { CHECK(finding.message == ""); },
           .counted = [](const Case&, const std::vector<KernelRecord>&) {},
           .stopped = [](int) {}});
    test::check_received(one);
    CHECK(test::received.calls == 2);  // the second with other inputs
  }
}

TEST_CASE("every operator's signature is called once for an estimate") {
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
