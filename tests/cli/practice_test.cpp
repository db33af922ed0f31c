// Where a person stands, and reset, in a tree and a home of their own.
#include <doctest/doctest.h>

#include "practice/reset.h"
#include "practice/state.h"
#include "scratch.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;
using namespace kata;
using kata::test::content_of;
using kata::test::Scratch;

namespace {

constexpr const char* stub_text = "// write the kernel\nvoid relu() {}\n";

struct Person {
  Scratch scratch;
  fs::path file = scratch / "exercises/relu/relu.cu";

  Person() {
    setenv("KATA_ROOT", scratch.path().c_str(), 1);
    setenv("KATA_HOME", (scratch / "home").c_str(), 1);
    scratch.write("exercises/relu/.stub.cu", stub_text);
    write(stub_text);
  }
  ~Person() {
    unsetenv("KATA_ROOT");
    unsetenv("KATA_HOME");
  }
  void write(const std::string& text) const { scratch.write("exercises/relu/relu.cu", text); }
};

}  // namespace

TEST_CASE("the state is that of the last check of this very text") {
  const Person person;
  CHECK(state_of("relu") == State::not_started);

  person.write("first try");
  CHECK(state_of("relu") == State::untested);
  CHECK(remember("relu", "first try", Verdict::fail));
  CHECK(state_of("relu") == State::fails);

  person.write("second try");
  CHECK(state_of("relu") == State::changed);
  CHECK(remember("relu", "second try", Verdict::pass));
  CHECK(state_of("relu") == State::passes);

  person.write("first try");  // gone back: what was known of it still holds
  CHECK(state_of("relu") == State::fails);
  CHECK(remember("relu", "first try", Verdict::error));
  CHECK(state_of("relu") == State::does_not_compile);
}

TEST_CASE("a stub with a comment added is still not started") {
  const Person person;
  person.write(std::string("// notes to myself\n\n") + stub_text);
  CHECK(state_of("relu") == State::not_started);
}

TEST_CASE("an exercise that was deleted is said to be absent") {
  const Person person;
  fs::remove(person.file);
  CHECK(state_of("relu") == State::absent);
}

TEST_CASE("a damaged state file is no worse than none") {
  const Person person;
  person.write("try");
  for (const char* damage : {"", "{", "[1, {}]", "{\"text\": 1}", "[{\"text\": 3}]"}) {
    person.scratch.write("home/results/relu.json", damage);
    CHECK(state_of("relu") == State::untested);
    CHECK(remember("relu", "try", Verdict::pass));
    CHECK(state_of("relu") == State::passes);
  }
}

TEST_CASE("a home that cannot be written stops nothing") {
  const Person person;
  person.write("try");
  person.scratch.write("home", "a file where the folder would be");
  CHECK_FALSE(remember("relu", "try", Verdict::pass));
  CHECK(state_of("relu") == State::untested);
}

TEST_CASE("reset brings the stub back and keeps the text") {
  const Person person;
  person.write("an hour of work");
  CHECK(differs_from_stub("relu"));
  const auto kept = reset_exercise("relu");
  REQUIRE(kept);
  CHECK(content_of(person.file) == stub_text);
  CHECK(content_of(*kept) == "an hour of work");

  person.write("another hour");  // within the same second: neither text may be lost
  const auto kept_too = reset_exercise("relu");
  REQUIRE(kept_too);
  CHECK(content_of(*kept) == "an hour of work");
  CHECK(content_of(*kept_too) == "another hour");
}

TEST_CASE("reset brings a deleted exercise back") {
  const Person person;
  fs::remove(person.file);
  const auto kept = reset_exercise("relu");
  REQUIRE(kept);
  CHECK(kept->empty());
  CHECK(content_of(person.file) == stub_text);
}

TEST_CASE("reset changes nothing if the text cannot be kept") {
  const Person person;
  person.write("an hour of work");
  person.scratch.write("home", "a file where the folder would be");
  CHECK_FALSE(reset_exercise("relu"));
  CHECK(content_of(person.file) == "an hour of work");
}

TEST_CASE("a file is written whole or not at all") {
  const Scratch scratch;
  CHECK(write_file(scratch / "deep/er/file", "text") == "");
  CHECK(content_of(scratch / "deep/er/file") == "text");
  CHECK(write_file("/dev/full/file", "text") != "");
  fs::create_directories(scratch / "folder/below");
  CHECK(write_file(scratch / "folder", "text") != "");
  for (const auto& entry : fs::directory_iterator(scratch.path())) {
    const std::string name = entry.path().filename();
    CHECK((name == "deep" || name == "folder"));  // no temporary file is left behind
  }
}
