#include "core/store/import_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/key_path.h"
#include "core/base/printable.h"
#include "core/base/text_limits.h"
#include "core/base/utf8.h"
#include "core/curves/curve_set.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/imported.h"
#include "core/store/index.h"
#include "core/store/run_creation.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

constexpr const char* kImportedTag = "imported";
constexpr std::size_t kRecordPoints = 1u << 16;  // 1.5 MiB

// Writes the points of a run to the end of its log.
class LogWriter {
 public:
  LogWriter(const fs::path& log, std::uint64_t end, const ImportOptions& options)
      : log_(log), end_(end), options_(options) {}

  void event(const Json& event) { put(eventRecord(event)); }

  // Those from `first` on.
  void points(const Curve& curve, std::int64_t first) {
    const auto begin = std::ranges::lower_bound(curve.points, first, {}, &ScalarPoint::step);
    std::vector<ScalarEvent> events;
    for (auto point = begin; point != curve.points.end(); ++point) {
      events.push_back({.name = curve.name,
                        .step = point->step,
                        .value = point->value,
                        .wallTime = point->wallTime});
      if (events.size() < kRecordPoints) continue;
      put({RecordKind::kScalars, packScalars(events)});
      events.clear();
    }
    if (!events.empty()) put({RecordKind::kScalars, packScalars(events)});
    done_ += std::ssize(curve.points);
    if (options_.progress != nullptr) options_.progress->advance(done_);
  }

  void flush() {
    checkCancelled(options_.stop);
    if (!records_.empty()) end_ = appendRecords(log_, records_, {.knownGood = end_});
    records_.clear();
    bytes_ = 0;
  }

 private:
  void put(LogRecord record) {
    constexpr std::size_t kTogether = 32u << 20;
    bytes_ += record.payload.size();
    records_.push_back(std::move(record));
    if (bytes_ >= kTogether) flush();
  }

  fs::path log_;
  std::uint64_t end_;
  const ImportOptions& options_;
  std::vector<LogRecord> records_;
  std::size_t bytes_ = 0;
  std::int64_t done_ = 0;
};

double newestTime(const ToolRun& run) {
  double newest = 0;
  for (const Curve& curve : run.curves) newest = std::max(newest, curve.points.back().wallTime);
  return newest;
}

// Of the points from `first` on.
double oldestTime(const ToolRun& run, std::int64_t first) {
  double oldest = newestTime(run);
  for (const Curve& curve : run.curves) {
    const auto point = std::ranges::lower_bound(curve.points, first, {}, &ScalarPoint::step);
    if (point != curve.points.end()) oldest = std::min(oldest, point->wallTime);
  }
  return oldest;
}

// A start in the other tool that continues from step `from`, the points from `first` on, and the
// end.
void writePoints(LogWriter& log, const ToolRun& run, std::int64_t from, std::int64_t first) {
  log.event({{"type", "started"},
             {"time", oldestTime(run, first)},
             {"from_step", from},
             {"job", 0},
             {"program", run.tool},
             {"command", printable(run.source.string())},
             {"threads", 0}});
  for (const Curve& curve : run.curves) log.points(curve, first);
  log.event({{"type", "ended"},
             {"time", newestTime(run)},
             {"outcome", "finished"},
             {"step", run.lastStep()},
             {"message", ""},
             {"diverged", false}});
  log.flush();
}

// How a source is remembered: JSON has no bytes that are no text.
std::string keyOf(const fs::path& source) {
  return printable(source.string());
}

// Of one training in it.
std::string keyOf(const ToolRun& run) {
  return run.training == 1 ? keyOf(run.source)
                           : fmt::format("{} (training {})", keyOf(run.source), run.training);
}

void writeOrigin(const fs::path& folder, const ToolRun& run) {
  const Json files = jsonList(run.files, [](const CurveFile& file) {
    return Json{{"path", keyOf(file.path)}, {"bytes", file.bytes}};
  });
  const Json origin{
      {"tool", run.tool}, {"source", keyOf(run)}, {"files", files}, {"read", nowSeconds()}};
  writeFileAtomic(folder / kImportOrigin, origin.dump(2) + "\n");
}

// Runs that were imported and are not in the trash, by their sources.
std::map<std::string, RunSummary> importedBefore(Workspace& workspace) {
  std::map<std::string, RunSummary> known;
  for (const RunSummary& run : listRuns(workspace)) {
    const fs::path file = run.folder / kImportOrigin;
    if (importedFrom(run).empty() || !fs::exists(file)) continue;
    const Json origin = readJson(file);
    const auto source = origin.find("source");
    if (!origin.is_object() || source == origin.end() || !source->is_string())
      throw Error("{} does not say where the run came from", file.string());
    known[source->get<std::string>()] = run;
  }
  return known;
}

// A name that a run can have, from the names of files.
std::string possibleName(std::string_view wanted) {
  constexpr std::size_t kLongest = 150;  // bytes, so that a number fits behind it
  std::string name = printable(wanted);
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == '@'; }, '-');
  while (name.size() > kLongest || !isValidUtf8(name) || name.ends_with(' ')) name.pop_back();
  const bool digits = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  const bool begins = name.starts_with(' ') || name.starts_with('-');
  return digits || begins || name == "." || name == ".." ? "run-" + name : name;
}

bool isOneOf(std::string_view series, const std::vector<std::string>& names) {
  const std::string_view last = series.substr(series.rfind('/') + 1);  // npos + 1 is 0
  return std::ranges::any_of(
      names, [&](const std::string& name) { return name == series || name == last; });
}

// "higher" or "lower" of the series whose direction is given.
std::map<std::string, std::string> givenDirections(const ToolRun& run,
                                                   const ImportOptions& options) {
  std::map<std::string, std::string> given;
  for (const Curve& curve : run.curves) {
    if (isOneOf(curve.name, options.higherIsBetter)) given[curve.name] = "higher";
    if (!isOneOf(curve.name, options.lowerIsBetter)) continue;
    if (given.contains(curve.name))
      throw usageError("higher and lower values of '{}' cannot both be better", curve.name);
    given[curve.name] = "lower";
  }
  return given;
}

void checkDirections(std::span<const ToolRun> runs, const ImportOptions& options) {
  std::vector<std::string> all;
  for (const ToolRun& run : runs) {
    for (const Curve& curve : run.curves) all.push_back(curve.name);
  }
  for (const auto& names : {options.higherIsBetter, options.lowerIsBetter}) {
    for (const std::string& name : names) {
      const bool known = std::ranges::any_of(
          all, [&](const std::string& series) { return isOneOf(series, {name}); });
      if (!known)
        throw usageError("no series '{}' is imported; the nearest is '{}'", name,
                         nearestOf(name, all));
    }
  }
}

// The curve that says how good the run is.
std::string metricOf(const ToolRun& run, const ImportOptions& options) {
  const std::string usual = run.metric();
  const auto given = givenDirections(run, options);
  const bool known = given.contains(usual) || directionOf(usual) != SeriesDirection::kUnknown;
  return known || given.empty() ? usual : given.begin()->first;
}

// What is done with each run, in their order.
struct Plan {
  const ToolRun* run;
  std::string name;
  std::optional<RunSummary> known;  // the same source, imported before
};

std::string wantedName(const ToolRun& run, std::span<const ToolRun> all, const std::string& name) {
  if (name.empty()) return possibleName(run.name);
  if (all.size() == 1) return name;
  const auto whole = std::ranges::count_if(all, [](const auto& each) { return each.part.empty(); });
  const std::string& part = run.part.empty() && whole > 1 ? run.name : run.part;
  return part.empty() ? name : possibleName(fmt::format("{}-{}", name, part));
}

std::vector<Plan> plansOf(Workspace& workspace, std::span<const ToolRun> runs,
                          const ImportOptions& options) {
  checkDirections(runs, options);
  const auto known = importedBefore(workspace);
  std::vector<Plan> plans;
  std::set<std::string> given;
  for (const ToolRun& run : runs) {
    Plan plan{.run = &run, .name = {}, .known = {}};
    if (const auto before = known.find(keyOf(run)); before != known.end()) {
      if (!options.update)
        throw usageError("{} was imported as '{}': --update reads it again", keyOf(run),
                         before->second.name);
      plan.known = before->second;
      plan.name = before->second.name;
    } else {
      const std::string wanted = wantedName(run, runs, options.name);
      if (!options.name.empty()) checkRunName(wanted);
      plan.name = options.name.empty() ? freeRunName(workspace, wanted) : wanted;
      for (int number = 2; !given.insert(plan.name).second; ++number)
        plan.name = freeRunName(workspace, fmt::format("{}-{}", wanted, number));
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

NewRun newRun(const Plan& plan, const ImportOptions& options) {
  const ToolRun& run = *plan.run;
  return {.name = plan.name,
          .config = {{"preset", fmt::format("{}/{}", kImportedFamily, run.tool)},
                     {"data", {{"dataset", run.tool}}},
                     {"model", {{"family", kImportedFamily}}},
                     {"checkpoint", {{"metric", metricOf(run, options)}}},
                     {"imported", {{"tool", run.tool}, {"source", keyOf(run)}}}}};
}

// What has been written so far, outside the index.
class Written {
 public:
  void folder(const fs::path& made) { folders_.push_back(made); }
  void log(const fs::path& log) { logs_.emplace_back(log, fileBytes(log)); }  // before it grows

  void undo() const {
    std::error_code ignored;
    for (const auto& [log, bytes] : logs_) fs::resize_file(log, bytes, ignored);
    for (const fs::path& folder : folders_) fs::remove_all(folder, ignored);
  }

 private:
  std::vector<fs::path> folders_;
  std::vector<std::pair<fs::path, std::uintmax_t>> logs_;
};

void writeDirections(LogWriter& log, const std::map<std::string, std::string>& given) {
  if (!given.empty())
    log.event({{"type", "directions"}, {"time", nowSeconds()}, {"better", given}});
}

std::int64_t addRun(Workspace& workspace, const Plan& plan, const ImportOptions& options,
                    Written& written) {
  std::vector<std::string> tags = options.tags;
  tags.push_back(kImportedTag);
  std::ranges::sort(tags);
  tags.erase(std::ranges::unique(tags).begin(), tags.end());
  const RunSummary run = createRun(workspace, newRun(plan, options), [&](const fs::path& folder) {
    LogWriter log(eventLogOf(folder), fileBytes(eventLogOf(folder)), options);
    log.event({{"type", "tags"}, {"time", nowSeconds()}, {"tags", tags}});
    writeDirections(log, givenDirections(*plan.run, options));
    writePoints(log, *plan.run, 0, 0);
    writeOrigin(folder, *plan.run);
  });
  written.folder(run.folder);
  return run.id;
}

bool samePoint(const ScalarPoint& a, const ScalarPoint& b) {
  return a.step == b.step && toMicroseconds(a.wallTime) == toMicroseconds(b.wallTime) &&
         (a.value == b.value || (std::isnan(a.value) && std::isnan(b.value)));
}

// The first step at which two series differ.
std::optional<std::int64_t> firstDifference(std::span<const ScalarPoint> a,
                                            std::span<const ScalarPoint> b) {
  const auto [left, right] = std::ranges::mismatch(a, b, samePoint);
  if (left == a.end() && right == b.end()) return {};
  if (left == a.end()) return right->step;
  return right == b.end() ? left->step : std::min(left->step, right->step);
}

// The first step at which a run's series are no longer what its source has.
std::optional<std::int64_t> firstNewStep(Workspace& workspace, std::int64_t id,
                                         const ToolRun& run) {
  std::set<std::string> names;
  for (const SeriesSummary& series : listSeries(workspace, id)) names.insert(series.name);
  for (const Curve& curve : run.curves) names.insert(curve.name);
  std::optional<std::int64_t> first;
  for (const std::string& name : names) {
    const auto curve = std::ranges::find(run.curves, name, &Curve::name);
    const auto stored = readSeries(workspace, id, name);
    const auto step = firstDifference(
        stored, curve == run.curves.end() ? std::span<const ScalarPoint>() : curve->points);
    if (step) first = std::min(first.value_or(*step), *step);
  }
  return first;
}

// Whether the directions given are not those of the run.
bool changesDirections(Workspace& workspace, const Plan& plan, const ImportOptions& options) {
  const auto given = givenDirections(*plan.run, options);
  const auto series = listSeries(workspace, plan.known->id);
  return std::ranges::any_of(given, [&](const auto& each) {
    const auto stored = std::ranges::find(series, each.first, &SeriesSummary::name);
    const SeriesDirection wanted =
        each.second == "higher" ? SeriesDirection::kHigher : SeriesDirection::kLower;
    return stored == series.end() || stored->direction != wanted;
  });
}

ImportOutcome growRun(Workspace& workspace, const Plan& plan, const ImportOptions& options,
                      Written& written) {
  const std::string folder = folderOfRun(workspace, plan.known->id);
  const fs::path log = eventLogOf(workspace.root() / folder);
  const auto first = firstNewStep(workspace, plan.known->id, *plan.run);
  const bool directs = changesDirections(workspace, plan, options);
  if (!first && !directs) return ImportOutcome::kUnchanged;
  written.log(log);
  LogWriter writer(log, scanLog(log, 0).end, options);
  if (directs) writeDirections(writer, givenDirections(*plan.run, options));
  if (first) writePoints(writer, *plan.run, *first - 1, *first);
  writer.flush();
  indexRun(workspace, {plan.known->id, folder});
  writeOrigin(workspace.root() / folder, *plan.run);
  return ImportOutcome::kGrown;
}

}  // namespace

std::string_view nameOf(ImportOutcome outcome) {
  constexpr std::string_view kNames[] = {"added", "grown", "unchanged"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::vector<ImportedRun> planImport(Workspace& workspace, std::span<const ToolRun> runs,
                                    const ImportOptions& options) {
  std::vector<ImportedRun> planned;
  for (const Plan& plan : plansOf(workspace, runs, options)) {
    ImportOutcome outcome = ImportOutcome::kAdded;
    if (plan.known)
      outcome = firstNewStep(workspace, plan.known->id, *plan.run) ||
                        changesDirections(workspace, plan, options)
                    ? ImportOutcome::kGrown
                    : ImportOutcome::kUnchanged;
    planned.push_back({plan.known ? plan.known->id : 0, plan.name, outcome});
  }
  return planned;
}

std::vector<ImportedRun> importRuns(Workspace& workspace, std::span<const ToolRun> runs,
                                    const ImportOptions& options) {
  Written written;
  try {
    return workspace.database().write([&] {
      std::vector<ImportedRun> done;
      for (const Plan& plan : plansOf(workspace, runs, options)) {
        checkCancelled(options.stop);
        ImportedRun run{.id = 0, .name = plan.name};
        if (plan.known) {
          run.id = plan.known->id;
          run.outcome = growRun(workspace, plan, options, written);
        } else {
          run.id = addRun(workspace, plan, options, written);
        }
        done.push_back(std::move(run));
      }
      return done;
    });
  } catch (...) {
    written.undo();
    throw;
  }
}

}  // namespace strata
