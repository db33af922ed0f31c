#pragma once
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "scratch.h"
#include "support/process.h"

namespace kata::test {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A copy of the exercises and solutions, a home of its own, and the program that was built.
struct Desk {
  Scratch scratch;
  double time_limit_s;  ///< of one start

  explicit Desk(double limit_s = 120) : time_limit_s(limit_s) {
    namespace fs = std::filesystem;
    copy_practice(KATA_SOURCE_DIR, scratch / "tree");
    fs::create_directory_symlink(fs::path(KATA_SOURCE_DIR) / "harness", scratch / "tree/harness");
  }

  Finished start(std::vector<std::string> arguments, const std::string& input = {},
                 const std::vector<std::pair<std::string, std::string>>& more = {}) const {
    arguments.insert(arguments.begin(), KATA_BINARY_DIR "/kata");
    std::vector<std::pair<std::string, std::string>> environment{
        {"KATA_ROOT", scratch / "tree"}, {"KATA_HOME", scratch / "home"}, {"KATA_REPORT_DIR", ""}};
    environment.insert(environment.end(), more.begin(), more.end());
    const auto finished = run({.arguments = arguments,
                               .input = input,
                               .environment = environment,
                               .folder = scratch / "tree",
                               .time_limit_s = time_limit_s});
    REQUIRE(finished);
    return *finished;
  }

  std::string exercise(const std::string& name) const {
    return content_of(scratch / ("tree/exercises/" + name + "/" + name + ".cu"));
  }
  void solve(const std::string& name) const {
    for (const auto& entry :
         std::filesystem::directory_iterator(scratch / "tree/solutions" / name)) {
      if (entry.path().filename().string().starts_with("1_")) {
        scratch.write("tree/exercises/" + name + "/" + name + ".cu", content_of(entry.path()));
      }
    }
  }
};

}  // namespace kata::test
