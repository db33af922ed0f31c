#pragma once
// Where a person works with the program that was built: a tree, and a home of one's own.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "scratch.h"
#include "snapshot.h"
#include "support/process.h"

namespace kata::test {

struct Desk {
  using Environment = std::vector<std::pair<std::string, std::string>>;

  Scratch scratch;
  double time_limit_s;  ///< of one start

  /// The tree has a launcher of its own: messages name it as they do in a clone, however long
  /// the path of the tree that is tested. Its solutions are a link: modules are kept by the real
  /// paths of their sources, so that the rungs are compiled once for all desks.
  explicit Desk(double limit_s = 120) : time_limit_s(limit_s) {
    if (std::filesystem::exists(spare())) {
      std::filesystem::rename(spare(), scratch / "tree");
    } else {
      make_tree(scratch / "tree");
    }
    static const Snapshot untouched(scratch / "tree");
    untouched.restore(scratch / "tree");
  }
  /// The next desk of this program gets the tree.
  ~Desk() {
    std::error_code failed;
    std::filesystem::rename(scratch / "tree", spare(), failed);
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// A copy instead of the link, for a test that changes it or looks at its paths.
  void own_solutions(const std::string& name) const {
    namespace fs = std::filesystem;
    const fs::path all = fs::path(KATA_SOURCE_DIR) / "solutions", own = scratch / "tree/solutions";
    fs::remove(own);
    fs::create_directory(own);
    for (const auto& entry : fs::directory_iterator(all)) {
      if (entry.path().filename() != name)
        fs::create_directory_symlink(entry.path(), own / entry.path().filename());
    }
    fs::copy(all / name, own / name);
  }

  Environment environment() const {
    return {{"KATA_ROOT", scratch / "tree"},
            {"KATA_HOME", scratch / "home"},
            {"KATA_LARGE_CASES", "off"},
            {"NO_COLOR", "1"},
            {"TERM", "xterm"}};
  }

  /// Through a pipe: what would be typed is the standard input.
  Finished start(std::vector<std::string> arguments, const std::string& input = {},
                 const Environment& more = {}) const {
    arguments.insert(arguments.begin(), KATA_BINARY_DIR "/kata");
    Environment all = more;
    for (const auto& [name, value] : environment()) {
      const auto same = [&name = name](const auto& one) { return one.first == name; };
      if (std::none_of(more.begin(), more.end(), same)) all.emplace_back(name, value);
    }
    const auto finished = run({.arguments = arguments,
                               .input = input,
                               .environment = all,
                               .folder = scratch / "tree",
                               .time_limit_s = time_limit_s});
    REQUIRE(finished);
    return *finished;
  }

  std::filesystem::path exercise(const std::string& name) const {
    return scratch / ("tree/exercises/" + name + "/" + name + ".cu");
  }
  void write(const std::string& name, const std::string& text) const {
    scratch.write("tree/exercises/" + name + "/" + name + ".cu", text);
  }
  /// Writes a file beside it and renames that, as many editors do.
  void write_by_rename(const std::string& name, const std::string& text) const {
    const auto other = scratch.write("tree/exercises/" + name + "/.new~", text);
    std::filesystem::rename(other, exercise(name));
  }
  /// "1_thread_per_element", ... in order (a ladder has at most nine here).
  std::vector<std::string> rungs(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(scratch / "tree/solutions" / name)) {
      const std::string file = entry.path().filename();
      if (file.ends_with(".cu") && file.front() >= '1' && file.front() <= '9')
        names.push_back(entry.path().stem());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string rung(const std::string& path) const {
    return content_of(scratch / ("tree/solutions/" + path));
  }
  /// Hands in the ladder's first rung.
  void solve(const std::string& name) const {
    namespace fs = std::filesystem;
    for (const auto& entry : fs::directory_iterator(scratch / "tree/solutions" / name)) {
      if (entry.path().filename().string().starts_with("1_")) write(name, content_of(entry.path()));
    }
  }

 private:
  static std::filesystem::path spare() {
    static const Scratch folder;
    return folder / "tree";
  }

  static void make_tree(const std::filesystem::path& tree) {
    namespace fs = std::filesystem;
    copy_exercises(KATA_SOURCE_DIR, tree);
    fs::create_directory_symlink(fs::path(KATA_SOURCE_DIR) / "solutions", tree / "solutions");
    fs::create_directory_symlink(fs::path(KATA_SOURCE_DIR) / "docs", tree / "docs");
    const fs::path harness = tree / "harness";
    fs::create_directory(harness);
    for (const auto& entry : fs::directory_iterator(fs::path(KATA_SOURCE_DIR) / "harness")) {
      const fs::path copy = harness / entry.path().filename();
      if (copy.filename() == "kata")
        fs::copy_file(entry.path(), copy);
      else
        fs::create_symlink(entry.path(), copy);
    }
  }
};

}  // namespace kata::test
