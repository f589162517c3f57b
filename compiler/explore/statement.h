// SPDX-License-Identifier: Apache-2.0
// One prepared statement of SQLite's, and what is asked of a file before it is taken for a database of ours.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

namespace cosim::explore {

class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) {
    sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Values of the parameters, from the first on; an empty `text` may be NULL instead.
  Statement& Bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& BindOrNull(const std::string& text) {
    if (!text.empty()) return Bind(text);
    sqlite3_bind_null(statement_, ++bound_);
    return *this;
  }
  Statement& Bind(int64_t value) {
    sqlite3_bind_int64(statement_, ++bound_, value);
    return *this;
  }

  Statement& BindReal(double value) {
    sqlite3_bind_double(statement_, ++bound_, value);
    return *this;
  }

  /// SQLITE_ROW while there are rows, then SQLITE_DONE; anything else is an error.
  int Step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  bool Done() { return Step() == SQLITE_DONE; }

  int Columns() const { return sqlite3_column_count(statement_); }
  bool IsNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  double Real(int column) const { return sqlite3_column_double(statement_, column); }
  int64_t Integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string Text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr
               ? ""
               : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// The value of a pragma that is a number.
inline int64_t Pragma(sqlite3* database, const std::string& name) {
  Statement statement(database, "PRAGMA " + name);
  return statement.Step() == SQLITE_ROW ? statement.Integer(0) : -1;
}

/// Whether a database has no tables yet.
inline bool IsEmpty(sqlite3* database) {
  Statement tables(database, "SELECT count(*) FROM sqlite_master");
  return tables.Step() == SQLITE_ROW && tables.Integer(0) == 0;
}

}  // namespace cosim::explore
