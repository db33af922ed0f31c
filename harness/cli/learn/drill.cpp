// kata drill: short exercises in reading and explaining, whose answers are run or counted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/learn/drill_session.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/begin.h"
#include "practice/interview/interview.h"
#include "support/nearest.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

struct DrillOptions {
  std::string kind, operator_name;
  std::optional<std::uint64_t> seed;
  bool untimed = false;
  bool json = false;
  bool discard = false;
};

/// `kata drill relu`, `kata drill relu bug`: the operator was typed in the kind's place.
std::optional<Error> untangle(DrillOptions& options) {
  if (find_problem(options.kind) &&
      (options.operator_name.empty() || drill::kind_from(options.operator_name)))
    std::swap(options.kind, options.operator_name);
  if (!options.kind.empty() && !drill::kind_from(options.kind)) {
    std::vector<std::string> names = drill::kind_names();
    for (const Problem& problem : problems()) names.push_back(problem.name);
    std::string meant = nearest(options.kind + "_" + options.operator_name, names);
    if (meant.empty()) meant = nearest(options.kind, names);
    return Error{
        fmt::format("there is no drill {}.{} Name a kind, an operator or both; the kinds are: {}",
                    options.kind, meant.empty() ? "" : fmt::format(" Did you mean {}?", meant),
                    fmt::join(drill::kind_names(), ", "))};
  }
  if (options.operator_name.empty()) return {};
  const Result<const Problem*> problem = find_operator(options.operator_name);
  return problem ? std::nullopt : std::optional(problem.error());
}

Result<std::unique_ptr<drill::Item>> begin(const DrillOptions& options, const History& history,
                                           drill::State& state) {
  auto offers = drill::offers(options.kind, options.operator_name, history);
  if (!offers) return offers.error();
  if (offers->empty())
    return Error{fmt::format("there is no {1} drill about {0}. About any operator: {2} drill {1}",
                             options.operator_name, options.kind, command_name())};
  const auto seed = static_cast<std::uint32_t>(options.seed.value_or(std::random_device{}()));
  auto item = drill::begin(std::move(*offers), history, seed, state);
  if (item && !options.untimed) state.limit = drill::limit_of(state.offer);
  return item;
}

std::string still_open(const std::vector<drill::Record>& open) {
  std::string text;
  for (const drill::Record& one : open)
    text += fmt::format("Still open: {} drill {}\n", command_name(), words_of(one.state().offer));
  return text + fmt::format("To discard them: {} drill --discard\n", command_name());
}

bool is_meant(const drill::Record& open, const DrillOptions& options) {
  const drill::Offer& offer = open.state().offer;
  return (options.kind.empty() || options.kind == drill::to_string(offer.kind)) &&
         (options.operator_name.empty() ||
          (offer.problem && offer.problem->name == options.operator_name));
}

/// The open drills of that kind and operator; their questions may be asked again.
int discard(std::vector<drill::Record> open, const DrillOptions& options) {
  std::erase_if(open, [&](const drill::Record& one) { return !is_meant(one, options); });
  if (open.empty()) fmt::print("No such drill is open.\n");
  for (drill::Record& one : open) {
    if (const auto error = one.abandon()) return fail(*error);
    fmt::print("Discarded: {}\n", words_of(one.state().offer));
  }
  return 0;
}

int run_drill(DrillOptions options, const Session& session) {
  if (const auto wrong = untangle(options)) return fail(*wrong);
  Result<History> history = History::open();
  if (!history) return fail(history.error());
  const SessionLock lock("drill");
  if (!lock.ours())
    return fail({fmt::format("{} holds a drill: end or leave that one first", lock.holder())});
  if (has_open_rounds(*history))
    return fail({fmt::format("an interview with drills is open. Continue it: {} interview --resume",
                             command_name())});
  auto open = drill::Record::all_open(*history);
  if (!open) return fail(open.error());
  if (options.discard) return discard(std::move(*open), options);
  auto last = drill::Record::find_open(*history, options.kind, options.operator_name);
  if (!last) return fail(last.error());
  const bool resumed = last->has_value();
  drill::Record record = resumed ? std::move(**last) : drill::Record({}, *history);
  Result<std::unique_ptr<drill::Item>> item = Error{};
  {
    Progress progress(session.plain || options.json);
    progress.say("preparing a drill");
    item = resumed ? drill::resume(record) : begin(options, *history, record.state());
  }
  if (interrupted()) return fail({"interrupted"});
  if (!item) return fail(item.error());
  if (!resumed) record.state().clock = SessionClock::started(instant_now());
  const std::string& notice = history->notice();
  if (const auto error = record.save()) return fail(notice.empty() ? *error : Error{notice});
  if (!notice.empty()) warn(notice);
  if (!resumed && !open->empty() && !options.json) fmt::print("{}\n", still_open(*open));
  LineReader reader(!options.json && screen_wanted(session.plain));
  DrillSession talk(**item, record, session, reader, {.json = options.json});
  return talk.run(resumed);
}

}  // namespace

void add_drill(CLI::App& app, Session& session) {
  static DrillOptions options;
  Command(app, "drill", "Find bugs, compare, count: your answers are run")
      .optional_operand("kind", options.kind, "bug, maths, which, why, viva; else what is due")
      .optional_operand("operator", options.operator_name, "Only about this operator")
      .number("--seed", options.seed, "Choose the same item again")
      .flag("--untimed", options.untimed, "Without a clock")
      .flag("--discard", options.discard, "Drop the open drills instead, without a grade")
      .flag("--json", options.json, "Answers from standard input, result as JSON")
      .does([&session] {
        session.status = run_drill(options, session);
        session.says_how_it_ended = true;
      });
}

}  // namespace kata::cli
