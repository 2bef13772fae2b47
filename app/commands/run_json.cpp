#include "app/commands/run_json.h"

#include "app/commands/listing.h"

namespace strata {

Json toJson(const RunSummary& run) {
  return {{"id", run.id},
          {"name", run.name},
          {"status", nameOf(run.status)},
          {"message", run.message},
          {"preset", run.preset},
          {"dataset", run.dataset},
          {"family", run.family},
          {"seed", run.seed},
          {"step", run.step},
          {"metric", run.metric},
          {"best", finiteOrNull(run.best)},
          {"best_step", run.bestStep},
          {"last", finiteOrNull(run.last)},
          {"last_step", run.lastStep},
          {"tokens_per_second", run.tokensPerSecond},
          {"seconds", run.seconds},
          {"test_looks", run.looks},
          {"tags", run.tags},
          {"note", run.note},
          {"pending", run.pending},
          {"trashed", run.trashed},
          {"created", run.created},
          {"folder", run.folder.string()}};
}

Json toJson(const SeriesSummary& series) {
  return {{"name", series.name},
          {"count", series.count},
          {"last_step", series.lastStep},
          {"last", finiteOrNull(series.lastValue)},
          {"minimum", finiteOrNull(series.minimum)},
          {"minimum_step", series.minimumStep},
          {"maximum", finiteOrNull(series.maximum)},
          {"maximum_step", series.maximumStep},
          {"non_finite", series.nonFinite}};
}

Json toJson(const StoredCheckpoint& checkpoint) {
  return {
      {"step", checkpoint.step}, {"best", checkpoint.best}, {"folder", checkpoint.folder.string()}};
}

Json toJson(const TestLook& look) {
  return {{"time", look.time},         {"dataset", look.dataset},
          {"set", look.set},           {"checkpoint", look.checkpoint},
          {"settings", look.settings}, {"scores", look.scores}};
}

Json sqlJson(const SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return finiteOrNull(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

}  // namespace strata
