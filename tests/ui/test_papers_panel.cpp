#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QSpinBox>
#include <QTextBrowser>
#include <QtTest>

#include "core/report/table.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/trained_window.h"
#include "ui/data/job_list.h"
#include "ui/data/text.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/papers_panel.h"
#include "ui/plots/network_drawing.h"
#include "ui/plots/xy_plot.h"
#include "ui/widgets/report_table.h"

using namespace strata;
using namespace strata::ui;

// The papers' tables in the real window, with runs that the real program has trained and scored.
class TestPapersPanel : public QObject, private TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase();
  void theTableIsWhatShowPrints();
  void aRowShowsTheStateOfItsRuns();
  void scoringFillsTheTable();
  void nothingIsMeasuredTwice();
  void aFullRowOpensItsRuns();
  void anEmptyRowQueuesWhatItLacks();
  void copiedCommandsDoTheSame();
  void exportsAreThoseOfShow();
  void aFigureDrawsTheRunsAtHand();
  void everythingPrintedIsShown();
  void structuresAreDrawn();
  void propertiesAreATable();
  void printedPointsKeepTheirDigits();
  void anErrorStandsInPlace();

 private:
  PapersPanel* panel() const { return window_->panel<PapersPanel>(); }
  ReportTable* table() const { return child<ReportTable>("papersTable"); }
  void show(const QString& item) {
    auto* items = child<QComboBox>("papersItem");
    items->setCurrentIndex(items->findData(item));
    QTRY_VERIFY_WITH_TIMEOUT(panel()->isUpToDate() && panel()->result().id == item, kPatience);
  }
  QString shownText() const { return qs(textTable(panel()->result().shown)); }
  int rowOf(const QString& name) const {
    const auto& rows = panel()->result().rows;
    for (int row = 0; row < rows.size(); ++row) {
      if (rows[row].name == name) return row;
    }
    qFatal("there is no row %s", qPrintable(name));
  }
  QPushButton* buttonOf(const QString& row) const {
    return window_->findChild<QPushButton*>(QStringLiteral("papersRow%1").arg(rowOf(row)));
  }
  QString textAt(int row, int column) const {
    return table()->model()->index(row, column).data().toString();
  }

  static inline const QStringList kOptions{"--data", "toy", "--suffix", "cpu", "--seeds", "1"};
};

void TestPapersPanel::initTestCase() {
  const QStringList small{"model.embed_dim=32", "model.ffn_dim=64", "model.encoder_layers=1",
                          "model.decoder_layers=1"};
  const QStringList fused{"model.fusion_attn_dim=16", "model.fusion_ffn_dim=16"};
  open({{"mlrf-base-cpu.toy.s1", "mlrf/base-cpu", small},
        {"mlrf-dec-sa4-cpu.toy.s1", "mlrf/dec-sa4-cpu", small + fused}});
  // A worker would train full models: it ends at once.
  QFile wrapper(folder_.filePath("exports/runner"));
  QVERIFY(wrapper.open(QIODevice::WriteOnly));
  wrapper.write("#!/bin/sh\ncase \" $* \" in *' work '*) exit 0 ;; esac\nexec '" +
                runner_.toUtf8() + "' \"$@\"\n");
  wrapper.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
  wrapper.close();
  qputenv("STRATA_RUN", wrapper.fileName().toUtf8());
  raise("papers");
  QTRY_VERIFY_WITH_TIMEOUT(panel()->isUpToDate(), kPatience);
  child<QComboBox>("papersDataset")->setCurrentText("toy");
  child<QComboBox>("papersSuffix")->setCurrentIndex(1);
  child<QSpinBox>("papersSeeds")->setValue(1);
}

void TestPapersPanel::theTableIsWhatShowPrints() {
  show("mlrf/table2");
  QCOMPARE(window_->perspective(), QString("papers"));
  const QByteArray printed = outputOf(QStringList{"paper", "show", "mlrf/table2"} + kOptions);
  QVERIFY(printed.startsWith(shownText().toUtf8()));
  // The table on the screen: state and button after the names, the others unchanged.
  const Table& shown = panel()->result().shown;
  QCOMPARE(table()->model()->rowCount(), int(shown.rows.size()));
  for (int row = 0; row < int(shown.rows.size()); ++row) {
    for (int column = 0; column < int(shown.columns.size()); ++column) {
      const Cell& cell = shown.rows[std::size_t(row)][std::size_t(column)];
      // Counts are in groups: 6,406,969.
      QString text = textAt(row, column == 0 ? 0 : column + 2);
      if (cell.sortKey()) text.remove(QLatin1Char(','));
      QCOMPARE(text, qs(cell.text()));
    }
  }
  QCOMPARE(child<QLabel>("papersHeading")->text(), qs(shown.caption));
  QVERIFY(qs(shown.caption).contains("measured on toy"));
}

void TestPapersPanel::aRowShowsTheStateOfItsRuns() {
  show("mlrf/table2");
  const int trained = rowOf("Dec-SA (4 hops)"), missing = rowOf("Enc-FNN");
  QCOMPARE(textAt(trained, 1), QString("1 trained, not scored"));
  QCOMPARE(textAt(missing, 1), QString("1 missing"));
  QCOMPARE(textAt(rowOf("RNN-MIXER"), 1), QString("quoted"));
  table()->setCurrentIndex(table()->model()->index(trained, 0));
  const Table& cells = child<ReportTable>("papersCells")->table();
  QCOMPARE(cells.rows.size(), std::size_t(1));
  QCOMPARE(cells.rows[0][0].text(), std::string("mlrf-dec-sa4-cpu.toy.s1"));
  for (const Cell& cell : {cells.rows[0][1], cells.rows[0][2], cells.rows[0][3]})
    QCOMPARE(cell.text(), std::string("trained, not scored"));
}

void TestPapersPanel::scoringFillsTheTable() {
  show("mlrf/table2");
  auto* score = child<QAction>("papersScore");
  QCOMPARE(score->text(), QString("Score (4)"));  // two runs, two sets
  score->trigger();
  QTRY_COMPARE(window_->jobs()->rows().size(), 1);
  window_->jobs()->cancel(window_->jobs()->rows()[0].id);
  QTRY_VERIFY_WITH_TIMEOUT(score->isEnabled(), kPatience);
  QVERIFY(window_->jobs()->rows().isEmpty());
  QSet<QString> seen;  // of the job, at every change
  const auto watching = connect(window_->jobs(), &JobList::changed, this, [&] {
    for (const JobRow& job : window_->jobs()->rows()) seen << job.name << job.detail;
  });
  score->trigger();
  QVERIFY(!child<QProgressBar>("papersProgress")->isHidden() && !score->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(child<QProgressBar>("papersProgress")->isHidden(), kPatience);
  QTRY_COMPARE_WITH_TIMEOUT(score->text(), QString("Score (0)"), kPatience);
  disconnect(watching);
  QVERIFY(seen.contains("Scores of mlrf/table2"));
  const QStringList details(seen.begin(), seen.end());
  // How far it was, as often as the list was looked at.
  QVERIFY2(!details.filter(QRegularExpression("^\\d+ of \\d+ (sentences|translations)$")).isEmpty(),
           qPrintable(details.join('|')));
  QVERIFY(window_->jobs()->rows().isEmpty());
  QTRY_VERIFY_WITH_TIMEOUT(panel()->isUpToDate() && !score->isEnabled(), kPatience);
  QVERIFY(outputOf(QStringList{"paper", "show", "mlrf/table2"} + kOptions)
              .startsWith(shownText().toUtf8()));
  const Json printed = this->printed(QStringList{"paper", "show", "mlrf/table2"} + kOptions);
  const int row = rowOf("Dec-SA (4 hops)");
  const double mean =
      printed.at("rows").at(std::size_t(row)).at("measured").at("test").at("mean").get<double>();
  QVERIFY(shownText().contains(QString::number(mean, 'f', 2)));
  QCOMPARE(textAt(row, 1), QString("1 scored"));
  table()->setCurrentIndex(table()->model()->index(row, 0));
  const Table& cells = child<ReportTable>("papersCells")->table();
  QCOMPARE(qs(cells.rows[0][3].text()), QString::number(mean, 'f', 2));
}

void TestPapersPanel::nothingIsMeasuredTwice() {
  show("mlrf/table2");
  QSignalSpy asked(panel(), &PapersPanel::resultRequested);
  raise("curves");
  raise("papers");
  panel()->setRuns(window_->rows());
  QTest::qWait(700);
  QCOMPARE(asked.size(), 0);
  QVector<RunRow> rows = window_->rows();
  rows[0].status = RunStatus::kRunning;
  panel()->setRuns(rows);
  QTRY_COMPARE(asked.size(), 1);
  panel()->setRuns(window_->rows());
  QTRY_VERIFY_WITH_TIMEOUT(panel()->isUpToDate(), kPatience);
}

void TestPapersPanel::aFullRowOpensItsRuns() {
  show("mlrf/table2");
  QPushButton* button = buttonOf("Dec-SA (4 hops)");
  QCOMPARE(button->text(), QString("Open runs"));
  raise("samples");
  raise("papers");
  button->click();
  QCOMPARE(window_->perspective(), QString("watch"));
  QVERIFY(window_->panel<CurvesPanel>()->isVisible());
  QVERIFY(!window_->panels()->panel("samples")->isVisible());
  const qint64 run = idOf("mlrf-dec-sa4-cpu.toy.s1");
  QCOMPARE(window_->panels()->selection().run, std::optional(run));
  QCOMPARE(window_->panels()->selection().drawn, std::optional(QVector<qint64>{run}));
  QTRY_VERIFY(window_->panel<CurvesPanel>()->series({run, "train/nll"}));
  raise("papers");
  window_->panels()->select({.run = idOf("mlrf-base-cpu.toy.s1")});  // its row is chosen
  QVERIFY(panel()->result().rows[table()->currentIndex().row()].cells[0].runs[0].name ==
          "mlrf-base-cpu.toy.s1");
}

void TestPapersPanel::anEmptyRowQueuesWhatItLacks() {
  show("mlrf/table2");
  QPushButton* button = buttonOf("Enc-FNN");
  QCOMPARE(button->text(), QString("Queue 1"));
  const QString all = child<QAction>("papersQueueAll")->text();
  button->click();
  QTRY_COMPARE_WITH_TIMEOUT(window_->rows().size(), 3, kPatience);
  QCOMPARE(window_->rows()[2].name, QString("mlrf-enc-fnn-cpu.toy.s1"));
  QTRY_COMPARE(window_->rows()[2].status, RunStatus::kQueued);  // it was made a moment before
  QTRY_COMPARE_WITH_TIMEOUT(textAt(rowOf("Enc-FNN"), 1), QString("1 queued"), kPatience);
  QCOMPARE(buttonOf("Enc-FNN")->text(), QString("Open runs"));
  QVERIFY(child<QAction>("papersQueueAll")->text() != all);
  // Everything that another table lacks.
  show("dhea/table2");
  auto* queueAll = child<QAction>("papersQueueAll");
  const int missing =
      int(std::ranges::count(panel()->result().runs, true, &PaperRunState::missing));
  QVERIFY(missing > 1);
  QCOMPARE(queueAll->text(), QString("Queue all missing (%1)").arg(missing));
  queueAll->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(window_->rows().size(), 3 + missing, kPatience);
  QTRY_COMPARE_WITH_TIMEOUT(queueAll->text(), QString("Queue all missing (0)"), kPatience);
}

void TestPapersPanel::copiedCommandsDoTheSame() {
  show("mlrf/table2");
  const auto output = [this](const char* action) {
    child<QAction>(action)->trigger();
    QProcess process;
    process.start("sh", {"-c", QGuiApplication::clipboard()->text()});
    process.waitForFinished(kPatience);
    return process.readAllStandardOutput();
  };
  QVERIFY(output("copyShow").startsWith(shownText().toUtf8()));
  QVERIFY(output("copyScore").contains("4 already stored"));
  show("dhea/table2");
  const QByteArray queued = output("copyRun");
  QVERIFY2(queued.contains("0 of "), queued.constData());  // all are queued by now
}

void TestPapersPanel::exportsAreThoseOfShow() {
  show("mlrf/table2");
  for (const QString& ending : {QString("csv"), QString("tex")}) {
    const QString ours = path("papers." + ending), theirs = path("show." + ending);
    emit panel()->exportRequested(panel()->choice().command("show") +
                                      QStringList{ending == "csv" ? "--csv" : "--latex", ours},
                                  ours);
    outputOf(QStringList{"paper", "show", "mlrf/table2"} + kOptions +
             QStringList{ending == "csv" ? "--csv" : "--latex", theirs});
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(ours), kPatience);
    QFile a(ours), b(theirs);
    QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
    QCOMPARE(a.readAll(), b.readAll());
  }
}

void TestPapersPanel::aFigureDrawsTheRunsAtHand() {
  show("mlrf/figure3");
  const Json printed = this->printed(QStringList{"paper", "show", "mlrf/figure3"} + kOptions);
  const auto plots = panel()->findChildren<XyPlot*>();
  QCOMPARE(std::size_t(plots.size()), printed.at("charts").size());
  QVERIFY(!plots.isEmpty());
  const Json& series = printed.at("charts").at(0).at("series");
  QCOMPARE(std::size_t(plots[0]->series().size()), series.size());
  for (std::size_t s = 0; s < series.size(); ++s) {
    const XySeries& drawn = plots[0]->series()[qsizetype(s)];
    QCOMPARE(drawn.label, qs(series[s].at("name").get<std::string>()));
    QCOMPARE(std::size_t(drawn.points.size()), series[s].at("points").size());
    for (std::size_t p = 0; p < series[s].at("points").size(); ++p) {
      QCOMPARE(drawn.points[qsizetype(p)].x(), series[s].at("points")[p][0].get<double>());
      QCOMPARE(drawn.points[qsizetype(p)].y(), series[s].at("points")[p][1].get<double>());
    }
  }
  const QString notes = child<QTextBrowser>("papersFigureNotes")->toPlainText();
  QVERIFY(!printed.at("missing").empty());
  for (const Json& lacks : printed.at("missing"))
    QVERIFY2(notes.contains(qs(lacks.get<std::string>())), qPrintable(notes));
}

// The paper's other columns, its digits, and the sizes that it prints for columns.
void TestPapersPanel::everythingPrintedIsShown() {
  show("deepatt/table1");
  const auto titleAt = [this](int column) {
    return table()->model()->headerData(column, Qt::Horizontal).toString();
  };
  QCOMPARE(titleAt(3), QString("Data"));
  QCOMPARE(titleAt(4), QString("Voc"));
  const int row = rowOf("Deep-ED");
  QCOMPARE(textAt(row, 4), QString("80K"));
  QVERIFY2(shownText().contains(" 36.3") && !shownText().contains("36.30"),
           qPrintable(shownText()));
  show("densenmt/table1");
  const int last = table()->model()->rowCount() - 1;
  QCOMPARE(textAt(last, 0), QString("Model size (M)"));
  QVERIFY(shownText().contains(QString::fromUtf8("17 ± 1 (")));
  QCOMPARE(last, int(panel()->result().rows.size()));  // no row that can be queued
  table()->setCurrentIndex(table()->model()->index(last, 0));
  QVERIFY(child<ReportTable>("papersCells")->table().rows.empty());
}

void TestPapersPanel::structuresAreDrawn() {
  show("densenmt/figure1");
  const auto drawings = panel()->findChildren<NetworkDrawing*>();
  QCOMPARE(drawings.size(), 2);
  const Json printed = this->printed(QStringList{"paper", "show", "densenmt/figure1"} + kOptions);
  QVERIFY(drawings[1]->network().json() == printed.at("networks").at(1).at("network"));
  auto* parts = child<ReportTable>("papersParts");
  QVERIFY(parts->isVisible() && drawings[0]->isVisible());
  // The part that is chosen in a drawing is selected in the table, with its equation.
  emit drawings[1]->partChosen(1);
  const std::size_t row = drawings[0]->network().parts.size() + 1;
  QCOMPARE(parts->currentIndex().row(), int(row));
  QCOMPARE(parts->cell("equation"), qs(drawings[1]->network().parts[1].equation));
  const QString notes = child<QTextBrowser>("papersFigureNotes")->toPlainText();
  QVERIFY2(notes.contains("Launch") && notes.contains("densenmt/enc-4l-cpu"), qPrintable(notes));
  QVERIFY(!child<QAction>("papersQueueAll")->isEnabled());
}

void TestPapersPanel::propertiesAreATable() {
  child<QComboBox>("papersSuffix")->setCurrentIndex(0);
  show("mlrf/table1");
  auto* parts = child<ReportTable>("papersParts");
  QVERIFY(parts->isVisible() && panel()->findChildren<NetworkDrawing*>().isEmpty());
  QCOMPARE(parts->table().rows.size(), std::size_t(4));
  QVERIFY(panel()->result().exportsTable());
  show("mlrf/figure3");
  QVERIFY(!parts->isVisible() && !panel()->result().exportsTable());
  child<QComboBox>("papersSuffix")->setCurrentIndex(1);
  show("mlrf/table2");
}

void TestPapersPanel::printedPointsKeepTheirDigits() {
  child<QComboBox>("papersSuffix")->setCurrentIndex(0);  // small models have no points here
  show("densenmt/embedding");
  QStringList readouts;
  for (const XyPlot* plot : panel()->findChildren<XyPlot*>()) {
    for (int series = 0; series < plot->series().size(); ++series)
      readouts << plot->readout(series, 0);
  }
  // 19.80 of BASE-4L on Turkish-English, 18.90 with analysed Turkish.
  QVERIFY2(!readouts.filter("19.80").isEmpty() && !readouts.filter("18.90").isEmpty(),
           qPrintable(readouts.join('|')));
  const QString notes = child<QTextBrowser>("papersFigureNotes")->toPlainText();
  QVERIFY2(notes.contains("of 30000/30000 in Tr-En"), qPrintable(notes));
  child<QComboBox>("papersSuffix")->setCurrentIndex(1);
  show("mlrf/table2");
}

void TestPapersPanel::anErrorStandsInPlace() {
  show("mlrf/table2");
  qputenv("STRATA_RUN", "/nowhere/strata-run");
  child<QAction>("papersRefresh")->trigger();
  QTRY_VERIFY(panel()->error().contains("cannot be started"));
  QVERIFY(child<QLabel>("papersProblem")->isVisible());
  qputenv("STRATA_RUN", path("runner").toUtf8());
  child<QAction>("papersRefresh")->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(panel()->error().isEmpty() && panel()->isUpToDate(), kPatience);
  QVERIFY(!child<QLabel>("papersProblem")->isVisible());
}

STRATA_TEST(TestPapersPanel)
#include "test_papers_panel.moc"
