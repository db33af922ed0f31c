// kata drill at a terminal: nothing that was answered is lost, however it ends.
#include "skip.h"
#include "support/process.h"
#include "terminal.h"

using namespace kata::test;

TEST_CASE("a drill goes on after Ctrl-C, a closed terminal and kill -9, one terminal at a time") {
  const Desk desk;
  {
    Terminal terminal(desk, {"drill", "maths", "--seed", "2"});
    CHECK(terminal.shows("number > "));
    terminal.type("pass\n");
    CHECK(terminal.shows(": skipped"));
    CHECK(terminal.shows("number > "));
    const auto other = desk.start({"drill"}, "pass\n");
    CHECK(contains(other.errors, "another terminal holds a drill"));
    CHECK(other.exit_status == 2);
    terminal.type("\003");
    CHECK(terminal.shows("nothing is lost."));
    CHECK_FALSE(contains(terminal.rest(), "interrupted"));  // it was said
    CHECK(terminal.status() == 130);
    CHECK(terminal.is_as_it_was());
  }
  for (const bool closed : {true, false}) {
    Terminal terminal(desk, {"drill"});
    CHECK(terminal.shows("Continuing: "));
    CHECK(terminal.shows(": skipped"));
    CHECK(terminal.shows("number > "));
    if (closed) {
      terminal.hang_up();
      CHECK(terminal.status() > 0);
    } else {
      terminal.kill(SIGKILL);
      CHECK(terminal.status() == -SIGKILL);
    }
  }
  CHECK(contains(desk.start({"drill"}, "").output, ": skipped"));
}

TEST_CASE("what is typed before a drill's question is no answer to it, but for a script's") {
  const Desk desk;
  Terminal terminal(desk, {"drill", "maths", "--seed", "2"});
  terminal.type("pass\n");
  CHECK(terminal.shows("number > "));
  terminal.type("q\n");
  CHECK(terminal.shows("nothing is lost."));
  CHECK_FALSE(contains(terminal.all(), ": skipped"));
  CHECK(contains(desk.start({"drill"}, "pass\n").output, ": skipped"));
}

TEST_CASE("Ctrl-C in the pager of a drill leaves it as at the prompt") {
  const Desk desk;
  setenv("PAGER", "trap 'exit 2' INT; cat > /dev/null; echo reading; sleep 20", 1);
  Terminal terminal(desk, {"drill", "which", "softmax_rows", "--seed", "3"});
  unsetenv("PAGER");
  CHECK(terminal.shows("faster > "));
  terminal.type("show\n");
  CHECK(terminal.shows("reading"));
  terminal.type("\003");
  CHECK(terminal.shows("nothing is lost."));
  CHECK(terminal.status() == 77);
  CHECK(terminal.is_as_it_was());
}

TEST_CASE("code that is wider than the screen is cut, and the pager names the keys that scroll") {
  if (kata::find_program("less").empty()) return kata::test::skip("less is not installed");
  const Desk desk;
  Terminal terminal(desk, {"drill", "which", "softmax_rows", "--seed", "3"});
  CHECK(terminal.shows("faster > "));
  terminal.type("show\n");
  CHECK(terminal.shows("right and left scroll"));
  terminal.type("q");
  CHECK(terminal.shows("faster > "));
}
