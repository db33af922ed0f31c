#include "practice/drill/record.h"

#include <nlohmann/json.hpp>

#include "practice/sealed.h"

namespace kata::drill {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr const char* session_kind = "drill";
constexpr int easy_score = 90, good_score = 70, hard_score = 40;

Json to_json(const State& state) {
  return {{"kind", to_string(state.offer.kind)},
          {"name", state.offer.name},
          {"topic", state.offer.topic},
          {"level", state.offer.level},
          {"clock", state.clock},
          {"limit_ms", state.limit.count()},
          {sealed_key, state.sealed.string()},
          {"points", state.points}};
}

State from_json(const Json& json, const std::string& operator_name) {
  State state;
  state.offer = {.kind = kind_from(json.at("kind")).value(),
                 .name = json.at("name"),
                 .topic = json.at("topic"),
                 .level = json.at("level"),
                 .problem = find_problem(operator_name)};
  if (!operator_name.empty() && !state.offer.problem) throw std::bad_optional_access();
  state.clock = json.at("clock");
  state.limit = Milliseconds(json.at("limit_ms").get<std::int64_t>());
  state.sealed = json.at(sealed_key).get<std::string>();
  state.points = json.at("points").get<std::vector<Points>>();
  return state;
}

}  // namespace

int State::score() const {
  int sum = 0;
  for (const Points& one : points) sum += one.got;
  return sum;
}

int State::rest() const {
  int left = 100;
  for (const Points& one : points) left -= one.of;
  return left;
}

bool State::is_over(const Item& item) const {
  return points.size() == item.questions().size() || rest() <= 0;
}

Points State::skipped(const Item& item) const {
  const Question& next = item.questions()[points.size()];
  const bool last = points.size() + 1 == item.questions().size();
  const std::string answer = item.answer_to(points.size());
  return {next.ask, 0, last ? rest() : next.points,
          answer.empty() ? "skipped" : "skipped. " + answer};
}

Milliseconds limit_of(const Offer& offer) {
  if (offer.kind != Kind::bug) return 2min + 2min * offer.level;
  return 5min + 5min * offer.level;
}

Grade grade_of(const State& state) {
  const int score = state.score();
  if (score < hard_score) return Grade::again;
  if (score < good_score || state.late()) return Grade::hard;
  const bool quick = state.limit > 0ms && 2 * state.clock.worked() <= state.limit;
  return score >= easy_score && quick ? Grade::easy : Grade::good;
}

Result<std::vector<Record>> Record::all_open(History& history) {
  const Result<std::vector<SessionRecord>> sessions = history.open_sessions();
  if (!sessions) return sessions.error();
  std::vector<Record> open;
  for (const SessionRecord& one : *sessions) {
    if (one.kind != session_kind) continue;
    try {
      Record record(from_json(Json::parse(one.data), one.operator_name), history);
      record.record_ = one;
      open.push_back(std::move(record));
    } catch (const std::exception&) {  // another kata's: it would be in the way for ever
      SessionRecord closed = one;
      closed.open = false;
      if (const auto error = history.save(closed)) return *error;
    }
  }
  return open;
}

Result<std::optional<Record>> Record::find_open(History& history, const std::string& kind,
                                                const std::string& operator_name) {
  Result<std::vector<Record>> open = all_open(history);
  if (!open) return open.error();
  std::erase_if(*open, [&](const Record& one) {
    const Offer& offer = one.state().offer;
    const std::string about = offer.problem ? offer.problem->name : "";
    return (!kind.empty() && kind != to_string(offer.kind)) ||
           (!operator_name.empty() && operator_name != about);
  });
  return open->empty() ? std::nullopt : std::optional(std::move(open->back()));
}

std::optional<Error> Record::keep(const Points& points, const Item& item) {
  state_.points.push_back(points);
  state_.open = !state_.is_over(item);
  if (state_.open && item.questions()[state_.points.size()].ask == Ask::repair)
    state_.sealed.clear();
  return save();
}

std::optional<Error> Record::save() {
  if (!state_.open) {
    const auto error = history_->add(DrillResult{.kind = to_string(state_.offer.kind),
                                                 .item = state_.offer.name,
                                                 .topic = state_.offer.topic,
                                                 .score = state_.score(),
                                                 .found = state_.score() >= good_score,
                                                 .grade = grade_of(state_)});
    if (error) return error;
  }
  return save_session();
}

std::optional<Error> Record::abandon() {
  state_.open = false;
  return save_session();
}

std::optional<Error> Record::save_session() {
  record_.operator_name = state_.offer.problem ? state_.offer.problem->name : "";
  record_.kind = session_kind;
  record_.open = state_.open;
  record_.data = to_json(state_).dump();
  return history_->save(record_);
}

}  // namespace kata::drill
