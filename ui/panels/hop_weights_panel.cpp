#include "ui/panels/hop_weights_panel.h"

#include <QAction>
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/hop_pictures.h"
#include "ui/data/text.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/picture_export.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/recorded_steps.h"

namespace strata::ui {
namespace {

const QString kEncoder = QStringLiteral("encoder"), kDecoder = QStringLiteral("decoder");

QStringList hopNames(int hops) {
  QStringList names;
  for (int hop = 1; hop <= hops; ++hop) names << HopWeightsPanel::tr("hop %1").arg(hop);
  return names;
}

}  // namespace

QString HopWeightsPanel::side() const {
  return sides_->checkedButton()->property("side").toString();
}

bool HopWeightsPanel::embedding() const {
  return current_.fusion.embedding(toStd(side()));
}

void HopWeightsPanel::setRuns(const QVector<RunRow>& runs) {
  QVector<RecordedSteps::Run> recorded;
  for (const RunRow& row : runs) recorded.push_back({row.id, row.name, row.fusionSteps});
  stack_->setEmpty(recorded.isEmpty());
  recorded_->setRuns(recorded);
}

void HopWeightsPanel::showRun(qint64 id) {
  recorded_->showRun(id);
}

void HopWeightsPanel::chooseRun(qint64 run) {
  means_.clear();
  current_ = {};
  wantedStep_ = -1;
  emit runChosen(run);
}

void HopWeightsPanel::chooseStep(qint64 run, qint64 step) {
  wantedStep_ = step;
  emit recordingsRequested(run, step);
}

void HopWeightsPanel::setRecordings(const StepRecordings& recordings) {
  if (recordings.runId != recorded_->run() || recordings.step != wantedStep_)
    return;  // the selection has changed meanwhile
  wantedStep_ = -1;
  current_ = recordings;
  updateSides();
  drawMean();
  fillSentences();
}

// Only sides whose layers the model fuses can be selected.
void HopWeightsPanel::updateSides() {
  QAbstractButton* possible = nullptr;
  for (QAbstractButton* button : sides_->buttons()) {
    const auto side = toStd(button->property("side").toString());
    const bool has = hopMeans(current_.sentences, side).levels > 0;
    button->setEnabled(has);
    if (has) possible = button;
  }
  if (!sides_->checkedButton()->isEnabled() && possible) possible->setChecked(true);
}

void HopWeightsPanel::chooseSide() {
  drawMean();
  fillSentences();
  drawOverTraining();
}

void HopWeightsPanel::drawMean() {
  const HopMeans means = hopMeans(current_.sentences, toStd(side()));
  meanMap_->setMaps(hopNames(means.hops), meanPicture(means, embedding()));
  QStringList entropies;
  for (int hop = 0; hop < means.hops; ++hop) {
    entropies
        << tr("hop %1: %2").arg(hop + 1).arg(double(means.entropy[std::size_t(hop)]), 0, 'f', 2);
  }
  entropy_->setText(means.hops > 0 ? tr("Evenness (1 = uniform over all levels): %1")
                                         .arg(entropies.join(QStringLiteral(", ")))
                                   : QString());
  const QSignalBlocker blocker(hop_);
  if (hop_->count() != means.hops + 1) {
    hop_->clear();
    hop_->addItem(tr("mean of the hops"));
    hop_->addItems(hopNames(means.hops));
    hop_->setCurrentIndex(means.hops > 0 ? 1 : 0);  // the mean of all hops is the least informative
    drawOverTraining();
  }
}

void HopWeightsPanel::fillSentences() {
  const int row = std::max(0, sentences_->currentRow());
  {
    const QSignalBlocker blocker(sentences_);
    sentences_->clear();
    for (const SentenceRecordings& sentence : current_.sentences) {
      const QString text = sentenceText(side() == kEncoder ? sentence.source : sentence.target);
      auto* item = new QListWidgetItem(text, sentences_);
      item->setToolTip(tr("source: %1\noutput: %2")
                           .arg(sentenceText(sentence.source), sentenceText(sentence.target)));
    }
    sentences_->setCurrentRow(std::min(row, sentences_->count() - 1));
  }
  drawSentence();
}

void HopWeightsPanel::drawSentence() {
  const int row = sentences_->currentRow();
  if (row < 0) {
    sentenceMap_->setMaps({}, {});
    return;
  }
  const SentenceRecordings& sentence = current_.sentences[std::size_t(row)];
  sentenceMap_->setMaps(qs(hopColumns(sentence, toStd(side()))),
                        hopPictures(sentence, toStd(side()), embedding()));
  sentenceMap_->setAxisTitles(
      {}, side() == kEncoder ? tr("source words") : tr("word read → word generated"));
}

void HopWeightsPanel::setMeans(qint64 id, const QString& ofSide, const QVector<HopMeans>& means) {
  if (id != recorded_->run()) return;
  means_[ofSide] = means;
  if (ofSide == side()) drawOverTraining();
}

void HopWeightsPanel::drawOverTraining() {
  const QVector<HopMeans> means = means_.value(side());
  QVector<CurvePlot::Curve> curves;
  if (!means.isEmpty() && means.last().levels > 0) {
    const int levels = means.last().levels;
    const QStringList names = qs(levelNames(levels, embedding()));
    for (int level = levels - 1; level >= 0; --level) {
      std::vector<ScalarPoint> points;
      for (const HopMeans& m : means) {
        if (m.levels != levels) continue;
        double sum = 0;
        for (int hop = 0; hop < m.hops; ++hop) {
          if (hop_->currentIndex() > 0 && hop != hop_->currentIndex() - 1) continue;
          sum += double(m.weights[std::size_t(level * m.hops + hop)]);
        }
        points.push_back({m.step, 0, hop_->currentIndex() > 0 ? sum : sum / m.hops});
      }
      auto series = std::make_shared<Series>();
      series->append(points);
      curves.push_back({names[level], seriesColour(level), series});
    }
  }
  overTraining_->setCurves(curves);
}

void HopWeightsPanel::exportPicture() {
  askForExport(this,
               {tr("Export the hop weights of this sentence and their means"), tr("All values"),
                [this](const QString& path) {
                  meanMap_->exportTo(siblingPath(path, QStringLiteral("mean")));
                  sentenceMap_->exportTo(siblingPath(path, QStringLiteral("sentence")));
                },
                [this](const QString& message) { emit failed(message); }});
}

void HopWeightsPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawOverTraining();
}

bool HopWeightsPanel::isEmpty() const {
  return stack_->isEmpty();
}

bool HopWeightsPanel::isUpToDate() const {
  if (isEmpty()) return true;
  return recorded_->step() >= 0 && wantedStep_ < 0 && means_.contains(side()) &&
         overTraining_->isUpToDate();
}

}  // namespace strata::ui
