#include "ui/panels/paper_figure_view.h"

#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/panels/paper_notes.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/xy_plot.h"
#include "ui/widgets/building.h"
#include "ui/widgets/chart_grid.h"

namespace strata::ui {
namespace {

constexpr int kLongestArcWords = 3;  // as in the papers

}  // namespace

PaperFigureView::PaperFigureView(QWidget* parent) : QWidget(parent) {
  drawings_ = makeScrollArea(this);
  notes_ = named(new PaperNotes(this), "papersFigureNotes");
  makeLayout<QVBoxLayout>(this)->addWidget(
      makeSplitter(Qt::Vertical, this, {{drawings_, 440, 1}, {notes_, 150}}));
}

void PaperFigureView::showResult(const PaperResult& result) {
  auto* grid = new ChartGrid(drawings_);
  drawn_.clear();
  const auto add = [&](Chart* chart) {
    chart->setObjectName(QStringLiteral("papersChart%1").arg(drawn_.size()));
    drawn_ << chart;
    grid->add(chart);
  };
  for (const LineChart& chart : result.charts) {
    auto* plot = new XyPlot(grid);
    plot->setChart(chart);
    plot->setAccessibleName(plot->title());
    add(plot);
  }
  for (const PaperResult::Map& map : result.maps) {
    auto* view = new HeatMapView(grid);
    view->setMaps(map.columns, {map.map});
    view->setAccessibleName(map.title);
    add(view);
  }
  for (const PaperArcs& arcs : result.arcs) {
    auto* view = new ArcView(grid);
    view->setSentence(arcs.words, {{arcs.title, arcs.arcs}});
    view->setLongest(kLongestArcWords);
    view->setAccessibleName(arcs.title);
    add(view);
  }
  drawings_->setWidget(grid);
  notes_->showNotesOf(result);
}

void PaperFigureView::exportTo(const QString& path) {
  for (qsizetype i = 0; i < drawn_.size(); ++i)
    drawn_[i]->exportTo(i == 0 ? path : siblingPath(path, QString::number(i + 1)));
}

}  // namespace strata::ui
