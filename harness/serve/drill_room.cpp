#include "serve/drill_room.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <utility>

#include "practice/drill/begin.h"
#include "practice/drill/bug.h"
#include "practice/drill/record.h"
#include "practice/interview/interview.h"
#include "report/html/views.h"
#include "serve/pages.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::serve {
namespace {

using Json = nlohmann::json;
using drill::Ask;
using drill::Points;

/// Listings below each other, each after a line "---- first ----"; or one without a name.
Json kernels_of(const std::string& source) {
  static const std::regex heading("(?:^|\n)---- (.+) ----\n");
  Json kernels = Json::array();
  std::string name, text;
  const auto add = [&] {
    if (!text.empty())
      kernels.push_back({{"name", name.empty() ? Json() : Json(name)}, {"listing", text}});
  };
  auto begin = source.cbegin();
  for (std::smatch found; std::regex_search(begin, source.cend(), found, heading);) {
    text.assign(begin, found[0].first);
    add();
    name = found[1];
    begin = found[0].second;
  }
  text.assign(begin, source.cend());
  add();
  return kernels;
}

/// A link that shows what a command of the terminal would: {"link", "words"}, or null.
Json page_for(const std::string& command) {
  static const std::regex diff(R"(diff (\w+) (\d+) (\d+))"), check(R"(check (\w+).*)");
  std::smatch found;
  if (std::regex_match(command, found, diff)) {
    return {{"link", fmt::format("/exercises/{}/from/{}/to/{}", found[1].str(), found[2].str(),
                                 found[3].str())},
            {"words", fmt::format("what changes from rung {} to {} of {}", found[2].str(),
                                  found[3].str(), found[1].str())}};
  }
  if (std::regex_match(command, found, check)) {
    return {
        {"link", fmt::format("/exercises/{}/index.html", found[1].str())},
        {"words", fmt::format("check {}, and see what each line asks of memory", found[1].str())}};
  }
  return {};
}

Json points_of(const std::vector<Points>& all) {
  Json rows = Json::array();
  for (const Points& one : all) {
    rows.push_back({{"question", to_string(one.question)},
                    {"got", one.got},
                    {"of", one.of},
                    {"why", words_of(one.why)}});
  }
  return rows;
}

/// Its blocks between empty lines: a table must not be broken at the edge of a small screen.
Json blocks_of(const std::string& text) {
  static const std::regex column(R"(\S {3,}\S)");
  Json blocks = Json::array();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    const std::string block = text.substr(begin, end - begin);
    blocks.push_back({{"block", block}, {"table", std::regex_search(block, column)}});
    begin = end + 2;
  }
  return blocks;
}

Json numbered_lines(const std::string& text) {
  Json lines = html::colored_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i]["number"] = i + 1;
  return lines;
}

}  // namespace

/// As a terminal that holds a drill.
struct DrillRoom::Session {
  Session(History opened, const std::string& address)
      : history(std::move(opened)), record({}, history) {
    lock.emplace("drill", page_holder(address + "/drill"));
  }

  drill::State& state() { return record.state(); }
  std::size_t answered() { return state().points.size(); }
  const drill::Question& question() { return item->questions()[answered()]; }

  std::optional<Error> keep(const Points& points) {
    state().clock.tick(instant_now());
    const auto error = record.keep(points, *item);
    if (!state().open) lock.reset();
    return error;
  }

  Json asked();
  Json ended();

  History history;
  drill::Record record;
  std::unique_ptr<drill::Item> item;
  std::optional<SessionLock> lock;
};

Json DrillRoom::Session::asked() {
  const drill::Question& next = question();
  const drill::Offer& offer = state().offer;
  const std::string path = offer.problem ? drill::bug_file(offer.problem->name).string() : "";
  const bool by_line = next.ask == Ask::line, repair = next.ask == Ask::repair;
  Json choices = Json::array();
  for (const std::string& one : next.choices)
    choices.push_back({{"choice", one}, {"place", choices.size() + 1}});
  Json values = {{"number", answered()},
                 {"ask", to_string(next.ask)},
                 {"place", answered() + 1},
                 {"words", words_of(repair ? "Repair the file, then have it judged." : next.text)},
                 {"points", next.tells_points ? Json() : Json(next.points)},
                 {"choices", choices},
                 {"typed", next.choices.empty() && !repair},
                 {"repair", repair},
                 {"beside", repair || offer.kind == drill::Kind::bug},
                 {"file", kata::shown(path)},
                 {"operator", offer.problem ? offer.problem->name : ""},
                 {"lines", Json()},
                 {"source", Json()}};
  if (offer.kind == drill::Kind::bug && !repair) {
    values["lines"] = {{"rows", numbered_lines(read_file(path).value_or(""))},
                       {"clicked", by_line}};
  } else if (!repair && !item->source().empty()) {
    values["source"] = {{"kernels", kernels_of(item->source())}};
  }
  return values;
}

Json DrillRoom::Session::ended() {
  const std::string next = item->next_step();
  return {{"explanation", blocks_of(item->explanation())}, {"score", state().score()},
          {"time", clock_text(state().clock.worked())},    {"late", state().late()},
          {"grade", to_string(drill::grade_of(state()))},  {"next_page", page_for(next)}};
}

DrillRoom::DrillRoom(std::function<std::string()> address) : address_(std::move(address)) {}
DrillRoom::~DrillRoom() {
  leave();
}

Result<Json> DrillRoom::shown() {
  const std::lock_guard guard(mutex_);
  Json values = this->values();
  if (!session_ || !session_->state().open) {
    Result<History> history = History::open();
    if (!history) return history.error();
    const auto open = drill::Record::find_open(*history);
    if (!open) return open.error();
    values["start"] = {{"left", Json()},
                       {"operators", operator_names()},
                       {"elsewhere", SessionLock::is_held("drill")},
                       {"last", session_ != nullptr}};
    if (*open) {
      const drill::Offer& offer = (**open).state().offer;
      values["start"]["left"] = {{"kind", to_string(offer.kind)},
                                 {"about", offer.problem ? Json(offer.problem->name) : Json()},
                                 {"timed", (**open).state().limit.count() > 0}};
    }
    return values;
  }
  session_->state().clock.tick(instant_now());
  values["asked"] = session_->asked();
  values["asked"]["typed_before"] = std::exchange(typed_, "");
  return values;
}

bool DrillRoom::is_over() {
  const std::lock_guard guard(mutex_);
  return session_ && !session_->state().open;
}

Json DrillRoom::ended() {
  const std::lock_guard guard(mutex_);
  Json values = this->values();
  values["ended"] = session_->ended();
  return values;
}

/// What all of its pages have.
Json DrillRoom::values() {
  const std::string remark = std::exchange(remark_, "");
  Json values = {{"remark", remark.empty() ? Json() : Json(remark)},
                 {"asked", Json()},
                 {"ended", Json()},
                 {"start", Json()}};
  if (!session_) return values;
  const drill::State& state = session_->state();
  values["kind"] = to_string(state.offer.kind);
  values["about"] = state.offer.problem ? Json(state.offer.problem->name) : Json();
  values["level"] = state.offer.level;
  values["left_ms"] =
      state.limit.count() > 0 ? Json((state.limit - state.clock.worked()).count()) : Json();
  values["text"] = blocks_of(session_->item->text());
  values["so_far"] = points_of(state.points);
  return values;
}

void DrillRoom::enter(const std::string& kind, const std::string& operator_name, bool untimed) {
  const std::lock_guard guard(mutex_);
  if (session_ && session_->state().open) return;  // another tab did
  session_.reset();
  if (const auto error = entered(kind, operator_name, untimed)) {
    session_.reset();
    remark_ = error->message;
  }
}

std::optional<Error> DrillRoom::entered(const std::string& kind, const std::string& operator_name,
                                        bool untimed) {
  Result<History> history = History::open();
  if (!history) return history.error();
  session_ = std::make_unique<Session>(std::move(*history), address_());
  if (!session_->lock->ours())
    return Error{session_->lock->holder() + " holds a drill: end or leave that one first."};
  if (has_open_rounds(session_->history))
    return Error{"An interview with drills is open: go on with that one first."};
  auto open = drill::Record::find_open(session_->history, kind, operator_name);
  if (!open) return open.error();
  Result<std::unique_ptr<drill::Item>> item = Error{};
  if (*open) {
    session_->record = std::move(**open);
    item = drill::resume(session_->record);
  } else {
    auto offers = drill::offers(kind, operator_name, session_->history);
    if (!offers) return offers.error();
    if (offers->empty())
      return Error{fmt::format("There is no {} drill about {}.", kind, operator_name)};
    item = drill::begin(std::move(*offers), session_->history, std::random_device{}(),
                        session_->state());
    session_->state().clock = SessionClock::started(instant_now());
    if (item && !untimed) session_->state().limit = drill::limit_of(session_->state().offer);
  }
  if (!item) return item.error();
  session_->item = std::move(*item);
  return session_->record.save();
}

void DrillRoom::leave() {
  const std::lock_guard guard(mutex_);
  if (session_ && session_->state().open) {
    session_->state().clock.tick(instant_now());
    if (const auto error = session_->record.save()) remark_ = error->message;
  }
  session_.reset();
}

bool DrillRoom::is_asked(std::size_t question) {
  if (session_ && session_->state().open && session_->answered() == question) return true;
  remark_ = "That answer came too late: the question was answered, or the drill was left.";
  return false;
}

void DrillRoom::answer(std::size_t question, const std::string& text) {
  const std::lock_guard guard(mutex_);
  if (!is_asked(question)) return;
  session_->state().clock.tick(instant_now());
  const Result<Points> points = session_->item->judge(question, text);
  if (interrupted()) return;  // no answer was judged
  if (!points) {
    remark_ = points.error().message;
    typed_ = text;
  } else if (const auto error = session_->keep(*points)) {
    remark_ = error->message;
  }
}

void DrillRoom::pass(std::size_t question) {
  const std::lock_guard guard(mutex_);
  if (!is_asked(question)) return;
  if (const auto error = session_->keep(session_->state().skipped(*session_->item)))
    remark_ = error->message;
}

}  // namespace kata::serve
