// kata interview --rounds: the writing, then drills about it on the same clock.
#include "terminal.h"

using namespace kata::test;

namespace {

const std::vector<std::string> go_on{"interview", "--resume", "--backend", "emulator"};

}  // namespace

TEST_CASE("rounds after the writing go on after Ctrl-C and the end of the input, to one report") {
  const Desk desk;
  CHECK(desk.start({"interview", "relu", "--backend", "emulator", "--rounds", "write,viva,maths"},
                   "quit\n")
            .exit_status == 77);
  CHECK(contains(desk.start({"drill", "maths"}, "").errors, "an interview with drills is open"));
  desk.write("relu", right_relu);
  const auto submitted = desk.start(go_on, "submit\nnone\n");
  CHECK(submitted.exit_status == 0);
  CHECK(contains(submitted.output, "Drill 1 of 4: viva, relu"));
  CHECK(contains(submitted.output, "interview --resume"));
  {
    Terminal terminal(desk, go_on);
    CHECK(terminal.shows("Continuing: Drill 1 of 4"));
    CHECK(terminal.shows("left] "));
    terminal.type("\003");
    CHECK(terminal.status() != 77);
  }
  const auto ended =
      desk.start(go_on, "pass\npass\npass\npass\npass\npass\npass\npass\npass\nq\nquit\nquit\n");
  CHECK(contains(ended.output, "Drill 4 of 4: maths"));
  CHECK(contains(ended.output, "Report on relu"));
  CHECK(contains(ended.output, "right on the main case   15 of 15"));
  CHECK(contains(ended.output, "all rounds"));
  CHECK(widest_line(ended.output) <= 80);
  CHECK(ended.exit_status == 0);
}

TEST_CASE("a drill that is open is named by the interview that it holds up") {
  const Desk desk;
  desk.start({"drill", "which", "relu"}, "");
  const auto refused =
      desk.start({"interview", "relu", "--backend", "emulator", "--rounds", "write,why"}, "");
  CHECK(contains(refused.errors, "a drill is open: which relu"));
  CHECK(contains(refused.errors, "kata drill --discard"));
  const auto misnamed = desk.start({"interview", "relu", "--rounds", "write,foo"}, "");
  CHECK(contains(misnamed.errors, "there is no round \"foo\""));
}

TEST_CASE("rounds about a file that did not pass are left out, without points") {
  const Desk desk;
  desk.write("relu", wrong_relu);
  desk.start({"interview", "relu", "--backend", "emulator", "--rounds", "write,viva"},
             "yes\nquit\n");
  desk.write("relu", wrong_relu);
  const auto ended = desk.start(go_on, "submit\nquit\n");
  CHECK(contains(ended.output, "The round viva is left out"));
  CHECK(contains(ended.output, "0 of 100   viva asks about a file of yours"));
}

TEST_CASE("rounds that do not exist are refused in one line, and no interview begins") {
  const Desk desk;
  for (const auto& [list, why] : {std::pair<std::string, std::string>{"vivo", "there is no round"},
                                  {"write,vivo", "there is no round \"vivo\""},
                                  {"write,why,why", "why twice"}}) {
    const auto refused = desk.start({"interview", "relu", "--rounds", list}, "");
    CHECK(contains(refused.errors, why));
    CHECK(count_lines(refused.errors) == 1);
    CHECK(refused.exit_status == 2);
  }
  CHECK(desk.start({"interview", "--resume"}, "").exit_status == 2);
}
