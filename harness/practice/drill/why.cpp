#include "practice/drill/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "grading/kept_profiles.h"
#include "practice/drill/cause.h"
#include "practice/drill/counters_text.h"
#include "practice/drill/draw.h"
#include "practice/drill/maths.h"
#include "practice/drill/reading.h"
#include "practice/drill/timed_ladder.h"
#include "practice/exercise_text.h"
#include "report/layout.h"
#include "support/text.h"

namespace kata::drill {
namespace {

constexpr double agrees_within = 1.35;  // estimate and measurement
constexpr double gains_at_least = 1.1;  // the next change
constexpr double most_unexplained = 2;  // logarithms: what the next change gains, by the cause
constexpr double worth_telling = 1.05;  // a gain
constexpr double slow_enough = 1.25;    // times the limit
constexpr double easy_factor = 4, medium_factor = 2;
constexpr std::size_t changes_offered = 4;
constexpr int points_for_cause = 50, points_for_change = 25;

/// What an item needs to know of a rung.
struct Diagnosis {
  TimedSize size;
  TimedRung rung, next;                                ///< the first above it that is faster
  std::vector<LaunchProfile> launches, next_launches;  ///< of the next one only if they are kept
  Chip chip;
  Causes causes = {};
  Cause cause = Cause::coalescing;
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

  /// Nothing where the truth cannot be computed.
  std::optional<Diagnosis> diagnose(const TimedSize& size, const TimedRung& rung);

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

std::optional<Diagnosis> Diagnoser::diagnose(const TimedSize& size, const TimedRung& rung) {
  const TimedRung* const next = next_faster(size, rung);
  if (!next || rung.row.of_limit * slow_enough > 1) return {};
  const Profiled* const profiled = kept_.find(key_of(rung.rung), size.shape);
  if (!profiled || !profiled->launches || profiled->launches->empty()) return {};
  Diagnosis one{size, rung, *next, *profiled->launches, {}, chip_};
  const Profiled* const after = kept_.find(key_of(next->rung), size.shape);
  if (after && after->launches) one.next_launches = *after->launches;
  one.causes = causes_of(one.launches, problem_.cost(size.shape), chip_);
  const double off = one.causes.us / rung.row.median_us;
  if (off > agrees_within || 1 / off > agrees_within) return {};
  const std::optional<Cause> cause = one.causes.main();
  // Where the next change gains far more, something else costs more: work that can be left out.
  const double gained = std::log(rung.row.median_us / next->row.median_us);
  if (!cause || gained > most_unexplained * std::log(one.causes.gain(*cause))) return {};
  one.cause = *cause;
  return one;
}

int level_of(const TimedRung& rung) {
  const double slower = 1 / rung.row.of_limit;
  return slower >= easy_factor ? 1 : slower >= medium_factor ? 2 : 3;
}

/// Whether the exercises have a tag in common.
bool are_alike(const ExerciseText& one, const Problem& other) {
  const Result<ExerciseText> text = read_exercise_text(other.name);
  return text && std::ranges::find_first_of(text->tags, one.tags) != text->tags.end();
}

/// The change that comes next, and others that do not: what the rung has already or what is slower
/// here, then ideas of ladders that are alike.
std::vector<std::string> changes_for(const Problem& problem, const Diagnosis& one, Draw& draw) {
  std::vector<std::string> others, foreign;
  for (const TimedRung& rung : one.size.rungs) {
    const bool has_it = rung.rung.number < one.rung.rung.number;
    if (rung.rung.number > 1 && (has_it || rung.row.median_us > one.rung.row.median_us))
      others.push_back(rung.rung.idea);
  }
  const Result<ExerciseText> own = read_exercise_text(problem.name);
  for (const Problem& other : problems()) {
    if (other.name == problem.name || !own || !are_alike(*own, other)) continue;
    for (const Rung& rung : ladder(other.name)) {
      if (rung.number > 1) foreign.push_back(rung.idea);
    }
  }
  std::vector<std::string> changes{one.next.rung.idea};
  const auto fill = [&](std::vector<std::string> from, std::size_t up_to) {
    while (changes.size() < up_to && !from.empty()) {
      const auto at = from.begin() + draw.below(static_cast<unsigned>(from.size()));
      if (std::find(changes.begin(), changes.end(), *at) == changes.end()) changes.push_back(*at);
      from.erase(at);
    }
  };
  fill(others, changes_offered - 1);
  fill(foreign, changes_offered);
  std::swap(changes[0], changes[draw.below(static_cast<unsigned>(changes.size()))]);
  return changes;
}

/// " It then has ...": without it, many a factor could not be derived.
std::string differences(const Diagnosis& one) {
  const std::string text = changes_text(one.launches, one.next_launches);
  return text.empty() ? "" : fmt::format(" Its counters change: {}.", text);
}

class Why : public Item {
 public:
  Why(const Problem& problem, const std::string& name, Diagnosis diagnosis, int level)
      : problem_(problem), one_(std::move(diagnosis)), level_(level) {
    Draw draw(name);
    std::vector<std::string> causes;
    for (const Cause cause : all_causes()) causes.emplace_back(to_string(cause));
    constexpr auto general = static_cast<int>(Cause::latency);
    questions_ = {
        {Ask::cause,
         fmt::format("Which single bottleneck costs the most time? 1 to {0}, or a general one ({1} "
                     "to {2}) if none of 1 to {0} explains half of it",
                     general, general + 1, causes.size()),
         causes, points_for_cause},
        {Ask::change, "Which of these changes makes this kernel faster at this size?",
         changes_for(problem, one_, draw), points_for_change},
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
  std::vector<Question> questions_;
};

std::string Why::text() const {
  const TimingRow& row = one_.rung.row;
  const std::string time = fmt::format(
      "At {} on an {} it takes {}, {} of the limit ({}).", named(problem_, one_.size.shape),
      one_.size.device, time_text(row.median_us), share_text(row.of_limit), one_.size.limit);
  return layout::paragraph(problem_.name + ": " + problem_.summary, 2) +
         counters_text(one_.launches, problem_.cost(one_.size.shape), one_.chip) +
         layout::paragraph(time, 2);
}

/// All points for what would save as much, half of them for nearly as much, and for what the next
/// rung removes. Where one block works alone, the other multiprocessors are idle.
Points Why::judge_cause(const Question& asked, const std::string& choice) const {
  constexpr double nearly = 0.6;
  const std::vector<Cause> all = all_causes();
  const auto at = std::find(asked.choices.begin(), asked.choices.end(), choice);
  const Cause chosen = all[static_cast<std::size_t>(at - asked.choices.begin())];
  const double gain = one_.causes.gain(chosen);
  const double most = one_.causes.gain(one_.cause);
  if (chosen == Cause::tail && one_.cause == Cause::imbalance)
    return {asked.ask, asked.points, asked.points, "while the longest block works (imbalance)"};
  const std::string effect =
      gain < worth_telling
          ? fmt::format("removing it alone ({}) would not make the kernel faster", choice)
          : fmt::format("without it the kernel would be {:.2f} times as fast", gain);
  if (gain >= most) return {asked.ask, asked.points, asked.points, effect};
  const std::string best = fmt::format("without {} {:.2f} times", to_string(one_.cause), most);
  if (std::log(gain) >= nearly * std::log(most))
    return {asked.ask, asked.points / 2, asked.points, fmt::format("half: {}, {}", effect, best)};
  if (speaks_of(one_.next.rung.idea, chosen))
    return {asked.ask, asked.points / 2, asked.points,
            fmt::format("half: {}, {}; but the next change is about it, too", effect, best)};
  return {asked.ask, 0, asked.points, effect};
}

Result<Points> Why::judge(std::size_t question, const std::string& answer) {
  const Question& asked = questions_.at(question);
  if (asked.ask == Ask::factor) {
    const std::optional<double> given = number_from(answer);
    if (!given || *given <= 0) return Error{"Type a factor, such as 1.5."};
    return Points{asked.ask, points_for_factor(*given, gained(), asked.points), asked.points,
                  fmt::format("measured: {:.2f} times as fast", gained())};
  }
  const Result<std::string> choice = choice_from(asked, answer);
  if (!choice) return choice.error();
  if (asked.ask == Ask::cause) return judge_cause(asked, *choice);
  const bool right = *choice == one_.next.rung.idea;
  return Points{asked.ask, right ? asked.points : 0, asked.points,
                right ? "yes" : "no; the next change is: " + one_.next.rung.idea};
}

std::string Why::explanation() {
  std::string text = layout::paragraph(
      fmt::format("{}: {}. This kernel is rung {}. Estimated gain if one cause were removed:",
                  to_string(one_.cause), meaning_of(one_.cause), one_.rung.rung.name),
      0);
  std::vector<Cause> sorted = all_causes();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](Cause a, Cause b) { return one_.causes.gain(a) > one_.causes.gain(b); });
  for (const Cause cause : sorted) {
    if (one_.causes.gain(cause) >= worth_telling)
      text +=
          fmt::format("  {:<16} {:.2f} times as fast\n", to_string(cause), one_.causes.gain(cause));
  }
  if (sorted.front() != one_.cause)
    text += layout::paragraph(fmt::format("\"{}\" is a general cause here: most of its gain comes "
                                          "from \"{}\".",
                                          to_string(sorted.front()), to_string(one_.cause)),
                              0);
  return text +
         layout::paragraph(fmt::format("Next: {} {} instead of {} (measured {}).",
                                       one_.next.rung.idea, time_text(one_.next.row.median_us),
                                       time_text(one_.rung.row.median_us), one_.size.date),
                           0);
}

void add_rungs(const Problem& problem, std::vector<Offer>& offers) {
  const Result<std::vector<TimedSize>> sizes = timed_sizes(problem);
  if (!sizes || sizes->empty()) return;
  const Result<Chip> chip = find_chip_of(sizes->front().device);
  if (!chip) return;
  Diagnoser diagnoser(problem, *chip);
  for (const TimedSize& size : *sizes) {
    for (const TimedRung& rung : size.rungs) {
      const std::optional<Diagnosis> one = diagnoser.diagnose(size, rung);
      if (!one) continue;
      offers.push_back(
          {Kind::why,
           fmt::format("{}/{}/{}", problem.name, kata::to_string(size.shape), rung.rung.name),
           to_string(one->cause), level_of(rung), &problem});
    }
  }
}

}  // namespace

std::string what_costs_most(const Problem& problem, const TimedSize& size, const TimedRung& rung) {
  const Result<Chip> chip = find_chip_of(size.device);
  if (!chip) return {};
  const std::optional<Diagnosis> one = Diagnoser(problem, *chip).diagnose(size, rung);
  if (!one) return {};
  return fmt::format("{} ({}). Estimated without it: {:.2f} times as fast.", to_string(one->cause),
                     meaning_of(one->cause), one->causes.gain(one->cause));
}

std::string what_changes(const Problem& problem, const TimedSize& size, const TimedRung& from,
                         const TimedRung& to) {
  const KeptProfiles kept(problem);
  const Profiled* const before = kept.find(source_key(from.rung), size.shape);
  const Profiled* const after = kept.find(source_key(to.rung), size.shape);
  if (!before || !before->launches || !after || !after->launches) return {};
  return changes_text(*before->launches, *after->launches);
}

Result<std::vector<Offer>> why_offers(const std::string& operator_name) {
  std::vector<Offer> offers;
  for (const Problem& problem : problems()) {
    if (operator_name.empty() || problem.name == operator_name) add_rungs(problem, offers);
  }
  const Problem* const problem = find_problem(operator_name);
  const auto times = problem ? timed_sizes(*problem) : std::vector<TimedSize>();
  if (offers.empty() && !times) return times.error();
  return offers;
}

Result<std::unique_ptr<Item>> make_why(const Offer& offer) {
  const std::vector<std::string> parts = split(offer.name, '/');
  const Error gone{fmt::format("there is no question {} any more", offer.name)};
  if (parts.size() != 3) return gone;
  const Result<TimedSize> size = timed_size(*offer.problem, parts[1]);
  if (!size) return size.error();
  const TimedRung* const rung = find_rung(*size, parts[2]);
  const Result<Chip> chip = find_chip_of(size->device);
  std::optional<Diagnosis> one;
  if (rung && chip) one = Diagnoser(*offer.problem, *chip).diagnose(*size, *rung);
  if (!one) return gone;
  return std::unique_ptr<Item>(
      std::make_unique<Why>(*offer.problem, offer.name, std::move(*one), offer.level));
}

}  // namespace kata::drill
