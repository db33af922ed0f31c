#include "practice/old_state.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "practice/uid.h"
#include "report/report.h"
#include "support/files.h"
#include "support/paths.h"

namespace fs = std::filesystem;

namespace kata {
namespace {

using Json = nlohmann::json;

/// When the file was last written, in milliseconds since 1970.
std::int64_t written_at(const fs::path& file) {
  struct stat status {};
  stat(file.c_str(), &status);
  return std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// [{"text": hash, "verdict": "pass"}, ...], the last check last.
void take_over_results(SQLite::Database& database, const fs::path& file) {
  const Json results = Json::parse(read_file(file).value_or("[]"), nullptr, false);
  SQLite::Statement insert(database,
                           "INSERT OR IGNORE INTO attempts (uid, at, operator, kind, verdict, "
                           "text_hash) VALUES (?, ?, ?, 'check', ?, ?)");
  const std::string name = file.stem().string();
  for (const Json& one : results) {
    const bool sound = one.is_object() && one.value("text", Json()).is_string() &&
                       one.value("verdict", Json()).is_string();
    if (!sound) continue;
    const std::string hash = one["text"], verdict = one["verdict"];
    insert.bind(1, hash_of(name + "\n" + hash));
    insert.bind(2, written_at(file));
    insert.bind(3, name);
    insert.bind(4, to_string(verdict_from(verdict)));
    insert.bind(5, hash);
    insert.exec();
    insert.reset();
  }
}

void take_over_kept(SQLite::Database& database, const fs::path& file) {
  const std::optional<std::string> text = read_file(file);
  if (!text) return;
  const std::string name = file.parent_path().filename().string();
  SQLite::Statement insert(database,
                           "INSERT OR IGNORE INTO attempts (uid, at, operator, kind, text, "
                           "text_hash) VALUES (?, ?, ?, 'reset', ?, ?)");
  insert.bind(1, hash_of(name + "\n" + file.filename().string() + "\n" + *text));
  insert.bind(2, written_at(file));
  insert.bind(3, name);
  insert.bind(4, *text);
  insert.bind(5, hash_of(*text));
  insert.exec();
}

}  // namespace

void take_over_old_state(SQLite::Database& database) {
  const fs::path results = state_folder() / "results", kept = state_folder() / "kept";
  std::error_code failed;
  if (!fs::exists(results, failed) && !fs::exists(kept, failed)) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  for (const fs::path& file : files_in(results)) take_over_results(database, file);
  for (const fs::path& folder : files_in(kept)) {
    for (const fs::path& file : files_in(folder)) take_over_kept(database, file);
  }
  transaction.commit();
  const fs::path old = state_folder() / "before-history";
  fs::create_directories(old, failed);
  fs::rename(results, old / "results", failed);  // where that fails it is taken over once more
  fs::rename(kept, old / "kept", failed);
}

}  // namespace kata
