// kata report: the ladder, with the person's own file in it, as one HTML file.
#include <fmt/format.h>

#include <filesystem>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/first/hint.h"
#include "cli/terminal/terminal.h"
#include "grading/ladder.h"
#include "grading/pages.h"
#include "report/html/html.h"
#include "report/layout.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::cli {
namespace {

struct ReportOptions {
  std::string name, out;
  bool open = false;
};

Result<std::vector<const Problem*>> chosen(const std::string& name) {
  std::vector<const Problem*> all;
  if (name.empty()) {
    for (const Problem& problem : problems()) all.push_back(&problem);
    return all;
  }
  const Result<const Problem*> problem = find_operator(name);
  if (!problem) return problem.error();
  return std::vector{*problem};
}

Result<std::vector<Page>> gather(const std::vector<const Problem*>& wanted,
                                 const Session& session) {
  const Result<Backend> backend = choose_backend("auto");
  if (!backend) return backend.error();
  Progress progress(session.plain);
  std::vector<Page> pages;
  for (const Problem* problem : wanted) {
    const Result<Candidate> candidate =
        read_candidate(exercise(problem->name), {.problem = problem});
    const GradeRequest request{
        .candidate = candidate ? *candidate : Candidate{.problem = problem},
        .backend = *backend,
        .progress = [&](const std::string& what) { progress.say(problem->name + ": " + what); }};
    Result<Page> page = page_of(*problem, request);
    if (interrupted()) return Error{"interrupted"};
    if (!page) return page.error();
    if (!candidate) page->verdict = "Your file cannot be judged: " + candidate.error().message;
    pages.push_back(std::move(*page));
  }
  return pages;
}

/// An Error where nothing can open it.
std::optional<Error> show_in_browser(const std::filesystem::path& file) {
  const std::filesystem::path opener = find_program("xdg-open");
  if (opener.empty()) {
    return Error{fmt::format("there is no xdg-open here: open {} in a browser", shown(file))};
  }
  const Result<Finished> opened = run({.arguments = {opener, file}});
  if (opened && opened->exit_status == 0) return {};
  return Error{fmt::format("xdg-open could not show it: open {} in a browser", shown(file))};
}

int report(const ReportOptions& options, const Session& session) {
  const Result<std::vector<const Problem*>> wanted = chosen(options.name);
  if (!wanted) return fail(wanted.error());
  const std::string default_name = (options.name.empty() ? "index" : options.name) + ".html";
  std::filesystem::path file =
      options.out.empty() ? report_folder() / default_name : std::filesystem::absolute(options.out);
  if (std::filesystem::is_directory(file)) file /= default_name;
  if (!options.out.empty() && !std::filesystem::is_directory(file.parent_path()))
    return fail({fmt::format("there is no folder {}", shown(file.parent_path()))});
  const Result<std::vector<Page>> pages = gather(*wanted, session);
  if (!pages) return fail(pages.error());
  const Result<std::string> html = to_html(*pages);
  if (!html) return fail(html.error());
  if (const std::string reason = write_file(file, *html); !reason.empty()) {
    return fail({fmt::format("cannot write {}: {}", shown(file), reason)});
  }
  for (const Problem* problem : *wanted) {  // the page shows every rung
    remember_solution_seen(problem->name, ladder(problem->name).back().name);
  }
  fmt::print("Wrote {}, {}.\n", shown(file), layout::bytes(html->size()));
  if (!options.open) {
    fmt::print("Next: look at it\n  {} report {}{}{}--open\n", command_name(), options.name,
               options.name.empty() ? "" : " ",
               options.out.empty() ? "" : fmt::format("--out {} ", shown(file)));
    return 0;
  }
  const std::optional<Error> failed = show_in_browser(file);
  return failed ? fail(*failed) : 0;
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  static ReportOptions options;
  Command(app, "report", "Write the ladder and your file as one HTML page")
      .optional_operand("operator", options.name, "Operator; else all of them")
      .option("--out", "FILE", options.out, "Where to write; else in html/ beside the cache")
      .flag("--open", options.open, "Open it in the browser")
      .does([&session] { session.status = report(options, session); });
}

}  // namespace kata::cli
