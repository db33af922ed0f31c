// Each test plants one fault in a right output and reads what a person would be told.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "judge/explain.h"
#include "judge/judge.h"

using namespace kata;

namespace {

const float unwritten = std::bit_cast<float>(poison_bits);

struct Planted {
  const Problem& problem;
  Case one_case;
  Inputs inputs;
  Expected expected;
  std::vector<float> got;

  Planted(const char* operator_name, Case what, std::uint64_t seed = 7)
      : problem(*find_problem(operator_name)),
        one_case(std::move(what)),
        inputs(make_inputs(problem, one_case, seed)),
        expected(problem.reference(inputs, one_case.shape)) {
    for (double value : expected.value) got.push_back(static_cast<float>(value));
  }
  CaseResult result() const { return compare(problem, one_case, expected, got, inputs); }
};

/// The explanation of a right output in which `fault` was planted.
std::string explained(const char* operator_name, const Case& one_case,
                      const std::function<void(std::vector<float>& got, const Planted&)>& fault) {
  Planted planted(operator_name, one_case);
  REQUIRE(planted.result().verdict == Verdict::pass);
  const Planted right = planted;
  fault(planted.got, right);
  const CaseResult result = planted.result();
  REQUIRE(result.verdict == Verdict::fail);
  return result.explanation;
}

void check_says(const std::string& sentence, std::vector<std::string> parts) {
  CAPTURE(sentence);
  CHECK(sentence.find('\n') == std::string::npos);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(sentence.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("an output within its tolerance passes, one just outside and a NaN do not") {
  Planted planted("add", {{100}});
  CHECK(planted.result().verdict == Verdict::pass);
  planted.got[40] = std::nextafter(std::nextafter(planted.got[40], 100.0f), 100.0f);
  CHECK(planted.result().bad == 1);
  CHECK(planted.result().first_bad->index == std::vector<std::int64_t>{40});
  planted.got[40] = std::nanf("");
  CHECK(planted.result().verdict == Verdict::fail);
  CHECK(std::isnan(planted.result().max_error));
}

TEST_CASE("nothing written") {
  check_says(explained("relu", {{255}}, [](auto& got, auto&) { got.assign(255, unwritten); }),
             {"y was never written", "255"});
  check_says(explained("reduce_sum", {{255}}, [](auto& got, auto&) { got[0] = unwritten; }),
             {"sum was never written"});
}

TEST_CASE("only the tail not written: past a float4, past a block") {
  check_says(
      explained("relu", {{1023}},
                [](auto& got, auto&) { std::fill(got.begin() + 1020, got.end(), unwritten); }),
      {"never written", "elements 1020 to 1022", "multiple of 4 (a float4)"});
  check_says(
      explained("relu", {{255}},
                [](auto& got, auto&) { std::fill(got.begin() + 128, got.end(), unwritten); }),
      {"never written", "elements 128 to 254", "multiple of 128"});
}

TEST_CASE("only the last, only the first element") {
  check_says(explained("add", {{257}}, [](auto& got, auto&) { got[256] = unwritten; }),
             {"only the last element, element 256, past"});
  check_says(explained("add", {{255}}, [](auto& got, auto&) { got[0] = 9; }),
             {"only the first element"});
  check_says(explained("add", {{100}},
                       [](auto& got, auto&) { std::fill(got.begin() + 1, got.end(), unwritten); }),
             {"all elements but the first"});
}

TEST_CASE("columns past a float4 or a tile, in every row") {
  const auto fault = [](std::int64_t from, std::int64_t cols) {
    return [=](std::vector<float>& got, const Planted&) {
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (static_cast<std::int64_t>(i) % cols >= from) got[i] = unwritten;
      }
    };
  };
  check_says(explained("softmax_rows", {{5, 35}}, fault(32, 35)),
             {"columns 32 to 34 (of 35)", "multiple of 4 (a float4) or of 32", "every row"});
  check_says(explained("softmax_rows", {{5, 48}}, fault(32, 48)),
             {"columns 32 to 47", "multiple of 32"});
}

TEST_CASE("rows beyond the grid") {
  check_says(explained("softmax_rows", {{17, 10}},
                       [](auto& got, auto&) { std::fill(got.begin() + 70, got.end(), unwritten); }),
             {"rows 7 to 16 (of 17)", "never written"});
}

TEST_CASE("an edge of rows and columns, and everything above the diagonal") {
  check_says(explained("sgemm", {{20, 21, 5}},
                       [](auto& got, auto&) {
                         for (int i = 0; i < 20 * 21; ++i) {
                           if (i / 21 >= 16 || i % 21 >= 16) got[i] = unwritten;
                         }
                       }),
             {"rows from 16 on", "columns from 16 on"});
  check_says(explained("sgemm", {{20, 20, 5}},
                       [](auto& got, auto&) {
                         for (int i = 0; i < 400; ++i) {
                           if (i % 20 > i / 20) got[i] = unwritten;
                         }
                       }),
             {"everything above the diagonal"});
}

TEST_CASE("every k-th element, and all but every k-th") {
  check_says(explained("add", {{100}},
                       [](auto& got, auto&) {
                         for (std::size_t i = 3; i < got.size(); i += 4) got[i] = unwritten;
                       }),
             {"every 4th element (3, 7"});
  check_says(explained("add", {{1000}},
                       [](auto& got, auto&) {
                         for (std::size_t i = 0; i < got.size(); ++i) {
                           if (i % 256 >= 32) got[i] = unwritten;
                         }
                       }),
             {"elements 32 to 255 of every 256"});
}

TEST_CASE("wrong only from some element on, with some right by accident") {
  check_says(explained("relu", {{1023}},
                       [](auto& got, auto&) {
                         for (std::size_t i = 512; i < got.size(); ++i) {
                           if (i % 3) got[i] += 1 + static_cast<float>(i % 5);
                         }
                       }),
             {"wrong", "elements 512 to 1022", "multiple of 512"});
}

TEST_CASE("transposed, also where the matrix is not square") {
  for (const Shape& shape : {Shape{32, 32}, Shape{31, 33}}) {
    check_says(explained("transpose", {shape},
                         [](auto& got, const Planted& right) { got = right.inputs[0]; }),
               {"transposed"});
  }
}

TEST_CASE("off by one, and reversed") {
  check_says(
      explained("add", {{300}},
                [](auto& got, auto&) { std::rotate(got.begin(), got.begin() + 1, got.end()); }),
      {"off by 1"});
  check_says(
      explained("add", {{300}}, [](auto& got, auto&) { std::reverse(got.begin(), got.end()); }),
      {"reverse"});
}

TEST_CASE("scaled by a number that a candidate may have put there") {
  const auto times = [](float factor) {
    return [=](std::vector<float>& got, const Planted&) {
      for (float& value : got) value *= factor;
    };
  };
  check_says(explained("sgemv", {{100, 50}}, times(2)), {"2 times", "every element of y"});
  check_says(explained("sgemv", {{100, 50}}, times(0.5)), {"1/2 of"});
  check_says(explained("sgemv", {{100, 50}}, times(1.0f / 50)), {"1/K (1/50)"});
  check_says(explained("sgemv", {{100, 50}}, times(-1)), {"sign"});
  check_says(explained("reduce_sum", {{256}}, times(256)), {"n = 256 times"});
  check_says(explained("sgemv", {{100, 50}}, times(1.37f)), {"1.37"});
}

TEST_CASE("a constant added, and one factor in each row") {
  check_says(explained("sgemv", {{100, 50}},
                       [](auto& got, auto&) {
                         for (float& value : got) value += 3;
                       }),
             {"too large by 3"});
  check_says(explained("softmax_rows", {{10, 50}},
                       [](auto& got, auto&) {
                         for (std::size_t i = 0; i < got.size(); ++i) {
                           got[i] *= 1.1f + 0.13f * static_cast<float>(i / 50);
                         }
                       }),
             {"divided by a sum that is", "0.9091 times"});
}

TEST_CASE("exp that overflows, and a NaN that comes from what was there before") {
  check_says(explained("sigmoid", {{300}, Values::large_magnitude},
                       [](auto& got, const Planted& right) {
                         for (std::size_t i = 0; i < got.size(); ++i) {
                           const float e = std::exp(right.inputs[0][i]);
                           got[i] = e / (1 + e);
                         }
                       }),
             {"overflow", "NaN", "88.7"});
  check_says(explained("reduce_sum", {{300}}, [](auto& got, auto&) { got[0] = unwritten + 1.0f; }),
             {"NaN", "set first"});
}

TEST_CASE("a few NaN among other wrong values are not blamed on exp") {
  const std::string said =
      explained("softmax", {{300}, Values::large_magnitude}, [](auto& got, auto&) {
        for (std::size_t i = 0; i < got.size(); ++i) {
          got[i] = i % 3 ? 0.3f + 0.1f * static_cast<float>(i % 7) : std::nanf("");
        }
      });
  CHECK(said.find("overflows") == std::string::npos);
}

TEST_CASE("exp that underflows everywhere") {
  check_says(explained("softmax", {{31}, Values::far_below_zero},
                       [](auto& got, auto&) { got.assign(31, std::nanf("")); }),
             {"underflows", "-200", "subtracts the maximum"});
}

TEST_CASE("a maximum that starts at 0, or from which nothing was taken") {
  check_says(
      explained("reduce_max", {{31}, Values::all_negative}, [](auto& got, auto&) { got[0] = 0; }),
      {"every input is negative", "-infinity"});
  check_says(explained("reduce_max", {{31}}, [](auto& got, auto&) { got[0] = -INFINITY; }),
             {"value to start from"});
  check_says(
      explained("reduce_sum", {{1}, Values::all_negative}, [](auto& got, auto&) { got[0] = 0; }),
      {"sum is 0 and should be -"});
}

TEST_CASE("the input comes back unchanged") {
  check_says(
      explained("relu", {{300}}, [](auto& got, const Planted& right) { got = right.inputs[0]; }),
      {"input x, unchanged"});
}

TEST_CASE("a reduction that leaves elements out") {
  const auto sum_of = [](std::function<bool(std::size_t)> holds) {
    return [=](std::vector<float>& got, const Planted& right) {
      double sum = 0;
      for (std::size_t i = 0; i < right.inputs[0].size(); ++i) {
        if (holds(i)) sum += right.inputs[0][i];
      }
      got[0] = static_cast<float>(sum);
    };
  };
  const Case one_case{{1023}};
  check_says(explained("reduce_sum", one_case, sum_of([](auto i) { return i < 1022; })),
             {"without the last element"});
  check_says(explained("reduce_sum", one_case, sum_of([](auto i) { return i > 0; })),
             {"without the first element"});
  check_says(explained("reduce_sum", one_case, sum_of([](auto i) { return i < 1020; })),
             {"first 1020 elements"});
  check_says(explained("reduce_sum", one_case, sum_of([](auto i) { return i < 256; })),
             {"first 256 elements"});
  check_says(explained("reduce_sum", one_case, sum_of([](auto i) { return i % 256 < 32; })),
             {"first warp of each block of 256"});
  check_says(explained("reduce_sum", one_case, sum_of([](auto i) { return i >= 768; })),
             {"last block of 256"});
  check_says(explained("reduce_max", {{257}, Values::largest_last},
                       [](auto& got, const Planted& right) {
                         const auto& x = right.inputs[0];
                         got[0] = *std::max_element(x.begin(), x.end() - 1);
                       }),
             {"without the last element"});
}

TEST_CASE("a dot product that leaves terms out") {
  check_says(explained("sgemm", {{20, 30, 33}},
                       [](auto& got, const Planted& right) {
                         for (int row = 0; row < 20; ++row) {
                           for (int col = 0; col < 30; ++col) {
                             float sum = 0;
                             for (int k = 0; k < 32; ++k) {
                               sum += right.inputs[0][row * 33 + k] * right.inputs[1][k * 30 + col];
                             }
                             got[row * 30 + col] = sum;
                           }
                         }
                       }),
             {"without the last term", "K = 33"});
}

TEST_CASE("close but not close enough: narrowed numbers, and rounding that adds up") {
  check_says(explained("sgemv", {{100, 50}},
                       [](auto& got, auto&) {
                         for (std::size_t i = 0; i < got.size(); ++i) {
                           got[i] *= 1 + 0.0004f * (static_cast<float>(i * 7 % 11) - 5);
                         }
                       }),
             {"close", "half"});
  check_says(explained("sgemv", {{100, 5}},
                       [](auto& got, auto&) {
                         for (std::size_t i = 0; i < got.size(); ++i) {
                           got[i] *= 1 + 0.000012f * (static_cast<float>(i * 7 % 11) - 5);
                         }
                       }),
             {"close", "rounding"});
}

TEST_CASE("a pattern that the right values would fit as well is not claimed") {
  const auto nudge = [](std::vector<float>& got, const Planted&) {
    for (float& value : got) value *= 1 + 3e-7f;
  };
  check_says(explained("add", {{300}, Values::constant}, nudge), {"close"});
  check_says(explained("sigmoid", {{300}}, [](auto& got, auto&) { got[7] = std::nanf(""); }),
             {"1 of 300 elements of y are NaN although no input is"});
}

TEST_CASE("no pattern: how many are wrong, and the worst") {
  check_says(explained("add", {{1000}},
                       [](auto& got, auto&) {
                         for (std::size_t i : {17, 18, 130, 611, 990})
                           got[i] += 5 + static_cast<float>(i);
                       }),
             {"5 of the 1000 elements", "the worst: c[611]"});
}
