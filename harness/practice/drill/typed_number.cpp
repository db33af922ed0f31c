// Numbers, as a person types them.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "practice/drill/answer.h"
#include "practice/drill/reading.h"
#include "support/text.h"

namespace kata::drill {
namespace {

constexpr const char* number_words[] = {
    "zero",     "one",     "two",     "three",     "four",     "five",     "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
constexpr const char* ordinals[] = {"first", "second", "third", "fourth", "fifth"};

/// Without words before a number that add nothing: "~2", "about 2", "a factor of 2".
std::string without_preface(const std::string& text) {
  static const std::regex preface(
      R"(^(\s|~|≈|=|(about|approximately|approx\.?|around|roughly|nearly|almost|circa|ca\.|maybe|)"
      R"(probably|perhaps|i think|i guess|it is|it's|by|a|an|the|factor|of)(?=[\s\d])|x(?=\s*\d))+)",
      any_case);
  return std::regex_replace(text, preface, "");
}

using Replacements = std::vector<std::pair<std::regex, std::string>>;

Replacements words_for_digits() {
  Replacements all;
  for (std::size_t i = 0; i < std::size(number_words); ++i)
    all.emplace_back(std::regex(std::string("\\b") + number_words[i] + "\\b", any_case),
                     std::to_string(i));
  all.emplace_back(std::regex(R"(\b(twice|double|doubled)\b)", any_case), "2");
  all.emplace_back(std::regex(R"(\b(thrice|triple|tripled)\b)", any_case), "3");
  all.emplace_back(std::regex(R"((\d) +and +(a|1) +half\b)", any_case), "$1.5");
  all.emplace_back(std::regex(R"(\bhalf\b)", any_case), "0.5");
  all.emplace_back(
      std::regex(R"(\ban? +(?=(hundred|thousand|million|billion|trillion)\b))", any_case), "1 ");
  return all;
}

/// "two times" -> "2 times", "half" -> "0.5", "two and a half" -> "2.5", "a hundred" -> "1
/// hundred".
std::string with_digits(std::string text) {
  static const Replacements all = words_for_digits();
  for (const auto& [said, digits] : all) text = std::regex_replace(text, said, digits);
  return text;
}

/// "3 * 128", "2^20 / 32": a product of powers from `at`, which then is its end.
std::optional<double> product_at(const char*& at) {
  const auto number = [&]() -> std::optional<double> {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at || !std::isfinite(value)) return {};
    at = end;
    return value;
  };
  const auto next_sign = [&] {
    const char* sign = at;
    while (*sign == ' ') ++sign;
    const bool is_times = *sign == 'x' && std::regex_search(sign, std::regex(R"(^x *\d)"));
    return *sign == '^' || *sign == '*' || *sign == '/' || is_times ? sign : nullptr;
  };
  const auto power = [&]() -> std::optional<double> {
    auto value = number();
    const char* const sign = value ? next_sign() : nullptr;
    if (!sign || *sign != '^') return value;
    at = sign + 1;
    const auto exponent = number();
    return exponent ? std::optional(std::pow(*value, *exponent)) : std::nullopt;
  };
  auto value = power();
  while (const char* const sign = value ? next_sign() : nullptr) {
    at = sign + 1;
    const auto factor = power();
    if (!factor) return {};
    value = *sign == '/' ? *value / *factor : *value * *factor;
  }
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// "1,5" -> "1.5"; groups of three digits are thousands.
std::string with_points(const std::string& text) {
  static const std::regex comma(R"((\d),(?=\d{1,2}(?!\d)))");
  return std::regex_replace(text, comma, "$1.");
}

/// "KiB", "kb", "k", "megabytes", "million"; nothing if it is no such word.
std::optional<double> factor_of(const std::string& word, double kilo) {
  static const std::regex prefixed(
      R"((k|m|g|t|kilo|mega|giga|tera|kibi|mebi|gibi)(i?)(b|bytes?)?)");
  constexpr std::pair<std::string_view, double> words[] = {
      {"hundred", 1e2}, {"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}};
  const auto found = std::ranges::find(words, word, &std::pair<std::string_view, double>::first);
  if (found != std::end(words)) return found->second;
  std::smatch parts;
  if (!std::regex_match(word, parts, prefixed)) return {};
  const bool is_binary = parts.length(2) > 0 || parts.str(1).ends_with("bi");
  const auto power = 1 + std::string_view("kmgt").find(word.front());
  return std::pow(is_binary ? 1024 : kilo, static_cast<double>(power));
}

/// "kb" where no bytes are asked for, "floats" where bytes are.
bool says_another_unit(const std::string& word, Unit asked) {
  static const std::regex bytes(R"(([kmgt]|kilo|mega|giga|tera|kibi|mebi|gibi)?i?(b|bytes?)\b.*)"),
      elements(R"((floats?|halfs?|halves|doubles?|ints?|elements?|words?|values?|numbers?)\b.*)");
  return std::regex_match(word, asked == Unit::bytes ? elements : bytes);
}

}  // namespace

std::string without_thousands(const std::string& text) {
  static const std::regex thousands(R"((\d)[,_](?=\d{3}(?!\d)))");
  return std::regex_replace(text, thousands, "$1");
}

const char* suffix(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return " bytes";
    case Unit::percent:
      return " %";
    case Unit::us:
      return " us";
    case Unit::gb_per_s:
      return " GB/s";
    default:
      return "";
  }
}

std::optional<double> number_from(const std::string& text, Unit asked, double kilo) {
  struct OwnUnit {
    std::string_view name;
    Unit unit;
    double factor;
  };
  constexpr OwnUnit units[] = {{"%", Unit::percent, 1},
                               {"percent", Unit::percent, 1},
                               {"us", Unit::us, 1},
                               {"µs", Unit::us, 1},
                               {"microseconds", Unit::us, 1},
                               {"ms", Unit::us, 1e3},
                               {"milliseconds", Unit::us, 1e3},
                               {"ns", Unit::us, 1e-3},
                               {"s", Unit::us, 1e6},
                               {"gb/s", Unit::gb_per_s, 1},
                               {"tb/s", Unit::gb_per_s, 1e3}};
  const std::string digits = with_points(without_thousands(without_preface(with_digits(text))));
  const char* end = digits.c_str();
  const std::optional<double> value = product_at(end);
  if (!value || (asked == Unit::percent && *value > 100)) return {};
  std::string rest = lower(std::string(trimmed(end)));
  while (!rest.empty() && std::string_view(".!?").find(rest.back()) != std::string_view::npos)
    rest.pop_back();
  const std::string word = rest.substr(0, rest.find(' '));
  for (const OwnUnit& own : units) {
    if (word == own.name)
      return asked == own.unit ? std::optional(*value * own.factor) : std::nullopt;
  }
  const auto factor = factor_of(word, kilo);
  const std::string counted = factor ? std::string(trimmed(rest.substr(word.size()))) : rest;
  if (says_another_unit(word, asked) || says_another_unit(counted, asked)) return {};
  if (factor) return *value * *factor;
  const bool is_word = std::none_of(rest.begin(), rest.end(), [](char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) || letter == ',' || letter == '.';
  });
  return is_word ? value : std::nullopt;  // "1.5 times"
}

Result<double> factor_from(const std::string& text) {
  static const std::regex range(R"(\d *[x%]? *(-|–|to|or|and) *\d)", any_case),
      subject(R"(^.*\b(takes?|needs|runs|is|be|one|kernel)\b(?=.*\d))", any_case),
      percent(R"(^[^\d]*(\d+([.,]\d+)?) *(%|per ?cent)(.*)$)", any_case),
      part(R"(\b(of|less|shorter)\b)", any_case);
  const std::string digits = with_digits(std::regex_replace(text, subject, ""));
  const Error unclear{
      "Type one factor, such as 1.5: 50 % longer is 1.5, half of the time is a factor of 2."};
  if (std::regex_search(digits, range)) return unclear;
  std::smatch found;
  if (!std::regex_search(digits, found, percent)) {
    const auto factor = number_from(digits);
    return factor && *factor > 0 ? Result<double>(*factor) : unclear;
  }
  const double more = std::stod(with_points(found.str(1)));
  if (more >= 100 || std::regex_search(found.str(4), part)) return unclear;
  return 1 + more / 100;
}

std::optional<int> whole_from(const std::string& text) {
  static const std::regex number(R"((?:\b|#)(?:line|l|option)?(\d+)\b)", any_case),
      around(R"(^(the|in|at|line|number|option|choice| )+|( one)$)", any_case);
  const std::sregex_iterator first(text.begin(), text.end(), number), none;
  constexpr std::ptrdiff_t longest = 6;
  if (first != none)
    return std::next(first) == none && first->length(1) <= longest
               ? std::optional(std::stoi(first->str(1)))
               : std::nullopt;
  const std::string word = lower(std::regex_replace(text, around, ""));
  const auto at = std::ranges::find(number_words, word);
  if (at != std::end(number_words)) return static_cast<int>(at - std::begin(number_words));
  const auto place = std::ranges::find(ordinals, word);
  if (place != std::end(ordinals)) return 1 + static_cast<int>(place - std::begin(ordinals));
  return {};
}

}  // namespace kata::drill
