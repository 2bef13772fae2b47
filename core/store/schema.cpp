#include "core/store/database.h"

namespace strata {
namespace {

// Everything can be restored from the runs' folders except `processes`, `commands` and
// `runs.log_bytes`, which are transient. An index of an older version is rebuilt from the folders:
// a change needs a new version, in the first line, and nothing else. An index whose header alone
// was damaged still has this text.
constexpr IndexSchema kSchema{.version = 8, .sql = R"sql(
CREATE TABLE runs (                     -- of version 8
  id INTEGER PRIMARY KEY,
  folder TEXT NOT NULL UNIQUE,          -- relative to the workspace: runs/3-base or trash/3-base
  name TEXT NOT NULL UNIQUE,
  preset TEXT NOT NULL, dataset TEXT NOT NULL, family TEXT NOT NULL,
  seed INTEGER NOT NULL,
  metric TEXT NOT NULL,
  status TEXT NOT NULL,
  message TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  step INTEGER NOT NULL DEFAULT 0,
  created REAL NOT NULL,
  log_bytes INTEGER NOT NULL DEFAULT 0, -- how much of the run's events.log is in the index
  diverged INTEGER NOT NULL DEFAULT 0,
  config_group TEXT NOT NULL DEFAULT '',
  config_digest TEXT NOT NULL DEFAULT '', config_before TEXT NOT NULL DEFAULT ''  -- of its file
);
CREATE TABLE tags (
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (run, tag)
) WITHOUT ROWID;
CREATE TABLE starts (
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,              -- 1, 2, ...
  time REAL NOT NULL, from_step INTEGER NOT NULL, job INTEGER NOT NULL,
  program TEXT NOT NULL, libtorch TEXT NOT NULL, device TEXT NOT NULL, threads INTEGER NOT NULL,
  command TEXT NOT NULL,
  dataset_digest TEXT NOT NULL, source_vocabulary_digest TEXT NOT NULL,
  target_vocabulary_digest TEXT NOT NULL,
  host TEXT NOT NULL, pid INTEGER NOT NULL, process TEXT NOT NULL,
  last_seen REAL NOT NULL,
  mkl_fast INTEGER NOT NULL DEFAULT 1,
  processes INTEGER NOT NULL DEFAULT 1,
  target_vocabulary INTEGER NOT NULL DEFAULT 0,  -- words; 0: unknown
  pairs INTEGER NOT NULL DEFAULT 0,              -- that it was trained on; 0: unknown
  left_out INTEGER NOT NULL DEFAULT 0, longest_pair INTEGER NOT NULL DEFAULT 0,
  dropped_units INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  generation INTEGER NOT NULL,          -- how often it went back
  count INTEGER NOT NULL, sealed INTEGER NOT NULL,
  last_step INTEGER NOT NULL, last_value REAL,
  minimum REAL, minimum_step INTEGER NOT NULL, maximum REAL, maximum_step INTEGER NOT NULL,
  minimum_last INTEGER NOT NULL, maximum_last INTEGER NOT NULL,  -- the last steps with them
  non_finite INTEGER NOT NULL,
  better INTEGER NOT NULL,              -- 1: higher values, -1: lower ones, 0: nobody knows
  UNIQUE (run, name)
);
CREATE TABLE directions (               -- of series, as given when they were imported
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  series TEXT NOT NULL,
  better INTEGER NOT NULL,              -- 1 or -1
  PRIMARY KEY (run, series)
) WITHOUT ROWID;
CREATE TABLE points (                   -- the newest of a series; NULL is NaN
  series INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,            -- 0, 1, ... within the series
  step INTEGER NOT NULL, wall INTEGER NOT NULL, value REAL,  -- wall: microseconds
  PRIMARY KEY (series, position)
) WITHOUT ROWID;
CREATE TABLE chunks (                   -- the older ones, sealed; the last may be shorter
  series INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,            -- of its first point
  first_step INTEGER NOT NULL, last_step INTEGER NOT NULL, count INTEGER NOT NULL,
  minimum REAL, minimum_step INTEGER NOT NULL, maximum REAL, maximum_step INTEGER NOT NULL,
  minimum_last INTEGER NOT NULL, maximum_last INTEGER NOT NULL,
  non_finite INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (series, position)
);
CREATE TABLE samples (
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  step INTEGER NOT NULL, set_name TEXT NOT NULL, sentence INTEGER NOT NULL,
  source TEXT NOT NULL, reference TEXT NOT NULL, hypothesis TEXT NOT NULL,
  PRIMARY KEY (run, step, set_name, sentence)
) WITHOUT ROWID;
CREATE TABLE checkpoints (
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  step INTEGER NOT NULL, folder TEXT NOT NULL, best INTEGER NOT NULL, time REAL NOT NULL,
  PRIMARY KEY (run, step)
) WITHOUT ROWID;
CREATE TABLE recordings (
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  step INTEGER NOT NULL, folder TEXT NOT NULL,
  PRIMARY KEY (run, step)
) WITHOUT ROWID;
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position REAL NOT NULL,
  state TEXT NOT NULL,
  config TEXT NOT NULL,                 -- effective, as JSON
  resume INTEGER NOT NULL, device TEXT NOT NULL,
  host TEXT NOT NULL DEFAULT '', pid INTEGER NOT NULL DEFAULT 0, process TEXT NOT NULL DEFAULT '',
  message TEXT NOT NULL DEFAULT '',
  created REAL NOT NULL, claimed REAL NOT NULL DEFAULT 0, ended REAL NOT NULL DEFAULT 0
);
CREATE INDEX jobs_by_state ON jobs (state, position);
CREATE INDEX jobs_by_run ON jobs (run);
CREATE TABLE looks (
  run INTEGER REFERENCES runs(id) ON DELETE CASCADE,  -- NULL: a model that is no run
  time REAL NOT NULL, dataset TEXT NOT NULL, set_name TEXT NOT NULL, checkpoint TEXT NOT NULL,
  settings TEXT NOT NULL, scores TEXT NOT NULL
);
CREATE INDEX looks_by_run ON looks (run);
CREATE TABLE processes (                -- who trains a run now
  run INTEGER PRIMARY KEY,
  host TEXT NOT NULL, pid INTEGER NOT NULL, process TEXT NOT NULL, heartbeat REAL NOT NULL
);
CREATE TABLE commands (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL,
  command TEXT NOT NULL, created REAL NOT NULL,
  acknowledged REAL NOT NULL DEFAULT 0, outcome TEXT NOT NULL DEFAULT ''
);
CREATE INDEX commands_pending ON commands (run, acknowledged);
CREATE TABLE logs (                     -- logs that belong to no run, as runs.log_bytes
  name TEXT PRIMARY KEY, bytes INTEGER NOT NULL
) WITHOUT ROWID;
)sql"};

}  // namespace

const IndexSchema& indexSchema() {
  return kSchema;
}

}  // namespace strata
