#pragma once
// A text that a drill asks about, judged in the emulator.

#include <filesystem>
#include <functional>

#include "grading/grade.h"

namespace kata::drill {

inline constexpr std::uint64_t judge_seed = 1;

/// All usual cases. `place`: the file that the text is taken for.
Report judged(const Problem& problem, const std::filesystem::path& place, const std::string& text);

/// The same for a small change of a kernel that passed: a timeout after a second for a case.
Report judged_as_change(const Problem& problem, const std::filesystem::path& place,
                        const std::string& text);

/// Drawn cases, too: what `kata check` says before its large cases, which may take seconds.
Report judged_with_drawn(const Problem& problem, const std::filesystem::path& place,
                         const std::string& text);

/// What `kata check` says: drawn and large cases, too.
Report judged_in_full(const Problem& problem, const std::filesystem::path& place,
                      const std::string& text);

/// The first case that is right; null if all fail.
const CaseResult* passing_case(const Report& report);

/// Without what may be the cause, such as "(is a barrier missing?)" or "past the last multiple of
/// 4", and without what one of several runs looks like.
std::string without_guess(const std::string& explanation);

/// What is wrong in a case, without a cause: several may give the same numbers.
std::string what_shows(const Report& report, const CaseResult& failure);

/// The error with a line that has the greatest weight, of equals the first; null if there is none.
const Finding* heaviest(const Report& report, const std::function<int(const Finding&)>& weight);

/// What a GPU does of which the emulator only tells: "; a GPU stops there with an error".
std::string on_a_gpu(const Finding& finding);

/// "257 normal: race at relu.cu:18: ..."
std::string evidence(const Problem& problem, const Finding& finding);

/// Of the first finding, else the numbers of a failing case.
std::string evidence(const Problem& problem, const Report& report);

/// An input that a person typed, and what came of it.
struct Input {
  std::string name;  ///< "17x1023 large magnitude"
  bool fails = false;
  std::string remark = {};  ///< "2 normal fails: y[0] is 1 and should be 0.5"
};

/// The same as an Error if it takes too long.
Result<Input> run_input(const Problem& problem, const std::string& text,
                        const std::filesystem::path& place, const std::string& typed);

}  // namespace kata::drill
