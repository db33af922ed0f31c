#pragma once
// What a drill asks: one item with its questions, each answer judged by running, counting or
// measuring, never by a written key.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "practice/history.h"
#include "problems/spec/problem.h"
#include "support/result.h"

namespace kata::drill {

enum class Kind { bug, maths, which, why, viva };

const char* to_string(Kind kind);
std::optional<Kind> kind_from(const std::string& word);
std::vector<std::string> kind_names();

/// An item that could be asked.
struct Offer {
  Kind kind = Kind::bug;
  std::string name;                  ///< one of its kind: "softmax_rows/half_warp"
  std::string topic;                 ///< what it trains, for spacing and progress: a class of fault
  int level = 1;                     ///< 1 to 3
  const Problem* problem = nullptr;  ///< its operator; null: it has none
};

/// "bug relu", as it is typed.
std::string words_of(const Offer& offer);

/// What a question asks for.
enum class Ask { line, kind, input, repair, number, faster, factor, cause, change, outcome };

const char* to_string(Ask ask);

struct Question {
  Ask ask = Ask::number;
  std::string text;                       ///< "Which line has the fault?"
  std::vector<std::string> choices = {};  ///< empty: anything may be typed
  int points = 0;
  bool tells_points = false;  ///< its text does
};

/// What one answer earned, and why.
struct Points {
  Ask question = Ask::number;
  int got = 0, of = 0;
  std::string why;

  friend void to_json(nlohmann::json& json, const Points& points);
  friend void from_json(const nlohmann::json& json, Points& points);
};

class Item {
 public:
  virtual ~Item() = default;

  /// What the person sees first.
  virtual std::string text() const = 0;
  /// What `show` prints: source with line numbers; empty if text() is all there is.
  virtual std::string source() const { return {}; }
  virtual const std::vector<Question>& questions() const = 0;
  /// An Error if that is no answer: the question is asked again.
  virtual Result<Points> judge(std::size_t question, const std::string& answer) = 0;
  /// What the next question takes for known, where this one was skipped.
  virtual std::string answer_to(std::size_t /*skipped*/) const { return {}; }
  /// Once all is answered: what was right, and why.
  virtual std::string explanation() = 0;
  /// The one next step: what follows the program's name.
  virtual std::string next_step() const = 0;
};

/// The items of a kind, of one operator or of all for an empty name. An Error says why there is
/// none.
Result<std::vector<Offer>> offers(Kind kind, const std::string& operator_name,
                                  const History& history);

/// The same of the kind of that name, or of all kinds for "". Empty: no kind has any.
Result<std::vector<Offer>> offers(const std::string& kind, const std::string& operator_name,
                                  const History& history);

/// Prepares an item, which may take seconds: where its truth is run, that is done now. An Error if
/// it cannot be computed. `begin`: lays out what the person works on.
Result<std::unique_ptr<Item>> make(const Offer& offer, bool begin);

}  // namespace kata::drill
