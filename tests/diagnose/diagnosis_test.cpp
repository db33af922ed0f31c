// What would help a kernel most.
#include "diagnose/diagnosis.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "desk.h"
#include "diagnose/text.h"
#include "support/text.h"
#include "timing/chip.h"

using namespace kata;
using namespace kata::diagnose;
using namespace kata::test;

namespace {

constexpr std::uint64_t blocks = 4096, warps = 8 * blocks;

/// A copy of floats by 4096 blocks of 256 threads, each warp's request moving so many sectors.
LaunchProfile copy(std::uint64_t sectors_of_a_request) {
  LaunchProfile one;
  one.counts.name = "copy";
  one.counts.grid = {blocks, 1, 1};
  one.counts.block = {256, 1, 1};
  one.registers = 32;
  one.blocks_run = blocks;
  for (AccessCount* count : {&one.counts.global_load, &one.counts.global_store}) {
    count->requests = warps;
    count->accesses = 32 * warps;
    count->bytes = 128 * warps;
    count->sectors = sectors_of_a_request * warps;
    count->ideal_sectors = 4 * warps;
  }
  one.first_reads = 4 * warps;  // a sector is read whole, by and by
  one.re_reads = {0, (sectors_of_a_request - 4) * warps};
  one.lines = sectors_of_a_request * warps;
  one.thread_accesses = 2 * blocks;
  one.steps.far_loads = blocks;
  one.touched = {{.buffer = 0, .bytes = 128 * warps, .read_sectors = 4 * warps},
                 {.buffer = 1 << 30, .bytes = 128 * warps, .written_sectors = 4 * warps}};
  return one;
}

Cost cost_of_copy() {
  return {.bytes_read = 128.0 * warps, .bytes_written = 128.0 * warps, .operations = 0};
}

Chip h200() {
  const Result<Chip> chip = find_chip("h200");
  REQUIRE(chip);
  return *chip;
}

/// Two lines: the first wastes three quarters of what is wasted.
KernelRecord counted() {
  KernelRecord kernel{.name = "copy"};
  LineRecord load{.file = "mine.cu", .line = 7}, store{.file = "mine.cu", .line = 8};
  load.global_load = {.requests = 10, .sectors = 70, .ideal_sectors = 40};
  store.global_store = {.requests = 10, .sectors = 50, .ideal_sectors = 40};
  kernel.lines = {load, store};
  return kernel;
}

}  // namespace

TEST_CASE("a copy that wastes its sectors is told so, with the line that wastes most") {
  const Diagnosis one = diagnose::diagnose({copy(32)}, {counted()}, cost_of_copy(), h200());
  REQUIRE(one.outcome == Outcome::advice);
  CHECK(one.causes[0].cause == Cause::coalescing);
  CHECK(one.causes[0].gain > 1.25);
  REQUIRE(one.causes[0].lines.size() == 2);
  CHECK(one.causes[0].lines[0].line == 7);
  CHECK(one.causes[0].lines[0].share == doctest::Approx(0.75));
  const std::string text = text_of(one, false);
  CHECK(text.find("First: uncoalesced") != std::string::npos);
  CHECK(text.find("mine.cu:7: 75 % of the sectors beyond the fewest") != std::string::npos);
  CHECK(text.find("neighbouring addresses") != std::string::npos);
  const std::vector<std::string> lines = lines_of(text);
  CHECK(lines.size() <= 18);  // with the command's own lines, a screen
  for (const std::string& line : lines) CHECK(line.size() <= 80);
}

TEST_CASE("a copy near the limit gets no advice") {
  Chip slow = h200();
  slow.memory_bytes_per_s /= 50;  // all else is much faster
  slow.fitted.call_overhead_s = 0;
  const Diagnosis one = diagnose::diagnose({copy(4)}, {counted()}, cost_of_copy(), slow);
  CHECK(one.outcome == Outcome::near_limit);
  CHECK(text_of(one, false).find("Little is left to gain") != std::string::npos);
}

TEST_CASE("what cannot be diagnosed is said, with the reason") {
  const Diagnosis none{.reason = "the emulator takes more than 2 s"};
  const std::string text = text_of(none, false);
  CHECK(text.find("Cannot say what would help most") != std::string::npos);
  CHECK(text.find("takes more than 2 s") != std::string::npos);
}

TEST_CASE("every cause has a remedy") {
  for (const Cause one : drill::all_causes()) CHECK_FALSE(remedy_of(one, {copy(4)}).empty());
}

TEST_CASE(
    "where a block has one atomic already, fewer blocks are advised, not to combine a block") {
  LaunchProfile every_thread = copy(4), once_a_block = copy(4);
  every_thread.counts.atomic.accesses = 256 * blocks;
  once_a_block.counts.atomic.accesses = blocks;
  CHECK(remedy_of(Cause::atomics, {once_a_block}).starts_with("use fewer blocks"));
  CHECK(remedy_of(Cause::atomics, {once_a_block, every_thread}).starts_with("combine the values"));
}

TEST_CASE("kata diagnose names a cause of a slow rung, and judges what is wrong first") {
  const Desk desk;
  CHECK(desk.start({"diagnose", "transpose"}).exit_status == 77);
  const Finished slow = desk.start({"diagnose", "transpose", "--solution", "1", "--json"});
  const auto json = nlohmann::json::parse(slow.output, nullptr, false);
  REQUIRE(json.is_object());
  CHECK(json.value("outcome", "") == "advice");
  CHECK(json["causes"][0].value("cause", "") == "uncoalesced");
  CHECK(json["causes"][0]["lines"][0].value("line", 0) > 0);
  std::string wrong = desk.rung("relu/1_thread_per_element.cu");
  const std::size_t guard = wrong.find("fmaxf(x[i], 0.0f)");
  REQUIRE(guard != std::string::npos);
  wrong.replace(guard, 17, "fmaxf(x[i], 1.0f)");
  desk.write("relu", wrong);
  const Finished not_right = desk.start({"diagnose", "relu"});
  CHECK(not_right.exit_status == 1);
  CHECK(not_right.errors.find("not right yet") != std::string::npos);
}
