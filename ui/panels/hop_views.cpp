#include "ui/panels/hop_views.h"

#include <algorithm>

#include "ui/data/hop_pictures.h"
#include "ui/data/text.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/picture_export.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

constexpr int kUniformStyle = 15;  // a dashed line in a colour that few levels reach

// What all levels would have if they weighed the same, as in average fusion.
QString uniformName() {
  return HopViews::tr("uniform (AVG)");
}

std::shared_ptr<Series> seriesOf(const std::vector<ScalarPoint>& points) {
  auto series = std::make_shared<Series>();
  series->append(points);
  return series;
}

}  // namespace

QStringList hopNames(int hops) {
  QStringList names;
  for (int hop = 1; hop <= hops; ++hop) names << HopViews::tr("hop %1").arg(hop);
  return names;
}

HopViews::HopViews(QWidget* parent) : Tabs(parent) {
  setAccessibleName(tr("Views of the hops"));
  overTraining_ = named(new CurvePlot(this), "hopOverTraining");
  overTraining_->setFixedY(0, 1);  // the scale of the maps
  addTab(overTraining_, tr("Over training"));
  spread_ = named(new CategoryPlot(this), "hopSpread");
  spread_->setAxisTitles(tr("level"), tr("weight"));
  addTab(spread_, tr("Spread"));
  setTabToolTip(1, tr("How the weights differ between positions: the middle half in a box with the "
                      "median, whiskers from 5 % to 95 % of the positions"));
  classes_ = named(new HeatMapView(this), "hopClasses", tr("Mean weight by class of word"));
  classes_->setAxisTitles(tr("level"), tr("class of the word read"));
  addTab(classes_, tr("Word classes"));
  similarity_ = named(new HeatMapView(this), "hopSimilarity", tr("Similarity of the hops"));
  similarity_->setAxisTitles(tr("hop"), tr("hop"));
  similarity_->setScaleTitle(tr("similarity"));
  addTab(similarity_, tr("Similarity"));
  setTabToolTip(3, tr("1 − the Jensen-Shannon divergence of two hops' weights, mean over the "
                      "positions: 1 if both read the same levels"));
}

void HopViews::setStep(const RecordedStep& step, const HopMeans& means, const std::string& side,
                       int hop) {
  drawSpread(step, means, side, hop);
  drawClasses(step, means, side, hop);
  similarity_->setMaps(hopNames(means.hops),
                       means.hops > 0
                           ? QVector<HeatMap>{{{}, hopNames(means.hops), means.similarity}}
                           : QVector<HeatMap>());
}

void HopViews::drawSpread(const RecordedStep& step, const HopMeans& means, const std::string& side,
                          int hop) {
  CategorySeries boxes{
      .label = tr("positions"), .values = {}, .kind = CategorySeries::Kind::kBoxes};
  for (const WeightSpread& level : hopSpread(step.sentences, side, hop)) {
    boxes.values.push_back(level.median);
    boxes.low.push_back(level.low);
    boxes.high.push_back(level.high);
    boxes.lowerQuartile.push_back(level.lowerQuartile);
    boxes.upperQuartile.push_back(level.upperQuartile);
  }
  CategorySeries uniform{
      .label = uniformName(),
      .values = std::vector<double>(boxes.values.size(), 1.0 / std::max(1, means.levels)),
      .kind = CategorySeries::Kind::kReference};
  spread_->setContent(qs(levelNames(means.levels, means.firstLevel)), {boxes, uniform});
}

void HopViews::drawClasses(const RecordedStep& step, const HopMeans& means, const std::string& side,
                           int hop) {
  HopClassMeans classes;
  addHopClasses(step, side, classes);
  if (classes.hops != means.hops || classes.levels != means.levels)
    return classes_->setMaps({}, {});
  classes_->setMaps(wordClassNames(), classPicture(classes, hop));
}

void HopViews::setTraining(const QVector<HopMeans>& means, HopMeasure measure, int hop) {
  QVector<CurvePlot::Curve> curves;
  if (!means.isEmpty() && means.last().levels > 0) {
    const int levels = means.last().levels;
    const QStringList names = qs(levelNames(levels, means.last().firstLevel));
    std::vector<ScalarPoint> uniform;
    for (int level = levels - 1; level >= 0; --level) {
      std::vector<ScalarPoint> points;
      for (const HopMeans& each : means) {
        if (each.levels != levels || !each.has(measure)) continue;
        points.push_back({each.step, 0, each.value(level, hop, measure)});
        if (level == 0) uniform.push_back({each.step, 0, 1.0 / levels});
      }
      curves.push_back({names[level], level, seriesOf(points)});
    }
    if (measure == HopMeasure::kWeight)
      curves.push_back({uniformName(), kUniformStyle, seriesOf(uniform)});
  }
  overTraining_->setYTitle(measure == HopMeasure::kWeight ? tr("weight") : tr("contribution"));
  overTraining_->setCurves(curves);
}

void HopViews::exportTo(const QString& path) {
  overTraining_->exportTo(siblingPath(path, QStringLiteral("training")));
  spread_->exportTo(siblingPath(path, QStringLiteral("spread")));
  classes_->exportTo(siblingPath(path, QStringLiteral("classes")));
  similarity_->exportTo(siblingPath(path, QStringLiteral("similarity")));
}

QStringList HopViews::exportedParts() {
  return {QStringLiteral("training"), QStringLiteral("spread"), QStringLiteral("classes"),
          QStringLiteral("similarity")};
}

}  // namespace strata::ui
