// Reads the index's information about runs.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/printable.h"
#include "core/base/text_limits.h"
#include "core/run/config.h"
#include "core/store/database.h"
#include "core/store/imported.h"
#include "core/store/index.h"
#include "core/store/reaper.h"
#include "core/store/runs.h"
#include "core/store/scalars.h"
#include "core/store/workspace_checks.h"

namespace strata {
namespace {

constexpr std::array<std::string_view, 8> kStatusNames{
    "created", "queued", "running", "paused", "stopped", "finished", "failed", "interrupted"};

#define STRATA_RUN_COLUMNS                                                                      \
  "SELECT r.id, r.name, r.preset, r.dataset, r.family, r.status, r.message, r.metric, r.step, " \
  "r.seed, r.note, r.folder, r.created, m.last_step, m.last_value, m.minimum, m.minimum_step, " \
  "m.maximum, m.maximum_step, t.last_value, "                                                   \
  "(SELECT SUM(s.last_seen - s.time) FROM starts s WHERE s.run = r.id), "                       \
  "(SELECT COUNT(*) FROM looks l WHERE l.run = r.id), "                                         \
  "(SELECT c.command FROM commands c WHERE c.run = r.id AND c.acknowledged = 0 ORDER BY c.id "  \
  "LIMIT 1), r.diverged, r.config_group, m.minimum_last, m.maximum_last, m.better "             \
  "FROM runs r LEFT JOIN series m ON m.run = r.id AND m.name = r.metric "                       \
  "LEFT JOIN series t ON t.run = r.id AND t.name = 'train/tokens_per_second' "
constexpr std::string_view kSelectAllRuns = STRATA_RUN_COLUMNS "ORDER BY r.id";
constexpr std::string_view kSelectOneRun = STRATA_RUN_COLUMNS "WHERE r.id = ?";
#undef STRATA_RUN_COLUMNS

// An index may be damaged: one row of it does not keep the others from being listed.
void setStatus(RunSummary& run, const std::string& status, std::string message) {
  const bool known = isRunStatus(status);
  run.status = known ? runStatusFrom(status) : RunStatus::kFailed;
  run.message =
      known ? std::move(message)
            : fmt::format("the index has the unknown status '{}': {}", printable(status), kRepair);
}

RunSummary summaryOf(Query& row, Workspace& workspace) {
  RunSummary run;
  run.id = row.integer(0);
  run.name = row.text(1);
  run.preset = row.text(2);
  run.dataset = row.text(3);
  run.family = row.text(4);
  setStatus(run, row.text(5), row.text(6));
  run.metric = row.text(7);
  run.step = row.integer(8);
  run.seed = row.integer(9);
  run.note = row.text(10);
  const std::string folder = row.text(11);
  run.folder = workspace.root() / folder;
  run.trashed = folder.starts_with("trash/");
  run.created = row.number(12);
  if (!row.isNull(13) && row.integer(13) >= 0) {
    const SeriesSummary metric{.minimum = row.number(15),
                               .maximum = row.number(17),
                               .minimumLast = row.integer(25),
                               .maximumLast = row.integer(26),
                               .direction = directionOfSign(row.integer(27))};
    run.lastStep = row.integer(13);
    run.last = row.number(14);
    run.best = metric.best();
    run.bestStep = metric.bestStep();
    if (run.bestStep >= 0)
      run.firstBestStep = row.integer(metric.direction == SeriesDirection::kHigher ? 18 : 16);
  }
  const bool tokens = !row.isNull(19) && hasKnownUnit(run.preset, "train/tokens_per_second");
  run.tokensPerSecond = tokens ? row.number(19) : 0;
  run.seconds = row.isNull(20) ? 0 : row.number(20);
  run.looks = row.integer(21);
  run.pending = row.isNull(22) ? "" : row.text(22);
  run.diverged = row.integer(23) != 0;
  run.group = row.text(24);
  // A start without an end: whether it goes on is what the run's lock says now.
  if (run.status == RunStatus::kRunning && !isTrained(workspace, run.id)) {
    run.status = RunStatus::kInterrupted;
    run.message = interruptionOf(workspace, run.id);
    run.pending.clear();
  }
  return run;
}

StoredSample sampleOf(Query& row) {
  return {row.text(0), row.integer(1), row.integer(2), row.text(3), row.text(4), row.text(5)};
}

// Edits that turn one word into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

std::string nearestName(Database& database, std::string_view name) {
  std::string best;
  std::size_t least = std::max<std::size_t>(3, name.size() / 2);
  Query rows(database, "SELECT name FROM runs ORDER BY id");
  while (rows.next()) {
    const std::string candidate = rows.text(0);
    if (const auto edits = distance(name, candidate); edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

std::string_view nameOf(RunStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

bool isRunStatus(std::string_view name) {
  return std::ranges::find(kStatusNames, name) != kStatusNames.end();
}

RunStatus runStatusFrom(std::string_view name) {
  const auto found = std::ranges::find(kStatusNames, name);
  if (found == kStatusNames.end()) throw Error("unknown status of a run: '{}'", name);
  return static_cast<RunStatus>(found - kStatusNames.begin());
}

std::vector<RunSummary> listRuns(Workspace& workspace, const RunFilter& filter) {
  Database& database = workspace.database();
  return database.read([&] {
    std::map<std::int64_t, std::vector<std::string>> tags;
    Query tagRows(database, "SELECT run, tag FROM tags ORDER BY run, tag");
    while (tagRows.next()) tags[tagRows.integer(0)].push_back(tagRows.text(1));
    std::vector<RunSummary> runs;
    Query rows(database, kSelectAllRuns);
    while (rows.next()) {
      RunSummary run = summaryOf(rows, workspace);
      if (const auto own = tags.find(run.id); own != tags.end()) run.tags = own->second;
      if (run.trashed && !filter.trashed) continue;
      if (!filter.tag.empty() && std::ranges::find(run.tags, filter.tag) == run.tags.end())
        continue;
      runs.push_back(std::move(run));
    }
    return runs;
  });
}

RunSummary runById(Workspace& workspace, std::int64_t id) {
  Database& database = workspace.database();
  return database.read([&] {
    Query row(database, kSelectOneRun, id);
    if (!row.next()) folderOfRun(workspace, id);  // throws the appropriate error
    RunSummary run = summaryOf(row, workspace);
    Query tags(database, "SELECT tag FROM tags WHERE run = ? ORDER BY tag", id);
    run.tags = tags.all([](Query& tag) { return tag.text(0); });
    return run;
  });
}

namespace {

std::optional<std::int64_t> idOf(Workspace& workspace, std::string_view idOrName) {
  Query row(workspace.database(), "SELECT id FROM runs WHERE name = ?1 OR CAST(id AS TEXT) = ?1",
            idOrName);
  return row.next() ? std::optional(row.integer(0)) : std::nullopt;
}

}  // namespace

bool isRun(Workspace& workspace, std::string_view idOrName) {
  return idOf(workspace, idOrName).has_value();
}

RunSummary findRun(Workspace& workspace, std::string_view idOrName) {
  if (const auto id = idOf(workspace, idOrName)) return runById(workspace, *id);
  const std::string nearest = nearestName(workspace.database(), idOrName);
  throw usageError("there is no run '{}' in {}{}: `strata-run runs list` shows all runs", idOrName,
                   workspace.root().string(),
                   nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
}

Json runConfig(const RunSummary& run) {
  return withNewKeys(readYaml(configFileOf(run.folder)).value);
}

Json toJson(const RunStart& start) {
  return {{"time", start.time},
          {"from_step", start.fromStep},
          {"program", start.program},
          {"libtorch", start.libtorch},
          {"device", start.device},
          {"threads", start.threads},
          {"processes", start.processes},
          {"mkl_fast", start.mklFast},
          {"host", start.host},
          {"pid", start.pid},
          {"command", start.command},
          {"dataset_digest", start.datasetDigest},
          {"source_vocabulary_digest", start.sourceVocabularyDigest},
          {"target_vocabulary_digest", start.targetVocabularyDigest},
          {"target_vocabulary", start.targetVocabulary},
          {"pairs", start.trained.pairs},
          {"left_out", start.trained.leftOut},
          {"longest_pair", start.trained.longest},
          {"dropped_units", start.trained.dropped}};
}

std::string textOf(const TrainedPairs& pairs) {
  if (pairs.pairs == 0) return "";
  std::string text = fmt::format("{} pairs", pairs.pairs);
  if (pairs.leftOut > 0)
    text += fmt::format(
        "; {} {} left out: longer than {} tokens, </s> included (data.max_length, or a full batch)",
        pairs.leftOut, pairs.leftOut == 1 ? "is" : "are", pairs.longest);
  if (pairs.dropped > 0)
    text += fmt::format(
        "; {} {} dropped when the dataset was prepared: too many units "
        "(max_subwords)",
        pairs.dropped, pairs.dropped == 1 ? "was" : "were");
  return text;
}

std::vector<RunStart> runStarts(Workspace& workspace, std::int64_t run) {
  Query rows(
      workspace.database(),
      "SELECT time, from_step, job, program, libtorch, device, threads, command, "
      "dataset_digest, source_vocabulary_digest, target_vocabulary_digest, host, pid, process, "
      "last_seen, mkl_fast, processes, target_vocabulary, pairs, left_out, longest_pair, "
      "dropped_units FROM starts WHERE run = ? ORDER BY number",
      run);
  return rows.all([](Query& row) {
    return RunStart{.time = row.number(0),
                    .fromStep = row.integer(1),
                    .job = row.integer(2),
                    .program = row.text(3),
                    .libtorch = row.text(4),
                    .device = row.text(5),
                    .threads = static_cast<int>(row.integer(6)),
                    .processes = static_cast<int>(row.integer(16)),
                    .mklFast = row.integer(15) != 0,
                    .command = row.text(7),
                    .datasetDigest = row.text(8),
                    .sourceVocabularyDigest = row.text(9),
                    .targetVocabularyDigest = row.text(10),
                    .trained = {.pairs = row.integer(18),
                                .leftOut = row.integer(19),
                                .longest = row.integer(20),
                                .dropped = row.integer(21)},
                    .targetVocabulary = row.integer(17),
                    .host = row.text(11),
                    .pid = row.integer(12),
                    .process = row.text(13),
                    .lastSeen = row.number(14)};
  });
}

std::vector<StoredCheckpoint> listCheckpointRows(Workspace& workspace, std::int64_t run) {
  const fs::path folder = workspace.root() / folderOfRun(workspace, run);
  Query rows(workspace.database(),
             "SELECT step, folder, best, time FROM checkpoints WHERE run = ? ORDER BY step", run);
  return rows.all([&](Query& row) {
    const fs::path place = folder / row.text(1);
    return StoredCheckpoint{row.integer(0), place, row.integer(2) != 0, fs::exists(place),
                            row.number(3)};
  });
}

std::vector<StoredRecording> listRecordingRows(Workspace& workspace, std::int64_t run) {
  const fs::path folder = workspace.root() / folderOfRun(workspace, run);
  Query rows(workspace.database(),
             "SELECT step, folder FROM recordings WHERE run = ? ORDER BY step", run);
  return rows.all([&](Query& row) {
    const fs::path place = folder / row.text(1);
    return StoredRecording{row.integer(0), place, fs::exists(place)};
  });
}

std::vector<StoredSample> readSamples(Workspace& workspace, std::int64_t run, std::int64_t step) {
  Query rows(workspace.database(),
             "SELECT set_name, step, sentence, source, reference, hypothesis FROM samples WHERE "
             "run = ?1 AND step = CASE WHEN ?2 < 0 THEN (SELECT MAX(step) FROM samples WHERE "
             "run = ?1) ELSE ?2 END ORDER BY set_name, sentence",
             run, step);
  return rows.all(sampleOf);
}

std::vector<SampledSentence> sampledSentences(Workspace& workspace, std::int64_t run) {
  Query rows(workspace.database(),
             "SELECT set_name, step, sentence, source, reference, hypothesis FROM samples WHERE "
             "run = ? ORDER BY set_name, sentence, step",
             run);
  std::vector<SampledSentence> sentences;
  for (StoredSample& sample : rows.all(sampleOf)) {
    if (sentences.empty() || sentences.back().set != sample.set ||
        sentences.back().sentence != sample.sentence)
      sentences.push_back(
          {sample.set, sample.sentence, std::move(sample.source), std::move(sample.reference), {}});
    sentences.back().translations.push_back({sample.step, std::move(sample.hypothesis)});
  }
  return sentences;
}

}  // namespace strata
