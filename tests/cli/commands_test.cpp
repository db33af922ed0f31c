// The program as it is typed: exit status, and one clear line for each mistake.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "cli/one_line.h"
#include "desk.h"
#include "problems/spec/problem.h"
#include "timing/measured_times.h"

namespace fs = std::filesystem;
using kata::test::check_one_line;
using kata::test::contains;
using kata::test::content_of;
using kata::test::count_lines;
using kata::test::Desk;
using Json = nlohmann::json;

namespace {

/// The row of a rung of transpose in its times.csv.
kata::TimingRow measured(const std::string& size, const std::string& name) {
  const auto times = kata::measured_times(*kata::find_problem("transpose"));
  REQUIRE(times);
  for (const kata::TimingRow& row : kata::rows_at(times->rows, size)) {
    if (row.name == name) return row;
  }
  FAIL("transpose has no time of " << name << " at " << size);
  return {};
}

/// The program that a clone has first.
kata::Finished start_kata_check(const Desk& desk, const std::vector<std::string>& words) {
  std::vector<std::string> arguments{KATA_BINARY_DIR "/kata-check"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const auto finished = kata::run(
      {.arguments = arguments, .environment = desk.environment(), .folder = desk.scratch / "tree"});
  REQUIRE(finished);
  return *finished;
}

}  // namespace

TEST_CASE("wrong usage is one line that says what to do, and exit status 2") {
  const Desk desk;
  check_one_line(desk.start({"check", "sofmax"}), "Did you mean softmax?");
  check_one_line(desk.start({"chekc", "softmax"}), "/kata check");
  check_one_line(desk.start({"softmax"}), "kata check softmax");
  check_one_line(desk.start({"check"}), "kata list");
  check_one_line(desk.start({"check", "nowhere.cu"}), "no file nowhere.cu");
  desk.scratch.write("tree/my_relu.cu", "int x;\n");
  desk.scratch.write("tree/README.md", "`text`\n");
  check_one_line(desk.start({"check", "my_rleu.cu"}), "Did you mean my_relu.cu?");
  check_one_line(desk.start({"check", "my_relu"}), "Did you mean the file my_relu.cu?");
  check_one_line(desk.start({"check", "relu_nobound"}), "Did you mean relu?");
  check_one_line(desk.start({"check", "quicksort"}), "kata list shows all operators");
  check_one_line(desk.start({"check", "foo"}), "there is no operator foo. ");
  check_one_line(desk.start({"check", "exercises/relu"}), "is a folder");
  check_one_line(desk.start({"check", "README.md"}), "README.md is no source; name a .cu file");
  check_one_line(desk.start({"check", "relu", "--size", "-1"}), "256x1024");
  check_one_line(desk.start({"check", "relu", "--size", "0"}), "1 positive number: n");
  check_one_line(desk.start({"check", "relu", "--size", "3x"}), "256x1024");
  check_one_line(desk.start({"check", "relu", "--size", "99999999999"}), "256x1024");
  check_one_line(desk.start({"check", "relu", "--backend", "fpga"}), "--help");
  check_one_line(desk.start({"check", "relu", "--wrong"}), "--help");
  check_one_line(desk.start({"check", "relu", "--solution", "99"}), "There are: 1_");
  check_one_line(desk.start({"show", "sgem"}), "Did you mean sgemm, sgemv?");
  check_one_line(desk.start({"reset"}), "kata: reset needs an operator, for example: ");
  check_one_line(desk.start({"import"}), "kata: import needs a file. Try: ");
  check_one_line(desk.start({"bench", "relu", "--json", "--csv"}), "--help");
}

TEST_CASE("an option that a command does not have is named, with the nearest that it has") {
  const Desk desk;
  check_one_line(desk.start({"check", "--sed", "1", "relu"}),
                 "no option --sed. Did you mean --seed?");
  check_one_line(desk.start({"bench", "--wrong"}), "kata bench has no option --wrong. Try:");
}

TEST_CASE(
    "what is too much is listed as it was typed, and a hint that is not there says how many are") {
  const Desk desk;
  check_one_line(desk.start({"check", "relu", "add", "sgemm"}), "not expected: add sgemm. Try:");
  check_one_line(desk.start({"hint", "relu", "9"}), "there is no hint 9: this exercise has 3");
  check_one_line(desk.start({"hint", "relu", "3"}), "hint 1 of 3 is the next");
}

TEST_CASE("what commands show is there for programs, too: one JSON object and nothing else") {
  const Desk desk;
  desk.solve("relu");
  desk.start({"check", "relu", "--backend", "emulator"});
  desk.start({"plan", "--until", "2099-01-01"});
  const auto shown = [&](std::vector<std::string> words) {
    words.emplace_back("--json");
    const Json json = Json::parse(desk.start(words).output, nullptr, false);
    CAPTURE(words[0]);
    CHECK(json.value("schema", 0) == 1);
    return json;
  };
  const Json progress = shown({"progress"});
  CHECK(progress["operators"].size() == kata::problems().size());
  const auto relu = std::ranges::find(progress["operators"], "relu",
                                      [](const Json& one) { return one["operator"]; });
  REQUIRE(relu != progress["operators"].end());
  CHECK((*relu)["right"] == true);
  CHECK((*relu)["rung"] == 1);
  CHECK(shown({"config"})["settings"].size() > 5);
  CHECK(shown({"doctor"})["can_judge"] == true);
  CHECK_FALSE(shown({"plan"})["today"].empty());
  CHECK(shown({"list"})["operators"].size() == kata::problems().size());
  CHECK(shown({"history"})["attempts"].size() == 1);
  CHECK(shown({"asm", "add"}).contains("error"));  // not written yet
  CHECK(shown({"diagnose", "add"}).contains("error"));
}

TEST_CASE("--version names the program, its version and a hash of what judges") {
  const Desk desk;
  const auto version = [&] {
    const auto finished = desk.start({"--version"});
    CHECK(finished.exit_status == 0);
    return finished.output;
  };
  const std::string before = version();
  CHECK(std::regex_match(before, std::regex("kata 0\\.1 \\(harness [0-9a-f]{8}\\)\n")));
  desk.scratch.write("tree/harness/mine/notes.md", "a page\n");
  CHECK(version() == before);
  desk.scratch.write("tree/harness/mine/judge.cpp", "int judge() { return 1; }\n");
  CHECK(version() != before);
}

TEST_CASE("every command has a help page of 80 columns") {
  const Desk desk;
  std::vector<std::vector<std::string>> pages{{"--help"}};
  std::istringstream commands(desk.start({"complete", ""}).output);
  for (std::string line; std::getline(commands, line);)
    pages.push_back({line.substr(0, line.find('\t')), "--help"});
  CHECK(pages.size() > 2);
  for (const std::vector<std::string>& arguments : pages) {
    const kata::Finished finished = desk.start(arguments);
    CHECK(finished.exit_status == 0);
    CHECK(contains(finished.output, "Usage: kata"));
    CHECK_FALSE(contains(finished.output, "entry-points"));
    std::size_t start = 0;
    for (std::size_t end; (end = finished.output.find('\n', start)) != std::string::npos;) {
      INFO(finished.output.substr(start, end - start));
      CHECK(end - start <= 80);
      start = end + 1;
    }
  }
}

TEST_CASE("kata-check has the commands that the launcher starts it for, as kata has them") {
  const std::string commands = content_of(KATA_SOURCE_DIR "/harness/cli/main/kata_check.cpp");
  const Desk desk;
  const std::regex name("add_([a-z]+)[,}]");
  std::set<std::string> checked;
  for (std::sregex_iterator one(commands.begin(), commands.end(), name), end; one != end; ++one) {
    const std::string word = (*one)[1];
    CAPTURE(word);
    const kata::Finished of_the_part = start_kata_check(desk, {word, "--help"});
    CHECK(of_the_part.exit_status == 0);
    CHECK(of_the_part.output == desk.start({word, "--help"}).output);
    checked.insert(word);
  }
  for (const char* word : {"check", "list", "hint"}) CHECK(checked.contains(word));
}

TEST_CASE("a mistyped command has the same suggestion before the whole program is built") {
  const Desk desk;
  const std::string help = desk.start({"--help"}).output;
  std::istringstream lines(help.substr(help.find("Subcommands:")));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    const std::string typed = line.substr(2, line.find(' ', 2) - 2) + "x";
    CHECK(start_kata_check(desk, {typed}).errors == desk.start({typed}).errors);
  }
}

TEST_CASE("list follows what was checked") {
  const Desk desk;
  CHECK(contains(desk.start({"list"}).output, "relu"));
  CHECK(contains(desk.start({"list"}).output, "not started"));
  desk.solve("relu");
  CHECK(contains(desk.start({"list"}).output, "never checked"));
  CHECK(desk.start({"check", "relu", "--backend", "emulator"}).exit_status == 0);
  CHECK(contains(desk.start({"list"}).output, "passes"));
  desk.scratch.write("tree/exercises/relu/relu.cu",
                     content_of(desk.exercise("relu")) + "// more\n");
  CHECK(contains(desk.start({"list"}).output, "changed since the last check"));
  CHECK_FALSE(contains(desk.start({"list"}).output, "\033"));
}

TEST_CASE("an unknown chip is one line that lists the known ones") {
  const Desk desk;
  check_one_line(desk.start({"check", "relu", "--chip", "h2000"}), "rtx4090");
  check_one_line(desk.start({"bench", "relu", "--chip", "h2000"}), "rtx4090");
}

TEST_CASE("what is kept of a rung's launches is what the emulator counts today") {
  const Desk desk;
  desk.own_solutions("relu");
  const fs::path file = desk.scratch / "tree/solutions/relu/profiles.jsonl";
  const auto profiles = [&] {
    std::vector<Json> lines;
    std::istringstream text(content_of(file));
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    return lines;
  };
  const std::vector<Json> kept = profiles();
  REQUIRE(kept.size() == 4 * desk.rungs("relu").size());  // four sizes
  CHECK(desk.start({"keep-profiles", "relu", "3"}).exit_status == 0);
  CHECK(profiles() == kept);
}

TEST_CASE("of a rung that the emulator cannot profile, the reason is kept") {
  const Desk desk;
  desk.own_solutions("relu");
  desk.scratch.write("tree/solutions/relu/9_beyond.cu",
                     "#include <cuda_runtime.h>\n"
                     "__global__ void beyond(float* y, int n) { y[n] = 0; }\n"
                     "extern \"C\" void relu(const float* x, float* y, int n) {\n"
                     "  beyond<<<1, 1>>>(y, n);\n"
                     "}\n");
  CHECK(desk.start({"keep-profiles", "relu", "9"}).exit_status == 0);
  const std::string kept = content_of(desk.scratch / "tree/solutions/relu/profiles.jsonl");
  CHECK(contains(kept, R"("reason":)"));
  CHECK(contains(kept, "thread (0,0,0) of block (0,0,0) writes y[16777216]"));
}

TEST_CASE("show has a table of contents and every rung's text") {
  const Desk desk;
  const std::string contents = desk.start({"show", "relu"}).output;
  CHECK(contains(contents, "void relu(const float* x, float* y, int n)"));
  CHECK(contains(contents, "1_"));
  const std::string by_number = desk.start({"show", "relu", "1"}).output;
  CHECK(contains(by_number, "__global__"));
  CHECK(by_number == desk.start({"show", "relu", "1_thread_per_element"}).output);
  CHECK(by_number == desk.start({"show", "relu", "thread_per_element"}).output);
}

TEST_CASE("the table of contents has each rung's idea, kept time and share of the limit") {
  const Desk desk;
  const std::string contents = desk.start({"show", "transpose"}).output;
  const kata::TimingRow first = measured("4096x4096", "1_naive");
  const kata::TimingRow second = measured("4096x4096", "2_coalesced_write");
  CHECK(contains(contents, "4096x4096 on NVIDIA H200, 20"));
  CHECK(contains(contents, fmt::format("1_naive                        {:.1f}      {:.0f} %\n",
                                       first.median_us, 100 * first.of_limit)));
  CHECK(contains(contents, fmt::format("{:.2f} x", first.median_us / second.median_us)));
  CHECK(contains(contents, "6_four_by_four"));
  CHECK(contains(contents, "limit (copy)"));
  const std::string other = desk.start({"show", "transpose", "--size", "8192x8192"}).output;
  CHECK(contains(other, fmt::format("{:.1f}", measured("8192x8192", "1_naive").median_us)));
  check_one_line(desk.start({"show", "transpose", "--size", "7x7"}), "There are: 4096x4096");
  std::istringstream lines(contents);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("in a pipe a rung's text is the file's, letter by letter") {
  const Desk desk;
  CHECK(desk.start({"show", "sgemm", "7"}).output ==
        content_of(desk.scratch / "tree/solutions/sgemm/7_warp_tile.cu"));
}

TEST_CASE("diff shows what one idea changed, with the newer rung's words and times") {
  const Desk desk;
  const std::string text = desk.start({"diff", "transpose", "4"}).output;
  CHECK(contains(text, "transpose: 3_shared_tile -> 4_padded_tile"));
  CHECK(contains(text, "A column of padding"));
  CHECK(contains(text, "Prediction: 1 wavefront"));
  CHECK(contains(text, "Measured: "));
  CHECK(contains(text, fmt::format("{:.1f} us, then {:.1f} us",
                                   measured("4096x4096", "3_shared_tile").median_us,
                                   measured("4096x4096", "4_padded_tile").median_us)));
  CHECK(contains(text,
                 "\n-   __shared__ float tile[TILE][TILE];\n"
                 "+   __shared__ float tile[TILE][TILE + 1];"));
  CHECK_FALSE(contains(text, "- // "));  // no patch of the header comments
  CHECK(text == desk.start({"diff", "transpose", "3", "4"}).output);
  const std::string last = std::to_string(desk.rungs("transpose").size());
  CHECK(desk.start({"diff", "transpose"}).output == desk.start({"diff", "transpose", last}).output);
}

TEST_CASE("diff sets one's own file, or any file, beside a rung") {
  const Desk desk;
  desk.solve("relu");
  CHECK(contains(desk.start({"diff", "relu", "yours", "1"}).output, "Both texts are the same"));
  const std::string text =
      desk.start({"diff", "relu", "exercises/relu/relu.cu", "2_several_per_thread"}).output;
  CHECK(contains(text, "relu: exercises/relu/relu.cu -> 2_several_per_thread"));
  CHECK(contains(text, "\n+ "));
  const std::string ideas = desk.start({"diff", "relu", "yours"}).output;
  CHECK(contains(ideas, "diff relu yours 1"));
  CHECK(contains(ideas, desk.rungs("relu").back()));
  CHECK_FALSE(contains(ideas, "__global__"));  // no code before a rung is chosen
  check_one_line(desk.start({"diff", "relu", "1"}), "show relu 1");
  check_one_line(desk.start({"diff", "relu", "9"}), "no rung 9");
  check_one_line(desk.start({"diff", "relu", "nowhere.cu"}), "cannot read nowhere.cu");
}

TEST_CASE("profile says what it lacks in one line, and does not profile a stub") {
  const Desk desk;
  desk.own_solutions("relu");
  const kata::Finished stub = desk.start({"profile", "relu"});
  CHECK(stub.exit_status == 77);
  check_one_line(desk.start({"profile", "sofmax"}), "Did you mean softmax?");
  const bool has_gpu = fs::exists("/dev/nvidiactl");
  const std::string fastest = "relu --solution 2";  // not the last
  CHECK(contains(stub.output, has_gpu ? "profile " + fastest : "check " + fastest + " --lines"));
  if (has_gpu) return;  // the rest is of a machine without a GPU
  check_one_line(desk.start({"profile", "solutions/relu/1_thread_per_element.cu"}),
                 "check solutions/relu/1_thread_per_element.cu --lines");
  check_one_line(desk.start({"profile", "relu", "--solution", "1"}),
                 "check relu --solution 1 --lines");
}

TEST_CASE("kata alone says what to do next") {
  const Desk desk;
  const std::string first = desk.start({}).output;
  CHECK(contains(first, "0 of "));
  CHECK(contains(first, " check add"));
  desk.solve("sgemv");
  CHECK(contains(desk.start({}).output, "check sgemv"));
}

TEST_CASE("kata alone begins with a lesson, all of it on one screen") {
  const Desk desk;
  const std::string screen = desk.start({}).output;
  CHECK(contains(screen, "Step 1 of 7: A thread for each element"));
  CHECK(contains(screen, "Question: "));
  CHECK(std::ranges::count(screen, '\n') < 24);
}

TEST_CASE("Ctrl-C in the middle of a check is one line and status 130, and leaves nothing behind") {
  const Desk desk;
  desk.scratch.write("tree/exercises/relu/relu.cu",
                     "#include <kata/kata.h>\n"
                     "extern \"C\" void relu(const float*, float*, int) {\n"
                     "  volatile bool on = true;\n"
                     "  while (on) {}\n"
                     "}\n");
  const auto finished =
      kata::run({.arguments = {"timeout", "--preserve-status", "--signal=INT", "1",
                               KATA_BINARY_DIR "/kata", "check", "relu", "--backend", "emulator"},
                 .environment = {{"KATA_ROOT", desk.scratch / "tree"},
                                 {"KATA_HOME", desk.scratch / "home"},
                                 {"KATA_CACHE", desk.scratch / "cache"}},
                 .folder = desk.scratch / "tree",
                 .time_limit_s = 60});
  REQUIRE(finished);
  check_one_line(*finished, "interrupted", 130);
  CHECK_FALSE(fs::exists(desk.scratch / "home/history.db"));
  // A busy machine may have ended it before it tidied up. The next command that compiles does.
  desk.solve("relu");
  CHECK(desk.start({"check", "relu", "--backend", "emulator"}, "",
                   {{"KATA_CACHE", desk.scratch / "cache"}})
            .exit_status == 0);
  CHECK(fs::is_empty(desk.scratch / "cache/tmp"));
}

TEST_CASE("what is mistyped is answered with what was meant") {
  const Desk desk;
  CHECK(contains(desk.start({"drill", "rleu"}).errors, "Did you mean relu?"));
  CHECK(contains(desk.start({"drill", "softmax", "rows"}).errors, "softmax_rows"));
  CHECK_FALSE(contains(desk.start({"check", "--foo"}).errors, "Did you mean"));
  CHECK(contains(desk.start({"check", "--jsn"}).errors, "Did you mean --json?"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"plan", "--json"}, {"list", "--tag", "nosuch", "--json"}})
    CHECK(contains(desk.start(words).output, "\"error\""));
}

TEST_CASE("after a pass show marks the level and the 30-minute rung, and hint has a faster idea") {
  const Desk desk;
  CHECK_FALSE(contains(desk.start({"show", "relu"}).output, "= 1_thread_per_element"));
  desk.solve("relu");
  CHECK(desk.start({"check", "relu", "--backend", "emulator"}).exit_status == 0);
  const std::string contents = desk.start({"show", "relu"}).output;
  CHECK(contains(contents, "\n= 1_thread_per_element"));
  CHECK(contains(contents, "= level with your last check that passed"));
  CHECK(contains(contents, "(the rung to reach in 30"));
  CHECK(contains(desk.start({"hint", "relu"}).output, "A faster idea:\n\n  Four elements"));
}

TEST_CASE("each command that shows something says it as JSON, too") {
  const Desk desk;
  const auto json = [&](std::vector<std::string> words) {
    words.emplace_back("--json");
    CAPTURE(words.front());
    const kata::Finished finished = desk.start(words);
    CHECK(finished.exit_status == 0);
    CHECK(finished.errors == "");
    const auto answer = nlohmann::json::parse(finished.output, nullptr, false);
    REQUIRE(answer.is_object());
    CHECK(answer.value("schema", 0) == 1);
    return answer;
  };
  CHECK(json({"show", "relu"}).at("rungs").at(0).at("name") == "1_thread_per_element");
  CHECK(kata::test::contains(json({"show", "relu", "1"}).at("text"), "__global__"));
  CHECK(json({"diff", "relu", "1", "2"}).at("before") == "1_thread_per_element");
  CHECK(json({"diff", "relu", "yours"}).at("rungs").size() > 1);
  CHECK(json({"hint", "relu"}).at("number") == 1);
  CHECK(json({"quiz", "warps", "--cards", "2"}).at("cards").size() == 2);
  CHECK(json({"quiz", "--topics"}).at("topics").size() > 5);
  CHECK(json({"review"}).at("operator") == "add");
  CHECK(json({"remote", "list"}).at("machines").empty());
  const auto failed = [&](std::vector<std::string> words) {
    words.emplace_back("--json");
    const kata::Finished finished = desk.start(words);
    CHECK(finished.exit_status == 2);
    return nlohmann::json::parse(finished.output, nullptr, false).value("error", "");
  };
  CHECK(kata::test::contains(failed({"show", "rleu"}), "rleu"));
  CHECK(kata::test::contains(failed({"profile", "relu", "--solution"}), "needs a GPU"));
  CHECK(kata::test::contains(failed({"grade", "nowhere"}), "nowhere"));
}
