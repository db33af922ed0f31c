#include "practice/interview/interview.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/paths.h"

namespace kata {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Criterion, name, points, of, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Rubric, criteria, hints, lost_to_hints, total)

namespace {

using Json = nlohmann::json;

constexpr const char* session_kind = "interview";

void to_json(Json& json, const Interview& state) {
  json = {{"whiteboard", state.whiteboard},
          {"limit_ms", state.limit.count()},
          {"clock", state.clock},
          {"phase", static_cast<int>(state.phase)},
          {"hints", state.hints},
          {"asked", state.asked},
          {"answers", state.answers},
          {"own_grades", state.own_grades},
          {"verdict", to_string(state.verdict)},
          {"drills", Json::array()},
          {"results", state.results},
          {"rubric", state.rubric},
          {"kept", state.kept}};
  if (state.asked_unprompted) json["asked_unprompted"] = *state.asked_unprompted;
  for (const drill::Kind kind : state.drills) json["drills"].push_back(to_string(kind));
}

void from_json(const Json& json, Interview& state) {
  state.whiteboard = json.at("whiteboard");
  state.limit = Milliseconds(json.at("limit_ms").get<std::int64_t>());
  state.clock = json.at("clock");
  state.phase = static_cast<Interview::Phase>(json.at("phase").get<int>());
  state.hints = json.at("hints");
  state.asked = json.at("asked").get<std::vector<std::string>>();
  if (json.contains("asked_unprompted"))
    state.asked_unprompted = json["asked_unprompted"].get<std::size_t>();
  state.answers = json.value("answers", std::vector<std::string>());
  state.own_grades = json.at("own_grades").get<std::vector<int>>();
  state.verdict = verdict_from(json.at("verdict"));
  for (const std::string word : json.value("drills", Json::array()))
    state.drills.push_back(drill::kind_from(word).value());
  state.results = json.value("results", std::vector<RoundResult>());
  state.rubric = json.value("rubric", Rubric());
  state.kept = json.at("kept");
}

}  // namespace

double tickets(const Problem& problem) {
  static const std::map<std::string, double> numbers = {
      {"very high", 8}, {"high", 4}, {"medium", 2}, {"low", 1}};
  const auto found = numbers.find(problem.frequency);
  return found == numbers.end() ? 1 : found->second;
}

int default_minutes(const Problem& problem) {
  return problem.difficulty == "easy" ? 15 : problem.difficulty == "medium" ? 25 : 40;
}

std::string whiteboard_text(const Problem& problem) {
  return fmt::format(
      "// {}: {}\n"
      "//\n"
      "// Whiteboard: kernel, block size, grid size and the call are yours.\n"
      "#include <kata/kata.h>\n\n"
      "extern \"C\" {} {{\n"
      "}}\n",
      problem.name, problem.summary, declaration(problem));
}

std::string opening_of(const Problem& problem) {
  return fmt::format("{}: {}. All pointers are device pointers.", problem.name, problem.summary);
}

const Problem& draw_operator(std::mt19937& chance) {
  std::vector<double> weights;
  for (const Problem& problem : problems()) weights.push_back(tickets(problem));
  std::discrete_distribution<std::size_t> draw(weights.begin(), weights.end());
  return problems().at(draw(chance));
}

Result<std::optional<InterviewRecord>> InterviewRecord::find_open(History& history) {
  const Result<std::vector<SessionRecord>> sessions = history.open_sessions();
  if (!sessions) return sessions.error();
  for (const SessionRecord& one : *sessions) {
    if (one.kind != session_kind) continue;
    Interview state;
    try {
      from_json(Json::parse(one.data), state);
    } catch (const std::exception& broken) {
      SessionRecord closed = one;  // or it would be in the way for ever
      closed.open = false;
      history.save(closed);
      return Error{fmt::format("an open interview about {} cannot be read and is closed ({})",
                               one.operator_name, broken.what())};
    }
    state.operator_name = one.operator_name;
    InterviewRecord record(std::move(state), &history);
    record.record_ = one;
    return std::optional(std::move(record));
  }
  return std::optional<InterviewRecord>();
}

bool has_open_rounds(History& history) {
  const auto interview = InterviewRecord::find_open(history);
  return interview && *interview && !(**interview).state().drills.empty();
}

std::optional<Interview> InterviewRecord::find(const History& history, const std::string& uid) {
  const auto record = history.session(uid);
  if (!record || !*record) return {};
  try {
    Interview state;
    from_json(Json::parse((*record)->data), state);
    state.operator_name = (*record)->operator_name;
    return state;
  } catch (const std::exception&) {
    return {};
  }
}

std::optional<Error> InterviewRecord::save() {
  if (!history_) return {};
  record_.operator_name = state_.operator_name;
  record_.kind = session_kind;
  record_.open = state_.phase != Interview::Phase::over;
  Json data;
  to_json(data, state_);
  record_.data = data.dump();
  return history_->save(record_);
}

SessionLock::SessionLock(const char* kind, std::string who) {
  const char* const speaker = std::getenv(holder_variable);
  if (who.empty()) who = speaker ? speaker : "another terminal";
  const std::filesystem::path file = state_folder() / (kind + std::string(".lock"));
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ours_ = descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (!ours_) {
    holder_ = read_file(file).value_or(who);
  } else if (descriptor_ >= 0 && ftruncate(descriptor_, 0) == 0) {
    // Without its name it is held all the same.
    static_cast<void>(write(descriptor_, who.data(), who.size()));
  }
}

SessionLock::~SessionLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace kata
