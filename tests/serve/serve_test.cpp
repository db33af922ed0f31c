// The page as its scripts use it: the file, checks, hints, the server's end and another start.
#include <nlohmann/json.hpp>
#include <thread>

#include "serve/served.h"

using namespace kata;
using test::Desk;
using test::Served;
using Json = nlohmann::json;

namespace {

const std::string wrong_relu = R"(#include <kata/kata.h>
__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] > 0 ? x[i] : 0;
}
extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<kata::ceil_div(n, 256), 256>>>(x, y, n);
}
)";

/// A check's last state, and whether a finding was seen before the end.
struct Checked {
  Json state = {};
  bool early = false;
};

Checked follow(const Served& served, std::int64_t id) {
  Checked checked;
  for (int seen = -1;; seen = checked.state["version"]) {
    const auto answer =
        served.get("/api/checks/" + std::to_string(id) + "?seen=" + std::to_string(seen));
    REQUIRE(answer);
    REQUIRE(answer->status == 200);
    checked.state = Json::parse(answer->body);
    if (checked.state["done"]) return checked;
    checked.early |= !checked.state["findings"].empty();
  }
}

std::int64_t begin(const Served& served, const std::string& name) {
  const auto answer = served.post("/api/checks/" + name, "{}");
  REQUIRE(answer);
  REQUIRE(answer->status == 200);
  return Json::parse(answer->body)["id"];
}

Json text_of(const Served& served) {
  return Json::parse(served.get("/api/text/relu")->body);
}

int save(const Served& served, const std::string& text, const std::string& base) {
  return served.post("/api/text/relu", Json{{"text", text}, {"base", base}}.dump())->status;
}

}  // namespace

TEST_CASE("a check in the page says what kata check says, and the finding comes first") {
  const Desk desk;
  const Served served(desk);
  desk.write("relu", wrong_relu);
  const Checked checked = follow(served, begin(served, "relu"));
  CHECK(checked.early);
  CHECK(test::contains(checked.state["html"].get<std::string>(), " of 10 cases right"));
  const Json report = Json::parse(checked.state["report"].get<std::string>());
  const auto finished = desk.start(
      {"check", "relu", "--json", "--seed", std::to_string(report["seed"].get<std::uint64_t>())});
  Json terminal = Json::parse(finished.output);
  CHECK(report == terminal);
  CHECK(report["verdict"] == "fail");
  CHECK(report["findings"][0]["line"] == 4);
  CHECK(test::contains(checked.state["html"], "data-line=\"4\""));
  CHECK(checked.state["findings"][0]["column"] == report["findings"][0]["column"]);
  CHECK(test::contains(checked.state["html"], "<code>if (i &lt; n)</code>"));
  CHECK(test::contains(desk.start({"history"}).output, "relu"));
}

TEST_CASE("what a candidate prints is text in the page, never a part of it") {
  const Desk desk;
  const Served served(desk);
  std::string loud = wrong_relu;
  loud.insert(loud.find("  relu_kernel<<<"),
              "  printf(\"<script>alert(1)</script><b id='x'>\\xff\");\n");
  loud.insert(0, "#include <cstdio>\n");
  desk.write("relu", loud);
  const Json state = follow(served, begin(served, "relu")).state;
  const std::string html = state["html"];
  CHECK(test::contains(html, "&lt;script&gt;"));
  CHECK(!test::contains(html, "<script"));
  CHECK(!test::contains(html, "<b id"));
}

TEST_CASE("of two tabs, or a tab and an editor, the second to save is asked, and nothing is lost") {
  const Desk desk;
  const Served served(desk);
  const Json file = text_of(served);
  CHECK(save(served, "first \"tab\"\n", file["version"]) == 200);
  CHECK(save(served, "second tab\n", file["version"]) == 409);
  CHECK(test::content_of(desk.exercise("relu")) == "first \"tab\"\n");
  CHECK(save(served, "first \"tab\"\n", file["version"]) == 200);  // the same text: no conflict

  desk.write_by_rename("relu", "an editor's\r\n");
  const Json now = text_of(served);
  CHECK(now["text"] == "an editor's\r\n");
  CHECK(save(served, "first \"tab\"\nmore\n", file["version"]) == 409);
  CHECK(save(served, "the tab's\r\n", now["version"]) == 200);
  CHECK(test::content_of(desk.exercise("relu")) == "the tab's\r\n");
}

TEST_CASE("a file that is no UTF-8 is not edited here") {
  const Desk desk;
  const Served served(desk);
  desk.write("relu", "// \xff\n");
  CHECK(served.get("/api/text/relu")->status == 415);
}

TEST_CASE("hints come one by one and count, as in the terminal") {
  const Desk desk;
  const Served served(desk);
  CHECK(!test::contains(served.get("/exercises/relu/index.html")->body, "Hint 1"));
  CHECK(test::contains(served.post("/api/hint/relu", "{}")->body, "Hint 1 of 3"));
  CHECK(test::contains(served.post("/api/hint/relu", "{}")->body, "Hint 2 of 3"));
  CHECK(test::contains(desk.start({"hint", "relu"}).output, "Hint 3 of 3"));
}

TEST_CASE("a server that was killed is at the same address again, for the same pages") {
  const Desk desk;
  Served first(desk);
  const std::int64_t id = begin(first, "relu");
  CHECK(first.end(SIGKILL) == -1);
  const Served again(desk, {});
  CHECK(again.port == first.port);
  CHECK(again.get("/", first.own())->status == 200);
  CHECK(again.get("/api/checks/" + std::to_string(id))->status == 404);
}

TEST_CASE("Ctrl-C ends the server and the check under way") {
  const Desk desk;
  Served served(desk);
  desk.write("relu", wrong_relu);
  begin(served, "relu");
  CHECK(served.end(SIGINT) == 130);  // as every command that is interrupted
}

TEST_CASE("20 checks that five tabs ask for are all answered") {
  const Desk desk;
  const Served served(desk);
  desk.write("relu", wrong_relu);
  std::vector<std::thread> tabs;
  std::atomic<int> answered = 0;
  for (int tab = 0; tab < 5; ++tab) {
    tabs.emplace_back([&] {
      for (int i = 0; i < 4; ++i)
        answered += follow(served, begin(served, "relu")).state["done"].get<bool>();
    });
  }
  for (std::thread& tab : tabs) tab.join();
  CHECK(answered == 20);
}

TEST_CASE("the pages of kata site are there, and a rung's page counts as a solution seen") {
  const Desk desk;
  const Served served(desk);
  const std::string rung = desk.rungs("relu").front();
  CHECK(served.get("/docs/reading.html")->status == 200);
  CHECK(served.get("/practice")->status == 200);
  CHECK(served.get("/solutions/relu/" + rung + ".cu.html")->status == 200);
  CHECK(served.get("/exercises/relu/beside/" + rung)->status == 200);
  CHECK(served.get("/exercises/none/index.html")->status == 404);
  CHECK(test::contains(desk.start({"export"}).output, rung));
  desk.solve("relu");
  const Json state = follow(served, begin(served, "relu")).state;
  CHECK(Json::parse(state["report"].get<std::string>())["verdict"] == "pass");
  CHECK(test::contains(state["html"], "class=\"bars\""));
  CHECK(test::contains(served.get("/mine/index.html")->body, "relu"));
  CHECK(test::contains(served.get("/practice")->body, "again"));  // the grade
}

TEST_CASE("a card of the quiz is asked until it is graded, and only a known one can be graded") {
  const Desk desk;
  const Served served(desk);
  const auto card_on = [](const std::string& page) {
    const std::string before = "name=\"card\" value=\"";
    const std::size_t begin = page.find(before) + before.size();
    return page.substr(begin, page.find('"', begin) - begin);
  };
  const auto grade = [&](const std::string& card, const std::string& word) {
    return httplib::Client("127.0.0.1", served.port)
        .Post("/quiz", served.own(), httplib::Params{{"card", card}, {"grade", word}})
        ->status;
  };
  const std::string first = card_on(served.get("/quiz")->body);
  CHECK(card_on(served.get("/quiz")->body) == first);
  CHECK(grade(first, "perfect") == 400);
  CHECK(grade("no such card", "good") == 400);
  CHECK(grade(first, "good") == 303);
  CHECK(card_on(served.get("/quiz")->body) != first);
  CHECK(test::contains(desk.start({"export"}).output, first.substr(0, 10)));
}

TEST_CASE("the editor has the keys of vim or emacs if the person wants them") {
  const Desk desk;
  for (const std::string keys : {"default", "vim", "emacs"}) {
    CHECK(desk.start({"config", "page.keys", keys}).exit_status == 0);
    const Served served(desk);
    const std::string page = served.get("/exercises/relu/index.html")->body;
    CHECK(test::contains(page, "data-keys=\"" + keys + "\""));
    CHECK(test::contains(page, "keymap/" + keys + ".js") == (keys != "default"));
    CHECK(served.get("/codemirror/keymap/vim.js")->status == 200);
  }
}
