#pragma once
// What a kata without history.db kept: the verdicts of texts in results/<operator>.json, and the
// texts that `kata reset` took away in kept/<operator>/<date>.cu.

namespace SQLite {
class Database;
}

namespace kata {

/// Adds it to the history, then moves both folders into state_folder()/before-history. Done again
/// it adds nothing. Throws as SQLite does.
void take_over_old_state(SQLite::Database& database);

}  // namespace kata
