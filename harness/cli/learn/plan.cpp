// kata plan: what to do today, until the day of an interview.
#include "cli/learn/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/open_history.h"
#include "practice/exercise/labels.h"
#include "practice/plan/plan.h"
#include "practice/review.h"
#include "report/layout.h"
#include "support/date.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

struct PlanOptions {
  std::string until, track;
  std::optional<std::uint64_t> minutes;
  bool json = false;
};

std::string hours(int minutes) {
  return minutes < 60 ? fmt::format("{} min", minutes)
                      : fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string heading(const Plan& plan, const Config& config) {
  const int available = plan.days * static_cast<int>(config.plan_minutes);
  std::string text = layout::paragraph(
      fmt::format("Plan until {}: {} days, {} minutes each, track {}.", config.plan_until,
                  plan.days, config.plan_minutes, config.plan_track),
      0);
  const std::string need =
      plan.unsolved == 0
          ? "Every exercise of the track is solved."
          : fmt::format("{} exercises are not solved yet: about {} of work in {}.", plan.unsolved,
                        hours(plan.unsolved_minutes), hours(available));
  const bool fits = plan.unsolved_minutes <= available;
  return text +
         layout::paragraph(need + (fits ? "" : " Not all fit; those asked most come first."), 0);
}

nlohmann::json json_of(const Plan& plan, const Config& config) {
  nlohmann::json today = nlohmann::json::array();
  for (const PlanItem& item : plan.today)
    today.push_back({{"what", name_of(item)},
                     {"command", command_of(item)},
                     {"minutes", item.minutes},
                     {"reason", item.reason},
                     {"done", item.done}});
  return {{"schema", 1},
          {"until", config.plan_until},
          {"track", config.plan_track},
          {"minutes", config.plan_minutes},
          {"days", plan.days},
          {"unsolved", plan.unsolved},
          {"unsolved_minutes", plan.unsolved_minutes},
          {"today", today}};
}

/// Takes over what was typed; an Error changes nothing.
std::optional<Error> change(const PlanOptions& options, Config& config) {
  Config wanted = config;
  if (!options.until.empty()) wanted.plan_until = options.until;
  if (options.minutes) wanted.plan_minutes = *options.minutes;
  if (!options.track.empty()) wanted.plan_track = options.track;
  const std::string example = date_of(day_of(now()) + 28);
  if (wanted.plan_until.empty()) {
    return Error{fmt::format("there is no plan yet. Make one: {} plan --until {} --minutes 45",
                             command_name(), example)};
  }
  const auto until = day_from(wanted.plan_until);
  if (!until || *until < day_of(now())) {
    return Error{fmt::format("--until takes a day from today on, such as {}; not {}", example,
                             wanted.plan_until)};
  }
  if (const auto known = problems_with(wanted.plan_track, ""); !known) return known.error();
  const auto keep = [](const char* key, const std::string& value) {
    return value.empty() ? std::nullopt : set_config(key, value);
  };
  if (const auto error = keep("plan.until", options.until)) return error;
  if (const auto error =
          keep("plan.minutes", options.minutes ? std::to_string(*options.minutes) : ""))
    return error;
  if (const auto error = keep("plan.track", options.track)) return error;
  config = wanted;
  return {};
}

int plan(const PlanOptions& options, Session& session) {
  if (const auto error = change(options, session.config)) return fail(*error, options.json);
  const Result<History> history = open_history();
  if (!history) return fail(history.error(), options.json);
  const Result<NextStep> step = next_step(session.config, history);
  if (!step) return fail(step.error(), options.json);
  if (options.json) {
    print_json(json_of(*step->plan, session.config));
    return 0;
  }
  fmt::print("{}\n{}", heading(*step->plan, session.config), today_text(*step));
  return 0;
}

}  // namespace

Result<NextStep> next_step(const Config& config, const Result<History>& history,
                           const std::vector<std::string>& left_out, const States* known) {
  const auto plan = plan_request(config.plan_until, config.plan_track, config.plan_minutes, now());
  if (!plan) return plan.error();
  return kata::next_step(*plan, history, now(), left_out, known);
}

std::string command_of(const PlanItem& item) {
  if (item.drills > 0) return command_name() + " drill";
  if (!item.problem) return fmt::format("{} quiz --cards {}", command_name(), item.cards);
  const char* const how = item.again ? "interview" : "watch";
  return fmt::format("{} {} {}", command_name(), how, item.problem->name);
}

std::string today_text(const NextStep& step) {
  if (step.plan->today.empty()) return "Nothing is due today, and nothing is new.\n";
  std::string text = "Today:\n";
  for (const PlanItem& item : step.plan->today) {
    text += fmt::format("  {:<4}  {:<{}} {:>3} min  {}\n", item.done ? "done" : "", name_of(item),
                        name_width(), item.minutes, item.reason);
  }
  if (!step.also_begun.empty()) {
    std::vector<std::string> names;
    for (const Problem* one : step.also_begun) names.push_back(one->name);
    text += layout::paragraph(fmt::format("Also begun: {}", fmt::join(names, ", ")), 2, 2);
  }
  if (const PlanItem* next = step.planned())
    return text + fmt::format("\nNext: {}\n  {}\n", name_of(*next), command_of(*next));
  text += fmt::format("\nToday's part is done. More cards:\n  {} quiz\n", command_name());
  if (!step.exercise.problem) return text;
  return text + fmt::format("The next exercise:\n  {} watch {}\n", command_name(),
                            step.exercise.problem->name);
}

void add_plan(CLI::App& app, Session& session) {
  static PlanOptions options;
  Command(app, "plan", "Show what to do today, until an interview")
      .option("--until", "DATE", options.until, "The day of the interview, e.g. 2026-12-20")
      .number("--minutes", options.minutes, "How long you practise each day; else 45",
              {.least = 1, .most = minutes_a_day})
      .option("--track", "TRACK", options.track, "Only its operators, e.g. inference; general: all")
      .flag("--json", options.json, "One JSON object on standard output")
      .does([&session] { session.status = plan(options, session); });
}

}  // namespace kata::cli
