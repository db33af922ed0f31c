// One problem for each kind of parameter: what the judge accepts and what it says of a wrong
// result.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "judge/host_device.h"
#include "judge/judge.h"
#include "judge/planted.h"
#include "scratch.h"

using namespace kata;
using kata::test::contains;

namespace {

Cost cost(const Shape& shape) {
  return {.bytes_read = 4.0 * shape[0], .bytes_written = 4.0 * shape[0]};
}

Problem problem_of(const std::string& name, Signature signature, std::vector<Case> cases,
                   Outputs (*reference)(const Inputs&, const Case&)) {
  return {.name = name,
          .summary = "",
          .frequency = "",
          .difficulty = "",
          .signature = std::move(signature),
          .cases = std::move(cases),
          .bench_shapes = {},
          .reference = reference,
          .cost = cost};
}

struct Judged {
  std::vector<CaseResult> cases;
  std::vector<Finding> findings;

  bool passed() const {
    return !cases.empty() && findings.empty() &&
           std::all_of(cases.begin(), cases.end(),
                       [](const CaseResult& one) { return one.verdict == Verdict::pass; });
  }
  const std::string& explanation() const { return cases.front().explanation; }
};

template <class... P>
Judged judged(const Problem& problem, void (*candidate)(P...)) {
  test::HostDevice device;
  Judged seen;
  judge(problem, reinterpret_cast<void*>(candidate), problem.cases, 42, device,
        {.started = [](const Case&) {},
         .finished = [&](const CaseResult& result) { seen.cases.push_back(result); },
         .found = [&](const Finding& finding) { seen.findings.push_back(finding); },
         .counted = [](const Case&, const std::vector<KernelRecord>&) {},
         .stopped = [](int) {}});
  return seen;
}

// Each output is exact: twice the input, of every type.
template <class T>
Problem doubling() {
  return problem_of("doubling",
                    signature(input<T>("x", dims<0>, draw::between(0, 60)), output<T>("y", dims<0>),
                              integer("n")),
                    {{{1000}}}, [](const Inputs& inputs, const Case&) {
                      Expected y;
                      for (std::size_t i = 0; i < inputs[0].size(); ++i) {
                        y.value.push_back(2 * inputs[0][i]);
                      }
                      return Outputs{y};
                    });
}

template <class T>
void doubles(const T* x, T* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<T>(2 * x[i]);
}
template <class T>
void doubles_all_but_the_last(const T* x, T* y, int n) {
  doubles(x, y, n - 1);
}
template <class T>
void changes_its_input(const T* x, T* y, int n) {
  doubles(x, y, n);
  const_cast<T*>(x)[n - 1] = static_cast<T>(77);
}
template <class T>
void writes_past_the_end(const T* x, T* y, int n) {
  doubles(x, y, n);
  y[n] = static_cast<T>(1);
}

template <class T>
void check_type() {
  INFO(cuda_name(type_of<T>));
  const Problem problem = doubling<T>();
  CHECK(judged(problem, doubles<T>).passed());

  const Judged short_of_one = judged(problem, doubles_all_but_the_last<T>);
  CHECK(contains(short_of_one.explanation(), "part of y was never written: only the last element"));
  REQUIRE(short_of_one.findings.size() == 1);
  CHECK(short_of_one.findings[0].kind == FindingKind::output_incomplete);

  const Judged changed = judged(problem, changes_its_input<T>);
  REQUIRE(changed.findings.size() == 1);
  CHECK(changed.findings[0].kind == FindingKind::input_modified);
  CHECK(contains(changed.findings[0].message, "x[999]"));

  const Judged past_the_end = judged(problem, writes_past_the_end<T>);
  REQUIRE(past_the_end.findings.size() == 1);
  CHECK(past_the_end.findings[0].kind == FindingKind::out_of_bounds);
}

// In-out: x = x + alpha.
const Problem increment = problem_of(
    "increment", signature(in_out<float>("x", dims<0>), real("alpha", 1.0f), integer("n")),
    {{{300}}, {{300}, Values::normal, {0.5f}}}, [](const Inputs& inputs, const Case& one_case) {
      Expected x;
      for (float value : inputs[0].as<float>()) {
        x.value.push_back(value + one_case.reals[0]);
      }
      return Outputs{x};
    });

void increments(float* x, float alpha, int n) {
  for (int i = 0; i < n; ++i) x[i] += alpha;
}
void leaves_as_it_is(float*, float, int) {}

// A result of which a part is unspecified, and a second output that says which.
const Problem compact =
    problem_of("compact",
               signature(input<float>("x", dims<0>), output<float>("y", dims<0>),
                         output<int>("count", scalar), integer("n")),
               {{{100}}}, [](const Inputs& inputs, const Case& one_case) {
                 Expected y, count;
                 for (float value : inputs[0].as<float>()) {
                   if (value > 0) y.value.push_back(value);
                 }
                 y.specified = static_cast<std::int64_t>(y.value.size());
                 count.value = {static_cast<double>(y.value.size())};
                 y.value.resize(static_cast<std::size_t>(one_case.shape[0]));
                 return Outputs{y, count};
               });

void compacts(const float* x, float* y, int* count, int n) {
  *count = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > 0) y[(*count)++] = x[i];
  }
}
void counts_wrongly(const float* x, float* y, int* count, int n) {
  compacts(x, y, count, n);
  ++*count;
}
void writes_one_output_into_the_other(const float* x, float* y, int* count, int n) {
  compacts(x, y, count, n);
  std::swap_ranges(y, y + 1, reinterpret_cast<float*>(count));
}

// Ties may be rounded either way.
const Problem halving = problem_of("halving",
                                   signature(input<int>("x", dims<0>, draw::between(0, 9)),
                                             output<signed char>("y", dims<0>), integer("n")),
                                   {{{100}}}, [](const Inputs& inputs, const Case&) {
                                     Expected y;
                                     for (int value : inputs[0].as<int>()) {
                                       y.value.push_back(std::floor(value / 2.0));
                                       y.alternative.push_back(std::ceil(value / 2.0));
                                     }
                                     return Outputs{y};
                                   });

void halves_down(const int* x, signed char* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<signed char>(x[i] / 2);
}
void halves_up(const int* x, signed char* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<signed char>((x[i] + 1) / 2);
}
void halves_far_up(const int* x, signed char* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<signed char>((x[i] + 3) / 2);
}

}  // namespace

TEST_CASE("every element type has its poison, its guard zones and its input comparison") {
  check_type<float>();
  check_type<Half>();
  check_type<Bfloat16>();
  check_type<int>();
  check_type<unsigned>();
  check_type<signed char>();
  check_type<unsigned char>();
}

TEST_CASE("an integer result that happens to equal the poison counts as written") {
  Problem problem = doubling<unsigned>();
  problem.signature =
      signature(input<unsigned>("x", dims<0>), output<unsigned>("y", dims<0>), integer("n"));
  problem.reference = [](const Inputs& inputs, const Case&) {
    return Outputs{{.value = std::vector<double>(inputs[0].size(), 0xa5a5a5a5)}};
  };
  const auto poison_like = [](const unsigned*, unsigned* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = 0xa5a5a5a5;
  };
  CHECK(judged(problem, +poison_like).passed());
  problem.reference = [](const Inputs& inputs, const Case&) {
    return Outputs{{.value = std::vector<double>(inputs[0].size(), 7)}};
  };
  const Judged wrong = judged(problem, +poison_like);
  CHECK(wrong.findings.empty());
  CHECK(contains(wrong.explanation(), "every element of y"));
}

TEST_CASE("an in-out buffer is restored before each call, and a case may set a scalar") {
  CHECK(judged(increment, increments).passed());
  const Judged unchanged = judged(increment, leaves_as_it_is);
  CHECK(contains(unchanged.explanation(), "those of the input x, unchanged"));
  REQUIRE(unchanged.cases.size() == 2);
  CHECK(unchanged.cases[1].name == "300 normal, alpha 0.5");
}

TEST_CASE("past the specified part of an output anything goes, and each output is named") {
  CHECK(judged(compact, compacts).passed());
  const Judged wrong_count = judged(compact, counts_wrongly);
  REQUIRE(wrong_count.cases[0].first_bad);
  CHECK(wrong_count.cases[0].first_bad->element == "count");
  CHECK(wrong_count.cases[0].bad == 1);
  const Judged both = judged(compact, writes_one_output_into_the_other);
  CHECK(both.cases[0].bad == 2);
  CHECK(contains(both.explanation(), "count is wrong, too"));
}

TEST_CASE("either of two accepted values is right, a third is not") {
  CHECK(judged(halving, halves_down).passed());
  CHECK(judged(halving, halves_up).passed());
  CHECK_FALSE(judged(halving, halves_far_up).passed());
}

TEST_CASE("a faulty problem is refused with one line that names it") {
  Problem problem = doubling<float>();
  problem.bench_shapes = {{1000}};
  CHECK(fault_of(problem) == "");
  problem.cases.push_back({{1, 2}});
  CHECK(contains(fault_of(problem), "problem doubling: the shape 1x2 has 2 numbers"));
  problem.cases.back() = {{0}};
  CHECK(contains(fault_of(problem), "the shape 0 is not legal"));
  problem.cases.back() = {{1}, Values::normal, {1.0f}};
  CHECK(contains(fault_of(problem), "more reals"));
  problem.signature = signature(input<float>("x", dims<0>), integer("x"));
  CHECK(contains(fault_of(problem), "two parameters are named x"));
  problem.signature = signature(input<float>("x", dims<0>), integer("n"));
  CHECK(contains(fault_of(problem), "no output"));
}

TEST_CASE("a reference that forgets an output, or reads a wrong type, is an error of the problem") {
  Problem problem = compact;
  problem.reference = [](const Inputs&, const Case&) { return Outputs(1); };
  const Inputs inputs = make_inputs(problem, problem.cases[0], 1);
  CHECK_THROWS_WITH(expected_outputs(problem, inputs, problem.cases[0]),
                    "its reference does not fill all outputs at 100");
  CHECK_THROWS_WITH(inputs[0].as<int>(), "an array of float is read as one of int");
  CHECK_THROWS_WITH(inputs[1].size(),
                    "it reads inputs[1], but its signature has 1 input; should "
                    "an output be in_out?");
}
