#include "core/store/index_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ranges>
#include <string_view>

#include "core/base/files.h"
#include "core/store/scalars.h"
#include "core/store/workspace_checks.h"

namespace strata {
namespace {

// What is compared: of each table all columns but those that only place a row in this index.
struct Rows {
  const char* what;
  const char* columns;  // "a, b, c"
  const char* from;     // and the condition, of which the run is the first value
};
constexpr std::array kRows{
    Rows{"its row",
         "preset, dataset, family, seed, metric, status, message, note, step, created, diverged, "
         "config_group, config_digest, config_before",
         "runs WHERE id = ?"},
    Rows{"tags", "tag", "tags WHERE run = ?"},
    Rows{"directions of series", "series, better", "directions WHERE run = ?"},
    Rows{"starts",
         "number, time, from_step, job, program, libtorch, device, threads, command, "
         "dataset_digest, source_vocabulary_digest, target_vocabulary_digest, host, pid, process, "
         "last_seen, mkl_fast, processes, target_vocabulary, pairs, left_out, longest_pair, "
         "dropped_units",
         "starts WHERE run = ?"},
    Rows{"samples", "step, set_name, sentence, source, reference, hypothesis",
         "samples WHERE run = ?"},
    Rows{"checkpoints", "step, folder, best, time", "checkpoints WHERE run = ?"},
    Rows{"recordings", "step, folder", "recordings WHERE run = ?"},
    Rows{"jobs",
         "id, position, state, config, resume, device, host, pid, process, message, created, "
         "claimed, ended",
         "jobs WHERE run = ?"},
    Rows{"scorings of test sets", "time, dataset, set_name, checkpoint, settings, scores",
         "looks WHERE run IS NULLIF(?, 0)"}};
// Of a series, which is the second value.
constexpr std::array kSeriesRows{
    Rows{"its row",
         "generation, count, sealed, last_step, last_value, minimum, minimum_step, maximum, "
         "maximum_step, minimum_last, maximum_last, non_finite, better",
         "series WHERE run = ? AND name = ?"},
    Rows{"chunks",
         "c.position, c.first_step, c.last_step, c.count, c.minimum, c.minimum_step, c.maximum, "
         "c.maximum_step, c.minimum_last, c.maximum_last, c.non_finite",
         "chunks c JOIN series s ON s.id = c.series WHERE s.run = ? AND s.name = ?"},
    Rows{"points", "p.position",
         "points p JOIN series s ON s.id = p.series WHERE s.run = ? AND s.name = ?"}};

// Each row as one text, in an order that depends on nothing else.
std::string statementFor(const Rows& rows) {
  std::string values;
  for (const auto column :
       std::views::split(std::string_view(rows.columns), std::string_view(", ")))
    values += fmt::format("{}quote({})", values.empty() ? "" : " || ',' || ",
                          std::string_view(column.begin(), column.end()));
  return fmt::format("SELECT {} FROM {} ORDER BY 1", values, rows.from);
}

// The statements of an array of Rows. (A database keeps statements by their text, which has to
// stay.)
template <std::size_t count>
std::array<std::string, count> statementsFor(const std::array<Rows, count>& tables) {
  std::array<std::string, count> statements;
  std::ranges::transform(tables, statements.begin(), statementFor);
  return statements;
}
const auto kStatements = statementsFor(kRows);
const auto kSeriesStatements = statementsFor(kSeriesRows);

bool sameRows(Query&& one, Query&& other) {
  for (;;) {
    const bool more = one.next();
    if (more != other.next()) return false;
    if (!more) return true;
    if (one.text(0) != other.text(0)) return false;
  }
}

bool samePoints(const std::vector<ScalarPoint>& one, const std::vector<ScalarPoint>& other) {
  return std::ranges::equal(one, other, [](const ScalarPoint& a, const ScalarPoint& b) {
    const bool values = std::memcmp(&a.value, &b.value, sizeof a.value) == 0 ||
                        (std::isnan(a.value) && std::isnan(b.value));
    return a.step == b.step && a.wallTime == b.wallTime && values;
  });
}

std::vector<std::string> seriesOf(Database& database, std::int64_t run) {
  Query rows(database, "SELECT name FROM series WHERE run = ? ORDER BY name", run);
  return rows.all([](Query& row) { return row.text(0); });
}

std::string nameOfRun(Database& database, std::int64_t run) {
  Query row(database, "SELECT name FROM runs WHERE id = ?", run);
  return row.next() ? row.text(0) : std::string();
}

}  // namespace

IndexCheck::IndexCheck(Workspace& workspace) : workspace_(workspace), again_(kInMemory, {}) {}

std::vector<std::string> IndexCheck::schemaProblems() {
  return strata::schemaProblems(workspace_.database(), again_);
}

LogScan IndexCheck::compareRun(const RunPlace& place, std::vector<std::string>& problems) {
  Database& index = workspace_.database();
  return index.read([&] {  // as of one moment
    Query row(index, "SELECT log_bytes FROM runs WHERE id = ?", place.id);
    const auto bytes = static_cast<std::uint64_t>(row.next() ? row.integer(0) : 0);
    LogScan read;
    again_.write([&] {
      change(again_, "DELETE FROM runs");
      read = readIntoIndex(again_, workspace_.root(), place, {0, bytes});
    });
    read.fileBytes = bytes;
    if (!read.skipped.empty() || read.torn()) return read;
    leaveOutJobsOfOthers(place.id);
    std::vector<std::string> differ;
    if (!sameName(place.id)) differ.emplace_back("its name");
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      if (!sameRows(Query(index, kStatements[i], place.id),
                    Query(again_, kStatements[i], place.id)))
        differ.emplace_back(kRows[i].what);
    }
    for (std::string& name : seriesThatDiffer(place.id)) differ.push_back(std::move(name));
    if (!differ.empty()) {
      problems.push_back(fmt::format("{}: the index differs from its log ({}): {}",
                                     (workspace_.root() / place.folder).string(),
                                     fmt::join(differ, ", "), kRepair));
    }
    return read;
  });
}

void IndexCheck::compareLooks(std::vector<std::string>& problems) {
  Database& index = workspace_.database();
  const fs::path log = workspace_.root() / kLooksLog;
  index.read([&] {
    Query row(index, "SELECT bytes FROM logs WHERE name = ?", kLooksLog);
    const auto bytes = static_cast<std::uint64_t>(row.next() ? row.integer(0) : 0);
    LogScan read;
    again_.write([&] { read = readLooks(again_, log, {0, bytes}); });
    if (!read.skipped.empty() || read.end != bytes) return;
    const std::string& looks = kStatements.back();
    if (!sameRows(Query(index, looks, 0), Query(again_, looks, 0)))
      problems.push_back(
          fmt::format("{}: the index differs from this log: {}", log.string(), kRepair));
  });
}

// A run that had the name of another got its number behind it, which depends on what the other one
// was called then.
bool IndexCheck::sameName(std::int64_t run) {
  const std::string name = nameOfRun(workspace_.database(), run), said = nameOfRun(again_, run);
  return name == said || name == said + "-" + std::to_string(run);
}

// The numbers of a merged run's jobs may be those of jobs here, which keep them.
void IndexCheck::leaveOutJobsOfOthers(std::int64_t run) {
  Query jobs(again_, "SELECT id FROM jobs WHERE run = ?", run);
  for (const std::int64_t job : jobs.all([](Query& row) { return row.integer(0); })) {
    if (Query(workspace_.database(), "SELECT 1 FROM jobs WHERE id = ? AND run <> ?", job, run)
            .next())
      change(again_, "DELETE FROM jobs WHERE id = ?", job);
  }
}

std::vector<std::string> IndexCheck::seriesThatDiffer(std::int64_t run) {
  Database& index = workspace_.database();
  const auto names = seriesOf(again_, run);
  if (names != seriesOf(index, run)) return {"which series it has"};
  std::vector<std::string> differ;
  for (const std::string& name : names) {
    const bool same = std::ranges::all_of(kSeriesStatements, [&](const std::string& rows) {
      return sameRows(Query(index, rows, run, name), Query(again_, rows, run, name));
    });
    try {
      if (same && samePoints(readSeries(index, run, name), readSeries(again_, run, name))) continue;
    } catch (const IndexDamaged&) {
    }
    differ.push_back(name);
  }
  return differ;
}

}  // namespace strata
