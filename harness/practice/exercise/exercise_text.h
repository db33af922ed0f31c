#pragma once
// An exercise's README.md, taken apart: the one place for the task as an interviewer states it,
// what they answer when asked, the hints and the follow-up questions.

#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

struct Question {
  std::string topic = {};  ///< of a clarifying question: "sizes"; one word
  std::string question;
  std::string answer;                  ///< Markdown
  bool is_general = false;             ///< asked of any operator, not in the README
  std::vector<std::string> also = {};  ///< topics of other exercises that this one answers, too
};

/// All texts are Markdown without their headings.
struct ExerciseText {
  std::string task;                 ///< the text before the first section
  std::string constraints;          ///< "## Constraints"
  std::string examples;             ///< "## Examples"
  std::vector<Question> clarify;    ///< "## Clarifying questions": "### topic: question?"
  std::vector<std::string> hints;   ///< "## Hints": "### Hint 1", ...; the vaguest first
  std::vector<Question> follow_up;  ///< "## Follow-up questions": "### question?"
  std::vector<std::string> tracks;  ///< "## Labels", which may be left out: "- tracks: a, b"
  std::vector<std::string> tags;    ///< there too: "- tags: a, b"
};

/// exercises/<operator>/README.md; an Error names the file, the section and what it lacks.
Result<ExerciseText> read_exercise_text(const std::string& operator_name);

/// The same from its text; `name` is what an Error calls it.
Result<ExerciseText> parse_exercise_text(const std::string& markdown, const std::string& name);

}  // namespace kata
