#include "report/text/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "report/layout.h"
#include "report/text/diagnostic.h"
#include "report/text/lines.h"
#include "report/text/tables.h"
#include "support/paths.h"

namespace kata {
namespace {

using namespace layout;

constexpr std::size_t rows_below_advice = 15;  // the ladder, the verdict and the next step
constexpr std::size_t rows_below_detail = 5;   // the verdict and the next step

bool is_advice(const Finding& finding) {
  return finding.severity == Severity::advice;
}

std::size_t rows_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// What is wrong, nearest to the cause first. What was never written, and what changes at each run,
/// the explanations say.
std::vector<Finding> by_cause(const Report& report) {
  std::vector<Finding> findings;
  std::copy_if(report.findings.begin(), report.findings.end(), std::back_inserter(findings),
               [](const Finding& one) {
                 return one.kind != FindingKind::output_incomplete &&
                        one.kind != FindingKind::nondeterministic && !is_advice(one);
               });
  std::ranges::stable_sort(findings, is_nearer_to_cause);
  return findings;
}

std::vector<Finding> advice_of(const Report& report) {
  std::vector<Finding> advice;
  std::copy_if(report.findings.begin(), report.findings.end(), std::back_inserter(advice),
               is_advice);
  return advice;
}

/// Times or estimates alone: nothing was judged.
bool is_bench(const Report& report) {
  return report.verdict == Verdict::pass && report.cases.empty();
}

/// Where a finding is from, unless that is the case that is explained.
std::string other_case(const Finding& finding, const Report& report) {
  if (!finding.seen_in) return {};
  const CaseResult* const explained = most_specific_failure(report);
  for (const CaseResult& one : report.cases) {
    if (explained && one.tested == *finding.seen_in && one.name != explained->name)
      return paragraph("note: seen in case " + one.name, 0, 4);
  }
  return {};
}

/// As many as fit with `taken` other rows, but one at least.
std::string diagnostics(const std::vector<Finding>& findings, const Report& report,
                        std::size_t taken, const TextOptions& options) {
  const bool all = options.rows == 0 || options.verbose;
  const std::size_t most =
      all ? std::numeric_limits<std::size_t>::max() : options.rows - std::min(options.rows, taken);
  std::string text;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::string one =
        diagnostic(findings[i], options.color, options.rows > 0) + other_case(findings[i], report);
    if (i > 0 && rows_in(text) + rows_in(one) + 2 > most) {
      const std::size_t more = findings.size() - i;
      text += fmt::format("and {} more finding{} (-v shows all)\n", more, more == 1 ? "" : "s");
      break;
    }
    text += one;
  }
  return text.empty() ? text : text + "\n";
}

std::string lines_text(const Report& report, bool color) {
  const std::string lines = annotated_lines(report.kernels, report.findings, color);
  return lines.empty() ? paragraph(
                             "No counts by line: the largest case did not run to its end. "
                             "Choose another with --size, for example --size 64x64.",
                             2) +
                             "\n"
                       : lines;
}

/// "51 of 17391 wrong", or "wrong" for a single number.
std::string how_many(const CaseResult& one) {
  return one.of == 1 ? "wrong" : fmt::format("{} of {} wrong", one.bad, one.of);
}

/// "case 8x4x2 normal, which is n = 8, vocabulary = 4, dim = 2"
std::string case_text(const CaseResult& one) {
  return fmt::format("case {}{}", one.name, one.sizes.empty() ? "" : ", which is " + one.sizes);
}

/// What is wrong, in the case that teaches most.
std::string why(const CaseResult& failure) {
  if (failure.explanation_kind == ExplanationKind::finding)
    return paragraph(fmt::format("{} ({})", failure.explanation, case_text(failure)), 2) + "\n";
  std::string text = paragraph(failure.explanation, 2);
  if (failure.first_bad) {
    const std::string first =
        fmt::format("{} is {} and should be {}", failure.first_bad->element,
                    number(failure.first_bad->got), number(failure.first_bad->want));
    const bool said = failure.explanation.find(first) != std::string::npos;
    text += paragraph(fmt::format("({}: {}{}{})", case_text(failure), how_many(failure),
                                  said ? "" : "; first, ", said ? "" : first),
                      2);
  } else if (!failure.sizes.empty()) {
    text += paragraph(fmt::format("({})", case_text(failure)), 2);
  }
  return text.empty() ? text : text + "\n";
}

/// "9 of 10 cases right"
std::string how_many_right(const Report& report) {
  const auto [right, of] = count_cases(report);
  return fmt::format("{} of {} case{} right", right, of, of == 1 ? "" : "s");
}

struct NamedCases {
  std::vector<std::string> usual = {}, large = {};
};

NamedCases names_of(const Report& report, Verdict verdict) {
  NamedCases names;
  for (const CaseResult& one : report.cases) {
    if (one.verdict == verdict) (one.large ? names.large : names.usual).push_back(one.name);
  }
  return names;
}

/// `explained` is the case whose explanation is shown apart.
std::string failed_case(const CaseResult& one, const CaseResult* explained, bool color) {
  const std::string mark =
      paint(one.verdict == Verdict::error ? "----" : "FAIL", Color::red, color);
  std::string text = fmt::format("  {} {}", mark, one.name);
  if (one.verdict == Verdict::error) return text + "  not judged: " + one.explanation + "\n";
  text += one.bad > 0 ? "  " + how_many(one) + "\n" : "\n";
  const bool repeats = explained && one.explanation == explained->explanation;
  return repeats ? text : text + paragraph(one.explanation, 7);
}

std::string all_cases(const Report& report, const CaseResult* explained, bool color) {
  std::string text;
  const NamedCases passed = names_of(report, Verdict::pass);
  if (!passed.usual.empty())
    text =
        paragraph(fmt::format("{}: {}", how_many_right(report), fmt::join(passed.usual, "; ")), 2);
  if (!passed.large.empty())
    text += paragraph(fmt::format("right at large sizes: {}", fmt::join(passed.large, "; ")), 2);
  for (const CaseResult& one : report.cases) {
    if (one.verdict != Verdict::pass) text += failed_case(one, explained, color);
  }
  if (report.cases_not_run > 0) {
    text += fmt::format("  {} more case{} not run\n", report.cases_not_run,
                        report.cases_not_run == 1 ? " was" : "s were");
  }
  return text.empty() ? text : text + "\n";
}

std::string printed_text(const Report& report, bool all) {
  if (report.output.empty()) return {};
  if (all) {
    return "  Your program printed:\n" +
           verbatim(report.output, 4, std::numeric_limits<std::size_t>::max()) + "\n";
  }
  return fmt::format("  Your program printed {} line{} (--output shows {})\n\n",
                     report.output_lines, report.output_lines == 1 ? "" : "s",
                     report.output_lines == 1 ? "it" : "them");
}

/// Where a person writes: the stub's untouched copy is not the place.
std::string place_to_write(const Report& report) {
  const bool is_copy = report.candidate == shown(stub(report.operator_name));
  return is_copy ? shown(exercise(report.operator_name)) : report.candidate;
}

/// What a command line needs to name this candidate again.
std::string name_of(const Report& report) {
  const bool is_exercise = place_to_write(report) == shown(exercise(report.operator_name));
  return is_exercise ? report.operator_name : shell_word(report.candidate);
}

/// Where the candidate is farthest from the best rung.
const SizeLevel& worst_of(const Level& level) {
  return *std::ranges::find(level.sizes, level.size, &SizeLevel::size);
}

/// Where a level by time holds: " at 65536x128, but with rung 8 at 8192x4096".
std::string where_text(const Level& level) {
  const SizeLevel *own = nullptr, *other = nullptr;
  for (const SizeLevel& one : level.sizes) {
    if (one.rung == level.rung && (!own || one.of_best < own->of_best)) own = &one;
    if (one.rung != level.rung && (!other || one.of_best > other->of_best)) other = &one;
  }
  if (!other)
    return level.sizes.size() < 2 ? "" : fmt::format(" at all {} sizes", level.sizes.size());
  return fmt::format(" at {}, with rung {} at {}", own ? own->size : level.size, other->rung,
                     other->size);
}

/// Why yours cannot be set beside the rungs by time.
std::string why_no_times(const Report& report) {
  if (report.estimates.empty()) return "nothing was timed or estimated";
  const Estimate& first = report.estimates.front();
  return first.kind == RowKind::yours && !first.error.empty()
             ? "there is no estimate (" + first.error + ")"
             : "the ladder has no times at " + first.size;
}

std::string no_level_text(const Report& report) {
  if (report.counts.empty()) return {};
  const bool waits = std::ranges::any_of(report.counts, [](const CountRow& row) {
    return row.kind == RowKind::yours && row.blocks_wait;
  });
  const std::string why = waits ? "only a GPU shows how long its blocks wait for each other"
                                : why_no_times(report) + ", and its counts are those of no rung";
  return paragraph("Level unknown: " + why + ".", 2) + "\n";
}

/// "Not estimated at 67108864: one call makes more than ..."
std::string left_out_text(const Report& report) {
  std::vector<std::string> sizes;
  std::string reason;
  for (const Estimate& row : report.estimates) {
    if (row.kind != RowKind::yours || row.error.empty()) continue;
    sizes.push_back(row.size);
    if (reason.empty()) reason = row.error;
  }
  if (sizes.empty() || report.level->size.empty()) return {};
  return fmt::format(" Not estimated at {}: {}.", fmt::join(sizes, ", "), reason);
}

/// "Level with rung 3 of 8, 3_online (=), and with rung 8 at 8192x4096. ..."
std::string level_text(const Report& report) {
  if (report.verdict != Verdict::pass) return {};
  if (!report.level) return no_level_text(report);
  const Level& level = *report.level;
  const bool by_time = !level.size.empty();
  std::string text =
      fmt::format("{} rung {} of {}, {} (=)", level.behind > 1 ? "Nearest to" : "Level with",
                  level.rung, level.of, level.name);
  if (!level.same.empty())
    text += fmt::format(", {} {}", by_time ? "which is as fast as" : "which has the same counts as",
                        fmt::join(level.same, ", "));
  if (by_time) text += where_text(level);
  if (level.next == 0) {
    const char* const by_counts =
        level.rung == level.of ? ": the top of the ladder." : ". No rung is faster.";
    text += by_time ? ". No rung is more than 5 % faster." : by_counts;
  } else if (by_time) {
    text += fmt::format(". {:.1f} times as slow as the best rung at {}",
                        times_of_best(worst_of(level)), level.size);
    text += level.sizes.size() > 1
                ? fmt::format(", typically {:.1f} times.", typical_of_best(level))
                : ".";
  } else {
    text += ".";
  }
  return paragraph(text + left_out_text(report), 2) + "\n";
}

const std::string size_option = "--size";

/// "kata check mine.cu --entry f", with these options.
std::string check_command(const Report& report, std::span<const std::string> options) {
  std::string command = fmt::format("{} check {}", command_name(), name_of(report));
  for (const std::string& option : options) command += " " + shell_word(option);
  return command;
}

/// "kata check mine.cu --size 4x4 --seed 42": judges the same again.
std::string same_check(const Report& report) {
  const std::string command = check_command(report, report.options);
  return report.verdict == Verdict::fail ? fmt::format("{} --seed {}", command, report.seed)
                                         : command;
}

std::string step_after_pass(const Report& report) {
  const std::string& name = report.operator_name;
  std::vector<std::string> options = report.options;
  if (const auto size = std::ranges::find(options, size_option); size != options.end()) {
    options.erase(size, size + 2);
    return fmt::format("Next: that was one size alone; judge every case\n  {}\n",
                       check_command(report, options));
  }
  // Counts at a size without an estimate are no ground to aim for anything.
  const bool is_unknown = report.level && report.level->size.empty() && !report.estimates.empty();
  if (!report.level || report.level->next == 0 || is_unknown)
    return fmt::format("Next: compare with the ladder\n  {} show {}\n", command_name(), name);
  // A hint goes on from the last check of the exercise.
  const char* const command = name_of(report) == name ? "hint" : "show";
  const Level& level = *report.level;
  const std::string off =
      level.size.empty()
          ? ""
          : fmt::format("{:.1f} x off at {}: ", times_of_best(worst_of(level)), level.size);
  return fmt::format("Next: {}aim for rung {}\n  {} {} {}\n", off, level.next, command_name(),
                     command, name);
}

/// The compiler's own words, or the messages of findings that nothing can be judged with.
std::string error_result(const Report& report, const TextOptions& options) {
  const std::size_t rows = options.rows;
  if (!report.detail.empty()) {
    const std::string end = report.detail.ends_with('\n') ? "" : "\n";
    if (rows == 0) return report.detail + end + "\n";
    const std::size_t most = options.verbose ? std::numeric_limits<std::size_t>::max()
                                             : rows - std::min(rows / 2, rows_below_detail + 1);
    return verbatim(with_narrow_excerpts(report.detail), 0, most) + "\n";
  }
  return diagnostics(by_cause(report), report, rows_below_detail, options);
}

/// Lines of kernels that no checked case has run: nothing was seen of them.
std::string unreached_text(const Report& report) {
  const std::vector<int> lines = unreached_lines(report);
  if (lines.empty()) return {};
  constexpr std::size_t most_named = 5;
  const std::span<const int> named = std::span(lines).first(std::min(most_named, lines.size()));
  return fmt::format(
      "  no case with memory checks runs line{} {}{}\n", lines.size() > 1 ? "s" : "",
      fmt::join(named, ", "),
      lines.size() > most_named ? fmt::format(" and {} more", lines.size() - most_named) : "");
}

}  // namespace

std::string to_text(const Report& report, const TextOptions& options) {
  return result_text(report, options) + ladder_text(report, options) +
         verdict_text(report, options) + next_step_text(report);
}

std::string findings_text(const Report& report, const TextOptions& options) {
  return diagnostics(by_cause(report), report, 0, options);
}

std::string advice_text(const Report& report, const TextOptions& options) {
  return diagnostics(advice_of(report), report, 0, options);
}

std::string cases_text(const Report& report) {
  const auto [right, of] = count_cases(report);
  if (of == 0) return {};
  const NamedCases wrong = names_of(report, Verdict::fail);
  std::vector<std::string> not_judged;
  for (const CaseResult& one : report.cases)
    if (one.verdict == Verdict::error) not_judged.push_back(one.name);
  std::string text = how_many_right(report);
  const bool all_right = right == of && wrong.large.empty() && not_judged.empty();
  if (all_right && std::ranges::any_of(report.cases, &CaseResult::large))
    text += ", and right at large sizes";
  if (report.cases_not_run > 0) {
    text += fmt::format(", {} not run", report.cases_not_run);
    if (!wrong.usual.empty()) text += fmt::format(" after {} wrong", wrong.usual.size());
  }
  // A case's name may hold commas.
  if (!wrong.usual.empty()) text += fmt::format(". Wrong: {}", fmt::join(wrong.usual, "; "));
  if (!wrong.large.empty())
    text += fmt::format(". Wrong at large sizes: {}", fmt::join(wrong.large, "; "));
  if (!not_judged.empty()) text += fmt::format(". Not judged: {}", fmt::join(not_judged, "; "));
  return paragraph(text, 2) + "\n";
}

std::string result_text(const Report& report, const TextOptions& options) {
  if (report.verdict == Verdict::error) return error_result(report, options);
  const CaseResult* failure = most_specific_failure(report);
  // Of a launch that was refused, no number is the kernel's.
  const bool has_run = std::ranges::none_of(report.findings, [](const Finding& one) {
    return one.kind == FindingKind::invalid_launch && one.severity == Severity::error;
  });
  std::string below = failure && has_run ? why(*failure) : "";
  below += options.verbose ? all_cases(report, failure, options.color) : cases_text(report);
  below += printed_text(report, options.output);
  if (options.lines) below += lines_text(report, options.color);
  const std::string end = verdict_text(report, options) + next_step_text(report);
  std::string text =
      diagnostics(by_cause(report), report, rows_in(below) + rows_in(end) + 1, options) + below;
  if (report.verdict == Verdict::pass && !options.lines) {
    text += diagnostics(advice_of(report), report, rows_in(text) + rows_below_advice, options);
  }
  return text;
}

std::string more_cases_text(const Report& report, std::size_t shown, const TextOptions& options) {
  if (report.large_cases_off) return "  large sizes were left out: KATA_LARGE_CASES is \"off\"\n\n";
  if (report.cases.size() <= shown) return {};
  // How many there are depends on how fast the machine is.
  if (!options.verbose) return "  right at large sizes, too\n" + unreached_text(report) + "\n";
  std::string count = fmt::format("{} large ones, too", report.cases.size() - shown);
  if (report.cases_too_long > 0)
    count += fmt::format(" ({} more would take too long)", report.cases_too_long);
  std::vector<std::string> names;
  for (std::size_t i = shown; i < report.cases.size(); ++i) names.push_back(report.cases[i].name);
  return paragraph(fmt::format("{}: {}", count, fmt::join(names, "; ")), 2) +
         unreached_text(report) + "\n";
}

std::string ladder_text(const Report& report, const TextOptions& options) {
  if (report.verdict == Verdict::error) return {};
  return ladder_tables(report, options.color, options.verbose) + level_text(report);
}

std::string verdict_text(const Report& report, const TextOptions& options) {
  const bool color = options.color;
  if (is_bench(report)) return {};
  static constexpr const char* words[] = {"PASS", "FAIL", "ERROR", "NOT ATTEMPTED"};
  static constexpr Color colors[] = {Color::green, Color::red, Color::red, Color::yellow};
  const auto which = static_cast<std::size_t>(report.verdict);
  const std::string word = paint(words[which], colors[which], color);
  if (report.verdict == Verdict::error) {
    const std::string text = paragraph(fmt::format("{}  {}", report.operator_name, report.error),
                                       std::string_view(words[which]).size() + 2);
    return word + text.substr(std::string_view(words[which]).size());
  }
  std::string line = word + "  " + paint(report.operator_name, Color::bold, color);
  std::size_t columns = std::string_view(words[which]).size() + 2 + report.operator_name.size();
  const auto add = [&](const std::string& part, Color shade) {
    const bool fits = columns + 2 + part.size() <= width;
    line += (fits ? "  " : "\n  ") + paint(part, shade, color);
    columns = (fits ? columns : 0) + 2 + part.size();
  };
  if (!report.candidate.empty()) add(report.candidate, Color::plain);
  if (report.verdict == Verdict::not_attempted)
    return line + "\n  The stub is unchanged: there is nothing to judge yet.\n";
  add(fmt::format("({}, seed {})", report.device, report.seed), Color::dim);
  return line + "\n";
}

std::string next_step_text(const Report& report) {
  const std::vector<Finding> findings = by_cause(report);
  const std::string again = same_check(report);
  switch (report.verdict) {
    case Verdict::pass:
      return step_after_pass(report);
    case Verdict::fail: {
      const bool has_line =
          !findings.empty() && findings[0].line > 0 && findings[0].severity == Severity::error;
      const std::string place =
          has_line ? fmt::format("{}:{}", shown(findings[0].file), findings[0].line)
                   : report.candidate;
      const std::string fix = fmt::format("Next: fix {},", place),
                        rest = "then repeat with the same inputs";
      const char* const between = fix.size() + 1 + rest.size() > width ? "\n" : " ";
      return fmt::format("{}{}{}\n  {}\n", fix, between, rest, again);
    }
    case Verdict::not_attempted:
      return fmt::format("Next: write the kernel in {}, then\n  {}\n", place_to_write(report),
                         again);
    case Verdict::error:
      break;
  }
  if (report.detail.empty() || report.candidate.empty()) return {};
  return fmt::format("Next: fix {}, then\n  {}\n", report.candidate, again);
}

}  // namespace kata
