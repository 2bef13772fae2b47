#include "ui/panels/layers_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/picture_export.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/report_table.h"
#include "ui/widgets/tabs.h"

namespace strata::ui {
namespace {

constexpr int kLensPage = 1;

QString titleOf(LensMeasure measure) {
  switch (measure) {
    case LensMeasure::kRank:
      return LayersPanel::tr("rank");
    case LensMeasure::kProbability:
      return LayersPanel::tr("probability");
    case LensMeasure::kDivergence:
      return LayersPanel::tr("KL to the model");
  }
  return {};
}

// Of the curve over levels.
QString axisOf(LensMeasure measure) {
  switch (measure) {
    case LensMeasure::kRank:
      return LayersPanel::tr("mean rank of the reference");
    case LensMeasure::kProbability:
      return LayersPanel::tr("geometric mean of its probability");
    case LensMeasure::kDivergence:
      return LayersPanel::tr("mean KL(model ‖ level), nats");
  }
  return {};
}

// The levels of both sides, each once: the embedding, the layers, what a fusion makes of them.
QStringList levelsOfAll(const std::vector<LevelSimilarity>& sides) {
  QStringList levels;
  bool fused = false;
  for (const LevelSimilarity& side : sides) {
    for (const std::string& level : side.levels) {
      if (level == "fused") {
        fused = true;
      } else if (!levels.contains(qs(level))) {
        levels << qs(level);
      }
    }
  }
  if (fused) levels << QStringLiteral("fused");
  return levels;
}

// The number with the lightest or darkest colour: the same for all sentences.
double largestIn(const Lens& lens, LensMeasure measure) {
  double largest = 0;
  for (const LensSentence& sentence : lens.sentences) {
    for (const auto& cells : sentence.cells) {
      for (const LensCell& cell : cells) largest = std::max(largest, cell.of(measure));
    }
  }
  return largest;
}

QScrollArea* scrolling(QWidget* parent, QWidget* content) {
  auto* area = makeScrollArea(parent);
  area->setWidget(content);
  return area;
}

}  // namespace

LayersPanel::LayersPanel(QAction* runDemo, QWidget* parent)
    : ReportPanel({QStringLiteral("layers"), QStringLiteral("attention"), tr("Layers")},
                  QStringLiteral("layers"), parent) {
  pictures_ = named(new Tabs(this), "layersPictures", tr("Pictures"));
  pictures_->addTab(makeSimilarity(), tr("Similarity"));
  pictures_->addTab(makeLens(), tr("Lens"));
  setParts({tr("No model yet"),
            tr("How similar the layers of a trained model are to each other, and what its output "
               "layer would say after each layer of the decoder, is measured here."),
            {runDemo}},
           makeActions(), pictures_);
}

QWidget* LayersPanel::makeActions() {
  auto* bar = makeBar(this);
  addButtons(bar);
  bar->addStretch();
  addCopyCommand(bar, [this] { return arguments(); });
  ExportTool tool{QStringLiteral("layersExport"),
                  tr("Export the layers…"),
                  {tr("Export the pictures shown"), tr("Their values"),
                   std::bind_front(&LayersPanel::exportPictures, this),
                   std::bind_front(&LayersPanel::failed, this)}};
  tool.request.parts = [this]() -> QStringList {
    if (pictures_->currentIndex() != kLensPage) return {};
    return {QStringLiteral("sentence"), QStringLiteral("means")};
  };
  addExportTool(this, bar, tool);
  return bar->parentWidget();
}

QWidget* LayersPanel::makeSimilarity() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page);
  similarity_ = named(new HeatMapView(page), "layersSimilarity", tr("Similarity of layers"));
  similarity_->setScaleTitle(tr("CKA"));
  similarity_->setLargestCell(96, 40);
  similarity_->setAxisTitles(tr("level"), tr("level"));
  layout->addWidget(scrolling(page, similarity_), 1);
  similarityReadout_ = styled(named(new QLabel(page), "layersSimilarityReadout"), "muted");
  similarityReadout_->setContentsMargins(10, 2, 10, 4);
  layout->addWidget(similarityReadout_);
  connect(similarity_, &HeatMapView::hovered, this, [this](int map, int row, int column) {
    similarityReadout_->setText(map < 0 ? QString() : similarity_->readout(map, row, column));
  });
  return page;
}

QWidget* LayersPanel::makeLens() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page);
  auto* bar = makeBar(page);
  measure_ = named(new QComboBox(page), "layersMeasure", tr("Measure"));
  for (const LensMeasure each : kLensMeasures)
    measure_->addItem(titleOf(each), qs(strata::nameOf(each)));
  measure_->setToolTip(
      tr("Of the reference's word, in the scores that the output layer gives to the level; KL: "
         "from the model's own distribution"));
  bar->addWidget(measure_);
  sentences_ = named(new QComboBox(page), "layersSentence", tr("Sentence"));
  sentences_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  bar->addWidget(sentences_, 1);
  layout->addWidget(bar->parentWidget());
  lens_ = named(new HeatMapView(page), "layersLens", tr("Lens: levels and words"));
  lens_->setSmallestCell(46, 18);
  lens_->setAxisTitles(tr("level"), tr("words of the reference; cells: what the level says"));
  lensReadout_ = styled(named(new QLabel(page), "layersLensReadout"), "muted");
  lensReadout_->setContentsMargins(10, 2, 10, 4);
  auto* map = new QWidget(page);
  auto* above = makeLayout<QVBoxLayout>(map);
  above->addWidget(scrolling(map, lens_), 1);
  above->addWidget(lensReadout_);
  means_ = named(new CategoryPlot(page), "layersMeans", tr("Means over levels"));
  means_->setFromZero(false);
  table_ = named(new ReportTable(page), "layersTable", tr("Means over levels"));
  auto* below = makeSplitter(Qt::Horizontal, page, {{means_, 300, 1}, {table_, 300, 1}});
  layout->addWidget(makeSplitter(Qt::Vertical, page, {{map, 280, 3}, {below, 200, 2}}), 1);
  connect(lens_, &HeatMapView::hovered, this, [this](int at, int row, int column) {
    lensReadout_->setText(at < 0 ? QString() : lens_->readout(at, row, column));
  });
  connect(measure_, &QComboBox::currentIndexChanged, this, [this] {
    if (!shown()) return;
    drawLens();
    drawMeans();
  });
  connect(sentences_, &QComboBox::currentIndexChanged, this, [this] {
    wantedSentence_ = sentences_->currentData().toLongLong();
    wantedText_.clear();
    if (shown()) drawLens();
  });
  connect(sentences_, &QComboBox::activated, this, [this] {
    if (const LensSentence* chosen = sentence()) share({.sentence = qs(chosen->text)});
  });
  return page;
}

LensMeasure LayersPanel::measure() const {
  return kLensMeasures[std::size_t(measure_->currentIndex())];
}

const LensSentence* LayersPanel::sentence() const {
  if (!shown()) return nullptr;
  const auto& all = shown()->lens.sentences;
  const auto found = std::ranges::find(all, wantedSentence_, &LensSentence::sentence);
  return found == all.end() ? nullptr : &*found;
}

QStringList LayersPanel::arguments() const {
  return QStringList{QStringLiteral("layers")} + choice().arguments();
}

QString LayersPanel::howMeasured() const {
  return tr("Start passes the set through the model once; the result is kept in the run's folder.");
}

// What a reader has to know about the figures.
QString LayersPanel::caption() const {
  QStringList lines{qs(captionOf(*shown()))};
  for (const LevelSimilarity& side : shown()->similarity) {
    if (const auto few = fewPositions(side); !few.empty()) lines << qs(few);
  }
  if (!shown()->lens.unread.empty())
    lines << tr("The output layer does not read: %1").arg(qs(shown()->lens.unread).join(tr(", ")));
  return lines.join(QLatin1Char('\n'));
}

void LayersPanel::showFound() {
  if (!shown()) return;
  drawSimilarity();
  listSentences();
  drawLens();
  drawMeans();
  table_->setTable(lensTable(*shown()));
}

void LayersPanel::drawSimilarity() {
  const QStringList levels = levelsOfAll(shown()->similarity);
  QVector<HeatMap> maps;
  for (const LevelSimilarity& side : shown()->similarity) {
    HeatMap map{qs(side.side), qs(side.levels), {}};
    const QStringList own = map.rows;
    for (int row = 0; row < own.size(); ++row) {
      for (const QString& level : levels) {
        const qsizetype column = own.indexOf(level);
        map.values.push_back(column < 0 ? std::numeric_limits<float>::quiet_NaN()
                                        : float(side.at(std::size_t(row), std::size_t(column))));
      }
    }
    maps << map;
  }
  similarity_->setMaps(levels, maps);
  similarityReadout_->clear();
}

void LayersPanel::listSentences() {
  const QSignalBlocker blocker(sentences_);
  sentences_->clear();
  for (const LensSentence& each : shown()->lens.sentences) {
    sentences_->addItem(tr("#%1  %2").arg(each.sentence + 1).arg(qs(each.text)),
                        qint64(each.sentence));
  }
  if (!wantedText_.isEmpty()) showSentence(wantedText_);
  if (!selectData(sentences_, wantedSentence_) && sentences_->count() > 0)
    wantedSentence_ = sentences_->currentData().toLongLong();
}

// A sentence chosen elsewhere, if it is one of those stored.
void LayersPanel::showSentence(const QString& text) {
  if (!shown()) return;
  for (const LensSentence& each : shown()->lens.sentences) {
    if (qs(each.text).simplified() == text.simplified()) wantedSentence_ = each.sentence;
  }
}

void LayersPanel::drawLens() {
  lensReadout_->clear();
  const LensSentence* chosen = sentence();
  if (!chosen) return lens_->setMaps({}, {});
  const LensMeasure figure = measure();
  HeatMap map{QString(), qs(shown()->lens.levels), {}};
  for (const auto& cells : chosen->cells) {
    for (const LensCell& cell : cells) {
      map.values.push_back(float(cell.of(figure)));
      map.texts << wordText(cell.top);
    }
  }
  QStringList words;
  for (const std::string& word : chosen->target) words << wordText(word);
  const bool ranks = figure == LensMeasure::kRank;
  lens_->setScaleTitle(ranks                                 ? tr("rank")
                       : figure == LensMeasure::kProbability ? tr("p")
                                                             : tr("KL (nats)"),
                       ranks ? HeatMapView::Values::kRanks : HeatMapView::Values::kPlain);
  lens_->setScale(figure == LensMeasure::kProbability ? 1 : largestIn(shown()->lens, figure));
  lens_->setMaps(words, {map});
}

void LayersPanel::drawMeans() {
  const Lens& lens = shown()->lens;
  const LensMeasure figure = measure();
  CategorySeries curve{titleOf(figure), {}, CategorySeries::Kind::kLine};
  for (const LensMean& mean : lens.means) curve.values.push_back(mean.of(figure));
  means_->setUnitScale(figure == LensMeasure::kProbability);
  means_->setLogarithmicValues(figure == LensMeasure::kRank);
  means_->setTitle(tr("Over %1 tokens").arg(countText(lens.tokens)));
  means_->setAxisTitles(tr("level of the decoder"), axisOf(figure));
  means_->setContent(qs(lens.levels), {curve});
}

void LayersPanel::follow(const Selection& choice) {
  MeasuredPanel::follow(choice);
  if (!choice.sentence) return;
  wantedText_ = *choice.sentence;
  if (!shown()) return;
  listSentences();
  drawLens();
}

Here LayersPanel::here() const {
  const bool similarity = pictures_->currentIndex() == 0;
  const HeatMapView* map = similarity ? similarity_ : lens_;
  const HeatMapCell at = map->cursor();
  if (!shown() || at.map < 0) return Panel::here();
  Here here{map->readout(at.map, at.row, at.column), {}};
  if (similarity) {
    here.add(QStringLiteral("K"), double(map->valueAt(at)));
  } else if (const LensSentence* chosen = sentence()) {
    const LensCell& cell = chosen->cells[std::size_t(at.row)][std::size_t(at.column)];
    here.add(QStringLiteral("p_w"), cell.of(LensMeasure::kProbability));
    here.add(QStringLiteral("D_l"), cell.of(LensMeasure::kDivergence));
  }
  return here;
}

Json LayersPanel::saveState() const {
  Json state = MeasuredPanel::saveState();
  state["measure"] = toStd(measure_->currentData().toString());
  state["picture"] = pictures_->currentIndex();
  state["sentence"] = wantedSentence_;
  return state;
}

void LayersPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  MeasuredPanel::restoreState(state);
  if (const auto measure = saved.text("measure")) selectData(measure_, *measure);
  saved.index("picture", pictures_);
  wantedSentence_ = saved.number("sentence").value_or(wantedSentence_);
}

void LayersPanel::exportPictures(const QString& path) {
  if (pictures_->currentIndex() != kLensPage) return similarity_->exportTo(path);
  lens_->exportTo(siblingPath(path, QStringLiteral("sentence")));
  means_->exportTo(siblingPath(path, QStringLiteral("means")));
}

}  // namespace strata::ui
