// The cards of `kata quiz`, and which of them are asked.
#include "practice/drill/quiz.h"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "person.h"
#include "problems/spec/problem.h"

using namespace kata;
using kata::test::contains;

namespace {

Topic topic_of(const std::string& name, int cards) {
  Topic topic{name, name, {}};
  for (int i = 0; i < cards; ++i)
    topic.cards.push_back({name, name + std::to_string(i) + "?", "a", "s"});
  return topic;
}

std::string questions(const std::vector<const Card*>& cards) {
  std::string text;
  for (const Card* card : cards) text += card->question + " ";
  return text;
}

}  // namespace

TEST_CASE("every card has a question, a short answer and a source, and no question comes twice") {
  const Result<std::vector<Topic>> topics = read_topics();
  REQUIRE_MESSAGE(topics, topics.error().message);
  std::size_t written = 0;
  std::set<std::string> ids;
  for (const Topic& topic : *topics) {
    CHECK_MESSAGE(topic.cards.size() >= 3, topic.name);
    if (!find_problem(topic.name)) written += topic.cards.size();
    for (const Card& card : topic.cards) {
      INFO(card.id());
      CHECK(ids.insert(card.id()).second);
      CHECK(contains(card.question, "?"));
      CHECK_FALSE(card.answer.empty());
      CHECK(card.source.size() > 5);
    }
  }
  CHECK(topics->size() > problems().size());
  CHECK(written >= 120);
}

TEST_CASE("a card without a source, or with a long answer, is named with its file and line") {
  const auto error = [](const std::string& card) {
    const auto topic = parse_topic("# T\n\n" + card, "t", "t.md");
    return topic ? std::string() : topic.error().message;
  };
  CHECK(error("## Why?\n\nBecause.\n\nSource: x\n") == "");
  CHECK(contains(error("## Why?\n\nBecause.\n"), "t.md:3: "));
  CHECK(contains(error("## Why?\n\nBecause.\n"), "\"Source: ...\""));
  CHECK(contains(error("## Why\n\nBecause.\n\nSource: x\n"), "question mark"));
  CHECK(contains(error("## Why?\n\n1\n2\n3\n4\n5\n6\n\nSource: x\n"), "6 lines"));
  CHECK_FALSE(parse_topic("## Why?\n", "t", "t.md"));
}

TEST_CASE("due cards come first, the most forgotten of them at the front; then one of each topic") {
  const std::vector<Topic> topics = {topic_of("a", 3), topic_of("b", 2)};
  CHECK(questions(cards_to_ask(topics, {}, 100, 9)) == "a0? b0? a1? b1? a2? ");
  CHECK(questions(cards_to_ask(topics, {}, 100, 2)) == "a0? b0? ");
  const Time long_ago = now() - std::chrono::hours(24 * 60);
  const int today = day_of(now());
  CardStandings standings;
  standings["a: a2?"] = graded({}, Grade::good, long_ago);
  standings["b: b1?"] = graded({}, Grade::again, long_ago);  // less stable: forgotten sooner
  standings["a: a0?"] = graded({}, Grade::good, now());      // not due
  CHECK(questions(cards_to_ask(topics, standings, today, 9)) == "b1? a2? a1? b0? ");
  const CardCounts counts = count_cards(topics, standings, today);
  CHECK(counts.due == 2);
  CHECK(counts.fresh == 2);
  CHECK(counts.all == 5);
}

TEST_CASE("answers to cards are kept, exported and imported") {
  std::string lines;
  {
    const test::Person person;
    auto history = History::open();
    REQUIRE(history);
    CHECK_FALSE(history->add(CardReview{"a: why?", Grade::hard, now()}));
    CHECK_FALSE(history->add(CardReview{"a: why?", Grade::good, now()}));
    CHECK(card_standings(*history->card_reviews()).at("a: why?").reviews == 2);
    lines = *history->exported();
  }
  const test::Person other;
  auto history = History::open();
  REQUIRE(history);
  CHECK(*history->import(lines) == 2);
  CHECK(*history->import(lines) == 0);
  CHECK(card_standings(*history->card_reviews()).at("a: why?").grade == Grade::good);
}
