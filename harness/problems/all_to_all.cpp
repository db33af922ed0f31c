// all_to_all: each device sends rows to each other one, as many as the device alone knows
#include <algorithm>

#include "problems/spec/problem.h"

namespace kata::problem::all_to_all {

Dims pairs(const Shape& shape) {
  return {shape[2], shape[2]};
}
/// Room for all rows of all devices.
Dims results(const Shape& shape) {
  return {shape[2], std::int64_t{shape[2]} * shape[0], shape[1]};
}

/// How many of its rows a device sends to each. Uniform: those of different draws take equally
/// long. Constant: all to one.
std::vector<int> drawn_counts(int rows, int gpus, int own, Values values, const Random& random) {
  enum { to_any, to_one, not_to_one, to_itself, one_each, kinds };
  std::vector<int> counts(static_cast<std::size_t>(gpus));
  const int kind = values == Values::uniform    ? to_any
                   : values == Values::constant ? to_one
                                                : static_cast<int>(random.below(0, kinds));
  const int chosen = static_cast<int>(random.below(1, static_cast<std::uint64_t>(gpus)));
  for (int row = 0; row < rows; ++row) {
    const auto drawn = static_cast<int>(
        random.below(static_cast<std::uint64_t>(row) + 2, static_cast<std::uint64_t>(gpus)));
    const int to = kind == to_one       ? chosen
                   : kind == to_itself  ? own
                   : kind == not_to_one ? (drawn == chosen ? (drawn + 1) % gpus : drawn)
                   : kind == one_each   ? std::min(row, gpus - 1)
                                        : drawn;
    ++counts[static_cast<std::size_t>(to)];
  }
  return counts;
}

void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  const int rows = one_case.shape[0], gpus = one_case.shape[2];
  const std::span<int> send = inputs[1].as<int>();
  for (int g = 0; g < gpus; ++g) {
    const std::vector<int> counts =
        drawn_counts(rows, gpus, g, one_case.values, random.stream(static_cast<std::uint64_t>(g)));
    std::ranges::copy(counts, send.begin() + g * gpus);
  }
}

Outputs reference(const Inputs& inputs, const Case& one_case) {
  const auto rows = static_cast<std::size_t>(one_case.shape[0]),
             dim = static_cast<std::size_t>(one_case.shape[1]),
             gpus = static_cast<std::size_t>(one_case.shape[2]);
  const std::span<const Bfloat16> x = inputs[0].as<Bfloat16>();
  const std::span<const int> send = inputs[1].as<int>();
  const std::span<const Bfloat16> before = inputs[2].as<Bfloat16>();
  Expected y{.value = {before.begin(), before.end()}, .keeps_sign_of_zero = true},
      received{.value = std::vector<double>(gpus * gpus)};
  std::vector<std::size_t> next(gpus);  // row of y, by device
  for (std::size_t from = 0; from < gpus; ++from) {
    std::size_t row = from * rows;
    for (std::size_t to = 0; to < gpus; ++to) {
      const auto count = static_cast<std::size_t>(send[from * gpus + to]);
      received.value[to * gpus + from] = static_cast<double>(count);
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * dim);
      std::copy(begin, begin + static_cast<std::ptrdiff_t>(count * dim),
                y.value.begin() + static_cast<std::ptrdiff_t>((to * gpus * rows + next[to]) * dim));
      next[to] += count;
      row += count;
    }
  }
  return {y, received};
}

Cost cost(const Shape& shape) {
  const double bytes = 2.0 * shape[0] * shape[1] * shape[2];
  const double gpus = shape[2];  // rows that are drawn evenly
  return {
      .bytes_read = bytes, .bytes_written = bytes, .link_bytes = bytes / gpus * (gpus - 1) / gpus};
}

/// 1, 2, 4 or 8 devices, rows of whole 16 bytes.
Shape nearest(Shape shape) {
  return {std::max(shape[0], 1), std::clamp((shape[1] + 7) / 8 * 8, 8, 16384),
          nearest_devices(shape[2])};
}

std::size_t scratch_bytes(const Shape& shape) {
  const std::size_t all = std::size_t{8} * static_cast<std::size_t>(shape[0]) *
                          static_cast<std::size_t>(shape[1]) * static_cast<std::size_t>(shape[2]);
  return zeroed_scratch + std::min<std::size_t>(64 << 20, all);
}

REGISTER_PROBLEM({
    .name = "all_to_all",
    .summary = "rows that each GPU sends to each other one",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(on_each_device(input<Bfloat16>("x", dims<2, 0, 1>, draw::any_bits())),
                           on_each_device(input<int>("send", pairs, draw::between(0, 0))),
                           on_each_device(in_out<Bfloat16>("y", results)),
                           on_each_device(output<int>("received", pairs)),
                           scratch("scratch", scratch_bytes), integer("rows", 1, 1 << 16),
                           integer("dim", 8, 16384), devices("gpus"), streams("streams")),
    .limits = {"dim is a multiple of 8, gpus is 1, 2, 4 or 8", nearest},
    .cases = {{{1, 8, 2}},
              {{3, 24, 4}},
              {{7, 8, 8}},
              {{16, 64, 1}},
              {{65, 40, 4}},
              {{100, 2056, 2}},
              {{33, 128, 8}},
              {{128, 1032, 4}}},
    .large_cases = {{{1024, 264, 4}}},
    .bench_shapes = {{4096, 7168, 2}, {4096, 7168, 4}, {128, 7168, 2}, {128, 7168, 4}},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
});

}  // namespace kata::problem::all_to_all
