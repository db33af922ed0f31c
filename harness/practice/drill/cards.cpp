#include "practice/drill/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "practice/exercise/exercise_text.h"
#include "practice/exercise/sections.h"
#include "practice/review.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/text.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

constexpr const char* source_mark = "\n\nSource: ";

/// Empty if the card is complete.
std::string lacking(const Card& card) {
  if (!card.question.ends_with('?')) return "a question mark at the end of its heading";
  if (card.answer.empty()) return "an answer";
  if (card.source.empty()) return "a last paragraph \"Source: ...\"";
  const auto lines = std::count(card.answer.begin(), card.answer.end(), '\n') + 1;
  if (static_cast<std::size_t>(lines) > most_answer_lines)
    return fmt::format("a short answer: it has {} lines, and {} are the most", lines,
                       most_answer_lines);
  return {};
}

Result<Topic> topic_of(const Problem& problem) {
  const Result<ExerciseText> text = read_exercise_text(problem.name);
  if (!text) return text.error();
  Topic topic{problem.name, problem.summary, {}};
  for (const Question& one : text->follow_up) {
    topic.cards.push_back({problem.name, one.question, one.answer,
                           fmt::format("exercises/{}/README.md", problem.name)});
  }
  return topic;
}

}  // namespace

Result<Topic> parse_topic(const std::string& markdown, const std::string& name,
                          const std::string& file) {
  const std::vector<Section> sections = sections_of(markdown, "## ");
  const std::string& head = sections.front().body;
  if (!head.starts_with("# ")) return Error{fmt::format("{}:1: it lacks \"# Title\"", file)};
  Topic topic{name, std::string(trimmed(head.substr(2, head.find('\n') - 2))), {}};
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const Section& section = sections[i];
    const std::size_t source = section.body.rfind(source_mark);
    Card card{name, section.title, section.body.substr(0, source), {}};
    if (source != std::string::npos) {
      card.source = section.body.substr(source + std::string_view(source_mark).size());
    }
    if (const std::string what = lacking(card); !what.empty()) {
      return Error{
          fmt::format("{}:{}: the card \"{}\" lacks {}", file, section.line, card.question, what)};
    }
    topic.cards.push_back(std::move(card));
  }
  return topic;
}

Result<std::vector<Topic>> read_topics() {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(quiz_folder(), failed)) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Topic> topics;
  for (const fs::path& file : files) {
    const auto text = read_file(file);
    if (!text) return Error{fmt::format("cannot read {}", shown(file))};
    const Result<Topic> topic = parse_topic(*text, file.stem().string(), shown(file));
    if (!topic) return topic.error();
    topics.push_back(*topic);
  }
  for (const Problem* problem : learning_order()) {
    const Result<Topic> topic = topic_of(*problem);
    if (!topic) return topic.error();
    topics.push_back(*topic);
  }
  return topics;
}

}  // namespace kata
