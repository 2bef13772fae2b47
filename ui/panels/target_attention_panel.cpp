#include "ui/panels/target_attention_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "ui/data/saved_state.h"
#include "ui/panels/history_corpus_view.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/widgets/bar_layout.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/recorded_steps.h"
#include "ui/widgets/tabs.h"

namespace strata::ui {
namespace {
constexpr int kStateVersion = 1;
constexpr int kMostLayers = 1000, kMostRecorded = 1'000'000;  // of a saved state
}  // namespace

TargetAttentionPanel::TargetAttentionPanel(QAction* newRun, QWidget* parent)
    : RecordingsPanel({QStringLiteral("target-attention"), QStringLiteral("history"),
                       tr("Target-side attention")},
                      parent) {
  setObjectName(QStringLiteral("targetAttentionPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  sentence_ = new HistorySentenceView(content);
  corpus_ = new HistoryCorpusView(content);
  connect(sentence_, &HistorySentenceView::hypothesisPicked, this,
          [this](int hypothesis) { share({.run = recorded()->run(), .hypothesis = hypothesis}); });
  connect(sentence_, &HistorySentenceView::recordedPicked, this,
          [this](const std::vector<std::string>& source) {
            picked_ = source;
            shareSentence(source);
          });
  layout->addWidget(makeRunBar());
  layout->addWidget(makeStyleBar());
  tabs_ = named(new Tabs(content), "historyTabs");
  tabs_->addTab(sentence_, tr("Sentence"));
  tabs_->addTab(corpus_, tr("All sentences"));
  connect(tabs_, &QTabWidget::currentChanged, this, &TargetAttentionPanel::showChosen);
  layout->addWidget(tabs_, 1);
  setContent(
      {tr("No recordings yet"),
       tr("A decoder that attends to its own output (presets dhea/…) records its attention at each "
          "validation. Train one, for example dhea/gate-stable, with recording.sentences above 0, "
          "and its plots appear here. The demo trains one."),
       {newRun}},
      content);
}

QWidget* TargetAttentionPanel::makeRunBar() {
  auto* bar = new QWidget(this);
  auto* layout = makeLayout<BarLayout>(bar, {8, 6, 8, 3}, 6);
  addSteps(layout, QStringLiteral("history"), &RunRow::historySteps);
  addExportTool(this, layout,
                {QStringLiteral("historyExport"),
                 tr("Export the target-side attention…"),
                 {tr("Export this tab"), tr("All values"),
                  std::bind_front(&TargetAttentionPanel::exportTab, this),
                  std::bind_front(&TargetAttentionPanel::failed, this), [this] {
                    return tabs_->currentIndex() == 0 ? HistorySentenceView::exportedParts()
                                                      : corpus_->exportedParts();
                  }}});
  return bar;
}

QWidget* TargetAttentionPanel::makeStyleBar() {
  auto* bar = new QWidget(this);
  auto* layout = makeLayout<BarLayout>(bar, {8, 3, 8, 6}, 10);
  layers_ = named(new QComboBox(bar), "historyLayer", tr("Decoder layer"));
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
  words_ = named(new QCheckBox(tr("Whole words"), bar), "historyWords");
  words_->setToolTip(
      tr("Merges subwords into words: weights on the subwords of a word are summed, their rows are "
         "averaged, so every row keeps its sum."));
  connect(words_, &QCheckBox::toggled, this, &TargetAttentionPanel::drawSentence);
  layout->addWidget(words_);
  fixedScale_ = named(new QCheckBox(tr("Scale 0 – 1"), bar), "historyFixedScale");
  fixedScale_->setChecked(true);
  fixedScale_->setToolTip(
      tr("On: the lightest colour is 1, so plots can be compared. Off: it is the largest weight "
         "of this plot."));
  connect(fixedScale_, &QCheckBox::toggled, this, &TargetAttentionPanel::drawSentence);
  layout->addWidget(fixedScale_);
  auto* label = styled(new QLabel(tr("Red beyond"), bar), "muted");
  layout->addWidget(label);
  longest_ =
      named(new QSpinBox(bar), "historyLongest", tr("Longest arc that is not red, in words"));
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

void TargetAttentionPanel::follow(const Selection& choice) {
  if (choice.sentence) picked_.clear();
  RecordingsPanel::follow(choice);
  const bool ours =
      hypothesesRun_ == recorded()->run() && choice.run.value_or(hypothesesRun_) == hypothesesRun_;
  if (choice.hypothesis && ours) sentence_->showHypothesis(*choice.hypothesis);
}

void TargetAttentionPanel::showRecordings() {
  corpus_->setRecordings(shared());
  fillLayers();
  fillSentences();
  showChosen();
}

void TargetAttentionPanel::setHypotheses(qint64 run, const std::vector<std::string>& source,
                                         const std::vector<Hypothesis>& hypotheses) {
  hypothesesRun_ = run;
  hypothesesSource_ = source;
  hypotheses_ = hypotheses;
  if (run != recorded()->run()) return;
  fillSentences();
  sentence_->showHypothesis(0);  // the translation that was just made
  // Of a sentence that was picked here as it was recorded the translation is listed only.
  if (!picked_.empty() && listedText(picked_) == listedText(source))
    sentence_->showRecorded(picked_);
}

void TargetAttentionPanel::showSentence(int index) {
  sentence_->showRecorded(current().sentences[std::size_t(index)].source);
}

void TargetAttentionPanel::fillLayers() {
  int layers = 0;
  for (const SentenceRecordings& sentence : current().sentences)
    layers = std::max(layers, historyLayers(sentence));
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
  const bool ours = hypothesesRun_ == recorded()->run();
  sentence_->setSentences(hypothesesSource_, ours ? hypotheses_ : std::vector<Hypothesis>(),
                          shared());
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

void TargetAttentionPanel::exportTab(const QString& path) {
  tabs_->currentIndex() == 0 ? sentence_->exportTo(path) : corpus_->exportTo(path);
}

bool TargetAttentionPanel::isUpToDate() const {
  return RecordingsPanel::isUpToDate() && sentence_->isUpToDate() && corpus_->isUpToDate();
}

Here TargetAttentionPanel::here() const {
  return tabs_->currentIndex() == 0 ? sentence_->here() : Panel::here();
}

Json TargetAttentionPanel::saveState() const {
  Json state = recorded()->saveState();
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
  recorded()->restoreState(state);
  saved.check("words", words_);
  saved.check("fixed_scale", fixedScale_);
  saved.value("longest", longest_);
  saved.index("tab", tabs_);
  saved.index("measure", corpus_->measure());
  if (const auto layer = saved.number("layer", LayerChoice::kAll, kMostLayers)) {
    wantedLayer_ = int(*layer);
    selectData(layers_, wantedLayer_);
  }
  if (const auto row = saved.number("sentence", 0, kMostRecorded))
    sentence_->restoreSentence(int(*row));
}

QString TargetAttentionPanel::lackOf(const RunRow& run) const {
  return tr("The attention of %1 to its own words has not been recorded. Only models with "
            "target-side attention (the presets of dhea/) have it; it is recorded at each "
            "validation.")
      .arg(run.name);
}

}  // namespace strata::ui
