#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "tests/inside/recording_fixture.h"
#include "tests/program.h"
#include "ui/panels/history_corpus_view.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/style/colour_map.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

class TestTargetAttentionPanel : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void anEmptyPanelSaysWhatToDo();
  void itAsksForTheNewestStep();
  void mapsAreSplitIntoBlocks();
  void theJointSoftmaxHasALine();
  void wordsAreMergedOnRequest();
  void arcsTurnRedBeyondTheirLength();
  void hoverLinksAWordInEveryView();
  void theKeyboardReachesEveryCell();
  void theScaleIsFixedUnlessAsked();
  void hypothesesAreListedFirst();
  void allSentencesAreCounted();
  void goldArcsAreShownWhereThereIsGold();
  void chartsKeepRoomToBeRead();
  void picturesAndValuesAreExported();
  void theStateSurvives();

 private:
  template <typename T>
  T* child(const char* name) const {
    return panel_->findChild<T*>(QLatin1String(name));
  }
  void record(bool gold = false);
  void recordGoldHits();

  std::unique_ptr<QAction> newRun_;
  std::unique_ptr<TargetAttentionPanel> panel_;
};

void TestTargetAttentionPanel::init() {
  applyTheme(ThemeChoice::kLight);
  newRun_ = std::make_unique<QAction>("New run");
  panel_ = std::make_unique<TargetAttentionPanel>(newRun_.get());
  panel_->resize(1100, 760);
  panel_->show();
}

// Run 7 with two sentences at step 200: two memories, then one.
void TestTargetAttentionPanel::record(bool gold) {
  RunRow run;
  run.id = 7;
  run.name = "dhea";
  run.historySteps = {100, 200};
  panel_->setRuns({run});
  const auto recordings = std::make_shared<StepRecordings>();
  recordings->runId = 7;
  recordings->step = 200;
  recordings->sentences = {fixture::gateSentence(0), fixture::jointSentence(1)};
  recordings->targetLanguage = "en";
  if (gold) recordings->gold[0] = goldWords("1:det:d 2:nsubj:n -1:root:v");
  panel_->setRecordings(recordings);
}

// Step 100 of the same run: one sentence whose words have their heads before them.
void TestTargetAttentionPanel::recordGoldHits() {
  record();
  const auto recordings = std::make_shared<StepRecordings>();
  recordings->runId = 7;
  recordings->step = 100;
  recordings->sentences = {fixture::gateSentence(0)};
  recordings->gold[0] = goldWords("-1:root:d 0:nsubj:n 0:obj:v");
  child<QSlider>("historyStep")->setValue(0);
  panel_->setRecordings(recordings);
}

void TestTargetAttentionPanel::anEmptyPanelSaysWhatToDo() {
  panel_->setRuns({});
  QVERIFY(panel_->isEmpty() && panel_->isUpToDate());
  bool named = false;
  for (const QLabel* label : panel_->findChildren<QLabel*>())
    named = named || (label->isVisible() && label->text().contains("dhea/gate-stable"));
  QVERIFY(named);
}

void TestTargetAttentionPanel::itAsksForTheNewestStep() {
  QSignalSpy wanted(panel_.get(), &TargetAttentionPanel::recordingsRequested);
  record();
  QCOMPARE(wanted.size(), 1);
  QCOMPARE(wanted[0], QVariantList({qint64(7), qint64(200)}));
  QVERIFY(panel_->isUpToDate());
  QCOMPARE(child<QListWidget>("historySentences")->count(), 2);
  const auto other = std::make_shared<StepRecordings>();
  other->runId = 8;
  panel_->setRecordings(other);  // of a run that is not shown
  QCOMPARE(child<QListWidget>("historySentences")->count(), 2);
}

void TestTargetAttentionPanel::mapsAreSplitIntoBlocks() {
  record();
  const HeatMapView* map = panel_->sentence()->map();
  QCOMPARE(map->maps().size(), 1);
  QCOMPARE(map->maps()[0].rows, QStringList({"a", "dog", "sle@@", "eps", "</s>"}));
  QCOMPARE(map->columns(),
           QStringList({"ein", "Hund", "schlä@@", "ft", "</s>", "</s>", "a", "dog", "sle@@", "eps",
                        "gate, mean", "gate, std", "source share", "source", "history"}));
  const auto& values = map->maps()[0].values;
  QCOMPARE(values[15 + 1], 0.7f);       // dog, Hund
  QCOMPARE(values[15 + 6], 0.6f);       // dog, a
  QVERIFY(std::isnan(values[15 + 7]));  // dog did not exist when it was generated
  QCOMPARE(values[15 + 10], 0.5f);      // mean gate
  QCOMPARE(values[15 + 12], 0.5f);      // source share
  QVERIFY(std::abs(values[15 + 13] - 1) < 1e-6f && std::abs(values[15 + 14] - 1) < 1e-6f);
  // A gap stands before the history, none within it.
  QVERIFY(map->cellRect(0, 0, 5).left() > map->cellRect(0, 0, 4).right() + 8);
  QCOMPARE(map->cellRect(0, 0, 6).left(), map->cellRect(0, 0, 5).right());
  child<QComboBox>("historyLayer")->setCurrentIndex(1);  // all layers
  QCOMPARE(map->maps()[0].title, QString("layer 1"));
}

void TestTargetAttentionPanel::theJointSoftmaxHasALine() {
  record();
  child<QListWidget>("historySentences")->setCurrentRow(1);
  HeatMapView* map = panel_->sentence()->map();
  QCOMPARE(map->columns(), QStringList({"er", "geht", "</s>", "</s>", "he", "goes",
                                        "mass on source", "source + history"}));
  QCOMPARE(map->maps()[0].values[6], 0.75f);
  QCOMPARE(map->maps()[0].values[7], 1.f);
  const QRectF border = map->cellRect(0, 1, 3);
  const QImage picture = map->grab().toImage();
  QCOMPARE(picture.pixelColor(QPointF(border.left() - 0.5, border.center().y()).toPoint()).rgb(),
           theme().text.rgb());
}

void TestTargetAttentionPanel::wordsAreMergedOnRequest() {
  record();
  child<QCheckBox>("historyWords")->setChecked(true);
  QCOMPARE(panel_->sentence()->map()->maps()[0].rows, QStringList({"a", "dog", "sleeps", "</s>"}));
  QCOMPARE(panel_->sentence()->arcs()->words(), QStringList({"a", "dog", "sleeps", "</s>"}));
}

void TestTargetAttentionPanel::arcsTurnRedBeyondTheirLength() {
  record();
  const ArcView* arcs = panel_->sentence()->arcs();
  // clang-format off
  const std::vector<Arc> expected{{1, 0, 0.6f, false},
                              {2, 1, 0.6f, false}, {2, 0, 0.3f, true},
                              {3, 2, 0.4f, false}, {3, 1, 0.4f, true},
                              {4, 0, 0.5f, false}, {4, 1, 0.25f, true}};
  // clang-format on
  QCOMPARE(arcs->rows()[0].arcs, expected);
  QCOMPARE(arcs->colourOf(expected[5]), theme().bad);     // four words back
  QCOMPARE(arcs->colourOf(expected[6]), theme().accent);  // three
  child<QSpinBox>("historyLongest")->setValue(2);
  QCOMPARE(arcs->colourOf(expected[6]), theme().bad);
  child<QSpinBox>("historyLongest")->setValue(4);
  QCOMPARE(arcs->colourOf(expected[5]), theme().accent);
}

void TestTargetAttentionPanel::hoverLinksAWordInEveryView() {
  record();
  QSignalSpy spy(panel_->sentence()->map(), &HeatMapView::hovered);
  QTest::mouseMove(panel_->sentence()->map(),
                   panel_->sentence()->map()->cellRect(0, 2, 7).center().toPoint());
  QTRY_COMPARE(spy.size(), 1);
  QCOMPARE(panel_->sentence()->arcs()->linked(), 2);
  const QString text = child<QLabel>("historyReadout")->text();
  QVERIFY2(text.contains("sle@@") && text.contains("dog") && text.contains("0.600"),
           qPrintable(text));
  const QPoint word = panel_->sentence()->arcs()->wordRect(0, 1).center().toPoint();
  QTest::mouseMove(panel_->sentence()->arcs(), word);
  QTRY_COMPARE(panel_->sentence()->arcs()->linked(), 1);
  QVERIFY(child<QLabel>("historyReadout")->text().contains("source share 0.500"));
}

void TestTargetAttentionPanel::theKeyboardReachesEveryCell() {
  record();
  panel_->sentence()->map()->setFocus();
  for (const int key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Right})
    QTest::keyClick(panel_->sentence()->map(), Qt::Key(key));  // the first one shows where one is
  QCOMPARE(child<QLabel>("historyReadout")->text(), QString("dog · Hund: 0.700"));
  panel_->sentence()->arcs()->setFocus();
  QTest::keyClick(panel_->sentence()->arcs(), Qt::Key_Right);
  QCOMPARE(panel_->sentence()->arcs()->linked(), 2);
}

void TestTargetAttentionPanel::theScaleIsFixedUnlessAsked() {
  record();
  child<QListWidget>("historySentences")->setCurrentRow(1);  // its largest weight is 0.5
  HeatMapView* map = panel_->sentence()->map();
  const auto colour = [map] {
    return map->grab()
        .toImage()
        .pixelColor((map->cellRect(0, 0, 0).topLeft() + QPointF(2, 2)).toPoint())
        .rgb();
  };
  QCOMPARE(colour(), mapColour(0.5).rgb());
  child<QCheckBox>("historyFixedScale")->setChecked(false);
  QCOMPARE(colour(), mapColour(1).rgb());
}

void TestTargetAttentionPanel::hypothesesAreListedFirst() {
  record();
  const SentenceRecordings sentence = fixture::jointSentence();
  const std::vector<Hypothesis> two{
      {.score = -0.25, .recordings = sentence.recordings, .words = sentence.target},
      {.score = -0.5, .recordings = sentence.recordings, .words = {"a", "goes", "</s>"}}};
  panel_->setHypotheses(7, sentence.source, two);
  auto* list = child<QListWidget>("historySentences");
  QCOMPARE(list->count(), 4);
  QCOMPARE(list->item(0)->text(), QString("1-best: he goes </s>"));
  list->setCurrentRow(1);
  QCOMPARE(panel_->sentence()->arcs()->words().first(), QString("a"));
  panel_->setHypotheses(8, sentence.source, {two[0]});  // of another run
  QCOMPARE(list->count(), 4);
}

void TestTargetAttentionPanel::allSentencesAreCounted() {
  record();
  child<QTabWidget>("historyTabs")->setCurrentIndex(1);
  QCOMPARE(panel_->corpus()->byPosition()->categories(), QStringList({"1", "2", "3"}));
  QCOMPARE(panel_->corpus()->byPosition()->series()[0].values, std::vector<double>({1, 0.5, 0.5}));
  QCOMPARE(panel_->corpus()->byClass()->series()[0].values[1], 0.5);  // content words
  QVERIFY(panel_->corpus()->gold()->isHidden());
  child<QComboBox>("historyMeasure")->setCurrentIndex(1);
  QVERIFY(std::abs(panel_->corpus()->byPosition()->series()[0].values[0] - 0.875) < 1e-6);
  QCOMPARE(panel_->corpus()->distances()->series()[1].label, QString("most attended earlier word"));
  QVERIFY(child<QLabel>("historyNote")->text().startsWith("2 sentences, 5 whole words"));
}

void TestTargetAttentionPanel::goldArcsAreShownWhereThereIsGold() {
  record(/*gold=*/true);
  child<QTabWidget>("historyTabs")->setCurrentIndex(1);
  QVERIFY(panel_->corpus()->gold()->isHidden());  // each head stands after its word
  recordGoldHits();
  QVERIFY(!panel_->corpus()->gold()->isHidden());
  const auto& series = panel_->corpus()->gold()->series();
  QCOMPARE(series[0].values, std::vector<double>({0.5}));   // dog -> a, not sleeps -> dog
  QCOMPARE(series[1].values, std::vector<double>({0.5}));   // dog only
  QCOMPARE(series[2].values, std::vector<double>({0.75}));  // of 1 and of 2 earlier words
  QVERIFY(panel_->corpus()->gold()->title().contains("50.0 % of 2 words"));
}

// Beside each other where there is room, else below each other in a list that scrolls; never flat.
void TestTargetAttentionPanel::chartsKeepRoomToBeRead() {
  recordGoldHits();
  child<QTabWidget>("historyTabs")->setCurrentIndex(1);
  const QVector<CategoryPlot*> charts{panel_->corpus()->byPosition(), panel_->corpus()->byClass(),
                                      panel_->corpus()->distances(), panel_->corpus()->gold()};
  QTRY_COMPARE(charts[1]->y(), charts[0]->y());
  QTRY_VERIFY(charts[1]->x() >= charts[0]->geometry().right());
  panel_->resize(600, 480);
  QTRY_COMPARE(charts[1]->x(), charts[0]->x());
  QTRY_VERIFY(charts[3]->y() >= charts[2]->geometry().bottom());
  for (const CategoryPlot* chart : charts) {
    QVERIFY2(chart->height() >= 250 && chart->width() > 500, qPrintable(chart->objectName()));
    QVERIFY(chart->isVisible());
  }
  panel_->resize(1300, 820);  // all four again without scrolling
  QTRY_COMPARE(charts[3]->x(), charts[1]->x());
  const auto* scroll = child<QScrollArea>("historyCharts");
  QTRY_VERIFY(!scroll->verticalScrollBar()->isVisible());
}

void TestTargetAttentionPanel::picturesAndValuesAreExported() {
  record();
  QTemporaryDir folder;
  for (const char* name : {"a.png", "a.svg", "a.pdf"}) {
    panel_->sentence()->arcs()->exportTo(folder.filePath(name));
    QVERIFY(QFileInfo(folder.filePath(name)).size() > 500);
  }
  panel_->sentence()->arcs()->exportTo(folder.filePath("a.csv"));
  QFile arcs(folder.filePath("a.csv"));
  QVERIFY(arcs.open(QIODevice::ReadOnly));
  const QByteArrayList lines = arcs.readAll().trimmed().split('\n');
  QCOMPARE(lines.size(), 8);
  QCOMPARE(lines[1], QByteArray(",1,dog,0,a,1,1,0.600000024"));
  panel_->sentence()->map()->exportTo(folder.filePath("m.csv"));
  QFile maps(folder.filePath("m.csv"));
  QVERIFY(maps.open(QIODevice::ReadOnly));
  QVERIFY(maps.readAll().contains(",1,dog,10,\"gate, mean\",0.5\n"));
  child<QTabWidget>("historyTabs")->setCurrentIndex(1);
  for (const char* name : {"c.png", "c.svg", "c.pdf", "c.csv"}) {
    panel_->corpus()->byClass()->exportTo(folder.filePath(name));
    QVERIFY(QFileInfo(folder.filePath(name)).size() > 60);
  }
  QVERIFY_EXCEPTION_THROWN(panel_->sentence()->arcs()->exportTo(folder.filePath("no/a.csv")),
                           Error);
  QVERIFY_EXCEPTION_THROWN(panel_->corpus()->byClass()->exportTo(folder.filePath("no/a.png")),
                           Error);
}

void TestTargetAttentionPanel::theStateSurvives() {
  record();
  child<QComboBox>("historyLayer")->setCurrentIndex(2);  // layer 1
  child<QCheckBox>("historyWords")->setChecked(true);
  child<QSpinBox>("historyLongest")->setValue(5);
  child<QTabWidget>("historyTabs")->setCurrentIndex(1);
  const Json state = panel_->saveState();
  init();
  panel_->restoreState(nullptr);
  panel_->restoreState({{"version", 1}, {"longest", 999}, {"words", 3}});
  QCOMPARE(child<QSpinBox>("historyLongest")->value(), 3);
  panel_->restoreState(state);
  record();
  QCOMPARE(child<QComboBox>("historyLayer")->currentText(), QString("layer 1"));
  QVERIFY(child<QCheckBox>("historyWords")->isChecked());
  QCOMPARE(panel_->sentence()->arcs()->longest(), 5);
  QCOMPARE(panel_->corpus()->byPosition()->categories().size(), 3);  // its tab is in front
}

STRATA_TEST(TestTargetAttentionPanel)
#include "test_target_attention_panel.moc"
