// What a person sees at a terminal of 80 columns and 24 lines.
#include <sstream>

#include "skip.h"
#include "support/process.h"
#include "terminal.h"

using namespace kata::test;

namespace {

/// The lines that are left on the screen when the program has ended.
std::vector<std::string> screen_after(const Desk& desk, std::vector<std::string> arguments) {
  Terminal terminal(desk, std::move(arguments));
  terminal.status();
  std::vector<std::string> lines;
  std::istringstream all(terminal.all());
  for (std::string line; std::getline(all, line);) {
    if (line.ends_with('\r')) line.pop_back();
    line.erase(0, line.rfind('\r') + 1);  // the progress line, erased
    if (line.starts_with("\033[K")) line.erase(0, 3);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("a check fits one screen, and ends with the verdict and the next command") {
  const Desk desk;
  struct Row {
    const char* text;
    const char* verdict;
    const char* next;
  };
  const Row rows[] = {
      {right_relu, "PASS  relu", "harness/kata hint relu"},
      {wrong_relu, "FAIL  relu", "harness/kata check relu --backend emulator --seed "},
      {"#include <kata/kata.h>\nextern \"C\" void relu(const float* x, float* y, int n) { oops }\n",
       "ERROR  ", "harness/kata check relu --backend emulator"}};
  for (const Row& row : rows) {
    CAPTURE(row.verdict);
    desk.write("relu", row.text);
    const auto lines = screen_after(desk, {"check", "relu", "--backend", "emulator"});
    REQUIRE(lines.size() > 3);
    CHECK(lines.size() <= 23);
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
    CHECK(contains(lines.back(), row.next));
    const bool near_the_end = contains(lines[lines.size() - 3], row.verdict) ||
                              contains(lines[lines.size() - 4], row.verdict);
    CHECK(near_the_end);
  }
}

TEST_CASE("a bench of every size fits one screen") {
  const Desk desk;
  desk.solve("relu");
  const auto lines = screen_after(desk, {"bench", "relu"});
  CHECK(lines.size() <= 23);
  for (const std::string& line : lines) CHECK(line.size() <= 80);
  CHECK(contains(lines.back(), "harness/kata show relu"));
}

TEST_CASE("a bench of a stub says at once that nothing is written, and at the end what to do") {
  const Desk desk;
  Terminal terminal(desk, {"bench", "relu"});
  CHECK(terminal.shows("exercises/relu/relu.cu is not written yet: the rows are the ladder's"));
  CHECK(terminal.shows("best rung"));
  CHECK(terminal.shows("Next: write the kernel in exercises/relu/relu.cu, then"));
  CHECK(terminal.shows("check relu"));
  CHECK_FALSE(contains(terminal.all(), "compare with the ladder"));
}

TEST_CASE("what is longer than a screen is paged, with a prompt that says how to go on and leave") {
  if (kata::find_program("less").empty()) return kata::test::skip("less is not installed");
  const Desk desk;
  Terminal terminal(desk, {"list"});
  CHECK(terminal.shows("Space next page, b back, q closes"));
  terminal.type("q");
  CHECK(terminal.status() == 0);
}

TEST_CASE("no list of operators or attempts has a shifted column or a broken word") {
  const Desk desk;
  desk.scratch.write("tree/a_folder_of_mine/with_a_long_name/and_a_kernel_in_it.cu", right_relu);
  desk.start({"check", "a_folder_of_mine/with_a_long_name/and_a_kernel_in_it.cu", "--backend",
              "emulator", "--no-ladder"});
  desk.write("flash_attention", "extern \"C\" void flash_attention() { oops }\n");
  desk.start({"check", "flash_attention", "--backend", "emulator"});
  const auto all = [&](const std::string& command) {
    std::string page;
    for (const std::string& line : screen_after(desk, {command, "--plain"})) page += line + "\n";
    return page;
  };
  const std::string list = all("list");
  CAPTURE(list);
  const auto column = [&](const std::string& name) {
    const std::size_t row = list.find("\n" + name + " ");
    REQUIRE(row != list.npos);
    return list.find(" not started", row) - row;
  };
  CHECK(column("add") == column("layernorm_backward"));
  CHECK(column("relu") == column("sgemm"));
  bool seen = false;
  for (const std::string& line : screen_after(desk, {"history"})) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
    seen = seen || contains(line, "a_folder_of_mine/with_a_long_name/and_a_kernel_in_it.cu");
  }
  CHECK(seen);
}

TEST_CASE("a rung's text is broken at words, and its comments stay comments") {
  const Desk desk;
  desk.own_solutions("relu");
  const std::string path = "tree/solutions/relu/1_thread_per_element.cu";
  const std::string comment = "// " + std::string(40, 'a') + " " + std::string(40, 'b');
  desk.scratch.write(path, comment + "\n" + content_of(desk.scratch / path));
  Terminal terminal(desk, {"show", "relu", "1"});
  CHECK(terminal.shows("// " + std::string(40, 'a')));
  CHECK(terminal.shows("\n// " + std::string(40, 'b')));
}

TEST_CASE("a rung's text is not spaced out, and a wide header is broken again as a whole") {
  const Desk desk;
  desk.own_solutions("relu");
  const std::string row =
      " 23456789 23456789 23456789 23456789 23456789 23456789 23456789 23456789";
  desk.scratch.write("tree/solutions/relu/1_thread_per_element.cu",
                     "// 01" + row + " 0123456789\n// 02" + row +
                         " 0123456789\n// Prediction: none\n//\n//   a  picture\n\nint x;\n");
  const auto lines = screen_after(desk, {"show", "relu", "1"});
  const std::vector<std::string> wanted{"// 01" + row,
                                        "// 0123456789 02" + row.substr(0, row.size() - 9),
                                        "// 23456789 0123456789",
                                        "// Prediction: none",
                                        "//",
                                        "//   a  picture",
                                        "",
                                        "int x;"};
  CHECK(lines == wanted);
}

TEST_CASE(
    "a change that is wider than the screen is broken at words, and keeps its mark and colour") {
  const Desk desk;
  desk.own_solutions("relu");
  const std::string text = desk.rung("relu/1_thread_per_element.cu");
  desk.scratch.write("tree/mine.cu",
                     text + "int " + std::string(60, 'a') + "(int first, int second);\n");
  Terminal terminal(desk, {"diff", "relu", "1", "mine.cu"});
  for (const std::string& line : screen_after(desk, {"diff", "relu", "1", "mine.cu"})) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
    CHECK(line != "second);");
  }
  CHECK(terminal.shows("(int first,\r\n+     int second);"));
}
