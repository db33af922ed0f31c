#include "practice/drill/bug.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "grading/grade.h"
#include "practice/drill/answer.h"
#include "practice/drill/bug_text.h"
#include "practice/drill/classes.h"
#include "practice/drill/helpers.h"
#include "practice/drill/judging.h"
#include "practice/drill/reading.h"
#include "practice/sealed.h"
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

constexpr std::size_t shown_of_each = 3;  // right and wrong cases at level 1
constexpr int points_for_the_line = 25, points_for_the_kind = 15, points_for_the_input = 25;
constexpr int points_for_a_small_repair = 10;

std::vector<std::string> classes() {
  std::vector<std::string> names = faults::fault_class_names();
  std::erase(names, faults::to_string(FaultClass::cheating));
  return names;
}

/// ": expected ';'" of the first error; empty if the compiler has none.
std::string first_message(const std::string& detail) {
  static const std::regex error("error: ([^\n]*)");
  std::smatch found;
  return std::regex_search(detail, found, error) ? ": " + found.str(1) : "";
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
  std::string source() const override;
  const std::vector<Question>& questions() const override { return questions_; }
  Result<Points> judge(std::size_t question, const std::string& answer) override;
  std::string explanation() override;
  std::string next_step() const override;

 private:
  void ask();
  std::string repaired() const;
  bool is_named(std::size_t line) const;
  bool is_changed(std::size_t line) const;
  bool can_be_repaired_at(std::size_t line) const;
  bool is_guard(std::size_t line) const;
  Result<Points> judge_line(const Question& question, const std::string& answer) const;
  Result<Points> judge_kind(const Question& question, const std::string& answer) const;
  Result<Points> judge_input(const Question& question, const std::string& answer) const;
  Result<Points> judge_repair(const Question& question);
  std::vector<SourceFile> headers() const;
  const Finding* finding_of_fault() const;
  std::string verdict_text() const;
  std::string way_to(const Finding& finding) const;
  std::string link_to_barrier(const Finding& finding) const;
  std::vector<const CaseResult*> first_cases(Verdict verdict) const;
  bool is_copied(const std::string& answer) const;
  const CaseResult* failing_case(const std::string& name) const;

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
                {Ask::kind,
                 fmt::format("What kind of fault is it? ({} points; docs/drills.md says what each "
                             "means)",
                             points_for_the_kind),
                 classes(), points_for_the_kind, true}};
  if (example)
    questions_.push_back(
        {Ask::input,
         "Which input makes it fail? Type a size and the kind of values, such as `" +
             example->name +
             "`. Type `finding` if every result is right and only a finding of the judge, such "
             "as a race or a missed barrier, shows the fault",
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
      layout::paragraph(problem_.summary, 2) + signature_text(problem_) + "\n" +
      layout::paragraph(
          fmt::format("{} has one fault. Read it first: `{} check` refuses it until you have "
                      "answered. exercises/{}/README.md has the whole task.",
                      shown(bug_file(problem_.name)), command_name(), problem_.name),
          0);
  if (fault_.level > 1) return text;
  text += "\nSome cases:\n";
  for (const Verdict verdict : {Verdict::pass, Verdict::fail}) {
    for (const CaseResult* one : first_cases(verdict)) {
      const bool is_right = verdict == Verdict::fail && one->bad == 0;
      text += fmt::format("  {:<7}  {}{}\n",
                          is_right                   ? "finding"
                          : verdict == Verdict::pass ? "passes"
                                                     : "fails",
                          one->name, is_right ? " (the result is right)" : "");
    }
  }
  return text;
}

/// The cases that level 1 shows.
std::vector<const CaseResult*> Bug::first_cases(Verdict verdict) const {
  std::vector<const CaseResult*> cases;
  for (const CaseResult& one : report_.cases) {
    if (one.verdict == verdict && cases.size() < shown_of_each) cases.push_back(&one);
  }
  return cases;
}

/// Of the judge's run, which may need its earlier calls to show the fault; null if it is right
/// there.
const CaseResult* Bug::failing_case(const std::string& name) const {
  const auto found = std::ranges::find_if(report_.cases, [&](const CaseResult& one) {
    return one.verdict == Verdict::fail && one.name == name;
  });
  return found == report_.cases.end() ? nullptr : &*found;
}

/// Whether that answer is a case that the task shows, where others fail, too.
bool Bug::is_copied(const std::string& answer) const {
  const auto fails = [](const CaseResult& one) { return one.verdict == Verdict::fail; };
  const auto all = std::count_if(report_.cases.begin(), report_.cases.end(), fails);
  const Result<Case> typed = case_from(problem_, answer);
  if (fault_.level > 1 || !typed || static_cast<std::size_t>(all) <= shown_of_each) return false;
  const std::vector<const CaseResult*> shown = first_cases(Verdict::fail);
  return std::any_of(shown.begin(), shown.end(),
                     [&](const CaseResult* one) { return one->name == name_of(problem_, *typed); });
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

bool Bug::is_named(std::size_t line) const {
  return std::ranges::any_of(report_.findings, [&](const Finding& finding) {
    return finding.severity == Severity::error && finding.line == static_cast<int>(line) &&
           fs::path(finding.file).filename() == bug_file(problem_.name).filename();
  });
}

/// Whether what is missing elsewhere may as well stand directly above or below that line.
bool Bug::can_be_repaired_at(std::size_t line) const {
  const std::vector<Hunk> hunks = hunks_between(texts_.right, texts_.faulty);
  if (hunks.size() != 1 || hunks.front().after_begin < hunks.front().after_end) return false;
  const Hunk& missing = hunks.front();
  for (const std::size_t place : {line - 1, line}) {
    const std::string text = with_hunks(texts_.faulty, texts_.right,
                                        {{place, place, missing.before_begin, missing.before_end}});
    // No large cases: the fault shows in the others, and the person waits for an answer.
    if (judged_with_drawn(problem_, bug_file(problem_.name), text).verdict == Verdict::pass)
      return true;
  }
  return false;
}

/// Of a kernel whose grid is too small: a loop there would repair it as well.
bool Bug::is_guard(std::size_t line) const {
  const std::string text(lines_with_ends(texts_.faulty).at(line - 1));
  return fault_.fault_class == FaultClass::launch &&
         has_kind(report_.findings, FindingKind::output_incomplete) &&
         text.find("if (") != std::string::npos && text.find(" < ") != std::string::npos;
}

bool Bug::is_changed(std::size_t line) const {
  const std::vector<Hunk> hunks = hunks_between(texts_.right, texts_.faulty);
  return std::any_of(hunks.begin(), hunks.end(), [&](const Hunk& one) {
    if (one.after_begin < one.after_end) return line > one.after_begin && line <= one.after_end;
    return line >= line_of_code_before(texts_.faulty, one.after_begin) && line <= one.after_end + 1;
  });
}

Result<Points> Bug::judge_line(const Question& question, const std::string& answer) const {
  const std::optional<int> typed = whole_from(answer);
  const std::size_t lines = lines_with_ends(texts_.faulty).size();
  if (!typed || *typed < 1 || *typed > static_cast<int>(lines))
    return Error{fmt::format("Type one line of the file, from 1 to {}.", lines)};
  const auto line = static_cast<std::size_t>(*typed);
  const std::string why = is_changed(line) ? "the fault is in line {}"
                          : is_guard(line) ? "a loop in line {} would repair it as well"
                          : is_named(line) ? "the judge names line {}, where the fault shows"
                          : can_be_repaired_at(line)
                              ? "what is missing may stand at line {} as well: that passes"
                              : "";
  return Points{question.ask, why.empty() ? 0 : question.points, question.points,
                fmt::format(fmt::runtime(why.empty() ? "the fault is not in line {}" : why), line)};
}

Result<Points> Bug::judge_kind(const Question& question, const std::string& answer) const {
  const Result<std::string> kind = choice_from(question, answer);
  if (!kind) return kind.error();
  const bool right = fitting_classes(fault_.fault_class, texts_.right, texts_.faulty, report_)
                         .contains(*faults::fault_class_from(*kind));
  return Points{question.ask, right ? question.points : 0, question.points,
                right ? *kind : fmt::format("it is not {}", *kind)};
}

Result<Points> Bug::judge_input(const Question& question, const std::string& answer) const {
  if (says_finding(answer)) {
    const auto wrong = std::find_if(report_.cases.begin(), report_.cases.end(),
                                    [](const CaseResult& one) { return one.bad > 0; });
    const bool right = wrong == report_.cases.end();
    const Finding* const own = finding_of_fault();
    const Finding* const shown = own ? own : first_error(report_.findings);
    return Points{question.ask, right ? question.points : 0, question.points,
                  right ? fmt::format("no result is wrong, but the judge finds: {}{}",
                                      to_string(shown->kind), on_a_gpu(*shown))
                        : "not `finding`: " + wrong->name + " gives a wrong result"};
  }
  if (is_copied(answer)) return Error{"That case is listed above. Type another one that fails."};
  Result<Input> input = run_input(problem_, texts_.faulty, bug_file(problem_.name), answer);
  if (!input) return input.error();
  if (const CaseResult* const known = input->fails ? nullptr : failing_case(input->name)) {
    input->fails = true;
    input->remark = fmt::format("{} fails when other calls came before it: {}", known->name,
                                what_shows(report_, *known));
  }
  return Points{question.ask, input->fails ? question.points : 0, question.points, input->remark};
}

Result<Points> Bug::judge_repair(const Question& question) {
  const fs::path file = bug_file(problem_.name);
  const Result<Candidate> candidate = read_candidate(file, {.problem = &problem_});
  if (!candidate) return candidate.error();
  if (candidate->text == texts_.faulty)
    return Error{fmt::format("{} has not changed. Edit it, then press Enter.", shown(file))};
  const Report report = grade({.candidate = *candidate, .seed = judge_seed, .with_ladder = false});
  if (report.verdict == Verdict::error) return Error{report.error + first_message(report.detail)};
  if (report.verdict != Verdict::pass)
    return Error{"It still fails: " + evidence(problem_, report)};
  const std::size_t fault = changed_lines(hunks_between(repaired(), texts_.faulty));
  const std::size_t repair = changed_lines(hunks_between(texts_.faulty, candidate->text));
  const bool small = repair <= 2 * fault;
  return Points{question.ask, question.points - (small ? 0 : points_for_a_small_repair),
                question.points,
                fmt::format("it passes; you changed {} line{} (the fault is {} line{})", repair,
                            repair == 1 ? "" : "s", fault, fault == 1 ? "" : "s")};
}

std::string Bug::source() const {
  const std::string helpers = used_names(texts_.faulty, headers());
  return numbered(texts_.faulty) +
         (helpers.empty() ? ""
                          : "\nIts helpers, which have no fault, are in these files:\n" + helpers);
}

std::vector<SourceFile> Bug::headers() const {
  auto sources = read_sources({bug_file(problem_.name)}, {}, texts_.faulty);
  if (!sources) return {};
  sources->erase(sources->begin());
  return std::move(*sources);
}

/// Of findings the one of the fault's kind and line; null if none has a line.
const Finding* Bug::finding_of_fault() const {
  return heaviest(report_, [&](const Finding& one) {
    const bool is_of_class = class_of(one.kind) == fault_.fault_class;
    return 4 * is_of_class + 2 * (fault_.kind == one.kind) +
           is_changed(static_cast<std::size_t>(one.line));
  });
}

/// The finding, with the lines of the kernel that come to it in a header; else the case whose
/// explanation must name the fault.
std::string Bug::verdict_text() const {
  const Finding* const finding = finding_of_fault();
  if (finding) return evidence(problem_, *finding) + way_to(*finding) + link_to_barrier(*finding);
  for (const CaseResult& one : report_.cases) {
    if (one.verdict == Verdict::fail && !fault_.words.empty() &&
        one.explanation.find(fault_.words) != std::string::npos)
      return one.name + ": " + without_guess(one.explanation);
  }
  return evidence(problem_, report_);
}

/// Whose line is in a header.
std::string Bug::way_to(const Finding& finding) const {
  constexpr std::size_t most_lines = 3;
  const std::vector<int> lines =
      lines_into(texts_.faulty, headers(), finding.file, finding.line, most_lines);
  if (lines.empty()) return {};
  return fmt::format(" ({}:{} is reached from line {})", fs::path(finding.file).filename().string(),
                     finding.line, fmt::join(lines, ", "));
}

/// What a skipped barrier has to do with another finding.
std::string Bug::link_to_barrier(const Finding& finding) const {
  if (fault_.fault_class != FaultClass::barrier || class_of(finding.kind) == FaultClass::barrier)
    return {};
  return ". A barrier does not wait for threads that have returned: the others read what those "
         "never stored";
}

std::string Bug::explanation() {
  return layout::paragraph(fmt::format("{}, level {}: {}", faults::to_string(fault_.fault_class),
                                       fault_.level, fault_.what),
                           0) +
         layout::paragraph("The judge says of " + verdict_text(), 0) + "\n" +
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
  return drills_folder() / (operator_name + ".cu");
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
  if (report.verdict == Verdict::pass)  // only a drawn case shows it
    report = judged_in_full(*offer.problem, file, texts->faulty);
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
