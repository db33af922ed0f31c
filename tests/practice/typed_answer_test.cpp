// What people type, in sloppy words.
#include <doctest/doctest.h>

#include "practice/drill/answer.h"
#include "practice/drill/cause.h"
#include "practice/drill/which.h"
#include "scratch.h"

using namespace kata;
using namespace kata::drill;

namespace {

drill::Question asked(std::vector<std::string> choices) {
  return {.ask = Ask::kind, .text = "", .choices = std::move(choices)};
}

std::string chosen(const drill::Question& question, const std::string& typed) {
  const auto choice = choice_from(question, typed);
  return choice ? *choice : "";
}

const drill::Question kinds =
    asked({"bounds", "race", "barrier", "overflow", "numerics", "indexing", "layout", "launch",
           "memory order", "stale state", "logic"});
const drill::Question outcomes = asked(
    {"right", "wrong result", "race", "out of bounds", "barrier", "uninitialized", "does not run"});

}  // namespace

TEST_CASE("a choice is read from the words that people use for it") {
  for (const auto& [typed, meant] : {std::pair{"misaligned", "layout"},
                                     {"alignment", "layout"},
                                     {"grid size", "launch"},
                                     {"the wrong sign", "numerics"},
                                     {"off by one", "bounds"},
                                     {"not initialized", "stale state"},
                                     {"block has too few threads", "launch"}}) {
    CAPTURE(typed);
    CHECK(chosen(kinds, typed) == meant);
  }
  std::vector<std::string> causes;
  for (const Cause one : all_causes()) causes.emplace_back(to_string(one));
  for (const char* typed : {"grid too small", "the grid is too small", "too few blocks",
                            "not enough parallelism", "unused SMs", "idle"}) {
    CAPTURE(typed);
    CHECK(chosen(asked(causes), typed) == "idle SMs");
  }
  CHECK(chosen(asked(causes), "strided access") == "uncoalesced");
  CHECK(chosen(outcomes, "no error") == "right");
  CHECK(chosen(outcomes, "never written") == "uninitialized");
}

TEST_CASE("a negation is asked again, whatever the question") {
  for (const char* typed : {"no race", "not a race", "it isn't a race", "never a race", "not 3"}) {
    CAPTURE(typed);
    CHECK(chosen(outcomes, typed).empty());
    CHECK(chosen(kinds, typed).empty());
  }
  CHECK(chosen(outcomes, "does not compile") == "does not run");
  CHECK(chosen(outcomes, "No. 3") == "race");
  CHECK(chosen(outcomes, "it gives a wrong result, the last element is not counted") ==
        "wrong result");
  CHECK(chosen(outcomes, "a race, because nothing is not ordered") == "race");
  CHECK(chosen(outcomes, "it is not a race, since all are in order").empty());
  CHECK(test::contains(choice_from(outcomes, "memory bandwidth").error().message,
                       "names none of them alone"));
  CHECK_FALSE(says_finding("not a finding"));
}

TEST_CASE("a sentence is chosen by words that it alone has, and a number in a word is no choice") {
  const drill::Question changes =
      asked({"Each thread loads four neighbours with one float4.",
             "A tile in shared memory: each element is read once.",
             "Partial sums in registers, then one atomic for each block.",
             "Shuffles instead of shared memory at the end."});
  CHECK(chosen(changes, "float4 loads") == changes.choices[0]);
  CHECK(chosen(changes, "the shared tile") == changes.choices[1]);
  CHECK(chosen(changes, "one atomic per block") == changes.choices[2]);
  CHECK(chosen(changes, "the second one") == changes.choices[1]);
  CHECK(chosen(changes, "3") == changes.choices[2]);
  CHECK(chosen(changes, "shared memory").empty());
  CHECK(chosen(changes, "no atomic").empty());
  CHECK(test::contains(choice_from(changes, "quicker").error().message, "words that one of them"));
}

TEST_CASE("a factor is read as people say it, and asked back where it could be two") {
  for (const auto& [typed, factor] : {std::pair{"twenty", 20.0},
                                      {"thrice", 3.0},
                                      {"1,5", 1.5},
                                      {"50%", 1.5},
                                      {"by 30 percent", 1.3},
                                      {"30 % slower", 1.3},
                                      {"the second one takes 3 times as long", 3.0},
                                      {"the first one is about 2x slower", 2.0}}) {
    CAPTURE(typed);
    const auto read = factor_from(typed);
    REQUIRE(read);
    CHECK(*read == doctest::Approx(factor));
  }
  for (const char* unclear : {"2-3x", "2x - 3x", "two to three", "between 2 and 3", "200 %",
                              "50 % of the time", "much"}) {
    CAPTURE(unclear);
    CHECK_FALSE(factor_from(unclear));
  }
}

TEST_CASE("an input's values are read from other words for them") {
  const Problem& relu = *find_problem("relu");
  CHECK(case_from(relu, "5000 ascending")->values == Values::sorted);
  CHECK(case_from(relu, "5000 decreasing")->values == Values::descending);
  CHECK(case_from(relu, "1 neg")->values == Values::all_negative);
  const Problem& transpose = *find_problem("transpose");
  for (const char* typed : {"20 rows and 2 columns", "2 cols, 20 rows", "rows = 20, columns = 2"}) {
    CAPTURE(typed);
    REQUIRE(case_from(transpose, typed));
    CHECK(case_from(transpose, typed)->shape == Shape{20, 2});
  }
}

TEST_CASE("which: who says which one is slower names the other one as faster") {
  const Problem& problem = *find_problem("softmax_rows");
  const auto made = make_which({.kind = Kind::which,
                                .name = "softmax_rows/8192x4096/1_thread_per_row/2_warp_per_row",
                                .topic = "",
                                .problem = &problem});
  REQUIRE(made);
  const auto got = [&](const std::string& typed) {
    const auto judged = (*made)->judge(0, typed);
    return judged ? judged->got : -1;
  };
  for (const char* first :
       {"second is slower", "the latter one is slower", "2 takes longer",
        "first is faster than the second", "the former", "the second is slower than the first"}) {
    CAPTURE(first);
    CHECK(got(first) == got("first"));
  }
  for (const char* second : {"the first one is slower", "first is the slower one", "the latter"}) {
    CAPTURE(second);
    CHECK(got(second) == got("second"));
  }
  CHECK(got("first") != got("second"));
  for (const char* unclear : {"first is not slower", "slower", "first is not faster"})
    CHECK(got(unclear) == -1);
}
