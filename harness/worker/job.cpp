#include "worker/job.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/json_members.h"

namespace kata {

using Json = nlohmann::json;

namespace {

constexpr std::pair<Job::Kind, const char*> kind_names[] = {
    {Job::Kind::judge, "judge"}, {Job::Kind::judge_large, "judge_large"}, {Job::Kind::time, "time"},
    {Job::Kind::probe, "probe"}, {Job::Kind::profile, "profile"},         {Job::Kind::run, "run"}};

const char* name_of(Job::Kind kind) {
  for (const auto& [value, name] : kind_names) {
    if (value == kind) return name;
  }
  return "";
}

}  // namespace

KATA_JSON_OF_MEMBERS(TimedKernel, kind, name, module, entry, timed)

std::string to_json_text(const Job& job) {
  return Json{{"kind", name_of(job.kind)},
              {"token", job.token},
              {"operator", job.operator_name},
              {"module", job.module.string()},
              {"entry", job.entry},
              {"seed", job.seed},
              {"time_limit_s", job.time_limit_s},
              {"patient", job.patient},
              {"profiled_accesses", job.profiled_accesses},
              {"most_accesses", job.most_accesses},
              {"near_constants", job.near_constants},
              {"largest_near", job.largest_near},
              {"past_thresholds", job.past_thresholds},
              {"near_launches", job.near_launches},
              {"periods", job.periods},
              {"shapes", job.shapes},
              {"values", job.values ? Json(*job.values) : Json()},
              {"reals", job.reals},
              {"first_case", job.first_case},
              {"end_case", job.end_case},
              {"kernels", job.kernels},
              {"ceilings_module", job.ceilings_module.string()},
              {"all_cases", job.all_cases},
              {"cooperates", job.cooperates},
              {"checked", job.checked},
              {"for_unreached", job.for_unreached},
              {"machine_code", job.machine_code.string()},
              {"output_on_errors", job.output_on_errors}}
      .dump();
}

/// Null: those of the problem's cases.
std::optional<Values> values_of(const Json& json) {
  const Json values = json.value("values", Json(Values::normal));
  return values.is_null() ? std::nullopt : std::optional(values.get<Values>());
}

Result<Job> job_from_json_text(const std::string& text) try {
  const Json json = Json::parse(text);
  const std::string wanted = json.at("kind");
  const auto kind = std::find_if(std::begin(kind_names), std::end(kind_names),
                                 [&](const auto& one) { return wanted == one.second; });
  if (kind == std::end(kind_names)) return Error{"this worker knows no job of kind " + wanted};
  return Job{.kind = kind->first,
             .token = json.value("token", ""),
             .operator_name = json.value("operator", ""),
             .module = json.value("module", ""),
             .entry = json.value("entry", ""),
             .seed = json.value("seed", std::uint64_t{0}),
             .time_limit_s = json.value("time_limit_s", Job{}.time_limit_s),
             .patient = json.value("patient", true),
             .profiled_accesses = json.value("profiled_accesses", std::uint64_t{0}),
             .most_accesses = json.value("most_accesses", std::uint64_t{0}),
             .near_constants = json.value("near_constants", std::vector<std::vector<Shape>>{}),
             .largest_near = json.value("largest_near", std::vector<Shape>{}),
             .past_thresholds = json.value("past_thresholds", std::vector<Shape>{}),
             .near_launches = json.value("near_launches", std::vector<Shape>{}),
             .periods = json.value("periods", std::vector<int>{}),
             .shapes = json.value("shapes", std::vector<Shape>{}),
             .values = values_of(json),
             .reals = json.value("reals", std::vector<float>{}),
             .first_case = json.value("first_case", Job{}.first_case),
             .end_case = json.value("end_case", Job{}.end_case),
             .kernels = json.value("kernels", std::vector<TimedKernel>{}),
             .ceilings_module = json.value("ceilings_module", ""),
             .all_cases = json.value("all_cases", false),
             .cooperates = json.value("cooperates", false),
             .checked = json.value("checked", true),
             .for_unreached = json.value("for_unreached", false),
             .machine_code = json.value("machine_code", ""),
             .output_on_errors = json.value("output_on_errors", false)};
} catch (const Json::exception& broken) {
  return Error{std::string("the job is not one that this worker knows: ") + broken.what()};
}

}  // namespace kata
