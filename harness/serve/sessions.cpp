// Pages of what goes on for a while: drills, interviews, a report.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "grading/ladder.h"
#include "grading/pages.h"
#include "report/html/views.h"
#include "serve/pages.h"
#include "support/paths.h"

namespace kata::serve {
namespace {

using Json = nlohmann::json;

}  // namespace

nlohmann::json operator_names() {
  Json rows = Json::array();
  for (const Problem& problem : problems()) rows.push_back({{"operator", problem.name}});
  return rows;
}

Result<std::string> Pages::drill(Json shown) const {
  return page("drill.html", "Drill", std::move(shown));
}

Result<std::string> Pages::interview(const std::optional<OpenInterview>& open, bool running,
                                     const std::string& said, const std::string& remark) const {
  Json left;
  const bool writing = open && open->state.phase == Interview::Phase::working;
  const bool elsewhere = !running && SessionLock::is_held("interview");
  if (open && !running) {
    left = {{"operator", open->state.operator_name},
            {"worked", clock_text(open->state.clock.worked())},
            {"limit", clock_text(open->state.limit)},
            {"graded", !writing && !elsewhere},
            {"elsewhere", elsewhere},
            {"may_end", writing && !elsewhere}};
  }
  return page("interview.html", "Interview",
              {{"running", running},
               {"left", left},
               {"may_begin", !writing && !elsewhere},
               {"said", said.empty() || running ? Json() : Json(said)},
               {"remark", remark.empty() ? Json() : Json(remark)},
               {"operators", operator_names()}});
}

Result<std::string> Pages::report(const Problem& problem, Backend backend) const {
  const Result<Candidate> candidate =
      read_candidate(kata::exercise(problem.name), {.problem = &problem});
  Result<Page> gathered = page_of(
      problem,
      {.candidate = candidate ? *candidate : Candidate{.problem = &problem}, .backend = backend});
  if (!gathered) return gathered.error();
  if (!candidate) gathered->verdict = "Your file cannot be judged: " + candidate.error().message;
  remember_solution_seen(problem.name, ladder(problem.name).back().name);
  return page("report_page.html", "Report on " + problem.name, html::section(*gathered));
}

}  // namespace kata::serve
