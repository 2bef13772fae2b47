#pragma once
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace strata {

// The index cannot be read because it is damaged (not because it is busy or unreachable).
class IndexDamaged : public Error {
 public:
  using Error::Error;
};

// The index was written by a newer version of the program.
class IndexIsNewer : public Error {
 public:
  using Error::Error;
};
// By an older one: rebuildIndex makes it this version's.
class IndexIsOlder : public Error {
 public:
  using Error::Error;
};
// It is another program's database.
class IndexIsForeign : public Error {
 public:
  using Error::Error;
};

struct IndexSchema {
  int version;
  const char* sql;  // makes all tables
};
const IndexSchema& indexSchema();

struct DatabaseOptions {
  bool readOnly = false;
  bool network = false;  // rollback journal and exclusive transactions instead of WAL
  int busyMilliseconds = 20000;
  bool older = false;  // an index of an older version is opened as it is
};
// The file of a database that is only in memory.
inline constexpr const char* kInMemory = ":memory:";

// Whether a path is on a file system that other computers write to (NFS, SMB, Lustre, ...).
bool isNetworkFileSystem(const std::filesystem::path& path);

// The index's interface to SQLite (core/store/sql has one for questions): a connection, its
// statements and its transactions. Threads are serialised by transaction. SQLite's errors are
// rethrown as Error.
class Database {
 public:
  // Creates the file and its tables if absent. Throws one of the errors above before anything is
  // written.
  Database(const std::filesystem::path& file, const DatabaseOptions& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs work() in one transaction: committed when it returns, rolled back when it throws. Within
  // another transaction it becomes part of that.
  template <typename Work>
  auto write(Work&& work) {
    return inTransaction(true, std::forward<Work>(work));
  }
  // The same for reading: everything that work() reads is from one moment.
  template <typename Work>
  auto read(Work&& work) {
    return inTransaction(false, std::forward<Work>(work));
  }

  void execute(const std::string& sql);  // any number of statements, without values
  std::int64_t dataVersion();            // PRAGMA data_version
  int version();                         // PRAGMA user_version
  const std::filesystem::path& file() const { return file_; }
  bool network() const { return options_.network; }
  SQLite::Database& connection() { return *connection_; }
  std::recursive_mutex& mutex() { return mutex_; }

 private:
  friend class Query;

  template <typename Work>
  auto inTransaction(bool writing, Work&& work) {
    const std::lock_guard lock(mutex_);
    const TransactionScope scope(*this, writing);
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      scope.commit();
    } else {
      auto result = work();
      scope.commit();
      return result;
    }
  }

  // Begins only the outermost transaction; rolls back unless committed.
  class TransactionScope {
   public:
    TransactionScope(Database& database, bool writing);
    ~TransactionScope();
    TransactionScope(const TransactionScope&) = delete;
    TransactionScope& operator=(const TransactionScope&) = delete;
    void commit() const;

   private:
    Database& database_;
    bool outermost_;
    mutable bool done_ = false;
  };

  void open();
  void openUnwritable();
  void refuseForeign() const;
  void createTables();
  std::unique_ptr<SQLite::Statement> takeStatement(std::string_view sql);
  void returnStatement(std::string_view sql, std::unique_ptr<SQLite::Statement> statement);

  std::filesystem::path file_;
  DatabaseOptions options_;
  std::recursive_mutex mutex_;
  std::shared_ptr<void> isOpen_;  // counts the connection while it is there
  std::unique_ptr<SQLite::Database> connection_;
  std::unordered_map<std::string_view, std::vector<std::unique_ptr<SQLite::Statement>>> idle_;
  int depth_ = 0;
  bool writing_ = false;
};

// One use of a prepared statement, which the database caches. `sql` must live as long as the
// program. Values are bound in order; NaN is stored as NULL and read back as NaN.
class Query {
 public:
  Query(Database& database, std::string_view sql);
  // The same with values, as by with().
  template <typename First, typename... Rest>
  Query(Database& database, std::string_view sql, const First& first, const Rest&... rest)
      : Query(database, sql) {
    with(first, rest...);
  }
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  template <typename... Values>
  Query& with(const Values&... values) {
    bound_ = 0;
    (bindNext(values), ...);
    return *this;
  }
  bool next();         // to the next row; false: there is none
  std::int64_t run();  // to the end; returns the number of changed rows. Can be bound and run again
  // What `make` returns for each of the rows that are left.
  template <typename Make>
  auto all(const Make& make) {
    std::vector<std::invoke_result_t<Make, Query&>> made;
    while (next()) made.push_back(make(*this));
    return made;
  }

  std::int64_t integer(int column);
  double number(int column);
  std::string text(int column);
  std::span<const std::byte> blob(int column);  // valid until the next call of next()
  bool isNull(int column);

 private:
  void bindNext(std::int64_t value);
  void bindNext(std::integral auto value) { bindNext(static_cast<std::int64_t>(value)); }
  void bindNext(double value);
  void bindNext(std::string_view value);
  void bindNext(std::span<const std::byte> value);

  Database& database_;
  std::unique_lock<std::recursive_mutex> lock_;
  std::string_view sql_;
  std::unique_ptr<SQLite::Statement> statement_;
  int bound_ = 0;
};

// The statements that made the tables and indexes of a database, by kind and name: "table runs".
std::map<std::string, std::string> schemaOf(Database& database);
// Whether a file has exactly the tables of this program's indexes, and its header calls it another
// program's or a newer version's, as damage would. Changes nothing.
bool onlyHeaderIsWrong(const std::filesystem::path& file);

// Runs one statement with these values; returns the number of changed rows.
template <typename... Values>
std::int64_t change(Database& database, std::string_view sql, const Values&... values) {
  return Query(database, sql, values...).run();
}

// The row id of this connection's last insertion.
std::int64_t lastInsertId(Database& database);

}  // namespace strata
