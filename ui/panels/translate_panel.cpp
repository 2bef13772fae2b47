#include "ui/panels/translate_panel.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/inside/target_attention.h"
#include "ui/data/hop_pictures.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/run_translations.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/bar_layout.h"
#include "ui/widgets/building.h"
#include "ui/widgets/hypothesis_tree_view.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/run_box.h"
#include "ui/widgets/tabs.h"
#include "ui/widgets/token_strip.h"

namespace strata::ui {
namespace {
constexpr int kNextWords = 12;
constexpr qsizetype kHistory = 40, kMostWords = 80;

// One sentence per line, without empty ones.
QStringList sentencesOf(const QString& text) {
  QStringList sentences;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    if (const QString sentence = line.simplified(); !sentence.isEmpty()) sentences << sentence;
  }
  return sentences;
}
}  // namespace

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
  auto* row = makeLayout<BarLayout>(nullptr, {}, kUsualSpacing);
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
  source_->setPlaceholderText(tr("Type or paste sentences, one per line, and press Ctrl+Enter"));
  source_->setTabChangesFocus(true);
  layout->addWidget(source_, 1);
  addButtons(layout, input);
  return input;
}

void TranslatePanel::addButtons(QVBoxLayout* layout, QWidget* input) {
  auto* buttons = makeLayout<BarLayout>(nullptr, {}, kUsualSpacing);
  translate_ = named(styled(new QPushButton(tr("Translate"), input), "primary"), "translateButton");
  cancel_ = named(new QPushButton(tr("Cancel"), input), "translateCancel");
  status_ = named(styled(new QLabel(input), "muted"), "translateStatus");
  buttons->addWidget(translate_);
  buttons->addWidget(cancel_);
  example_ = named(new QPushButton(tr("Example"), input), "translateExample");
  example_->setToolTip(tr("Translate a sentence of the validation set"));
  connect(example_, &QPushButton::clicked, this, &TranslatePanel::showExample);
  buttons->addWidget(example_);
  auto* history = named(new QToolButton(input), "translateHistory", tr("Earlier texts"));
  history->setText(tr("History"));
  history->setPopupMode(QToolButton::InstantPopup);
  auto* menu = named(new QMenu(history), "translateHistoryMenu");
  history->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillHistory(menu); });
  buttons->addWidget(history);
  buttons->addWidget(status_, 1);
  layout->addLayout(buttons);
  copy_ = addCopyCommand(buttons, [this] { return translateCommand(); });
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
  refused_ = named(new NoticeBar(output), "translateRefused");
  begins_ = named(new NoticeBar(output), "translateBegins");
  best_ = named(styled(new QLabel(output), "hero"), "translateBest");
  best_->setWordWrap(true);
  best_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  words_ = named(new TokenStrip(output), "translateWords", tr("Words of the sentence"));
  words_->setToolTip(tr("Click a word to drop it or to swap it with the next"));
  connect(words_, &TokenStrip::chosen, this, &TranslatePanel::offerEdits);
  strip_ = named(new TokenStrip(output), "translateTokens", tr("Tokens of the translation"));
  connect(strip_, &TokenStrip::chosen, this, &TranslatePanel::askForNextWords);
  connect(strip_, &TokenStrip::chosen, this,
          [this](int token) { share({.run = translatedRun_, .word = wordOf(token)}); });
  mapTitle_ = styled(new QLabel(tr("Levels that the decoder's hops attend to"), output), "heading");
  map_ = named(new HeatMapView(output), "translateHopMap",
               tr("Levels that the decoder's hops attend to"));
  map_->setLargestCell(46, 20);
  map_->setAxisTitles({}, tr("word read → word generated"));
  layout->addWidget(makeSentences(output));
  layout->addWidget(refused_);
  layout->addWidget(begins_);
  layout->addWidget(words_);
  layout->addWidget(best_);
  layout->addWidget(strip_);
  layout->addWidget(makeViews(output), 1);
  layout->addWidget(mapTitle_);
  layout->addWidget(map_, 2);
  scroll->setWidget(output);
  return scroll;
}

// Of several sentences: choosing one shows its translation below.
QWidget* TranslatePanel::makeSentences(QWidget* parent) {
  sentenceTable_ = named(makePlainTable({tr("sentence"), tr("translation")}, parent),
                         "translateSentences", tr("Sentences"));
  sentenceTable_->setColumnWidth(0, 200);
  sentenceTable_->setMinimumHeight(90);
  sentenceTable_->setMaximumHeight(170);
  sentenceTable_->hide();
  connect(sentenceTable_, &QTableWidget::currentCellChanged, this, [this](int row) {
    showReply(row);
    if (!busy_ && row >= 0 && !replies_[std::size_t(row)]) request(row);  // it was cancelled before
    share({.run = translatedRun_, .sentence = sentences_.value(row)});
  });
  return sentenceTable_;
}

QWidget* TranslatePanel::makeViews(QWidget* parent) {
  views_ = named(new Tabs(parent), "translateViews");
  views_->setMinimumHeight(180);
  table_ = named(makePlainTable({tr("rank"), tr("score"), tr("alternative")}, views_),
                 "translateTable", tr("Alternatives"));
  table_->setColumnWidth(0, 64);
  table_->setColumnWidth(1, 84);
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
    showHypothesis(row);
    share({.run = translatedRun_, .hypothesis = row});
  });
  tree_ = named(new HypothesisTreeView(views_), "translateTree", tr("Tree of the alternatives"));
  connect(tree_, &HypothesisTreeView::prefixChosen, this, &TranslatePanel::translateFrom);
  connect(tree_, &HypothesisTreeView::hypothesisChosen, this,
          [this](int index) { table_->setCurrentCell(index, 2); });
  nextWords_ = named(makePlainTable({tr("word"), tr("probability"), QString()}, views_),
                     "translateNextWords", tr("Most likely words at this place"));
  nextWords_->setToolTip(tr("Enter translates again with this word"));
  connect(nextWords_, &QTableWidget::cellActivated, this, [this](int row) {
    translateFrom(nextAfter_ + QStringList{nextWords_->item(row, 0)->text()});
  });
  others_ = new RunTranslations(views_);
  connect(others_, &RunTranslations::requested, this, &TranslatePanel::otherRequested);
  connect(others_, &RunTranslations::cancelRequested, this, &TranslatePanel::otherCancelRequested);
  views_->addTab(table_, tr("Alternatives"));
  views_->addTab(tree_, tr("Tree"));
  views_->addTab(nextWords_, tr("Other words"));
  views_->addTab(others_, tr("Drawn runs"));
  return views_;
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
  others_->setRuns(runs);
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
  if (choice.drawn) others_->setDrawn(*choice.drawn);
  if (choice.run)
    setLack(runs_->showRun(*choice.run)
                ? QString()
                : tr("The chosen run has no checkpoint yet, so it cannot translate."));
  if (choice.checkpoint)
    checkpoint_->setCurrentIndex(std::max(0, checkpoint_->findData(*choice.checkpoint)));
  const bool translated =
      translatedRun_ == run() && choice.sentence && sentences_ == QStringList{*choice.sentence};
  if (choice.sentence && !translated) {
    if (const auto row = sentences_.indexOf(*choice.sentence); row >= 0 && sentences_.size() > 1) {
      sentenceTable_->setCurrentCell(int(row), 0);
    } else {
      setText(*choice.sentence);
      translate();
      wanted_ = {.hypothesis = choice.hypothesis, .word = choice.word};
    }
  }
  if (!busy_ && choice.run.value_or(translatedRun_) == translatedRun_) showPart(choice);
}

void TranslatePanel::showPart(const Selection& choice) {
  if (choice.hypothesis && *choice.hypothesis < table_->rowCount())
    table_->setCurrentCell(*choice.hypothesis, 2);
  if (choice.word) showWord(*choice.word);
}

// A word of the hypothesis may be several tokens.
int TranslatePanel::wordOf(int token) const {
  const auto starts = wordStarts(toStd(strip_->tokens()));
  return int(std::ranges::upper_bound(starts, std::size_t(token)) - starts.begin()) - 1;
}

void TranslatePanel::showWord(int word) {
  const auto starts = wordStarts(toStd(strip_->tokens()));
  if (word >= 0 && word + 1 < int(starts.size()))  // the last is their end
    strip_->setCurrent(int(starts[std::size_t(word)]));
}

SelectionChoices TranslatePanel::choices() const {
  SelectionChoices known{.sentences = sentences_};
  for (const QString& text : kept_ + history_) known.sentences += text.split(QLatin1Char('\n'));
  known.sentences += examples_;
  for (const Hypothesis& hypothesis : hypotheses_) known.hypotheses << qs(hypothesis.text);
  const auto tokens = toStd(strip_->tokens());
  known.words = qs(joinedWords(tokens, wordStarts(tokens)));
  if (!known.words.isEmpty() && known.words.last() == QLatin1String("</s>"))
    known.words.removeLast();
  return known;
}

Json TranslatePanel::saveState() const {
  return {{"run", run() > 0 ? run() : restored_},
          {"checkpoint", checkpoint_->currentIndex()},
          {"beam", beam_->value()},
          {"nbest", nbest_->value()},
          {"source", toStd(source_->toPlainText())},
          {"kept", jsonOf(kept_)},
          {"history", jsonOf(history_)}};
}

void TranslatePanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restored_ = saved.number("run").value_or(0);
  saved.index("checkpoint", checkpoint_);
  saved.value("beam", beam_);
  saved.value("nbest", nbest_);
  if (const auto text = saved.text("source")) setText(*text);
  kept_ = saved.texts("kept").value_or(QStringList());
  history_ = saved.texts("history").value_or(QStringList()).mid(0, kHistory);
}

ModelChoice TranslatePanel::model() const {
  return {.run = std::to_string(translatedRun_),
          .checkpoint = toStd(checkpoint_->currentData().toString())};
}

void TranslatePanel::translate() {
  const QStringList sentences = sentencesOf(source_->toPlainText());
  if (sentences.isEmpty() || runs_->currentIndex() < 0) return;
  cancel();
  translatedRun_ = run();
  sentences_ = sentences;
  replies_.assign(std::size_t(sentences.size()), std::nullopt);
  problems_.assign(std::size_t(sentences.size()), QString());
  error_.clear();
  refused_->setNotice({});
  prefix_.clear();
  wanted_ = {};
  remember(sentences.join(QLatin1Char('\n')));
  showSentences();
  clock_.start();
  request(0);
  if (sentences_.size() == 1) share({.run = translatedRun_, .sentence = sentences_.first()});
}

void TranslatePanel::remember(const QString& text) {
  history_.removeAll(text);
  history_.prepend(text);
  history_ = history_.mid(0, kHistory);
}

// The texts that were kept, then those translated, newest first.
void TranslatePanel::fillHistory(QMenu* menu) {
  menu->clear();
  const QString now = sentencesOf(source_->toPlainText()).join(QLatin1Char('\n'));
  auto* keep = named(menu->addAction(tr("Keep this text")), "translateKeep");
  keep->setCheckable(true);
  keep->setChecked(kept_.contains(now));
  keep->setEnabled(!now.isEmpty());
  connect(keep, &QAction::triggered, this, [this, now](bool on) {
    kept_.removeAll(now);
    if (on) kept_.prepend(now);
  });
  for (const QStringList& texts : {kept_, history_}) {
    if (!texts.isEmpty()) menu->addSeparator();
    for (const QString& text : texts) {
      const QString shown = text.section(QLatin1Char('\n'), 0, 0).left(70);
      connect(menu->addAction(QString(shown).replace(QLatin1Char('&'), QLatin1String("&&"))),
              &QAction::triggered, this, [this, text] {
                setText(text);
                translate();
              });
    }
  }
}

int TranslatePanel::currentSentence() const {
  return sentences_.size() > 1 ? sentenceTable_->currentRow() : int(sentences_.size()) - 1;
}

void TranslatePanel::showSource(int sentence) {
  const QStringList words = sentences_.value(sentence).split(QLatin1Char(' '), Qt::SkipEmptyParts);
  words_->setTokens(words.size() <= kMostWords ? words : QStringList(), {});
}

void TranslatePanel::offerEdits(int word) {
  const QStringList words = words_->tokens();
  auto* menu = named(new QMenu(words_), "translateEdits");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QStringList dropped = words, swapped = words;
  dropped.removeAt(word);
  auto* drop = menu->addAction(tr("Drop “%1”").arg(words[word]));
  drop->setEnabled(!dropped.isEmpty());
  connect(drop, &QAction::triggered, this, [this, dropped] { replaceSentence(dropped); });
  if (word + 1 < words.size()) {
    swapped.swapItemsAt(word, word + 1);
    connect(menu->addAction(tr("Swap with “%1”").arg(words[word + 1])), &QAction::triggered, this,
            [this, swapped] { replaceSentence(swapped); });
  }
  menu->popup(QCursor::pos());
}

void TranslatePanel::replaceSentence(const QStringList& words) {
  const int row = currentSentence();
  if (row < 0) return;
  sentences_[row] = words.join(QLatin1Char(' '));
  setText(sentences_.join(QLatin1Char('\n')));
  if (sentences_.size() > 1) sentenceTable_->item(row, 0)->setText(sentences_[row]);
  showSource(row);
  translateFrom({});
}

// The current sentence, beginning with these tokens.
void TranslatePanel::translateFrom(const QStringList& prefix) {
  const int row = currentSentence();
  if (row < 0) return;
  cancel();
  prefix_ = prefix;
  prefix_.removeAll(QStringLiteral("</s>"));
  replies_[std::size_t(row)].reset();
  clock_.start();
  request(row);
}

serve::TranslateRequest TranslatePanel::requestOf(int sentence) const {
  return {.model = model(),
          .text = toStd(sentences_[sentence]),
          .search = {.beam = std::max(beam_->value(), nbest_->value()), .nbest = nbest_->value()},
          .record = {"decoder.fusion.hop_weights"},
          .latest = true,
          .prefix = toStd(prefix_)};
}

void TranslatePanel::request(int sentence) {
  asked_ = sentence;
  showPrefix();
  serve::TranslateRequest request = requestOf(sentence);
  for (const QString& name : recorded_.value(translatedRun_)) request.record.push_back(toStd(name));
  busy_ = true;
  translate_->setEnabled(false);
  cancel_->setVisible(true);
  status_->setText(sentences_.size() > 1
                       ? tr("translating %1 of %2…").arg(sentence + 1).arg(sentences_.size())
                       : tr("translating…"));
  emit translationRequested(request);
}

QStringList TranslatePanel::translateCommand() const {
  QStringList command{
      QStringLiteral("translate"),
      QStringLiteral("--run"),
      runs_->currentText() + QLatin1Char('@') + checkpoint_->currentData().toString(),
      QStringLiteral("--beam"),
      QString::number(std::max(beam_->value(), nbest_->value())),
      QStringLiteral("--nbest"),
      QString::number(nbest_->value())};
  for (const QString& sentence : sentencesOf(source_->toPlainText()))
    command << QStringLiteral("--text=") + sentence;
  return command;
}

void TranslatePanel::showSentences() {
  const QSignalBlocker blocker(sentenceTable_);
  sentenceTable_->setVisible(sentences_.size() > 1);
  sentenceTable_->setRowCount(int(sentences_.size()));
  for (int row = 0; row < int(sentences_.size()); ++row) {
    sentenceTable_->setItem(row, 0, new QTableWidgetItem(sentences_[row]));
    sentenceTable_->setItem(row, 1, new QTableWidgetItem);
  }
  sentenceTable_->setCurrentCell(0, 0);
}

void TranslatePanel::showPrefix() {
  copy_->setEnabled(prefix_.isEmpty());  // the command's translations are free
  if (prefix_.isEmpty()) return begins_->setNotice({});
  begins_->setNotice(
      tr("Begins with: %1").arg(sentenceText(toStd(prefix_))),
      {{QStringLiteral("translateFreely"), tr("Translate freely"), [this] { translateFrom({}); }}});
}

// What the model would say at this place of the hypothesis.
void TranslatePanel::askForNextWords(int token) {
  if (hypotheses_.empty() || token < 0 || token >= strip_->tokens().size()) return;
  nextAfter_ = strip_->tokens().mid(0, token);
  views_->setCurrentWidget(nextWords_);
  emit nextWordsRequested({.model = model(),
                           .text = toStd(sentences_.value(currentSentence())),
                           .prefix = toStd(nextAfter_),
                           .topk = kNextWords});
}

void TranslatePanel::setNextWords(const serve::StepReply& reply) {
  if (reply.prefix != toStd(nextAfter_)) return;  // of an earlier question
  nextWords_->setRowCount(int(reply.next.size()));
  for (int row = 0; row < int(reply.next.size()); ++row) {
    const auto& next = reply.next[std::size_t(row)];
    nextWords_->setItem(row, 0, new QTableWidgetItem(qs(next.token)));
    nextWords_->setItem(
        row, 1, new QTableWidgetItem(QString::number(std::exp(next.logProbability), 'f', 4)));
    nextWords_->setItem(row, 2, new QTableWidgetItem);
  }
  nextWords_->setCurrentCell(0, 0);
}

void TranslatePanel::setNextWordsError(const QString& message) {
  refused_->setNotice(message);
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

// The others of several sentences are translated nevertheless.
void TranslatePanel::setTranslationError(const QString& message) {
  if (!busy_) return;
  error_ = message;
  problems_[std::size_t(asked_)] = message;
  emit failed(message);
  receive({});
}

void TranslatePanel::clearOutput() {
  const QSignalBlocker blocker(table_);
  hypotheses_.clear();
  sourceTokens_.clear();
  best_->clear();
  strip_->setTokens({}, {});
  table_->setRowCount(0);
  tree_->setHypotheses({});
  nextWords_->setRowCount(0);
  others_->clear();
  map_->setMaps({}, {});
  showMap();
}

void TranslatePanel::setTranslation(serve::TranslateReply reply) {
  if (!busy_) return;
  problems_[std::size_t(asked_)].clear();
  receive(std::move(reply));
}

void TranslatePanel::receive(serve::TranslateReply reply) {
  if (sentences_.size() > 1) {
    const auto& found = reply.hypotheses;
    sentenceTable_->item(asked_, 1)->setText(found.empty() ? problems_[std::size_t(asked_)]
                                                           : qs(found.front().text));
  }
  const bool shown = sentences_.size() == 1 || sentenceTable_->currentRow() == asked_;
  replies_[std::size_t(asked_)] = std::move(reply);
  if (shown) showReply(asked_);
  const auto next =
      std::ranges::find(replies_, false, &std::optional<serve::TranslateReply>::has_value);
  if (next != replies_.end()) return request(int(next - replies_.begin()));
  const QString took = sentences_.size() > 1 ? tr("%n sentence(s)", nullptr, int(sentences_.size()))
                                             : tr("%1 source tokens").arg(sourceTokens_.size());
  finish(sourceTokens_.empty() ? QString() : tr("%1, %2 ms").arg(took).arg(clock_.elapsed()));
}

void TranslatePanel::showReply(int sentence) {
  clearOutput();
  showSource(sentence);
  if (sentence < 0 || sentence >= int(replies_.size()) || !replies_[std::size_t(sentence)]) return;
  refused_->setNotice(problems_[std::size_t(sentence)]);
  if (replies_[std::size_t(sentence)]->hypotheses.empty()) return;
  hypotheses_ = replies_[std::size_t(sentence)]->hypotheses;
  sourceTokens_ = replies_[std::size_t(sentence)]->tokens;
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
  tree_->setHypotheses(hypotheses_);
  showHypothesis(0);
  if (prefix_.isEmpty()) others_->setSentence(requestOf(sentence), hypotheses_.front());
  {
    const QSignalBlocker blocker(this);  // it has been chosen elsewhere
    showPart(std::exchange(wanted_, {}));
  }
  if (!recorded_.value(translatedRun_).isEmpty())
    emit translated(translatedRun_, sourceTokens_, hypotheses_);
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
