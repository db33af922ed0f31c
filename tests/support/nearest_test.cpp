#include <doctest/doctest.h>

#include "support/nearest.h"

using kata::edit_distance;
using kata::nearest;

TEST_CASE("a slip of the fingers is one edit") {
  CHECK(edit_distance("softmax", "softmax") == 0);
  CHECK(edit_distance("sofmax", "softmax") == 1);
  CHECK(edit_distance("softmaxx", "softmax") == 1);
  CHECK(edit_distance("softnax", "softmax") == 1);
  CHECK(edit_distance("sotfmax", "softmax") == 1);  // neighbours swapped
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("sgemm", "relu") == 4);
}

TEST_CASE("the nearest name is what was meant") {
  const std::vector<std::string> names{"relu", "reduce_max", "sgemm", "softmax", "softmax_rows"};
  CHECK(nearest("sofmax", names) == "softmax");
  CHECK(nearest("rleu", names) == "relu");
  CHECK(nearest("sgem", names) == "sgemm");
  CHECK(nearest("red", names) == "reduce_max");  // a beginning, though relu is fewer edits away
  CHECK(nearest("softmax_row", names) == "softmax_rows");
  CHECK(nearest("softmax_rosw", names) == "softmax_rows");
  CHECK(nearest("softmax_mine", names) == "softmax");
  CHECK(nearest("soft", names) == "softmax");
  CHECK(nearest("relu_nobound", names) == "relu");
  CHECK(nearest("softmax_rows_2", names) == "softmax_rows");
  CHECK(nearest("quicksort", names) == "");  // nothing is near
  CHECK(nearest("foo", {"dot", "topk"}) == "");
  CHECK(nearest("dto", {"dot", "topk"}) == "dot");
  CHECK(nearest("anything", {}) == "");
}
