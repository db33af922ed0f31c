// kata grade: a class of good, wrong, broken and hostile submissions.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "classroom/process_use.h"
#include "classroom/sandbox.h"
#include "desk.h"
#include "practice_sessions/terminal.h"
#include "remote/servers.h"
#include "skip.h"

namespace fs = std::filesystem;
using kata::Finished;
using kata::test::contains;
using kata::test::content_of;
using kata::test::count_lines;
using kata::test::Desk;
using Json = nlohmann::json;

namespace {

/// A right kernel that is this person's alone.
std::string right(const std::string& person) {
  return std::string("// ") + person + "\n" + kata::test::right_relu;
}

std::string with_host_code(const std::string& code) {
  return "#include <kata/kata.h>\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"
         "extern \"C\" void relu(const float* x, float* y, int n) {\n  (void)x; (void)y; "
         "(void)n;\n" +
         code + "\n}\n";
}

Finished grade(const Desk& desk, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"grade", "class", "--backend", "emulator"});
  return desk.start(options);
}

std::string results(const Desk& desk) {
  return content_of(desk.scratch / "tree/grades/results.csv");
}

/// The line of the table that begins with this person.
std::string line_of(const Desk& desk, const std::string& person) {
  const std::string all = results(desk);
  const std::size_t at = all.find("\"" + person + "\",");
  return at == std::string::npos ? "" : all.substr(at, all.find('\n', at) - at);
}

bool has_no_sandbox() {
  const std::string why = kata::why_no_sandbox();
  if (!why.empty()) kata::test::skip(why.c_str());
  return !why.empty();
}

}  // namespace

TEST_CASE(
    "each person gets a line in every table, and a file for Gradescope and GitHub Classroom") {
  const Desk desk;
  desk.scratch.write("tree/class/student_a.cu", right("student_a"));
  desk.scratch.write("tree/class/student_b/answer.cu", "#include \"body.h\"\n");
  desk.scratch.write("tree/class/student_b/body.h", kata::test::wrong_relu);
  desk.scratch.write("tree/class/=student_c/relu.cu", "no code & <tags>\n");
  desk.scratch.write("tree/class/student_d/notes.txt", "sorry\n");
  const Finished finished = grade(desk);
  INFO(finished.errors);
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.output, "4 submissions: 1 pass, 1 fail, 2 error"));
  CHECK(contains(finished.output, "Next: open grades/index.html"));
  CHECK(count_lines(finished.output) <= 24);
  CHECK(kata::test::widest_line(finished.output) <= 80);
  CHECK(contains(
      finished.output,
      "\n  student_b/answer: fail, 0 of 10 cases right\n      body.h:4: out_of_bounds: thread"));
  CHECK(contains(line_of(desk, "student_a"), ",,,"));  // no rung without a GPU, not rung 0 of 0
  CHECK(contains(line_of(desk, "student_a"), "\"relu\",pass,100,10,10,"));
  CHECK(contains(line_of(desk, "student_b"), "\"relu\",fail,0,0,10,"));
  CHECK(contains(line_of(desk, "'=student_c"), "does not compile"));
  CHECK(contains(line_of(desk, "student_d"), "no .cu file"));
  const std::string page = content_of(desk.scratch / "tree/grades/index.html");
  CHECK(contains(page, "student_a"));
  CHECK(contains(page, "&lt;tags&gt;"));
  CHECK_FALSE(contains(page, "<tags>"));
  CHECK(contains(page, "<td>pass</td><td>100 of 100</td><td>10 of 10</td>"));
  CHECK(contains(page, "<td>error</td><td>0 of 100</td><td>none ran</td>"));
  const std::string junit = content_of(desk.scratch / "tree/grades/junit.xml");
  CHECK(contains(junit, "tests=\"4\""));
  CHECK(contains(junit, "<failure message="));
  CHECK(contains(junit, "<error message="));
  const auto own = [&](const char* file) {
    return Json::parse(content_of(desk.scratch / "tree/grades/people" / file));
  };
  CHECK(own("student_a/results.json")["score"] == 100);
  CHECK(own("student_b/results.json")["tests"][0]["status"] == "failed");
  CHECK(
      contains(own("student_b/results.json")["tests"][0]["output"].get<std::string>(), "body.h:4"));
  CHECK(own("student_a/github-classroom.json")["status"] == "pass");
  CHECK(own("student_b/github-classroom.json")["max_score"] == 100);

  SUBCASE("a second start judges only what has changed") {
    desk.scratch.write("tree/class/student_b/body.h", right("student_b"));
    const fs::path kept = desk.scratch / "tree/grades/.kept";
    const auto files = std::distance(fs::directory_iterator(kept), {});
    CHECK(contains(grade(desk).output, "4 submissions: 2 pass, 0 fail"));
    CHECK(std::distance(fs::directory_iterator(kept), {}) == files + 1);
  }
}

TEST_CASE("of many that do not pass the rest is named, and a mistyped name is corrected") {
  const Desk desk;
  for (const char* person : {"a", "b", "c", "d", "e"})
    desk.scratch.write(std::string("tree/class/") + person + "/relu.cu", "no code\n");
  desk.scratch.write("tree/class/f.cu", "extern \"C\" void rleu() {}\n");
  desk.scratch.write("tree/class/g.cu", "");
  const Finished finished = grade(desk, {"--operator", "relu"});
  INFO(finished.output);
  CHECK(contains(finished.output, "\n  and 3 more that do not pass: e/relu, f, g\n"));
  CHECK(contains(line_of(desk, "f"), "f.cu defines rleu. Did you mean relu?"));
  CHECK(contains(line_of(desk, "g"), "\"g.cu\",\"relu\",error"));
}

TEST_CASE("a submission that does nothing comes to its end, as one that computes") {
  const auto started = [](const char* script) {
    const pid_t process = fork();
    if (process == 0) execlp("sh", "sh", "-c", script, nullptr);
    return process;
  };
  const pid_t computes = started("while :; do :; done"), sleeps = started("exec sleep 100");
  CHECK(kata::test::comes_true([&] { return kata::use_of(computes).processor_s > 0.05; }));
  CHECK(kata::test::comes_true([&] { return kata::use_of(sleeps).sleeps; }));
  CHECK_FALSE(kata::use_of(computes).sleeps);
  CHECK(kata::use_of(sleeps).processor_s < 0.05);
  for (const pid_t one : {computes, sleeps}) {
    kill(one, SIGKILL);
    waitpid(one, nullptr, 0);
  }
}

TEST_CASE("wrong usage of grade is one line") {
  const Desk desk;
  const auto check_one_line = [](const Finished& finished, const std::string& part) {
    INFO(finished.errors);
    CHECK(finished.exit_status == 2);
    CHECK(contains(finished.errors, part));
    CHECK(count_lines(finished.errors) == 1);
  };
  check_one_line(grade(desk, {"--no-sandbox"}), "there is no folder class");
  fs::create_directory(desk.scratch / "tree/class");
  check_one_line(grade(desk), "holds no submissions");
  check_one_line(grade(desk, {"--out", "class"}), "give another folder with --out");
  check_one_line(grade(desk, {"--out", "class/grades"}), "give another folder with --out");
  check_one_line(grade(desk, {"--jobs", "0"}), "--jobs takes 1 or more");
  check_one_line(grade(desk, {"--similar", "101"}), "--similar takes 1 to 100");
  check_one_line(grade(desk, {"--operator", "rel"}), "Did you mean relu?");
}

TEST_SUITE("slow") {
  TEST_CASE("a hostile or broken submission does no harm to the others") {
    if (has_no_sandbox()) return;
    const Desk desk;
    const std::string secret = "the idea of student_a";
    desk.scratch.write("tree/class/student_a/relu.cu", right(secret));
    const std::string student_a = (desk.scratch / "tree/class/student_a/relu.cu").string();
    desk.scratch.write("tree/class/reads.cu", "#include \"" + student_a + "\"\n");
    desk.scratch.write("tree/class/prints.cu",
                       with_host_code("if (FILE* f = fopen(\"" + student_a +
                                      "\", \"r\")) { char t[99]; fgets(t, 99, f); puts(t); }"));
    desk.scratch.write(
        "tree/class/deletes.cu",
        with_host_code("unlink(\"" + student_a + "\"); (void)!system(\"rm -rf /tmp/* '" +
                       (desk.scratch / "tree").string() + "'\");"));
    desk.scratch.write("tree/class/forks.cu", with_host_code("for (;;) fork();"));
    desk.scratch.write("tree/class/hangs.cu", kata::test::endless_relu);
    desk.scratch.write("tree/class/kills.cu",
                       "#include <signal.h>\n" + with_host_code("kill(-1, SIGKILL);"));
    desk.scratch.write(
        "tree/class/eats.cu",
        with_host_code("for (;;) { volatile char* p = (volatile char*)malloc(1 << 24);\n"
                       "for (int i = 0; i < 1 << 24; i += 4096) p[i] = 1; }"));
    desk.scratch.write("tree/class/student_z.cu", right("student_z"));
    desk.scratch.write("tree/class/sleeps.cu", with_host_code("sleep(10000);"));
    const Finished finished = grade(desk, {"--seconds", "40", "--memory", "1500"});
    INFO(finished.errors);
    INFO(results(desk));
    CHECK(finished.exit_status == 0);
    CHECK(count_lines(results(desk)) == 11);
    for (const char* person : {"student_a", "student_z"})
      CHECK(contains(line_of(desk, person), ",pass,"));
    for (const char* person :
         {"reads", "prints", "deletes", "forks", "hangs", "kills", "eats", "sleeps"}) {
      INFO(person);
      CHECK_FALSE(line_of(desk, person).empty());
      CHECK_FALSE(contains(line_of(desk, person), ",pass,"));
    }
    CHECK(contains(line_of(desk, "eats"), "more than 1500 MB"));
    for (const char* person : {"reads", "prints"}) {
      CHECK_FALSE(contains(content_of(desk.scratch / "tree/grades/people" / person / "report.txt"),
                           secret));
    }
    CHECK(fs::exists(student_a));
  }

  TEST_CASE("killed in the middle, the next start goes on with the rest") {
    const Desk desk;
    constexpr int people = 24;
    for (int i = 0; i < people; ++i) {
      const std::string name = "p" + std::to_string(i);
      desk.scratch.write("tree/class/" + name + ".cu", right(name));
    }
    const fs::path kept = desk.scratch / "tree/grades/.kept";
    const auto done = [&] {
      std::error_code failed;
      std::ptrdiff_t count = 0;
      for (const auto& one : fs::directory_iterator(kept, failed))
        count += one.path().extension() == ".json";
      return count;
    };
    kata::test::Terminal first(desk, {"grade", "class", "--backend", "emulator"});
    CHECK(kata::test::comes_true([&] { return done() >= 3; }));
    first.kill(SIGKILL);
    first.status();
    const auto before = done();
    CHECK(before < people);
    CHECK_FALSE(fs::exists(desk.scratch / "tree/grades/results.csv"));
    std::vector<fs::file_time_type> times;
    std::vector<fs::path> files;
    for (const auto& one : fs::directory_iterator(kept)) {
      files.push_back(one.path());
      times.push_back(one.last_write_time());
    }
    CHECK(contains(grade(desk).output, "24 submissions: 24 pass"));
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].extension() == ".json") CHECK(fs::last_write_time(files[i]) == times[i]);
    }
    CHECK(done() == people);
  }

  TEST_CASE("two people with the same code under other names are pointed out") {
    if (kata::find_program("sim_c++").empty())
      return kata::test::skip("similarity-tester is not installed");
    const Desk desk;
    std::string copy = desk.rung("layernorm/2_warp_per_row.cu");
    REQUIRE(contains(copy, "lane"));
    for (std::size_t at; (at = copy.find("lane")) != std::string::npos;) copy.replace(at, 4, "me");
    desk.scratch.write("tree/class/student_a.cu", "// my own work\n" + copy);
    desk.scratch.write("tree/class/student_z.cu", right("student_z"));
    const Finished finished = grade(desk, {"--seconds", "60"});
    CHECK(contains(finished.output, "similar: student_a and rung 2_warp_per_row, 100 %"));
    CHECK_FALSE(contains(finished.output, "similar: student_z"));
  }

  TEST_CASE("a class as an array of a real Slurm") {
    if (!kata::test::are_installed({"slurmctld", "slurmd", "srun", "munged"}))
      return kata::test::skip("Slurm or munge is not installed");
    const Desk desk;
    const kata::test::SlurmCluster cluster(desk.scratch);
    REQUIRE(cluster.answers());
    REQUIRE(desk.start({"remote", "add", "cluster", "--srun", "--cpus-per-task=1"}).exit_status ==
            0);
    for (const char* person : {"student_a", "student_b", "student_c"})
      desk.scratch.write(std::string("tree/class/") + person + ".cu", right(person));
    const Finished finished = grade(desk, {"--on", "cluster"});
    INFO(finished.errors);
    INFO(finished.output);
    CHECK(finished.exit_status == 0);
    CHECK(contains(finished.output, "3 submissions: 3 pass"));
  }
}

TEST_CASE("who passes gets questions about the own code, and the teacher alone the answers" *
          doctest::test_suite("slow")) {
  const Desk desk;
  desk.scratch.write("tree/class/student_a.cu", right("student_a"));
  desk.scratch.write("tree/class/student_b.cu", kata::test::wrong_relu);
  CHECK(grade(desk, {"--viva", "3", "--seed", "7"}).exit_status == 0);
  const fs::path grades = desk.scratch / "tree/grades";
  const std::string sheet = content_of(grades / "people/student_a/viva.txt");
  for (const char* part : {"1. At ", "\n2. Line ", "\n3. Line ", "\n  - ", "\n  + "})
    CHECK(contains(sheet, part));
  CHECK_FALSE(contains(sheet, "4. "));
  CHECK_FALSE(contains(sheet, "Answer"));
  CHECK_FALSE(fs::exists(grades / "people/student_b/viva.txt"));
  const std::string answers = content_of(grades / "viva_answers.txt");
  CHECK(contains(answers, "Answer: "));
  CHECK(contains(content_of(grades / "people/student_a/viva.html"), "<pre"));
  fs::remove_all(grades);
  grade(desk, {"--viva", "3", "--seed", "7"});
  CHECK(content_of(grades / "viva_answers.txt") == answers);
}
