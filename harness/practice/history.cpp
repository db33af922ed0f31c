#include "practice/history.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "practice/database.h"
#include "practice/statement.h"
#include "practice/uid.h"
#include "report/json.h"
#include "support/paths.h"

namespace kata {
namespace {

using Json = nlohmann::json;

constexpr const char* attempt_columns =
    "id, operator, at, kind, verdict, text, findings, backend, device, seed, duration_ms, hints, "
    "solution_seen, grade, session, rung, rungs, next_idea, size, median_us, of_best, path";

constexpr const char* session_columns = "uid, operator, kind, open, started_at, updated_at, data";

constexpr std::array attempt_kinds = {AttemptKind::check, AttemptKind::watch,
                                      AttemptKind::interview, AttemptKind::reset};
constexpr std::array event_kinds = {Event::Kind::hint, Event::Kind::solution, Event::Kind::reset};

const char* to_string(Event::Kind kind) {
  static constexpr const char* words[] = {"hint", "solution", "reset"};
  return words[static_cast<std::size_t>(kind)];
}

template <class Kinds>
auto kind_from(const std::string& word, const Kinds& kinds) {
  for (const auto kind : kinds) {
    if (word == to_string(kind)) return kind;
  }
  return kinds.front();
}

std::int64_t stored(Time time) {
  return (time == Time{} ? now() : time).time_since_epoch().count();
}

std::optional<std::string> stored(const std::optional<Verdict>& verdict) {
  return verdict ? std::optional<std::string>(to_string(*verdict)) : std::nullopt;
}

std::optional<int> stored(const std::optional<Grade>& grade) {
  return grade ? std::optional(static_cast<int>(*grade)) : std::nullopt;
}

std::string findings_text(const std::vector<Finding>& findings) {
  return Json(findings).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<Finding> findings_from(const std::string& text) {
  if (text == "[]") return {};
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::vector<Finding> findings;
  for (const Json& one : json) {
    try {
      findings.push_back(one.get<Finding>());
    } catch (const Json::exception&) {  // of a kind that only a newer kata knows
    }
  }
  return findings;
}

Attempt attempt_in(SQLite::Statement& row) {
  RowReader read(row);
  Attempt attempt{.id = read.number(), .operator_name = read.text(), .at = read.time()};
  attempt.kind = kind_from(read.text(), attempt_kinds);
  if (!read.null()) attempt.verdict = verdict_from(read.text());
  if (!read.null()) attempt.text = read.text();
  attempt.findings = findings_from(read.text());
  attempt.backend = read.text();
  attempt.device = read.text();
  attempt.seed = static_cast<std::uint64_t>(read.number());
  attempt.duration = std::chrono::milliseconds(read.number());
  attempt.hints = read.small_number();
  attempt.solution_seen = read.number() != 0;
  if (!read.null()) attempt.grade = static_cast<Grade>(read.small_number());
  attempt.session = read.text();
  attempt.rung = read.small_number();
  attempt.rungs = read.small_number();
  attempt.next_idea = read.text();
  attempt.size = read.text();
  attempt.median_us = read.real();
  attempt.of_best = read.real();
  attempt.path = read.text();
  return attempt;
}

SessionRecord session_in(SQLite::Statement& row) {
  RowReader read(row);
  return {.uid = read.text(),
          .operator_name = read.text(),
          .kind = read.text(),
          .open = read.number() != 0,
          .started = read.time(),
          .updated = read.time(),
          .data = read.text()};
}

/// Runs `work` and returns what it returns, or the Error of the database.
template <class Work>
auto guarded_result(const std::filesystem::path& file, Work work) -> Result<decltype(work())> {
  std::optional<decltype(work())> value;
  if (const auto error = guarded(file, [&] { value.emplace(work()); })) return *error;
  return std::move(*value);
}

}  // namespace

Time now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

const char* to_string(Grade grade) {
  static constexpr const char* words[] = {"again", "hard", "good", "easy"};
  return words[static_cast<std::size_t>(grade) - 1];
}

const char* to_string(AttemptKind kind) {
  static constexpr const char* words[] = {"check", "watch", "interview", "reset"};
  return words[static_cast<std::size_t>(kind)];
}

Attempt attempt_from(const Report& report, AttemptKind kind, std::string text) {
  Attempt attempt{.operator_name = report.operator_name,
                  .kind = kind,
                  .verdict = report.verdict,
                  .text = std::move(text),
                  .findings = report.findings,
                  .backend = report.backend,
                  .device = report.device,
                  .seed = report.seed};
  if (report.level) {
    attempt.rung = report.level->rung;
    attempt.rungs = report.level->of;
    attempt.next_idea = report.level->next_idea;
    attempt.of_best = report.level->of_best;
  }
  for (const TimingRow& row : report.timing) {
    if (row.kind != RowKind::yours || !(row.median_us > 0)) continue;
    attempt.size = row.size;
    attempt.median_us = row.median_us;
    break;
  }
  return attempt;
}

History::History(std::filesystem::path file, std::shared_ptr<SQLite::Database> database,
                 std::string notice)
    : file_(std::move(file)), database_(std::move(database)), notice_(std::move(notice)) {}

History::History(History&&) noexcept = default;
History::~History() = default;

Result<History> History::open() {
  const std::filesystem::path file = state_folder() / "history.db";
  Result<OpenedDatabase> opened = open_database(file);
  if (!opened) return opened.error();
  return History(file, std::move(opened->database), opened->notice);
}

Result<std::int64_t> History::add(const Attempt& attempt) {
  return guarded_result(file_, [&] {
    SQLite::Statement insert(
        *database_,
        "INSERT INTO attempts (uid, text_hash, operator, at, kind, verdict, text, findings, "
        "backend, device, seed, duration_ms, hints, solution_seen, grade, session, rung, rungs, "
        "next_idea, size, median_us, of_best, path) "
        "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    Binder(insert) << new_uid() << hash_of(attempt.text.value_or("")) << attempt.operator_name
                   << stored(attempt.at) << to_string(attempt.kind) << stored(attempt.verdict)
                   << attempt.text << findings_text(attempt.findings) << attempt.backend
                   << attempt.device << static_cast<std::int64_t>(attempt.seed)
                   << std::int64_t{attempt.duration.count()} << attempt.hints
                   << int{attempt.solution_seen} << stored(attempt.grade) << attempt.session
                   << attempt.rung << attempt.rungs << attempt.next_idea << attempt.size
                   << attempt.median_us << attempt.of_best << attempt.path.string();
    insert.exec();
    return static_cast<std::int64_t>(database_->getLastInsertRowid());
  });
}

std::optional<Error> History::complete(const Attempt& attempt) {
  return guarded(file_, [&] {
    SQLite::Statement update(*database_,
                             "UPDATE attempts SET verdict = ?, findings = ?, grade = ?, rung = ?, "
                             "rungs = ?, next_idea = ?, size = ?, median_us = ?, of_best = ? "
                             "WHERE id = ?");
    Binder(update) << stored(attempt.verdict) << findings_text(attempt.findings)
                   << stored(attempt.grade) << attempt.rung << attempt.rungs << attempt.next_idea
                   << attempt.size << attempt.median_us << attempt.of_best << attempt.id;
    update.exec();
  });
}

std::optional<Error> History::add(const Event& event) {
  return guarded(file_, [&] {
    SQLite::Statement insert(*database_,
                             "INSERT INTO events (uid, at, operator, kind, detail, session) "
                             "VALUES (?,?,?,?,?,?)");
    Binder(insert) << new_uid() << stored(event.at) << event.operator_name << to_string(event.kind)
                   << event.detail << event.session;
    insert.exec();
  });
}

std::optional<Error> History::add(const CardReview& review) {
  return guarded(file_, [&] {
    SQLite::Statement insert(*database_,
                             "INSERT INTO card_reviews (uid, at, card, grade) VALUES (?,?,?,?)");
    Binder(insert) << new_uid() << stored(review.at) << review.card
                   << static_cast<int>(review.grade);
    insert.exec();
  });
}

std::optional<Error> History::add(const DrillResult& result) {
  return guarded(file_, [&] {
    SQLite::Statement insert(*database_,
                             "INSERT INTO drills (uid, at, kind, item, topic, score, found, grade) "
                             "VALUES (?,?,?,?,?,?,?,?)");
    Binder(insert) << new_uid() << stored(result.at) << result.kind << result.item << result.topic
                   << result.score << int{result.found} << static_cast<int>(result.grade);
    insert.exec();
  });
}

std::optional<Error> History::save(SessionRecord& session) {
  return guarded(file_, [&] {
    if (session.uid.empty()) session.uid = new_uid();
    if (session.started == Time{}) session.started = now();
    session.updated = now();
    SQLite::Statement insert(
        *database_,
        "INSERT INTO sessions (uid, operator, kind, open, started_at, updated_at, data) "
        "VALUES (?,?,?,?,?,?,?) ON CONFLICT (uid) DO UPDATE SET "
        "open = excluded.open, updated_at = excluded.updated_at, data = excluded.data");
    Binder(insert) << session.uid << session.operator_name << session.kind << int{session.open}
                   << stored(session.started) << stored(session.updated) << session.data;
    insert.exec();
  });
}

/// Newest first. With an operator and without, an index has the rows in this very order.
SQLite::Statement History::newest_rows(const std::string& columns, const std::string& condition,
                                       const std::string& operator_name,
                                       std::optional<int> limit) const {
  constexpr int no_limit = -1;  // SQLite's
  SQLite::Statement rows(
      *database_, fmt::format("SELECT {} FROM attempts WHERE {} AND {} ORDER BY at DESC, id DESC "
                              "LIMIT {}",
                              columns, condition, operator_name.empty() ? "true" : "operator = ?",
                              limit.value_or(no_limit)));
  if (!operator_name.empty()) Binder(rows) << operator_name;
  return rows;
}

Result<std::vector<Attempt>> History::attempts(const std::string& operator_name) const {
  return attempts_where(attempt_columns, "path = ''", operator_name);
}

Result<std::vector<AttemptOutcome>> History::outcomes(const std::string& operator_name) const {
  return guarded_result(file_, [&] {
    SQLite::Statement rows =
        newest_rows("operator, at, verdict, grade, rung, rungs, next_idea, median_us", "path = ''",
                    operator_name);
    std::vector<AttemptOutcome> outcomes;
    while (rows.executeStep()) {
      RowReader read(rows);
      AttemptOutcome one{.operator_name = read.text(), .at = read.time()};
      if (!read.null()) one.verdict = verdict_from(read.text());
      if (!read.null()) one.grade = static_cast<Grade>(read.small_number());
      one.rung = read.small_number();
      one.rungs = read.small_number();
      one.next_idea = read.text();
      one.median_us = read.real();
      outcomes.push_back(std::move(one));
    }
    std::reverse(outcomes.begin(), outcomes.end());
    return outcomes;
  });
}

Result<std::vector<Attempt>> History::attempts_in_short(const std::string& operator_name,
                                                        std::optional<int> newest) const {
  std::string columns = attempt_columns;
  columns.replace(columns.find(" text,"), 6, " NULL,");
  return attempts_where(columns, "true", operator_name, newest);
}

Result<std::vector<Attempt>> History::attempts_at_any_file(const std::string& operator_name) const {
  return attempts_where(attempt_columns, "true", operator_name);
}

Result<std::vector<Attempt>> History::attempts_where(const std::string& columns,
                                                     const std::string& condition,
                                                     const std::string& operator_name,
                                                     std::optional<int> newest) const {
  return guarded_result(file_, [&] {
    SQLite::Statement rows = newest_rows(columns, condition, operator_name, newest);
    std::vector<Attempt> attempts;
    while (rows.executeStep()) attempts.push_back(attempt_in(rows));
    std::reverse(attempts.begin(), attempts.end());
    return attempts;
  });
}

Result<std::vector<Event>> History::events(const std::string& operator_name, Time since) const {
  return guarded_result(file_, [&] {
    SQLite::Statement rows(*database_,
                           "SELECT operator, kind, detail, session, at FROM events "
                           "WHERE operator = ? AND at >= ? ORDER BY at, id");
    Binder(rows) << operator_name << std::int64_t{since.time_since_epoch().count()};
    std::vector<Event> events;
    while (rows.executeStep()) {
      RowReader read(rows);
      events.push_back({.operator_name = read.text(),
                        .kind = kind_from(read.text(), event_kinds),
                        .detail = read.text(),
                        .session = read.text(),
                        .at = read.time()});
    }
    return events;
  });
}

Result<std::vector<CardReview>> History::card_reviews() const {
  return guarded_result(file_, [&] {
    SQLite::Statement rows(*database_, "SELECT card, grade, at FROM card_reviews ORDER BY at, id");
    std::vector<CardReview> reviews;
    while (rows.executeStep()) {
      RowReader read(rows);
      reviews.push_back({.card = read.text(),
                         .grade = static_cast<Grade>(read.small_number()),
                         .at = read.time()});
    }
    return reviews;
  });
}

Result<std::vector<DrillResult>> History::drill_results() const {
  return guarded_result(file_, [&] {
    SQLite::Statement rows(
        *database_,
        "SELECT kind, item, topic, score, found, grade, at FROM drills ORDER BY at, id");
    std::vector<DrillResult> results;
    while (rows.executeStep()) {
      RowReader read(rows);
      results.push_back({.kind = read.text(),
                         .item = read.text(),
                         .topic = read.text(),
                         .score = read.small_number(),
                         .found = read.number() != 0,
                         .grade = static_cast<Grade>(read.small_number()),
                         .at = read.time()});
    }
    return results;
  });
}

Result<std::vector<SessionRecord>> History::open_sessions() const {
  return guarded_result(file_, [&] {
    SQLite::Statement rows(
        *database_,
        fmt::format("SELECT {} FROM sessions WHERE open ORDER BY updated_at, id", session_columns));
    std::vector<SessionRecord> sessions;
    while (rows.executeStep()) sessions.push_back(session_in(rows));
    return sessions;
  });
}

Result<std::optional<SessionRecord>> History::session(const std::string& uid) const {
  return guarded_result(file_, [&]() -> std::optional<SessionRecord> {
    SQLite::Statement rows(*database_,
                           fmt::format("SELECT {} FROM sessions WHERE uid = ?", session_columns));
    Binder(rows) << uid;
    if (!rows.executeStep()) return {};
    return session_in(rows);
  });
}

Result<std::optional<Attempt>> History::attempt(std::int64_t id) const {
  return guarded_result(file_, [&]() -> std::optional<Attempt> {
    SQLite::Statement rows(*database_,
                           fmt::format("SELECT {} FROM attempts WHERE id = ?", attempt_columns));
    Binder(rows) << id;
    if (!rows.executeStep()) return {};
    return attempt_in(rows);
  });
}

std::optional<Verdict> History::verdict_of(const std::string& operator_name,
                                           const std::string& text) const {
  std::optional<Verdict> verdict;
  guarded(file_, [&] {
    SQLite::Statement rows(
        *database_,
        "SELECT verdict FROM attempts WHERE operator = ? AND text_hash = ? "
        "AND path = '' AND verdict IS NOT NULL ORDER BY at DESC, id DESC LIMIT 1");
    Binder(rows) << operator_name << hash_of(text);
    if (rows.executeStep()) verdict = verdict_from(rows.getColumn(0).getString());
  });
  return verdict;
}

bool History::knows(const std::string& operator_name) const {
  bool known = false;
  guarded(file_, [&] {
    SQLite::Statement rows(*database_,
                           "SELECT 1 FROM attempts WHERE operator = ? AND path = '' "
                           "AND verdict IS NOT NULL LIMIT 1");
    Binder(rows) << operator_name;
    known = rows.executeStep();
  });
  return known;
}

}  // namespace kata
