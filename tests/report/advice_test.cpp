// Which advice follows from counts, and which does not.
#include "report/advice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "report/text/lines.h"
#include "scratch.h"

using namespace kata;
using kata::test::contains;

namespace {

AccessCount global(std::uint64_t requests, std::uint64_t sectors, std::uint64_t ideal,
                   std::int64_t stride = 4) {
  const auto each = [&](std::uint64_t all) { return static_cast<unsigned>(all / requests); };
  return {.accesses = 32 * requests,
          .requests = requests,
          .sectors = sectors,
          .ideal_sectors = ideal,
          .worst = {32, each(sectors), each(ideal), stride, "lanes 0-31 read A[...]"}};
}

AccessCount shared(std::uint64_t requests, std::uint64_t wavefronts) {
  const auto ways = static_cast<unsigned>(wavefronts / requests);
  return {.accesses = 32 * requests,
          .requests = requests,
          .wavefronts = wavefronts,
          .conflicts = wavefronts - requests,
          .worst = {32, ways, 1, 128, "lanes 0-31 read tile"}};
}

/// A kernel of these lines, of a file that is not there.
KernelRecord kernel_of(std::vector<LineRecord> lines) {
  KernelRecord kernel{.name = "k", .grid = {8, 1, 1}, .block = {256, 1, 1}};
  for (LineRecord& line : lines) {
    line.file = "mine.cu";
    for (const auto kind : {&LineRecord::global_load, &LineRecord::global_store}) {
      AccessCount& sum =
          kind == &LineRecord::global_load ? kernel.global_load : kernel.global_store;
      sum.accesses += (line.*kind).accesses;
      sum.requests += (line.*kind).requests;
      sum.sectors += (line.*kind).sectors;
      sum.ideal_sectors += (line.*kind).ideal_sectors;
    }
    kernel.shared_load.requests += line.shared_load.requests;
    kernel.shared_load.wavefronts += line.shared_load.wavefronts;
    kernel.shared_load.conflicts += line.shared_load.conflicts;
    kernel.atomic.requests += line.atomic.requests;
    kernel.atomic.turns += line.atomic.turns;
  }
  kernel.lines = std::move(lines);
  return kernel;
}

}  // namespace

TEST_CASE("a column's loads are reported with their line, their pattern and their share") {
  const KernelRecord kernel = kernel_of({{.line = 7, .global_load = global(64, 2048, 256, 4096)},
                                         {.line = 8, .global_store = global(64, 256, 256)}});
  const std::vector<Finding> found = advice({kernel});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == FindingKind::uncoalesced);
  CHECK(found[0].severity == Severity::advice);
  CHECK(found[0].line == 7);
  CHECK(found[0].kernel == "k");
  CHECK(contains(found[0].message, "lanes 0-31 read A[...]: 32 sectors where 4 would do"));
  CHECK(contains(found[0].message, "89 % of the kernel's sectors"));
}

TEST_CASE("lanes that skip an element or three get the advice to load what lies between at once") {
  const auto found = advice({kernel_of({{.line = 7, .global_load = global(64, 768, 256, 12)}})});
  REQUIRE(found.size() == 1);
  CHECK(contains(found[0].note, "if what lies between is needed too"));
}

TEST_CASE("what cannot be seen in a time is left unsaid") {
  SUBCASE("side by side") {
    CHECK(advice({kernel_of({{.line = 7, .global_load = global(64, 256, 256)}})}).empty());
  }
  SUBCASE("a row that begins anywhere: 5 sectors for 4") {
    CHECK(advice({kernel_of({{.line = 7, .global_load = global(64, 320, 256)}})}).empty());
  }
  SUBCASE("a twentieth of the kernel's traffic") {
    CHECK(advice({kernel_of({{.line = 7, .global_load = global(1000, 4000, 4000)},
                             {.line = 8, .global_store = global(8, 210, 32, 4096)}})})
              .empty());
  }
  SUBCASE("a kernel that hardly counts") {
    KernelRecord small = kernel_of({{.line = 7, .global_load = global(1, 32, 4, 4096)}});
    small.name = "small";
    CHECK(
        advice({small, kernel_of({{.line = 9, .global_load = global(1000, 4000, 4000)}})}).empty());
  }
  SUBCASE("one lane that speaks for its warp") {
    AccessCount alone = global(64, 64, 64);
    alone.accesses = 64;
    CHECK(advice({kernel_of({{.line = 7, .global_load = global(64, 256, 256)},
                             {.line = 9, .global_store = alone}})})
              .empty());
  }
  SUBCASE("the few lanes that add up what their block's warps found") {
    AccessCount few = global(32, 128, 128);
    few.accesses = 32 * 8;
    CHECK(advice({kernel_of({{.line = 7, .global_load = global(64, 256, 256)},
                             {.line = 9, .global_store = few}})})
              .empty());
  }
  SUBCASE("requests that were not counted") {
    KernelRecord kernel{.name = "k", .block = {256, 1, 1}, .global_load = {.accesses = 5}};
    CHECK(advice({kernel}).empty());
    CHECK(advice({}).empty());
  }
}

TEST_CASE("bank conflicts, crowded atomics and idle lanes have their own words") {
  const auto conflicts = advice({kernel_of({{.line = 7, .shared_load = shared(64, 2048)}})});
  REQUIRE(conflicts.size() == 1);
  CHECK(conflicts[0].kind == FindingKind::bank_conflict);
  CHECK(contains(conflicts[0].message, "32-way conflict, and 100 % of the kernel's wavefronts"));

  const AccessCount crowd{.accesses = 320,
                          .requests = 10,
                          .turns = 320,
                          .worst = {32, 32, 1, 0, "lanes 0-31 update sum[...] at one address"}};
  const auto contention = advice({kernel_of({{.line = 7, .atomic = crowd}})});
  REQUIRE(contention.size() == 1);
  CHECK(contention[0].kind == FindingKind::contention);
  CHECK(contains(contention[0].message, "they take 32 turns"));

  AccessCount few = global(64, 256, 256);
  few.accesses = 64 * 4;
  const auto divergence = advice({kernel_of({{.line = 7, .global_load = few}})});
  REQUIRE(divergence.size() == 1);
  CHECK(divergence[0].kind == FindingKind::divergence);
  CHECK(contains(divergence[0].message, "4.0 of 32 lanes"));
}

TEST_CASE("a case of 3 rows, one for each thread, is no reason to speak of idle lanes") {
  AccessCount few = global(64, 256, 256);
  few.accesses = 64 * 3;
  KernelRecord rows =
      kernel_of({{.line = 7, .global_load = few}, {.line = 8, .global_store = few}});
  rows.grid = {1, 1, 1};
  CHECK(advice({rows}).empty());
  // One block in which a line keeps most lanes idle while others use them.
  KernelRecord block =
      kernel_of({{.line = 7, .global_load = few}, {.line = 8, .global_store = global(8, 32, 32)}});
  block.grid = {1, 1, 1};
  REQUIRE(advice({block}).size() == 1);
  CHECK(advice({block})[0].kind == FindingKind::divergence);
}

TEST_CASE("reading a buffer again is reported: by several lines, or many times by one") {
  KernelRecord kernel = kernel_of({{.line = 7, .global_load = global(64, 256, 256)},
                                   {.line = 9, .global_load = global(64, 256, 256)}});
  kernel.buffers = {{.name = "x",
                     .bytes = 256 * 32,
                     .load_sectors = 512,
                     .reads = {{"mine.cu", 7, 256, 256}, {"mine.cu", 9, 256, 256}}}};
  const auto twice = advice({kernel});
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].kind == FindingKind::reread);
  CHECK(contains(twice[0].message, "x is read 2 times over, in lines 7 and 9"));

  kernel.buffers[0].reads = {{"mine.cu", 7, 512, 512}};
  CHECK(advice({kernel}).empty());  // twice by one line: neighbours share what they load
  kernel.buffers[0].reads = {{"mine.cu", 7, 16 * 256, 16 * 256}};
  const auto often = advice({kernel});
  REQUIRE(often.size() == 1);
  CHECK(contains(often[0].message, "x is read 16 times over, here"));

  kernel.buffers.push_back(kernel.buffers[0]);
  kernel.buffers[1].name = "A";
  const auto both = advice({kernel});
  REQUIRE(both.size() == 1);
  CHECK(contains(both[0].message, "A is read 16 times over, here; x is read 16 times over, here"));

  kernel.buffers[1] = {.name = "A", .bytes = 100 * 256 * 32};
  CHECK(advice({kernel}).empty());  // x stays in a cache
}

TEST_CASE("a load that fills shared memory is not advised to do so") {
  LineRecord load{.line = 7, .global_load = global(16 * 64, 16 * 256, 16 * 256)};
  load.global_load.bytes = 4 * load.global_load.accesses;
  LineRecord store{.line = 8, .shared_store = shared(16 * 64, 16 * 64)};
  KernelRecord kernel = kernel_of({load, store});
  kernel.buffers = {
      {.name = "A", .bytes = 256 * 32, .reads = {{"mine.cu", 7, 16 * 256, 16 * 256}}}};
  CHECK(advice({kernel}).size() == 1);
  kernel.shared_store.bytes = load.global_load.bytes;  // a register lies between
  CHECK(advice({kernel}).empty());
  kernel.shared_store.bytes /= 16;  // what it stores there is something else
  CHECK(advice({kernel}).size() == 1);

  // A second pass reads from device memory what the first could have kept.
  const LineRecord staged{
      .line = 7, .global_load = global(64, 256, 256), .shared_store = shared(64, 64)};
  KernelRecord passes = kernel_of({staged, {.line = 9, .global_load = global(64, 256, 256)}});
  passes.buffers = {{.name = "A",
                     .bytes = 256 * 32,
                     .reads = {{"mine.cu", 7, 256, 256}, {"mine.cu", 9, 256, 256}}}};
  REQUIRE(advice({passes}).size() == 1);
  CHECK(advice({passes})[0].line == 9);
}

TEST_CASE("of a whole program, what another kernel or launch reads again is no reread") {
  KernelRecord one = kernel_of({{.line = 7, .global_load = global(64, 256, 256)}});
  one.buffers = {
      {.name = "x", .bytes = 256 * 32, .load_sectors = 256, .reads = {{"mine.cu", 7, 256, 256}}}};
  KernelRecord other = one;
  other.name = "other";
  other.lines[0].line = other.buffers[0].reads[0].line = 9;
  CHECK(advice({one, other}).size() == 1);
  CHECK(advice({one, other}, true).empty());

  one.buffers[0].reads[0] = {"mine.cu", 7, 16 * 256, 16 * 256};
  CHECK(advice({one}, true).size() == 1);
  one.launches = 16;
  CHECK(advice({one}, true).empty());
}

TEST_CASE("launches of one kernel are reported once, the most expensive line first") {
  const KernelRecord kernel = kernel_of({{.line = 7, .global_load = global(10, 160, 40, 512)},
                                         {.line = 8, .global_store = global(10, 320, 40, 4096)}});
  const auto found = advice({kernel, kernel, kernel});
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == 8);
  CHECK(found[1].line == 7);
}

TEST_CASE("the annotated source stays within 80 columns, marks what is dear, and keeps its lines") {
  const auto source = std::filesystem::temp_directory_path() / "kata_annotated.cu";
  std::ofstream(source) << "#include <kata/kata.h>\n"
                           "__global__ void k(const float* A, float* B, int n) {\n"
                           "  const int i = threadIdx.x;\n"
                           "  // one\n  // two\n  // three\n  // four\n  // five\n"
                           "  B[static_cast<size_t>(i) * n + blockIdx.x] = A[static_cast<size_t>("
                           "blockIdx.x) * n + i] * 2.0f;\n"
                           "  if (i == 0) return;\n"
                           "}\n";
  KernelRecord kernel = kernel_of({{.line = 9,
                                    .global_load = global(64, 256, 256),
                                    .global_store = global(64, 2048, 256, 4096)}});
  kernel.lines[0].file = source.string();
  const std::vector<KernelRecord> launches{kernel, kernel};
  const std::string text = annotated_lines(launches, advice(launches), false);
  std::filesystem::remove(source);
  CAPTURE(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
  CHECK(contains(text, "k<<<8, 256>>>, 2 launches"));
  CHECK(contains(text, "  LDG       4/4"));
  CHECK(contains(text, "! STG      32/4"));
  CHECK(contains(text, "89 %"));
  CHECK(contains(text, "    2 | __global__ void k(const float* A"));
  CHECK(contains(text, "uncoalesced: "));
  CHECK_FALSE(contains(text, "// three"));
  CHECK(contains(annotated_lines(launches, advice(launches), true), "\x1b["));
  CHECK(annotated_lines({{.name = "not_counted"}}, {}, false).empty());
}
