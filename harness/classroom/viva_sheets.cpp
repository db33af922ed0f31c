#include "classroom/viva_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>

#include "practice/drill/change.h"
#include "practice/drill/own_counters.h"
#include "report/html/templates.h"
#include "report/layout.h"
#include "support/files.h"
#include "support/parallel.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

/// The same submission with another text, in a folder of its own.
std::optional<HandIn> changed(const HandIn& submission, const std::string& text,
                              const fs::path& folder) {
  HandIn copy = submission;
  std::error_code failed;
  if (submission.folder.empty()) {
    copy.file = folder / submission.file.filename();
  } else {
    copy.folder = folder / "all";
    fs::copy(submission.folder, copy.folder,
             fs::copy_options::recursive | fs::copy_options::skip_symlinks, failed);
    copy.file = copy.folder / submission.file.lexically_relative(submission.folder);
  }
  if (failed || !write_file(copy.file, text).empty()) return {};
  return copy;
}

VivaQuestion question(const std::string& text, const drill::Mutant& mutant) {
  return {.text = fmt::format("Line {} is changed. Is the kernel still right? If not: for which "
                              "input does it fail, and how?",
                              mutant.line),
          .change = drill::changed_lines(text, mutant.text),
          .answer = "right",
          .evidence = {fmt::format("It computes the same: {}.", mutant.why)}};
}

/// Nothing if the judge cannot say how it ends: what passes in short may fail in full.
std::optional<VivaQuestion> question_about(const HandIn& submission, const std::string& text,
                                           const drill::Mutant& mutant, ClassRules rules) {
  const TemporaryFolder folder;
  std::error_code failed;
  const auto copy = changed(submission, mutant.text, fs::canonical(folder.path(), failed));
  if (!copy) return {};
  rules.as_change = true;
  const Report report = judge_submission(*copy, rules).report;
  if (!drill::is_decided(report) || report.verdict == Verdict::pass) return {};
  VivaQuestion one = question(text, mutant);
  one.answer = joined(drill::outcomes_of(report), ", ");
  one.evidence = drill::proof_of(report, mutant);
  return one;
}

/// In an order by chance.
std::vector<VivaQuestion> about_counters(const Report& report, std::mt19937& chance) {
  const Problem* const problem = find_problem(report.operator_name);
  auto numbers =
      problem ? drill::own_counters(*problem, report) : Result<std::vector<drill::Number>>(Error{});
  std::vector<VivaQuestion> questions;
  if (!numbers) return questions;
  std::shuffle(numbers->begin(), numbers->end(), chance);
  for (const drill::Number& one : *numbers)
    questions.push_back(
        {.text = fmt::format("At {}: {}", to_string(report.counted_shape), one.text),
         .change = {},
         .answer = drill::number_text(one.truth),
         .evidence = {one.steps}});
  return questions;
}

/// Changes of other topics come first. Those that only a whole judgement could call right are left
/// out.
std::vector<drill::Mutant> in_order_to_ask(const std::string& text, std::mt19937& chance) {
  std::vector<drill::Mutant> all = drill::mutants_of(text);
  std::erase_if(all, [](const drill::Mutant& one) { return one.harmless && !one.same; });
  all = drill::balanced(std::move(all), text);
  std::shuffle(all.begin(), all.end(), chance);
  std::map<std::string, int> times;
  std::vector<std::pair<int, drill::Mutant>> ranked;
  for (drill::Mutant& one : all) {
    const int rank = times[one.topic]++;
    ranked.emplace_back(rank, std::move(one));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  all.clear();
  for (auto& [rank, one] : ranked) all.push_back(std::move(one));
  return all;
}

VivaSheet sheet_of(const JudgedHandIn& outcome, const ClassRules& rules, std::size_t most) {
  VivaSheet sheet{outcome.submission};
  if (outcome.report.verdict != Verdict::pass) return sheet;
  const std::string text = read_file(outcome.submission.file).value_or("");
  const std::string drawn_from = fmt::format("{} {}", rules.seed, text);
  std::seed_seq seed(drawn_from.begin(), drawn_from.end());
  std::mt19937 chance(seed);
  const std::vector<VivaQuestion> counters = about_counters(outcome.report, chance);
  std::vector<VivaQuestion>& questions = sheet.questions;
  questions.assign(counters.begin(), counters.begin() + !counters.empty());
  std::size_t to_judge = most;
  for (const drill::Mutant& one : in_order_to_ask(text, chance)) {
    if (questions.size() >= most || interrupted()) break;
    if (one.same) {
      questions.push_back(question(text, one));
    } else if (to_judge > 0) {
      --to_judge;
      auto judged = question_about(outcome.submission, text, one, rules);
      if (judged) questions.push_back(std::move(*judged));
    }
  }
  for (std::size_t i = 1; i < counters.size() && questions.size() < most; ++i)
    questions.push_back(counters[i]);
  return sheet;
}

std::string text_of(const VivaSheet& sheet, bool with_answers) {
  std::string text = sheet.submission.title() + "\n";
  std::size_t number = 0;
  for (const VivaQuestion& one : sheet.questions) {
    text += "\n" + layout::paragraph(fmt::format("{}. {}", ++number, one.text), 0, 3);
    if (!one.change.empty()) text += "\n" + one.change;
    if (!with_answers) continue;
    text += "\n" + layout::paragraph("Answer: " + one.answer, 3);
    for (const std::string& proof : one.evidence) text += layout::paragraph(proof, 3);
  }
  return text + "\n";
}

Result<std::string> page_of(const std::vector<const VivaSheet*>& sheets, bool with_answers) {
  const Result<Templates> templates = Templates::read({"report/html", "classroom"});
  if (!templates) return templates.error();
  nlohmann::json values = {{"stylesheet", templates->text("style.css")},
                           {"answers", with_answers},
                           {"sheets", nlohmann::json::array()}};
  for (const VivaSheet* sheet : sheets) {
    nlohmann::json questions = nlohmann::json::array();
    for (const VivaQuestion& one : sheet->questions)
      questions.push_back({{"text", one.text},
                           {"change", one.change},
                           {"has_change", !one.change.empty()},
                           {"answer", one.answer},
                           {"evidence", one.evidence}});
    values["sheets"].push_back({{"title", sheet->submission.title()}, {"questions", questions}});
  }
  return templates->fill_in("viva.html", values);
}

/// `name`.txt and `name`.html
std::optional<Error> write_sheets(const std::vector<const VivaSheet*>& sheets, bool with_answers,
                                  const fs::path& name) {
  const Result<std::string> page = page_of(sheets, with_answers);
  if (!page) return page.error();
  std::string text;
  for (const VivaSheet* one : sheets) text += text_of(*one, with_answers);
  for (const auto& [ending, content] : {std::pair{".txt", text}, std::pair{".html", *page}}) {
    const fs::path file = name.string() + ending;
    const std::string failed = write_file(file, content);
    if (!failed.empty()) return Error{fmt::format("cannot write {}: {}", shown(file), failed)};
  }
  return {};
}

}  // namespace

Result<std::vector<VivaSheet>> viva_sheets(const ClassRun& run,
                                           const std::vector<JudgedHandIn>& outcomes,
                                           std::size_t questions) {
  std::vector<VivaSheet> sheets(outcomes.size());
  std::mutex mutex;
  std::size_t done = 0;
  const auto make = [&](std::size_t i) {
    if (interrupted()) return;
    sheets[i] = sheet_of(outcomes[i], run.rules, questions);
    const std::lock_guard lock(mutex);
    if (run.progress) run.progress(++done);
  };
  in_parallel(outcomes.size(), make, run.jobs);
  if (interrupted()) return Error{"interrupted. Repeat the command to go on"};
  return sheets;
}

std::optional<Error> write_viva(const std::vector<VivaSheet>& sheets, const fs::path& folder) {
  std::map<std::string, std::vector<const VivaSheet*>> people;
  std::vector<const VivaSheet*> all;
  for (const VivaSheet& one : sheets) {
    if (one.questions.empty()) continue;
    people[one.submission.person].push_back(&one);
    all.push_back(&one);
  }
  for (const auto& [name, own] : people) {
    if (const auto failed = write_sheets(own, false, folder / "people" / name / "viva"))
      return failed;
  }
  return write_sheets(all, true, folder / "viva_answers");
}

}  // namespace kata
