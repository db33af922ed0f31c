#pragma once
// The rounds of an interview after the writing: drills, on the interview's clock.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "practice/drill/item.h"
#include "practice/interview/rubric.h"
#include "support/result.h"

namespace kata {

/// One drill of a round, as it ended.
struct RoundResult {
  drill::Kind kind = drill::Kind::viva;
  std::string topic = {};  ///< what it was about
  std::vector<drill::Points> points = {};
  std::string left_out = {};  ///< why it was not asked: it has no points then

  int score() const;

  friend void to_json(nlohmann::json& json, const RoundResult& result);
  friend void from_json(const nlohmann::json& json, RoundResult& result);
};

/// "write,viva,why" as the drills after the writing: three of viva, one of each other kind. An
/// Error in words.
Result<std::vector<drill::Kind>> rounds_from(const std::string& list);

/// What the drills add to the time limit.
Milliseconds time_for(const std::vector<drill::Kind>& drills);

/// The mean of the rounds: the writing, and the mean of each kind.
int total_of(const Rubric& written, const std::vector<RoundResult>& results);

}  // namespace kata
