// kata quiz, as a person types.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "desk.h"

using kata::test::contains;
using kata::test::Desk;

TEST_CASE("quiz shows the question, then the answer with its source, and keeps the grade") {
  const Desk desk;
  const auto first = desk.start({"quiz", "warps", "--cards", "2"}, "\n3\n\nagain\n");
  INFO(first.output);
  CHECK(first.exit_status == 0);
  CHECK(contains(first.output, "1 of 2   warps"));
  CHECK(contains(first.output, "Source: "));
  CHECK(contains(first.output, "again: asked again tomorrow"));
  CHECK(contains(first.output, "1 of 2 known."));
  const auto question = first.output.find('?');
  CHECK(question < first.output.find("Enter"));
  CHECK(first.output.find("Enter") < first.output.find("Source: "));
  CHECK(kata::test::widest_line(first.output) <= 80);
  const auto second = desk.start({"quiz", "warps", "--cards", "1"}, "q\n");
  CHECK_FALSE(contains(second.output, first.output.substr(0, 80)));  // another card
  const std::string topics = desk.start({"quiz", "--topics"}).output;
  CHECK(contains(topics, "warps"));
  CHECK(kata::test::widest_line(topics) <= 80);
}

TEST_CASE("a number that an option does not take is answered with those that it takes") {
  const Desk desk;
  for (const char* wrong : {"0", "x", "-1", "1.5", ""}) {
    CAPTURE(wrong);
    const auto none = desk.start({"quiz", "warps", "--cards", wrong});
    CHECK(none.exit_status == 2);
    CHECK(contains(none.errors, "--cards takes 1 or more; not "));
  }
  const auto json = desk.start({"quiz", "warps", "--cards", "0", "--json"});
  CHECK(contains(nlohmann::json::parse(json.output).value("error", ""), "--cards takes 1 or more"));
}

TEST_CASE("quiz can be left at any question, and a wrong grade is asked for again") {
  const Desk desk;
  const auto left = desk.start({"quiz", "occupancy"}, "\n7\n4\nq\n");
  CHECK(left.exit_status == 0);
  CHECK(contains(left.output, "Type 1, 2, 3 or 4."));
  CHECK(contains(left.output, "1 of 1 known."));
  const auto ended = desk.start({"quiz", "occupancy"}, "");
  CHECK(ended.exit_status == 0);
  CHECK(contains(ended.output, "No card was answered."));
}

TEST_CASE("quiz asks the follow-up questions of an operator, and names the topic that was meant") {
  const Desk desk;
  CHECK(contains(desk.start({"quiz", "relu"}, "\nq\n").output, "exercises/relu/README.md"));
  const auto wrong = desk.start({"quiz", "wraps"});
  CHECK(wrong.exit_status == 2);
  CHECK(contains(wrong.errors, "Did you mean warps?"));
}
