// segmented_sum: y[s] = x[offsets[s]] + ... + x[offsets[s + 1] - 1], and 0 for an empty segment
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "problems/spec/lengths.h"
#include "problems/spec/problem.h"
#include "problems/tolerance/dot_product.h"

namespace kata::problem::segmented_sum {

// A column: the judge counts a segment as a row, on which a kernel may spend a block, and checks
// launches with more of them than a grid has blocks along y.
Dims offset_column(const Shape& shape) {
  return {std::int64_t{shape[1]} + 1, 1};
}

Shape nearest(Shape shape) {
  return {std::max(shape[0], 0), std::max(shape[1], 1)};
}

// All in one segment: the first, the last, or one in between.
Lengths one_full_segment(const Shape& shape, const Random& random) {
  Lengths lengths(shape[1]);
  const int place = shape[0] / shape[1] % 3;
  const std::size_t full = place == 1   ? 0
                           : place == 2 ? lengths.size() - 1
                                        : random.below(0, lengths.size());
  lengths[full] = shape[0];
  return lengths;
}

Lengths power_law(const Shape& shape, const Random& random) {
  return kata::power_law(shape[1], shape[0], shape[0], random);
}

// The last segment takes what the powers leave.
Lengths near_powers_of_two(const Shape& shape) {
  std::int64_t left = shape[0];
  Lengths lengths = kata::near_powers_of_two(shape[1], left, shape[0]);
  lengths.back() += left;
  return lengths;
}

// One long segment among segments of one element.
Lengths long_among_ones(const Shape& shape, const Random& random) {
  if (shape[0] < shape[1]) return power_law(shape, random);
  Lengths lengths(shape[1], 1);
  lengths[random.below(0, lengths.size())] += shape[0] - shape[1];
  return lengths;
}

// Boundaries at, just before and just after multiples of 128, where tiles of elements meet. Some
// coincide.
Lengths at_tile_borders(const Shape& shape, const Random& random) {
  std::vector<std::int64_t> boundaries(shape[1] - 1);
  for (std::size_t s = 0; s < boundaries.size(); ++s) {
    const auto tile = static_cast<std::int64_t>(random.below(2 * s, shape[0] / 128 + 1));
    const auto shift = static_cast<std::int64_t>(random.below(2 * s + 1, 3)) - 1;
    boundaries[s] = std::clamp<std::int64_t>(128 * tile + shift, 0, shape[0]);
  }
  std::ranges::sort(boundaries);
  boundaries.push_back(shape[0]);
  std::adjacent_difference(boundaries.begin(), boundaries.end(), boundaries.begin());
  return boundaries;
}

// Lengths of every size, in proportion to the fourth power of random numbers: about a third is
// empty where the mean is 10, and long runs are where there are more segments than elements. In
// half of the cases the first and the last few segments are empty.
Lengths any_lengths(const Shape& shape, const Random& random) {
  Lengths lengths(shape[1]);
  const std::size_t count = lengths.size();
  const std::size_t few = random.below(count, 2) == 0 ? std::min<std::size_t>(count / 3, 3) : 0;
  const auto weight = [&](std::size_t s) {
    return s < few || s + few >= count ? 0.0 : 1e-6 + std::pow(random.uniform(s), 4);
  };
  double total = 0;
  for (std::size_t s = 0; s < count; ++s) total += weight(s);
  double sum = 0;
  std::int64_t begin = 0;
  for (std::size_t s = 0; s < count; ++s) {
    sum += weight(s);
    const auto end = static_cast<std::int64_t>(sum / total * shape[0]);
    lengths[s] = end - begin;
    begin = end;
  }
  return lengths;
}

Lengths draw_lengths(const Shape& shape, const Random& random) {
  switch (shape[0] % shape[1]) {
    case 0:
      return Lengths(shape[1], shape[0] / shape[1]);
    case 1:
      return one_full_segment(shape, random);
    case 2:
      return power_law(shape, random);
    case 3:
      return near_powers_of_two(shape);
    case 4:
      return long_among_ones(shape, random);
    case 5:
      return at_tile_borders(shape, random);
    default:
      return any_lengths(shape, random);
  }
}

// The remainder of n / segments chooses the lengths, so that `--size` can ask for each:
//   0  equal                       1  all in one segment
//   2  a power law                 3  next to powers of two
//   4  one long, the others 1      5  boundaries near multiples of 128
//   else  any lengths
// With outliers, every second segment is scaled by 2^20 and the others by 2^-20. No sum suffers,
// but a difference of two sums over several segments is lost.
void arrange(Inputs& inputs, const Case& one_case, const Random& random) {
  const std::span<float> x = inputs[0].as<float>();
  const std::span<int> offsets = inputs[1].as<int>();
  const Lengths lengths = draw_lengths(one_case.shape, random);
  offsets[0] = 0;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    offsets[s + 1] = offsets[s] + static_cast<int>(lengths[s]);
  }
  if (one_case.values != Values::outliers) return;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) {
      x[i] = std::ldexp(x[i], s % 2 ? 20 : -20);
    }
  }
}

// A segment of n elements is added up with n - 1 roundings, in any order. Its tolerance depends on
// its own elements alone, and of an empty one it is 0.
Outputs reference(const Inputs& inputs, const Case&) {
  const std::span<const float> x = inputs[0].as<float>();
  const std::span<const int> offsets = inputs[1].as<int>();
  Expected y;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::span<const float> segment =
        x.subspan(offsets[s], std::max(offsets[s + 1] - offsets[s], 0));
    Terms terms{.roundings = std::max(static_cast<int>(segment.size()) - 1, 0),
                .whole = all_whole(segment)};
    for (const double value : segment) {
      terms.sum += value;
      terms.sum_of_sizes += std::abs(value);
      terms.sum_of_squares += value * value;
    }
    y.value.push_back(terms.sum);
    y.tolerance.push_back(dot_tolerance(terms));
  }
  return {y};
}

// The values of `right` moved to other places: to(s) for segment s; -1 drops it. The rest is 0.
template <class To>
Outputs moved(const Inputs& inputs, const Case& one_case, To to) {
  Outputs outputs = reference(inputs, one_case);
  const std::vector<double> right = outputs[0].value;
  const std::vector<double> tolerance = outputs[0].tolerance;
  std::ranges::fill(outputs[0].value, 0.0);
  std::ranges::fill(outputs[0].tolerance, 0.0);
  for (std::size_t s = 0; s < right.size(); ++s) {
    const std::int64_t place = to(s);
    if (place < 0) continue;
    outputs[0].value[place] = right[s];
    outputs[0].tolerance[place] = tolerance[s];
  }
  return outputs;
}

// As a reduction by key does it, which has no key for an empty segment.
Outputs without_gaps(const Inputs& inputs, const Case& one_case) {
  const std::span<const int> offsets = inputs[1].as<int>();
  std::int64_t next = 0;
  return moved(inputs, one_case, [&](std::size_t s) {
    return offsets[s] < offsets[s + 1] ? next++ : std::int64_t{-1};
  });
}

// A search for the segment of an element that returns the first of equal offsets, not the last.
Outputs to_first_of_equal_offsets(const Inputs& inputs, const Case& one_case) {
  const std::span<const int> offsets = inputs[1].as<int>();
  std::int64_t first = 0;
  return moved(inputs, one_case, [&](std::size_t s) {
    if (s > 0 && offsets[s] != offsets[s - 1]) first = static_cast<std::int64_t>(s);
    return offsets[s] < offsets[s + 1] ? first : std::int64_t{-1};
  });
}

// A search that compares with < instead of <= takes the first element of a segment for one of the
// segment before.
Outputs first_elements_before(const Inputs& inputs, const Case& one_case) {
  Inputs shifted = inputs;
  const std::span<int> offsets = shifted[1].as<int>();
  const int n = offsets.back();
  for (int& offset : offsets.subspan(1)) offset += offset > 0 && offset < n;
  return reference(shifted, one_case);
}

// Sums that start at 0 once, not at each segment.
Outputs running_totals(const Inputs& inputs, const Case& one_case) {
  Outputs outputs = reference(inputs, one_case);
  double total = 0, tolerance = 0;
  for (std::size_t s = 0; s < outputs[0].value.size(); ++s) {
    outputs[0].value[s] = total += outputs[0].value[s];
    outputs[0].tolerance[s] = tolerance += outputs[0].tolerance[s];
  }
  return outputs;
}

const std::vector<Mistake> mistakes{
    {"if the sums of non-empty segments followed one another without gaps", without_gaps},
    {"if the sum of a segment after empty ones went to the first of them",
     to_first_of_equal_offsets},
    {"if the first element of each segment were added to the segment before",
     first_elements_before},
    {"if sums were not started anew at each segment", running_totals},
};

Cost cost(const Shape& shape) {
  const double n = shape[0];
  const double segments = shape[1];
  return {.bytes_read = 4 * n + 4 * (segments + 1), .bytes_written = 4 * segments, .operations = n};
}

// Sizes: no element; segments of one element; a segment over many tiles; each kind of lengths
// above; empty segments before, between and after others. On a GPU 100000 empty segments in a row.
REGISTER_PROBLEM({
    .name = "segmented_sum",
    .summary = "the sum of each segment of a vector",
    .frequency = "medium",
    .difficulty = "medium",
    .signature = signature(input<float>("x", dims<0>), input<int>("offsets", offset_column),
                           output<float>("y", dims<1>), integer("n", 0, 1 << 28),
                           integer("segments", 1, 1 << 24)),
    .limits = {"n >= 0 and segments >= 1", nearest},
    .cases = {{{1, 1}},
              {{0, 3}},
              {{257, 257}},
              {{33 * 67, 67}, Values::outliers},
              {{4099, 1}, Values::whole_numbers},
              {{1302, 1301}, Values::all_negative},
              {{2 * 1025 + 1, 1025}},
              {{700, 900}, Values::whole_numbers},
              {{1, 1500}},
              {{6302, 700}},
              {{4096, 39}},
              {{22 * 555 + 3, 22}},
              {{5 * 1000 + 4, 1000}, Values::outliers},
              {{31 * 829 + 5, 829}, Values::whole_numbers},
              {{16391, 37}},
              {{20007, 1000}, Values::whole_numbers}},
    .large_cases = {{{1, 100000}},
                    {{(1 << 22) + 1, 1}, Values::whole_numbers},
                    {{168 * 100000 + 4, 100000}},
                    {{(1 << 24) + 2, 1 << 20}},
                    {{3, 1 << 24}, Values::whole_numbers},
                    {{(1 << 24) + 5, 3001}}},
    .bench_shapes = {{1 << 26, 1 << 22}, {(1 << 26) + 2, 1 << 22}, {1 << 24, 16}, {400001, 16384}},
    .arrange = arrange,
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::segmented_sum
