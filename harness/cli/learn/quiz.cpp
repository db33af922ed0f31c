// kata quiz: short questions with short answers, graded by the person.
#include "practice/drill/quiz.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/open_history.h"
#include "cli/terminal/keyboard.h"
#include "cli/terminal/prose.h"
#include "cli/terminal/terminal.h"
#include "report/layout.h"
#include "support/nearest.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/text.h"

namespace kata::cli {
namespace {

struct QuizOptions {
  std::string topic;
  std::optional<std::uint64_t> cards;
  bool topics = false;
  bool json = false;
};

constexpr std::uint64_t usual_cards = 10;
constexpr std::array grades = {Grade::again, Grade::hard, Grade::good, Grade::easy};

/// A grade by its word, its first letter or its number.
std::optional<Grade> grade_from(const std::string& typed) {
  for (const Grade grade : grades) {
    const std::string word = to_string(grade);
    const bool same = typed == word || typed == word.substr(0, 1) ||
                      typed == std::to_string(static_cast<int>(grade));
    if (same) return grade;
  }
  return {};
}

std::string when(int due_day, int today) {
  const int days = due_day - today;
  return days == 1 ? "tomorrow" : fmt::format("in {} days, on {}", days, date_of(due_day));
}

class Quiz {
 public:
  Quiz(History& history, CardStandings standings, bool color)
      : history_(history), standings_(std::move(standings)), color_(color) {}

  /// An Error if a grade could not be kept.
  std::optional<Error> ask(const std::vector<const Card*>& cards);

  int answered() const { return answered_; }
  int forgotten() const { return forgotten_; }
  const CardStandings& standings() const { return standings_; }

 private:
  std::optional<std::string> read(const std::string& prompt);
  std::optional<Grade> read_grade();
  std::optional<Error> keep(const Card& card, Grade grade);

  History& history_;
  CardStandings standings_;
  bool color_;
  LineReader reader_{/*live=*/false};
  int answered_ = 0, forgotten_ = 0;
};

/// Nothing at the end of the input, and where the person leaves.
std::optional<std::string> Quiz::read(const std::string& prompt) {
  const auto line = reader_.read([&] { return prompt; });
  if (!line) return {};
  const std::string word(trimmed(*line));
  return word == "q" || word == "quit" ? std::nullopt : std::optional(word);
}

std::optional<Grade> Quiz::read_grade() {
  while (const auto typed = read("1 again, 2 hard, 3 good, 4 easy (q leaves): ")) {
    if (const auto grade = grade_from(*typed)) return grade;
    fmt::print("Type 1, 2, 3 or 4.\n");
  }
  return {};
}

std::optional<Error> Quiz::keep(const Card& card, Grade grade) {
  const Time at = now();
  if (const auto error = history_.add(CardReview{card.id(), grade, at})) return error;
  const auto before = standings_.find(card.id());
  const Standing after =
      graded(before == standings_.end() ? std::nullopt : std::optional(before->second), grade, at);
  standings_[card.id()] = after;
  ++answered_;
  forgotten_ += grade == Grade::again;
  fmt::print("{}: asked again {}\n\n", to_string(grade), when(after.due_day, day_of(at)));
  return {};
}

std::optional<Error> Quiz::ask(const std::vector<const Card*>& cards) {
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const Card& card = *cards[i];
    fmt::print("{} of {}   {}\n\n", i + 1, cards.size(),
               layout::paint(card.topic, layout::Color::dim, color_));
    fmt::print("{}\n",
               layout::paint(layout::paragraph(card.question, 0), layout::Color::bold, color_));
    if (!read("Answer aloud, then press Enter (q leaves): ")) return {};
    fmt::print("\n{}\n{}\n", prose(card.answer, 2),
               layout::paragraph("Source: " + card.source, 2, 2));
    const auto grade = read_grade();
    if (!grade) return {};
    if (const auto error = keep(card, *grade)) return error;
  }
  return {};
}

int print_topics(const std::vector<Topic>& topics, const CardStandings& standings) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Topic& topic : topics) {
    const CardCounts counts = count_cards({topic}, standings, day_of(now()));
    rows.push_back({{"name", topic.name},
                    {"title", topic.title},
                    {"cards", counts.all},
                    {"due", counts.due},
                    {"new", counts.fresh}});
  }
  print_json({{"schema", 1}, {"topics", rows}});
  return 0;
}

/// The cards that would be asked now. None is graded.
int print_cards(const std::vector<const Card*>& cards) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Card* card : cards)
    rows.push_back({{"topic", card->topic},
                    {"question", card->question},
                    {"answer", card->answer},
                    {"source", card->source}});
  print_json({{"schema", 1}, {"cards", rows}});
  return 0;
}

int show_topics(const std::vector<Topic>& topics, const CardStandings& standings, bool plain) {
  std::string text =
      fmt::format("{:<20} {:>5} {:>5} {:>5}  {}\n", "topic", "cards", "due", "new", "about");
  for (const Topic& topic : topics) {
    const CardCounts counts = count_cards({topic}, standings, day_of(now()));
    text += layout::beside(
        fmt::format("{:<20} {:>5} {:>5} {:>5}  ", topic.name, counts.all, counts.due, counts.fresh),
        topic.title);
  }
  print_paged(
      fmt::format("{}\nOne topic:\n  {} quiz {}\n", text, command_name(), topics.front().name),
      plain);
  return 0;
}

Error no_such_topic(const std::string& name, const std::vector<Topic>& topics) {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.push_back(topic.name);
  const std::string meant = nearest(name, names);
  return {fmt::format("there is no topic {}.{} {} quiz --topics lists them", name,
                      meant.empty() ? "" : fmt::format(" Did you mean {}?", meant),
                      command_name())};
}

int finish(const Quiz& quiz, const std::vector<Topic>& topics, const QuizOptions& options) {
  const CardCounts left = count_cards(topics, quiz.standings(), day_of(now()));
  const std::string known =
      quiz.answered() == 0
          ? "No card was answered."
          : fmt::format("{} of {} known.", quiz.answered() - quiz.forgotten(), quiz.answered());
  fmt::print("{} Still due today: {}; new: {}.\n", known, left.due, left.fresh);
  fmt::print("Next: {}\n  {} quiz{}\n", left.due + left.fresh > 0 ? "go on" : "come back tomorrow",
             command_name(), options.topic.empty() ? "" : " " + options.topic);
  return 0;
}

int quiz(const QuizOptions& options, const Session& session) {
  Result<std::vector<Topic>> topics = read_topics();
  if (!topics) return fail(topics.error(), options.json);
  Result<History> history = open_history();
  if (!history) return fail(history.error(), options.json);
  const auto reviews = history->card_reviews();
  if (!reviews) return fail(reviews.error(), options.json);
  CardStandings standings = card_standings(*reviews);
  if (options.topics && options.json) return print_topics(*topics, standings);
  if (options.topics) return show_topics(*topics, standings, session.plain);
  if (!options.topic.empty()) {
    const auto other = [&](const Topic& topic) { return topic.name != options.topic; };
    std::vector<Topic> chosen = *topics;
    std::erase_if(chosen, other);
    if (chosen.empty()) return fail(no_such_topic(options.topic, *topics), options.json);
    *topics = std::move(chosen);
  }
  const std::vector<const Card*> cards =
      cards_to_ask(*topics, standings, day_of(now()), options.cards.value_or(usual_cards));
  if (options.json) return print_cards(cards);
  if (cards.empty()) {
    fmt::print("Nothing is due, and no card is new. Next: a kernel\n  {} review\n", command_name());
    return 0;
  }
  Quiz asking(*history, std::move(standings), color_wanted(session.plain));
  if (const auto error = asking.ask(cards)) return fail(*error);
  if (interrupted()) return exit_error;
  return finish(asking, *topics, options);
}

}  // namespace

void add_quiz(CLI::App& app, Session& session) {
  static QuizOptions options;
  Command(app, "quiz", "Answer short questions, asked again in time")
      .optional_operand("topic", options.topic, "Only this topic or operator")
      .number("--cards", options.cards, "How many at most; else 10", {.least = 1})
      .flag("--topics", options.topics, "List the topics, and what is due in each")
      .flag("--json", options.json, "The cards, ungraded, as one JSON object")
      .does([&session] { session.status = quiz(options, session); });
}

}  // namespace kata::cli
