#include "grading/estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compile/hash.h"
#include "compile/sources.h"
#include "compile/toolchain.h"
#include "grading/ladder.h"
#include "grading/registers.h"
#include "grading/spawn.h"
#include "report/json.h"
#include "support/files.h"
#include "support/paths.h"
#include "timing/estimate.h"
#include "timing/roof.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

using Json = nlohmann::json;
using Profiles = std::vector<LaunchProfile>;

constexpr double profile_limit_s = 2;  // beyond it a smaller size has to do
constexpr double keeping_limit_s = 60;
constexpr int smaller_by = 16;
constexpr const char* kept_capability = "9.0";  // that registers are counted for

/// The hash of the code, with the headers of its own that it includes: a rung that was edited is
/// not the one whose profile is kept. Lines that are only a comment do not count: a header may get
/// its measured times.
std::string key_of(const fs::path& path, const std::string& text) {
  Hash hash;
  const auto sources = read_sources({path}, {}, text);
  for (const SourceFile& source : sources ? *sources : std::vector<SourceFile>{{path, text}}) {
    std::istringstream lines(source.text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line.find_first_not_of(" \t");
      if (first != std::string::npos && line.compare(first, 2, "//") != 0) hash.add(line);
    }
  }
  return hash.hex();
}

std::string key_of(const Rung& rung) {
  return key_of(rung.path, read_file(rung.path).value_or(""));
}

fs::path kept_path(const Problem& problem) {
  return solutions(problem.name) / "profiles.jsonl";
}

/// What is kept for the ladder, by source and size.
std::map<std::string, Profiles> read_kept(const Problem& problem) {
  std::map<std::string, Profiles> kept;
  std::istringstream lines(read_file(kept_path(problem)).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    try {
      const Json one = Json::parse(line);
      kept[one.at("source").get<std::string>() + one.at("size").get<std::string>()] =
          one.at("launches").get<Profiles>();
    } catch (const Json::exception&) {
      continue;  // damaged: it is profiled again
    }
  }
  return kept;
}

/// The lines of the file as text, by rung and size.
std::map<std::string, std::string> kept_lines(const Problem& problem) {
  std::map<std::string, std::string> kept;
  std::istringstream lines(read_file(kept_path(problem)).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const Json one = Json::parse(line, nullptr, false);
    if (one.is_object()) kept[one.value("rung", "") + one.value("size", "")] = line + "\n";
  }
  return kept;
}

Result<Profiles> run_profile(const Problem& problem, const Shape& shape, const Estimated& what,
                             double limit_s) {
  const Job job{.kind = Job::Kind::profile,
                .operator_name = problem.name,
                .module = what.module.path,
                .entry = what.entry,
                .time_limit_s = limit_s,
                .shapes = {shape}};
  const Result<WorkerRun> run = run_worker(Backend::emulator, job, 2 * limit_s);
  if (!run) return run.error();
  if (run->answers.error) return *run->answers.error;
  if (!run->answers.done) return Error{cause_of_death(*run, limit_s).message};
  return run->answers.profiles;
}

/// The time that a person waits for a ladder, counted down.
class Patience {
 public:
  explicit Patience(double seconds) : limit_s_(seconds) {}

  double left_s() const {
    return limit_s_ - std::chrono::duration<double>(Clock::now() - start_).count();
  }
  bool is_over() const { return left_s() <= 0; }
  Error over() const {
    return Error{fmt::format("the ladder's {:g} s for estimates are over", limit_s_)};
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double limit_s_;
};

/// The same through the cache. Another emulator, another compiler, another source:
/// another file.
Result<Profiles> cached_profile(const Problem& problem, const Shape& shape, const Estimated& what,
                                const Patience& patience) {
  std::error_code failed;
  const auto built = fs::last_write_time(worker_program(Backend::emulator), failed);
  const fs::path path = cache_folder() / "profiles" /
                        fmt::format("{}-{}-{:x}.json", what.module.key, to_string(shape),
                                    failed ? 0 : built.time_since_epoch().count());
  try {
    if (const auto text = read_file(path)) {
      return Json::parse(*text).get<Profiles>();
    }
  } catch (const Json::exception&) {
    // Damaged: it is profiled again.
  }
  const double limit_s = std::min(profile_limit_s, patience.left_s());
  if (limit_s <= 0) return patience.over();
  Result<Profiles> made = run_profile(problem, shape, what, limit_s);
  if (interrupted()) return Error{"interrupted"};
  if (!made && limit_s < profile_limit_s) return patience.over();
  if (made) write_file(path, Json(*made).dump());  // best effort
  return made;
}

Shape smaller(Shape shape) {
  int& largest = *std::max_element(shape.begin(), shape.end());
  largest = std::max(largest / smaller_by, 1);
  return shape;
}

/// No kernel is faster than the chip's datasheet allows.
double at_least_limit(double us, const Cost& cost, const Chip& chip) {
  const Roof roof = roof_of(chip, cost.unit);
  const double bytes_us = 1e6 * (cost.bytes_read + cost.bytes_written) / roof.bytes_per_s;
  return std::max({us, bytes_us, 1e6 * cost.operations / roof.operations_per_s});
}

Estimate estimate_of(Profiles launches, const std::vector<KernelResources>& kernels,
                     const Cost& cost, const Chip& chip) {
  if (launches.empty()) return {.chip = chip.id, .error = "it launches no kernel"};
  set_registers(kernels, launches);
  Estimate result = estimate(launches, cost, chip);
  result.us = at_least_limit(result.us, cost, chip);
  return result;
}

Estimate estimate_one(const Problem& problem, const Shape& shape, const Chip& chip,
                      const Estimated& what, const fs::path& source, const Patience& patience) {
  const auto kernels = [&] { return registers_of({source}, chip)[source]; };
  if (const Result<Profiles> all = cached_profile(problem, shape, what, patience)) {
    return estimate_of(*all, kernels(), problem.cost(shape), chip);
  }
  if (interrupted()) return {.chip = chip.id, .error = "interrupted"};
  const Shape less = smaller(shape);
  const Result<Profiles> some = cached_profile(problem, less, what, patience);
  if (!some) return {.chip = chip.id, .error = some.error().message};
  Estimate result = estimate_of(*some, kernels(), problem.cost(less), chip);
  const double larger = work(problem.cost(shape)) / work(problem.cost(less));
  result.us = at_least_limit(result.us * larger, problem.cost(shape), chip);
  result.memory_bytes *= larger;
  result.extrapolated_from = to_string(less);
  return result;
}

Result<Estimated> compiled(const Rung& rung, const Problem& problem) {
  const Result<Module> module =
      compile({.source = rung.path, .backend = Backend::emulator, .compute_capability = {}});
  if (!module) return module.error();
  return Estimated{RowKind::rung, rung.name, *module, problem.name};
}

/// Whether what is kept says how many registers each launch takes.
bool has_registers(const Profiles& launches) {
  return std::all_of(launches.begin(), launches.end(),
                     [](const LaunchProfile& one) { return one.registers > 0 || is_fill(one); });
}

/// One kernel to estimate.
struct Entry {
  RowKind kind;
  std::string name;
  fs::path path;
  const Profiles* kept = nullptr;  ///< null: to be profiled
};

}  // namespace

Result<Profiles> profile_of(const Problem& problem, const Shape& shape, const Candidate& candidate,
                            const Estimated& what) {
  const std::map<std::string, Profiles> kept = read_kept(problem);
  const auto known = kept.find(key_of(candidate.path, candidate.text) + to_string(shape));
  return known == kept.end() ? cached_profile(problem, shape, what, Patience(benching_limit_s))
                             : known->second;
}

std::vector<Estimate> estimate_ladder(const Problem& problem, const Shape& shape, const Chip& chip,
                                      const Estimated* yours, double limit_s,
                                      const GradeRequest& request) {
  const std::map<std::string, Profiles> kept = read_kept(problem);
  std::vector<Entry> entries;
  const auto add = [&](RowKind kind, const std::string& name, const fs::path& path,
                       const std::string& text) {
    const auto found = kept.find(key_of(path, text) + to_string(shape));
    entries.push_back({kind, name, path, found == kept.end() ? nullptr : &found->second});
  };
  const Candidate& candidate = request.candidate;
  if (yours) add(yours->kind, yours->name, candidate.path, candidate.text);
  for (const Rung& rung : ladder(problem.name))
    add(RowKind::rung, rung.name, rung.path, read_file(rung.path).value_or(""));

  std::vector<fs::path> unknown;
  for (const Entry& entry : entries) {
    if (entry.kept && !has_registers(*entry.kept)) unknown.push_back(entry.path);
  }
  if (request.progress && !unknown.empty() && !find_cuda_tool("nvcc").empty())
    request.progress("counting registers with nvcc");
  auto registers = registers_of(unknown, chip);

  const Patience patience(limit_s);
  const auto estimated = [&](const Entry& entry) -> Estimate {
    if (entry.kept)
      return estimate_of(*entry.kept, registers[entry.path], problem.cost(shape), chip);
    if (patience.is_over()) return {.chip = chip.id, .error = patience.over().message};
    if (request.progress) request.progress("estimating " + entry.name);
    const bool is_yours = yours && &entry == &entries.front();
    const Result<Estimated> module =
        is_yours ? *yours : compiled({.name = entry.name, .path = entry.path}, problem);
    if (!module) return {.chip = chip.id, .error = module.error().message};
    return estimate_one(problem, shape, chip, *module, entry.path, patience);
  };
  std::vector<Estimate> rows;
  for (const Entry& entry : entries) {
    if (interrupted()) break;
    rows.push_back(estimated(entry));
    rows.back().kind = entry.kind;
    rows.back().name = entry.name;
    rows.back().size = to_string(shape);
  }
  return rows;
}

std::vector<Estimate> kept_estimates(const Problem& problem, const Shape& shape, const Chip& chip) {
  std::vector<Estimate> rows;
  const std::map<std::string, Profiles> kept = read_kept(problem);
  for (const Rung& rung : ladder(problem.name)) {
    const auto found = kept.find(key_of(rung) + to_string(shape));
    if (found == kept.end()) continue;
    rows.push_back(estimate_of(found->second, {}, problem.cost(shape), chip));
    rows.back().name = rung.name;
  }
  return rows;
}

std::vector<std::string> rungs_with_profiles(const Problem& problem, const Shape& shape) {
  std::vector<std::string> names;
  const std::map<std::string, Profiles> kept = read_kept(problem);
  for (const Rung& rung : ladder(problem.name)) {
    if (kept.contains(key_of(rung) + to_string(shape))) names.push_back(rung.name);
  }
  return names;
}

std::optional<Error> keep_profiles(const Problem& problem, const std::string& only,
                                   const GradeRequest& request) {
  std::map<std::string, std::string> kept = kept_lines(problem);
  std::string text;
  for (const Rung& rung : ladder(problem.name)) {
    const bool is_wanted = only.empty() || rung.name == only;
    const Result<Estimated> module = is_wanted ? compiled(rung, problem) : Error{};
    if (is_wanted && !module)
      return Error{rung.name + ": " + module.error().message, module.error().detail};
    for (const Shape& shape : problem.bench_shapes) {
      std::string& line = kept[rung.name + to_string(shape)];
      if (is_wanted) {
        if (request.progress) request.progress(rung.name + " at " + to_string(shape));
        Result<Profiles> made = run_profile(problem, shape, *module, keeping_limit_s);
        if (interrupted()) return Error{"interrupted"};
        // Of the sizes after the first none is needed to check a file.
        if (!made && shape != problem.bench_shapes.front()) continue;
        if (!made) return Error{rung.name + ": " + made.error().message};
        if (const auto kernels = kernel_resources(rung.path, kept_capability))
          set_registers(*kernels, *made);
        line = Json{{"rung", rung.name},
                    {"source", key_of(rung)},
                    {"size", to_string(shape)},
                    {"launches", *made}}
                   .dump() +
               "\n";
      }
      text += line;
    }
  }
  const std::string reason = write_file(kept_path(problem), text);
  if (!reason.empty())
    return Error{fmt::format("cannot write {}: {}", kept_path(problem).string(), reason)};
  return {};
}

}  // namespace kata
