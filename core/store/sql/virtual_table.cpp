#include "core/store/sql/virtual_table.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/store/database.h"

namespace strata {
namespace {

// The names of SQLite's C interface: it calls these functions with objects that begin with its own.
struct Module {
  const SqlTable& table;
  SqlSource& source;
};

struct VirtualTable : sqlite3_vtab {
  explicit VirtualTable(const Module& shared) : sqlite3_vtab{}, module(shared) {}
  const Module& module;
};

struct Cursor : sqlite3_vtab_cursor {
  Cursor() : sqlite3_vtab_cursor{} {}
  std::unique_ptr<SqlRows> rows;  // null: there are none
  bool ended = true;
};

// Runs what may throw for a caller in C.
template <typename Work>
int guarded(sqlite3_vtab* table, const Work& work) {
  try {
    work();
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* database, void* shared, int, const char* const*, sqlite3_vtab** made,
            char** message) {
  const auto& module = *static_cast<const Module*>(shared);
  std::string columns;
  for (const SqlColumn& column : module.table.columns) {
    columns +=
        fmt::format("{}\"{}\" {}", columns.empty() ? "" : ", ", column.name, nameOf(column.type));
  }
  const int status =
      sqlite3_declare_vtab(database, fmt::format("CREATE TABLE x({})", columns).c_str());
  if (status != SQLITE_OK) {
    *message = sqlite3_mprintf("%s", sqlite3_errmsg(database));
    return status;
  }
  sqlite3_vtab_config(database, SQLITE_VTAB_DIRECTONLY);
  *made = std::make_unique<VirtualTable>(module).release();
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<VirtualTable*>(table);
  return SQLITE_OK;
}

// The letter by which a condition is passed on to filter(); 0: SQLite compares by itself.
char letterOf(SqlKey key, int operation) {
  const bool equal = operation == SQLITE_INDEX_CONSTRAINT_EQ;
  if (key == SqlKey::kRun && equal) return 'n';
  if (key == SqlKey::kRunId && equal) return 'i';
  if (key == SqlKey::kSeries && equal) return 's';
  if (key != SqlKey::kStep) return 0;
  switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
      return '>';
    case SQLITE_INDEX_CONSTRAINT_GE:
      return 'g';
    case SQLITE_INDEX_CONSTRAINT_LT:
      return '<';
    case SQLITE_INDEX_CONSTRAINT_LE:
      return 'l';
    default:
      return 0;
  }
}

// Rough numbers of rows, of which SQLite only needs the order: a thousand runs of a hundred series
// of ten thousand points.
double rowsLeft(const SqlTable& table, const std::string& conditions) {
  const auto has = [&](char letter) { return conditions.find(letter) != std::string::npos; };
  const bool scalars = std::ranges::any_of(
      table.columns, [](const SqlColumn& each) { return each.key == SqlKey::kStep; });
  double rows = scalars ? 1e9 : 1e5;
  if (has('n') || has('i')) rows /= 1000;
  if (has('s')) rows /= 100;
  if (has('=')) rows /= 10'000;
  if (has('>') || has('g')) rows /= 4;
  if (has('<') || has('l')) rows /= 4;
  return std::max(rows, 1.0);
}

int bestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
  const SqlTable& described = static_cast<VirtualTable*>(table)->module.table;
  std::string conditions;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (!constraint.usable || constraint.iColumn < 0) continue;
    const SqlColumn& column = described.columns[static_cast<std::size_t>(constraint.iColumn)];
    const char letter = letterOf(column.key, constraint.op);
    if (letter == 0) continue;
    if (column.type == SqlType::kText &&
        sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
      continue;
    conditions += letter;
    info->aConstraintUsage[i].argvIndex = static_cast<int>(conditions.size());
  }
  info->idxStr = sqlite3_mprintf("%s", conditions.c_str());
  if (info->idxStr == nullptr) return SQLITE_NOMEM;
  info->needToFreeIdxStr = 1;
  info->estimatedCost = rowsLeft(described, conditions);
  info->estimatedRows = static_cast<sqlite3_int64>(info->estimatedCost);
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  *made = std::make_unique<Cursor>().release();
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

std::string textOf(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// Narrows a scan by one condition; false: no row can fulfil it. SQLite compares every row again, so
// a value of another type than the column's may be passed over.
bool narrow(SqlScan& scan, char condition, sqlite3_value* value, Workspace& workspace) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return false;
  if (condition == 'n' || condition == 's') {
    if (type != SQLITE_TEXT) return true;
    if (condition == 's') {
      scan.series = textOf(value);
      return true;
    }
    Query row(workspace.database(), "SELECT id FROM runs WHERE name = ?", textOf(value));
    if (!row.next() || (scan.run && *scan.run != row.integer(0))) return false;
    scan.run = row.integer(0);
    return true;
  }
  if (type != SQLITE_INTEGER) return true;
  const std::int64_t number = sqlite3_value_int64(value);
  if (condition == 'i') {
    if (scan.run && *scan.run != number) return false;
    scan.run = number;
    return true;
  }
  using Steps = std::numeric_limits<std::int64_t>;
  if (condition == '>' && number == Steps::max()) return false;
  if (condition == '<' && number == Steps::min()) return false;
  if (condition == '>') scan.firstStep = std::max(scan.firstStep, number + 1);
  if (condition == '<') scan.lastStep = std::min(scan.lastStep, number - 1);
  if (condition == 'g' || condition == '=') scan.firstStep = std::max(scan.firstStep, number);
  if (condition == 'l' || condition == '=') scan.lastStep = std::min(scan.lastStep, number);
  return scan.firstStep <= scan.lastStep;
}

int next(sqlite3_vtab_cursor* base) {
  auto& cursor = *static_cast<Cursor*>(base);
  return guarded(cursor.pVtab, [&] { cursor.ended = !cursor.rows->next(); });
}

int filter(sqlite3_vtab_cursor* base, int, const char* conditions, int count,
           sqlite3_value** values) {
  auto& cursor = *static_cast<Cursor*>(base);
  const Module& module = static_cast<VirtualTable*>(cursor.pVtab)->module;
  return guarded(cursor.pVtab, [&] {
    cursor.rows.reset();
    cursor.ended = true;
    SqlScan scan;
    for (int i = 0; i < count; ++i) {
      if (!narrow(scan, conditions[i], values[i], module.source.workspace)) return;
    }
    cursor.rows = module.table.open(module.source.workspace, scan, module.source.work);
    cursor.ended = !cursor.rows->next();
  });
}

int atEnd(sqlite3_vtab_cursor* cursor) {
  return static_cast<Cursor*>(cursor)->ended ? 1 : 0;
}

int valueOf(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  auto& cursor = *static_cast<Cursor*>(base);
  return guarded(cursor.pVtab, [&] {
    SqlResult result(context);
    cursor.rows->value(static_cast<std::size_t>(column), result);
  });
}

int numberOf(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = static_cast<Cursor*>(cursor)->rows->number();
  return SQLITE_OK;
}

// Without a function that creates, a table exists by its name and cannot be made by a statement.
const sqlite3_module kFunctions{.iVersion = 1,
                                .xCreate = nullptr,
                                .xConnect = connect,
                                .xBestIndex = bestIndex,
                                .xDisconnect = disconnect,
                                .xDestroy = nullptr,
                                .xOpen = open,
                                .xClose = close,
                                .xFilter = filter,
                                .xNext = next,
                                .xEof = atEnd,
                                .xColumn = valueOf,
                                .xRowid = numberOf,
                                .xUpdate = nullptr,
                                .xBegin = nullptr,
                                .xSync = nullptr,
                                .xCommit = nullptr,
                                .xRollback = nullptr,
                                .xFindFunction = nullptr,
                                .xRename = nullptr,
                                .xSavepoint = nullptr,
                                .xRelease = nullptr,
                                .xRollbackTo = nullptr,
                                .xShadowName = nullptr};

}  // namespace

void addVirtualTable(sqlite3* database, const SqlTable& table, SqlSource& source) {
  const auto destroy = [](void* module) { delete static_cast<Module*>(module); };
  // Destroys the module if it fails, too.
  if (sqlite3_create_module_v2(database, table.name.c_str(), &kFunctions, new Module{table, source},
                               destroy) != SQLITE_OK)
    throw Error("the table {} cannot be made: {}", table.name, sqlite3_errmsg(database));
  // SQLite declares the table at its first use, which a connection that only reads would not allow.
  sqlite3_stmt* first = nullptr;
  const std::string use = "SELECT 1 FROM " + table.name;
  if (sqlite3_prepare_v2(database, use.c_str(), -1, &first, nullptr) != SQLITE_OK)
    throw Error("the table {} cannot be declared: {}", table.name, sqlite3_errmsg(database));
  sqlite3_finalize(first);
}

}  // namespace strata
