#include "grading/estimates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "compile/toolchain.h"
#include "grading/kept_profiles.h"
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
constexpr double busy_machine = 4;  // by how much longer a run may take there, by the clock
constexpr double yours_limit_s = most_sizes * busy_machine * profile_limit_s;
constexpr const char* kept_capability = "9.0";  // that registers are counted for

/// An Error where it may succeed the next time. `limits`: a job's, all else is filled in.
Result<Profiled> run_profile(const Problem& problem, const Shape& shape, const Estimated& what,
                             Job limits) {
  Job job = std::move(limits);
  job.kind = Job::Kind::profile;
  job.operator_name = problem.name;
  job.module = what.module.path;
  job.entry = what.entry;
  job.shapes = {shape};
  const Result<WorkerRun> run = run_worker(Backend::emulator, job, busy_machine * job.time_limit_s);
  if (!run) return run.error();
  if (run->answers.error) return Profiled{.reason = run->answers.error->message};
  if (run->answers.done) return Profiled{run->answers.profiles};
  const Finding cause = cause_of_death(*run, job.time_limit_s);
  if (run->process.timed_out) return Error{"this machine is too busy to estimate it now"};
  if (cause.kind == FindingKind::timeout) return Profiled{};
  return Error{cause.message};
}

/// The time that a person waits for estimates, counted down.
class Patience {
 public:
  explicit Patience(double seconds) : limit_s_(seconds) {}

  bool is_over() const {
    return std::chrono::duration<double>(Clock::now() - start_).count() >= limit_s_;
  }
  static Error over() { return Error{"the time for estimates is over"}; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double limit_s_;
};

/// Another emulator, another compiler, another source: another file.
fs::path cached_path(const Module& module, const std::string& size) {
  return cache_folder() / "profiles" /
         fmt::format("{}-{}-{:x}.json", module.key, size, build_of(Backend::emulator));
}

std::optional<Profiled> read_cached(const fs::path& path) try {
  const auto text = read_file(path);
  return text ? std::optional(profiled_from_json(Json::parse(*text))) : std::nullopt;
} catch (const Json::exception&) {
  return {};  // damaged: it is profiled again
}

template <class Profile>
Result<Profiled> through_cache(const fs::path& path, const Profile& profile) {
  if (auto cached = read_cached(path)) return std::move(*cached);
  const Result<Profiled> made = profile();
  if (interrupted()) return Error{"interrupted"};
  if (made) write_file(path, profiled_to_json(*made).dump());  // best effort
  return made;
}

/// The same through the cache.
Result<Profiled> cached_profile(const Problem& problem, const Shape& shape, const Estimated& what,
                                const Patience& patience) {
  return through_cache(cached_path(what.module, to_string(shape)), [&]() -> Result<Profiled> {
    if (patience.is_over()) return patience.over();
    return run_profile(problem, shape, what, {.time_limit_s = profile_limit_s});
  });
}

Shape smaller(Shape shape) {
  int& largest = *std::max_element(shape.begin(), shape.end());
  largest = std::max(largest / smaller_by, 1);
  return shape;
}

/// No kernel is faster than the chip's datasheet allows.
double at_least_limit(double us, const Cost& cost, const Chip& chip) {
  return std::max(us, datasheet_limit_us(cost, chip));
}

/// How many sizes to try. A call that cannot be profiled from some of its blocks may be at a size
/// where all are: one that is much smaller says little of it.
int most_tries(int most, const std::string& reason) {
  return reason.empty() ? most : std::min(most, 2);
}

Error no_profile(const std::vector<std::string>& sizes, const Shape& next,
                 const std::string& reason) {
  if (!reason.empty()) return Error{reason};
  return Error{
      fmt::format("the emulator takes more than {:g} s for a call at {}. For an estimate "
                  "at a smaller size: --size {}",
                  profile_limit_s, fmt::join(sizes, ", and at "), to_string(next))};
}

bool blocks_wait(const Profiles& launches) {
  return std::any_of(launches.begin(), launches.end(),
                     [](const LaunchProfile& one) { return one.counts.blocks_wait; });
}

/// At that size; where the emulator cannot profile it there, at a smaller one, scaled up. `profile`
/// gives the profile at a size, and `kernels` the kernels' registers.
template <class Profile, class Kernels>
Estimate estimate_one(const Problem& problem, const Shape& shape, const Chip& chip,
                      const Profile& profile, const Kernels& kernels) {
  Shape size = shape;
  std::vector<std::string> tried;
  std::string reason;
  for (int tries = 0; tries < most_tries(most_sizes, reason); ++tries, size = smaller(size)) {
    const Result<Profiled> made = profile(size);
    if (!made) return {.chip = chip.id, .error = made.error().message};
    if (!made->launches) {
      tried.push_back(to_string(size));
      if (reason.empty()) reason = made->reason;
      continue;
    }
    if (size != shape && blocks_wait(*made->launches))
      return {.chip = chip.id,
              .error = "its blocks wait for each other: a smaller size says nothing of this one"};
    Estimate result =
        estimate_of(*made->launches, kernels(*made->launches), problem.cost(size), chip);
    if (size == shape) return result;
    const double larger = work(problem.cost(shape)) / work(problem.cost(size));
    result.us = at_least_limit(result.us * larger, problem.cost(shape), chip);
    result.memory_bytes *= larger;
    result.extrapolated_from = to_string(size);
    return result;
  }
  return {.chip = chip.id, .error = no_profile(tried, size, reason).message};
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
  std::string key;
};

}  // namespace

Estimate estimate_of(Profiles launches, const std::vector<KernelResources>& kernels,
                     const Cost& cost, const Chip& chip) {
  if (launches.empty()) return {.chip = chip.id, .error = "it launches no kernel"};
  set_registers(kernels, launches);
  Estimate result = estimate(launches, cost, chip);
  result.us = at_least_limit(result.us, cost, chip);
  return result;
}

Result<Profiled> profile_within(const Problem& problem, const Shape& shape, const Estimated& what,
                                const ProfilePrice& price) {
  const fs::path path =
      cached_path(what.module, fmt::format("{}-{}", to_string(shape), price.most_accesses));
  return through_cache(path, [&] {
    return run_profile(problem, shape, what,
                       {.time_limit_s = keeping_limit_s,
                        .profiled_accesses = price.enough_accesses,
                        .most_accesses = price.most_accesses});
  });
}

Result<Profiles> profile_of(const Problem& problem, const Shape& shape, const Candidate& candidate,
                            const Estimated& what) {
  const KeptProfiles kept(problem);
  const Profiled* const known = kept.find(source_key(candidate.path, candidate.text), shape);
  const Result<Profiled> made =
      known ? *known : cached_profile(problem, shape, what, Patience(benching_limit_s));
  if (!made) return made.error();
  if (!made->launches)
    return Error{made->reason.empty()
                     ? fmt::format("the emulator takes more than {:g} s", profile_limit_s)
                     : made->reason};
  return *made->launches;
}

Result<CallToProfile> call_to_profile(const Candidate& candidate, const Chip& chip) {
  const Result<CompiledCandidate> compiled = compile_candidate(candidate, Backend::emulator);
  if (!compiled) return compiled.error();
  CallToProfile call{
      candidate, {RowKind::yours, yours_name, compiled->module, compiled->entry.function}, {}};
  if (auto kernels = kernel_resources(candidate.path, chip.compute_capability))
    call.kernels = std::move(*kernels);
  return call;
}

Result<Profiles> kernels_of_call(const Problem& problem, const Shape& shape,
                                 const CallToProfile& call) {
  Result<Profiles> launches = profile_of(problem, shape, call.candidate, call.what);
  if (!launches) return launches.error();
  std::erase_if(*launches, is_fill);
  if (launches->empty()) return Error{"it launches no kernel"};
  set_registers(call.kernels, *launches);
  return launches;
}

std::vector<Estimate> estimate_ladder(const Problem& problem, const Shape& shape, const Chip& chip,
                                      const Estimated* yours, double limit_s,
                                      const GradeRequest& request) {
  const KeptProfiles kept(problem);
  std::vector<Entry> entries;
  const Candidate& candidate = request.candidate;
  if (yours)
    entries.push_back(
        {yours->kind, yours->name, candidate.path, source_key(candidate.path, candidate.text)});
  for (const Rung& rung : ladder(problem.name))
    entries.push_back({RowKind::rung, rung.name, rung.path, source_key(rung)});

  std::vector<fs::path> unknown;
  for (const Entry& entry : entries) {
    const Profiled* const known = kept.find(entry.key, shape);
    if (known && known->launches && !has_registers(*known->launches)) unknown.push_back(entry.path);
  }
  if (request.progress && !unknown.empty() && !find_cuda_tool("nvcc").empty())
    request.progress("counting registers with nvcc");
  auto registers = registers_of(unknown, chip);

  const auto estimated = [&](const Entry& entry, const Estimated* module,
                             const Patience& patience) -> Estimate {
    bool is_pending = false;
    std::optional<Result<Estimated>> what;
    const auto profile = [&](const Shape& size) -> Result<Profiled> {
      if (const Profiled* const known = kept.find(entry.key, size)) return *known;
      if (interrupted()) return Error{"interrupted"};
      is_pending = patience.is_over();
      if (is_pending && !what) return patience.over();
      if (!what) {
        if (request.progress) request.progress("estimating " + entry.name);
        what = module ? *module : compiled({.name = entry.name, .path = entry.path}, problem);
      }
      if (!*what) return what->error();
      Result<Profiled> made = cached_profile(problem, size, **what, patience);
      is_pending = !made && patience.is_over();
      return made;
    };
    const auto kernels = [&](const Profiles& launches) {
      if (!has_registers(launches) && !registers.contains(entry.path))
        registers.merge(registers_of({entry.path}, chip));
      return registers[entry.path];
    };
    Estimate row = estimate_one(problem, shape, chip, profile, kernels);
    row.pending = is_pending && !row.error.empty();
    return row;
  };
  std::vector<Estimate> rows(entries.size());
  const std::size_t first_rung = yours ? 1 : 0;
  if (yours) rows[0] = estimated(entries[0], yours, Patience(yours_limit_s));
  const Patience patience(limit_s);
  // The best rungs first: the others are compared with them.
  for (std::size_t i = entries.size(); i-- > first_rung;) {
    rows[i] = estimated(entries[i], nullptr, patience);
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
  const KeptProfiles kept(problem);
  for (const Rung& rung : ladder(problem.name)) {
    const std::string key = source_key(rung);
    const auto profile = [&](const Shape& size) -> Result<Profiled> {
      if (const Profiled* const known = kept.find(key, size)) return *known;
      return Error{"not kept"};
    };
    Estimate row = estimate_one(problem, shape, chip, profile,
                                [](const Profiles&) { return std::vector<KernelResources>(); });
    if (!row.error.empty()) continue;
    rows.push_back(std::move(row));
    rows.back().name = rung.name;
  }
  return rows;
}

std::vector<std::string> rungs_with_profiles(const Problem& problem, const Shape& shape) {
  std::vector<std::string> names;
  const KeptProfiles kept(problem);
  for (const Rung& rung : ladder(problem.name)) {
    if (kept.find(source_key(rung), shape)) names.push_back(rung.name);
  }
  return names;
}

namespace {

/// The lines to keep of a rung at a size: the profile, or why there is none and then that of a
/// smaller size.
Result<std::string> lines_to_keep(const Problem& problem, const Rung& rung, const Shape& shape,
                                  const Estimated& module) {
  // A check needs the first size.
  const int most = shape == problem.bench_shapes.front() ? most_sizes : 1;
  Shape size = shape;
  std::string lines, reason;
  for (int tries = 0; tries < most_tries(most, reason); ++tries, size = smaller(size)) {
    Result<Profiled> made = run_profile(problem, size, module, {.time_limit_s = keeping_limit_s});
    if (!made) return made.error();
    if (made->launches) {
      if (const auto kernels = kernel_resources(rung.path, kept_capability))
        set_registers(*kernels, *made->launches);
    }
    Json line = profiled_to_json(*made);
    line.update({{"rung", rung.name}, {"source", source_key(rung)}, {"size", to_string(size)}});
    lines += line.dump() + "\n";
    if (made->launches) break;
    if (reason.empty()) reason = made->reason;
  }
  return lines;
}

}  // namespace

std::optional<Error> keep_profiles(const Problem& problem, const std::string& only,
                                   const GradeRequest& request) {
  const std::map<std::string, std::string> kept = kept_lines(problem);
  std::string text, left_out;
  for (const Rung& rung : ladder(problem.name)) {
    if (!only.empty() && rung.name != only) {
      const auto lines = kept.find(rung.name);
      if (lines != kept.end()) text += lines->second;
      continue;
    }
    const Result<Estimated> module = compiled(rung, problem);
    if (!module) return Error{rung.name + ": " + module.error().message, module.error().detail};
    for (const Shape& shape : problem.bench_shapes) {
      if (request.progress) request.progress(rung.name + " at " + to_string(shape));
      const Result<std::string> lines = lines_to_keep(problem, rung, shape, *module);
      if (interrupted()) return Error{"interrupted"};
      if (lines) {
        text += *lines;
      } else {
        left_out +=
            fmt::format("\n{} at {}: {}", rung.name, to_string(shape), lines.error().message);
      }
    }
  }
  const std::string reason = write_file(kept_path(problem), text);
  if (!reason.empty())
    return Error{fmt::format("cannot write {}: {}", kept_path(problem).string(), reason)};
  if (!left_out.empty()) return Error{"no profile is kept of some rungs", left_out.substr(1)};
  return {};
}

}  // namespace kata
