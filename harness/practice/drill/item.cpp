#include "practice/drill/item.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "practice/drill/bug.h"
#include "practice/drill/maths.h"
#include "practice/drill/viva.h"
#include "practice/drill/which.h"
#include "practice/drill/why.h"

namespace kata::drill {
namespace {

constexpr std::array kinds = {std::pair{Kind::bug, "bug"}, std::pair{Kind::maths, "maths"},
                              std::pair{Kind::which, "which"}, std::pair{Kind::why, "why"},
                              std::pair{Kind::viva, "viva"}};

constexpr std::array asks = {std::pair{Ask::line, "line"},     std::pair{Ask::kind, "kind"},
                             std::pair{Ask::input, "input"},   std::pair{Ask::repair, "repair"},
                             std::pair{Ask::number, "number"}, std::pair{Ask::faster, "faster"},
                             std::pair{Ask::factor, "factor"}, std::pair{Ask::cause, "cause"},
                             std::pair{Ask::change, "change"}, std::pair{Ask::outcome, "outcome"}};

template <class Named, class Value>
const char* name_in(const Named& all, Value value) {
  return std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == value; })
      ->second;
}

}  // namespace

const char* to_string(Kind kind) {
  return name_in(kinds, kind);
}

const char* to_string(Ask ask) {
  return name_in(asks, ask);
}

std::optional<Kind> kind_from(const std::string& word) {
  for (const auto& [kind, name] : kinds) {
    if (word == name) return kind;
  }
  return {};
}

std::string words_of(const Offer& offer) {
  return to_string(offer.kind) + (offer.problem ? " " + offer.problem->name : "");
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kinds) names.emplace_back(name);
  return names;
}

void to_json(nlohmann::json& json, const Points& points) {
  json = {{"question", to_string(points.question)},
          {"got", points.got},
          {"of", points.of},
          {"why", points.why}};
}

void from_json(const nlohmann::json& json, Points& points) {
  const std::string question = json.at("question");
  const auto known = std::find_if(asks.begin(), asks.end(),
                                  [&](const auto& one) { return question == one.second; });
  if (known == asks.end()) throw std::invalid_argument("no such question");
  points = {known->first, json.at("got"), json.at("of"), json.at("why")};
}

Result<std::vector<Offer>> offers(Kind kind, const std::string& operator_name,
                                  const History& history) {
  switch (kind) {
    case Kind::bug:
      return bug_offers(operator_name);
    case Kind::maths:
      return maths_offers(operator_name);
    case Kind::which:
      return which_offers(operator_name);
    case Kind::why:
      return why_offers(operator_name);
    case Kind::viva:
      return viva_offers(operator_name, history);
  }
  return std::vector<Offer>();
}

Result<std::vector<Offer>> offers(const std::string& kind, const std::string& operator_name,
                                  const History& history) {
  std::vector<Offer> all;
  for (const std::string& name : kind_names()) {
    if (!kind.empty() && name != kind) continue;
    auto some = offers(*kind_from(name), operator_name, history);
    if (some)
      all.insert(all.end(), some->begin(), some->end());
    else if (!kind.empty())
      return some.error();
  }
  return all;
}

Result<std::unique_ptr<Item>> make(const Offer& offer, bool begin) {
  switch (offer.kind) {
    case Kind::bug:
      return make_bug(offer, begin);
    case Kind::maths:
      return make_maths(offer);
    case Kind::which:
      return make_which(offer);
    case Kind::why:
      return make_why(offer);
    case Kind::viva:
      return make_viva(offer);
  }
  return Error{"there is no such drill"};
}

}  // namespace kata::drill
