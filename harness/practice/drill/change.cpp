#include "practice/drill/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "judge/case_judge.h"
#include "practice/drill/draw.h"
#include "practice/drill/judging.h"
#include "practice/drill/reading.h"
#include "report/layout.h"
#include "support/diff.h"

namespace kata::drill {
namespace {

/// The judge passes nearly all of the harmless changes, and 3 to 8 % of the others.
constexpr double harmless_share = 0.4;
constexpr double fewest_harmful = 2;  // of a topic and level: some are not asked

/// How a changed kernel ends, as a person would say it.
enum class Outcome { right, wrong_result, race, bounds, barrier, uninitialized, no_run };

constexpr std::pair<Outcome, const char*> outcomes[] = {
    {Outcome::right, "right"},        {Outcome::wrong_result, "wrong result"},
    {Outcome::race, "race"},          {Outcome::bounds, "out of bounds"},
    {Outcome::barrier, "barrier"},    {Outcome::uninitialized, "uninitialized"},
    {Outcome::no_run, "does not run"}};

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
std::set<Outcome> all_outcomes(const Report& report) {
  if (report.verdict == Verdict::pass) return {Outcome::right};
  std::set<Outcome> all;
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::advice) all.insert(outcome_of(finding.kind));
  }
  for (const CaseResult& one : report.cases) {
    if (one.verdict == Verdict::fail && one.bad > 0) all.insert(Outcome::wrong_result);
  }
  return all;
}

/// As many as keep the share of harmless changes, by chance.
void balance(std::vector<Mutant>& harmful, std::vector<Mutant>& harmless, Draw& draw) {
  if (harmful.empty() || harmless.empty()) return;
  const auto thin_out = [&](std::vector<Mutant>& some, double most) {
    while (static_cast<double>(some.size()) > std::max(most, 1.0))
      some.erase(some.begin() + draw.below(static_cast<unsigned>(some.size())));
  };
  const double others = (1 - harmless_share) / harmless_share;
  thin_out(harmful, std::max(others * static_cast<double>(harmless.size()), fewest_harmful));
  thin_out(harmless, static_cast<double>(harmful.size()) / others);
}

/// Of each kind of finding that has a line, and is no advice, the first.
std::vector<const Finding*> one_of_each_kind(const Report& report) {
  std::vector<const Finding*> chosen;
  for (const Finding& one : report.findings) {
    const bool is_new =
        std::ranges::none_of(chosen, [&](const Finding* known) { return known->kind == one.kind; });
    if (one.severity != Severity::advice && one.line > 0 && is_new) chosen.push_back(&one);
  }
  return chosen;
}

/// One change for each operation that computes the same: a second teaches nothing.
void ask_once(std::vector<Mutant>& mutants, Draw& draw) {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    if (mutants[i].same) places[mutants[i].operation].push_back(i);
  }
  std::set<std::size_t> kept;
  for (const auto& [operation, all] : places)
    kept.insert(all[draw.below(static_cast<unsigned>(all.size()))]);
  std::size_t i = 0;
  std::erase_if(mutants, [&](const Mutant& one) {
    const std::size_t at = i++;
    return one.same && !kept.contains(at);
  });
}

}  // namespace

std::vector<std::string> outcome_names(const std::string& text) {
  static const std::regex meets(R"(sync|barrier|shfl|ballot|wait|__all|__any|#include ")");
  const bool can_meet = std::regex_search(text, meets);
  std::vector<std::string> names;
  for (const auto& [outcome, name] : outcomes) {
    if (outcome != Outcome::barrier || can_meet) names.emplace_back(name);
  }
  return names;
}

bool is_decided(const Report& report) {
  return report.verdict != Verdict::error && !has_kind(report.findings, FindingKind::timeout);
}

std::vector<std::string> outcomes_of(const Report& report) {
  std::vector<std::string> names;
  const std::set<Outcome> all = all_outcomes(report);
  for (const auto& [outcome, name] : outcomes) {
    if (all.contains(outcome)) names.emplace_back(name);
  }
  return names;
}

Report of_first_failure(Report report) {
  std::erase_if(report.cases, [](const CaseResult& one) { return one.verdict != Verdict::fail; });
  if (report.cases.empty()) return report;
  report.cases.resize(1);
  std::erase_if(report.findings, [&](const Finding& one) {
    return one.seen_in && *one.seen_in != report.cases.front().tested;
  });
  return report;
}

std::vector<Mutant> balanced(std::vector<Mutant> mutants, const std::string& text) {
  using Group = std::pair<std::string, int>;                   // topic and level
  std::map<Group, std::array<std::vector<Mutant>, 2>> groups;  // harmful and harmless
  Draw draw(text);
  ask_once(mutants, draw);
  for (Mutant& one : mutants)
    groups[{one.topic, one.level}][one.harmless].push_back(std::move(one));
  std::vector<Mutant> chosen;
  for (auto& [group, both] : groups) {
    balance(both[false], both[true], draw);
    for (auto& some : both) chosen.insert(chosen.end(), some.begin(), some.end());
  }
  return chosen;
}

std::string changed_lines(const std::string& text, const std::string& changed) {
  const std::vector<std::string_view> before = lines_with_ends(text),
                                      after = lines_with_ends(changed);
  std::string shown_lines;
  for (const Hunk& hunk : hunks_between(text, changed)) {
    for (std::size_t i = hunk.before_begin; i < hunk.before_end; ++i)
      shown_lines += fmt::format("  - {}", before[i]);
    for (std::size_t i = hunk.after_begin; i < hunk.after_end; ++i)
      shown_lines += fmt::format("  + {}", after[i]);
  }
  return shown_lines;
}

std::vector<std::string> proof_of(const Report& report, const Mutant& mutant) {
  if (report.verdict == Verdict::pass)
    return {fmt::format("The changed file passes every case without a finding: {}.", mutant.why)};
  const Problem& problem = *find_problem(report.operator_name);
  std::vector<std::string> proof;
  if (*mutant.breaks) proof.push_back(fmt::format("The change: {}.", mutant.breaks));
  for (const Finding* one : one_of_each_kind(report)) proof.push_back(evidence(problem, *one));
  const CaseResult* const failure = most_specific_failure(report);
  if (failure && failure->bad > 0)
    proof.push_back(failure->name + ": " + what_shows(report, *failure));
  return proof;
}

}  // namespace kata::drill
