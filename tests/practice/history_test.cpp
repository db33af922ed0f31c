// The history: what was acknowledged is there after a crash, or after damage to the file.
#include "practice/history.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <random>

#include "person.h"
#include "practice/database.h"

namespace fs = std::filesystem;
using namespace kata;
using kata::test::contains;
using kata::test::content_of;
using kata::test::Person;
using namespace std::chrono_literals;

namespace {

History opened() {
  Result<History> history = History::open();
  REQUIRE_MESSAGE(history, history.error().message);
  return std::move(*history);
}

Attempt attempt_at(const std::string& operator_name, const std::string& text) {
  return {.operator_name = operator_name, .verdict = Verdict::fail, .text = text};
}

std::string text_number(int number) {
  return "text " + std::to_string(number) + std::string(5000, 'x');
}

/// Runs `work` in a child process, which then exits with what it returned.
pid_t in_a_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("an attempt comes back as it was") {
  const Person person;
  Attempt attempt{.operator_name = "relu",
                  .at = Time(std::chrono::milliseconds(1'700'000'000'123)),
                  .kind = AttemptKind::interview,
                  .verdict = Verdict::fail,
                  .text = std::string("\xff\xfe\0 not utf-8", 14),
                  .findings = {{.kind = FindingKind::race, .line = 3, .message = "two"}},
                  .backend = "emulator",
                  .device = "emulator",
                  .seed = 18446744073709551615u,
                  .duration = std::chrono::minutes(12),
                  .hints = 2,
                  .solution_seen = true,
                  .grade = Grade::again,
                  .session = "abc",
                  .rung = 4,
                  .rungs = 7,
                  .next_idea = "read once",
                  .size = "4x4",
                  .median_us = 3.25,
                  .of_best = 0.5};
  const auto id = opened().add(attempt);
  REQUIRE(id);
  const Attempt back = opened().attempt(*id)->value();
  CHECK(back.at == attempt.at);
  CHECK(back.kind == attempt.kind);
  CHECK(back.verdict == attempt.verdict);
  CHECK(back.text == attempt.text);
  REQUIRE(back.findings.size() == 1);
  CHECK(back.findings[0].line == 3);
  CHECK(back.seed == attempt.seed);
  CHECK(back.duration == attempt.duration);
  CHECK(back.hints == 2);
  CHECK(back.solution_seen);
  CHECK(back.grade == Grade::again);
  CHECK(back.session == "abc");
  CHECK(back.rungs == 7);
  CHECK(back.next_idea == "read once");
  CHECK(back.size == "4x4");
  CHECK(back.median_us == 3.25);
  CHECK(back.of_best == 0.5);
  CHECK_FALSE(opened().attempt(*id + 1)->has_value());
}

TEST_CASE("attempts are listed oldest first, of one exercise or of all") {
  const Person person;
  History history = opened();
  for (const char* name : {"relu", "add", "relu"}) REQUIRE(history.add(attempt_at(name, name)));
  CHECK(history.attempts()->size() == 3);
  const auto of_relu = history.attempts("relu");
  REQUIRE(of_relu->size() == 2);
  CHECK(of_relu->front().id < of_relu->back().id);
}

TEST_CASE("an interview can be found again until it is over") {
  const Person person;
  SessionRecord session{.operator_name = "relu", .kind = "interview", .data = R"({"minutes":20})"};
  REQUIRE_FALSE(opened().save(session));
  session.data = R"({"minutes":19})";
  REQUIRE_FALSE(opened().save(session));
  const auto open_sessions = opened().open_sessions();
  REQUIRE(open_sessions->size() == 1);
  CHECK(open_sessions->front().uid == session.uid);
  CHECK(open_sessions->front().data == R"({"minutes":19})");
  CHECK(open_sessions->front().started == session.started);
  session.open = false;
  REQUIRE_FALSE(opened().save(session));
  CHECK(opened().open_sessions()->empty());
}

TEST_CASE("what was acknowledged survives a hundred kills in the middle of writing") {
  const Person person;
  std::mt19937 random(1);
  int acknowledged = 0;
  for (int kill_number = 0; kill_number < 100; ++kill_number) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t writer = in_a_child([&] {
      Result<History> history = History::open();
      for (int i = acknowledged; history; ++i) {
        if (!history->add(attempt_at("relu", text_number(i)))) return 1;
        if (write(ends[1], "+", 1) != 1) return 2;
      }
      return 3;
    });
    close(ends[1]);
    char one = 0;
    const int wanted = static_cast<int>(random() % 4);
    for (int i = 0; i < wanted && read(ends[0], &one, 1) == 1; ++i) ++acknowledged;
    for (unsigned turns = random() % 200'000; turns > 0; --turns) __asm__ volatile("");
    kill(writer, SIGKILL);
    CHECK(status_of(writer) == -SIGKILL);
    while (read(ends[0], &one, 1) == 1) ++acknowledged;  // said before it died
    close(ends[0]);

    const auto attempts = opened().attempts();
    REQUIRE(attempts);
    const int there = static_cast<int>(attempts->size());
    REQUIRE(there >= acknowledged);
    REQUIRE(there <= acknowledged + 1);  // on disk, but not yet acknowledged
    for (int i = 0; i < there; ++i) {
      REQUIRE((*attempts)[static_cast<std::size_t>(i)].text == text_number(i));
    }
    acknowledged = there;
  }
  CHECK(acknowledged > 100);
}

TEST_CASE("two terminals at once lose nothing, not even on the first day") {
  const Person person;
  constexpr int each = 50;
  const auto terminal = [] {
    for (int i = 0; i < each; ++i) {
      Result<History> history = History::open();
      if (!history || !history->add(attempt_at("relu", "text"))) return 1;
    }
    return 0;
  };
  const pid_t first = in_a_child(terminal), second = in_a_child(terminal);
  CHECK(status_of(first) == 0);
  CHECK(status_of(second) == 0);
  CHECK(opened().attempts()->size() == 2 * each);
}

TEST_CASE(
    "a program that looks a second time keeps its history while others write, as kata watch") {
  const Person person;
  constexpr int rounds = 4;
  int to_other[2], from_other[2];
  REQUIRE(pipe(to_other) == 0);
  REQUIRE(pipe(from_other) == 0);
  char one = 0;
  const auto adds = [](int i) {
    Result<History> history = History::open();
    return history && history->add(attempt_at("relu", text_number(i)));
  };
  const pid_t other = in_a_child([&] {  // before this program opens anything: SQLite must not fork
    for (int i = 0; i < rounds; ++i) {
      if (read(to_other[0], &one, 1) != 1 || !adds(i)) return 1;
      if (write(from_other[1], "+", 1) != 1) return 2;
    }
    return 0;
  });
  {
    History mine = opened();
    for (int i = 0; i < rounds; ++i) {
      REQUIRE(mine.add(attempt_at("add", text_number(i))));
      CHECK(opened().attempts()->size() == 2 * i + 1u);
      REQUIRE(write(to_other[1], "+", 1) == 1);
      REQUIRE(read(from_other[0], &one, 1) == 1);
      CHECK(mine.attempts()->size() == 2 * i + 2u);
    }
  }
  CHECK(status_of(other) == 0);
  for (const int end : {to_other[0], to_other[1], from_other[0], from_other[1]}) close(end);
  CHECK(opened().attempts()->size() == 2 * rounds);
}

TEST_CASE("on a full disk an attempt is refused, and nothing that was there is lost") {
  const Person person;
  REQUIRE(opened().add(attempt_at("relu", "before")));
  const pid_t writer = in_a_child([] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Result<History> history = History::open();
    if (!history) return 1;
    for (int i = 0; i < 1000; ++i) {
      const auto id = history->add(attempt_at("relu", text_number(i)));
      if (id) continue;
      if (id.error().message.find("history.db") == std::string::npos) return 2;
      return i == 0 ? 3 : 0;
    }
    return 4;
  });
  CHECK(status_of(writer) == 0);
  const auto attempts = opened().attempts();
  REQUIRE(attempts->size() > 2);
  CHECK(attempts->front().text == "before");
  CHECK(attempts->back().text == text_number(static_cast<int>(attempts->size()) - 2));
  CHECK(opened().add(attempt_at("relu", "after")));
}

TEST_CASE("a home that can only be read shows the history and says why it keeps nothing") {
  const Person person;
  REQUIRE(opened().add(attempt_at("relu", "before")));
  const auto not_writable = static_cast<fs::perms>(0555);
  fs::permissions(person.home, not_writable);
  fs::permissions(person.scratch.path(), not_writable);
  const pid_t reader = in_a_child([] {
    if (geteuid() == 0 && setuid(65534) != 0) return 1;  // the permissions do not bind root
    Result<History> history = History::open();
    if (!history) return 2;
    if (!contains(history->notice(), "KATA_HOME")) return 3;
    if (history->attempts()->size() != 1) return 4;
    return history->add(attempt_at("relu", "after")) ? 5 : 0;
  });
  CHECK(status_of(reader) == 0);
  fs::permissions(person.home, fs::perms::owner_all);
  fs::permissions(person.scratch.path(), fs::perms::owner_all);
}

TEST_CASE("a damaged history is set aside, whole, and a new one begins") {
  const Person person;
  for (const char* where : {"header", "middle"}) {
    CAPTURE(where);
    fs::remove_all(person.home);
    for (int i = 0; i < 20; ++i) REQUIRE(opened().add(attempt_at("relu", text_number(i))));
    std::string bytes = content_of(person.database);
    REQUIRE(bytes.size() > 50'000);
    const std::size_t place = where == std::string("header") ? 0 : 20'480;
    for (std::size_t i = 0; i < 3000; ++i) bytes[place + i] = '?';
    person.scratch.write("home/history.db", bytes);
    fs::last_write_time(person.database, fs::file_time_type::clock::now() + 1min);

    History history = opened();
    CHECK(contains(history.notice(), "damaged"));
    CHECK(history.attempts()->empty());
    REQUIRE(history.add(attempt_at("relu", "new")));
    fs::path aside;
    for (const auto& entry : fs::directory_iterator(person.home)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("history.damaged-") && name.ends_with(".db")) aside = entry.path();
    }
    REQUIRE_FALSE(aside.empty());
    CHECK(contains(history.notice(), aside.filename().string()));
    CHECK(content_of(aside) == bytes);
    CHECK(opened().notice().empty());
  }
}

TEST_CASE("damage that only a read meets is reported at once, and set aside by the next command") {
  const Person person;
  for (int i = 0; i < 20; ++i) REQUIRE(opened().add(attempt_at("relu", text_number(i))));
  const auto left_at = fs::last_write_time(person.database);
  std::string bytes = content_of(person.database);
  std::fill(bytes.begin() + 8192, bytes.end(), '?');
  person.scratch.write("home/history.db", bytes);
  fs::last_write_time(person.database, left_at);  // as if the disk had done it
  {
    const History history = opened();  // not all of it is read
    CHECK(history.notice().empty());
    const auto attempts = history.attempts();
    REQUIRE_FALSE(attempts);
    CHECK(contains(attempts.error().message, "next command sets it aside"));
  }
  CHECK(content_of(person.database) == bytes);
  CHECK(contains(opened().notice(), "damaged"));
  CHECK(opened().notice().empty());
}

TEST_CASE("a history of every earlier version is brought up to date with what is in it") {
  const auto steps = schema_steps();
  for (std::size_t version = 1; version < steps.size(); ++version) {
    CAPTURE(version);
    const Person person;
    fs::create_directories(person.home);
    {
      SQLite::Database database(person.database.string(),
                                SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      for (std::size_t i = 0; i < version; ++i) database.exec(steps[i]);
      database.exec("PRAGMA user_version = " + std::to_string(version));
      database.exec(
          "INSERT INTO attempts (uid, at, operator, kind, text, text_hash) "
          "VALUES ('u', 5, 'relu', 'check', 'old text', 'h')");
    }
    History history = opened();
    REQUIRE(history.attempts()->size() == 1);
    CHECK(history.attempts()->front().text == "old text");
    CHECK(history.add(attempt_at("relu", "new text")));
  }
}

TEST_CASE("a history of a newer kata is left as it is") {
  const Person person;
  REQUIRE(opened().add(attempt_at("relu", "text")));
  SQLite::Database(person.database.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = 1000");
  const std::string before = content_of(person.database);
  const Result<History> history = History::open();
  REQUIRE_FALSE(history);
  CHECK(contains(history.error().message, "newer kata"));
  CHECK(content_of(person.database) == before);
}
