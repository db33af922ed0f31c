#include <doctest/doctest.h>
#include <unistd.h>

#include <thread>

#include "compile/cache.h"
#include "fixture.h"

namespace fs = std::filesystem;
using namespace kata;
using namespace kata::test;

namespace {

const std::string simple = "#include <cuda_runtime.h>\nextern \"C\" int one() { return 1; }\n";

fs::path modules() {
  return Compiler::shared_cache() / "modules";
}

std::size_t files_in(const fs::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  return count;
}

}  // namespace

TEST_CASE("an unchanged file is not compiled again") {
  Compiler compiler;
  const Result<Module> first = compiler("a.cu", simple + "// unchanged\n");
  const Result<Module> second = compiler("a.cu", simple + "// unchanged\n");
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE(first->cached);
  CHECK(second->cached);
  CHECK(second->path == first->path);
  CHECK(second->functions == std::vector<std::string>{"one"});
  CHECK(contains(content_of(fs::path(first->path).replace_extension(".txt")), "a.cu"));
}

TEST_CASE("any change of the file, its headers or the compiler compiles it again") {
  Compiler compiler;
  compiler.files.write("deep/b.cuh", "#define B 1\n");
  compiler.files.write("a.cuh", "#include \"deep/b.cuh\"\n");
  const std::string text = "#include \"a.cuh\"\nextern \"C\" int b() { return B; }\n";
  const Result<Module> first = compiler("x.cu", text);
  REQUIRE(first);
  REQUIRE_FALSE(first->cached);

  SUBCASE("the file") {
    CHECK_FALSE(compiler("x.cu", text + "\n")->cached);
  }
  SUBCASE("a header of a header") {
    compiler.files.write("deep/b.cuh", "#define B 2\n");
    CHECK_FALSE(compiler("x.cu", text)->cached);
  }
  SUBCASE("another file with the same text, whose name findings will show") {
    CHECK_FALSE(compiler("y.cu", text)->cached);
  }
  SUBCASE("the compiler") {
    const fs::path wrapper =
        compiler.files.write_program("g++-wrapped", "#!/bin/sh\nexec g++ \"$@\"\n");
    const Environment chosen("KATA_EMULATOR_CXX", wrapper.string());
    CHECK_FALSE(compiler("x.cu", text)->cached);
  }
  SUBCASE("nothing") {
    CHECK(compiler("x.cu", text)->cached);
  }
}

TEST_CASE("a tree that is reached through a link has the same modules and precompiled headers") {
  Compiler compiler;
  REQUIRE(compiler("linked.cu", simple));
  fs::create_directory_symlink(KATA_SOURCE_DIR, compiler.files / "link");
  const Environment root("KATA_ROOT", compiler.files / "link");
  CHECK(compiler("linked.cu", simple)->cached);
}

TEST_CASE("a failed compile leaves nothing behind") {
  Compiler compiler;
  REQUIRE(compiler("ok.cu", simple));
  const std::size_t before = files_in(modules());
  CHECK_FALSE(compiler("bad.cu", "int x = ;\n"));
  CHECK(files_in(modules()) == before);
  CHECK(files_in(Compiler::shared_cache() / "tmp") == 0);
}

TEST_CASE("what a killed process left in the cache goes with the next compile, and no live one's") {
  const Scratch scratch;
  const Environment cache("KATA_CACHE", scratch.path().string());
  scratch.write("tmp/killed/new.so", "half a module");
  scratch.write("tmp/4711-0.so", "half a module");
  const Result<Temporary> alive = Temporary::file(".so");
  REQUIRE(alive);
  std::ofstream(alive->path()) << "in use";
  CHECK(files_in(scratch / "tmp") == 1);
  REQUIRE(Temporary::folder());
  CHECK(fs::exists(alive->path()));
  CHECK(files_in(scratch / "tmp") == 1);
}

TEST_CASE("two terminals can compile one file at once, each into a whole module") {
  Compiler compiler;
  const fs::path file = compiler.files.write("both.cu", simple + "// both\n");
  Result<Module> results[2] = {Error{}, Error{}};
  std::thread other([&] { results[0] = compile({.source = file}); });
  results[1] = compile({.source = file});
  other.join();
  REQUIRE(results[0]);
  REQUIRE(results[1]);
  CHECK(results[0]->path == results[1]->path);
  CHECK(results[0]->functions == std::vector<std::string>{"one"});
}

TEST_CASE("the modules used least lately are forgotten") {
  const Scratch scratch;
  const Environment cache("KATA_CACHE", scratch.path().string());
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < modules_kept + 3; ++i) {
    const fs::path old = scratch.write("modules/" + std::to_string(i) + ".so", "x");
    scratch.write("modules/" + std::to_string(i) + ".txt", "x");
    fs::last_write_time(old, now - std::chrono::hours(1000 - i));
  }
  REQUIRE(find_module("1"));  // used again just now
  Result<Temporary> module = Temporary::file(".so");
  REQUIRE(module);
  std::ofstream(module->path()) << "new";
  REQUIRE(keep_module("new", *module, "a new one"));
  CHECK(files_in(scratch / "modules") == 2 * modules_kept);
  CHECK_FALSE(find_module("0"));
  CHECK_FALSE(find_module("4"));
  CHECK(find_module("1"));
  CHECK(find_module("5"));
  CHECK(find_module("new"));
}

TEST_CASE("old precompiled headers are forgotten too") {
  const Scratch scratch;
  const Environment cache("KATA_CACHE", scratch.path().string());
  for (int i = 0; i < 8; ++i) {
    const fs::path old = scratch.write("precompiled/" + std::to_string(i) + "/x.gch", "x");
    fs::last_write_time(old.parent_path(),
                        fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  REQUIRE(compile({.source = scratch.write("a.cu", simple)}));
  CHECK(files_in(scratch / "precompiled") == 6);
  CHECK_FALSE(fs::exists(scratch / "precompiled/2"));
  CHECK(fs::exists(scratch / "precompiled/3"));
  CHECK(compile({.source = scratch.write("b.cu", simple)}));  // its own is still there
}

TEST_CASE("a cache that cannot be written gives one line that says what to do") {
  const Scratch scratch;
  const fs::path file = scratch.write("a.cu", simple);
  scratch.write("in_the_way", "a file where the folder should be");
  const Environment cache("KATA_CACHE", (scratch / "in_the_way").string());
  const Result<Module> result = compile({.source = file});
  REQUIRE_FALSE(result);
  CHECK(contains(result.error().message, "cannot write"));
  CHECK(contains(result.error().message, "KATA_CACHE"));
}

TEST_CASE("a full disk is said to be one") {
  const Scratch scratch;
  const Environment cache("KATA_CACHE", (scratch / "cache").string());
  const fs::path full = scratch.write_program(
      "g++", "#!/bin/sh\necho 'Fatal error: cannot write: No space left on device' >&2\nexit 1\n");
  const Environment chosen("KATA_EMULATOR_CXX", full.string());
  const Result<Module> result = compile({.source = scratch.write("a.cu", simple)});
  REQUIRE_FALSE(result);
  CHECK(contains(result.error().message, "disk is full"));
}
