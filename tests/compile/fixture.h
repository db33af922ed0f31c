#pragma once
// A cache of its own for a test, and compile() in a line.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "scratch.h"

namespace kata::test {

/// Sets an environment variable, and puts the old value back.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    const char* before = std::getenv(name);
    if (before) before_ = before;
    had_ = before != nullptr;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (had_) {
      setenv(name_, before_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

/// The precompiled headers are shared by all tests: making them costs more than a test.
struct Compiler {
  Scratch files;
  Environment cache{"KATA_CACHE", shared_cache().string()};

  static std::filesystem::path shared_cache() {
    static const Scratch scratch;
    return scratch.path();
  }

  Result<Module> operator()(const std::string& name, const std::string& text) {
    return compile({.source = files.write(name, text)});
  }
};

inline bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace kata::test
