#include "ui/panels/attention_views.h"

#include <QScrollArea>
#include <algorithm>
#include <array>

#include "ui/plots/heat_map.h"
#include "ui/plots/word_lines.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

double largestOf(const QVector<WeightMap>& maps) {
  float most = 0;
  for (const WeightMap& map : maps) most = std::max(most, map.largest());
  return most > 0 ? double(most) : 1;
}

}  // namespace

AttentionViews::AttentionViews(QWidget* parent) : Tabs(parent) {
  setObjectName(QStringLiteral("attentionTabs"));
  const auto add = [this](Chart* picture, const QString& title) {
    auto* scroll = makeScrollArea(this);
    scroll->setWidget(picture);
    addTab(scroll, title);
  };
  matrix_ = named(new HeatMapView(this), "attentionMatrix", tr("Attention as a matrix"));
  matrix_->setLargestCell(46, 24);
  matrix_->setAxisTitles({}, tr("rows: words that read · columns: words read"));
  lines_ = named(new WordLinesView(this), "attentionLines", tr("Attention as lines"));
  grid_ = named(new MapGridView(this), "attentionGrid", tr("All layers and heads"));
  add(matrix_, tr("Matrix"));
  add(lines_, tr("Lines"));
  add(grid_, tr("Bird's eye"));
  connect(matrix_, &HeatMapView::hovered, this,
          [this](int, int row, int column) { readOutCell(row, column); });
  connect(lines_, &WordLinesView::hovered, this,
          [this] { emit readOut(lines_->readout(lines_->hoveredWord())); });
  connect(grid_, &MapGridView::hovered, this, [this](int tile) {
    emit readOut(tile < 0 ? QString()
                          : tr("%1: click to open").arg(grid_->content().tiles[tile].title));
  });
  connect(grid_, &MapGridView::opened, this, [this](int tile) {
    const int columns = int(grid_->content().columns.size());
    emit opened(tile / columns, tile % columns);
  });
}

Chart* AttentionViews::current() const {
  const std::array<Chart*, 3> charts{matrix_, lines_, grid_};
  return charts[std::size_t(currentIndex())];
}

AttentionViews::Pictures AttentionViews::prepared(const QVector<WeightMap>& maps,
                                                  const Style& style) {
  return {.scale = style.fixedScale ? 1 : largestOf(maps),
          .rowSums = style.rowSums,
          .maps = maps,
          .matrix = sideBySide(maps, {.rowSums = style.rowSums})};
}

AttentionViews::Pictures AttentionViews::prepared(MapGridView::Content content,
                                                  const Style& style) {
  content.scale = style.fixedScale ? 1 : largestOf(content.tiles);
  QVector<QImage> images = MapGridView::imagesOf(content);
  return {.birdsEye = true,
          .scale = content.scale,
          .grid = std::move(content),
          .images = std::move(images)};
}

void AttentionViews::show(Pictures pictures) {
  if (pictures.birdsEye)
    return grid_->setContent(std::move(pictures.grid), std::move(pictures.images));
  maps_ = pictures.maps;
  rowSums_ = pictures.rowSums;
  QVector<HeatMap> shown;
  if (!maps_.isEmpty()) shown.push_back(std::move(pictures.matrix.map));  // it can be large
  matrix_->setScale(pictures.scale);
  matrix_->setBlocks(pictures.matrix.blocks);
  matrix_->setMaps(pictures.matrix.columns, std::move(shown));
  lines_->setMaps(maps_);
}

Here AttentionViews::here() const {
  Here here;
  const HeatMapCell at = matrix_->cursor();
  if (at.map < 0) return here;
  here.place = matrix_->readout(at.map, at.row, at.column);
  int column = at.column;
  for (const WeightMap& map : maps_) {
    const int width = int(map.columns.size());
    if (column < width) {
      here.add(map.difference ? QStringLiteral("Δ_ij") : QStringLiteral("α_ij"),
               double(map.at(at.row, column)));
      here.add(QStringLiteral("i"), map.rows[at.row]);
      here.add(QStringLiteral("j"), map.columns[column]);
      return here;
    }
    column -= width + (rowSums_ ? 1 : 0);
    if (column < 0) break;  // the sum of a row
  }
  return here;
}

void AttentionViews::readOutCell(int row, int column) {
  matrix_->setLinked(row, column < 0 ? QVector<int>() : QVector<int>{column});
  for (const WeightMap& map : maps_) {
    const int width = int(map.columns.size());
    if (row < 0 || column < 0) break;
    if (column < width) {
      const QString title = map.title.isEmpty() ? QString() : map.title + QStringLiteral(" · ");
      return emit readOut(title + tr("%1 reads %2: %3")
                                      .arg(map.rows[row], map.columns[column],
                                           QString::number(double(map.at(row, column)), 'f', 3)));
    }
    column -= width;
    if (rowSums_ && column-- == 0) return emit readOut(tr("%1: sum of the row").arg(map.rows[row]));
  }
  emit readOut({});
}

}  // namespace strata::ui
