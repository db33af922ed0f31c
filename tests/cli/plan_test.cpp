// kata plan and kata edit, as a person types.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "desk.h"

using kata::test::contains;
using kata::test::Desk;

TEST_CASE("a plan is kept, and `kata` alone shows today's part of it") {
  const Desk desk;
  const auto none = desk.start({"plan"});
  CHECK(none.exit_status == 2);
  CHECK(contains(none.errors, "plan --until 2"));
  const auto made =
      desk.start({"plan", "--until", "2099-12-20", "--minutes", "50", "--track", "hpc"});
  INFO(made.output);
  CHECK(made.exit_status == 0);
  CHECK(contains(made.output, "Plan until 2099-12-20"));
  CHECK(contains(made.output, "reduce_sum"));
  CHECK(contains(made.output, "watch reduce_sum"));
  CHECK(kata::test::widest_line(made.output) <= 80);
  CHECK(contains(desk.start({"plan"}).output, "50 minutes each, track hpc"));
  const std::string alone = desk.start({}).output;
  CHECK(contains(alone, "Today:"));
  CHECK(contains(alone, "reduce_sum"));
  CHECK(desk.start({"config", "--unset", "plan"}).exit_status == 0);
  CHECK_FALSE(contains(desk.start({}).output, "Today:"));
}

TEST_CASE("kata, plan, review and watch name the same exercise") {
  const Desk desk;
  const auto all_name = [&](const std::string& name) {
    CAPTURE(name);
    CHECK(contains(desk.start({}).output, name));
    CHECK(contains(desk.start({"review"}).output, name + ": "));
    const auto watched = desk.start({"watch", "--backend", "emulator", "--plain"}, "q\n");
    CHECK(contains(watched.output, "watch " + name + "\n"));
  };
  all_name("add");  // the first of the path
  desk.write("scan", "extern \"C\" void scan() { begun }\n");
  all_name("scan");
  desk.start({"check", "scan"});
  all_name("scan");
  CHECK(desk.start({"plan", "--until", "2099-12-20", "--track", "hpc"}).exit_status == 0);
  const std::string plan = desk.start({"plan"}).output;
  const std::size_t next = plan.find("\nNext: ") + 7;
  CHECK(contains(desk.start({}).output, plan.substr(next)));
  all_name(plan.substr(next, plan.find('\n', next) - next));
}

TEST_CASE("list --json has each operator with its state") {
  const Desk desk;
  desk.write("add", "extern \"C\" void add() { begun }\n");
  const auto json = nlohmann::json::parse(desk.start({"list", "--json"}).output);
  CHECK(json.at("operators").size() > 50);
  CHECK(json.at("operators").at(0).at("name") == "adamw");
  CHECK(json.at("operators").at(1).at("state") == "never checked");
  CHECK(nlohmann::json::parse(desk.start({"list", "--tag", "atomics", "--json"}).output)
            .at("operators")
            .size() < 20);
}

TEST_CASE("a plan refuses a day that has passed and a track that there is not") {
  const Desk desk;
  CHECK(contains(desk.start({"plan", "--until", "2020-01-01"}).errors, "from today on"));
  CHECK(contains(desk.start({"plan", "--until", "soon"}).errors, "from today on"));
  CHECK(contains(desk.start({"plan", "--until", "2099-12-20", "--track", "games"}).errors,
                 "general, hpc, inference"));
  CHECK(contains(desk.start({"plan", "--until", "2099-12-20", "--minutes", "0"}).errors, "1 to"));
  CHECK(desk.start({"plan"}).exit_status == 2);  // nothing of it was kept
}

TEST_CASE("list takes a track and a tag") {
  const Desk desk;
  const auto inference = desk.start({"list", "--track", "inference"});
  CHECK(contains(inference.output, "w4a16_gemv"));
  CHECK_FALSE(contains(inference.output, "histogram"));
  CHECK(contains(desk.start({"list", "--tag", "atomics"}).output, "histogram"));
  CHECK(desk.start({"list", "--tag", "nothing"}).exit_status == 2);
}

TEST_CASE("edit opens the exercise in the chosen editor") {
  const Desk desk;
  desk.scratch.write_program("editor", "#!/bin/sh\necho \"edits $1 $2\"\n");
  const std::string editor = (desk.scratch / "editor").string();
  const Desk::Environment visual{{"VISUAL", editor + " -x"}};
  const auto edited = desk.start({"edit", "relu"}, {}, visual);
  CHECK(contains(edited.output, "edits -x exercises/relu/relu.cu"));
  CHECK(contains(edited.output, "check relu"));
  CHECK(desk.start({"config", "editor", editor + " -y"}).exit_status == 0);
  CHECK(contains(desk.start({"edit", "relu"}, {}, visual).output, "edits -y"));
  CHECK(desk.start({"config", "editor", "no-such-editor"}).exit_status == 0);
  const auto wrong = desk.start({"edit", "relu"});
  CHECK(wrong.exit_status == 2);
  CHECK(contains(wrong.errors, "config editor vim"));
}

TEST_CASE("whoever has chosen no editor is told how to leave vi, and nobody else") {
  const Desk desk;
  desk.scratch.write_program("bin/vi", "#!/bin/sh\necho \"edits $1\"\n");
  const std::string path = (desk.scratch / "bin").string() + ":" + std::getenv("PATH");
  const auto none =
      desk.start({"edit", "relu"}, {}, {{"VISUAL", ""}, {"EDITOR", ""}, {"PATH", path}});
  CHECK(none.output.find(":wq") < none.output.find("edits exercises/relu/relu.cu"));
  CHECK(contains(none.output, "kata config editor nano"));
  const auto chosen =
      desk.start({"edit", "relu"}, {}, {{"VISUAL", ""}, {"EDITOR", "vi"}, {"PATH", path}});
  CHECK(contains(chosen.output, "edits exercises/relu/relu.cu"));
  CHECK_FALSE(contains(chosen.output, ":wq"));
}

TEST_CASE("what fails today comes first in the plan, as begun") {
  const Desk desk;
  desk.write("layernorm", "extern \"C\" void layernorm() { begun }\n");
  desk.start({"check", "layernorm"});
  const std::string made = desk.start({"plan", "--until", "2099-12-20"}).output;
  INFO(made);
  CHECK(contains(made, "begun, does not pass yet"));
  CHECK(contains(made, "\nNext: layernorm\n"));
}

TEST_CASE("a plan names what was begun beside it") {
  const Desk desk;
  desk.write("histogram", "extern \"C\" void histogram() { begun }\n");
  const std::string made =
      desk.start({"plan", "--until", "2099-12-20", "--track", "inference"}).output;
  CHECK(contains(made, "Also begun: histogram\n"));
  CHECK(contains(desk.start({}).output, "Also begun: histogram\n"));
}
