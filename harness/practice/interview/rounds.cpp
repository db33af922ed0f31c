#include "practice/interview/rounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "support/text.h"

namespace kata {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t viva_drills = 3;

Milliseconds time_for(drill::Kind kind) {
  switch (kind) {
    case drill::Kind::bug:
      return 10min;
    case drill::Kind::viva:
      return 3min;
    default:
      return 5min;
  }
}

}  // namespace

int RoundResult::score() const {
  int sum = 0;
  for (const drill::Points& one : points) sum += one.got;
  return sum;
}

void to_json(nlohmann::json& json, const RoundResult& result) {
  json = {{"kind", to_string(result.kind)},
          {"topic", result.topic},
          {"points", result.points},
          {"left_out", result.left_out}};
}

void from_json(const nlohmann::json& json, RoundResult& result) {
  result = {drill::kind_from(json.at("kind")).value(), json.at("topic"), json.at("points"),
            json.at("left_out")};
}

Result<std::vector<drill::Kind>> rounds_from(const std::string& list) {
  const std::vector<std::string> words = split(list, ',');
  std::vector<drill::Kind> drills;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == 0 && words[i] == "write") continue;  // it comes first, named or not
    const auto kind = drill::kind_from(words[i]);
    if (!kind)
      return Error{fmt::format("there is no round \"{}\". After write come: {}", words[i],
                               fmt::join(drill::kind_names(), ", "))};
    if (std::count(words.begin(), words.end(), words[i]) > 1)
      return Error{fmt::format("--rounds has {} twice", words[i])};
    drills.insert(drills.end(), *kind == drill::Kind::viva ? viva_drills : 1, *kind);
  }
  return drills;
}

Milliseconds time_for(const std::vector<drill::Kind>& drills) {
  Milliseconds sum{};
  for (const drill::Kind one : drills) sum += time_for(one);
  return sum;
}

int total_of(const Rubric& written, const std::vector<RoundResult>& results) {
  std::map<drill::Kind, std::vector<int>> scores;
  for (const RoundResult& one : results) scores[one.kind].push_back(one.score());
  double sum = written.total;
  for (const auto& [kind, all] : scores) {
    for (const int one : all) sum += 1.0 * one / static_cast<double>(all.size());
  }
  return static_cast<int>(std::lround(sum / static_cast<double>(1 + scores.size())));
}

}  // namespace kata
