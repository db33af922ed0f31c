#include "practice/drill/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "practice/drill/reading.h"
#include "support/text.h"

namespace kata::drill {
namespace {

/// What people say for a choice.
struct Synonym {
  std::regex said;
  const char* meant;  ///< the one of these names that can be chosen
};

const std::vector<Synonym>& synonyms() {
  static const std::vector<Synonym> all = {
      {std::regex(
           R"(\b(not|non) coalesced\b|\bcoalesc(ing|ed)\b|\bstrided? (access(es)?|loads?|)"
           R"(stores?|reads?|writes?)\b|\b(few|part of the) bytes of (each|a|every) sector\b)"),
       "uncoalesced"},
      {std::regex(R"(\b(not|never) written\b)"), "uninitialized"},
      {std::regex(R"(\b(not|never) set\b|\bread before (it is )?(set|written)\b)"),
       "uninitialized|stale state"},
      {std::regex(R"(\b(not enough|too few|too many|too little|insufficient|lack of) )"
                  R"((blocks|threads|warps|parallelism)\b|)"
                  R"(\bgrid (is )?too small\b|\b(small|tiny) grid\b|\b(unused|empty) sms?\b)"),
       "idle SMs|launch"},
      {std::regex(R"(\b(wrong )?(grid|block) (size|dimension)s?\b|)"
                  R"(^\W*((too much|not enough|amount of|dynamic) )?shared memory( size)?\W*$)"),
       "launch"},
      {std::regex(R"(\b(mis|un|not )align(ed|ment)\b|\balignment\b)"), "layout|out of bounds"},
      {std::regex(R"(\b(wrong )?sign\b)"), "numerics"},
      {std::regex(
           R"(\boff.by.one\b|\boob\b|\bout of range\b|\bpast the end\b|\billegal (memory )?access\b)"),
       "out of bounds|bounds"},
      {std::regex(R"(\bdeadlocks?\b|\bhangs?\b|(\b|__)sync(threads|warp)?\b)"), "barrier"},
      {std::regex(R"(\bcrash(es)?\b|\bdoes not (compile|launch)\b|\blaunch error\b)"),
       "does not run"},
      {std::regex(R"(\bincorrect\b|\bwrong (answer|value|output|number)s?\b)"), "wrong result"},
      {std::regex(R"(\bnothing( breaks| changes)?\b|\bno (finding|error|change|effect)s?\b|)"
                  R"(\b(still )?(correct|fine|ok|okay|passes)\b)"),
       "right"},
      {std::regex(R"(\bequal(ly)?( fast)?\b|\btie\b|\bno difference\b)"), "same"},
      {std::regex(R"(\bformer\b)"), "first"},
      {std::regex(R"(\blatter\b)"), "second"},
      {std::regex(R"(\b(un|not )initiali[sz]ed( memory)?\b|\bgarbage\b)"),
       "uninitialized|stale state"},
      {std::regex(R"(\brandom\b|\bgaussian\b)"), "normal"},
      {std::regex(R"(\b(ascend|increas|ris)ing\b)"), "sorted"},
      {std::regex(R"(\b(decreas|fall)ing\b)"), "descending"},
      {std::regex(R"(\b(neg|negatives?)\b)"), "all negative"}};
  return all;
}

/// In small letters, without punctuation and plurals.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char letter : lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(letter)))
      words.back() += letter;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  for (std::string& one : words) {
    if (one.size() > 3 && one.ends_with('s')) one.pop_back();
  }
  return words;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// The only one of the names whose words fit; nothing if none or several do.
template <class Fits>
std::optional<std::string> only_one(const std::vector<std::string>& names, Fits fits) {
  std::optional<std::string> found;
  for (const std::string& name : names) {
    if (!fits(words_in(name))) continue;
    if (found) return {};
    found = name;
  }
  return found;
}

std::string with_synonyms(std::string text, const std::vector<std::string>& names) {
  for (const Synonym& one : synonyms()) {
    for (const std::string& meant : split(one.meant, '|')) {
      if (has(names, meant)) text = std::regex_replace(text, one.said, lower(meant));
    }
  }
  return text;
}

/// Whether they may be forms of one word: "coalesce" and "coalesced".
bool share_a_stem(const std::string& a, const std::string& b) {
  constexpr std::size_t stem = 5;
  return a == b || (a.size() >= stem && a.substr(0, stem) == b.substr(0, stem));
}

/// Of sentences the only one that has most of the words; nothing if it has less than half of them.
std::optional<std::string> sentence_from(const std::vector<std::string>& sentences,
                                         const std::string& text) {
  static const std::set<std::string> empty_words = {"the",   "and",    "with",  "use",    "for",
                                                    "each",  "per",    "one",   "first",  "second",
                                                    "third", "fourth", "fifth", "option", "choice"};
  std::vector<std::string> typed = words_in(text);
  std::erase_if(
      typed, [](const std::string& word) { return word.size() < 3 || empty_words.contains(word); });
  std::size_t most = 0, with_most = 0, best = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::vector<std::string> words = words_in(sentences[i]);
    const auto found =
        static_cast<std::size_t>(std::ranges::count_if(typed, [&](const std::string& one) {
          return std::ranges::any_of(words,
                                     [&](const auto& word) { return share_a_stem(one, word); });
        }));
    with_most = found > most ? 1 : with_most + (found == most);
    if (found > most) most = found, best = i;
  }
  return with_most == 1 && 2 * most > typed.size() ? std::optional(sentences[best]) : std::nullopt;
}

}  // namespace

bool negates(const std::string& text) {
  static const std::regex no(R"(\b(not|no(?!\.? *\d)|never|without|neither|nor|cannot)\b|n't\b)",
                             any_case);
  return std::regex_search(text, no);
}

namespace {

std::optional<std::string> name_in_part(const std::vector<std::string>& names,
                                        const std::string& text) {
  const std::string meant = with_synonyms(lower(text), names);
  const std::vector<std::string> typed = words_in(meant);
  const bool says_no = negates(meant);
  const auto allowed = [&](const std::vector<std::string>& name) {
    return !says_no || has(name, "not");
  };
  const auto all_are_typed = [&](const std::vector<std::string>& name) {
    return allowed(name) &&
           std::ranges::all_of(name, [&](const std::string& word) { return has(typed, word); });
  };
  if (const auto whole = only_one(names, all_are_typed)) return whole;
  if (std::ranges::any_of(names, [&](const auto& name) { return all_are_typed(words_in(name)); }))
    return {};  // "race or barrier"
  const auto one_is_typed = [&](const std::vector<std::string>& name) {
    return allowed(name) && std::ranges::any_of(name, [&](const std::string& word) {
             return word.size() > 3 && has(typed, word);
           });
  };
  if (const auto part = only_one(names, one_is_typed)) return part;
  constexpr std::size_t telling = 4;  // letters: "index" is "indexing", "logical" is "logic"
  return only_one(names, [&](const std::vector<std::string>& name) {
    return allowed(name) && std::ranges::any_of(typed, [&](const std::string& word) {
             return (word.size() >= telling && name.front().starts_with(word)) ||
                    share_a_stem(word, name.front());
           });
  });
}

}  // namespace

/// In a sentence of several parts a "not" is about its own part: "a wrong result, the last element
/// is not counted".
std::optional<std::string> name_from(const std::vector<std::string>& names,
                                     const std::string& text) {
  static const std::regex between(R"(\s*[,;:.]\s+|\s+(because|since|as|so|but|for)\s+)", any_case);
  const auto whole = name_in_part(names, text);
  if (whole || !negates(text)) return whole;
  std::optional<std::string> found;
  for (std::sregex_token_iterator part(text.begin(), text.end(), between, -1), end; part != end;
       ++part) {
    if (negates(part->str())) continue;
    const auto named = name_in_part(names, part->str());
    if (named && found && named != found) return {};
    if (named) found = named;
  }
  return found;
}

Result<std::string> choice_from(const Question& question, const std::string& answer) {
  const std::string typed = lower(answer);
  std::vector<std::string> begun;
  for (const std::string& one : question.choices) {
    if (typed == lower(one)) return one;
    if (!typed.empty() && lower(one).starts_with(typed)) begun.push_back(one);
  }
  if (begun.size() == 1) return begun.front();
  const bool are_sentences = question.choices.front().ends_with('.');
  const auto named = !are_sentences    ? name_from(question.choices, answer)
                     : negates(answer) ? std::nullopt
                                       : sentence_from(question.choices, answer);
  if (named) return *named;
  const auto number = negates(answer) ? std::nullopt : whole_from(answer);
  if (number && *number >= 1 && *number <= static_cast<int>(question.choices.size()))
    return question.choices[static_cast<std::size_t>(*number - 1)];
  const std::string most = std::to_string(question.choices.size());
  if (question.choices.size() <= 3)
    return Error{
        fmt::format("Type a number from 1 to {}, or {}.", most, fmt::join(question.choices, ", "))};
  return Error{
      fmt::format("That names none of them alone. Type a number from 1 to {}, or {}.", most,
                  are_sentences ? "words that one of them alone has" : "the word beside it")};
}

bool says_finding(const std::string& text) {
  static const std::regex said(R"(\bfindings?\b|\bno input\b|^none$|^(only )?an? race$)", any_case);
  return std::regex_search(text, said) && !std::regex_search(text, std::regex("^not", any_case));
}

}  // namespace kata::drill
