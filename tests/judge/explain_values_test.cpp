// Explanations that tell from the values what was computed instead.

#include <algorithm>
#include <bit>
#include <cmath>

#include "planted.h"

using namespace kata;
using kata::test::check_says;
using kata::test::explained;
using kata::test::Planted;
using kata::test::unwritten;

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
                           const float e = std::exp(right.input(0)[i]);
                           got[i] = e / (1 + e);
                         }
                       }),
             {"overflow", "NaN", "88.7"});
  check_says(explained("reduce_sum", {{300}}, [](auto& got, auto&) { got[0] = unwritten + 1.0f; }),
             {"NaN", "set first", "cudaMemset"});
}

TEST_CASE("zeros that lose their sign, and zeros in another order") {
  check_says(explained("merge", {{60, 40}, Values::signed_zeros},
                       [](auto& got, auto&) {
                         for (float& value : got) value = 0;
                       }),
             {"the sign of -0 is lost"});
  check_says(explained("merge", {{60, 40}, Values::signed_zeros},
                       [](auto& got, auto&) {
                         for (float& value : got) value = -0.0f;
                       }),
             {"a 0 became -0"});
  check_says(explained("merge", {{60, 40}, Values::constant},
                       [](auto& got, auto&) { std::reverse(got.begin(), got.end()); }),
             {"in another order", "keep their order"});
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
             {"underflows", "-3.296e+38", "subtract the maximum first"});
}

TEST_CASE("a maximum of which more than the last element may be missing") {
  check_says(explained("reduce_max", {{257}, Values::largest_last},
                       [](auto& got, const Planted& right) {
                         const auto x = right.input(0);
                         got[0] = *std::max_element(x.begin(), x.end() - 1);
                       }),
             {"without the last element (256 of n = 257)", "any other part of x behind x[",
              "such as the last block"});
}

TEST_CASE("values kept in an int are named, also where most of the results are 0") {
  check_says(explained("relu", {{300}},
                       [](auto& got, const Planted& right) {
                         for (std::size_t i = 0; i < got.size(); ++i)
                           got[i] = std::max(0.0f, std::trunc(right.input(0)[i]));
                       }),
             {"if the inputs were whole numbers", "int"});
}

TEST_CASE("a maximum kept in an int, or as its index among several as large") {
  const auto truncated = [](auto& got, const Planted& right) {
    got[0] = std::trunc(static_cast<float>(right.expected().value[0]));
  };
  check_says(explained("reduce_max", {{257}, Values::largest_last}, truncated), {"kept in an int"});
  check_says(explained("reduce_max", {{31}, Values::far_below_zero},
                       [](auto& got, auto&) { got[0] = -0x1p31f; }),
             {"kept in an int"});
  check_says(explained("reduce_max", {{31}, Values::far_below_zero},
                       [](auto& got, const Planted& right) {
                         const auto x = right.input(0);
                         const auto last = std::max_element(x.rbegin(), x.rend());
                         got[0] = static_cast<float>(x.rend() - last - 1);
                       }),
             {"index of the largest element"});
}

TEST_CASE("equal terms do not show which of them is missing, a single one not why") {
  check_says(explained("reduce_sum", {{1025}, Values::constant},
                       [](auto& got, const Planted& right) { got[0] -= right.input(0)[0]; }),
             {"without 1 of the 1025 elements", "any 1 would explain it"});
  check_says(explained("sgemv", {{3, 1}}, [](auto& got, auto&) { got.assign(3, 0); }),
             {"0 for a sum of one term (K = 1)", "last term left out", "run 0 times"});
}

TEST_CASE("a fixed-point sum that overflowed") {
  check_says(
      explained("reduce_sum", {{4098}, Values::outliers}, [](auto& got, auto&) { got[0] -= 512; }),
      {"multiple of 512 = 2^9", "overflow"});
}

TEST_CASE("values of as many bits as half and bfloat16 have") {
  const auto cut = [](std::uint32_t mask) {
    return [mask](std::vector<float>& got, const Planted&) {
      for (float& value : got) {
        value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & mask);
      }
    };
  };
  check_says(explained("transpose", {{5, 7}}, cut(~0x1fffu)), {"narrowed to half or TF32"});
  check_says(explained("transpose", {{5, 7}}, cut(~0xffffu)), {"narrowed to bfloat16"});
}

TEST_CASE("a straight line instead of a function, with its ends cut off") {
  check_says(explained("sigmoid", {{31}, Values::all_negative},
                       [](auto& got, const Planted& right) {
                         for (std::size_t i = 0; i < got.size(); ++i) {
                           got[i] = std::clamp(right.input(0)[i] / 6 + 0.5f, 0.0f, 1.0f);
                         }
                       }),
             {"straight line, 0.1667 x + 0.5"});
}

TEST_CASE("tiles that are not transposed in themselves, in a matrix narrower than a tile") {
  check_says(explained("transpose", {{2, 31}},
                       [](auto& got, const Planted& right) {
                         const auto in = right.input(0);  // [2, 31], tiles of 16 x 16
                         for (int row = 0; row < 31; ++row) {
                           for (int col = 0; col < 2; ++col) {
                             const bool inside = row % 16 < 2;
                             got[row * 2 + col] =
                                 inside ? in[row % 16 * 31 + row / 16 * 16 + col] : 0.0f;
                           }
                         }
                       }),
             {"each tile of 16 x 16 is in its place"});
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
  check_says(explained("relu", {{300}},
                       [](auto& got, const Planted& right) {
                         got.assign(right.input(0).begin(), right.input(0).end());
                       }),
             {"input x, unchanged"});
}

TEST_CASE("a reduction that leaves elements out") {
  const auto sum_of = [](std::function<bool(std::size_t)> holds) {
    return [=](std::vector<float>& got, const Planted& right) {
      double sum = 0;
      for (std::size_t i = 0; i < right.input(0).size(); ++i) {
        if (holds(i)) sum += right.input(0)[i];
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
                         const auto x = right.input(0);
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
                               sum += right.input(0)[row * 33 + k] * right.input(1)[k * 30 + col];
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

TEST_CASE("NaN may be the root of a negative number, and a variance that cancels is named") {
  const auto break_a_row = [](std::vector<float>& got, const Planted&) {
    std::fill_n(got.begin(), 768, std::nanf(""));
  };
  check_says(
      explained("layernorm", {{5, 768}, Values::constant}, break_a_row),
      {"the root of the variance mean(x^2) - mean(x)^2, which is negative where large numbers "
       "cancel"});
  check_says(explained("sigmoid", {{768}}, break_a_row), {"the root of a negative number"});
}

TEST_CASE("no pattern: how many are wrong, and the worst") {
  check_says(explained("add", {{1000}},
                       [](auto& got, auto&) {
                         for (std::size_t i : {17, 18, 130, 611, 990})
                           got[i] += 5 + static_cast<float>(i);
                       }),
             {"5 of the 1000 elements", "the worst: c[611]"});
}
