// The Debian package, as a person has it who never saw the clone: read-only, in another place.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "scratch.h"
#include "skip.h"
#include "support/process.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::content_of;
using kata::test::Scratch;

namespace {

std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

struct Package {
  Scratch scratch;
  fs::path system = scratch / "system";

  Package() {
    const auto made = kata::run({.arguments = {"cpack", "-G", "DEB", "-B", scratch / "made"},
                                 .folder = KATA_BINARY_DIR,
                                 .time_limit_s = 300});
    REQUIRE(made);
    INFO(made->output << made->errors);
    REQUIRE(made->exit_status == 0);
    for (const auto& entry : fs::directory_iterator(scratch / "made")) {
      if (entry.path().extension() != ".deb") continue;
      const auto unpacked = kata::run({.arguments = {"dpkg-deb", "-x", entry.path(), system}});
      REQUIRE(unpacked);
      REQUIRE(unpacked->exit_status == 0);
    }
  }

  kata::Finished start(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), system / "usr/bin/kata");
    const auto finished = kata::run({.arguments = arguments,
                                     .environment = {{"HOME", scratch / "home"},
                                                     {"KATA_ROOT", ""},
                                                     {"KATA_HOME", ""},
                                                     {"KATA_CACHE", ""},
                                                     {"XDG_STATE_HOME", ""},
                                                     {"XDG_CONFIG_HOME", ""},
                                                     {"XDG_CACHE_HOME", ""},
                                                     {"NO_COLOR", "1"}},
                                     .folder = scratch.path(),
                                     .time_limit_s = 120});
    REQUIRE(finished);
    return *finished;
  }

  fs::path exercise() const { return scratch / "home/kata/exercises/relu/relu.cu"; }
};

}  // namespace

TEST_CASE(
    "--on takes a machine with the clone that the package was made of, and one with the package" *
    doctest::test_suite("slow")) {
  if (kata::find_program("dpkg-shlibdeps").empty())
    return kata::test::skip("dpkg-shlibdeps is not installed");
  const Package package;
  package.start({"init"});
  package.scratch.write("home/kata/exercises/relu/relu.cu",
                        content_of(KATA_SOURCE_DIR "/solutions/relu/1_thread_per_element.cu"));
  const auto ssh = package.scratch.write_program(
      "ssh", "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n");
  package.scratch.write_program("clone/harness/kata",
                                "#!/bin/sh\nexec '" KATA_BINARY_DIR "/kata' \"$@\"\n");
  for (const fs::path& there : {package.system / "usr", package.scratch / "clone"}) {
    CAPTURE(there);
    package.start({"remote", "add", "lab", "--host", "lab", "--ssh", ssh, "--folder", there});
    const auto ready = package.start({"remote", "setup", "lab"});
    INFO(ready.errors);
    CHECK(contains(ready.output, "lab is ready"));
    const auto checked = package.start({"check", "relu", "--backend", "emulator", "--on", "lab"});
    INFO(checked.errors);
    CHECK(checked.exit_status == 0);
  }
  package.scratch.write("system/usr/lib/kata/harness/version", "another");
  CHECK(contains(package.start({"check", "relu", "--backend", "emulator", "--on", "lab"}).errors,
                 "Install the same package there"));
}

TEST_CASE("the package practises in a folder of the person's and writes nothing in its own" *
          doctest::test_suite("slow")) {
  if (kata::find_program("dpkg-shlibdeps").empty())
    return kata::test::skip("dpkg-shlibdeps is not installed");
  const Package package;
  fs::permissions(package.system / "usr/lib/kata", fs::perms::owner_write,
                  fs::perm_options::remove);
  const std::vector<std::string> before = files_below(package.system);

  CHECK(contains(package.start({"check", "relu"}).errors, "init"));
  CHECK(contains(package.start({"init"}).output, "exercises added"));
  CHECK(package.start({"check", "relu"}).exit_status == 77);
  const fs::path folder = package.scratch / "home/kata";
  CHECK(contains(content_of(package.exercise()), "// Check it: kata check relu\n"));
  CHECK(contains(content_of(folder / ".vscode/tasks.json"), "\"command\": \"kata\""));
  CHECK(fs::exists(folder / ".vscode/kata.code-snippets"));
  CHECK(fs::exists(folder / ".vim/ftplugin/cuda/kata.vim"));
  const std::string rung =
      content_of(package.system / "usr/lib/kata/solutions/relu/1_thread_per_element.cu");
  package.scratch.write("home/kata/exercises/relu/relu.cu", rung);
  CHECK(package.start({"check", "relu", "--backend", "emulator"}).exit_status == 0);
  CHECK(package.start({"show", "relu"}).exit_status == 0);
  CHECK(contains(package.start({"hint", "relu"}).output, "Hint 1"));
  CHECK(package.start({"report", "relu"}).exit_status == 0);
  const auto site = package.start({"site", "--out", package.scratch / "site"});
  CHECK(site.exit_status == 0);
  CHECK(site.errors == "");  // no link leads nowhere
  package.scratch.write("program.cu",
                        "#include <cstdio>\n__global__ void k() { printf(\"hello\\n\"); }\n"
                        "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n");
  CHECK(contains(package.start({"run", "program.cu"}).output, "hello"));

  CHECK(contains(package.start({"init"}).output, "1 with your text kept"));
  CHECK(content_of(package.exercise()) == rung);
  CHECK(files_below(package.system) == before);

  // A newer package has another stub: the unchanged one follows, the solved file stays.
  for (const char* name : {"relu", "add"}) {
    package.scratch.write(std::string("system/usr/lib/kata/exercises/") + name + "/.stub.cu",
                          "// newer\n");
  }
  CHECK(contains(package.start({"init"}).output, "1 stubs renewed"));
  CHECK(content_of(package.exercise()) == rung);
  CHECK(content_of(package.scratch / "home/kata/exercises/add/add.cu") == "// newer\n");
}
