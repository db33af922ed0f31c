// Explanations that tell where an output is wrong.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "planted.h"

using namespace kata;
using kata::test::check_says;
using kata::test::explained;
using kata::test::Planted;
using kata::test::unwritten;

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
                         [](auto& got, const Planted& right) {
                           got.assign(right.input(0).begin(), right.input(0).end());
                         }),
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

TEST_CASE("a reduction whose result only lane 0 holds is named where one column in 32 is right") {
  check_says(explained("softmax_rows", {{5, 96}},
                       [](auto& got, auto&) {
                         for (std::size_t i = 0; i < got.size(); ++i) {
                           if (i % 96 % 32 != 0) got[i] *= 1.5f + 0.01f * static_cast<float>(i % 7);
                         }
                       }),
             {"__shfl_down_sync() only lane 0 holds the result"});
}
