#pragma once
// A person with a tree and a home of their own.

#include <cstdlib>

#include "scratch.h"

namespace kata::test {

inline constexpr const char* stub_text = "// write the kernel\nvoid relu() {}\n";

struct Person {
  Scratch scratch;
  std::filesystem::path home = scratch / "home";
  std::filesystem::path database = home / "history.db";
  std::filesystem::path file = scratch / "exercises/relu/relu.cu";

  Person() {
    setenv("KATA_ROOT", scratch.path().c_str(), 1);
    setenv("KATA_HOME", home.c_str(), 1);
    scratch.write("exercises/relu/.stub.cu", stub_text);
    write(stub_text);
  }
  ~Person() {
    unsetenv("KATA_ROOT");
    unsetenv("KATA_HOME");
  }
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;

  void write(const std::string& text) const { scratch.write("exercises/relu/relu.cu", text); }
};

}  // namespace kata::test
