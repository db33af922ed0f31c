// kata show: the annotated ladder, as a table of contents or one rung's text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/first/hint.h"
#include "cli/open_history.h"
#include "cli/terminal/terminal.h"
#include "practice/drill/reading.h"
#include "report/layout.h"
#include "report/text/highlight.h"
#include "support/diff.h"
#include "support/files.h"
#include "support/paths.h"
#include "timing/measured_times.h"

namespace kata::cli {
namespace {

using layout::Color;

constexpr std::size_t name_width = 26;

struct ShowOptions {
  std::string name, rung, size;
  bool json = false;
};

/// The times of the size that was asked for, else of the first.
struct ChosenTimes {
  std::string size;
  Result<MeasuredTimes> kept = Error{};
  std::vector<TimingRow> rows = {};
  std::vector<std::string> other_sizes = {};
};

/// Time, share of the limit, and what the rung gained on the one before; blank without a time.
std::string columns(const TimingRow* row, const TimingRow* before) {
  if (!row) return {};
  const std::string text =
      fmt::format("{:>10.1f} {:>9}", row->median_us, fmt::format("{:.0f} %", 100 * row->of_limit));
  if (!before) return text;
  return text + fmt::format(" {:>9.2f} x", before->median_us / row->median_us);
}

/// The rung that the last check that passed was level with; 0 if there is none.
int level_reached(const Problem& problem) {
  const Result<History> history = open_history();
  const auto attempts = history ? history->outcomes(problem.name)
                                : Result<std::vector<AttemptOutcome>>(history.error());
  if (!attempts) return 0;
  for (auto one = attempts->rbegin(); one != attempts->rend(); ++one) {
    if (one->verdict == Verdict::pass && one->rung > 0) return one->rung;
  }
  return 0;
}

std::string contents_of(const Problem& problem, const std::vector<TimingRow>& times, bool color) {
  std::string text;
  const TimingRow* before = nullptr;
  const int level = level_reached(problem);
  for (const Rung& rung : ladder(problem.name)) {
    const TimingRow* const row = find_row(times, rung.name);
    const std::string name = (rung.number == level ? "= " : "  ") + rung.name;
    text += layout::paint(row ? fmt::format("{:<{}}", name, name_width + 2) : name, Color::bold,
                          color) +
            columns(row, before) + "\n";
    const std::string idea = rung.idea + (rung.is_goal ? " (the rung to reach in 30 minutes)" : "");
    text += layout::paint(layout::paragraph(idea, 6), Color::dim, color);
    before = row;
  }
  for (const TimingRow& row : times) {
    if (row.kind == RowKind::rung) continue;
    text += fmt::format("  {:<{}}{}\n", row.name, name_width, columns(&row, nullptr));
  }
  if (level > 0) text += "\n= level with your last check that passed\n";
  return text;
}

/// Sizes with kept times, but for `shown_size`.
std::vector<std::string> other_sizes(const std::vector<TimingRow>& rows,
                                     const std::string& shown_size) {
  std::vector<std::string> sizes;
  for (const TimingRow& row : rows) {
    const bool known = std::find(sizes.begin(), sizes.end(), row.size) != sizes.end();
    if (!known && row.size != shown_size) sizes.push_back(row.size);
  }
  return sizes;
}

std::string next_steps(const Problem& problem, const std::vector<std::string>& sizes) {
  const std::string& name = problem.name;
  std::string text =
      fmt::format("\nOne rung, and what it changed:\n  {0} show {1} {2}\n  {0} diff {1} {2}\n",
                  command_name(), name, ladder(name).back().number);
  if (sizes.empty()) return text;
  return text + layout::paragraph(
                    fmt::format("Also measured, with --size: {}", fmt::join(sizes, ", ")), 0);
}

Result<ChosenTimes> times_at(const Problem& problem, const std::string& size) {
  ChosenTimes times{.size = size.empty() ? to_string(problem.bench_shapes.at(0)) : size,
                    .kept = measured_times(problem)};
  if (times.kept) {
    times.rows = rows_at(times.kept->rows, times.size);
    times.other_sizes = other_sizes(times.kept->rows, times.size);
  }
  if (size.empty() || !times.rows.empty()) return times;
  return Error{fmt::format("no times are kept for {} at {}. There are: {}", problem.name, size,
                           fmt::join(times.other_sizes, ", "))};
}

std::string table_of_contents(const Problem& problem, const ChosenTimes& times, bool color) {
  std::string text =
      fmt::format("{}: {}\n{}\n", problem.name, problem.summary, drill::signature_text(problem));
  if (times.rows.empty()) {
    text += layout::paragraph(
        times.kept ? "No times are kept at this size." : times.kept.error().message, 2);
  } else {
    text +=
        fmt::format("  {} on {}, {}\n  {:<{}}{:>10} {:>9} {:>11}\n", times.size, times.kept->device,
                    times.kept->date, "", name_width, "median us", "of limit", "gain");
  }
  return text + contents_of(problem, times.rows, color) + next_steps(problem, times.other_sizes);
}

nlohmann::json json_of(const Problem& problem, const ChosenTimes& times) {
  nlohmann::json rungs = nlohmann::json::array();
  for (const Rung& rung : ladder(problem.name)) {
    rungs.push_back({{"number", rung.number},
                     {"name", rung.name},
                     {"idea", rung.idea},
                     {"is_goal", rung.is_goal}});
    const TimingRow* const row = find_row(times.rows, rung.name);
    if (row) rungs.back().update({{"median_us", row->median_us}, {"of_limit", row->of_limit}});
  }
  return {{"schema", 1},
          {"operator", problem.name},
          {"summary", problem.summary},
          {"declaration", declaration(problem)},
          {"size", times.size},
          {"device", times.kept ? times.kept->device : ""},
          {"date", times.kept ? times.kept->date : ""},
          {"rungs", rungs}};
}

/// A line of prose in a comment: "// Words", and where the next paragraph of a header begins.
bool is_prose(const std::string& line) {
  return line.starts_with("// ") && line.size() > 3 && std::isalnum(line[3]) &&
         line.find("  ") == std::string::npos;
}

bool begins_paragraph(const std::string& line) {
  return line.starts_with("// Prediction:") || line.starts_with("// Measured");
}

/// Paragraphs of comments that are wider than the terminal are broken into new lines: each line on
/// its own would leave a word or two behind it. What is no prose, such as a picture, stays.
std::string for_screen(const std::string& source, std::size_t columns) {
  const std::vector<std::string_view> lines = lines_with_ends(source);
  const auto line_at = [&](std::size_t i) {
    return std::string(lines[i].substr(0, lines[i].find_last_not_of("\r\n") + 1));
  };
  std::string text;
  for (std::size_t i = 0; i < lines.size();) {
    std::string paragraph = line_at(i);
    std::size_t end = i + 1;
    bool is_wide = paragraph.size() > columns;
    for (; is_prose(line_at(i)) && end < lines.size(); ++end) {
      const std::string line = line_at(end);
      if (!is_prose(line) || begins_paragraph(line)) break;
      is_wide = is_wide || line.size() > columns;
      paragraph += line.substr(2);
    }
    if (!is_wide)
      for (; i < end; ++i) text += line_at(i) + "\n";
    else
      text += layout::fitted(paragraph, columns);
    i = end;
  }
  return text;
}

std::string colored(const std::string& source, bool color) {
  if (!color) return source;
  std::string text;
  for (const CodeLine& line : highlight(source)) text += painted(line, true) + "\n";
  return text;
}

int show(const ShowOptions& options, const Session& session) {
  const Result<const Problem*> problem = find_operator(options.name);
  if (!problem) return fail(problem.error(), options.json);
  // "1": an Error where there are no rungs.
  const Result<Rung> rung = find_rung(options.name, options.rung.empty() ? "1" : options.rung);
  if (!rung) return fail(rung.error(), options.json);
  const bool color = color_wanted(session.plain);
  if (options.rung.empty()) {
    const Result<ChosenTimes> times = times_at(**problem, options.size);
    if (!times) return fail(times.error(), options.json);
    if (options.json)
      print_json(json_of(**problem, *times));
    else
      print_paged(table_of_contents(**problem, *times, color), session.plain);
    return 0;
  }
  const std::optional<std::string> text = read_file(rung->path);
  if (!text) return fail({fmt::format("cannot read {}", shown(rung->path))}, options.json);
  remember_solution_seen(options.name, rung->name);
  if (options.json) {
    print_json({{"schema", 1},
                {"operator", options.name},
                {"number", rung->number},
                {"name", rung->name},
                {"file", shown(rung->path)},
                {"text", *text}});
    return 0;
  }
  const std::string page =
      screen_wanted(session.plain) ? for_screen(*text, screen_columns()) : *text;
  print_paged(colored(page, color), session.plain);
  return 0;
}

}  // namespace

void add_show(CLI::App& app, Session& session) {
  static ShowOptions options;
  Command(app, "show", "Show an operator's annotated ladder")
      .operand("operator", options.name, "Whose ladder")
      .optional_operand("rung", options.rung, "Its number or name; else the list of rungs")
      .option("--size", "SIZE", options.size, "List the rungs with their times at this size")
      .flag("--json", options.json, "One JSON object on standard output")
      .does([&session] { session.status = show(options, session); });
}

}  // namespace kata::cli
