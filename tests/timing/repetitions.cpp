#include "timing/repetitions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>

using namespace kata;

TEST_CASE("a fast kernel gets as many samples as fit into the measuring time") {
  CHECK(sample_count(0.001, {}) == 100);
  CHECK(sample_count(0.0005, {}) == 200);
}

TEST_CASE("a very fast kernel gets a thousand samples and no more") {
  CHECK(sample_count(1e-6, {}) == 1000);
  CHECK(sample_count(0, {}) == 1000);
}

TEST_CASE("a kernel that fills the measuring time still gets ten samples") {
  CHECK(sample_count(0.020, {}) == 10);
  CHECK(sample_count(0.099, {}) == 10);
}

TEST_CASE("a slow naive kernel does not take many seconds, but gets three samples") {
  CHECK(sample_count(0.200, {}) == 5);
  CHECK(sample_count(0.300, {}) == 3);
  CHECK(sample_count(7.0, {}) == 3);
}

TEST_CASE("less effort gives fewer samples") {
  CHECK(sample_count(0.001, {.warm_up_s = 0.01, .measuring_s = 0.03}) == 30);
}

TEST_CASE("every kernel is called as often as it was promised") {
  const std::vector<int> counts = {1000, 3, 10, 700};
  const std::vector<std::size_t> order = in_turn(counts);
  CHECK(order.size() == 1713);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    CHECK(std::count(order.begin(), order.end(), i) == counts[i]);
  }
}

TEST_CASE("kernels with equally many samples take turns") {
  const std::vector<std::size_t> order = in_turn({50, 50, 50});
  REQUIRE(order.size() == 150);
  for (std::size_t round = 0; round < order.size(); round += 3) {
    std::vector<std::size_t> members(order.begin() + round, order.begin() + round + 3);
    std::sort(members.begin(), members.end());
    CHECK(members == std::vector<std::size_t>{0, 1, 2});
  }
}

TEST_CASE("no kernel always runs behind the same one, whose heat would slow it down") {
  const std::vector<std::size_t> order = in_turn({40, 40, 40, 40});
  std::map<std::pair<std::size_t, std::size_t>, int> pairs;
  for (std::size_t place = 1; place < order.size(); ++place) {
    ++pairs[{order[place - 1], order[place]}];
  }
  for (std::size_t before = 0; before < 4; ++before) {
    for (std::size_t after = 0; after < 4; ++after) {
      if (before != after) CHECK(pairs[{before, after}] >= 4);
    }
  }
}

TEST_CASE("a slow kernel's samples are spread over the whole measurement") {
  const std::vector<std::size_t> order = in_turn({1000, 4});
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (order[place] == 1) places.push_back(place);
  }
  REQUIRE(places.size() == 4);
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    // 250 of the other in between, and their places within two rounds.
    CHECK(places[i + 1] - places[i] >= 250);
    CHECK(places[i + 1] - places[i] <= 252);
  }
}

TEST_CASE("without kernels there is no round") {
  CHECK(in_turn({}).empty());
  CHECK(in_turn({0, 0}).empty());
}
