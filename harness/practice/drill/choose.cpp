#include "practice/drill/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "practice/drill/maths.h"
#include "practice/drill/which.h"

namespace kata::drill {
namespace {

using Topic = std::pair<std::string, std::string>;  ///< kind and topic

constexpr int raises_level = 80, lowers_level = 40;

/// From 1 to 3: each good score raises it, each bad one lowers it.
int level_of(const Strength& strength) {
  int level = 1;
  for (const int score : strength.scores)
    level = std::clamp(level + (score >= raises_level) - (score < lowers_level), 1, 3);
  return level;
}

/// 1 to 3, as levels are; 1 without an operator.
int difficulty_of(const Offer& offer) {
  if (!offer.problem || offer.problem->difficulty == "easy") return 1;
  return offer.problem->difficulty == "medium" ? 2 : 3;
}

/// The smaller, the sooner.
std::pair<int, double> urgency(const Strength* strength, int today) {
  if (!strength) return {1, 0};
  const Standing& standing = strength->standing;
  if (standing.is_due(today)) return {0, standing.recall(today)};
  return {2, standing.due_day};
}

}  // namespace

std::string words_of_topic(const std::string& kind, const std::string& topic) {
  if (kind == to_string(Kind::maths)) return words_of_family(topic);
  if (kind != to_string(Kind::which)) return topic;
  return topic == small_topic ? "short launches" : fmt::format("limited by {}", topic);
}

std::vector<Strength> strengths(const std::vector<DrillResult>& results) {
  std::map<Topic, Strength> all;
  for (const DrillResult& one : results) {
    Strength& strength = all[{one.kind, one.topic}];
    strength.kind = one.kind;
    strength.topic = one.topic;
    const auto before = strength.asked > 0 ? std::optional(strength.standing) : std::nullopt;
    strength.standing = graded(before, one.grade, one.at);
    ++strength.asked;
    strength.found += one.found;
    strength.scores.push_back(one.score);
  }
  std::vector<Strength> list;
  for (auto& [topic, strength] : all) list.push_back(std::move(strength));
  return list;
}

std::vector<Offer> in_order(std::vector<Offer> offers, const std::vector<DrillResult>& results,
                            int today, std::mt19937& chance) {
  std::map<Topic, Strength> known;
  for (Strength& one : strengths(results)) known[{one.kind, one.topic}] = one;
  std::map<std::string, int> times;  // that an item was asked
  for (const DrillResult& one : results) ++times[one.kind + " " + one.item];
  std::shuffle(offers.begin(), offers.end(), chance);
  std::map<Topic, std::size_t> places;  // new topics by chance, too
  for (const Offer& offer : offers)
    places.emplace(Topic{to_string(offer.kind), offer.topic}, places.size());
  const auto rank = [&](const Offer& offer) {
    const Topic topic{to_string(offer.kind), offer.topic};
    const auto found = known.find(topic);
    const Strength* const strength = found == known.end() ? nullptr : &found->second;
    const int asked = times[std::string(to_string(offer.kind)) + " " + offer.name];
    const int level = strength ? level_of(*strength) : 1;
    const int distance = std::abs(offer.level - level) + std::max(0, difficulty_of(offer) - level);
    return std::tuple(asked, urgency(strength, today), distance, places.at(topic));
  };
  std::vector<std::pair<decltype(rank(offers.front())), Offer>> ranked;
  for (Offer& offer : offers) ranked.emplace_back(rank(offer), std::move(offer));
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  offers.clear();
  for (auto& [unused, offer] : ranked) offers.push_back(std::move(offer));
  return offers;
}

}  // namespace kata::drill
