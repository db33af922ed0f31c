#include "practice/drill/bug.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "grading/grade.h"
#include "practice/drill/judging.h"
#include "practice/drill/reading.h"
#include "report/layout.h"
#include "support/diff.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata::drill {
namespace {

using faults::Fault;
using faults::FaultClass;

constexpr std::size_t most_changed_lines = 8;
constexpr int points_for_the_line = 25, points_for_the_kind = 15, points_for_the_input = 25;
constexpr int points_for_a_small_repair = 10;

/// Both texts of an item, as they lie in the person's folder.
struct Texts {
  std::string right, faulty;
};

/// How a person would name a finding of that kind.
std::optional<FaultClass> class_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
    case FindingKind::nondeterministic:
      return FaultClass::race;
    case FindingKind::barrier_divergence:
    case FindingKind::deadlock:
      return FaultClass::barrier;
    case FindingKind::out_of_bounds:
      return FaultClass::bounds;
    case FindingKind::invalid_launch:
      return FaultClass::launch;
    case FindingKind::misaligned:
      return FaultClass::layout;
    default:
      return {};
  }
}

std::vector<std::string> classes() {
  std::vector<std::string> names = faults::fault_class_names();
  std::erase(names, faults::to_string(FaultClass::cheating));
  return names;
}

/// What a comment may not say: words of the fault, and names and numbers that it changes, but for
/// those that are everywhere.
std::set<std::string> telling_words(const Fault& fault, const std::string& right,
                                    const std::string& faulty) {
  std::set<std::string> telling = changed_words(right, faulty);
  std::erase_if(telling, [](const std::string& word) {
    return word.size() < (std::isdigit(static_cast<unsigned char>(word[0])) ? 2u : 4u);
  });
  telling.merge(long_words(fault.what));
  telling.merge(long_words(fault.words));
  return telling;
}

Result<Texts> texts_of(const Fault& fault, const fs::path& file) {
  const Result<faults::FaultyKernel> kernel = faults::plant(fault);
  if (!kernel) return kernel.error();
  const std::string right = without_header(read_file(fault.of).value_or("")),
                    faulty = without_header(kernel->text);
  const std::set<std::string> telling = telling_words(fault, right, faulty);
  const auto presented = [&](const std::string& text, const std::vector<Hunk>& hunks) {
    return moved(without_telling_comments(text, hunks, telling), fault.of.parent_path(),
                 file.parent_path());
  };
  return Texts{presented(right, hunks_between(faulty, right)),
               presented(faulty, hunks_between(right, faulty))};
}

/// One change of few lines: a patch of several also turns one right kernel into another, which is
/// nothing to find or to repair.
bool is_fair(const Fault& fault) {
  if (fault.fault_class == FaultClass::cheating || fault.kind == FindingKind::timeout ||
      fault.only_large)
    return false;
  const Result<faults::FaultyKernel> kernel = faults::plant(fault);
  if (!kernel) return false;
  const std::vector<Hunk> hunks = hunks_between(read_file(fault.of).value_or(""), kernel->text);
  return hunks.size() == 1 && changed_lines(hunks) <= most_changed_lines;
}

class Bug : public Item {
 public:
  Bug(const Problem& problem, Fault fault, Texts texts, Report report)
      : problem_(problem),
        fault_(std::move(fault)),
        texts_(std::move(texts)),
        report_(std::move(report)) {
    ask();
  }

  std::string text() const override;
  std::string source() const override { return numbered(texts_.faulty); }
  const std::vector<Question>& questions() const override { return questions_; }
  Result<Points> judge(std::size_t question, const std::string& answer) override;
  std::string explanation() override;
  std::string next_step() const override;

 private:
  void ask();
  std::string repaired() const;
  bool counts(std::size_t line) const;
  bool is_changed(std::size_t line) const;
  Result<Points> judge_line(const Question& question, const std::string& answer) const;
  Result<Points> judge_kind(const Question& question, const std::string& answer) const;
  Result<Points> judge_input(const Question& question, const std::string& answer) const;
  Result<Points> judge_repair(const Question& question);

  const Problem& problem_;
  const Fault fault_;
  const Texts texts_;
  const Report report_;  ///< of the faulty text
  std::vector<Question> questions_;
};

/// An input that cannot be wrong is not asked for: its points go to the others. One that does not
/// show the fault is the example.
void Bug::ask() {
  const CaseResult* const example = passing_case(report_);
  questions_ = {{Ask::line, "Which line has the fault?", {}, points_for_the_line},
                {Ask::kind, "What kind of fault is it? (docs/drills.md says what each means)",
                 classes(), points_for_the_kind}};
  if (example)
    questions_.push_back({Ask::input,
                          "Which input makes it fail? Size and values, in the form of " +
                              example->name + "; or \"race\" if every result is right",
                          {},
                          points_for_the_input});
  int left = 100;
  for (const Question& one : questions_) left -= one.points;
  if (!example) {
    constexpr int more = points_for_the_input / 2;
    questions_.front().points += more;
    left -= more;
  }
  questions_.push_back(
      {Ask::repair, "Repair the file, then press Enter to have it judged", {}, left});
}

std::string Bug::text() const {
  std::string text =
      layout::paragraph(problem_.summary, 2) + layout::paragraph(declaration(problem_), 2, 4) +
      "\n" +
      layout::paragraph(fmt::format("{} has one fault. Read it: it cannot be checked until "
                                    "you have answered.",
                                    shown(bug_file(problem_.name))),
                        0);
  if (fault_.level > 1) return text;
  constexpr int most_of_each = 3;
  int right = 0, wrong = 0;
  text += "\nSome cases:\n";
  for (const CaseResult& one : report_.cases) {
    const bool passes = one.verdict == Verdict::pass;
    if (++(passes ? right : wrong) <= most_of_each)
      text += fmt::format("  {}  {}\n", passes ? "right" : "WRONG", one.name);
  }
  return text;
}

Result<Points> Bug::judge(std::size_t question, const std::string& answer) {
  const Question& asked = questions_.at(question);
  switch (asked.ask) {
    case Ask::line:
      return judge_line(asked, answer);
    case Ask::kind:
      return judge_kind(asked, answer);
    case Ask::input:
      return judge_input(asked, answer);
    default:
      return judge_repair(asked);
  }
}

/// The faulty text without its fault.
std::string Bug::repaired() const {
  std::vector<Hunk> back;
  for (const Hunk& hunk : hunks_between(texts_.right, texts_.faulty))
    back.push_back({hunk.after_begin, hunk.after_end, hunk.before_begin, hunk.before_end});
  return with_hunks(texts_.faulty, texts_.right, back);
}

/// A line that the judge names, or one of the fault; both that something is missing between.
bool Bug::counts(std::size_t line) const {
  const auto named = [&](const Finding& finding) {
    return finding.severity == Severity::error && finding.line == static_cast<int>(line);
  };
  return is_changed(line) || std::any_of(report_.findings.begin(), report_.findings.end(), named);
}

bool Bug::is_changed(std::size_t line) const {
  const std::vector<Hunk> hunks = hunks_between(texts_.right, texts_.faulty);
  return std::any_of(hunks.begin(), hunks.end(), [&](const Hunk& one) {
    if (one.after_begin < one.after_end) return line > one.after_begin && line <= one.after_end;
    return line >= line_of_code_before(texts_.faulty, one.after_begin) && line <= one.after_end + 1;
  });
}

Result<Points> Bug::judge_line(const Question& question, const std::string& answer) const {
  std::size_t line = 0;
  const auto [end, failed] = std::from_chars(answer.data(), answer.data() + answer.size(), line);
  const std::size_t lines = lines_with_ends(texts_.faulty).size();
  if (failed != std::errc() || end != answer.data() + answer.size() || line < 1 || line > lines)
    return Error{fmt::format("Type a line of the file, from 1 to {}.", lines)};
  const bool right = counts(line);
  const std::string why = is_changed(line) ? "the fault is at line {}"
                          : right          ? "the judge names line {}, where the fault shows"
                                           : "the fault is not at line {}";
  return Points{question.ask, right ? question.points : 0, question.points,
                fmt::format(fmt::runtime(why), line)};
}

Result<Points> Bug::judge_kind(const Question& question, const std::string& answer) const {
  const Result<std::string> kind = choice_from(question, answer);
  if (!kind) return kind.error();
  const auto is_kind = [&](const Finding& finding) {
    return finding.severity == Severity::error &&
           class_of(finding.kind) == faults::fault_class_from(*kind);
  };
  const bool right = *kind == faults::to_string(fault_.fault_class) ||
                     std::any_of(report_.findings.begin(), report_.findings.end(), is_kind);
  return Points{question.ask, right ? question.points : 0, question.points,
                right ? *kind : fmt::format("it is not {}", *kind)};
}

Result<Points> Bug::judge_input(const Question& question, const std::string& answer) const {
  if (answer == "race") {
    const bool race = has_kind(report_.findings, FindingKind::race);
    const auto wrong = std::find_if(report_.cases.begin(), report_.cases.end(),
                                    [](const CaseResult& one) { return one.bad > 0; });
    const bool right = race && wrong == report_.cases.end();
    return Points{question.ask, right ? question.points : 0, question.points,
                  right  ? "the judge finds a race, and no wrong result"
                  : race ? wrong->name + " gives a wrong result"
                         : "the judge finds no race"};
  }
  const Result<Input> input = run_input(problem_, texts_.faulty, bug_file(problem_.name), answer);
  if (!input) return input.error();
  return Points{question.ask, input->fails ? question.points : 0, question.points,
                input->fails ? fmt::format("{} fails: {}", input->name, input->why)
                             : fmt::format("the result for {} is right", input->name)};
}

Result<Points> Bug::judge_repair(const Question& question) {
  const fs::path file = bug_file(problem_.name);
  const Result<Candidate> candidate = read_candidate(file, {.problem = &problem_});
  if (!candidate) return candidate.error();
  const Report report = grade({.candidate = *candidate, .seed = judge_seed, .with_ladder = false});
  if (report.verdict == Verdict::error) return Error{report.error, report.detail};
  if (report.verdict != Verdict::pass) return Error{"It still fails: " + first_sentence(report)};
  const std::size_t fault = changed_lines(hunks_between(repaired(), texts_.faulty));
  const std::size_t repair = changed_lines(hunks_between(texts_.faulty, candidate->text));
  const bool small = repair <= 2 * fault;
  return Points{question.ask, question.points - (small ? 0 : points_for_a_small_repair),
                question.points,
                fmt::format("it passes; you changed {} line{}, the fault spans {}", repair,
                            repair == 1 ? "" : "s", fault)};
}

std::string Bug::explanation() {
  return layout::paragraph(fmt::format("{}, level {}: {}", faults::to_string(fault_.fault_class),
                                       fault_.level, fault_.what),
                           0) +
         layout::paragraph("The judge says: " + first_sentence(report_), 0) + "\n" +
         unified_diff(texts_.faulty, repaired());
}

std::string Bug::next_step() const {
  return "drill bug";
}

const Fault* find_fault(const std::vector<Fault>& all, const Offer& offer) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Fault& one) {
    return offer.name == offer.problem->name + "/" + one.name;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

fs::path bug_file(const std::string& operator_name) {
  return practice_folder() / "drills" / (operator_name + ".cu");
}

Result<std::vector<Offer>> bug_offers(const std::string& operator_name) {
  std::vector<Offer> offers;
  for (const Problem& problem : problems()) {
    if (!operator_name.empty() && problem.name != operator_name) continue;
    const Result<std::vector<Fault>> all = faults::read_faults(problem.name);
    if (!all) return all.error();
    for (const Fault& fault : *all) {
      if (!is_fair(fault)) continue;
      offers.push_back({Kind::bug, problem.name + "/" + fault.name,
                        faults::to_string(fault.fault_class), fault.level, &problem});
    }
  }
  return offers;
}

Result<std::unique_ptr<Item>> make_bug(const Offer& offer, bool begin) {
  const Result<std::vector<Fault>> all = faults::read_faults(offer.problem->name);
  if (!all) return all.error();
  const Fault* const fault = find_fault(*all, offer);
  if (!fault) return Error{fmt::format("there is no fault {} any more", offer.name)};
  const fs::path file = bug_file(offer.problem->name);
  Result<Texts> texts = texts_of(*fault, file);
  if (!texts) return texts.error();
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);  // headers are found from there
  Report report = judged(*offer.problem, file, texts->faulty);
  if (report.verdict != Verdict::fail)
    return Error{fmt::format("the judge does not see {}: {}", offer.name,
                             report.verdict == Verdict::pass ? "it passes" : report.error)};
  if (begin) {
    const std::string reason = write_file(file, texts->faulty);
    if (!reason.empty()) return Error{fmt::format("cannot write {}: {}", shown(file), reason)};
  }
  return std::unique_ptr<Item>(
      std::make_unique<Bug>(*offer.problem, *fault, std::move(*texts), std::move(report)));
}

}  // namespace kata::drill
