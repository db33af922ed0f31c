// Export and import: nothing is lost, nothing comes twice, nothing comes by half.
#include <doctest/doctest.h>

#include "person.h"
#include "practice/history.h"

using namespace kata;
using kata::test::Person;

namespace {

std::string exported_life() {
  const Person person;
  Result<History> history = History::open();
  REQUIRE(history->add(Attempt{.operator_name = "relu",
                               .verdict = Verdict::fail,
                               .text = std::string("\xff\0no text", 9),
                               .findings = {{.kind = FindingKind::race, .message = "m"}},
                               .seed = 18446744073709551615u,
                               .grade = Grade::hard,
                               .median_us = 0.1}));
  REQUIRE(history->add(Attempt{.operator_name = "add", .kind = AttemptKind::reset, .text = ""}));
  REQUIRE_FALSE(history->add(Event{.operator_name = "relu", .kind = Event::Kind::hint}));
  SessionRecord session{.operator_name = "relu", .kind = "interview", .data = "{\"a\":1}"};
  REQUIRE_FALSE(history->save(session));
  return *history->exported();
}

/// The error of importing `lines`, after which nothing was added.
std::string refused(const std::string& lines) {
  const Person person;
  Result<History> history = History::open();
  const std::string before = *history->exported();
  const Result<int> added = history->import(lines);
  CHECK(*history->exported() == before);
  return added ? "" : added.error().message;
}

}  // namespace

TEST_CASE("a history that was exported and imported is the same, byte for byte") {
  const std::string lines = exported_life();
  CHECK(kata::test::count_lines(lines) == 5);
  const Person other;
  Result<History> history = History::open();
  const Result<int> added = history->import(lines);
  REQUIRE_MESSAGE(added, added.error().message);
  CHECK(*added == 4);
  CHECK(*history->exported() == lines);
  CHECK(history->attempts("relu")->front().text == std::string("\xff\0no text", 9));

  CHECK(*history->import(lines) == 0);
  CHECK(*history->exported() == lines);
}

TEST_CASE("a session that went on elsewhere is brought up to date, and never set back") {
  const Person person;
  Result<History> history = History::open();
  SessionRecord session{.operator_name = "relu", .kind = "interview"};
  REQUIRE_FALSE(history->save(session));
  const std::string earlier = *history->exported();
  const Time began = now();
  while (now() == began) {  // save() stamps milliseconds
  }
  session.open = false;
  REQUIRE_FALSE(history->save(session));
  CHECK(*history->import(earlier) == 0);
  CHECK(history->open_sessions()->empty());
}

TEST_CASE("a bad line is named by its number, and nothing of the file is imported") {
  const std::string good = exported_life();
  CHECK(refused("") == "line 0: the file is empty; nothing was imported");
  CHECK(refused("{}\n").starts_with("line 1: this is no export"));
  CHECK(refused("{\"kata_history\":999}\n").find("newer kata") != std::string::npos);
  CHECK(refused(good + "{ damaged\n").starts_with("line 6: this is not JSON"));
  CHECK(refused(good + "[]\n").starts_with("line 6: this is not a JSON object"));
  CHECK(refused(good + R"({"table":"sqlite_master"})").starts_with("line 6: there is no table"));
  CHECK(
      refused(good + R"({"table":"events","id":7})").starts_with("line 6: events have no \"id\""));
  CHECK(refused(good + R"({"table":"events","x; --":7})").starts_with("line 6: events have no"));
  CHECK(
      refused(good + R"({"table":"events","uid":"u","at":"noon","operator":"relu","kind":"hint"})")
          .starts_with("line 6: "));
  CHECK(refused(good + R"({"table":"events","uid":"u","at":1,"operator":"relu","kind":"party"})")
            .starts_with("line 6: "));
  CHECK(refused(good + R"({"table":"events","uid":[1]})").starts_with("line 6: "));
}
