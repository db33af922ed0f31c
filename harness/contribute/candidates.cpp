// Kernels that must pass, and kernels that must not.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "compile/compile.h"
#include "compile/toolchain.h"
#include "contribute/checks.h"
#include "contribute/planted.h"
#include "faults/fault.h"
#include "grading/grade.h"
#include "grading/ladder.h"
#include "support/parallel.h"
#include "support/paths.h"
#include "support/temporary_folder.h"

namespace fs = std::filesystem;

namespace kata::contribute {
namespace {

/// The .cu files of a folder that may not exist, by name.
std::vector<fs::path> candidates_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code no_folder;
  for (const auto& entry : fs::directory_iterator(folder, no_folder)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The last: of a ladder the best, which uses most of what the emulator can do.
void take_sample(std::vector<fs::path>& files, TestScope scope) {
  if (scope == TestScope::quick && files.size() > 1) files.erase(files.begin(), files.end() - 1);
}

/// An unusual kernel may give its only function another name.
std::string entry_of(const fs::path& file, const Problem& problem) {
  const Result<Module> module = compile({.source = file});
  if (!module || module->functions.size() != 1 || module->functions[0] == problem.name) return "";
  return module->functions[0];
}

/// Calls visit(i) for each file, as many at a time as there are processors.
void for_each_file(const std::vector<fs::path>& files, const Progress& progress,
                   const std::function<void(std::size_t)>& visit) {
  in_parallel(files.size(), [&](std::size_t i) {
    progress(shown(files[i]));
    visit(i);
  });
}

/// Which cases: the problem's own, those that are drawn as well, large ones as well.
enum class Cases { own, drawn, large };

Report judged(const fs::path& file, const Problem& problem, Cases cases) {
  return grade(file, {.problem = &problem, .entry = entry_of(file, problem)},
               {.seed = 1,
                .all_cases = cases == Cases::own,
                .with_ladder = false,
                .with_large = cases == Cases::large});
}

/// The toolkit has cuBLAS and CUB. Others, such as cuDNN, are separate packages.
bool lacks_its_library(const fs::path& source, const Error& error) {
  return source.stem().string().starts_with("library_") &&
         error.detail.find("No such file or directory") != std::string::npos;
}

/// Why a kernel that is right was not accepted; nothing if it was.
std::optional<std::string> complaint(const Report& report) {
  if (const Finding* finding = first_error(report.findings)) return finding->message;
  for (const CaseResult& one : report.cases) {
    if (one.verdict != Verdict::pass)
      return one.name + ": " + one.explanation +
             (one.tolerance == 0 ? " (the tolerance is 0)" : "");
  }
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::warning) return finding.message;
  }
  return {};
}

/// Adds what is wrong with a judgement. An error names the file itself: "x.cu does not compile".
void add_detail(std::vector<std::string>& details, const fs::path& file, const Report& report,
                const std::optional<std::string>& wrong) {
  if (report.verdict == Verdict::error) {
    details.push_back(report.error);
  } else if (wrong) {
    details.push_back(shown(file) + ": " + *wrong);
  }
}

std::vector<std::string> complaints(const std::vector<fs::path>& files, const Problem& problem,
                                    Cases cases, const Progress& progress) {
  std::vector<Report> reports(files.size());
  for_each_file(files, progress,
                [&](std::size_t i) { reports[i] = judged(files[i], problem, cases); });
  std::vector<std::string> details;
  for (std::size_t i = 0; i < files.size(); ++i)
    add_detail(details, files[i], reports[i], complaint(reports[i]));
  return details;
}

std::string of_all(std::size_t sample, std::size_t all) {
  return sample == all ? fmt::format("{}", all) : fmt::format("{} of {}", sample, all);
}

}  // namespace

OperatorCheck check_rungs(const Problem& problem, TestScope scope, const Progress& progress) {
  const std::vector<Rung> rungs = ladder(problem.name);
  std::vector<std::string> details;
  std::vector<fs::path> files;
  for (const Rung& rung : rungs) {
    files.push_back(rung.path);
    if (rung.number != static_cast<int>(files.size()))
      details.push_back(fmt::format("{} should have the number {}", rung.name, files.size()));
    if (rung.idea.empty()) details.push_back(rung.name + " has no comment that names its idea");
  }
  if (rungs.size() < 2)
    details.push_back(fmt::format("{} in {}; a ladder has at least 2 rungs", rungs.size(),
                                  shown(solutions(problem.name))));
  const auto goals =
      std::count_if(rungs.begin(), rungs.end(), [](const Rung& rung) { return rung.is_goal; });
  if (goals != 1)
    details.push_back(
        fmt::format("{} headers say \"The rung to reach in 30 minutes.\"; one has to", goals));
  take_sample(files, scope);
  // The last rung is the dearest: its tiles are as large as a small case's whole matrix.
  const Cases cases = scope == TestScope::quick ? Cases::own : Cases::large;
  for (const std::string& one : complaints(files, problem, cases, progress)) details.push_back(one);
  return check_of("rungs",
                  of_all(files.size(), rungs.size()) + " right in all cases, without findings",
                  details);
}

OperatorCheck check_nvcc(const Problem& problem, const Progress& progress) {
  if (find_cuda_tool("nvcc").empty())
    return {"nvcc", OperatorCheck::State::not_measured, "nvcc is not installed"};
  const std::vector<fs::path> files = candidates_in(solutions(problem.name));
  std::vector<std::string> complaints(files.size()), details;
  for_each_file(files, progress, [&](std::size_t i) {
    const Result<Module> module =
        compile({.source = files[i], .backend = Backend::gpu, .compute_capability = "9.0"});
    if (!module && !lacks_its_library(files[i], module.error()))
      complaints[i] = module.error().message;
  });
  std::copy_if(complaints.begin(), complaints.end(), std::back_inserter(details),
               [](const std::string& complaint) { return !complaint.empty(); });
  return check_of("nvcc", fmt::format("{} compile for a GPU", files.size()), details);
}

OperatorCheck check_accepted(const Problem& problem, TestScope scope, const Progress& progress) {
  const fs::path folder = root() / "tests" / "accepted" / problem.name;
  const std::vector<fs::path> all = candidates_in(folder);
  if (all.empty())
    return {"accepted", OperatorCheck::State::missing,
            "no unusual kernels that must pass, in " + shown(folder)};
  std::vector<fs::path> files = all;
  take_sample(files, scope);
  const Cases cases = scope == TestScope::quick ? Cases::drawn : Cases::large;
  return check_of("accepted", of_all(files.size(), all.size()) + " unusual kernels pass",
                  complaints(files, problem, cases, progress));
}

namespace {

/// One fault of one class. Which class differs from operator to operator.
std::vector<faults::Fault> sample_of_a_class(const std::vector<faults::Fault>& all,
                                             const std::string& operator_name) {
  std::map<faults::FaultClass, const faults::Fault*> first;
  for (const faults::Fault& fault : all) first.emplace(fault.fault_class, &fault);
  if (first.empty()) return {};
  const std::size_t letters =
      std::accumulate(operator_name.begin(), operator_name.end(), std::size_t{0});
  const auto chosen = std::next(first.begin(), static_cast<int>(letters % first.size()));
  return {*chosen->second};
}

/// How the report of a planted fault differs from what faults.toml says; nothing if it does not.
std::optional<std::string> misjudged(const Report& report, const faults::Fault& fault, int line) {
  if (report.verdict != Verdict::fail) return "passes, but must not";
  const CaseResult* const failure = most_specific_failure(report);
  std::string text = failure ? failure->explanation : "";
  if (fault.kind) {
    const Finding* named = nullptr;
    std::vector<std::string> others;
    for (const Finding& finding : report.findings) {
      if (finding.severity != Severity::error) continue;
      if (finding.kind == fault.kind && finding.line == line) {
        named = &finding;
        break;
      }
      others.push_back(fmt::format("{} at line {}", to_string(finding.kind), finding.line));
    }
    if (!named)
      return fmt::format("expected {} at line {}, but found {}", to_string(*fault.kind), line,
                         others.empty() ? "nothing" : fmt::format("{}", fmt::join(others, ", ")));
    text += "\n" + named->message + "\n" + named->note;
  }
  if (text.find(fault.words) != std::string::npos) return {};
  return fmt::format("\"{}\" is not in the explanation: {}", fault.words, text);
}

}  // namespace

Result<std::vector<fs::path>> write_faults(const std::vector<faults::Fault>& all,
                                           const fs::path& folder) {
  std::vector<fs::path> files;
  for (const faults::Fault& fault : all) {
    const Result<faults::FaultyKernel> kernel = faults::plant(fault);
    if (!kernel) return kernel.error();
    const Result<fs::path> file = faults::write_planted(fault, kernel->text, folder);
    if (!file) return file.error();
    files.push_back(*file);
  }
  return files;
}

OperatorCheck check_faults_file(const Problem& problem) {
  const std::string name = "faults";
  const Result<std::vector<faults::Fault>> all = faults::read_faults(problem.name);
  if (!all) return check_of(name, "", {all.error().message});
  std::vector<std::string> details;
  for (const faults::Fault& fault : *all) {
    const Result<faults::FaultyKernel> kernel = faults::plant(fault);
    if (!kernel)
      details.push_back(fmt::format("{}:{}: {}", shown(faults::faults_file(problem.name)),
                                    fault.row, kernel.error().message));
  }
  return check_of(name, "", details);
}

OperatorCheck check_faults(const Problem& problem, TestScope scope, const Progress& progress) {
  const std::string name = "faults";
  const Result<std::vector<faults::Fault>> all = faults::read_faults(problem.name);
  if (!all) return check_of(name, "", {all.error().message});
  if (all->empty())
    return {name, OperatorCheck::State::missing,
            "no planted faults, in " + shown(faults::faults_file(problem.name))};
  const std::vector<faults::Fault> chosen =
      scope == TestScope::quick ? sample_of_a_class(*all, problem.name) : *all;
  const TemporaryFolder folder;
  const Result<std::vector<fs::path>> files = write_faults(chosen, folder.path());
  if (!files) return check_of(name, "", {files.error().message});
  std::vector<Report> reports(files->size());
  for_each_file(*files, progress, [&](std::size_t i) {
    // Most fail in the usual cases: what large ones need is compiled for the others alone.
    if (!chosen[i].only_large) reports[i] = judged((*files)[i], problem, Cases::drawn);
    if (reports[i].verdict != Verdict::fail)
      reports[i] = judged((*files)[i], problem, Cases::large);
  });
  std::vector<std::string> details;
  for (std::size_t i = 0; i < files->size(); ++i)
    add_detail(details, (*files)[i], reports[i],
               misjudged(reports[i], chosen[i], faults::plant(chosen[i])->line));
  return check_of(name,
                  of_all(files->size(), all->size()) + " rejected with the expected explanation",
                  details);
}

}  // namespace kata::contribute
