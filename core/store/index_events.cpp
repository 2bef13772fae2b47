#include "core/store/index_events.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/printable.h"
#include "core/base/text_limits.h"
#include "core/store/jobs.h"
#include "core/store/runs.h"

namespace strata {
namespace {

// A log may come from elsewhere: what is in the index can be shown as it is.
std::string linesAt(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string()
             ? printableLines(found->get_ref<const std::string&>())
             : std::string();
}

std::string textAt(const Json& event, const char* key) {
  return printable(linesAt(event, key));
}

std::int64_t integerAt(const Json& event, const char* key, std::int64_t fallback = 0) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number() ? found->get<std::int64_t>() : fallback;
}

double numberAt(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number() ? found->get<double>() : 0;
}

bool flagAt(const Json& event, const char* key, bool fallback = false) {
  const auto found = event.find(key);
  return found != event.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

std::string dumpAt(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found == event.end() ? "null" : found->dump();
}

// Two folders may contain runs of the same name (one is a copy): the later one gets its id
// appended.
std::string freeName(Database& database, const std::string& name, std::int64_t id) {
  const bool taken =
      Query(database, "SELECT 1 FROM runs WHERE name = ? AND id <> ?", name, id).next();
  return taken ? name + "-" + std::to_string(id) : name;
}

}  // namespace

void EventIndexer::apply(RecordKind kind, std::string_view payload) {
  if (kind == RecordKind::kScalars) applyScalars(payload);
  if (kind == RecordKind::kEvent) applyEvent(tryParseJson(payload).value_or(nullptr));
}

void EventIndexer::applyScalars(std::string_view payload) {
  if (!known_) return;
  unpackScalars(payload, [&](std::string_view name, std::span<const PackedPoint> points) {
    series_.add(printable(name), points);
    for (const auto& point : points) seen(point.step, static_cast<double>(point.wall) / 1e6);
  });
}

void EventIndexer::applyEvent(const Json& event) {
  const std::string type = textAt(event, "type");
  if (type == "created") {
    if (!known_) create(event);
    return;
  }
  if (!known_) return;
  if (type == "started") return started(event);
  if (type == "ended") return ended(event);
  if (type == "sample") return sample(event);
  if (type == "checkpoint") return checkpoint(event);
  if (type == "recording") return recording(event);
  if (type == "job") return job(event);
  if (type == "tags") return tags(event);
  if (type == "directions") return directions(event);
  if (type == "look") return indexLook(database_, place_.id, event);
  if (type == "renamed")
    change(database_, "UPDATE runs SET name = ? WHERE id = ?",
           freeName(database_, textAt(event, "name"), place_.id), place_.id);
  if (type == "config")
    change(database_,
           "UPDATE runs SET config_before = CASE ? WHEN 1 THEN config_digest ELSE '' END, "
           "config_digest = ? WHERE id = ?",
           flagAt(event, "follows"), textAt(event, "config_digest"), place_.id);
  if (type == "note")
    change(database_, "UPDATE runs SET note = ? WHERE id = ?", linesAt(event, "note"), place_.id);
  // Types of later versions are ignored; they stay in the log.
}

void EventIndexer::create(const Json& event) {
  change(database_,
         "INSERT INTO runs (id, folder, name, preset, dataset, family, seed, metric, config_group, "
         "status, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'created', ?)",
         place_.id, place_.folder, freeName(database_, textAt(event, "name"), place_.id),
         textAt(event, "preset"), textAt(event, "dataset"), textAt(event, "family"),
         integerAt(event, "seed"), textAt(event, "metric"), textAt(event, "config_group"),
         numberAt(event, "time"));
  known_ = true;
}

void EventIndexer::started(const Json& event) {
  finish();
  const std::int64_t from = integerAt(event, "from_step");
  const double time = numberAt(event, "time");
  series_.cutAllAfter(from);
  change(
      database_,
      "INSERT INTO starts (run, number, time, from_step, job, program, libtorch, device, threads, "
      "command, dataset_digest, source_vocabulary_digest, target_vocabulary_digest, host, pid, "
      "process, mkl_fast, processes, target_vocabulary, pairs, left_out, longest_pair, "
      "dropped_units, last_seen) VALUES (?1, (SELECT COUNT(*) + 1 FROM starts WHERE "
      "run = ?1), "
      "?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
      "?19, ?20, ?21, ?22, ?2)",
      place_.id, time, from, integerAt(event, "job"), textAt(event, "program"),
      textAt(event, "libtorch"), textAt(event, "device"), integerAt(event, "threads"),
      textAt(event, "command"), textAt(event, "dataset_digest"),
      textAt(event, "source_vocabulary_digest"), textAt(event, "target_vocabulary_digest"),
      textAt(event, "host"), integerAt(event, "pid"), textAt(event, "process"),
      flagAt(event, "mkl_fast", true) ? 1 : 0, integerAt(event, "processes", 1),
      integerAt(event, "target_vocabulary"), integerAt(event, "pairs"),
      integerAt(event, "left_out"), integerAt(event, "longest_pair"),
      integerAt(event, "dropped_units"));
  change(database_,
         "UPDATE runs SET status = 'running', message = '', diverged = 0, step = ? WHERE id = ?",
         from, place_.id);
  change(database_, "UPDATE jobs SET state = 'running' WHERE id = ? AND run = ?",
         integerAt(event, "job"), place_.id);
}

void EventIndexer::ended(const Json& event) {
  std::string outcome = textAt(event, "outcome"), message = linesAt(event, "message");
  if (!isRunStatus(outcome)) {
    message =
        fmt::format("its log says '{}', which this version does not know. {}", outcome, message);
    outcome = nameOf(RunStatus::kFailed);
  }
  const double time = numberAt(event, "time");
  seen(integerAt(event, "step", -1), time);
  series_.flushAndPack();
  finish();
  const bool diverged = event.value("diverged", false);
  change(database_, "UPDATE runs SET status = ?, message = ?, diverged = ? WHERE id = ?", outcome,
         message, diverged ? 1 : 0, place_.id);
  change(database_,
         "UPDATE jobs SET state = ?, message = ?, ended = ? WHERE run = ? AND state IN ('claimed', "
         "'running')",
         outcome, message, time, place_.id);
}

void EventIndexer::sample(const Json& event) {
  change(database_,
         "INSERT OR REPLACE INTO samples (run, step, set_name, sentence, source, reference, "
         "hypothesis) VALUES (?, ?, ?, ?, ?, ?, ?)",
         place_.id, integerAt(event, "step"), textAt(event, "set"), integerAt(event, "sentence"),
         linesAt(event, "source"), linesAt(event, "reference"), linesAt(event, "hypothesis"));
  seen(integerAt(event, "step"), numberAt(event, "time"));
}

void EventIndexer::checkpoint(const Json& event) {
  change(
      database_,
      "INSERT OR REPLACE INTO checkpoints (run, step, folder, best, time) VALUES (?, ?, ?, ?, ?)",
      place_.id, integerAt(event, "step"), textAt(event, "folder"), flagAt(event, "best"),
      numberAt(event, "time"));
  seen(integerAt(event, "step"), numberAt(event, "time"));
}

void EventIndexer::recording(const Json& event) {
  change(database_, "INSERT OR REPLACE INTO recordings (run, step, folder) VALUES (?, ?, ?)",
         place_.id, integerAt(event, "step"), textAt(event, "folder"));
  seen(integerAt(event, "step"), numberAt(event, "time"));
}

// A job's state is always a full row, so that the newest record has everything.
void EventIndexer::job(const Json& event) {
  const std::string state = textAt(event, "state");
  if (!isJobState(state)) return;  // of a later version
  const std::int64_t id = integerAt(event, "job");
  change(database_,
         "INSERT INTO jobs (id, run, position, state, config, resume, device, created) "
         "VALUES (?, ?, 0, 'queued', ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
         id, place_.id, dumpAt(event, "config"), flagAt(event, "resume"), textAt(event, "device"),
         numberAt(event, "time"));
  change(database_,
         "UPDATE jobs SET position = ?, state = ?, host = ?, pid = ?, process = ?, message = ?, "
         "claimed = ?, ended = ? WHERE id = ? AND run = ?",
         numberAt(event, "position"), state, textAt(event, "host"), integerAt(event, "pid"),
         textAt(event, "process"), linesAt(event, "message"), numberAt(event, "claimed"),
         numberAt(event, "ended"), id, place_.id);
  if (state == nameOf(JobState::kClaimed) || state == nameOf(JobState::kRunning)) return;
  // An order to a run that is already training does not change the run.
  change(database_, "UPDATE runs SET status = ?, message = ? WHERE id = ? AND status <> 'running'",
         state, linesAt(event, "message"), place_.id);
}

void EventIndexer::tags(const Json& event) {
  change(database_, "DELETE FROM tags WHERE run = ?", place_.id);
  const auto tags = event.find("tags");
  if (tags == event.end() || !tags->is_array()) return;
  for (const auto& tag : *tags) {
    if (!tag.is_string()) continue;
    change(database_, "INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)", place_.id,
           tag.get<std::string>());
  }
}

// Of some series; others keep theirs.
void EventIndexer::directions(const Json& event) {
  const auto better = event.find("better");
  if (better == event.end() || !better->is_object()) return;
  for (const auto& [name, value] : better->items()) {
    if (value != "higher" && value != "lower") continue;  // of a later version
    const std::string series = printable(name);
    const int sign = value == "higher" ? 1 : -1;
    change(
        database_,
        "INSERT INTO directions (run, series, better) VALUES (?, ?, ?) ON CONFLICT (run, series) "
        "DO UPDATE SET better = excluded.better",
        place_.id, series, sign);
    change(database_, "UPDATE series SET better = ? WHERE run = ? AND name = ?", sign, place_.id,
           series);
  }
}

void EventIndexer::seen(std::int64_t step, double time) {
  step_ = std::max(step_, step);
  time_ = std::max(time_, time);
}

void EventIndexer::finish() {
  series_.flush();
  if (step_ >= 0)
    change(database_, "UPDATE runs SET step = MAX(step, ?) WHERE id = ?", step_, place_.id);
  if (time_ > 0) {
    change(database_,
           "UPDATE starts SET last_seen = MAX(last_seen, ?1) WHERE run = ?2 AND number = (SELECT "
           "MAX(number) FROM starts WHERE run = ?2)",
           time_, place_.id);
  }
  step_ = -1;
  time_ = 0;
}

void indexLook(Database& database, std::int64_t run, const Json& event) {
  change(database,
         "INSERT INTO looks (run, time, dataset, set_name, checkpoint, settings, scores) "
         "VALUES (NULLIF(?, 0), ?, ?, ?, ?, ?, ?)",
         run, numberAt(event, "time"), textAt(event, "dataset"), textAt(event, "set"),
         textAt(event, "checkpoint"), dumpAt(event, "settings"), dumpAt(event, "scores"));
}

}  // namespace strata
