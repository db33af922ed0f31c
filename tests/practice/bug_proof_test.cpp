// Drills of the kind bug, answered by somebody who knows each fault: KATA_BUG_ITEMS=50 for as many,
// KATA_BUG_SEED=2 for others.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "desk.h"
#include "practice/drill/answer.h"
#include "practice/drill/bug.h"
#include "practice/drill/judging.h"
#include "practice/drill/reading.h"
#include "support/files.h"
#include "support/text.h"

namespace fs = std::filesystem;
using namespace kata;
using namespace kata::drill;

namespace {

/// What the table of faults says, and what the judge finds.
struct Truth {
  const Problem& problem;
  faults::Fault fault;
  std::string right, faulty;
  Report report;

  explicit Truth(const Offer& offer) : problem(*offer.problem) {
    const fs::path file = bug_file(offer.problem->name);
    const auto all = faults::read_faults(offer.problem->name);
    for (const faults::Fault& one : *all) {
      if (offer.name == offer.problem->name + "/" + one.name) fault = one;
    }
    right = moved(read_file(fault.of).value(), fault.of.parent_path(), file.parent_path());
    faulty = read_file(file).value();
    report = judged(*offer.problem, file, faulty);
    if (report.verdict == Verdict::pass) report = judged_in_full(*offer.problem, file, faulty);
  }
  std::size_t line() const { return hunks_between(right, faulty).front().after_begin + 1; }
  /// Far from every change and every finding, and no guard that could be a loop; 0 if there is
  /// none.
  std::size_t other_line() const {
    const auto hunks = hunks_between(right, faulty);
    for (std::size_t line = lines_of(faulty).size(); line > 0; --line) {
      const bool near = std::any_of(hunks.begin(), hunks.end(), [&](const Hunk& one) {
        return line + 5 >= one.after_begin && line <= one.after_end + 5;
      });
      const bool named =
          std::any_of(report.findings.begin(), report.findings.end(),
                      [&](const Finding& one) { return one.line == static_cast<int>(line); });
      const bool is_guard = lines_of(faulty)[line - 1].find("if (") != std::string::npos;
      if (!near && !named && !is_guard) return line;
    }
    return 0;
  }
  /// The last one that can be typed: level 1 lists the first ones.
  std::string input(Verdict verdict) const {
    std::string name;
    for (const CaseResult& one : report.cases) {
      if (one.verdict == verdict && case_from(problem, one.name)) name = one.name;
    }
    return name;
  }
  bool has_right_results() const {
    return std::none_of(report.cases.begin(), report.cases.end(),
                        [](const CaseResult& one) { return one.bad > 0; });
  }
  std::size_t lines_of_fault() const { return changed_lines(hunks_between(right, faulty)); }
};

int proof_points(Item& item, std::size_t question, const std::string& answer) {
  CAPTURE(answer);
  const auto judged = item.judge(question, answer);
  if (!judged) FAIL_CHECK(judged.error().message);
  return judged ? judged->got : -1;
}

void solve(Item& item, const Truth& truth, const fs::path& file) {
  int sum = 0;
  for (std::size_t i = 0; i < item.questions().size(); ++i) {
    const Question& one = item.questions()[i];
    const std::string failing = truth.input(Verdict::fail);
    if (one.ask == Ask::line) sum += proof_points(item, i, std::to_string(truth.line()));
    if (one.ask == Ask::kind) sum += proof_points(item, i, to_string(truth.fault.fault_class));
    if (one.ask == Ask::input) sum += proof_points(item, i, failing.empty() ? "finding" : failing);
    if (one.ask != Ask::repair) continue;
    CHECK_FALSE(item.judge(i, ""));  // nothing is repaired yet
    CHECK(write_file(file, truth.right).empty());
    sum += proof_points(item, i, "");
  }
  CHECK(sum == 100);
}

void answer_wrongly(Item& item, const Truth& truth, const fs::path& file) {
  for (std::size_t i = 0; i < item.questions().size(); ++i) {
    const Question& one = item.questions()[i];
    if (one.ask == Ask::line && truth.other_line() > 0)
      CHECK(proof_points(item, i, std::to_string(truth.other_line())) == 0);
    if (one.ask == Ask::kind) {
      const auto right = std::count_if(
          one.choices.begin(), one.choices.end(),
          [&](const std::string& choice) { return proof_points(item, i, choice) == one.points; });
      CHECK(right >= 1);
      CHECK(right <= 4);
    }
    if (one.ask == Ask::input) {
      // Where the host keeps memory between calls, a case that passes after others may fail alone.
      const std::string passing = truth.input(Verdict::pass);
      if (truth.faulty.find("Scratch") == std::string::npos)
        CHECK(proof_points(item, i, passing) == 0);
      CHECK(proof_points(item, i, "finding") == (truth.has_right_results() ? one.points : 0));
    }
    if (one.ask != Ask::repair) continue;
    std::string longer = truth.right;
    for (std::size_t line = 0; line <= 2 * truth.lines_of_fault(); ++line)
      longer += "extern int unused_" + std::to_string(line) + ";\n";
    CHECK(write_file(file, longer).empty());
    CHECK(proof_points(item, i, "") == one.points - 10);
  }
}

/// A tree to write in, with the accepted kernels that faults are planted in.
struct AtDesk {
  test::Desk desk;
  std::string before = std::getenv("KATA_ROOT") ? std::getenv("KATA_ROOT") : "";

  AtDesk() {
    fs::create_directory_symlink(fs::path(KATA_SOURCE_DIR) / "tests", desk.scratch / "tree/tests");
    setenv("KATA_ROOT", (desk.scratch / "tree").c_str(), 1);
  }
  ~AtDesk() { before.empty() ? unsetenv("KATA_ROOT") : setenv("KATA_ROOT", before.c_str(), 1); }
  AtDesk(const AtDesk&) = delete;
  AtDesk& operator=(const AtDesk&) = delete;
};

/// The drill about that fault, laid out to be worked on.
std::unique_ptr<Item> begun(const char* operator_name, const char* fault, const char* topic) {
  auto item = make_bug({.kind = Kind::bug,
                        .name = std::string(operator_name) + "/" + fault,
                        .topic = topic,
                        .problem = find_problem(operator_name)},
                       /*begin=*/true);
  if (!item) FAIL(item.error().message);
  return std::move(*item);
}

}  // namespace

TEST_CASE("what is missing may stand at several lines, and each of them is right") {
  const AtDesk desk;
  const auto item = begun("compact", "missing_barrier", "race");
  std::vector<std::string> lines = lines_of(read_file(bug_file("compact")).value());
  const auto line_of = [&](const char* text) {
    const auto at = std::ranges::find_if(
        lines, [&](const std::string& one) { return one.find(text) != std::string::npos; });
    return std::to_string(at - lines.begin() + 1);
  };
  CHECK(proof_points(*item, 0, "line " + line_of("int before = 0;")) > 0);
  CHECK(proof_points(*item, 0, "L" + line_of("  count = 0;")) > 0);
  CHECK(proof_points(*item, 0, line_of("__ballot_sync")) == 0);
}

TEST_CASE("an input is judged with its own scalars, and after the calls that the fault needs") {
  const AtDesk desk;
  const auto item_of = [](const char* name, const char* fault) {
    const Offer offer{.kind = Kind::bug,
                      .name = std::string(name) + "/" + fault,
                      .topic = "",
                      .level = 2,
                      .problem = find_problem(name)};
    auto item = make_bug(offer, /*begin=*/true);
    if (!item) FAIL(item.error().message);
    return std::pair{std::move(*item), Truth(offer)};
  };
  const auto [decay, unused] = item_of("adamw", "no_decay");
  CHECK(proof_points(*decay, 2, "257x7 normal, weight_decay 0") == 0);
  CHECK(proof_points(*decay, 2, "257x7 normal") > 0);
  const auto [key, truth] = item_of("argmax", "key_kept_between_calls");
  CHECK(proof_points(*key, 2, truth.input(Verdict::fail)) > 0);
}

TEST_CASE("who is told that the result is right of a misaligned access learns what a GPU does") {
  const auto input = run_input(*find_problem("relu"),
                               "__global__ void f(const float* x, float* y) {\n"
                               "  const float4 v = *(const float4*)(x + 1);\n"
                               "  for (int i = 0; i < 8; ++i) y[i] = fmaxf(x[i], 0.0f * v.x);\n"
                               "}\n"
                               "extern \"C\" void relu(const float* x, float* y, int n) {\n"
                               "  f<<<1, 1>>>(x, y);\n"
                               "}\n",
                               "relu.cu", "8");
  REQUIRE(input);
  CAPTURE(input->remark);
  CHECK(input->fails);
  CHECK(kata::test::contains(input->remark, "a GPU stops there with an error"));
}

TEST_CASE("`finding` names the finding of the fault's class, not the first one") {
  const AtDesk desk;
  const auto item = begun("scan", "barrier_under_bound_check", "barrier");
  const auto judged = item->judge(2, "only a finding");
  REQUIRE(judged);
  CHECK(judged->got == 25);
  CHECK(judged->why.ends_with("barrier_divergence"));
}

TEST_CASE("every fault that is offered can be asked" * doctest::test_suite("slow")) {
  const AtDesk desk;
  const auto offers = bug_offers("");
  REQUIRE(offers);
  for (const Offer& offer : *offers) {
    const auto item = make_bug(offer, /*begin=*/false);
    if (!item) FAIL_CHECK(item.error().message);
  }
}

TEST_CASE("line, kind, input and repair of a fault are 100 points, and wrong answers lose theirs" *
          doctest::test_suite("slow")) {
  const AtDesk desk;
  setenv("KATA_HOME", (desk.desk.scratch / "home").c_str(), 1);
  auto offers = bug_offers("");
  REQUIRE(offers);
  const char* const seed = std::getenv("KATA_BUG_SEED");
  std::mt19937 chance(seed ? static_cast<unsigned>(std::atoi(seed)) : 1u);
  std::shuffle(offers->begin(), offers->end(), chance);
  const char* const wanted = std::getenv("KATA_BUG_ITEMS");
  int left = wanted ? std::atoi(wanted) : 3;
  for (const Offer& offer : *offers) {
    if (left == 0) break;
    CAPTURE(offer.name);
    const fs::path file = bug_file(offer.problem->name);
    const auto item = make_bug(offer, /*begin=*/true);
    --left;
    if (!item) {
      FAIL_CHECK(item.error().message);
      continue;
    }
    const Truth truth(offer);
    solve(**item, truth, file);
    answer_wrongly(**item, truth, file);
  }
  unsetenv("KATA_HOME");
}
