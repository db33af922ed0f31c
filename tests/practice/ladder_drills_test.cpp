// Drills of the kinds which and why: the measured times and the kept counters say who is right.
#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>

#include "compile/sources.h"
#include "person.h"
#include "practice/drill/cause.h"
#include "practice/drill/counters_text.h"
#include "practice/drill/reading.h"
#include "practice/drill/record.h"
#include "practice/drill/timed_ladder.h"
#include "practice/drill/which.h"
#include "practice/drill/why.h"

using namespace kata;
using namespace kata::drill;

using kata::test::contains;

namespace {

Offer offer_of(Kind kind, const std::string& operator_name, const std::string& name,
               int level = 1) {
  return {.kind = kind,
          .name = operator_name + "/" + name,
          .topic = "",
          .level = level,
          .problem = find_problem(operator_name)};
}

bool calls(const std::string& code, const std::string& function) {
  const auto is_of_a_word = [](char one) { return one == '_' || std::isalnum(one) != 0; };
  for (std::size_t at = code.find(function + "("); at != std::string::npos;
       at = code.find(function + "(", at + 1))
    if (at == 0 || !is_of_a_word(code[at - 1])) return true;
  return false;
}

int points(Item& item, std::size_t question, const std::string& answer) {
  const auto judged = item.judge(question, answer);
  REQUIRE(judged);
  return judged->got;
}

}  // namespace

TEST_CASE("which: the faster rung by the measured times is right, and nothing gives it away") {
  const auto made = make_which(
      offer_of(Kind::which, "softmax_rows", "8192x4096/1_thread_per_row/2_warp_per_row"));
  REQUIRE(made);
  Item& item = **made;
  const std::string shown = item.text() + item.source();
  for (const char* told : {"1_thread", "2_warp", "Measured", "Prediction"})
    CHECK_FALSE(contains(shown, told));
  const int a = points(item, 0, "first"), b = points(item, 0, "second");
  CHECK(a + b == 60);
  const auto wrong = item.judge(0, a == 0 ? "first" : "second");
  CHECK(wrong->of == 100);  // there is no factor from the wrong one on
  CHECK(contains(wrong->why, "times as long"));
  CHECK(points(item, 0, "same") == 0);
  CHECK(item.judge(0, "same")->of == 100);  // the factor is not asked for
  CHECK(points(item, 1, "9.2") == 40);
  CHECK(points(item, 1, "4.6") > 10);
  CHECK(points(item, 1, "1") == 0);
  CHECK_FALSE(item.judge(1, "0.5"));
  CHECK(contains(item.explanation(), "1_thread_per_row"));
}

TEST_CASE("which: kernels that are equally fast are asked, too") {
  const auto made = make_which(
      offer_of(Kind::which, "softmax_rows", "8192x4096/6_shared_memory/7_registers_and_shared", 3));
  REQUIRE(made);
  CHECK(points(**made, 0, "same") == 100);
  CHECK(points(**made, 0, "first") == 0);
}

TEST_CASE("which and why: of every rung, the device functions that the shown code uses are shown") {
  static const std::regex head(R"(\n__device__[^;{}()#]*?(\w+)\()");  // of no class
  int functions = 0;
  for (const Problem& problem : problems()) {
    for (const Rung& rung : ladder(problem.name)) {
      const std::string code = code_of({{"kernel", rung}});
      const auto sources = read_sources({rung.path}, {});
      REQUIRE(sources);
      for (auto header = sources->begin() + 1; header != sources->end(); ++header) {
        const std::string text = without_comments(header->text);
        for (std::sregex_iterator i(text.begin(), text.end(), head), end; i != end; ++i) {
          if (!calls(code, i->str(1))) continue;
          CAPTURE(rung.path.string());
          CAPTURE(i->str(1));
          CHECK(contains(code, i->str()));
          ++functions;
        }
      }
    }
  }
  CHECK(functions > 100);
}

TEST_CASE("which: every ladder with times has pairs") {
  const auto pairs = which_offers("");
  REQUIRE(pairs);
  std::set<std::string> operators;
  for (const Offer& one : *pairs) operators.insert(one.problem->name);
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    CHECK(operators.contains(problem.name) == bool{timed_sizes(problem)});
  }
  MESSAGE("which: " << pairs->size() << " pairs of " << operators.size() << " ladders");
}

TEST_CASE("which: a level tells nothing of the factor, and none is ten times apart") {
  const auto pairs = which_offers("softmax_rows");
  REQUIRE(pairs);
  std::map<int, std::array<int, 2>> levels;
  std::map<int, std::set<bool>> far;  // by level: whether above a factor of 2.5
  for (const Offer& one : *pairs) {
    const auto item = make_which(one);
    if (!item) continue;  // too long for its level
    const bool is_same = points(**item, 0, "same") > 0;
    ++levels[one.level][is_same];
    if (!is_same) far[one.level].insert(points(**item, 1, "6") > points(**item, 1, "1.4"));
    CHECK(points(**item, 1, "1000") == 0);
    CHECK(points(**item, 1, "10") + points(**item, 1, "3.2") + points(**item, 1, "1") > 0);
  }
  CHECK(levels.size() == 3);
  for (const auto& [level, both] : levels) {
    CAPTURE(level);
    CHECK(both[true] > 0);
    CHECK(both[false] > 0);
  }
  for (const int level : {1, 2}) CHECK(far[level].size() == 2);
}

TEST_CASE("why: ladders have causes of many kinds") {
  std::set<std::string> causes;
  for (const char* name : {"conv2d", "dot", "flash_attention", "layernorm", "sgemm"}) {
    const auto rungs = why_offers(name);
    REQUIRE(rungs);
    CHECK_FALSE(rungs->empty());
    for (const Offer& one : *rungs) causes.insert(one.topic);
    const auto item = make_why(rungs->back());
    REQUIRE(item);  // with the first question a screen of 24 lines
    CHECK(test::count_lines((*item)->text()) <= 14);
  }
  CHECK(causes.size() >= 6);
}

TEST_CASE("why: nearly every ladder with times has rungs to ask about" *
          doctest::test_suite("slow")) {
  int rungs = 0, ladders = 0;
  for (const Problem& problem : problems()) {
    const auto offers = why_offers(problem.name);
    rungs += offers ? static_cast<int>(offers->size()) : 0;
    ladders += offers && !offers->empty();
  }
  MESSAGE("why: " << rungs << " rungs of " << ladders << " ladders");
  CHECK(ladders >= 30);
}

TEST_CASE("why: uncoalesced stores are the cause, and the next rung is the change") {
  const auto made = make_why(offer_of(Kind::why, "transpose", "8192x8192/1_naive"));
  REQUIRE(made);
  Item& item = **made;
  CHECK(contains(item.text(), "l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_st.sum"));
  CHECK(points(item, 0, "uncoalesced") == 50);
  CHECK(points(item, 0, "atomics") == 0);
  int right = 0;
  for (const std::string& change : item.questions()[1].choices)
    right += points(item, 1, change) > 0;
  CHECK(right == 1);
  State state;
  state.points = {state.skipped(item)};
  CHECK(state.points[0].why == "skipped");
  CHECK(contains(state.skipped(item).why, "skipped. The next change is: "));  // the factor's
  CHECK(points(item, 2, "100") == 0);
  CHECK(contains(item.explanation(), "without") == false);
}

TEST_CASE("which and why: an operator without times says how to measure them") {
  const test::Person person;
  for (const auto& offers : {which_offers("relu"), why_offers("relu")}) {
    REQUIRE_FALSE(offers);
    CHECK(contains(offers.error().message, "no measured times for relu. Measure them on a GPU"));
  }
}

TEST_CASE("why: the next change is about the cause, or the rung is not asked about") {
  // Its next rung counts taps instead of dividing, and as few blocks fit as before.
  CHECK_FALSE(make_why(offer_of(Kind::why, "conv2d_nchw", "32x256x56x56x64x1x1x1x0/4_implicit")));
  CHECK_FALSE(make_why(offer_of(Kind::why, "swiglu", "67108864/1_thread_per_output")));  // latency
}

TEST_CASE("why: few blocks leave so many multiprocessors idle, and no more") {
  LaunchProfile few;
  few.counts.grid = {32, 1, 1};
  few.counts.block = {128, 1, 1};
  few.counts.launches = 1;
  few.blocks_run = 32;
  few.steps.far_loads = 32 * 10'000;
  few.longest.far_loads = 10'000;
  const Chip chip = *find_chip("h200");
  const double gain = causes_of({few}, {.bytes_read = 1e6}, chip).gain(Cause::tail);
  CHECK(gain > 3.9);
  CHECK(gain < 4.2);  // 132 / 32
  CHECK(evidence_of(Cause::tail, {few}, {}, chip) == "32 blocks for 132 multiprocessors");
}

TEST_CASE("why: a wrong change would not help here, and says why; none is of another world") {
  for (const auto& [name, rung] : {std::pair{"softmax_rows", "128x131072/1_thread_per_row"},
                                   {"rgb_to_gray", "1024x1024/1_pixel_per_thread"},
                                   {"dot", "1048576/2_shared_tree"}}) {
    CAPTURE(name);
    const Offer offer = offer_of(Kind::why, name, rung);
    const auto made = make_why(offer);
    REQUIRE(made);
    const std::vector<std::string>& changes = (*made)->questions()[1].choices;
    CHECK(changes.size() >= 3);
    for (const std::string& change : changes) {
      const auto judged = (*made)->judge(1, change);
      REQUIRE(judged);
      if (judged->got > 0) continue;
      CAPTURE(change);
      const bool is_reasoned =
          contains(judged->why, "slower here") || contains(judged->why, " nothing here");
      CHECK(is_reasoned);
      for (const char* foreign : {"GELU", "logits", "boxes", "im2col"})
        CHECK_FALSE(contains(change, foreign));
      if (std::string(name) == "softmax_rows") CHECK_FALSE(speaks_of(change, Cause::tail));
      if (std::string(name) == "rgb_to_gray") CHECK_FALSE(contains(change, "s per thread"));
    }
  }
}

TEST_CASE("why: an earlier step that is faster at this size is no wrong change") {
  const auto made =
      make_why(offer_of(Kind::why, "segmented_sum", "16777216x16/3_thread_per_segment"));
  REQUIRE(made);
  for (const std::string& change : (*made)->questions()[1].choices)
    CHECK_FALSE(contains(change, "One warp per segment"));
}

TEST_CASE("why: the next change is offered once, and not in other words as a wrong one") {
  const auto made = make_why(offer_of(Kind::why, "topk_rows", "1024x131072x64/1_rounds"));
  REQUIRE(made);
  const std::vector<std::string>& changes = (*made)->questions()[1].choices;
  CHECK(std::ranges::count_if(changes, [](const std::string& change) {
          return contains(change, "digit by digit");
        }) == 1);
}

TEST_CASE("why: who asks for an operator without questions is told what leaves its rungs out") {
  const auto offers = why_offers("sort_pairs");
  REQUIRE_FALSE(offers);
  CHECK(contains(offers.error().message, "cannot profile"));
}

TEST_CASE("why: one giant row is shown, and is an imbalance or idle multiprocessors") {
  const auto made = make_why(offer_of(Kind::why, "spmv", "1048576x4194304x4194305/4_stream_rows"));
  REQUIRE(made);
  CHECK(contains((*made)->text(), "dependent loads of the longest block, of an average one"));
  CHECK(points(**made, 0, "imbalance") == 50);
  CHECK(points(**made, 0, "idle SMs") == 50);
  CHECK(points(**made, 0, "uncoalesced") == 0);
  CHECK(contains((*made)->explanation(), "the longest block has 8588 loads"));
}

TEST_CASE("why: the factor's question shows what the change does to the counters") {
  const auto made = make_why(offer_of(Kind::why, "igemm", "4096x4096x4096/2_dp4a"));
  REQUIRE(made);
  CHECK(contains((*made)->questions().back().text, "load sectors 4.43G -> 33.6M"));
}

TEST_CASE("why: the factor's question shows the atomics on one address") {
  const auto rungs = why_offers("dot");
  REQUIRE(rungs);
  for (const Offer& one : *rungs) {
    if (one.topic != "atomics") continue;
    const auto made = make_why(one);
    REQUIRE(made);
    CHECK(contains((*made)->questions().back().text, "most atomics on one address "));
  }
}

TEST_CASE("which: the question names what of the drawn input decides") {
  for (const auto& [name, size, said] :
       {std::tuple{"spmv", "1048576x4194304x4194305/",
                   "1,048,576 parts of 0 to 4,194,304 elements; half of them have at most 0."},
        {"histogram", "67108864x256/", "x: random between about 0"},
        {"compact", "/", "The values are normal"}}) {
    CAPTURE(name);
    const auto pairs = which_offers(name);
    REQUIRE(pairs);
    int asked = 0;
    for (const Offer& one : *pairs) {
      if (!contains(one.name, size)) continue;
      const auto made = make_which(one);
      if (!made) continue;  // too long for its level
      std::string text = (*made)->text();
      std::ranges::replace(text, '\n', ' ');
      CHECK(contains(text, said));
      if (++asked == 2) break;
    }
    CHECK(asked > 0);
  }
}

TEST_CASE("which: a cause that explains a part of the difference says which part") {
  const auto made =
      make_which(offer_of(Kind::which, "layernorm", "8192x4096/1_thread_per_row/2_warp_per_row"));
  REQUIRE(made);
  std::string text = (*made)->explanation();
  std::ranges::replace(text, '\n', ' ');
  CHECK(contains(text, "uncoalesced"));  // what the ladder's step is about
  CHECK(
      std::regex_search(text, std::regex("[0-9]+ % of the +difference; the rest is unexplained")));
}

TEST_CASE("which: what the slower kernel costs is shown, not its idea") {
  const auto made = make_which(
      offer_of(Kind::which, "softmax_rows", "8192x4096/1_thread_per_row/2_warp_per_row"));
  REQUIRE(made);
  const std::string text = (*made)->explanation();
  CHECK_FALSE(contains(text, "as on a CPU"));
  CHECK(contains(text, "load sectors"));
  CHECK(contains((*made)->judge(1, "2")->why, "2 is too low by a factor of 4.6"));
}

TEST_CASE("a factor that has all points is not called too low or too high") {
  constexpr int most = 25;
  CHECK(points_for_factor(2, 2.404, most) == most);  // a little more than 1.2, rounded
  CHECK(factor_remark(2, 2.404, most).empty());
  CHECK(factor_remark(2, 2.5, most) == "; 2 is too low by a factor of 1.25");
}

TEST_CASE(
    "two times side by side have one unit, and a rung above the limit says that it is estimated") {
  CHECK(time_text(2397.8) == "2397.8 us");
  CHECK(time_text(2397.8, 45900) == "2.4 ms");
  CHECK(share_text(0.57) == "57 % of the limit");
  CHECK(share_text(1.03) == "faster than the limit, which is an estimate");
}
