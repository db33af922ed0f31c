#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "classroom/results.h"
#include "report/html/templates.h"
#include "report/text/text.h"
#include "support/files.h"

namespace kata {

Result<std::string> to_page(const ClassResults& results) {
  const Result<Templates> templates = Templates::read({"report/html", "classroom"});
  if (!templates) return templates.error();
  nlohmann::json values = {{"stylesheet", templates->text("style.css")},
                           {"counts", counts_of(results.outcomes)},
                           {"outcomes", nlohmann::json::array()},
                           {"similar", nlohmann::json::array()},
                           {"has_similar", !results.similar.empty()}};
  for (const JudgedHandIn& one : results.outcomes) {
    const auto [right, of] = count_cases(one.report);
    values["outcomes"].push_back(
        {{"index", values["outcomes"].size()},
         {"title", one.submission.title()},
         {"operator", one.report.operator_name},
         {"verdict", words_of(one.report.verdict)},
         {"points", points_of(one, results.points)},
         {"most_points", results.points},
         {"cases", of > 0 ? fmt::format("{} of {}", right, of) : "none ran"},
         {"summary", summary_of(one.report)},
         {"report", to_text(one.report)},
         {"source", read_file(one.submission.file).value_or("")}});
  }
  for (const Similar& one : results.similar) {
    values["similar"].push_back({{"one", one.one}, {"other", one.other}, {"percent", one.percent}});
  }
  return templates->fill_in("class.html", values);
}

}  // namespace kata
