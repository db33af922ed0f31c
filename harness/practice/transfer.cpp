// The history as JSON lines: one object per row, its table under "table", its columns by name.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "practice/database.h"
#include "practice/history.h"
#include "support/text.h"

namespace kata {
namespace {

using Json = nlohmann::json;

struct Table {
  const char* name;
  const char* on_conflict;  ///< with a row that has the same uid already
};

// What was done does not change; a session goes on, and the later state of it wins.
constexpr std::array tables = {
    Table{"attempts", "DO NOTHING"}, Table{"events", "DO NOTHING"},
    Table{"card_reviews", "DO NOTHING"}, Table{"drills", "DO NOTHING"},
    Table{"sessions",
          "DO UPDATE SET open = excluded.open, updated_at = excluded.updated_at, "
          "data = excluded.data WHERE excluded.updated_at > updated_at"}};

struct WrongLine {
  std::string reason;
};

/// Texts are what a person's editor wrote, which need not be UTF-8 as JSON must be.
Json as_json(const std::string& text) {
  const Json json = text;
  try {
    static_cast<void>(json.dump());
    return json;
  } catch (const Json::exception&) {
    std::string digits;
    for (const char byte : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return {{"hex", digits}};
  }
}

std::string text_from_hex(const std::string& digits) {
  if (digits.size() % 2 != 0 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw WrongLine{"its text is no hexadecimal number"};
  }
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return text;
}

Json as_json(const SQLite::Column& value) {
  if (value.isNull()) return nullptr;
  if (value.isInteger()) return value.getInt64();
  if (value.isFloat()) return value.getDouble();
  return as_json(value.getString());
}

void bind(SQLite::Statement& statement, int index, const Json& value) {
  if (value.is_null()) return statement.bind(index);
  if (value.is_number_float()) return statement.bind(index, value.get<double>());
  if (value.is_number_integer()) return statement.bind(index, value.get<std::int64_t>());
  if (value.is_string()) return statement.bind(index, value.get<std::string>());
  if (value.is_object() && value.value("hex", Json()).is_string()) {
    return statement.bind(index, text_from_hex(value["hex"]));
  }
  throw WrongLine{"a value is neither text nor number"};
}

void export_table(SQLite::Database& database, const Table& table, std::string& lines) {
  SQLite::Statement rows(database, fmt::format("SELECT * FROM {} ORDER BY id", table.name));
  while (rows.executeStep()) {
    Json line = {{"table", table.name}};
    for (int i = 0; i < rows.getColumnCount(); ++i) {
      const std::string column = rows.getColumnName(i);
      if (column != "id") line[column] = as_json(rows.getColumn(i));
    }
    lines += line.dump() + "\n";
  }
}

/// The first line says which format the others have.
void check_heading(const Json& line) {
  const Json version = line.value("kata_history", Json());
  if (!version.is_number_integer()) throw WrongLine{"this is no export of kata's history"};
  if (version.get<std::size_t>() <= schema_steps().size()) return;
  throw WrongLine{"this was exported by a newer kata: update kata first"};
}

bool has_column(SQLite::Database& database, const char* table, const std::string& column) {
  SQLite::Statement found(database, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  found.bind(1, table);
  found.bind(2, column);
  return found.executeStep();
}

/// The rows of one file. Rows with the same columns use one statement.
class Import {
 public:
  explicit Import(SQLite::Database& database) : database_(database) {}

  /// Returns how many rows were added or brought up to date: 0 or 1.
  int add(const Json& line) {
    SQLite::Statement& insert = statement_for(line);
    insert.reset();
    int index = 1;
    for (const auto& [column, value] : line.items()) {
      if (column != "table") bind(insert, index++, value);
    }
    return insert.exec();
  }

 private:
  SQLite::Statement& statement_for(const Json& line) {
    const std::string name = line.value("table", "");
    const auto table = std::find_if(tables.begin(), tables.end(),
                                    [&](const Table& one) { return one.name == name; });
    if (table == tables.end()) throw WrongLine{fmt::format("there is no table \"{}\"", name)};
    std::vector<std::string> columns;
    for (const auto& [column, value] : line.items()) {
      if (column != "table") columns.push_back(column);
    }
    const auto known = inserts_.find({name, columns});
    if (known != inserts_.end()) return known->second;
    for (const std::string& column : columns) {
      if (column == "id" || !has_column(database_, table->name, column))
        throw WrongLine{fmt::format("{} have no \"{}\"", name, column)};
    }
    const std::vector<std::string> marks(columns.size(), "?");
    const std::string sql =
        fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT (uid) {}", name,
                    fmt::join(columns, ", "), fmt::join(marks, ", "), table->on_conflict);
    return inserts_.emplace(Columns{name, columns}, SQLite::Statement(database_, sql))
        .first->second;
  }

  using Columns = std::pair<std::string, std::vector<std::string>>;  ///< of a table

  SQLite::Database& database_;
  std::map<Columns, SQLite::Statement> inserts_;
};

int import_lines(SQLite::Database& database, const std::string& lines, int& number) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  Import rows(database);
  int added = 0;
  for (const std::string& text : lines_of(lines)) {
    ++number;
    const Json line = Json::parse(text);
    if (!line.is_object()) throw WrongLine{"this is not a JSON object"};
    if (number == 1) {
      check_heading(line);
    } else {
      added += rows.add(line);
    }
  }
  if (number == 0) throw WrongLine{"the file is empty"};
  transaction.commit();
  return added;
}

}  // namespace

Result<std::string> History::exported() const {
  std::string lines = Json{{"kata_history", schema_steps().size()}}.dump() + "\n";
  const auto error = guarded(file_, [&] {
    SQLite::Transaction one_moment(*database_);  // of all tables
    for (const Table& table : tables) export_table(*database_, table, lines);
  });
  if (error) return *error;
  return lines;
}

Result<int> History::import(const std::string& lines) {
  int number = 0;
  const auto wrong = [&](const std::string& reason) {
    return Error{fmt::format("line {}: {}; nothing was imported", number, reason)};
  };
  try {
    return import_lines(*database_, lines, number);
  } catch (const WrongLine& error) {
    return wrong(error.reason);
  } catch (const Json::exception&) {
    return wrong("this is not JSON");
  } catch (const SQLite::Exception& error) {
    return wrong(error.what());
  }
}

}  // namespace kata
