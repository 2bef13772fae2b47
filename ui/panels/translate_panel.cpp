#include "ui/panels/translate_panel.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/data/hop_pictures.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/building.h"
#include "ui/widgets/run_box.h"
#include "ui/widgets/token_strip.h"

namespace strata::ui {
TranslatePanel::TranslatePanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("translate"), QStringLiteral("translate"), tr("Translate")}, parent) {
  setObjectName(QStringLiteral("translatePanel"));
  setContent({tr("No model to translate with yet"),
              tr("As soon as a run has saved a checkpoint it can translate here, "
                 "even while it is still training."),
              {runDemo}},
             makeSplitter(Qt::Vertical, this, {{makeInput(), 150}, {makeOutput(), 500, 1}}));
  finish({});
}

QWidget* TranslatePanel::makeInput() {
  auto* input = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(input, {10, 8, 10, 8}, kUsualSpacing);
  auto* row = new QHBoxLayout;
  runs_ = named(new RunBox(input), "translateRun", tr("Run"));
  checkpoint_ = named(new QComboBox(input), "translateCheckpoint", tr("Checkpoint"));
  checkpoint_->addItem(tr("best checkpoint"), QStringLiteral("best"));
  checkpoint_->addItem(tr("last checkpoint"), QStringLiteral("last"));
  row->addWidget(runs_);
  row->addWidget(checkpoint_);
  const auto spin = [&](const QString& name, const QString& text, int value) {
    row->addSpacing(6);
    row->addWidget(styled(new QLabel(text, input), "muted"));
    auto* box = named(new QSpinBox(input), name, text);
    box->setRange(1, 100);
    box->setValue(value);
    row->addWidget(box);
    return box;
  };
  beam_ = spin(QStringLiteral("translateBeam"), tr("Beam"), 5);
  nbest_ = spin(QStringLiteral("translateNbest"), tr("Alternatives"), 5);
  row->addStretch();
  layout->addLayout(row);
  source_ = named(new QPlainTextEdit(input), "translateSource", tr("Sentence to translate"));
  source_->setPlaceholderText(tr("Type or paste a sentence and press Ctrl+Enter"));
  source_->setTabChangesFocus(true);
  layout->addWidget(source_, 1);
  addButtons(layout, input);
  return input;
}

void TranslatePanel::addButtons(QVBoxLayout* layout, QWidget* input) {
  auto* buttons = new QHBoxLayout;
  translate_ = named(styled(new QPushButton(tr("Translate"), input), "primary"), "translateButton");
  cancel_ = named(new QPushButton(tr("Cancel"), input), "translateCancel");
  status_ = named(styled(new QLabel(input), "muted"), "translateStatus");
  buttons->addWidget(translate_);
  buttons->addWidget(cancel_);
  example_ = named(new QPushButton(tr("Example"), input), "translateExample");
  example_->setToolTip(tr("Translate a sentence of the validation set"));
  connect(example_, &QPushButton::clicked, this, &TranslatePanel::showExample);
  buttons->addWidget(example_);
  buttons->addWidget(status_, 1);
  layout->addLayout(buttons);
  connect(runs_, &QComboBox::currentIndexChanged, this, &TranslatePanel::chooseRun);
  connect(runs_, &QComboBox::activated, this, [this] { share({.run = run()}); });
  connect(checkpoint_, &QComboBox::activated, this,
          [this] { share({.run = run(), .checkpoint = checkpoint_->currentData().toString()}); });
  connect(translate_, &QPushButton::clicked, this, &TranslatePanel::translate);
  connect(cancel_, &QPushButton::clicked, this, &TranslatePanel::cancel);
  auto* enter = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), source_);
  enter->setContext(Qt::WidgetShortcut);
  connect(enter, &QShortcut::activated, this, &TranslatePanel::translate);
}

QWidget* TranslatePanel::makeOutput() {
  auto* scroll = makeScrollArea(this);
  auto* output = styled(new QWidget(scroll), "panel");
  auto* layout = makeLayout<QVBoxLayout>(output, {10, 8, 10, 8}, kUsualSpacing);
  best_ = named(styled(new QLabel(output), "hero"), "translateBest");
  best_->setWordWrap(true);
  best_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  layout->addWidget(best_);
  strip_ = named(new TokenStrip(output), "translateTokens");
  layout->addWidget(strip_);
  table_ = named(new QTableWidget(0, 3, output), "translateTable");
  table_->setHorizontalHeaderLabels({tr("rank"), tr("score"), tr("alternative")});
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->verticalHeader()->hide();
  table_->setShowGrid(false);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setColumnWidth(0, 64);
  table_->setColumnWidth(1, 84);
  table_->setMinimumHeight(150);
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
    showHypothesis(row);
    share({.run = translatedRun_, .hypothesis = row});
  });
  layout->addWidget(table_, 1);
  mapTitle_ = styled(new QLabel(tr("Levels that the decoder's hops attend to"), output), "heading");
  layout->addWidget(mapTitle_);
  map_ = named(new HeatMapView(output), "translateHopMap");
  map_->setLargestCell(46, 20);
  map_->setAxisTitles({}, tr("word read → word generated"));
  layout->addWidget(map_, 2);
  scroll->setWidget(output);
  return scroll;
}

qint64 TranslatePanel::run() const {
  return runs_->run();
}

void TranslatePanel::setRuns(const QVector<RunRow>& runs) {
  const qint64 before = run();
  setEmpty(runs.isEmpty());
  recorded_.clear();
  for (const RunRow& run : runs) recorded_.insert(run.id, run.historyNames);
  runs_->setRuns(runs, before > 0 ? before : restored_);
  if (!runs.isEmpty() && run() != before) chooseRun();
}

void TranslatePanel::chooseRun() {
  examples_.clear();
  emit examplesRequested(run());
}

void TranslatePanel::setExamples(qint64 run, const QStringList& sentences) {
  if (run != this->run()) return;
  examples_ = sentences;
  nextExample_ = 0;
  if (!std::exchange(exampleWanted_, false)) return;
  if (sentences.isEmpty()) {
    status_->setText(tr("this run has no example yet"));
  } else {
    showExample();
  }
}

void TranslatePanel::showExample() {
  exampleWanted_ = examples_.isEmpty();
  if (exampleWanted_) {
    emit examplesRequested(run());
    return;
  }
  setText(examples_[nextExample_++ % examples_.size()]);
  translate();
}

void TranslatePanel::setText(const QString& text) {
  source_->setPlainText(text);
}

void TranslatePanel::follow(const Selection& choice) {
  if (choice.run)
    setLack(runs_->showRun(*choice.run)
                ? QString()
                : tr("The chosen run has no checkpoint yet, so it cannot translate."));
  if (choice.checkpoint)
    checkpoint_->setCurrentIndex(std::max(0, checkpoint_->findData(*choice.checkpoint)));
  if (choice.sentence) {
    setText(*choice.sentence);
    translate();
  }
  const bool ours = choice.run.value_or(translatedRun_) == translatedRun_;
  if (choice.hypothesis && ours && *choice.hypothesis < table_->rowCount())
    table_->setCurrentCell(*choice.hypothesis, 2);
}

Json TranslatePanel::saveState() const {
  return {{"run", run() > 0 ? run() : restored_},
          {"checkpoint", checkpoint_->currentIndex()},
          {"beam", beam_->value()},
          {"nbest", nbest_->value()},
          {"source", toStd(source_->toPlainText())}};
}

void TranslatePanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restored_ = saved.number("run").value_or(0);
  saved.index("checkpoint", checkpoint_);
  saved.value("beam", beam_);
  saved.value("nbest", nbest_);
  if (const auto text = saved.text("source")) setText(*text);
}

void TranslatePanel::translate() {
  const QString text = source_->toPlainText().simplified();
  if (text.isEmpty() || runs_->currentIndex() < 0) return;
  cancel();
  error_.clear();
  clock_.start();
  translatedRun_ = run();
  serve::TranslateRequest request{
      .model = {.run = std::to_string(translatedRun_),
                .checkpoint = toStd(checkpoint_->currentData().toString())},
      .text = toStd(text),
      .search = {.beam = std::max(beam_->value(), nbest_->value()), .nbest = nbest_->value()},
      .record = {"decoder.fusion.hop_weights"},
      .latest = true};
  for (const QString& name : recorded_.value(translatedRun_)) request.record.push_back(toStd(name));
  busy_ = true;
  translate_->setEnabled(false);
  cancel_->setVisible(true);
  status_->setText(tr("translating…"));
  emit translationRequested(request);
}

void TranslatePanel::cancel() {
  if (!busy_) return;
  emit cancelRequested();
  finish(tr("cancelled"));
}

void TranslatePanel::finish(const QString& status) {
  busy_ = false;
  translate_->setEnabled(true);
  cancel_->setVisible(false);
  status_->setText(status);
  showMap();
}

void TranslatePanel::showMap() {
  mapTitle_->setVisible(!map_->maps().isEmpty());
  map_->setVisible(!map_->maps().isEmpty());
}

void TranslatePanel::setTranslationError(const QString& message) {
  if (!busy_) return;
  finish({});
  error_ = message;
  emit failed(message);
}

void TranslatePanel::setTranslation(serve::TranslateReply reply) {
  if (!busy_) return;
  hypotheses_ = std::move(reply.hypotheses);
  sourceTokens_ = std::move(reply.tokens);
  {
    const QSignalBlocker blocker(table_);
    table_->setRowCount(int(hypotheses_.size()));
    for (int row = 0; row < int(hypotheses_.size()); ++row) {
      const Hypothesis& hypothesis = hypotheses_[std::size_t(row)];
      table_->setItem(row, 0, new QTableWidgetItem(QString::number(row + 1)));
      table_->setItem(row, 1, new QTableWidgetItem(QString::number(hypothesis.score, 'f', 3)));
      table_->setItem(row, 2, new QTableWidgetItem(qs(hypothesis.text)));
    }
    table_->setCurrentCell(0, 2);
  }
  showHypothesis(0);
  if (!recorded_.value(translatedRun_).isEmpty())
    emit translated(translatedRun_, sourceTokens_, hypotheses_);
  finish(tr("%1 source tokens, %2 ms").arg(sourceTokens_.size()).arg(clock_.elapsed()));
}

void TranslatePanel::showHypothesis(int index) {
  if (index < 0 || index >= int(hypotheses_.size())) return;
  const Hypothesis& hypothesis = hypotheses_[std::size_t(index)];
  best_->setText(qs(hypothesis.text));
  strip_->setTokens(qs(hypothesis.words), hypothesis.tokenLogProbabilities);
  const SentenceRecordings sentence = sentenceOf(sourceTokens_, hypothesis);
  map_->setMaps(qs(hopColumns(sentence, "decoder")), hopPictures(sentence, "decoder"));
  showMap();
}

}  // namespace strata::ui
