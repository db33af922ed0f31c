#pragma once
// The outcomes of a class as files: for a spreadsheet, for CI, for a browser, for each person.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "classroom/judge_submission.h"
#include "classroom/similar.h"
#include "support/result.h"

namespace kata {

struct ClassResults {
  std::vector<JudgedHandIn> outcomes;
  std::vector<Similar> similar = {};
  std::uint64_t points = 100;  ///< of a submission that passes; else 0
};

std::string words_of(Verdict verdict);
std::uint64_t points_of(const JudgedHandIn& outcome, std::uint64_t points);

/// "3 submissions: 2 pass, 1 fails"
std::string counts_of(const std::vector<JudgedHandIn>& outcomes);

/// In one line: the explanation, the finding with its line, or the error.
std::string summary_of(const Report& report);

/// For a terminal: how many, the first that do not pass with the reason, and the most similar
/// pairs.
std::string to_text(const ClassResults& results);
/// One JSON object: a row for each submission, and similar pairs.
std::string to_json_text(const ClassResults& results);
std::string to_csv(const ClassResults& results);
std::string to_junit(const ClassResults& results);
Result<std::string> to_page(const ClassResults& results);

/// Gradescope's results.json, for one person's submissions.
std::string to_gradescope(const std::vector<const JudgedHandIn*>& outcomes, std::uint64_t points);
/// The result that GitHub Classroom's autograding reporter takes, before it is base64.
std::string to_github_classroom(const std::vector<const JudgedHandIn*>& outcomes,
                                std::uint64_t points);

/// results.csv, junit.xml, index.html, and people/NAME/ with report.txt and the two results.
std::optional<Error> write_results(const ClassResults& results,
                                   const std::filesystem::path& folder);

}  // namespace kata
