// What the ranges of an exercise and its cost make of large cases.

#include "judge/large_cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "judge/judge.h"
#include "judge/shapes.h"

using namespace kata;

namespace {

std::vector<Shape> largest_shapes(const std::string& name) {
  std::vector<Shape> shapes;
  for (const GrowingCases& form : large_cases(*find_problem(name), 1).forms)
    shapes.push_back(form.back().shape);
  return shapes;
}

bool any_beyond(const std::vector<Shape>& shapes, const Shape& least) {
  return std::ranges::any_of(shapes, [&](const Shape& shape) {
    return std::ranges::equal(shape, least, std::greater_equal());
  });
}

}  // namespace

TEST_CASE("no large case leaves what an exercise promises, and each form grows") {
  REQUIRE(!problems().empty());
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    const LargeCases cases = large_cases(problem, 7);
    CHECK(cases.long_life.size() >= 50);
    CHECK_FALSE(cases.forms.empty());
    for (const Case& one : cases.long_life) CHECK(is_promised(problem, one.shape));
    for (const GrowingCases& form : cases.forms) {
      REQUIRE(!form.empty());
      double before = 0;
      for (const Case& one : form) {
        CAPTURE(to_string(one.shape));
        CHECK(is_promised(problem, one.shape));
        const double now = work(problem.cost(one.shape));
        CHECK(now >= before);
        before = now;
      }
    }
  }
}

TEST_CASE("on the way to many rows a row keeps its elements, and 4096 rows are just exceeded") {
  const auto is_wanted = [](const Case& one) {
    return one.shape[0] > 4096 && one.shape[0] < 5000 && one.shape[1] > 1 && one.shape[1] < 10;
  };
  bool found = false;
  for (const GrowingCases& form : large_cases(*find_problem("cross_entropy"), 1).forms)
    found = found || std::ranges::any_of(form, is_wanted);
  CHECK(found);
}

TEST_CASE("vectors have more elements than a block of blocks, and an odd last index above 2^24") {
  for (const char* const name : {"add", "reduce_sum", "scan", "radix_sort", "argmax"})
    CHECK_MESSAGE(any_beyond(largest_shapes(name), {(1 << 20) + 1}), name);
  const std::vector<Shape> shapes = largest_shapes("argmax");
  CHECK(std::ranges::any_of(
      shapes, [](const Shape& shape) { return shape[0] > 1 << 24 && shape[0] % 2 == 0; }));
}

TEST_CASE("what a problem names first is called, too, unless a form is as large") {
  CHECK(any_beyond(largest_shapes("histogram"), {65535 * 528, 1}));
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    if (problem.large_cases.empty()) continue;
    if (price(problem, problem.large_cases[0].shape) > 1.2e9) continue;  // takes too long
    CHECK(any_beyond(largest_shapes(problem.name), problem.large_cases[0].shape));
  }
}

TEST_CASE("what a problem names first is called with its own values, however large the forms are") {
  for (const GrowingCases& form : large_cases(*find_problem("batchnorm"), 1).forms)
    if (form.back().values == Values::sorted) return;
  FAIL("no form of batchnorm is sorted");
}

TEST_CASE("tiles of tiles leave nothing over in one form") {
  CHECK(std::ranges::count(largest_shapes("merge"), Shape{1 << 19, 1 << 19}) == 1);
  CHECK(std::ranges::count(largest_shapes("scan"), Shape{1 << 20}) == 1);
}

TEST_CASE("a product has one full group of tiles and a part of the next") {
  for (const char* const name : {"sgemm", "hgemm", "igemm", "gemm_bias_gelu"}) {
    CAPTURE(name);
    CHECK(any_beyond(largest_shapes(name), {1089, 1089, 1}));
  }
}

TEST_CASE("each two sizes of a product go beyond two tiles, and all three at once") {
  for (const char* const name : {"sgemm", "hgemm", "igemm", "gemm_bias_gelu"}) {
    CAPTURE(name);
    const std::vector<Shape> shapes = largest_shapes(name);
    for (const Shape& least : {Shape{513, 513, 1}, {513, 1, 513}, {1, 513, 513}, {513, 513, 513}})
      CHECK(any_beyond(shapes, least));
  }
}

TEST_CASE("a matrix has more rows than gridDim.y, and a k that only a large n allows is reached") {
  CHECK(any_beyond(largest_shapes("layernorm"), {65536, 1}));
  CHECK(any_beyond(largest_shapes("transpose"), {65536, 1}));
  CHECK(any_beyond(largest_shapes("topk"), {65536, 65536}));
}

TEST_CASE("in a long life one size grows while another shrinks") {
  const std::vector<Case> life = large_cases(*find_problem("sgemm"), 1).long_life;
  CHECK(life[0].shape[0] < life[20].shape[0]);
  CHECK(life[0].shape[1] > life[20].shape[1]);
}

TEST_CASE("a long life has short rows of large values") {
  const std::vector<Case> life = large_cases(*find_problem("softmax_rows"), 1).long_life;
  CHECK(std::ranges::any_of(life, [](const Case& one) {
    return one.values == Values::large_magnitude && one.shape[0] > 8 && one.shape[1] > 1 &&
           one.shape[1] <= 8;
  }));
}

TEST_CASE(
    "each distribution comes with a long row, checked, and once with more than 65536 elements") {
  const auto has = [](const std::vector<Case>& life, Values values, auto fits) {
    return std::ranges::any_of(
        life, [&](const Case& one) { return one.values == values && fits(one.shape); });
  };
  const std::vector<Case> checked = cases_called_once(*find_problem("softmax_rows"), 1).long_life;
  for (const Values values : {Values::far_below_zero, Values::all_negative, Values::constant}) {
    CAPTURE(static_cast<int>(values));
    CHECK(has(checked, values, [](const Shape& shape) { return shape[1] == 8192; }));
  }
  CHECK(has(large_cases(*find_problem("topk"), 1).long_life, Values::constant,
            [](const Shape& shape) { return shape[0] > 65536; }));
}

TEST_CASE(
    "a long life resizes an image to twice its width and a little more than twice its height") {
  const std::vector<Case> life = large_cases(*find_problem("resize_bilinear"), 1).long_life;
  const auto is_such = [](const Case& one) {
    const int H = one.shape[2], W = one.shape[3], H_out = one.shape[4], W_out = one.shape[5];
    return H_out / H == 2 && H_out % H > 0 && W_out == 2 * W;
  };
  CHECK(std::ranges::any_of(life, is_such));
}

TEST_CASE("launches are looked at where a stride and an image are large and the window is small") {
  const Problem& pool = *find_problem("max_pool2d");
  for (std::uint64_t seed : {1, 2, 3}) {
    const std::vector<Case> cases = cases_of_launches(pool, seed);
    CHECK(cases.size() > 100);
    CHECK(std::ranges::any_of(cases, [](const Case& one) {
      return one.shape[3] > 16 * one.shape[5] && one.shape[4] < 4 && one.shape[5] > 7;
    }));
    for (const Case& one : cases) CHECK(is_promised(pool, one.shape));
  }
}

TEST_CASE("values that a half cannot hold in the result are not drawn") {
  const Problem& hgemm = *find_problem("hgemm");
  for (const Case& one : large_cases(hgemm, 1).long_life) {
    const Outputs outputs = expected_outputs(hgemm, make_inputs(hgemm, one, 1), one);
    for (const double value : outputs[0].value) REQUIRE(std::fabs(value) <= 65504);
  }
}

TEST_CASE("at the largest promised sizes offsets do not fit an int, and one has a tail") {
  for (const Problem& problem : problems()) {
    for (const Case& one : maximum_cases(problem)) {
      CAPTURE(name_of(problem, one));
      CHECK(is_promised(problem, one.shape));
      for (const Parameter& tensor : problem.signature.tensors)
        CHECK(elements(tensor, one.shape) <= std::size_t(problem.most_elements));
    }
  }
  const auto largest = [](const std::string& name) {
    std::size_t most = 0;
    for (const Case& one : maximum_cases(*find_problem(name))) {
      for (const Parameter& tensor : find_problem(name)->signature.tensors)
        most = std::max(most, elements(tensor, one.shape) * size_of(tensor.type));
    }
    return most;
  };
  constexpr std::size_t of_an_int = std::size_t{1} << 31;
  for (const char* const name : {"embedding", "rgb_to_gray", "transpose", "softmax_rows", "rope"})
    CHECK_MESSAGE(largest(name) > of_an_int, name);
  CHECK(maximum_cases(*find_problem("add")) == std::vector<Case>{{{1 << 28}}, {{(1 << 28) - 1}}});
  const std::vector<Case> transposed = maximum_cases(*find_problem("transpose"));
  CHECK(std::ranges::find(transposed, Shape{1 << 15, 1 << 15}, &Case::shape) != transposed.end());
  CHECK(maximum_cases(*find_problem("spmv")).front().shape[0] > 65535 * 32);  // drawn whole
  const Problem& merge = *find_problem("merge");  // equal elements ascend where pages repeat
  CHECK(std::ranges::all_of(maximum_cases(merge),
                            [](const Case& one) { return one.values == Values::constant; }));
}

namespace {

// The first element of a row is larger than the sum of the others.
void draw_dominant(Array& x, const Case& one_case, const Random& random) {
  const auto cols = static_cast<std::size_t>(one_case.shape[1]);
  for (std::size_t i = 0; i < x.size(); ++i)
    x.set(i, i % cols == 0 ? static_cast<double>(2 * cols) : random.uniform(i));
}

Outputs root_of_difference(const Inputs& inputs, const Case& one_case) {
  const auto cols = static_cast<std::size_t>(one_case.shape[1]);
  Expected roots;
  for (std::size_t i = 0; i < inputs[0].size(); i += cols) {
    double rest = inputs[0][i];
    for (std::size_t c = 1; c < cols; ++c) rest -= inputs[0][i + c];
    roots.value.push_back(std::sqrt(rest));
  }
  return {roots};
}

/// The least and the largest of what an input holds at the operator's largest sizes.
std::pair<double, double> range_at_the_largest_sizes(const std::string& name, std::size_t input) {
  const Problem& problem = *find_problem(name);
  const Case largest = maximum_cases(problem).front();
  const Array x = values_to_repeat(problem, problem.signature.inputs[input], largest, Random(1));
  std::vector<double> values;
  for (std::size_t i = 0; i < x.size(); ++i) values.push_back(x[i]);
  return {*std::ranges::min_element(values), *std::ranges::max_element(values)};
}

}  // namespace

TEST_CASE("tensors are also full where no size is at the end of its range") {
  for (const Problem& problem : problems()) {
    for (const Case& one : drawn_maximum_cases(problem, 3)) {
      CAPTURE(name_of(problem, one));
      CHECK(is_promised(problem, one.shape));
    }
  }
  const auto any = [](const char* name, auto is_wanted) {
    return std::ranges::any_of(drawn_maximum_cases(*find_problem(name), 3),
                               [&](const Case& one) { return is_wanted(one.shape); });
  };
  CHECK(any("transpose", [](const Shape& shape) {
    return shape[0] % 64 == 0 && shape[1] % 64 == 0 && shape[1] > 400'000 && shape[1] < 1 << 20 &&
           shape[0] > (1 << 30) / shape[1] - 64;
  }));
  CHECK(any("rgb_to_gray", [](const Shape& shape) {
    return 3 * std::int64_t{shape[0]} * shape[1] > (std::int64_t{1} << 32) - 4096;
  }));
  CHECK(any("max_pool2d", [](const Shape& shape) {
    return shape[0] > 400'000 && shape[0] < 1 << 20 && shape[3] > 8 && shape[3] < 1000;
  }));
}

TEST_CASE("all elements are equal where there are many, and many different ones could be") {
  const auto cases = cases_of_equal_elements(*find_problem("histogram"));
  CHECK(std::ranges::find(cases, Case{{(1 << 16) + 8193, 1 << 16}, Values::constant}) !=
        cases.end());
  CHECK(cases_of_equal_elements(*find_problem("layernorm")).empty());  // its sums are rounded
}

TEST_CASE("the largest sizes hold what an operator promises: parts of 1, cosines, squares, ids") {
  const auto [least_part, most_part] = range_at_the_largest_sizes("softmax_backward", 0);
  CHECK(least_part >= 0);
  CHECK(most_part <= 1);
  const auto [least_cosine, most_cosine] = range_at_the_largest_sizes("rope", 1);
  CHECK(least_cosine >= -1);
  CHECK(most_cosine < 1);
  CHECK(range_at_the_largest_sizes("adamw", 3).first >= 0);
  CHECK(range_at_the_largest_sizes("embedding", 0).second > 65537);
}

TEST_CASE("at the largest sizes more planes than a grid has come with a window of several places") {
  const std::vector<Case> cases = maximum_cases(*find_problem("max_pool2d"), {});
  CHECK(std::ranges::any_of(cases, [](const Case& one) {
    const std::int64_t planes = std::int64_t{one.shape[0]} * one.shape[1];
    return planes > 65535 && one.shape[2] > 1 && one.shape[4] > 1 && one.shape[5] <= 2;
  }));
}

TEST_CASE("rows whose elements have to fit together are drawn whole at the largest sizes") {
  Problem problem;
  problem.signature =
      signature(input<float>("x", dims<0, 1>, draw_dominant), output<float>("y", dims<0>),
                integer("rows", 1, 1 << 20), integer("cols", 1, 1 << 10));
  problem.cases = {{{3, 5}}};
  problem.reference = root_of_difference;
  problem.cost = [](const Shape&) { return Cost{}; };
  CHECK(has_structure(problem));
  CHECK(price(problem, maximum_cases(problem).front().shape) < 0.4e9);
  for (const char* const name : {"softmax_backward", "layernorm", "hgemm", "topk_rows", "compact"})
    CHECK_FALSE_MESSAGE(has_structure(*find_problem(name)), name);
}

TEST_CASE("a GPU is given drawn sizes too: a tile of 1024 that is nearly full, and nothing large") {
  const auto is_nearly_full = [](const Case& one) { return one.shape[0] % 1024 > 768; };
  CHECK(
      std::ranges::any_of(drawn_cases_for_gpu(*find_problem("relu"), 1).long_life, is_nearly_full));
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    const LargeCases cases = drawn_cases_for_gpu(problem, 1);
    CHECK(cases.forms.empty());
    CHECK(cases.long_life.size() >= 50);
    for (const Case& one : cases.long_life) {
      CAPTURE(name_of(problem, one));
      CHECK(is_promised(problem, one.shape));
      CHECK(price(problem, one.shape) < 2e6);
    }
  }
}

TEST_CASE("sizes that a key takes for each other follow one another") {
  const auto follows = [](const char* name, const auto& is_pair) {
    const std::vector<Case> cases = large_cases(*find_problem(name), 1).in_turn;
    return std::ranges::adjacent_find(cases, [&](const Case& a, const Case& b) {
             return is_pair(a.shape, b.shape);
           }) != cases.end();
  };
  // The height and the width of an image; the width and the number of its columns, in one word.
  CHECK(follows("conv2d_nchw", [](const Shape& a, const Shape& b) {
    return a[2] != a[3] && a[2] == b[3] && a[3] == b[2] && a[5] == b[5] && a[5] > 1;
  }));
  CHECK(follows("resize_bilinear", [](const Shape& a, const Shape& b) {
    return a[5] == 16384 && b[5] == 16384 && a[3] % 2 == 0 && b[3] == a[3] + 1;
  }));
  for (const Problem& problem : problems())
    for (const Case& one : cases_of_like_sizes(problem)) CHECK(is_promised(problem, one.shape));
}

TEST_CASE(
    "a large call comes again after as many small ones as wrap a byte, or the source divides by") {
  const std::vector<Case> cases = large_cases(*find_problem("radix_sort"), 1, {}, {100}).in_turn;
  std::size_t small = 0;
  std::vector<std::size_t> between;
  for (const Case& one : cases) {
    if (one.shape[0] > 1)
      between.push_back(std::exchange(small, 0));
    else
      ++small;
  }
  for (const std::size_t count : {1, 2, 3, 31, 63, 99, 126, 127, 255})
    CHECK(std::ranges::count(between, count) == 1);
}

TEST_CASE("what any operator may be given comes at a threshold of the source: tiny values, zeros") {
  const Problem& dot = *find_problem("dot");
  const LargeCases cases = large_cases(dot, 1, {{{1 << 20}}});
  for (const Values values : general_values) {
    CHECK(std::ranges::count(cases.near_constants[1], Case{{1 << 20}, values}) == 1);
    CHECK(std::ranges::count(cases.long_life, values, &Case::values) > 6);
  }
}

TEST_CASE("a distribution comes on both sides of a threshold") {
  const Problem& softmax = *find_problem("softmax_rows");
  const LargeCases cases = large_cases(softmax, 1, {{{1, 8192}, {1, 8193}}});
  for (const int cols : {8192, 8193})
    CHECK(std::ranges::count(cases.near_constants[1], Case{{1, cols}, Values::far_below_zero}) ==
          1);
}

TEST_CASE("of equal elements one is left over by vectors, and few elements are below a bound") {
  const auto has = [](const std::vector<Case>& cases, const Case& wanted) {
    return std::ranges::find(cases, wanted) != cases.end();
  };
  CHECK(has(large_cases(*find_problem("argmax"), 1).long_life, {{1025}, Values::largest_twice}));
  CHECK(std::ranges::any_of(large_cases(*find_problem("topk_rows"), 1).forms,
                            [&](const GrowingCases& form) {
                              return has(form, {{3, 131071, 256}, Values::gaps});
                            }));
}

TEST_CASE("offsets in each tensor pass what an int and 32 bits hold, where the ranges allow it") {
  for (const Problem& problem : problems()) {
    // What has to fit together is drawn whole: as much as there is time for.
    if (uses_devices(problem) || has_structure(problem)) continue;
    std::vector<Case> cases = maximum_cases(problem);
    std::ranges::copy(drawn_maximum_cases(problem, 1), std::back_inserter(cases));
    for (const Parameter& tensor : problem.signature.tensors) {
      std::size_t most = 0, seen = 0;
      for (std::size_t first = 0; first < problem.signature.integers.size(); ++first) {
        Shape shape = legal(problem, Shape(problem.signature.integers.size(), 1));
        for (std::size_t n = 0; n < shape.size(); ++n) {
          const std::size_t i = (first + n) % shape.size();
          shape =
              largest_within(problem, HUGE_VAL, problem.signature.integers[i].most, [&](int size) {
                Shape larger = shape;
                larger[i] = size;
                return larger;
              });
        }
        most = std::max(most, elements(tensor, shape));
      }
      for (const Case& one : cases) seen = std::max(seen, elements(tensor, one.shape));
      CAPTURE(problem.name);
      CAPTURE(tensor.name);
      for (const std::size_t unit : {std::size_t{1}, size_of(tensor.type)})
        for (const std::size_t limit : {std::size_t{1} << 31, (std::size_t{1} << 32) - 1})
          CHECK((seen * unit > limit || most * unit <= limit));
    }
  }
}

TEST_CASE("few rows hold some more elements than an int counts: launches run whole there") {
  const std::vector<Case> cases = maximum_cases(*find_problem("moe_permute"));
  CHECK(std::ranges::any_of(cases, [](const Case& one) {
    return is_just_beyond_ints(*find_problem("moe_permute"), one.shape) && one.shape[0] < 200'000;
  }));
}
