// Where a person stands, and reset, in a tree and a home of their own.
#include <doctest/doctest.h>

#include "person.h"
#include "practice/exercise/reset.h"
#include "practice/history.h"
#include "practice/state.h"
#include "support/files.h"

namespace fs = std::filesystem;
using namespace kata;
using kata::test::content_of;
using kata::test::Person;
using kata::test::Scratch;
using kata::test::stub_text;

namespace {

kata::State state_of_relu() {
  return state_of("relu", History::open());
}

void checked(const std::string& text, Verdict verdict) {
  Result<History> history = History::open();
  REQUIRE(history);
  REQUIRE(history->add(Attempt{.operator_name = "relu", .verdict = verdict, .text = text}));
}

std::string kept_text(std::int64_t id) {
  return History::open()->attempt(id)->value().text.value();
}

}  // namespace

TEST_CASE("the state is that of the last check of this very text") {
  const Person person;
  CHECK(state_of_relu() == kata::State::not_started);

  person.write("first try");
  CHECK(state_of_relu() == kata::State::untested);
  checked("first try", Verdict::fail);
  CHECK(state_of_relu() == kata::State::fails);

  person.write("second try");
  CHECK(state_of_relu() == kata::State::changed);
  checked("second try", Verdict::pass);
  CHECK(state_of_relu() == kata::State::passes);

  person.write("first try");  // gone back: what was known of it still holds
  CHECK(state_of_relu() == kata::State::fails);
  checked("first try", Verdict::error);
  CHECK(state_of_relu() == kata::State::does_not_compile);
}

TEST_CASE("a stub with a comment added is still not started") {
  const Person person;
  person.write(std::string("// notes to myself\n\n") + stub_text);
  CHECK(state_of_relu() == kata::State::not_started);
}

TEST_CASE("an exercise that was deleted is said to be absent") {
  const Person person;
  fs::remove(person.file);
  CHECK(state_of_relu() == kata::State::absent);
}

TEST_CASE("a home that cannot be written stops nothing") {
  const Person person;
  person.write("try");
  person.scratch.write("home", "a file where the folder would be");
  CHECK_FALSE(History::open());
  CHECK(state_of_relu() == kata::State::untested);
}

TEST_CASE("reset brings the stub back and keeps the text") {
  const Person person;
  person.write("an hour of work");
  CHECK(differs_from_stub("relu"));
  const auto kept = reset_exercise("relu", History::open());
  REQUIRE(kept);
  CHECK(content_of(person.file) == stub_text);
  CHECK(kept_text(kept->value()) == "an hour of work");

  person.write("another hour");  // within the same second: neither text may be lost
  const auto kept_too = reset_exercise("relu", History::open());
  REQUIRE(kept_too);
  CHECK(kept_text(kept->value()) == "an hour of work");
  CHECK(kept_text(kept_too->value()) == "another hour");
}

TEST_CASE("reset brings a deleted exercise back") {
  const Person person;
  fs::remove(person.file);
  const auto kept = reset_exercise("relu", History::open());
  REQUIRE(kept);
  CHECK_FALSE(kept->has_value());
  CHECK(content_of(person.file) == stub_text);
}

TEST_CASE("reset changes nothing if the text cannot be kept") {
  const Person person;
  person.write("an hour of work");
  person.scratch.write("home", "a file where the folder would be");
  CHECK_FALSE(reset_exercise("relu", History::open()));
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
