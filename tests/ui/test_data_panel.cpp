#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QtTest>

#include "core/data/dataset.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/job_list.h"
#include "ui/data/text.h"
#include "ui/panels/data_panel.h"
#include "ui/panels/import_form.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/line_plot.h"
#include "ui/widgets/report_table.h"

using namespace strata;
using namespace strata::ui;

// Importing a corpus through the real window, with the real program.
class TestDataPanel : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init();
  void cleanup() { removeWorkspace(); }
  void importsFilesByTheForm();
  void theCopiedLineMakesTheSameDataset();
  void importsAnArchive();
  void aBrokenFileIsNamedAndHarmsNothing();
  void whatThePreparationSaysStandsInPlace();
  void textWithoutSpacesIsWarnedOf();
  void filesAreSwappedAndTyped();
  void aRecipeSaysWhatItLacks();
  void cancelLeavesNothing();
  void theNextWindowFollowsThePreparation();
  void theKeyboardReachesEverything();

 private:
  QString file(const char* name) const { return folder_->filePath(QLatin1String(name)); }
  QStringList corpus() const {
    return {file("train.de"), file("train.en"), file("valid.de"), file("valid.en")};
  }
  DataPanel* panel() const { return window_->panel<DataPanel>(); }
  ImportForm* form() const { return panel()->form(); }
  void import(const QStringList& places);
  void click(const char* button) { QTest::mouseClick(child<QPushButton>(button), Qt::LeftButton); }
  bool has(const QString& dataset) const {
    return !child<QListWidget>("dataList")->findItems(dataset, Qt::MatchExactly).isEmpty();
  }
  template <typename T>
  T* inForm(const char* name) const {
    return form()->findChild<T*>(QLatin1String(name));
  }
  template <typename T>
  T* inDataset(const char* name) const {
    return child<QWidget>("datasetFigures")->findChild<T*>(QLatin1String(name));
  }
  Json printed(const QStringList& arguments) const;
};

static constexpr int kDataPatience = 60000;  // ms; the machine may be busy

void TestDataPanel::init() {
  makeWorkspace();
  qputenv("STRATA_RUN", QFileInfo(STRATA_BIN_DIR "/strata-run").absoluteFilePath().toUtf8());
  std::string source, target;
  for (int i = 0; i < 300; ++i) {
    source += fmt::format("das ist der Satz {} .\n", i * 7 % 300);
    target += fmt::format("this is sentence {} .\n", i * 7 % 300);
  }
  put(toStd(file("train.de")), source + "\n");
  put(toStd(file("train.en")), target + "nothing\n");
  put(toStd(file("valid.de")), "das ist der Satz 7 .\nguten Tag\n");
  put(toStd(file("valid.en")), "this is another .\nhello\n");
}

void TestDataPanel::import(const QStringList& places) {
  open();
  window_->showPerspective("prepare");
  QVERIFY(panel()->isEmpty());
  child<QAction>("importCorpus")->trigger();
  QVERIFY(!panel()->isEmpty());
  form()->addPlaces(places);
  QTRY_VERIFY_WITH_TIMEOUT(form()->isUpToDate(), kDataPatience);
}

Json TestDataPanel::printed(const QStringList& arguments) const {
  QProcess process;
  process.start(
      qEnvironmentVariable("STRATA_RUN"),
      QStringList{"--workspace", folder_->path(), "--json", "--log-level", "error"} + arguments);
  if (!process.waitForFinished(kDataPatience) || process.exitCode() != 0) {
    qWarning("%s", process.readAllStandardError().constData());
    return {};
  }
  return parseJson(process.readAllStandardOutput().toStdString(), "strata-run");
}

static QString cellOf(const ReportTable* table, std::size_t row, std::size_t column) {
  return qs(table->table().rows[row][column].text());
}

void TestDataPanel::importsFilesByTheForm() {
  import(corpus());
  QCOMPARE(inForm<QLineEdit>("importSource")->text(), QString("de"));
  QCOMPARE(inForm<QLineEdit>("importTarget")->text(), QString("en"));
  QCOMPARE(inForm<QTableWidget>("importFiles")->rowCount(), 2);
  auto* name = inForm<QLineEdit>("importName");
  QVERIFY(name->text().endsWith("-deen"));
  name->setText("mine");
  inForm<QSpinBox>("import--bpe")->setValue(40);
  QTRY_VERIFY_WITH_TIMEOUT(form()->isUpToDate(), kDataPatience);
  const Json verb = printed(QStringList{"data", "preview", "--bpe", "40"} + corpus());
  const Json& figures = verb["figures"];
  QHOLDS(toStd(inForm<QLabel>("importState")->text()), "301 pairs read, 300 kept");
  QHOLDS(toStd(inForm<QLabel>("importState")->text()), "valid: 2 sentences");
  const auto* rejected = inForm<ReportTable>("dataRejected");
  QCOMPARE(rejected->table().rows.size(), std::size_t(1));
  QCOMPARE(cellOf(rejected, 0, 0), QString("empty"));
  QCOMPARE(cellOf(rejected, 0, 1), QString("301"));
  const auto* merges = inForm<ReportTable>("dataMerges");
  QCOMPARE(merges->table().rows.size(), verb["merges"]["rows"].size());
  for (std::size_t row = 0; row < merges->table().rows.size(); ++row) {
    const Json& of = verb["merges"]["rows"][row];
    QCOMPARE(cellOf(merges, row, 1), QString::number(of["source"]["vocabulary"].get<int>()));
    QCOMPARE(*merges->table().rows[row][2].sortKey(), of["source"]["units_per_word"].get<double>());
    QCOMPARE(*merges->table().rows[row][8].sortKey(),
             of["target"]["unknown_on_valid"].get<double>());
  }
  const auto* growth = inForm<LinePlot>("dataGrowth");
  QCOMPARE(growth->lines()[0].points.back().y, figures["source"]["types"].get<double>());
  QCOMPARE(growth->lines()[1].points.back().x, figures["target"]["tokens"].get<double>());
  QCOMPARE(inForm<LinePlot>("dataCoverage")->lines()[0].points.back().y,
           figures["coverage"][0]["points"].back()[1].get<double>());
  QHOLDS(toStd(inForm<QLabel>("dataSharedLine")->text()), "valid: 1 sources, 0 references");
  click("importPrepare");
  QTRY_VERIFY_WITH_TIMEOUT(has("mine"), kDataPatience);
  QTRY_COMPARE_WITH_TIMEOUT(panel()->dataset(), QString("mine"), kDataPatience);
  QTRY_VERIFY_WITH_TIMEOUT(panel()->isUpToDate(), kDataPatience);
  const Json shown = printed({"data", "show", "mine", "--figures"});
  QHOLDS(toStd(child<QLabel>("dataFacts")->text()), "300 pairs  ·  of 301 pairs dropped: 1 empty");
  QHOLDS(toStd(child<QLabel>("dataFacts")->text()), shown["digest"].get<std::string>());
  QHOLDS(toStd(child<QLabel>("dataState")->text()), "digest verified");
  QHOLDS(toStd(child<QTextBrowser>("dataManifest")->toPlainText()), "bpe: 40");
  QCOMPARE(inDataset<LinePlot>("dataGrowth")->lines()[0].points.back().y,
           shown["text"]["figures"]["source"]["types"].get<double>());
  QCOMPARE(inDataset<CategoryPlot>("dataLengths")->series()[0].values.size(),
           shown["text"]["figures"]["lengths"].size());
  auto* shared = inDataset<ReportTable>("dataShared");
  QVERIFY(!shared->isVisible());
  QTest::mouseClick(inDataset<QToolButton>("dataShowShared"), Qt::LeftButton);
  QVERIFY(shared->isVisible());
  QCOMPARE(cellOf(shared, 0, 3), QString("das ist der Satz 7 ."));
  click("dataTrain");
  QCOMPARE(window_->perspective(), QString("train"));
  QCOMPARE(child<QComboBox>("launchDataset")->currentData().toString(), QString("mine"));
}

void TestDataPanel::theCopiedLineMakesTheSameDataset() {
  import(corpus());
  inForm<QLineEdit>("importName")->setText("mine");
  inForm<QSpinBox>("import--bpe")->setValue(30);
  QTRY_VERIFY_WITH_TIMEOUT(form()->isUpToDate(), kDataPatience);
  panel()->findChild<QAction*>("importCopy")->trigger();
  const QString line = QGuiApplication::clipboard()->text();
  click("importPrepare");
  QTRY_VERIFY_WITH_TIMEOUT(has("mine"), kDataPatience);
  const QTemporaryDir other;
  QProcess shell;
  shell.start("sh", {"-c", QString(line).replace("--workspace " + folder_->path(),
                                                 "--workspace " + other.path())});
  QVERIFY(shell.waitForFinished(kDataPatience));
  QCOMPARE(shell.exitCode(), 0);
  QCOMPARE(Dataset::open(toStd(other.path() + "/datasets"), "mine").digest(),
           Dataset::open(toStd(folder_->path() + "/datasets"), "mine").digest());
}

void TestDataPanel::importsAnArchive() {
  QCOMPARE(QProcess::execute("tar", {"czf", file("corpus.tgz"), "-C", folder_->path(), "train.de",
                                     "train.en", "valid.de", "valid.en"}),
           0);
  import({file("corpus.tgz")});
  const auto* files = inForm<QTableWidget>("importFiles");
  QCOMPARE(files->rowCount(), 2);
  QCOMPARE(files->item(0, 2)->text(), file("corpus.tgz") + ":train.de");
  QCOMPARE(inForm<QLineEdit>("importName")->text(), QString("corpus-deen"));
  QVERIFY(child<QPushButton>("importPrepare")->isEnabled());
  click("importPrepare");
  QTRY_VERIFY_WITH_TIMEOUT(has("corpus-deen"), kDataPatience);
}

void TestDataPanel::aBrokenFileIsNamedAndHarmsNothing() {
  const std::string good = readFile(toStd(file("train.en")));
  put(toStd(file("train.en")), "this is \xff\n" + good);
  import(corpus());
  const std::string problem = toStd(inForm<QLabel>("importProblem")->text());
  QHOLDS(problem, toStd(file("train.en")) + ", line 1: bad UTF-8");
  QVERIFY(!child<QPushButton>("importPrepare")->isEnabled());
  QVERIFY(inForm<ReportTable>("dataRejected")->isVisible());
  QCOMPARE(cellOf(inForm<ReportTable>("dataRejected"), 2, 0), QString("unequal counts"));
  QCOMPARE(inForm<QTableWidget>("importFiles")->rowCount(), 2);  // the entries stay
  put(toStd(file("train.en")), good);
  inForm<QLineEdit>("importName")->setText("mended");
  QTRY_VERIFY_WITH_TIMEOUT(form()->isUpToDate(), kDataPatience);
  QCOMPARE(inForm<QLabel>("importProblem")->text(), QString());
  QVERIFY(child<QPushButton>("importPrepare")->isEnabled());
}

// The file breaks after the preview.
void TestDataPanel::whatThePreparationSaysStandsInPlace() {
  import(corpus());
  QVERIFY(child<QPushButton>("importPrepare")->isEnabled());
  put(toStd(file("train.en")), "one line\n");
  click("importPrepare");
  QTRY_VERIFY_WITH_TIMEOUT(inForm<QLabel>("importProblem")->text().contains("has 1"),
                           kDataPatience);
  QHOLDS(toStd(inForm<QLabel>("importProblem")->text()), toStd(file("train.en")));
  QCOMPARE(inForm<QTableWidget>("importFiles")->rowCount(), 2);
  QVERIFY(!child<QPushButton>("importCancel")->isVisible());
  QVERIFY(child<QPushButton>("importPrepare")->isEnabled());
}

void TestDataPanel::textWithoutSpacesIsWarnedOf() {
  put(toStd(file("train.zh")), "我在北京工作。\n你喜欢这个城市的音乐。\n");
  put(toStd(file("train.en")), "I work in Beijing.\nYou like the music of this city.\n");
  import({file("train.zh"), file("train.en")});
  QHOLDS(toStd(inForm<QLabel>("importProblem")->text()), "source (zh) of train: text of a script");
  QVERIFY(child<QPushButton>("importPrepare")->isEnabled());
  inForm<QComboBox>("import--tokenizer")->setCurrentText("icu");
  QTRY_VERIFY_WITH_TIMEOUT(form()->isUpToDate(), kDataPatience);
  QCOMPARE(inForm<QLabel>("importProblem")->text(), QString());
  inForm<QLineEdit>("importName")->setText("chinese");
  QTRY_VERIFY_WITH_TIMEOUT(form()->isUpToDate(), kDataPatience);
  click("importPrepare");
  QTRY_VERIFY_WITH_TIMEOUT(has("chinese"), kDataPatience);
  const Dataset dataset(toStd(folder_->filePath("datasets/chinese")));
  QCOMPARE(dataset.manifest()["pipeline"]["source"]["tokenizer"].get<std::string>(),
           std::string("icu"));
}

void TestDataPanel::filesAreSwappedAndTyped() {
  import({});
  form()->addPlaces(corpus());
  QTRY_VERIFY_WITH_TIMEOUT(form()->isUpToDate() && !form()->call().options.train.empty(),
                           kDataPatience);
  QTest::mouseClick(inForm<QToolButton>("importSwap"), Qt::LeftButton);
  const PrepareOptions options = form()->call().options;
  QCOMPARE(options.sourceLanguage, std::string("en"));
  QCOMPARE(options.train.front().source.location, toStd(file("train.en")));
  QCOMPARE(options.sets.front().parts.front().targets.front().location, toStd(file("valid.de")));
  // A row that is for nothing, and one that is typed.
  auto* table = inForm<QTableWidget>("importFiles");
  qobject_cast<QComboBox*>(table->cellWidget(1, 0))->setCurrentIndex(3);
  QVERIFY(form()->call().options.sets.empty());
  table->item(0, 2)->setText(file("absent.en"));
  QTRY_VERIFY_WITH_TIMEOUT(inForm<QLabel>("importProblem")->text().contains("absent.en"),
                           kDataPatience);
}

void TestDataPanel::aRecipeSaysWhatItLacks() {
  import({});
  auto* recipe = inForm<QComboBox>("importRecipe");
  recipe->setCurrentIndex(recipe->findData("multi30k-deen"));
  QTRY_COMPARE_WITH_TIMEOUT(inForm<QLineEdit>("importName")->text(), QString("multi30k-deen"),
                            kDataPatience);
  QVERIFY(!child<QPushButton>("importPrepare")->isEnabled());
  form()->addPlaces({file("train.de")});
  QTRY_VERIFY_WITH_TIMEOUT(inForm<QLabel>("importProblem")->text().contains("not among the files"),
                           kDataPatience);
}

void TestDataPanel::cancelLeavesNothing() {
  std::string source, target;
  for (int i = 0; i < 600000; ++i) {  // takes seconds
    source += fmt::format("das ist der lange Satz {} von vielen .\n", i);
    target += fmt::format("this is the long sentence {} of many .\n", i);
  }
  put(toStd(file("train.de")), source);
  put(toStd(file("train.en")), target);
  import(corpus());
  click("importPrepare");
  QVERIFY(child<QPushButton>("importCancel")->isVisible());
  QVERIFY(!child<QPushButton>("importPrepare")->isEnabled());
  const auto& jobs = window_->jobs()->rows();
  QTRY_VERIFY_WITH_TIMEOUT(jobs.size() == 1 && jobs[0].share > 0, kDataPatience);
  QVERIFY(jobs[0].kind == JobKind::kPreparing && jobs[0].name.contains("-deen"));
  window_->jobs()->cancel(jobs[0].id);
  QTRY_VERIFY_WITH_TIMEOUT(!child<QPushButton>("importCancel")->isVisible(), kDataPatience);
  QVERIFY(child<QPushButton>("importPrepare")->isEnabled());
  QVERIFY(listDatasets(toStd(folder_->path() + "/datasets")).datasets.empty());
}

void TestDataPanel::theNextWindowFollowsThePreparation() {
  import(corpus());
  inForm<QLineEdit>("importName")->setText("mine");
  QTRY_VERIFY_WITH_TIMEOUT(form()->isUpToDate(), kDataPatience);
  click("importPrepare");
  reopen();
  QCOMPARE(window_->perspective(), QString("prepare"));
  QTRY_VERIFY_WITH_TIMEOUT(has("mine"), kDataPatience);
  QTRY_VERIFY_WITH_TIMEOUT(!child<QPushButton>("importCancel")->isVisible(), kDataPatience);
  QCOMPARE(inForm<QTableWidget>("importFiles")->rowCount(), 2);  // the entries are kept
  QTRY_VERIFY(!QFileInfo::exists(folder_->path() + "/ui/prepare.running.json"));
  QVERIFY(window_->jobs()->rows().isEmpty());
}

void TestDataPanel::theKeyboardReachesEverything() {
  import(corpus());
  window_->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  auto* first = inForm<QPushButton>("importAdd");
  first->setFocus();
  QStringList visited;
  for (int i = 0; i < 80 && !visited.contains("importPrepare"); ++i) {
    QWidget* focus = QApplication::focusWidget();
    QVERIFY(focus);
    const auto* button = qobject_cast<QAbstractButton*>(focus);
    QVERIFY2(!focus->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
             qPrintable(focus->objectName() + " has no accessible name"));
    visited << focus->objectName();
    QTest::keyClick(focus, Qt::Key_Tab);
  }
  const QStringList order{"importAdd",   "importRemove", "importRecipe",
                          "importFiles", "importSource", "importTarget",
                          "importName",  "import--bpe",  "importPrepare"};
  int place = -1;
  for (const QString& name : order) {
    QVERIFY2(visited.indexOf(name) > place, qPrintable(name + " in " + visited.join(' ')));
    place = int(visited.indexOf(name));
  }
  auto* files = inForm<QTableWidget>("importFiles");
  files->setFocus();
  files->setCurrentCell(1, 0);
  QVERIFY(files->hasFocus());
  QTest::keyClick(files, Qt::Key_Return);
  QTRY_VERIFY(QApplication::activePopupWidget());
  QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Escape);
  QTRY_VERIFY(!QApplication::activePopupWidget());
}

STRATA_TEST(TestDataPanel)
#include "test_data_panel.moc"
