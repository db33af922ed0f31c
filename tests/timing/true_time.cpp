// Which measured times can be true.

#include "timing/true_time.h"

#include <doctest/doctest.h>

#include "scratch.h"
#include "timing/measured_times.h"

using namespace kata;
using kata::test::contains;

namespace {

// Memory: 3201 MHz, 6016 bits, two transfers a clock. Rates as timing/ceilings.cu measures them.
Peak h200(ArithmeticUnit unit) {
  const double rate = unit == ArithmeticUnit::fma ? 66e12
                      : unit == ArithmeticUnit::tensor_i8 || unit == ArithmeticUnit::tensor_f8
                          ? 1300e12
                          : 700e12;
  return {.bytes_per_s = 4.814e12, .l2_bytes = 60 << 20, .arithmetic = {unit, rate}};
}

}  // namespace

TEST_CASE("work that goes on after the events is seen, what varies is not") {
  const IdleCall empty{.events_us = 2, .wall_us = 12};
  CHECK(outside_us({.events_us = 100, .wall_us = 115}, empty) == 0);
  CHECK(outside_us({.events_us = 100, .wall_us = 112 + 200}, empty) > 150);
  CHECK(outside_us({.events_us = 1, .wall_us = 40}, empty) > 20);  // the events were moved
  CHECK(outside_us({.events_us = 3, .wall_us = 15}, empty) == 0);
}

TEST_CASE("a call that is much faster behind other work ran beside that work") {
  CHECK(ran_ahead(5, {.events_us = 100}));
  CHECK_FALSE(ran_ahead(97, {.events_us = 100}));
  CHECK_FALSE(ran_ahead(20, {.events_us = 45}));  // ten launches, which the host enqueues slowly
}

TEST_CASE("no time that was measured of a rung or a library is called impossible") {
  std::size_t rows = 0;
  for (const Problem& problem : problems()) {
    const Result<MeasuredTimes> times = measured_times(problem);
    if (!times || times->device != "NVIDIA H200") continue;
    for (const Shape& shape : problem.bench_shapes) {
      const Cost cost = of_each_device(problem.cost(shape), devices_of(problem, shape));
      for (const TimingRow& row : rows_at(times->rows, to_string(shape))) {
        CAPTURE(problem.name);
        CAPTURE(row.name);
        CAPTURE(row.size);
        CHECK(why_impossible(row.median_us, cost, h200(cost.unit)) == "");
        ++rows;
      }
    }
  }
  CHECK(rows > 500);
}

TEST_CASE("a time below the least that the hardware needs is impossible, and the reason is given") {
  const Cost bytes{.bytes_read = 1e9, .bytes_written = 4e6, .operations = 1e9};
  CHECK(contains(why_impossible(100, bytes, h200(ArithmeticUnit::fma)),
                 "100 us is less than this GPU needs. It must move 1e+03 MB, which takes 208 us"));
  const Cost products{.operations = 1e13, .unit = ArithmeticUnit::tensor_f16};
  CHECK(contains(why_impossible(1000, products, h200(products.unit)), "operations take at least"));
  CHECK(why_impossible(14000, products, h200(products.unit)) == "");
  // A driver that does not say how fast its memory is.
  CHECK(why_impossible(1, bytes, {}) == "");
}

TEST_CASE("outputs may differ as rungs do, and no more than another precision would make them") {
  CHECK(allowed_difference(Type::f32, 1e-7) == doctest::Approx(1e-4));
  CHECK(allowed_difference(Type::f32, 1e-3) == doctest::Approx(1e-2));
  CHECK(allowed_difference(Type::f32, 0.5) == doctest::Approx(0.05));
  CHECK(allowed_difference(Type::f16, 0) == doctest::Approx(1e-2));
  CHECK(allowed_difference(Type::i32, 0) == doctest::Approx(0.05));
}
