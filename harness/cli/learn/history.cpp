// kata history: what was tried, one attempt's text, and what changed after it.
#include "practice/history.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal/prose.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/choose.h"
#include "practice/exercise/exercise_text.h"
#include "practice/interview/interview.h"
#include "report/json.h"
#include "report/layout.h"
#include "support/diff.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata::cli {
namespace {

using Json = nlohmann::json;

/// As many as fit a screen, with the lines below them.
constexpr int lines_without_all = 18;

struct HistoryOptions {
  std::string what;
  bool all = false;
  bool text = false;
  bool json = false;
};

/// In the person's time zone.
std::string minute_of(Time time) {
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(time)));
}

/// In UTC, to the millisecond.
std::string iso(Time time) {
  const auto milliseconds = time.time_since_epoch().count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)), milliseconds);
}

/// "fail: race", "pass, rung 3 of 5"
std::string outcome(const Attempt& attempt) {
  if (!attempt.verdict) return "kept";
  std::string text = to_string(*attempt.verdict);
  if (attempt.verdict == Verdict::pass && attempt.rung > 0) {
    text += fmt::format(", rung {} of {}", attempt.rung, attempt.rungs);
  }
  if (const Finding* const error = first_error(attempt.findings))
    text += std::string(": ") + to_string(error->kind);
  return text;
}

/// The grade, else what helped; of another file, which one.
std::string note_of(const Attempt& attempt) {
  if (!attempt.path.empty()) return shown(attempt.path);
  if (attempt.grade) return to_string(*attempt.grade);
  std::string text;
  if (attempt.hints > 0) {
    text = fmt::format("{} hint{}", attempt.hints, attempt.hints == 1 ? "" : "s");
  }
  return attempt.solution_seen ? "solution" : text;
}

/// Of 100; nothing but for the submission of an interview.
std::optional<int> points_of(const Attempt& attempt, const History& history) {
  if (attempt.session.empty() || !attempt.grade) return {};  // a check during the interview
  const std::optional<Interview> interview = InterviewRecord::find(history, attempt.session);
  if (!interview || interview->rubric.criteria.empty()) return {};
  return total_of(interview->rubric, interview->results);
}

/// What is listed, and when it was.
using Row = std::pair<Time, std::string>;

/// "   12  2026-11-28 17:09  relu  check     fail: race, 2 hints": what does not fit follows below,
/// under the last column. `names`: columns of the operator's name.
Row row_of(Time at, const std::string& id, const std::string& operator_name, std::size_t names,
           const std::string& kind, const std::string& text) {
  const std::string head =
      fmt::format("{:>5}  {}  {:<{}} {:<9} ", id, minute_of(at), operator_name, names, kind);
  return {at, layout::beside(head, text)};
}

/// A long path has a line of its own.
Row row_of(const Attempt& attempt, const History& history, std::size_t names = 0) {
  constexpr std::size_t room = 24;
  const std::string note = note_of(attempt);
  const bool is_below = note.size() > room;
  std::string text = outcome(attempt);
  if (const auto points = points_of(attempt, history)) text += fmt::format(", {} of 100", *points);
  if (!note.empty() && !is_below) text += ", " + note;
  Row row = row_of(attempt.at, std::to_string(attempt.id), attempt.operator_name, names,
                   to_string(attempt.kind), text);
  if (is_below) row.second += layout::paragraph(note, 7);
  return row;
}

Row row_of(const DrillResult& one, const std::string& operator_name, std::size_t names) {
  return row_of(one.at, "", operator_name, names, "drill",
                fmt::format("{} {}/100, {}", one.kind, one.score,
                            drill::words_of_topic(one.kind, one.topic)));
}

/// "relu/guard/14" is about relu; "stride/17" is about none.
std::string operator_of(const DrillResult& one) {
  const std::vector<std::string> parts = split(one.item, '/');
  for (const std::string& part : parts) {
    if (find_problem(part)) return part;
  }
  return {};
}

Json json_of(const Attempt& attempt, const History& history) {
  Json json = {{"id", attempt.id},
               {"operator", attempt.operator_name},
               {"at", iso(attempt.at)},
               {"kind", to_string(attempt.kind)},
               {"verdict", attempt.verdict ? Json(to_string(*attempt.verdict)) : Json()},
               {"findings", attempt.findings},
               {"backend", attempt.backend},
               {"device", attempt.device},
               {"seed", attempt.seed},
               {"duration_s", static_cast<double>(attempt.duration.count()) / 1000},
               {"hints", attempt.hints},
               {"solution_seen", attempt.solution_seen},
               {"grade", attempt.grade ? Json(to_string(*attempt.grade)) : Json()},
               {"size", attempt.size},
               {"median_us", attempt.median_us}};
  if (const auto points = points_of(attempt, history)) json["points"] = *points;
  if (!attempt.path.empty()) json["path"] = attempt.path.string();
  if (attempt.rung > 0) {
    json["level"] = {{"rung", attempt.rung},
                     {"of", attempt.rungs},
                     {"next_idea", attempt.next_idea},
                     {"of_best", attempt.of_best}};
  }
  return json;
}

Json json_of(const DrillResult& one) {
  return {{"kind", one.kind},  {"item", one.item},   {"topic", one.topic},
          {"at", iso(one.at)}, {"score", one.score}, {"grade", to_string(one.grade)}};
}

int list(const HistoryOptions& options, const History& history, const Session& session) {
  if (!options.what.empty()) {
    if (const auto problem = find_operator(options.what); !problem) return fail(problem.error());
  }
  const bool all = options.all || options.json;
  auto attempts = history.attempts_in_short(
      options.what, all ? std::nullopt : std::optional(lines_without_all + 1));
  if (!attempts) return fail(attempts.error());
  auto drills = history.drill_results();
  if (!drills) return fail(drills.error());
  std::erase_if(*drills, [&](const DrillResult& one) {
    return !options.what.empty() && operator_of(one) != options.what;
  });
  if (options.json) {
    Json json = {{"schema", 1}, {"attempts", Json::array()}, {"drills", Json::array()}};
    for (const Attempt& attempt : *attempts) json["attempts"].push_back(json_of(attempt, history));
    for (const DrillResult& one : *drills) json["drills"].push_back(json_of(one));
    print_json(json);
    return 0;
  }
  if (attempts->empty() && drills->empty()) {
    fmt::print("Nothing yet. Every check of an exercise is kept here: {} check {}\n",
               command_name(), options.what.empty() ? "softmax" : options.what);
    return 0;
  }
  std::size_t names = 0;
  for (const Attempt& attempt : *attempts) names = std::max(names, attempt.operator_name.size());
  for (const DrillResult& one : *drills) names = std::max(names, operator_of(one).size());
  std::vector<Row> rows;
  for (const Attempt& attempt : *attempts) rows.push_back(row_of(attempt, history, names));
  for (const DrillResult& one : *drills) rows.push_back(row_of(one, operator_of(one), names));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.first < b.first; });
  const bool more = !all && rows.size() > lines_without_all;
  if (more) rows.erase(rows.begin(), rows.end() - lines_without_all);
  std::string text;
  for (const Row& row : rows) text += row.second;
  if (more) {
    text += fmt::format("\nThe earlier ones too: {} history{} --all\n", command_name(),
                        options.what.empty() ? "" : " " + options.what);
  }
  if (!attempts->empty())
    text += fmt::format("\nOne of them, and what changed after it:\n  {} history {}\n",
                        command_name(), attempts->back().id);
  print_paged(text, session.plain);
  return 0;
}

/// The next attempt at the same file whose text is another, if there is one.
std::optional<Attempt> next_text(const History& history, const Attempt& attempt) {
  const auto attempts = history.attempts_at_any_file(attempt.operator_name);
  if (!attempts) return {};
  bool passed_it = false;
  for (const Attempt& one : *attempts) {
    if (passed_it && one.path == attempt.path && one.text && one.text != attempt.text) return one;
    passed_it = passed_it || one.id == attempt.id;
  }
  return {};
}

std::string diff_to(const Attempt& attempt, const std::optional<Attempt>& next) {
  if (!next || !attempt.text) return {};
  return fmt::format("--- attempt {}\n+++ attempt {}\n", attempt.id, next->id) +
         unified_diff(*attempt.text, *next->text);
}

std::string painted(const std::string& diff, bool color) {
  std::string text;
  for (std::size_t at = 0; at < diff.size();) {
    const std::size_t end = std::min(diff.find('\n', at), diff.size() - 1) + 1;
    const char sign = diff[at];
    const auto shade = sign == '+'   ? layout::Color::green
                       : sign == '-' ? layout::Color::red
                       : sign == '@' ? layout::Color::dim
                                     : layout::Color::plain;
    text += layout::paint(diff.substr(at, end - at), shade, color);
    at = end;
  }
  return text;
}

/// The follow-up questions that an interview asked, as they were answered.
struct Answered {
  std::string question, answer, model;
  int own_grade = 0;  ///< 0, 1 or 2
};

std::vector<Answered> answered_after(const Attempt& attempt, const History& history) {
  std::vector<Answered> all;
  if (attempt.session.empty() || !attempt.grade) return all;  // a check during the interview
  const std::optional<Interview> interview = InterviewRecord::find(history, attempt.session);
  const Result<ExerciseText> text = read_exercise_text(attempt.operator_name);
  if (!interview || !text) return all;
  const std::size_t asked = std::min(interview->answers.size(), text->follow_up.size());
  for (std::size_t i = 0; i < asked; ++i) {
    all.push_back({.question = text->follow_up[i].question,
                   .answer = interview->answers[i],
                   .model = text->follow_up[i].answer,
                   .own_grade = interview->own_grades.at(i)});
  }
  return all;
}

std::string text_of(const std::vector<Answered>& all) {
  std::string text;
  for (const Answered& one : all) {
    const std::string answer = one.answer.empty()            ? "said aloud, not typed"
                               : one.answer == passed_answer ? "passed, not answered"
                                                             : one.answer;
    text += "\n" + layout::paragraph(one.question, 0) +
            layout::paragraph(fmt::format("You ({} of 2): {}", one.own_grade, answer), 2) +
            "  Model answer:\n" + prose(one.model, 4);
  }
  return text;
}

Json json_of(const std::vector<Answered>& all) {
  Json json = Json::array();
  for (const Answered& one : all)
    json.push_back({{"question", one.question},
                    {"answer", one.answer},
                    {"model_answer", one.model},
                    {"own_grade", one.own_grade}});
  return json;
}

std::string page_of(const Attempt& attempt, const std::optional<Attempt>& next,
                    const History& history, bool color) {
  std::string page = row_of(attempt, history).second;
  for (const Finding& finding : attempt.findings) {
    const std::string place = finding.line > 0 ? fmt::format("line {}: ", finding.line) : "";
    page += layout::paragraph(place + finding.message, 7);
    page += layout::paragraph(finding.note, 9);
  }
  page += "\n" + attempt.text.value_or("(the text was not kept)\n");
  if (!page.ends_with('\n')) page += "\n";
  if (next) page += "\nWhat changed after it:\n\n" + painted(diff_to(attempt, next), color);
  if (!attempt.text) return page;
  return page +
         fmt::format("\nTo have that text back:\n  {} history {} --text > {}\n", command_name(),
                     attempt.id,
                     shown(attempt.path.empty() ? exercise(attempt.operator_name) : attempt.path));
}

int show(const HistoryOptions& options, std::int64_t id, const History& history,
         const Session& session) {
  const auto attempt = history.attempt(id);
  if (!attempt) return fail(attempt.error());
  if (!*attempt) {
    return fail({fmt::format("there is no attempt {}. All of them: {} history", options.what,
                             command_name())});
  }
  if (options.text) {
    if (!(*attempt)->text) return fail({"the text of that attempt was not kept"});
    fmt::print("{}", *(*attempt)->text);
    return 0;
  }
  const auto next = next_text(history, **attempt);
  if (options.json) {
    Json json = json_of(**attempt, history);
    json["schema"] = 1;
    json["text"] = (*attempt)->text ? Json(*(*attempt)->text) : Json();
    if (const auto answered = answered_after(**attempt, history); !answered.empty())
      json["questions"] = json_of(answered);
    if (next) json["next"] = {{"id", next->id}, {"diff", diff_to(**attempt, next)}};
    print_json(json);
    return 0;
  }
  print_paged(page_of(**attempt, next, history, color_wanted(session.plain)) +
                  text_of(answered_after(**attempt, history)),
              session.plain);
  return 0;
}

int history_of(const HistoryOptions& options, const Session& session) {
  const Result<History> history = open_history();
  if (!history) return fail(history.error());
  std::int64_t id = 0;
  const char* const end = options.what.data() + options.what.size();
  const auto [after, failed] = std::from_chars(options.what.data(), end, id);
  const bool is_id = failed == std::errc() && after == end;
  if (!is_id && options.text) {
    return fail({fmt::format("--text needs the number of an attempt: {} history", command_name())});
  }
  return is_id ? show(options, id, *history, session) : list(options, *history, session);
}

}  // namespace

void add_history(CLI::App& app, Session& session) {
  static HistoryOptions options;
  Command(app, "history", "List your attempts; show one, and what changed")
      .optional_operand("operator-or-number", options.what,
                        "An operator's name, or an attempt's number")
      .flag("--all", options.all, "Every attempt, not only the last")
      .flag("--text", options.text, "Print the attempt's text alone, to restore a file")
      .flag("--json", options.json, "One JSON object on standard output")
      .exclusive("--text", "--json")
      .does([&session] { session.status = history_of(options, session); });
}

}  // namespace kata::cli
