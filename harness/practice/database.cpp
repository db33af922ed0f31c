#include "practice/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <ctime>

#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

constexpr int busy_timeout_ms = 10'000;

bool is_damage(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_CORRUPT || error.getErrorCode() == SQLITE_NOTADB;
}

/// PRAGMA user_version, from the bytes 60 to 63 of the file, so that a newer kata's database is
/// recognised before anything is done to it. They are read through SQLite's own file: a process
/// that closes any other descriptor of a file loses all its POSIX locks on it, those of a history
/// that it has open among them, and the next program to close the database would take the log away.
int version_in_header(const fs::path& file) {
  std::array<unsigned char, 64> header{};
  sqlite3* database = nullptr;
  sqlite3_file* opened = nullptr;
  const bool there =
      sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
      sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &opened) == SQLITE_OK &&
      opened->pMethods;
  if (there) opened->pMethods->xRead(opened, header.data(), 64, 0);
  sqlite3_close(database);
  if (std::memcmp(header.data(), "SQLite format 3", 16) != 0) return 0;
  return header[60] << 24 | header[61] << 16 | header[62] << 8 | header[63];
}

int version_of(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

Error newer(const fs::path& file, int version) {
  return {fmt::format(
      "{} was written by a newer kata (its format is {}, this kata knows {}): update kata, or set "
      "KATA_HOME to another folder; the file was left as it is",
      file.string(), version, schema_steps().size())};
}

/// All steps that are missing, in one transaction; another program may have been quicker.
void migrate(SQLite::Database& database) {
  const int latest = static_cast<int>(schema_steps().size());
  if (version_of(database) == latest) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  for (int version = version_of(database); version < latest; ++version) {
    database.exec(schema_steps()[static_cast<std::size_t>(version)]);
  }
  database.exec(fmt::format("PRAGMA user_version = {}", latest));
  transaction.commit();
}

fs::path lock_of(const fs::path& file) {
  return file.parent_path() / "history.lock";
}

// The lock file bears the database's own time of change while the database is as kata left it.
constexpr fs::file_time_type suspect{};  // no time at which anything was written

bool known_sound(const fs::path& file) {
  std::error_code no_file, no_lock;
  const auto changed = fs::last_write_time(file, no_file);
  const auto known = fs::last_write_time(lock_of(file), no_lock);
  return !no_file && !no_lock && changed == known;
}

void remember_sound(const fs::path& file) {
  std::error_code failed;
  const auto changed = fs::last_write_time(file, failed);
  if (!failed) fs::last_write_time(lock_of(file), changed, failed);
}

void remember_suspect(const fs::path& file) {
  std::error_code ignored;
  fs::last_write_time(lock_of(file), suspect, ignored);
}

/// Closes the database; the last one that does so writes the file.
void close_sound(SQLite::Database* database, const fs::path& file) {
  delete database;
  std::error_code ignored;
  if (fs::last_write_time(lock_of(file), ignored) != suspect) remember_sound(file);
}

struct Damaged {};  ///< thrown by open_sound() for what SQLite does not throw by itself

Result<OpenedDatabase> open_sound(const fs::path& file) {
  const int flags = SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  auto database = std::make_unique<SQLite::Database>(file.string(), flags, busy_timeout_ms);
  const int version = version_of(*database);
  if (version > static_cast<int>(schema_steps().size())) return newer(file, version);
  database->exec("PRAGMA journal_mode = WAL");
  database->exec("PRAGMA synchronous = FULL");
  if (!known_sound(file)) {
    const std::string verdict = database->execAndGet("PRAGMA quick_check(1)").getString();
    if (verdict != "ok") throw Damaged();
    remember_sound(file);
  }
  migrate(*database);
  const auto close = [file](SQLite::Database* opened) { close_sound(opened, file); };
  return OpenedDatabase{.database = {database.release(), close}};
}

/// Held while a database is opened: of the programs that find it new, old or damaged at the same
/// time, one makes, migrates or sets it aside.
class Lock {
 public:
  explicit Lock(const fs::path& path)
      : file_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
    if (file_ >= 0) flock(file_, LOCK_EX);
  }
  ~Lock() {
    if (file_ >= 0) close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

/// Renames the file, and what SQLite keeps beside it, to a name that is free.
Result<fs::path> set_aside(const fs::path& file) {
  const std::string date = fmt::format("{:%Y-%m-%d-%H%M%S}", fmt::gmtime(std::time(nullptr)));
  const std::string stem = file.stem().string() + ".damaged-" + date;
  fs::path aside = file.parent_path() / (stem + ".db");
  std::error_code failed;
  for (int i = 2; fs::exists(aside, failed); ++i) {
    aside = file.parent_path() / fmt::format("{}-{}.db", stem, i);
  }
  for (const char* suffix : {"-wal", "-shm"}) {  // first: a new database must not find them
    std::error_code absent;
    fs::rename(file.string() + suffix, aside.string() + suffix, absent);
  }
  fs::rename(file, aside, failed);
  if (!failed) return aside;
  return Error{fmt::format("{} is damaged and cannot be set aside ({}): move it away by hand",
                           file.string(), failed.message())};
}

std::optional<Result<OpenedDatabase>> open_if_sound(const fs::path& file) try {
  return open_sound(file);
} catch (const SQLite::Exception& error) {
  if (is_damage(error)) return {};
  throw;
} catch (const Damaged&) {
  return {};
}

Result<OpenedDatabase> replace_damaged(const fs::path& file) {
  const Result<fs::path> aside = set_aside(file);
  if (!aside) return aside.error();
  Result<OpenedDatabase> opened = open_sound(file);
  if (opened) {
    opened->notice = fmt::format(
        "your history was damaged; it is kept as {}, and a new one begins. To recover what is "
        "still readable: "
        "sqlite3 {} .recover",
        aside->string(), aside->string());
  }
  return opened;
}

std::string escaped(const std::string& path) {
  std::string uri;
  for (const char letter : path) {
    const bool special = letter == '%' || letter == '?' || letter == '#';
    uri += special ? fmt::format("%{:02x}", letter) : std::string{letter};
  }
  return uri;
}

/// immutable: SQLite would want to write beside the file even to read it.
Result<OpenedDatabase> open_to_read(const fs::path& file, const std::string& reason) try {
  const std::string uri = "file:" + escaped(file.string()) + "?immutable=1";
  auto database = std::make_shared<SQLite::Database>(uri, SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  const int version = version_of(*database);
  if (version != static_cast<int>(schema_steps().size())) {
    return Error{fmt::format("{} cannot be brought up to date ({})", file.string(), reason)};
  }
  return OpenedDatabase{
      .database = std::move(database),
      .notice = fmt::format("{} can only be read ({}); nothing new is kept. Set KATA_HOME to a "
                            "folder that can be written",
                            file.string(), reason),
      .read_only = true};
} catch (const SQLite::Exception&) {
  return Error{
      fmt::format("cannot keep your history in {} ({}); set KATA_HOME to a folder that "
                  "can be written",
                  file.string(), reason)};
}

}  // namespace

Result<OpenedDatabase> open_database(const fs::path& file) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed) return open_to_read(file, failed.message());
  const Lock lock(lock_of(file));
  const int version = version_in_header(file);
  if (version > static_cast<int>(schema_steps().size())) return newer(file, version);
  try {
    if (auto sound = open_if_sound(file)) return std::move(*sound);
    return replace_damaged(file);
  } catch (const SQLite::Exception& error) {
    return open_to_read(file, error.what());
  }
}

std::optional<Error> guarded(const fs::path& file, const std::function<void()>& work) try {
  work();
  return {};
} catch (const SQLite::Exception& error) {
  if (!is_damage(error)) {
    return Error{fmt::format("the history in {} cannot be used: {}", file.string(), error.what())};
  }
  remember_suspect(file);
  return Error{fmt::format(
      "the history in {} is damaged: the next command sets it aside and begins a new one",
      file.string())};
}

}  // namespace kata
