// kata asm: source lines beside the instructions that nvcc makes of them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "assembly/kept.h"
#include "assembly/text.h"
#include "cli/candidate.h"
#include "cli/commands.h"
#include "cli/first/hint.h"
#include "cli/terminal/terminal.h"
#include "report/layout.h"
#include "support/paths.h"
#include "support/process.h"

namespace fs = std::filesystem;

namespace kata::cli {
namespace {

using assembly::Assembly;
using assembly::Side;
using assembly::Summary;

struct AsmOptions {
  CandidateOptions candidate;
  std::string against, kernel, chip;
  bool ptx = false;
  bool verbose = false;
  bool json = false;
};

/// A file to show: the person's own, or a rung.
struct Subject {
  fs::path path;
  const Problem* problem = nullptr;  ///< null: of no operator that is known
  std::optional<Rung> rung = {};
};

/// What nvcc makes of it on this machine; or of a rung, what is kept.
struct Shown {
  Subject subject;
  Summary summary;
  std::optional<Assembly> assembly = {};
  std::string missing = {};  ///< what this machine lacks
};

Subject subject_of(const fs::path& path, const Problem* problem) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(path, failed);
  Subject subject{path, problem ? problem : find_problem(whole.parent_path().filename()), {}};
  if (!subject.problem) return subject;
  for (const Rung& rung : ladder(subject.problem->name)) {
    if (fs::equivalent(rung.path, whole, failed)) subject.rung = rung;
  }
  return subject;
}

std::size_t kernel_named(const std::string& text, const Summary& summary) {
  std::size_t i = 0;
  while (i < summary.kernels.size() &&
         assembly::short_name(summary.kernels[i].resources.kernel).find(text) == std::string::npos)
    ++i;
  return i;
}

Result<Shown> load(const Subject& subject, const AsmOptions& options) {
  const Result<Chip> chip = find_chip(options.chip);
  if (!chip) return chip.error();
  Shown loaded{.subject = subject, .summary = {}};
  Result<Assembly> made = assembly::assemble(subject.path, chip->compute_capability, options.ptx);
  if (interrupted()) return Error{"interrupted"};
  if (made) {
    loaded.summary = summary_of(*made, subject.problem, *chip);
    loaded.assembly = std::move(*made);
    if (!options.ptx) loaded.missing = assembly::missing_for_sass();
  } else {
    std::optional<Summary> kept;
    if (subject.rung) kept = assembly::kept_summary(*subject.problem, *subject.rung);
    if (!kept) return made.error();
    loaded.summary = std::move(*kept);
    loaded.missing = made.error().message;
  }
  if (options.kernel.empty()) return loaded;
  loaded.summary.main = kernel_named(options.kernel, loaded.summary);
  if (loaded.summary.main < loaded.summary.kernels.size()) return loaded;
  return Error{
      fmt::format("{} has no kernel with \"{}\" in its name", shown(subject.path), options.kernel)};
}

std::string title(const Shown& one, bool color) {
  const Summary& summary = one.summary;
  const std::string made =
      fmt::format("{} for {}, CUDA {}{}", to_string(summary.language), summary.architecture,
                  summary.toolkit, summary.date.empty() ? "" : ", kept on " + summary.date);
  return layout::paint(shown(one.subject.path), layout::Color::bold, color) + "  (" + made + ")\n";
}

std::string missing_text(const Shown& one) {
  return one.missing.empty() ? "" : layout::paragraph("note: " + one.missing, 0);
}

std::string file_text(const Shown& one, const AsmOptions& options, bool color) {
  std::string text =
      title(one, color) + missing_text(one) + "\n" + summary_text(one.summary, color);
  if (!one.assembly || one.summary.kernels.empty()) return text;
  return text + "\n" +
         listing_text(*one.assembly, one.assembly->kernels[one.summary.main], options.verbose,
                      color);
}

Side side_of(const Shown& one) {
  Side side{one.subject.rung ? one.subject.rung->name : shown(one.subject.path), one.summary};
  if (one.assembly && !one.summary.kernels.empty())
    side.instructions = one.assembly->kernels[one.summary.main].instructions;
  return side;
}

nlohmann::json to_json(const Shown& one) {
  nlohmann::json json = one.summary;
  json["candidate"] = shown(one.subject.path);
  if (one.subject.problem) json["operator"] = one.subject.problem->name;
  if (!one.missing.empty()) json["missing"] = one.missing;
  for (std::size_t i = 0; one.assembly && i < one.assembly->kernels.size(); ++i) {
    nlohmann::json& lines = json["kernels"][i]["lines"] = nlohmann::json::array();
    for (const assembly::LineOfCode& line : by_line(*one.assembly, one.assembly->kernels[i])) {
      nlohmann::json instructions = nlohmann::json::array();
      for (const assembly::Instruction* instruction : line.instructions)
        instructions.push_back(
            {{"text", instruction->text}, {"pipe", to_string(instruction->pipe)}});
      lines.push_back({{"file", shown(one.assembly->sources[line.place.file].path)},
                       {"line", line.place.line},
                       {"instructions", instructions}});
    }
  }
  return json;
}

/// A rung's code is a solution that was seen.
void remember(const Subject& subject) {
  if (subject.rung) remember_solution_seen(subject.problem->name, subject.rung->name);
}

int show_asm(const AsmOptions& options, const Session& session) {
  const Result<Candidate> candidate = find_candidate(options.candidate);
  if (!candidate) return fail(candidate.error(), options.json);
  if (const Problem* stub_of = untouched_stub_of(*candidate))
    return not_written(*stub_of, "compile", "asm", "", options.json);
  const Subject subject = subject_of(candidate->path, candidate->problem);
  std::optional<Subject> against;
  if (!options.against.empty()) {
    if (!subject.problem)
      return fail({"--against needs to know the operator: add --operator NAME"}, options.json);
    const Result<Rung> rung = find_rung(subject.problem->name, options.against);
    if (!rung) return fail(rung.error(), options.json);
    against = Subject{rung->path, subject.problem, *rung};
  }
  Result<Shown> one = Error{}, other = Error{};
  {
    Progress progress(session.plain);
    progress.say("compiling with nvcc");
    one = load(subject, options);
    if (against && one) other = load(*against, options);
  }
  if (!one) return fail(one.error(), options.json);
  if (against && !other) return fail(other.error(), options.json);
  remember(subject);
  if (against) remember(*against);
  if (options.json) {
    nlohmann::json json = to_json(*one);
    json["schema"] = 1;
    if (against) json["against"] = to_json(*other);
    print_json(json);
    return 0;
  }
  const bool color = color_wanted(session.plain);
  print_paged(against ? title(*one, color) + title(*other, color) + missing_text(*one) + "\n" +
                            comparison_text(side_of(*one), side_of(*other), color)
                      : file_text(*one, options, color),
              session.plain);
  return 0;
}

}  // namespace

void add_asm(CLI::App& app, Session& session) {
  static AsmOptions options;
  options.chip = session.config.some_chip();
  Command(app, "asm", "Show source lines beside their instructions")
      .operand("operator-or-file", options.candidate.what, "An operator, or any .cu file")
      .option_with_default("--solution", "RUNG", options.candidate.solution,
                           "Show a rung instead; without RUNG the fastest")
      .option("--against", "RUNG", options.against, "What changes from the first to this rung")
      .option("--kernel", "TEXT", options.kernel, "The kernel with this in its name")
      .option("--operator", "NAME", options.candidate.operator_name,
              "The operator that the file computes")
      .choice("--chip", chip_names(), options.chip, "The chip to compile for")
      .flag("--ptx", options.ptx, "Show PTX, also where the toolkit can show SASS")
      .flag("-v,--verbose", options.verbose, "Show every instruction below its line")
      .flag("--json", options.json, "One JSON object on standard output")
      .does([&session] { session.status = show_asm(options, session); });
}

}  // namespace kata::cli
