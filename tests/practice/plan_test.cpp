// kata plan: what comes today.
#include "practice/plan/plan.h"

#include <doctest/doctest.h>

#include "person.h"
#include "practice/exercise/labels.h"
#include "practice/review.h"
#include "support/date.h"

using namespace kata;

namespace {

constexpr auto one_day = std::chrono::hours(24);

std::vector<const Problem*> some(const std::vector<std::string>& names) {
  std::vector<const Problem*> found;
  for (const std::string& name : names) {
    REQUIRE(find_problem(name));
    found.push_back(find_problem(name));
  }
  return found;
}

std::string names(const Plan& plan) {
  std::string text;
  for (const PlanItem& item : plan.today) text += name_of(item) + (item.done ? "(done) " : " ");
  return text;
}

void attempt(History& history, const std::string& name, Verdict verdict, std::optional<Grade> grade,
             Time at) {
  REQUIRE(history.add(
      Attempt{.operator_name = name, .at = at, .verdict = verdict, .text = "x", .grade = grade}));
}

}  // namespace

TEST_CASE("a plan begins with what fails, then what is due, then what is new and asked most") {
  const test::Person person;
  auto history = History::open();
  REQUIRE(history);
  const Time today = now();
  PlanRequest request{.until = day_of(today) + 9,
                      .minutes = 200,
                      .problems = some({"relu", "add", "transpose", "softmax", "scan"}),
                      .topics = {}};
  CHECK(names(*plan_for(request, *history, today)) == "softmax transpose scan relu add drill ");
  attempt(*history, "relu", Verdict::fail, {}, today - 2 * one_day);
  attempt(*history, "add", Verdict::pass, Grade::again, today - 9 * one_day);  // due
  attempt(*history, "scan", Verdict::pass, Grade::easy, today - one_day);      // not due
  const auto plan = plan_for(request, *history, today);
  REQUIRE(plan);
  CHECK(names(*plan) == "relu add softmax transpose drill ");
  CHECK(plan->today[1].again);
  CHECK(plan->days == 10);
  CHECK(plan->unsolved == 3);
  request.minutes = 20;  // room for one, and for 5 minutes more
  CHECK(names(*plan_for(request, *history, today)) == "relu drill ");
}

TEST_CASE(
    "classes of drills that are due come into the day, and are done when so many were ended") {
  const test::Person person;
  auto history = History::open();
  REQUIRE(history);
  const Time today = now();
  const PlanRequest request{
      .until = day_of(today), .minutes = 30, .problems = some({"relu"}), .topics = {}};
  const auto drilled = [&](const std::string& topic, Time at) {
    REQUIRE_FALSE(history->add(DrillResult{
        .kind = "bug", .item = topic, .topic = topic, .grade = Grade::again, .at = at}));
  };
  CHECK(names(*plan_for(request, *history, today)) == "relu drill ");
  drilled("race", today - 9 * one_day);
  drilled("bounds", today - 9 * one_day);
  const auto plan = plan_for(request, *history, today);
  CHECK(names(*plan) == "drill relu ");
  CHECK(plan->today[0].drills == 2);
  drilled("race", today);
  CHECK(names(*plan_for(request, *history, today)) == "drill relu ");
  drilled("layout", today);
  CHECK(names(*plan_for(request, *history, today)) == "drill(done) relu ");
}

TEST_CASE("today's list stays the same while it is worked off") {
  const test::Person person;
  auto history = History::open();
  REQUIRE(history);
  const Time today = now();
  Topic topic{"t", "T", {}};
  for (int i = 0; i < 20; ++i) topic.cards.push_back({"t", std::to_string(i) + "?", "a", "s"});
  const PlanRequest request{.until = day_of(today),
                            .minutes = 60,
                            .problems = some({"softmax", "relu"}),
                            .topics = {topic}};
  CHECK(names(*plan_for(request, *history, today)) == "softmax relu drill quiz ");
  attempt(*history, "softmax", Verdict::pass, Grade::good, today);
  CHECK(names(*plan_for(request, *history, today)) == "softmax(done) relu drill quiz ");
  for (const Card& card : topic.cards)
    REQUIRE_FALSE(history->add(CardReview{card.id(), Grade::good, today}));
  CHECK(names(*plan_for(request, *history, today)) == "softmax(done) relu drill quiz(done) ");
}

TEST_CASE("a date that is no date is none") {
  CHECK(*day_from("1970-01-02") == 1);
  CHECK(date_of(*day_from("2028-02-29")) == "2028-02-29");
  for (const char* wrong : {"", "2026-02-29", "2026-2-3", "2026-12-200", "20261220", "2026-1a-20"})
    CHECK_FALSE(day_from(wrong));
}

TEST_CASE(
    "a track and a tag choose operators; unknown ones are answered with those that there are") {
  const auto all = problems_with("general", "");
  REQUIRE_MESSAGE(all, all.error().message);
  CHECK(all->size() == problems().size());
  for (const char* track : {"inference", "training", "hpc"}) {
    const auto some = problems_with(track, "");
    REQUIRE(some);
    CHECK(some->size() >= 5);
    CHECK(some->size() < problems().size());
  }
  CHECK_FALSE(problems_with("", "reduction")->empty());
  CHECK(test::contains(problems_with("games", "").error().message, "general, hpc, inference"));
  CHECK(test::contains(problems_with("", "reductoin").error().message, "reduction"));
}
