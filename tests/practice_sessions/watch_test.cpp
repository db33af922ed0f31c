// kata watch, as a person and their editor use it.
#include "terminal.h"

namespace fs = std::filesystem;
using namespace kata::test;

namespace {

const std::vector<std::string> watch_relu{"watch", "relu", "--backend", "emulator"};

}  // namespace

TEST_CASE("a save in place, by rename, and by deleting first are all judged") {
  const Desk desk;
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("NOT ATTEMPTED"));
  CHECK(terminal.shows("q quit"));

  desk.write("relu", wrong_relu);
  CHECK(terminal.shows("relu.cu:4:16: error: out_of_bounds: "));
  CHECK(terminal.shows("FAIL  relu"));
  CHECK(terminal.shows("Next: fix "));

  desk.write_by_rename("relu", right_relu);
  CHECK(terminal.shows("PASS  relu"));
  CHECK(terminal.shows("q quit"));

  fs::remove(desk.exercise("relu"));
  CHECK(terminal.shows("is not there"));
  terminal.type("r");  // nothing can be lost: nothing is asked
  CHECK(terminal.shows("NOT ATTEMPTED"));
  CHECK_FALSE(contains(terminal.all(), "[y/N]"));
  desk.write("relu", wrong_relu);
  CHECK(terminal.shows("FAIL  relu"));

  terminal.type("q");
  CHECK(terminal.status() == 1);
  CHECK(terminal.is_as_it_was());
}

TEST_CASE("what does not compile is shown at its line, and passes when it is fixed") {
  const Desk desk;
  desk.write("relu", "#include <kata/kata.h>\nextern \"C\" void relu(const float* x, float* y, i");
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("relu.cu:2:"));
  CHECK(terminal.shows("ERROR"));
  CHECK(terminal.shows("Next: fix "));
  desk.write("relu", right_relu);
  CHECK(terminal.shows("PASS  relu"));
  terminal.type("q");
  CHECK(terminal.status() == 0);
}

TEST_CASE("a file that is still being written is not judged before it is closed") {
  const Desk desk;
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("q quit"));
  const std::string text = right_relu;
  {
    std::ofstream file(desk.exercise("relu"), std::ios::binary);
    file << text.substr(0, text.size() / 2) << std::flush;
    terminal.type("l");  // an answer proves that what was written by then has been looked at
    CHECK(terminal.shows("operator"));
    file << text.substr(text.size() / 2);
  }
  CHECK(terminal.shows("PASS  relu"));
  CHECK_FALSE(contains(terminal.all(), "ERROR"));
}

TEST_CASE("a newer save ends the check under way") {
  const Desk desk;
  desk.write("relu", endless_relu);
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("checking "));
  desk.write("relu", right_relu);
  CHECK(terminal.shows("PASS  relu"));
  CHECK_FALSE(contains(terminal.all(), "timeout"));
  CHECK_FALSE(contains(terminal.all(), "FAIL"));
}

TEST_CASE("a key during a check is said to wait, and q drops what waits: no hint is taken") {
  const Desk desk;
  desk.write("relu", endless_relu);
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("checking "));
  terminal.type("h");
  CHECK(terminal.shows("h: after this check"));
  terminal.type("tq");
  CHECK(terminal.status() != -1);
  CHECK_FALSE(contains(terminal.all(), "Hint 1"));
  CHECK_FALSE(contains(terminal.all(), "Only what passes"));
  CHECK(contains(desk.start({"hint", "relu"}).output, "Hint 1 of 3"));
}

TEST_CASE("an exercise's folder that goes and comes back is found again") {
  const Desk desk;
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("q quit"));
  fs::rename(desk.scratch / "tree/exercises/relu", desk.scratch / "away");
  CHECK(terminal.shows("is not there"));
  fs::rename(desk.scratch / "away", desk.scratch / "tree/exercises/relu");
  CHECK(terminal.shows("NOT ATTEMPTED"));
  desk.write("relu", right_relu);
  CHECK(terminal.shows("PASS  relu"));
}

TEST_CASE("every key answers, and the terminal is as it was afterwards") {
  const Desk desk;
  desk.write("relu", wrong_relu);
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("q quit"));
  CHECK_FALSE(terminal.is_as_it_was());
  terminal.type("h");
  CHECK(terminal.shows("Hint 1 of 3"));
  CHECK(terminal.shows("Next: h gives another"));
  CHECK(terminal.shows("q quit"));
  terminal.type("h");
  CHECK(terminal.shows("Hint 2 of 3"));
  CHECK(terminal.shows("q quit"));
  terminal.type("l");
  CHECK(terminal.shows("softmax_rows"));
  CHECK(terminal.shows("q quit"));
  terminal.type("t");
  CHECK(terminal.shows("Only what passes is timed"));
  CHECK(terminal.shows("Next: fix"));
  CHECK(terminal.shows("q quit"));
  terminal.type("s");
  CHECK(terminal.shows("[y/N]"));
  terminal.type("n");
  CHECK(terminal.shows("no\r\n"));
  CHECK(terminal.shows("q quit"));
  terminal.type("?");
  CHECK(terminal.shows("r reset"));
  terminal.type("r");
  CHECK(terminal.shows("[y/N]"));
  terminal.type("y");
  CHECK(terminal.shows("NOT ATTEMPTED"));
  CHECK(terminal.shows("--text > exercises/relu/relu.cu"));
  CHECK(content_of(desk.exercise("relu")) ==
        content_of(desk.scratch / "tree/exercises/relu/.stub.cu"));
  terminal.type("n");
  CHECK(terminal.shows("checking "));
  CHECK(terminal.shows("NOT ATTEMPTED  "));
  terminal.type("q");
  CHECK(terminal.shows("kata watch add"));  // as `kata` alone says
  CHECK(terminal.status() == 77);
  CHECK(terminal.is_as_it_was());
}

TEST_CASE("h shows the next hint; after a pass, once t has found the level, a faster idea") {
  const Desk desk;
  desk.write("relu", wrong_relu);
  const auto hints = [&](const std::string& keys) {
    return desk.start({"watch", "relu", "--backend", "emulator", "--plain"}, keys).output;
  };
  CHECK(contains(hints("h\nq\n"), "Hint 1 of 3"));
  desk.write("relu", right_relu);
  CHECK(contains(hints("h\nq\n"), "Next: t compares"));
  CHECK(contains(hints("t\nh\nq\n"), "A faster idea"));
  desk.write("relu", wrong_relu);
  CHECK(contains(hints("h\nq\n"), "Hint 2 of 3"));
  desk.start({"reset", "relu", "--yes"});
  CHECK(contains(hints("h\nq\n"), "Hint 1 of 3"));
}

TEST_CASE("t compares what passes with the ladder") {
  const Desk desk;
  desk.write("relu", right_relu);
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("t compares it with the ladder"));
  terminal.type("t");
  CHECK(terminal.shows("not measured"));  // the estimates, as `kata check` has them
  CHECK(terminal.shows("= 1_thread_per_element"));
  CHECK(terminal.shows("PASS  relu"));
  CHECK(terminal.shows("q quit"));
}

TEST_CASE("the solution is shown after asking") {
  const Desk desk;
  Terminal terminal(desk, watch_relu, "dumb");
  CHECK(terminal.shows("q quit"));
  terminal.type("s");
  CHECK(terminal.shows("[y/N]"));
  terminal.type("y");
  CHECK(terminal.shows("Measured: "));
}

TEST_CASE("signals end a watch, and the terminal is as it was") {
  const Desk desk;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Terminal terminal(desk, watch_relu);
    CHECK(terminal.shows("q quit"));
    terminal.kill(signal);
    CHECK(terminal.status() == 128 + signal);
    CHECK(terminal.is_as_it_was());
  }
}

TEST_CASE("a terminal that is closed ends a watch in the middle of a check") {
  const Desk desk;
  desk.write("relu", endless_relu);
  Terminal terminal(desk, watch_relu);
  CHECK(terminal.shows("checking "));
  terminal.hang_up();
  CHECK(terminal.status() != 0);
}

TEST_CASE("through a pipe a watch is plain text, and keys are a script") {
  const Desk desk;
  desk.write("relu", wrong_relu);
  const kata::Finished finished =
      desk.start({"watch", "relu", "--backend", "emulator", "--plain"}, "h\nq\n");
  CHECK(finished.exit_status == 1);
  CHECK(contains(finished.output, "FAIL  relu"));
  CHECK(contains(finished.output, "Hint 1 of 3"));
  CHECK_FALSE(contains(finished.output, "\033"));
  CHECK(finished.errors == "");
}

TEST_CASE("on a dumb terminal nothing moves the cursor") {
  const Desk desk;
  desk.write("relu", right_relu);
  Terminal terminal(desk, watch_relu, "dumb");
  CHECK(terminal.shows("PASS  relu"));
  terminal.type("q");
  CHECK(terminal.status() == 0);
  CHECK_FALSE(contains(terminal.all(), "\033"));
}

TEST_CASE("a watch whose verdicts are not kept says so below each, once, in 80 columns") {
  const Desk desk;
  desk.scratch.write("home", "a file where the folder would be");
  desk.write("relu", right_relu);
  const kata::Finished finished =
      desk.start({"watch", "relu", "--backend", "emulator", "--plain"}, "q\n");
  const std::size_t said = finished.output.find("KATA_HOME");
  CHECK(said != std::string::npos);
  CHECK_FALSE(contains(finished.output.substr(said + 1), "KATA_HOME"));
  // A path too long for the line has one of its own, as wide as the path.
  std::string output = finished.output;
  const std::string path = "\n" + (desk.scratch / "home/history.db").string() + "\n";
  if (const std::size_t at = output.find(path); at != std::string::npos)
    output.erase(at, path.size() - 1);
  CHECK(widest_line(output) <= 80);
}

TEST_CASE("two terminals watch the same exercise") {
  const Desk desk;
  Terminal one(desk, watch_relu), other(desk, watch_relu);
  CHECK(one.shows("q quit"));
  CHECK(other.shows("q quit"));
  desk.write("relu", right_relu);
  CHECK(one.shows("PASS  relu"));
  CHECK(other.shows("PASS  relu"));
}

TEST_CASE("without a name the next exercise that does not pass is watched") {
  const Desk desk;
  Terminal terminal(desk, {"watch", "--backend", "emulator"});
  CHECK(terminal.shows("NOT ATTEMPTED"));
  CHECK(terminal.shows("Next: write the kernel in "));
}

TEST_CASE("Ctrl-C while the ladder is compiled leaves the attempt in the history") {
  const Desk desk;
  desk.write("relu", right_relu);
  setenv("KATA_CACHE", (desk.scratch / "cache").c_str(), 1);  // nothing is compiled yet
  Terminal terminal(desk, {"check", "relu", "--backend", "emulator"});
  unsetenv("KATA_CACHE");
  CHECK(terminal.shows("large sizes were left out: KATA_LARGE_CASES"));
  terminal.type("\x03");
  CHECK(terminal.status() == 130);
  CHECK_FALSE(contains(terminal.all(), "Next: "));
  const std::string history = desk.start({"history"}).output;
  CHECK(contains(history, "relu"));
  CHECK(contains(history, "pass"));
}

TEST_CASE("review starts the exercise that it names, judged at every save") {
  const Desk desk;
  Terminal terminal(desk, {"review"});
  CHECK(terminal.shows("add: "));
  CHECK(terminal.shows("Start now, judged at every save of exercises/add/add.cu?"));
  terminal.type("y\n");
  CHECK(terminal.shows("NOT ATTEMPTED"));
  terminal.type("q");
  CHECK(terminal.status() == 77);
}
