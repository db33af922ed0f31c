#include "judge/near_constants.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

constexpr std::size_t most_of_a_group = 400, most_combinations = 2000;

class Groups {
 public:
  explicit Groups(const Problem& problem) : problem_(problem) {}

  /// Those that are promised and in no group yet.
  void add(const std::vector<Shape>& shapes) {
    std::vector<std::pair<double, Shape>> group;
    for (const Shape& wanted : shapes) {
      Shape shape = legal(problem_, wanted);
      if (!is_promised(problem_, shape) || !known_.insert(shape).second) continue;
      group.emplace_back(price(problem_, shape), std::move(shape));
    }
    std::ranges::sort(group);
    if (group.size() > most_of_a_group) group.resize(most_of_a_group);
    if (group.empty()) return;
    groups_.emplace_back();
    for (auto& [cost, shape] : group) groups_.back().push_back(std::move(shape));
  }

  std::vector<std::vector<Shape>> take() { return std::move(groups_); }

 private:
  const Problem& problem_;
  std::set<Shape> known_;
  std::vector<std::vector<Shape>> groups_;
};

/// One dimension after the other of these sizes, the rest small.
std::vector<Shape> one_by_one(const Problem& problem, const std::vector<NearSizes>& sizes,
                              const std::vector<std::set<int> NearSizes::*>& kinds) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t number : {i, i + 2}) {
      Shape shape = small_shape(problem, number);
      const std::size_t with = grows_with(problem, i, shape);
      for (const auto kind : kinds) {
        for (int size : sizes[i].*kind) {
          shape[i] = size;
          if (with != i) shape[with] = size;
          shapes.push_back(shape);
        }
      }
    }
  }
  return shapes;
}

/// Each choice of a size for each dimension: near a threshold, small, or as large as it may be.
std::vector<Shape> combinations(const Problem& problem, const std::vector<NearSizes>& sizes) {
  const bool has_names =
      std::ranges::any_of(sizes, [](const NearSizes& one) { return !one.thresholds.empty(); });
  const Shape small = small_shape(problem, 1);
  std::vector<std::size_t> with;
  std::vector<std::vector<int>> choices;
  std::size_t all = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::set<int> chosen = has_names ? sizes[i].thresholds : sizes[i].guesses;
    chosen.insert({small[i], problem.signature.integers[i].most});
    choices.emplace_back(chosen.begin(), chosen.end());
    with.push_back(grows_with(problem, i, small));
    all *= chosen.size();
  }
  while (all > most_combinations) {
    auto& longest = *std::ranges::max_element(choices, {}, &std::vector<int>::size);
    all = all / longest.size() * (longest.size() - 1);
    longest.pop_back();
  }
  std::vector<Shape> shapes;
  for (std::size_t number = 0; number < all; ++number) {
    Shape shape = small;
    std::size_t rest = number;
    for (std::size_t i = 0; i < shape.size(); rest /= choices[i++].size())
      shape[i] = choices[i][rest % choices[i].size()];
    for (std::size_t i = 0; i < shape.size(); ++i)
      shape[with[i]] = std::max(shape[with[i]], shape[i]);
    shapes.push_back(shape);
  }
  return shapes;
}

constexpr int largest_power = 64;

/// The size as given, the others multiples of as large a power of two as the price allows, windows
/// and steps at their least; none unless that is a larger one than `power`.
std::optional<Shape> with_aligned_others(const Problem& problem, std::size_t i, int size,
                                         int power) {
  constexpr double dearest = 2e7;
  const std::vector<Parameter>& integers = problem.signature.integers;
  for (int others = 2 * largest_power; others > power; others /= 2) {
    Shape shape(integers.size(), others);
    for (std::size_t j = 0; j < shape.size(); ++j)
      if (is_window(integers[j])) shape[j] = integers[j].least;
    shape[i] = size;
    shape = legal(problem, shape);
    if (price(problem, shape) <= dearest) return shape;
  }
  return {};
}

/// Each size a multiple of each power of two and of no larger one, the others of one: a path for
/// vectors, fragments or tiles may ask some sizes for more than it needs, and another for less.
std::vector<Shape> alignments(const Problem& problem) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < problem.signature.integers.size(); ++i) {
    for (int power = 1; power < largest_power; power *= 2) {
      for (const int before : {0, 2 * largest_power})  // tiles
        if (const auto shape = with_aligned_others(problem, i, before + 3 * power, power))
          shapes.push_back(*shape);
    }
  }
  return shapes;
}

/// Whether inputs are held in a moment, and drawn where they are integers.
bool are_few(const Problem& problem, const Shape& shape) {
  constexpr std::size_t most_integers = 1 << 23, most = 1 << 27;
  std::size_t integers = 0, all = 0;
  for (const Parameter& tensor : problem.signature.inputs) {
    all += elements(tensor, shape);
    if (tensor.type == Type::i32) integers += elements(tensor, shape);
  }
  return integers <= most_integers && all <= most;
}

/// Whether an input says where rows begin, of which there are so many.
bool counts_rows(const Problem& problem, std::size_t i) {
  constexpr int one = 5, other = 7;
  const auto begins_rows = [&](const Parameter& tensor) {
    Shape shape(problem.signature.integers.size(), one);
    shape[i] = other;
    return tensor.type == Type::i32 && elements(tensor, shape) == other + 1;
  };
  return has_structure(problem) && std::ranges::any_of(problem.signature.inputs, begins_rows);
}

/// What may be lengths: what the source compares something with.
std::set<int> lengths_of(const NearSizes& sizes) {
  std::set<int> lengths = sizes.guesses;
  lengths.insert(sizes.thresholds.begin(), sizes.thresholds.end());
  return lengths;
}

/// So many rows of this length, of which dimension j has the number and i all elements: nothing
/// where the problem takes none, or not these.
std::optional<Shape> equal_rows(const Problem& problem, std::size_t i, std::size_t j, int rows,
                                int length) {
  const std::int64_t elements = std::int64_t{rows} * length;
  if (elements > problem.signature.integers[i].most) return {};
  Shape shape(problem.signature.integers.size(), length);
  shape[j] = rows;
  shape[i] = static_cast<int>(elements);
  if (legal(problem, shape) != shape || !is_promised(problem, shape)) return {};
  return shape;
}

/// Where elements are in rows of any length: rows that are all just past what the source compares
/// something with, and may mean a length. What is kept for each may be counted by elements.
std::vector<Shape> equal_shares_past(const Problem& problem, const std::vector<NearSizes>& sizes,
                                     double dearest) {
  constexpr int rows = 3, least = 32;
  std::vector<Shape> shapes;
  if (!has_structure(problem)) return shapes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::set<int> lengths = lengths_of(sizes[i]);
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      for (const int length : lengths) {
        if (i == j || length < least || lengths.contains(length + 1)) continue;
        const std::optional<Shape> shape = equal_rows(problem, i, j, rows, length);
        if (shape && price(problem, *shape) <= dearest) shapes.push_back(*shape);
      }
    }
  }
  return shapes;
}

/// Three parts of each constant of the source, in some rows: what goes through a row in so large
/// parts may let two blocks share a row, which shows with all checks alone.
std::vector<Shape> three_parts(const Problem& problem, const std::vector<NearSizes>& sizes,
                               double dearest) {
  constexpr int parts = 3, least = 256;
  constexpr std::size_t few = 4;
  std::vector<std::pair<double, Shape>> shapes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::set<int>& near = sizes[i].others;
    for (const int size : near) {
      if (size < least || !near.contains(size - 1) || !near.contains(size + 1) ||
          size > problem.signature.integers[i].most / parts)
        continue;
      Shape shape = small_shape(problem, 1);
      shape[i] = parts * size;
      shape = legal(problem, std::move(shape));
      const double cost = price(problem, shape);
      if (is_promised(problem, shape) && cost <= dearest) shapes.emplace_back(cost, shape);
    }
  }
  std::ranges::sort(shapes, std::greater());
  std::vector<Shape> largest;
  for (const auto& [cost, shape] : shapes)
    if (largest.size() < few) largest.push_back(shape);
  return largest;
}

}  // namespace

void add_next_legal(const Problem& problem, std::size_t i, std::set<int>& sizes) {
  const int most = problem.signature.integers[i].most;
  const auto with = [&](int size) {
    Shape shape = small_shape(problem, 1);
    shape[grows_with(problem, i, shape)] = shape[i] = size;
    return legal(problem, shape)[i];
  };
  std::set<int> found;
  for (const int size : sizes) {
    if (sizes.contains(size + 1) || size >= most || with(size) >= size) continue;
    std::int64_t more = 1;
    while (size + more < most && with(static_cast<int>(size + more)) < size) more *= 2;
    if (size + more <= most) found.insert(with(static_cast<int>(size + more)));
  }
  sizes.merge(found);
}

std::vector<Shape> shapes_past_thresholds(const Problem& problem,
                                          const std::vector<NearSizes>& sizes) {
  constexpr std::size_t few = 12;
  constexpr double dearest = 1e6;
  std::vector<std::pair<double, Shape>> shapes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (const int size : sizes[i].thresholds) {
      if (sizes[i].thresholds.contains(size + 1)) continue;
      Shape shape = small_shape(problem, 1);
      shape[i] = size;
      shape = legal(problem, std::move(shape));
      const double cost = price(problem, shape);
      if (is_promised(problem, shape) && cost <= dearest) shapes.emplace_back(cost, shape);
    }
  }
  // The largest: small ones are among the usual cases.
  std::ranges::sort(shapes, std::greater());
  std::vector<Shape> largest;
  for (const auto& [cost, shape] : shapes)
    if (largest.size() < few) largest.push_back(shape);
  std::ranges::copy(equal_shares_past(problem, sizes, dearest), std::back_inserter(largest));
  std::ranges::copy(three_parts(problem, sizes, dearest), std::back_inserter(largest));
  return largest;
}

std::vector<Shape> long_lists(const Problem& problem, const std::vector<NearSizes>& sizes) {
  constexpr std::size_t few = 2;
  constexpr int least = 32;
  std::vector<Shape> shapes;
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    if (!counts_rows(problem, j)) continue;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::set<int> lengths = lengths_of(sizes[i]);
      for (const int length : lengths) {
        for (const int rows : sizes[j].others) {
          if (i == j || std::min(length, rows) < least || lengths.contains(length + 1) ||
              sizes[j].others.contains(rows + 1))
            continue;
          const std::optional<Shape> shape = equal_rows(problem, i, j, rows, length);
          if (shape && are_few(problem, *shape)) shapes.push_back(*shape);
        }
      }
    }
  }
  // The largest hold the most.
  std::ranges::sort(shapes, std::greater(),
                    [&](const Shape& shape) { return price(problem, shape); });
  if (shapes.size() > few) shapes.resize(few);
  return shapes;
}

std::vector<std::vector<Shape>> shapes_near_constants(const Problem& problem,
                                                      const std::vector<NearSizes>& sizes) {
  Groups groups(problem);
  groups.add(one_by_one(problem, sizes,
                        {&NearSizes::thresholds, &NearSizes::guesses, &NearSizes::elements}));
  groups.add(combinations(problem, sizes));
  groups.add(alignments(problem));
  groups.add(one_by_one(problem, sizes, {&NearSizes::others}));
  groups.add(one_by_one(problem, sizes, {&NearSizes::products}));
  return groups.take();
}

}  // namespace kata
