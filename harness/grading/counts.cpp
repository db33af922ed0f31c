#include "grading/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "grading/spawn.h"
#include "report/json.h"
#include "support/files.h"
#include "support/parallel.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

using Json = nlohmann::json;

constexpr double rung_limit_s = 60;

/// Other sources, headers or compilers have another key; another emulator counts again.
fs::path path_of(const Module& module, const Shape& shape) {
  return cache_folder() / "counts" /
         fmt::format("{}-{}-{:x}.json", module.key, to_string(shape), build_of(Backend::emulator));
}

using Kernels = std::vector<KernelRecord>;

Kernels read_counts(const fs::path& path) try {
  const std::optional<std::string> text = read_file(path);
  if (!text) return {};
  return Json::parse(*text).get<Kernels>();
} catch (const Json::exception&) {
  return {};  // damaged: it is counted again
}

Kernels count_rung(const Problem& problem, const Shape& shape, const Module& module) {
  const Job job{.kind = Job::Kind::judge,
                .operator_name = problem.name,
                .module = module.path,
                .entry = problem.name,
                .time_limit_s = rung_limit_s,
                .shapes = {shape}};
  const Result<WorkerRun> run = run_worker(Backend::emulator, job, 2 * rung_limit_s);
  return run && run->answers.done ? run->answers.kernels : Kernels();
}

/// The rungs' modules, compiled side by side: a ladder's first check should not take many seconds.
std::vector<Result<Module>> compile_all(const std::vector<Rung>& rungs,
                                        const GradeRequest& request) {
  if (request.progress) request.progress("compiling the ladder, this once");
  std::vector<Result<Module>> modules(rungs.size(), Error{"not compiled"});
  in_parallel(rungs.size(), [&](std::size_t i) {
    if (interrupted()) return;
    modules[i] =
        compile({.source = rungs[i].path, .backend = Backend::emulator, .compute_capability = {}});
  });
  return modules;
}

std::uint64_t product(const std::array<unsigned, 3>& sizes) {
  return std::uint64_t{sizes[0]} * sizes[1] * sizes[2];
}

}  // namespace

CountRow add_up(RowKind kind, const std::string& name, const std::vector<KernelRecord>& kernels) {
  CountRow row{.kind = kind, .name = name, .launches = kernels.size()};
  for (const KernelRecord& kernel : kernels) {
    row.threads += product(kernel.grid) * product(kernel.block);
    row.global_accesses += kernel.global_load.accesses + kernel.global_store.accesses;
    row.global_bytes += kernel.global_load.bytes + kernel.global_store.bytes;
    row.shared_accesses += kernel.shared_load.accesses + kernel.shared_store.accesses;
    row.shared_bytes += kernel.shared_load.bytes + kernel.shared_store.bytes;
    for (const AccessCount& global : {kernel.global_load, kernel.global_store}) {
      row.sectors += global.sectors;
      row.ideal_sectors += global.ideal_sectors;
    }
    for (const AccessCount& shared : {kernel.shared_load, kernel.shared_store}) {
      row.wavefronts += shared.wavefronts;
      row.conflicts += shared.conflicts;
    }
    row.atomics += kernel.atomic.accesses;
    row.barriers += kernel.barriers;
    row.barrier_warps += kernel.barriers * ((product(kernel.block) + 31) / 32);
    row.blocks_wait = row.blocks_wait || kernel.blocks_wait;
  }
  return row;
}

std::vector<CountedRung> counted_ladder(const Problem& problem, const Shape& shape,
                                        const GradeRequest& request) {
  std::vector<CountedRung> counted;
  const std::vector<Rung> rungs = ladder(problem.name);
  const std::vector<Result<Module>> modules = compile_all(rungs, request);
  for (std::size_t i = 0; i < modules.size() && !interrupted(); ++i) {
    const Result<Module>& module = modules[i];
    if (!module) continue;
    const fs::path kept = path_of(*module, shape);
    Kernels kernels = read_counts(kept);
    if (kernels.empty()) {
      if (request.progress) request.progress("counting " + rungs[i].name);
      kernels = count_rung(problem, shape, *module);
      // Best effort: else it is counted again.
      if (!kernels.empty()) write_file(kept, Json(kernels).dump());
    }
    if (!kernels.empty()) counted.push_back({rungs[i].name, std::move(kernels)});
  }
  return counted;
}

std::vector<CountRow> count_ladder(const Problem& problem, const Shape& shape,
                                   const GradeRequest& request) {
  std::vector<CountRow> rows;
  for (const CountedRung& rung : counted_ladder(problem, shape, request))
    rows.push_back(add_up(RowKind::rung, rung.name, rung.kernels));
  return rows;
}

}  // namespace kata
