#include "ui/panels/paper_figure_view.h"

#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/panels/paper_notes.h"
#include "ui/plots/network_drawing.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/xy_plot.h"
#include "ui/widgets/building.h"
#include "ui/widgets/chart_grid.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {

constexpr int kLongestArcWords = 3;  // as in the papers

}  // namespace

PaperFigureView::PaperFigureView(QWidget* parent) : QWidget(parent) {
  drawings_ = makeScrollArea(this);
  notes_ = named(new PaperNotes(this), "papersFigureNotes");
  table_ = named(new ReportTable(this), "papersParts", tr("Table of the figure"));
  makeLayout<QVBoxLayout>(this)->addWidget(
      makeSplitter(Qt::Vertical, this, {{drawings_, 440, 1}, {table_, 220, 1}, {notes_, 150}}));
}

// Each below its name; the part that is chosen is selected in the table.
void PaperFigureView::addNetworks(const PaperResult& result, ChartGrid* grid) {
  int rows = 0;
  for (const PaperNetwork& each : result.networks) {
    auto* cell = new QWidget(grid);
    auto* layout = makeLayout<QVBoxLayout>(cell, {0, 4, 0, 0}, 2);
    auto* title = new QLabel(each.title, cell);
    title->setAlignment(Qt::AlignCenter);
    layout->addWidget(title);
    auto* drawing = new NetworkDrawing(cell);
    drawing->setObjectName(QStringLiteral("papersChart%1").arg(drawn_.size()));
    drawing->setNetwork(each.network);
    drawing->setAccessibleName(each.title);
    connect(drawing, &NetworkDrawing::partChosen, this, [this, rows](int part) {
      if (part >= 0) table_->selectRow(rows + part);
    });
    layout->addWidget(drawing, 1);
    rows += int(each.network.parts.size());
    drawn_ << drawing;
    grid->add(cell);
  }
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
  addNetworks(result, grid);
  drawings_->setWidget(grid);
  const bool isListed = !result.shown.columns.empty();
  drawings_->setVisible(!isListed || !drawn_.isEmpty());
  table_->setTable(result.shown);
  table_->setVisible(isListed);
  notes_->showNotesOf(result);
}

void PaperFigureView::exportTo(const QString& path) {
  for (qsizetype i = 0; i < drawn_.size(); ++i)
    drawn_[i]->exportTo(i == 0 ? path : siblingPath(path, QString::number(i + 1)));
}

}  // namespace strata::ui
