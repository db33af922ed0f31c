#pragma once
// Which cards to ask now: FSRS decides from the grades in the history, as for exercises.

#include <map>
#include <string>
#include <vector>

#include "practice/drill/cards.h"
#include "practice/history.h"
#include "practice/review.h"

namespace kata {

/// Where a person stands with each card that was ever graded, by Card::id().
using CardStandings = std::map<std::string, Standing>;
CardStandings card_standings(const std::vector<CardReview>& reviews);

struct CardCounts {
  int due = 0, fresh = 0, all = 0;  ///< fresh: never graded
};
CardCounts count_cards(const std::vector<Topic>& topics, const CardStandings& standings, int today);

/// At most `most` cards: first those that are due, the most forgotten first; then fresh ones, one
/// of each topic in turn.
std::vector<const Card*> cards_to_ask(const std::vector<Topic>& topics,
                                      const CardStandings& standings, int today, std::size_t most);

}  // namespace kata
