#include <QAction>
#include <QSplitter>
#include <QTabBar>
#include <QToolButton>
#include <QtTest>
#include <random>

#include "core/base/text_limits.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/widgets/messages.h"
#include "ui/window/session.h"
#include "ui/window/stage.h"
#include "ui/window/view_tabs.h"

using namespace strata;
using namespace strata::ui;

// How the window arranges its panels.
class TestStage : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void everyPanelIsInOnePerspective();
  void aViewFillsThePageAndGoesBack();
  void aViewMovesToItsOwnWindowAndBack();
  void everyViewIsWholeInASmallWindow();
  void noLineIsAboveTheCorner();
  void aLayoutIsKept();
  void damagedLayoutsDoNoHarm();
  void damagedStatesOfPanelsDoNoHarm();
  void ofTwoWindowsTheFirstKeepsTheSession();
};

void TestStage::everyPanelIsInOnePerspective() {
  open();
  QSet<QString> seen;
  for (const char* const name : {"prepare", "train", "watch", "inside", "compare", "papers"}) {
    window_->showPerspective(name);
    QCOMPARE(window_->perspective(), QString(name));
    for (const ViewTabs* area : window_->stage()->currentWidget()->findChildren<ViewTabs*>()) {
      for (const Panel* panel : area->panels()) {
        QVERIFY2(!seen.contains(panel->name()), qPrintable(panel->name()));
        seen.insert(panel->name());
      }
    }
  }
  QCOMPARE(seen.size(), window_->panels()->all().size());
  window_->showPerspective("no such");
  QCOMPARE(window_->perspective(), QString("watch"));
}

void TestStage::aViewFillsThePageAndGoesBack() {
  open();
  auto* hops = window_->panel<HopWeightsPanel>();
  auto* translate = window_->panel<TranslatePanel>();
  window_->showPerspective("inside");
  QVERIFY(hops->isVisible() && translate->isVisible());
  auto* tabs = qobject_cast<ViewTabs*>(translate->parentWidget()->parentWidget());
  QVERIFY(tabs);
  const int narrow = translate->width();
  emit tabs->tabBarDoubleClicked(0);
  QVERIFY(window_->stage()->fills(translate));
  QVERIFY(!hops->isVisible());
  QTRY_VERIFY(translate->width() > narrow);
  window_->bringUp("hop-weights");  // another view: the page shows both again
  QVERIFY(hops->isVisible() && translate->isVisible());
  translate->setFocus();
  child<QAction>("fillPage")->trigger();
  QVERIFY(window_->stage()->fills(translate));
  child<QAction>("fillPage")->trigger();
  QVERIFY(hops->isVisible() && translate->isVisible());
}

void TestStage::aViewMovesToItsOwnWindowAndBack() {
  open();
  auto* translate = window_->panel<TranslatePanel>();
  window_->showPerspective("inside");
  auto* tabs = qobject_cast<ViewTabs*>(translate->parentWidget()->parentWidget());
  tabs->findChild<QToolButton*>("openInWindow")->click();
  QVERIFY(window_->stage()->isInWindow(translate));
  QVERIFY(translate->isVisible() && translate->window() != window_.get());
  QVERIFY(!tabs->isVisible());  // nothing is left in it
  window_->showPerspective("watch");
  QVERIFY(translate->isVisible());
  window_->bringUp("translate");  // is where it is
  QCOMPARE(window_->perspective(), QString("watch"));
  translate->window()->close();
  QVERIFY(!window_->stage()->isInWindow(translate));
  window_->showPerspective("inside");
  QVERIFY(translate->isVisible() && translate->window() == window_.get());
}

// The stage of a window of 1280x800 with the rail beside it.
void TestStage::everyViewIsWholeInASmallWindow() {
  open();
  for (Panel* panel : window_->panels()->all()) {
    window_->stage()->bringUp(panel);
    if (auto* more = panel->findChild<QToolButton*>("importMore")) more->setChecked(true);
    const QSize least = panel->minimumSizeHint();
    QVERIFY2(
        least.width() <= 1008 && least.height() <= 680,
        qPrintable(QString("%1: %2x%3").arg(panel->name()).arg(least.width()).arg(least.height())));
  }
  window_->resize(1280, 800);
  QCOMPARE(window_->size(), QSize(1280, 800));
  for (const QAction* action : window_->stage()->actions()) {
    window_->showPerspective(action->data().toString());
    const int least = window_->stage()->currentWidget()->minimumSizeHint().width();
    QVERIFY2(least <= 1008, qPrintable(QString("%1: %2").arg(action->text()).arg(least)));
  }
}

void TestStage::noLineIsAboveTheCorner() {
  open();
  const auto* tabs = window_->stage()->currentWidget()->findChild<ViewTabs*>();
  const QWidget* corner = tabs->cornerWidget();
  const QImage picture = window_->grab().toImage();
  const QPoint at = corner->mapTo(window_.get(), QPoint(0, 0));
  const QColor besides = picture.pixelColor(at - QPoint(4, 0));
  for (int x = 0; x < corner->width(); ++x)
    QCOMPARE(picture.pixelColor(at + QPoint(x, 0)).name(), besides.name());
}

void TestStage::aLayoutIsKept() {
  open();
  window_->stage()->setInWindow(window_->panel<TranslatePanel>(), true);
  window_->panel<TranslatePanel>()->window()->setGeometry(40, 50, 700, 400);
  window_->bringUp("log");
  auto* page = qobject_cast<QSplitter*>(window_->stage()->currentWidget());
  page->setSizes({300, 400});
  const QList<int> sizes = page->sizes();
  reopen();
  QVERIFY(window_->stage()->isInWindow(window_->panel<TranslatePanel>()));
  QCOMPARE(window_->panel<TranslatePanel>()->window()->size(), QSize(700, 400));
  QVERIFY(window_->panel<LogPanel>()->isVisible());
  page = qobject_cast<QSplitter*>(window_->stage()->currentWidget());
  QTRY_COMPARE(page->sizes(), sizes);
}

// Single bytes, and parts, of all layouts are replaced; the session's digest, which refuses such
// files, is not asked.
void TestStage::damagedLayoutsDoNoHarm() {
  open();
  window_->stage()->setInWindow(window_->panel<TranslatePanel>(), true);
  const QMap<QString, QByteArray> layouts = window_->stage()->layouts();
  std::mt19937 random(7);
  const auto below = [&](qsizetype limit) { return qsizetype(random() % std::uint32_t(limit)); };
  const QByteArray pieces[] = {
      "-1", "1e99", "[]", "{}", "\"runs\"", "null", "99999999999999999999"};
  for (int i = 0; i < 1000; ++i) {
    QMap<QString, QByteArray> damaged = layouts;
    for (QByteArray& layout : damaged) {
      if (random() % 2) {
        layout[below(layout.size())] = char(random() % 256);
      } else {
        const qsizetype at = below(layout.size());
        layout.replace(at, below(layout.size() - at) + 1, pieces[below(7)]);
      }
    }
    window_->stage()->restore(damaged);
    for (Panel* panel : window_->panels()->all()) QVERIFY(panel->parentWidget());
  }
  window_->stage()->restore(layouts);
  QVERIFY(window_->stage()->isInWindow(window_->panel<TranslatePanel>()));
  QCOMPARE(window_->stage()->layouts().keys(), layouts.keys());
}

// A leaf of a state, at random.
static Json* leafOf(Json& state, std::mt19937& random) {
  Json* at = &state;
  while ((at->is_object() || at->is_array()) && !at->empty())
    at = &*std::next(at->begin(), std::ptrdiff_t(random() % at->size()));
  return at;
}

// Values of all panels' states are replaced by others, of the same type or not.
void TestStage::damagedStatesOfPanelsDoNoHarm() {
  const RunSummary run = fixture::makeRun(*workspace_, "r1");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 200);
  fixture::record(session, 100, 1);
  session.end({run.id, 200, RunOutcome::kFinished, ""});
  open();
  QTRY_COMPARE(window_->rows().size(), 1);
  for (Panel* panel : window_->panels()->all()) window_->bringUp(panel->name());
  window_->bringUp("hop-weights");
  QTRY_VERIFY(window_->panel<HopWeightsPanel>()->isUpToDate());
  const QMap<QString, QByteArray> states = window_->panels()->saveStates();
  const Json values[] = {
      -1,  1e99, 99999999999999999LL, Json::array(), Json::object(), nullptr, true, "", "runs",
      "[", 2,    Json{{"x", 1}},      Json{1, "two"}};
  std::mt19937 random(11);
  QElapsedTimer clock;
  clock.start();
  for (int i = 0; i < 1000; ++i) {
    QMap<QString, QByteArray> damaged;
    for (int n = 0; n < 3; ++n) {  // few at a time: a panel that refuses must not hide the others
      const QString name = states.keys()[qsizetype(random() % std::uint32_t(states.size()))];
      Json state = parseJson(states[name].toStdString(), "a state");
      for (auto changes = 1 + random() % 3; changes > 0; --changes)
        *leafOf(state, random) = values[random() % std::size(values)];
      damaged[name] = QByteArray::fromStdString(state.dump());
    }
    window_->panels()->restoreStates(damaged);
    if (i % 50 == 0) QCoreApplication::processEvents();
  }
  qInfo("1,000 states in %lld ms", clock.elapsed());
  window_->panels()->restoreStates(states);
  QCOMPARE(window_->panels()->saveStates().keys(), states.keys());
  for (Panel* panel : window_->panels()->all()) {
    window_->bringUp(panel->name());
    QVERIFY(!panel->grab().isNull());
    for (const auto& state : window_->panels()->saveStates())
      QVERIFY(tryParseJson(state.toStdString()));
  }
}

void TestStage::ofTwoWindowsTheFirstKeepsTheSession() {
  open();
  QCOMPARE(loadSession(folder_->path()).unclean, 1);
  for (int i = 0; i < 3; ++i) {
    MainWindow::Options options;
    options.workspace = folder_->path();
    MainWindow second(options);
    second.show();
    QVERIFY(second.messages()->text().isEmpty());  // nothing went wrong
    QCOMPARE(loadSession(folder_->path()).unclean, 1);
    second.showPerspective("compare");
    second.close();
    QVERIFY(loadSession(folder_->path()).perspective != "compare");
  }
  window_->showPerspective("inside");
  window_->close();
  QCOMPARE(loadSession(folder_->path()).perspective, QString("inside"));
  QCOMPARE(loadSession(folder_->path()).unclean, 0);
}

STRATA_TEST(TestStage)
#include "test_stage.moc"
