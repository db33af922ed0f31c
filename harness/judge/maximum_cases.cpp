// The largest sizes that an exercise promises.
#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "judge/judge.h"
#include "judge/large_cases.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// The price of the largest sizes: inputs that have to fit together are drawn whole, which takes
/// time.
double most_of_maximum(const Problem& problem) {
  constexpr double most_drawn = 0.3e9;
  return has_structure(problem) ? most_drawn : std::numeric_limits<double>::infinity();
}

/// The shape with `count` sizes, from that one on and around, each made as large as the ranges and
/// the limit allow, one after the other.
Shape filled_up(const Problem& problem, Shape shape, std::size_t from, std::size_t count,
                double limit) {
  for (std::size_t next = 0; next < count; ++next) {
    const std::size_t i = (from + next) % shape.size();
    shape = largest_within(problem, limit, problem.signature.integers[i].most, [&](int size) {
      Shape larger = shape;
      larger[i] = size;
      return larger;
    });
  }
  return shape;
}

/// The sizes, with those of windows as in the other shape.
Shape with_windows(const Problem& problem, Shape shape, const Shape& windows) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (is_window(problem.signature.integers[i])) shape[i] = windows[i];
  return shape;
}

/// Shapes of the problem's cases whose windows differ, a few.
std::vector<Shape> windows_of(const Problem& problem) {
  constexpr std::size_t few = 3;
  std::vector<Shape> shapes;
  for (const Case& one : problem.cases) {
    const auto has_same = [&](const Shape& other) {
      return with_windows(problem, one.shape, other) == one.shape;
    };
    if (shapes.size() < few && std::ranges::none_of(shapes, has_same)) shapes.push_back(one.shape);
  }
  return shapes;
}

Shape odd(const Problem& problem, Shape shape) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!is_window(problem.signature.integers[i])) shape[i] -= shape[i] % 2 == 0;
  return legal(problem, std::move(shape));
}

/// All sizes but those of windows, from that one on and around.
std::vector<std::size_t> growing_from(const Problem& problem, std::size_t first) {
  const std::size_t sizes = problem.signature.integers.size();
  std::vector<std::size_t> growing;
  for (std::size_t next = 0; next < sizes; ++next)
    if (const std::size_t i = (first + next) % sizes; !is_window(problem.signature.integers[i]))
      growing.push_back(i);
  return growing;
}

/// One size as large as may be, then a neighbour of it, beside small ones and the windows of the
/// problem's cases. Beside a window of one place a block's second turn shows nothing, and where all
/// sizes are large the first kernel of a call takes all the work.
std::vector<Shape> pairs_beside_small(const Problem& problem, double limit) {
  const std::vector<std::size_t> growing = growing_from(problem, 0);
  std::vector<Shape> shapes;
  const std::vector<Shape> windows = windows_of(problem);
  const std::size_t count = growing.size();
  for (std::size_t n = 0; n < count && count > 1; ++n) {
    for (const std::size_t neighbour : {n + 1, n + count - 1}) {
      Shape shape = with_windows(problem, small_shape(problem, growing[n]),
                                 windows[shapes.size() / 2 % windows.size()]);
      for (const std::size_t i : {growing[n], growing[neighbour % count]})
        shape = filled_up(problem, std::move(shape), i, 1, limit);
      shapes.push_back(shape);
      shapes.push_back(odd(problem, std::move(shape)));
    }
  }
  return shapes;
}

/// A little less than a power of two of at most so many, any or the largest: what divides by it in
/// fewer bits than the quotient needs errs most there.
int below_a_power(int most, bool is_largest, const Random& random) {
  const auto bits = static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(most)) - 1);
  const int power = 1 << (is_largest ? bits : random.below(0, bits + 1));
  return std::max(1, power - 1 - static_cast<int>(random.below(1, std::max(1, power / 8))));
}

/// One size near the top of its range, the others drawn; of these the last, or where there are
/// several the first one again, fills the tensors. Odd draws are of whole tiles.
Shape drawn_to_limit(const Problem& problem, std::size_t i, const Shape& windows, bool of_tiles,
                     const Random& random) {
  constexpr int tile = 64, parts = 1000, least_part = 400;
  const auto cut = [&](int size) { return of_tiles && size >= tile ? size - size % tile : size; };
  const double limit = std::numeric_limits<double>::infinity();
  const std::vector<std::size_t> growing = growing_from(problem, i);
  Shape shape = with_windows(problem, Shape(windows.size(), 1), windows);
  const auto room = [&](std::size_t j) { return filled_up(problem, shape, j, 1, limit)[j]; };
  const auto part = least_part + static_cast<int>(random.below(0, parts - least_part));
  shape[i] = std::max(1, cut(static_cast<int>(std::int64_t{room(i)} * part / parts)));
  for (std::size_t n = 1; n < growing.size(); ++n) {
    int& size = shape[growing[n]];
    const int most = room(growing[n]);
    const bool is_last = n + 1 == growing.size();
    size =
        std::max(1, cut(is_last && n == 1 ? most : below_a_power(most, is_last, random.stream(n))));
  }
  if (growing.size() > 2) shape[i] = std::max(1, cut(room(i)));
  return legal(problem, std::move(shape));
}

constexpr std::size_t of_ints = std::size_t{1} << 31, just_beyond_ints = of_ints / 4 * 5;

std::size_t largest_tensor(const Problem& problem, const Shape& shape) {
  std::size_t most = 0;
  for (const Parameter& tensor : problem.signature.tensors)
    most = std::max(most, elements(tensor, shape));
  return most;
}

/// Neighbouring sizes, of which one leaves the least of the limit to the others: the end of the
/// last block's part may be beyond it.
Shape closest_to_limit(const Problem& problem, std::size_t i, std::size_t j) {
  constexpr int tried = 64;
  const double limit = std::numeric_limits<double>::infinity();
  const std::size_t sizes = problem.signature.integers.size();
  const Shape full =
      filled_up(problem, filled_up(problem, Shape(sizes, 1), j, 1, limit), i, 1, limit);
  Shape best = full;
  for (int more = 0; more < tried; ++more) {
    Shape shape = full;
    shape[i] += more;
    shape[j] = 1;
    shape = filled_up(problem, legal(problem, std::move(shape)), j, 1, limit);
    if (largest_tensor(problem, shape) > largest_tensor(problem, best)) best = shape;
  }
  return best;
}

/// Each size as large as a tensor just beyond ints allows, one after the other from that one on;
/// those that no tensor's elements depend on stay small.
Shape filled_just_beyond(const Problem& problem, std::size_t from) {
  Shape shape = legal(problem, Shape(problem.signature.integers.size(), 1));
  for (const std::size_t i : growing_from(problem, from)) {
    const auto with = [&](int size) {
      Shape larger = shape;
      larger[i] = size;
      return legal(problem, std::move(larger));
    };
    const int most = problem.signature.integers[i].most;
    if (largest_tensor(problem, with(most)) == largest_tensor(problem, shape)) continue;
    int low = 1, high = most;
    while (low < high) {
      const int middle = high - (high - low) / 2;
      const bool fits = largest_tensor(problem, with(middle)) <= just_beyond_ints;
      (fits ? low : high) = fits ? middle : middle - 1;
    }
    shape = with(low);
  }
  return shape;
}

/// The one of the least price, with long rows: few blocks do then for all of them.
std::vector<Shape> beyond_ints(const Problem& problem) {
  std::vector<Shape> shapes;
  if (problem.most_elements <= static_cast<std::int64_t>(of_ints)) return shapes;
  for (const std::size_t i : growing_from(problem, 0)) {
    Shape shape = filled_just_beyond(problem, i);
    if (is_just_beyond_ints(problem, shape) && is_promised(problem, shape))
      shapes.push_back(std::move(shape));
  }
  const auto by_price = [&](const Shape& shape) { return price(problem, shape); };
  if (!shapes.empty()) shapes = {*std::ranges::min_element(shapes, {}, by_price)};
  return shapes;
}

}  // namespace

bool is_just_beyond_ints(const Problem& problem, const Shape& shape) {
  const std::size_t most = largest_tensor(problem, shape);
  return most > of_ints && most <= just_beyond_ints;
}

bool draws_floats_alone(const Problem& problem) {
  return std::ranges::all_of(problem.signature.tensors, [](const Parameter& one) {
    return one.kind == Parameter::Kind::output || is_float(one.type);
  });
}

Values values_that_repeat(const Problem& problem) {
  if (!problem.arrange) return Values::normal;
  const auto ascends = [](const Array& x) {
    if (!is_float(x.type()) || x.size() < 3 || !(x[0] < x[x.size() - 1])) return false;
    for (std::size_t i = 1; i < x.size(); ++i)
      if (!(x[i - 1] <= x[i])) return false;
    return true;
  };
  const Inputs inputs = make_inputs(problem, {problem.cases.back().shape}, 1);
  return std::ranges::any_of(inputs, ascends) ? Values::constant : Values::normal;
}

std::vector<Shape> largest_near(const Problem& problem, const std::vector<NearSizes>& sizes) {
  constexpr std::size_t most = 8;
  const double limit = most_of_maximum(problem);
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::set<int>& near = sizes[i].thresholds;
    for (const int size : near) {
      if (near.contains(size - 1) && near.contains(size + 1)) continue;  // neither side's
      Shape shape(sizes.size(), 1);
      shape[i] = size;
      shapes.push_back(filled_up(problem, std::move(shape), i + 1, sizes.size() - 1, limit));
    }
  }
  std::ranges::sort(shapes, std::greater());
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  std::erase_if(shapes, [&](const Shape& shape) { return !is_promised(problem, shape); });
  if (shapes.size() > most) shapes.resize(most);
  return shapes;
}

std::vector<Case> maximum_cases(const Problem& problem, const std::vector<Shape>& near) {
  const double limit = most_of_maximum(problem);
  const std::size_t sizes = problem.signature.integers.size();
  const Values values = values_that_repeat(problem);
  std::vector<Case> cases;
  const auto add = [&](const Shape& shape) {
    if (is_promised(problem, shape) && std::ranges::find(cases, shape, &Case::shape) == cases.end())
      cases.push_back({shape, values});
  };
  for (std::size_t first = 0; first < sizes; ++first)
    add(filled_up(problem, Shape(sizes, 1), first, sizes, limit));
  // What vectors and tiles leave over, at offsets as large; each with few sizes, or it takes
  // seconds.
  constexpr std::size_t few_sizes = 3;
  for (std::size_t i = 0, even = sizes <= few_sizes ? cases.size() : 1; i < even; ++i) {
    add(odd(problem, cases[i].shape));
  }
  if (sizes > 1) add(even_shape(problem, limit));  // paths for tiles
  std::ranges::for_each(beyond_ints(problem), add);
  std::ranges::for_each(pairs_beside_small(problem, limit), add);
  std::ranges::for_each(near, add);
  return cases;
}

std::vector<Case> drawn_maximum_cases(const Problem& problem, std::uint64_t seed) {
  constexpr std::uint64_t of_rows = 6, draws = 12;
  const std::vector<std::size_t> growing = growing_from(problem, 0);
  if (growing.size() < 2 || has_structure(problem)) return {};
  const std::vector<Shape> windows = windows_of(problem);
  std::vector<Shape> shapes;
  for (const std::size_t i : growing) {
    // Most along rows, of which values can be compared.
    const std::uint64_t of_each = i == growing.front() ? of_rows : draws / growing.size();
    for (std::uint64_t draw = 0; draw < of_each; ++draw)
      shapes.push_back(drawn_to_limit(problem, i, windows[draw % windows.size()], draw % 2 == 1,
                                      Random(seed).stream(i * of_rows + draw)));
    if (const std::size_t last = growing_from(problem, i).back(); last != i)
      shapes.push_back(closest_to_limit(problem, i, last));
  }
  const Values values = values_that_repeat(problem);
  std::vector<Case> cases;
  for (const Shape& shape : shapes)
    if (is_promised(problem, shape)) cases.push_back({shape, values});
  return cases;
}

}  // namespace kata
