#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "judge/judge.h"

using namespace kata;

namespace {

std::vector<float> drawn(Values values, int n, std::uint64_t seed = 42) {
  const Inputs inputs = make_inputs(*find_problem("relu"), {{n}, values}, seed);
  const auto x = inputs[0].as<float>();
  return {x.begin(), x.end()};
}

}  // namespace

TEST_CASE("a seed gives the same inputs again, on every machine") {
  CHECK(drawn(Values::normal, 1000) == drawn(Values::normal, 1000));
  // Written down once: another compiler or C library must not change them.
  const std::vector<float> x = drawn(Values::normal, 4);
  CHECK(x[0] == -0.186616659f);
  CHECK(x[1] == -0.225060403f);
  CHECK(drawn(Values::large_magnitude, 2)[1] == -74.4077148f);
  CHECK(drawn(Values::all_negative, 2)[1] == -1.95641255f);
}

TEST_CASE("another seed, another case and another tensor get other inputs") {
  CHECK(drawn(Values::normal, 100, 1) != drawn(Values::normal, 100, 2));
  CHECK(drawn(Values::normal, 100)[0] != drawn(Values::normal, 101)[0]);
  const Inputs two = make_inputs(*find_problem("add"), {{100}}, 42);
  CHECK(two[0] != two[1]);
}

TEST_CASE("where no kernel runs, host code still finds the indices, and floats are zero") {
  const Problem& problem = *find_problem("embedding");
  const Case one_case{{50, 70, 3}};
  const Inputs all = make_inputs(problem, one_case, 42);
  const Inputs integers = make_integer_inputs(problem, one_case, 42);
  REQUIRE(integers.size() == all.size());
  int compared = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(all[i].size() == integers[i].size());
    const bool same = all[i] == integers[i];
    CHECK(same != is_float(all[i].type()));
    compared += same;
  }
  CHECK(compared == 1);
}

TEST_CASE("a size at which only launches are looked at takes no gigabytes") {
  for (const Problem& problem : problems()) {
    for (const Case& one : launch_cases(problem)) {
      CAPTURE(problem.name);
      CAPTURE(one.shape);
      std::size_t all = 0;
      for (const Parameter& tensor : problem.signature.tensors) all += elements(tensor, one.shape);
      CHECK(all <= std::size_t{1} << 28);
    }
  }
  // Its cache may have 2^20 pages, of at least 2048 elements.
  const std::vector<Case> paged = launch_cases(*find_problem("paged_attention"));
  CHECK(std::ranges::any_of(paged, [](const Case& one) { return one.shape[6] > 65535; }));
}

TEST_CASE("a rule for an input can read the scalars that a case leaves at their defaults") {
  Problem problem;
  const Draw beta = [](Array& x, const Case& one_case, const Random&) {
    x.set(0, one_case.reals.at(1));
  };
  problem.signature = signature(input<float>("x", dims<0>, beta), output<float>("y", dims<0>),
                                integer("n"), real("alpha", 1), real("beta", 0.25f));
  problem.arrange = [](Inputs& inputs, const Case& one_case, const Random&) {
    inputs[0].set(1, one_case.reals.at(0));
  };
  const Inputs inputs = make_inputs(problem, {{2}, Values::normal, {3}}, 1);
  CHECK(inputs[0][0] == 0.25);
  CHECK(inputs[0][1] == 3);
}

TEST_CASE("normal inputs have mean 0, variance 1 and the tails of a normal distribution") {
  const int n = 1 << 18;
  const std::vector<float> x = drawn(Values::normal, n);
  double sum = 0, squares = 0;
  int beyond_two = 0;
  for (float value : x) {
    sum += value;
    squares += static_cast<double>(value) * value;
    beyond_two += std::fabs(value) > 2;
  }
  CHECK(std::fabs(sum / n) < 0.01);
  CHECK(std::fabs(squares / n - 1) < 0.01);
  CHECK(std::fabs(beyond_two / double(n) - 0.0455) < 0.003);
  CHECK(*std::max_element(x.begin(), x.end()) > 3.9f);
}

TEST_CASE("each kind of values is what its name says") {
  const std::vector<float> large = drawn(Values::large_magnitude, 1000);
  CHECK(*std::max_element(large.begin(), large.end()) > 150);
  for (float value : drawn(Values::all_negative, 1000)) CHECK(value <= -1);
  for (float value : drawn(Values::far_below_zero, 1000)) CHECK(value < -1e37f);

  const std::vector<float> same = drawn(Values::constant, 1000);
  CHECK(std::count(same.begin(), same.end(), same[0]) == 1000);

  for (int n : {1, 100, 2000}) {
    const std::vector<float> outliers = drawn(Values::outliers, n);
    const auto far = std::count_if(outliers.begin(), outliers.end(),
                                   [](float value) { return std::fabs(value) > 9; });
    CHECK(far >= 1);
    CHECK(far <= n / 512 + 2);  // with the first
  }
  const std::vector<float> whole = drawn(Values::whole_numbers, 1000);
  for (float value : {-3, -2, -1, 1, 2, 3})
    CHECK(std::count(whole.begin(), whole.end(), value) > 99);
  CHECK(std::count(whole.begin(), whole.end(), 0) == 0);

  const std::vector<float> runs = drawn(Values::zero_runs, 1000);
  CHECK(std::count(runs.begin() + 16, runs.begin() + 32, 0) == 16);
  CHECK(std::count(runs.begin(), runs.end(), 0) < 400);
  for (float value : drawn(Values::tiny, 1000)) CHECK(std::fabs(value) < 0.01f);
  for (const Values half : {Values::early, Values::late}) {
    const std::vector<float> x = drawn(half, 1000);
    const auto zeros = std::count(x.begin(), x.end(), 0);
    CHECK((zeros == 0 || zeros == 500));
  }

  const std::vector<float> last = drawn(Values::largest_last, 1000);
  CHECK(last.back() == *std::max_element(last.begin(), last.end()));
}

TEST_CASE("windows of one element meet planes that are aligned together and not alone") {
  const std::vector<Case> cases = usual_cases(*find_problem("conv2d_nchw"), 1, false);
  CHECK(std::ranges::any_of(cases, [](const Case& one) {
    const Shape& s = one.shape;
    const bool is_point = s[5] == 1 && s[6] == 1 && s[7] == 1 && s[8] == 0;
    return is_point && s[1] % 4 == 0 && s[1] > 0 && s[2] * s[3] % 2 == 1 && s[2] * s[3] > 1;
  }));
}

TEST_CASE("a size that vectors divide meets one that leaves 3 over, small enough for all checks") {
  for (const char* const name : {"conv1d", "softmax_rows", "sgemm"}) {
    const std::vector<Case> cases = usual_cases(*find_problem(name), 1, false);
    const auto is_wanted = [](const Case& one) {
      return one.shape[0] % 4 == 3 && one.shape[1] % 4 == 0 && one.shape[0] * one.shape[1] < 1000;
    };
    CHECK_MESSAGE(std::ranges::any_of(cases, is_wanted), name);
  }
}

TEST_CASE("top_p_sampling draws from all tokens where p is 1, also from one too light to count") {
  const Problem& problem = *find_problem("top_p_sampling");
  const Case one{{1, 3}};
  Inputs inputs = make_inputs(problem, one, 1);
  const float logits[] = {-40, 0, 0};
  for (std::size_t v = 0; v < 3; ++v) inputs[0].as<float>()[v] = logits[v];
  inputs[1].as<float>()[0] = 1;
  inputs[2].as<float>()[0] = 0;
  CHECK(expected_outputs(problem, inputs, one)[0].value[0] == 0);
}

TEST_CASE("keys of which the smallest and the largest agree in all digits but one differ in all") {
  const Problem& problem = *find_problem("sort_pairs");
  const Inputs inputs = make_inputs(problem, {{900}, Values::alike_ends}, 1);
  const std::span<const unsigned> keys = inputs[0].as<unsigned>();
  const auto [least, most] = std::ranges::minmax(keys);
  CHECK((least ^ most) == 0xff000000);
  for (const unsigned digit : {0xffu, 0xff00u, 0xff0000u})
    CHECK(
        std::ranges::any_of(keys, [&](unsigned key) { return (key & digit) != (least & digit); }));
}
