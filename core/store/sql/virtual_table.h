#pragma once
#include <string>

#include "core/store/sql/sql_table.h"

struct sqlite3;

namespace strata {

// What the virtual tables of one statement share.
struct SqlSource {
  Workspace& workspace;
  SqlWork work = {};
};

// Lets SQL that runs in `database` read the table under its name. It cannot be created, changed or
// dropped. `source` and `table` outlive the connection. Errors of reading become SQLite's.
void addVirtualTable(sqlite3* database, const SqlTable& table, SqlSource& source);

}  // namespace strata
