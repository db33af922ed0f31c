// Drills of the kind maths: every question can be made, and its truth earns all points.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <regex>
#include <set>

#include "desk.h"
#include "practice/drill/maths.h"
#include "practice/drill/maths_families.h"

using namespace kata;
using namespace kata::drill;

namespace {

std::string family_of(const Offer& offer) {
  return offer.name.substr(0, offer.name.find('/'));
}

/// What comes of a wrong answer: "it is 4 us".
std::string truth_of(Item& item, std::size_t question) {
  const auto judged = item.judge(question, "0");
  REQUIRE(judged);
  CHECK(judged->got == 0);
  const std::string truth = judged->why.substr(std::string("it is ").size());
  return truth.substr(0, truth.find(' '));  // without its unit
}

int score_of(Item& item) {
  int score = 0;
  for (std::size_t i = 0; i < item.questions().size(); ++i) {
    const std::string truth = truth_of(item, i);
    CAPTURE(truth);
    CHECK(number_from(truth).value_or(-1) >= 0);
    score += item.judge(i, truth)->got;
  }
  return score;
}

const std::set<std::string> run_in_the_emulator = {"stride", "conflicts", "atomics"};

}  // namespace

TEST_CASE("the truth of every question earns all points") {
  std::set<std::string> topics;
  for (const Offer& offer : maths_offers("")) {
    topics.insert(offer.topic);
    if (run_in_the_emulator.contains(family_of(offer))) continue;
    CAPTURE(offer.name);
    const auto item = make_maths(offer);
    REQUIRE(item);
    CHECK(score_of(**item) == 100);
    CHECK((*item)->explanation().size() > 10);
  }
  MESSAGE("maths: " << topics.size() << " families");
  CHECK(topics.size() >= 15);
}

TEST_CASE("an operator's question gives the extents of every array, tables and groups as well") {
  const auto text_of = [](const char* name) {
    const Problem* const problem = find_problem(name);
    const auto item = make_maths({.kind = Kind::maths,
                                  .name = std::string("bytes/") + name + "/1",
                                  .topic = "bytes",
                                  .problem = problem});
    REQUIRE(item);
    std::string text = (*item)->text();
    std::erase_if(text, [](char letter) { return letter == '\n' || letter == ' '; });
    for (const Parameter& one : problem->signature.tensors)
      CHECK(test::contains(text, one.name + "["));
    return text;
  };
  CHECK(test::contains(text_of("rope"), ",cosine[16384]["));
  CHECK(test::contains(text_of("w4a16_gemv"), "scale[11008][32]"));  // groups of 128
  CHECK(test::contains(text_of("rmsnorm"), "writeseveryelementofresidual["));
}

TEST_CASE("a resident block's limits are derived step by step, and the steps end at the answer") {
  static const std::regex smallest("The smallest applies: (\\d+)\\.");
  for (int i = 0; i < 30; ++i) {
    for (const char* family : {"occupancy", "tile"}) {
      const auto item = make_maths({.kind = Kind::maths,
                                    .name = fmt::format("{}/{}", family, i),
                                    .topic = family,
                                    .level = 1 + i % 3});
      REQUIRE(item);
      std::string steps = (*item)->explanation();
      std::ranges::replace(steps, '\n', ' ');
      std::smatch answer;
      REQUIRE(std::regex_search(steps, answer, smallest));
      std::vector<int> blocks;
      static const std::regex each("(\\d+) blocks?( of \\d+ warps)?\\.|most (\\d+) blocks?");
      for (std::sregex_iterator at(steps.begin(), steps.end(), each), end; at != end; ++at)
        blocks.push_back(std::stoi(at->str(1) + at->str(3)));
      REQUIRE(blocks.size() >= 3);
      CAPTURE(steps);
      CHECK(*std::ranges::min_element(blocks) == std::stoi(answer.str(1)));
    }
  }
}

TEST_CASE("loads are counted in the emulator: sectors of a stride, wavefronts of a column") {
  const test::Desk desk;
  setenv("KATA_ROOT", (desk.scratch / "tree").c_str(), 1);
  const auto made = [](const char* name) {
    return make_maths({.kind = Kind::maths, .name = name, .topic = ""});
  };
  const auto load = made("stride/0");
  REQUIRE(load);
  unsigned stride = 0, width = 0;
  const std::string loads = (*load)->text();
  REQUIRE(std::sscanf(loads.c_str() + loads.find('['), "[%u *", &stride) == 1);
  std::set<unsigned> sectors;
  for (unsigned lane = 0; lane < 32; ++lane) sectors.insert(4 * stride * lane / 32);
  CHECK(truth_of(**load, 0) == std::to_string(sectors.size()));
  CHECK(score_of(**load) == 100);

  const auto column = made("conflicts/0");
  REQUIRE(column);
  const std::string tile = (*column)->text();
  REQUIRE(std::sscanf(tile.c_str() + tile.find("tile["), "tile[32][%u]", &width) == 1);
  CHECK(truth_of(**column, 0) == std::to_string(std::gcd(width, 32U)));
  CHECK(score_of(**made("atomics/0")) == 100);
  unsetenv("KATA_ROOT");
}

TEST_CASE("an item asks the same again, and another one something else") {
  const auto text = [](const std::string& name) {
    return (*make_maths({.kind = Kind::maths, .name = name, .topic = "", .level = 2}))->text();
  };
  CHECK(text("occupancy/1") == text("occupancy/1"));
  CHECK(text("occupancy/1") != text("occupancy/4"));
}

TEST_CASE("of an operator only questions about it") {
  for (const Offer& offer : maths_offers("sgemm")) CHECK(offer.problem->name == "sgemm");
  CHECK_FALSE(maths_offers("sgemm").empty());
}

TEST_CASE("near is worth something where a tolerance is stated, not where one counts") {
  const auto item = make_maths({.kind = Kind::maths, .name = "ridge/0", .topic = "", .level = 1});
  REQUIRE(item);
  const double truth = *number_from(truth_of(**item, 0));
  CHECK((*item)->judge(0, std::to_string(1.02 * truth))->got == 50);
  CHECK((*item)->judge(0, std::to_string(1.6 * truth))->got == 12);
  CHECK((*item)->judge(0, std::to_string(3 * truth))->got == 0);
  const auto exact = make_maths({.kind = Kind::maths, .name = "grid/0", .topic = "", .level = 1});
  REQUIRE(exact);
  const double blocks = *number_from(truth_of(**exact, 0));
  CHECK((*exact)->judge(0, std::to_string(blocks + 1))->got == 0);
}

TEST_CASE("numbers as people write them") {
  CHECK(number_from("2^24") == 16777216);
  CHECK(number_from("1,536") == 1536);
  CHECK(number_from("37.5 %", Unit::percent) == 37.5);
  CHECK(number_from("48 KiB", Unit::bytes) == 49152);
  CHECK(number_from("1.2e9") == 1.2e9);
  CHECK(number_from("1.5 times") == 1.5);
  for (const char* two : {"about 2", "~2", "2x", "two", "a factor of two", "2.", "twice", "x2",
                          "roughly 2 times", "≈ 2", "6 / 3", "1 x 2"}) {
    CAPTURE(two);
    CHECK(number_from(two) == 2);
  }
  CHECK(number_from("3 * 2^10") == 3072);
  CHECK(number_from("48 kib", Unit::bytes) == 49152);
  CHECK(number_from("48 KiB bytes", Unit::bytes) == 49152);
  CHECK(number_from("3 million") == 3e6);
  CHECK(number_from("3.8 TB/s", Unit::gb_per_s) == 3800);
  for (const char* wrong :
       {"", "many", "1,4,5", "12 34", "2^", "inf", "2 or 3", "2-3", "twenty two"}) {
    CAPTURE(wrong);
    CHECK_FALSE(number_from(wrong));
  }
  CHECK_FALSE(number_from("200 us"));  // of a factor
  CHECK_FALSE(number_from("12 GB/s", Unit::us));
  CHECK_FALSE(number_from("128", Unit::percent));
  CHECK(number_from("0.79 %", Unit::percent) == 0.79);
  CHECK(number_from("1.75 ms", Unit::us) == 1750);
  CHECK(number_from("a hundred") == 100);
  CHECK(number_from("two and a half times") == 2.5);
}

TEST_CASE("a number of something else than what is asked for is asked again, not misread") {
  CHECK(number_from("64M floats") == 64e6);
  CHECK_FALSE(number_from("64M floats", Unit::bytes));
  CHECK_FALSE(number_from("16 elements", Unit::bytes));
  for (const char* bytes : {"1 TB", "48 KiB", "3 bytes", "2 megabytes"}) {
    CAPTURE(bytes);
    CHECK_FALSE(number_from(bytes));
    CHECK_FALSE(number_from(bytes, Unit::us));
    CHECK_FALSE(number_from(bytes, Unit::gb_per_s));
  }
}

TEST_CASE(
    "a KB has 1024 bytes where bytes are counted, and may have 1000 where they are estimated") {
  for (const char* typed : {"24kb", "24 KB", "24 KiB", "24k", "24 kilobytes", "24 KB per block"}) {
    CAPTURE(typed);
    CHECK(number_from(typed, Unit::bytes) == 24576);
  }
  CHECK(number_from("64k") == 64000);
  const auto item = numbers_item({.setting = "",
                                  .numbers = {{"How many exactly?", 24576, 0, "", Unit::bytes},
                                              {"How many?", 268435456, 0.03, "", Unit::bytes}}},
                                 "");
  CHECK(item->judge(0, "24 kb")->got == 50);
  CHECK(item->judge(0, "24.576 kb")->got == 0);
  CHECK(item->judge(1, "256 MB")->got == 50);
  CHECK(item->judge(1, "268 MB")->got == 50);
}

TEST_CASE("the bytes of tiles in shared memory may be typed in KB") {
  const auto tile = std::ranges::find(chip_families(), std::string("tile"), &Family::name);
  drill::Draw draw("any");
  const auto exercise = tile->make(draw, 1, nullptr);
  REQUIRE(exercise);
  const Number& bytes = exercise->numbers.front();
  const auto item = numbers_item(*exercise, "");
  CHECK(item->judge(0, fmt::format("{} KB", bytes.truth / 1024))->got ==
        item->questions()[0].points);
}

TEST_CASE("a percentage may be typed as a share") {
  const auto item = numbers_item({.setting = "",
                                  .numbers = {{"What percentage?", 0.65, 0.05, "", Unit::percent},
                                              {"What percentage?", 75, 0.05, "", Unit::percent}}},
                                 "");
  for (const char* typed : {"0.0065", "0.65", "0.65 %"}) CHECK(item->judge(0, typed)->got == 50);
  CHECK(item->judge(0, "0.0065 %")->got == 0);
  CHECK(item->judge(1, "0.75")->got == 50);
  CHECK_FALSE(item->judge(1, "0.5"));
}

TEST_CASE("a share below 1 and a negative count are refused with the number that was meant") {
  const auto item = numbers_item(
      {.setting = "",
       .numbers = {{"What percentage?", 42.3, 0.05, "", Unit::percent}, {"How many?", 8, 0, ""}}},
      "");
  CHECK(item->judge(0, "0.4").error().message == "0.4 is less than 1 %. Type 40 for 40 %.");
  CHECK_FALSE(item->judge(1, "-5"));
}
