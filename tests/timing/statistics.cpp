#include "timing/statistics.h"

#include <doctest/doctest.h>

using namespace kata;

TEST_CASE("the median is the middle of the samples, in any order") {
  CHECK(summarize({3, 1, 2}).median == 2);
  CHECK(summarize({4, 1, 3, 2}).median == 2.5);
  CHECK(summarize({7}).median == 7);
}

TEST_CASE("one slow outlier moves neither the median nor the interquartile range") {
  const Summary quiet = summarize({10, 11, 12, 13, 14});
  const Summary disturbed = summarize({10, 11, 12, 13, 1400});
  CHECK(quiet.median == disturbed.median);
  CHECK(quiet.iqr == disturbed.iqr);
}

TEST_CASE("the interquartile range spans the middle half of the samples") {
  CHECK(summarize({1, 2, 3, 4, 5}).iqr == doctest::Approx(2));
  CHECK(summarize({1, 2, 3, 4}).iqr == doctest::Approx(1.5));
  CHECK(summarize({5, 5, 5}).iqr == 0);
}

TEST_CASE("no samples give zeros, not a crash") {
  CHECK(summarize({}).median == 0);
  CHECK(summarize({}).iqr == 0);
}

TEST_CASE("quantiles reach the smallest and the largest sample") {
  CHECK(quantile({3, 1, 2}, 0) == 1);
  CHECK(quantile({3, 1, 2}, 1) == 3);
}
