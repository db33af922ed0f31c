#include "grading/estimates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
constexpr int smaller_by = 16, most_sizes = 3;
constexpr double busy_limit_s = 4 * profile_limit_s;  // of the clock, on a busy machine
constexpr double yours_limit_s = most_sizes * busy_limit_s;
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
struct Kept {
  std::map<std::string, Profiles> of_source;
  std::map<std::string, Profiles> of_name;  ///< the same by rung, which may have changed since

  const Profiles* find(const std::string& source, const Shape& shape) const {
    const auto found = of_source.find(source + to_string(shape));
    return found == of_source.end() ? nullptr : &found->second;
  }
  const Profiles* older(const std::string& rung, const Shape& shape) const {
    const auto found = of_name.find(rung + to_string(shape));
    return found == of_name.end() ? nullptr : &found->second;
  }
};

Kept read_kept(const Problem& problem) {
  Kept kept;
  std::istringstream lines(read_file(kept_path(problem)).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    try {
      const Json one = Json::parse(line);
      const auto size = one.at("size").get<std::string>();
      const auto launches = one.at("launches").get<Profiles>();
      kept.of_source[one.at("source").get<std::string>() + size] = launches;
      kept.of_name[one.at("rung").get<std::string>() + size] = launches;
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

/// What the launches of one call did; nothing where the call takes longer than that.
Result<std::optional<Profiles>> run_profile(const Problem& problem, const Shape& shape,
                                            const Estimated& what, double limit_s) {
  const Job job{.kind = Job::Kind::profile,
                .operator_name = problem.name,
                .module = what.module.path,
                .entry = what.entry,
                .time_limit_s = limit_s,
                .shapes = {shape}};
  const Result<WorkerRun> run =
      run_worker(Backend::emulator, job, limit_s * busy_limit_s / profile_limit_s);
  if (!run) return run.error();
  if (run->answers.error) return *run->answers.error;
  if (run->answers.done) return std::optional(run->answers.profiles);
  const Finding cause = cause_of_death(*run, limit_s);
  if (run->process.timed_out) return Error{"this machine is too busy to estimate it now"};
  if (cause.kind == FindingKind::timeout) return std::optional<Profiles>();
  return Error{cause.message};
}

/// The time that a person waits for estimates, counted down.
class Patience {
 public:
  explicit Patience(double seconds) : limit_s_(seconds) {}

  bool is_over() const {
    return std::chrono::duration<double>(Clock::now() - start_).count() >= limit_s_;
  }
  static Error over() { return Error{"not yet: the time for estimates is over"}; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double limit_s_;
};

/// Another emulator, another compiler, another source: another file.
fs::path cached_path(const Module& module, const Shape& shape) {
  std::error_code failed;
  const auto built = fs::last_write_time(worker_program(Backend::emulator), failed);
  return cache_folder() / "profiles" /
         fmt::format("{}-{}-{:x}.json", module.key, to_string(shape),
                     failed ? 0 : built.time_since_epoch().count());
}

/// The same through the cache, where null says that it takes too long: it is not tried again, so
/// that each command gets further than the one before.
Result<std::optional<Profiles>> cached_profile(const Problem& problem, const Shape& shape,
                                               const Estimated& what, const Patience& patience) {
  const fs::path path = cached_path(what.module, shape);
  try {
    if (const auto text = read_file(path)) {
      const Json kept = Json::parse(*text);
      return kept.is_null() ? std::optional<Profiles>() : kept.get<Profiles>();
    }
  } catch (const Json::exception&) {
    // Damaged: it is profiled again.
  }
  if (patience.is_over()) return patience.over();
  const Result<std::optional<Profiles>> made = run_profile(problem, shape, what, profile_limit_s);
  if (interrupted()) return Error{"interrupted"};
  if (made) write_file(path, *made ? Json(**made).dump() : "null");  // best effort
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

/// At that size; where the emulator cannot profile it there, at a smaller one, scaled up.
Estimate estimate_one(const Problem& problem, const Shape& shape, const Chip& chip,
                      const Estimated& what, const fs::path& source, const Patience& patience) {
  Shape size = shape;
  std::vector<std::string> too_slow_at;
  for (int tries = 0; tries < most_sizes; ++tries, size = smaller(size)) {
    const Result<std::optional<Profiles>> made = cached_profile(problem, size, what, patience);
    const bool is_last = tries + 1 == most_sizes || interrupted() || patience.is_over();
    if (!made && is_last) return {.chip = chip.id, .error = made.error().message};
    if (!made) continue;
    if (!*made) {
      too_slow_at.push_back(to_string(size));
      continue;
    }
    Estimate result =
        estimate_of(**made, registers_of({source}, chip)[source], problem.cost(size), chip);
    if (size == shape) return result;
    const double larger = work(problem.cost(shape)) / work(problem.cost(size));
    result.us = at_least_limit(result.us * larger, problem.cost(shape), chip);
    result.memory_bytes *= larger;
    result.extrapolated_from = to_string(size);
    return result;
  }
  return {
      .chip = chip.id,
      .error = fmt::format("the emulator takes more than {:g} s for a call at {}. For an "
                           "estimate at a smaller size: --size {}",
                           profile_limit_s, fmt::join(too_slow_at, ", and at "), to_string(size))};
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
  const Kept kept = read_kept(problem);
  if (const Profiles* known = kept.find(key_of(candidate.path, candidate.text), shape))
    return *known;
  const auto made = cached_profile(problem, shape, what, Patience(benching_limit_s));
  if (!made) return made.error();
  if (!*made) return Error{fmt::format("the emulator takes more than {:g} s", profile_limit_s)};
  return **made;
}

std::vector<Estimate> estimate_ladder(const Problem& problem, const Shape& shape, const Chip& chip,
                                      const Estimated* yours, double limit_s,
                                      const GradeRequest& request) {
  const Kept kept = read_kept(problem);
  std::vector<Entry> entries;
  const auto add = [&](RowKind kind, const std::string& name, const fs::path& path,
                       const std::string& text) {
    entries.push_back({kind, name, path, kept.find(key_of(path, text), shape)});
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

  const auto estimated = [&](const Entry& entry, const Estimated* module,
                             const Patience& patience) -> Estimate {
    if (entry.kept)
      return estimate_of(*entry.kept, registers[entry.path], problem.cost(shape), chip);
    if (interrupted()) return {.chip = chip.id, .error = "interrupted"};
    if (patience.is_over()) return {.chip = chip.id, .error = patience.over().message};
    if (request.progress) request.progress("estimating " + entry.name);
    const Result<Estimated> what =
        module ? *module : compiled({.name = entry.name, .path = entry.path}, problem);
    return what ? estimate_one(problem, shape, chip, *what, entry.path, patience)
                : Estimate{.chip = chip.id, .error = what.error().message};
  };
  std::vector<Estimate> rows(entries.size());
  const std::size_t first_rung = yours ? 1 : 0;
  if (yours) rows[0] = estimated(entries[0], yours, Patience(yours_limit_s));
  const Patience patience(limit_s);
  // The best rungs first: the others are compared with them.
  for (std::size_t i = entries.size(); i-- > first_rung;) {
    const bool is_late = patience.is_over();
    rows[i] = estimated(entries[i], nullptr, patience);
    rows[i].pending = is_late && !rows[i].error.empty();
    const Profiles* const older = kept.older(entries[i].name, shape);
    if (rows[i].error.empty() || !older || interrupted()) continue;
    rows[i] = estimate_of(*older, {}, problem.cost(shape), chip);
    rows[i].older = true;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].kind = entries[i].kind;
    rows[i].name = entries[i].name;
    rows[i].size = to_string(shape);
  }
  return rows;
}

std::vector<Estimate> kept_estimates(const Problem& problem, const Shape& shape, const Chip& chip) {
  std::vector<Estimate> rows;
  const Kept kept = read_kept(problem);
  for (const Rung& rung : ladder(problem.name)) {
    const Profiles* const found = kept.find(key_of(rung), shape);
    if (!found) continue;
    rows.push_back(estimate_of(*found, {}, problem.cost(shape), chip));
    rows.back().name = rung.name;
  }
  return rows;
}

std::vector<std::string> rungs_with_profiles(const Problem& problem, const Shape& shape) {
  std::vector<std::string> names;
  const Kept kept = read_kept(problem);
  for (const Rung& rung : ladder(problem.name)) {
    if (kept.find(key_of(rung), shape)) names.push_back(rung.name);
  }
  return names;
}

std::optional<Error> keep_profiles(const Problem& problem, const std::string& only,
                                   const GradeRequest& request) {
  std::map<std::string, std::string> kept = kept_lines(problem);
  std::string text, left_out;
  for (const Rung& rung : ladder(problem.name)) {
    const bool is_wanted = only.empty() || rung.name == only;
    const Result<Estimated> module = is_wanted ? compiled(rung, problem) : Error{};
    if (is_wanted && !module)
      return Error{rung.name + ": " + module.error().message, module.error().detail};
    for (const Shape& shape : problem.bench_shapes) {
      std::string& line = kept[rung.name + to_string(shape)];
      if (is_wanted) {
        if (request.progress) request.progress(rung.name + " at " + to_string(shape));
        auto made = run_profile(problem, shape, *module, keeping_limit_s);
        if (interrupted()) return Error{"interrupted"};
        const bool is_there = made && *made;
        // Of the sizes after the first none is needed to check a file.
        if (!is_there && shape != problem.bench_shapes.front()) continue;
        if (!is_there) {
          left_out += fmt::format(
              "\n{}: {}", rung.name,
              made ? fmt::format("takes more than {:g} s", keeping_limit_s) : made.error().message);
          break;
        }
        if (const auto kernels = kernel_resources(rung.path, kept_capability))
          set_registers(*kernels, **made);
        line = Json{{"rung", rung.name},
                    {"source", key_of(rung)},
                    {"size", to_string(shape)},
                    {"launches", **made}}
                   .dump() +
               "\n";
      }
      text += line;
    }
  }
  const std::string reason = write_file(kept_path(problem), text);
  if (!reason.empty())
    return Error{fmt::format("cannot write {}: {}", kept_path(problem).string(), reason)};
  if (!left_out.empty()) return Error{"no profile is kept of some rungs", left_out.substr(1)};
  return {};
}

}  // namespace kata
