#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/inside/recording_fixture.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/attention_views.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/map_grid.h"
#include "ui/plots/word_lines.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

// The panel with recordings whose weights are easy to check.
class TestAttentionPanel : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void anEmptyPanelSaysWhatToDo();
  void theMatrixShowsTheChosenHead();
  void partsStandSideBySide();
  void wordsAreMergedOnRequest();
  void rowSumsStandNextToTheirMap();
  void linesReadOutAWord();
  void theBirdsEyeOpensAHead();
  void anotherStepIsSubtracted();
  void otherWordsAreRefusedInPlace();
  void aModelWithoutThePartSaysSo();
  void aRunWithoutRecordingsSaysSo();
  void itFollowsTheSentence();
  void theErrorRateStandsBelow();
  void aLongSentenceIsDrawnInParts();
  void coloursOfDifferencesTellTheSign();
  void theCommandNamesWhatIsShown();
  void theStateSurvives();

 private:
  template <typename T>
  T* child(const char* name) const {
    return panel_->findChild<T*>(QLatin1String(name));
  }
  void choose(const char* box, const QString& text) {
    auto* choice = child<QComboBox>(box);
    QVERIFY2(choice->findText(text) >= 0, qPrintable(text));
    choice->setCurrentIndex(choice->findText(text));
  }
  void listRuns();
  void record(std::vector<SentenceRecordings> sentences);
  void subtract(qint64 run, std::vector<SentenceRecordings> sentences);
  QString text(const char* label) const { return child<QLabel>(label)->text(); }

  std::unique_ptr<QAction> runDemo_;
  std::unique_ptr<AttentionPanel> panel_;
};

namespace {

// "er geht" -> "he goes </s>", two layers of two heads. Head h of layer l reads source word
// (row + h + l) mod 3 alone.
SentenceRecordings headsSentence(float peak = 1) {
  SentenceRecordings made;
  made.source = {"er", "geht", "</s>"};
  made.target = {"he", "goes", "</s>"};
  for (int layer = 0; layer < 2; ++layer) {
    std::vector<float> values;
    for (int head = 0; head < 2; ++head) {
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
          values.push_back(column == (row + head + layer) % 3 ? peak : (1 - peak) / 2);
      }
    }
    made.recordings.push_back(fixture::recording(
        "encoder_attn", "attention", {"head", "target", "source"}, {2, 3, 3}, values, layer));
  }
  return made;
}

SentenceRecordings denseSentence() {
  SentenceRecordings made;
  made.source = {"ein", "klei@@", "nes", "</s>"};
  made.target = {"a", "small@@", "ish", "</s>"};
  for (int part = 0; part < 3; ++part) {
    std::vector<float> values(16, 0);
    for (std::size_t row = 0; row < 4; ++row) values[row * 4 + (row + std::size_t(part)) % 4] = 1;
    made.recordings.push_back(fixture::recording("attn." + std::to_string(part), "attention",
                                                 {"target", "source"}, {4, 4}, values));
  }
  return made;
}

std::shared_ptr<StepRecordings> stepOf(qint64 run, qint64 step,
                                       std::vector<SentenceRecordings> sentences) {
  const auto recordings = std::make_shared<StepRecordings>();
  recordings->runId = run;
  recordings->step = step;
  recordings->sentences = std::move(sentences);
  return recordings;
}

}  // namespace

void TestAttentionPanel::init() {
  applyTheme(ThemeChoice::kLight);
  runDemo_ = std::make_unique<QAction>("Run the demo");
  panel_ = std::make_unique<AttentionPanel>(runDemo_.get());
  panel_->resize(1000, 700);
  panel_->show();
}

// Run 8 is newer than run 7; run 9 has recorded nothing.
void TestAttentionPanel::listRuns() {
  QVector<RunRow> runs(3);
  for (int i = 0; i < 3; ++i) runs[i].id = 7 + i;
  runs[0].name = "base";
  runs[1].name = "other";
  runs[2].name = "silent";
  runs[0].recordedSteps = {100, 200};
  runs[1].recordedSteps = {150};
  panel_->setAllRuns(runs);
  panel_->setRuns(runs);
  panel_->select({.run = 7});
}

// Run 7 at step 200.
void TestAttentionPanel::record(std::vector<SentenceRecordings> sentences) {
  listRuns();
  panel_->setRecordings(stepOf(7, 200, std::move(sentences)));
  QTRY_VERIFY(panel_->isUpToDate());  // what is large is computed in another thread
}

void TestAttentionPanel::subtract(qint64 run, std::vector<SentenceRecordings> sentences) {
  QSignalSpy wanted(panel_.get(), &AttentionPanel::otherRequested);
  auto* others = child<QComboBox>("attentionOtherRun");
  others->setCurrentIndex(others->findData(run));
  QCOMPARE(wanted.size(), 1);
  QCOMPARE(wanted[0][0].toLongLong(), run);
  QVERIFY(!panel_->isUpToDate());
  panel_->setOther(stepOf(run, wanted[0][1].toLongLong(), std::move(sentences)));
  QVERIFY(panel_->isUpToDate());
}

void TestAttentionPanel::anEmptyPanelSaysWhatToDo() {
  panel_->setAllRuns({});
  panel_->setRuns({});
  QVERIFY(panel_->isEmpty() && panel_->isUpToDate());
  bool named = false;
  for (const QLabel* label : panel_->findChildren<QLabel*>())
    named = named || (label->isVisible() && label->text().contains("recording.sentences"));
  QVERIFY(named);
}

void TestAttentionPanel::theMatrixShowsTheChosenHead() {
  record({headsSentence()});
  const HeatMapView* matrix = panel_->views()->matrix();
  // Heads of the two layers: two read the same word, so the mean has 1/4, 1/2, 1/4.
  QCOMPARE(matrix->maps()[0].values,
           std::vector<float>({0.25f, 0.5f, 0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0.25f, 0.25f}));
  choose("attentionLayer", "layer 2");
  choose("attentionUnit", "head 2");
  QCOMPARE(matrix->maps()[0].values, std::vector<float>({0, 0, 1, 1, 0, 0, 0, 1, 0}));
  QCOMPARE(matrix->maps()[0].rows, QStringList({"he", "goes", "</s>"}));
  QCOMPARE(matrix->columns(), QStringList({"er", "geht", "</s>"}));
  emit panel_->views()->matrix()->hovered(0, 0, 2);
  QCOMPARE(text("attentionReadout"), QString("he reads </s>: 1.000"));
  choose("attentionUnit", "all heads");
  QCOMPARE(matrix->columns().size(), 6);
  QTemporaryDir folder;
  panel_->views()->matrix()->exportTo(folder.filePath("maps.csv"));
  QCOMPARE(recordsOf(folder.filePath("maps.csv")).size(), 18);
}

void TestAttentionPanel::partsStandSideBySide() {
  record({denseSentence()});
  QCOMPARE(child<QComboBox>("attentionUnit")->currentText(), QString("all attentions"));
  const HeatMapView* matrix = panel_->views()->matrix();
  QCOMPARE(matrix->columns().size(), 12);
  for (int part = 0; part < 3; ++part) {
    for (int row = 0; row < 4; ++row)
      QCOMPARE(matrix->maps()[0].values[std::size_t(row * 12 + part * 4 + (row + part) % 4)], 1.0f);
  }
  QCOMPARE(panel_->views()->lines()->maps().size(), 3);
  QCOMPARE(panel_->views()->lines()->maps()[1].title, QString("attention 2"));
}

void TestAttentionPanel::wordsAreMergedOnRequest() {
  record({denseSentence()});
  choose("attentionUnit", "attention 1");
  child<QCheckBox>("attentionWords")->setChecked(true);
  const HeatMapView* matrix = panel_->views()->matrix();
  QCOMPARE(matrix->maps()[0].rows, QStringList({"a", "smallish", "</s>"}));
  QCOMPARE(matrix->columns(), QStringList({"ein", "kleines", "</s>"}));
  QCOMPARE(matrix->maps()[0].values, std::vector<float>({1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

void TestAttentionPanel::rowSumsStandNextToTheirMap() {
  record({fixture::jointSentence()});
  child<QCheckBox>("attentionSums")->setChecked(true);
  const HeatMapView* matrix = panel_->views()->matrix();
  QCOMPARE(matrix->columns(), QStringList({"er", "geht", "</s>", "row sum"}));
  const float sums[] = {0.75f, 0.7f, 0.5f};
  for (std::size_t row = 0; row < 3; ++row)
    QVERIFY(std::abs(matrix->maps()[0].values[row * 4 + 3] - sums[row]) < 1e-6f);
  QVERIFY(text("attentionEquation").contains("together"));
}

void TestAttentionPanel::linesReadOutAWord() {
  record({headsSentence(0.8f)});
  panel_->views()->setCurrentIndex(AttentionViews::kLines);
  choose("attentionLayer", "layer 1");
  choose("attentionUnit", "head 1");
  WordLinesView* lines = panel_->views()->lines();
  QCoreApplication::processEvents();  // it gets its place
  lines->grab();
  const QRectF goes = lines->wordRect({0, false, 1});
  QVERIFY(!goes.isEmpty());
  QTest::mouseMove(lines, goes.center().toPoint());
  QCOMPARE(lines->hoveredWord(), (WordLinesView::Word{0, false, 1}));
  QCOMPARE(text("attentionReadout"), QString("goes reads: geht 0.800, er 0.100, </s> 0.100"));
  QTest::keyClick(lines, Qt::Key_Left);
  QCOMPARE(text("attentionReadout"), QString("geht is read by: goes 0.800, he 0.100, </s> 0.100"));
  lines->grab();
}

void TestAttentionPanel::theBirdsEyeOpensAHead() {
  record({headsSentence()});
  panel_->views()->setCurrentIndex(AttentionViews::kBirdsEye);
  MapGridView* grid = panel_->views()->grid();
  QCOMPARE(grid->content().tiles.size(), 4);
  QCOMPARE(grid->content().rows, QStringList({"layer 1", "layer 2"}));
  QCOMPARE(grid->content().columns, QStringList({"head 1", "head 2"}));
  grid->resize(600, 400);
  grid->grab();
  QTest::mouseClick(grid, Qt::LeftButton, {}, grid->tileRect(2).center().toPoint());
  QCOMPARE(panel_->views()->currentIndex(), int(AttentionViews::kMatrix));
  QCOMPARE(child<QComboBox>("attentionLayer")->currentText(), QString("layer 2"));
  QCOMPARE(child<QComboBox>("attentionUnit")->currentText(), QString("head 1"));
  QCOMPARE(panel_->views()->matrix()->maps()[0].values,
           std::vector<float>({0, 1, 0, 0, 0, 1, 1, 0, 0}));
}

void TestAttentionPanel::anotherStepIsSubtracted() {
  record({headsSentence()});
  choose("attentionLayer", "layer 1");
  choose("attentionUnit", "head 1");
  subtract(7, {headsSentence(0.4f)});  // the first step of the same run
  QCOMPARE(child<QComboBox>("attentionOtherStep")->currentText(), QString("step 100"));
  const QVector<WeightMap> maps = panel_->views()->lines()->maps();
  QCOMPARE(maps.size(), 3);
  QVERIFY(maps[0].title.contains("base, step 200") && maps[1].title.contains("base, step 100"));
  QVERIFY(maps[2].difference && !maps[1].difference);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      QVERIFY(std::abs(maps[2].at(row, column) - (row == column ? -0.6f : 0.3f)) < 1e-6f);
  }
  QVERIFY(child<QLabel>("attentionRefused")->isHidden());
  panel_->views()->setCurrentIndex(AttentionViews::kBirdsEye);
  QVERIFY(panel_->views()->grid()->content().tiles[3].difference);
  panel_->views()->grid()->grab();
  child<QComboBox>("attentionOtherRun")->setCurrentIndex(0);
  QVERIFY(!panel_->views()->grid()->content().tiles[3].difference);
}

void TestAttentionPanel::otherWordsAreRefusedInPlace() {
  record({headsSentence()});
  SentenceRecordings other = headsSentence();
  other.target = {"he", "went", "</s>"};
  subtract(8, {other});
  QVERIFY(child<QLabel>("attentionRefused")->isVisible());
  QVERIFY2(text("attentionRefused").contains("word 2 is 'goes' in one and 'went' in the other"),
           qPrintable(text("attentionRefused")));
  QCOMPARE(panel_->views()->lines()->maps().size(), 1);  // A alone
  SentenceRecordings unknown = headsSentence();
  unknown.source = {"sie", "</s>"};
  unknown.sentence = 5;
  child<QComboBox>("attentionOtherRun")->setCurrentIndex(0);
  panel_->setOther(stepOf(8, 150, {unknown}));  // not asked for
  QVERIFY(child<QLabel>("attentionRefused")->isHidden());
}

void TestAttentionPanel::aModelWithoutThePartSaysSo() {
  record({denseSentence()});
  auto* kinds = child<QComboBox>("attentionKind");
  QVERIFY(child<QComboBox>("attentionOtherRun")->isVisible());  // also of a panel that follows
  kinds->setCurrentIndex(0);
  QVERIFY(child<QLabel>("attentionMissing")->isVisible());
  QCOMPARE(text("attentionMissing"),
           QString("This model has no encoder attention. It has: source attention."));
  // The one button that helps shows what the model has.
  auto* remedy = child<QPushButton>("attentionMissingRemedy");
  QCOMPARE(remedy->text(), QString("Show source attention"));
  QTest::mouseClick(remedy, Qt::LeftButton);
  QCOMPARE(kinds->currentIndex(), 2);
  QVERIFY(!child<QLabel>("attentionMissing")->isVisible());
  QVERIFY(!panel_->views()->matrix()->maps().isEmpty());
}

void TestAttentionPanel::aRunWithoutRecordingsSaysSo() {
  record({headsSentence()});
  panel_->select({.run = 9});
  QVERIFY(panel_->lack().contains("silent"));
  QVERIFY(!panel_->views()->isVisible());
  panel_->select({.run = 7});
  QCOMPARE(panel_->lack(), QString());
  QVERIFY(panel_->views()->isVisible());
}

void TestAttentionPanel::itFollowsTheSentence() {
  record({headsSentence(), denseSentence()});
  panel_->select({.sentence = QStringLiteral("Ein kleines")});
  QCOMPARE(child<QListWidget>("attentionSentences")->currentRow(), 1);
  QCOMPARE(panel_->views()->matrix()->maps()[0].rows.first(), QString("a"));
  panel_->select({.step = 120});  // the nearest at or before
  QCOMPARE(child<QSlider>("attentionStep")->value(), 0);
}

void TestAttentionPanel::theErrorRateStandsBelow() {
  listRuns();
  const auto recordings = stepOf(7, 200, {headsSentence()});
  recordings->links[0].sure = recordings->links[0].possible = {AlignmentLink{0, 0}};
  panel_->setRecordings(recordings);
  choose("attentionLayer", "layer 1");
  choose("attentionUnit", "head 1");
  // Links 0-0 and 1-1 of which one is gold: 1 - (1 + 1) / (2 + 1).
  QVERIFY2(text("attentionFigures").contains("AER 0.333"), qPrintable(text("attentionFigures")));
  QVERIFY(text("attentionFigures").contains("evenness 0.000 · largest weight 1.000"));
}

// What is not visible is not painted.
void TestAttentionPanel::aLongSentenceIsDrawnInParts() {
  constexpr int kWords = 1000;
  SentenceRecordings made;
  for (int i = 0; i < kWords; ++i) made.source.push_back("word" + std::to_string(i));
  made.target = made.source;
  std::vector<float> values(std::size_t(kWords) * kWords, 1.0f / kWords);
  made.recordings = {fixture::recording("encoder_attn", "attention", {"target", "source"},
                                        {kWords, kWords}, values)};
  record({made});
  QElapsedTimer timer;
  timer.start();
  HeatMapView* matrix = panel_->views()->matrix();
  QImage image(600, 400, QImage::Format_ARGB32);
  matrix->render(&image, {}, QRegion(0, 0, 600, 400), QWidget::DrawChildren);
  QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
}

void TestAttentionPanel::coloursOfDifferencesTellTheSign() {
  const QColor less = differenceColour(-1), none = differenceColour(0), more = differenceColour(1);
  QVERIFY(less.blue() > less.red() + 60 && more.red() > more.blue() + 60);
  QVERIFY(std::abs(none.red() - none.blue()) < 8 && lightnessOf(none) > 0.9);
  QVERIFY(lightnessOf(differenceColour(0.5)) > lightnessOf(more) + 0.2);
  QCOMPARE(differenceColour(NAN).alpha(), 0);
}

void TestAttentionPanel::theCommandNamesWhatIsShown() {
  record({headsSentence(), denseSentence()});
  child<QListWidget>("attentionSentences")->setCurrentRow(1);
  child<QCheckBox>("attentionWords")->setChecked(true);
  QSignalSpy copied(panel_.get(), &AttentionPanel::commandCopied);
  child<QAction>("copyCommand")->trigger();
  QCOMPARE(copied[0][0].toStringList(),
           QStringList({"runs", "inside", "7", "--step", "200", "--sentence", "2", "--words"}));
}

void TestAttentionPanel::theStateSurvives() {
  record({headsSentence(), denseSentence()});
  child<QListWidget>("attentionSentences")->setCurrentRow(1);
  child<QCheckBox>("attentionSums")->setChecked(true);
  panel_->views()->setCurrentIndex(AttentionViews::kLines);
  choose("attentionUnit", "attention 3");
  const Json state = panel_->saveState();
  init();
  panel_->restoreState(state);
  record({headsSentence(), denseSentence()});
  QCOMPARE(child<QListWidget>("attentionSentences")->currentRow(), 1);
  QCOMPARE(child<QComboBox>("attentionUnit")->currentText(), QString("attention 3"));
  QCOMPARE(panel_->views()->currentIndex(), int(AttentionViews::kLines));
  QCOMPARE(panel_->saveState().dump(), state.dump());
}

STRATA_TEST(TestAttentionPanel)
#include "test_attention_panel.moc"
