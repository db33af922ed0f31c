// A seed repeats a run bit for bit, on one core and on two, also of kernels whose result depends on
// the order of blocks or on what a variable happens to hold.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check.h"
#include "contribute/planted.h"
#include "problems/spec/problem.h"
#include "skip.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace fs = std::filesystem;
using kata::faults::Fault;

namespace {

/// The whole report of a check on these cores, as `--json` prints it.
std::string report(const fs::path& file, const std::string& cores) {
  const auto finished = kata::run(
      {.arguments = {"taskset", "-c", cores, KATA_BINARY_DIR "/kata", "check", file.string(),
                     "--backend", "emulator", "--no-ladder", "--seed", "42", "--json"},
       .environment = {{"KATA_ROOT", KATA_SOURCE_DIR}},
       .time_limit_s = 300});
  REQUIRE(finished);
  INFO(finished->errors);
  const auto json = nlohmann::json::parse(finished->output, nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  CHECK(json.at("verdict") == "fail");
  return finished->output;
}

std::vector<Fault> faults_of(const std::string& operator_name) {
  const auto all = kata::faults::read_faults(operator_name);
  REQUIRE(all);
  return *all;
}

void check_repeats(const Fault& fault, int times) {
  const kata::TemporaryFolder folder;
  const auto files = kata::contribute::write_faults({fault}, folder.path());
  REQUIRE(files);
  const fs::path& file = files->front();
  CAPTURE(file);
  const std::string first = report(file, "0");
  for (int i = 1; i < times; ++i) CHECK(report(file, i % 2 ? "0,1" : "0") == first);
}

/// Else it skips the test.
bool has_two_cores() {
  const auto two = kata::run({.arguments = {"taskset", "-c", "0,1", "true"}});
  if (two && two->exit_status == 0) return true;
  kata::test::skip("taskset cannot give this process cores 0 and 1");
  return false;
}

}  // namespace

TEST_CASE("a seed repeats the run of a kernel whose result is luck") {
  if (!has_two_cores()) return;
  for (const auto& [operator_name, fault] : {std::pair{"reduce_max", "blocks_overwrite"},
                                             {"reduce_max", "uninitialized_maximum"},
                                             {"scan", "no_fence"}}) {
    std::vector<Fault> all = faults_of(operator_name);
    std::erase_if(all, [fault = fault](const Fault& one) { return one.name != fault; });
    REQUIRE(all.size() == 1);
    check_repeats(all.front(), 4);
  }
}

TEST_CASE("what fails in a whole check fails again where its size alone is checked") {
  const fs::path file = fs::path(KATA_SOURCE_DIR) / "tests" / "verdicts" / "wrong" / "layernorm.cu";
  // 344179: an element is wrong only in a second call, with other scalars.
  const auto whole = kata::test::check(file, {"--no-ladder", "--seed", "344179"});
  REQUIRE(whole.exit_status == 1);
  int failed = 0;
  for (const auto& one : whole.report["cases"]) {
    if (one["verdict"] != "fail") continue;
    ++failed;
    const std::string name = one["name"], size = name.substr(0, name.find(' '));
    CAPTURE(name);
    const auto alone = kata::test::check(file, {"--no-ladder", "--seed", "344179", "--size", size});
    CHECK(alone.exit_status == 1);
    CHECK(std::ranges::any_of(alone.report["cases"], [&](const auto& other) {
      return other["name"] == name && other["max_error"] == one["max_error"];
    }));
  }
  CHECK(failed == 3);
}

TEST_CASE("a seed repeats the runs of fifty wrong kernels" * doctest::test_suite("slow")) {
  if (!has_two_cores()) return;
  std::vector<Fault> all;
  for (const kata::Problem& problem : kata::problems()) {
    for (const Fault& fault : faults_of(problem.name)) all.push_back(fault);
  }
  constexpr std::size_t wanted = 50;
  REQUIRE(all.size() >= wanted);
  for (std::size_t i = 0; i < wanted; ++i) check_repeats(all[i * all.size() / wanted], 5);
}
