#pragma once
// What a person types, read in one way for every kind of drill: what can only mean one thing is
// taken for it, however it is written.

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "practice/drill/item.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata::drill {

inline constexpr auto any_case = std::regex::ECMAScript | std::regex::icase;

/// What a number counts; an answer in another unit is no answer.
enum class Unit { plain, bytes, percent, us, gb_per_s };

/// " us": what follows a number; empty for a plain one.
const char* suffix(Unit unit);

/// What a KB has where bytes are counted, and where anything else is.
inline constexpr double binary_kilo = 1024, decimal_kilo = 1000;
constexpr double kilo_of(Unit unit) {
  return unit == Unit::bytes ? binary_kilo : decimal_kilo;
}

/// "1536", "about 2", "two", "2x", "1,5", "2^24", "3 * 128", "37.5 %", "1.2e9", "64k", "2 KiB",
/// "1.75 ms" (as 1750). Nothing if it is no number, or in a unit that was not asked for.
std::optional<double> number_from(const std::string& text, Unit unit, double kilo);
inline std::optional<double> number_from(const std::string& text, Unit unit = Unit::plain) {
  return number_from(text, unit, kilo_of(unit));
}

/// The same, and "30 % longer" as 1.3, "the second one takes 3 times as long". An Error asks back
/// what could mean two things, such as "2-3x" or "200 %".
Result<double> factor_from(const std::string& text);

/// "1,536" -> "1536"
std::string without_thousands(const std::string& text);

/// "11", "line 11", "L11", "#11", "eleven"; nothing if there is not exactly one whole number.
std::optional<int> whole_from(const std::string& text);

/// The only one of the names that the text can mean: "race condition" is "race", "conflict" is
/// "bank conflicts", "oob" is "out of bounds".
std::optional<std::string> name_from(const std::vector<std::string>& names,
                                     const std::string& text);

/// Whether it says no to something: what it then means is asked again.
bool negates(const std::string& text);

/// The choice that was typed by its number, its beginning or its words; of sentences the one that
/// has most of the words.
Result<std::string> choice_from(const Question& question, const std::string& answer);

/// Whether it says that no result is wrong: "finding", "only a finding", "no input".
bool says_finding(const std::string& text);

/// "17x1023 large magnitude, beta -1", as kata prints a case, or "rows = 17, cols = 1023"; values
/// and scalars may be left out. An Error if that is no input of the operator.
Result<Case> case_from(const Problem& problem, const std::string& text);

}  // namespace kata::drill
