// What is kept of attempts: history, review, progress and reset, as they are typed.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/one_line.h"
#include "desk.h"
#include "problems/spec/problem.h"

namespace fs = std::filesystem;
using kata::test::check_one_line;
using kata::test::contains;
using kata::test::content_of;
using kata::test::count_lines;
using kata::test::Desk;
using Json = nlohmann::json;

TEST_CASE("reset asks, and without an answer changes nothing") {
  const Desk desk;
  desk.solve("relu");
  const std::string mine = content_of(desk.exercise("relu"));
  check_one_line(desk.start({"reset", "relu"}), "--yes");
  CHECK(content_of(desk.exercise("relu")) == mine);

  const kata::Finished finished = desk.start({"reset", "relu", "--yes"});
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.output, "To have your text back: "));
  CHECK(content_of(desk.exercise("relu")) != mine);
  CHECK(contains(desk.start({"reset", "relu"}).output, "nothing to reset"));
}

TEST_CASE("what was tried is listed, shown with what changed after it, and given back") {
  const Desk desk;
  const std::string stub = content_of(desk.exercise("relu"));
  desk.scratch.write("tree/exercises/relu/relu.cu", "first try\n" + stub);
  CHECK(desk.start({"check", "relu"}).exit_status == 2);
  desk.solve("relu");
  const std::string solution = content_of(desk.exercise("relu"));
  CHECK(desk.start({"check", "relu", "--backend", "emulator"}).exit_status == 0);
  CHECK(desk.start({"reset", "relu", "--yes"}).exit_status == 0);

  const std::string list = desk.start({"history"}).output;
  CHECK(contains(list, "    1  20"));
  CHECK(contains(list, "check     error\n"));
  CHECK(contains(list, "good\n"));
  CHECK(contains(list, "reset     kept\n"));
  // The command below them is as long as its path.
  const std::string rows = list.substr(0, list.find("\n\n"));
  CHECK(contains(list.substr(rows.size()), " history 3\n"));
  for (std::size_t at = 0; at < rows.size(); at = std::min(rows.find('\n', at), rows.size()) + 1) {
    CHECK(std::min(rows.find('\n', at), rows.size()) - at <= 80);
  }
  const std::string page = desk.start({"history", "1"}).output;
  CHECK(contains(page, "first try\n"));
  CHECK(contains(page, "--- attempt 1\n+++ attempt 2\n@@ -1"));
  CHECK(contains(page, "\n-first try\n"));
  CHECK(desk.start({"history", "3", "--text"}).output == solution);
  const Json json = Json::parse(desk.start({"history", "relu", "--json"}).output);
  CHECK(json["attempts"].size() == 3);
  CHECK(json["attempts"][1]["grade"] == "good");
  CHECK(json["attempts"][1]["level"]["of"] == desk.rungs("relu").size());
  check_one_line(desk.start({"history", "99"}), "there is no attempt 99");
  check_one_line(desk.start({"history", "rleu"}), "Did you mean relu");
  check_one_line(desk.start({"history", "--text"}), "needs the number");
}

TEST_CASE("the last attempts fit a screen; --all lists every one") {
  const Desk desk;
  std::string lines = "{\"kata_history\": 2}\n";
  for (int i = 10; i < 40; ++i) {
    lines += fmt::format(
        R"({{"table": "attempts", "uid": "{0:032}", "at": {0}, "operator": "{1}", "kind": "check",)"
        R"( "verdict": "fail", "text": "", "text_hash": "", "findings": "[]"}})"
        "\n",
        i, i % 2 ? "relu" : "add");
  }
  REQUIRE(desk.start({"import", desk.scratch.write("lines.jsonl", lines)}).exit_status == 0);
  const std::string last = desk.start({"history"}).output;
  CHECK(kata::test::count_lines(last) < 24);
  CHECK(contains(last, "   30  19"));
  CHECK_FALSE(contains(last, "   12  19"));
  CHECK(contains(last, "history --all\n"));
  const std::string all = desk.start({"history", "--all"}).output;
  CHECK(contains(all, "    1  19"));
  CHECK(all.find("    1  19") < all.find("   30  19"));
  CHECK_FALSE(contains(desk.start({"history", "relu"}).output, "--all"));  // 15 of them
}

TEST_CASE("review says what to do and why; progress begins with the verdict and has 80 columns") {
  const Desk desk;
  CHECK(contains(desk.start({"review"}).output, "you have not solved it yet"));
  desk.solve("relu");
  CHECK(desk.start({"check", "relu", "--backend", "emulator"}).exit_status == 0);
  const std::string brief = desk.start({"progress"}).output;
  CHECK(brief.starts_with("Right: 1 of "));
  const auto row = [](const std::string& name) {
    return fmt::format("\n{:<{}} .", name, kata::name_width());
  };
  CHECK(contains(brief, row("relu")));
  CHECK_FALSE(contains(brief, "\nsgemm "));
  CHECK(std::count(brief.begin(), brief.end(), '\n') < 24);
  const std::string progress = desk.start({"progress", "--all"}).output;
  CHECK(contains(progress, row("sgemm")));
  CHECK(contains(progress, row("decode_attention")));
  CHECK(contains(progress,
                 fmt::format("your relu is level with rung 1 of {}", desk.rungs("relu").size())));
  for (std::size_t at = 0; at < progress.size(); at = progress.find('\n', at) + 1) {
    CHECK(progress.find('\n', at) - at <= 80);
  }
}

TEST_CASE("review begins what was solved before from the stub, after asking") {
  const Desk desk;
  desk.solve("relu");
  CHECK(desk.start({"check", "relu", "--backend", "emulator"}).exit_status == 0);
  std::istringstream lines(desk.start({"export"}).output);
  std::string heading, attempt;
  std::getline(lines, heading);
  std::getline(lines, attempt);
  Json due = Json::parse(attempt);
  due["uid"] = "earlier";
  due["at"] = due["at"].get<std::int64_t>() - std::int64_t{90} * 24 * 3600 * 1000;
  fs::remove_all(desk.scratch / "home");
  CHECK(desk.start({"import", "-"}, heading + "\n" + due.dump() + "\n").exit_status == 0);

  const std::string solved = content_of(desk.exercise("relu"));
  CHECK(contains(desk.start({"review"}).output, "due since"));
  CHECK(content_of(desk.exercise("relu")) == solved);  // the question was not answered
  const std::string begun = desk.start({"review", "--yes"}).output;
  CHECK(contains(begun, "is the stub again"));
  CHECK(contains(begun, "watch relu"));
  CHECK(content_of(desk.exercise("relu")) ==
        content_of(desk.scratch / "tree/exercises/relu/.stub.cu"));
  CHECK(desk.start({"history", "2", "--text"}).output == solved);
}

TEST_CASE("the first command that opens a damaged history says so, once") {
  for (const std::vector<std::string>& command : {std::vector<std::string>{},
                                                  {"list"},
                                                  {"review"},
                                                  {"hint", "relu"},
                                                  {"export"},
                                                  {"interview", "relu", "--backend", "emulator"},
                                                  {"watch", "relu", "--backend", "emulator"}}) {
    CAPTURE(command.size());
    const Desk desk;
    desk.scratch.write("home/history.db", "no database");
    const auto first = desk.start(command, "q\n");  // what a watch ends with
    CHECK(contains(first.output + first.errors, "history was damaged"));
    const auto second = desk.start({"list"});
    CHECK_FALSE(contains(second.output + second.errors, "damaged"));
  }
}

TEST_CASE("a history goes from one machine to another and arrives once") {
  const Desk desk, other;
  desk.solve("add");
  CHECK(desk.start({"check", "add", "--backend", "emulator"}).exit_status == 0);
  const std::string lines = desk.start({"export"}).output;
  CHECK(contains(other.start({"import", "-"}, lines).output, "1 new entry from -."));
  CHECK(contains(other.start({"import", "-"}, lines).output, "0 new entries from -."));
  CHECK(other.start({"export"}).output == lines);
  CHECK(contains(other.start({"export", "mine.jsonl"}).output, "import mine.jsonl"));
  check_one_line(other.start({"import", "-"}, lines + "{"), "line 3: this is not JSON");
  check_one_line(other.start({"import", "nowhere"}), "cannot read nowhere");
}

TEST_CASE("a history that cannot be kept costs one line, and never the verdict") {
  const Desk desk;
  desk.solve("relu");
  desk.scratch.write("home", "a file where the folder would be");
  const auto finished = desk.start({"check", "relu", "--backend", "emulator"});
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.output, "PASS"));
  CHECK(count_lines(finished.errors) == 1);
  CHECK(contains(finished.errors, "KATA_HOME"));
}
