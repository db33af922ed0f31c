#pragma once
// What a person's own words are about: a question before the writing, an answer after it.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "practice/exercise/exercise_text.h"
#include "practice/interview/classifier.h"
#include "practice/interview/passages.h"
#include "support/result.h"

namespace kata {

struct AskedOfAll;

/// Knows the clarifying questions of an exercise by their texts, their answers, and how people ask
/// about their topics: asked.toml of this and of the other exercises, docs/interviewer.toml.
class Listener {
 public:
  /// An Error where one of the files cannot be read.
  static Result<Listener> open(const std::string& operator_name, const ExerciseText& text);

  /// The question that is meant, by its index; two where it may be either; none where none is.
  std::vector<std::size_t> hear(const std::string& said) const;

  /// A sentence of the exercise that has what was asked, where the answer that was heard has less
  /// of it; empty where there is none.
  std::string quote(const std::string& said, const std::vector<std::size_t>& heard) const;

  /// Where neither a topic nor a sentence was found: the one that may be meant, or empty.
  std::string perhaps(const std::string& said) const;

  /// Of the field's terms and the numbers in a model answer, those that an answer has as well, and
  /// the others.
  struct KeyTerms {
    std::vector<std::string> named, missing;
  };
  KeyTerms key_terms(const std::string& model, const std::string& answer) const;

 private:
  using Texts = std::map<std::string, std::string>;

  Listener(const std::string& operator_name, const ExerciseText& text, const AskedOfAll& all);

  void learn(const std::string& operator_name);
  std::vector<std::size_t> named_with_or(const std::string& said) const;
  std::vector<std::size_t> topics_about(const std::string& said) const;
  void learn_own(const std::string& text, std::size_t label, float times);
  bool speaks_of(std::size_t question, const std::string& said) const;
  std::string sentence_of_parameter(const std::string& said, std::size_t heard) const;
  bool has_sentence(std::size_t question, const std::string& sentence) const;
  std::size_t question_about(const std::string& topic) const;
  std::size_t own_in_words_of(const std::vector<std::string>& words) const;

  std::vector<Question> questions_;
  std::vector<std::string> told_of_;  ///< scalars, and inputs that count or index
  Texts roles_;                       ///< of the exercise's parameters, by their names
  const AskedOfAll* all_;
  std::vector<std::set<std::string>> stems_;  ///< of what each question was learnt from
  Classifier topics_;  ///< of the questions in their order, then all that none of them answers
  Passages passages_;
};

}  // namespace kata
