// Drills of the kind viva: small changes of a person's own kernel, and what the judge says of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "desk.h"
#include "practice/drill/change.h"
#include "practice/drill/judging.h"
#include "practice/drill/mutations.h"
#include "practice/drill/viva.h"
#include "support/text.h"

using namespace kata;
using namespace kata::drill;

namespace {

const std::string relu =
    "#include <kata/kata.h>\n"
    "__global__ void relu_kernel(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  __syncthreads();\n"
    "  if (i < n) y[i] = x[i] > 0.0f ? x[i] : 0.0f;\n"
    "}\n"
    "void relu(const float* x, float* y, int n) {\n"
    "  relu_kernel<<<(n + 256 - 1) / 256, 256>>>(x, y, n);\n"
    "}\n";

/// A person whose relu passed.
struct Solver {
  test::Desk desk;
  std::string text;
  Result<History> history = opened(desk);

  static Result<History> opened(const test::Desk& desk) {
    setenv("KATA_ROOT", (desk.scratch / "tree").c_str(), 1);
    setenv("KATA_HOME", (desk.scratch / "home").c_str(), 1);
    return History::open();
  }
  explicit Solver(std::string own = relu) : text(std::move(own)) {
    REQUIRE(history);
    desk.write("relu", text);
    Attempt passed;
    passed.operator_name = "relu";
    passed.verdict = Verdict::pass;
    passed.text = text;
    REQUIRE(history->add(passed));
  }
  ~Solver() {
    unsetenv("KATA_ROOT");
    unsetenv("KATA_HOME");
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Also of a change that balanced() leaves out. "counters": of the questions about those.
  Offer offer(const std::string& operation) const {
    const auto offers = viva_offers("relu", *history);
    REQUIRE(offers);
    Offer one = offers->front();
    const std::string hash = one.name.substr(one.name.rfind('/'));
    int place = 0;
    for (const Mutant& mutant : mutants_of(text)) {
      if (mutant.operation == operation) place = mutant.place;
    }
    one.name = "relu/" + operation + "/" + std::to_string(place) + hash;
    return one;
  }
};

int points_for(Item& item, std::size_t question, const std::string& answer) {
  const auto judged = item.judge(question, answer);
  REQUIRE(judged);
  return judged->got;
}

std::string changed(const std::string& text, const std::string& operation) {
  for (const Mutant& one : mutants_of(text)) {
    if (one.operation == operation) return one.text;
  }
  return {};
}

}  // namespace

TEST_CASE("a change that breaks the kernel: an input that shows it, and what the judge says") {
  const Solver solver;
  const auto made = make_viva(solver.offer("guard"));
  REQUIRE(made);
  Item& item = **made;
  CHECK(item.text().find("+   if (true) y[i]") != std::string::npos);
  CHECK(points_for(item, 0, "Out of bounds") == 60);
  CHECK(points_for(item, 0, "right") == 0);
  CHECK(points_for(item, 1, "1 normal") == 40);
  CHECK(points_for(item, 1, "256") == 0);  // passes, but other cases do not
  CHECK_FALSE(item.judge(1, "often"));
  CHECK(item.judge(1, "1 normal")->why.find("1 normal fails: ") == 0);  // and how it shows
  CHECK(item.judge(1, "1 constant")->why.find("relu.cu:5") != std::string::npos);
  CHECK(item.explanation().find("out_of_bounds at relu.cu:5: ") != std::string::npos);
}

TEST_CASE(
    "output that was never written is uninitialized and a wrong result, and the answer says both") {
  const Solver solver;
  const auto made = make_viva(solver.offer("rounded down"));
  REQUIRE(made);
  const auto judged = (*made)->judge(0, "never written");
  REQUIRE(judged);
  CHECK(judged->got >= 60);
  CHECK(judged->why == "uninitialized; also right: wrong result, does not run");
}

TEST_CASE(
    "a barrier that is missing is no barrier that some threads do not reach, but half of it") {
  const Solver solver(
      "#include <kata/kata.h>\n"
      "__global__ void f(const float* x, float* y, int n) {\n"
      "  __shared__ float tile[256];\n"
      "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
      "  if (i < n) tile[255 - threadIdx.x] = fmaxf(x[i], 0.0f);\n"
      "  __syncthreads();\n"
      "  if (i < n) y[i] = tile[255 - threadIdx.x];\n"
      "  tile[threadIdx.x] = 0;\n"
      "  __syncthreads();\n"
      "  if (i < n && tile[255 - threadIdx.x] > 0) y[i] = 0;\n"
      "}\n"
      "void relu(const float* x, float* y, int n) {\n"
      "  f<<<(n + 255) / 256, 256>>>(x, y, n);\n"
      "}\n");
  const auto made = make_viva(solver.offer("barrier"));
  if (!made) FAIL(made.error().message);
  CHECK(
      test::contains((*made)->questions()[0].text, "`barrier` is one that not all threads reach"));
  const int all = points_for(**made, 0, "race");
  CHECK(all >= 60);
  CHECK(points_for(**made, 0, "barrier") == all / 2);
}

TEST_CASE("where nearly any answer would be right, the question is about the first failing case") {
  Report report;
  report.verdict = Verdict::fail;
  report.cases = {{.name = "1 normal", .tested = {{1}}},
                  {.name = "2 normal", .tested = {{2}}, .verdict = Verdict::fail},
                  {.name = "3 normal", .tested = {{3}}, .verdict = Verdict::fail, .bad = 1}};
  report.findings = {{.kind = FindingKind::race, .message = "", .seen_in = Case{{2}}},
                     {.kind = FindingKind::out_of_bounds, .message = "", .seen_in = Case{{3}}}};
  CHECK(outcomes_of(report).size() == 3);
  CHECK(outcomes_of(of_first_failure(report)) == std::vector<std::string>{"race"});
}

TEST_CASE("a change that breaks nothing is asked, too") {
  const Solver solver;
  const auto made = make_viva(solver.offer("second barrier"));
  REQUIRE(made);
  CHECK((*made)->questions().size() == 1);  // any input would do
  CHECK(points_for(**made, 0, "right") == 100);
  CHECK(points_for(**made, 0, "race") == 0);
  CHECK((*made)->explanation().find("has nothing left to order") != std::string::npos);  // why
}

TEST_CASE("what breaks nothing is asked once a file, and not again within ten vivas") {
  const std::string twice = relu + "// " + relu + relu;  // each place twice
  std::map<std::string, int> times;
  for (const Mutant& one : balanced(mutants_of(twice), twice)) times[one.operation] += one.same;
  for (const auto& [operation, asked] : times) {
    CAPTURE(operation);
    CHECK(asked <= 1);
  }
  Solver solver;
  const auto offered = [&] {
    const auto offers = viva_offers("relu", *solver.history);
    REQUIRE(offers);
    std::set<std::string> operations;
    for (const Offer& one : *offers) operations.insert(split(one.name, '/')[1]);
    return operations;
  };
  std::string harmless;
  for (const Mutant& one : mutants_of(relu)) {
    if (one.harmless && offered().contains(one.operation)) harmless = one.operation;
  }
  CHECK(offered().contains(harmless));
  const auto done = [&](const std::string& item) {
    REQUIRE_FALSE(solver.history->add(DrillResult{.kind = "viva", .item = item, .topic = "x"}));
  };
  done("relu/" + harmless + "/3/0");
  CHECK_FALSE(offered().contains(harmless));
  for (int i = 0; i < 10; ++i) done("relu/guard/1/0");
  CHECK(offered().contains(harmless));
}

TEST_CASE(
    "every operation says in a sentence why it may break nothing, and what it breaks if it does") {
  const std::string all = "__syncthreads(); if (i < n) f(); while (a < b) ; x[row * cols + col];";
  for (const Mutant& one : mutants_of(all)) {
    CAPTURE(one.operation);
    CHECK(std::string(one.why).size() > 20);
    CHECK(one.harmless == std::string(one.breaks).empty());
  }
}

TEST_CASE("the proof names each finding with its case, then numbers, and guesses no cause") {
  Report report;
  report.operator_name = "relu";
  report.verdict = Verdict::fail;
  report.cases = {{.name = "257 normal",
                   .tested = {{257}},
                   .verdict = Verdict::fail,
                   .first_bad = FirstBad{{0}, "y[0]", "y", 1, 2},
                   .bad = 3,
                   .of = 257,
                   .explanation = "what it would be if all inputs were 0"}};
  report.findings = {{.kind = FindingKind::race,
                      .file = "/x/relu.cu",
                      .line = 23,
                      .message = "two threads",
                      .seen_in = Case{{255}}}};
  Mutant mutant;
  mutant.breaks = "nothing orders";
  CHECK(proof_of(report, mutant) ==
        std::vector<std::string>{
            "The change: nothing orders.", "255 normal: race at relu.cu:23: two threads",
            "257 normal: y[0] is 1 and should be 2; 3 of 257 elements are wrong"});
  report.findings[0].severity = Severity::warning;  // as a barrier that some lanes miss
  CHECK(proof_of(report, mutant).size() == 3);
  report.findings[0].message = "grid.x is 0 (a division that rounds down?)";
  CHECK(proof_of(report, mutant)[1].ends_with("grid.x is 0"));
}

TEST_CASE("a proof asks no question") {
  CHECK(without_guess(
            "infinite: does exp overflow (above 88), or a log take 0 (below -104)? loss is inf") ==
        "infinite: loss is inf");
  CHECK(without_guess("y is 0 (is a barrier missing, or an atomic?): y[0] is 0") ==
        "y is 0: y[0] is 0");
  CHECK(without_guess("y is NaN: is it read (NaN, not 0), or is 0 divided by 0?") == "y is NaN");
  CHECK(without_guess("x holds NaN: does a mask let it through? Or is 0 divided by 0?") ==
        "x holds NaN");
  CHECK(without_guess("nearer to 0 by 1: truncated instead of rounded? q is 1 and should be 2") ==
        "nearer to 0 by 1: q is 1 and should be 2");
  CHECK(without_guess("different in each run; in the first run, NaN") == "different in each run");
}

TEST_CASE("a change that only cases beyond the usual ones show is not asked" *
          doctest::test_suite("slow")) {
  std::string text = "constexpr int BLOCKS = 512;\n" + relu;
  text.replace(text.find("(n + 256"), 24, "min(BLOCKS, (n + 511) / 512), 512");
  const Solver solver(text);
  CHECK(make_viva(solver.offer("second barrier")));
  CHECK(make_viva(solver.offer("block size")).error().message.find("only a case") == 0);
}

TEST_CASE("viva asks about a file that passed as it is now") {
  const Solver solver;
  const Offer offer = solver.offer("guard");
  solver.desk.write("relu", relu + "// later\n");
  CHECK(make_viva(offer).error().message.find("has changed since") != std::string::npos);
  CHECK(viva_offers("relu", *solver.history).error().message.find("was not checked as it is now") !=
        std::string::npos);
}

TEST_CASE("a file that passed is asked what it does, too, chosen by what it does") {
  const Solver solver;
  const auto made = make_viva(solver.offer("counters"));
  REQUIRE(made);
  REQUIRE((*made)->questions().size() == 2);     // neither shared memory nor atomics
  CHECK(points_for(**made, 0, "524308") == 50);  // 131077 floats
  CHECK(points_for(**made, 0, "8") == 0);
  CHECK(points_for(**made, 1, "8") == 50);  // blocks of 256 threads
}

TEST_CASE("a change that the judge cannot end or compile is not asked") {
  const Problem& problem = *find_problem("relu");
  const test::Desk desk;
  const auto outcome = [&](const std::string& from, const std::string& to) {
    std::string text = relu;
    text.replace(text.find(from), from.size(), to);
    return judged_as_change(problem, desk.scratch / "relu.cu", text);
  };
  CHECK_FALSE(is_decided(outcome("  __syncthreads();", "  volatile int on = 1;\n  while (on) {}")));
  CHECK_FALSE(is_decided(outcome("int i =", "in i =")));
  CHECK(is_decided(outcome("  __syncthreads();", "")));
}

TEST_CASE("about two of five changes are of the sort that breaks nothing, in every topic") {
  std::map<std::string, std::array<int, 2>> sorts;
  for (const Mutant& one : balanced(mutants_of(relu), relu)) ++sorts[one.topic][one.harmless];
  CHECK(sorts.size() == 3);
  for (const auto& [topic, both] : sorts) {
    CAPTURE(topic);
    CHECK(both[true] >= 1);
    CHECK(both[false] <= 2 * both[true] + 1);
    CHECK(both[true] <= 2 * both[false] + 1);
  }
}

TEST_CASE("every operation changes its place and no other") {
  const std::map<std::string, std::pair<std::string, std::string>> all = {
      {"barrier", {"  __syncthreads();", "  ;"}},
      {"comparison", {"while (a < b) ;", "while (a <= b) ;"}},
      {"guard", {"if (i >= n) return;", "if (false) return;"}},
      {"index order", {"x[row * cols + col]", "x[col * cols + row]"}},
      {"dimension", {"threadIdx.y", "threadIdx.x"}},
      {"block size", {"constexpr int BLOCK = 256;", "constexpr int BLOCK = 512;"}},
      {"half the size", {"constexpr int BLOCK = 256;", "constexpr int BLOCK = 128;"}},
      {"warp barrier", {"__syncthreads();", "__syncwarp();"}},
      {"counting barrier", {"__syncthreads();", "__syncthreads_count(1);"}},
      {"comparison less one",
       {"int a; int b; while (a < b) ;", "int a; int b; while (a <= b - 1) ;"}},
      {"one too few", {"while (a < b) ;", "while (a < b - 1) ;"}},
      {"wrong negation", {"if (i < n) f();", "if (!(i > n)) f();"}},
      {"rounded down", {"f(kata::ceil_div(n, B));", "f((n - 1) / B);"}},
      {"negation", {"int i; if (i < n) f();", "int i; if (!(i >= n)) f();"}},
      {"last step as before", {"for (int o; o > 0;)", "for (int o; o >= 1;)"}},
      {"rounding", {"f(kata::ceil_div(n, B));", "f(((n - 1) / B + 1));"}},
      {"commuted index", {"x[row * cols + col]", "x[col + row * cols]"}},
      {"spread index",
       {"i = blockIdx.x * B + threadIdx.x;", "i = threadIdx.x * gridDim.x + blockIdx.x;"}},
      {"same maximum", {"float most = -INFINITY;", "float most = -3.4e38f;"}},
      {"same zero", {"float sum = 0;", "float sum = -0.0f;"}},
      {"first step", {"for (int k = 0; k < n;)", "for (int k = 1; k < n;)"}},
      {"restrict", {"float* __restrict__ p", "float*  p"}},
      {"wider fence", {"__threadfence();", "__threadfence_system();"}},
      {"fence", {"__threadfence();", ";"}},
      {"atomic", {"; atomicAdd(&sum[i], f(a, b));", "; *(&sum[i]) += f(a, b);"}},
      {"initial value", {"float most = -INFINITY;", "float most = 0;"}},
      {"tail", {"(n + 256 - 1) / 256", "n / 256"}},
      {"accumulator", {"double sum = 0;", "float sum = 0;"}},
      {"volatile", {"volatile float* p", " float* p"}},
      {"mask", {"f(0xffffffff, v)", "f(0x0000ffffu, v)"}},
      {"last step", {"for (; o > 0; o /= 2)", "for (; o > 1; o /= 2)"}},
      {"padding", {"; __shared__ float t[32][32 + 1];", "; __shared__ float t[32][32];"}},
      {"unrolling", {"#pragma unroll\nfor (;;)", "\nfor (;;)"}},
      {"second barrier", {"__syncthreads();", "__syncthreads(); __syncthreads();"}}};
  MESSAGE("viva: " << mutation_names().size() << " operations");
  for (const std::string& operation : mutation_names()) {
    CAPTURE(operation);
    REQUIRE(all.contains(operation));
    CHECK(changed(all.at(operation).first, operation) == all.at(operation).second);
  }
  for (const char* exact : {"float a; int b; while (a < b) ;", "auto i; if (i < n) f();",
                            "float f(int i); for (float i; i > 0;)"}) {
    CAPTURE(exact);
    for (const Mutant& one : mutants_of(exact)) CHECK_FALSE(one.same);
  }
  for (const char* untouched : {"std::vector<int> v;", "load<A, B>(x)", "f(a < b)  // if (i < n)",
                                "return atomicAdd(&x, 1);", "(a + b) / c"}) {
    CAPTURE(untouched);
    for (const Mutant& one : mutants_of(untouched))
      CHECK((one.operation.starts_with("comparison") || one.operation == "one too few"));
  }
}
