// kata bench: timing alone, on a GPU.
#include <fmt/format.h>

#include <cstdio>

#include "cli/backend.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/terminal/terminal.h"
#include "grading/grade.h"
#include "remote/grade_elsewhere.h"
#include "report/json.h"
#include "report/layout.h"
#include "report/text/text.h"
#include "support/paths.h"
#include "support/process.h"
#include "timing/chip.h"

namespace kata::cli {
namespace {

struct BenchOptions {
  CandidateOptions candidate;
  std::string chip;
  bool verbose = false;
  bool json = false;
  bool csv = false;
  std::string on;
};

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string{letter};
  return quoted + "\"";
}

std::string to_csv(const Report& report) {
  std::string text =
      "operator,device,name,size,median_us,iqr_us,samples,gb_per_s,tflop_per_s,of_limit,vs_yours,"
      "launch_bound,error\n";
  for (const TimingRow& row : report.timing) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", report.operator_name,
                        csv_field(report.device), csv_field(row.name), row.size, row.median_us,
                        row.iqr_us, row.samples, row.gb_per_s, row.tflop_per_s, row.of_limit,
                        row.vs_yours, row.launch_bound, csv_field(row.error));
  }
  return text;
}

std::string rendered(const Report& report, bool is_stub, const BenchOptions& options,
                     const Session& session) {
  if (options.json) return to_json_text(report);
  if (options.csv && report.verdict != Verdict::error) return to_csv(report);
  const TextOptions how{.color = color_wanted(session.plain),
                        .verbose = options.verbose,
                        .rows = screen_rows(session.plain)};
  if (!is_stub || report.verdict != Verdict::pass) return to_text(report, how);
  Report unwritten = report;
  unwritten.verdict = Verdict::not_attempted;
  return ladder_text(report, how) + next_step_text(unwritten);
}

/// At once, for the ladder may take a while: what there is no time of.
void say_what_is_missing(const GradeRequest& request, const Problem* stub_of, bool has_gpu) {
  const auto say = [](const std::string& text) {
    fmt::print("{}\n", layout::paragraph(text, 2));
    std::fflush(stdout);
  };
  if (!has_gpu)
    say(fmt::format("No GPU to time on ({} doctor says what is missing): these are estimates.",
                    command_name()));
  if (stub_of)
    say(fmt::format("{} is not written yet: the rows are the ladder's alone.",
                    shown(request.candidate.path)));
}

int time_it(const BenchOptions& options, const Session& session) {
  Result<Candidate> candidate = find_candidate(options.candidate);
  if (!candidate) return fail(candidate.error());
  const Result<Backend> gpu = choose_backend("gpu", options.on);
  if (!gpu && options.csv) {
    return fail(
        {fmt::format("no GPU to time on ({0} doctor says what is missing). For estimates: "
                     "{0} bench {1}",
                     command_name(), options.candidate.what)});
  }
  GradeRequest request{.candidate = std::move(*candidate),
                       .backend = gpu ? Backend::gpu : Backend::emulator,
                       .chip = options.chip};
  Result<Place> place = Place{};
  if (!options.on.empty()) place = find_place(session.config, options.on);
  if (!place) return fail(place.error());
  const Problem* const stub_of = untouched_stub_of(request.candidate);
  if (!options.json && !options.csv) say_what_is_missing(request, stub_of, bool{gpu});
  Result<Report> timed = Error{};
  {
    Progress progress(session.plain);
    request.progress = [&progress](const std::string& what) { progress.say(what); };
    timed = options.on.empty() ? bench_and_judge(request) : bench_elsewhere(*place, request);
  }
  if (interrupted()) return exit_error;
  if (!timed) return fail(timed.error());
  const Report& report = *timed;
  fmt::print("{}", rendered(report, stub_of != nullptr, options, session));
  return exit_status(report.verdict);
}

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  static BenchOptions options;
  options.chip = session.config.some_chip();
  Command(app, "bench", "Times: yours, every rung, the library, the limit")
      .operand("operator-or-file", options.candidate.what, "An operator, or any .cu file")
      .option("--size", "SIZE", options.candidate.size, "Time this size only, e.g. 4096x4096")
      .choice("--chip", chip_names(), options.chip, "Estimate times for this chip, without a GPU")
      .option("--entry", "NAME", options.candidate.entry,
              "The function to call, if not the operator's name")
      .option("--operator", "NAME", options.candidate.operator_name,
              "The operator that the file computes")
      .option("--on", "NAME", options.on, "Run it on another machine: see kata remote")
      .flag("-v,--verbose", options.verbose, "Show every rung at every size")
      .flag("--json", options.json, "One JSON object on standard output")
      .flag("--csv", options.csv, "One line per time, for a spreadsheet")
      .exclusive("--json", "--csv")
      .does([&session] { session.status = time_it(options, session); });
}

}  // namespace kata::cli
