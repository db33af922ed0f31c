#include "remote/job.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {

using Json = nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(RemoteTask, {{RemoteTask::probe, "probe"},
                                          {RemoteTask::check, "check"},
                                          {RemoteTask::bench, "bench"},
                                          {RemoteTask::profile, "profile"}})

namespace {

Json candidate_json(const Candidate& candidate) {
  Json json = {{"path", fs::weakly_canonical(candidate.path).string()},
               {"text", candidate.text},
               {"entry", candidate.entry}};
  if (candidate.problem) json["operator"] = candidate.problem->name;
  if (candidate.size) json["size"] = *candidate.size;
  return json;
}

Result<Candidate> candidate_from(const Json& json) {
  Candidate candidate{.path = json.at("path").get<std::string>(),
                      .text = json.at("text"),
                      .entry = json.at("entry")};
  if (json.contains("size")) candidate.size = json["size"].get<Shape>();
  if (!json.contains("operator")) return candidate;
  const std::string name = json["operator"];
  candidate.problem = find_problem(name);
  if (!candidate.problem) return Error{"there is no operator " + name};
  return candidate;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  if (from.empty() || from == to) return;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// The path that a file of the sender's has below `folder`.
fs::path below(const fs::path& folder, const fs::path& path) {
  return folder / path.relative_path();
}

}  // namespace

Result<RemoteJob> make_job(RemoteTask task, const GradeRequest& request) {
  const Candidate& candidate = request.candidate;
  Result<std::vector<SourceFile>> sources = read_sources({candidate.path}, {}, candidate.text);
  if (!sources) return sources.error();
  sources->erase(sources->begin());  // the candidate itself
  RemoteJob job{.task = task,
                .request = request,
                .headers = std::move(*sources),
                .folder = fs::current_path(),
                .root = root()};
  job.request.progress = {};
  job.request.right_so_far = {};
  job.request.passed = {};
  return job;
}

std::string to_json_line(const RemoteJob& job) {
  const GradeRequest& request = job.request;
  Json headers = Json::array();
  for (const SourceFile& header : job.headers)
    headers.push_back({{"path", header.path.string()}, {"text", header.text}});
  const Json json = {{"task", job.task},
                     {"candidate", candidate_json(request.candidate)},
                     {"headers", headers},
                     {"folder", job.folder.string()},
                     {"root", job.root.string()},
                     {"backend", request.backend == Backend::gpu ? "gpu" : "emulator"},
                     {"with_emulator", request.with_emulator},
                     {"seed", request.seed},
                     {"all_cases", request.all_cases},
                     {"chip", request.chip},
                     {"all_output", request.all_output},
                     {"with_ladder", request.with_ladder},
                     {"all_counts", request.all_counts},
                     {"color", job.color}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RemoteJob> job_from_json(const std::string& line) try {
  const Json json = Json::parse(line);
  Result<Candidate> candidate = candidate_from(json.at("candidate"));
  if (!candidate) return candidate.error();
  RemoteJob job{
      .task = json.at("task"),
      .request = {.candidate = std::move(*candidate),
                  .backend = json.at("backend") == "gpu" ? Backend::gpu : Backend::emulator,
                  .with_emulator = json.at("with_emulator"),
                  .seed = json.at("seed"),
                  .all_cases = json.at("all_cases"),
                  .chip = json.at("chip"),
                  .all_output = json.at("all_output"),
                  .with_ladder = json.at("with_ladder"),
                  .all_counts = json.at("all_counts")},
      .folder = json.at("folder").get<std::string>(),
      .root = json.at("root").get<std::string>(),
      .color = json.at("color")};
  for (const Json& header : json.at("headers"))
    job.headers.push_back({header.at("path").get<std::string>(), header.at("text")});
  return job;
} catch (const Json::exception& error) {
  return Error{fmt::format("this is no job that kata sent: {}", error.what())};
}

std::optional<Error> lay_out(RemoteJob& job, const fs::path& folder) {
  std::vector<SourceFile> files = job.headers;
  Candidate& candidate = job.request.candidate;
  if (job.task != RemoteTask::probe) files.push_back({candidate.path, candidate.text});
  for (const SourceFile& file : files) {
    const std::string failed = write_file(below(folder, file.path), file.text);
    if (!failed.empty()) return Error{"cannot write the candidate's files: " + failed};
  }
  candidate.path = below(folder, candidate.path);
  std::error_code failed;
  fs::create_directories(below(folder, job.folder), failed);
  fs::current_path(below(folder, job.folder), failed);
  if (failed) return Error{"cannot use the folder of the job: " + failed.message()};
  return {};
}

std::string with_sender_paths(std::string text, const RemoteJob& job, const fs::path& folder) {
  replace_all(text, folder.string() + "/", "/");
  replace_all(text, root().string() + "/", job.root.string() + "/");
  return text;
}

}  // namespace kata
