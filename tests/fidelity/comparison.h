#pragma once
// What the emulator counts beside what Nsight Compute counted on an H200, for every launch of
// candidates in the emulator's cases.

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <tuple>

#include "compile/compile.h"
#include "fidelity/explained.h"
#include "fidelity/measured.h"
#include "judge/judge.h"
#include "worker/emulator/emulator_device.h"

namespace kata::test {

/// A candidate in one case: its launches on the GPU.
struct Run {
  std::filesystem::path folder;  ///< that has the operators' folders
  std::string operator_name, rung, size;
  std::vector<Row> launches;

  std::string name() const { return operator_name + "/" + rung; }
};

inline std::vector<Run> measured_runs(const std::string& table,
                                      const std::filesystem::path& folder) {
  std::vector<Run> runs;
  for (const Row& row : read_table(table)) {
    const std::string &name = row.at("operator"), &rung = row.at("rung"), &size = row.at("case");
    if (runs.empty() || std::tie(runs.back().operator_name, runs.back().rung, runs.back().size) !=
                            std::tie(name, rung, size)) {
      runs.push_back({folder, name, rung, size, {}});
    }
    runs.back().launches.push_back(row);
  }
  return runs;
}

inline Shape shape_of(const std::string& size) {
  Shape shape;
  std::istringstream text(size);
  for (std::string number; std::getline(text, number, 'x');) shape.push_back(std::stoi(number));
  return shape;
}

inline void* entry_of(const Run& run) {
  const Result<Module> module =
      compile({.source = run.folder / run.operator_name / (run.rung + ".cu")});
  if (!module) FAIL(module.error().message << "\n" << module.error().detail);
  void* handle = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) FAIL(std::string(dlerror()));
  void* entry = dlsym(handle, run.operator_name.c_str());
  REQUIRE(entry);
  return entry;
}

/// The launches of a case, as tests/gpu has the GPU's worker make them: normal values, seed 1.
/// `machine_code`: a cubin of the candidate, which says what nvcc has made of it.
inline std::vector<KernelRecord> emulated(const Run& run, void* entry,
                                          const std::string& machine_code = {}) {
  std::vector<KernelRecord> launches;
  const JudgeEvents events{
      .started = [](const Case&) {},
      .finished = [](const CaseResult& result) { CHECK(result.verdict == Verdict::pass); },
      .found =
          [](const Finding& finding) {
            INFO(finding.message);
            CHECK(finding.severity != Severity::error);
          },
      .counted = [&](const Case&, const std::vector<KernelRecord>& kernels) { launches = kernels; },
      .stopped = [](int) {}};
  EmulatorDevice device{emulator::Options{.machine_code = machine_code}};
  const Problem* problem = find_problem(run.operator_name);
  REQUIRE(problem);
  judge(*problem, entry, {{shape_of(run.size)}}, 1, device, events);
  return launches;
}

/// "sgemm_kernel 2x2x1 256x1x1"; without template arguments, which each compiler writes its own way
inline std::string launch_of(const KernelRecord& kernel) {
  return fmt::format("{} {} {}", kernel.name.substr(0, kernel.name.find('<')),
                     fmt::join(kernel.grid, "x"), fmt::join(kernel.block, "x"));
}

inline std::string launch_of(const Row& row) {
  return row.at("kernel") + " " + row.at("grid") + " " + row.at("block");
}

/// What differs in a candidate's counter: in how many launches, and most, of what the H200 counted.
struct Difference {
  std::size_t launches = 0;
  double worst = 0;
  std::string example = {};
};

/// How launches compare in the eight counters that address patterns decide (`equal`, `near`: none
/// is more than 2 % off), and in the numbers of shared instructions.
struct Comparison {
  std::size_t launches = 0, equal = 0, near = 0, equal_with_instructions = 0;
  std::map<std::pair<std::string, std::string>, Difference>
      differences;  ///< by candidate and counter
};

/// Whether the emulator's counter is the device's, but for the loads of a grid's barrier: one for
/// each block at least.
inline bool agree(const Run& run, const KernelRecord& kernel, const std::string& counter,
                  std::uint64_t on_device, std::uint64_t here) {
  const auto blocks = std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
  const bool has_barrier = std::find(with_grid_barrier.begin(), with_grid_barrier.end(),
                                     run.name()) != with_grid_barrier.end();
  if (has_barrier && counter.starts_with("global load")) return on_device >= here + blocks;
  return on_device == here;
}

inline void compare(const Run& run, std::size_t launch, const KernelRecord& kernel,
                    Comparison& comparison) {
  const Counters device = counters_of(run.launches[launch]), here = counters_of(kernel);
  double worst = 0;
  bool all_equal = true;
  for (const auto& [counter, on_device] : device) {
    const auto in_emulator = static_cast<double>(here.at(counter));
    if (agree(run, kernel, counter, on_device, here.at(counter))) continue;
    all_equal = false;
    const double off = std::fabs(in_emulator - static_cast<double>(on_device)) /
                       std::max(static_cast<double>(on_device), 1.0);
    if (!is_instructions(counter)) worst = std::max(worst, off);
    Difference& all = comparison.differences[{run.name(), counter}];
    ++all.launches;
    if (off <= all.worst) continue;
    all.worst = off;
    all.example = fmt::format("launch {} of {}: {} on the device, {} here", launch, run.size,
                              on_device, here.at(counter));
  }
  ++comparison.launches;
  comparison.equal += worst == 0;
  comparison.near += worst <= 0.02;
  comparison.equal_with_instructions += all_equal;
}

inline Comparison compare_all(const std::vector<Run>& runs) {
  Comparison comparison;
  std::string rung;
  void* entry = nullptr;
  for (const Run& run : runs) {
    CAPTURE(run.name());
    CAPTURE(run.size);
    if (run.name() != rung) entry = entry_of(run);
    rung = run.name();
    const std::vector<KernelRecord> launches = emulated(run, entry);
    REQUIRE(launches.size() == run.launches.size());
    for (std::size_t i = 0; i < launches.size(); ++i) {
      CHECK(launch_of(launches[i]) == launch_of(run.launches[i]));
      compare(run, i, launches[i], comparison);
    }
  }
  return comparison;
}

/// Every difference is one of these, as large, and each of these is there.
inline void check_explained(const Comparison& comparison, const std::vector<Explained>& explained) {
  MESSAGE(comparison.equal << " of " << comparison.launches << " launches equal, "
                           << comparison.near << " within 2 %; with shared instructions "
                           << comparison.equal_with_instructions << " equal");
  for (const auto& difference : comparison.differences) {
    const auto& key = difference.first;  // INFO takes no structured binding
    const auto& found = difference.second;
    const auto known = std::find_if(explained.begin(), explained.end(), [&](const Explained& one) {
      return one.rung == key.first && one.counter == key.second;
    });
    INFO(fmt::format("{{\"{}\", \"{}\", {}, {:.4f}, }},  // {}", key.first, key.second,
                     found.launches, found.worst, found.example));
    CHECK(known != explained.end());
    if (known == explained.end()) continue;
    CHECK(found.launches == known->launches);
    CHECK(found.worst <= known->worst + 0.00005);
  }
  for (const Explained& one : explained) {
    CAPTURE(one.rung);
    CAPTURE(one.counter);
    CHECK(comparison.differences.count({one.rung, one.counter}) == 1);  // else it is out of date
  }
}

}  // namespace kata::test
