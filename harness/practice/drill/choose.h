#pragma once
// Which item comes next: what is due and weakly remembered, at the person's level, and none twice
// until all were seen.

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "practice/drill/item.h"
#include "practice/history.h"
#include "practice/review.h"

namespace kata::drill {

/// Where a person stands with one topic of one kind.
struct Strength {
  std::string kind, topic;
  int asked = 0;
  int found = 0;  ///< with the score of the grade `good`
  std::vector<int> scores = {};
  Standing standing = {};

  double mean() const {
    return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  }
};

/// The topic as the questions call it: "sectors of a load", "limited by copy".
std::string words_of_topic(const std::string& kind, const std::string& topic);

/// By kind and topic, of those that were asked.
std::vector<Strength> strengths(const std::vector<DrillResult>& results);

/// Puts the offers in the order to ask them. The topics: those that are due, the most forgotten
/// first; new ones; the others, the one due soonest first. In each topic: what was not asked yet,
/// nearest to the person's level and of no harder operators, by chance.
std::vector<Offer> in_order(std::vector<Offer> offers, const std::vector<DrillResult>& results,
                            int today, std::mt19937& chance);

}  // namespace kata::drill
