#include <qcustomplot.h>

#include <QAction>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/preset_box.h"
#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/gradient_map.h"
#include "ui/style/theme.h"
#include "ui/widgets/choice_popup.h"
#include "ui/widgets/messages.h"
#include "ui/window/stage.h"
#include "ui/window/view_tabs.h"

using namespace strata;
using namespace strata::ui;

// What once went wrong in the real window when it was used by hand.
class TestSeenByHand : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() {
    removeWorkspace();
    applyTheme(ThemeChoice::kLight);
  }
  void aRunWithoutAScoreComesLast();
  void messagesPushNothing();
  void goodNewsErasesNoError();
  void noViewCanBeLost();
  void withoutADatasetThereIsAWayOn();
  void aClickIntoThePresetSelectsItsText();
  void curvesOfManyRunsHaveTheirLegendBeside();
  void aBrokenRunLeavesAMark();
  void gradientsOfOneStepAndOfTwoModelsAreSeen();
  void runsAreChosenInALongList();
  void exportsOfADarkWindowAreLight();
  void countsHaveTheirPlural();
  void thePlaceOfTheWorkspaceIsWrittenOnce();
  void iconsOfCommandsDiffer();
  void anIconIsSeenInASelectedRow();
  void anIconOfNoSizeIsNotPainted();
  void nothingIsDrawnLeftOfCheckBoxes();

 private:
  RunSummary makeRun(const std::string& name, std::int64_t last, int layers = 0);
};

// Of another model than other runs, with `layers` gradient norms at its first step.
RunSummary TestSeenByHand::makeRun(const std::string& name, std::int64_t last, int layers) {
  Json config = fixture::config();
  config["model"]["name"] = name;
  const RunSummary run = createRun(*workspace_, {name, config, "mlrf/both-fnn-sa4"});
  RunSession session(*workspace_, run.id, fixture::start());
  if (last > 0) fixture::train(session, 10, last);
  for (int layer = 0; layer < layers; ++layer)
    session.scalars(
        {{run.id, "grad_norm/encoder.layers." + std::to_string(layer), 10, 0.5 + layer, 1.7e9}});
  session.flush();
  session.end({run.id, last, RunOutcome::kFinished, ""});
  return run;
}

void TestSeenByHand::aRunWithoutAScoreComesLast() {
  makeRun("good", 300);  // 4.5 - step/1000
  makeRun("none", 50);   // not validated
  makeRun("fair", 100);
  open();
  window_->resize(1600, 900);
  auto* table = window_->panel<RunsPanel>()->table();
  QTRY_COMPARE(table->model()->rowCount(), 3);
  const auto names = [table] {
    QStringList found;
    for (int row = 0; row < table->model()->rowCount(); ++row)
      found << table->model()->index(row, RunsModel::kName).data().toString();
    return found;
  };
  QHeaderView* header = table->horizontalHeader();
  for (const int column : {RunsModel::kBest, RunsModel::kLast}) {
    QSet<QStringList> orders;
    for (int click = 0; click < 2; ++click) {
      table->scrollTo(table->model()->index(0, column));
      QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                        {header->sectionViewportPosition(column) + 20, header->height() / 2});
      QCOMPARE(header->sortIndicatorSection(), column);
      orders << names();
      QCOMPARE(names().last(), QString("none"));
    }
    QCOMPARE(orders.size(), 2);  // up and down
  }
}

void TestSeenByHand::messagesPushNothing() {
  makeRun("one", 100);
  open();
  window_->resize(1280, 800);
  QTRY_COMPARE(window_->rows().size(), 1);
  const QRect stage = window_->stage()->geometry();
  const QPoint place = window_->stage()->mapTo(window_.get(), QPoint());
  window_->messages()->show(Message::Severity::kWarning, QString("something ").repeated(40));
  window_->messages()->show(Message::Severity::kError, "something else");
  QCoreApplication::processEvents();
  QCOMPARE(window_->stage()->geometry(), stage);
  QCOMPARE(window_->stage()->mapTo(window_.get(), QPoint()), place);
  QCOMPARE(window_->messages()->cards().size(), 2);
  for (const MessageCard* card : window_->messages()->cards()) {
    for (const QAbstractButton* button : window_->findChildren<QAbstractButton*>()) {
      if (!button->isVisible() || button->window() != window_.get()) continue;
      if (card->isAncestorOf(button)) continue;
      const QRect at(button->mapTo(window_.get(), QPoint()), button->size());
      QVERIFY2(!card->geometry().intersects(at), qPrintable(button->objectName()));
    }
  }
}

void TestSeenByHand::goodNewsErasesNoError() {
  open();
  emit window_->panel<RunsPanel>()->failed("The disk is full");
  for (int i = 0; i < 3; ++i) emit window_->panel<RunsPanel>()->notice("Saved");
  QStringList shown;
  for (const MessageCard* card : window_->messages()->cards()) shown << card->message().text;
  QCOMPARE(shown, QStringList({"The disk is full", "Saved"}));
  QCOMPARE(child<QToolButton>("bell")->text(), QString("1"));
}

// A view cannot be closed; one in a window of its own comes back when that is closed.
void TestSeenByHand::noViewCanBeLost() {
  open();
  for (const ViewTabs* tabs : window_->findChildren<ViewTabs*>()) QVERIFY(!tabs->tabsClosable());
  for (Panel* panel : window_->panels()->all()) {
    window_->stage()->setInWindow(panel, true);
    panel->window()->close();
    child<QAction>(qPrintable("show:" + panel->name()))->trigger();
    QVERIFY2(panel->isVisible() && panel->window() == window_.get(), qPrintable(panel->name()));
  }
}

void TestSeenByHand::withoutADatasetThereIsAWayOn() {
  open();
  window_->showPerspective("train");
  auto* launch = window_->panel<LaunchPanel>();
  QTRY_VERIFY(launch->problem().contains("strata-run"));  // there is none, which is said before
  serve::DryRunReply reply;
  reply.config = {{"seed", 1}};
  launch->setEstimate(reply);
  QCOMPARE(launch->problem(), QString("There is no dataset to train on yet."));
  auto* way = child<QPushButton>("launchImport");
  QTRY_VERIFY(way && way->isVisible() && way->isEnabled());
  QVERIFY(child<QPushButton>("launchDemo")->isVisible());
  QTest::mouseClick(way, Qt::LeftButton);
  QCOMPARE(window_->perspective(), QString("prepare"));
}

void TestSeenByHand::aClickIntoThePresetSelectsItsText() {
  open();
  window_->showPerspective("train");
  window_->panel<LaunchPanel>()->setPresets(
      {.papers = {{"mlrf", "MLRF"}, {"dhea", "DHEA"}},
       .presets = {{.name = "mlrf/base", .paper = "mlrf", .description = "Base"},
                   {.name = "dhea/gate", .paper = "dhea", .description = "Gate"}}});
  window_->activateWindow();
  auto* box = child<PresetBox>("launchPreset");
  QLineEdit* line = box->lineEdit();
  window_->panel<LaunchPanel>()->choose("mlrf/base", {});
  QCOMPARE(line->text(), QString("mlrf/base"));
  child<QLineEdit>("launchName")->setFocus();
  QTest::mouseClick(line, Qt::LeftButton, {}, QPoint(20, line->height() / 2));
  QTRY_COMPARE(line->selectedText(), line->text());
  QTest::keyClicks(line, "gate");
  QCOMPARE(line->text(), QString("gate"));
  QTRY_VERIFY(box->found()->isVisible());
  // The one hit is seen, not only the heading of its paper.
  const QModelIndex paper = box->found()->model()->index(0, 0);
  const QModelIndex hit =
      box->found()->model()->hasChildren(paper) ? box->found()->model()->index(0, 0, paper) : paper;
  QTRY_VERIFY(box->found()->viewport()->rect().contains(
      box->found()->visualRect(hit).adjusted(0, 1, -2, -1)));
}

void TestSeenByHand::curvesOfManyRunsHaveTheirLegendBeside() {
  QVector<qint64> all;
  for (int i = 0; i < 12; ++i) all << makeRun("run-" + std::to_string(i), 100).id;
  open();
  window_->resize(1600, 900);
  QTRY_COMPARE(window_->rows().size(), 12);
  window_->panels()->select({.drawn = all});
  auto* curves = window_->panel<CurvesPanel>();
  QTRY_VERIFY(curves->chart("train/nll") && curves->chart("train/nll")->curves().size() == 12);
  auto* legend = child<QListWidget>("curveLegend");
  QVERIFY(legend->isHidden());  // the rail says which is which
  child<QAction>("showRail")->setChecked(false);
  QTRY_VERIFY(legend->isVisible());
  QCOMPARE(legend->count(), 12);
  const auto placeOf = [this](const QWidget* widget) {
    return QRect(widget->mapTo(window_.get(), QPoint()), widget->size());
  };
  QTRY_VERIFY(!placeOf(legend).intersects(placeOf(curves->chart("train/nll"))));
  QTRY_VERIFY(curves->isUpToDate());
}

void TestSeenByHand::aBrokenRunLeavesAMark() {
  makeRun("good", 100);
  const RunSummary run = fixture::makeRun(*workspace_, "broken");
  RunSession(*workspace_, run.id, fixture::start())
      .end({run.id, 7, RunOutcome::kFailed, "the loss is NaN", true});
  open();
  QTRY_COMPARE(window_->rows().size(), 2);
  window_->panels()->select({.drawn = QVector<qint64>{1, run.id}});
  auto* curves = window_->panel<CurvesPanel>();
  QTRY_VERIFY(curves->chart("train/nll"));
  QTRY_COMPARE(curves->chart("train/nll")->markedValues(), 1);
  const auto texts = [curves] {
    const CurvePlot* chart = curves->chart("train/nll");
    QStringList all;
    for (int i = 0; i < chart->plot()->itemCount(); ++i) {
      if (auto* text = qobject_cast<QCPItemText*>(chart->plot()->item(i))) all << text->text();
    }
    return all;
  };
  QTRY_VERIFY2(texts().contains("broken broke at step 7 before its first point"),
               qPrintable(texts().join('\n')));
}

void TestSeenByHand::gradientsOfOneStepAndOfTwoModelsAreSeen() {
  makeRun("shallow", 10, 1);
  makeRun("deep", 10, 3);
  open();
  window_->bringUp("gradient-flow");
  QTRY_COMPARE(window_->rows().size(), 2);
  window_->panels()->select({.run = 1, .other = 2});
  GradientMapView* map = window_->panel<GradientFlowPanel>()->map();
  QTRY_COMPARE(map->titles(), QStringList({"shallow", "deep"}));
  QTRY_COMPARE(map->flows().size(), 2);
  QTRY_COMPARE(map->flows()[0].layers.size(), 3);
  QCOMPARE(map->flows()[0].layers, map->flows()[1].layers);
  // One recorded step is a picture, too.
  QTRY_VERIFY(window_->panel<GradientFlowPanel>()->isUpToDate());
  QCOMPARE(map->flows()[1].at(2, 0), 2.5);
  const auto colours = [map] {
    const QImage picture = map->grab().toImage();
    QSet<QRgb> seen;
    for (int x = 0; x < picture.width(); x += 2) {
      for (int y = 0; y < picture.height(); y += 2) seen << picture.pixel(x, y);
    }
    return seen.size();
  };
  QTRY_VERIFY(colours() > 20);
}

void TestSeenByHand::runsAreChosenInALongList() {
  for (int i = 0; i < 40; ++i) fixture::makeRun(*workspace_, "run-" + std::to_string(i));
  open();
  window_->resize(1280, 800);
  QTRY_COMPARE(int(window_->rows().size()), 40);
  child<QToolButton>("runChip")->click();
  auto* list = window_->findChild<ChoicePopup*>()->findChild<QListView*>();
  const int rows = list->viewport()->height() / list->sizeHintForRow(0);
  QVERIFY2(rows >= 10, qPrintable(QString::number(rows)));
  window_->findChild<ChoicePopup*>()->close();
  auto* rail = child<QTreeView>("runTree");
  QVERIFY(rail->viewport()->height() / rail->sizeHintForRow(0) >= 20);
}

void TestSeenByHand::exportsOfADarkWindowAreLight() {
  makeRun("one", 100);
  open();
  child<QAction>("theme:dark")->trigger();
  auto* curves = window_->panel<CurvesPanel>();
  QTRY_VERIFY(curves->chart("train/nll") && curves->isUpToDate());
  curves->showSeries({"train/nll"});
  QTRY_VERIFY(curves->isUpToDate());
  for (const QString& name : {QString("c.png"), QString("c.svg"), QString("c.pdf")}) {
    child<QAction>("curveExport")->trigger();
    auto* dialog = window_->findChild<QFileDialog*>();
    QVERIFY(dialog);
    dialog->setDirectory(folder_->path());
    dialog->findChild<QLineEdit*>("fileNameEdit")->setText(name);
    dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
    delete dialog;
    // The values beside the picture are there since the first one: they are not replaced unasked.
    if (auto* asks = window_->findChild<QMessageBox*>("exportReplaces")) {
      QVERIFY(asks->text().startsWith("Replace c.csv in "));
      QVERIFY(!QFileInfo::exists(folder_->filePath(name)));
      for (QAbstractButton* button : asks->buttons())
        if (asks->buttonRole(button) == QMessageBox::AcceptRole) button->click();
      delete asks;
    } else {
      QCOMPARE(name, QString("c.png"));
    }
    const QString path = folder_->filePath(name);
    QTRY_VERIFY2(QFileInfo::exists(path), qPrintable(path));  // under the chosen name
    QTRY_VERIFY(window_->messages()->text().contains(path));
    QVERIFY(QFileInfo::exists(folder_->filePath("c.csv")));
  }
  const QImage picture(folder_->filePath("c.png"));
  QVERIFY2(picture.width() >= 1200, qPrintable(QString::number(picture.width())));
  QCOMPARE(picture.pixelColor(0, 0), QColor(Qt::white));
  QFile drawing(folder_->filePath("c.svg"));
  QVERIFY(drawing.open(QIODevice::ReadOnly));
  const QByteArray text = drawing.readAll();
  for (const char* title : {">step<", "nats per word"}) QVERIFY2(text.contains(title), title);
  QVERIFY(theme().dark);  // the window has stayed as it was
}

void TestSeenByHand::countsHaveTheirPlural() {
  makeRun("one", 100);
  open();
  QTRY_COMPARE(child<QLabel>("runsCount")->text(), QString("1 run"));
  makeRun("two", 100);
  QTRY_COMPARE(child<QLabel>("runsCount")->text(), QString("2 runs"));
  for (const QAction* action : window_->stage()->actions()) {
    window_->showPerspective(action->data().toString());
    for (const QLabel* label : window_->findChildren<QLabel*>())
      QVERIFY2(!label->text().contains("(s)"), qPrintable(label->text()));
    for (const QAbstractButton* button : window_->findChildren<QAbstractButton*>())
      QVERIFY2(!button->text().contains("(s)"), qPrintable(button->text()));
  }
}

void TestSeenByHand::thePlaceOfTheWorkspaceIsWrittenOnce() {
  makeRun("one", 100);
  open();
  QCOMPARE(window_->windowTitle(), QFileInfo(folder_->path()).fileName());
  int times = 0;
  for (const QLabel* label : window_->findChildren<QLabel*>())
    times += label->isVisible() && label->text().contains(folder_->path());
  QCOMPARE(times, 1);
}

// Of each bar that holds several.
void TestSeenByHand::iconsOfCommandsDiffer() {
  makeRun("one", 100);
  open();
  const auto picture = [](const QIcon& icon) { return icon.pixmap(QSize(32, 32)).toImage(); };
  for (Panel* panel : window_->panels()->all()) {
    const QList<QAction*> actions = panel->actions();
    for (int i = 0; i < actions.size(); ++i) {
      for (int j = 0; j < i; ++j) {
        if (actions[i]->icon().isNull() || actions[j]->icon().isNull()) continue;
        QVERIFY2(picture(actions[i]->icon()) != picture(actions[j]->icon()),
                 qPrintable(panel->name() + ": " + actions[i]->text() + ", " + actions[j]->text()));
      }
    }
  }
}

// It was white on pale blue.
void TestSeenByHand::anIconIsSeenInASelectedRow() {
  for (const ThemeChoice theme : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    applyTheme(theme);
    const QIcon icon = themedIcon("export");
    QCOMPARE(icon.pixmap(16, QIcon::Selected).toImage(), icon.pixmap(16).toImage());
  }
}

// Where the style has no size for icons, each of them printed a screen of warnings.
void TestSeenByHand::anIconOfNoSizeIsNotPainted() {
  QTest::failOnWarning(QRegularExpression("QPainter"));
  QVERIFY(themedIcon("export").pixmap(QSize(0, 0)).isNull());
}

void TestSeenByHand::nothingIsDrawnLeftOfCheckBoxes() {
  makeRun("one", 100, 1);
  open();
  window_->bringUp("gradient-flow");
  auto* box = child<QCheckBox>("gradientLogarithmic");
  QTRY_VERIFY(box->isVisible());
  for (const char* theme : {"theme:light", "theme:dark"}) {
    child<QAction>(theme)->trigger();
    child<QLineEdit>("railFilter")->setFocus();
    const QImage picture = window_->grab().toImage();
    const QPoint at = box->mapTo(window_.get(), QPoint(0, 0));
    const QColor besides = picture.pixelColor(at.x() - 1, at.y() + box->height() / 2);
    int drawn = 0;  // the indicator is less high than the box
    for (int y = 0; y < box->height(); ++y)
      drawn += picture.pixelColor(at.x(), at.y() + y) != besides;
    QVERIFY2(drawn < box->height(), theme);
  }
}

STRATA_TEST(TestSeenByHand)
#include "test_seen_by_hand.moc"
