#pragma once
#include <QVector>
#include <memory>

#include "ui/plots/series.h"

namespace strata::ui {

// What a group of runs that differ only in their seed has in common, at the steps that all of them
// have logged. A value that is not finite in one of them leaves a gap.
struct SeedBand {
  enum class Width { kDeviation, kInterval95 };  // on either side of the mean

  std::shared_ptr<Series> mean, low, high;
};
SeedBand seedBand(const QVector<std::shared_ptr<Series>>& seeds, SeedBand::Width width);

}  // namespace strata::ui
