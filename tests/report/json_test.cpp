// A report as JSON: what --json promises, and what one process tells another.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/failing.h"
#include "report/json.h"
#include "report/text/text.h"
#include "scratch.h"

using namespace kata;
using kata::test::contains;
using kata::test::failing;
using Json = nlohmann::json;

TEST_CASE("a report comes back from its JSON as it was") {
  Report report = failing();
  report.error = "an error";
  report.cases_not_run = 3;
  report.counted_case = "4x4 normal";
  report.kernels = {{.name = "softmax_kernel", .grid = {17, 1, 1}, .block = {256, 1, 1}}};
  report.counts = {{.kind = RowKind::yours, .name = "yours", .launches = 2, .sectors = 7}};
  report.timing = {{.kind = RowKind::yours, .name = "yours", .size = "4x4", .median_us = 310.2}};
  report.level = Level{.rung = 2,
                       .of = 5,
                       .name = "2_warp_per_row",
                       .size = "4x4",
                       .sizes = {{"4x4", 2, 0.5}, {"8x8", 0, 0.9}},
                       .next = 3,
                       .of_best = 0.5};
  report.chip = "H200";
  report.estimates = {{.name = "1_thread_per_row", .size = "4x4", .us = 7, .registers = 32},
                      {.name = "2_warp_per_row", .extrapolated_from = "2x2", .error = "hangs"},
                      {.name = "3_online", .us = 8, .placed = true}};
  report.cases[1].sizes = "n = 17, vocabulary = 1023, dim = 4";
  report.cases.push_back({.name = "8388608 normal", .large = true});
  const std::string text = to_json_text(report);
  const std::optional<Report> back = report_from_json_text(text);
  REQUIRE(back);
  CHECK(to_json_text(*back) == text);
  for (const char* other :
       {"", "{", "[]", "{}", "{\"schema\": 2}", "{\"schema\": 1, \"cases\": 3}"}) {
    CHECK_FALSE(report_from_json_text(other));
  }
}

TEST_CASE("--json has the promised keys, and null where a number is none") {
  Report report = failing();
  report.kernels = {{.name = "softmax_kernel", .grid = {17, 1, 1}, .block = {256, 1, 1}}};
  report.timing = {{.kind = RowKind::yours, .name = "yours", .size = "4x4", .median_us = 310.2}};
  const Json json = Json::parse(to_json_text(report));
  CHECK(json["schema"] == 1);
  CHECK(json["operator"] == "softmax_rows");
  CHECK(json["verdict"] == "fail");
  CHECK(json["seed"] == 42);
  CHECK(json["cases_right"] == 1);
  CHECK(json["cases_of"] == 5);
  const Json& bad = json["cases"][1];
  CHECK(bad["max_error"].is_null());
  CHECK(bad["first_bad"]["got"].is_null());
  CHECK(bad["first_bad"]["index"] == Json{4, 1020});
  CHECK(bad["first_bad"]["output"] == "y");
  CHECK(bad["shape"] == Json{17, 1023});
  CHECK(bad["values"] == "sorted");
  CHECK(bad["first_bad"]["want"] == 0.00123);
  CHECK(bad["bad"] == 51);
  CHECK(bad["of"] == 17391);
  CHECK(json["findings"][1]["line"] == 31);
  CHECK(json["kernels"][0]["grid"] == Json{17, 1, 1});
  CHECK(json["kernels"][0]["global_load"]["accesses"] == 0);
  for (const char* key : {"requests", "sectors", "ideal_sectors"})
    CHECK(json["kernels"][0]["global_store"][key] == 0);
  for (const char* key : {"requests", "wavefronts", "conflicts"})
    CHECK(json["kernels"][0]["shared_load"][key] == 0);
  CHECK(json["timing"][0]["median_us"] == 310.2);
}

TEST_CASE("an infinity is reported as one, though JSON has none") {
  CaseResult result = failing().cases[1];
  result.first_bad->got = -HUGE_VAL;
  const Json json = result;
  CHECK(json["first_bad"]["got"].is_null());
  CHECK(json["first_bad"]["got_text"] == "-inf");
  CHECK_FALSE(json["first_bad"].contains("want_text"));
  CHECK(json.get<CaseResult>().first_bad.value().got == -HUGE_VAL);
}

TEST_CASE("what one process writes another reads") {
  const Report report = failing();
  const CaseResult back = Json(report.cases[1]).get<CaseResult>();
  CHECK(back.name == report.cases[1].name);
  CHECK(back.tested == report.cases[1].tested);
  CHECK(back.explanation_kind == report.cases[1].explanation_kind);
  CHECK(back.verdict == Verdict::fail);
  CHECK(std::isnan(back.max_error));
  CHECK(std::isnan(back.first_bad.value().got));
  CHECK(back.explanation == report.cases[1].explanation);
  const Finding finding = Json(report.findings[1]).get<Finding>();
  CHECK(Json(finding) == Json(report.findings[1]));
  const KernelRecord kernel{
      .name = "k",
      .of_machine_code = true,
      .by_rules = "opcode 1 in line 2",
      .grid = {1, 2, 3},
      .shared_bytes = 7,
      .global_load = {.accesses = 1, .requests = 2, .sectors = 3, .ideal_sectors = 4},
      .shared_store = {.bytes = 5,
                       .requests = 6,
                       .apart = 2,
                       .apart_wavefronts = 3,
                       .wavefronts = 7,
                       .conflicts = 8},
      .atomic = {.accesses = 9, .requests = 1, .turns = 9},
      .barriers = 9,
      .lines = {{.file = "mine.cu",
                 .line = 7,
                 .global_store = {.accesses = 32,
                                  .requests = 1,
                                  .sectors = 32,
                                  .ideal_sectors = 4,
                                  .worst = {32, 32, 4, 512, "lanes 0-31 write y[...]"}}}},
      .buffers = {{.name = "x", .bytes = 8, .reads = {{"mine.cu", 8, 3, 2}}}}};
  const Json line = Json(kernel)["lines"][0];
  CHECK(line["line"] == 7);
  CHECK(line["global_store"]["ideal_sectors"] == 4);
  CHECK(line["global_store"]["worst"]["sectors"] == 32);
  CHECK_FALSE(line.contains("shared_load"));
  CHECK(Json(kernel)["buffers"][0]["reads"][0]["sectors"] == 3);
  CHECK(Json(kernel)["global_load"]["sectors"] == 3);
  CHECK(Json(kernel)["shared_store"]["conflicts"] == 8);
  CHECK(Json(kernel)["shared_store"]["apart_wavefronts"] == 3);
  CHECK(Json(Json(kernel).get<KernelRecord>()) == Json(kernel));
  const TimingRow row{.kind = RowKind::library,
                      .name = "yours",
                      .size = "4",
                      .samples = 10,
                      .launch_bound = true,
                      .error = "none",
                      .failed = true};
  CHECK(Json(Json(row).get<TimingRow>()) == Json(row));
  const CountRow count{.kind = RowKind::yours, .name = "yours", .launches = 3, .atomics = 2};
  CHECK(Json(Json(count).get<CountRow>()) == Json(count));
}

TEST_CASE("bytes that are no text do not break the JSON") {
  Report report = failing();
  report.output = "\xff\xfe garbage";
  CHECK(contains(Json::parse(to_json_text(report))["output"], "garbage"));
}

TEST_CASE("a launch that a call repeats is kept once") {
  LaunchProfile first, second;
  first.lines = 1;
  second.lines = 2;
  const nlohmann::json kept = launches_to_json({first, second, first, first});
  CHECK(kept.at("launches").size() == 2);
  const std::vector<LaunchProfile> launches = launches_from_json(kept);
  REQUIRE(launches.size() == 4);
  CHECK(launches[0].lines == 1);
  CHECK(launches[1].lines == 2);
  CHECK(launches[3].lines == 1);
  CHECK_FALSE(launches_to_json({first, second}).contains("order"));
}
