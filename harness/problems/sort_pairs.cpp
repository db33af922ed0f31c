// sort_pairs: keys in ascending order, each with its value; equal keys keep their order
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "problems/spec/draw.h"
#include "problems/spec/problem.h"

namespace kata::problem::sort_pairs {

// Keys from the whole range, except:
//   skewed         only byte n % 4 differs: three of four passes of 8 bits move nothing
//   few_distinct   next to where the sign would change, and both ends: what kernels pad with
//   whole_numbers  0 to 999: the upper digits are all 0
//   outliers       of any length: half of them are below 2^16
//   largest_last   all equal, but the last one is smaller and moves to the front
void draw_keys(Array& array, const Case& one_case, const Random& random) {
  constexpr unsigned few[] = {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu};
  const std::span<unsigned> keys = array.as<unsigned>();
  const std::function<unsigned(std::size_t)> key_of = [&](std::size_t i) -> unsigned {
    switch (one_case.values) {
      case Values::skewed: {
        const auto byte = static_cast<unsigned>(random.below(i, 256));
        const int shift = 8 * static_cast<int>(keys.size() % 4);
        return (0xabcdef12u & ~(0xffu << shift)) | byte << shift;
      }
      case Values::few_distinct:
        return few[random.below(i, 5)];
      case Values::whole_numbers:
        return static_cast<unsigned>(random.below(i, 1000));
      case Values::outliers:
        return static_cast<unsigned>(random.word(i) >> 32) >> random.stream(1).below(i, 32);
      default:  // largest_last
        return i + 1 < keys.size() ? 0xabcd00ffu : 0xabcd00feu;
    }
  };
  constexpr Values own[] = {Values::skewed, Values::few_distinct, Values::whole_numbers,
                            Values::outliers, Values::largest_last};
  if (std::ranges::find(own, one_case.values) == std::end(own)) {
    draw::as_the_case_says()(array, one_case, random);
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(i);
}

// Any ints, except:
//   constant, lowest, largest_last  descending, where keys are equal: a sort that compares values
//                                   turns them around
//   whole_numbers                   the index, as a sort that returns a permutation has it
void draw_values(Array& array, const Case& one_case, const Random& random) {
  const std::span<int> values = array.as<int>();
  switch (one_case.values) {
    case Values::constant:
    case Values::lowest:
    case Values::largest_last:
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<int>(values.size() - i);
      return;
    case Values::whole_numbers:
      std::iota(values.begin(), values.end(), 0);
      return;
    default:
      draw::as_the_case_says()(array, {one_case.shape, Values::uniform}, random);
  }
}

struct Pair {
  unsigned key;
  int value;
};

std::vector<Pair> pairs_of(const Inputs& inputs) {
  const std::span<const unsigned> keys = inputs[0].as<unsigned>();
  const std::span<const int> values = inputs[1].as<int>();
  std::vector<Pair> pairs(keys.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keys[i], values[i]};
  return pairs;
}

Outputs outputs_of(const std::vector<Pair>& pairs) {
  Expected keys{.value = std::vector<double>(pairs.size())}, values = keys;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    keys.value[i] = pairs[i].key;
    values.value[i] = pairs[i].value;
  }
  return {keys, values};
}

Outputs reference(const Inputs& inputs, const Case&) {
  std::vector<Pair> pairs = pairs_of(inputs);
  std::ranges::stable_sort(pairs, {}, &Pair::key);
  return outputs_of(pairs);
}

Outputs ties_by_value(const Inputs& inputs, const Case&) {
  std::vector<Pair> pairs = pairs_of(inputs);
  std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
    return a.key != b.key ? a.key < b.key : a.value < b.value;
  });
  return outputs_of(pairs);
}

Outputs ties_turned_around(const Inputs& inputs, const Case&) {
  std::vector<Pair> pairs = pairs_of(inputs);
  std::ranges::reverse(pairs);
  std::ranges::stable_sort(pairs, {}, &Pair::key);
  return outputs_of(pairs);
}

const std::vector<Mistake> mistakes{
    {"if equal keys came in the order of their values", ties_by_value},
    {"if equal keys came in the opposite order", ties_turned_around},
};

// Each key and each value is read and written once: no sort does so little, but none can do less.
Cost cost(const Shape& shape) {
  const double n = shape[0];
  return {.bytes_read = 8 * n, .bytes_written = 8 * n, .operations = n};
}

REGISTER_PROBLEM({
    .name = "sort_pairs",
    .summary = "keys in ascending order, each with its value",
    .frequency = "medium",
    .difficulty = "hard",
    .signature = signature(input<unsigned>("keys_in", dims<0>, draw_keys),
                           input<int>("values_in", dims<0>, draw_values),
                           output<unsigned>("keys_out", dims<0>),
                           output<int>("values_out", dims<0>), integer("n", 1, 1 << 28)),
    .cases = {{{1}, Values::uniform},
              {{2}, Values::descending},
              {{33}, Values::few_distinct},
              {{255}, Values::outliers},
              {{256}, Values::whole_numbers},
              {{257}, Values::sorted},
              {{1025}, Values::descending},
              {{600}, Values::constant},
              {{900}, Values::alike_ends},
              {{1500}, Values::skewed},  // only the lowest byte
              {{1503}, Values::skewed},  // only the highest one
              {{2049}, Values::largest_last},
              {{5000}, Values::lowest},  // all 0: a sort that skips digits may copy nothing
              {{4099}, Values::few_distinct},
              {{10000}, Values::uniform}},
    .large_cases = {{{262145}, Values::uniform},  // more than 1024 tiles of 256
                    {{(1 << 20) + 1}, Values::uniform},
                    {{(1 << 20) + 3}, Values::constant},
                    {{(1 << 20) - 1}, Values::few_distinct},
                    {{(1 << 22) + 1}, Values::outliers}},
    .bench_shapes = {{1 << 26}, {1 << 24}, {1 << 20}, {(1 << 24) + 3}},
    .drawn_values = {Values::uniform, Values::few_distinct, Values::constant},
    .reference = reference,
    .cost = cost,
    .mistakes = mistakes,
});

}  // namespace kata::problem::sort_pairs
