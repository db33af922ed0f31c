#pragma once
// For each submission that passes a sheet of questions about that very code, and the answers on a
// page of their own: work that was copied cannot answer them.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "classroom/judge_class.h"
#include "support/result.h"

namespace kata {

struct VivaQuestion {
  std::string text;    ///< a sentence
  std::string change;  ///< lines of code; empty: it is about the code as it is
  std::string answer;
  std::vector<std::string> evidence = {};  ///< a sentence each
};

struct VivaSheet {
  HandIn submission;
  std::vector<VivaQuestion> questions = {};  ///< empty: it did not pass
};

/// At most that many questions each: one about its counters, the others about changes of it. As
/// many changes are judged now, by the rules of the class; where too few of them can be asked,
/// there are more about counters. An Error if it was interrupted.
Result<std::vector<VivaSheet>> viva_sheets(const ClassRun& run,
                                           const std::vector<JudgedHandIn>& outcomes,
                                           std::size_t questions);

/// people/NAME/viva.txt and .html without answers, viva_answers.txt and .html for the teacher.
std::optional<Error> write_viva(const std::vector<VivaSheet>& sheets,
                                const std::filesystem::path& folder);

}  // namespace kata
