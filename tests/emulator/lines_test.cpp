// What a source line asks of memory, where one can work it out by hand.
#include <fstream>
#include <nlohmann/json.hpp>

#include "compilers.h"
#include "counted_fixture.h"
#include "emulator/runtime/check/patterns.h"
#include "report/json.h"

using namespace kata;
using namespace kata::emulator;

namespace {

struct ExpectedLine {
  std::string kernel;
  std::string name;  ///< in brackets on the line
  AccessCount LineRecord::*kind;
  std::uint64_t requests, accesses;
  std::uint64_t moved, fewest;  ///< sectors, wavefronts or turns of all requests
  WorstRequest worst;
};

constexpr auto global_load = &LineRecord::global_load, global_store = &LineRecord::global_store;
constexpr auto shared_load = &LineRecord::shared_load, shared_store = &LineRecord::shared_store;
constexpr auto atomic = &LineRecord::atomic;

const std::vector<ExpectedLine> expected_lines{
    // 32 bytes from lane to lane: a sector for each.
    {"strided", "every eighth", global_load, 1, 32, 32, 4, {32, 32, 4, 32, "lanes 0-31 read"}},
    {"strided", "side by side", global_store, 1, 32, 4, 4, {32, 4, 4, 4, "side by side"}},
    {"transposed", "row in", global_load, 32, 1024, 128, 128, {32, 4, 4, 4, "side by side"}},
    {"transposed",
     "column out",
     global_store,
     32,
     1024,
     1024,
     128,
     {32, 32, 4, 128, "lanes 0-31 write the buffer"}},
    {"broadcast", "one for all", global_load, 1, 32, 1, 1, {32, 1, 1, 0, "at one address"}},
    // A column of [32][32] lies in one bank; of [32][33] in 32.
    {"through_tile<0>", "row of tile", shared_store, 32, 1024, 32, 32, {32, 1, 1, 4, "tile"}},
    {"through_tile<0>",
     "column of tile",
     shared_load,
     32,
     1024,
     1024,
     32,
     {32, 32, 1, 128, "lanes 0, 1, 2, 3, ... want 32 different words of bank"}},
    {"through_tile<1>",
     "column of tile",
     shared_load,
     32,
     1024,
     32,
     32,
     {32, 1, 1, 132, "with a stride of 132 bytes"}},
    // 512 bytes each of four warps.
    {"four_wide", "float4", global_load, 4, 128, 64, 64, {32, 16, 16, 16, "side by side"}},
    // 32 structs of 12 bytes lie in 12 sectors, of which each field wants them all.
    {"structs", "first of struct", global_load, 1, 32, 12, 4, {32, 12, 4, 12, "12 bytes"}},
    {"structs", "last of struct", global_load, 1, 32, 12, 4, {32, 12, 4, 12, "12 bytes"}},
    {"misaligned", "begins late", global_load, 1, 32, 5, 4, {32, 5, 4, 4, "side by side"}},
    {"half_of_the_lanes", "even lanes", global_load, 1, 16, 4, 2, {16, 4, 2, 4, "16 lanes read"}},
    {"two_way",
     "two words a bank",
     shared_store,
     1,
     32,
     2,
     1,
     {32, 2, 1, 8, "lanes 0, 16 want 2 different words of bank 0"}},
    {"atomics", "one address", atomic, 1, 32, 32, 1, {32, 32, 1, 0, "update the buffer"}},
    {"atomics",
     "four addresses",
     atomic,
     1,
     32,
     8,
     1,
     {32, 8, 1, 0, "in rows of 4 lanes side by side, all rows at the same addresses"}},
    {"atomics", "shared counter", atomic, 1, 32, 32, 1, {32, 32, 1, 0, "update count"}},
    // i = 0: 1 request by the odd lanes, 4 sectors. i = 1: 2, 4 each. i = 2: 3, 4 each (a sector
    // holds 8 lanes, of which 4). i = 3: 4, 2 each (lanes 8-15 and 24-31).
    {"inner_loop", "some lanes", global_load, 10, 160, 32, 20, {16, 4, 2, 4, "16 lanes read"}},
    {"inner_loop", "all lanes", global_load, 4, 128, 16, 16, {32, 4, 4, 4, "side by side"}},
    // Iteration j by lanes j+1 to 31: 31 + 30 + ... + 1 lanes; 7 requests of 4 sectors, 8 each of
    // 3, 2 and 1.
    {"trip_counts",
     "as long as the lane",
     global_load,
     31,
     496,
     76,
     76,
     {31, 4, 4, 4, "lanes 1-31 read"}},
    // 80 bytes: 3 sectors.
    {"early_exit", "twenty lanes", global_load, 3, 60, 9, 9, {20, 3, 3, 4, "lanes 0-19 read"}},
    // The second call reads backwards.
    {"device_function", "inlined", global_load, 2, 64, 8, 8, {32, 4, 4, 4, "side by side"}},
    {"device_function", "by a header", global_load, 1, 32, 4, 4, {32, 4, 4, 4, "side by side"}},
    {"short_rows",
     "rows of eight",
     global_load,
     1,
     32,
     4,
     4,
     {32, 4, 4, 0, "in rows of 8 lanes side by side, the rows 256 bytes apart"}},
    // Asynchronous copies: line to line, be it swizzled. 32 bytes apart each piece has a sector of
    // its own, no two move together, and no turn is a conflict.
    {"copied<1, 0>", "piece", global_load, 1, 32, 16, 16, {32, 16, 16, 16, "side by side"}},
    {"copied<1, 0>", "piece", shared_store, 1, 32, 4, 4, {32, 4, 4, 16, "side by side"}},
    {"copied<1, 1>", "piece", global_load, 1, 32, 16, 16, {32, 16, 16, 16, "side by side"}},
    {"copied<1, 1>", "piece", shared_store, 1, 32, 4, 4, {32, 4, 4, 0, "lanes 0-31 write tile"}},
    {"copied<2, 0>",
     "piece",
     global_load,
     1,
     32,
     32,
     16,
     {32, 32, 16, 16, "side by side, into pieces of shared memory that lie apart"}},
    {"copied<2, 0>", "piece", shared_store, 1, 32, 32, 32, {32, 32, 32, 32, "stride of 32 bytes"}},
};

/// The line with that name in brackets.
int line_named(const std::string& name) {
  std::ifstream file(test::fixture_path("lines.cu"));
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.find("[" + name + "]") != std::string::npos) return number;
  }
  FAIL("lines.cu has no line named " << name);
  return 0;
}

const AccessCount& count_at(const std::vector<KernelRecord>& kernels, const ExpectedLine& wanted) {
  static const AccessCount none;
  const int number = line_named(wanted.name);
  for (const KernelRecord& kernel : kernels) {
    if (kernel.name != wanted.kernel) continue;
    for (const LineRecord& line : kernel.lines) {
      if (line.line == number && line.file.ends_with("lines.cu")) return line.*wanted.kind;
    }
  }
  FAIL_CHECK("nothing was counted there");
  return none;
}

emulator::Request request_of(unsigned lanes, std::uint32_t (*offset)(unsigned lane)) {
  emulator::Request request{.lanes = lanes};
  for (unsigned lane = 0; lane < 32; ++lane) request.where[lane] = offset(lane);
  return request;
}

}  // namespace

TEST_CASE("each line has its own requests, sectors, wavefronts and turns") {
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    const auto kernels = test::run_counted("lines.cu", compiler, {.count_requests = true});
    for (const ExpectedLine& wanted : expected_lines) {
      CAPTURE(wanted.kernel);
      CAPTURE(wanted.name);
      const AccessCount& got = count_at(kernels, wanted);
      CHECK(got.requests == wanted.requests);
      CHECK(got.accesses == wanted.accesses);
      const bool is_shared = wanted.kind == shared_load || wanted.kind == shared_store;
      CHECK(got.sectors + got.wavefronts + got.turns == wanted.moved);
      if (wanted.kind == global_load || wanted.kind == global_store)
        CHECK(got.ideal_sectors == wanted.fewest);
      if (is_shared) CHECK(got.wavefronts - got.conflicts == wanted.fewest);
      CHECK(got.worst.lanes == wanted.worst.lanes);
      CHECK(got.worst.needed == wanted.worst.needed);
      CHECK(got.worst.ideal == wanted.worst.ideal);
      CHECK(std::abs(got.worst.stride) == wanted.worst.stride);
      CAPTURE(got.worst.pattern);
      CHECK(got.worst.pattern.find(wanted.worst.pattern) != std::string::npos);
    }
  }
}

TEST_CASE("lines add up to their kernel, and one OS thread tells the same as two") {
  const auto one = test::run_counted("lines.cu", "g++", {.threads = 1, .count_requests = true});
  const auto two = test::run_counted("lines.cu", "g++", {.threads = 2, .count_requests = true});
  REQUIRE(one.size() == 19);
  CHECK(nlohmann::json(one) == nlohmann::json(two));
  for (const KernelRecord& kernel : one) {
    CAPTURE(kernel.name);
    AccessCount sum;
    for (const LineRecord& line : kernel.lines) {
      for (const AccessCount* count : {&line.global_load, &line.global_store, &line.shared_load,
                                       &line.shared_store, &line.atomic}) {
        sum.accesses += count->accesses;
        sum.sectors += count->sectors;
        sum.wavefronts += count->wavefronts;
      }
    }
    CHECK(sum.sectors == kernel.global_load.sectors + kernel.global_store.sectors);
    CHECK(sum.wavefronts == kernel.shared_load.wavefronts + kernel.shared_store.wavefronts);
    CHECK(sum.accesses == kernel.global_load.accesses + kernel.global_store.accesses +
                              kernel.shared_load.accesses + kernel.shared_store.accesses +
                              kernel.atomic.accesses);
  }
}

TEST_CASE("a launch knows how much of each buffer it touches, and which line reads it") {
  const auto kernels = test::run_counted("lines.cu", "g++", {.count_requests = true});
  const KernelRecord& loop = kernels.at(11);
  REQUIRE(loop.name == "inner_loop");
  REQUIRE(loop.buffers.size() == 2);
  const BufferRecord& x = loop.buffers[0];
  CHECK(x.bytes == 16 * 32 * 4);  // rows 0 to 15
  CHECK(x.load_sectors == 32 + 16);
  CHECK(x.store_sectors == 0);
  REQUIRE(x.reads.size() == 2);
  CHECK(x.reads[0].line == line_named("some lanes"));
  CHECK(x.reads[1].ideal_sectors == 16);
  CHECK(loop.buffers[1].store_sectors == 4);
  CHECK(loop.active_lanes() == doctest::Approx((160 + 128 + 32) / 15.0));
}

TEST_CASE("addresses are described as a person would draw them") {
  using emulator::addresses_in_words;
  const auto words = [](unsigned lanes, std::uint32_t (*offset)(unsigned)) {
    return addresses_in_words(request_of(lanes, offset), 4);
  };
  CHECK(words(~0u, [](unsigned lane) { return lane * 4; }) == "side by side");
  CHECK(words(~0u, [](unsigned lane) { return 400 - lane * 4; }) == "side by side");
  CHECK(words(~0u, [](unsigned lane) { return lane * 512; }) == "with a stride of 512 bytes");
  CHECK(words(~0u, [](unsigned) { return 64u; }) == "at one address");
  CHECK(words(16, [](unsigned lane) { return lane; }) == "alone");
  CHECK(words(~0u, [](unsigned lane) { return lane / 16 * 4096 + lane % 16 * 4; }) ==
        "in rows of 16 lanes side by side, the rows 4096 bytes apart");
  CHECK(words(~0u, [](unsigned lane) { return lane / 8 * 4; }) ==
        "with 8 neighbours at one address each, 4 bytes from the next 8");
  CHECK(words(~0u, [](unsigned lane) { return lane * lane * 4; }) == "at scattered addresses");
  CHECK(words(0x55555555, [](unsigned lane) { return lane * 4; }) ==
        "side by side, with gaps for the idle lanes");
  CHECK(emulator::lanes_in_words(0xff0) == "lanes 4-11");
  CHECK(emulator::lanes_in_words(0x55) == "4 lanes");
}
