#include "ui/panels/target_attention_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTabWidget>
#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "ui/data/text.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/picture_export.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/recorded_steps.h"

namespace strata::ui {
namespace {

constexpr int kStateVersion = 1;

QString shareText(double value) {
  return QString::number(value, 'f', 3);
}

}  // namespace

LayerChoice TargetAttentionPanel::layer() const {
  return {layers_->currentIndex() < 0 ? LayerChoice::kMean : layers_->currentData().toInt()};
}

void TargetAttentionPanel::setRuns(const QVector<RunRow>& runs) {
  QVector<RecordedSteps::Run> recorded;
  for (const RunRow& row : runs) recorded.push_back({row.id, row.name, row.historySteps});
  stack_->setEmpty(recorded.isEmpty());
  recorded_->setRuns(recorded);
}

void TargetAttentionPanel::showRun(qint64 id) {
  recorded_->showRun(id);
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
  corpusMade_ = false;
  fillLayers();
  fillSentences();
  showChosen();
}

void TargetAttentionPanel::setHypotheses(qint64 run,
                                         const std::vector<RecordedHypothesis>& hypotheses) {
  hypothesesRun_ = run;
  hypotheses_ = hypotheses;
  if (run != recorded_->run()) return;
  fillSentences();
  sentences_->setCurrentRow(0);  // the translation that was just made
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

void TargetAttentionPanel::addSentence(const QString& prefix, const RecordedHypothesis& shown,
                                       const QString& detail) {
  if (!hasHistory(shown.sentence)) return;
  auto* item = new QListWidgetItem(prefix + sentenceText(shown.sentence.target), sentences_);
  item->setToolTip(
      tr("source: %1\noutput: %2%3")
          .arg(sentenceText(shown.sentence.source), sentenceText(shown.sentence.target), detail));
  listed_.push_back(shown);
}

void TargetAttentionPanel::fillSentences() {
  const int row = std::max(0, sentences_->currentRow());
  {
    const QSignalBlocker blocker(sentences_);
    sentences_->clear();
    listed_.clear();
    if (hypothesesRun_ == recorded_->run()) {
      for (std::size_t n = 0; n < hypotheses_.size(); ++n) {
        addSentence(tr("%1-best: ").arg(n + 1), hypotheses_[n],
                    tr("\nscore: %1").arg(shareText(hypotheses_[n].score)));
      }
    }
    for (const SentenceRecordings& sentence : current_.sentences)
      addSentence({}, {sentence, 0}, {});
    sentences_->setCurrentRow(std::min(row, sentences_->count() - 1));
  }
  drawSentence();
}

void TargetAttentionPanel::showChosen() {
  if (tabs_->currentIndex() == 0) {
    drawSentence();
  } else {
    drawCorpus();
  }
}

void TargetAttentionPanel::drawSentence() {
  const int row = sentences_->currentRow();
  drawn_ = row < 0 ? TargetAttention() : targetAttention(listed_[std::size_t(row)].sentence);
  if (words_->isChecked()) drawn_ = wordsMerged(drawn_);
  picture_ = attentionPicture(drawn_, layer());
  map_->setBlocks(picture_.blocks);
  map_->setScale(fixedScale_->isChecked() ? 1 : double(picture_.largest));
  map_->setMaps(picture_.columns, picture_.maps);
  arcs_->setSentence(qs(drawn_.generated), arcRows(drawn_, layer()));
  readOutWord(-1);
}

void TargetAttentionPanel::link(int word, int column) {
  QVector<int> columns;
  if (column >= 0) columns << column;
  if (const int read = picture_.columnOfWord(word); word >= 0 && read >= 0) columns << read;
  map_->setLinked(word, columns);
  arcs_->setLinked(word);
}

void TargetAttentionPanel::readOutCell(int map, int row, int column) {
  if (map < 0) {
    link(-1, -1);
    readOutWord(-1);
    return;
  }
  link(row, column);
  QString text = map_->readout(map, row, column);
  const int read = column - picture_.firstRead;
  if (read >= 0 && read < picture_.reads)
    text += tr(" (looks back %n word(s))", nullptr, wordsBack(row, read));
  readout_->setText(text);
}

void TargetAttentionPanel::readOutWord(int word) {
  if (word < 0 || word >= int(drawn_.generated.size()) || drawn_.isEmpty()) {
    link(-1, -1);
    readout_->setText(tr("Point at a word or a cell, or use the arrow keys."));
    return;
  }
  link(word, -1);
  const LayerAttention shown = layerOf(drawn_, layer().index);
  QStringList parts{qs(drawn_.generated[std::size_t(word)])};
  for (const Arc& arc : arcsOf(shown.history)) {
    if (arc.from == word)
      parts << tr("%1 %2, %3 back")
                   .arg(qs(drawn_.generated[std::size_t(arc.to)]), shareText(double(arc.weight)))
                   .arg(arc.length());
  }
  if (shown.hasShare())
    parts << tr("source share %1").arg(shareText(double(shown.share.at(word, 0))));
  readout_->setText(parts.join(QStringLiteral(" · ")));
}

void TargetAttentionPanel::chooseExport() {
  askForExport(this, {tr("Export this tab"), tr("All values"),
                      [this](const QString& path) { exportTo(path); },
                      [this](const QString& message) { emit failed(message); }});
}

// One file per plot: NAME-maps.svg, NAME-arcs.svg.
void TargetAttentionPanel::exportTo(const QString& path) {
  if (tabs_->currentIndex() == 0) {
    map_->exportTo(siblingPath(path, QStringLiteral("maps")));
    arcs_->exportTo(siblingPath(path, QStringLiteral("arcs")));
    return;
  }
  byPosition_->exportTo(siblingPath(path, QStringLiteral("position")));
  byClass_->exportTo(siblingPath(path, QStringLiteral("class")));
  distances_->exportTo(siblingPath(path, QStringLiteral("distance")));
  if (!gold_->isHidden()) gold_->exportTo(siblingPath(path, QStringLiteral("gold")));
}

QByteArray TargetAttentionPanel::saveState() const {
  const Json state{{"version", kStateVersion},           {"layer", wantedLayer_},
                   {"words", words_->isChecked()},       {"fixed_scale", fixedScale_->isChecked()},
                   {"longest", longest_->value()},       {"tab", tabs_->currentIndex()},
                   {"measure", measure_->currentIndex()}};
  return QByteArray::fromStdString(state.dump());
}

void TargetAttentionPanel::restoreState(const QByteArray& state) {
  const Json json = tryParseJson(state.toStdString()).value_or(nullptr);
  if (!json.is_object() || json.value("version", Json()) != kStateVersion) return;
  const auto number = [&](const char* key, int lowest, int highest, auto set) {
    if (!json.contains(key) || !json[key].is_number_integer()) return;
    const auto value = json[key].get<std::int64_t>();
    if (value >= lowest && value <= highest) set(int(value));
  };
  const auto tick = [&](const char* key, QCheckBox* box) {
    if (json.contains(key) && json[key].is_boolean()) box->setChecked(json[key].get<bool>());
  };
  tick("words", words_);
  tick("fixed_scale", fixedScale_);
  number("longest", longest_->minimum(), longest_->maximum(),
         [this](int value) { longest_->setValue(value); });
  number("tab", 0, tabs_->count() - 1, [this](int value) { tabs_->setCurrentIndex(value); });
  number("measure", 0, measure_->count() - 1,
         [this](int value) { measure_->setCurrentIndex(value); });
  number("layer", LayerChoice::kAll, 1000, [this](int value) {
    wantedLayer_ = value;
    if (const int index = layers_->findData(value); index >= 0) layers_->setCurrentIndex(index);
  });
}

bool TargetAttentionPanel::isEmpty() const {
  return stack_->isEmpty();
}

bool TargetAttentionPanel::isUpToDate() const {
  return isEmpty() || (recorded_->step() >= 0 && wantedStep_ < 0);
}

}  // namespace strata::ui
