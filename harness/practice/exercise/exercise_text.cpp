#include "practice/exercise/exercise_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "practice/exercise/sections.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata {
namespace {

/// The first thing that a README lacks, for an Error; the rest is not looked at then.
class SectionReader {
 public:
  SectionReader(const std::string& markdown, std::string name)
      : name_(std::move(name)), sections_(sections_of(markdown, "## ")) {}

  /// The text before the first section, without the title.
  std::string head() {
    const std::string& text = sections_.front().body;
    const std::string task(
        trimmed(std::string_view(text).substr(std::min(text.find('\n'), text.size()))));
    if (!text.starts_with("# ") || task.empty()) miss("a title and a task before its sections");
    return task;
  }

  std::string section(const std::string& title) {
    for (const Section& one : sections_) {
      if (one.title == title && !one.body.empty()) return one.body;
    }
    miss(fmt::format("the section \"## {}\"", title));
    return {};
  }

  /// The subsections, each with a text.
  std::vector<Section> parts(const std::string& title) {
    std::vector<Section> found = sections_of(section(title), "### ");
    found.erase(found.begin());
    if (found.empty()) miss(fmt::format("a \"### \" heading below \"## {}\"", title));
    for (const Section& one : found) {
      if (one.body.empty()) miss(fmt::format("a text below \"### {}\"", one.title));
    }
    return found;
  }

  bool has(const std::string& title) const {
    return std::any_of(sections_.begin(), sections_.end(),
                       [&](const Section& one) { return one.title == title; });
  }

  void miss(const std::string& what) {
    if (!error_) error_ = Error{fmt::format("{} lacks {}", name_, what)};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string name_;
  std::vector<Section> sections_;
  std::optional<Error> error_;
};

std::vector<Question> clarifying_questions(SectionReader& reader) {
  std::vector<Question> questions;
  for (const Section& part : reader.parts("Clarifying questions")) {
    const std::size_t colon = part.title.find(": ");
    if (colon == std::string::npos || part.title.find(' ') < colon) {
      reader.miss(
          fmt::format("a topic of one word in \"### {}\" (\"### sizes: How large?\")", part.title));
      break;
    }
    questions.push_back({.topic = part.title.substr(0, colon),
                         .question = part.title.substr(colon + 2),
                         .answer = part.body});
  }
  return questions;
}

std::vector<std::string> staged_hints(SectionReader& reader) {
  std::vector<std::string> hints;
  for (const Section& part : reader.parts("Hints")) {
    const std::string expected = fmt::format("Hint {}", hints.size() + 1);
    if (part.title != expected) {
      reader.miss(fmt::format("\"### {}\" where \"### {}\" stands", expected, part.title));
    }
    hints.push_back(part.body);
  }
  return hints;
}

/// "- tags: a, b" gives {"a", "b"}; nothing if there is no such line.
std::vector<std::string> label(const std::string& section, const std::string& key) {
  const std::string mark = "- " + key + ":";
  std::vector<std::string> words;
  for (const std::string& line : lines_of(section)) {
    if (!line.starts_with(mark)) continue;
    for (const std::string& word : split(line.substr(mark.size()), ',')) {
      if (const auto name = trimmed(word); !name.empty()) words.emplace_back(name);
    }
  }
  return words;
}

}  // namespace

Result<ExerciseText> parse_exercise_text(const std::string& markdown, const std::string& name) {
  SectionReader reader(markdown, name);
  ExerciseText text{.task = reader.head(),
                    .constraints = reader.section("Constraints"),
                    .examples = reader.section("Examples"),
                    .clarify = clarifying_questions(reader),
                    .hints = staged_hints(reader),
                    .follow_up = {},
                    .tracks = {},
                    .tags = {}};
  for (const Section& part : reader.parts("Follow-up questions")) {
    text.follow_up.push_back({.question = part.title, .answer = part.body});
  }
  if (reader.has("Labels")) {
    const std::string labels = reader.section("Labels");
    text.tracks = label(labels, "tracks");
    text.tags = label(labels, "tags");
  }
  if (reader.error()) return *reader.error();
  return text;
}

Result<ExerciseText> read_exercise_text(const std::string& operator_name) {
  const std::filesystem::path path = exercise_readme(operator_name);
  const std::optional<std::string> markdown = read_file(path);
  if (!markdown) return Error{fmt::format("cannot read {}", shown(path))};
  return parse_exercise_text(*markdown, shown(path));
}

}  // namespace kata
