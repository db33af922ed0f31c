// kata diff: what one rung's idea changed, with the words that the rung has for it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/first/hint.h"
#include "cli/terminal/terminal.h"
#include "report/html/code_diff.h"
#include "report/layout.h"
#include "report/text/highlight.h"
#include "support/files.h"
#include "support/paths.h"
#include "timing/measured_times.h"

namespace kata::cli {
namespace {

using layout::Color;

struct DiffOptions {
  std::string name, before, after;
  bool json = false;
};

/// One of the two texts.
struct Side {
  std::string name;  ///< "2_warp_per_row", or the file's path as a person types it
  std::string text;
  bool is_rung = false;
};

Result<Side> read_side(const std::string& name, const std::filesystem::path& path, bool is_rung) {
  const std::optional<std::string> text = read_file(path);
  if (!text) return Error{fmt::format("cannot read {}", shown(path))};
  return Side{.name = name, .text = *text, .is_rung = is_rung};
}

bool is_file(const std::string& which) {
  return which == "yours" || which.find('/') != std::string::npos || which.ends_with(".cu");
}

/// A rung, a file by its path, or the person's own for "yours".
Result<Side> find_side(const std::string& operator_name, const std::string& which) {
  if (const Result<Rung> rung = find_rung(operator_name, which); rung || !is_file(which)) {
    return rung ? read_side(rung->name, rung->path, true) : Result<Side>(rung.error());
  }
  const std::filesystem::path path =
      which == "yours" ? exercise(operator_name) : std::filesystem::path(which);
  return read_side(shown(path), path, false);
}

/// What a rung is set beside where that is not said: the one before.
Result<std::string> rung_before(const std::string& operator_name, const std::string& one) {
  const Result<Rung> rung = find_rung(operator_name, one);
  if (!rung) return rung.error();
  if (rung->number <= 1) {
    return Error{fmt::format("{} has no rung before it. Read it with: {} show {} {}", rung->name,
                             command_name(), operator_name, rung->name)};
  }
  return std::to_string(rung->number - 1);
}

/// Both measured, at one size.
struct TimesOfBoth {
  std::string size, device, date;
  TimingRow before, after;
};

std::vector<TimesOfBoth> times_of(const Problem& problem, const Side& before, const Side& after) {
  std::vector<TimesOfBoth> times;
  const Result<MeasuredTimes> kept = measured_times(problem);
  if (!kept) return times;
  for (const Shape& shape : problem.bench_shapes) {
    const std::vector<TimingRow> rows = rows_at(kept->rows, to_string(shape));
    const TimingRow* const a = find_row(rows, before.name);
    const TimingRow* const b = find_row(rows, after.name);
    if (a && b) times.push_back({to_string(shape), kept->device, kept->date, *a, *b});
  }
  return times;
}

/// "8192x4096 on NVIDIA H200, 2026-11-22: 168.4 us, then 138.7 us, 1.21 times as fast": of each
/// size.
std::string times_text(const std::vector<TimesOfBoth>& times) {
  std::string text;
  for (const auto& [size, device, date, before, after] : times)
    text += layout::paragraph(
        fmt::format("{} on {}, {}: {:.1f} us, then {:.1f} us: {:.2f} times as fast; {:.0f} % "
                    "of the limit, then {:.0f} %",
                    size, device, date, before.median_us, after.median_us,
                    before.median_us / after.median_us, 100 * before.of_limit,
                    100 * after.of_limit),
        2);
  return text.empty() ? text : text + "\n";
}

nlohmann::json json_of(const Problem& problem, const Side& before, const Side& after) {
  nlohmann::json times = nlohmann::json::array();
  for (const TimesOfBoth& one : times_of(problem, before, after))
    times.push_back({{"size", one.size},
                     {"device", one.device},
                     {"date", one.date},
                     {"before_us", one.before.median_us},
                     {"after_us", one.after.median_us}});
  return {{"schema", 1},
          {"operator", problem.name},
          {"before", before.name},
          {"after", after.name},
          {"idea", after.is_rung ? header_of(after.text).paragraphs : std::vector<std::string>()},
          {"times", times},
          {"difference", code_diff_text(before.text, after.text, /*color=*/false)}};
}

std::string difference(const Problem& problem, const Side& before, const Side& after, bool color) {
  std::string text = layout::paint(
      fmt::format("{}: {} -> {}", problem.name, before.name, after.name), Color::bold, color);
  text += "\n\n";
  if (after.is_rung) {
    for (const std::string& paragraph : header_of(after.text).paragraphs) {
      text += layout::paragraph(paragraph, 2) + "\n";
    }
  }
  text += times_text(times_of(problem, before, after));
  const std::string changes = code_diff_text(before.text, after.text, color);
  if (changes.empty()) return text + "  Both texts are the same, comments aside.\n";
  return text + changes +
         "\n  -, +: taken away, added. >: moved here from elsewhere in the file.\n";
}

/// The ideas before any code: a rung that a person has seen is a solution.
std::string rungs_to_choose(const DiffOptions& options, bool color) {
  std::string text =
      layout::paragraph(fmt::format("Which rung? Once you have seen its code, the exercise no "
                                    "longer counts as solved on your own. The "
                                    "ideas of {}:",
                                    options.name),
                        0);
  const std::vector<Rung> rungs = ladder(options.name);
  for (const Rung& rung : rungs)
    text += layout::paint("  " + rung.name, Color::bold, color) + "\n" +
            layout::paragraph(rung.idea, 6);
  return text + fmt::format("\nBeside rung {0}, say:\n  {1} diff {2} {3} {0}\n",
                            rungs.front().number, command_name(), options.name, options.before);
}

/// The same as JSON: which rungs there are to compare with.
nlohmann::json ideas_json(const std::string& operator_name) {
  nlohmann::json rungs = nlohmann::json::array();
  for (const Rung& rung : ladder(operator_name))
    rungs.push_back({{"number", rung.number}, {"name", rung.name}, {"idea", rung.idea}});
  return {{"schema", 1}, {"operator", operator_name}, {"rungs", rungs}};
}

int diff(const DiffOptions& options, const Session& session) {
  const Result<const Problem*> problem = find_operator(options.name);
  if (!problem) return fail(problem.error(), options.json);
  std::string first = options.before, second = options.after;
  if (second.empty() && is_file(first)) {
    const Result<Side> yours = find_side(options.name, first);
    if (!yours) return fail(yours.error(), options.json);
    if (options.json) {
      print_json(ideas_json(options.name));
      return 0;
    }
    print_paged(rungs_to_choose(options, color_wanted(session.plain)), session.plain);
    return 0;
  }
  if (second.empty()) {
    const Result<std::string> before = rung_before(options.name, first);
    if (!before) return fail(before.error(), options.json);
    second = std::exchange(first, *before);
  }
  const Result<Side> before = find_side(options.name, first);
  if (!before) return fail(before.error(), options.json);
  const Result<Side> after = find_side(options.name, second);
  if (!after) return fail(after.error(), options.json);
  for (const Side* side : {&*before, &*after}) {
    if (side->is_rung) remember_solution_seen(options.name, side->name);
  }
  if (options.json) {
    print_json(json_of(**problem, *before, *after));
    return 0;
  }
  const bool color = color_wanted(session.plain);
  print_paged(difference(**problem, *before, *after, color), session.plain, "+->");
  return 0;
}

}  // namespace

void add_diff(CLI::App& app, Session& session) {
  static DiffOptions options;
  Command(app, "diff", "Show what a rung changed, or how your file differs")
      .operand("operator", options.name, "Whose ladder")
      .optional_operand("rung", options.before, "A rung, a .cu file, or `yours`")
      .optional_operand("other", options.after, "The other; else, of a rung, the one before")
      .flag("--json", options.json, "One JSON object on standard output")
      .does([&session] { session.status = diff(options, session); });
}

}  // namespace kata::cli
