// Questions about a multiprocessor and a launch: what fits, how many waves, where the roof bends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "practice/drill/maths_families.h"
#include "timing/occupancy.h"
#include "timing/roof.h"

namespace kata::drill {
namespace {

constexpr unsigned most_registers = 255;  // of a thread

Result<Chip> any_chip(Draw& draw) {
  const std::vector<std::string> names = chip_names();
  if (names.empty()) return Error{"there is no chip to ask about"};
  return find_chip(draw.of(names));
}

struct BlockShape {
  unsigned threads, registers, shared_bytes;
};

unsigned resident(const Residency& room, const BlockShape& block) {
  return resident_blocks(room, block.threads, block.shared_bytes, block.registers);
}

BlockShape any_block(Draw& draw, int level) {
  const unsigned threads =
      level == 1 ? draw.of({128u, 256u, 512u}) : draw.of({96u, 160u, 192u, 288u, 320u, 384u, 512u});
  const unsigned registers = draw.of({24u, 32u, 40u, 48u, 64u, 72u, 80u, 96u});
  const unsigned kib = level == 1 ? 0u : draw.of({4u, 8u, 12u, 16u, 20u, 24u, 33u});
  return {threads, registers, kib * 1024};
}

std::string blocks_text(unsigned count) {
  return fmt::format("{} block{}", count, count == 1 ? "" : "s");
}

/// How many blocks each resource alone would allow, step by step.
std::string by_resource(const Residency& room, const BlockShape& block) {
  const unsigned warps = (block.threads + 31) / 32,
                 of_warp = (32 * block.registers + 255) / 256 * 256;
  const unsigned warps_by_registers = 4 * (room.registers / 4 / of_warp);
  std::string text = fmt::format(
      "Threads: {} / {} = {}. Registers: a warp takes {}, so {} warps fit in the four "
      "quarters: {} of {} warps.",
      room.threads, 32 * warps, blocks_text(room.threads / (32 * warps)), of_warp,
      warps_by_registers, blocks_text(warps_by_registers / warps), warps);
  if (block.shared_bytes) {
    const unsigned bytes = block.shared_bytes + room.reserved_shared_bytes;
    text += fmt::format(" Shared memory: {} / {} = {}.", room.shared_bytes, bytes,
                        blocks_text(room.shared_bytes / bytes));
  }
  return text + fmt::format(" At most {} blocks. The smallest applies: {}.", room.blocks,
                            resident(room, block));
}

std::string block_text(const BlockShape& block) {
  return fmt::format(
      "blocks of {} threads with {} registers per thread and {} bytes of shared "
      "memory",
      block.threads, block.registers, block.shared_bytes);
}

Result<Exercise> occupancy(Draw& draw, int level, const Problem*) {
  const Result<Chip> chip = any_chip(draw);
  if (!chip) return chip.error();
  const Residency& room = chip->residency;
  BlockShape block = any_block(draw, level);
  while (resident(room, block) == 0) block = any_block(draw, level);
  const unsigned blocks = resident(room, block);
  const double percent = 100.0 * blocks * block.threads / room.threads;
  return Exercise{
      room_text(*chip) + " A kernel has " + block_text(block) + ".",
      {{"How many of its blocks are resident on a multiprocessor at once?", double(blocks), 0,
        by_resource(room, block)},
       {"What is the occupancy in percent (resident threads / the most that fit a multiprocessor)?",
        percent, 0.02,
        fmt::format("{} x {} / {} = {:.1f} %.", blocks, block.threads, room.threads, percent),
        Unit::percent}}};
}

Result<Exercise> registers(Draw& draw, int level, const Problem*) {
  const Result<Chip> chip = any_chip(draw);
  if (!chip) return chip.error();
  const Residency& room = chip->residency;
  const unsigned threads =
      level == 1 ? draw.of({128u, 256u, 512u}) : draw.of({96u, 160u, 192u, 320u, 384u, 768u});
  unsigned wanted = 0, most = most_registers;
  while (most == most_registers) {  // with few blocks no limit is left to find
    wanted = 1 + draw.below(room.threads / threads);
    for (most = most_registers; resident(room, {threads, most, 0}) < wanted;) --most;
  }
  const unsigned next = resident(room, {threads, most + 1, 0});
  const double occupancy = 100.0 * wanted * threads / room.threads;
  return Exercise{
      room_text(*chip) +
          fmt::format(" A kernel has blocks of {} threads and no shared memory.", threads),
      {{fmt::format("How many registers may a thread use at most so that {} blocks are resident?",
                    wanted),
        double(most), 0,
        fmt::format("{} blocks are {} warps. With {} registers per thread {} blocks fit, with {} "
                    "only {}. A warp gets registers in units of 256, which is 8 for each thread.",
                    wanted, wanted * ((threads + 31) / 32), most,
                    resident(room, {threads, most, 0}), most + 1, next)},
       {"What is the occupancy in percent then?", occupancy, 0.02,
        fmt::format("{} x {} / {} = {:.1f} %.", wanted, threads, room.threads, occupancy),
        Unit::percent}}};
}

Result<Exercise> tile(Draw& draw, int level, const Problem*) {
  const Result<Chip> chip = any_chip(draw);
  if (!chip) return chip.error();
  const bool half = draw.below(2) == 1;
  const unsigned bytes = half ? 2 : 4, pad = level == 1 ? 0 : (half ? 8 : 4);
  const unsigned rows = draw.of({64u, 128u}), cols = draw.of({64u, 128u});
  const unsigned depth = draw.of({8u, 16u, 32u}), stages = level == 3 ? draw.of({2u, 3u, 4u}) : 1u;
  const unsigned a = rows * (depth + pad) * bytes, b = depth * (cols + pad) * bytes;
  const unsigned all = stages * (a + b);
  const unsigned blocks = resident(chip->residency, {256, 64, all});
  std::string setting = fmt::format(
      "A block of 256 threads keeps tiles in shared memory: {} A[{}][{}] and {} "
      "B[{}][{}]",
      half ? "half" : "float", rows, depth + pad, half ? "half" : "float", depth, cols + pad);
  setting += stages > 1 ? fmt::format(", each {} times (stages of a pipeline)", stages) : "";
  Exercise exercise{setting + ". A thread uses 64 registers. " + room_text(*chip),
                    {{"How many bytes of shared memory do the tiles take?", double(all), 0,
                      fmt::format("{}({} x {} + {} x {}) x {} bytes = {} bytes.",
                                  stages > 1 ? fmt::format("{} x ", stages) : "", rows, depth + pad,
                                  depth, cols + pad, bytes, all),
                      Unit::bytes}}};
  exercise.numbers.push_back({"How many of its blocks are resident on a multiprocessor at once?",
                              double(blocks), 0, by_resource(chip->residency, {256, 64, all})});
  return exercise;
}

double blocks_for(double elements, double each) {
  return std::ceil(elements / each);
}

Result<Exercise> grid(Draw& draw, int level, const Problem*) {
  if (level < 3) {
    const unsigned n = level == 1 ? draw.of({1000u, 10000u, 1000000u}) : 1 + draw.below(50000000);
    const unsigned threads = draw.of({128u, 256u, 512u});
    const unsigned each = level == 1 ? 1 : draw.of({2u, 4u, 8u});
    const double blocks = blocks_for(n, threads * each);
    const double idle = std::floor((blocks * threads * each - n) / each);
    return Exercise{
        fmt::format("A kernel without a grid-stride loop works on n = {} elements. Its blocks "
                    "have {} threads, and each thread takes {}.",
                    n, threads, each == 1 ? "one" : fmt::format("{} that lie side by side", each)),
        {{"How many blocks does the launch need?", blocks, 0,
          fmt::format("ceil({} / {}) = ({} + {} - 1) / {} = {} in integer division.", n,
                      threads * each, n, threads * each, threads * each, blocks)},
         {"How many threads of the last block have no element at all?", idle, 0,
          fmt::format("{} blocks cover {} elements, {} too many: {} whole threads.", blocks,
                      grouped(blocks * threads * each), grouped(blocks * threads * each - n),
                      idle)}}};
  }
  const unsigned rows = 1 + draw.below(5000), cols = 1 + draw.below(5000);
  const unsigned height = draw.of({4u, 8u, 16u, 32u});
  const double down = blocks_for(rows, height), across = blocks_for(cols, 32);
  const double idle = down * across * height * 32 - double(rows) * cols;
  return Exercise{
      fmt::format("A matrix of {} rows and {} columns is covered by blocks of 32 x {} threads "
                  "(x along the columns), one thread per element.",
                  rows, cols, height),
      {{"How many blocks does the launch need?", down * across, 0,
        fmt::format("ceil({} / 32) x ceil({} / {}) = {} x {} = {}.", cols, rows, height, across,
                    down, down * across)},
       {"How many threads of the whole launch lie outside the matrix?", idle, 0,
        fmt::format("{} threads - {} elements = {}.", grouped(down * across * height * 32),
                    grouped(double(rows) * cols), grouped(idle))}}};
}

Result<Exercise> waves(Draw& draw, int level, const Problem*) {
  const Result<Chip> chip = any_chip(draw);
  if (!chip) return chip.error();
  BlockShape block = any_block(draw, level);
  while (resident(chip->residency, block) == 0) block = any_block(draw, level);
  const unsigned at_once = resident(chip->residency, block) * chip->multiprocessors;
  const unsigned blocks = at_once / 2 + draw.below(level == 1 ? 3 * at_once : 8 * at_once);
  const double count = blocks_for(blocks, at_once);
  const double last = blocks - (count - 1) * at_once;
  const std::string known =
      level == 1 ? fmt::format("{} of its blocks are resident on a multiprocessor at once",
                               at_once / chip->multiprocessors)
                 : "it is launched in " + block_text(block) + ". " + room_text(*chip);
  const double percent = 100 * last / at_once;
  return Exercise{
      fmt::format("A kernel launches {} equal blocks on the {}, which has {} multiprocessors; {}",
                  blocks, chip->name, chip->multiprocessors, known) +
          (level == 1 ? "." : ""),
      {{"In how many waves (a whole number) do the blocks run?", count, 0,
        fmt::format(
            "{} blocks fit on a multiprocessor; {} x {} = {} run at once; ceil({} / {}) = {}.",
            at_once / chip->multiprocessors, at_once / chip->multiprocessors, chip->multiprocessors,
            at_once, blocks, at_once, count)},
       {"How full is the last wave, in percent of the blocks that run at once?", percent, 0.02,
        fmt::format("{} - {} x {} = {} blocks are left; {} / {} = {:.1f} %.", blocks, count - 1,
                    at_once, last, last, at_once, percent),
        Unit::percent}}};
}

Result<Exercise> ridge(Draw& draw, int level, const Problem*) {
  const Result<Chip> chip = any_chip(draw);
  if (!chip) return chip.error();
  const ArithmeticUnit unit =
      level == 1 ? ArithmeticUnit::fma : draw.of({ArithmeticUnit::fma, ArithmeticUnit::tensor_f16});
  const Roof roof = roof_of(*chip, unit);
  const double intensity =
      std::round(roof.ridge() * (level == 3 ? draw.of({0.05, 0.2, 0.5, 2.0}) : 0.25) * 4) / 4;
  const double rate = roof.at(intensity) / 1e12;
  const std::string peak =
      unit == ArithmeticUnit::fma && level > 1
          ? fmt::format(
                "{} multiprocessors that each do {:g} FP32 multiply-adds per clock, at {:g} GHz,",
                chip->multiprocessors, chip->fma_per_clock, chip->clock_hz / 1e9)
          : fmt::format("{:.4g} trillion operations per second ({})", roof.operations_per_s / 1e12,
                        to_string(unit));
  return Exercise{
      fmt::format("The {} has {} and moves {:g} GB/s from device memory. A multiply-add is two "
                  "operations.",
                  chip->name, peak, roof.bytes_per_s / 1e9),
      {{"Above how many operations per byte is arithmetic the limit, not memory?", roof.ridge(),
        0.03,
        fmt::format("{:.4g}e12 / {:.4g}e9 bytes = {:.4g} operations per byte.",
                    roof.operations_per_s / 1e12, roof.bytes_per_s / 1e9, roof.ridge())},
       {fmt::format("How many trillion operations per second can a kernel with {:g} operations per "
                    "byte reach at most?",
                    intensity),
        rate, 0.03,
        intensity < roof.ridge()
            ? fmt::format("{:g} is below that: {:g} x {:.4g} GB/s = {:.4g} trillion per second.",
                          intensity, intensity, roof.bytes_per_s / 1e9, rate)
            : fmt::format("{:g} is above that: the peak, {:.4g} trillion per second.", intensity,
                          rate)}}};
}

constexpr Family of_chips[] = {{"occupancy", "occupancy", occupancy},
                               {"registers", "registers", registers},
                               {"tile", "tiles in shared memory", tile},
                               {"grid", "blocks of a grid", grid},
                               {"waves", "waves", waves},
                               {"ridge", "ridge of the roofline", ridge}};

}  // namespace

std::string room_text(const Chip& chip) {
  const Residency& room = chip.residency;
  const std::string reserved =
      room.reserved_shared_bytes == 0
          ? ""
          : fmt::format(", of which each block also takes {} bytes for the system",
                        room.reserved_shared_bytes);
  return fmt::format(
      "A multiprocessor of the {} holds at most {} threads and {} blocks. It has {} registers, a "
      "quarter for each of its four schedulers; a warp gets registers in units of 256. It has {} "
      "KiB of shared memory{}.",
      chip.name, room.threads, room.blocks, room.registers, room.shared_bytes / 1024, reserved);
}

std::span<const Family> chip_families() {
  return of_chips;
}

std::string grouped(double whole) {
  std::string digits = fmt::format("{:.0f}", whole);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace kata::drill
