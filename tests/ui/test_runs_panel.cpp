#include <QAction>
#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QTableView>
#include <QTreeWidget>
#include <QtTest>
#include <limits>

#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/plurals.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/plots/curve_plot.h"
#include "ui/style/theme.h"
#include "ui/widgets/choice_popup.h"
#include "ui/widgets/report_table.h"
#include "ui/window/inspector.h"
#include "ui/window/main_area.h"

using namespace strata;
using namespace strata::ui;

// The table of runs, and what depends on which of them are drawn.
class TestRunsPanel : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void runsWithoutAScoreComeLast();
  void termsFilterOneColumn();
  void columnsAreChosen();
  void settingsSortAndFilter();
  void aSettingBecomesAColumn();
  void seedsAreOneLine();
  void aRowChoosesItsRun();
  void twoRunsAreCompared();
  void aNoteIsShown();
  void tabLeavesTheTable();
  void onlyRunsThatCanGoOnAreResumed();
  void aRunKeepsItsColour();
  void numbersHaveTheirPlural();

 private:
  void makeRuns(const std::vector<const char*>& names, RunOutcome outcome);
  void makeRun(const std::string& name, double dropout, int seed, double nll);
  QStringList shownNames() const;
  QColor colourOf(const QString& run) const;
};

void TestRunsPanel::runsWithoutAScoreComeLast() {
  const double none = std::numeric_limits<double>::quiet_NaN();
  QVector<RunRow> rows(5);
  const double best[] = {3, none, 1, none, 2};
  for (int i = 0; i < 5; ++i) {
    rows[i].id = i + 1;
    rows[i].best = best[i];
    rows[i].lastStep = i;
  }
  RunsModel model;
  model.setRuns(rows);
  RunsFilter filter;
  filter.setSourceModel(&model);
  const auto order = [&] {
    QVector<qint64> ids;
    for (int row = 0; row < filter.rowCount(); ++row)
      ids << filter.index(row, 0).data(RunsModel::kRunIdRole).toLongLong();
    return ids;
  };
  filter.sort(RunsModel::kBest, Qt::AscendingOrder);
  QCOMPARE(order(), (QVector<qint64>{3, 5, 1, 2, 4}));
  filter.sort(RunsModel::kBest, Qt::DescendingOrder);
  QCOMPARE(order().mid(0, 3), (QVector<qint64>{1, 5, 3}));
}

void TestRunsPanel::makeRuns(const std::vector<const char*>& names, RunOutcome outcome) {
  for (const char* name : names) {
    Json config = fixture::config();
    config["model"]["name"] = name;  // they differ in more than their seeds
    const RunSummary run = createRun(*workspace_, {name, config, "mlrf/both-fnn-sa4"});
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 100);
    session.end({run.id, 100, outcome, ""});
  }
  open();
  QTRY_COMPARE(window_->rows().size(), qsizetype(names.size()));
}

void TestRunsPanel::termsFilterOneColumn() {
  QVector<RunRow> rows(3);
  const double best[] = {3, std::numeric_limits<double>::quiet_NaN(), 1};
  for (int i = 0; i < 3; ++i) {
    rows[i].id = i + 1;
    rows[i].name = i == 1 ? "finished business" : "run";
    rows[i].best = best[i];
    rows[i].seed = i;
    rows[i].lastStep = 1;
    rows[i].status = i == 2 ? RunStatus::kRunning : RunStatus::kFinished;
  }
  RunsModel model;
  model.setRuns(rows);
  RunsFilter filter;
  filter.setSourceModel(&model);
  const auto shown = [&](const char* pattern) {
    QVector<qint64> ids;
    if (!filter.setPattern(pattern)) return QVector<qint64>{-1};
    for (int row = 0; row < filter.rowCount(); ++row)
      ids << filter.index(row, 0).data(RunsModel::kRunIdRole).toLongLong();
    return ids;
  };
  QCOMPARE(shown("finished"), (QVector<qint64>{1, 2}));
  QCOMPARE(shown("status:finished"), (QVector<qint64>{1, 2}));
  QCOMPARE(shown("status:finished name:^run"), (QVector<qint64>{1}));
  QCOMPARE(shown("Status:run|stop"), (QVector<qint64>{3}));
  QCOMPARE(shown("best<=3"), (QVector<qint64>{1, 3}));  // none without a score
  QCOMPARE(shown("best<3"), (QVector<qint64>{3}));
  QCOMPARE(shown("seed>=1 business"), (QVector<qint64>{2}));
  QCOMPARE(shown("nothing:finished"), QVector<qint64>());  // no column: an expression
  QCOMPARE(shown("best<a"), (QVector<qint64>{-1}));
  QCOMPARE(shown("status:("), (QVector<qint64>{-1}));
  QCOMPARE(shown(""), (QVector<qint64>{1, 2, 3}));
}

void TestRunsPanel::columnsAreChosen() {
  makeRuns({"one"}, RunOutcome::kFinished);
  open();
  auto* table = window_->panel<RunsPanel>()->table();
  const auto hidden = [&] { return table->isColumnHidden(RunsModel::kSeed); };
  QVERIFY(!hidden());
  child<QAction>(("runsColumn" + std::to_string(RunsModel::kSeed)).c_str())->trigger();
  QVERIFY(hidden());
  QVERIFY(!child<QAction>(("runsColumn" + std::to_string(RunsModel::kName)).c_str()));
  const Json state = window_->panel<RunsPanel>()->saveState();
  child<QAction>(("runsColumn" + std::to_string(RunsModel::kSeed)).c_str())->trigger();
  QVERIFY(!hidden());
  window_->panel<RunsPanel>()->restoreState(state);
  QVERIFY(hidden());
}

// Of three runs, the last has no such setting.
static RunSettingColumns dropouts() {
  RunSettingColumns settings;
  SettingColumn dropout{.key = "training.dropout", .values = 2, .ofRuns = {}};
  dropout.ofRuns[1] = {"0.1", 0.1};
  dropout.ofRuns[2] = {"0.05", 0.05};
  SettingColumn type{.key = "model.type", .values = 2, .numeric = false, .ofRuns = {}};
  type.ofRuns[1] = {"sa"};
  type.ofRuns[3] = {"fnn"};
  settings.columns = {type, dropout};
  return settings;
}

void TestRunsPanel::settingsSortAndFilter() {
  QVector<RunRow> rows(3);
  for (int i = 0; i < 3; ++i) rows[i].id = i + 1;
  RunsModel model;
  model.setRuns(rows);
  model.setSettingKeys({"training.dropout", "model.type"});
  model.setSettings(dropouts());
  RunsFilter filter;
  filter.setSourceModel(&model);
  const auto ids = [&] {
    QVector<qint64> shown;
    for (int row = 0; row < filter.rowCount(); ++row)
      shown << filter.index(row, 0).data(RunsModel::kRunIdRole).toLongLong();
    return shown;
  };
  const int dropout = RunsModel::kColumns, type = dropout + 1;
  QCOMPARE(model.headerData(dropout, Qt::Horizontal, Qt::DisplayRole).toString(),
           QString("training.dropout"));
  QCOMPARE(model.index(0, dropout).data().toString(), QString("0.1"));
  QVERIFY(model.index(2, dropout).data().toString().isEmpty());
  for (int role = 0; role <= RunsModel::kRunIdRole; ++role) model.index(1, type).data(role);
  filter.sort(dropout, Qt::AscendingOrder);
  QCOMPARE(ids(), (QVector<qint64>{2, 1, 3}));
  filter.sort(dropout, Qt::DescendingOrder);
  QCOMPARE(ids(), (QVector<qint64>{1, 2, 3}));  // what has no number stays last
  QVERIFY(filter.setPattern("training.dropout>=0.06"));
  QCOMPARE(ids(), QVector<qint64>{1});
  QVERIFY(filter.setPattern("model.type:sa|fnn"));
  QCOMPARE(ids(), (QVector<qint64>{1, 3}));
  model.setSettingKeys({"model.type"});  // another column has its place now
  QVERIFY(filter.setPattern("model.type:fnn"));
  QCOMPARE(ids(), QVector<qint64>{3});
}

void TestRunsPanel::makeRun(const std::string& name, double dropout, int seed, double nll) {
  Json config = fixture::config();
  config["seed"] = seed;
  config["training"]["dropout"] = dropout;
  const RunSummary run = createRun(*workspace_, {name, config, "mlrf/both-fnn-sa4"});
  RunSession session(*workspace_, run.id, fixture::start());
  session.scalars({{run.id, "valid/nll", 100, nll, 1.7e9}});
  session.end({run.id, 100, RunOutcome::kFinished, ""});
}

QStringList TestRunsPanel::shownNames() const {
  const QAbstractItemModel* model = window_->panel<RunsPanel>()->table()->model();
  QStringList names;
  for (int row = 0; row < model->rowCount(); ++row)
    names << model->index(row, RunsModel::kName).data().toString();
  names.sort();
  return names;
}

void TestRunsPanel::aSettingBecomesAColumn() {
  makeRun("low", 0.1, 1, 3);
  makeRun("high", 0.3, 1, 2);
  open();
  QTRY_COMPARE(window_->rows().size(), 2);
  window_->bringUp("runs");
  auto* panel = window_->panel<RunsPanel>();
  child<QAction>("runsAddSetting")->trigger();
  QTRY_VERIFY(panel->findChild<ChoicePopup*>());
  auto* list = panel->findChild<ChoicePopup*>()->findChild<QListView*>();
  QCOMPARE(list->model()->rowCount(), 1);  // nothing else differs
  QCOMPARE(list->model()->index(0, 0).data().toString(), QString("training.dropout  ·  2 values"));
  QTest::keyClick(list, Qt::Key_Return);
  const int column = RunsModel::kColumns;
  QCOMPARE(panel->model()->columnCount(), column + 1);
  QTRY_COMPARE(panel->model()->index(0, column).data().toString(),
               QString(panel->model()->runs()[0].name == "low" ? "0.1" : "0.3"));
  auto* header = panel->table()->horizontalHeader();
  QVERIFY(header->sectionSize(column) >= header->sectionSizeHint(column));  // the key is whole
  auto* filter = child<QLineEdit>("runsFilter");
  filter->setText("training.dropout>=0.2");
  QTRY_COMPARE(shownNames(), QStringList("high"));
  makeRun("higher", 0.5, 1, 2);  // its setting is read when it appears
  QTRY_COMPARE(shownNames(), (QStringList{"high", "higher"}));
  reopen();
  QTRY_COMPARE(shownNames(), (QStringList{"high", "higher"}));
  QVERIFY(!child<QLineEdit>("runsFilter")->text().isEmpty());
  child<QAction>("runsSetting.training.dropout")->trigger();
  panel = window_->panel<RunsPanel>();
  QCOMPARE(panel->model()->columnCount(), column);
  QTRY_VERIFY(!child<QAction>("runsSetting.training.dropout"));
  QCOMPARE(shownNames(), QStringList());  // it is an expression again, which nothing has
  child<QLineEdit>("runsFilter")->clear();
  QCOMPARE(shownNames().size(), 3);
}

void TestRunsPanel::seedsAreOneLine() {
  makeRun("deep-s1", 0.1, 1, 3);
  makeRun("deep-s2", 0.1, 2, 2);
  makeRun("flat", 0.3, 1, 4);
  open();
  QTRY_COMPARE(window_->rows().size(), 3);
  window_->bringUp("runs");
  auto* panel = window_->panel<RunsPanel>();
  child<QAction>("groupSeeds")->trigger();
  auto* groups = child<ReportTable>("runsGroups");
  QVERIFY(groups->isVisible());
  QVERIFY(!panel->table()->isVisible());
  const auto cell = [&](int row, const char* title) {
    const Table& table = groups->table();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].title == title)
        return groups->model()->index(row, int(c)).data().toString();
    }
    return QString("no column");
  };
  QCOMPARE(groups->model()->rowCount(), 2);
  groups->sortByColumn(0, Qt::AscendingOrder);
  QCOMPARE(cell(0, "configuration"), QString("deep"));
  QCOMPARE(cell(0, "best"), QString("2.5000"));
  QCOMPARE(cell(0, "std"), QString("0.7071"));
  QCOMPARE(cell(1, "configuration"), QString("flat"));
  groups->selectRow(0);  // commands are for all its runs
  QVector<qint64> selected = panel->selectedRuns();
  std::ranges::sort(selected);
  QCOMPARE(selected, (QVector<qint64>{1, 2}));
  makeRun("deep-s3", 0.1, 3, 1);
  QTRY_COMPARE(cell(0, "best"), QString("2.0000"));
  QCOMPARE(groups->selectionModel()->selectedRows().size(), 1);  // still
  selected = panel->selectedRuns();                              // with the new one
  std::ranges::sort(selected);
  QCOMPARE(selected, (QVector<qint64>{1, 2, 4}));
  child<QLineEdit>("runsFilter")->setText("flat");
  QCOMPARE(groups->model()->rowCount(), 1);
  child<QLineEdit>("runsFilter")->clear();
  window_->panels()->select({.run = 3});  // from elsewhere: one run
  QCOMPARE(panel->selectedRuns(), QVector<qint64>{3});
  QVERIFY(groups->selectionModel()->selectedRows().isEmpty());
  QCOMPARE(cell(0, "configuration"), QString("deep"));
  groups->setFocus();
  groups->setCurrentIndex(groups->model()->index(0, 0));
  emit groups->activated(groups->currentIndex());
  QVector<qint64> drawn = *window_->panels()->selection().drawn;
  std::ranges::sort(drawn);
  QCOMPARE(drawn, (QVector<qint64>{1, 2, 4}));
  reopen();
  QTRY_VERIFY(child<QAction>("groupSeeds")->isChecked());
}

// It was selected alone, while the inspector stayed on another run.
void TestRunsPanel::aRowChoosesItsRun() {
  makeRuns({"a", "b", "c"}, RunOutcome::kFinished);
  auto* panel = window_->panel<RunsPanel>();
  const auto current = [this] { return window_->panels()->selection().run.value_or(0); };
  const auto click = [&](int row, Qt::KeyboardModifiers modifiers = {}) {
    const QRect cell = panel->table()->visualRect(panel->table()->model()->index(row, 1));
    QTest::mouseClick(panel->table()->viewport(), Qt::LeftButton, modifiers, cell.center());
  };
  click(1);
  QCOMPARE(panel->selectedRuns(), QVector<qint64>{2});
  QCOMPARE(current(), 2);
  click(0, Qt::ControlModifier);  // both are for the commands
  QCOMPARE(panel->selectedRuns().size(), 2);
  QCOMPARE(current(), 2);
  panel->table()->setFocus();
  click(2);
  QCOMPARE(current(), 1);
  QTest::keyClick(panel->table(), Qt::Key_Up);
  QCOMPARE(current(), 2);
  window_->panels()->select({.run = 3});
  QCOMPARE(panel->selectedRuns(), QVector<qint64>{3});
  panel->selectRun(1);  // for a menu of commands
  QCOMPARE(current(), 3);
}

void TestRunsPanel::twoRunsAreCompared() {
  makeRun("low", 0.1, 1, 3);
  makeRun("high", 0.3, 1, 2);
  open();
  QTRY_COMPARE(window_->rows().size(), 2);
  auto* panel = window_->panel<RunsPanel>();
  auto* compare = child<QAction>("compareSettings");
  panel->selectRun(1);
  QVERIFY(!compare->isEnabled());
  panel->table()->selectAll();
  QVERIFY(compare->isEnabled());
  compare->trigger();
  QVERIFY(window_->area()->inspector()->isVisible());
  auto* settings = child<QTreeWidget>("inspectorSettings");
  // The setting, and the last and the best value of valid/nll.
  QTRY_COMPARE(settings->topLevelItemCount(), 3);
  QCOMPARE(settings->topLevelItem(0)->text(0), QString("training.dropout"));
  QCOMPARE(settings->findItems("best valid/nll", Qt::MatchExactly).size(), 1);
  QVERIFY(settings->isVisible());
}

void TestRunsPanel::aNoteIsShown() {
  makeRun("low", 0.1, 1, 3);
  open();
  QTRY_COMPARE(window_->rows().size(), 1);
  auto* panel = window_->panel<RunsPanel>();
  const auto note = [&] { return panel->model()->index(0, RunsModel::kNote).data().toString(); };
  QVERIFY(note().isEmpty());
  setNote(*workspace_, 1, "for table 2\nof the paper");
  QTRY_COMPARE(note(), QString("for table 2 of the paper"));
  child<QLineEdit>("runsFilter")->setText("note:table.2");
  QCOMPARE(shownNames(), QStringList("low"));
}

void TestRunsPanel::tabLeavesTheTable() {
  makeRuns({"first", "second"}, RunOutcome::kFinished);
  auto* table = window_->panel<RunsPanel>()->table();
  window_->activateWindow();
  table->setFocus();
  table->selectRow(0);
  QTRY_VERIFY(table->hasFocus());
  QTest::keyClick(table, Qt::Key_Tab);
  QVERIFY(!table->hasFocus());
}

void TestRunsPanel::onlyRunsThatCanGoOnAreResumed() {
  makeRuns({"done"}, RunOutcome::kFinished);
  auto* panel = window_->panel<RunsPanel>();
  auto* resume = child<QAction>("resumeRun");
  panel->selectRun(1);
  QVERIFY(child<QAction>("renameRun")->isEnabled());
  QVERIFY(!resume->isEnabled());
  const RunSummary run = fixture::makeRun(*workspace_, "halted");
  RunSession(*workspace_, run.id, fixture::start()).end({run.id, 0, RunOutcome::kStopped, ""});
  QTRY_COMPARE(window_->rows().size(), 2);
  panel->selectRun(2);
  QTRY_VERIFY(resume->isEnabled());
}

QColor TestRunsPanel::colourOf(const QString& run) const {
  const CurvePlot* chart = window_->panel<CurvesPanel>()->chart("train/nll");
  if (!chart) return {};  // its runs' series have not arrived
  for (const CurvePlot::Curve& curve : chart->curves()) {
    if (curve.label == run) return seriesColour(curve.style);
  }
  return {};
}

void TestRunsPanel::aRunKeepsItsColour() {
  makeRuns({"a", "b", "c"}, RunOutcome::kFinished);
  const auto draw = [this](const QVector<qint64>& runs) {
    window_->panels()->select({.drawn = runs});
  };
  draw({3});
  QTRY_VERIFY(window_->panel<CurvesPanel>()->chart("train/nll"));
  QTRY_VERIFY(colourOf("c").isValid());
  const QColor third = colourOf("c");
  draw({1, 3});
  QTRY_VERIFY(colourOf("a").isValid());
  const QColor first = colourOf("a");
  QVERIFY(first != third);
  QCOMPARE(colourOf("c"), third);
  draw({1, 2, 3});
  QTRY_VERIFY(colourOf("b").isValid());
  QVERIFY(colourOf("b") != first && colourOf("b") != third);
  draw({1});
  QTRY_COMPARE(colourOf("a"), first);
  reopen();  // and after a restart
  QTRY_VERIFY(window_->panel<CurvesPanel>()->chart("train/nll"));
  QTRY_COMPARE(colourOf("a"), first);
  draw({3});
  QTRY_COMPARE(colourOf("c"), third);
}

void TestRunsPanel::numbersHaveTheirPlural() {
  writePlurals();
  QCOMPARE(tr("%n run(s)", nullptr, 1), QString("1 run"));
  QCOMPARE(tr("%n run(s)", nullptr, 2), QString("2 runs"));
  QCOMPARE(tr("%n value(s) at %n step(s)", nullptr, 0), QString("0 values at 0 steps"));
  QCOMPARE(tr("f(s)"), QString("f(s)"));
}

STRATA_TEST(TestRunsPanel)
#include "test_runs_panel.moc"
