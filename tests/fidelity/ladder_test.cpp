// What the emulator counts beside what Nsight Compute counted on an H200, for every launch of every
// rung in the emulator's cases.
//
// h200_ladder.csv: tests/gpu/run_all.sh build emulated fidelity; docs/fidelity.md has the table.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <sstream>
#include <thread>
#include <tuple>

#include "compile/compile.h"
#include "fidelity/measured.h"
#include "grading/spawn.h"
#include "support/paths.h"

using namespace kata;
using namespace kata::test;

namespace {

/// A rung's counter that differs in some launches.
struct Difference {
  std::string rung, counter;
  std::size_t launches;
  double worst;  ///< of what the H200 counted
  std::string why;
};

/// All there are.
const std::vector<Difference> explained{};

/// A rung in one case: the launches on the GPU, then in the emulator.
struct Run {
  std::string operator_name, rung, size;
  std::vector<Row> measured;
  std::vector<KernelRecord> emulated;
  std::string error;
};

std::vector<Run> measured_runs() {
  std::vector<Run> runs;
  for (const Row& row : read_table("h200_ladder.csv")) {
    const std::string &name = row.at("operator"), &rung = row.at("rung"), &size = row.at("case");
    if (runs.empty() || std::tie(runs.back().operator_name, runs.back().rung, runs.back().size) !=
                            std::tie(name, rung, size)) {
      runs.push_back({name, rung, size, {}, {}, {}});
    }
    runs.back().measured.push_back(row);
  }
  return runs;
}

Shape shape_of(const std::string& size) {
  Shape shape;
  std::istringstream text(size);
  for (std::string number; std::getline(text, number, 'x');) shape.push_back(std::stoi(number));
  return shape;
}

/// As tests/gpu has the GPU's worker do it: normal values, seed 1.
void emulate(Run& run) {
  const Result<Module> module =
      compile({.source = solutions(run.operator_name) / (run.rung + ".cu")});
  if (!module) {
    run.error = module.error().message;
    return;
  }
  const Job job{.operator_name = run.operator_name,
                .module = module->path,
                .entry = run.operator_name,
                .seed = 1,
                .time_limit_s = 60,
                .shapes = {shape_of(run.size)}};
  const Result<WorkerRun> worker = run_worker(Backend::emulator, job, 120);
  if (!worker) {
    run.error = worker.error().message;
  } else if (!worker->answers.done) {
    run.error = cause_of_death(*worker, 60).message;
  } else {
    run.emulated = worker->answers.kernels;
  }
}

void emulate_all(std::vector<Run>& runs) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads(std::max(std::thread::hardware_concurrency(), 1u));
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (std::size_t i; (i = next++) < runs.size();) emulate(runs[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// "sgemm_kernel 2x2x1 256x1x1"; without template arguments, which each compiler writes its own way
std::string launch_of(const KernelRecord& kernel) {
  return fmt::format("{} {} {}", kernel.name.substr(0, kernel.name.find('<')),
                     fmt::join(kernel.grid, "x"), fmt::join(kernel.block, "x"));
}

std::string launch_of(const Row& row) {
  return row.at("kernel") + " " + row.at("grid") + " " + row.at("block");
}

/// How launches compare: those that are equal, and what differs, by rung and counter.
struct Comparison {
  std::size_t launches = 0, equal = 0, near = 0;  ///< near: no counter more than 2 % off
  std::map<std::pair<std::string, std::string>, Difference> differences;
};

void compare(const Run& run, std::size_t launch, Comparison& comparison) {
  const Counters device = counters_of(run.measured[launch]);
  const Counters emulated = counters_of(run.emulated[launch]);
  double worst = 0;
  for (const auto& [counter, on_device] : device) {
    const std::uint64_t here = emulated.at(counter);
    if (here == on_device) continue;
    const double off = std::fabs(static_cast<double>(here) - static_cast<double>(on_device)) /
                       std::max<double>(static_cast<double>(on_device), 1);
    worst = std::max(worst, off);
    const std::string rung = run.operator_name + "/" + run.rung;
    Difference& all = comparison.differences[{rung, counter}];
    if (off > all.worst || all.launches == 0) {
      all.why = fmt::format("e.g. launch {} of {}: {} on the device, {} here", launch, run.size,
                            on_device, here);
    }
    all = {rung, counter, all.launches + 1, std::max(all.worst, off), all.why};
  }
  ++comparison.launches;
  comparison.equal += worst == 0;
  comparison.near += worst <= 0.02;
}

}  // namespace

TEST_CASE("every rung's counters are those of an H200, but for differences that are explained") {
  std::vector<Run> runs = measured_runs();
  REQUIRE_FALSE(runs.empty());
  setenv("KATA_CACHE", KATA_BINARY_DIR "/cache", 1);  // kata's own: the modules are there, mostly
  emulate_all(runs);
  Comparison comparison;
  for (const Run& run : runs) {
    CAPTURE(run.operator_name);
    CAPTURE(run.rung);
    CAPTURE(run.size);
    CHECK(run.error == "");
    CHECK(run.emulated.size() == run.measured.size());
    for (std::size_t i = 0; i < std::min(run.emulated.size(), run.measured.size()); ++i) {
      CHECK(launch_of(run.emulated[i]) == launch_of(run.measured[i]));
      compare(run, i, comparison);
    }
  }
  MESSAGE(comparison.equal << " of " << comparison.launches << " launches equal, "
                           << comparison.near << " within 2 %");
  for (const auto& [key, found] : comparison.differences) {
    const auto known =
        std::find_if(explained.begin(), explained.end(), [&found = found](const Difference& one) {
          return one.rung == found.rung && one.counter == found.counter;
        });
    CAPTURE(found.rung);
    CAPTURE(found.counter);
    CAPTURE(found.why);
    CHECK(found.launches == (known == explained.end() ? 0 : known->launches));
    CHECK(found.worst <= (known == explained.end() ? 0 : known->worst + 0.0005));
  }
  for (const Difference& one : explained) {
    CAPTURE(one.rung);
    CAPTURE(one.counter);
    CHECK(comparison.differences.count({one.rung, one.counter}) == 1);  // else it is out of date
    CHECK(one.why != "");
  }
}
