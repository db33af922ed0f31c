#pragma once
// The sentences of an exercise's text, found by the words of a question.

#include <map>
#include <string>
#include <vector>

#include "practice/exercise/exercise_text.h"

namespace kata {

/// In small letters, without punctuation.
std::vector<std::string> split_words(const std::string& text);

/// The words that a question is about, without their endings.
std::vector<std::string> stems_of(const std::vector<std::string>& words);

/// Of the task (its formula, too), the constraints and the answers of the exercise's own questions.
class Passages {
 public:
  Passages() = default;
  /// `same`: what people say, and the word that the texts have for it.
  Passages(const ExerciseText& text, std::map<std::string, std::string> same);

  struct Passage {
    std::string text;
    std::size_t question;   ///< whose answer it is from; past the last: the task, the constraints
    bool is_prose = false;  ///< of the task: it may be about anything
    std::vector<std::string> stems = {};
    std::vector<std::string> elements = {};  ///< "y[0]"
  };
  enum class Match { sure, perhaps };

  /// The passage that has the most of what was asked, and so many words of it; null where none has
  /// enough of it.
  const Passage* about(const std::string& said, int fewest_words = 1,
                       Match match = Match::sure) const;

  /// Of the task and the constraints, what has most of what was asked among the sentences about
  /// this parameter; null where none is.
  const Passage* of_parameter(const std::string& name, const std::string& said) const;

  /// How much of what was asked a text has: 0 to 1. Words that few exercises have count more.
  double share_of(const std::string& said, const std::string& text) const;

  /// Whether fewer than a third of the exercises have that stem.
  bool is_rare(const std::string& stem) const;

  /// The words that a text is about, as the exercises call them, without their endings.
  std::vector<std::string> stems_in(const std::string& text) const;

 private:
  const std::map<std::string, int>& exercises_with() const;
  double weight_of(const std::string& stem) const;

  std::map<std::string, std::string> same_;
  std::size_t questions_ = 0;  ///< the question of what is of none
  std::vector<Passage> passages_;
};

}  // namespace kata
