// Room between the variables of an object file.
#include "compile/gaps.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "compilers.h"
#include "fixture.h"
#include "support/files.h"
#include "support/process.h"

using namespace kata;
using namespace kata::test;

namespace {

std::string output_of(std::vector<std::string> command) {
  const Result<Finished> finished = run({.arguments = std::move(command)});
  REQUIRE(finished);
  INFO(finished->errors);
  REQUIRE(finished->exit_status == 0);
  return finished->output;
}

/// By name, the addresses of variables.
std::map<std::string, std::uint64_t> addresses(const std::string& module) {
  std::map<std::string, std::uint64_t> result;
  std::istringstream lines(output_of({"nm", "--defined-only", module}));
  for (std::string address, kind, name; lines >> address >> kind >> name;)
    result[name] = std::strtoull(address.c_str(), nullptr, 16);
  return result;
}

}  // namespace

TEST_CASE("variables lie apart, hold what they held, and nothing else is moved") {
  for (const std::string& compiler : kata::test::compilers()) {
    CAPTURE(compiler);
    const Scratch folder;
    const auto source = folder.write("a.cpp", R"(
extern "C" {
int zeros[1000]; char byte; int numbers[3] = {1, 2, 3}; double number = 0.5;
extern const int fixed[4]; const int fixed[4] = {5, 6, 7, 8};
int* pointer = &numbers[2]; const char* text = "text"; thread_local int own = 3;
}
int main() {
  bool right = zeros[999] == 0 && numbers[1] == 2 && number == 0.5 && fixed[3] == 8;
  return right && *pointer == 3 && text[3] == 't' && own == 3 && byte == 0 ? 0 : 1;
}
)");
    const auto object = folder.path() / "a.o", program = folder.path() / "a";
    output_of({compiler, "-fdata-sections", "-fPIC", "-c", source, "-o", object});
    add_gaps(object);
    output_of({compiler, object, "-o", program});
    output_of({program});
    const auto at = addresses(program);
    const std::map<std::string, std::uint64_t> sizes{
        {"zeros", 4000}, {"byte", 1}, {"numbers", 12}, {"number", 8}, {"pointer", 8}, {"text", 8}};
    for (const auto& one : sizes) {
      const std::uint64_t size = one.second, begin = at.at(one.first);
      for (const auto& other : at) {
        if (other.second <= begin || !sizes.contains(other.first)) continue;
        CAPTURE(one.first);
        CAPTURE(other.first);
        CHECK(other.second - begin >= size + std::max<std::uint64_t>(size, 256));
      }
    }
  }
}

TEST_CASE("a file that is no object file stays as it is") {
  const Scratch folder;
  const std::string magic =
      "\x7f"
      "ELF\x02";
  for (const std::string& text : {std::string(), magic, std::string(5000, 'x'),
                                  magic + std::string(11, '\0') + "\x01" + std::string(200, '\xff'),
                                  magic + std::string(100, '\xff')}) {
    const auto file = folder.write("x.o", text);
    add_gaps(file);
    CHECK(read_file(file) == text);
  }
}
