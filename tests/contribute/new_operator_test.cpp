// Adding an operator, as docs/contributing.md describes it.
#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>
#include <tuple>

#include "scratch.h"
#include "support/process.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::content_of;
using kata::test::count_lines;
using kata::test::Scratch;

namespace {

constexpr const char* square = "void square(const float* x, float* y, int n)";

kata::Finished start(const fs::path& program, const fs::path& tree,
                     const std::vector<std::string>& words, double limit_s = 60) {
  std::vector<std::string> arguments{program};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const auto finished = kata::run(
      {.arguments = arguments,
       .environment = {{"KATA_ROOT", tree}, {"KATA_LARGE_CASES", "off"}, {"NO_COLOR", "1"}},
       .folder = tree,
       .time_limit_s = limit_s});
  REQUIRE(finished);
  return *finished;
}

/// In a folder that has the headers of the harness and nothing else.
kata::Finished start_new(const Scratch& scratch, const std::string& name,
                         const std::string& signature,
                         const std::vector<std::string>& options = {}) {
  fs::create_directories(scratch / "harness");
  for (const char* folder : {"harness/emulator", "harness/include"}) {
    if (!fs::exists(scratch / folder))
      fs::create_directory_symlink(fs::path(KATA_SOURCE_DIR) / folder, scratch / folder);
  }
  std::vector<std::string> words{"new", name, signature};
  words.insert(words.end(), options.begin(), options.end());
  return start(KATA_BINARY_DIR "/kata", scratch.path(), words);
}

void check_one_line(const kata::Finished& finished, const std::string& part) {
  CHECK(finished.exit_status == 2);
  CHECK(count_lines(finished.errors) == 1);
  CAPTURE(finished.errors);
  CHECK(contains(finished.errors, part));
}

/// A copy of the tree in which somebody added `square`, with programs that know it.
const fs::path tree = KATA_BINARY_DIR "/tests/new_operator";

/// On one line, as before it was wrapped to the width of the terminal.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

/// `kata test square` after the text of a file was changed, which is put back.
std::string output_after(const std::string& name, const std::string& from, const std::string& to) {
  const std::string text = content_of(tree / name);
  std::string changed = text;
  REQUIRE(contains(text, from));
  changed.replace(changed.find(from), from.size(), to);
  std::ofstream(tree / name) << changed;
  const kata::Finished finished = start(tree / "build/kata", tree, {"test", "square"});
  std::ofstream(tree / name) << text;
  CHECK(finished.exit_status == 1);
  CHECK(contains(finished.output, "FAIL  square"));
  return finished.output;
}

}  // namespace

TEST_CASE(
    "kata new writes every file of an operator, says what to do next, and overwrites nothing") {
  const Scratch scratch;
  const kata::Finished finished = start_new(scratch, "square", square);
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.output, "test square"));
  for (const char* file :
       {"harness/problems/square.cpp", "exercises/square/.stub.cu", "exercises/square/square.cu",
        "exercises/square/README.md", "solutions/square/1_thread_per_element.cu"}) {
    CAPTURE(file);
    CHECK(contains(content_of(scratch / file), "TODO"));
  }
  check_one_line(start_new(scratch, "square", square), "exists already");
}

TEST_CASE("kata new says in one line what is wrong with a name or a signature") {
  const Scratch scratch;
  check_one_line(start_new(scratch, "Square", square), "lower-case");
  check_one_line(start_new(scratch, "relu", "const float* x, float* y, int n"),
                 "relu is an operator already");
  for (const char* parameter : {"const double* x", "size_t n", "const float*"}) {
    const std::string list = std::string("float* y, ") + parameter + ", int m";
    check_one_line(start_new(scratch, "square", list), "\"" + std::string(parameter) + "\"");
    check_one_line(start_new(scratch, "square", list), "T is float, __half, ");
  }
  for (const char* other : {"void cube(float* y, int n)", "int square(float* y, int n)"})
    check_one_line(start_new(scratch, "square", other), "begin with \"void square(\"");
  check_one_line(start_new(scratch, "square", "const float* x, float* x, int n"),
                 "two parameters are named x");
  check_one_line(start_new(scratch, "square", "const float* x, int n"), "no output");
  check_one_line(start_new(scratch, "square", "float* y"), "no size");
  CHECK_FALSE(fs::exists(scratch / "harness/problems"));
}

TEST_CASE("kata new refuses the names that C++ and the headers of CUDA have taken") {
  const Scratch scratch;
  for (const char* name : {"float", "tanh", "sqrtf"})
    check_one_line(start_new(scratch, name, "const float* x, float* y, int n"), name);
  check_one_line(start_new(scratch, "square", "const float* class, float* y, int n"), "class");
  CHECK_FALSE(fs::exists(scratch / "exercises/tanh"));
}

TEST_CASE("kata new blames a tree without kata's headers, not the names") {
  const Scratch scratch;
  const kata::Finished finished =
      start(KATA_BINARY_DIR "/kata", scratch.path(), {"new", "square", square});
  check_one_line(finished, "cannot compile square's stub: cuda_runtime.h");
}

TEST_CASE("an int that is named with --scalar is no dimension") {
  const Scratch scratch;
  const char* const signature = "void momentum(const float* x, float* y, int step, int n)";
  check_one_line(start_new(scratch, "momentum", signature, {"--scalar", "steps"}),
                 "--scalar steps: the signature has no \"int steps\"");
  REQUIRE(start_new(scratch, "momentum", signature, {"--scalar", "step"}).exit_status == 0);
  const std::string problem = content_of(scratch / "harness/problems/momentum.cpp");
  CHECK(contains(problem, "output<float>(\"y\", dims<1>)"));
  CHECK(contains(problem, "{1, 4099}"));
  CHECK(contains(content_of(scratch / "exercises/momentum/momentum.cu"), "ceil_div(n, 256)"));
}

TEST_CASE("the problem file that kata new writes compiles, for every type of parameter") {
  const Scratch scratch;
  const char* const signature =
      "void mixed(const __half* a, const __nv_bfloat16* b, const unsigned char* c, "
      "unsigned* inputs, signed char* size, int rows, int cols, float eps)";
  REQUIRE(start_new(scratch, "mixed", signature).exit_status == 0);
  CHECK(contains(content_of(scratch / "exercises/mixed/mixed.cu"), "ceil_div(rows * cols, 256)"));
  const auto compiled =
      kata::run({.arguments = {KATA_CXX_COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror",
                               "-fsyntax-only", "-I" KATA_SOURCE_DIR "/harness",
                               scratch / "harness/problems/mixed.cpp"},
                 .time_limit_s = 60});
  REQUIRE(compiled);
  CAPTURE(compiled->errors);
  CHECK(compiled->exit_status == 0);
}

TEST_CASE("an operator with two rungs and no GPU data passes its test in less than 30 s") {
  const kata::Finished finished = start(tree / "build/kata", tree, {"test", "square"}, 30);
  CAPTURE(finished.output);
  CHECK(finished.exit_status == 0);
  CHECK(contains(finished.output, "not measured"));
  CHECK(contains(finished.output, "PASS  square"));
  CHECK(count_lines(finished.output) <= 24);
}

TEST_CASE("kata test names what is wrong with an operator") {
  CHECK(contains(output_after("solutions/square/2_grid_stride.cu", "x[i] * x[i]", "x[i] + x[i]"),
                 "2_grid_stride.cu: "));
  CHECK(contains(output_after("exercises/square/README.md", "### Hint 3", "### Tip"), "Hint 3"));
  CHECK(contains(output_after("exercises/square/README.md", "- Ranges: `n` 1", "- Ranges: `n` 2"),
                 "the constraints need this line: - Ranges: `n` 1 to 16777216;"));
  CHECK(contains(output_after("exercises/square/.stub.cu", "// your code", "TODO"), ".stub.cu:8"));
  const std::string attempt =
      output_after("exercises/square/square.cu", "// your code", "// TODO: mine");
  CHECK(contains(attempt, "square.cu:8"));
  CHECK(contains(attempt, "harness/kata reset square"));
}

TEST_CASE("kata test says what is wrong with faults.toml, and where") {
  const fs::path file = tree / "solutions/square/faults.toml";
  const std::string fault =
      "[[fault]]\nname = \"doubles\"\nof = \"1_thread_per_element.cu\"\nclass = \"numerics\"\n"
      "level = 1\nwhat = \"adds instead of multiplying.\"\n"
      "changes = [{ old = 'x[i] * x[i]', new = 'x[i] + x[i]' }]\ntold = { words = \"wrong\" }\n";
  const auto output_with = [&](const std::string& before, const std::string& after) {
    std::string text = fault;
    if (!before.empty()) text.replace(text.find(before), before.size(), after);
    std::ofstream(file) << text;
    const kata::Finished finished = start(tree / "build/kata", tree, {"test", "square"});
    CHECK(finished.exit_status == (before.empty() ? 0 : 1));
    return unwrapped(finished.output);
  };
  CHECK(contains(output_with("", ""), "1 rejected with the expected explanation"));
  for (const auto& [before, after, message] :
       {std::tuple{"numerics", "maths",
                   "\"maths\" is not a class of fault. The classes are: bounds"},
        {"level = 1", "level = 4", "faults.toml:1: \"level\" must be 1, 2 or 3"},
        {"what =", "why =", "\"what\" is missing"},
        {"words", "word", "\"told\" has the unknown key word"},
        {"of =", "kernel =", "\"kernel\" replaces \"of\" and \"changes\""},
        {"{ words", "{ kind = \"rase\", words",
         "\"rase\" is not a kind of finding. The kinds are: crash"},
        {"{ words", "{ kind = \"race\", line = 'x[i] + x[i]', words",
         "doubles.cu: expected race at line"},
        {"\"wrong\"", "\"off by one\"", "\"off by one\" is not in the explanation"},
        {"old = 'x[i] * x[i]'", "old = 'x[j] * x[j]'", "is not in the file; the nearest line is"},
        {"old = 'x[i] * x[i]'", "old = 'x'", "take more text around it"},
        {"{ words", "{ kind = \"race\", line = 'nowhere', words", "is 0 times in the faulty"},
        {"[[fault]]", "[[fault]", "faults.toml:1: "}}) {
    const std::string output = output_with(before, after);
    CAPTURE(output);
    CHECK(contains(output, message));
  }
  fs::remove(file);
}

TEST_CASE("faults of an accepted kernel, of a rung and whole ones leave the clone as it was") {
  const fs::path accepted = tree / "tests/accepted/square", rungs = tree / "solutions/square";
  fs::create_directories(accepted);
  fs::copy_file(rungs / "1_thread_per_element.cu", accepted / "plain.cu");
  const auto fault = [](const std::string& name, const std::string& of) {
    return "[[fault]]\nname = \"" + name + "\"\nof = \"" + of +
           "\"\nclass = \"numerics\"\nlevel = 1\nwhat = \"adds.\"\n"
           "changes = [{ old = 'x[i] * x[i]', new = 'x[i] + x[i]' }]\ntold = { words = \"wrong\" "
           "}\n";
  };
  const std::string whole =
      "[[fault]]\nname = \"third\"\nclass = \"numerics\"\nlevel = 1\nwhat = \"adds.\"\n"
      "kernel = '''\n" +
      content_of(rungs / "1_thread_per_element.cu") + "'''\ntold = { words = \"wrong\" }\n";
  std::ofstream(rungs / "faults.toml") << fault("first", "tests/accepted/square/plain.cu")
                                       << fault("second", "1_thread_per_element.cu") << whole;
  const kata::Finished finished =
      start(tree / "build/kata", tree, {"test", "square", "--plant", tree / "planted"});
  CAPTURE(finished.output);
  CHECK(finished.exit_status == 0);
  CHECK(fs::exists(tree / "planted/square/first/tests/accepted/square/first.cu"));
  CHECK(fs::exists(tree / "planted/square/second/solutions/square/second.cu"));
  CHECK(content_of(tree / "planted/square/third/solutions/square/third.cu") ==
        content_of(rungs / "1_thread_per_element.cu"));
  CHECK_FALSE(fs::exists(rungs / "second.cu"));
  CHECK_FALSE(fs::exists(accepted / "first.cu"));
  fs::remove_all(accepted);
  fs::remove_all(tree / "planted");
  fs::remove(rungs / "faults.toml");
}
