// The quiz as pages: one card at a time, asked and graded as in the terminal.
#include "practice/drill/quiz.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "practice/history.h"
#include "practice/review.h"
#include "serve/pages.h"

namespace kata::serve {
namespace {

using Json = nlohmann::json;

constexpr std::array grades = {Grade::again, Grade::hard, Grade::good, Grade::easy};

}  // namespace

Result<std::string> Pages::quiz() const {
  const Result<History> history = History::open();
  if (!history) return history.error();
  const auto topics = read_topics();
  if (!topics) return topics.error();
  const auto reviews = history->card_reviews();
  if (!reviews) return reviews.error();
  const CardStandings standings = card_standings(*reviews);
  const int today = day_of(now());
  const CardCounts counts = count_cards(*topics, standings, today);
  const std::vector<const Card*> cards = cards_to_ask(*topics, standings, today, 1);
  Json values = {{"due", counts.due}, {"fresh", counts.fresh}, {"card", Json()}};
  if (!cards.empty()) {
    const Result<std::string> answer = markdown(cards[0]->answer);
    if (!answer) return answer.error();
    values["card"] = {{"id", cards[0]->id()},           {"topic", cards[0]->topic},
                      {"question", cards[0]->question}, {"answer", *answer},
                      {"source", cards[0]->source},     {"grades", Json::array()}};
    for (const Grade grade : grades)
      values["card"]["grades"].push_back({{"word", to_string(grade)}});
  }
  return page("quiz.html", "Quiz", values);
}

std::optional<Error> Pages::keep_grade(const std::string& id, const std::string& word) const {
  const auto topics = read_topics();
  if (!topics) return topics.error();
  for (const Topic& topic : *topics) {
    for (const Card& card : topic.cards) {
      if (card.id() != id) continue;
      for (const Grade grade : grades) {
        if (to_string(grade) != word) continue;
        Result<History> history = History::open();
        return history ? history->add(CardReview{.card = id, .grade = grade}) : history.error();
      }
    }
  }
  return Error{"there is no such card or grade"};
}

}  // namespace kata::serve
