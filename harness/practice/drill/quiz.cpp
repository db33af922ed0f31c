#include "practice/drill/quiz.h"

#include <algorithm>

namespace kata {
namespace {

const Standing* standing_of(const Card& card, const CardStandings& standings) {
  const auto found = standings.find(card.id());
  return found == standings.end() ? nullptr : &found->second;
}

std::vector<const Card*> due_cards(const std::vector<Topic>& topics, const CardStandings& standings,
                                   int today) {
  std::vector<std::pair<double, const Card*>> due;  // with the probability of recall
  for (const Topic& topic : topics) {
    for (const Card& card : topic.cards) {
      const Standing* const standing = standing_of(card, standings);
      if (standing && standing->is_due(today)) due.emplace_back(standing->recall(today), &card);
    }
  }
  std::stable_sort(due.begin(), due.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Card*> cards;
  for (const auto& [recall, card] : due) cards.push_back(card);
  return cards;
}

/// The first card of each topic, then the second of each, and so on.
std::vector<const Card*> fresh_cards(const std::vector<Topic>& topics,
                                     const CardStandings& standings) {
  std::vector<std::pair<int, const Card*>> fresh;  // with its place among those of its topic
  for (const Topic& topic : topics) {
    int place = 0;
    for (const Card& card : topic.cards) {
      if (!standing_of(card, standings)) fresh.emplace_back(place++, &card);
    }
  }
  std::stable_sort(fresh.begin(), fresh.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Card*> cards;
  for (const auto& [place, card] : fresh) cards.push_back(card);
  return cards;
}

}  // namespace

CardStandings card_standings(const std::vector<CardReview>& reviews) {
  CardStandings standings;
  for (const CardReview& review : reviews) {
    const auto before = standings.find(review.card);
    const auto standing = before == standings.end() ? std::nullopt : std::optional(before->second);
    standings[review.card] = graded(standing, review.grade, review.at);
  }
  return standings;
}

CardCounts count_cards(const std::vector<Topic>& topics, const CardStandings& standings,
                       int today) {
  CardCounts counts;
  for (const Topic& topic : topics) {
    for (const Card& card : topic.cards) {
      const Standing* const standing = standing_of(card, standings);
      ++counts.all;
      counts.due += standing && standing->is_due(today);
      counts.fresh += !standing;
    }
  }
  return counts;
}

std::vector<const Card*> cards_to_ask(const std::vector<Topic>& topics,
                                      const CardStandings& standings, int today, std::size_t most) {
  std::vector<const Card*> cards = due_cards(topics, standings, today);
  const std::vector<const Card*> fresh = fresh_cards(topics, standings);
  cards.insert(cards.end(), fresh.begin(), fresh.end());
  cards.resize(std::min(cards.size(), most));
  return cards;
}

}  // namespace kata
