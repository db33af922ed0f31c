// Whole interviews, from the task to the last question.
#include <nlohmann/json.hpp>

#include "practice/history.h"
#include "terminal.h"

namespace fs = std::filesystem;
using namespace kata::test;

namespace {

const std::vector<std::string> interview_relu{"interview", "relu", "--backend", "emulator"};
const std::vector<std::string> resume{"interview", "--resume", "--backend", "emulator"};

std::vector<kata::Attempt> attempts_of(const Desk& desk) {
  setenv("KATA_HOME", (desk.scratch / "home").c_str(), 1);
  const auto history = kata::History::open();
  unsetenv("KATA_HOME");
  REQUIRE(history);
  const auto attempts = history->attempts("relu");
  REQUIRE(attempts);
  return *attempts;
}

/// The result stays on the screen until then. Nothing else waits for an Enter.
void see_points(Terminal& terminal) {
  CHECK(terminal.shows("Enter for your points > "));
  terminal.type("\n");
}

/// Answers relu's six follow-up questions, each with a 1.
void answer_questions(Terminal& terminal) {
  for (int i = 1; i <= 6; ++i) {
    CHECK(terminal.shows("Question " + std::to_string(i) + " of 6"));
    terminal.type("because of warps\n");
    CHECK(terminal.shows("2 right > "));
    terminal.type("1\n");
  }
}

/// The points of the rubric's lines, without the total.
int sum_of_points(const std::string& text) {
  int sum = 0;
  for (std::size_t at = text.find("right on the main case"); at != std::string::npos;) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const std::size_t of = line.find(" of ");
    if (contains(line, "total")) return sum;
    const std::size_t digits = line.find_last_of(' ', of - 1);
    if (of != std::string::npos && of < 40) sum += std::stoi(line.substr(digits));
    if (contains(line, "hints ")) sum += std::stoi(line.substr(line.find('-')));
    at = end == std::string::npos ? end : end + 1;
  }
  return -1;
}

}  // namespace

TEST_CASE("an interview with a right answer, from the task to the last question") {
  const Desk desk;
  Terminal terminal(desk, interview_relu);
  CHECK(terminal.shows("relu, 15 minutes"));
  CHECK(terminal.shows("relu: y = max(x, 0), element by element"));
  CHECK(terminal.shows("[15:00 left] > "));
  CHECK_FALSE(contains(terminal.all(), "arrives"));  // said only when asked
  terminal.type("how large can n get?\n");
  CHECK(terminal.shows("sizes: How large is `n`"));
  CHECK(terminal.shows("need not be a multiple of anything"));
  terminal.type("I would like to load float4\n");
  CHECK(terminal.shows("alignment: "));
  terminal.type("ask\n");
  CHECK(terminal.shows("You can ask about: sizes"));
  terminal.type("ask values\n");
  CHECK(terminal.shows("values: "));
  terminal.type("submit\n");
  CHECK(terminal.shows("nothing to submit yet"));
  desk.write("relu", right_relu);
  terminal.type("check\n");
  CHECK(terminal.shows("PASS  relu"));
  terminal.type("submit\n");
  see_points(terminal);
  CHECK(terminal.shows("questions asked           5 of 10   about sizes, alignment"));
  CHECK(terminal.shows("right on the main case   15 of 15"));
  CHECK(terminal.shows("right on the edges       15 of 15"));
  CHECK(terminal.shows("10 of 10"));
  CHECK(terminal.shows("of 100"));
  CHECK(terminal.shows("Grade: "));
  answer_questions(terminal);
  CHECK(terminal.shows("Questions: 6 of 12"));
  CHECK(terminal.status() == 0);
  CHECK(terminal.is_as_it_was());
  const auto attempts = attempts_of(desk);
  REQUIRE(attempts.size() == 2);  // the check, and what was submitted
  CHECK(attempts[0].kind == kata::AttemptKind::interview);
  CHECK_FALSE(attempts[0].grade);
  CHECK(attempts[1].grade);
  CHECK(attempts[1].text == right_relu);
  CHECK(desk.start(resume, "").exit_status == 2);  // it is over
}

TEST_CASE("a wrong answer loses points where it is wrong, and is graded again") {
  const Desk desk;
  Terminal terminal(desk, interview_relu);
  CHECK(terminal.shows("left] > "));
  desk.write("relu", wrong_relu);
  terminal.type("hint\n");
  CHECK(terminal.shows("Hint 1 of 3"));
  terminal.type("submit\n");
  CHECK(terminal.shows("FAIL  relu"));
  see_points(terminal);
  CHECK(terminal.shows("0 of 9 other cases right"));
  CHECK(terminal.shows("0 of 10   found: out_of_bounds"));
  CHECK(terminal.shows("-5"));
  CHECK(terminal.shows("Grade: again. It is asked again on 20"));
  answer_questions(terminal);
  CHECK(terminal.status() == 1);
}

TEST_CASE("the rubric's points add up to its total") {
  for (const char* candidate : {right_relu, wrong_relu}) {
    const Desk desk;
    Terminal terminal(desk, interview_relu);
    CHECK(terminal.shows("left] > "));
    desk.write("relu", candidate);
    terminal.type("hint\nhint\nsubmit\n");
    see_points(terminal);
    CHECK(terminal.shows("Grade: "));
    const std::string text = terminal.all();
    const std::size_t total = text.rfind("total");
    REQUIRE(total != std::string::npos);
    CHECK(sum_of_points(text) == std::stoi(text.substr(total + 5)));
  }
}

TEST_CASE("on a whiteboard nothing compiles until it is submitted") {
  const Desk desk;
  auto arguments = interview_relu;
  arguments.push_back("--whiteboard");
  Terminal terminal(desk, arguments);
  CHECK(terminal.shows("on the whiteboard"));
  CHECK(terminal.shows("left] > "));
  CHECK_FALSE(contains(content_of(desk.exercise("relu")), "<<<"));
  terminal.type("check\n");
  CHECK(terminal.shows("nothing compiles"));
  terminal.type("submit\n");
  CHECK(terminal.shows("nothing to submit yet"));
  desk.write(
      "relu",
      "#include <kata/kata.h>\nextern \"C\" void relu(const float* x, float* y, int n) { oops }\n");
  terminal.type("submit\n");
  CHECK(terminal.shows("ERROR"));
  see_points(terminal);
  CHECK(terminal.shows("right on the main case    0 of 15"));
  CHECK(terminal.shows("Grade: again"));
}

TEST_CASE("after a whiteboard that was given up the exercise is what it was before") {
  const Desk desk;
  const std::vector<std::string> whiteboard{"interview", "relu", "--whiteboard", "--yes"};
  const auto state = [&] {
    const std::string list = desk.start({"list"}).output;
    const std::size_t row = list.find("\nrelu ") + 1;
    return list.substr(row, list.find('\n', row) - row);
  };
  const std::string stub = content_of(desk.exercise("relu"));
  desk.start(whiteboard, "quit\n");
  desk.write("relu", "// on the whiteboard\n");
  const std::string said = desk.start(resume, "help\ngive up\n").output;
  CHECK_FALSE(contains(said, "compile and judge"));  // there is no check on a whiteboard
  CHECK(contains(said, "as it was before"));
  CHECK(content_of(desk.exercise("relu")) == stub);
  CHECK(contains(state(), "not started"));
  CHECK(contains(desk.start({"history", "1", "--text"}).output, "// on the whiteboard"));

  desk.write("relu", right_relu);
  desk.start({"check", "relu", "--backend", "emulator", "--no-ladder"});
  desk.start(whiteboard, "give up\n");
  CHECK(content_of(desk.exercise("relu")) == right_relu);
  CHECK(contains(state(), "passes"));
}

TEST_CASE("after kill -9 an interview goes on where it was") {
  const Desk desk;
  desk.write("relu", "// an hour of work\n");
  {
    Terminal terminal(desk, interview_relu);
    CHECK(terminal.shows("[y/N]"));
    terminal.type("y\n");
    CHECK(terminal.shows("left] > "));
    terminal.type("ask sizes\nhint\n");
    CHECK(terminal.shows("Hint 1 of 3"));
    desk.write("relu", right_relu);
    terminal.type("check\n");
    CHECK(terminal.shows("Next: `submit`"));
    CHECK(terminal.shows("left] > "));
    terminal.kill(SIGKILL);
    CHECK(terminal.status() == -SIGKILL);
  }
  CHECK(contains(desk.start({}, "").output, "interview --resume"));
  CHECK(contains(desk.start(interview_relu, "").errors, "interview --resume"));

  Terminal terminal(desk, resume);
  CHECK(terminal.shows("You were away for "));
  CHECK(terminal.shows("left] > "));
  terminal.type("time\n");
  CHECK(terminal.shows("Worked 0:"));
  terminal.type("hint\n");
  CHECK(terminal.shows("Hint 2 of 3"));
  terminal.type("submit\n");
  see_points(terminal);
  CHECK(terminal.shows("-10"));
  CHECK(terminal.shows("Grade: hard"));
  CHECK(terminal.shows("Question 1 of 6"));
  terminal.type("\n");
  CHECK(terminal.shows("2 right > "));
  terminal.type("2\n");
  CHECK(terminal.shows("Question 2 of 6"));
  terminal.kill(SIGKILL);
  CHECK(terminal.status() == -SIGKILL);

  Terminal again(desk, resume);
  CHECK(again.shows("Question 2 of 6"));
  again.type("quit\n");
  CHECK(again.shows("Questions: 2 of 12, by your own grading (5 not answered)"));
  CHECK(again.status() == 0);
  CHECK(desk.start(resume, "").exit_status == 2);  // it is over
}

TEST_CASE("leaving the questions ends a graded interview, and another can begin") {
  for (const std::string leave : {"quit\n", "give up\n", "\003"}) {
    CAPTURE(leave);
    const Desk desk;
    {
      Terminal terminal(desk, interview_relu);
      CHECK(terminal.shows("left] > "));
      desk.write("relu", right_relu);
      terminal.type("submit\n");
      see_points(terminal);
      CHECK(terminal.shows("Question 1 of 6"));
      CHECK(terminal.shows("`quit`)."));
      CHECK(terminal.shows("> "));
      terminal.type(leave);
      CHECK(terminal.shows("(6 not answered)"));
      terminal.status();
    }
    CHECK(desk.start(resume, "").exit_status == 2);
    CHECK(contains(desk.start({"interview", "add", "--backend", "emulator"}, "quit\n").output,
                   "interview --resume"));
  }
}

TEST_CASE(
    "Ctrl-C, a closed terminal and the end of a script leave an interview that can be resumed") {
  const Desk desk;
  {
    Terminal terminal(desk, interview_relu);
    CHECK(terminal.shows("left] > "));
    terminal.type("\003");
    CHECK(terminal.shows("interview --resume"));
    CHECK_FALSE(contains(terminal.rest(), "interrupted"));  // it was said
    CHECK(terminal.status() == 130);
    CHECK(terminal.is_as_it_was());
  }
  {
    Terminal terminal(desk, resume);
    CHECK(terminal.shows("left] > "));
    terminal.hang_up();
    CHECK(terminal.status() > 0);  // no crash
  }
  CHECK(contains(desk.start(resume, "time\n").output, "Worked 0:0"));
  const kata::Finished finished = desk.start(resume, "give up\n");
  CHECK(contains(finished.output, "Grade: again"));
  CHECK(finished.exit_status == 1);
}

TEST_CASE("a hint that is taken in another terminal counts, too") {
  const Desk desk;
  Terminal terminal(desk, interview_relu);
  CHECK(terminal.shows("left] > "));
  CHECK(contains(desk.start({"hint", "relu"}, "").output, "Hint 1 of 3"));
  desk.write("relu", right_relu);
  terminal.type("submit\n");
  see_points(terminal);
  CHECK(terminal.shows("1 taken"));
  CHECK(terminal.shows("Grade: hard"));
}

TEST_CASE("only one terminal can run an interview, and another one says so") {
  const Desk desk;
  Terminal terminal(desk, interview_relu);
  CHECK(terminal.shows("left] > "));
  const kata::Finished other = desk.start(resume, "");
  CHECK(other.exit_status == 2);
  CHECK(contains(other.errors, "another terminal"));
}

TEST_CASE("earlier text is kept, and comes back") {
  const Desk desk;
  const std::string mine = "// an hour of work\n";
  desk.write("relu", mine);
  const kata::Finished refused = desk.start(interview_relu, "n\n");
  CHECK(refused.exit_status == 2);
  CHECK(content_of(desk.exercise("relu")) == mine);

  const std::string given_up = desk.start(interview_relu, "yes\ngive up\n").output;
  CHECK(contains(given_up, "history 1 --text > exercises/relu/relu.cu"));
  CHECK(content_of(desk.exercise("relu")) != mine);
  CHECK(attempts_of(desk).at(0).text == mine);
}

TEST_CASE("a whole interview through a pipe is plain text of 80 columns") {
  const Desk desk;
  auto arguments = interview_relu;
  arguments.push_back("--plain");
  const kata::Finished begun = desk.start(arguments, "help\ntask\nask values\nnonsense\nquit\n");
  CHECK(contains(begun.output, "There is no command \"nonsense\""));
  CHECK(begun.exit_status == 77);
  desk.write("relu", right_relu);
  std::string answers = "submit\n";
  for (int i = 0; i < 6; ++i) answers += "my answer\n2\n";
  const kata::Finished ended = desk.start(resume, answers);
  CHECK(ended.exit_status == 0);
  CHECK(contains(ended.output, "Questions: 12 of 12"));
  for (const std::string& output : {begun.output, ended.output}) {
    CHECK_FALSE(contains(output, "\033"));
    CHECK(widest_line(output) <= 80);
  }
}

TEST_CASE("on a dumb terminal nothing moves the cursor, and the terminal edits the lines") {
  const Desk desk;
  Terminal terminal(desk, interview_relu, "dumb");
  CHECK(terminal.shows("left] > "));
  terminal.type("ask layuot\x7f\x7f\x7f\x7f\x7f\x7fvalues\n");
  CHECK(terminal.shows("NaN"));
  terminal.type("quit\n");
  CHECK(terminal.status() == 77);
  CHECK_FALSE(contains(terminal.all(), "\033"));
}

TEST_CASE("the clock counts down while nothing is typed, and what is typed stays") {
  const Desk desk;
  Terminal terminal(desk, interview_relu);
  CHECK(terminal.shows("[15:00 left] > "));
  terminal.type("ti");
  CHECK(terminal.shows("[14:59 left] > ti"));
  CHECK(terminal.shows("[14:58 left] > ti"));
  terminal.type("me\n");
  CHECK(terminal.shows("Worked 0:0"));
}

TEST_CASE("without a home that can be written an interview is held, and says that it is not kept") {
  const Desk desk;
  fs::remove(desk.scratch / "home");
  desk.scratch.write("home", "a file where the folder would be");
  const kata::Finished left = desk.start(interview_relu, "quit\n");
  CHECK_FALSE(contains(left.output, "--resume"));
  const kata::Finished finished = desk.start(interview_relu, "ask sizes\nhint\ngive up\n");
  CHECK(contains(finished.errors, "cannot be resumed"));
  CHECK(contains(finished.errors, "KATA_HOME"));
  CHECK(count_lines(finished.errors) == 1);
  CHECK(contains(finished.output, "Hint 1 of 3"));
  CHECK(finished.exit_status == 1);
}

TEST_CASE("an interview without a name is about some operator") {
  const Desk desk;
  const kata::Finished finished = desk.start({"interview", "--backend", "emulator"}, "give up\n");
  CHECK(contains(finished.output, " minutes"));
  CHECK(finished.exit_status == 1);
}

TEST_CASE("wrong usage of an interview is one line") {
  const Desk desk;
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"interview", "rleu"},
                                                {"interview", "relu", "--minutes", "0"},
                                                {"interview", "--resume"},
                                                {"interview", "--resume", "--whiteboard"},
                                                {"hint", "rleu"},
                                                {"hint", "relu", "9"},
                                                {"watch", "rleu"}}) {
    const kata::Finished finished = desk.start(wrong, "");
    CHECK(finished.exit_status == 2);
    CHECK(finished.output == "");
    CHECK(count_lines(finished.errors) == 1);
  }
}

TEST_CASE("what comes through a pipe answers the question of kata reset") {
  const Desk desk;
  desk.write("relu", right_relu);
  CHECK(desk.start({"reset", "relu"}, "n\n").exit_status == 2);
  CHECK(desk.start({"reset", "relu"}, "").exit_status == 2);
  CHECK(content_of(desk.exercise("relu")) == right_relu);
  CHECK(desk.start({"reset", "relu"}, "y\n").exit_status == 0);
  CHECK(content_of(desk.exercise("relu")) != right_relu);
}

TEST_CASE("the end of the time is announced once, with a bell") {
  const Desk desk;
  desk.start(interview_relu, "quit\n");
  setenv("KATA_HOME", (desk.scratch / "home").c_str(), 1);
  {
    auto history = kata::History::open();
    REQUIRE(history);
    kata::SessionRecord session = history->open_sessions()->at(0);
    nlohmann::json state = nlohmann::json::parse(session.data);
    state["limit_ms"] = state["clock"]["worked_ms"].get<int>() + 1000;
    session.data = state.dump();
    REQUIRE_FALSE(history->save(session));
  }
  unsetenv("KATA_HOME");
  Terminal terminal(desk, resume);
  CHECK(terminal.shows("\aTime is up."));
  CHECK(terminal.shows("over time by 0:01"));
  terminal.type("quit\n");
  CHECK_FALSE(contains(terminal.rest(), "Time is up"));
}

TEST_CASE("a typed answer is kept beside the model answer, in the history") {
  const Desk desk;
  desk.start({"interview", "relu", "--backend", "emulator"}, "quit\n");
  desk.write("relu", right_relu);
  const auto ended = desk.start(resume, "submit\nthe warp reads whole sectors\n1\npass\nquit\n");
  CHECK(contains(ended.output, "You named: "));
  const auto kept = desk.start({"history", "1"}, "");
  CHECK(contains(kept.output, "You (1 of 2): the warp reads whole sectors"));
  CHECK(contains(kept.output, "Model answer:"));
  CHECK(contains(kept.output, "You (0 of 2): passed, not answered"));
  CHECK(widest_line(kept.output) <= 80);
  const auto json = nlohmann::json::parse(desk.start({"history", "1", "--json"}, "").output);
  CHECK(json.at("questions").at(0).at("answer") == "the warp reads whole sectors");
  CHECK(json.at("questions").at(0).at("own_grade") == 1);
}

TEST_CASE("the points of an interview are in the history") {
  const Desk desk;
  desk.start({"interview", "relu", "--backend", "emulator"}, "check\nquit\n");
  desk.write("relu", right_relu);
  const std::string ended = desk.start(resume, "submit\nquit\n").output;
  const std::size_t total = ended.find(" of 100");
  const std::size_t begin = ended.rfind(' ', total - 1) + 1;
  const std::string points = ended.substr(begin, total - begin);
  const std::string listed = desk.start({"history"}).output;
  CHECK(contains(listed, ", " + points + " of 100, "));
  CHECK(listed.find(" of 100") == listed.rfind(" of 100"));  // not at the check before it
  const auto json = nlohmann::json::parse(desk.start({"history", "--json"}).output);
  CHECK(json.at("attempts").back().at("points") == std::stoi(points));
}

TEST_CASE("what is asked after the list of topics was seen earns no points") {
  const Desk desk;
  desk.start({"interview", "relu", "--backend", "emulator"},
             "how big is n?\nask\nask values\nquit\n");
  desk.write("relu", right_relu);
  const auto ended = desk.start(resume, "submit\nquit\n");
  CHECK(contains(ended.output, "2 of 10   about sizes, not about values"));
}

TEST_CASE("a question that could be about two topics is answered with both names") {
  const Desk desk;
  const auto said = desk.start({"interview", "softmax_rows", "--backend", "emulator"},
                               "large values or large sizes?\nsizes\nquit\n");
  CHECK(contains(said.output, "Do you mean values or sizes?"));
  CHECK(contains(said.output, "`rows` is 1 to 2^20"));
}

TEST_CASE("the interviewer shows the whole task on request, and then no question earns points") {
  const Desk desk;
  const std::vector<std::string> layernorm = {"interview", "layernorm", "--backend", "emulator"};
  const std::string begun =
      desk.start(layernorm, "how big is the matrix?\ntask\nask variance\nquit\n").output;
  CHECK(begun.find("sqrt(var + eps)") != std::string::npos);
  CHECK(begun.find("sqrt(var + eps)") > begun.find("8192 x 4096 is typical"));
  desk.write("layernorm", "extern \"C\" void layernorm() { unfinished }\n");
  CHECK(contains(desk.start(resume, "submit\n").output, "2 of 10   about sizes, not about"));
}

TEST_CASE("an interview that is given up before anything was written leaves the stub") {
  const Desk desk;
  const std::string given = content_of(desk.exercise("relu"));
  desk.start({"interview", "relu", "--backend", "emulator"}, "give up\n");
  CHECK(content_of(desk.exercise("relu")) == given);
  desk.start({"interview", "relu", "--backend", "emulator"}, "quit\n");
  CHECK(contains(desk.start({"reset", "relu"}).output, "nothing to reset"));
  CHECK(content_of(desk.exercise("relu")) == given);
}

TEST_CASE("whoever resumes an interview reads what was asked, and each answer again on demand") {
  const Desk desk;
  desk.start({"interview", "relu", "--backend", "emulator"}, "how big is n?\nquit\n");
  CHECK_FALSE(contains(desk.start(resume, "quit\n").output, "a multiple of anything"));
  const std::string resumed = desk.start(resume, "sizes\nquit\n").output;
  CHECK(contains(resumed, "You asked about: sizes"));
  CHECK(contains(resumed, "need not be a multiple of anything"));
  CHECK(contains(resumed, "What else would you ask"));
}

TEST_CASE("what is typed where Enter is awaited is not dropped without a word") {
  const Desk desk;
  Terminal terminal(desk, interview_relu);
  CHECK(terminal.shows("left] > "));
  desk.write("relu", right_relu);
  terminal.type("submit\n");
  CHECK(terminal.shows("Enter for your points > "));
  terminal.type("it is bound by memory\n");
  CHECK(terminal.shows("Press Enter first; \"it is bound by memory\" was not used."));
  see_points(terminal);
  CHECK(terminal.shows("Question 1 of 6"));
  terminal.type("quit\n");
  CHECK(terminal.status() == 0);
}

TEST_CASE("what is typed while a submission is judged is no answer to what comes after it") {
  const Desk desk;
  Terminal terminal(desk, interview_relu);
  CHECK(terminal.shows("left] > "));
  desk.write("relu", right_relu);
  terminal.type("submit\n\n\nhello\n");
  see_points(terminal);
  CHECK(terminal.shows("Question 1 of 6"));
  CHECK_FALSE(contains(terminal.all(), "Press Enter first"));
}

TEST_CASE("a long answer stays on the screen as a whole: it goes on in the next row") {
  const Desk desk;
  Terminal terminal(desk, interview_relu);
  CHECK(terminal.shows("left] > "));
  const std::string question = "two things first: " + std::string(120, 'x') + " and the end";
  terminal.type(question);
  CHECK(terminal.shows("left] > " + question));
  CHECK(terminal.shows("\033[2A\r\033[J"));  // erased from its first row on
  CHECK(terminal.shows("left] > " + question));
  terminal.type("\x15quit\n");
  CHECK(terminal.status() == 77);
}
