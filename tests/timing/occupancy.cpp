#include "timing/occupancy.h"

#include <doctest/doctest.h>

#include "skip.h"
#include "timing/chip.h"
#include "timing/roof.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAS_CUDA_OCCUPANCY
#endif

using namespace kata;

namespace {

Residency room_of(const std::string& chip) {
  const Result<Chip> found = find_chip(chip);
  REQUIRE(found);
  return found->residency;
}

#ifdef HAS_CUDA_OCCUPANCY
/// What CUDA's own header says, of a kernel that may have more shared memory than 48 KiB.
unsigned blocks_by_cuda(const Residency& room, int major, int minor, unsigned threads,
                        std::uint64_t shared_bytes, unsigned registers) {
  cudaOccDeviceProp chip;
  chip.computeMajor = major;
  chip.computeMinor = minor;
  chip.maxThreadsPerBlock = 1024;
  chip.maxThreadsPerMultiprocessor = static_cast<int>(room.threads);
  chip.regsPerBlock = chip.regsPerMultiprocessor = static_cast<int>(room.registers);
  chip.warpSize = 32;
  chip.numSms = 1;
  chip.sharedMemPerBlock = 48 << 10;
  chip.sharedMemPerMultiprocessor = room.shared_bytes;
  chip.reservedSharedMemPerBlock = room.reserved_shared_bytes;
  chip.sharedMemPerBlockOptin = room.shared_bytes - room.reserved_shared_bytes;
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = static_cast<int>(registers);
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = shared_bytes;
  kernel.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result;
  REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &chip, &kernel, &state,
                                                  static_cast<int>(threads),
                                                  shared_bytes) == CUDA_OCC_SUCCESS);
  return static_cast<unsigned>(result.activeBlocksPerMultiprocessor);
}
#endif

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
  // And with tensor cores, dense, 989 TFLOP/s of half and bf16, 1979 TOP/s of int8.
  CHECK(operations_per_s(*h200, ArithmeticUnit::tensor_f16) ==
        doctest::Approx(989e12).epsilon(0.001));
  CHECK(operations_per_s(*h200, ArithmeticUnit::tensor_bf16) ==
        doctest::Approx(989e12).epsilon(0.001));
  CHECK(operations_per_s(*h200, ArithmeticUnit::tensor_i8) ==
        doctest::Approx(1979e12).epsilon(0.001));
}

TEST_CASE(
    "the roof of a matrix product of halves is that of tensor cores, where the chip has any") {
  const Result<Chip> h200 = find_chip("h200"), t4 = find_chip("t4");
  REQUIRE(h200);
  REQUIRE(t4);
  CHECK(roof_of(*h200, ArithmeticUnit::tensor_f16).operations_per_s >
        10 * roof_of(*h200, ArithmeticUnit::fma).operations_per_s);
  CHECK(roof_of(*h200, ArithmeticUnit::tensor_f16).unit == ArithmeticUnit::tensor_f16);
  CHECK(roof_of(*t4, ArithmeticUnit::tensor_bf16).unit ==
        ArithmeticUnit::fma);  // Turing does not multiply bf16
}

TEST_CASE("an unknown chip is an error that names the known ones") {
  const Result<Chip> none = find_chip("h2000");
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("h200, h100") != std::string::npos);
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

TEST_CASE("blocks on a multiprocessor are as many as CUDA's own cuda_occupancy.h says") {
#ifdef HAS_CUDA_OCCUPANCY
  struct Capability {
    std::string chip;
    int major, minor;
  };
  std::size_t wrong = 0;
  for (const auto& [chip, major, minor] : {Capability{"h200", 9, 0},
                                           {"h100", 9, 0},
                                           {"a100", 8, 0},
                                           {"rtx4090", 8, 9},
                                           {"t4", 7, 5}}) {
    const Residency room = room_of(chip);
    // On both sides of where a warp begins, and of where a thread's registers take another unit.
    for (unsigned threads = 1; threads <= 1024; threads += threads % 32 == 0 ? 1 : 31) {
      for (std::uint64_t shared = 0; shared <= room.shared_bytes; shared += 1000) {
        for (unsigned registers = 0; registers <= 255; registers += registers % 8 == 0 ? 1 : 7) {
          const unsigned here = resident_blocks(room, threads, shared, registers);
          const unsigned cuda = blocks_by_cuda(room, major, minor, threads, shared, registers);
          if (here == cuda || ++wrong > 10) continue;
          FAIL_CHECK(chip << ", " << threads << " threads, " << shared << " bytes, " << registers
                          << " registers: " << here << " here, " << cuda << " by CUDA");
        }
      }
    }
  }
  CHECK(wrong == 0);
#else
  kata::test::skip("the CUDA Toolkit is not installed");
#endif
}
