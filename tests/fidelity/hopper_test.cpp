// Facts about a Hopper: the emulator prints what an H200 printed (tests/gpu/hopper).
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "scratch.h"
#include "support/process.h"

using namespace kata;
using namespace kata::test;

namespace {

const std::filesystem::path hopper_folder =
    std::filesystem::path(KATA_SOURCE_DIR) / "tests" / "gpu" / "hopper";

const std::set<std::string> differ = {
    // The emulator reports a size that is no multiple of 16. An H200 copies nothing, and the phase
    // of a
    // load never ends.
    "8 bytes to shared", "24 bytes to shared", "8 bytes to global"};

/// By name, without those of the chip alone.
std::map<std::string, std::string> facts_in(std::istream& text) {
  std::map<std::string, std::string> facts;
  for (std::string line; std::getline(text, line) && !line.starts_with("== ");) {
    const std::size_t colon = line.rfind(": ");
    if (colon == std::string::npos || line.starts_with("chip: ")) continue;
    facts[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return facts;
}

struct Group {
  std::string program, name;
  std::map<std::string, std::string> facts;
};

/// "== program group" before each group's facts.
std::vector<Group> measured_groups() {
  std::ifstream file(hopper_folder / "h200.txt");
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<Group> groups;
  for (std::size_t at = all.find("\n== "); at != std::string::npos;
       at = all.find("\n== ", at + 1)) {
    std::istringstream text(all.substr(at + 4));
    Group group;
    text >> group.program >> group.name >> std::ws;
    group.facts = facts_in(text);
    groups.push_back(group);
  }
  return groups;
}

std::map<std::string, std::string> emulated(const Group& group, const Scratch& folder) {
  const auto finished =
      kata::run({.arguments = {KATA_BINARY_DIR "/kata", "run", "--fast",
                               hopper_folder / (group.program + ".cu"), "--", group.name},
                 .environment = {{"KATA_ROOT", KATA_SOURCE_DIR}, {"KATA_HOME", folder / "home"}},
                 .folder = folder.path(),
                 .time_limit_s = 300});
  REQUIRE(finished);
  std::istringstream text(finished->output);
  return facts_in(text);
}

/// Facts that were compared.
std::size_t compare(const std::set<std::string>& programs) {
  const Scratch folder;
  std::size_t compared = 0;
  for (const Group& group : measured_groups()) {
    if (!programs.contains(group.program)) continue;
    CAPTURE(group.name);
    const std::map<std::string, std::string> ours = emulated(group, folder);
    CHECK(ours.size() == group.facts.size());
    for (const auto& one : group.facts) {
      const std::string& fact = one.first;
      if (differ.contains(fact)) continue;
      CAPTURE(fact);
      REQUIRE(ours.contains(fact));
      CHECK(ours.at(fact) == one.second);
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("bulk copies, tensor maps, mbarriers and wgmma do what an H200 does") {
  CHECK(compare({"copies", "wgmma"}) > 2400);
}

TEST_CASE("sums of FP8 products have the bits that an H200 keeps") {
  CHECK(compare({"fp8_sums"}) > 1500);
}

TEST_CASE("wgmma gives an H200's products for every number of columns" *
          doctest::test_suite("slow")) {
  CHECK(compare({"wgmma_columns"}) == 90);
}
