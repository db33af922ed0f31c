// Grades, dates, and what counts as a review.
#include "practice/review.h"

#include <doctest/doctest.h>

#include "person.h"
#include "practice/exercise/reset.h"
#include "practice/path.h"
#include "practice/record.h"

using namespace kata;
using kata::test::Person;
using std::chrono::hours;

namespace {

constexpr auto day = hours(24);

Report passing() {
  Report report;
  report.operator_name = "relu";
  report.verdict = Verdict::pass;
  return report;
}

std::vector<Attempt> attempts() {
  return *History::open()->attempts("relu");
}

void happened(Event::Kind kind, Time at = now()) {
  REQUIRE_FALSE(History::open()->add(Event{.operator_name = "relu", .kind = kind, .at = at}));
}

void graded(const std::string& operator_name, Grade grade, Time at, const std::string& text) {
  REQUIRE(History::open()->add(Attempt{.operator_name = operator_name,
                                       .at = at,
                                       .verdict = Verdict::pass,
                                       .text = text,
                                       .grade = grade}));
}

std::optional<Grade> grade_of_check(const std::string& text, Verdict verdict = Verdict::pass) {
  Report report = passing();
  report.verdict = verdict;
  const Candidate exercise{.text = text, .is_exercise = true};
  REQUIRE(record(report, AttemptKind::check, exercise).remark == "");
  return attempts().back().grade;
}

}  // namespace

TEST_CASE(
    "the path comes first in the order of learning, a lesson of half a screen for each step") {
  const std::vector<Lesson> path = lessons();
  REQUIRE(path.size() == 7);
  for (std::size_t i = 0; i < path.size(); ++i) {
    CAPTURE(path[i].title);
    CHECK(learning_order()[i] == path[i].problem);
    CHECK(std::ranges::count(path[i].text, '\n') <= 14);
    CHECK(path[i].text.find("\nQuestion: ") != std::string::npos);
    CHECK((path[i].text.find("Answer to the last question: ") != std::string::npos) == (i > 0));
  }
}

TEST_CASE("a grade comes from the result") {
  const Performance quick{
      .verdict = Verdict::pass, .worked_s = 600, .limit_s = 1200, .of_best = 0.8};
  CHECK(grade_of(quick) == Grade::easy);
  const auto with = [&](auto change) {
    Performance changed = quick;
    change(changed);
    return grade_of(changed);
  };
  CHECK(with([](auto& p) { p.of_best = 0.79; }) == Grade::good);
  CHECK(with([](auto& p) { p.worked_s = 601; }) == Grade::good);
  CHECK(with([](auto& p) { p.limit_s = 0; }) == Grade::good);
  CHECK(with([](auto& p) { p.worked_s = 1201; }) == Grade::hard);
  CHECK(with([](auto& p) { p.hints = 1; }) == Grade::hard);
  CHECK(with([](auto& p) { p.solution_seen = true; }) == Grade::again);
  CHECK(with([](auto& p) { p.verdict = Verdict::fail; }) == Grade::again);
}

TEST_CASE("the first check that passes is graded; failing on the way to it is not") {
  const Person person;
  CHECK_FALSE(grade_of_check("try", Verdict::fail));
  CHECK(grade_of_check("right") == Grade::good);
  CHECK_FALSE(grade_of_check("right, and faster"));  // not due yet
}

TEST_CASE("a hint and a solution that was looked at lower the grade") {
  SUBCASE("hint") {
    const Person person;
    happened(Event::Kind::hint);
    CHECK(grade_of_check("right") == Grade::hard);
    CHECK(attempts().back().hints == 1);
  }
  SUBCASE("solution") {
    const Person person;
    happened(Event::Kind::solution);
    CHECK(grade_of_check("right") == Grade::again);
    CHECK(attempts().back().solution_seen);
  }
  SUBCASE("a week ago") {
    const Person person;
    happened(Event::Kind::solution, now() - 7 * day);
    CHECK(grade_of_check("right") == Grade::good);
  }
  SUBCASE("before the stub came back") {
    const Person person;
    happened(Event::Kind::solution, now() - hours(1));
    happened(Event::Kind::reset);
    CHECK(grade_of_check("right") == Grade::good);
  }
}

TEST_CASE("a due exercise counts when it is written again, not when old code is checked again") {
  const Person person;
  graded("relu", Grade::good, now() - 30 * day, "right();");
  CHECK_FALSE(grade_of_check("right();  // still"));
  CHECK(grade_of_check("right_in_another_way();") == Grade::good);

  graded("relu", Grade::again, now() - 3 * day, "right();");
  CHECK(standing_of(attempts())->due_day > day_of(now()));  // graded today: nothing counts
}

TEST_CASE("after a reset even the same code is a review") {
  const Person person;
  graded("relu", Grade::good, now() - 30 * day, "right();");
  person.write("right();");
  REQUIRE(reset_exercise("relu", History::open()));
  CHECK(grade_of_check("right();") == Grade::good);
}

TEST_CASE("a date is FSRS's interval after the day of the grade") {
  const Person person;
  graded("relu", Grade::good, now() - 2 * day, "a");
  CHECK(standing_of(attempts())->due_day == day_of(now()));
  graded("relu", Grade::good, now(), "b");
  const Standing standing = *standing_of(attempts());
  CHECK(standing.due_day == day_of(now()) + 11);  // py-fsrs: 2 days, then 11
  CHECK(standing.reviews == 2);
}

TEST_CASE("what comes next is what is due and most likely forgotten, then what is new") {
  const Person person;
  const auto next = [] { return *next_review(*History::open(), now()); };
  CHECK(next().problem == learning_order().front());
  CHECK_FALSE(next().due);

  graded("relu", Grade::easy, now() - 20 * day, "a");
  CHECK(next().problem->name == "relu");
  CHECK(next().due);
  CHECK(next().reason.find("due since") != std::string::npos);

  graded("add", Grade::hard, now() - 20 * day, "a");
  CHECK(next().problem->name == "add");

  for (const Problem& problem : problems()) graded(problem.name, Grade::easy, now(), "a");
  graded("sgemm", Grade::again, now() + std::chrono::seconds(1), "b");
  CHECK_FALSE(next().due);
  CHECK(next().problem->name == "sgemm");
}
