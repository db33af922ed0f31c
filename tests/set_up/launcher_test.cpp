// harness/kata, the launcher, in a tree of its own with tools that only pretend.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "skip.h"
#include "support/process.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::content_of;
using kata::test::Scratch;

namespace {

// Leaves programs that say how they were called, as CMake's build would.
constexpr const char* pretended_cmake = R"sh(#!/bin/sh
echo "cmake $*" >>"$TOOLS_LOG"
case $1 in
  --version) echo "cmake version ${PRETENDED_CMAKE_VERSION:-3.25.1}" ;;
  --build)
    echo '[ 50%] Building CXX object dir/large.cxx.o'
    echo '[100%] Building CXX object dir/small.cpp.o'
    case ${PRETENDED_BUILD:-} in
      fails) echo 'relu.cpp:3: error: no such thing'; exit 1 ;;
      disk_full) echo 'cannot write relu.o: No space left on device'; exit 1 ;;
      interrupted) kill -INT 0; sleep 10 ;;
      waits_for_ticks) read -r _ <"$TICKED" ;;
      sees_an_edit)
        file=${2%/build}/harness/cli/list.cpp
        while [ -z "$(find "$file" -newer "$2/.kata-started")" ]; do touch "$file"; done
        ;;
    esac
    case $* in
      *'--target kata-check '*) programs=kata-check ;;
      *) programs='kata kata-check' ;;
    esac
    for program in $programs; do
      printf '#!/bin/sh\necho "program: $*"\nexit ${PROGRAM_STATUS:-0}\n' >"$2/$program"
      chmod +x "$2/$program"
    done
    ;;
  *)
    all=$*
    root=$2
    while [ "$1" != -B ]; do shift; done
    echo "subdirs(\"$2\")" >"$root/CTestTestfile.cmake"
    echo "$root" >"$2/.kata-configured"
    : >"$2/build.ninja"
    mkdir -p "$2/dir"
    printf '#include "1"\n#include "2"\n' >"$2/dir/large.cxx"
    case $all in
      *selftest*) echo 'KATA_SELFTEST:BOOL=ON' ;;
      *) echo 'KATA_SELFTEST:BOOL=OFF' ;;
    esac >"$2/CMakeCache.txt"
    echo "KATA_WERROR:BOOL=$CI" >>"$2/CMakeCache.txt"
    ;;
esac
)sh";

constexpr const char* pretended_compiler = R"sh(#!/bin/sh
case $* in
  *-fsyntax-only*) [ "${PRETENDED_COMPILER:-}" != broken ] ;;
  *) [ -e "$PRETENDED_PACKAGES/libfmt-dev" ] || echo 'missing fmt/core.h libfmt-dev' ;;
esac
)sh";

constexpr const char* pretended_apt_get = R"sh(#!/bin/sh
echo "apt-get $*" >>"$TOOLS_LOG"
[ "$1" = install ] || exit 0
shift
for package; do
  : >"$PRETENDED_PACKAGES/$package"
  [ "$package" != g++ ] || cp "$PRETENDED_PACKAGES/../c++" "$PRETENDED_PACKAGES/../bin/c++"
done
)sh";

struct Machine {
  Scratch scratch;
  std::vector<std::pair<std::string, std::string>> environment;

  Machine() {
    fs::create_directories(scratch / "root/harness");
    fs::create_directories(scratch / "root/solutions");
    fs::create_directories(scratch / "packages");
    fs::copy_file(fs::path(KATA_SOURCE_DIR) / "harness/kata", scratch / "root/harness/kata");
    scratch.write("root/CMakeLists.txt", "");
    scratch.write("root/CMakePresets.json", "{}");
    scratch.write("root/exercises/CMakeLists.txt", "");
    scratch.write("root/harness/cli/list.cpp", "");
    scratch.write("root/harness/cli/main/kata.cpp", "{add_check, add_list,\n add_keep_profiles}");
    scratch.write("root/harness/cli/main/kata_check.cpp", "{add_check}");
    fs::create_directories(scratch / "root/docs");
    fs::copy_file(fs::path(KATA_SOURCE_DIR) / "docs/commands.md",
                  scratch / "root/docs/commands.md");
    scratch.write("packages/libfmt-dev", "");
    for (const char* tool : {"sh", "cat", "chmod", "cp", "find", "flock", "grep", "mkdir", "nproc",
                             "readlink", "rm", "sed", "sleep", "tail", "touch", "date"}) {
      const fs::path program = kata::find_program(tool);
      fs::create_directories(scratch / "bin");
      if (!program.empty()) fs::create_symlink(program, scratch / "bin" / tool);
    }
    scratch.write_program("bin/ninja",
                          "#!/bin/sh\n"
                          "echo 'c++ -MF x -o dir/large.cxx.o -c dir/large.cxx'\n"
                          "echo 'c++ -o dir/small.cpp.o -c small.cpp'\n");
    scratch.write_program("bin/id", "#!/bin/sh\necho ${PRETENDED_USER:-0}\n");
    scratch.write_program("bin/cmake", pretended_cmake);
    scratch.write_program("bin/ctest",
                          "#!/bin/sh\n"
                          "echo \"ctest $*\" >>\"$TOOLS_LOG\"\n"
                          "exit ${PRETENDED_CTEST:-0}\n");
    scratch.write_program("bin/apt-get", pretended_apt_get);
    scratch.write_program("bin/apt-cache", "#!/bin/sh\n");
    scratch.write_program("c++", pretended_compiler);
    fs::copy_file(scratch / "c++", scratch / "bin/c++");
    environment = {{"PATH", scratch / "bin"},
                   {"TOOLS_LOG", scratch / "tools.log"},
                   {"PRETENDED_PACKAGES", scratch / "packages"},
                   {"CI", ""},
                   {"CXX", ""},
                   {"CMAKE_PREFIX_PATH", ""},
                   {"KATA_BUILD", ""}};
  }

  void set(const std::string& name, const std::string& value) {
    for (auto& entry : environment) {
      if (entry.first == name) {
        entry.second = value;
        return;
      }
    }
    environment.emplace_back(name, value);
  }

  kata::Finished start(std::vector<std::string> arguments, const std::string& launcher = {}) {
    arguments.insert(arguments.begin(),
                     launcher.empty() ? (scratch / "root/harness/kata").string() : launcher);
    const auto finished = kata::run({.arguments = arguments,
                                     .environment = environment,
                                     .folder = scratch.path(),
                                     .time_limit_s = 60});
    REQUIRE(finished);
    return *finished;
  }

  std::string tools_log() const { return content_of(scratch / "tools.log"); }
  void forget_tools_log() const { fs::remove(scratch / "tools.log"); }
};

}  // namespace

TEST_CASE("the first start builds and runs the program, the second only runs it") {
  Machine machine;
  CHECK(machine.start({"check", "x", "--json"}).output == "program: check x --json\n");
  CHECK(contains(machine.tools_log(), "cmake --build"));

  machine.forget_tools_log();
  const auto second = machine.start({"check", "y"});
  CHECK(second.output == "program: check y\n");
  CHECK(second.errors == "");
  CHECK(machine.tools_log() == "");
}

TEST_CASE("the first check waits for what a check needs, the first other command for the rest") {
  Machine machine;
  machine.start({"--yes", "check", "x"});
  CHECK(contains(machine.tools_log(), "--target kata-check entry_points"));
  CHECK_FALSE(fs::exists(machine.scratch / "root/build/kata"));

  machine.forget_tools_log();
  const auto list = machine.start({"list"});
  CHECK(list.output == "program: list\n");
  CHECK(contains(machine.tools_log(), "--target kata entry_points"));
  CHECK(contains(list.errors, "Now the other commands are built, once"));  // a second build is news
  CHECK(contains(list.errors, "building the other commands"));
}

TEST_CASE("the worker for a GPU is built where there is a GPU, which may come later") {
  const bool has_gpu = fs::exists("/dev/nvidiactl") || fs::exists("/dev/dxg");
  Machine machine;
  machine.start({"check", "x"});
  CHECK(contains(machine.tools_log(), "entry_points gpu_worker") == has_gpu);
  const char* const built = has_gpu ? ".kata-check-gpu_worker-built" : ".kata-check-built";
  CHECK(fs::exists(machine.scratch / "root/build" / built));
}

TEST_CASE("what counts in nvcc's machine code is built when a check shows counters") {
  Machine machine;
  machine.start({"check", "x"});
  CHECK_FALSE(contains(machine.tools_log(), "kata_machine_code"));
  machine.start({"check", "x", "-v"});
  CHECK(contains(machine.tools_log(), "kata_machine_code"));

  machine.forget_tools_log();
  machine.start({"check", "x"});
  machine.start({"check", "x", "--lines"});
  CHECK(machine.tools_log() == "");
}

TEST_CASE("the version and an answer to a mistyped command wait for no more than a check does") {
  Machine machine;
  for (const char* word : {"--version", "chekc", "sofmax"}) {
    machine.start({word});
    CAPTURE(machine.tools_log());
    CHECK_FALSE(contains(machine.tools_log(), "--target kata "));
  }
  machine.start({"keep-profiles", "relu"});
  CHECK(contains(machine.tools_log(), "--target kata "));
}

TEST_CASE("help waits for no build") {
  Machine machine;
  const auto all = machine.start({"--help"});
  CHECK(all.exit_status == 0);
  CHECK(contains(all.output, "Usage: kata [OPTIONS]"));
  CHECK(contains(machine.start({"list", "--help"}).output, "Usage: kata list"));
  CHECK_FALSE(contains(machine.tools_log(), "cmake"));
  machine.start({"list"});
  CHECK(machine.start({"list", "--help"}).output == "program: list --help\n");
}

namespace {

/// A machine whose calendar takes half a minute from call to call.
struct Terminal : Machine {
  Terminal() {
    set("TERM", "xterm");
    set("SHELL", "/bin/sh");
    fs::remove(scratch / "bin/date");
    scratch.write("seconds", "");
    set("SECONDS_FILE", scratch / "seconds");
    scratch.write_program("bin/date",
                          "#!/bin/sh\n"
                          "echo 30 >>\"$SECONDS_FILE\"\n"
                          "sum=0; while read -r more; do sum=$((sum + more)); done "
                          "<\"$SECONDS_FILE\"; echo $sum\n");
    replace_sleep("exit 1\n");  // no seconds pass but these
  }

  void replace_sleep(const std::string& text) const {
    fs::remove(scratch / "bin/sleep");
    scratch.write_program("bin/sleep", "#!/bin/sh\n" + text);
  }

  /// Empty where there is no script(1) to pretend a terminal with.
  std::string shown(const std::string& command) {
    const fs::path script = kata::find_program("script");
    if (script.empty()) return {};
    const std::string launcher = (scratch / "root/harness/kata").string();
    return start({"-qec", launcher + " " + command, "/dev/null"}, script.string()).output;
  }
};

}  // namespace

TEST_CASE("a build at a terminal shows how far it is, since when, and how long it still takes") {
  const std::string output = Terminal().shown("list");
  if (output.empty()) return kata::test::skip("there is no script(1)");
  CAPTURE(output);
  CHECK(contains(output, "building kata 52%, 30 s, about 27 s left"));  // 12 of 23
}

TEST_CASE("while one file is compiled at a terminal, the seconds go on") {
  Terminal terminal;
  terminal.start({"list"});  // configures
  fs::last_write_time(terminal.scratch / "root/harness/cli/list.cpp",
                      fs::file_time_type::clock::now() + std::chrono::seconds(1));
  terminal.set("PRETENDED_BUILD", "waits_for_ticks");
  terminal.set("TICKED", terminal.scratch / "ticked");
  REQUIRE(mkfifo((terminal.scratch / "ticked").c_str(), 0600) == 0);
  terminal.replace_sleep(
      "[ -e \"$TICKED.once\" ] || { : >\"$TICKED.once\"; exit 0; }\n"
      "echo >\"$TICKED\"; exit 1\n");
  const std::string output = terminal.shown("list");
  if (output.empty()) return kata::test::skip("there is no script(1)");
  CAPTURE(output);
  CHECK(contains(output, "90 s"));  // the tick's, beside those of the two lines of the build
}

TEST_CASE("the program's exit status is the launcher's") {
  Machine machine;
  machine.set("PROGRAM_STATUS", "77");
  CHECK(machine.start({}).exit_status == 77);
}

TEST_CASE("a change in the harness is built before the program runs") {
  Machine machine;
  machine.start({});
  machine.forget_tools_log();
  fs::last_write_time(machine.scratch / "root/harness/cli/list.cpp",
                      fs::file_time_type::clock::now() + std::chrono::seconds(1));
  machine.start({});
  CHECK(contains(machine.tools_log(), "cmake --build"));
}

TEST_CASE("a change during a build is built by the next start") {
  Machine machine;
  machine.set("PRETENDED_BUILD", "sees_an_edit");
  machine.start({});
  machine.forget_tools_log();
  machine.set("PRETENDED_BUILD", "");
  machine.start({});
  CHECK(contains(machine.tools_log(), "cmake --build"));
}

TEST_CASE("an edited exercise is no reason to build the program") {
  Machine machine;
  machine.scratch.write("root/exercises/x/x.cu", "");
  machine.start({});
  machine.forget_tools_log();
  fs::last_write_time(machine.scratch / "root/exercises/x/x.cu",
                      fs::file_time_type::clock::now() + std::chrono::seconds(1));
  machine.start({});
  CHECK(machine.tools_log() == "");
}

TEST_CASE("the launcher finds its tree through links") {
  Machine machine;
  fs::create_symlink("root/harness/kata", machine.scratch / "link");
  fs::create_symlink("link", machine.scratch / "link to link");
  CHECK(machine.start({"list"}, machine.scratch / "link to link").output == "program: list\n");
}

TEST_CASE("a tree that was moved with its build folder is built again") {
  Machine machine;
  machine.start({});
  machine.forget_tools_log();
  fs::rename(machine.scratch / "root", machine.scratch / "moved");
  machine.start({}, machine.scratch / "moved/harness/kata");
  CHECK(contains(machine.tools_log(), "--fresh"));
}

TEST_CASE("KATA_BUILD names another build folder") {
  Machine machine;
  machine.set("KATA_BUILD", machine.scratch / "elsewhere");
  CHECK(machine.start({"list"}).output == "program: list\n");
  CHECK(fs::exists(machine.scratch / "elsewhere/kata"));
  CHECK_FALSE(fs::exists(machine.scratch / "root/build"));
}

TEST_CASE("ctest at the root follows the build folder that was used last") {
  Machine machine;
  machine.set("KATA_BUILD", machine.scratch / "elsewhere");
  machine.start({"list"});
  machine.set("KATA_BUILD", "");
  machine.start({"list"});
  CHECK(contains(content_of(machine.scratch / "root/CTestTestfile.cmake"), "root/build"));
  machine.set("KATA_BUILD", machine.scratch / "elsewhere");
  machine.start({"list"});
  CHECK(contains(content_of(machine.scratch / "root/CTestTestfile.cmake"), "elsewhere"));
}

TEST_CASE("kata test runs the tests of the harness, and says how they ended") {
  Machine machine;
  fs::remove(machine.scratch / "bin/nproc");  // a link to the real one
  machine.scratch.write_program("bin/nproc", "#!/bin/sh\necho 4\n");
  CHECK(machine.start({"test"}).exit_status == 0);
  CHECK(contains(machine.tools_log(), "--preset selftest"));
  CHECK(contains(machine.tools_log(), "ctest --test-dir"));
  CHECK(contains(machine.tools_log(), "-R ^harness[.]"));  // not the person's exercises
  CHECK(contains(machine.tools_log(), "--no-tests=error"));
  CHECK(contains(machine.tools_log(), "-j 5"));  // one more than cores: some tests wait

  machine.set("PRETENDED_CTEST", "8");
  CHECK(machine.start({"test"}).exit_status == 1);
}

TEST_CASE("kata test and practice share one build folder") {
  Machine machine;
  const auto configured = [&] { return contains(machine.tools_log(), "--preset"); };
  machine.start({"list"});
  machine.start({"test"});
  CHECK(contains(machine.tools_log(), "--preset selftest"));
  machine.forget_tools_log();
  machine.start({"list"});
  machine.start({"test"});
  CHECK_FALSE(configured());

  machine.set("CI", "true");  // now warnings are errors
  machine.start({"test"});
  CHECK(configured());
}

TEST_CASE("what is missing is named with the command that installs it") {
  Machine machine;
  fs::remove(machine.scratch / "bin/c++");
  fs::remove(machine.scratch / "bin/ninja");
  const auto finished = machine.start({"list"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "a C++20 compiler"));
  CHECK(contains(finished.errors, "Ninja or Make"));
  CHECK(contains(finished.errors, "apt-get install g++ ninja-build"));
  CHECK_FALSE(contains(machine.tools_log(), "apt-get"));  // the question was not answered
}

TEST_CASE("a missing library alone is named") {
  Machine machine;
  fs::remove(machine.scratch / "packages/libfmt-dev");
  const auto finished = machine.start({"list"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "apt-get install libfmt-dev\""));
  CHECK(contains(finished.errors, "<fmt/core.h>"));
}

TEST_CASE("a compiler without its headers is a missing compiler") {
  Machine machine;
  machine.set("PRETENDED_COMPILER", "broken");
  const auto finished = machine.start({"list"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "c++ cannot compile a small program"));
}

TEST_CASE("with --yes, and in CI, what is missing is installed without a question") {
  Machine machine;
  fs::remove(machine.scratch / "bin/c++");
  fs::remove(machine.scratch / "packages/libfmt-dev");
  SUBCASE("--yes") {
    CHECK(machine.start({"list", "--yes"}).output == "program: list --yes\n");
  }
  SUBCASE("CI") {
    machine.set("CI", "true");
    CHECK(machine.start({"list"}).output == "program: list\n");
  }
  CHECK(contains(machine.tools_log(), "apt-get install --yes --no-install-recommends g++"));
}

TEST_CASE("a person who may not install learns whom to ask") {
  Machine machine;
  fs::remove(machine.scratch / "packages/libfmt-dev");
  machine.set("PRETENDED_USER", "1000");
  const auto finished = machine.start({"--yes"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "ask an administrator"));
}

TEST_CASE("an old CMake is named with its version") {
  Machine machine;
  machine.set("PRETENDED_CMAKE_VERSION", "3.22.1");
  const auto finished = machine.start({"list"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "CMake 3.22 is too old"));
}

TEST_CASE("a failed build shows the end of its log, and the next start tries again") {
  Machine machine;
  machine.set("PRETENDED_BUILD", "fails");
  const auto finished = machine.start({"list"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "relu.cpp:3: error: no such thing"));
  CHECK(contains(finished.errors, "root/build/kata-build.log"));

  machine.set("PRETENDED_BUILD", "");
  CHECK(machine.start({"list"}).output == "program: list\n");
}

TEST_CASE("a build that Ctrl-C interrupted is completed by the next start") {
  Machine machine;
  machine.set("PRETENDED_BUILD", "interrupted");
  const auto finished = machine.start({"list"});
  CHECK(finished.exit_status == 130);
  CHECK(contains(finished.errors, "interrupted"));

  machine.set("PRETENDED_BUILD", "");
  CHECK(machine.start({"list"}).output == "program: list\n");
}

TEST_CASE("a full disk is one clear line") {
  Machine machine;
  machine.set("PRETENDED_BUILD", "disk_full");
  const auto finished = machine.start({"list"});
  CHECK(finished.exit_status == 2);
  CHECK(contains(finished.errors, "the disk is full"));
}

TEST_CASE("a build folder that cannot be written is one clear line") {
  Machine machine;
  machine.scratch.write("a file", "");
  machine.set("KATA_BUILD", machine.scratch / "a file/build");
  const auto finished = machine.start({"list"});
  CHECK(finished.exit_status == 2);
  CHECK(kata::test::count_lines(finished.errors) == 1);
  CHECK(contains(finished.errors, "cannot write to the build folder"));
  CHECK(contains(finished.errors, "KATA_BUILD"));
}
