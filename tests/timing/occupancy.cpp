#include "timing/occupancy.h"

#include <doctest/doctest.h>

using namespace kata;

namespace {

Residency room_of(const std::string& chip) {
  const Result<Chip> found = find_chip(chip);
  REQUIRE(found);
  return found->residency;
}

}  // namespace

TEST_CASE("every chip that is offered can be found, with rates that make sense") {
  REQUIRE(chip_names().size() >= 4);
  for (const std::string& name : chip_names()) {
    CAPTURE(name);
    const Result<Chip> chip = find_chip(name);
    REQUIRE(chip);
    CHECK(chip->multiprocessors >= 10);
    CHECK(chip->clock_hz > 1e9);
    CHECK(chip->clock_hz < 4e9);
    CHECK(chip->memory_bytes_per_s > 1e11);
    CHECK(chip->memory_bytes_per_s < 1e13);
    CHECK(chip->l1_bytes >= chip->residency.shared_bytes);
    CHECK(chip->residency.threads % 32 == 0);
  }
  // Datasheet: 67 TFLOP/s of FP32.
  const Result<Chip> h200 = find_chip("h200");
  CHECK(2 * h200->multiprocessors * h200->fma_per_clock * h200->clock_hz ==
        doctest::Approx(67e12).epsilon(0.01));
}

TEST_CASE("a chip that nobody knows is an error that names those that are known") {
  const Result<Chip> none = find_chip("h2000");
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("h200, a100") != std::string::npos);
}

TEST_CASE("blocks on a multiprocessor are bounded by threads, blocks, shared memory or registers") {
  const Residency h200 = room_of("h200");
  CHECK(resident_blocks(h200, 256, 0, 32) == 8);  // 2048 threads
  CHECK(resident_blocks(h200, 32, 0, 32) == 32);  // at most 32 blocks
  CHECK(resident_blocks(h200, 33, 0, 16) == 32);  // two warps each: 64 are there
  CHECK(resident_blocks(h200, 1024, 48 << 10, 32) == 2);
  CHECK(resident_blocks(h200, 128, 48 << 10, 32) == 4);  // 49 KiB each of 228
  CHECK(resident_blocks(h200, 256, 0, 128) == 2);        // 65536 / (256 * 128)
  CHECK(resident_blocks(h200, 256, 0, 129) == 1);        // 136 a thread: 3 warps a scheduler
  CHECK(resident_blocks(h200, 128, 228 << 10, 32) == 0);
  CHECK(resident_blocks(room_of("rtx4090"), 1024, 0, 32) == 1);  // 1536 threads
  CHECK(resident_blocks(room_of("t4"), 1024, 0, 32) == 1);
}
