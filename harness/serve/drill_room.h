#pragma once
// The drill that the page shows: asked, judged and kept as `kata drill` does it.

#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "practice/drill/item.h"
#include "support/result.h"

namespace kata::serve {

class DrillRoom {
 public:
  /// `address`: of the page, for a terminal that is told who holds the drill.
  explicit DrillRoom(std::function<std::string()> address);
  ~DrillRoom();

  /// What drill.html shows: a drill with its next question, or what could be begun.
  Result<nlohmann::json> shown();
  /// The drill that was begun here last is over.
  bool is_over();
  /// The same of its end. Only if is_over().
  nlohmann::json ended();

  /// Goes on with a drill that is open, else begins one: of that kind and operator, or of any for
  /// "". Takes seconds where a truth is computed. What went wrong is in the next shown().
  void enter(const std::string& kind, const std::string& operator_name, bool untimed);
  /// Stops the clock; the drill stays open.
  void leave();
  /// `question`: its number, as the page had it: another tab may have answered it.
  void answer(std::size_t question, const std::string& text);
  void pass(std::size_t question);

 private:
  struct Session;

  std::optional<Error> entered(const std::string& kind, const std::string& operator_name,
                               bool untimed);
  bool is_asked(std::size_t question);
  nlohmann::json values();

  const std::function<std::string()> address_;
  std::mutex mutex_;
  std::unique_ptr<Session> session_;
  std::string remark_;  ///< on what was done last, shown once
  std::string typed_;   ///< what was no answer, so that it can be corrected
};

}  // namespace kata::serve
