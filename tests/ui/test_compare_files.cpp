#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QTreeView>
#include <QtTest>

#include "core/base/json.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_tables.h"
#include "tests/program.h"
#include "tests/ui/compare_window.h"
#include "ui/panels/sentence_model.h"
#include "ui/panels/sentence_view.h"
#include "ui/widgets/import_scores_dialog.h"
#include "ui/widgets/messages.h"
#include "ui/widgets/report_table.h"
#include "ui/widgets/system_list.h"

using namespace strata;
using namespace strata::ui;

// What Compare takes in and gives out: imports, the trash, exports, and the line of the program
// that does the same.
class TestCompareFiles : public QObject, private CompareWindow {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void filesAreImportedThroughTheDialog();
  void aTestSetIsImported();
  void scoresAreImportedThroughTheDialog();
  void columnsOfScoresAreOffered();
  void theTrashIsEmptiedBack();
  void theCopiedCommandGivesTheSame();
  void allIsExported();
};

void TestCompareFiles::filesAreImportedThroughTheDialog() {
  fillThree();
  open();
  const auto path = qs((fixture_->folder / "other.txt").string());
  put(toStd(path), "one\ntwo\n");
  child<QAction>("importSystem")->trigger();
  auto* dialog = panel()->findChild<ImportSystemDialog*>();
  QVERIFY(dialog);
  auto* file = dialog->findChild<QLineEdit*>("importFile");
  auto* name = dialog->findChild<QLineEdit*>("importName");
  auto* button = dialog->findChild<QPushButton*>("importButton");
  QTest::keyClicks(file, path);  // typed, not chosen
  QCOMPARE(name->text(), QString("other"));
  QTest::mouseClick(button, Qt::LeftButton);
  QTRY_VERIFY2(dialog->error().contains("other.txt has 2 lines"), qPrintable(dialog->error()));
  QVERIFY(dialog->isVisible() && button->isEnabled());  // the entries stay
  QCOMPARE(file->text(), path);
  QCOMPARE(panel()->systems()->view()->model()->rowCount(), 3);
  put(toStd(path), "H-0\t-0.5\tThe house .\nH-1\t-0.2\tA mouse !\nH-2\t-0.1\tIt is old .\n");
  name->setText("fair");
  QVERIFY(dialog->error().isEmpty());
  file->setText(path + " ");  // another path does not rename what the user has named
  file->setText(path);
  QCOMPARE(name->text(), QString("fair"));
  QTest::mouseClick(button, Qt::LeftButton);
  QTRY_COMPARE(panel()->systems()->view()->model()->rowCount(), 4);
  QTRY_VERIFY(window_->messages()->text().contains("fair imported"));
  QTRY_VERIFY(!panel()->findChild<ImportSystemDialog*>());
}

void TestCompareFiles::aTestSetIsImported() {
  open();
  QVERIFY(panel()->isEmpty());
  put(fixture_->folder / "news.en", "one two three four five\n");
  for (QAction* action : panel()->findChildren<QAction*>()) {
    if (action->text() == "Import a test set…") action->trigger();
  }
  auto* dialog = panel()->findChild<ImportTestSetDialog*>();
  QVERIFY(dialog);
  dialog->setReferences({qs((fixture_->folder / "news.en").string())});
  QCOMPARE(dialog->findChild<QLineEdit*>("importName")->text(), QString("news"));
  QTest::mouseClick(dialog->findChild<QPushButton*>("importButton"), Qt::LeftButton);
  QTRY_VERIFY(window_->messages()->text().contains("Test set news imported"));

  // One sentence: scores, but no resampling results.
  fixture_->import("a", "one two three four five\n", "news");
  fixture_->import("b", "one two three four six\n", "news");
  panel()->refresh();
  QTRY_VERIFY(panel()->comparison());
  QCOMPARE(comparison().sentences.size(), std::size_t(1));
  QVERIFY(!comparison().first().systems[1].interval);
}

// Two columns hold numbers: the user is told, and chooses one.
void TestCompareFiles::columnsOfScoresAreOffered() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  const fs::path path = fixture_->folder / "people.tsv";
  put(path, "id\terrors\tseconds\n2\t3\t9\n0\t1\t8\n1\t2.5\t7\n");
  child<QAction>("importScores")->trigger();
  auto* dialog = panel()->findChild<ImportScoresDialog*>();
  QVERIFY(dialog);
  QTest::keyClicks(dialog->findChild<QLineEdit*>("scoresFile"), qs(path.string()));
  QTRY_VERIFY2(dialog->error().contains("several columns hold numbers"),
               qPrintable(dialog->error()));
  auto* column = dialog->findChild<QComboBox*>("scoresColumn");
  QVERIFY(column->isVisibleTo(dialog));
  QCOMPARE(column->currentText(), QString("choose"));
  column->setCurrentIndex(column->findText("errors"));
  QTRY_VERIFY(dialog->isPreviewed());
  QCOMPARE(column->currentText(), QString("errors"));
  QCOMPARE(dialog->findChild<QTableWidget*>("scoresLists")->item(0, 3)->text(), QString("2.1667"));
  auto* recognised = dialog->findChild<QLabel*>("scoresRecognised");
  QVERIFY(recognised->text().contains("ordered by column 'id'"));
  QCOMPARE(dialog->request().how.idColumn, std::string());
  dialog->close();
}

void TestCompareFiles::scoresAreImportedThroughTheDialog() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  const fs::path path = fixture_->folder / "comet.json";
  const std::string start =
      R"({"model": "Unbabel/wmt22-comet-da", "translations": [
          {"name": "a", "mt": ["The house.", "A mouse!", "It's old."], "scores": [0.9, 0.8, 1]},
          {"name": "b", "mt": [)";
  put(path, start + R"("The moose.", "A mouse!", "It's old."], "scores": [0.5, 0.8, null]}]})");
  child<QAction>("importScores")->trigger();
  auto* dialog = panel()->findChild<ImportScoresDialog*>();
  QVERIFY(dialog);
  auto* file = dialog->findChild<QLineEdit*>("scoresFile");
  QTest::keyClicks(file, qs(path.string()));
  QTRY_VERIFY(dialog->isPreviewed());
  auto* lists = dialog->findChild<QTableWidget*>("scoresLists");
  QCOMPARE(lists->rowCount(), 2);
  QCOMPARE(lists->item(1, 2)->text(), QString("1"));
  QCOMPARE(lists->item(1, 3)->text(), QString("0.6500"));
  // The texts of the first list are those of "perfect"; those of the second are of no system.
  QCOMPARE(dialog->findChild<QComboBox*>("scoresOf0")->currentText(), QString("perfect"));
  auto* second = dialog->findChild<QComboBox*>("scoresOf1");
  QCOMPARE(second->currentData().toString(), QString());
  QCOMPARE(dialog->findChild<QLineEdit*>("scoresModel")->text(), QString("Unbabel/wmt22-comet-da"));
  second->setCurrentIndex(second->findText("close"));
  auto* button = dialog->findChild<QPushButton*>("importButton");
  QTest::mouseClick(button, Qt::LeftButton);
  QTRY_VERIFY2(dialog->error().contains("line 1 differs: the file has 'The moose.'"),
               qPrintable(dialog->error()));
  QCOMPARE(second->currentText(), QString("close"));
  put(path, start + R"("The mouse.", "A mouse!", "It's old."], "scores": [0.5, 0.8, null]}]})");
  QTest::mouseClick(button, Qt::LeftButton);
  QTRY_VERIFY(
      window_->messages()->text().contains("Unbabel/wmt22-comet-da imported for 2 systems"));
  QTRY_VERIFY(!panel()->findChild<ImportScoresDialog*>());

  // It is a metric now, next to the others and as the one of the sentences.
  const QString name("COMET Unbabel/wmt22-comet-da");
  auto* metric = child<QComboBox>("compareMetric");
  QTRY_VERIFY(metric->findText(name) >= 0);
  panel()->systems()->choose({"close", "perfect"}, "close");
  compared();
  QCOMPARE(qs(comparison().metrics.back().metric->name()), name);
  QCOMPARE(comparison().metrics.back().systems[0].score, 0.65);
  const SentenceModel* model = panel()->sentences()->model();
  const std::size_t last = comparison().metrics.size() - 1;
  const int column = model->columnOf({SentenceModel::Kind::kImported, 1, last});
  QVERIFY(column > 0);
  QCOMPARE(model->index(1, column).data().toString(), QString("0.8000"));
  panel()->sentences()->table()->sortByColumn(column, Qt::AscendingOrder);
  QCOMPARE(model->positionAt(0), std::size_t(1));
  metric->setCurrentIndex(metric->findText(name));
  compared();
  QCOMPARE(comparison().sentenceScores[1], (std::vector<double>{0.9, 0.8, 1}));
  QCOMPARE(model->index(2, model->columnOf({SentenceModel::Kind::kScore, 0})).data().toString(),
           QString(QChar(0x2013)));
  QTRY_VERIFY(child<ReportTable>("scoresTable1"));
  const Table& table = child<ReportTable>("scoresTable1")->table();
  QCOMPARE(table.columns[4].title, std::string("worth to people"));
  QCOMPARE(table.rows[1][4].text(), std::string("96 %"));
  const auto* header = child<ReportTable>("scoresTable1")->model();
  QVERIFY(header->headerData(4, Qt::Horizontal, Qt::ToolTipRole).toString().contains("COMET22"));

  // Removed, and brought back.
  emit panel()->systems()->trashScoresRequested("close", name);
  QTRY_VERIFY(panel()->systems()->system("close")->importedScores.empty());
  window_->findChild<QAction*>("undo")->trigger();
  QTRY_VERIFY(!panel()->systems()->system("close")->importedScores.empty());
}

void TestCompareFiles::theTrashIsEmptiedBack() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  QAbstractItemModel* list = panel()->systems()->view()->model();
  emit panel()->systems()->trashRequested("perfect");
  QTRY_COMPARE(list->rowCount(), 2);
  QTRY_VERIFY(window_->messages()->text().contains("perfect is in the trash"));
  window_->findChild<QAction*>("undo")->trigger();
  QTRY_COMPARE(list->rowCount(), 3);

  emit panel()->systems()->trashRequested("close");
  QTRY_COMPARE(list->rowCount(), 2);
  auto* menu = child<QMenu>("restoreMenu");
  QTRY_VERIFY(menu->isEnabled());
  emit menu->aboutToShow();
  QCOMPARE(menu->actions().size(), 1);
  QCOMPARE(menu->actions()[0]->text(), QString("close of small/test"));
  menu->actions()[0]->trigger();
  QTRY_COMPARE(list->rowCount(), 3);
  QTRY_VERIFY(!menu->isEnabled());
}

void TestCompareFiles::theCopiedCommandGivesTheSame() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  auto* metric = child<QComboBox>("compareMetric");
  metric->setCurrentIndex(metric->findText("TER"));
  child<QLineEdit>("compareEdges")->setText("2, 7");
  panel()->systems()->choose(panel()->systems()->chosen(), "close");
  compared();
  QSignalSpy copied(panel(), &Panel::commandCopied);
  child<QAction>("copyCommand")->trigger();
  child<QAction>("copyExportCommand")->trigger();
  QCOMPARE(copied.size(), 2);
  QVERIFY(QGuiApplication::clipboard()->text().contains("--html comparison.html"));
  const auto run = [this](QStringList line) {
    QProcess process;
    process.setWorkingDirectory(qs(fixture_->folder.path().string()));
    process.start(QFileInfo(STRATA_BIN_DIR "/strata-run").absoluteFilePath(),
                  QStringList{"--json", "--log-level", "error", "--workspace",
                              qs(fixture_->workspace.root().string())} +
                      line);
    process.waitForFinished(60000);
    return process.readAllStandardOutput().toStdString();
  };
  const Json printed = parseJson(run(copied[0][0].toStringList()), "compare");
  Json here = toJson(comparison());
  here["notes"] = comparisonNotes(comparison());
  here["files"] = Json::object();
  QCOMPARE(printed.dump(), here.dump());
  const Json files = parseJson(run(copied[1][0].toStringList()), "export");
  QCOMPARE(files.at("files").size(), std::size_t(3));
  QCOMPARE(readFile(fixture_->folder / "sentences.tsv"), sentencesTsv(comparison()));
}

void TestCompareFiles::allIsExported() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  using Kind = ExportTarget::Kind;
  const std::pair<Kind, std::string> targets[] = {{Kind::kPage, "page.html"},
                                                  {Kind::kSentences, "sentences.tsv"},
                                                  {Kind::kLatex, "scores.tex"}};
  for (const auto& [kind, name] : targets) {
    const fs::path path = fixture_->folder / name;
    panel()->exportTo({kind, qs(path.string())});
    QTRY_VERIFY(fs::exists(path));
    QTRY_VERIFY(window_->messages()->text().contains(qs(name)));
    QVERIFY(readFile(path).find("perfect") != std::string::npos);
  }
  panel()->exportTo({Kind::kPage, "/nowhere/page.html"});
  QTRY_VERIFY(window_->messages()->text().contains("/nowhere"));
}

STRATA_TEST(TestCompareFiles)
#include "test_compare_files.moc"
