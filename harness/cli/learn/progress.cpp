// kata progress: where you stand with every operator.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/choose.h"
#include "practice/review.h"
#include "report/layout.h"
#include "support/paths.h"

namespace kata::cli {
namespace {

using Json = nlohmann::json;

/// What the other columns leave of 80.
std::size_t weeks() {
  return 42 - std::min<std::size_t>(name_width(), 30);
}

/// How much was done in a week, as one character.
constexpr std::array shades = {'.', '-', '+', '#'};

char shade_of(int attempts) {
  if (attempts == 0) return shades[0];
  if (attempts < 3) return shades[1];
  return attempts < 10 ? shades[2] : shades[3];
}

/// Weeks begin on Monday; 1970 began on a Thursday.
int week_of(int day) {
  return (day + 3) / 7;
}

std::string heat(const std::vector<AttemptOutcome>& attempts, int this_week, bool color) {
  std::vector<int> counts(weeks());
  for (const AttemptOutcome& attempt : attempts) {
    const int age = this_week - week_of(day_of(attempt.at));
    if (attempt.verdict && age >= 0 && age < static_cast<int>(counts.size()))
      ++counts[counts.size() - 1 - static_cast<std::size_t>(age)];
  }
  std::string row;
  for (const int count : counts) {
    const auto shade = count == 0 ? layout::Color::dim : layout::Color::green;
    row += layout::paint(std::string(1, shade_of(count)), shade, color);
  }
  return row;
}

/// The attempt that came furthest up the ladder; of equals the last.
const AttemptOutcome* furthest(const std::vector<AttemptOutcome>& attempts) {
  const AttemptOutcome* best = nullptr;
  for (const AttemptOutcome& attempt : attempts) {
    if (attempt.verdict != Verdict::pass || attempt.rung == 0) continue;
    if (!best || attempt.rung >= best->rung) best = &attempt;
  }
  return best;
}

/// 0: none of those that are right was timed.
double best_us(const std::vector<AttemptOutcome>& attempts) {
  const AttemptOutcome* best = nullptr;
  for (const AttemptOutcome& attempt : attempts) {
    const bool right_and_timed = attempt.verdict == Verdict::pass && attempt.median_us > 0;
    if (right_and_timed && (!best || attempt.median_us < best->median_us)) best = &attempt;
  }
  return best ? best->median_us : 0;
}

std::string line_of(const Problem& problem, const std::vector<AttemptOutcome>& attempts, int today,
                    bool color) {
  const auto standing = standing_of(attempts);
  const AttemptOutcome* top = furthest(attempts);
  std::string next = standing ? date_of(standing->due_day) : "-";
  if (standing && standing->is_due(today)) {
    next = layout::paint("due now", layout::Color::yellow, color);
  }
  const double us = best_us(attempts);
  return fmt::format("{:<{}} {} {:>6} {:>10}  {:<6} {}\n", problem.name, name_width(),
                     heat(attempts, week_of(today), color),
                     top ? fmt::format("{}/{}", top->rung, top->rungs) : "-",
                     us > 0 ? fmt::format("{:.4g} us", us) : "-",
                     standing ? to_string(standing->grade) : "-", next);
}

/// "  bug: race 4 of 9 (71), bounds 2 of 2 (95)", the weakest first, of each kind at most so many;
/// empty before the first drill.
std::string drills_text(const std::vector<DrillResult>& results, std::size_t most) {
  std::vector<drill::Strength> all = drill::strengths(results);
  std::ranges::stable_sort(all, {}, &drill::Strength::mean);
  std::map<std::string, std::string> kinds;
  std::map<std::string, std::size_t> classes;
  for (const drill::Strength& one : all) {
    if (++classes[one.kind] > most) continue;
    std::string& text = kinds[one.kind];
    text +=
        fmt::format("{} {} {} of {} ({:.0f})", text.empty() ? one.kind + ":" : ",",
                    drill::words_of_topic(one.kind, one.topic), one.found, one.asked, one.mean());
  }
  std::string lines;
  for (const auto& [kind, text] : kinds) {
    const std::size_t more = classes[kind] - std::min(classes[kind], most);
    lines += layout::paragraph(text + (more ? fmt::format(", {} more", more) : ""), 2, 2);
  }
  return lines.empty() ? lines
                       : "\nDrills with 70 points or more, of those asked (mean score), the "
                         "weakest first\n" +
                             lines;
}

using Attempts = std::map<std::string, std::vector<AttemptOutcome>>;

bool is_right(const std::vector<AttemptOutcome>& attempts) {
  return std::ranges::any_of(
      attempts, [](const AttemptOutcome& one) { return one.verdict == Verdict::pass; });
}

Json json_of(const Problem& problem, const std::vector<AttemptOutcome>& attempts, int today) {
  const auto standing = standing_of(attempts);
  const AttemptOutcome* const top = furthest(attempts);
  const double us = best_us(attempts);
  return {{"operator", problem.name},
          {"attempts", attempts.size()},
          {"right", is_right(attempts)},
          {"rung", top ? Json(top->rung) : Json()},
          {"rungs", top ? Json(top->rungs) : Json()},
          {"next_idea", top ? top->next_idea : ""},
          {"best_us", us > 0 ? Json(us) : Json()},
          {"grade", standing ? Json(to_string(standing->grade)) : Json()},
          {"due", standing ? Json(date_of(standing->due_day)) : Json()},
          {"is_due", standing && standing->is_due(today)}};
}

/// Every operator, and every class of drills.
Json json_of(Attempts attempts, const std::vector<DrillResult>& results, int today) {
  Json operators = Json::array(), drills = Json::array();
  for (const Problem* problem : learning_order())
    operators.push_back(json_of(*problem, attempts[problem->name], today));
  for (const drill::Strength& one : drill::strengths(results))
    drills.push_back({{"kind", one.kind},
                      {"topic", one.topic},
                      {"found", one.found},
                      {"asked", one.asked},
                      {"mean_score", one.mean()}});
  return {{"schema", 1}, {"operators", operators}, {"drills", drills}};
}

/// "Right: 3 of 41 operators; 2 are due: kata review"
std::string verdict_line(const Attempts& attempts, int today) {
  std::size_t right = 0, due = 0;
  for (const auto& [name, all] : attempts) {
    right += is_right(all);
    const auto standing = standing_of(all);
    due += standing && standing->is_due(today);
  }
  return fmt::format("Right: {} of {} operators; {} due: {} review\n\n", right, problems().size(),
                     due == 1 ? "1 is" : fmt::format("{} are", due), command_name());
}

/// `all`: also operators without an attempt, every class of drills and every next idea.
int progress(const Session& session, bool all, bool json) {
  const Result<History> history = open_history();
  if (!history) return fail(history.error());
  const auto drills = history->drill_results();
  if (!drills) return fail(drills.error());
  const bool color = color_wanted(session.plain);
  const int today = day_of(now());
  auto outcomes = history->outcomes();
  if (!outcomes) return fail(outcomes.error());
  auto attempts = by_operator(std::move(*outcomes));
  if (json) {
    print_json(json_of(std::move(attempts), *drills, today));
    return 0;
  }
  constexpr std::size_t few = 3;
  const std::size_t most = all ? std::size_t(-1) : few;
  std::string ideas;
  std::size_t shown_ideas = 0, untried = 0;
  const bool is_table = all || !attempts.empty();
  std::string text = verdict_line(attempts, today);
  if (is_table)
    text += fmt::format("{:<{}} {:<{}} {:>6} {:>10}  {:<6} {}\n", "", name_width(),
                        fmt::format("{} weeks", weeks()), weeks(), "rung", "best time", "grade",
                        "next");
  for (const Problem* problem : learning_order()) {
    const std::vector<AttemptOutcome>& tried = attempts[problem->name];
    if (tried.empty()) ++untried;
    if (tried.empty() && !all) continue;
    text += line_of(*problem, tried, today, color);
    const AttemptOutcome* top = furthest(tried);
    if (!top || top->next_idea.empty() || ++shown_ideas > most) continue;
    ideas += layout::paragraph(fmt::format("your {} is level with rung {} of {}. A faster idea: {}",
                                           problem->name, top->rung, top->rungs, top->next_idea),
                               2);
  }
  if (untried > 0 && !all)
    text += fmt::format("{}{} operators without an attempt: {} progress --all\n",
                        is_table ? "and " : "", untried, command_name());
  if (is_table)
    text += fmt::format("Checks in a week: {} none, {} 1 or 2, {} 3 to 9, {} 10 or more\n",
                        shades[0], shades[1], shades[2], shades[3]);
  text += (ideas.empty() ? "" : "\n") + ideas + drills_text(*drills, most);
  print_paged(text, session.plain);
  return 0;
}

}  // namespace

void add_progress(CLI::App& app, Session& session) {
  static bool all = false, json = false;
  Command(app, "progress", "Show where you stand")
      .flag("--all", all, "Also untried operators, and every class of drills")
      .flag("--json", json, "One JSON object on standard output")
      .does([&session] { session.status = progress(session, all, json); });
}

}  // namespace kata::cli
