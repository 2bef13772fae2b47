#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableWidget>
#include <QtTest>

#include "tests/program.h"
#include "ui/data/text.h"
#include "ui/panels/attention_override.h"
#include "ui/panels/run_translations.h"
#include "ui/panels/translate_panel.h"
#include "ui/widgets/hypothesis_tree_view.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/token_strip.h"

using namespace strata;
using namespace strata::ui;

namespace {

constexpr qint64 kRun = 7, kOther = 8;

RunRow runNamed(qint64 id, const QString& name) {
  RunRow run;
  run.id = id;
  run.name = name;
  return run;
}

serve::TranslateReply replyOf(const std::string& text) {
  Hypothesis made{.tokenLogProbabilities = {}, .text = text};
  for (const QString& word : qs(text).split(' ') + QStringList{"</s>"}) {
    made.words.push_back(toStd(word));
    made.tokenLogProbabilities.push_back(-0.5);
  }
  return {.tokens = {"der", "Hund", "</s>"}, .hypotheses = {made}};
}

using Request = serve::TranslateRequest;
Request lastOf(const QSignalSpy& spy) {
  return spy.last().front().value<Request>();
}

}  // namespace

class TestTranslatePanel : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void cleanup() { panel_.reset(); }
  void aRunWithoutExamplesIsAskedOnce();
  void aTranslationStaysWithItsText();
  void whyASentenceIsRefusedStaysWithIt();
  void drawnRunsAreListedOnceASentence();
  void drawnRunsTranslateWithTheSameStep();
  void wordsThatDifferAreMarked();
  void typedWordsBeginTheTranslation();
  void aBeginningIsThatOfItsSentence();
  void aWordIsReadAlone();
  void aWordIsForbidden();
  void weightsAreTyped();
  void whatIsGivenBelongsToItsToken();
  void weightsAreThoseOfTheChosenWord();
  void aModelWithoutAttentionSaysSo();

 private:
  template <typename T>
  T* child(const char* name) const {
    return panel_->findChild<T*>(QLatin1String(name));
  }
  void translate(const QString& text, const std::string& made);
  void openOverride(int token);
  serve::LoadReply maps() const;

  QAction demo_;
  std::unique_ptr<TranslatePanel> panel_;
  int marks_ = 0;  // coloured pixels
};

void TestTranslatePanel::init() {
  panel_ = std::make_unique<TranslatePanel>(&demo_);
  panel_->resize(900, 900);
  panel_->setRuns({runNamed(kRun, "first"), runNamed(kOther, "second")});
  panel_->show();
}

void TestTranslatePanel::translate(const QString& text, const std::string& made) {
  panel_->setText(text);
  panel_->translate();
  panel_->setTranslation(replyOf(made));
}

serve::LoadReply TestTranslatePanel::maps() const {
  serve::LoadReply reply;
  for (int layer = 0; layer < 2; ++layer)
    reply.recordings.push_back({"decoder.layers." + std::to_string(layer) + ".encoder_attn",
                                "attention",
                                "decoder",
                                layer,
                                {"head", "target", "source"}});
  reply.recordings.push_back({"encoder.memory", "states", "encoder", -1, {"source", "feature"}});
  return reply;
}

// The view with the model's own weights at a token: 0.2, 0.3 and 0.5 in every layer and head.
void TestTranslatePanel::openOverride(int token) {
  AttentionOverride* view = panel_->attentionOverride();
  child<QTabWidget>("translateViews")->setCurrentWidget(view);
  emit child<TokenStrip>("translateTokens")->chosen(token);
  view->setMaps(maps());
  serve::TranslateReply own = replyOf("the dog");
  for (int layer = 0; layer < 2; ++layer) {
    Recording map{maps().recordings[std::size_t(layer)], {2, 3, 3}, {}};
    for (int row = 0; row < 6; ++row) map.values.insert(map.values.end(), {0.2f, 0.3f, 0.5f});
    own.hypotheses.front().recordings.push_back(map);
  }
  view->setUnchanged(own);
}

// A run that stopped before its first validation has no sentence to try.
void TestTranslatePanel::aRunWithoutExamplesIsAskedOnce() {
  QSignalSpy asked(panel_.get(), &TranslatePanel::examplesRequested);
  panel_->showExample();
  QCOMPARE(asked.size(), 1);
  QVERIFY(!panel_->isUpToDate());
  panel_->setExamples({});
  QCOMPARE(asked.size(), 1);
  QVERIFY(panel_->isUpToDate());
}

// Not beside another one: whether that is refused, cancelled or empty.
void TestTranslatePanel::aTranslationStaysWithItsText() {
  const auto best = [this] { return child<QLabel>("translateBest")->text(); };
  translate("der Hund", "the dog");
  QCOMPARE(best(), QString("the dog"));
  panel_->setText("die Katze");
  panel_->translate();
  panel_->cancel();
  QCOMPARE(best(), QString());
  QVERIFY(panel_->hypotheses().empty());
  translate("der Hund", "the dog");
  panel_->setText("die Katze");
  panel_->translate();
  panel_->setTranslationError("too long");
  QCOMPARE(best(), QString());
  translate("der Hund", "the dog");
  panel_->setText(" \n");
  panel_->translate();
  QVERIFY(!panel_->isBusy());
  QCOMPARE(best(), QString());
}

void TestTranslatePanel::whyASentenceIsRefusedStaysWithIt() {
  auto* refused = child<NoticeBar>("translateRefused");
  panel_->setText("eins\nzwei\ndrei");
  panel_->translate();
  panel_->setTranslationError("too long");
  QCOMPARE(refused->text(), QString("too long"));
  auto* sentences = child<QTableWidget>("translateSentences");
  QCOMPARE(sentences->item(0, 1)->text(), QString("too long"));
  sentences->setCurrentCell(1, 0);  // which is being translated
  QCOMPARE(refused->text(), QString());
  panel_->setTranslation(replyOf("two"));
  panel_->setTranslation(replyOf("three"));
  QCOMPARE(child<QLabel>("translateBest")->text(), QString("two"));
  sentences->setCurrentCell(0, 0);
  QCOMPARE(refused->text(), QString("too long"));
  QCOMPARE(child<QLabel>("translateBest")->text(), QString());
}

// Another sentence does not empty the list first.
void TestTranslatePanel::drawnRunsAreListedOnceASentence() {
  child<QTabWidget>("translateViews")->setCurrentWidget(panel_->others());
  panel_->select({.drawn = QVector<qint64>{kRun, kOther}});
  QSignalSpy asked(panel_.get(), &TranslatePanel::otherRequested);
  translate("der Hund", "the dog");
  auto* table = child<QTableWidget>("translateRunsTable");
  QCOMPARE(table->rowCount(), 2);
  QCOMPARE(asked.size(), 1);
  QSignalSpy removed(table->model(), &QAbstractItemModel::rowsRemoved);
  translate("die Katze", "the cat");
  QCOMPARE(table->rowCount(), 2);
  QCOMPARE(removed.size(), 0);
  QCOMPARE(asked.size(), 2);
  QCOMPARE(lastOf(asked).text, std::string("die Katze"));
}

// The cell is drawn with a line under a word that only it has: its picture has the colour of the
// mark.
void TestTranslatePanel::drawnRunsTranslateWithTheSameStep() {
  constexpr qint64 kLate = 9;
  QVector<RunRow> runs{runNamed(kRun, "first"), runNamed(kOther, "second"),
                       runNamed(kLate, "late")};
  runs[0].checkpoints = {{50}, {100}};
  runs[1].checkpoints = {{40}, {60}};
  runs[2].checkpoints = {{80}};
  panel_->setRuns(runs);
  QSignalSpy asked(panel_.get(), &TranslatePanel::otherRequested);
  child<QTabWidget>("translateViews")->setCurrentWidget(panel_->others());
  panel_->select({.drawn = QVector<qint64>{kRun, kOther, kLate}, .run = kRun, .step = 55});
  translate("der Hund", "the dog");
  QCOMPARE(asked.size(), 1);
  QCOMPARE(lastOf(asked).model.run, std::to_string(kOther));
  QCOMPARE(lastOf(asked).model.checkpoint, std::string("40"));
  panel_->others()->setTranslation(replyOf("a dog"));
  QCOMPARE(asked.size(), 1);  // the other one has none
  const auto* table = child<QTableWidget>("translateRunsTable");
  QCOMPARE(table->item(0, 0)->text(), QString("first, step 50"));
  QCOMPARE(table->item(1, 0)->text(), QString("second, step 40"));
  QCOMPARE(table->item(2, 0)->text(), QString("late"));
  QVERIFY(table->item(2, 2)->text().contains("no checkpoint as early"));
  panel_->select({.checkpoint = "best"});
  translate("der Hund", "the dog");
  QCOMPARE(lastOf(asked).model.checkpoint, std::string("best"));
  QCOMPARE(table->item(0, 0)->text(), QString("first"));
}

void TestTranslatePanel::wordsThatDifferAreMarked() {
  child<QTabWidget>("translateViews")->setCurrentWidget(panel_->others());
  panel_->select({.drawn = QVector<qint64>{kRun, kOther}});
  translate("der Hund", "the dog");
  auto* table = child<QTableWidget>("translateRunsTable");
  const auto marked = [&](const std::string& made) {
    panel_->others()->setTranslation(replyOf(made));
    QCOMPARE(table->item(1, 2)->text(), qs(made));
    const QRect cell = table->visualItemRect(table->item(1, 2));
    const QImage picture = table->viewport()->grab(cell).toImage();
    int coloured = 0;
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = 0; x < picture.width(); ++x) {
        const QColor pixel = picture.pixelColor(x, y);
        coloured += pixel.red() - pixel.blue() > 60;
      }
    }
    QVERIFY(!cell.isEmpty());
    marks_ = coloured;
  };
  marked("the dog");
  QCOMPARE(marks_, 0);
  translate("der Hund", "the dog");
  marked("the brown dog");
  QVERIFY(marks_ > 10);
}

void TestTranslatePanel::typedWordsBeginTheTranslation() {
  translate("der Hund", "the dog barks");
  auto* tree = child<HypothesisTreeView>("translateTree");
  child<QTabWidget>("translateViews")->setCurrentIndex(1);
  tree->setFocus();
  tree->setCurrentItem(nullptr);
  QTest::keyClick(tree, Qt::Key_A);
  auto* line = child<QLineEdit>("translateBeginning");
  QCOMPARE(line->text(), QString("a"));
  QTest::keyClicks(line, " cat");
  QSignalSpy asked(panel_.get(), &TranslatePanel::translationRequested);
  QTest::keyClick(line, Qt::Key_Return);
  QCOMPARE(asked.size(), 1);
  QCOMPARE(lastOf(asked).prefixText, std::string("a cat"));
  QVERIFY(lastOf(asked).prefix.empty() && lastOf(asked).isForced());
  QCOMPARE(child<NoticeBar>("translateBegins")->text(), QString("Begins with: a cat"));
  QVERIFY(panel_->translateCommand().contains("--prefix-text=a cat"));
  panel_->setTranslation(replyOf("a cat barks"));
  tree->setCurrentItem(tree->topLevelItem(0));
  QTest::keyClick(tree, Qt::Key_X);
  QCOMPARE(line->text(), QString("a x"));  // behind the branch's first word
  QSignalSpy unchanged(panel_->attentionOverride(), &AttentionOverride::unchangedRequested);
  openOverride(1);
  QCOMPARE(lastOf(unchanged).prefix, std::vector<std::string>{"a"});
  QVERIFY(lastOf(unchanged).prefixText.empty());
}

void TestTranslatePanel::aBeginningIsThatOfItsSentence() {
  QSignalSpy asked(panel_.get(), &TranslatePanel::translationRequested);
  panel_->setText("eins\nzwei");
  panel_->translate();
  panel_->setTranslation(replyOf("one"));
  auto* line = child<QLineEdit>("translateBeginning");
  line->setText("a");
  QTest::keyClick(line, Qt::Key_Return);  // before the second sentence has been translated
  QCOMPARE(lastOf(asked).prefixText, std::string("a"));
  panel_->setTranslation(replyOf("a one"));
  QCOMPARE(lastOf(asked).text, std::string("zwei"));
  QVERIFY(!lastOf(asked).isForced());
  panel_->setTranslation(replyOf("two"));
  const auto begins = [this] { return child<NoticeBar>("translateBegins")->text(); };
  QCOMPARE(begins(), QString("Begins with: a"));
  QVERIFY(panel_->translateCommand().contains("--prefix-text=a"));
  QVERIFY(!panel_->translateCommand().contains("--text=zwei"));
  child<QTableWidget>("translateSentences")->setCurrentCell(1, 0);
  QCOMPARE(begins(), QString());
  QVERIFY(panel_->translateCommand().contains("--text=zwei"));
  QVERIFY(!panel_->translateCommand().contains("--prefix-text=a"));
}

void TestTranslatePanel::aWordIsReadAlone() {
  translate("der Hund", "the dog");
  AttentionOverride* view = panel_->attentionOverride();
  QSignalSpy loaded(view, &AttentionOverride::mapsRequested),
      unchanged(view, &AttentionOverride::unchangedRequested),
      changed(view, &AttentionOverride::changedRequested);
  openOverride(1);
  QCOMPARE(loaded.size(), 1);
  // What it makes of the sentence by itself begins with the words before the token.
  QCOMPARE(lastOf(unchanged).prefix, std::vector<std::string>{"the"});
  QCOMPARE(lastOf(unchanged).record.size(), std::size_t(2));
  auto* weights = child<QTableWidget>("overrideWeights");
  QCOMPARE(weights->rowCount(), 3);
  QCOMPARE(weights->item(2, 1)->text(), QString("0.5000"));
  QCOMPARE(child<QComboBox>("overrideMap")->count(), 3);  // all, and each
  weights->selectRow(1);
  child<QPushButton>("overrideOnly")->click();
  QCOMPARE(changed.size(), 1);
  const std::vector<std::string> expected{"decoder.layers.0.encoder_attn[target=1]=read:1*1",
                                          "decoder.layers.1.encoder_attn[target=1]=read:1*1"};
  QCOMPARE(lastOf(changed).intervene, expected);
  QCOMPARE(lastOf(changed).prefix, std::vector<std::string>{"the"});
  view->setChanged(replyOf("the cat"));
  auto* made = child<QTableWidget>("overrideTranslations");
  QCOMPARE(made->item(0, 2)->text(), QString("the dog"));
  QCOMPARE(made->item(1, 2)->text(), QString("the cat"));
  const QStringList command = panel_->translateCommand();
  QVERIFY(command.contains("--intervene=" + qs(expected[0])));
  QVERIFY(command.contains("--prefix-tokens=the") && command.contains("--text=der Hund"));
  // Another view shows the translation without them.
  child<QTabWidget>("translateViews")->setCurrentIndex(0);
  QVERIFY(!panel_->translateCommand().join(' ').contains("--intervene"));
}

void TestTranslatePanel::aWordIsForbidden() {
  translate("der Hund", "the dog");
  QSignalSpy changed(panel_->attentionOverride(), &AttentionOverride::changedRequested);
  openOverride(0);
  child<QComboBox>("overrideMap")->setCurrentIndex(2);   // the second layer
  child<QComboBox>("overrideUnit")->setCurrentIndex(2);  // its second head
  auto* weights = child<QTableWidget>("overrideWeights");
  weights->selectRow(2);
  child<QPushButton>("overrideForbid")->click();
  QCOMPARE(
      lastOf(changed).intervene,
      std::vector<std::string>{"decoder.layers.1.encoder_attn[head=1,target=0,source=2]=mask"});
  QVERIFY(lastOf(changed).prefix.empty());
  QCOMPARE(weights->item(2, 2)->text(), QString("forbidden"));
  panel_->attentionOverride()->setProblem("it stopped");
  QCOMPARE(child<QLabel>("overrideHint")->text(), QString("it stopped"));
  QCOMPARE(child<QTableWidget>("overrideTranslations")->rowCount(), 1);
}

void TestTranslatePanel::weightsAreTyped() {
  translate("der Hund", "the dog");
  QSignalSpy changed(panel_->attentionOverride(), &AttentionOverride::changedRequested);
  openOverride(0);
  auto* weights = child<QTableWidget>("overrideWeights");
  child<QPushButton>("overrideTranslate")->click();
  QCOMPARE(changed.size(), 0);  // nothing is given
  QVERIFY(child<QLabel>("overrideHint")->text().startsWith("Give a weight above 0"));
  weights->item(0, 2)->setText("0.25");
  weights->item(1, 2)->setText("much");
  weights->item(2, 2)->setText("0.75");
  QCOMPARE(weights->item(1, 2)->text(), QString());
  QVERIFY(!(weights->item(0, 1)->flags() & Qt::ItemIsEditable));
  child<QPushButton>("overrideTranslate")->click();
  QCOMPARE(lastOf(changed).intervene.front(),
           std::string("decoder.layers.0.encoder_attn[target=0]=read:0*0.25,2*0.75"));
  child<QPushButton>("overrideReset")->click();
  QCOMPARE(weights->item(0, 2)->text(), QString());
  QVERIFY(!panel_->attentionOverride()->changed());
}

void TestTranslatePanel::whatIsGivenBelongsToItsToken() {
  translate("der Hund", "the dog");
  AttentionOverride* view = panel_->attentionOverride();
  QSignalSpy unchanged(view, &AttentionOverride::unchangedRequested);
  openOverride(1);
  child<QTableWidget>("overrideWeights")->selectRow(0);
  child<QPushButton>("overrideOnly")->click();
  QVERIFY(view->changed());
  emit child<TokenStrip>("translateTokens")->chosen(0);
  QVERIFY(!view->changed());
  QCOMPARE(child<QTableWidget>("overrideTranslations")->rowCount(), 0);
  view->setChanged(replyOf("late"));  // of the other token
  QCOMPARE(child<QTableWidget>("overrideTranslations")->rowCount(), 0);
  QVERIFY(lastOf(unchanged).prefix.empty());
}

// It stayed on the first word.
void TestTranslatePanel::weightsAreThoseOfTheChosenWord() {
  translate("der Hund", "the dog");
  openOverride(0);
  QSignalSpy asked(panel_->attentionOverride(), &AttentionOverride::unchangedRequested);
  QVector<Selection> shared;
  connect(panel_.get(), &Panel::selected, this, [&](const Selection& choice) { shared << choice; });
  auto* target = child<QComboBox>("overrideTarget");
  panel_->select({.word = 1});
  QCOMPARE(target->currentIndex(), 1);
  QCOMPARE(child<TokenStrip>("translateTokens")->current(), 1);
  QCOMPARE(asked.size(), 0);  // another choice may follow at once
  QTRY_COMPARE(asked.size(), 1);
  QCOMPARE(asked[0][0].value<serve::TranslateRequest>().prefix, std::vector<std::string>{"the"});
  QVERIFY(shared.isEmpty());
  target->setCurrentIndex(0);
  emit target->activated(0);
  QCOMPARE(shared.size(), 1);
  QCOMPARE(shared[0].word, std::optional(0));
  QCOMPARE(child<TokenStrip>("translateTokens")->current(), 0);
}

void TestTranslatePanel::aModelWithoutAttentionSaysSo() {
  translate("der Hund", "the dog");
  AttentionOverride* view = panel_->attentionOverride();
  child<QTabWidget>("translateViews")->setCurrentWidget(view);
  QSignalSpy unchanged(view, &AttentionOverride::unchangedRequested);
  view->setMaps({});
  QCOMPARE(unchanged.size(), 0);
  QVERIFY(child<QLabel>("overrideHint")->text().startsWith("This model has no attention"));
  QVERIFY(!child<QPushButton>("overrideOnly")->isEnabled());
}

STRATA_TEST(TestTranslatePanel)
#include "test_translate_panel.moc"
