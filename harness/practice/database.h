#pragma once
// history.db: opened so that an acknowledged change survives a crash of the process, a full disk
// and a damaged file.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "support/result.h"

namespace SQLite {
class Database;
}

namespace kata {

/// The SQL that makes version i + 1 of the schema out of version i. Steps are appended, never
/// changed: databases of every version are out there.
std::span<const char* const> schema_steps();

struct OpenedDatabase {
  std::shared_ptr<SQLite::Database> database;
  std::string notice = {};  ///< a line for the person: set aside as damaged, or for reading alone
  bool read_only = false;
};

/// Opens `file`, makes it if it is not there, and brings its schema up to date. WAL with
/// synchronous=FULL: a write that returned is on the disk. Two programs may have it open at once;
/// each waits for the other for up to ten seconds.
///
/// A damaged file is renamed to history.damaged-<date>.db, and a new one begun. To look all of it
/// through takes long (0.05 s for 28 MB), so that is done only if somebody else has changed the
/// file since kata closed it, kata was killed while it wrote it, or a read met damage. A file that
/// a newer kata wrote is an Error and stays as it is. In a folder that cannot be written an
/// existing file is opened for reading alone.
Result<OpenedDatabase> open_database(const std::filesystem::path& file);

/// Runs `work`; an exception of SQLite becomes an Error that names `file`. After one that speaks
/// of damage the next open_database() looks the file through.
std::optional<Error> guarded(const std::filesystem::path& file, const std::function<void()>& work);

}  // namespace kata
