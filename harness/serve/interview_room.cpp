#include "serve/interview_room.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "practice/drill/record.h"
#include "support/paths.h"
#include "support/process.h"

namespace kata::serve {
namespace {

constexpr auto longest_silence = std::chrono::seconds(1);

}  // namespace

InterviewRoom::~InterviewRoom() {
  leave();
  if (thread_.joinable()) thread_.join();
}

void InterviewRoom::leave() {
  const std::lock_guard lock(mutex_);
  if (ours_ >= 0) shutdown(ours_, SHUT_WR);  // the end of its input: it keeps all and ends
}

std::optional<Error> InterviewRoom::begin(const Wanted& wanted) {
  std::vector<std::string> words;
  if (!wanted.operator_name.empty()) words.push_back(wanted.operator_name);
  if (!wanted.minutes.empty()) words.insert(words.end(), {"--minutes", wanted.minutes});
  if (!wanted.rounds.empty()) words.insert(words.end(), {"--rounds", wanted.rounds});
  if (wanted.whiteboard) words.emplace_back("--whiteboard");
  return start(std::move(words));
}

std::optional<Error> InterviewRoom::resume() {
  return start({"--resume"});
}

std::optional<Error> InterviewRoom::start(std::vector<std::string> words) {
  std::unique_lock lock(mutex_);
  if (heard_.running) return Error{"An interview is under way."};
  if (thread_.joinable()) thread_.join();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{"The interviewer cannot be called."};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ours_ = ends[0];
  heard_ = {.running = true};
  // Its standard input is a line in both directions.
  words.insert(words.begin(), {"sh", "-c", "exec \"$@\" >&0 2>&1", "sh", program_folder() / "kata",
                               "--plain", "--yes", "interview"});
  thread_ = std::thread([this, words, theirs = ends[1]] { talk(words, theirs); });
  return {};
}

void InterviewRoom::talk(const std::vector<std::string>& words, int theirs) {
  const auto finished =
      run({.arguments = words,
           .input_descriptor = theirs,
           .environment = {{SessionLock::holder_variable, page_holder(address_() + "/interview")}},
           .wake_on = [this] { return std::vector{ours_}; },
           .on_wake = [this] { return listen(); }});
  listen();
  const std::lock_guard lock(mutex_);
  if (!finished) heard_.text += finished.error().message + "\n";
  heard_.running = false;
  close(theirs);
  close(std::exchange(ours_, -1));
  changed_.notify_all();
}

/// What it has said meanwhile. False: it goes on.
bool InterviewRoom::listen() {
  std::array<char, 4096> buffer{};
  const std::lock_guard lock(mutex_);
  for (ssize_t count; (count = read(ours_, buffer.data(), buffer.size())) > 0;)
    heard_.text.append(buffer.data(), static_cast<std::size_t>(count));
  changed_.notify_all();
  return false;
}

std::optional<Error> InterviewRoom::say(const std::string& line) {
  const std::string bytes = line.substr(0, line.find_first_of("\r\n")) + "\n";
  const std::lock_guard lock(mutex_);
  const bool sent = ours_ >= 0 && send(ours_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                                      static_cast<ssize_t>(bytes.size());
  return sent ? std::nullopt : std::optional(Error{"The interviewer does not listen."});
}

InterviewRoom::Heard InterviewRoom::hear(std::size_t seen) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest_silence,
                    [&] { return !heard_.running || heard_.text.size() != seen; });
  return heard_;
}

std::string page_holder(const std::string& address) {
  return "the page at " + address;
}

std::optional<OpenInterview> open_interview() {
  Result<History> history = History::open();
  if (!history) return {};
  const Result<std::optional<InterviewRecord>> found = InterviewRecord::find_open(*history);
  if (!found || !*found) return {};
  OpenInterview open{.state = (**found).state()};
  SessionClock clock = open.state.clock;
  if (open.state.phase == Interview::Phase::drills) {
    const auto drill = drill::Record::find_open(*history);
    if (drill && *drill) {
      const drill::State& state = (**drill).state();
      clock = state.clock;
      if (state.offer.kind == drill::Kind::bug) open.bug_in = state.offer.problem->name;
      open.at_repair = !open.bug_in.empty() && state.sealed.empty();
    }
  }
  clock.tick(instant_now());
  open.left = open.state.limit - clock.worked();
  return open;
}

}  // namespace kata::serve
