#pragma once
#include <QStringList>
#include <QVector>
#include <utility>
#include <vector>

#include "ui/data/values.h"

namespace strata::ui {

inline const QString kGradientPrefix = QStringLiteral("grad_norm/");

// The title of a layer: "decoder 4" of "decoder.layers.3". Those of a model's layers differ.
QString layerTitle(const QString& layer);

struct StepRange {
  double first = 0, last = 0;  // both are in it

  double width() const { return last - first + 1; }
  bool operator==(const StepRange&) const = default;
};

// Norms of gradients before clipping, layers x steps.
struct GradientFlow {
  QStringList layers;  // from the encoder's embedding up to the decoder's output
  StepRange range;
  int bins = 0;
  std::vector<double> norms;  // layers x bins, row-major: the largest finite norm of a bin's steps,
                              // of the bin before where it has none; NaN before the first
                              // and after the last
  std::vector<std::pair<int, double>> nonFinite;  // layer and step of what was NaN or infinite

  double at(int layer, int bin) const {
    return norms[std::size_t(layer) * std::size_t(bins) + std::size_t(bin)];
  }
};

// The range of steps over all series; {0, 0} if all are empty.
StepRange stepRangeOf(const QVector<SeriesPoints>& series);

// The layers of series "grad_norm/LAYER", of any runs, in the order of the network; the norm of the
// complete model is skipped.
QStringList gradientLayers(const QVector<SeriesPoints>& series);

// `series`: of one run. At most `mostBins` bins, fewer if no series has that many points in the
// range. `layers`: the rows, those of other runs among them; empty: the run's own.
GradientFlow gradientFlow(const QVector<SeriesPoints>& series, const StepRange& range, int mostBins,
                          const QStringList& layers = {});

// The first step with a norm that is NaN or infinite; -1: none.
qint64 firstNonFiniteStep(const QVector<SeriesPoints>& series);

}  // namespace strata::ui
