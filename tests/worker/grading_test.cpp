// What a candidate file is before it runs.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "compile/sources.h"
#include "grading/candidate.h"
#include "grading/counts.h"
#include "grading/ladder.h"
#include "grading/registers.h"
#include "scratch.h"
#include "support/paths.h"

using namespace kata;
using kata::test::contains;
namespace fs = std::filesystem;

namespace {

/// A folder that goes away.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = fs::temp_directory_path() / "kata-test-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return path / name;
  }
};

Module module_with(std::vector<std::string> functions) {
  return {.path = {}, .key = {}, .functions = std::move(functions)};
}

}  // namespace

TEST_CASE("a missing, empty or unreadable file and a folder get one line each") {
  const Folder folder;
  CHECK(contains(read_source(folder.path / "none.cu").error().message, "there is no file"));
  CHECK(contains(read_source(folder.path).error().message, "is a folder"));
  CHECK(contains(read_source(folder.write("empty.cu", " \n")).error().message, "is empty"));
  CHECK(*read_source(folder.write("full.cu", "int x;\n")) == "int x;\n");
}

TEST_CASE("a stub with another layout, here and elsewhere, is untouched until its code changes") {
  const Result<std::string> text = read_source(stub("relu"));
  REQUIRE(text);
  const Problem* relu = find_problem("relu");
  const auto stub_in = [](const std::string& candidate, const Problem* problem = nullptr) {
    return untouched_stub_of({.text = candidate, .problem = problem});
  };
  CHECK(stub_in(*text) == relu);
  CHECK(stub_in("// mine\n" + *text + "\n\n", relu) == relu);
  CHECK(stub_in(*text + "int more;") == nullptr);
  CHECK(stub_in(*text, find_problem("add")) == nullptr);
}

TEST_CASE("the operator is found from the one entry function that a file defines") {
  const auto entry = [](std::vector<std::string> functions, const Problem* problem = nullptr,
                        const std::string& name = {}) {
    return find_entry({.path = "mine.cu", .problem = problem, .entry = name},
                      module_with(std::move(functions)));
  };
  const Problem* relu = find_problem("relu");
  CHECK(entry({"helper", "relu"})->problem == relu);
  CHECK(entry({"relu", "add"}, relu)->function == "relu");

  const std::string two = entry({"add", "relu"}).error().message;
  CHECK(contains(two, "add and relu"));
  CHECK(contains(two, "--operator"));
  const std::string none = entry({"helper"}).error().message;
  CHECK(contains(none, " list shows all "));
  CHECK(contains(none, "--entry"));
  CHECK(contains(entry({"helper"}, relu).error().message, "void relu(const float* x"));

  CHECK(entry({"solve"}, relu, "solve")->function == "solve");
  CHECK(contains(entry({"run"}, relu, "solve").error().message, "it has run"));
}

TEST_CASE("a named entry needs an operator: from the option, or from the file's or folder's name") {
  const Folder folder;
  const std::string text = "extern \"C\" void solve() {}\n";
  const auto problem_of = [&](const std::string& name, const Problem* problem = nullptr) {
    const Result<Candidate> candidate =
        read_candidate(folder.write(name, text), {.problem = problem, .entry = "solve"});
    return candidate ? candidate->problem : nullptr;
  };
  const Problem* relu = find_problem("relu");
  fs::create_directories(folder.path / "relu");
  CHECK(problem_of("relu.cu") == relu);
  CHECK(problem_of("relu/try.cu") == relu);
  CHECK(problem_of("mine.cu", relu) == relu);
  CHECK(problem_of("mine.cu") == nullptr);
  const fs::path mine = folder.write("mine.cu", text);
  CHECK(contains(read_candidate(mine, {.entry = "solve"}).error().message, "--operator"));
  CHECK(contains(read_candidate(mine, {.problem = relu, .entry = "run"}).error().message, "run"));
  folder.write("macro.cu", "#define NAME(x) so##x\nextern \"C\" void NAME(lve)() {}\n");
  CHECK(read_candidate(folder.path / "macro.cu", {.problem = relu, .entry = "solve"}));
}

TEST_CASE("a size is checked against the operator that the text defines, where it shows one") {
  const Folder folder;
  const auto fits = [&](const std::string& text, const Shape& size) {
    return bool(read_candidate(folder.write("mine.cu", text), {.size = size}));
  };
  const std::string relu = "extern \"C\" void relu(const float* x, float* y, int n) {}\n";
  CHECK(fits(relu, {7}));
  CHECK_FALSE(fits(relu, {7, 7}));
  CHECK(fits("void f() { relu(x, y, n); }\n", {7, 7}));  // a call defines nothing
  CHECK(fits(relu + "static float add(float a, float b) { return a + b; }\n", {7, 7}));
}

TEST_CASE("what is compiled is the text that was read, even if the file has changed since") {
  const Folder folder;
  const fs::path path = folder.write("mine.cu", "extern \"C\" void first() {}\n");
  const Result<Candidate> candidate = read_candidate(path);
  REQUIRE(candidate);
  folder.write("mine.cu", "extern \"C\" void second() {}\n");
  const auto module = compile({.source = candidate->path, .text = candidate->text});
  REQUIRE(module);
  CHECK(module->functions == std::vector<std::string>{"first"});
}

TEST_CASE("a size that does not fit the signature or the memory says what is taken") {
  const Problem& sgemm = *find_problem("sgemm");
  CHECK(check_shape(sgemm, {4, 5, 6}));
  CHECK(contains(check_shape(sgemm, {4, 5}).error().message, "3 positive numbers: M x N x K"));
  CHECK_FALSE(check_shape(sgemm, {4, 0, 5}));
  CHECK_FALSE(check_shape(sgemm, {4, -1, 5}));
  CHECK(contains(check_shape(sgemm, {2000000000, 2000000000, 1}).error().message, "too large"));
}

TEST_CASE(
    "the ladder is the folder: numbered rungs in order, libraries apart, other files ignored") {
  const Folder folder;
  fs::create_directories(folder.path / "solutions" / "relu");
  const auto add = [&](const std::string& name, const std::string& text) {
    folder.write("solutions/relu/" + name, text);
  };
  add("10_last.cu", "/* The last idea.\n   More. */\n");
  add("2_second.cu", "// Second idea.\n#include <x>\n");
  add("1_first.cu", "#include <x>\n// not a header comment\n");
  add("library_cublas.cu", "// cuBLAS.\n");
  add("notes.txt", "");
  add("draft.cu", "");
  setenv("KATA_ROOT", folder.path.c_str(), 1);
  const std::vector<Rung> rungs = ladder("relu");
  const std::vector<Rung> others = libraries("relu");
  const std::vector<Rung> nothing = ladder("no_such_operator");
  unsetenv("KATA_ROOT");
  REQUIRE(rungs.size() == 3);
  CHECK(rungs[0].name == "1_first");
  CHECK(rungs[0].idea == "");
  CHECK(rungs[1].idea == "Second idea.");
  CHECK(rungs[2].number == 10);
  CHECK(rungs[2].idea == "The last idea.");
  REQUIRE(others.size() == 1);
  CHECK(others[0].name == "cublas");
  CHECK(nothing.empty());
}

TEST_CASE("a row of counts adds up the launches") {
  KernelRecord kernel{.name = "k"};
  kernel.global_load = {10, 40};
  kernel.global_store = {5, 20};
  kernel.shared_load = {3, 12};
  kernel.global_store.sectors = 7;
  kernel.shared_store.wavefronts = 9;
  kernel.atomic = {2, 8};
  kernel.barriers = 4;
  const CountRow row = add_up(RowKind::yours, "yours", {kernel, kernel});
  CHECK(row.launches == 2);
  CHECK(row.global_accesses == 30);
  CHECK(row.global_bytes == 120);
  CHECK(row.shared_accesses == 6);
  CHECK(row.sectors == 14);
  CHECK(row.wavefronts == 18);
  CHECK(row.atomics == 4);
  CHECK(row.barriers == 8);
}

TEST_CASE("a launch has the registers of its kernel, of a template's the one that it can be") {
  const auto launch = [](const std::string& name, std::uint64_t shared_bytes) {
    LaunchProfile profile;
    profile.counts.name = name;
    profile.counts.shared_bytes = shared_bytes;
    return profile;
  };
  std::vector<LaunchProfile> launches{launch("tiled<BM, BN>", 4096), launch("tiled<BM, BN>", 500),
                                      launch("ns::plain", 0),        launch("other", 0),
                                      launch("rows<1, VECTOR>", 0),  launch("rows<8, VECTOR>", 0)};
  set_registers({{"void tiled<64, 64>(float const*)", 95, 2048},
                 {"void tiled<128, 128>(float const*)", 40, 4096},
                 {"void tiled<128, 64>(float const*)", 50, 4096},
                 {"void (anonymous namespace)::plain(float*)", 12, 0},
                 {"void rows<1u, true>(float*)", 20, 0},
                 {"void rows<1u, false>(float*)", 24, 0},
                 {"void rows<8u, true>(float*)", 53, 0}},
                launches);
  CHECK(launches[0].registers == 50);
  CHECK(launches[1].registers == 95);
  CHECK(launches[2].registers == 12);
  CHECK(launches[3].registers == 0);
  CHECK(launches[4].registers == 24);
  CHECK(launches[5].registers == 53);
}
