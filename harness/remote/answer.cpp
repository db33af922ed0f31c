#include "remote/answer.h"

#include <nlohmann/json.hpp>

#include "report/json.h"

namespace kata {

using Json = nlohmann::json;

std::string to_json_line(const Answer& answer) {
  Json json = Json::object();
  if (!answer.progress.empty()) json["progress"] = answer.progress;
  if (answer.right_so_far) json["right_so_far"] = *answer.right_so_far;
  if (answer.passed) json["passed"] = *answer.passed;
  if (answer.report) json["report"] = *answer.report;
  if (answer.text) json["text"] = *answer.text;
  if (answer.error)
    json["error"] = {{"message", answer.error->message}, {"detail", answer.error->detail}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Answer answer_from_json(const std::string& line) try {
  const Json json = Json::parse(line);
  Answer answer{.progress = json.value("progress", "")};
  if (json.contains("right_so_far")) answer.right_so_far = json["right_so_far"].get<Report>();
  if (json.contains("passed")) answer.passed = json["passed"].get<Report>();
  if (json.contains("report")) answer.report = json["report"].get<Report>();
  if (json.contains("text")) answer.text = json["text"].get<std::string>();
  if (json.contains("error")) {
    answer.error = Error{json["error"].value("message", ""), json["error"].value("detail", "")};
  }
  return answer;
} catch (const Json::exception&) {
  return {};
}

}  // namespace kata
