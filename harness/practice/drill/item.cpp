#include "practice/drill/item.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "practice/drill/bug.h"

namespace kata::drill {
namespace {

constexpr std::array kinds = {std::pair{Kind::bug, "bug"}};

}  // namespace

const char* to_string(Kind kind) {
  return kinds.at(static_cast<std::size_t>(kind)).second;
}

std::optional<Kind> kind_from(const std::string& word) {
  for (const auto& [kind, name] : kinds) {
    if (word == name) return kind;
  }
  return {};
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kinds) names.emplace_back(name);
  return names;
}

void to_json(nlohmann::json& json, const Points& points) {
  json = {
      {"question", points.question}, {"got", points.got}, {"of", points.of}, {"why", points.why}};
}

void from_json(const nlohmann::json& json, Points& points) {
  points = {json.at("question"), json.at("got"), json.at("of"), json.at("why")};
}

Result<std::unique_ptr<Item>> make(const Offer& offer, bool begin) {
  return make_bug(offer, begin);
}

Result<std::string> choice_from(const Question& question, const std::string& answer) {
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    if (answer == question.choices[i] || answer == std::to_string(i + 1))
      return question.choices[i];
  }
  return Error{fmt::format("Type a number from 1 to {}, or the word.", question.choices.size())};
}

}  // namespace kata::drill
