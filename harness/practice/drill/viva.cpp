#include "practice/drill/viva.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <set>

#include "compile/hash.h"
#include "practice/drill/judging.h"
#include "practice/drill/mutations.h"
#include "practice/drill/reading.h"
#include "report/layout.h"
#include "support/diff.h"
#include "support/files.h"
#include "support/paths.h"

namespace kata::drill {
namespace {

constexpr int points_for_input = 60, points_for_knowing_that_it_fails = 20;

/// How a changed kernel ends, as a person would say it.
enum class Outcome { right, wrong_result, race, bounds, barrier, uninitialized, no_run };

constexpr std::pair<Outcome, const char*> outcomes[] = {
    {Outcome::right, "right"},        {Outcome::wrong_result, "wrong result"},
    {Outcome::race, "race"},          {Outcome::bounds, "out of bounds"},
    {Outcome::barrier, "barrier"},    {Outcome::uninitialized, "uninitialized"},
    {Outcome::no_run, "does not run"}};

std::vector<std::string> outcome_names() {
  std::vector<std::string> names;
  for (const auto& [outcome, name] : outcomes) names.emplace_back(name);
  return names;
}

Outcome outcome_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
    case FindingKind::nondeterministic:
      return Outcome::race;
    case FindingKind::out_of_bounds:
    case FindingKind::misaligned:
      return Outcome::bounds;
    case FindingKind::barrier_divergence:
    case FindingKind::deadlock:
      return Outcome::barrier;
    case FindingKind::uninitialized:
      return Outcome::uninitialized;
    case FindingKind::output_incomplete:
    case FindingKind::input_modified:
      return Outcome::wrong_result;
    default:
      return Outcome::no_run;
  }
}

/// All that is true of it: a race may also give a wrong result.
std::set<Outcome> outcomes_of(const Report& report) {
  if (report.verdict == Verdict::pass) return {Outcome::right};
  if (report.verdict == Verdict::error) return {Outcome::no_run};
  std::set<Outcome> all;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::error) all.insert(outcome_of(finding.kind));
  }
  for (const CaseResult& one : report.cases) {
    if (one.verdict == Verdict::fail && one.bad > 0) all.insert(Outcome::wrong_result);
  }
  return all;
}

std::string text_of(const Problem& problem) {
  return read_file(exercise(problem.name)).value_or("");
}

/// "relu/guard/14/8f3a...": the file that it is about is part of the name.
std::string name_of(const Problem& problem, const Mutant& mutant, std::size_t place,
                    const std::string& text) {
  Hash hash;
  hash.add(text);
  return fmt::format("{}/{}/{}/{}", problem.name, mutant.operation, place, hash.hex());
}

class Viva : public Item {
 public:
  Viva(const Problem& problem, std::string text, Mutant mutant)
      : problem_(problem), text_(std::move(text)), mutant_(std::move(mutant)) {
    questions_ = {
        {Ask::input,
         fmt::format("Which input does it fail on? Size and values, such as {}; or "
                     "`none` if the judge finds nothing",
                     kata::name_of(problem, problem.cases.front())),
         {},
         points_for_input},
        {Ask::outcome, "What does the judge say?", outcome_names(), 100 - points_for_input}};
    report_ = std::async(std::launch::async, [this] {
      return judged(problem_, exercise(problem_.name), mutant_.text);
    });
  }

  std::string text() const override {
    return layout::paragraph(
               fmt::format("Your {} passed. Now {} at line {}:", shown(exercise(problem_.name)),
                           words_of(mutant_.operation), mutant_.line),
               0) +
           "\n" + changed_lines_text();
  }
  std::string source() const override { return numbered(mutant_.text); }
  const std::vector<Question>& questions() const override { return questions_; }
  Result<Points> judge(std::size_t question, const std::string& answer) override;
  std::string explanation() override;
  std::string next_step() const override { return "drill viva " + problem_.name; }

 private:
  std::string changed_lines_text() const;
  Result<Points> judge_input(const Question& asked, const std::string& answer) const;
  Result<Points> judge_outcome(const Question& asked, const std::string& answer) const;
  bool passes() const { return report_.get().verdict == Verdict::pass; }

  const Problem& problem_;
  const std::string text_;
  const Mutant mutant_;
  std::vector<Question> questions_;
  std::shared_future<Report> report_;  ///< last: its thread uses the others
};

std::string Viva::changed_lines_text() const {
  const std::vector<std::string_view> before = lines_with_ends(text_),
                                      after = lines_with_ends(mutant_.text);
  std::string text;
  for (const Hunk& hunk : hunks_between(text_, mutant_.text)) {
    for (std::size_t i = hunk.before_begin; i < hunk.before_end; ++i)
      text += fmt::format("  - {}", before[i]);
    for (std::size_t i = hunk.after_begin; i < hunk.after_end; ++i)
      text += fmt::format("  + {}", after[i]);
  }
  return text;
}

Result<Points> Viva::judge(std::size_t question, const std::string& answer) {
  const Question& asked = questions_.at(question);
  if (has_kind(report_.get().findings,
               FindingKind::timeout))  // how fast the machine is tells nothing
    return Points{asked.ask, asked.points, asked.points, "the judge could not end it: not counted"};
  return asked.ask == Ask::input ? judge_input(asked, answer) : judge_outcome(asked, answer);
}

/// What the judge finds is told at the end: it is the next question.
Result<Points> Viva::judge_input(const Question& asked, const std::string& answer) const {
  const auto points = [&](int got, const std::string& why) {
    return Points{asked.ask, got, asked.points, why};
  };
  if (answer == "none")
    return passes() ? points(asked.points, "no case fails")
                    : points(0, "the judge finds something");
  if (report_.get().verdict == Verdict::error)
    return points(asked.points, "it does not run at all");
  const Result<Input> input = run_input(problem_, mutant_.text, exercise(problem_.name), answer);
  if (!input) return input.error();
  if (input->fails) return points(asked.points, input->name + " fails");
  return points(passes() ? 0 : points_for_knowing_that_it_fails,
                fmt::format("{} gives the right result{}", input->name,
                            passes() ? "" : ", other cases do not"));
}

Result<Points> Viva::judge_outcome(const Question& asked, const std::string& answer) const {
  const Result<std::string> choice = choice_from(asked, answer);
  if (!choice) return choice.error();
  const std::set<Outcome> all = outcomes_of(report_.get());
  std::string truth;
  bool right = false;
  for (const auto& [outcome, name] : outcomes) {
    if (!all.contains(outcome)) continue;
    truth += (truth.empty() ? "" : ", ") + std::string(name);
    right = right || *choice == name;
  }
  return Points{asked.ask, right ? asked.points : 0, asked.points, truth};
}

std::string Viva::explanation() {
  const Report& report = report_.get();
  if (report.verdict == Verdict::pass)
    return layout::paragraph(
        fmt::format("The changed file passes all {} cases, and the judge finds nothing.",
                    report.cases.size()),
        0);
  std::string text;
  if (const CaseResult* const failure = most_specific_failure(report))
    text = layout::paragraph(fmt::format("Case {}: {}", failure->name, failure->explanation), 0);
  if (const Finding* const finding = first_error(report.findings))
    text += layout::paragraph(fmt::format("{}:{}: {}: {}", shown(finding->file), finding->line,
                                          to_string(finding->kind), finding->message),
                              0);
  return text.empty() ? layout::paragraph(report.error, 0) : text;
}

void add_mutants(const Problem& problem, const std::string& text, std::vector<Offer>& offers) {
  std::size_t place = 0;
  for (const Mutant& one : mutants_of(text))
    offers.push_back(
        {Kind::viva, name_of(problem, one, place++, text), one.operation, one.level, &problem});
}

}  // namespace

Result<std::vector<Offer>> viva_offers(const std::string& operator_name, const History& history) {
  std::vector<Offer> offers;
  for (const Problem& problem : problems()) {
    if (!operator_name.empty() && problem.name != operator_name) continue;
    const std::string text = text_of(problem);
    if (!text.empty() && history.verdict_of(problem.name, text) == Verdict::pass)
      add_mutants(problem, text, offers);
  }
  if (!offers.empty()) return offers;
  return Error{fmt::format("viva asks about a file of yours that passed{}. Write one: {} watch {}",
                           operator_name.empty() ? "" : ", and " + operator_name + " has none",
                           command_name(), operator_name.empty() ? "relu" : operator_name)};
}

Result<std::unique_ptr<Item>> make_viva(const Offer& offer) {
  const std::string text = text_of(*offer.problem);
  std::size_t place = 0;
  for (Mutant& one : mutants_of(text)) {
    if (name_of(*offer.problem, one, place++, text) == offer.name)
      return std::unique_ptr<Item>(std::make_unique<Viva>(*offer.problem, text, std::move(one)));
  }
  return Error{fmt::format("{} has changed since that drill began. Another one: {} drill viva",
                           shown(exercise(offer.problem->name)), command_name())};
}

}  // namespace kata::drill
