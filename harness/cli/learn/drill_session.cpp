#include "cli/learn/drill_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/bug.h"
#include "report/layout.h"
#include "report/report.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/text.h"

namespace kata::cli {
namespace {

using Json = nlohmann::json;

/// Words in columns, sentences in rows of their own.
std::string numbered(const std::vector<std::string>& choices) {
  constexpr std::size_t column = 15;
  const std::size_t in_a_row = std::clamp<std::size_t>(screen_columns() / (column + 4), 1, 4);
  const bool words = std::all_of(choices.begin(), choices.end(),
                                 [](const auto& one) { return one.size() < column; });
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const bool ends = (i + 1) % in_a_row == 0 || i + 1 == choices.size();
    text += words ? fmt::format("  {:>2} {:<{}}{}", i + 1, choices[i], ends ? 0 : column,
                                ends ? "\n" : "")
                  : layout::paragraph(fmt::format("{:>2} {}", i + 1, choices[i]), 2, 3);
  }
  return text;
}

std::string points_line(const drill::Points& one) {
  return layout::paragraph(
      fmt::format("{:>3} of {:<3} {}: {}", one.got, one.of, to_string(one.question), one.why), 2,
      12);
}

}  // namespace

DrillSession::DrillSession(drill::Item& item, drill::Record& record, const Session& session,
                           LineReader& reader, DrillPlace place)
    : item_(item),
      record_(record),
      session_(session),
      reader_(reader),
      json_(place.json),
      round_(std::move(place.round)) {}

int DrillSession::run(bool resumed) {
  if (const auto error = record_.save()) return fail(*error);
  if (!json_) begin(resumed);
  const auto& questions = item_.questions();
  while (!state().is_over(item_)) {
    if (!ask(questions[answered()])) return leave();
  }
  return finish();
}

/// Broken at words, also on a narrow screen, and code with a mark in front of each row.
void DrillSession::print(const std::string& text) const {
  const bool fits = !screen_wanted(session_.plain);
  fmt::print("{}", fits ? text : layout::fitted(text, screen_columns(), "+-"));
}

/// Where it fits on the screen, and no pager scrolls long lines, these are broken.
std::string DrillSession::source_to_show() const {
  const std::string code = item_.source(), broken = layout::fitted(code, screen_columns());
  const auto lines =
      static_cast<std::size_t>(std::ranges::count(item_.text() + points_so_far() + broken, '\n'));
  return lines + 1 < screen_rows(session_.plain) ? broken : code;
}

void DrillSession::begin(bool resumed) {
  const drill::Offer& offer = state().offer;
  const std::string title = fmt::format(
      "{}{}{}{}, level {}{}", resumed ? "Continuing: " : "",
      !round_.empty() ? round_ + ": "
      : resumed       ? ""
                      : "Drill: ",
      drill::to_string(offer.kind), offer.problem ? ", " + offer.problem->name : "", offer.level,
      round_.empty() && state().limit.count() > 0 ? ", " + rough_text(state().limit) : "");
  const bool color = color_wanted(session_.plain);
  print(layout::paint(title, layout::Color::bold, color) + "\n\n" + item_.text() + "\n" +
        points_so_far());
  tell(fmt::format("`show` {}, `pass` skips, `q` leaves{}.",
                   item_.source().empty() ? "repeats this" : "adds the source",
                   round_.empty() ? "; `" + command_name() + " drill` resumes" : ""));
}

std::string DrillSession::points_so_far() const {
  std::string text;
  for (const drill::Points& one : state().points) text += points_line(one);
  return text.empty() ? text : text + "\n";
}

void DrillSession::tell(const std::string& text) {
  remark_ = text;
  if (!json_) fmt::print("{}", layout::paragraph(text, 0));
}

std::string DrillSession::prompt(const drill::Question& question) {
  state().clock.tick(instant_now());
  if (state().limit.count() == 0) return to_string(question.ask) + std::string(" > ");
  const Milliseconds left = state().limit - state().clock.worked();
  return fmt::format(
      "[{}] {} > ",
      left.count() < 0 ? "over time by " + clock_text(-left) : clock_text(left) + " left",
      to_string(question.ask));
}

/// Nothing at the end of the input, or when the person leaves.
std::optional<std::string> DrillSession::read(const drill::Question& question) {
  std::optional<std::string> line;
  if (json_) {
    std::string typed;
    if (std::getline(std::cin, typed)) line = typed;
  } else {
    line = reader_.read([&] { return prompt(question); });
  }
  state().clock.tick(instant_now());
  if (!line || interrupted()) return {};
  const std::string answer(trimmed(*line));
  return answer == "q" || answer == "quit" ? std::nullopt : std::optional(answer);
}

/// False if the person left.
bool DrillSession::ask(const drill::Question& question) {
  const std::string text =
      "\n" +
      layout::paragraph(question.tells_points
                            ? question.text
                            : fmt::format("{} ({} points)", question.text, question.points),
                        0) +
      numbered(question.choices);
  if (!json_) print(text);
  while (const auto answer = read(question)) {
    if (*answer == "show" && !json_) {
      const bool read_on =
          print_paged(item_.text() + "\n" + points_so_far(), session_.plain, {}, source_to_show());
      state().clock.tick(instant_now());
      if (!read_on) return false;
      print(text);
    } else if (*answer == "pass") {
      return keep(state().skipped(item_));
    } else if (question.ask == drill::Ask::repair && !answer->empty()) {
      tell("Edit the file and press Enter, or type show, pass or q.");
    } else if (!answer->empty() || question.ask == drill::Ask::repair) {
      const Result<drill::Points> points = [&] {
        Progress progress(session_.plain || json_);
        progress.say("judging");
        return item_.judge(answered(), *answer);
      }();
      reader_.drop_typed();
      if (interrupted()) return false;
      if (points) return keep(*points);
      tell(points.error().message);
    }
  }
  return false;
}

bool DrillSession::keep(const drill::Points& points) {
  remark_ = points.why;
  unsaved_ = record_.keep(points, item_);
  if (!json_) print(points_line(points));
  return true;
}

int DrillSession::leave() {
  if (const auto error = record_.save()) return fail(*error);
  if (json_) {
    print_json();
    return exit_status(Verdict::not_attempted);
  }
  if (round_.empty())
    fmt::print("\nYou left; nothing is lost. To continue: {} drill\n", command_name());
  return exit_status(Verdict::not_attempted);
}

int DrillSession::finish() {
  if (unsaved_) warn(unsaved_->message + ". The last answer is not kept: it is asked again");
  if (json_) {
    print_json();
    return 0;
  }
  print("\n" + item_.explanation());
  const int score = state().score();
  if (!round_.empty()) {
    fmt::print("\nScore: {} of 100.\n", score);
    return 0;
  }
  const std::string next = item_.next_step();
  fmt::print("\nScore: {} of 100 in {}{}. Grade: {}.\nNext:\n  {} {}\n", score,
             clock_text(state().clock.worked()), state().late() ? ", over time" : "",
             to_string(drill::grade_of(state())), command_name(), next);
  if (!next.starts_with("drill"))
    fmt::print("  {} drill {}\n", command_name(), to_string(state().offer.kind));
  return 0;
}

void DrillSession::print_json() {
  const drill::Offer& offer = state().offer;
  Json json = {{"schema", 1},
               {"drill", drill::to_string(offer.kind)},
               {"operator", offer.problem ? Json(offer.problem->name) : Json(nullptr)},
               {"level", offer.level},
               {"open", state().open},
               {"text", item_.text()},
               {"remark", remark_},
               {"points", state().points}};
  if (!item_.source().empty()) json["source"] = item_.source();
  if (offer.kind == drill::Kind::bug) json["file"] = drill::bug_file(offer.problem->name).string();
  if (state().open) {
    const drill::Question& next = item_.questions()[answered()];
    json["question"] = {{"name", to_string(next.ask)},
                        {"text", next.text},
                        {"choices", next.choices},
                        {"points", next.points}};
  } else {
    json["item"] = offer.name;
    json["topic"] = offer.topic;
    json["score"] = state().score();
    json["grade"] = to_string(drill::grade_of(state()));
    json["explanation"] = item_.explanation();
    json["next"] = command_name() + " " + item_.next_step();
  }
  cli::print_json(json);
}

}  // namespace kata::cli
