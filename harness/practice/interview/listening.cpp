#include "practice/interview/listening.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <regex>
#include <set>

#include "practice/interview/facts.h"
#include "problems/spec/problem.h"
#include "support/paths.h"
#include "support/text.h"

namespace kata {
namespace {

using Texts = std::map<std::string, std::string>;

// What an example weighs: of this exercise, of another one, about what this exercise does not
// answer; and the share of its topic at which a question is answered or asked back. Fitted to the
// questions of several writers, each judged by those of the others: docs/measured/listening.md.
constexpr float own_weight = 10, weight = 1, none_weight = 2, foreign_weight = 0.03F;
// The second topic is near where it has at least that part of the first one's share.
constexpr float sure = 0.45F, one_of_two = 0.6F, near = 0.6F;

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Of each parameter's name: "<size>" of `n`, "<input>" of `x`, so that what is asked of one
/// exercise's is asked of another's.
Texts roles_of(const Problem& problem) {
  Texts roles;
  const auto add = [&](const std::vector<Parameter>& parameters, const char* role) {
    for (const Parameter& one : parameters) {
      for (const std::string& word : split_words(one.name)) roles[word] = role;
    }
  };
  add(problem.signature.inputs, "<input>");
  add(problem.signature.outputs, "<output>");
  add(problem.signature.integers, "<size>");
  add(problem.signature.reals, "<number>");
  for (const char* article : {"a", "i"}) roles.erase(article);
  return roles;
}

std::vector<std::string> words_of(const std::string& text, const Texts& roles) {
  std::vector<std::string> words = split_words(text);
  for (std::string& word : words) {
    if (const auto role = roles.find(word); role != roles.end()) word = role->second;
  }
  return words;
}

/// A number of a text and what it counts: 537 of "537 MB", 2^26 of "2^26 elements".
struct Number {
  double value = 0;
  std::string text, unit;  ///< the unit only if it is one
};

/// "elements", but none of "of", "active", "was".
bool is_plural(const std::string& word) {
  static const std::set<std::string> verbs = {"as", "does", "has", "is", "its", "this", "was"};
  return word.ends_with('s') && !word.ends_with("ss") && !verbs.contains(word);
}

/// Those of two digits and more, with a fraction, or of a unit; none of code, and no dates.
std::vector<Number> numbers_of(const std::string& text) {
  static const std::set<std::string> units = {
      "B",    "kB", "KB", "KiB", "MB", "MiB", "GB",    "GiB",  "TB",    "kB/s", "MB/s", "GB/s",
      "TB/s", "ns", "us", "ms",  "s",  "x",   "times", "bits", "bytes", "bit",  "byte"};
  static const std::regex code_or_date(R"(`[^`]*`|\b\d{4}-\d{2}-\d{2}\b)"),
      number(
          R"((^|[^\w.,^-])(\d+(?:[.,]\d+)*(?:e-?\d+)?)(?:\^(\d+))?([\s-]?(%|[A-Za-z]+(?:/s)?))?)");
  const std::string prose = std::regex_replace(text, code_or_date, " ");
  std::vector<Number> numbers;
  for (std::sregex_iterator at(prose.begin(), prose.end(), number), end; at != end; ++at) {
    std::string digits = (*at)[2];
    const std::string power = (*at)[3], unit = (*at)[5];
    const bool has_unit = unit == "%" || units.contains(unit);
    const std::string counted = has_unit || is_plural(unit) ? (*at)[4].str() : "";
    if (digits.size() < 2 && power.empty() && !has_unit) continue;
    std::erase(digits, ',');
    const double base = std::strtod(digits.c_str(), nullptr);
    const std::string shown = (*at)[2].str() + (power.empty() ? "" : "^" + power);
    numbers.push_back({power.empty() ? base : std::pow(base, std::atof(power.c_str())),
                       shown + counted, has_unit ? unit : ""});
  }
  return numbers;
}

/// A person who calculates in their head rounds, and may leave the unit out.
bool is_near(const Number& one, const Number& other) {
  constexpr double rounded = 0.05;
  if (!one.unit.empty() && !other.unit.empty() && one.unit != other.unit) return false;
  return std::abs(one.value - other.value) <= rounded * std::abs(one.value);
}

/// A word of the text in small letters, but a name as the text has it: "NaN", "L2".
std::string as_written(const std::string& word, const std::string& text) {
  const auto is_letter = [](char one) {
    return std::isalnum(static_cast<unsigned char>(one)) != 0;
  };
  const auto small = [](char one) { return std::tolower(static_cast<unsigned char>(one)); };
  const auto same = [&](char one, char other) { return small(one) == small(other); };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), word.begin(), word.end(), same);
    if (at == text.end()) return word;
    const auto end = at + static_cast<std::ptrdiff_t>(word.size());
    if ((at != text.begin() && is_letter(at[-1])) || (end != text.end() && is_letter(*end)))
      continue;
    const bool is_name = std::any_of(at + 1, end, [&](char one) {
      return one != small(one) || (word.size() == 2 && one >= '0' && one <= '9');
    });
    return is_name ? std::string(at, end) : word;
  }
}

/// "May I use split K?"
bool asks_for_leave(const std::string& said) {
  static const std::regex leave(
      R"(\b(may|can|could|might|should) (i|we) (just |also |even )?(use|call|take|write it (with|in))\b|)"
      R"(^use of\b|\b(allowed|permitted|forbidden)\b)",
      std::regex::icase);
  static const std::regex asks_more(R"(^\W*(how|what|which|why|when|where|who)\b)",
                                    std::regex::icase);
  return std::regex_search(said, leave) && !std::regex_search(said, asks_more);
}

Texts texts_of(const toml::table& topics) {
  Texts texts;
  for (const auto& [name, text] : topics) texts.emplace(name.str(), text.value_or(std::string()));
  return texts;
}

}  // namespace

/// What people ask about all exercises: no matter who interviews, it is read once.
struct AskedOfAll {
  struct Topic {
    std::string name;           ///< empty: no exercise answers it
    std::string operator_name;  ///< empty: of any
    std::vector<Features::Indices> lines = {};
    std::set<std::string> stems = {};
  };

  Texts same;
  std::vector<std::string> terms;
  std::map<std::string, std::vector<std::string>> instead;  ///< of topics: their other names
  std::vector<Topic> topics;
  Features features;
  Passages any_text;  ///< only says which stems a text has

  /// Throws toml::parse_error.
  AskedOfAll();
  void add(const Texts& texts, const std::string& operator_name, const Texts& roles);
};

AskedOfAll::AskedOfAll() {
  const toml::table shared = toml::parse_file(interviewer_words().string());
  same = texts_of(*shared["same"].as_table());
  any_text = Passages({}, same);
  terms = split_words(shared["terms"].value_or(std::string()));
  for (const auto& [topic, names] : *shared["instead"].as_table()) {
    for (const toml::node& one : *names.as_array())
      instead[std::string(topic.str())].push_back(one.value_or(std::string()));
  }
  add({{"", shared["none"].value_or(std::string())}}, "", {});
  add(texts_of(*shared["topics"].as_table()), "", {});
  for (const Problem& problem : problems()) {
    const std::filesystem::path file = asked_file(problem.name);
    if (std::filesystem::exists(file))
      add(texts_of(toml::parse_file(file.string())), problem.name, roles_of(problem));
  }
}

/// The lines of each topic; `roles` are those of the exercise that they are about, if it is one.
void AskedOfAll::add(const Texts& texts, const std::string& operator_name, const Texts& roles) {
  for (const auto& [name, lines] : texts) {
    Topic& topic = topics.emplace_back(Topic{name, operator_name});
    for (const std::string& line : lines_of(lines)) {
      topic.lines.push_back(features.add(words_of(line, roles)));
      for (std::string& stem : any_text.stems_in(line)) topic.stems.insert(std::move(stem));
    }
  }
}

Listener::Listener(const std::string& operator_name, const ExerciseText& text,
                   const AskedOfAll& all)
    : questions_(text.clarify),
      all_(&all),
      stems_(questions_.size()),
      topics_(questions_.size() + 1, &all.features),
      passages_(text, all.same) {
  const Problem* const problem = find_problem(operator_name);
  if (!problem) return;
  roles_ = roles_of(*problem);
  for (const Parameter& one : problem->signature.inputs)
    if (!is_float(one.type)) told_of_.push_back(one.name);
  for (const Parameter& one : problem->signature.reals) told_of_.push_back(one.name);
}

Result<Listener> Listener::open(const std::string& operator_name, const ExerciseText& text) {
  try {
    static const AskedOfAll all;
    Listener listener(operator_name, text, all);
    listener.learn(operator_name);
    return listener;
  } catch (const toml::parse_error& broken) {
    return Error{fmt::format("cannot read {}: {}", *broken.source().path, broken.what())};
  }
}

void Listener::learn(const std::string& operator_name) {
  const std::size_t none = questions_.size();
  const auto learn_topic = [&](const AskedOfAll::Topic& topic) {
    const bool is_none = topic.name.empty();
    const std::size_t label = is_none ? none : question_about(topic.name);
    const float times = is_none                                ? none_weight
                        : label == none                        ? foreign_weight
                        : topic.operator_name == operator_name ? own_weight
                                                               : weight;
    for (const Features::Indices& line : topic.lines) topics_.add_example(line, label, times);
    if (label < none) stems_[label].insert(topic.stems.begin(), topic.stems.end());
  };
  learn_topic(all_->topics.front());
  for (std::size_t i = 0; i < none; ++i) {
    learn_own(questions_[i].topic, i, own_weight);
    learn_own(questions_[i].question, i, own_weight);
    learn_own(questions_[i].answer, i, weight);
  }
  std::for_each(all_->topics.begin() + 1, all_->topics.end(), learn_topic);
  topics_.learn();
}

void Listener::learn_own(const std::string& text, std::size_t label, float times) {
  topics_.add_example(words_of(text, roles_), label, times);
  for (std::string& stem : passages_.stems_in(text)) stems_[label].insert(std::move(stem));
}

/// Whether a topic's texts have a word of what was asked: else it was only asked in like words.
bool Listener::speaks_of(std::size_t question, const std::string& said) const {
  const std::vector<std::string> asked = passages_.stems_in(said);
  return asked.empty() || std::ranges::any_of(asked, [&](const std::string& one) {
           return stems_[question].contains(one);
         });
}

/// By its index; past the last where the exercise has none.
std::size_t Listener::question_about(const std::string& topic) const {
  const auto find = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(questions_, name, &Question::topic) -
                                    questions_.begin());
  };
  std::size_t found = find(topic);
  if (found == questions_.size())
    found = static_cast<std::size_t>(
        std::ranges::find_if(questions_,
                             [&](const Question& one) {
                               return std::ranges::find(one.also, topic) != one.also.end();
                             }) -
        questions_.begin());
  const auto others = all_->instead.find(topic);
  if (others == all_->instead.end()) return found;
  for (const std::string& name : others->second) {
    if (found == questions_.size()) found = find(name);
  }
  return found;
}

/// The exercise's own question whose title has all that was asked about, if it has two words of it;
/// past the last where there is none.
std::size_t Listener::own_in_words_of(const std::vector<std::string>& words) const {
  const std::vector<std::string> asked = stems_of(words);
  const auto found = std::ranges::find_if(questions_, [&](const Question& one) {
    const std::vector<std::string> title =
        stems_of(words_of(one.topic + " " + one.question, roles_));
    return !one.is_general &&
           std::ranges::all_of(asked, [&](const std::string& stem) { return has(title, stem); });
  });
  return asked.size() < 2 ? questions_.size()
                          : static_cast<std::size_t>(found - questions_.begin());
}

/// "Large values or large sizes?" leaves it to the interviewer which of two topics is meant. Empty
/// where no two are named.
std::vector<std::size_t> Listener::named_with_or(const std::string& said) const {
  std::vector<std::size_t> named;
  bool has_or = false;
  for (const std::string& word : split_words(said)) {
    has_or |= word == "or" && named.size() == 1;
    const auto topic = std::ranges::find(questions_, word, &Question::topic);
    const auto number = static_cast<std::size_t>(topic - questions_.begin());
    if (topic != questions_.end() && std::ranges::find(named, number) == named.end())
      named.push_back(number);
  }
  return has_or && named.size() == 2 ? named : std::vector<std::size_t>{};
}

std::vector<std::size_t> Listener::hear(const std::string& said) const {
  if (const std::vector<std::size_t> named = named_with_or(said); !named.empty()) return named;
  std::vector<std::size_t> heard = topics_about(said);
  if (asks_for_leave(said))
    std::erase_if(heard, [&](std::size_t one) { return !speaks_of(one, said); });
  if (heard.size() == 1) return heard;
  const Passages::Passage* const passage = passages_.about(said, 2);
  if (heard.size() == 2) {
    // The one whose answer has what was asked, else the exercise's own.
    const auto score = [&](std::size_t one) {
      return 2 * (passage && has_sentence(one, passage->text)) + !questions_[one].is_general;
    };
    const int first = score(heard[0]), second = score(heard[1]);
    if (first != second) return {first > second ? heard[0] : heard[1]};
  }
  if (passage && passage->question < questions_.size()) return {passage->question};
  if (passage || !heard.empty() || !asks_for_leave(said)) {
    return passage ? std::vector<std::size_t>{} : heard;
  }
  // What nothing forbids.
  const auto method = std::ranges::find(questions_, "method", &Question::topic);
  return method == questions_.end()
             ? std::vector<std::size_t>{}
             : std::vector{static_cast<std::size_t>(method - questions_.begin())};
}

std::string Listener::perhaps(const std::string& said) const {
  const Passages::Passage* const passage = passages_.about(said, 1, Passages::Match::perhaps);
  return passage ? passage->text : "";
}

std::string Listener::quote(const std::string& said, const std::vector<std::size_t>& heard) const {
  constexpr double more = 0.1;
  const Passages::Passage* const passage = passages_.about(said);
  if (heard.size() > 1) return {};
  const std::string of_parameter = heard.empty() ? "" : sentence_of_parameter(said, heard.front());
  if (!passage) return of_parameter;
  if (heard.empty()) return passage->text;
  if (has_sentence(heard.front(), passage->text)) return of_parameter;
  // A general answer names every parameter, whatever was asked about it.
  const Question& question = questions_[heard.front()];
  double own = 0;
  for (const std::string& one : sentences_of(question.question + "\n\n" + question.answer))
    own = std::max(own, question.is_general ? 0 : passages_.share_of(said, one));
  return passages_.share_of(said, passage->text) < own + more ? of_parameter : passage->text;
}

/// Who names indices, counts or a scalar wants to know what is said of them, unless the answer says
/// that.
std::string Listener::sentence_of_parameter(const std::string& said, std::size_t heard) const {
  for (const std::string& word : split_words(said)) {
    if (!has(told_of_, word)) continue;
    const Passages::Passage* const passage = passages_.of_parameter(word, said);
    if (passage && !has_sentence(heard, passage->text)) return passage->text;
  }
  return {};
}

bool Listener::has_sentence(std::size_t question, const std::string& sentence) const {
  const std::vector<std::string> sentences = sentences_of(questions_[question].answer);
  return std::ranges::find(sentences, sentence) != sentences.end();
}

std::vector<std::size_t> Listener::topics_about(const std::string& said) const {
  const std::vector<std::string> words = words_of(said, roles_);
  if (words.empty()) return {};
  const std::vector<float> shares = topics_.shares(words);
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::partial_sort(order, order.begin() + 2, std::ranges::greater(),
                            [&](std::size_t one) { return shares[one]; });
  const std::size_t first = order[0], second = order[1], none = questions_.size();
  const float both = shares[first] + shares[second];
  const bool is_own = first < none && !questions_[first].is_general;
  if (const std::size_t own = is_own ? none : own_in_words_of(words); own < none) return {own};
  if (first == none) return {};
  if (shares[first] >= sure && (second == none || shares[second] < near * shares[first]))
    return {first};
  if (second == none) return {};
  // An answer that contains the other is right for both.
  const auto contains = [&](std::size_t one, std::size_t other) {
    return questions_[one].answer.find(questions_[other].answer) != std::string::npos;
  };
  if (both >= sure && contains(first, second)) return {first};
  if (both >= sure && contains(second, first)) return {second};
  return both >= one_of_two ? std::vector{first, second} : std::vector<std::size_t>{};
}

Listener::KeyTerms Listener::key_terms(const std::string& model, const std::string& answer) const {
  const std::vector<std::string> said = split_words(answer);
  std::vector<std::string> seen;
  KeyTerms found;
  for (const std::string& word : split_words(model)) {
    const auto term = std::find_if(all_->terms.begin(), all_->terms.end(),
                                   [&](const std::string& one) { return word.starts_with(one); });
    if (term == all_->terms.end() || has(seen, *term)) continue;
    seen.push_back(*term);
    const bool named = std::any_of(said.begin(), said.end(),
                                   [&](const std::string& one) { return one.starts_with(*term); });
    (named ? found.named : found.missing).push_back(as_written(word, model));
  }
  // What few exercises speak of is to the point as well, if the answer has it.
  const std::vector<std::string> stems = stems_of(said);
  for (const std::string& word : split_words(model)) {
    const std::vector<std::string> own = stems_of({word});
    if (own.empty() || has(found.named, as_written(word, model)) || has(seen, own.front()))
      continue;
    seen.push_back(own.front());
    if (has(stems, own.front()) && passages_.is_rare(own.front()))
      found.named.push_back(as_written(word, model));
  }
  const std::vector<Number> told = numbers_of(answer);
  std::vector<Number> wanted;
  for (const Number& one : numbers_of(model)) {
    const auto same = [&](const Number& other) { return is_near(one, other); };
    if (std::ranges::any_of(wanted, same)) continue;
    wanted.push_back(one);
    (std::ranges::any_of(told, same) ? found.named : found.missing).push_back(one.text);
  }
  return found;
}

}  // namespace kata
