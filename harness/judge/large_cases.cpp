#include "judge/large_cases.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "judge/judge.h"
#include "judge/shapes.h"

namespace kata {
namespace {

constexpr int two_tiles = 2 * 256;

/// Blocks may take tiles by groups of 16 of 64, or 8 of 128: one group and a part of the next.
constexpr int group_of_tiles = 1024 + 69;

/// Of all large cases, each called twice; and of one that is worth it alone.
constexpr double full_price = 0.6e9, most_price = 1.2e9;

/// Two more than a multiple of 1024, where there is one: the last block of a grid has two elements,
/// and the last index is odd, which a float cannot hold above 2^24.
int with_tail(int size, int high) {
  return size >= high || size <= 1024 ? size : size - size % 1024 - 1022;
}

/// One size as large as the limit allows, the others as given.
Shape long_shape(const Problem& problem, std::size_t i, Shape others, double limit) {
  const int high = problem.signature.integers[i].most;
  const std::size_t with = grows_with(problem, i, others);
  return largest_within(problem, limit, high, [&](int size) {
    others[i] = others[with] = with_tail(size, high);
    return others;
  });
}

/// One size just above 2^24, the others 1: more elements than a float counts. Where each element
/// shows alone the size is odd, and a float of it is smaller; else the last index is.
std::optional<Shape> beyond_floats(const Problem& problem, std::size_t i) {
  constexpr int most_float = 1 << 24;
  const int most = problem.signature.integers[i].most;
  if (most <= most_float) return {};
  const int beyond = most_float + (rows_show_all(problem, i) ? 1025 : 1026);
  if (most <= beyond) return {};
  Shape shape(problem.signature.integers.size(), 1);
  shape[i] = beyond;
  shape = legal(problem, shape);
  return price(problem, shape) <= most_price ? std::optional(shape) : std::nullopt;
}

/// Some of the sizes beyond two tiles, up to `most`, or as near to it as the limit allows.
Shape wide_shape(const Problem& problem, const std::vector<std::size_t>& wide, Shape others,
                 int most, double limit) {
  return largest_within(problem, limit, most, [&](int size) {
    for (std::size_t i : wide) others[i] = size + 4 * static_cast<int>(i);
    return others;
  });
}

/// What takes turns in one process: one size large enough for many tiles, and as small as can be.
/// A large call comes again after one, two and three small ones, and where a byte that counts
/// calls, with 0 or without it, is as it was, or in which as many calls are between as the source
/// divides by.
std::vector<Case> cases_in_turn(const Problem& problem, double most,
                                const std::vector<int>& periods = {}) {
  const std::size_t sizes = problem.signature.integers.size();
  const double limit = most / static_cast<double>(sizes);
  const Case small{legal(problem, Shape(sizes, 1))};
  std::vector<Case> cases;
  for (std::size_t i = 0; i < sizes; ++i) {
    // What the large one costs shows in others, each smaller by a factor.
    for (const double factor : {1024, 32})
      cases.push_back({long_shape(problem, i, small_shape(problem, i), limit / factor)});
    const Case large{long_shape(problem, i, small_shape(problem, i), limit)};
    cases.push_back(large);
    for (std::size_t between = 1; between <= 3; ++between) {
      cases.insert(cases.end(), between, small);
      cases.push_back(large);
    }
  }
  const Case even{even_shape(problem, limit)};
  cases.push_back(even);
  // The same of counters that go up by 8, 4 or 2 in a call.
  std::set<std::size_t> all{31, 63, 126, 127, 254, 255, 256};
  for (const int period : periods) all.insert(static_cast<std::size_t>(period) - 1);
  for (const std::size_t between : all) {
    cases.insert(cases.end(), between, small);
    cases.push_back(even);
  }
  return cases;
}

/// Lengths that vectors and tiles divide, and that they do not; cheap enough for all checks.
std::vector<Case> long_cases(const Problem& problem, std::uint64_t seed) {
  return long_cases_of(distributions(problem), problem, seed, {8192, 8191}, 5e5);
}

/// Sizes that grow from call to call while others shrink, then drawn ones.
std::vector<Case> first_of_a_long_life(const Problem& problem, std::uint64_t seed) {
  constexpr int most_of_a_size = 600, ordered = least_of_a_life / 2;
  const std::size_t sizes = problem.signature.integers.size();
  const Random random = Random(seed).stream(least_of_a_life);
  const Shape largest = largest_within(problem, most_of_a_call, most_of_a_size,
                                       [&](int size) { return Shape(sizes, size); });
  const std::vector<Values> values = values_of(problem);
  std::vector<Case> cases;
  for (std::size_t i = 0; i < least_of_a_life; ++i) {
    Shape shape = largest;
    for (std::size_t j = 0; j < sizes; ++j) {
      const auto step = static_cast<int>(j % 2 == 0 ? i : ordered - 1 - i);
      const auto most = static_cast<std::uint64_t>(shape[j]);
      shape[j] = 1 + (i < ordered ? shape[j] * step / ordered
                                  : static_cast<int>(random.below(i * sizes + j, most)));
    }
    cases.push_back({legal(problem, shape), values[i % values.size()]});
  }
  return cases;
}

std::vector<Case> cases_of_a_long_life(const Problem& problem, const std::vector<Values>& values,
                                       std::uint64_t seed) {
  std::vector<Case> cases = first_of_a_long_life(problem, seed);
  std::ranges::copy(cases_of_multiples(problem), std::back_inserter(cases));
  std::ranges::copy(short_cases_of(values, problem, seed), std::back_inserter(cases));
  // A count of 16 bits is too short where all elements are equal.
  std::ranges::copy(long_cases_of(values, problem, seed, {beyond_16_bits}, 5e6),
                    std::back_inserter(cases));
  return cases;
}

/// The shapes on the way to this one, each with a little more than a quarter of the work of the
/// next: from a power of two, where ranges end and paths begin, they are just beyond smaller ones.
/// Sizes that are small stay: the loss of a row of one class is 0, whatever is computed.
std::vector<Shape> steps_to(const Problem& problem, const Shape& shape) {
  constexpr double least = 1e5, factor = 3.9;
  constexpr int parts = 1 << 20, small = 17;
  std::vector<Shape> steps{shape};
  for (double limit = price(problem, shape) / factor; limit > least; limit /= factor) {
    const Shape step = largest_within(problem, limit, parts, [&](int part) {
      Shape smaller = shape;
      for (int& size : smaller)
        size = std::max(std::min(size, small), static_cast<int>(std::int64_t{size} * part / parts));
      return smaller;
    });
    if (price(problem, step) > limit) break;  // none is so small
    steps.insert(steps.begin(), step);
  }
  return steps;
}

/// The case, and smaller ones on the way to it.
GrowingCases growing(const Problem& problem, const Case& largest) {
  GrowingCases cases;
  for (const Shape& step : steps_to(problem, largest.shape))
    cases.push_back({step, largest.values});
  return cases;
}

/// Whether the outputs are a grid of these two sizes.
bool span_outputs(const Problem& problem, std::size_t i, std::size_t j) {
  const Shape one = legal(problem, Shape(problem.signature.integers.size(), 1));
  Shape both = one;
  both[i] = both[j] = 8;
  return output_elements(problem, both) >= 64 * output_elements(problem, one);
}

/// The largest shape of each form, of which none costs more than `share`.
std::vector<Shape> forms_within(const Problem& problem, double share) {
  const std::size_t sizes = problem.signature.integers.size();
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < sizes; ++i) {
    shapes.push_back(long_shape(problem, i, Shape(sizes, 1), share));
    shapes.push_back(long_shape(problem, i, small_shape(problem, i), share));
    for (std::size_t j = 0; j < i; ++j) {
      const int wide = span_outputs(problem, i, j) ? group_of_tiles : two_tiles + 1;
      shapes.push_back(wide_shape(problem, {i, j}, small_shape(problem, i + j), wide, share));
    }
  }
  return shapes;
}

double price(const Problem& problem, const std::vector<Shape>& shapes) {
  double sum = 0;
  for (const Shape& shape : shapes) sum += price(problem, shape);
  return sum;
}

/// Those, or beyond 2^24, and all sizes together in what they leave. Ranges end some forms early:
/// the others get what these leave.
std::vector<Shape> forms_of(const Problem& problem, double most) {
  const std::size_t sizes = problem.signature.integers.size();
  const Shape even = even_shape(problem, most / 8);
  most -= price(problem, even);
  if (sizes == 1) {
    const std::optional<Shape> beyond = beyond_floats(problem, 0);
    return {beyond ? *beyond : long_shape(problem, 0, {1}, most * 3 / 4),
            long_shape(problem, 0, {1}, most / 4), even};
  }
  const double for_all_sizes = most / 3;
  double share = most - for_all_sizes;
  std::vector<Shape> shapes = forms_within(problem, share);
  constexpr double least_share = 1e6;  // the smallest forms may cost more
  while (price(problem, shapes) > most - for_all_sizes && share > least_share)
    shapes = forms_within(problem, share *= 0.8);
  std::vector<std::size_t> all(sizes);
  std::iota(all.begin(), all.end(), std::size_t{0});
  shapes.push_back(
      wide_shape(problem, all, Shape(sizes, 1), 4 * two_tiles + 1, most - price(problem, shapes)));
  for (std::size_t i = 0; i < sizes; ++i)
    if (const auto beyond = beyond_floats(problem, i))
      std::ranges::replace(shapes, long_shape(problem, i, Shape(sizes, 1), share), *beyond);
  shapes.push_back(even);
  std::ranges::sort(shapes);
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  // Few outputs first: what is kept from call to call for as many has not grown yet.
  std::ranges::stable_sort(shapes, {},
                           [&](const Shape& shape) { return output_elements(problem, shape); });
  return shapes;
}

/// The first large case that the problem names, if it may run, and has values of its own or no form
/// is as large: it is there for a fault that the forms do not show.
const Case* first_named(const Problem& problem, const std::vector<Shape>& forms) {
  if (problem.large_cases.empty()) return nullptr;
  const Case& first = problem.large_cases.front();
  const auto covers = [&](const Shape& form) {
    return first.values == Values::normal &&
           std::ranges::equal(form, first.shape, std::greater_equal());
  };
  const bool may_run = price(problem, first.shape) <= most_price;
  return may_run && std::ranges::none_of(forms, covers) ? &first : nullptr;
}

/// Of what the problem names as large and costs little, the longest: a bound that all lanes have to
/// reach may keep nearly all elements.
std::vector<Case> cases_with_gaps(const Problem& problem) {
  constexpr double most = 2e7;
  const auto length = [](const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{0});
  };
  Shape longest;
  for (const Case& one : problem.large_cases)
    if (price(problem, one.shape) <= most && length(one.shape) > length(longest))
      longest = one.shape;
  return longest.empty() ? std::vector<Case>{} : std::vector<Case>{{longest, Values::gaps}};
}

/// Lengths that leave one to three elements after whole blocks of vectors: who takes these may take
/// them out of turn.
std::vector<Case> cases_past_vectors(const Problem& problem, std::uint64_t seed) {
  constexpr int vectors_of_a_block = 1024, most_blocks = 8;
  std::vector<int> lengths;
  for (int blocks = 1; blocks <= most_blocks; ++blocks)
    for (int rest = 1; rest < 4; ++rest) lengths.push_back(blocks * vectors_of_a_block + rest);
  return long_cases_of({Values::largest_twice}, problem, seed, lengths, most_of_a_call);
}

/// Where no call is made without checks, as on several devices: each size alone at the end of its
/// range, if that costs little. All elements are equal, for counts of too few bits.
std::vector<GrowingCases> forms_at_ends(const Problem& problem) {
  constexpr double most = 1.5e8;
  std::vector<GrowingCases> forms;
  for (std::size_t i = 0; i < problem.signature.integers.size(); ++i) {
    Shape shape(problem.signature.integers.size(), 2);
    shape[i] = problem.signature.integers[i].most;
    shape = legal(problem, shape);
    if (price(problem, shape) <= most) forms.push_back(growing(problem, {shape, Values::constant}));
  }
  return forms;
}

}  // namespace

std::vector<Case> LargeCases::all() const {
  std::vector<Case> cases = long_life;
  std::ranges::copy(in_turn, std::back_inserter(cases));
  for (const auto* groups : {&forms, &near_constants})
    for (const std::vector<Case>& group : *groups)
      std::ranges::copy(group, std::back_inserter(cases));
  return cases;
}

LargeCases large_cases(const Problem& problem, std::uint64_t seed,
                       const std::vector<std::vector<Shape>>& near_constants,
                       const std::vector<int>& periods) {
  const std::vector<Values> values = values_of(problem), all = all_values(problem);
  LargeCases cases{.first_calls = problem.cases,
                   .long_life = cases_of_a_long_life(problem, all, seed),
                   .in_turn = cases_of_like_sizes(problem)};
  // Of most numbers of parts, 32 to 2048, the last are empty where the share of each is rounded up.
  std::ranges::copy(long_cases_of({Values::normal}, problem, seed, {7681, 36961}, 5e6),
                    std::back_inserter(cases.first_calls));
  std::ranges::copy(cases_in_turn(problem, 3e7, periods), std::back_inserter(cases.in_turn));
  std::vector<Shape> largest = forms_of(problem, full_price);
  const Case* const first = first_named(problem, largest);
  double left = full_price;
  if (first) {
    left -= price(problem, first->shape);
    largest = forms_of(problem, std::max(left, full_price / 2));
  }
  for (const Shape& shape : largest) {
    // One distribution for all, or their times would not compare.
    cases.forms.push_back(growing(problem, {shape, values[cases.forms.size() % values.size()]}));
  }
  // Sizes and structures that the problem names, in what ranges that end early leave.
  left -= price(problem, largest);
  if (first) cases.forms.push_back(growing(problem, *first));
  for (const Case& one : problem.large_cases) {
    if (&one == first) continue;
    left -= price(problem, one.shape);
    if (left < 0) break;
    cases.forms.push_back(growing(problem, one));
  }
  for (const Case& one : cases_of_equal_elements(problem))
    cases.forms.push_back(growing(problem, one));
  if (std::ranges::find(all, Values::strided) != all.end()) {
    cases.forms.push_back(growing(problem, wide_case(problem, Values::strided)));
    for (const Case& one : cases_with_gaps(problem)) cases.forms.push_back(growing(problem, one));
    std::ranges::copy(cases_past_vectors(problem, seed), std::back_inserter(cases.long_life));
  }
  // Most faults need no particular values. What is most promising comes once more, with others.
  constexpr std::size_t most_promising = 2;
  // Sums of equal elements, and of some others, are not right at any length.
  constexpr double most_of_some_values = 5e6;
  std::vector<Values> of_any_size = values;
  of_any_size.insert(of_any_size.end(), std::begin(general_values), std::end(general_values));
  std::vector<Case> again;
  for (const Values one : all) {
    for (std::size_t i = 0; i < std::min(most_promising, near_constants.size()); ++i)
      for (const Shape& shape : near_constants[i])
        if (one != Values::normal && (price(problem, shape) <= most_of_some_values ||
                                      std::ranges::count(of_any_size, one) > 0))
          again.push_back({shape, one});
  }
  for (const std::vector<Shape>& shapes : near_constants) {
    std::vector<Case>& group = cases.near_constants.emplace_back();
    for (const Shape& shape : shapes) group.push_back({shape, Values::normal});
    if (cases.near_constants.size() == 1) cases.near_constants.push_back(std::move(again));
  }
  return cases;
}

LargeCases cases_called_once(const Problem& problem, std::uint64_t seed,
                             const std::vector<Shape>& near, const std::vector<int>& periods) {
  LargeCases cases;
  if (uses_devices(problem)) cases.forms = forms_at_ends(problem);
  for (const Case& one : usual_cases(problem, seed, false)) {
    if (work(problem, one) > most_work_of_second_call) cases.long_life.push_back(one);
  }
  for (const Shape& shape : near) cases.long_life.push_back({shape});
  std::ranges::copy(long_cases(problem, seed), std::back_inserter(cases.long_life));
  cases.in_turn = cases_in_turn(problem, 2e6, periods);
  return cases;
}

LargeCases drawn_cases_for_gpu(const Problem& problem, std::uint64_t seed) {
  LargeCases cases{.long_life = first_of_a_long_life(problem, seed)};
  std::ranges::copy(long_cases(problem, seed), std::back_inserter(cases.long_life));
  cases.in_turn = cases_in_turn(problem, 2e6);
  return cases;
}

LargeCases cases_for_unreached(const Problem& problem) {
  constexpr double most = 5e7, least = 1e6;
  const std::size_t sizes = problem.signature.integers.size();
  std::vector<std::size_t> all(sizes);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < sizes; ++i)
    shapes.push_back(long_shape(problem, i, small_shape(problem, i), most));
  if (sizes > 1)
    shapes.push_back(wide_shape(problem, all, Shape(sizes, 1), 4 * two_tiles + 1, most));
  LargeCases cases;
  for (const Shape& shape : shapes) {
    GrowingCases form = growing(problem, {shape, Values::normal});
    std::erase_if(form, [&](const Case& one) { return price(problem, one.shape) < least; });
    if (form.empty()) continue;
    cases.long_life.push_back(form.front());
    cases.forms.push_back(std::move(form));
  }
  return cases;
}

std::size_t middle_of(const Problem& problem, const LargeCases& cases) {
  const auto work_of = [&](const GrowingCases& form) { return price(problem, form.back().shape); };
  double all = cases.near_constants.empty() ? 0 : price_near_constants, before = 0;
  for (const GrowingCases& form : cases.forms) all += work_of(form);
  std::size_t i = 0;
  while (i < cases.forms.size() && before < all / 2) before += work_of(cases.forms[i++]);
  return 1 + i;
}

}  // namespace kata
