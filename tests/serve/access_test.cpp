// Who may use the page: requests that other pages and programs could send.
#include <chrono>
#include <thread>

#include "serve/http_server.h"
#include "serve/served.h"

using namespace kata;
using test::Desk;
using test::Raw;
using test::Served;

TEST_CASE("without the token nothing is answered, and the address that was printed gives it") {
  const Desk desk;
  const Served served(desk);
  const auto bare = served.get("/", {});
  REQUIRE(bare);
  CHECK(bare->status == 403);
  CHECK(!test::contains(bare->body, "relu"));
  CHECK(served.get("/?token=0123", {})->status == 403);
  httplib::Headers wrong = served.own();
  wrong.erase("Cookie");
  wrong.emplace("Cookie", "kata_" + std::to_string(served.port) + "=" + served.token + "0");
  CHECK(served.get("/", wrong)->status == 403);

  const auto first = served.get("/?token=" + served.token, {});
  CHECK(first->status == 200);
  CHECK(test::contains(first->body, "url=/\""));
  CHECK(!test::contains(first->body, served.token));
  const std::string cookie = first->get_header_value("Set-Cookie");
  CHECK(test::contains(cookie, "SameSite=Strict"));
  CHECK(test::contains(cookie, "HttpOnly"));
  const auto page = served.get("/");
  CHECK(page->status == 200);
  CHECK(test::contains(page->body, "relu"));
  const auto odd = served.get("/%22%3E%3Cscript%3E?token=" + served.token, {});
  CHECK(!test::contains(odd->body, "<script"));
}

TEST_CASE("a page whose name was changed to this address (DNS rebinding) is refused") {
  const Desk desk;
  const Served served(desk);
  for (const std::string& host :
       {std::string("evil.example"), "evil.example:" + std::to_string(served.port),
        std::string("127.0.0.1"), "127.0.0.1:" + std::to_string(served.port + 1), std::string()}) {
    httplib::Headers headers = served.own();
    headers.emplace("Host", host);
    const auto answer = served.get("/", headers);
    REQUIRE(answer);
    CHECK_MESSAGE((answer->status == 421 || answer->status == 400), host);
    CHECK(!test::contains(answer->body, "relu"));
  }
}

TEST_CASE("a request of another page changes nothing, also with the cookie") {
  const Desk desk;
  const Served served(desk);
  const std::string before = test::content_of(desk.exercise("relu"));
  for (const char* const origin : {"https://evil.example", "null", "http://127.0.0.1:1", ""}) {
    httplib::Headers headers = served.own();
    headers.erase("Origin");
    if (*origin) headers.emplace("Origin", origin);
    const auto base = served.get("/api/text/relu");
    const std::string version = base->body.substr(base->body.find("version\":\"") + 10, 32);
    const auto answer =
        served.post("/api/text/relu", R"({"text":"stolen","base":")" + version + "\"}", headers);
    CHECK_MESSAGE(answer->status == 403, origin);
    CHECK(served.post("/api/checks/relu", "{}", headers)->status == 403);
    CHECK(served.post("/api/hint/relu", "{}", headers)->status == 403);
  }
  CHECK(test::content_of(desk.exercise("relu")) == before);
  httplib::Headers foreign = served.own();
  foreign.erase("Origin");
  foreign.emplace("Origin", "https://evil.example");
  CHECK(served.get("/api/text/relu", foreign)->status == 403);
}

TEST_CASE("no path leads out of the page") {
  const Desk desk;
  const Served served(desk);
  for (const char* const path :
       {"/../../../../etc/passwd", "/codemirror/../../../../etc/passwd",
        "/codemirror/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/codemirror//etc/passwd",
        "/exercises/..%2f..%2f/index.html", "/api/text/..%2frelu", "/api/text/%00",
        "/mine/../../home/history.db", "/mine/..%2f..%2fx.html",
        "/exercises/relu/beside/..%2f..%2fx", "/solutions/relu/../../../x.html",
        "/codemirror/package.json", "/api/checks/99999999999999999999"}) {
    Raw raw(served.port);
    raw.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: " + served.host() +
             "\r\nCookie: kata_" + std::to_string(served.port) + "=" + served.token +
             "\r\nConnection: close\r\n\r\n");
    const std::string answer = raw.rest();
    CHECK_MESSAGE((test::contains(answer, " 404 ") || test::contains(answer, " 400 ") ||
                   test::contains(answer, " 500 ")),
                  path, answer.substr(0, 60));
    CHECK(!test::contains(answer, "root:"));
  }
}

TEST_CASE("a body of any size from a stranger is not read, and of a page at most 1 MiB") {
  const Desk desk;
  const Served served(desk);
  const std::string before = test::content_of(desk.exercise("relu"));
  Raw stranger(served.port);
  stranger.send("POST /api/text/relu HTTP/1.1\r\nHost: " + served.host() +
                "\r\nContent-Length: 100000000000\r\n\r\n{");
  CHECK(test::contains(stranger.rest(), " 403 "));
  const auto large = served.post("/api/text/relu", std::string(std::size_t{2} << 20, 'x'));
  CHECK((!large || large->status == 413));
  CHECK(served.post("/api/text/relu", "no JSON")->status == 400);
  CHECK(served.post("/api/text/relu", "{}")->status == 400);
  CHECK(test::content_of(desk.exercise("relu")) == before);
}

TEST_CASE("200 connections that say nothing keep no other one waiting") {
  const Desk desk;
  const Served served(desk);
  std::vector<Raw> silent;
  for (int i = 0; i < 200; ++i) {
    silent.emplace_back(served.port);
    if (i % 2 == 0) silent.back().send("GET / HTTP/1.1\r\nHost: ");
  }
  const auto page = served.get("/");
  REQUIRE(page);
  CHECK(page->status == 200);
}

TEST_CASE("the page is at this machine's own address and says so if asked for another") {
  const Desk desk;
  const auto refused = desk.start({"serve", "--no-open", "--host", "0.0.0.0"});
  CHECK(refused.exit_status == 2);
  CHECK(test::contains(refused.errors, "127.0.0.1 only"));
  const Served served(desk);
  const auto other = desk.start({"serve", "--no-open", "--port", std::to_string(served.port)});
  CHECK(other.exit_status == 2);
  CHECK(test::contains(other.errors, "is taken"));

  // Listening sockets of this port, as the system has them: 0100007F is 127.0.0.1.
  char port[6];
  std::snprintf(port, sizeof port, ":%04X", static_cast<unsigned>(served.port));
  const std::string sockets =
      test::content_of("/proc/net/tcp") + test::content_of("/proc/net/tcp6");
  CHECK(test::contains(sockets, std::string("0100007F") + port));
  CHECK(!test::contains(sockets, std::string("00000000") + port));
}

TEST_CASE("a second start names the page that is there, at the operator of a file") {
  const Desk desk;
  const Served served(desk);
  const auto second = desk.start({"serve", "--no-open", "exercises/relu/relu.cu"});
  CHECK(second.exit_status == 0);
  CHECK(test::contains(second.output, std::to_string(served.port) + "/exercises/relu/index.html"));
  CHECK(desk.start({"serve", "--no-open", "main.cu"}).exit_status == 2);
}

TEST_CASE("no page may run a script of its text or ask another host") {
  const Desk desk;
  const Served served(desk);
  for (const char* const path :
       {"/", "/exercises/relu/index.html", "/practice", "/api/text/relu"}) {
    const auto answer = served.get(path);
    CHECK(answer->status == 200);
    const std::string policy = answer->get_header_value("Content-Security-Policy");
    CHECK(test::contains(policy, "default-src 'none'"));
    CHECK(test::contains(policy, "script-src 'self';"));
    CHECK(answer->get_header_value("X-Content-Type-Options") == "nosniff");
    CHECK(!test::contains(answer->body, "http://cdn"));
    CHECK(!test::contains(answer->body, "onclick="));
  }
}

TEST_CASE("an answer is not compressed, which takes longer than sending it on one machine") {
  const Desk desk;
  const Served served(desk);
  httplib::Headers headers = served.own();
  headers.emplace("Accept-Encoding", "gzip, br");
  const auto answer = served.get("/codemirror/lib/codemirror.js", headers);
  CHECK(answer->get_header_value("Content-Encoding").empty());
}

TEST_CASE("the token lies in a folder that only the person may look into") {
  const Desk desk;
  const Served served(desk);
  namespace fs = std::filesystem;
  const fs::perms all = fs::status(desk.scratch / "home/serve").permissions();
  CHECK((all & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
}

TEST_CASE("a client that sends a byte now and then is ended, and one at work is not") {
  kata::serve::HttpServer server([](const std::string&) { return std::string(); },
                                 std::chrono::milliseconds(400));
  server.on_get("/slow", [](const httplib::Request&, httplib::Response& response) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    response.set_content("done", "text/plain");
  });
  REQUIRE(!server.listen(0, "secret"));
  const std::string port = std::to_string(server.port());
  const std::string head = "GET /slow HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nCookie: kata_" +
                           port + "=secret\r\nConnection: close\r\n";
  Raw at_work(server.port()), dripping(server.port());
  at_work.send(head + "\r\n");
  dripping.send(head);
  bool ended = false;
  for (int i = 0; i < 300 && !ended; ++i) {
    dripping.send("X: y\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ended = dripping.is_ended();
  }
  CHECK(ended);
  CHECK(test::contains(at_work.rest(), "done"));
}
