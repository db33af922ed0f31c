// The explanations of wrong integers and wrong sorts.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "judge/planted.h"

using namespace kata;
using namespace kata::test;

namespace {

Dims one_per_value(const Shape& shape) {
  return {shape[0]};
}
Dims one_per_class(const Shape& shape) {
  return {shape[1]};
}
Dims one(const Shape&) {
  return {1};
}

template <class... P>
Problem made(Outputs (*reference)(const Inputs&, const Case&), Declared<P>... declared) {
  return {.name = "made_up",
          .summary = "",
          .frequency = "",
          .difficulty = "",
          .signature = signature(declared...),
          .cases = {},
          .bench_shapes = {},
          .reference = reference,
          .cost = [](const Shape& shape) { return Cost{.operations = 1.0 * shape[0]}; }};
}

const Problem histogram = made(
    [](const Inputs& inputs, const Case& one_case) {
      Expected counts{.value = std::vector<double>(static_cast<std::size_t>(one_case.shape[1]))};
      for (int value : inputs[0].as<int>()) ++counts.value[static_cast<std::size_t>(value)];
      return Outputs{counts};
    },
    input<int>("x", one_per_value, draw::below(1)), output<int>("counts", one_per_class),
    integer("n"), integer("bins"));

const Problem sort = made(
    [](const Inputs& inputs, const Case&) {
      Expected out;
      for (std::size_t i = 0; i < inputs[0].size(); ++i) out.value.push_back(inputs[0][i]);
      std::sort(out.value.begin(), out.value.end());
      return Outputs{out};
    },
    input<unsigned>("in", one_per_value), output<unsigned>("out", one_per_value), integer("n"));

const Problem argmax = made(
    [](const Inputs& inputs, const Case&) {
      const auto x = inputs[0].as<float>();
      return Outputs{
          {.value = {static_cast<double>(std::max_element(x.begin(), x.end()) - x.begin())}}};
    },
    input<float>("x", one_per_value), output<int>("index", one), integer("n"));

const Problem rounded = made(
    [](const Inputs& inputs, const Case&) {
      Expected q;
      for (float value : inputs[0].as<float>()) q.value.push_back(std::nearbyint(20 * value));
      return Outputs{q};
    },
    input<float>("x", one_per_value), output<int>("q", one_per_value), integer("n"));

/// The explanation of a right output in which `fault` was planted.
template <class Fault>
std::string told(const Problem& problem, const Case& one_case, Fault fault) {
  const Inputs inputs = make_inputs(problem, one_case, 7);
  const Outputs outputs = expected_outputs(problem, inputs, one_case);
  Array got(problem.signature.outputs[0].type, outputs[0].value.size());
  for (std::size_t i = 0; i < got.size(); ++i) got.set(i, outputs[0].value[i]);
  std::vector<double> values = outputs[0].value;
  fault(values, inputs[0]);
  for (std::size_t i = 0; i < got.size(); ++i) got.set(i, values[i]);
  const CaseResult result = compare(problem, one_case, inputs, outputs, {got}, {{}});
  REQUIRE(result.verdict == Verdict::fail);
  return result.explanation;
}

}  // namespace

TEST_CASE("counts that add up to too few or too many") {
  const Case one_case{{1000, 64}, Values::uniform};
  check_says(
      told(histogram, one_case, [](auto& got, auto&) { got[5] -= 2; }),
      {"add up to 998, but x has 1000 elements: 2 are missing", "atomicAdd", "only element 5"});
  check_says(told(histogram, one_case, [](auto& got, auto&) { got[63] += 1; }),
             {"1 are too many", "added to what was there before"});
  check_says(told(histogram, one_case,
                  [](auto& got, auto&) { std::fill(got.begin() + 32, got.end(), 0); }),
             {"are missing", "elements 32 to 63 (of 64)"});
}

TEST_CASE("a sort that loses keys, or orders them in another way") {
  const Case one_case{{1000}, Values::uniform};
  check_says(told(sort, one_case, [](auto& got, auto&) { got[10] = got[11]; }),
             {"does not hold the input's elements", "0 times and should occur 1 times"});
  check_says(told(sort, one_case, [](auto& got, auto&) { std::swap(got[10], got[500]); }),
             {"holds the right values, but not in order: out[10]"});
  check_says(told(sort, one_case, [](auto& got, auto&) { std::reverse(got.begin(), got.end()); }),
             {"descending, not ascending"});
  check_says(told(sort, one_case,
                  [](auto& got, auto&) {
                    std::sort(got.begin(), got.end(), [](double a, double b) {
                      return static_cast<std::int32_t>(static_cast<unsigned>(a)) <
                             static_cast<std::int32_t>(static_cast<unsigned>(b));
                    });
                  }),
             {"sorted as signed numbers"});
  check_says(told(sort, one_case,
                  [](auto& got, auto&) {
                    std::sort(got.begin(), got.end(), [](double a, double b) {
                      return (static_cast<unsigned>(a) & 0xffffff) <
                             (static_cast<unsigned>(b) & 0xffffff);
                    });
                  }),
             {"by the lowest 24 bits alone (is a pass missing?)"});
  check_says(told(sort, one_case,
                  [](auto& got, const Array& in) {
                    for (std::size_t i = 0; i < in.size(); ++i) got[i] = in[i];
                    for (std::size_t i = 0; i < in.size(); i += 256) {
                      const auto begin = got.begin() + static_cast<std::ptrdiff_t>(i);
                      std::sort(begin, std::min(begin + 256, got.end()));
                    }
                  }),
             {"sorted within each block of 256, but not across blocks"});
}

TEST_CASE("whole numbers above 2^24 that were summed in a float, shown in full") {
  const Case one_case{{16, 4, 2049}, Values::positive};
  check_says(told(*find_problem("igemm"), one_case,
                  [](auto& got, auto&) {
                    for (double& sum : got) sum = static_cast<float>(sum + 1);
                  }),
             {"is the sum a float?", "2^24", "and should be 3253"});
}

TEST_CASE("an index of another element") {
  const Case one_case{{1000}, Values::normal};
  check_says(told(argmax, one_case, [](auto& got, auto&) { got[0] = got[0] < 500 ? 900 : 3; }),
             {"but x[", "and the largest is x["});
  check_says(told(argmax, one_case, [](auto& got, auto&) { got[0] = 1000; }),
             {"index is 1000, which is no index of x"});
  check_says(told(argmax, {{1000}, Values::constant}, [](auto& got, auto&) { got[0] = 999; }),
             {"x[999] is as large as x[0]: of equal elements the first is the answer"});
}

TEST_CASE("flags are wrong by being set or not, not by an amount") {
  const Problem large = made(
      [](const Inputs& inputs, const Case&) {
        Expected keep;
        for (float value : inputs[0].as<float>()) keep.value.push_back(std::fabs(value) > 0.7f);
        return Outputs{keep};
      },
      input<float>("x", one_per_value), output<int>("keep", one_per_value), integer("n"));
  const Case one_case{{100}};
  const auto flip = [](double& flag) { flag = 1 - flag; };
  const std::string some = told(large, one_case, [&](auto& got, auto&) {
    for (const int i : {3, 14, 15, 41, 59, 72, 90}) flip(got[static_cast<std::size_t>(i)]);
  });
  check_says(some, {"of the 100 elements of keep,", "that should be 0 ", "that should be 1 "});
  const std::string twos = told(large, one_case, [](auto& got, auto&) {
    for (double& flag : got) flag *= 2;
  });
  check_says(twos, {"keep holds other values than 0 and 1", "is 2 and should be 1"});
}

TEST_CASE("integers that were truncated, or that are the bits of floats") {
  const Case one_case{{300}, Values::normal};
  check_says(told(rounded, one_case,
                  [](auto& got, const Array& x) {
                    for (std::size_t i = 0; i < got.size(); ++i) got[i] = std::trunc(20 * x[i]);
                  }),
             {"nearer to 0 by 1", "truncated instead of rounded?"});
  check_says(told(rounded, one_case,
                  [](auto& got, auto&) {
                    for (double& value : got) {
                      value = std::bit_cast<std::int32_t>(static_cast<float>(value));
                    }
                  }),
             {"holds the bits of floats"});
}
