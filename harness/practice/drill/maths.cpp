#include "practice/drill/maths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "practice/drill/maths_families.h"
#include "report/layout.h"

namespace kata::drill {
namespace {

constexpr unsigned variants = 30;  ///< of a family that is about no operator
constexpr double nearby = 2;       ///< an estimate within this factor has some points

std::vector<Family> families() {
  std::vector<Family> all;
  for (const auto& some : {chip_families(), operator_families(), access_families()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// Parts of "stride/17" and "bytes/sgemm/2".
std::string family_of(const Offer& offer) {
  return offer.name.substr(0, offer.name.find('/'));
}

std::string how_exact(const Number& number) {
  return number.tolerance == 0
             ? ""
             : fmt::format(" (within {:g} %)", std::round(1000 * number.tolerance) / 10);
}

class Numbers : public Item {
 public:
  Numbers(Exercise exercise, std::string next, std::string source)
      : exercise_(std::move(exercise)), next_(std::move(next)), source_(std::move(source)) {
    int left = 100;
    for (std::size_t i = 0; i < exercise_.numbers.size(); ++i) {
      const int points = left / static_cast<int>(exercise_.numbers.size() - i);
      left -= points;
      const Number& one = exercise_.numbers[i];
      questions_.push_back({Ask::number, one.text + how_exact(one), {}, points});
    }
  }

  /// Words are broken, code is not.
  std::string text() const override {
    const std::size_t code = exercise_.setting.find("\n\n");
    const std::string words = layout::paragraph(exercise_.setting.substr(0, code), 2);
    return code == std::string::npos ? words : words + exercise_.setting.substr(code + 1);
  }
  const std::vector<Question>& questions() const override { return questions_; }
  Result<Points> judge(std::size_t question, const std::string& answer) override;
  std::string explanation() override {
    std::string text;
    for (const Number& one : exercise_.numbers) text += layout::paragraph(one.steps, 0);
    return text;
  }
  std::string source() const override { return source_; }
  std::string next_step() const override { return next_; }

 private:
  const Exercise exercise_;
  const std::string next_, source_;
  std::vector<Question> questions_;
};

const char* forms_of(Unit unit) {
  switch (unit) {
    case Unit::percent:
      return "Type a percentage from 0 to 100, such as 37.5.";
    case Unit::us:
      return "Type microseconds, such as 12.5, or another time, such as 1.2 ms.";
    case Unit::gb_per_s:
      return "Type GB/s, such as 3350, or 3.35 TB/s.";
    case Unit::bytes:
      return "Type bytes, such as 1536, 48 KB (of 1024) or 2^24.";
    default:
      return "Type a number, such as 1536, 2^24 or 1.2e9.";
  }
}

/// What the answer may mean, the usual reading first: of bytes that are no exact count a KB may
/// have 1000, and a percentage below 1 without its sign may be a share.
std::vector<double> readings_of(const std::string& answer, const Number& asked) {
  const auto usual = number_from(answer, asked.unit);
  if (!usual || *usual < 0) return {};
  std::vector<double> all{*usual};
  if (asked.unit == Unit::bytes && asked.tolerance > 0)
    all.push_back(number_from(answer, asked.unit, decimal_kilo).value_or(*usual));
  static const std::regex percent("%|per ?cent", any_case);
  if (asked.unit == Unit::percent && *usual < 1 && !std::regex_search(answer, percent))
    all.push_back(100 * *usual);
  return all;
}

Result<Points> Numbers::judge(std::size_t question, const std::string& answer) {
  const Number& asked = exercise_.numbers.at(question);
  const std::vector<double> readings = readings_of(answer, asked);
  if (readings.empty()) return Error{forms_of(asked.unit)};
  const int of = questions_[question].points;
  const double most = asked.tolerance * std::abs(asked.truth) + 1e-9;
  const bool right = std::ranges::any_of(
      readings, [&](double one) { return std::abs(one - asked.truth) <= most; });
  const double given = readings.front();
  if (!right && asked.unit == Unit::percent && asked.truth > 1 && readings.size() > 1 && given > 0)
    return Error{fmt::format("{} is less than 1 %. Type {:g} for {:g} %.", answer, readings.back(),
                             readings.back())};
  const bool near = asked.tolerance > 0 && given > 0 && given <= nearby * asked.truth &&
                    asked.truth <= nearby * given;
  return Points{Ask::number, right ? of : (near ? of / 4 : 0), of,
                fmt::format("{}it is {}{}", near && !right ? "near: " : "",
                            number_text(asked.truth), suffix(asked.unit))};
}

}  // namespace

std::vector<Offer> maths_offers(const std::string& operator_name) {
  std::vector<Offer> offers;
  for (const Family& family : families()) {
    if (!family.about_operators && operator_name.empty()) {
      for (unsigned i = 0; i < variants; ++i)
        offers.push_back({Kind::maths, fmt::format("{}/{}", family.name, i), family.name,
                          1 + static_cast<int>(i % 3)});
    }
    if (!family.about_operators) continue;
    for (const Problem& problem : problems()) {
      if ((!operator_name.empty() && problem.name != operator_name) || !family.fits(problem))
        continue;
      for (int level = 1; level <= 3; ++level)
        offers.push_back({Kind::maths, fmt::format("{}/{}/{}", family.name, problem.name, level),
                          family.name, level, &problem});
    }
  }
  return offers;
}

Result<std::unique_ptr<Item>> make_maths(const Offer& offer) {
  for (const Family& family : families()) {
    if (family.name != family_of(offer)) continue;
    Draw draw(offer.name);
    Result<Exercise> exercise = family.make(draw, offer.level, offer.problem);
    if (!exercise) return exercise.error();
    const std::string next =
        exercise->program.empty() ? "drill maths" : "run " + exercise->program + " --lines";
    return numbers_item(std::move(*exercise), next);
  }
  return Error{fmt::format("there is no question {} any more", offer.name)};
}

std::string number_text(double value) {
  if (value != std::round(value) && value < 1e3) return fmt::format("{:.4g}", value);
  return value >= 1e5 ? grouped(std::round(value)) : fmt::format("{:.0f}", value);
}

std::string words_of_family(const std::string& name) {
  const std::vector<Family> all = families();
  const auto found = std::ranges::find(all, name, [](const Family& one) { return one.name; });
  return found == all.end() ? name : found->words;
}

std::unique_ptr<Item> numbers_item(Exercise exercise, std::string next, std::string source) {
  return std::make_unique<Numbers>(std::move(exercise), std::move(next), std::move(source));
}

}  // namespace kata::drill
