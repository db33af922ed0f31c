#pragma once
// What the page shows, as HTML of templates. What changes in the history is seen at the next
// request.

#include <future>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>

#include "problems/spec/problem.h"
#include "report/html/templates.h"
#include "report/report.h"
#include "serve/interview_room.h"
#include "serve/serve.h"
#include "support/result.h"

namespace kata::serve {

/// What a choice of an operator lists: {"operator": "relu"}.
nlohmann::json operator_names();

/// A sentence in the parts that words.html takes: what stands between backticks is code.
nlohmann::json words_of(const std::string& text);

/// What the page lists and marks, each {"severity", "kind", "line", "column", "message", "note"}.
nlohmann::json finding_rows(const std::vector<Finding>& findings);
/// The same with the compiler's errors in the person's file.
nlohmann::json finding_rows(const Report& report);

/// Counts for the grade.
void remember_solution_seen(const std::string& operator_name, const std::string& rung);

class Pages {
 public:
  /// `keys`: of the editor, "default", "vim" or "emacs".
  static Result<Pages> read(const std::string& keys);

  /// Leads from the address with the token to the same without. A redirect would not do: a browser
  /// that was sent here by another page does not send the cookie with it.
  std::string entrance(const std::string& path) const;
  /// The operators, all or those of a track, with where the person stands.
  Result<std::string> operators(const std::string& track) const;
  /// The exercise with its editor.
  Result<std::string> exercise(const Problem& problem) const;
  /// From "yours", or a rung by its name or number, to another rung, which counts as a solution
  /// seen.
  Result<std::string> difference(const Problem& problem, const std::string& from,
                                 const std::string& to) const;
  /// What is due, and what was done. `remark`: what is wrong with what was asked for.
  Result<std::string> practice(const std::string& remark = {}) const;
  /// Makes a plan until that day, "2026-12-20". An Error says what is wrong with it.
  std::optional<Error> keep_plan(const std::string& until, const std::string& minutes) const;
  /// The card of the quiz that is asked next.
  Result<std::string> quiz() const;
  /// The person's own grade of an answer: "again", "hard", "good" or "easy".
  std::optional<Error> keep_grade(const std::string& card, const std::string& grade) const;
  /// What DrillRoom shows.
  Result<std::string> drill(nlohmann::json shown) const;
  /// An interview: one that is under way here, one that was left, or what could be begun.
  Result<std::string> interview(const std::optional<OpenInterview>& open, bool running,
                                const std::string& said, const std::string& remark) const;
  /// What `kata report` writes, which counts as a solution seen. Takes seconds.
  Result<std::string> report(const Problem& problem, Backend backend) const;
  /// A part of a page: what a check found in a text.
  Result<std::string> result(const Report& report, const std::string& text) const;
  /// A part of a page: after a pass the faster idea to aim for, else the next hint, which counts.
  Result<std::string> hint(const std::string& operator_name) const;

  /// A page of `kata site`, a style or a script. Nothing if there is none of that path. A rung's
  /// page counts as a solution seen.
  std::optional<std::string> file(const std::string& path) const;

 private:
  using Files = std::map<std::string, std::string>;

  Pages(std::string keys, Templates templates);

  Result<std::string> page(const std::string& template_name, const std::string& title,
                           nlohmann::json values) const;
  Result<std::string> markdown(const std::string& text) const;

  std::string keys_;
  Templates templates_;
  std::shared_future<Files> site_;  ///< made while the first pages are read already
  std::jthread maker_;              ///< of site_; stops when the pages go
};

}  // namespace kata::serve
