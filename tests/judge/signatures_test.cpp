// Each of the forty operators' signatures, called by the judge on a device in ordinary memory.

#include "judge/signatures.h"

#include <cstring>

#include "judge/host_device.h"
#include "judge/judge.h"

using namespace kata;

TEST_CASE("every operator's signature is declared as its exercise says") {
  REQUIRE(test::signatures().size() == 40);
  for (const test::Known& one : test::signatures()) {
    CHECK(declaration(one.problem) == one.declaration);
    CHECK(fault_of(one.problem) == "");
  }
}

TEST_CASE("the judge gives each pointer of a signature its own tensor, and each number its place") {
  test::write_zeros = [](void* memory, std::size_t bytes) { std::memset(memory, 0, bytes); };
  for (const test::Known& one : test::signatures()) {
    CAPTURE(one.declaration);
    test::received = {};
    test::HostDevice device;
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
