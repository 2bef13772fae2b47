#include "ui/panels/layers_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
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
#include "ui/widgets/measured_run.h"
#include "ui/widgets/report_table.h"

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
    : Panel({QStringLiteral("layers"), QStringLiteral("attention"), tr("Layers")}, parent) {
  setObjectName(QStringLiteral("layersPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  layout->addWidget(makeChoices());
  layout->addWidget(makeActions());
  message_ = named(new QLabel(content), "layersMessage");
  message_->setWordWrap(true);
  message_->setContentsMargins(10, 4, 10, 4);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(message_);
  pictures_ = named(new QTabWidget(content), "layersPictures", tr("Pictures"));
  pictures_->setDocumentMode(true);
  pictures_->addTab(makeSimilarity(), tr("Similarity"));
  pictures_->addTab(makeLens(), tr("Lens"));
  layout->addWidget(pictures_, 1);
  layout->addStretch();
  setContent({tr("No model yet"),
              tr("How similar the layers of a trained model are to each other, and what its output "
                 "layer would say after each layer of the decoder, is measured here."),
              {runDemo}},
             content);
  pictures_->hide();
  showButtons();
}

QWidget* LayersPanel::makeChoices() {
  auto* bar = makeBar(this);
  choice_ = new MeasuredRunChoice(QStringLiteral("layers"), this);
  bar->addWidget(choice_);
  bar->addStretch();
  connect(choice_, &MeasuredRunChoice::runChosen, this, &LayersPanel::chooseRun);
  connect(choice_, &MeasuredRunChoice::changed, this, &LayersPanel::showChoice);
  connect(choice_, &MeasuredRunChoice::chosen, this, &LayersPanel::share);
  return bar->parentWidget();
}

QWidget* LayersPanel::makeActions() {
  auto* bar = makeBar(this);
  buttons_ = new MeasureButtons(QStringLiteral("layers"), this);
  bar->addWidget(buttons_);
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
  connect(buttons_, &MeasureButtons::started, this, [this] {
    error_.clear();
    const QStringList anew = shown_ ? QStringList{QStringLiteral("--again")} : QStringList();
    emit startRequested(choice_->run(), choice_->runName(), arguments() + anew);
    showButtons();
  });
  connect(buttons_, &MeasureButtons::cancelled, this, &LayersPanel::cancelRequested);
  return bar->parentWidget();
}

QWidget* LayersPanel::makeSimilarity() {
  auto* page = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(page);
  similarity_ = named(new HeatMapView(page), "layersSimilarity", tr("Similarity of layers"));
  similarity_->setLegend(tr("CKA"));
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
    if (!shown_) return;
    drawLens();
    drawMeans();
  });
  connect(sentences_, &QComboBox::currentIndexChanged, this, [this] {
    wantedSentence_ = sentences_->currentData().toLongLong();
    wantedText_.clear();
    if (shown_) drawLens();
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
  if (!shown_) return nullptr;
  const auto& all = shown_->lens.sentences;
  const auto found = std::ranges::find(all, wantedSentence_, &LensSentence::sentence);
  return found == all.end() ? nullptr : &*found;
}

QStringList LayersPanel::arguments() const {
  return QStringList{QStringLiteral("layers")} + choice_->arguments();
}

void LayersPanel::setRuns(const QVector<RunRow>& runs) {
  setEmpty(runs.isEmpty());
  choice_->setRuns(runs);
}

void LayersPanel::chooseRun() {
  arrived_ = false;
  emit runChosen(choice_->run());
}

void LayersPanel::setLayers(const RunLayers& layers) {
  if (layers.run != choice_->run()) return;
  const bool other = layers.run != layers_.run;
  arrived_ = true;
  shown_ = nullptr;
  layers_ = layers;
  choice_->setMeasurable(layers_);
  if (other && !restored_) showStored();
  restored_ = false;
  showChoice();
}

// If what is chosen has not been measured of this run, but something else has, shows that.
void LayersPanel::showStored() {
  if (found() || layers_.stored.empty()) return;
  const LayersKey& key = layers_.stored.back().key;
  choice_->choose(qs(key.checkpoint), qs(key.set));
}

// Of all sentences: the result on the most.
const LayersReport* LayersPanel::found() const {
  const LayersReport* best = nullptr;
  for (const LayersReport& each : layers_.stored) {
    const LayersKey& key = each.key;
    const bool fits = qs(key.checkpoint) == choice_->checkpointName() &&
                      qs(key.set) == choice_->set() &&
                      (choice_->limit() == 0 || key.sentences == choice_->limit());
    if (fits && (!best || key.sentences > best->key.sentences)) best = &each;
  }
  return best;
}

QString LayersPanel::notMeasured() const {
  if (!choice_->hasCheckpoint())
    return tr("This run has saved no checkpoint yet: its first validation will.");
  return tr(
      "Not measured yet. Start passes the set through the model once; the result is kept in "
      "the run's folder.");
}

// What a reader has to know about the figures.
QString LayersPanel::remarks() const {
  QStringList lines{qs(captionOf(*shown_))};
  for (const LevelSimilarity& side : shown_->similarity) {
    if (const auto few = fewPositions(side); !few.empty()) lines << qs(few);
  }
  if (!shown_->lens.unread.empty())
    lines << tr("The output layer does not read: %1").arg(qs(shown_->lens.unread).join(tr(", ")));
  return lines.join(QLatin1Char('\n'));
}

void LayersPanel::showChoice() {
  if (!arrived_) return;
  shown_ = found();
  pictures_->setVisible(shown_ != nullptr);
  showButtons();
  const bool failed = !error_.isEmpty() && errorRun_ == layers_.run;
  message_->setText(failed ? error_ : shown_ ? remarks() : notMeasured());
  if (shown_) showReport();
}

void LayersPanel::showReport() {
  drawSimilarity();
  listSentences();
  drawLens();
  drawMeans();
  table_->setTable(lensTable(*shown_));
}

void LayersPanel::drawSimilarity() {
  const QStringList levels = levelsOfAll(shown_->similarity);
  QVector<HeatMap> maps;
  for (const LevelSimilarity& side : shown_->similarity) {
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
  for (const LensSentence& each : shown_->lens.sentences) {
    sentences_->addItem(tr("#%1  %2").arg(each.sentence + 1).arg(qs(each.text)),
                        qint64(each.sentence));
  }
  if (!wantedText_.isEmpty()) showSentence(wantedText_);
  if (!selectData(sentences_, wantedSentence_) && sentences_->count() > 0)
    wantedSentence_ = sentences_->currentData().toLongLong();
}

// A sentence chosen elsewhere, if it is one of those stored.
void LayersPanel::showSentence(const QString& text) {
  if (!shown_) return;
  for (const LensSentence& each : shown_->lens.sentences) {
    if (qs(each.text).simplified() == text.simplified()) wantedSentence_ = each.sentence;
  }
}

void LayersPanel::drawLens() {
  lensReadout_->clear();
  const LensSentence* chosen = sentence();
  if (!chosen) return lens_->setMaps({}, {});
  const LensMeasure figure = measure();
  HeatMap map{QString(), qs(shown_->lens.levels), {}};
  for (const auto& cells : chosen->cells) {
    for (const LensCell& cell : cells) {
      map.values.push_back(float(cell.of(figure)));
      map.texts << wordText(cell.top);
    }
  }
  QStringList words;
  for (const std::string& word : chosen->target) words << wordText(word);
  const bool ranks = figure == LensMeasure::kRank;
  lens_->setLegend(ranks                                 ? tr("rank")
                   : figure == LensMeasure::kProbability ? tr("p")
                                                         : tr("KL (nats)"),
                   ranks ? HeatMapView::Values::kRanks : HeatMapView::Values::kPlain);
  lens_->setScale(figure == LensMeasure::kProbability ? 1 : largestIn(shown_->lens, figure));
  lens_->setMaps(words, {map});
}

void LayersPanel::drawMeans() {
  const Lens& lens = shown_->lens;
  const LensMeasure figure = measure();
  CategorySeries curve{titleOf(figure), {}, CategorySeries::Kind::kLine};
  for (const LensMean& mean : lens.means) curve.values.push_back(mean.of(figure));
  means_->setUnitScale(figure == LensMeasure::kProbability);
  means_->setLogarithmicValues(figure == LensMeasure::kRank);
  means_->setTitle(tr("Over %1 tokens").arg(countText(lens.tokens)));
  means_->setAxisTitles(tr("level of the decoder"), axisOf(figure));
  means_->setContent(qs(lens.levels), {curve});
}

void LayersPanel::showButtons() {
  buttons_->setState({.possible = arrived_ && choice_->hasCheckpoint(),
                      .measured = shown_ != nullptr,
                      .busy = measuring_ > 0,
                      .ofOther = measuring_ > 0 && measuring_ != choice_->run()});
}

void LayersPanel::setProgress(qint64 run, double share) {
  const bool first = measuring_ != run;
  measuring_ = run;
  buttons_->setShare(share);
  if (first) showChoice();
}

void LayersPanel::setMeasured(qint64 run) {
  measuring_ = 0;
  error_.clear();
  if (run == choice_->run()) emit runChosen(run);
  showButtons();
}

void LayersPanel::setCancelled(qint64 run) {
  setError(run, tr("Cancelled: nothing is stored of what was measured."));
}

void LayersPanel::setError(qint64 run, const QString& message) {
  measuring_ = 0;
  errorRun_ = run;
  error_ = message;
  showButtons();
  showChoice();
}

void LayersPanel::follow(const Selection& choice) {
  choice_->follow(choice);
  if (!choice.sentence) return;
  wantedText_ = *choice.sentence;
  if (!shown_) return;
  listSentences();
  drawLens();
}

Json LayersPanel::saveState() const {
  Json state{{"measure", toStd(measure_->currentData().toString())},
             {"picture", pictures_->currentIndex()},
             {"sentence", wantedSentence_}};
  choice_->addState(state);
  return state;
}

void LayersPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  choice_->restore(saved);
  if (const auto measure = saved.text("measure")) restored_ = selectData(measure_, *measure);
  saved.index("picture", pictures_);
  wantedSentence_ = saved.number("sentence").value_or(wantedSentence_);
}

void LayersPanel::exportPictures(const QString& path) {
  if (pictures_->currentIndex() != kLensPage) return similarity_->exportTo(path);
  lens_->exportTo(siblingPath(path, QStringLiteral("sentence")));
  means_->exportTo(siblingPath(path, QStringLiteral("means")));
}

}  // namespace strata::ui
