#include "practice/drill/which.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "practice/drill/answer.h"
#include "practice/drill/difference.h"
#include "practice/drill/draw.h"
#include "practice/drill/drawn_input.h"
#include "practice/drill/reading.h"
#include "practice/drill/timed_ladder.h"
#include "report/layout.h"
#include "support/text.h"

namespace kata::drill {
namespace {

constexpr double same_below = 1.05, different_above = 1.25;  // between: not asked
constexpr double too_far = 10;                               // nobody can know by how much
constexpr std::size_t farthest = 3;                          ///< rungs apart
constexpr int points_for_faster = 60, hardest = 3;           // level

double factor_of(const TimedRung& a, const TimedRung& b) {
  const auto [less, more] = std::minmax(a.row.median_us, b.row.median_us);
  return more / less;
}

/// What the faster one comes up against.
std::string topic_of(const TimedSize& size, const TimedRung& a, const TimedRung& b) {
  return a.row.launch_bound || b.row.launch_bound ? small_topic : size.limit;
}

/// "second is slower" -> "first"; what compares nothing stays, and what could mean both is empty.
std::string with_the_faster(const std::string& answer) {
  static const std::regex slow(R"(\b(slow|slower|slowest|longer|loses)\b)"),
      place(R"(\b(first|second|former|latter|1|2)\b)"), compared(R"(\bthan\b.*)");
  const std::string text = lower(answer);
  const std::string subject = std::regex_replace(text, compared, "");
  if (!std::regex_search(text, slow)) return subject;
  const std::sregex_iterator named(subject.begin(), subject.end(), place), none;
  if (negates(text) || named == none || std::next(named) != none) return {};
  const std::string slower = named->str();
  return slower == "first" || slower == "former" || slower == "1" ? "second" : "first";
}

/// The kernels have no letters: matrices have those.
class Which : public Item {
 public:
  Which(const Problem& problem, TimedSize size, TimedRung first, TimedRung second)
      : problem_(problem),
        drawn_(drawn_input(problem, size.shape)),
        size_(std::move(size)),
        first_(std::move(first)),
        second_(std::move(second)) {
    questions_ = {
        {Ask::faster,
         fmt::format("Which is faster, or are they equally fast (within {:.0f} %)?",
                     100 * (same_below - 1)),
         {"first", "second", "same"},
         points_for_faster},
        {Ask::factor,
         "How many times as long does the slower one take (full points within a factor of "
         "1.2)?",
         {},
         100 - points_for_faster}};
  }

  std::string text() const override {
    return layout::paragraph(problem_.summary, 2) + signature_text(problem_) + "\n" +
           layout::paragraph(
               fmt::format("Both kernels give the right result. Both were measured at {} on an "
                           "{}.{}",
                           named_sizes(problem_, size_.shape), size_.device,
                           drawn_.empty() ? "" : " " + drawn_),
               0);
  }
  std::string source() const override {
    return code_of({{"first", first_.rung}, {"second", second_.rung}});
  }
  const std::vector<Question>& questions() const override { return questions_; }
  Result<Points> judge(std::size_t question, const std::string& answer) override;
  std::string explanation() override;
  std::string next_step() const override {
    const auto [first, second] = std::minmax(first_.rung.number, second_.rung.number);
    return fmt::format("diff {} {} {}", problem_.name, first, second);
  }

 private:
  std::string ideas(const std::string& cause) const;
  std::string faster() const {
    if (factor_of(first_, second_) <= same_below) return "same";
    return first_.row.median_us < second_.row.median_us ? "first" : "second";
  }

  const Problem& problem_;
  const std::string drawn_;  ///< what of its input decides, too
  TimedSize size_;
  TimedRung first_, second_;
  std::vector<Question> questions_;
};

Result<Points> Which::judge(std::size_t question, const std::string& answer) {
  const Question& asked = questions_.at(question);
  if (asked.ask == Ask::faster) {
    const Result<std::string> choice = choice_from(asked, with_the_faster(answer));
    if (!choice) return choice.error();
    const bool right = *choice == faster();
    // "same" says the factor, too, and there is none from the wrong kernel to the other.
    const int of = right && *choice != "same" ? asked.points : 100;
    return Points{asked.ask, right ? of : 0, of,
                  right ? *choice
                  : faster() == "same"
                      ? "they are equally fast"
                      : fmt::format("the {} is faster; the other one takes {} times as long",
                                    faster(), factor_text(factor_of(first_, second_)))};
  }
  const Result<double> given = factor_from(answer);
  if (!given) return given.error();
  if (*given < 1) return Error{"Type a factor from 1 on, such as 1.5."};
  return Points{asked.ask, points_for_factor(*given, factor_of(first_, second_), asked.points),
                asked.points,
                fmt::format("{} times as long{}", factor_text(factor_of(first_, second_)),
                            factor_remark(*given, factor_of(first_, second_), asked.points))};
}

/// What the rungs from the lower to the upper one of the two add, and how that shows in counters.
/// `cause`: of the difference; empty if none is known.
std::string Which::ideas(const std::string& cause) const {
  const bool up = first_.rung.number < second_.rung.number;
  const TimedRung &lower = up ? first_ : second_, &upper = up ? second_ : first_;
  const std::string way = up ? "from the first to the second" : "from the second to the first";
  std::string text = layout::paragraph(
      fmt::format("The ladder adds this {}{}:", way,
                  faster() == "same" ? "; it has little effect at this size"
                  : upper.row.median_us > lower.row.median_us ? "; at this size it costs time"
                                                              : ""),
      0);
  for (const TimedRung& one : size_.rungs) {
    if (one.rung.number > lower.rung.number && one.rung.number <= upper.rung.number)
      text += layout::paragraph(one.rung.idea, 3);
  }
  const std::string changes = what_changes(problem_, size_, lower, upper);
  if (!changes.empty())
    text += layout::paragraph(fmt::format("Counters {}: {}.", way, changes), 0, 3);
  if (cause.empty() && faster() != "same")
    text += "kata's estimate from the counters does not explain the difference.\n";
  return text;
}

std::string Which::explanation() {
  const bool first_is_slower = first_.row.median_us > second_.row.median_us;
  const TimedRung &slower = first_is_slower ? first_ : second_,
                  &faster_one = first_is_slower ? second_ : first_;
  std::string text;
  for (const auto& [place, one] : {std::pair{"first", &first_}, std::pair{"second", &second_}})
    text += fmt::format("{:<7} {}, {} ({})\n", place + std::string(":"),
                        time_text(one->row.median_us, slower.row.median_us),
                        share_text(one->row.of_limit), one->rung.name);
  if (faster() == "same")
    text += fmt::format("They are equally fast: the slower one takes {} times as long.\n",
                        factor_text(factor_of(first_, second_)));
  const std::string cause =
      faster() == "same" ? "" : what_differs(problem_, size_, slower, faster_one);
  text += ideas(cause);
  if (!cause.empty())
    text += layout::paragraph(
        fmt::format("What slows the {} down: {}.", first_is_slower ? "first" : "second", cause), 0,
        3);
  return text + layout::paragraph(fmt::format("Measured on {}, {}.", size_.device, size_.date), 0);
}

std::string name_of(const Problem& problem, const TimedSize& size, const TimedRung& a,
                    const TimedRung& b) {
  return fmt::format("{}/{}/{}/{}", problem.name, kata::to_string(size.shape), a.rung.name,
                     b.rung.name);
}

using CodeLines = std::map<std::string, LinesByFile>;  // by rung

/// Of the files that only one of them has.
int lines_of_pair(const LinesByFile& first, const LinesByFile& second) {
  int lines = 0;
  for (const auto& [one, other] : {std::pair{&first, &second}, std::pair{&second, &first}}) {
    for (const auto& [file, count] : *one) lines += other->contains(file) ? 0 : count;
  }
  return lines;
}

/// The level is that of the code: one of the factor would give the answer away.
void add_pairs(const Problem& problem, const TimedSize& size, CodeLines& lines,
               std::vector<Offer>& offers) {
  for (std::size_t i = 0; i < size.rungs.size(); ++i) {
    for (std::size_t j = i + 1; j < std::min(size.rungs.size(), i + 1 + farthest); ++j) {
      const TimedRung &lower = size.rungs[i], &upper = size.rungs[j];
      const double factor = factor_of(lower, upper);
      if (factor > too_far || (factor > same_below && factor < different_above)) continue;
      for (const TimedRung* one : {&lower, &upper}) {
        LinesByFile& of_rung = lines[one->rung.name];
        if (of_rung.empty()) of_rung = lines_by_file(one->rung);
      }
      const int level =
          level_of_lines(lines_of_pair(lines[lower.rung.name], lines[upper.rung.name]));
      if (level > hardest) continue;
      offers.push_back({Kind::which, name_of(problem, size, lower, upper),
                        topic_of(size, lower, upper), level, &problem});
    }
  }
}

}  // namespace

Result<std::vector<Offer>> which_offers(const std::string& operator_name) {
  std::vector<Offer> offers;
  for (const Problem& problem : problems()) {
    if (!operator_name.empty() && problem.name != operator_name) continue;
    const Result<std::vector<TimedSize>> sizes = timed_sizes(problem);
    if (!sizes && !operator_name.empty()) return sizes.error();
    if (!sizes) continue;
    CodeLines lines;
    for (const TimedSize& size : *sizes) add_pairs(problem, size, lines, offers);
  }
  return offers;
}

Result<std::unique_ptr<Item>> make_which(const Offer& offer) {
  const std::vector<std::string> parts = split(offer.name, '/');
  const Error gone{fmt::format("there is no pair {} any more", offer.name)};
  if (parts.size() != 4) return gone;
  Result<TimedSize> size = timed_size(*offer.problem, parts[1]);
  if (!size) return size.error();
  const TimedRung *a = find_rung(*size, parts[2]), *b = find_rung(*size, parts[3]);
  if (!a || !b) return gone;
  if (Draw(offer.name).below(2) == 1) std::swap(a, b);
  auto item = std::make_unique<Which>(*offer.problem, *size, *a, *b);
  if (level_of_code(item->source()) > offer.level)
    return Error{"its code is too long to be read in the time of its level"};
  return std::unique_ptr<Item>(std::move(item));
}

}  // namespace kata::drill
