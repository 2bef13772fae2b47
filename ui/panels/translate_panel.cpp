#include "ui/panels/translate_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/alternatives_table.h"
#include "ui/panels/attention_override.h"
#include "ui/panels/next_words.h"
#include "ui/panels/run_translations.h"
#include "ui/panels/source_words.h"
#include "ui/panels/translate_input.h"
#include "ui/panels/translated_hops.h"
#include "ui/panels/translated_sentences.h"
#include "ui/widgets/beginning_tree.h"
#include "ui/widgets/building.h"
#include "ui/widgets/checkpoint_box.h"
#include "ui/widgets/hypothesis_tree_view.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/run_box.h"
#include "ui/widgets/tabs.h"
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
  runs_ = named(new RunBox(this), "translateRun", tr("Run"));
  checkpoint_ = named(new CheckpointBox(this), "translateCheckpoint", tr("Checkpoint"));
  text_ = new TranslateInput(
      {runs_, styled(new QLabel(checkpoint_->accessibleName(), this), "muted"), checkpoint_}, this);
  addCopyCommand(text_->buttons(), [this] { return translateCommand(); });
  connect(text_, &TranslateInput::translateRequested, this, &TranslatePanel::translate);
  connect(text_, &TranslateInput::cancelRequested, this, &TranslatePanel::cancel);
  connect(text_, &TranslateInput::exampleRequested, this, &TranslatePanel::showExample);
  connect(runs_, &QComboBox::currentIndexChanged, this, &TranslatePanel::chooseRun);
  connect(runs_, &QComboBox::activated, this, [this] { share({.run = run()}); });
  connect(checkpoint_, &QComboBox::activated, this, [this] {
    if (!CheckpointBox::isStep(checkpoint_->selector()))
      share({.run = run(), .checkpoint = checkpoint_->selector()});
    followSentence({});
  });
  return text_;
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
  words_ = named(new SourceWords(output), "translateWords", tr("Words of the sentence"));
  connect(words_, &SourceWords::edited, this, &TranslatePanel::replaceSentence);
  strip_ = named(new TokenStrip(output), "translateTokens", tr("Tokens of the translation"));
  connect(strip_, &TokenStrip::chosen, this, &TranslatePanel::chooseToken);
  connect(strip_, &TokenStrip::chosen, this,
          [this](int token) { share({.run = translatedRun_, .word = strip_->wordOf(token)}); });
  hops_ = new TranslatedHops(output);
  sentences_ = named(new TranslatedSentences(output), "translateSentences", tr("Sentences"));
  connect(sentences_, &QTableWidget::currentCellChanged, this, [this](int row) {
    showReply(row);
    if (!busy_ && row >= 0 && !sentences_->reply(row)) request(row);  // it was cancelled before
    share({.run = translatedRun_, .sentence = sentences().value(row)});
  });
  layout->addWidget(sentences_);
  layout->addWidget(refused_);
  layout->addWidget(begins_);
  layout->addWidget(words_);
  layout->addWidget(best_);
  layout->addWidget(strip_);
  layout->addWidget(makeViews(output), 1);
  layout->addWidget(hops_, 2);
  scroll->setWidget(output);
  return scroll;
}

QWidget* TranslatePanel::makeViews(QWidget* parent) {
  views_ = named(new Tabs(parent), "translateViews");
  views_->setMinimumHeight(180);
  table_ = named(new AlternativesTable(views_), "translateTable", tr("Alternatives"));
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
    showHypothesis(row);
    share({.run = translatedRun_, .hypothesis = row});
  });
  tree_ = new BeginningTree(views_);
  connect(tree_->tree(), &HypothesisTreeView::prefixChosen, this,
          [this](const QStringList& tokens) { translateFrom({.tokens = tokens}); });
  connect(tree_, &BeginningTree::typed, this,
          [this](const QString& text) { translateFrom({.text = text}); });
  connect(tree_->tree(), &HypothesisTreeView::hypothesisChosen, this,
          [this](int index) { table_->setCurrentCell(index, 2); });
  nextWords_ =
      named(new NextWords(views_), "translateNextWords", tr("Most likely words at this place"));
  connect(nextWords_, &NextWords::requested, this, &TranslatePanel::nextWordsRequested);
  connect(nextWords_, &NextWords::chosen, this,
          [this](const QStringList& tokens) { translateFrom({.tokens = tokens}); });
  override_ = named(new AttentionOverride(views_), "translateOverride");
  connect(override_, &AttentionOverride::targetChosen, this, [this](int token) {
    strip_->setCurrent(token);
    share({.run = translatedRun_, .word = strip_->wordOf(token)});
  });
  others_ = new RunTranslations(views_);
  connect(others_, &RunTranslations::requested, this, &TranslatePanel::otherRequested);
  connect(others_, &RunTranslations::cancelRequested, this, &TranslatePanel::otherCancelRequested);
  views_->addTab(table_, tr("Alternatives"));
  views_->addTab(tree_, tr("Tree"));
  views_->addTab(nextWords_, tr("Other words"));
  views_->addTab(override_, tr("Override"));
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
  checkpoints_.clear();
  for (const RunRow& run : runs) {
    recorded_.insert(run.id, run.historyNames);
    checkpoints_.insert(run.id, checkpointSelectors(run));
  }
  runs_->setRuns(runs, before > 0 ? before : restored_);
  others_->setRuns(runs);
  if (unlisted_ > 0 && runs_->showRun(unlisted_)) {  // it has saved a model meanwhile
    unlisted_ = 0;
    setLack({});
  }
  if (!runs.isEmpty() && run() != before) return chooseRun();
  listCheckpoints();
}

void TranslatePanel::listCheckpoints() {
  checkpoint_->setSelectors(checkpoints_.value(run()));
}

void TranslatePanel::chooseRun() {
  listCheckpoints();
  examples_.clear();
  emit examplesRequested(run());
}

void TranslatePanel::setExamples(const QStringList& sentences) {
  examples_ = sentences;
  nextExample_ = 0;
  if (!std::exchange(exampleWanted_, false)) return;
  if (sentences.isEmpty()) {
    text_->setStatus(tr("this run has no example yet"));
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
  text_->setText(text);
}

void TranslatePanel::follow(const Selection& choice) {
  if (choice.drawn) others_->setDrawn(*choice.drawn);
  if (choice.run) {
    unlisted_ = runs_->showRun(*choice.run) ? 0 : *choice.run;
    if (unlisted_ != 0)
      setLack(imported_.lackOf(unlisted_,
                               tr("The chosen run has no checkpoint yet, so it cannot translate.")),
              runs_->count() == 0 ? LackPage::Remedy()
                                  : remedyOf(runs_->itemData(0).toLongLong(), runs_->itemText(0)));
  }
  checkpoint_->follow(choice);
  followSentence(choice);
  const Selection part{.hypothesis = choice.hypothesis, .word = choice.word};
  if (busy_ || hasWork())
    wanted_ = wanted_.after(part);
  else if (choice.run.value_or(translatedRun_) == translatedRun_)
    showPart(part);
}

bool TranslatePanel::isOfChosenModel() const {
  return translatedRun_ == run() && translatedCheckpoint_ == checkpoint_->selector();
}

// A chosen sentence is translated for somebody who looks, and so is the present one if another run
// or checkpoint is chosen.
void TranslatePanel::followSentence(const Selection& choice) {
  QString sentence = choice.sentence.value_or(QString());
  if (const auto row = sentences().indexOf(sentence); row >= 0 && sentences_->areSeveral())
    return sentences_->setCurrentCell(int(row), 0);
  const bool single = sentences().size() == 1;
  const QStringList typed = text_->sentences();
  if (sentence.isEmpty() && (choice.run || !isOfChosenModel()) && single && typed == sentences())
    sentence = typed.first();
  if (sentence.isEmpty()) return;
  if (typed != QStringList{sentence}) setText(sentence);
  const bool known = single && (busy_ || sentences_->reply(0)) && sentences().first() == sentence &&
                     isOfChosenModel();
  if (known && !hasWork()) return;
  if (known) {  // back at what has been translated
    dropWork();
    return showReply(0);
  }
  cancel();
  wanted_ = {};
  showReply(-1);
  workLater([this] {
    if (!lack().isEmpty()) return;
    const Selection wanted = wanted_;
    translate();
    wanted_ = wanted;
  });
}

void TranslatePanel::showPart(const Selection& choice) {
  if (choice.hypothesis && *choice.hypothesis < table_->rowCount())
    table_->setCurrentCell(*choice.hypothesis, 2);
  if (!choice.word) return;
  strip_->setCurrentWord(*choice.word);
  override_->followTarget(strip_->current());
}

SelectionChoices TranslatePanel::choices() const {
  SelectionChoices known{.sentences = sentences()};
  known.sentences += text_->earlierSentences() + examples_;
  for (const Hypothesis& hypothesis : hypotheses_) known.hypotheses << qs(hypothesis.text);
  known.words = strip_->words();
  return known;
}

Here TranslatePanel::here() const {
  Here here = Panel::here();
  const int shown = std::max(0, table_->currentRow());
  if (shown >= int(hypotheses_.size())) return here;
  const Hypothesis& hypothesis = hypotheses_[std::size_t(shown)];
  here.place = qs(hypothesis.text);
  here.add(QStringLiteral("s"), hypothesis.score);
  here.add(QStringLiteral("n"), countText(qint64(hypothesis.words.size())));
  const int token = strip_->current();
  if (token < 0 || token >= int(hypothesis.tokenLogProbabilities.size())) return here;
  here.add(QStringLiteral("t"), countText(token + 1));
  here.add(QStringLiteral("p_t"), std::exp(hypothesis.tokenLogProbabilities[std::size_t(token)]));
  return here;
}

Json TranslatePanel::saveState() const {
  Json state{{"run", run() > 0 ? run() : restored_},
             {"checkpoint", toStd(checkpoint_->selector())}};
  text_->saveState(state);
  return state;
}

void TranslatePanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restored_ = saved.number("run").value_or(0);
  if (const auto checkpoint = saved.text("checkpoint")) checkpoint_->choose(*checkpoint);
  text_->restoreState(saved);
}

ModelChoice TranslatePanel::model() const {
  return {.run = std::to_string(translatedRun_), .checkpoint = toStd(translatedCheckpoint_)};
}

void TranslatePanel::translate() {
  const QStringList texts = text_->sentences();
  if (runs_->currentIndex() < 0) return;
  cancel();
  dropWork();
  translatedRun_ = run();
  translatedCheckpoint_ = checkpoint_->selector();
  sentences_->setSentences(texts);
  error_.clear();
  refused_->setNotice({});
  beginning_ = {};
  showBeginning(0);
  wanted_ = {};
  if (texts.isEmpty()) return showReply(-1);
  text_->remember(texts);
  clock_.start();
  request(0);
  if (!sentences_->areSeveral()) share({.run = translatedRun_, .sentence = texts.first()});
}

const QStringList& TranslatePanel::sentences() const {
  return sentences_->sentences();
}

void TranslatePanel::replaceSentence(const QString& sentence) {
  const int row = sentences_->current();
  if (row < 0) return;
  sentences_->replace(row, sentence);
  setText(sentences().join(QLatin1Char('\n')));
  words_->setSentence(sentence);
  translateFrom({});
}

void TranslatePanel::translateFrom(const Beginning& beginning) {
  const int row = sentences_->current();
  if (row < 0) return;
  cancel();
  beginning_ = beginning;
  beginning_.tokens.removeAll(QStringLiteral("</s>"));
  beginning_.sentence = row;
  showBeginning(row);
  sentences_->forget(row);
  clock_.start();
  request(row);
}

TranslatePanel::Beginning TranslatePanel::beginningOf(int sentence) const {
  return beginning_.sentence == sentence ? beginning_ : Beginning();
}

serve::TranslateRequest TranslatePanel::requestOf(int sentence) const {
  const Beginning beginning = beginningOf(sentence);
  return {.model = model(),
          .text = toStd(sentences().value(sentence)),
          .search = {.beam = text_->beam(), .nbest = text_->alternatives()},
          .record = {"decoder.fusion.hop_weights"},
          .latest = true,
          .prefix = toStd(beginning.tokens),
          .prefixText = toStd(beginning.text)};
}

void TranslatePanel::request(int sentence) {
  asked_ = sentence;
  serve::TranslateRequest request = requestOf(sentence);
  for (const QString& name : recorded_.value(translatedRun_)) request.record.push_back(toStd(name));
  busy_ = true;
  text_->setBusy(true);
  text_->setStatus(sentences_->areSeveral()
                       ? tr("translating %1 of %2…").arg(sentence + 1).arg(sentences().size())
                       : tr("translating…"));
  emit translationRequested(request);
}

// Of what is shown: with weights that are given, a beginning, or all sentences.
QStringList TranslatePanel::translateCommand() const {
  const auto& changed = override_->changed();
  const bool given = changed && views_->currentWidget() == override_;
  serve::TranslateRequest request = given ? *changed : requestOf(sentences_->current());
  const bool goesOn = given || request.isForced();  // from what has been translated
  request.model = {.run = toStd(runs_->itemText(goesOn ? runs_->findData(translatedRun_)
                                                       : runs_->currentIndex())),
                   .checkpoint = toStd(goesOn ? translatedCheckpoint_ : checkpoint_->selector())};
  const auto texts = goesOn ? std::vector{request.text} : toStd(text_->sentences());
  return qs(request.command(texts));
}

void TranslatePanel::showBeginning(int sentence) {
  const Beginning beginning = beginningOf(sentence);
  if (beginning.isEmpty()) return begins_->setNotice({});
  begins_->setNotice(
      tr("Begins with: %1")
          .arg(beginning.text.isEmpty() ? sentenceText(toStd(beginning.tokens)) : beginning.text),
      {{QStringLiteral("translateFreely"), tr("Translate freely"), [this] { translateFrom({}); }}});
}

// What the model would say at this place of the hypothesis, or where weights are given.
void TranslatePanel::chooseToken(int token) {
  if (hypotheses_.empty() || token < 0 || token >= strip_->tokens().size()) return;
  if (views_->currentWidget() == override_) return override_->setTarget(token);
  views_->setCurrentWidget(nextWords_);
  nextWords_->ask(model(), sentences().value(sentences_->current()),
                  strip_->tokens().mid(0, token));
}

void TranslatePanel::setNextWordsError(const QString& message) {
  refused_->setNotice(message);
}

void TranslatePanel::cancel() {
  if (!busy_) return;
  emit cancelRequested();
  finish(tr("cancelled"));
  if (!sentences_->reply(sentences_->current())) showReply(sentences_->current());
}

void TranslatePanel::finish(const QString& status) {
  busy_ = false;
  text_->setBusy(false);
  text_->setStatus(status);
}

// The others of several sentences are translated nevertheless.
void TranslatePanel::setTranslationError(const QString& message) {
  if (!busy_) return;
  error_ = message;
  sentences_->setProblem(asked_, message);
  emit failed(message);
  goOn();
}

void TranslatePanel::clearOutput() {
  hypotheses_.clear();
  sourceTokens_.clear();
  best_->clear();
  strip_->setTokens({}, {});
  table_->setHypotheses({});
  tree_->setHypotheses({});
  nextWords_->clearWords();
  hops_->clear();
}

void TranslatePanel::setTranslation(serve::TranslateReply reply) {
  if (!busy_) return;
  sentences_->setReply(asked_, std::move(reply));
  goOn();
}

// The next sentence, after the answer to the latest.
void TranslatePanel::goOn() {
  if (sentences_->current() == asked_) showReply(asked_);
  if (const int next = sentences_->firstWithoutReply(); next >= 0) return request(next);
  const QString took = sentences_->areSeveral()
                           ? tr("%n sentence(s)", nullptr, int(sentences().size()))
                           : tr("%1 source tokens").arg(sourceTokens_.size());
  finish(sourceTokens_.empty() ? QString() : tr("%1, %2 ms").arg(took).arg(clock_.elapsed()));
}

void TranslatePanel::showReply(int sentence) {
  clearOutput();
  words_->setSentence(sentences().value(sentence));
  const serve::TranslateReply* reply = sentences_->reply(sentence);
  refused_->setNotice(sentences_->problem(sentence));
  showBeginning(sentence);
  if (!reply || reply->hypotheses.empty()) {
    others_->clear();
    override_->clear();
    return;
  }
  hypotheses_ = reply->hypotheses;
  sourceTokens_ = reply->tokens;
  table_->setHypotheses(hypotheses_);
  tree_->setHypotheses(hypotheses_);
  showHypothesis(0);
  if (beginningOf(sentence).isEmpty()) {
    others_->setSentence(requestOf(sentence), hypotheses_.front());
  } else {
    others_->clear();
  }
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
  override_->setTranslation(requestOf(sentences_->current()), hypothesis);
  hops_->setHypothesis(sourceTokens_, hypothesis);
}

}  // namespace strata::ui
