#pragma once
// The cards of `kata quiz`: the files docs/quiz/<topic>.md, and the follow-up questions of every
// operator.

#include <string>
#include <vector>

#include "support/result.h"

namespace kata {

inline constexpr std::size_t most_answer_lines = 5;  ///< in a file of docs/quiz

struct Card {
  std::string topic;  ///< the name of its file, or of its operator
  std::string question;
  std::string answer;  ///< Markdown
  std::string source;  ///< where the answer is from

  /// What the history calls it.
  std::string id() const { return topic + ": " + question; }
};

struct Topic {
  std::string name;   ///< "occupancy"
  std::string title;  ///< "Occupancy"
  std::vector<Card> cards;
};

/// The files of docs/quiz by name, then the operators in the order to learn them. An Error names
/// the file and the line of a card that is incomplete.
Result<std::vector<Topic>> read_topics();

/// One file of docs/quiz: "# Title", then for each card "## Question?", the answer and a last
/// paragraph "Source: ...".
Result<Topic> parse_topic(const std::string& markdown, const std::string& topic,
                          const std::string& file);

}  // namespace kata
