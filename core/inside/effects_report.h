// Measured effects as they are stored in a run's folder, printed, and drawn.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/inside/effects.h"
#include "core/inside/measured_on.h"
#include "core/report/table.h"

namespace strata {

// What was measured. Equal keys have equal results.
struct EffectsKey {
  EffectKind kind = EffectKind::kLevels;
  EffectMode mode = EffectMode::kMean;
  MeasuredOn on = {};

  bool operator==(const EffectsKey&) const = default;
};

struct EffectsReport {
  EffectsKey key = {};
  std::string run = {};           // its name
  std::string weight = {};        // what the weight is: "mean weight a of the level"; empty: none
  std::string contribution = {};  // likewise
  EffectStatistics statistics = {};
};

Json toJson(const EffectsReport& report);
// Throws nlohmann's exceptions or an Error if something is missing or has another type.
EffectsReport effectsReportFrom(const Json& json);

// RUN/effects/CHECKPOINT.SET.SENTENCES.KIND.MODE.json, replaced atomically.
std::filesystem::path effectsFile(const std::filesystem::path& runFolder, const EffectsKey& key);
void storeEffects(const std::filesystem::path& runFolder, const EffectsReport& report);
// All that are stored; damaged files count as none. Ordered by file name.
std::vector<EffectsReport> storedEffects(const std::filesystem::path& runFolder);

// "-log p per token without each unit - with it, ...": what the table's numbers are.
std::string captionOf(const EffectsReport& report);
// "BLEU 21.40 of the model's translations (greedy search; ...)"; empty: it is not measured.
std::string bleuCaptionOf(const EffectsReport& report);
// A row per unit: weight, contribution, effect, interval, effect by word class, change of BLEU,
// list.
Table effectsTable(const EffectsReport& report);

}  // namespace strata
