// Questions about the traffic of an operator: what it must move, how long that takes, what a rung
// reached.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "practice/drill/maths_families.h"
#include "practice/drill/reading.h"
#include "support/text.h"
#include "timing/measured_times.h"
#include "timing/roof.h"

namespace kata::drill {
namespace {

constexpr double of_traffic = 0.03, of_time = 0.05;  // tolerances

double tensor_bytes(const Parameter& tensor, const Shape& shape) {
  return static_cast<double>(elements(tensor, shape) * size_of(tensor.type));
}

double bytes_of(const std::vector<Parameter>& tensors, const Shape& shape) {
  double sum = 0;
  for (const Parameter& one : tensors) sum += tensor_bytes(one, shape);
  return sum;
}

/// Whether its traffic is that of its tensors, each moved whole and once: a reader can count that.
bool moves_tensors(const Problem& problem) {
  const Shape& shape = problem.bench_shapes.front();
  const Cost cost = problem.cost(shape);
  const auto near = [](double a, double b) { return std::abs(a - b) <= of_traffic / 3 * b; };
  return near(bytes_of(problem.signature.inputs, shape), cost.bytes_read) &&
         near(bytes_of(problem.signature.outputs, shape), cost.bytes_written);
}

bool computes(const Problem& problem) {
  return moves_tensors(problem) && problem.cost(problem.bench_shapes.front()).operations > 0;
}

bool has_times(const Problem& problem) {
  return moves_tensors(problem) && measured_times(problem);
}

bool is_arithmetic_bound(const Cost& cost, const Chip& chip) {
  const Roof roof = roof_of(chip, cost.unit);
  return cost.operations / roof.operations_per_s >
         (cost.bytes_read + cost.bytes_written) / roof.bytes_per_s;
}

/// "x[1024], y[1024]"; an array of one column has one extent.
std::string extents(const std::vector<Parameter>& tensors, const Shape& shape) {
  std::vector<std::string> all;
  for (const Parameter& one : tensors) {
    Dims dims = one.dims(shape);
    while (dims.size() > 1 && dims.back() == 1) dims.pop_back();
    all.push_back(fmt::format("{}[{}]", one.name, fmt::join(dims, "][")));
  }
  return joined(all, ", ");
}

/// "void relu(...): y = max(x, 0). Here n = 1024. The kernel reads every element of x[1024] and
/// writes every element of y[1024]."
std::string at_size(const Problem& problem, const Shape& shape) {
  return fmt::format(
      "{}: {}. Here {}. The kernel reads every element of {} and writes every element of {}.",
      declaration(problem), problem.summary, named_sizes(problem, shape),
      extents(problem.signature.inputs, shape), extents(problem.signature.outputs, shape));
}

std::string tensors_text(const Problem& problem, const Shape& shape) {
  const auto all = [&](const std::vector<Parameter>& tensors) {
    std::vector<std::string> each;
    for (const Parameter& one : tensors)
      each.push_back(fmt::format("{} ({} element{} of {} byte{})", one.name,
                                 grouped(static_cast<double>(elements(one, shape))),
                                 elements(one, shape) == 1 ? "" : "s", size_of(one.type),
                                 size_of(one.type) == 1 ? "" : "s"));
    return joined(each, ", ");
  };
  return fmt::format("It reads {}; it writes {}.", all(problem.signature.inputs),
                     all(problem.signature.outputs));
}

Result<Exercise> bytes(Draw& draw, int, const Problem* problem) {
  const Shape& shape = draw.of(problem->bench_shapes);
  const Cost cost = problem->cost(shape);
  const double all = cost.bytes_read + cost.bytes_written;
  return Exercise{
      at_size(*problem, shape),
      {{"How many bytes must cross device memory at least?", all, of_traffic,
        tensors_text(*problem, shape) + fmt::format(" Together {} bytes.", grouped(all)),
        Unit::bytes}}};
}

Result<Exercise> least_time(Draw& draw, int level, const Problem* problem) {
  const Result<Chip> chip = find_chip(level == 1 ? std::string("h100") : draw.of(chip_names()));
  if (!chip) return chip.error();
  const Shape& shape = draw.of(problem->bench_shapes);
  const Cost cost = problem->cost(shape);
  const Roof roof = roof_of(*chip, cost.unit);
  const double all = cost.bytes_read + cost.bytes_written;
  const double memory_us = 1e6 * all / roof.bytes_per_s;
  const double arithmetic_us = 1e6 * cost.operations / roof.operations_per_s;
  return Exercise{
      fmt::format(
          "{} It needs at least {} operations. The {} moves {:g} GB/s and does {:.4g} trillion "
          "operations per second ({}).",
          at_size(*problem, shape), grouped(cost.operations), chip->name, roof.bytes_per_s / 1e9,
          roof.operations_per_s / 1e12, to_string(roof.unit)),
      {{"What is its arithmetic intensity, in operations per byte of compulsory traffic?",
        cost.operations / all, of_time,
        tensors_text(*problem, shape) + fmt::format(" {:.4g} / {:.4g} bytes = {}.", cost.operations,
                                                    all, number_text(cost.operations / all))},
       {"How many microseconds does it take at least, without the launch?",
        std::max(memory_us, arithmetic_us), of_time,
        fmt::format("Memory: {:.4g} bytes / {:g} GB/s = {:.4g} us; arithmetic: {:.4g} / "
                    "{:.4g} trillion per second = {:.4g} us. {} takes longer: it is the limit.",
                    all, roof.bytes_per_s / 1e9, memory_us, cost.operations,
                    roof.operations_per_s / 1e12, arithmetic_us,
                    arithmetic_us > memory_us ? "Arithmetic" : "Memory"),
        Unit::us}}};
}

Result<Exercise> reached(Draw& draw, int, const Problem* problem) {
  const Result<MeasuredTimes> times = measured_times(*problem);
  if (!times) return times.error();
  const Result<Chip> chip = find_chip_of(times->device);
  if (!chip) return chip.error();
  std::vector<TimingRow> rungs;
  for (const TimingRow& row : times->rows) {
    // Faster than the limit: its inputs need less than all the bytes, as experts without a row do.
    if (row.kind == RowKind::rung && row.error.empty() && !row.launch_bound && row.of_limit <= 1)
      rungs.push_back(row);
  }
  if (rungs.empty()) return Error{"no rung takes longer than a launch"};
  const TimingRow& row = draw.of(rungs);
  Shape shape = problem->bench_shapes.front();
  for (const Shape& one : problem->bench_shapes) {
    if (kata::to_string(one) == row.size) shape = one;
  }
  const Cost cost = problem->cost(shape);
  const double all = cost.bytes_read + cost.bytes_written;
  const double rate = all / row.median_us / 1e3, percent = 1e11 * rate / chip->memory_bytes_per_s;
  return Exercise{
      fmt::format("{} A kernel took {:.1f} us on an {} (measured {}). The datasheet bandwidth is "
                  "{:g} GB/s.",
                  at_size(*problem, shape), row.median_us, chip->name, times->date,
                  chip->memory_bytes_per_s / 1e9),
      {{"What bandwidth is that in GB/s, counting only compulsory traffic?", rate, of_time,
        tensors_text(*problem, shape) +
            fmt::format(" {:.4g} bytes / {:.1f} us = {:.4g} GB/s.", all, row.median_us, rate),
        Unit::gb_per_s},
       {"What percentage of the datasheet's bandwidth is that?", percent, of_time,
        fmt::format(
            "{:.4g} / {:g} = {:.4g} %. It is rung {}{}.", rate, chip->memory_bytes_per_s / 1e9,
            percent, row.name,
            is_arithmetic_bound(cost, *chip) ? "; arithmetic is its limit, not memory" : ""),
        Unit::percent}}};
}

/// Of softmax_rows: how often each variant reads a row from device memory.
struct Passes {
  const char* what;
  double reads;
};

Result<Exercise> softmax(Draw& draw, int level, const Problem*) {
  const Problem* const problem = find_problem("softmax_rows");
  const Result<Chip> chip = find_chip(draw.of({"h100", "h200", "a100"}));
  if (!problem || !chip) return Error{"there is no softmax_rows"};
  constexpr Passes softmaxes[] = {
      {"finds the maximum, then the sum, then writes: three passes over the row", 3},
      {"computes maximum and sum in one pass (online), then reads the row again to write it", 2}};
  const Passes& variant = softmaxes[draw.below(2)];
  const Shape shape = {draw.of({4096, 16384, 65536}),
                       level == 1 ? 4096 : 1000 + static_cast<int>(draw.below(60000))};
  const Cost cost = problem->cost(shape);
  const double all = variant.reads * cost.bytes_read + cost.bytes_written;
  const double once = cost.bytes_read + cost.bytes_written;
  Exercise exercise{
      fmt::format("A softmax of {} rows of {} floats {}. Nothing is found in a cache, and memory "
                  "is the only limit.",
                  shape[0], shape[1], variant.what),
      {{"How many bytes cross device memory?", all, of_traffic,
        fmt::format("{:g} reads and one write of {} x {} x 4 bytes = {}.", variant.reads, shape[0],
                    shape[1], grouped(all)),
        Unit::bytes},
       {"How many times as fast is a kernel that keeps the row on the chip?", all / once,
        of_traffic,
        fmt::format("It reads once and writes once: ({:g} + 1) / 2 = {:g}.", variant.reads,
                    all / once)}}};
  if (level > 1)
    exercise.numbers.push_back(
        {fmt::format("How many microseconds does that faster kernel take at the {:g} GB/s of the "
                     "{}?",
                     chip->memory_bytes_per_s / 1e9, chip->name),
         1e6 * once / chip->memory_bytes_per_s, of_time,
         fmt::format("{} bytes / {:g} GB/s = {:.4g} us.", grouped(once),
                     chip->memory_bytes_per_s / 1e9, 1e6 * once / chip->memory_bytes_per_s),
         Unit::us});
  return exercise;
}

Result<Exercise> product(Draw& draw, int level, const Problem*) {
  const Problem* const problem = find_problem("sgemm");
  if (!problem) return Error{"there is no sgemm"};
  const int rows = draw.of({32, 64, 128}), cols = level == 1 ? rows : draw.of({32, 64, 128, 256});
  const int size = draw.of({1024, 2048, 4096});
  const Shape shape = {size, size, level == 3 ? size * 2 : size};
  const Cost cost = problem->cost(shape);
  // Each tile of C reads its rows of A and its columns of B.
  const double loads = double(shape[0]) / rows * shape[1] / cols * shape[2] * (rows + cols) * 4;
  return Exercise{
      fmt::format(
          "C = A B with M = {}, N = {}, K = {}, all float. Each block computes a {} x {} tile of "
          "C. It loads the rows of A and columns of B that it needs into shared memory, each once.",
          shape[0], shape[1], shape[2], rows, cols),
      {{"How many bytes of A and B do all blocks load from global memory in total?", loads,
        of_traffic,
        fmt::format("A block loads ({} + {}) x {} floats, and there are {:g} blocks: {} bytes.",
                    rows, cols, shape[2], double(shape[0]) / rows * shape[1] / cols,
                    grouped(loads)),
        Unit::bytes},
       {"How many operations is that per loaded byte (a multiply-add is two)?",
        cost.operations / loads, of_traffic,
        fmt::format("{:.4g} / {:.4g} = {}. Only the tile matters: {} x {} / (2 ({} + {})).",
                    cost.operations, loads, number_text(cost.operations / loads), rows, cols, rows,
                    cols)}}};
}

constexpr Family of_operators[] = {{"bytes", "bytes of an operator", bytes, true, moves_tensors},
                                   {"time", "least time", least_time, true, computes},
                                   {"reached", "share of the bandwidth", reached, true, has_times},
                                   {"softmax", "traffic of softmax", softmax},
                                   {"product", "traffic of tiles", product}};

}  // namespace

std::span<const Family> operator_families() {
  return of_operators;
}

}  // namespace kata::drill
