#include "worker/answers.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>

#include "report/json.h"

namespace kata {

using Json = nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(Stage, {{Stage::loading, "loading"},
                                     {Stage::judging, "judging"},
                                     {Stage::timing, "timing"},
                                     {Stage::profiling, "profiling"}})

namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// {"message": kind, ...the fields of body}
std::string message(const char* kind, Json body = Json::object()) {
  body["message"] = kind;
  return text_of(body);
}

}  // namespace

void AnswerWriter::write_line(const std::string& json) const {
  const std::string text = token_ + json + '\n';
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(descriptor_, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the program that reads them has ended
    written += static_cast<std::size_t>(n);
  }
}

void AnswerWriter::device(const std::string& name) const {
  write_line(message("device", {{"name", name}}));
}
void AnswerWriter::expects(std::size_t cases) const {
  write_line(message("expects", {{"cases", cases}}));
}
void AnswerWriter::started(Stage stage, const std::string& what) const {
  write_line(message("started", {{"stage", stage}, {"what", what}}));
}
void AnswerWriter::started(const std::string& name, const Case& one_case) const {
  write_line(message("started", {{"stage", Stage::judging}, {"what", name}, {"case", one_case}}));
}
void AnswerWriter::calls() const {
  write_line(message("calls"));
}
void AnswerWriter::returned() const {
  write_line(message("returned"));
}
void AnswerWriter::finished(const CaseResult& result) const {
  write_line(message("case", {{"case", result}}));
}
void AnswerWriter::found(const Finding& finding) const {
  write_line(message("finding", {{"finding", finding}}));
}
void AnswerWriter::code(const std::vector<CodeBlock>& lines, bool in_samples) const {
  Json places = Json::array();
  for (const CodeBlock& one : lines) places.push_back({one.line, one.ran});
  write_line(message("code", {{"lines", places}, {"in_samples", in_samples}}));
}
void AnswerWriter::found_so_far(const std::vector<Finding>& findings) const {
  write_line(message("findings", {{"findings", findings}}));
}
void AnswerWriter::counted(const std::string& case_name, const Shape& shape,
                           const std::vector<KernelRecord>& kernels) const {
  write_line(message("kernels", {{"case", case_name}, {"shape", shape}, {"kernels", kernels}}));
}
void AnswerWriter::stopped(int cases_not_run) const {
  write_line(message("stopped", {{"cases_not_run", cases_not_run}}));
}
void AnswerWriter::takes_too_long() const {
  write_line(message("takes_too_long"));
}
void AnswerWriter::tries() const {
  write_line(message("tries"));
}
void AnswerWriter::samples() const {
  write_line(message("samples"));
}
void AnswerWriter::timed(const TimingRow& row) const {
  write_line(message("timing", {{"row", row}}));
}
void AnswerWriter::profiled(const std::vector<LaunchProfile>& launches) const {
  write_line(message("profiles", {{"launches", launches}}));
}
void AnswerWriter::gpu(const GpuInfo& info) const {
  write_line(message("gpu", {{"name", info.name}, {"major", info.major}, {"minor", info.minor}}));
}
void AnswerWriter::failed(const Error& error) const {
  write_line(message("error", {{"text", error.message}, {"detail", error.detail}}));
}
void AnswerWriter::done() const {
  write_line(message("done"));
}

void Answers::read(const std::string& line) try {
  const std::size_t ours = line.find(token);
  if (ours == std::string::npos) return;
  const Json json = Json::parse(line.substr(ours + token.size()));
  const std::string kind = json.at("message");
  if (kind == "device") {
    device = json.at("name");
  } else if (kind == "expects") {
    cases_expected = json.at("cases");
  } else if (kind == "started") {
    current = Current{json.at("stage"), json.at("what"), json.value("case", Case{})};
    judge_works = current->stage == Stage::judging;
    tries = samples = false;
  } else if (kind == "calls" || kind == "returned") {
    judge_works = kind == "returned";
  } else if (kind == "case") {
    cases.push_back(json.at("case"));
    current.reset();
  } else if (kind == "finding") {
    findings.push_back(json.at("finding"));
    if (current && current->stage == Stage::judging) findings.back().seen_in = current->tested;
  } else if (kind == "code") {
    std::vector<CodeBlock> lines;
    for (const Json& one : json.at("lines")) lines.push_back({one.at(0), one.at(1)});
    add_code(lines, json.at("in_samples") ? code_in_samples : code);
  } else if (kind == "findings") {
    findings = json.at("findings").get<std::vector<Finding>>();
  } else if (kind == "kernels") {
    counted_case = json.at("case");
    counted_shape = json.value("shape", Shape{});
    kernels = json.at("kernels").get<std::vector<KernelRecord>>();
  } else if (kind == "stopped") {
    cases_not_run = json.at("cases_not_run");
  } else if (kind == "takes_too_long") {
    ++cases_too_long;
  } else if (kind == "timing") {
    timing.push_back(json.at("row"));
  } else if (kind == "profiles") {
    profiles = json.at("launches").get<std::vector<LaunchProfile>>();
  } else if (kind == "gpu") {
    gpu = GpuInfo{json.at("name"), json.at("major"), json.at("minor")};
  } else if (kind == "error") {
    error = Error{json.at("text"), json.value("detail", "")};
  } else if (kind == "tries") {
    tries = true;
  } else if (kind == "samples") {
    samples = true;
  } else if (kind == "died" && json.at("signal") == SIGALRM &&
             (tries || (samples && json.value("gets_on", 0) != 0))) {
    cases_too_long += samples;
    done = true;
    current.reset();
  } else if (kind == "died") {
    death = Death{.signal = json.at("signal"), .is_full = json.value("full", 0) != 0};
  } else if (kind == "where" && death) {
    death->file = json.at("file");
    death->line = json.at("line");
  } else if (kind == "done") {
    done = true;
    current.reset();
  }
} catch (const Json::exception&) {
  // Cut off in the middle by the end of the worker.
}

}  // namespace kata
