#include "practice/drill/viva.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compile/hash.h"
#include "practice/drill/change.h"
#include "practice/drill/judging.h"
#include "practice/drill/mutations.h"
#include "practice/drill/own_counters.h"
#include "practice/drill/reading.h"
#include "practice/exercise/reset.h"
#include "report/layout.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata::drill {
namespace {

constexpr int points_for_outcome = 60;
constexpr std::size_t most_outcomes = 2;     // that are right at once
constexpr std::size_t not_asked_again = 10;  // drills in which a harmless change does not come back

std::string text_of(const Problem& problem) {
  return read_file(exercise(problem.name)).value_or("");
}

/// "relu/guard/14/8f3a...": the file that it is about is part of the name.
std::string name_of(const Problem& problem, const std::string& what, int place,
                    const std::string& text) {
  Hash hash;
  hash.add(text);
  return fmt::format("{}/{}/{}/{}", problem.name, what, place, hash.hex());
}

/// Of the outcomes whose names could mean two things.
std::string meanings(const std::string& text) {
  const std::vector<std::string> names = outcome_names(text);
  const bool can_meet = std::ranges::find(names, "barrier") != names.end();
  return fmt::format("; {}`uninitialized`: memory read before it is set, or output never written",
                     can_meet ? "`barrier` is one that not all threads reach, " : "");
}

class Viva : public Item {
 public:
  /// `of`: the report, or its first failure where too many answers would be right.
  Viva(const Problem& problem, std::string text, Mutant mutant, Report report, Report of)
      : problem_(problem),
        text_(std::move(text)),
        mutant_(std::move(mutant)),
        report_(std::move(report)),
        of_(std::move(of)),
        outcomes_(outcomes_of(of_)) {
    const bool is_one_case = of_.cases.size() < report_.cases.size();
    const std::string on = is_one_case ? " on case " + of_.cases.front().name : "";
    questions_ = {{Ask::outcome,
                   fmt::format("What does the judge report{}? One of its findings is enough{}. (60 "
                               "points and 40 for an input, or 100 where no input is asked for)",
                               on, meanings(text_)),
                   outcome_names(text_), points_for_outcome, true}};
    // Where nothing fails, or everything, any input would do.
    const CaseResult* const example = is_one_case ? nullptr : passing_case(report_);
    if (report_.verdict != Verdict::pass && example)
      questions_.push_back(
          {Ask::input,
           "For which input does it fail? Size and values, such as `" + example->name + "`",
           {},
           100 - points_for_outcome});
  }

  std::string text() const override {
    return layout::paragraph(fmt::format("Your {} passed. Then line {} was changed:",
                                         shown(exercise(problem_.name)), mutant_.line),
                             0) +
           "\n" + changed_lines(text_, mutant_.text);
  }
  std::string source() const override { return numbered(mutant_.text); }
  const std::vector<Question>& questions() const override { return questions_; }
  Result<Points> judge(std::size_t question, const std::string& answer) override;
  std::string explanation() override {
    std::string text =
        layout::paragraph(fmt::format("The verdict: {}.", joined(outcomes_, ", ")), 0);
    for (const std::string& one : proof_of(of_, mutant_)) text += layout::paragraph(one, 0);
    return of_.cases.size() < report_.cases.size()
               ? text + layout::paragraph(
                            "Of all cases together: " + joined(outcomes_of(report_), ", ") + ".", 0)
               : text;
  }
  std::string next_step() const override { return "drill viva " + problem_.name; }

 private:
  Result<Points> judge_outcome(const Question& asked, const std::string& answer) const;

  const Problem& problem_;
  const std::string text_;
  const Mutant mutant_;
  const Report report_, of_;                 ///< of the changed text, and what is asked about
  const std::vector<std::string> outcomes_;  ///< that are right
  std::vector<Question> questions_;
};

Result<Points> Viva::judge(std::size_t question, const std::string& answer) {
  const Question& asked = questions_.at(question);
  if (asked.ask == Ask::outcome) return judge_outcome(asked, answer);
  const Result<Input> input = run_input(problem_, mutant_.text, exercise(problem_.name), answer);
  if (!input) return input.error();
  return Points{asked.ask, input->fails ? asked.points : 0, asked.points, input->remark};
}

/// What is half right, and why: empty if the answer is not near the outcome.
std::string nearness(const std::string& answer, const std::string& outcome,
                     const std::string& topic) {
  static const std::set<std::string> alike = {"race", "uninitialized"};
  if (alike.contains(answer) && alike.contains(outcome))
    return "The value is read before it is stored: a race if some thread stores it, uninitialized "
           "if none has";
  if (topic == "barriers" && answer == "barrier" && outcome == "race")
    return "The barrier that is missing is the cause; `barrier` is one that not all threads reach";
  return {};
}

/// All points, where nothing is left to ask.
Result<Points> Viva::judge_outcome(const Question& asked, const std::string& answer) const {
  const Result<std::string> choice = choice_from(asked, answer);
  if (!choice) return choice.error();
  const bool is_left =
      *choice == "uninitialized" && has_kind(of_.findings, FindingKind::output_incomplete);
  const bool is_named = std::ranges::find(outcomes_, *choice) != outcomes_.end();
  const bool right = is_left || is_named;
  const int most = questions_.size() == 1 ? 100 : asked.points;
  for (const std::string& one : outcomes_) {
    const std::string near = right ? "" : nearness(*choice, one, mutant_.topic);
    if (!near.empty())
      return Points{asked.ask, most / 2, most,
                    fmt::format("half: {}. {}", joined(outcomes_, ", "), near)};
  }
  return Points{asked.ask, right ? most : 0, most,
                right && !is_named
                    ? fmt::format("{}; also right: {}", *choice, joined(outcomes_, ", "))
                    : joined(outcomes_, ", ")};
}

std::string how_to_pass(const std::string& operator_name, const History& history) {
  const std::string name = operator_name.empty() ? "relu" : operator_name;
  if (!operator_name.empty() && differs_from_stub(name)) {
    const bool fails = history.verdict_of(name, read_file(exercise(name)).value_or("")).has_value();
    return fmt::format("{} {}: {} check {}", shown(exercise(name)),
                       fails ? "does not pass" : "was not checked as it is now", command_name(),
                       name);
  }
  return fmt::format("Write one: {} watch {}", command_name(), name);
}

/// The operations of the last drills of this kind.
Result<std::set<std::string>> asked_lately(const History& history) {
  auto results = history.drill_results();
  if (!results) return results.error();
  std::erase_if(*results, [](const DrillResult& one) { return one.kind != to_string(Kind::viva); });
  const std::size_t first = results->size() - std::min(results->size(), not_asked_again);
  std::set<std::string> lately;
  for (std::size_t i = first; i < results->size(); ++i) {
    const std::vector<std::string> parts = split((*results)[i].item, '/');
    if (parts.size() > 1) lately.insert(parts[1]);
  }
  return lately;
}

void add_mutants(const Problem& problem, const std::string& text,
                 const std::set<std::string>& lately, std::vector<Offer>& offers) {
  for (const Mutant& one : balanced(mutants_of(text), text))
    if (!one.harmless || !lately.contains(one.operation))
      offers.push_back({Kind::viva, name_of(problem, one.operation, one.place, text), one.topic,
                        one.level, &problem});
}

Result<std::unique_ptr<Item>> make_change(const Problem& problem, const std::string& text,
                                          Mutant mutant) {
  const std::filesystem::path place = exercise(problem.name);
  Report report = judged_as_change(problem, place, mutant.text);
  if (report.verdict == Verdict::pass && !mutant.same) {
    report = judged_in_full(problem, place, mutant.text);
    if (report.verdict != Verdict::pass)
      return Error{"only a case that nobody would type shows that change"};
  }
  if (!is_decided(report)) return Error{"the judge cannot say how that change ends"};
  Report of = outcomes_of(report).size() > most_outcomes ? of_first_failure(report) : report;
  const std::size_t right = outcomes_of(of).size();
  if (right == 0 || right > most_outcomes) return Error{"no one answer would be right"};
  return std::unique_ptr<Item>(
      std::make_unique<Viva>(problem, text, std::move(mutant), std::move(report), std::move(of)));
}

}  // namespace

Result<std::vector<Offer>> viva_offers(const std::string& operator_name, const History& history) {
  const auto lately = asked_lately(history);
  if (!lately) return lately.error();
  std::vector<Offer> offers;
  for (const Problem& problem : problems()) {
    if (!operator_name.empty() && problem.name != operator_name) continue;
    const std::string text = text_of(problem);
    if (!text.empty() && history.verdict_of(problem.name, text) == Verdict::pass) {
      add_mutants(problem, text, *lately, offers);
      offers.push_back(
          {Kind::viva, name_of(problem, counters_topic, 0, text), counters_topic, 1, &problem});
    }
  }
  if (!offers.empty()) return offers;
  return Error{"viva asks about a file of yours that passed. " +
               how_to_pass(operator_name, history)};
}

Result<std::unique_ptr<Item>> make_viva(const Offer& offer) {
  const std::string text = text_of(*offer.problem);
  if (name_of(*offer.problem, counters_topic, 0, text) == offer.name)
    return make_own_counters(*offer.problem, exercise(offer.problem->name), text);
  for (Mutant& one : mutants_of(text)) {
    if (name_of(*offer.problem, one.operation, one.place, text) == offer.name)
      return make_change(*offer.problem, text, std::move(one));
  }
  return Error{fmt::format("{} has changed since that drill began. Another one: {} drill viva",
                           shown(exercise(offer.problem->name)), command_name())};
}

}  // namespace kata::drill
