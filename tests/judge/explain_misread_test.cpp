// Explanations of halves, scalars, rows and ranges that a candidate mistook.

#include <cmath>

#include "judge/planted.h"

using namespace kata;
using kata::test::check_says;
using kata::test::explained;
using kata::test::Planted;

namespace {

float silu(float gate) {
  return gate / (1 + std::exp(-gate));
}

}  // namespace

TEST_CASE("two halves that were exchanged, or taken for pairs") {
  check_says(explained("swiglu", {{60}},
                       [](auto& got, const Planted& right) {
                         for (std::size_t i = 0; i < 30; ++i)
                           got[i] = silu(right.input(0)[i + 30]) * right.input(0)[i];
                       }),
             {"halves of x were exchanged"});
  check_says(explained("swiglu", {{60}},
                       [](auto& got, const Planted& right) {
                         for (std::size_t i = 0; i < 30; ++i)
                           got[i] = silu(right.input(0)[2 * i]) * right.input(0)[2 * i + 1];
                       }),
             {"x held interleaved pairs"});
}

TEST_CASE("pairs of neighbours where the halves of a row are paired") {
  check_says(explained("rope", {{3, 8}},
                       [](auto& got, const Planted& right) {
                         const auto x = right.inputs[0].as<float>();
                         const auto cosine = right.inputs[1].as<float>();
                         const auto sine = right.inputs[2].as<float>();
                         for (std::size_t i = 0; i < got.size(); i += 2) {
                           got[i] = x[i] * cosine[i] - x[i + 1] * sine[i];
                           got[i + 1] = x[i + 1] * cosine[i + 1] + x[i] * sine[i + 1];
                         }
                       }),
             {"elements 2j and 2j + 1 of a row formed a pair"});
}

TEST_CASE("a logarithm of 0") {
  check_says(explained("cross_entropy", {{5, 1000}, Values::large_magnitude},
                       [](auto& got, const Planted&) { got[0] = HUGE_VALF; }),
             {"does a logarithm take 0", "loss is inf"});
}

TEST_CASE("two inputs that were exchanged, and the sign of one") {
  const auto rotated = [](std::size_t cosine, std::size_t sine, float sign) {
    return [=](auto& got, const Planted& right) {
      for (std::size_t i = 0; i < got.size(); ++i) {
        const std::size_t other = i % 8 < 4 ? i + 4 : i - 4;
        const float partner = right.input(0)[other] * (i % 8 < 4 ? -sign : sign);
        got[i] = right.input(0)[i] * right.input(cosine)[i] + partner * right.input(sine)[i];
      }
    };
  };
  check_says(explained("rope", {{3, 8}}, rotated(2, 1, 1)), {"cosine and sine were exchanged"});
  check_says(explained("rope", {{3, 8}}, rotated(1, 2, -1)), {"if sine had the opposite sign"});
}

TEST_CASE("a scalar argument that is not used") {
  const Case other_eps{{5, 20}, Values::normal, {1e-5f}};
  const Planted with_default("layernorm", other_eps);
  check_says(explained("layernorm", {{5, 20}, Values::normal, {0.5f}},
                       [&](auto& got, auto&) { got = with_default.got; }),
             {"eps = 1e-05, not 0.5", "is the argument used?"});
}

TEST_CASE("another row of a table, and an index that lost its upper bits") {
  const auto row_of = [](int distance) {
    return [=](auto& got, const Planted& right) {
      const auto ids = right.inputs[0].as<int>();
      for (std::size_t i = 0; i < got.size(); ++i) {
        const int id = ids[i / 3] - distance;
        if (id >= 0) got[i] = right.input(1)[static_cast<std::size_t>(id) * 3 + i % 3];
      }
    };
  };
  check_says(explained("embedding", {{40, 100, 3}}, row_of(1)), {"of table and should hold row"});
  check_says(explained("embedding", {{40, 70001, 3}}, row_of(65536)), {"kept in 16 bits?"});
}

TEST_CASE("a function that is wrong for some inputs names their range") {
  check_says(explained("gelu", {{3000}},
                       [](auto& got, const Planted& right) {
                         for (std::size_t i = 0; i < got.size(); ++i) {
                           const float x = right.input(0)[i];
                           if (x > -2 && x < -1) got[i] = 0.3f * x * x;
                         }
                       }),
             {"wrong where x is between -1.99", "and -1.00", "right elsewhere"});
}

TEST_CASE("cancellation is suspected where all inputs are near 1000") {
  check_says(explained("layernorm", {{5, 30}, Values::large_mean},
                       [](auto& got, auto&) {
                         for (std::size_t i = 0; i < got.size(); ++i)
                           got[i] *= 1 + 0.3f * std::sin(static_cast<float>(i));
                       }),
             {"mean(x^2) - mean(x)^2"});
}

TEST_CASE("a scan whose later blocks lack what is before them names the first of them") {
  // Wrong are the elements from `first` on, which hold the sum from the element from(i) on.
  const auto says = [](std::size_t first, auto from) {
    return explained("scan", {{5000}, Values::whole_numbers}, [=](auto& got, const Planted& right) {
      for (std::size_t i = first; i < got.size(); ++i)
        got[i] -= static_cast<float>(right.expected().value[from(i) - 1]);
    });
  };
  check_says(says(256, [](std::size_t i) { return i / 256 * 256; }), {"each block of 256 were"});
  check_says(says(4352, [](std::size_t) { return std::size_t{4096}; }),
             {"without the first 4096 elements of x, 16 blocks of 256 (are only 16 block totals"});
  check_says(says(1024, [](std::size_t i) { return i / 512 * 512 - 512; }),
             {"from element 1024 on, each block of 512 with the one before were"});
  check_says(says(3072, [](std::size_t i) { return i / 256 * 256; }),
             {"from element 3072 on, each block of 256 were", "only 12 block totals"});
  check_says(says(1000, [](std::size_t) { return std::size_t{1000}; }),
             {"without the first 1000 elements of x: y[1000]"});
}
