#include "ui/data/gradient_flow.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/run/layer_order.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

// Tables, and what brings their vectors to the model's width.
constexpr std::pair<const char*, const char*> kEmbeddings[] = {
    {"embed_tokens", QT_TRANSLATE_NOOP("strata::ui", "%1 embedding")},
    {"embed_tokens_proj", QT_TRANSLATE_NOOP("strata::ui", "%1 embedding projection")},
    {"embed_positions", QT_TRANSLATE_NOOP("strata::ui", "%1 position embedding")},
    {"embed_positions_proj", QT_TRANSLATE_NOOP("strata::ui", "%1 position projection")}};

struct Row {
  QString layer;
  const std::vector<ScalarPoint>* points;
};

std::vector<Row> rowsOf(const QVector<SeriesPoints>& series) {
  std::vector<Row> rows;
  for (const SeriesPoints& part : series) {
    if (!part.key.name.startsWith(kGradientPrefix)) continue;
    const QString layer = part.key.name.mid(kGradientPrefix.size());
    if (layer != QLatin1String("all")) rows.push_back({layer, &part.points});
  }
  std::ranges::sort(rows, {}, [](const Row& row) { return layerPlace(toStd(row.layer)); });
  return rows;
}

bool inside(const ScalarPoint& point, const StepRange& range) {
  return double(point.step) >= range.first && double(point.step) <= range.last;
}

void fillRow(GradientFlow& flow, int layer, const std::vector<ScalarPoint>& points) {
  double* row = flow.norms.data() + std::ptrdiff_t(layer) * flow.bins;
  const double width = flow.range.width() / flow.bins;
  for (const ScalarPoint& point : points) {
    if (!inside(point, flow.range)) continue;
    if (!std::isfinite(point.value)) {
      flow.nonFinite.emplace_back(layer, double(point.step));
      continue;
    }
    const int bin =
        std::clamp(int((double(point.step) - flow.range.first) / width), 0, flow.bins - 1);
    if (!(row[bin] >= point.value)) row[bin] = point.value;  // also replaces the initial NaN
  }
  // A norm holds until the next one; the last is not extended, for the run may have ended.
  int last = flow.bins - 1;
  while (last > 0 && std::isnan(row[last])) --last;
  for (int bin = 1; bin < last; ++bin) {
    if (std::isnan(row[bin])) row[bin] = row[bin - 1];
  }
}

}  // namespace

QString layerTitle(const QString& layer) {
  const QString side = layer.section(QLatin1Char('.'), 0, 0),
                rest = layer.section(QLatin1Char('.'), 1);
  if (rest.startsWith(QLatin1String("layers.")))
    return QStringLiteral("%1 %2").arg(side).arg(rest.section(QLatin1Char('.'), 1, 1).toInt() + 1);
  for (const auto& [name, title] : kEmbeddings) {
    if (rest == QLatin1String(name)) return translated(title).arg(side);
  }
  return QStringLiteral("%1 %2").arg(side,
                                     QString(rest).replace(QLatin1Char('_'), QLatin1Char(' ')));
}

QStringList gradientLayers(const QVector<SeriesPoints>& series) {
  QStringList layers;
  for (const Row& row : rowsOf(series)) {
    if (!layers.contains(row.layer)) layers << row.layer;
  }
  return layers;
}

qint64 firstNonFiniteStep(const QVector<SeriesPoints>& series) {
  qint64 first = -1;
  for (const Row& row : rowsOf(series)) {
    const auto found = std::ranges::find_if(
        *row.points, [](const ScalarPoint& point) { return !std::isfinite(point.value); });
    if (found != row.points->end())
      first = first < 0 ? found->step : std::min(first, qint64(found->step));
  }
  return first;
}

StepRange stepRangeOf(const QVector<SeriesPoints>& series) {
  StepRange range{INFINITY, -INFINITY};
  for (const Row& row : rowsOf(series)) {
    for (const ScalarPoint& point : *row.points) {
      range.first = std::min(range.first, double(point.step));
      range.last = std::max(range.last, double(point.step));
    }
  }
  return range.first <= range.last ? range : StepRange{};
}

GradientFlow gradientFlow(const QVector<SeriesPoints>& series, const StepRange& range, int mostBins,
                          const QStringList& layers) {
  GradientFlow flow;
  flow.range = range;
  const std::vector<Row> rows = rowsOf(series);
  std::ptrdiff_t most = 1;
  for (const Row& row : rows) {
    most = std::max(most, std::count_if(row.points->begin(), row.points->end(),
                                        [&](const ScalarPoint& p) { return inside(p, range); }));
  }
  flow.bins = int(std::min<std::ptrdiff_t>(most, mostBins));
  flow.layers = layers.isEmpty() ? gradientLayers(series) : layers;
  flow.norms.assign(std::size_t(flow.layers.size()) * std::size_t(flow.bins), NAN);
  for (const Row& row : rows) {
    const auto layer = int(flow.layers.indexOf(row.layer));
    if (layer >= 0) fillRow(flow, layer, *row.points);
  }
  return flow;
}

}  // namespace strata::ui
