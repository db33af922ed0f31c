#include "practice/interview/listening.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "problems/spec/problem.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata {
namespace {

// How often the words of an exercise's texts count, and of the questions that people ask about it.
constexpr double name_times = 9, question_times = 3, answer_times = 0.3, own_asked_times = 3;

// Fitted to exercises/*/asked.toml, each writer's lines judged by those of the others;
// docs/measured/listening.md has what came of the lines of somebody else.
constexpr double smoothing = 20, share_of_general = 0.3, independence = 0.7;
constexpr double sure = 0.65, one_of_two = 0.8;
constexpr double foreign_topic = -4;  // logarithm of how much rarer another exercise's topic is

/// In small letters, without punctuation.
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

/// "rounded" -> "round", "rounding" -> "round"; `float4` stays.
std::string stem_of(const std::string& word) {
  static constexpr std::array<std::string_view, 36> endings = {
      "isation", "ization", "ations", "ation", "ities", "ingly", "edly", "ings",  "ment",
      "ness",    "ible",    "able",   "ance",  "ence",  "ised",  "ized", "ising", "izing",
      "ises",    "izes",    "ies",    "ing",   "ion",   "ity",   "est",  "ise",   "ize",
      "ed",      "es",      "er",     "al",    "ly",    "s",     "e",    "y",     ""};
  constexpr std::size_t shortest = 3;
  const bool has_digit = std::any_of(word.begin(), word.end(),
                                     [](unsigned char letter) { return std::isdigit(letter); });
  if (has_digit) return word;
  const auto ending = std::find_if(endings.begin(), endings.end(), [&](std::string_view one) {
    return word.ends_with(one) && word.size() >= one.size() + shortest;
  });
  return ending == endings.end() ? word : word.substr(0, word.size() - ending->size());
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Of logarithms: the numbers themselves, as shares of 1.
std::vector<double> shares_of(std::vector<double> logs) {
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (double& one : logs) sum += one = std::exp(one - most);
  for (double& one : logs) one /= sum;
  return logs;
}

}  // namespace

void Listener::Words::add(const std::vector<std::string>& words, double times) {
  for (const std::string& word : words) counts[word] += times;
  total += times * static_cast<double>(words.size());
}

double Listener::Words::likelihood(const std::string& word, double anywhere) const {
  const auto found = counts.find(word);
  return ((found == counts.end() ? 0 : found->second) + smoothing * anywhere) / (total + smoothing);
}

std::vector<std::string> Listener::words_in(const std::string& text) const {
  std::vector<std::string> words = split_words(text);
  std::erase_if(words, [&](const std::string& one) { return has(ignored_, one); });
  std::transform(words.begin(), words.end(), words.begin(), stem_of);
  return words;
}

Result<Listener> Listener::open(const std::string& operator_name,
                                const std::vector<Question>& questions) {
  Listener listener;
  try {
    listener.read(operator_name, questions);
  } catch (const toml::parse_error& broken) {
    return Error{fmt::format("cannot read {}: {}", *broken.source().path, broken.what())};
  }
  return listener;
}

/// Throws toml::parse_error.
void Listener::read(const std::string& operator_name, const std::vector<Question>& questions) {
  const toml::table shared = toml::parse_file(interviewer_words().string());
  ignored_ = split_words(shared["ignored"].value_or(std::string()));
  terms_ = split_words(shared["terms"].value_or(std::string()));
  asked_about_ = questions.size();
  own_ = static_cast<std::size_t>(std::ranges::count(questions, false, &Question::is_general));
  topics_.resize(asked_about_ + 1);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    Topic& topic = topics_[i];
    topic.general.add(words_in(shared["topics"][questions[i].topic].value_or(std::string())), 1);
    topic.own.add(words_in(questions[i].topic), name_times);
    topic.own.add(words_in(questions[i].question), question_times);
    topic.own.add(words_in(questions[i].answer), answer_times);
  }
  const std::vector<std::string> none = words_in(shared["none"].value_or(std::string()));
  topics_[asked_about_].general.add(none, 1);
  anywhere_.add(none, 1);
  std::map<std::string, Words> foreign;
  for (const auto& [name, text] : *shared["topics"].as_table()) {
    const std::string topic(name.str());
    if (std::ranges::find(questions, topic, &Question::topic) == questions.end())
      foreign[topic].add(words_in(text.value_or(std::string())), 1);
  }
  for (const Problem& problem : problems()) {
    const std::filesystem::path file = asked_file(problem.name);
    if (!std::filesystem::exists(file)) continue;
    const toml::table asked = toml::parse_file(file.string());
    for (const auto& [name, text] : asked) {
      const std::string topic(name.str());
      const std::vector<std::string> words = words_in(text.value_or(std::string()));
      read_asked(topic, words, questions, problem.name == operator_name);
      if (const auto other = foreign.find(topic); other != foreign.end())
        other->second.add(words, 1);
    }
  }
  for (auto& [topic, words] : foreign) topics_.push_back({std::move(words), {}});
}

void Listener::read_asked(const std::string& topic, const std::vector<std::string>& words,
                          const std::vector<Question>& questions, bool own) {
  anywhere_.add(words, 1);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (questions[i].topic != topic) continue;
    topics_[i].general.add(words, 1);
    if (own) topics_[i].own.add(words, own_asked_times);
  }
}

/// That a person who means the topic says these words, against anybody who says them: a mixture of
/// two language models with Dirichlet smoothing (Zhai and Lafferty, 2004).
double Listener::log_likelihood(const Topic& topic, const std::vector<std::string>& said) const {
  const double rare = 0.5, vocabulary = static_cast<double>(anywhere_.counts.size());
  const double share = topic.own.total == 0 ? 1 : share_of_general;
  double sum = 0;
  for (const std::string& word : said) {
    const auto found = anywhere_.counts.find(word);
    const double count = found == anywhere_.counts.end() ? 0 : found->second;
    const double anywhere = (count + rare) / (anywhere_.total + rare * vocabulary);
    const double likely = share * topic.general.likelihood(word, anywhere) +
                          (1 - share) * topic.own.likelihood(word, anywhere);
    sum += std::log(likely / anywhere);
  }
  return independence * sum;
}

/// Of the first `asked_about` topics and what nobody answers, by their logarithms.
std::vector<std::size_t> Listener::decide(const std::vector<double>& logs) const {
  const std::vector<double> shares = shares_of(logs);
  std::vector<std::size_t> order(shares.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::partial_sort(order.begin(), order.begin() + 2, order.end(),
                    [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  if (order[0] == asked_about_) return {};
  if (shares[order[0]] >= sure) return {order[0]};
  const bool either = order[1] < asked_about_;
  if (!either || shares[order[0]] + shares[order[1]] < one_of_two) return {};
  return {order[0], order[1]};
}

std::vector<std::size_t> Listener::hear(const std::string& said) const {
  const std::vector<std::string> words = words_in(said);
  if (words.empty()) return {};
  std::vector<double> logs;
  for (std::size_t i = 0; i < topics_.size(); ++i)
    logs.push_back(log_likelihood(topics_[i], words) + (i > asked_about_ ? foreign_topic : 0));
  const auto best = static_cast<std::size_t>(std::ranges::max_element(logs) - logs.begin());
  if (best > asked_about_) return {};
  logs.resize(asked_about_ + 1);
  // A general topic takes nothing from the others, unless it is surely the one that is meant.
  std::vector<double> own = logs;
  std::fill(own.begin() + static_cast<std::ptrdiff_t>(own_), own.end() - 1, -HUGE_VAL);
  const bool is_general = best >= own_ && best < asked_about_ && shares_of(logs)[best] >= sure;
  return is_general ? std::vector{best} : decide(own);
}

Listener::KeyTerms Listener::key_terms(const std::string& model, const std::string& answer) const {
  const std::vector<std::string> said = split_words(answer);
  std::vector<std::string> seen;
  KeyTerms found;
  for (const std::string& word : split_words(model)) {
    const auto term = std::find_if(terms_.begin(), terms_.end(),
                                   [&](const std::string& one) { return word.starts_with(one); });
    if (term == terms_.end() || has(seen, *term)) continue;
    seen.push_back(*term);
    const bool named = std::any_of(said.begin(), said.end(),
                                   [&](const std::string& one) { return one.starts_with(*term); });
    (named ? found.named : found.missing).push_back(word);
  }
  return found;
}

}  // namespace kata
