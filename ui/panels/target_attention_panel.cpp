#include "ui/panels/target_attention_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/panels/history_corpus_view.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/recorded_steps.h"

namespace strata::ui {
namespace {
constexpr int kStateVersion = 1;
constexpr int kMostLayers = 1000, kMostRecorded = 1'000'000;  // of a saved state
}  // namespace

TargetAttentionPanel::TargetAttentionPanel(QAction* newRun, QWidget* parent)
    : Panel({QStringLiteral("target-attention"), QStringLiteral("history"),
             tr("Target-side attention")},
            parent) {
  setObjectName(QStringLiteral("targetAttentionPanel"));
  auto* empty = new EmptyState(
      QStringLiteral("history"), tr("No recordings yet"),
      tr("A decoder that attends to its own output (presets dhea/…) records its attention at each "
         "validation. Train one, for example dhea/gate-stable, with recording.sentences above 0, "
         "and its plots appear here."));
  empty->addAction(newRun);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  sentence_ = new HistorySentenceView(content);
  corpus_ = new HistoryCorpusView(content);
  connect(sentence_, &HistorySentenceView::hypothesisPicked, this,
          [this](int hypothesis) { share({.run = recorded_->run(), .hypothesis = hypothesis}); });
  layout->addWidget(makeRunBar());
  layout->addWidget(makeStyleBar());
  tabs_ = new QTabWidget(content);
  tabs_->setObjectName(QStringLiteral("historyTabs"));
  tabs_->setDocumentMode(true);
  tabs_->addTab(sentence_, tr("Sentence"));
  tabs_->addTab(corpus_, tr("All sentences"));
  connect(tabs_, &QTabWidget::currentChanged, this, &TargetAttentionPanel::showChosen);
  layout->addWidget(tabs_, 1);
  setContent(empty, content);
}

QWidget* TargetAttentionPanel::makeRunBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 6, 8, 3);
  layout->setSpacing(6);
  recorded_ = new RecordedSteps(QStringLiteral("history"), bar);
  connect(recorded_, &RecordedSteps::runChosen, this, &TargetAttentionPanel::chooseRun);
  connect(recorded_, &RecordedSteps::stepChosen, this, &TargetAttentionPanel::chooseStep);
  connect(recorded_, &RecordedSteps::picked, this, &TargetAttentionPanel::share);
  layout->addWidget(recorded_, 1);
  addExport(layout, bar);
  return bar;
}

void TargetAttentionPanel::addExport(QHBoxLayout* layout, QWidget* bar) {
  auto* action = new QAction(themedIcon(QStringLiteral("export")),
                             tr("Export the target-side attention…"), this);
  action->setObjectName(QStringLiteral("historyExport"));
  connect(action, &QAction::triggered, this, &TargetAttentionPanel::chooseExport);
  addAction(action);
  auto* tool = new QToolButton(bar);
  tool->setDefaultAction(action);
  tool->setProperty("flat", true);
  layout->addWidget(tool);
}

QWidget* TargetAttentionPanel::makeStyleBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 3, 8, 6);
  layout->setSpacing(10);
  layers_ = new QComboBox(bar);
  layers_->setObjectName(QStringLiteral("historyLayer"));
  layers_->setAccessibleName(tr("Decoder layer"));
  layers_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(layers_, &QComboBox::currentIndexChanged, this, [this] {
    wantedLayer_ = layer().index;
    showChosen();
  });
  layout->addWidget(layers_);
  addStyle(layout, bar);
  layout->addStretch();
  return bar;
}

void TargetAttentionPanel::addStyle(QHBoxLayout* layout, QWidget* bar) {
  words_ = new QCheckBox(tr("Whole words"), bar);
  words_->setObjectName(QStringLiteral("historyWords"));
  words_->setToolTip(
      tr("Merges subwords into words: weights on the subwords of a word are summed, their rows are "
         "averaged, so every row keeps its sum."));
  connect(words_, &QCheckBox::toggled, this, &TargetAttentionPanel::drawSentence);
  layout->addWidget(words_);
  fixedScale_ = new QCheckBox(tr("Scale 0 – 1"), bar);
  fixedScale_->setObjectName(QStringLiteral("historyFixedScale"));
  fixedScale_->setChecked(true);
  fixedScale_->setToolTip(
      tr("On: the lightest colour is 1, so plots can be compared. Off: it is the largest weight "
         "of this plot."));
  connect(fixedScale_, &QCheckBox::toggled, this, &TargetAttentionPanel::drawSentence);
  layout->addWidget(fixedScale_);
  auto* label = new QLabel(tr("Red beyond"), bar);
  label->setProperty("muted", true);
  layout->addWidget(label);
  longest_ = new QSpinBox(bar);
  longest_->setObjectName(QStringLiteral("historyLongest"));
  longest_->setAccessibleName(tr("Longest arc that is not red, in words"));
  longest_->setRange(1, 50);
  longest_->setValue(3);
  longest_->setSuffix(tr(" words"));
  label->setBuddy(longest_);
  connect(longest_, &QSpinBox::valueChanged, sentence_, &HistorySentenceView::setLongest);
  layout->addWidget(longest_);
}

LayerChoice TargetAttentionPanel::layer() const {
  return {layers_->currentIndex() < 0 ? LayerChoice::kMean : layers_->currentData().toInt()};
}

void TargetAttentionPanel::setRuns(const QVector<RunRow>& runs) {
  QVector<RecordedSteps::Run> recorded;
  for (const RunRow& row : runs) recorded.push_back({row.id, row.name, row.historySteps});
  setEmpty(recorded.isEmpty());
  recorded_->setRuns(recorded);
}

void TargetAttentionPanel::showRun(qint64 id) {
  recorded_->showRun(id);
}

void TargetAttentionPanel::follow(const Selection& choice) {
  recorded_->follow(choice);
  const bool ours =
      hypothesesRun_ == recorded_->run() && choice.run.value_or(hypothesesRun_) == hypothesesRun_;
  if (choice.hypothesis && ours) sentence_->showHypothesis(*choice.hypothesis);
}

void TargetAttentionPanel::chooseRun() {
  current_ = {};
  wantedStep_ = -1;
}

void TargetAttentionPanel::chooseStep(qint64 run, qint64 step) {
  wantedStep_ = step;
  emit recordingsRequested(run, step);
}

void TargetAttentionPanel::setRecordings(const StepRecordings& recordings) {
  if (recordings.runId != recorded_->run() || recordings.step != wantedStep_)
    return;  // the selection has changed meanwhile
  wantedStep_ = -1;
  current_ = recordings;
  corpus_->setRecordings(&current_);
  fillLayers();
  fillSentences();
  showChosen();
}

void TargetAttentionPanel::setHypotheses(qint64 run, const std::vector<std::string>& source,
                                         const std::vector<Hypothesis>& hypotheses) {
  hypothesesRun_ = run;
  hypothesesSource_ = source;
  hypotheses_ = hypotheses;
  if (run != recorded_->run()) return;
  fillSentences();
  sentence_->showHypothesis(0);  // the translation that was just made
}

void TargetAttentionPanel::fillLayers() {
  int layers = 0;
  for (const SentenceRecordings& sentence : current_.sentences)
    layers = std::max(layers, int(targetAttention(sentence).layers.size()));
  if (layers_->count() == layers + 2) return;
  const QSignalBlocker blocker(layers_);
  layers_->clear();
  layers_->addItem(tr("mean of the layers"), LayerChoice::kMean);
  layers_->addItem(tr("all layers"), LayerChoice::kAll);
  for (int index = 0; index < layers; ++index)
    layers_->addItem(tr("layer %1").arg(index + 1), index);
  layers_->setCurrentIndex(std::max(0, layers_->findData(wantedLayer_)));
}

void TargetAttentionPanel::fillSentences() {
  const bool ours = hypothesesRun_ == recorded_->run();
  sentence_->setSentences(hypothesesSource_, ours ? hypotheses_ : std::vector<Hypothesis>(),
                          current_.sentences);
}

void TargetAttentionPanel::drawSentence() {
  sentence_->setStyle({layer(), words_->isChecked(), fixedScale_->isChecked()});
}

void TargetAttentionPanel::showChosen() {
  if (tabs_->currentIndex() == 0) {
    drawSentence();
  } else {
    corpus_->draw(layer().index);
  }
}

void TargetAttentionPanel::chooseExport() {
  const auto write = [this](const QString& path) {
    if (tabs_->currentIndex() == 0) {
      sentence_->exportTo(path);
    } else {
      corpus_->exportTo(path);
    }
  };
  askForExport(this, {tr("Export this tab"), tr("All values"), write,
                      [this](const QString& message) { emit failed(message); }});
}

Json TargetAttentionPanel::saveState() const {
  Json state = recorded_->saveState();
  state.update({{"version", kStateVersion},
                {"layer", wantedLayer_},
                {"words", words_->isChecked()},
                {"fixed_scale", fixedScale_->isChecked()},
                {"longest", longest_->value()},
                {"tab", tabs_->currentIndex()},
                {"measure", corpus_->measure()->currentIndex()},
                {"sentence", sentence_->recordedSentence()}});
  return state;
}

void TargetAttentionPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  if (saved.number("version") != kStateVersion) return;
  recorded_->restoreState(state);
  saved.check("words", words_);
  saved.check("fixed_scale", fixedScale_);
  saved.value("longest", longest_);
  saved.index("tab", tabs_);
  saved.index("measure", corpus_->measure());
  if (const auto layer = saved.number("layer", LayerChoice::kAll, kMostLayers)) {
    wantedLayer_ = int(*layer);
    if (const int index = layers_->findData(wantedLayer_); index >= 0)
      layers_->setCurrentIndex(index);
  }
  if (const auto row = saved.number("sentence", 0, kMostRecorded))
    sentence_->restoreSentence(int(*row));
}

HeatMapView* TargetAttentionPanel::map() const {
  return sentence_->map();
}

ArcView* TargetAttentionPanel::arcs() const {
  return sentence_->arcs();
}

CategoryPlot* TargetAttentionPanel::byPosition() const {
  return corpus_->byPosition();
}

CategoryPlot* TargetAttentionPanel::byClass() const {
  return corpus_->byClass();
}

CategoryPlot* TargetAttentionPanel::distances() const {
  return corpus_->distances();
}

CategoryPlot* TargetAttentionPanel::gold() const {
  return corpus_->gold();
}

bool TargetAttentionPanel::isUpToDate() const {
  return isEmpty() || (recorded_->step() >= 0 && wantedStep_ < 0);
}

}  // namespace strata::ui
