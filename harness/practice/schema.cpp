// The history's schema, version by version.
#include <array>

#include "practice/database.h"

namespace kata {
namespace {

// Times are milliseconds since 1970 in UTC. `uid` names a row on every machine, `id` on this one.
// A verdict of null: not judged.
constexpr const char* first = R"(
  CREATE TABLE attempts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    operator TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('check', 'watch', 'interview', 'reset')),
    verdict TEXT CHECK (verdict IN ('pass', 'fail', 'error', 'not_attempted')),
    text TEXT,
    text_hash TEXT NOT NULL,
    findings TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(findings)),
    backend TEXT NOT NULL DEFAULT '',
    device TEXT NOT NULL DEFAULT '',
    seed INTEGER NOT NULL DEFAULT 0,
    duration_ms INTEGER NOT NULL DEFAULT 0,
    hints INTEGER NOT NULL DEFAULT 0,
    solution_seen INTEGER NOT NULL DEFAULT 0 CHECK (solution_seen IN (0, 1)),
    grade INTEGER CHECK (grade BETWEEN 1 AND 4),
    session TEXT NOT NULL DEFAULT '',
    rung INTEGER NOT NULL DEFAULT 0,
    rungs INTEGER NOT NULL DEFAULT 0,
    next_idea TEXT NOT NULL DEFAULT '',
    size TEXT NOT NULL DEFAULT '',
    median_us REAL NOT NULL DEFAULT 0,
    of_best REAL NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX attempts_by_operator ON attempts (operator, at);
  CREATE INDEX attempts_by_text ON attempts (operator, text_hash);

  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    operator TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('hint', 'solution', 'reset')),
    detail TEXT NOT NULL DEFAULT '',
    session TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX events_by_operator ON events (operator, at);

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    operator TEXT NOT NULL,
    kind TEXT NOT NULL,
    open INTEGER NOT NULL CHECK (open IN (0, 1)),
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    data TEXT NOT NULL CHECK (json_valid(data))
  ) STRICT;
)";

// Of a file that is not the operator's exercise: where it was.
constexpr const char* second = "ALTER TABLE attempts ADD COLUMN path TEXT NOT NULL DEFAULT ''";

// The quiz. `card` is "<topic>: <question>".
constexpr const char* third = R"(
  CREATE TABLE card_reviews (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    card TEXT NOT NULL,
    grade INTEGER NOT NULL CHECK (grade BETWEEN 1 AND 4)
  ) STRICT;
)";

// Everything that was tried, in the order of time.
constexpr const char* fourth = "CREATE INDEX attempts_by_time ON attempts (at)";

// What the plan and the progress need of every attempt, without the rows, of which each fills a
// page.
constexpr const char* fifth = R"(
  DROP INDEX attempts_by_time;
  CREATE INDEX attempts_by_time ON attempts
    (at, id, path, operator, verdict, grade, rung, rungs, next_idea, median_us);
)";

// Drills. `topic` is what is spaced: a class of fault, a family of calculations.
constexpr const char* sixth = R"(
  CREATE TABLE drills (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    item TEXT NOT NULL,
    topic TEXT NOT NULL,
    score INTEGER NOT NULL CHECK (score BETWEEN 0 AND 100),
    found INTEGER NOT NULL CHECK (found IN (0, 1)),
    grade INTEGER NOT NULL CHECK (grade BETWEEN 1 AND 4)
  ) STRICT;
)";

constexpr std::array<const char*, 6> steps = {first, second, third, fourth, fifth, sixth};

}  // namespace

std::span<const char* const> schema_steps() {
  return steps;
}

}  // namespace kata
