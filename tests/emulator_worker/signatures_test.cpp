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

float seen;  // by an entry function, of its first input

}  // namespace

extern "C" void sees_what_it_selects_from(const float* x, int*, int) {
  seen = x[0];
}
extern "C" void sees_what_it_computes_with(const float* x, float*, int) {
  seen = x[0];
}

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

TEST_CASE("memory that the emulator lacks for a case is no finding of the candidate's") {
  EmulatorDevice device(emulator::Options{});
  CHECK(device.allocate(Type::f32, std::size_t{1} << 40, "x") == nullptr);
  CHECK(device.take_findings().empty());
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

TEST_CASE("a profile is of drawn values where floats are selected, else of zeros") {
  const auto profiled = [](const char* operator_name, const char* entry) {
    const Problem* const problem = find_problem(operator_name);
    REQUIRE(problem);
    CHECK(profile({.kind = Job::Kind::profile, .entry = entry, .shapes = {{64}}}, *problem));
    return seen;
  };
  CHECK(profiled("argmax", "sees_what_it_selects_from") != 0);
  CHECK(profiled("relu", "sees_what_it_computes_with") == 0);
}
