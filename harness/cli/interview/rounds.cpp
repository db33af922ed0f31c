// The rounds of an interview after the writing: drills, whose clock is the interview's.

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "cli/interview/interviewer.h"
#include "cli/learn/drill_session.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/begin.h"
#include "practice/drill/viva.h"
#include "report/layout.h"
#include "support/process.h"

namespace kata::cli {
namespace {

/// About this operator, else about any.
Result<std::vector<drill::Offer>> offers_of(drill::Kind kind, const std::string& operator_name,
                                            const History& history) {
  auto offers = drill::offers(kind, operator_name, history);
  const bool is_own = kind == drill::Kind::viva;  // about what was written here
  if (is_own || (offers && !offers->empty())) return offers;
  return drill::offers(kind, "", history);
}

/// The first drill of viva is about what the code does, the others about changes of it.
Result<std::unique_ptr<drill::Item>> prepared(drill::Kind kind, const Interview& interview,
                                              const History& history, drill::Record& record) {
  auto offers = offers_of(kind, interview.operator_name, history);
  if (!offers) return offers.error();
  const bool is_first = std::none_of(interview.results.begin(), interview.results.end(),
                                     [&](const RoundResult& one) { return one.kind == kind; });
  if (kind == drill::Kind::viva) {
    std::erase_if(*offers, [&](const drill::Offer& one) {
      return (one.topic == drill::counters_topic) != is_first;
    });
  }
  return drill::begin(std::move(*offers), history, std::random_device{}(), record.state());
}

}  // namespace

void Interviewer::hold_drills() {
  while (state().results.size() < state().drills.size()) {
    if (!hold_drill(state().drills[state().results.size()])) {
      left_ = true;
      return;
    }
  }
  state().phase = Interview::Phase::questions;
  save();
}

/// False if the person left.
bool Interviewer::hold_drill(drill::Kind kind) {
  auto open = drill::Record::find_open(*history_);
  const bool resumed = open && *open;
  if (!resumed && !pause_before(fmt::format("the next round, {}", to_string(kind)))) return false;
  drill::Record record = resumed ? std::move(**open) : drill::Record({}, *history_);
  Result<std::unique_ptr<drill::Item>> item = Error{};
  {
    Progress progress(session_.plain);
    progress.say("preparing the next round");
    item = resumed ? drill::make(record.state().offer, /*begin=*/false)
                   : prepared(kind, state(), *history_, record);
  }
  reader_.drop_typed();
  if (interrupted()) return false;
  RoundResult result{.kind = kind};
  if (item) {
    if (!resumed) state().clock.tick(instant_now());
    record.state().clock = state().clock;
    record.state().limit = state().limit;
    const std::string round =
        fmt::format("Drill {} of {}", state().results.size() + 1, state().drills.size());
    fmt::print("\n");
    DrillSession(**item, record, session_, reader_, {.round = round}).run(resumed);
    state().clock = record.state().clock;
    if (record.state().open) return false;
    result.topic = record.state().offer.topic;
    result.points = record.state().points;
  } else {
    if (resumed) record.abandon();
    result.left_out = item.error().message;
    fmt::print("\n{}", layout::paragraph(fmt::format("The round {} is left out: {}",
                                                     to_string(kind), result.left_out),
                                         0));
  }
  state().results.push_back(std::move(result));
  save();
  return true;
}

}  // namespace kata::cli
