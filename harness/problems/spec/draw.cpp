#include "problems/spec/draw.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace kata {
namespace {

/// Which element is at index i: if few are distinct, many indices share one.
std::size_t source(std::size_t i, Values values, const Random& random) {
  switch (values) {
    case Values::constant:
      return 0;
    case Values::few_distinct:
    case Values::steps:
      return random.stream(1).below(i, 4);
    case Values::skewed:
      return random.stream(2).below(i, 8) == 0 ? i : 0;
    default:
      return i;
  }
}

/// The first two elements at all places, one of them at those of one remainder.
template <class T>
void alternate(std::span<T> elements, bool is_low_rare, const Random& random) {
  const auto [low, high] = std::minmax({elements[0], elements[1]});
  const std::size_t place = random.below(0, 32);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t stride = i < elements.size() / 2 && !is_low_rare ? 32 : 256;
    elements[i] = (i % stride == place) == is_low_rare ? low : high;
  }
}

/// Of what vectors leave over, and of the vectors before.
template <class T>
void repeat_largest(std::span<T> elements, const Random& random) {
  constexpr std::size_t last = 4, before = 12;
  const auto at_most = [&](std::uint64_t i, std::size_t most, std::size_t there_are) {
    return 1 + random.below(i, std::min(most, there_are));
  };
  const std::size_t second = elements.size() - at_most(0, last, elements.size() - 1);
  const std::size_t first = second - at_most(1, before, second);
  std::iter_swap(std::max_element(elements.begin(), elements.end()), elements.begin() + second);
  elements[first] = elements[second];
}

/// Draws element by element, element(i) the i-th of distinct ones, and brings them into the order
/// that the case asks for.
template <class Element>
void fill(Array& x, Values values, const Random& random, Element element) {
  if (x.size() == 0) return;
  x.visit([&]<class T>(std::span<T> elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = static_cast<T>(element(source(i, values, random)));
    }
    if ((values == Values::strided || values == Values::gaps) && elements.size() > 1)
      alternate(elements, values == Values::gaps, random.stream(3));
    if (values == Values::largest_twice && elements.size() > 1)
      repeat_largest(elements, random.stream(3));
    if (values == Values::sorted || values == Values::steps)
      std::sort(elements.begin(), elements.end());
    if (values == Values::descending) std::sort(elements.rbegin(), elements.rend());
    if (values == Values::largest_last) {
      std::iter_swap(std::max_element(elements.begin(), elements.end()), elements.end() - 1);
    }
  });
}

double real_element(Values values, const Random& random, std::size_t i) {
  constexpr double whole[] = {-3, -2, -1, 1, 2, 3};
  switch (values) {
    case Values::large_magnitude:
      return 100 * random.normal(i);
    case Values::all_negative:
      return -1 - std::fabs(random.normal(i));
    case Values::far_below_zero:
      // Below -3e38, and times log2(e) beyond a float. The first is not the largest: an index that
      // starts at 0 is not right by chance.
      return -std::ldexp(i == 0 || random.below(i, 8) == 0 ? 1.984375 : 1.9375, 127);
    case Values::whole_numbers:
      return whole[random.below(i, std::size(whole))];
    case Values::uniform:
      return 2 * random.uniform(i) - 1;
    case Values::positive:
      return 0.1 + std::fabs(random.normal(i));
    case Values::large_mean:
      return 1000 + random.normal(i);
    case Values::lowest:
      return -std::numeric_limits<double>::infinity();  // clamped to what the type holds
    case Values::signed_zeros:
      return i == 0 || random.below(i, 2) == 0 ? -0.0 : 0.0;
    case Values::mostly_zero:
      if (const std::uint64_t kind = random.below(i, 512); kind > 0) return kind % 2 ? 0.0 : -0.0;
      return random.normal(i);
    case Values::subnormal:
      return std::ldexp(1.0 + static_cast<double>(random.below(i, 1 << 22)), -149);
    default:
      return random.normal(i);
  }
}

/// What general_values make of an input that is drawn: by its own numbers some are left alone.
void change_in_parts(Array& x, Values values, const Random& random) {
  constexpr std::size_t run = 16;
  constexpr double factors[] = {1e-3, 1e-6};
  const std::size_t half = x.size() / 2, kind = random.below(~std::uint64_t{0}, 2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_zero = values == Values::zero_runs ? i / run % 3 == 1
                         : values == Values::early
                             ? kind == 0 && i >= half
                             : values == Values::late && kind == 0 && i < half;
    if (is_zero) x.set(i, 0);
    if (values == Values::tiny) x.set(i, x[i] * factors[kind]);
  }
}

void draw_reals(Array& x, Values values, const Random& random) {
  const double most = largest_finite(x.type());
  fill(x, values, random,
       [&](std::size_t i) { return std::clamp(real_element(values, random, i), -most, most); });
  if (std::ranges::find(general_values, values) != std::end(general_values))
    change_in_parts(x, values, random);
  if (values != Values::outliers || x.size() == 0) return;
  constexpr std::size_t one_in = 512;
  const std::size_t first = random.below(~std::uint64_t{0}, std::min(one_in, x.size()));
  for (std::size_t i = first; i < x.size(); i += one_in) x.set(i, x[i] * 1000);
  // A row may be measured from its first element.
  if (first > 0 && x.size() > one_in) x.set(0, x[0] * 1000);
}

void draw_integers(Array& x, Values values, const Random& random, std::int64_t least,
                   std::int64_t most) {
  if (values == Values::all_negative && least < 0) most = std::min<std::int64_t>(most, -1);
  if (values == Values::positive && most > 0) least = std::max<std::int64_t>(least, 1);
  if (values == Values::lowest) most = least;
  const auto range = static_cast<std::uint64_t>(most - least + 1);
  fill(x, values, random, [&](std::size_t i) {
    const std::int64_t any = least + static_cast<std::int64_t>(random.below(i, range));
    if (values == Values::mostly_lowest)
      return static_cast<double>(i % 256 == 255 ? std::min(any | 1, most) : least);
    return static_cast<double>(any);
  });
}

/// The smallest and the largest agree in all digits but the highest; others differ in all.
void make_ends_alike(Array& x) {
  if (x.type() != Type::u32 || x.size() < 2) return;
  const std::span<unsigned> words = x.as<unsigned>();
  constexpr unsigned highest = 0xff000000;
  for (unsigned& word : words) {
    if ((word & highest) == 0) word |= 0x01000000;
    if ((word & highest) == highest) word &= 0xfeffffff;
  }
  words.front() &= ~highest;
  words.back() = words.front() | highest;
}

std::int64_t least_of(Type type) {
  if (type == Type::i32) return -(std::int64_t{1} << 31);
  return type == Type::i8 ? -128 : 0;
}

/// Draws the first 2^20 elements.
Draw repeated(Draw draw) {
  return [draw = std::move(draw)](Array& x, const Case& one_case, const Random& random) {
    Array drawn(x.type(), std::min(x.size(), std::size_t{1} << 20));
    draw(drawn, one_case, random);
    for (std::size_t done = 0; done < x.bytes().size(); done += drawn.bytes().size()) {
      const std::size_t count = std::min(drawn.bytes().size(), x.bytes().size() - done);
      std::copy_n(drawn.bytes().begin(), count,
                  x.bytes().begin() + static_cast<std::ptrdiff_t>(done));
    }
  };
}

}  // namespace

double level_of(std::size_t i, std::size_t count) {
  constexpr double largest_exponent = 88.72, more = 1.5;  // of a float
  const std::size_t first = count / 4;
  return i < first ? 0 : largest_exponent + more - std::log(static_cast<double>(count - first));
}

namespace draw {

Draw as_the_case_says() {
  return [](Array& x, const Case& one_case, const Random& random) {
    if (is_float(x.type())) return draw_reals(x, one_case.values, random);
    draw_integers(x, one_case.values, random, least_of(x.type()),
                  static_cast<std::int64_t>(largest_finite(x.type())));
    if (one_case.values == Values::alike_ends) make_ends_alike(x);
  };
}

Draw rows_of(std::size_t size) {
  return [=](Array& x, const Case& one_case, const Random& random) {
    constexpr double spread = 0.25;
    as_the_case_says()(x, one_case, random);
    if (one_case.values != Values::two_levels) return;
    const std::size_t count = one_case.shape[size];
    for (std::size_t i = 0; i < x.size(); ++i) x.set(i, spread * x[i] + level_of(i % count, count));
  };
}

Draw mild_outliers() {
  return [](Array& x, const Case& one_case, const Random& random) {
    as_the_case_says()(x, one_case, random);
    if (one_case.values != Values::outliers) return;
    constexpr double most_of_the_others = 16;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::fabs(x[i]) > most_of_the_others) x.set(i, x[i] / 20);
    }
  };
}

Draw with_special(std::vector<float> special) {
  return [special = std::move(special)](Array& x, const Case& one_case, const Random& random) {
    as_the_case_says()(x, one_case, random);
    if (one_case.values != Values::normal) return;
    for (std::size_t i = 10; i < x.size(); i += 20) x.set(i, special[i / 20 % special.size()]);
  };
}

Draw any_bits() {
  constexpr float largest = std::numeric_limits<float>::max();
  return with_special({-0.0f, 1e-45f, largest, -1e-40f, -largest});
}

Draw between(std::int64_t least, std::int64_t most) {
  return [=](Array& x, const Case& one_case, const Random& random) {
    draw_integers(x, one_case.values, random, least, most);
  };
}

Draw below(std::size_t size) {
  return [=](Array& x, const Case& one_case, const Random& random) {
    draw_integers(x, one_case.values, random, 0, one_case.shape[size] - 1);
  };
}

Draw lengths(std::size_t size) {
  return [=](Array& x, const Case& one_case, const Random& random) {
    draw_integers(x, one_case.values, random, 1, one_case.shape[size]);
    if (x.size() == 0) return;
    const std::size_t longest = random.below(x.size(), x.size());
    if (x.size() > 1) x.set((longest + 1 + random.below(0, x.size() - 1)) % x.size(), 1);
    x.set(longest, one_case.shape[size]);
  };
}

Draw sequence_lengths(std::size_t size) {
  return [=](Array& x, const Case& one_case, const Random& random) {
    if (one_case.values != Values::uniform) return lengths(size)(x, one_case, random);
    for (std::size_t i = 0; i < x.size(); ++i) x.set(i, one_case.shape[size]);
  };
}

Draw permutation() {
  return [](Array& x, const Case&, const Random& random) {
    for (std::size_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(i));
    x.visit([&](auto elements) {
      for (std::size_t i = elements.size(); i > 1; --i) {
        std::swap(elements[i - 1], elements[random.below(i, i)]);
      }
    });
  };
}

Draw positive() {
  return
      [](Array& x, const Case&, const Random& random) { draw_reals(x, Values::positive, random); };
}

Draw around(double mean, double spread) {
  return [=](Array& x, const Case&, const Random& random) {
    fill(x, Values::normal, random,
         [&](std::size_t i) { return mean + spread * random.normal(i); });
  };
}

Draw uniform(double least, double most) {
  return [=](Array& x, const Case&, const Random& random) {
    fill(x, Values::uniform, random,
         [&](std::size_t i) { return least + (most - least) * random.uniform(i); });
  };
}

Draw cached_keys() {
  return repeated(mild_outliers());
}

Draw cached_values() {
  return repeated([](Array& x, const Case& one_case, const Random& random) {
    Case drawn = one_case;
    if (one_case.values == Values::constant) drawn.values = Values::normal;
    as_the_case_says()(x, drawn, random);
  });
}

}  // namespace draw

void draw_csr(std::span<int> row_start, std::span<int> col, int cols, const Random& random) {
  const std::size_t rows = row_start.size() - 1;
  const auto entries = static_cast<std::int64_t>(col.size());
  // How many entries each row has: a giant one, empty ones, and the rest spread about evenly.
  std::vector<std::int64_t> length(rows);
  const std::size_t giant = random.below(0, rows);
  length[giant] = std::min<std::int64_t>(cols, (entries + 1) / 2);
  std::int64_t left = entries - length[giant];
  for (std::size_t row = 0; row < rows; ++row) {
    if (row == giant || random.below(row + 1, 4) == 0) continue;
    const auto rows_left = static_cast<std::int64_t>(rows - row);
    length[row] = std::min<std::int64_t>({cols, left, (2 * left + rows_left - 1) / rows_left});
    left -= length[row];
  }
  for (std::size_t row = 0; row < rows; ++row) {  // what found no place
    const std::int64_t more = std::min(left, cols - length[row]);
    length[row] += more;
    left -= more;
  }
  row_start[0] = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    row_start[row + 1] = row_start[row] + static_cast<int>(length[row]);
    const Random place = random.stream(row);
    for (std::int64_t k = 0; k < length[row]; ++k) {  // one in each of equal parts of the row
      const std::int64_t begin = k * cols / length[row], end = (k + 1) * cols / length[row];
      const auto offset =
          place.below(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(end - begin));
      col[static_cast<std::size_t>(row_start[row] + k)] =
          static_cast<int>(begin + static_cast<std::int64_t>(offset));
    }
  }
}

}  // namespace kata
