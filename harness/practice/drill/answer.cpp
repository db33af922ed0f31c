#include "practice/drill/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <set>

#include "grading/candidate.h"
#include "practice/drill/reading.h"
#include "support/text.h"

namespace kata::drill {
namespace {

constexpr auto any_case = std::regex::ECMAScript | std::regex::icase;

constexpr const char* number_words[] = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
constexpr const char* ordinals[] = {"first", "second", "third", "fourth", "fifth"};

/// What people say for a choice, and its words.
struct Synonym {
  std::regex said;
  const char* meant;
};

const std::vector<Synonym>& synonyms() {
  static const std::vector<Synonym> all = {
      {std::regex(R"(\b(not|non) coalesced\b|\bcoalesc(ing|ed)\b)"), "uncoalesced"},
      {std::regex(
           R"(\boff.by.one\b|\boob\b|\bout of range\b|\bpast the end\b|\billegal (memory )?access\b)"),
       "out of bounds"},
      {std::regex(R"(\bdeadlocks?\b|\bhangs?\b|(\b|__)sync(threads|warp)?\b)"), "barrier"},
      {std::regex(R"(\bcrash(es)?\b|\bdoes not (compile|launch)\b|\blaunch error\b)"),
       "does not run"},
      {std::regex(R"(\bincorrect\b|\bwrong (answer|value|output|number)s?\b)"), "wrong result"},
      {std::regex(R"(\bnothing( breaks| changes)?\b|\b(still )?(correct|fine|ok|okay|passes)\b)"),
       "right"},
      {std::regex(R"(\bequal(ly)?( fast)?\b|\btie\b|\bno difference\b)"), "same"},
      {std::regex(R"(\buninitiali[sz]ed( memory)?\b|\bgarbage\b)"), "uninitialized stale state"},
      {std::regex(R"(\brandom\b|\bgaussian\b)"), "normal"}};
  return all;
}

/// Without what stands before a number and adds nothing: "~2", "about 2", "a factor of 2".
std::string without_preface(const std::string& text) {
  static const std::regex preface(
      R"(^(\s|~|≈|=|(about|approximately|approx\.?|around|roughly|nearly|almost|circa|ca\.|maybe|)"
      R"(probably|perhaps|i think|i guess|it is|it's|by|a|an|the|factor|of)(?=[\s\d])|x(?=\s*\d))+)",
      any_case);
  return std::regex_replace(text, preface, "");
}

/// "two times" -> "2 times", "half" -> "0.5".
std::string with_digits(std::string text) {
  for (std::size_t i = 0; i < std::size(number_words); ++i)
    text =
        std::regex_replace(text, std::regex(std::string("\\b") + number_words[i] + "\\b", any_case),
                           std::to_string(i));
  static const std::regex twice(R"(\b(twice|double|doubled)\b)", any_case),
      half(R"(\bhalf\b)", any_case);
  return std::regex_replace(std::regex_replace(text, twice, "2"), half, "0.5");
}

/// "3 * 128", "2^20 / 32": a product of powers from `at`, which then stands behind it.
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

/// In small letters, without punctuation and plurals.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char letter : lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(letter)))
      words.back() += letter;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  for (std::string& one : words) {
    if (one.size() > 3 && one.ends_with('s')) one.pop_back();
  }
  return words;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// The only one of the names whose words fit; nothing if none or several do.
template <class Fits>
std::optional<std::string> only_one(const std::vector<std::string>& names, Fits fits) {
  std::optional<std::string> found;
  for (const std::string& name : names) {
    if (!fits(words_in(name))) continue;
    if (found) return {};
    found = name;
  }
  return found;
}

std::string with_synonyms(std::string text) {
  for (const Synonym& one : synonyms()) text = std::regex_replace(text, one.said, one.meant);
  return text;
}

/// "beta -1", as case names have it behind the values; what is not named has its usual value.
Result<std::vector<float>> reals_from(const Problem& problem,
                                      const std::vector<std::string>& parts) {
  const std::vector<Parameter>& all = problem.signature.reals;
  std::vector<float> reals;
  for (const Parameter& one : all) reals.push_back(one.value);
  for (const std::string& part : parts) {
    const std::string typed = std::regex_replace(part, std::regex(" *= *"), " ");
    const std::string name = typed.substr(0, typed.find(' ')), number = typed.substr(name.size());
    const auto named = std::ranges::find(all, name, &Parameter::name);
    if (named == all.end()) return Error{fmt::format("{} has no scalar {}.", problem.name, name)};
    char* end = nullptr;
    const float value = std::strtof(number.c_str(), &end);
    if (end == number.c_str() || *end != '\0') return Error{name + " needs a number."};
    reals[static_cast<std::size_t>(named - all.begin())] = value;
  }
  return reals;
}

/// "constant, beta -1" -> "constant" and "beta -1": scalars have numbers.
std::pair<std::string, std::vector<std::string>> values_and_scalars(const std::string& text) {
  std::string values;
  std::vector<std::string> scalars;
  for (const std::string& typed : split(text, ',')) {
    const std::string part(trimmed(typed));
    if (part.find_first_of("0123456789") != std::string::npos)
      scalars.push_back(part);
    else if (!part.empty())
      values += (values.empty() ? "" : " ") + part;
  }
  return {values, scalars};
}

/// "1,536" -> "1536"
std::string without_thousands(const std::string& text) {
  static const std::regex thousands(R"((\d)[,_](?=\d{3}(?!\d)))");
  return std::regex_replace(text, thousands, "$1");
}

/// "rows = 17, cols 1023 constant" -> "17x1023 constant"; the text as it is where a size is not
/// named.
std::string with_sizes_in_order(const Problem& problem, const std::string& text) {
  std::string rest = text, sizes;
  for (const Parameter& one : problem.signature.integers) {
    const std::regex named(R"(\b)" + one.name + R"(\s*[=: ]\s*(\d+)\s*(,|and\b)?)", any_case);
    std::smatch found;
    if (!std::regex_search(rest, found, named)) return text;
    sizes += (sizes.empty() ? "" : "x") + found.str(1);
    rest = found.prefix().str() + " " + found.suffix().str();
  }
  return sizes + " " + std::string(trimmed(rest));
}

/// "17 by 1,023 values" -> "17x1023"
std::string with_plain_sizes(std::string text) {
  static const std::regex power(R"((\d+)\^(\d+))"), by(R"((\d) *(?:x|×|\*|by) *(?=\d))", any_case),
      list(R"(^\d+(?:[ ,]+\d+)+(?!\d))"),
      words(R"((^|\b)(a|any|size|sizes|shape|of|with|element|elements|value|values)\b)", any_case);
  std::smatch found;
  while (std::regex_search(text, found, power))
    text = fmt::format("{}{:.0f}{}", found.prefix().str(),
                       std::pow(std::stod(found.str(1)), std::stod(found.str(2))),
                       found.suffix().str());
  text = std::string(trimmed(std::regex_replace(text, words, "")));
  text = std::regex_replace(text, by, "$1x");
  if (!std::regex_search(text, found, list)) return text;
  return std::regex_replace(found.str(), std::regex("[ ,]+"), "x") + found.suffix().str();
}

}  // namespace

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

std::optional<double> number_from(const std::string& text, Unit asked) {
  constexpr std::pair<std::string_view, double> factors[] = {
      {"k", 1e3},       {"m", 1e6},        {"g", 1e9},       {"t", 1e12},      {"kb", 1e3},
      {"mb", 1e6},      {"gb", 1e9},       {"kib", 0x1p10},  {"mib", 0x1p20},  {"gib", 0x1p30},
      {"hundred", 1e2}, {"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}};
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
  const std::string digits = without_thousands(with_digits(without_preface(text)));
  const char* end = digits.c_str();
  const std::optional<double> value = product_at(end);
  if (!value || (asked == Unit::percent && *value > 100)) return {};
  std::string unit = lower(std::string(trimmed(end)));
  while (!unit.empty() && std::string_view(".!?").find(unit.back()) != std::string_view::npos)
    unit.pop_back();
  for (const OwnUnit& own : units) {
    if (unit == own.name)
      return asked == own.unit ? std::optional(*value * own.factor) : std::nullopt;
  }
  for (const auto& [name, factor] : factors) {
    if (unit == name || unit == std::string(name) + " bytes") return *value * factor;
  }
  const bool is_word = std::none_of(unit.begin(), unit.end(), [](char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) || letter == ',' || letter == '.';
  });
  return is_word ? value : std::nullopt;  // "1.5 times"
}

std::optional<int> whole_from(const std::string& text) {
  static const std::regex number(R"(\d+)"),
      around(R"(^(the|in|at|line|number|option|choice| )+|( one)$)", any_case);
  const std::sregex_iterator first(text.begin(), text.end(), number), none;
  constexpr std::ptrdiff_t longest = 6;
  if (first != none)
    return std::next(first) == none && first->length() <= longest
               ? std::optional(std::stoi(first->str()))
               : std::nullopt;
  const std::string word = lower(std::regex_replace(text, around, ""));
  const auto at = std::ranges::find(number_words, word);
  if (at != std::end(number_words)) return static_cast<int>(at - std::begin(number_words));
  const auto place = std::ranges::find(ordinals, word);
  if (place != std::end(ordinals)) return 1 + static_cast<int>(place - std::begin(ordinals));
  return {};
}

std::optional<std::string> name_from(const std::vector<std::string>& names,
                                     const std::string& text) {
  const std::vector<std::string> typed = words_in(with_synonyms(lower(text)));
  const bool negates = has(typed, "not");
  const auto allowed = [&](const std::vector<std::string>& name) {
    return !negates || has(name, "not");
  };
  const auto all_are_typed = [&](const std::vector<std::string>& name) {
    return allowed(name) &&
           std::ranges::all_of(name, [&](const std::string& word) { return has(typed, word); });
  };
  if (const auto whole = only_one(names, all_are_typed)) return whole;
  if (std::ranges::any_of(names, [&](const auto& name) { return all_are_typed(words_in(name)); }))
    return {};  // "race or barrier"
  const auto one_is_typed = [&](const std::vector<std::string>& name) {
    return allowed(name) && std::ranges::any_of(name, [&](const std::string& word) {
             return word.size() > 3 && has(typed, word);
           });
  };
  if (const auto part = only_one(names, one_is_typed)) return part;
  constexpr std::size_t telling = 5;  // letters: "index" is "indexing"
  return only_one(names, [&](const std::vector<std::string>& name) {
    return allowed(name) && std::ranges::any_of(typed, [&](const std::string& word) {
             return word.size() >= telling && name.front().starts_with(word);
           });
  });
}

Result<std::string> choice_from(const Question& question, const std::string& answer) {
  const std::string typed = lower(answer);
  std::vector<std::string> begun;
  for (const std::string& one : question.choices) {
    if (typed == lower(one)) return one;
    if (!typed.empty() && lower(one).starts_with(typed)) begun.push_back(one);
  }
  if (begun.size() == 1) return begun.front();
  const bool are_sentences = question.choices.front().ends_with('.');
  if (const auto named = are_sentences ? std::nullopt : name_from(question.choices, answer))
    return *named;
  const auto number = whole_from(answer);
  if (number && *number >= 1 && *number <= static_cast<int>(question.choices.size()))
    return question.choices[static_cast<std::size_t>(*number - 1)];
  const std::string most = std::to_string(question.choices.size());
  if (question.choices.size() <= 3)
    return Error{
        fmt::format("Type a number from 1 to {}, or {}.", most, fmt::join(question.choices, ", "))};
  return Error{fmt::format("Type a number from 1 to {}{}.", most,
                           are_sentences ? "" : ", or the word beside it")};
}

bool says_finding(const std::string& text) {
  static const std::regex said(R"(\bfindings?\b|\bno input\b|^none$|^(only )?an? race$)", any_case);
  return std::regex_search(text, said);
}

Result<Case> case_from(const Problem& problem, const std::string& typed) {
  const bool is_list = problem.signature.integers.size() > 1;  // 16,128
  const std::string text =
      with_plain_sizes(with_sizes_in_order(problem, is_list ? typed : without_thousands(typed)));
  const std::size_t size_end = std::min(text.find_first_of(", "), text.size());
  const auto [values, scalars] = values_and_scalars(text.substr(size_end));
  const Result<Shape> shape = parse_shape(text.substr(0, size_end));
  if (!shape)
    return Error{"Type sizes and values, such as " + name_of(problem, problem.cases.front()) + "."};
  std::vector<std::string> names;
  for (const auto& [value, name] : values_names) names.emplace_back(name);
  const auto known = std::ranges::find(names, values) != names.end() ? std::optional(values)
                                                                     : name_from(names, values);
  if (!values.empty() && !known)
    return Error{fmt::format("The kinds of values are: {}.", fmt::join(names, ", "))};
  const Result<Shape> fitting = check_shape(problem, *shape);
  constexpr std::string_view option = "--size ";
  if (!fitting) {
    const std::string& why = fitting.error().message;
    return Error{why.substr(why.starts_with(option) ? option.size() : 0)};
  }
  Case one{*shape};
  for (const auto& [value, name] : values_names) {
    if (known == name) one.values = value;
  }
  if (scalars.empty()) return one;
  auto reals = reals_from(problem, scalars);
  if (!reals) return reals.error();
  one.reals = std::move(*reals);
  return one;
}

}  // namespace kata::drill
