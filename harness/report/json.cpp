#include "report/json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/json_members.h"

namespace kata {

namespace {

using Json = nlohmann::json;

// JSON knows no NaN and no infinity: both become null, and null comes back as NaN, unless a text
// beside it says which infinity it was ("got": null, "got_text": "-inf").
Json json_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double number_from(const Json& json, const std::string& key) {
  const auto found = json.find(key);
  if (found == json.end()) return 0;
  if (found->is_number()) return found->get<double>();
  const auto text = json.find(key + "_text");
  if (text == json.end()) return std::numeric_limits<double>::quiet_NaN();
  return *text == "-inf" ? -HUGE_VAL : HUGE_VAL;
}

void put(Json& json, const std::string& key, double value) {
  json[key] = json_number(value);
  if (std::isinf(value)) json[key + "_text"] = value < 0 ? "-inf" : "inf";
}

}  // namespace

constexpr std::pair<RowKind, const char*> row_kinds[] = {{RowKind::yours, "yours"},
                                                         {RowKind::rung, "rung"},
                                                         {RowKind::library, "library"},
                                                         {RowKind::limit, "limit"}};

void to_json(Json& json, const RowKind& kind) {
  for (const auto& [value, name] : row_kinds) {
    if (value == kind) json = name;
  }
}

void from_json(const Json& json, RowKind& kind) {
  kind = RowKind::rung;
  for (const auto& [value, name] : row_kinds) {
    if (json == name) kind = value;
  }
}

KATA_JSON_OF_MEMBERS(SizeLevel, size, rung, of_best)
KATA_JSON_OF_MEMBERS(Level, rung, of, name, same, size, sizes, behind, next, next_idea, of_best)

KATA_JSON_OF_MEMBERS(CountRow, kind, name, launches, threads, global_accesses, global_bytes,
                     shared_accesses, shared_bytes, sectors, ideal_sectors, wavefronts, conflicts,
                     atomics, barriers, barrier_warps, blocks_wait)

void to_json(Json& json, const Finding& finding) {
  json = {{"kind", to_string(finding.kind)},
          {"severity", to_string(finding.severity)},
          {"file", finding.file},
          {"line", finding.line},
          {"kernel", finding.kernel},
          {"message", finding.message}};
  if (finding.column > 0) json["column"] = finding.column;
  if (!finding.note.empty()) json["note"] = finding.note;
  if (!finding.object.empty()) json["object"] = finding.object;
  if (finding.seen_in) json["case"] = *finding.seen_in;
}

void from_json(const Json& json, Finding& finding) {
  const std::string kind = json.at("kind");
  const std::string severity = json.value("severity", "error");
  const auto known_kind = finding_kind_from(kind);
  const auto known_severity = severity_from(severity);
  if (!known_kind || !known_severity) {
    throw Json::other_error::create(501, "unknown finding: " + severity + " " + kind, &json);
  }
  finding = {.kind = *known_kind,
             .severity = *known_severity,
             .file = json.value("file", ""),
             .line = json.value("line", 0),
             .column = json.value("column", 0),
             .kernel = json.value("kernel", ""),
             .message = json.value("message", ""),
             .note = json.value("note", ""),
             .object = json.value("object", "")};
  if (json.contains("case")) finding.seen_in = json.at("case").get<Case>();
}

NLOHMANN_JSON_SERIALIZE_ENUM(ExplanationKind,
                             {{ExplanationKind::pattern, "pattern"},
                              {ExplanationKind::finding, "finding"},
                              {ExplanationKind::unknown, "unknown"},
                              {ExplanationKind::uncertain, "uncertain"},
                              {ExplanationKind::nondeterministic, "nondeterministic"}})

Values values_from(const std::string& text) {
  for (const auto& [values, name] : values_names) {
    if (text == name) return values;
  }
  return Values::normal;
}

void to_json(Json& json, const Case& one_case) {
  json = {{"shape", one_case.shape}, {"values", to_string(one_case.values)}};
  if (!one_case.reals.empty()) json["reals"] = one_case.reals;
}

void from_json(const Json& json, Case& one_case) {
  one_case = {.shape = json.value("shape", Shape{}),
              .values = values_from(json.value("values", "")),
              .reals = json.value("reals", std::vector<float>{})};
}

void to_json(Json& json, const CaseResult& result) {
  json = result.tested;
  json.update({{"name", result.name},
               {"verdict", to_string(result.verdict)},
               {"max_error", json_number(result.max_error)},
               {"tolerance", json_number(result.tolerance)},
               {"bad", result.bad},
               {"of", result.of}});
  if (result.large) json["large"] = true;
  if (!result.sizes.empty()) json["sizes"] = result.sizes;
  if (result.first_bad) {
    Json& first = json["first_bad"];
    first = {{"output", result.first_bad->output},
             {"index", result.first_bad->index},
             {"element", result.first_bad->element}};
    put(first, "got", result.first_bad->got);
    put(first, "want", result.first_bad->want);
  }
  if (result.explanation.empty()) return;
  json["explanation"] = result.explanation;
  json["explanation_kind"] = result.explanation_kind;
}

void from_json(const Json& json, CaseResult& result) {
  result = {.name = json.value("name", ""),
            .sizes = json.value("sizes", ""),
            .tested = json.get<Case>(),
            .verdict = verdict_from(json.value("verdict", "error")),
            .max_error = number_from(json, "max_error"),
            .tolerance = number_from(json, "tolerance"),
            .bad = json.value("bad", std::int64_t{0}),
            .of = json.value("of", std::int64_t{0}),
            .explanation = json.value("explanation", ""),
            .explanation_kind = json.value("explanation_kind", ExplanationKind::pattern),
            .large = json.value("large", false)};
  if (const auto first = json.find("first_bad"); first != json.end()) {
    result.first_bad = FirstBad{.index = first->value("index", std::vector<std::int64_t>{}),
                                .element = first->value("element", ""),
                                .output = first->value("output", ""),
                                .got = number_from(*first, "got"),
                                .want = number_from(*first, "want")};
  }
}

void to_json(Json& json, const TimingRow& row) {
  json = {{"kind", row.kind},
          {"name", row.name},
          {"size", row.size},
          {"median_us", json_number(row.median_us)},
          {"iqr_us", json_number(row.iqr_us)},
          {"samples", row.samples},
          {"gb_per_s", json_number(row.gb_per_s)},
          {"tflop_per_s", json_number(row.tflop_per_s)},
          {"of_limit", json_number(row.of_limit)},
          {"vs_yours", json_number(row.vs_yours)},
          {"launch_bound", row.launch_bound}};
  if (!row.error.empty()) json["error"] = row.error;
  if (row.failed) json["failed"] = true;
  if (row.invalid) json["invalid"] = true;
  if (!row.kept_from.empty()) json["kept_from"] = row.kept_from;
}

void from_json(const Json& json, TimingRow& row) {
  row = {.kind = json.value("kind", RowKind::rung),
         .name = json.value("name", ""),
         .size = json.value("size", ""),
         .median_us = number_from(json, "median_us"),
         .iqr_us = number_from(json, "iqr_us"),
         .samples = json.value("samples", 0),
         .gb_per_s = number_from(json, "gb_per_s"),
         .tflop_per_s = number_from(json, "tflop_per_s"),
         .of_limit = number_from(json, "of_limit"),
         .vs_yours = number_from(json, "vs_yours"),
         .launch_bound = json.value("launch_bound", false),
         .error = json.value("error", ""),
         .failed = json.value("failed", false),
         .invalid = json.value("invalid", false),
         .kept_from = json.value("kept_from", "")};
}

void to_json(Json& json, const Estimate& estimate) {
  json = {{"kind", estimate.kind},
          {"name", estimate.name},
          {"chip", estimate.chip},
          {"size", estimate.size},
          {"us", json_number(estimate.us)},
          {"memory_bytes", json_number(estimate.memory_bytes)},
          {"limiter", estimate.limiter},
          {"occupancy", json_number(estimate.occupancy)},
          {"registers", estimate.registers ? Json(estimate.registers) : Json(nullptr)},
          {"extrapolated_from",
           estimate.extrapolated_from.empty() ? Json(nullptr) : Json(estimate.extrapolated_from)}};
  if (!estimate.error.empty()) json["error"] = estimate.error;
  if (estimate.pending) json["pending"] = true;
  if (estimate.older) json["older"] = true;
  if (estimate.placed) json["placed"] = true;
}

void from_json(const Json& json, Estimate& estimate) {
  const auto or_null = [&](const char* key, auto value) {
    return json.contains(key) && !json[key].is_null() ? json.value(key, value) : value;
  };
  estimate = {.kind = json.value("kind", RowKind::rung),
              .name = json.value("name", ""),
              .chip = json.value("chip", ""),
              .size = json.value("size", ""),
              .us = number_from(json, "us"),
              .memory_bytes = number_from(json, "memory_bytes"),
              .limiter = json.value("limiter", ""),
              .occupancy = json.value("occupancy", 0.0),
              .registers = or_null("registers", 0u),
              .extrapolated_from = or_null("extrapolated_from", std::string()),
              .error = json.value("error", ""),
              .pending = json.value("pending", false),
              .older = json.value("older", false),
              .placed = json.value("placed", false)};
}

void to_json(Json& json, const Report& report) {
  json = {{"schema", 1},
          {"operator", report.operator_name},
          {"candidate", report.candidate},
          {"backend", report.backend},
          {"device", report.device},
          {"verdict", to_string(report.verdict)},
          {"seed", report.seed},
          {"cases", report.cases},
          {"findings", report.findings},
          {"kernels", report.kernels},
          {"timing", report.timing}};
  if (report.program) json["checked"] = report.program->checked;
  if (report.program && report.program->checked_s > 0)
    json["checked_s"] = report.program->checked_s;
  if (report.program && report.program->signal) json["signal"] = report.program->signal;
  if (report.program && !report.program->signal) json["exit_status"] = report.program->exit_status;
  if (const CaseCount count = count_cases(report); count.of > 0) {
    json["cases_right"] = count.right;
    json["cases_of"] = count.of;
  }
  if (report.cases_not_run) json["cases_not_run"] = report.cases_not_run;
  if (report.cases_too_long) json["cases_too_long"] = report.cases_too_long;
  if (report.large_cases_off) json["large_cases_off"] = true;
  if (const CaseResult* failure = most_specific_failure(report)) {
    json["explanation"] = failure->explanation;
  }
  if (!report.error.empty()) json["error"] = report.error;
  if (!report.detail.empty()) json["detail"] = report.detail;
  if (!report.output.empty()) {
    json["output"] = report.output;
    json["output_lines"] = report.output_lines;
  }
  if (!report.counted_case.empty()) json["counted_case"] = report.counted_case;
  if (!report.counted_shape.empty()) json["counted_shape"] = report.counted_shape;
  if (report.least_bytes) json["least_bytes"] = report.least_bytes;
  if (report.output_elements) json["output_elements"] = report.output_elements;
  if (!report.counts.empty()) json["counts"] = report.counts;
  if (!report.estimates.empty()) {
    json["chip"] = report.chip;
    json["estimates"] = report.estimates;
  }
  if (report.level) json["level"] = *report.level;
  if (!report.code.empty()) {
    const std::vector<int> unreached = unreached_lines(report);
    const auto lines = static_cast<double>(report.code.size());
    json["coverage"] = {{"share", 1 - static_cast<double>(unreached.size()) / lines},
                        {"unreached", unreached}};
  }
}

void from_json(const Json& json, Report& report) {
  report = {.operator_name = json.value("operator", ""),
            .candidate = json.value("candidate", ""),
            .backend = json.value("backend", ""),
            .device = json.value("device", ""),
            .verdict = verdict_from(json.value("verdict", "error")),
            .seed = json.value("seed", std::uint64_t{0}),
            .error = json.value("error", ""),
            .detail = json.value("detail", ""),
            .output = json.value("output", ""),
            .output_lines = json.value("output_lines", std::int64_t{0}),
            .cases = json.value("cases", std::vector<CaseResult>{}),
            .cases_not_run = json.value("cases_not_run", 0),
            .cases_too_long = json.value("cases_too_long", 0),
            .large_cases_off = json.value("large_cases_off", false),
            .findings = json.value("findings", std::vector<Finding>{}),
            .counted_case = json.value("counted_case", ""),
            .counted_shape = json.value("counted_shape", Shape{}),
            .kernels = json.value("kernels", std::vector<KernelRecord>{}),
            .least_bytes = json.value("least_bytes", std::uint64_t{0}),
            .output_elements = json.value("output_elements", std::uint64_t{0}),
            .counts = json.value("counts", std::vector<CountRow>{}),
            .timing = json.value("timing", std::vector<TimingRow>{}),
            .chip = json.value("chip", ""),
            .estimates = json.value("estimates", std::vector<Estimate>{})};
  if (json.contains("level")) report.level = json["level"].get<Level>();
}

std::optional<Report> report_from_json_text(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    if (json.is_object() && json.value("schema", 0) == 1) return json.get<Report>();
  } catch (const Json::exception&) {  // a key of another type
  }
  return {};
}

std::string to_json_text(const Report& report) {
  // A candidate may print any bytes: what is no UTF-8 is replaced, never thrown over.
  return Json(report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kata
