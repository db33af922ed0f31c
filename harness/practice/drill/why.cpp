#include "practice/drill/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "grading/kept_profiles.h"
#include "practice/drill/answer.h"
#include "practice/drill/cause.h"
#include "practice/drill/counters_text.h"
#include "practice/drill/draw.h"
#include "practice/drill/reading.h"
#include "practice/drill/timed_ladder.h"
#include "practice/drill/wrong_changes.h"
#include "report/layout.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata::drill {
namespace {

constexpr double gains_at_least = 1.1;  // the next change
constexpr double most_unexplained = 2;  // logarithms: what the next change gains, by the cause
constexpr double slow_enough = 1.25;    // times the limit
constexpr double easy_factor = 4, medium_factor = 2;
constexpr double half_from = 2;  // times as fast without a cause: half of the points
constexpr std::size_t changes_offered = 4;
constexpr int points_for_cause = 50, points_for_change = 25;

/// What an item needs to know of a rung.
struct Diagnosis {
  TimedSize size;
  TimedRung rung, next;                                ///< the first above it that is faster
  std::vector<LaunchProfile> launches, next_launches;  ///< of the next one only if they are kept
  Chip chip;
  Cost cost;
  Causes causes = {}, next_causes = {};  ///< the second without gains where nothing is kept
  Cause cause = Cause::coalescing;

  std::string evidence(Cause one) const { return evidence_of(one, launches, cost, chip); }
  std::string next_evidence(Cause one) const {
    return next_launches.empty() ? "" : evidence_of(one, next_launches, cost, chip);
  }
  /// Whether the next change says that it is about the cause, or makes it cost less, by numbers
  /// that show.
  bool is_about(Cause one) const {
    return speaks_of(next.rung.idea, one) ||
           (!next_launches.empty() && relieves(causes, next_causes, one) &&
            evidence(one) != next_evidence(one));
  }
};

const TimedRung* next_faster(const TimedSize& size, const TimedRung& rung) {
  for (const TimedRung& one : size.rungs) {
    if (one.rung.number > rung.rung.number &&
        one.row.median_us * gains_at_least <= rung.row.median_us)
      return &one;
  }
  return nullptr;
}

/// What is kept of an operator's rungs.
class Diagnoser {
 public:
  Diagnoser(const Problem& problem, Chip chip)
      : problem_(problem), chip_(std::move(chip)), kept_(problem) {}

  /// Where the truth cannot be computed, an Error says why.
  Result<Diagnosis> diagnose(const TimedSize& size, const TimedRung& rung);

 private:
  const std::string& key_of(const Rung& rung) {
    std::string& key = keys_[rung.name];
    if (key.empty()) key = source_key(rung);
    return key;
  }

  const Problem& problem_;
  Chip chip_;
  KeptProfiles kept_;
  std::map<std::string, std::string> keys_;  ///< of rungs: they are slow to compute
};

Result<Diagnosis> Diagnoser::diagnose(const TimedSize& size, const TimedRung& rung) {
  const TimedRung* const next = next_faster(size, rung);
  if (!next || rung.row.of_limit * slow_enough > 1) return Error{"its rungs are near the limit"};
  const Profiled* const profiled = kept_.find(key_of(rung.rung), size.shape);
  if (!profiled || !profiled->launches || profiled->launches->empty())
    return Error{"the emulator cannot profile a part of its blocks alone"};
  const Cost cost = problem_.cost(size.shape);
  Diagnosis one{size, rung, *next, *profiled->launches, {}, chip_, cost};
  const Profiled* const after = kept_.find(key_of(next->rung), size.shape);
  if (after && after->launches) one.next_launches = *after->launches;
  one.causes = causes_of(one.launches, cost, chip_);
  if (!one.next_launches.empty()) one.next_causes = causes_of(one.next_launches, cost, chip_);
  if (!explains(one.causes, rung.row.median_us))
    return Error{"its counters do not explain its measured time"};
  const std::optional<Cause> cause = one.causes.main();
  if (!cause) return Error{"no cause of its time stands out"};
  // Where the next change gains far more, something else costs more: work that can be left out.
  const double gained = std::log(rung.row.median_us / next->row.median_us);
  if (gained > most_unexplained * std::log(one.causes.gain(*cause)) || !one.is_about(*cause))
    return Error{"the next change is about something else than its largest cost"};
  one.cause = *cause;
  return one;
}

int level_of(const TimedRung& rung) {
  const double slower = 1 / rung.row.of_limit;
  return slower >= easy_factor ? 1 : slower >= medium_factor ? 2 : 3;
}

/// " It then has ...": without it, many a factor could not be derived.
std::string differences(const Diagnosis& one) {
  const std::string text = changes_text(one.launches, one.next_launches);
  const bool is_one = one.launches.size() == 1 && one.next_launches.size() == 1;
  return text.empty() ? ""
                      : fmt::format(" {} counters change: {}.",
                                    is_one ? "Its" : "Over all launches, its", text);
}

class Why : public Item {
 public:
  Why(const Problem& problem, const std::string& name, Diagnosis diagnosis, int level)
      : problem_(problem), one_(std::move(diagnosis)), level_(level) {
    Draw draw(name);
    wrong_ = wrong_changes(problem, one_.size, one_.rung, one_.next.rung.idea, one_.causes, draw,
                           changes_offered - 1);
    std::vector<std::string> changes{one_.next.rung.idea};
    for (const WrongChange& one : wrong_) changes.push_back(one.idea);
    std::swap(changes[0], changes[draw.below(static_cast<unsigned>(changes.size()))]);
    std::vector<std::string> causes;
    for (const Cause cause : all_causes()) causes.emplace_back(to_string(cause));
    constexpr auto general = static_cast<int>(Cause::latency);
    questions_ = {
        {Ask::cause,
         fmt::format("Which single bottleneck costs the most time? 1 to {0}, or a general one ({1} "
                     "to {2}) if none of 1 to {0} explains half of it",
                     general, general + 1, causes.size()),
         causes, points_for_cause},
        {Ask::change, "Which of these changes makes this kernel faster at this size?", changes,
         points_for_change},
        {Ask::factor,
         fmt::format("By what factor does that change make it faster (full points within a factor "
                     "of 1.2)?{}",
                     differences(one_)),
         {},
         100 - points_for_cause - points_for_change}};
  }

  std::string text() const override;
  std::string source() const override {
    return level_ == 3 ? std::string() : code_of({{"kernel", one_.rung.rung}});
  }
  const std::vector<Question>& questions() const override { return questions_; }
  Result<Points> judge(std::size_t question, const std::string& answer) override;
  std::string answer_to(std::size_t skipped) const override {
    const bool is_change = questions_.at(skipped).ask == Ask::change;
    return is_change ? "The next change is: " + one_.next.rung.idea : "";
  }
  std::string explanation() override;
  std::string next_step() const override {
    return fmt::format("diff {} {} {}", problem_.name, one_.rung.rung.number,
                       one_.next.rung.number);
  }

 private:
  Points judge_cause(const Question& asked, const std::string& choice) const;
  double gained() const { return one_.rung.row.median_us / one_.next.row.median_us; }

  const Problem& problem_;
  Diagnosis one_;
  int level_;
  std::vector<WrongChange> wrong_;
  std::vector<Question> questions_;
};

std::string Why::text() const {
  const TimingRow& row = one_.rung.row;
  const std::string time = fmt::format(
      "At {} on an {} it takes {}, {} ({}).", named_sizes(problem_, one_.size.shape),
      one_.size.device, time_text(row.median_us), share_text(row.of_limit), one_.size.limit);
  return layout::paragraph(problem_.name + ": " + problem_.summary, 2) +
         counters_text(one_.launches, one_.cost, one_.chip) + layout::paragraph(time, 2);
}

/// All points for what would save as much, half of them for nearly as much or half of the time, and
/// for what the next rung removes. Where one block works alone, the other multiprocessors are idle.
Points Why::judge_cause(const Question& asked, const std::string& choice) const {
  constexpr double nearly = 0.6;
  const std::vector<Cause> all = all_causes();
  const auto at = std::find(asked.choices.begin(), asked.choices.end(), choice);
  const Cause chosen = all[static_cast<std::size_t>(at - asked.choices.begin())];
  const double gain = one_.causes.gain(chosen);
  const double most = one_.causes.gain(one_.cause);
  if (chosen == Cause::tail && one_.cause == Cause::imbalance)
    return {asked.ask, asked.points, asked.points,
            "accepted: the SMs are idle because of the imbalance"};
  const std::string effect =
      gain < worth_telling
          ? fmt::format("by kata's estimate, removing {} alone would save nothing", choice)
          : fmt::format("without it the kernel would be {} times as fast", factor_text(gain));
  if (gain >= most)
    return {asked.ask, asked.points, asked.points,
            chosen == one_.cause ? effect
                                 : fmt::format("it costs as much as the main cause, {}; {}",
                                               to_string(one_.cause), effect)};
  const std::string best =
      fmt::format("without {} {} times", to_string(one_.cause), factor_text(most));
  if (gain >= half_from || std::log(gain) >= nearly * std::log(most))
    return {asked.ask, asked.points / 2, asked.points, fmt::format("half: {}, {}", effect, best)};
  if (one_.is_about(chosen))
    return {asked.ask, asked.points / 2, asked.points,
            fmt::format("half: the largest cost is {} ({} times as fast without it), but the next "
                        "change concerns {}",
                        to_string(one_.cause), factor_text(most), choice)};
  return {asked.ask, 0, asked.points, effect};
}

Result<Points> Why::judge(std::size_t question, const std::string& answer) {
  const Question& asked = questions_.at(question);
  if (asked.ask == Ask::factor) {
    const Result<double> given = factor_from(answer);
    if (!given) return given.error();
    return Points{asked.ask, points_for_factor(*given, gained(), asked.points), asked.points,
                  fmt::format("measured: {} times as fast{}", factor_text(gained()),
                              factor_remark(*given, gained(), asked.points))};
  }
  const Result<std::string> choice = choice_from(asked, answer);
  if (!choice) return choice.error();
  if (asked.ask == Ask::cause) return judge_cause(asked, *choice);
  const auto wrong = std::ranges::find(wrong_, *choice, &WrongChange::idea);
  if (wrong == wrong_.end()) return Points{asked.ask, asked.points, asked.points, "yes"};
  return Points{asked.ask, 0, asked.points,
                fmt::format("no: {}. {}", wrong->why_not, answer_to(question))};
}

std::string Why::explanation() {
  std::string text = layout::paragraph(
      fmt::format("{}: {}. Here: {}. This kernel is rung {}. Estimated gain if one cause "
                  "alone were removed:",
                  to_string(one_.cause), meaning_of(one_.cause), one_.evidence(one_.cause),
                  one_.rung.rung.name),
      0);
  const std::vector<Cause> sorted = by_gain(one_.causes);
  for (const Cause cause : sorted)
    text += fmt::format("  {:<16} {} times as fast\n", to_string(cause),
                        factor_text(one_.causes.gain(cause)));
  if (sorted.front() != one_.cause)
    text += layout::paragraph(fmt::format("Most of the gain from \"{}\" is due to \"{}\".",
                                          to_string(sorted.front()), to_string(one_.cause)),
                              0);
  const std::string after = one_.next_evidence(one_.cause);
  return text + layout::paragraph(
                    fmt::format("Next: {} {} instead of {} (measured {}).{}", one_.next.rung.idea,
                                time_text(one_.next.row.median_us, one_.rung.row.median_us),
                                time_text(one_.rung.row.median_us), one_.size.date,
                                after.empty() ? "" : " With it: " + after + "."),
                    0);
}

/// An Error says why most of the rungs below a faster one are not asked about.
Error add_rungs(const Problem& problem, std::vector<Offer>& offers) {
  const Result<std::vector<TimedSize>> sizes = timed_sizes(problem);
  if (!sizes) return sizes.error();
  if (sizes->empty()) return Error{problem.name + " has no measured times"};
  const Result<Chip> chip = find_chip_of(sizes->front().device);
  if (!chip) return chip.error();
  Diagnoser diagnoser(problem, *chip);
  std::map<std::string, int> code_levels;  // by rung: code is slow to read
  std::map<std::string, int> reasons;
  for (const TimedSize& size : *sizes) {
    for (const TimedRung& rung : size.rungs) {
      const Result<Diagnosis> one = diagnoser.diagnose(size, rung);
      if (!one) {
        if (next_faster(size, rung)) ++reasons[one.error().message];
        continue;
      }
      int& of_code = code_levels[rung.rung.name];
      if (of_code == 0) of_code = level_of_code(code_of({{"kernel", rung.rung}}));
      offers.push_back(
          {Kind::why,
           fmt::format("{}/{}/{}", problem.name, kata::to_string(size.shape), rung.rung.name),
           to_string(one->cause), std::min(3, std::max(level_of(rung), of_code)), &problem});
    }
  }
  const auto most =
      std::ranges::max_element(reasons, {}, [](const auto& one) { return one.second; });
  return Error{most == reasons.end() ? "no rung is clearly faster than another" : most->first};
}

}  // namespace

Result<std::vector<Offer>> why_offers(const std::string& operator_name) {
  std::vector<Offer> offers;
  Error last{"there is nothing to ask"};
  for (const Problem& problem : problems()) {
    if (operator_name.empty() || problem.name == operator_name) last = add_rungs(problem, offers);
  }
  if (!offers.empty()) return offers;
  const Problem* const problem = find_problem(operator_name);
  if (!problem || !timed_sizes(*problem)) return last;
  return Error{fmt::format("there is no why drill about {}: {}. Another kind: {} drill which {}",
                           operator_name, last.message, command_name(), operator_name)};
}

Result<std::unique_ptr<Item>> make_why(const Offer& offer) {
  const std::vector<std::string> parts = split(offer.name, '/');
  const Error gone{fmt::format("there is no question {} any more", offer.name)};
  if (parts.size() != 3) return gone;
  const Result<TimedSize> size = timed_size(*offer.problem, parts[1]);
  if (!size) return size.error();
  const TimedRung* const rung = find_rung(*size, parts[2]);
  const Result<Chip> chip = find_chip_of(size->device);
  if (!rung || !chip) return gone;
  Result<Diagnosis> one = Diagnoser(*offer.problem, *chip).diagnose(*size, *rung);
  if (!one) return gone;
  return std::unique_ptr<Item>(
      std::make_unique<Why>(*offer.problem, offer.name, std::move(*one), offer.level));
}

}  // namespace kata::drill
