#pragma once
#include <QString>
#include <filesystem>
#include <map>
#include <vector>

#include "core/base/json.h"
#include "core/run/recording.h"
#include "ui/data/word_classes.h"

namespace strata::ui {

// What a run's dataset says of the target sentences that were recorded.
struct TargetText {
  QString language;                              // "en"; empty: the dataset is gone
  std::map<qint64, std::vector<GoldWord>> gold;  // of generated data, by sentence; else empty
};

// `config`: of the run, effective; recordings are of the first set that it validates on.
TargetText targetTextOf(const std::filesystem::path& datasets, const Json& config,
                        const std::vector<SentenceRecordings>& sentences);

}  // namespace strata::ui
