#pragma once
// What a person types, read in one way for every kind of drill: what can only mean one thing is
// taken for it, however it is written.

#include <optional>
#include <string>
#include <vector>

#include "practice/drill/item.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata::drill {

/// What a number counts; an answer in another unit is no answer.
enum class Unit { plain, bytes, percent, us, gb_per_s };

/// " us": what stands behind a number; empty for a plain one.
const char* suffix(Unit unit);

/// "1536", "about 2", "two", "2x", "2^24", "3 * 128", "37.5 %", "1.2e9", "64k", "3 MB" (as 3e6),
/// "2 KiB", "1.75 ms" (as 1750). Nothing if it is no number, or in a unit that was not asked for.
std::optional<double> number_from(const std::string& text, Unit unit = Unit::plain);

/// "11", "line 11", "L11", "#11", "eleven"; nothing if there is not exactly one whole number.
std::optional<int> whole_from(const std::string& text);

/// The only one of the names that the text can mean: "race condition" is "race", "conflict" is
/// "bank conflicts", "oob" is "out of bounds".
std::optional<std::string> name_from(const std::vector<std::string>& names,
                                     const std::string& text);

/// The choice that was typed by its number, its beginning or its words.
Result<std::string> choice_from(const Question& question, const std::string& answer);

/// Whether it says that no result is wrong: "finding", "only a finding", "no input".
bool says_finding(const std::string& text);

/// "17x1023 large magnitude, beta -1", as kata prints a case, or "rows = 17, cols = 1023"; values
/// and scalars may be left out. An Error if that is no input of the operator.
Result<Case> case_from(const Problem& problem, const std::string& text);

}  // namespace kata::drill
