#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QTemporaryDir>
#include <QTreeView>
#include <QtTest>

#include "core/data/dataset.h"
#include "tests/program.h"
#include "tests/ui/patience.h"
#include "ui/connect/services.h"
#include "ui/data/text.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/preset_box.h"
#include "ui/panels/preset_model.h"
#include "ui/rpc/engine_client.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

// The Launch panel with the real engine: every preset of the papers, counted, grouped and found.
class TestLaunchPresets : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void init();
  void everyPresetIsListedBelowItsPaper();
  void withoutADatasetCountsAreThePapers();
  void countsFollowTheDataset();
  void typedWordsFindPresets();
  void aClickSelectsTheText();
  void oneHitShowsItsRow();
  void theListIsWalkedWithTheKeys();
  void aNameThatIsNonePutsTheChosenOneBack();
  void countsThatDoNotFitSayWhy();

 private:
  PresetBox* box() const { return panel_->findChild<PresetBox*>("launchPreset"); }
  const PresetModel* model() const { return static_cast<const PresetModel*>(box()->model()); }
  qint64 count(const QString& name) const;
  QString shown(const char* label) const {
    return panel_->findChild<QLabel*>(QLatin1String(label))->text();
  }
  QStringList found() const;
  bool isReady() const { return panel_->isUpToDate() && model()->rowCount() > 0; }
  void type(const QString& text);

  QTemporaryDir folder_;
  QString runner_;
  std::unique_ptr<QAction> demo_;
  std::unique_ptr<EngineClient> engine_;
  std::unique_ptr<LaunchPanel> panel_;
};

void TestLaunchPresets::initTestCase() {
  runner_ = qEnvironmentVariable("STRATA_RUN",
                                 QFileInfo(STRATA_BIN_DIR "/strata-run").absoluteFilePath());
  QVERIFY2(QFileInfo::exists(runner_), "bin/strata-run is not built");
  QCOMPARE(QProcess::execute(runner_, {"--workspace", folder_.path(), "data", "generate", "--name",
                                       "toy", "--size", "300", "--seed", "4"}),
           0);
}

void TestLaunchPresets::init() {
  applyTheme(ThemeChoice::kLight);
  demo_ = std::make_unique<QAction>("Run the demo");
  engine_ = std::make_unique<EngineClient>(
      EngineClient::Options{runner_, {"--workspace", folder_.path(), "serve"}});
  panel_ = std::make_unique<LaunchPanel>(demo_.get());
  connectEngine(panel_.get(), engine_.get());
  panel_->resize(1000, 700);
  panel_->show();
  QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience);
}

qint64 TestLaunchPresets::count(const QString& name) const {
  const PresetRow* preset = model()->preset(model()->rowOf(name));
  return preset ? preset->parameters.value_or(-1) : -2;
}

QStringList TestLaunchPresets::found() const {
  QStringList names;
  const auto* list = box()->found()->model();
  for (int row = 0; row < list->rowCount(); ++row) names << list->index(row, 0).data().toString();
  return names;
}

void TestLaunchPresets::type(const QString& text) {
  panel_->activateWindow();
  box()->lineEdit()->setFocus();
  box()->lineEdit()->selectAll();
  QTest::keyClicks(box()->lineEdit(), text);
}

void TestLaunchPresets::everyPresetIsListedBelowItsPaper() {
  QString heading;
  QHash<QString, int> presets;  // by paper
  QStringList headings;
  for (int row = 0; row < model()->rowCount(); ++row) {
    const QModelIndex index = model()->index(row, PresetModel::kName);
    const PresetRow* preset = model()->preset(row);
    if (preset == nullptr) {
      heading = index.data().toString();
      headings << heading;
      QVERIFY(!(index.flags() & Qt::ItemIsSelectable));  // it cannot be chosen
      continue;
    }
    QCOMPARE(preset->paper, preset->name.section('/', 0, 0));
    QVERIFY2(!preset->description.isEmpty(), qPrintable(preset->name));
    QVERIFY2(preset->parameters.value_or(0) > 0, qPrintable(preset->name));
    ++presets[preset->paper];
  }
  QCOMPARE(headings.size(), presets.size());
  for (const char* paper : {"densenmt", "deepatt", "dhea", "mlrf"})
    QVERIFY2(presets[paper] >= 12, paper);
  QVERIFY(headings[0].contains("TACL 2016") && headings[1].contains("NAACL 2018"));
  QVERIFY(model()->rowOf("dhea/gate-cpu") > model()->rowOf("dhea/gate"));
}

// The exact counts of the papers' models at the vocabularies that they are usually given for.
void TestLaunchPresets::withoutADatasetCountsAreThePapers() {
  QVERIFY(model()
              ->headerData(PresetModel::kParameters, Qt::Horizontal, Qt::DisplayRole)
              .toString()
              .contains("8,848 / 6,632"));
  QCOMPARE(count("densenmt/8l-2"), 12825488);
  QCOMPARE(count("deepatt/att-9-7"), 114541544);
  QCOMPARE(count("dhea/gate"), 44898304);
  QCOMPARE(count("mlrf/both-fnn-sa4"), 12775912);
  const QModelIndex cell =
      model()->index(model()->rowOf("mlrf/base"), PresetModel::kParameters, {});
  QCOMPARE(cell.data().toString(), QString("11,196,904"));
}

// The parameter count in the list equals that of the dry run.
void TestLaunchPresets::countsFollowTheDataset() {
  const auto dataset = Dataset::open((folder_.path() + "/datasets").toStdString(), "toy");
  panel_->setDatasets({{"toy", "de", "en", 300}});
  QTRY_VERIFY_WITH_TIMEOUT(isReady() && count("dhea/gate") < 44898304, kPatience);
  const QString sizes = QStringLiteral("%1 / %2").arg(countText(dataset.sourceVocabularySize()),
                                                      countText(dataset.targetVocabularySize()));
  const QString head =
      model()->headerData(PresetModel::kParameters, Qt::Horizontal, Qt::DisplayRole).toString();
  QVERIFY2(head.contains(sizes), qPrintable(head));
  for (const char* name :
       {"dhea/hybrid-cpu", "densenmt/4l-2-cpu", "mlrf/dec-sa4-cpu", "deepatt/att-1-1-cpu"}) {
    panel_->choose(name, "toy");
    QTRY_VERIFY2_WITH_TIMEOUT(isReady() && panel_->problem().isEmpty(),
                              qPrintable(panel_->problem()), kPatience);
    QCOMPARE(panel_->request().preset, QString(name));
    QCOMPARE(shown("launchParameters"), countText(count(name)));
    QCOMPARE(shown("launchDescription"), model()->preset(model()->rowOf(name))->description);
  }
}

void TestLaunchPresets::typedWordsFindPresets() {
  type("dhea cpu");
  QTRY_VERIFY(box()->found()->isVisible());
  QCOMPARE(found(),
           QStringList({"dhea/none-cpu", "dhea/sum-cpu", "dhea/gate-cpu", "dhea/hybrid-cpu"}));
  const auto* list = box()->found()->model();
  QCOMPARE(list->index(2, PresetModel::kParameters).data().toString(),
           countText(count("dhea/gate-cpu")));
  type("deep-att 9 one column");  // words of the description
  QTRY_VERIFY(!found().isEmpty());
  for (const QString& name : found()) QVERIFY2(name.startsWith("deepatt/"), qPrintable(name));
  QVERIFY(found().contains("deepatt/att-9-7-onecolumn"));
  type("HYBRID cpu");
  QTest::keyClick(box()->lineEdit(), Qt::Key_Return);  // the first that fits
  QTRY_COMPARE(box()->preset(), QString("dhea/hybrid-cpu"));
  QCOMPARE(box()->currentText(), QString("dhea/hybrid-cpu"));
  QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience);
  QVERIFY(
      panel_->findChild<QPlainTextEdit*>("launchYaml")->toPlainText().contains("history: hybrid"));
}

void TestLaunchPresets::aClickSelectsTheText() {
  panel_->activateWindow();
  panel_->findChild<QLineEdit*>("launchName")->setFocus();
  QLineEdit* line = box()->lineEdit();
  QTest::mouseClick(line, Qt::LeftButton, {}, QPoint(20, line->height() / 2));
  QTRY_COMPARE(line->selectedText(), line->text());
  QTest::keyClicks(line, "dhea");
  QCOMPARE(line->text(), QString("dhea"));
}

void TestLaunchPresets::oneHitShowsItsRow() {
  type("both-fnn-sa4 cpu");
  QTRY_VERIFY(box()->found()->isVisible());
  QCOMPARE(found().size(), 1);
  auto* list = box()->found();
  QTRY_VERIFY(list->viewport()->rect().contains(
      list->visualRect(list->model()->index(0, 0)).adjusted(0, 1, -2, -1)));
}

void TestLaunchPresets::theListIsWalkedWithTheKeys() {
  type("mlrf sa6");
  QTRY_VERIFY(box()->found()->isVisible());
  const QStringList names = found();
  QVERIFY(names.size() >= 2);
  QTest::keyClick(box()->found(), Qt::Key_Down);
  QTest::keyClick(box()->found(), Qt::Key_Down);
  QTest::keyClick(box()->found(), Qt::Key_Return);
  QTRY_COMPARE(box()->preset(), names[1]);
  // The closed box steps over headings, from one paper to the next.
  panel_->choose("mlrf/base", {});
  while (model()->preset(box()->currentIndex())->paper == "mlrf")
    QTest::keyClick(box(), Qt::Key_Up);
  QCOMPARE(model()->preset(box()->currentIndex())->paper, QString("dhea"));
  box()->showPopup();
  auto* list = qobject_cast<QTreeView*>(box()->view());
  QTRY_VERIFY(list && list->isVisible());
  QCOMPARE(list->model()->columnCount(), 3);
  QVERIFY(list->isFirstColumnSpanned(0, {}));
  QVERIFY(!list->isFirstColumnSpanned(1, {}));
  if (const QString to = qEnvironmentVariable("STRATA_TEST_PICTURES"); !to.isEmpty())
    list->window()->grab().save(to + "/launch-presets.png");
  box()->hidePopup();
}

void TestLaunchPresets::aNameThatIsNonePutsTheChosenOneBack() {
  panel_->choose("dhea/sum", {});
  type("no such preset");
  QVERIFY(!box()->found()->isVisible());
  QCOMPARE(panel_->request().preset, QString("dhea/sum"));  // whatever the line holds
  panel_->findChild<QLineEdit*>("launchName")->setFocus();
  QTRY_COMPARE(box()->currentText(), QString("dhea/sum"));
  box()->setCurrentText("dhea/gate");  // a whole name needs no Enter
  QCOMPARE(panel_->request().preset, QString("dhea/gate"));
}

void TestLaunchPresets::countsThatDoNotFitSayWhy() {
  PresetModel presets;
  presets.setPresets(
      {.papers = {{"p", "A paper"}, {"q", "Another"}},
       .presets = {{.name = "p/a", .paper = "p", .description = "A", .problem = "why"},
                   {.name = "p/b", .paper = "p", .description = "", .parameters = 1234567},
                   {.name = "q/c", .paper = "q", .description = ""}},
       .vocabulary = {{5, 6}}});
  QCOMPARE(presets.rowCount(), 5);  // with two headings
  QCOMPARE(presets.index(3, 0).data().toString(), QString("Another"));
  QCOMPARE(presets.index(1, PresetModel::kParameters).data().toString(), QString("does not fit"));
  QCOMPARE(presets.index(1, 0).data(Qt::ToolTipRole).toString(), QString("why"));
  QCOMPARE(presets.index(2, PresetModel::kParameters).data().toString(), QString("1,234,567"));
  QCOMPARE(presets.index(4, PresetModel::kParameters).data().toString(), QString());
}

STRATA_TEST(TestLaunchPresets)
#include "test_launch_presets.moc"
