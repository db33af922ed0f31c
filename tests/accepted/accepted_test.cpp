// Nothing right is rejected: unusual kernels, and every rung, judged on many seeds.
//
// KATA_SEEDS says how many seeds (1 where it is not set), KATA_MOST_WORK leaves out cases of more
// bytes and operations than that. KATA_RUNS (of one candidate) and KATA_SECONDS (of all) end it
// earlier. KATA_CANDIDATES names the only ones to judge ("add/3_float4 relu/3_float4").
// docs/measured/judge.md has the figures.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "accepted/device.h"
#include "compile/compile.h"
#include "judge/judge.h"

namespace fs = std::filesystem;
using namespace kata;

namespace {

using Clock = std::chrono::steady_clock;

const fs::path source_root = KATA_SOURCE_DIR;

/// A wrong candidate is wrong on every seed: these are enough to read.
constexpr std::size_t most_complaints = 10;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

std::uint64_t seeds() {
  return number_from("KATA_SEEDS", 1);
}

std::vector<Case> cases_of(const Problem& problem, std::uint64_t seed) {
  const auto most = static_cast<double>(number_from("KATA_MOST_WORK", 1'000'000'000));
  std::vector<Case> cases = problem.cases;
  const std::vector<Case> drawn = drawn_cases(problem, seed);
  cases.insert(cases.end(), drawn.begin(), drawn.end());
  std::erase_if(cases, [&](const Case& one) { return work(problem, one) > most; });
  return cases;
}

/// The `.cu` files of <folder>/<operator>/, without what a library does.
std::set<fs::path> candidates(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_root / folder)) {
    const fs::path& file = entry.path();
    if (file.extension() == ".cu" && !file.stem().string().starts_with("library_"))
      files.insert(file);
  }
  return files;
}

std::string operator_of(const fs::path& candidate) {
  return candidate.parent_path().filename().string();
}

std::string name_of(const fs::path& candidate) {
  return operator_of(candidate) + "/" + candidate.stem().string();
}

/// A candidate's function of the operator's name, or the only one that there is.
struct Loaded {
  void* entry = nullptr;
  std::string error;
};

/// Loads the module as soon as it is compiled: the cache may forget it while others are compiled.
Loaded compile_and_load(const fs::path& source) {
  const Result<Module> module = compile(test::compile_request(source));
  if (!module) return {.error = module.error().message + "\n" + module.error().detail};
  void* library = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return {.error = dlerror()};
  const std::string name =
      module->functions.size() == 1 ? module->functions[0] : operator_of(source);
  void* entry = dlsym(library, name.c_str());
  return {entry, entry ? "" : "it has no function " + name};
}

/// What many runs of one candidate came to; a run is one case with one seed.
struct Runs {
  std::uint64_t seeds = 0, runs = 0, accepted = 0;
  std::map<std::string, double> seconds;  ///< by case
  double closest = 0;                     ///< the largest error seen, in units of its tolerance
  std::vector<std::string> complaints;
};

void judge_once(const Problem& problem, void* entry, std::uint64_t seed, Runs& runs) {
  Clock::time_point start;
  const JudgeEvents events{.started = [&](const Case&) { start = Clock::now(); },
                           .finished =
                               [&](const CaseResult& result) {
                                 ++runs.runs;
                                 runs.seconds[result.name] +=
                                     std::chrono::duration<double>(Clock::now() - start).count();
                                 if (result.tolerance > 0)
                                   runs.closest =
                                       std::max(runs.closest, result.max_error / result.tolerance);
                                 if (result.verdict == Verdict::pass) return void(++runs.accepted);
                                 runs.complaints.push_back(fmt::format(
                                     "seed {}, {}: {}", seed, result.name, result.explanation));
                               },
                           .found =
                               [&](const Finding& finding) {
                                 runs.complaints.push_back(fmt::format(
                                     "seed {}: {} at line {}: {}", seed, to_string(finding.kind),
                                     finding.line, finding.message));
                               },
                           .counted = [](const Case&, const std::vector<KernelRecord>&) {},
                           .stopped = [](int) {}};
  const std::unique_ptr<Device> device = test::open_device();
  judge(problem, entry, cases_of(problem, seed), seed, *device, events);
}

using Compiled = std::map<fs::path, std::shared_future<Loaded>>;

/// Compiles all of them, one a processor at a time.
Compiled compile_all(const std::set<fs::path>& sources) {
  Compiled modules;
  std::vector<std::shared_future<Loaded>> before(std::max(1u, std::thread::hardware_concurrency()));
  for (const fs::path& source : sources) {
    std::shared_future<Loaded>& lane = before[modules.size() % before.size()];
    lane = std::async(std::launch::async, [source, previous = lane] {
             if (previous.valid()) previous.wait();
             return compile_and_load(source);
           }).share();
    modules[source] = lane;
  }
  return modules;
}

/// The entry function of a candidate that compiles.
void* entry_of(const fs::path& source, const Loaded& loaded) {
  CAPTURE(source);
  if (!loaded.entry) FAIL(loaded.error);
  return loaded.entry;
}

/// Those of them that KATA_CANDIDATES names; all where it is not set. This process has one device.
std::set<fs::path> wanted(std::set<fs::path> sources) {
  std::erase_if(sources, [](const fs::path& source) {
    const Problem* const problem = find_problem(operator_of(source));
    return problem && uses_devices(*problem);
  });
  const char* const names = std::getenv("KATA_CANDIDATES");
  if (!names) return sources;
  std::istringstream words(names);
  const std::set<std::string> named{std::istream_iterator<std::string>(words), {}};
  std::erase_if(sources, [&](const fs::path& source) { return !named.contains(name_of(source)); });
  return sources;
}

/// One candidate on every seed, or until it has had its runs or its time.
Runs judge_on_all_seeds(const Problem& problem, void* entry, Clock::time_point end) {
  const std::uint64_t most_runs = number_from("KATA_RUNS", ~std::uint64_t{0});
  Runs runs;
  do {
    judge_once(problem, entry, ++runs.seeds, runs);
  } while (runs.seeds < seeds() && runs.runs < most_runs && Clock::now() < end &&
           runs.complaints.size() < most_complaints);
  return runs;
}

/// Judges each; each gets an equal share of the time that is left. Says what was run.
void accept_all(const std::set<fs::path>& sources) {
  setenv("KATA_CACHE", KATA_BINARY_DIR "/cache", 1);  // kata's own
  const auto end = Clock::now() + std::chrono::seconds(number_from("KATA_SECONDS", 1'000'000));
  std::uint64_t accepted = 0;
  auto left = static_cast<int>(sources.size());
  for (const auto& [file, compiling] : compile_all(sources)) {
    const fs::path source = file;  // CAPTURE takes no structured binding
    CAPTURE(source);
    void* entry = entry_of(source, compiling.get());
    const Problem* problem = find_problem(operator_of(source));
    REQUIRE(problem);
    const auto now = Clock::now();
    const Runs runs = judge_on_all_seeds(*problem, entry, now + (end - now) / left--);
    for (const std::string& complaint : runs.complaints) FAIL_CHECK(complaint);
    CHECK(runs.accepted > 0);
    accepted += runs.accepted;
    if (seeds() > 1) {
      fmt::print(
          "{:<40}{:>8} runs of {} seeds, {} rejected, error at most {:.3f} of the tolerance\n",
          name_of(source), runs.runs, runs.seeds, runs.runs - runs.accepted, runs.closest);
      std::fflush(stdout);
    }
  }
  MESSAGE(sources.size() << " candidates, at most " << seeds() << " seeds: " << accepted
                         << " runs accepted");
}

}  // namespace

TEST_CASE("right but unusual kernels are accepted" * doctest::test_suite("slow")) {
  const std::set<fs::path> unusual = candidates("tests/accepted");
  REQUIRE_FALSE(unusual.empty());
  accept_all(wanted(unusual));
}

TEST_CASE("every rung of every ladder is accepted, and nothing is found in any" *
          doctest::test_suite("slow")) {
  const std::set<fs::path> rungs = candidates("solutions");
  REQUIRE_FALSE(rungs.empty());
  accept_all(wanted(rungs));
}

// For docs/measured/judge.md: build/test_accepted --no-skip -tc='the cases*'
// With KATA_CANDIDATES="relu/1_thread_per_element ..." of these rungs alone.
TEST_CASE("the cases: how long each takes, on average over the ladder" * doctest::skip()) {
  setenv("KATA_CACHE", KATA_BINARY_DIR "/cache", 1);
  std::map<std::string, Runs> of_operator;
  std::map<std::string, int> rungs;
  for (const auto& [source, compiling] : compile_all(wanted(candidates("solutions")))) {
    const std::string name = operator_of(source);
    judge_once(*find_problem(name), entry_of(source, compiling.get()), 1, of_operator[name]);
    ++rungs[name];
  }
  for (const Problem& problem : problems()) {
    if (rungs[problem.name] == 0) continue;
    for (const Case& one : problem.cases) {
      const std::string name = kata::name_of(problem, one);
      fmt::print("{:13}{:28}{:8.1f} ms\n", problem.name, name,
                 1000 * of_operator[problem.name].seconds.at(name) / rungs[problem.name]);
    }
  }
}
