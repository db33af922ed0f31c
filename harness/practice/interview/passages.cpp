#include "practice/interview/passages.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>
#include <set>

#include "practice/interview/facts.h"
#include "problems/spec/problem.h"
#include "support/text.h"

namespace kata {
namespace {

using Stems = std::vector<std::string>;

// From which share of what was asked a passage answers it, with two words of it and with one: that
// one is then all that was asked, and few exercises speak of it. Fitted to questions that no text
// answers (the interviewer's words, `none`): 1 % of them are answered.
constexpr double enough = 0.5, least_weight = 2, whole_question = 0.9, rare = 2.9;
// From which share it may be what was meant.
constexpr double perhaps = 0.35;

/// "sync" and "synch" are one word.
bool is_same(const std::string& one, const std::string& other) {
  constexpr std::size_t shortest = 4;
  return one == other || (one.size() >= shortest && other.starts_with(one)) ||
         (other.size() >= shortest && one.starts_with(other));
}

bool has_stem(const Stems& stems, const std::string& stem) {
  return std::ranges::any_of(stems, [&](const auto& one) { return is_same(one, stem); });
}

/// "y[0]", "A[i, j]": elements as code names them, without blanks.
std::vector<std::string> elements_in(const std::string& text) {
  static const std::regex element(R"([A-Za-z_]\w*\s*\[[^\]]*\])");
  std::vector<std::string> elements(std::sregex_token_iterator(text.begin(), text.end(), element),
                                    {});
  for (std::string& one : elements) std::erase(one, ' ');
  return elements;
}

bool shares_one(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::ranges::any_of(
      some, [&](const auto& one) { return std::ranges::find(others, one) != others.end(); });
}

/// The lines of a text's formulas: no comments, and not the signature.
std::vector<std::string> formula_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : lines_of(text)) {
    const std::string formula(trimmed(line));
    if (line.starts_with("    ") && !formula.empty() && !formula.starts_with("//") &&
        !formula.starts_with("extern"))
      lines.push_back("`" + formula + "`");
  }
  return lines;
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte)) {
      words.back() += static_cast<char>(std::tolower(byte));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<std::string> stems_of(const std::vector<std::string>& words) {
  static const std::set<std::string> any = {
      "about",  "all",  "allowed", "also",   "and",     "any",  "are",   "been",   "can",
      "could",  "does", "each",    "every",  "exactly", "for",  "from",  "get",    "gonna",
      "had",    "has",  "have",    "how",    "into",    "its",  "just",  "let",    "like",
      "may",    "must", "need",    "not",    "okay",    "one",  "only",  "or",     "our",
      "out",    "per",  "please",  "really", "same",    "say",  "shall", "should", "some",
      "still",  "than", "that",    "the",    "them",    "then", "there", "they",   "thing",
      "things", "this", "use",     "wanna",  "want",    "was",  "what",  "when",   "where",
      "which",  "will", "with",    "would",  "you",     "your"};
  constexpr std::size_t shortest = 3, stem = 5;
  std::vector<std::string> stems;
  for (std::string word : words) {
    const bool is_name = word.size() == 2 && std::isdigit(static_cast<unsigned char>(word[1]));
    if ((word.size() < shortest && !is_name) || any.contains(word)) continue;  // L2 is a name
    if (word.size() > shortest && word.ends_with('s') && !word.ends_with("ss")) word.pop_back();
    stems.push_back(word.substr(0, stem));
  }
  return stems;
}

Passages::Passages(const ExerciseText& text, std::map<std::string, std::string> same)
    : same_(std::move(same)), questions_(text.clarify.size()) {
  const std::size_t none = questions_;
  for (const std::string& one : sentences_of(text.task)) passages_.push_back({one, none, true});
  for (const std::string& one : formula_lines(text.task)) passages_.push_back({one, none});
  for (const std::string& one : sentences_of(text.constraints)) passages_.push_back({one, none});
  for (std::size_t i = 0; i < text.clarify.size(); ++i) {
    if (text.clarify[i].is_general) continue;
    for (const std::string& one : sentences_of(text.clarify[i].answer))
      passages_.push_back({one, i});
  }
  for (Passage& one : passages_) {
    one.stems = stems_in(one.text);
    one.elements = elements_in(one.text);
  }
}

std::vector<std::string> Passages::stems_in(const std::string& text) const {
  std::vector<std::string> words = split_words(text);
  for (std::string& word : words)
    if (const auto other = same_.find(word); other != same_.end()) word = other->second;
  return stems_of(words);
}

/// In how many exercises a stem occurs. Counted once, when somebody asks: it takes a third of a
/// second.
const std::map<std::string, int>& Passages::exercises_with() const {
  static const std::map<std::string, int> counts = [this] {
    std::map<std::string, int> found;
    for (const Problem& problem : problems()) {
      const Result<ExerciseText> text = read_exercise_text(problem.name);
      if (!text) continue;
      std::string words = text->task + " " + text->constraints;
      for (const Question& question : text->clarify) words += " " + question.answer;
      const Stems stems = stems_in(words);
      for (const std::string& stem : std::set(stems.begin(), stems.end())) ++found[stem];
    }
    return found;
  }();
  return counts;
}

double Passages::weight_of(const std::string& stem) const {
  const auto found = exercises_with().find(stem);
  const double in = found == exercises_with().end() ? 0 : found->second;
  return std::log((static_cast<double>(problems().size()) + 1) / (0.5 + in)) + 0.3;
}

const Passages::Passage* Passages::of_parameter(const std::string& name,
                                                const std::string& said) const {
  const Passage* best = nullptr;
  double most = -1;
  for (const Passage& one : passages_) {
    const bool names_it = one.text.find("`" + name + "`") != std::string::npos ||
                          one.text.find("`" + name + "[") != std::string::npos;
    if (one.question != questions_ || !names_it || one.text.starts_with("Ranges: ")) continue;
    // Of equal ones that which is about it: "`threshold` is ...".
    const double share = share_of(said, one.text) + (one.text.starts_with("`" + name) ? 0.1 : 0);
    if (share <= most) continue;
    best = &one;
    most = share;
  }
  return best;
}

bool Passages::is_rare(const std::string& stem) const {
  const auto found = exercises_with().find(stem);
  return found == exercises_with().end() ||
         3 * static_cast<std::size_t>(found->second) < problems().size();
}

double Passages::share_of(const std::string& said, const std::string& text) const {
  if (shares_one(elements_in(said), elements_in(text))) return 1;
  const Stems stems = stems_in(text);
  double whole = 0, found = 0;
  for (const std::string& one : stems_in(said)) {
    whole += weight_of(one);
    if (has_stem(stems, one)) found += weight_of(one);
  }
  return whole > 0 ? found / whole : 0;
}

const Passages::Passage* Passages::about(const std::string& said, int fewest_words,
                                         Match match) const {
  const double part = match == Match::sure ? enough : perhaps;
  const std::vector<std::string> elements = elements_in(said);
  const Stems stems = stems_in(said);
  const std::set<std::string> asked(stems.begin(), stems.end());
  double whole = 0;
  for (const std::string& one : asked) whole += weight_of(one);
  const Passage* best = nullptr;
  double most = 0;
  for (const Passage& passage : passages_) {
    double weight = 0;
    int words = 0;
    for (const std::string& one : asked) {
      if (!has_stem(passage.stems, one)) continue;
      weight += weight_of(one);
      ++words;
    }
    if (shares_one(elements, passage.elements)) {
      weight += std::max(least_weight, whole);
      words += 2;
    }
    const bool is_only_word =
        match == Match::perhaps || (weight >= whole_question * whole && !passage.is_prose);
    const bool is_enough = words > 1 ? weight >= std::max(least_weight, part * whole)
                                     : weight >= std::max(rare, part * whole) && is_only_word;
    const bool is_shorter = best && weight == most && passage.text.size() < best->text.size();
    if (!is_enough || words < fewest_words || (weight <= most && !is_shorter)) continue;
    best = &passage;
    most = weight;
  }
  return best;
}

}  // namespace kata
