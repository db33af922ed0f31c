// Drills and interviews in the page: asked, kept and left as in the terminal.
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "serve/served.h"

using namespace kata;
using test::Desk;
using test::Served;
using Json = nlohmann::json;

namespace {

int send(const Served& served, const std::string& path, const httplib::Params& fields) {
  httplib::Client client("127.0.0.1", served.port);
  client.set_read_timeout(120);
  const auto answer = client.Post(path, served.own(), fields);
  REQUIRE(answer);
  return answer->status;
}

std::string drill(const Served& served) {
  return served.get("/drill")->body;
}

/// The n of "question" in a drill's forms.
std::string number(const std::string& page) {
  std::smatch found;
  const bool asked =
      std::regex_search(page, found, std::regex(R"re(name="question" value="(\d+)")re"));
  return asked ? found[1].str() : "";
}

/// What the interviewer has said, once that has `words` in it.
Json heard(const Served& served, const std::string& words) {
  Json state = Json::object();
  for (int i = 0; i < 100; ++i) {
    state = Json::parse(
        served.get("/api/interview?seen=" + std::to_string(state.value("bytes", 0)))->body);
    if (test::contains(state["text"], words)) return state;
  }
  FAIL("never said: " << words << "\n" << state["text"]);
  return state;
}

void say(const Served& served, const std::string& line) {
  CHECK(served.post("/api/interview", Json{{"line", line}}.dump())->status == 204);
}

/// What a page of a drill or an interview holds open.
void open_tab(const Served& served, const test::Raw& tab, const std::string& room) {
  tab.send("GET /api/here/" + room + " HTTP/1.1\r\nHost: " + served.host() + "\r\nCookie: kata_" +
           std::to_string(served.port) + "=" + served.token + "\r\n\r\n");
  CHECK(test::contains(tab.line(), "200"));
}

/// Waits for the interviewer to go.
void heard_end(const Served& served) {
  Json state = {{"bytes", 0}, {"running", true}};
  while (state["running"])
    state = Json::parse(
        served.get("/api/interview?seen=" + std::to_string(state["bytes"].get<int>()))->body);
  CHECK(state["open"]);
}

}  // namespace

TEST_CASE("a drill of the page is left, gone on with in the terminal, and ends in the page") {
  const Desk desk;
  const Served served(desk);
  CHECK(send(served, "/drill/enter", {{"kind", "maths"}, {"untimed", "on"}}) == 303);
  CHECK(number(drill(served)) == "0");
  CHECK(test::contains(desk.start({"drill"}).errors,
                       "/drill holds a drill: end or leave that one first"));
  send(served, "/drill/answer", {{"question", "0"}, {"answer", "no number"}});
  const std::string again = drill(served);
  CHECK(test::contains(again, "role=\"alert\""));  // asked again
  CHECK(test::contains(again, "value=\"no number\""));
  send(served, "/drill/leave", {});
  CHECK(test::contains(desk.start({"drill"}, "q\n").output, "Continuing"));
  CHECK(test::contains(drill(served), "A drill is open"));
  send(served, "/drill/enter", {});
  for (std::string page = drill(served); !number(page).empty(); page = drill(served)) {
    send(served, "/drill/pass", {{"question", number(page)}});
  }
  CHECK(test::contains(served.get("/drill/end")->body, "0 of 100"));
  CHECK(test::contains(drill(served), "How the last drill ended"));  // and another can be chosen
  CHECK(test::contains(desk.start({"export"}).output, "maths"));
  CHECK(test::contains(served.get("/practice")->body, "mean score"));
}

TEST_CASE("a faulty file cannot be written in the page before it was read, nor that of nobody") {
  const Desk desk;
  const Served served(desk);
  CHECK(served.get("/api/drill/text/relu")->status == 404);
  send(served, "/drill/enter", {{"kind", "bug"}, {"operator", "relu"}});
  CHECK(test::contains(drill(served), "class=\"box lines\""));
  const Json file = Json::parse(served.get("/api/drill/text/relu")->body);
  const std::string changed = Json{{"text", "mine"}, {"base", file["version"]}}.dump();
  CHECK(served.post("/api/drill/text/relu", changed)->status == 403);
  send(served, "/drill/pass", {{"question", "0"}});
  send(served, "/drill/pass", {{"question", "0"}});  // another tab
  CHECK(number(drill(served)) == "1");
  for (const char* const question : {"1", "2"}) {
    if (number(drill(served)) == question && !test::contains(drill(served), "id=\"editor\""))
      send(served, "/drill/pass", {{"question", question}});
  }
  CHECK(test::contains(drill(served), "id=\"editor\""));
  CHECK(served.post("/api/drill/text/relu", changed)->status == 200);
}

TEST_CASE("an interview in the page survives kill -9, and its last word is that of the terminal") {
  const Desk desk;
  {
    Served first(desk);
    CHECK(send(first, "/interview/begin", {{"operator", "relu"}, {"minutes", "15"}}) == 303);
    CHECK(send(first, "/interview/begin", {{"operator", "add"}}) == 409);  // another tab
    const Json begun = heard(first, "What would you ask");
    CHECK(begun["phase"] == "working");
    CHECK(begun["file"] == "/api/text/relu");
    CHECK(begun["left_ms"].get<int>() <= 15 * 60 * 1000);
    say(first, "hint");
    heard(first, "costs 5 points");
    first.end(SIGKILL);
  }
  const Served again(desk, {});
  CHECK(test::contains(again.get("/interview")->body, "about relu is open"));
  CHECK(send(again, "/interview/resume", {}) == 303);
  heard(again, "Back to relu");
  say(again, "time\nhint");  // one line at a time
  heard(again, "Worked");
  desk.solve("relu");
  say(again, "submit");
  CHECK(heard(again, "Question 1 of")["phase"] == "questions");
  say(again, "quit");
  const Json ended = heard(again, "by your own grading");
  CHECK(test::contains(desk.start({"export"}).output, "\"interview\""));
  CHECK(test::contains(ended["text"], "1 taken"));
}

TEST_CASE("closing the last tab stops the clocks of a drill and an interview, for the terminal") {
  const Desk desk;
  const Served served(desk);
  send(served, "/interview/begin", {{"operator", "relu"}, {"minutes", "15"}});
  heard(served, "What would you ask");
  send(served, "/drill/enter", {{"kind", "maths"}});
  {
    const test::Raw interview_tab(served.port), drill_tab(served.port);
    open_tab(served, interview_tab, "interview");
    open_tab(served, drill_tab, "drill");
    const std::string holder = "the page at http://" + served.host();
    CHECK(test::contains(desk.start({"interview", "--resume"}).errors,
                         holder + "/interview holds an interview"));
    CHECK(test::contains(desk.start({"drill"}).errors, holder + "/drill holds a drill"));
  }
  heard_end(served);
  CHECK(test::contains(desk.start({"interview", "--resume"}, "quit\n").output, "Back to relu"));
  while (!number(drill(served)).empty()) std::this_thread::yield();
  CHECK(test::contains(drill(served), "A drill is open: maths"));
  CHECK(test::contains(desk.start({"drill"}, "q\n").output, "Continuing"));
}

TEST_CASE("an open interview can be ended from its start page") {
  const Desk desk;
  {
    Served first(desk);
    send(first, "/interview/begin", {{"operator", "relu"}, {"minutes", "15"}});
    heard(first, "What would you ask");
    first.end(SIGKILL);
  }
  const Served again(desk, {});
  const Json left = Json::parse(again.get("/api/interview")->body);
  CHECK(left["open"]);
  CHECK(!left["running"]);
  CHECK(send(again, "/interview/end", {}) == 303);
  heard(again, "The interview is over");
  CHECK(!test::contains(again.get("/interview")->body, "about relu is open"));
}

TEST_CASE(
    "while a terminal goes on with an interview or a drill, the page says that its clock runs") {
  const Desk desk;
  const Served served(desk);
  desk.start({"interview", "relu", "--backend", "emulator"}, "quit\n");
  send(served, "/drill/enter", {{"kind", "maths"}});
  send(served, "/drill/leave", {});
  CHECK(test::contains(served.get("/interview")->body, "clock is stopped"));
  CHECK(test::contains(drill(served), "clock is stopped"));
  const test::Held interview(desk, "interview"), drill_there(desk, "drill");
  const std::string page = served.get("/interview")->body;
  CHECK(test::contains(page, "clock runs"));
  CHECK(!test::contains(page, "clock is stopped"));
  CHECK(!test::contains(page, "Begin</button>"));
  CHECK(test::contains(drill(served), "clock runs"));
  CHECK(Json::parse(served.get("/api/interview")->body)["elsewhere"]);
}

TEST_CASE("a plan is made in the page, and Next is its first part that is not done") {
  const Desk desk;
  const Served served(desk);
  CHECK(send(served, "/plan", {{"until", "2001-01-01"}, {"minutes", "45"}}) == 200);
  CHECK(!test::contains(served.get("/practice")->body, "Plan until 2001"));
  CHECK(send(served, "/plan", {{"until", "2099-01-01"}, {"minutes", "60"}}) == 303);
  CHECK(test::contains(served.get("/practice")->body, "max=\"1440\" value=\"60\""));
  const std::string page = served.get("/practice")->body;
  CHECK(test::contains(page, "Plan until 2099-01-01"));
  static const std::regex links("<a href=\"/(exercises|drill|quiz)[^>]*>[^<]*</a>: [^<(]*");
  std::smatch next, planned;
  REQUIRE(std::regex_search(page, next, links));
  const std::string plan = page.substr(page.find("Plan until"));
  REQUIRE(std::regex_search(plan, planned, links));
  CHECK(planned[0].str().starts_with(next[0].str().substr(0, next[0].str().find('<', 5))));
}

TEST_CASE("after a pass the hint is the faster idea that the check told to aim for") {
  const Desk desk;
  const Served served(desk);
  CHECK(test::contains(served.post("/api/hint/relu", "{}")->body, "Hint 1 of 3"));
  desk.solve("relu");
  desk.start({"check", "relu"});
  CHECK(test::contains(served.post("/api/hint/relu", "{}")->body, "A faster idea"));
}

TEST_CASE("the end of a drill about two rungs leads to what changed between them") {
  const Desk desk;
  const Served served(desk);
  const auto change = served.get("/exercises/relu/from/1/to/3");
  CHECK(change->status == 200);
  CHECK(test::contains(change->body, "From 1_thread_per_element to 3_float4"));
  CHECK(served.get("/exercises/relu/from/1/to/99")->status == 500);
  send(served, "/drill/enter", {{"kind", "which"}, {"operator", "relu"}});
  CHECK(test::contains(drill(served), "aria-label=\"second\""));  // both kernels, open
  for (std::string page = drill(served); !number(page).empty(); page = drill(served))
    send(served, "/drill/pass", {{"question", number(page)}});
  CHECK(test::contains(served.get("/drill/end")->body, "/exercises/relu/from/"));
}

TEST_CASE("the stub comes back in the page, and the text that was there is kept") {
  const Desk desk;
  const Served served(desk);
  desk.write("relu", "// <b>mine</b>\n");
  const Json answer = Json::parse(served.post("/api/reset/relu", "{}")->body);
  CHECK(test::content_of(desk.exercise("relu")) ==
        test::content_of(desk.exercise("relu").parent_path() / ".stub.cu"));
  const std::string page =
      "/mine/relu/" + std::to_string(answer["kept"].get<std::int64_t>()) + ".html";
  CHECK(test::contains(served.get(page)->body, "&lt;b&gt;mine"));
}

TEST_CASE("the report in the page has the ladder, the counters and the person's file") {
  const Desk desk;
  const Served served(desk);
  desk.solve("relu");
  const auto report = served.get("/exercises/relu/report");
  CHECK(report->status == 200);
  for (const char* const part :
       {"class=\"bars\"", "class=\"roofline\"", "class=\"counters\"", "yours"})
    CHECK_MESSAGE(test::contains(report->body, part), part);
}

TEST_CASE("a folder with quotes and markup in its name is text in the page") {
  const Desk desk;
  const std::string odd = "a \"b\" <i>'c'";
  std::filesystem::rename(desk.scratch / "tree", desk.scratch / odd);
  std::filesystem::create_directory_symlink(desk.scratch / odd, desk.scratch / "tree");
  const Served served(desk);
  const std::string page = served.get("/exercises/relu/index.html")->body;
  CHECK(!test::contains(page, "<i>'c"));
  CHECK(!test::contains(page, "\"b\" "));
  const auto cu = desk.exercise("relu");
  desk.write("relu", "#include \"no <b>such\">\"\n" + test::content_of(cu));
  const auto started = Json::parse(served.post("/api/checks/relu", "{}")->body);
  Json state = Json::object();
  for (int seen = -1; !state.value("done", false); seen = state["version"])
    state = Json::parse(
        served.get("/api/checks/" + started["id"].dump() + "?seen=" + std::to_string(seen))->body);
  CHECK(!test::contains(state["html"], "<b>such"));
}

TEST_CASE("beside an open drill another kind can be begun, and an untimed one has no clock") {
  const Desk desk;
  const Served served(desk);
  send(served, "/drill/enter", {{"kind", "maths"}, {"untimed", "on"}});
  send(served, "/drill/leave", {});
  const std::string page = drill(served);
  CHECK(test::contains(page, "A drill is open: maths"));
  CHECK(!test::contains(page, "clock is stopped"));
  CHECK(test::contains(page, "value=\"why\""));
  send(served, "/drill/enter", {{"kind", "which"}, {"operator", "relu"}});
  CHECK(test::contains(drill(served), "<h1>which, relu"));
  send(served, "/drill/leave", {});
  send(served, "/drill/enter", {{"kind", "maths"}});
  CHECK(test::contains(drill(served), "<h1>maths"));
}
