// kata drill, as a program uses it: answers as lines, one JSON object each time.
#include <nlohmann/json.hpp>

#include "desk.h"
#include "practice/history.h"

using namespace kata::test;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

Json run_drill(const Desk& desk, const std::string& answers,
               std::vector<std::string> arguments = {"drill", "--json"}) {
  const auto finished = desk.start(std::move(arguments), answers);
  CHECK(finished.errors == "");
  const Json json = Json::parse(finished.output, nullptr, /*allow_exceptions=*/false);
  REQUIRE_FALSE(json.is_discarded());
  CHECK(finished.exit_status == (json["open"] ? 77 : 0));
  return json;
}

std::string passes(const Json& json) {
  return json["question"]["name"] == "repair" ? "" : "pass\n";
}

}  // namespace

TEST_CASE("a bug is read before it may be checked; a drill that was left goes on") {
  const Desk desk;
  Json json = run_drill(desk, "", {"drill", "bug", "relu", "--json", "--seed", "1"});
  CHECK(json["drill"] == "bug");
  CHECK(json["question"]["name"] == "line");
  CHECK_FALSE(json.contains("item"));  // its name would give the fault away
  const std::string file = json["file"];
  for (const char* command : {"check", "bench", "profile"}) {
    const auto refused = desk.start({command, file});
    CHECK(refused.exit_status == 2);
    CHECK(refused.errors.find("is for reading until you have answered") != std::string::npos);
  }
  CHECK(run_drill(desk, "none\n")["remark"].get<std::string>().starts_with("Type one line"));

  while (json["question"]["name"] != "repair") json = run_drill(desk, passes(json));
  CHECK(desk.start({"check", file, "--no-ladder"}).exit_status == 1);
  json = run_drill(desk, "\n");
  CHECK(json["open"] == true);
  CHECK(json["remark"].get<std::string>().ends_with("has not changed. Edit it, then press Enter."));

  desk.scratch.write("tree/drills/relu.cu", desk.rung("relu/1_thread_per_element.cu"));
  const int points = json["question"]["points"];
  json = run_drill(desk, "\n");
  CHECK(json["open"] == false);
  CHECK(json["score"].get<int>() >= points - 10);
  CHECK(json["explanation"].get<std::string>().find("@@") != std::string::npos);
  CHECK(run_drill(desk, "", {"drill", "bug", "--json"})["question"]["name"] == "line");  // the next
}

TEST_CASE("a drill of any kind is left and goes on, and its points stay") {
  for (const std::string kind : {"maths", "which", "why"}) {
    CAPTURE(kind);
    const Desk desk;
    Json json = run_drill(desk, "pass\n", {"drill", kind, "--json", "--seed", "1"});
    CHECK(json["drill"] == kind);
    const std::string text = json["text"];
    for (int i = 0; json["open"] == true && i < 5; ++i) json = run_drill(desk, "pass\n");
    CHECK(json["open"] == false);
    CHECK(json["text"] == text);
    CHECK(json["score"] == 0);
    CHECK(json["explanation"].get<std::string>().size() > 10);
    const std::string listed = desk.start({"history"}).output;
    CHECK(listed.find("drill     " + kind + " 0/100, ") != std::string::npos);
    CHECK(desk.start({"progress"}).output.find("  " + kind + ": ") != std::string::npos);
  }
}

TEST_CASE(
    "a drill of another kind or operator starts beside an open one, which stays and is named") {
  const Desk desk;
  const Json open = run_drill(desk, "pass\n", {"drill", "relu", "which", "--json"});
  const auto other = desk.start({"drill", "maths"}, "");
  CHECK(other.output.starts_with("Still open: "));
  CHECK(other.output.find(" drill which relu\n") < 80);
  CHECK(other.output.find("Drill: maths") != std::string::npos);
  CHECK(run_drill(desk, "", {"drill", "which", "gelu", "--json"})["operator"] == "gelu");
  const Json again = run_drill(desk, "", {"drill", "which", "relu", "--json"});
  CHECK(again["text"] == open["text"]);
  CHECK(again["points"] == open["points"]);
  CHECK(run_drill(desk, "")["operator"] == "relu");  // the last one that was left
  CHECK(desk.start({}).output.find("A drill (which, relu) is open.") != std::string::npos);
  CHECK(desk.start({"drill", "--discard", "maths"}).output.starts_with("Discarded: maths"));
  const std::string dropped = desk.start({"drill", "--discard"}).output;
  CHECK(dropped.find("Discarded: which relu\n") != std::string::npos);
  CHECK(dropped.find("Discarded: which gelu\n") != std::string::npos);
  CHECK(desk.start({"drill", "--discard"}).output == "No such drill is open.\n");
}

TEST_CASE("a name that several operators have suggests all of them") {
  const Desk desk;
  for (const char* name : {"reduce_max", "reduce_sum"})
    CHECK(desk.start({"drill", "why", "reduce"}).errors.find(name) != std::string::npos);
}

TEST_CASE("progress has the mean score of a class, and review names the drills that are due") {
  const Desk desk;
  setenv("KATA_HOME", (desk.scratch / "home").c_str(), 1);
  auto history = kata::History::open();
  unsetenv("KATA_HOME");
  REQUIRE(history);
  const auto done = [&](const std::string& topic, int days_ago) {
    REQUIRE_FALSE(history->add(kata::DrillResult{.kind = "bug",
                                                 .item = topic,
                                                 .topic = topic,
                                                 .score = 40,
                                                 .grade = kata::Grade::again,
                                                 .at = kata::now() - days_ago * 24h}));
  };
  done("race", 0);
  CHECK(desk.start({"review"}).output.find("Drills are due") == std::string::npos);
  done("bounds", 30);
  CHECK(desk.start({"progress"}).output.find("race 0 of 1 (40)") != std::string::npos);
  CHECK(desk.start({"review"}).output.find("Drills are due, too (bug bounds):") !=
        std::string::npos);
}

TEST_CASE("what is no drill is refused in one line") {
  const Desk desk;
  CHECK(desk.start({"drill", "bgu"}).errors ==
        "kata: there is no drill bgu. Did you mean bug? Name a kind, an operator or both; the "
        "kinds are: bug, maths, which, why, "
        "viva\n");
  CHECK(desk.start({"drill", "bug", "rleu"}).errors.find("Did you mean relu?") !=
        std::string::npos);
}
