#pragma once
// What goes into a statement of the history's database, and what comes out of its rows.

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "practice/history.h"

namespace kata {

/// Binds values to the statement's parameters in turn; an empty optional becomes null.
class Binder {
 public:
  explicit Binder(SQLite::Statement& statement) : statement_(statement) {}

  template <class T>
  Binder& operator<<(const T& value) {
    statement_.bind(next_++, value);
    return *this;
  }
  template <class T>
  Binder& operator<<(const std::optional<T>& value) {
    if (value) return *this << *value;
    statement_.bind(next_++);
    return *this;
  }

 private:
  SQLite::Statement& statement_;
  int next_ = 1;
};

/// Reads a row's columns in turn.
class RowReader {
 public:
  explicit RowReader(SQLite::Statement& statement) : statement_(statement) {}

  std::string text() { return statement_.getColumn(next_++).getString(); }
  std::int64_t number() { return statement_.getColumn(next_++).getInt64(); }
  int small_number() { return static_cast<int>(number()); }
  double real() { return statement_.getColumn(next_++).getDouble(); }
  Time time() { return Time(std::chrono::milliseconds(number())); }
  bool null() {
    const bool is_null = statement_.getColumn(next_).isNull();
    next_ += is_null;
    return is_null;
  }

 private:
  SQLite::Statement& statement_;
  int next_ = 0;
};

}  // namespace kata
