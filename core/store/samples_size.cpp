#include "core/store/samples_size.h"

#include "core/store/database.h"

namespace strata {

SamplesSize samplesSize(Workspace& workspace, std::int64_t run) {
  Query rows(workspace.database(),
             "SELECT COUNT(*), COALESCE(SUM(LENGTH(hypothesis)), 0) FROM samples WHERE run = ?",
             run);
  rows.next();
  return {rows.integer(0), rows.integer(1)};
}

}  // namespace strata
