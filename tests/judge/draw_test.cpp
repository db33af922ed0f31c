// The ways of drawing an input: ranges, orders, structures.

#include "problems/spec/draw.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "problems/spec/attention_scores.h"

using namespace kata;

namespace {

template <class T>
std::vector<T> drawn(const Draw& draw, std::size_t n, Values values, Shape shape = {}) {
  Array x(type_of<T>, n);
  draw(x, {std::move(shape), values}, Random(42));
  return {x.as<T>().begin(), x.as<T>().end()};
}

}  // namespace

TEST_CASE("of two levels the late one is as far above the first as exp and a float's sum bear") {
  for (const int cols : {40, 1000, 9000}) {
    const auto x = drawn<float>(draw::rows_of(1), 3 * cols, Values::two_levels, {3, cols});
    const auto row = x.begin() + cols, late = row + cols / 4, end = row + cols;
    const double first = *std::max_element(row, late), most = *std::max_element(row, end);
    CHECK(first < 2);
    CHECK(std::isfinite(std::exp(static_cast<float>(most - first))));
    float sum = 0;
    for (auto at = late; at < end; ++at) sum += std::exp(*at - static_cast<float>(first));
    CHECK(std::isinf(sum));
  }
}

TEST_CASE("integers stay in their range and reach both of its ends") {
  for (const Values values : {Values::uniform, Values::normal, Values::outliers, Values::sorted}) {
    const auto x = drawn<int>(draw::between(-3, 4), 1000, values);
    CHECK(*std::min_element(x.begin(), x.end()) == -3);
    CHECK(*std::max_element(x.begin(), x.end()) == 4);
    const auto labels = drawn<int>(draw::below(1), 1000, values, {1000, 7});
    CHECK(*std::min_element(labels.begin(), labels.end()) == 0);
    CHECK(*std::max_element(labels.begin(), labels.end()) == 6);
  }
  const auto keys = drawn<unsigned>(draw::as_the_case_says(), 1000, Values::uniform);
  CHECK(*std::max_element(keys.begin(), keys.end()) > 0xff000000u);
  const auto bytes = drawn<signed char>(draw::as_the_case_says(), 10000, Values::uniform);
  CHECK(*std::min_element(bytes.begin(), bytes.end()) == -128);
}

TEST_CASE("the case's order holds for integers and floats alike") {
  const auto check_order = [](const auto& of) {
    const auto sorted = of(Values::sorted);
    CHECK(std::is_sorted(sorted.begin(), sorted.end()));
    CHECK(sorted.front() < sorted.back());
    const auto descending = of(Values::descending);
    CHECK(std::is_sorted(descending.rbegin(), descending.rend()));
    const auto few = of(Values::few_distinct);
    CHECK(std::set(few.begin(), few.end()).size() == 4);
    const auto steps = of(Values::steps);
    CHECK(std::set(steps.begin(), steps.end()).size() == 4);
    CHECK(std::is_sorted(steps.begin(), steps.end()));
    const auto strided = of(Values::strided);
    const auto high = *std::max_element(strided.begin(), strided.end());
    const auto first = std::find(strided.begin(), strided.end(), high) - strided.begin();
    const auto second = std::find(strided.begin() + first + 1, strided.end(), high);
    const auto stride = second - strided.begin() - first;
    CHECK(stride == 32);
    CHECK(std::count(strided.begin(), strided.end(), high) < 1000 / stride);
    const auto gaps = of(Values::gaps);
    const auto low = *std::min_element(gaps.begin(), gaps.end());
    CHECK(std::count(gaps.begin(), gaps.end(), low) <= 4);
    CHECK(std::set(gaps.begin(), gaps.end()).size() == 2);
    const auto twice = of(Values::largest_twice);
    const auto once = std::max_element(twice.begin(), twice.end());
    const auto again = std::find(once + 1, twice.end(), *once);
    CHECK(twice.end() - again <= 4);
    CHECK(again - once <= 12);
    const auto one = of(Values::constant);
    CHECK(std::set(one.begin(), one.end()).size() == 1);
    const auto skewed = of(Values::skewed);
    std::map<double, int> times;
    for (auto value : skewed) ++times[static_cast<double>(value)];
    CHECK(std::any_of(times.begin(), times.end(),
                      [](const auto& pair) { return pair.second > 800; }));
    CHECK(times.size() > 50);
  };
  check_order([](Values values) { return drawn<float>(draw::as_the_case_says(), 1000, values); });
  check_order([](Values values) { return drawn<int>(draw::between(0, 9999), 1000, values); });
  check_order([](Values values) { return drawn<Half>(draw::as_the_case_says(), 1000, values); });
}

TEST_CASE("values of a range of their own do not follow the case") {
  for (float value : drawn<float>(draw::positive(), 1000, Values::all_negative)) CHECK(value > 0);
  const auto near_one = drawn<float>(draw::around(1, 0.01), 1000, Values::outliers);
  CHECK(std::all_of(near_one.begin(), near_one.end(),
                    [](float value) { return std::fabs(value - 1) < 0.1f; }));
  for (float value : drawn<float>(draw::uniform(2, 3), 1000, Values::normal)) {
    CHECK(value >= 2);
    CHECK(value < 3.0001f);
  }
}

TEST_CASE("no distribution overflows a narrow type") {
  for (int values = 0; values <= static_cast<int>(Values::steps); ++values) {
    for (Half value : drawn<Half>(draw::as_the_case_says(), 2000, static_cast<Values>(values))) {
      CHECK(std::isfinite(static_cast<float>(value)));
    }
  }
}

TEST_CASE("a permutation has each number once, lengths have the longest and the shortest") {
  auto permutation = drawn<int>(draw::permutation(), 1000, Values::normal);
  CHECK_FALSE(std::is_sorted(permutation.begin(), permutation.end()));
  std::sort(permutation.begin(), permutation.end());
  for (int i = 0; i < 1000; ++i) CHECK(permutation[static_cast<std::size_t>(i)] == i);
  const auto lengths = drawn<int>(draw::lengths(0), 10, Values::uniform, {777});
  CHECK(std::count(lengths.begin(), lengths.end(), 777) >= 1);
  CHECK(std::count(lengths.begin(), lengths.end(), 1) >= 1);
  CHECK(drawn<int>(draw::lengths(0), 1, Values::uniform, {777})[0] == 777);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Array two(Type::i32, 2);
    draw::lengths(0)(two, {{90}, Values::normal}, Random(seed));
    CHECK(std::set{two[0], two[1]} == std::set{1.0, 90.0});
  }
}

TEST_CASE(
    "with some queries all scores on two levels are negative: maxima by bits are the lowest") {
  constexpr std::size_t dim = 64, keys = 40;
  const ScoresOnTwoLevels<float> levels(dim, 1);
  std::vector<float> queries(4 * dim), key(dim);
  levels.set_queries(queries);
  int negative = 0;
  for (std::size_t q = 0; q < 4; ++q) {
    double most = -HUGE_VAL, least = HUGE_VAL;
    for (std::size_t j = 0; j < keys; ++j) {
      levels.set_key(std::span(key), j, keys);
      const double score =
          std::inner_product(key.begin(), key.end(), queries.begin() + q * dim, 0.0);
      most = std::max(most, score);
      least = std::min(least, score);
    }
    CHECK(most - least > 40);
    negative += most < 0;
  }
  CHECK(negative == 2);
}

TEST_CASE("a CSR structure is valid at any fill, with empty rows and a giant one") {
  struct Size {
    int rows, cols, entries;
  };
  for (const Size& size : {Size{1, 1, 0}, Size{1, 1, 1}, Size{3, 5, 15}, Size{100, 1000, 0},
                           Size{100, 1000, 3000}, Size{7, 3, 20}, Size{1000, 2, 2000}}) {
    CAPTURE(size.rows);
    CAPTURE(size.entries);
    std::vector<int> row_start(static_cast<std::size_t>(size.rows) + 1, -1);
    std::vector<int> col(static_cast<std::size_t>(size.entries), -1);
    draw_csr(row_start, col, size.cols, Random(1));
    CHECK(row_start.front() == 0);
    CHECK(row_start.back() == size.entries);
    int empty = 0, most = 0;
    for (int row = 0; row < size.rows; ++row) {
      const auto begin = col.begin() + row_start[static_cast<std::size_t>(row)];
      const auto end = col.begin() + row_start[static_cast<std::size_t>(row) + 1];
      CHECK(begin <= end);
      CHECK(std::adjacent_find(begin, end, std::greater_equal<>()) == end);
      CHECK(std::all_of(begin, end, [&](int c) { return c >= 0 && c < size.cols; }));
      empty += begin == end;
      most = std::max(most, static_cast<int>(end - begin));
    }
    if (size.entries == 3000) {
      CHECK(empty > 5);
      CHECK(most >= 1000);
    }
  }
}
