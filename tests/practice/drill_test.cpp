// Drills: which item comes next, what gives a fault away, and what is kept.
#include <doctest/doctest.h>

#include <regex>

#include "judge/judge.h"
#include "person.h"
#include "practice/drill/answer.h"
#include "practice/drill/bug.h"
#include "practice/drill/choose.h"
#include "practice/drill/classes.h"
#include "practice/drill/helpers.h"
#include "practice/drill/judging.h"
#include "practice/drill/reading.h"
#include "practice/drill/record.h"
#include "support/files.h"

using namespace kata;
using namespace kata::drill;
using namespace std::chrono_literals;

using kata::test::contains;

namespace {

const std::string right_text =
    "// The barrier keeps warps together.\n"
    "\n"
    "int tile[33];  // padded\n"
    "// all have stored\n"
    "__syncthreads();\n"
    "y[i] = tile[j];  // neutral\n";

const std::string faulty_text =
    "// The barrier keeps warps together.\n"
    "\n"
    "int tile[33];  // padded\n"
    "// all have stored\n"
    "y[i] = tile[j];  // neutral\n";

DrillResult result(const std::string& item, const std::string& topic, int score, Time at) {
  return {.kind = "bug",
          .item = item,
          .topic = topic,
          .score = score,
          .found = score > 50,
          .grade = score > 50 ? Grade::good : Grade::again,
          .at = at};
}

Offer offer(const std::string& name, const std::string& topic, int level = 1) {
  return {.kind = Kind::bug, .name = name, .topic = topic, .level = level};
}

}  // namespace

TEST_CASE("a removed line is a change between its neighbours, and comments are no change") {
  const std::vector<Hunk> hunks = hunks_between(right_text, faulty_text);
  REQUIRE(hunks.size() == 1);
  CHECK(hunks[0].before_begin == 4);
  CHECK(hunks[0].before_end == 5);
  CHECK(hunks[0].after_begin == 4);
  CHECK(hunks[0].after_end == 4);
  CHECK(changed_lines(hunks) == 1);
  CHECK(hunks_between("int x;  // one\n", "int x;\n\n").empty());
  CHECK(with_hunks(right_text, faulty_text, hunks) == faulty_text);
  CHECK(with_hunks(right_text, faulty_text, {}) == right_text);
}

TEST_CASE("comments that give a fault away go, neutral ones stay") {
  const auto hunks = hunks_between(right_text, faulty_text);
  const std::string shown = without_telling_comments(faulty_text, hunks, long_words("no barrier."));
  CHECK(shown == "\nint tile[33];  // padded\ny[i] = tile[j];\n");
  CHECK(without_telling_comments(faulty_text, {}, {"padded"}) ==
        "// The barrier keeps warps together.\n\nint tile[33];\n// all have stored\n"
        "y[i] = tile[j];  // neutral\n");
  for (const auto& [header, left] :
       {std::pair<std::string, std::string>{"// No barrier.\n//\n// Neutral.\nint i;\n",
                                            "// Neutral.\nint i;\n"},
        {"// Neutral.\n//\n// No barrier.\nint i;\n", "// Neutral.\nint i;\n"}})
    CHECK(without_telling_comments(header, {}, {"barrier"}) == left);  // by the paragraph
  CHECK(changed_words(right_text, faulty_text) ==
        std::set<std::string>{"(", ")", ";", "__syncthreads"});
  const std::string functions =
      "// One.\nvoid f() {\n  g();\n}\n\n// Two.\nvoid h() {\n  g();\n}\n";
  CHECK(without_telling_comments(functions, {{7, 8, 7, 8}}, {}).find("Two") == std::string::npos);
  CHECK(without_telling_comments(functions, {{7, 8, 7, 8}}, {}).find("One") != std::string::npos);
}

TEST_CASE("of a header a person sees what the kernel uses, and which line leads to it") {
  const SourceFile header{
      "/k/sum.h",
      "#pragma once\nnamespace a {\n__device__ inline float half_of(float x) {\n  return x / 2;\n"
      "}\n\n__device__ inline float sum(float x) {\n  return half_of(x) + 1;\n}\n\n"
      "template <int N = 4>\nstruct Unused {\n  int x;\n};\n\nvoid host() {\n"
      "  one();\n  two();\n  one();\n  two();\n  one();\n  two();\n  int secret;\n}\nconstexpr int "
      "STAGES = 4, BM = 2, WORDS = sizeof(int) / four();\n}\n"};
  const std::string kernel = "f(1);\ny[i] = sum(x[i]);\nhost();\nint k = BM, s = sizeof(four());\n";
  const std::string code = used_code({{kernel, {header}}});
  for (const char* used :
       {"---- sum.h ----", "half_of(float x)", "void host() { ... }", "BM = 2"}) {
    CAPTURE(used);
    CHECK(code.find(used) != std::string::npos);
  }
  for (const char* left_out : {"Unused", "secret"}) CHECK(code.find(left_out) == std::string::npos);
  const std::string two = used_code({{kernel, {header}}, {"z = sum(1);\n", {header}}});
  CHECK(contains(two, "Both use these helpers as well:\n"));
  CHECK_FALSE(contains(two, "half_of(float x) {"));
  CHECK(contains(two, "BM = 2"));  // of one alone
  const std::string of_one = used_code({{kernel, {header}}, {"sum(1); void sum(float x) {}", {}}});
  CHECK(contains(of_one, "float sum(float x) {"));  // the other kernel has its own
  CHECK_FALSE(contains(of_one, "Both use"));
  CHECK(used_names(kernel, {header}).find("sum.h: sum, host, BM\n") != std::string::npos);
  CHECK(lines_into(kernel, {header}, "/k/sum.h", 4, 3) == std::vector<int>{2});
}

TEST_CASE("a finding within a class of a header leads to the line that calls its function") {
  const SourceFile header{"/k/tile.h",
                          "struct Tile {\n  __device__ void load(int i) {\n    a();\n  }\n"
                          "  __device__ void merge(int i) {\n    b();\n  }\n};\n"};
  const std::string kernel = "using T = Tile;\nT t;\nt.load(1);\nt.merge(2);\n";
  CHECK(lines_into(kernel, {header}, "/k/tile.h", 6, 3) == std::vector<int>{4});
}

TEST_CASE("a line that only names a type is not the way into a header") {
  const SourceFile header{"/k/tile.h", "struct Tile {\n  float x[4] = {};\n};\n"};
  const std::string kernel = "using T = Tile;\nvoid f() {\n  T t;\n  g(t);\n}\n";
  CHECK(lines_into(kernel, {header}, "/k/tile.h", 2, 3) == std::vector<int>{3});
}

TEST_CASE("two honest names of a fault both count") {
  const auto fits = [](faults::FaultClass of, const std::string& right, const std::string& faulty,
                       faults::FaultClass named) {
    return fitting_classes(of, right, faulty, {}).contains(named);
  };
  using enum faults::FaultClass;
  CHECK(fits(indexing, "if (keep[i] == 0) continue;\nf();\n", "f();\n", logic));
  CHECK(fits(race, right_text, faulty_text, barrier));
  CHECK_FALSE(fits(race, "atomicAdd(&y, x);\n", "y += x;\n", barrier));
  CHECK(fits(indexing, "for (int o = 16; o > 0; o /= 2) f();\n",
             "for (int o = 8; o > 0; o /= 2) f();\n", bounds));
  CHECK(fits(indexing, "float a, b;\nm[i] = a * x[i];\n", "float a, b;\nm[i] = b * x[i];\n",
             numerics));
  CHECK_FALSE(
      fits(indexing, "float a;\nm[i] = a * x[i];\n", "float a;\nm[i] = a * x[j];\n", numerics));
  CHECK(fits(layout, "v = n % 4 == 0 ? f() : g();\n", "v = f();\n", logic));
  CHECK(fits(bounds, "if (row < n && col < m) f();\n", "if (row < n) f();\n", logic));
  CHECK(fits(stale_state, "sum = 0.0f;\n", "", numerics));
  CHECK_FALSE(fits(numerics, "best = -INFINITY;\n", "best = 0.0f;\n", stale_state));
  CHECK_FALSE(fits(numerics, "y = x * 2;\n", "y = x * 3;\n", logic));
  CHECK_FALSE(fits(numerics, "y = exp(static_cast<double>(x));\n", "y = expf(x);\n", logic));
  CHECK_FALSE(fits(bounds, "if (i < n) f();\n", "if (i <= n) f();\n", logic));
}

TEST_CASE("a fault is logic if a condition is changed, not if its formula has one") {
  const auto is_logic = [](const std::string& right, const std::string& faulty) {
    return fitting_classes(faults::FaultClass::numerics, right, faulty, {})
        .contains(faults::FaultClass::logic);
  };
  CHECK_FALSE(is_logic("v = m / n;\n", "v = m / (n > 1 ? n - 1 : 1);\n"));
  CHECK_FALSE(is_logic("s = ok ? a * b : 0;\n", "s = ok ? a : 0;\n"));
  CHECK(is_logic("s = ok ? a : 0;\n", "s = a;\n"));
  CHECK(is_logic("s = a < b ? a : 0;\n", "s = a > b ? a : 0;\n"));
  CHECK(is_logic("s = ok ? a : 0;\n", "s = ok || last ? a : 0;\n"));
  CHECK(is_logic("if (a &&\n    b == 1) f();\n", "if (a &&\n    b != 1) f();\n"));
}

TEST_CASE("a launch that is missing is logic or launch, and neither an index nor a layout") {
  const auto fitting = fitting_classes(faults::FaultClass::logic, "f<<<1, 32>>>(y);\n", "", {});
  using enum faults::FaultClass;
  CHECK(fitting == std::set{logic, launch});
}

TEST_CASE("a choice may be typed by its beginning, if no other begins so") {
  const Question question{
      .ask = Ask::kind, .text = "", .choices = {"bounds", "race", "barrier", "logic"}};
  CHECK(*choice_from(question, "bo") == "bounds");
  CHECK_FALSE(choice_from(question, "b"));
  CHECK(choice_from(
            {.ask = Ask::change, .text = "", .choices = {"One.", "Two.", "Three.", "Four."}}, "x")
            .error()
            .message ==
        "That names none of them alone. Type a number from 1 to 4, or words that one of them alone "
        "has.");
}

TEST_CASE("a choice may be typed in sloppy words, if no other can be meant") {
  const Question kinds{.ask = Ask::kind, .text = "", .choices = faults::fault_class_names()};
  for (const auto& [typed, meant] : {std::pair{"race condition", "race"},
                                     {"a data race", "race"},
                                     {"missing __syncthreads", "barrier"},
                                     {"out-of-bounds", "bounds"},
                                     {"oob access", "bounds"},
                                     {"off-by-one", "bounds"},
                                     {"index", "indexing"},
                                     {"uninitialized memory", "stale state"},
                                     {"#2", "race"},
                                     {"the second one", "race"}}) {
    CAPTURE(typed);
    const auto choice = choice_from(kinds, typed);
    CHECK(choice);
    if (choice) CHECK(*choice == meant);
  }
  for (const char* unclear : {"race or barrier", "not a race", "something", "42"})
    CHECK_FALSE(choice_from(kinds, unclear));
  const Question pair{.ask = Ask::faster, .text = "", .choices = {"first", "second", "same"}};
  CHECK(*choice_from(pair, "the second is faster") == "second");
  CHECK(*choice_from(pair, "equally fast") == "same");
  CHECK(whole_from("line 11") == 11);
  CHECK(whole_from("L11") == 11);
  CHECK(whole_from("line eleven") == 11);
  CHECK_FALSE(whole_from("11 or 12"));
}

TEST_CASE("a declaration is broken between parameters alone") {
  const std::string text = signature_text(*find_problem("attention"));
  CHECK(test::count_lines(text) == 2);
  CHECK(text.find(",\n      int M, int N, int d)\n") != std::string::npos);
}

TEST_CASE("a kernel in another folder finds its headers") {
  CHECK(moved("#include \"../common/a.h\"\n#include <b>\n", "/k/solutions/add", "/k/drills") ==
        "#include \"../solutions/common/a.h\"\n#include <b>\n");
}

TEST_CASE("no item comes twice before all were seen, and what was missed comes before the rest") {
  std::mt19937 chance(1);
  const Time today = now();
  const std::vector<Offer> offers = {offer("a", "race"), offer("b", "race"), offer("c", "bounds")};
  const auto order = in_order(offers, {result("a", "race", 100, today)}, day_of(today), chance);
  CHECK(order.back().name == "a");
  CHECK(order.front().name == "c");  // a new topic before one that is not due
  const auto later = in_order(
      offers, {result("a", "race", 0, today - 24h * 30), result("c", "bounds", 100, today)},
      day_of(today), chance);
  CHECK(later.front().name == "b");  // races are due
  CHECK(strengths({result("a", "race", 0, today - 24h * 30)}).at(0).standing.due_day <=
        day_of(today));
}

TEST_CASE("the level follows the scores") {
  std::mt19937 chance(1);
  const std::vector<Offer> offers = {offer("easy", "race", 1), offer("hard", "race", 2)};
  CHECK(in_order(offers, {}, 0, chance).front().name == "easy");
  CHECK(in_order(offers, {result("x", "race", 100, now())}, 0, chance).front().name == "hard");
}

TEST_CASE("who begins is asked at level 1 in every topic") {
  std::mt19937 chance(1);
  for (int times = 0; times < 10; ++times)
    CHECK(in_order({offer("a", "race", 3), offer("b", "bounds"), offer("c", "layout", 2)}, {}, 0,
                   chance)
              .front()
              .name == "b");
}

TEST_CASE("who begins is asked about easy operators first") {
  std::mt19937 chance(1);
  Offer easy = offer("easy", "race"), hard = offer("hard", "bounds");
  easy.problem = find_problem("relu");
  hard.problem = find_problem("cholesky");
  for (int times = 0; times < 10; ++times)
    CHECK(in_order({hard, easy}, {}, 0, chance).front().name == "easy");
}

TEST_CASE("a drill that was left is found again, and its result once it is over") {
  const test::Person person;
  auto history = History::open();
  REQUIRE(history);
  {
    Record record({.offer = offer("a", "race", 2), .limit = 10min}, *history);
    record.state().points = {{Ask::line, 25, 25, "there"}};
    REQUIRE_FALSE(record.save());
  }
  auto open = Record::find_open(*history);
  REQUIRE(open);
  REQUIRE(open->has_value());
  State& state = (*open)->state();
  CHECK(state.offer.level == 2);
  CHECK(state.limit == 10min);
  CHECK(state.score() == 25);
  state.open = false;
  REQUIRE_FALSE((*open)->save());
  CHECK_FALSE(Record::find_open(*history)->has_value());
  const auto results = history->drill_results();
  REQUIRE(results);
  REQUIRE(results->size() == 1);
  CHECK_FALSE(results->at(0).found);  // one right answer of several is not enough
  CHECK(results->at(0).grade == Grade::again);
  CHECK(strengths(*results).at(0).found == 0);
  Record good({.offer = offer("b", "race", 2),
               .points = {{Ask::line, 0, 25, ""}, {Ask::repair, 75, 75, ""}},
               .open = false},
              *history);
  REQUIRE_FALSE(good.save());
  CHECK(strengths(*history->drill_results()).at(0).found == 1);
}

TEST_CASE("an answer may name a case as kata prints it, of every operator") {
  for (const Problem& problem : problems()) {
    std::vector<Case> cases = problem.cases;
    const std::vector<Case> drawn = drawn_cases(problem, 1);
    cases.insert(cases.end(), drawn.begin(), drawn.end());
    for (const Case& one : cases) {
      const std::string name = name_of(problem, one);
      CAPTURE(problem.name);
      CAPTURE(name);
      const Result<Case> read = case_from(problem, name);
      if (!read) FAIL_CHECK(read.error().message);
      if (read) CHECK(name_of(problem, *read) == name);
    }
  }
  const Problem& sgemm = *find_problem("gemm_bias_gelu");
  const std::string size = to_string(sgemm.cases.front().shape);
  for (const char* typed : {"2 x 3 x 4 constant", "2, 3, 4 constant", "2 by 3 by 4 constant",
                            "K=4, M = 2, N = 3 constant", "size 2*3*4, constant values"}) {
    CAPTURE(typed);
    const auto read = case_from(sgemm, typed);
    REQUIRE(read);
    CHECK(read->shape == Shape{2, 3, 4});
    CHECK(read->values == Values::constant);
  }
  CHECK(case_from(*find_problem("relu"), "n = 1,000 elements")->shape == Shape{1000});
  CHECK(case_from(*find_problem("relu"), "2^10 negative")->values == Values::all_negative);
  CHECK(case_from(sgemm, size + ", gamma 2").error().message.find("no scalar gamma") !=
        std::string::npos);
  CHECK(case_from(*find_problem("relu"), "7 often").error().message.find("kinds of values") !=
        std::string::npos);
}

TEST_CASE("the scalars of an answer reach the kernel") {
  const auto fails = [](const std::string& typed) {
    const auto input = run_input(
        *find_problem("hgemm"),
        "#include <cuda_fp16.h>\n"
        "__global__ void f(const half* A, const half* B, half* C, int N, int K, float a, float b) "
        "{\n"
        "  int row = blockIdx.y, col = blockIdx.x;\n"
        "  float sum = b == 3.5f;\n"
        "  for (int k = 0; k < K; ++k)\n"
        "    sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);\n"
        "  half* c = C + row * N + col;\n"
        "  *c = __float2half(a * sum + (b == 0 ? 0 : b * __half2float(*c)));\n"
        "}\n"
        "extern \"C\" void hgemm(const half* A, const half* B, half* C, int M, int N, int K,\n"
        "                      float a, float b) {\n"
        "  f<<<dim3(N, M), 1>>>(A, B, C, N, K, a, b);\n"
        "}\n",
        "hgemm.cu", typed);
    if (!input) FAIL(input.error().message);
    return input->fails;
  };
  CHECK_FALSE(fails("3x5x7"));
  CHECK_FALSE(fails("3x5x7 normal, beta 2"));
  CHECK(fails("3x5x7 normal, beta 3.5"));
}

TEST_CASE("a small input shows values and no cause, which another fault could have, too") {
  const auto remark = [](const std::string& typed) {
    const auto input =
        run_input(*find_problem("reduce_sum"),
                  "__global__ void f(const float* x, float* sum, int n) {\n"
                  "  float all = 0;\n"
                  "  for (int i = 0; i < n - 1; ++i) all += x[i];\n"
                  "  *sum = all;\n"
                  "}\n"
                  "extern \"C\" void reduce_sum(const float* x, float* sum, int n) {\n"
                  "  f<<<1, 1>>>(x, sum, n);\n"
                  "}\n",
                  "reduce_sum.cu", typed);
    if (!input) FAIL(input.error().message);
    return input->remark;
  };
  static const std::regex values("(1|2) constant fails: sum is [-0-9.]+ and should be [-0-9.]+");
  CHECK(std::regex_match(remark("2 constant"), values));
  CHECK(std::regex_match(remark("1 constant"), values));
}

TEST_CASE("there are faults of every class and level to find, and of every operator") {
  const auto offers = bug_offers("");
  REQUIRE(offers);
  std::set<std::string> topics, operators;
  std::set<int> levels;
  for (const Offer& one : *offers) {
    topics.insert(one.topic);
    levels.insert(one.level);
    operators.insert(one.problem->name);
  }
  MESSAGE("bug: " << offers->size() << " faults");
  CHECK(offers->size() >= 400);
  CHECK(topics.size() == 11);
  CHECK(levels == std::set{1, 2, 3});
  CHECK(operators.size() == problems().size());
}
