#include "serve/checks.h"

#include <random>

#include "practice/record.h"
#include "support/paths.h"

namespace kata::serve {
namespace {

constexpr std::size_t most_kept = 64;  // states of checks, the newest
constexpr auto longest_wait = std::chrono::seconds(1);

/// Numbers of this start and of one before do not meet.
std::int64_t first_id() {
  return now().time_since_epoch().count();
}

}  // namespace

Checks::Checks(const Settings& settings)
    : settings_(settings), last_id_(first_id()), worker_([this] { work(); }) {}

Checks::~Checks() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

Result<std::int64_t> Checks::start(const Problem& problem) {
  Result<Candidate> candidate = read_candidate(exercise(problem.name), {.problem = &problem});
  if (!candidate) return candidate.error();
  const std::lock_guard lock(mutex_);
  const std::int64_t id = ++last_id_;
  states_[id].text = candidate->text;
  if (states_.size() > most_kept) states_.erase(states_.begin());
  GradeRequest request{.candidate = std::move(*candidate),
                       .backend = settings_.backend,
                       .with_emulator = settings_.with_emulator,
                       .seed = std::random_device{}() % 1'000'000,
                       .chip = settings_.chip};
  waiting_.emplace_back(id, std::move(request));
  changed_.notify_all();
  return id;
}

std::optional<CheckState> Checks::state(std::int64_t id, int seen) {
  std::unique_lock lock(mutex_);
  const auto is_news = [&] {
    const auto found = states_.find(id);
    return stopping_ || found == states_.end() || found->second.version > seen;
  };
  changed_.wait_for(lock, longest_wait, is_news);
  const auto found = states_.find(id);
  if (found == states_.end()) return {};
  return found->second;
}

template <class Change>
void Checks::update(std::int64_t id, const Change& change) {
  const std::lock_guard lock(mutex_);
  const auto found = states_.find(id);
  if (found == states_.end()) return;
  change(found->second);
  ++found->second.version;
  changed_.notify_all();
}

void Checks::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    auto [id, request] = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    judge(id, std::move(request));
    lock.lock();
  }
}

void Checks::judge(std::int64_t id, GradeRequest request) {
  Recorded recorded;
  const auto keep = [&](const Report& report) {
    if (report.verdict == Verdict::not_attempted || report.operator_name.empty()) return;
    recorded = record(report, AttemptKind::check, request.candidate, recorded.id);
  };
  const auto show_right = [&](const Report& report) {
    update(id, [&](CheckState& state) { state.right_so_far = report; });
  };
  request.progress = [&](const std::string& what) {
    update(id, [&](CheckState& state) { state.progress = what; });
  };
  request.noticed = [&](const Finding& finding) {
    update(id, [&](CheckState& state) { state.findings.push_back(finding); });
  };
  request.right_so_far = show_right;
  request.passed = [&](const Report& report) {
    keep(report);
    show_right(report);
  };
  const Report report = grade(request);
  keep(report);
  update(id, [&](CheckState& state) {
    state.report = report;
    state.remark = recorded.remark;
  });
}

}  // namespace kata::serve
