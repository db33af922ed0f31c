#pragma once
// What a person's own words are about: a question before the writing, an answer after it.

#include <map>
#include <string>
#include <vector>

#include "practice/exercise_text.h"
#include "support/result.h"

namespace kata {

/// Knows the clarifying questions of an exercise by their texts, their answers, and how people ask
/// about their topics: asked.toml of this and of the other exercises, docs/interviewer.toml.
class Listener {
 public:
  /// An Error where one of the files cannot be read.
  static Result<Listener> open(const std::string& operator_name,
                               const std::vector<Question>& questions);

  /// The question that is meant, by its index; two of the exercise's own where it may be either;
  /// none where none is.
  std::vector<std::size_t> hear(const std::string& said) const;

  /// Of the field's terms in a model answer, those that an answer has as well, and the others.
  struct KeyTerms {
    std::vector<std::string> named, missing;
  };
  KeyTerms key_terms(const std::string& model, const std::string& answer) const;

 private:
  /// How often each word occurs in some text.
  struct Words {
    std::map<std::string, double> counts;
    double total = 0;
    void add(const std::vector<std::string>& words, double times);
    /// Of a word in the text, smoothed with how likely it is anywhere.
    double likelihood(const std::string& word, double anywhere) const;
  };
  struct Topic {
    Words general, own;  ///< of all exercises' topics of that name; of this exercise alone
  };

  void read(const std::string& operator_name, const std::vector<Question>& questions);
  void read_asked(const std::string& topic, const std::vector<std::string>& words,
                  const std::vector<Question>& questions, bool own);
  std::vector<std::string> words_in(const std::string& text) const;
  std::vector<std::size_t> decide(const std::vector<double>& logs) const;
  double log_likelihood(const Topic& topic, const std::vector<std::string>& said) const;

  std::vector<std::string> ignored_, terms_;
  std::vector<Topic> topics_;    ///< of the questions, then what nobody answers: in no exercise,
                                 ///< and the topics that others have
  std::size_t asked_about_ = 0;  ///< so many are of the questions
  std::size_t own_ = 0;          ///< so many of these are the exercise's own: they come first
  Words anywhere_;
};

}  // namespace kata
