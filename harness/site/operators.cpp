// An operator's page with its ladder, a page for each rung, and the home page that lists them all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "grading/ladder.h"
#include "grading/pages.h"
#include "practice/exercise/exercise_text.h"
#include "practice/review.h"
#include "problems/spec/problem.h"
#include "report/html/views.h"
#include "report/text/highlight.h"
#include "site/builder.h"
#include "support/diff.h"
#include "support/files.h"
#include "support/paths.h"
#include "timing/measured_times.h"

namespace fs = std::filesystem;

namespace kata::site {
namespace {

std::string rung_page(const Rung& rung) {
  return page_of(in_tree(rung.path));
}

PageRow row_of(const TimingRow& time, const std::vector<Rung>& rungs, const std::string& page) {
  PageRow row{
      .kind = time.kind, .name = time.name, .us = time.median_us, .of_limit = time.of_limit};
  for (const Rung& rung : rungs)
    if (rung.name == time.name) row.link = relative(page, rung_page(rung));
  return row;
}

/// The bars of each size that was measured, the first size first.
Json charts(const Problem& problem, const std::vector<Rung>& rungs, const std::string& page) {
  Json result = Json::array();
  const Result<MeasuredTimes> times = measured_times(problem);
  if (!times) return result;
  for (const Shape& shape : problem.bench_shapes) {
    std::vector<PageRow> rows;
    for (const TimingRow& time : rows_at(times->rows, to_string(shape)))
      if (time.error.empty()) rows.push_back(row_of(time, rungs, page));
    if (rows.empty()) continue;
    result.push_back({{"size", to_string(shape)},
                      {"origin", fmt::format("{}, {}", times->device, times->date)},
                      {"is_first", result.empty()},
                      {"bars", html::bars(rows)}});
  }
  return result;
}

/// What a rung is measured at, size by size.
Json times_of(const Rung& rung, const Result<MeasuredTimes>& times) {
  Json rows = Json::array();
  if (!times) return rows;
  for (const TimingRow& time : times->rows) {
    if (time.name != rung.name || !time.error.empty()) continue;
    rows.push_back({{"size", time.size},
                    {"us", fmt::format("{:.1f}", time.median_us)},
                    {"share", html::percent(time.of_limit)}});
  }
  return rows;
}

/// The files beside a rung that it includes.
Json includes_of(Builder& builder, const Rung& rung, const std::string& text) {
  static const std::regex include("#include \"([^\"]+)\"");
  Json result = Json::array();
  for (std::sregex_iterator one(text.begin(), text.end(), include), end; one != end; ++one) {
    const fs::path file = (in_tree(rung.path).parent_path() / (*one)[1].str()).lexically_normal();
    if (const auto link = builder.link(rung_page(rung), file))
      result.push_back({{"link", *link}, {"item", file.generic_string()}});
  }
  return result;
}

/// Names in the code, each once: what a search for `__shfl_xor_sync` finds.
std::string names_in(const std::string& code) {
  static const std::regex name("[A-Za-z_][A-Za-z_0-9]{3,}");
  std::set<std::string> names;
  for (std::sregex_iterator one(code.begin(), code.end(), name), end; one != end; ++one)
    names.insert(one->str());
  std::string text;
  for (const std::string& one : names) text += one + " ";
  return text;
}

std::string code_below(const std::string& source, std::size_t lines) {
  std::size_t begin = 0;
  while (lines-- > 0) begin = std::min(source.find('\n', begin), source.size() - 1) + 1;
  return source.substr(begin);
}

struct RungContext {
  const Problem& problem;
  const std::vector<Rung>& rungs;
  const Result<MeasuredTimes>& times;
};

std::optional<Error> add_rung(Builder& builder, const RungContext& context, std::size_t i) {
  const Rung& rung = context.rungs[i];
  const std::string page = rung_page(rung), operator_name = context.problem.name;
  const std::string source = read_file(rung.path).value_or("");
  const Header header = header_of(source);
  Json values = {{"operator", operator_name},
                 {"operator_link", relative(page, operator_page(operator_name))},
                 {"name", rung.name},
                 {"path", in_tree(rung.path).string()},
                 {"paragraphs", header.paragraphs},
                 {"header_lines", Json::array()},
                 {"times", times_of(rung, context.times)},
                 {"includes", includes_of(builder, rung, source)},
                 {"lines", html::code({.name = rung.name, .source = source})},
                 {"change", Json()}};
  for (std::size_t line = 1; line <= header.lines; ++line) values["header_lines"].push_back(line);
  if (i > 0) {
    const Rung& before = context.rungs[i - 1];
    const Json changed = html::difference(read_file(before.path).value_or(""), source);
    values["change"] = {{"before", before.name},
                        {"before_link", relative(page, rung_page(before))},
                        {"alike", changed.empty()},
                        {"changed", changed}};
  }
  std::string words;
  for (const std::string& paragraph : header.paragraphs) words += paragraph + " ";
  words += names_in(code_below(source, header.lines));
  builder.index(page, operator_name + " " + rung.name + " (a solution)", words, /*hidden=*/true);
  const auto neighbour = [&](std::size_t j) {
    return j < context.rungs.size() ? rung_page(context.rungs[j]) : "";
  };
  return builder.add_page(
      page, "rung.html", operator_name + " " + rung.name, std::move(values),
      {.previous = neighbour(i - 1), .next = neighbour(i + 1), .up = operator_page(operator_name)});
}

std::optional<Error> add_operator(Builder& builder, const Problem& problem,
                                  const Neighbours& around, bool has_attempts) {
  const std::string page = operator_page(problem.name);
  const Result<Document> exercise =
      builder.document(fs::path("exercises") / problem.name / "README.md", page);
  if (!exercise) return exercise.error();
  const std::vector<Rung> rungs = ladder(problem.name);
  const Result<MeasuredTimes> times = measured_times(problem);
  Json values = {
      {"operator", problem.name},
      {"frequency", problem.frequency},
      {"difficulty", problem.difficulty},
      {"body", exercise->html},
      {"charts", charts(problem, rungs, page)},
      {"rungs", Json::array()},
      {"roofline", Json()},
      {"attempts", has_attempts ? Json(relative(page, attempts_page(problem.name))) : Json()},
      {"measured", Json()}};
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    values["rungs"].push_back({{"link", relative(page, rung_page(rungs[i]))},
                               {"name", rungs[i].name},
                               {"idea", rungs[i].idea},
                               {"is_goal", rungs[i].is_goal},
                               {"changes", i > 0}});
    if (auto failed = add_rung(builder, {problem, rungs, times}, i)) return failed;
  }
  if (const Result<Page> kept = kept_page(problem)) values["roofline"] = html::roofline(*kept);
  const fs::path log = fs::path("docs/measured") / (problem.name + ".md");
  if (const auto link = builder.link(page, log)) values["measured"] = *link;
  return builder.add_page(page, "operator.html", problem.name, std::move(values), around);
}

}  // namespace

std::optional<Error> add_rung(Builder& builder, const std::string& page) {
  for (const Problem& problem : problems()) {
    if (!page.starts_with(fmt::format("solutions/{}/", problem.name))) continue;
    const std::vector<Rung> rungs = ladder(problem.name);
    for (std::size_t i = 0; i < rungs.size(); ++i)
      if (rung_page(rungs[i]) == page)
        return add_rung(builder, {problem, rungs, measured_times(problem)}, i);
  }
  return {};
}

std::optional<Error> add_operators(Builder& builder,
                                   const std::optional<std::vector<Attempt>>& mine) {
  const std::vector<const Problem*> all = learning_order();
  std::map<std::string, int> attempts;
  if (mine)
    for (const Attempt& attempt : *mine) ++attempts[attempt.operator_name];
  std::set<std::string> tracks, tags;
  Json rows = Json::array();
  const auto neighbour = [&](std::size_t i) {
    return i < all.size() ? operator_page(all[i]->name) : "";
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Problem& problem = *all[i];
    if (!fs::exists(root() / "exercises" / problem.name / "README.md")) continue;
    if (auto failed = add_operator(
            builder, problem,
            {.previous = neighbour(i - 1), .next = neighbour(i + 1), .up = "index.html"},
            attempts[problem.name] > 0))
      return failed;
    const Result<ExerciseText> text = read_exercise_text(problem.name);
    if (!text) return text.error();
    tracks.insert(text->tracks.begin(), text->tracks.end());
    tags.insert(text->tags.begin(), text->tags.end());
    rows.push_back(
        {{"operator", problem.name},
         {"link", operator_page(problem.name)},
         {"labels", fmt::format("{} {}", fmt::join(text->tracks, " "), fmt::join(text->tags, " "))},
         {"summary", problem.summary},
         {"frequency", problem.frequency},
         {"difficulty", problem.difficulty},
         {"rung_count", ladder(problem.name).size()}});
  }
  return builder.add_page("index.html", "home.html", "kata",
                          {{"operators", rows}, {"tracks", tracks}, {"tags", tags}});
}

}  // namespace kata::site
