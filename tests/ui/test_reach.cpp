#include <QAbstractEventDispatcher>
#include <QAbstractItemView>
#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QMap>
#include <QSet>
#include <QTabWidget>
#include <QTextBrowser>
#include <QtTest>
#include <ctime>

#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/light_window.h"
#include "tests/ui/longest_turn.h"
#include "tests/ui/trained_window.h"
#include "ui/data/job_list.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/attention_views.h"
#include "ui/panels/config_model.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/window/stage.h"
#include "ui/window/view_help.h"

using namespace strata;
using namespace strata::ui;

// What the keyboard, a screen reader and a slow eye meet in the real window with trained models of
// all four families.
class TestReach : public QObject, TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase() { open(families()); }
  void cleanupTestCase() { window_.reset(); }
  void theTextNamesTheHopWeight();
  void theTextNamesTheHistoryWeight();
  void theTextNamesTheAttention();
  void theTextNamesThePoint();
  void tabWalksThroughEveryPanel_data();
  void tabWalksThroughEveryPanel();
  void tabWalksThroughTheFrame();
  void everyChartSpeaks();
  void theFocusIsSeen();
  void everyNumberFieldSaysItsUnitAndRange();
  void theWindowAnswersAtOnce();

 private:
  template <typename P>
  P* panelOf(const QString& run);
  void settle(Panel* panel);
  void walkThrough(const QList<QWidget*>& parts);
  QMap<QString, QString> slowInANewWindow();
  QString explained(Panel* panel);
};

void TestReach::settle(Panel* panel) {
  QTRY_VERIFY2_WITH_TIMEOUT(panel->isEmpty() || panel->isUpToDate(), qPrintable(panel->name()),
                            kPatience);
}

template <typename P>
P* TestReach::panelOf(const QString& run) {
  auto* panel = window_->panel<P>();
  raise(panel->name());
  window_->panels()->select({.drawn = QVector<qint64>{idOf(run)}, .run = idOf(run)});
  settle(panel);
  return panel;
}

// The line of a symbol, and what is said about the place.
QString TestReach::explained(Panel* panel) {
  auto* help = panel->findChild<ViewHelp*>();
  if (!help || !help->isVisible()) ViewHelp::toggle(panel);
  return viewHelpText(panel->name(), panel->here());
}

static QString line(const QString& text, const QString& symbol) {
  for (const QString& each : text.split('\n')) {
    if (each.startsWith("| " + symbol + " |")) return each;
  }
  return {};
}

static QString decimals(double value) {
  return QString::number(value, 'f', 3).replace(".", "\\.");
}

void TestReach::theTextNamesTheHopWeight() {
  auto* panel = panelOf<HopWeightsPanel>(kFused);
  HeatMapView* map = panel->sentenceMap();
  map->setFocus();
  QTest::keyClick(map, Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClick(map, Qt::Key_Right);
  QTest::keyClick(map, Qt::Key_Down);
  const HeatMap& drawn = map->maps()[0];
  const QString value = decimals(double(drawn.values[std::size_t(map->columns().size()) + 1]));
  const QString text = explained(panel);
  QVERIFY2(line(text, "a_pl").endsWith(" | " + value + " |"), qPrintable(text));
  QVERIFY(line(text, "p").endsWith(" | 1 |"));
  QVERIFY(line(text, "l").endsWith(" | " + drawn.rows[1] + " |"));
  QVERIFY(line(text, "n").endsWith(" | 3 |"));
  QVERIFY(text.contains("**Here:** hop 1 · " + drawn.rows[1]));
  // And the text follows the cursor while it is open.
  auto* shown = panel->findChild<QTextBrowser*>("viewHelpText");
  QTRY_VERIFY(shown->toPlainText().contains(QString(value).remove('\\')));
  panel->meanMap()->setFocus();
  QTest::keyClick(panel->meanMap(), Qt::Key_Home, Qt::ControlModifier);
  const QString mean = QString::number(double(panel->meanMap()->maps()[0].values[0]), 'f', 3);
  QTRY_VERIFY(shown->toPlainText().contains(mean));
  QVERIFY(line(explained(panel), "ā_pl").endsWith(" | " + decimals(mean.toDouble()) + " |"));
  ViewHelp::toggle(panel);
  QVERIFY(panel->meanMap()->hasFocus());
}

void TestReach::theTextNamesTheHistoryWeight() {
  auto* panel = panelOf<TargetAttentionPanel>(kHistory);
  HeatMapView* map = panel->sentence()->map();
  map->setFocus();
  QTest::keyClick(map, Qt::Key_Home, Qt::ControlModifier);
  const std::vector<float>& values = map->maps()[0].values;
  QString text = explained(panel);
  QVERIFY2(line(text, "α_ij").endsWith(" | " + decimals(double(values[0])) + " |"),
           qPrintable(text));
  QVERIFY(line(text, "S_i").count('|') == 4 && !line(text, "S_i").endsWith(" |  |"));
  const int read = int(map->columns().indexOf("</s>")) + 1;  // after the source: the start symbol
  for (int i = 0; i < read; ++i) QTest::keyClick(map, Qt::Key_Right);
  text = explained(panel);
  QVERIFY2(line(text, "β_ij").endsWith(" | " + decimals(double(values[std::size_t(read)])) + " |"),
           qPrintable(text));
  QVERIFY(line(text, "α_ij").endsWith(" |  |"));
  ArcView* arcs = panel->sentence()->arcs();
  arcs->setFocus();
  QTest::keyClick(arcs, Qt::Key_Right);
  text = explained(panel);
  QVERIFY2(!line(text, "i").endsWith(" |  |"), qPrintable(text));
  ViewHelp::toggle(panel);
}

void TestReach::theTextNamesTheAttention() {
  for (const char* run : {"mlrf-dec-sa4-zhen.toy.s1", "dhea-gate.toy.s1", "dense", "deep"}) {
    auto* panel = panelOf<AttentionPanel>(run);
    HeatMapView* map = panel->views()->matrix();
    QTRY_VERIFY_WITH_TIMEOUT(!map->maps().isEmpty(), kPatience);
    map->setFocus();
    QTest::keyClick(map, Qt::Key_Home, Qt::ControlModifier);
    QTest::keyClick(map, Qt::Key_Right);
    const QString text = explained(panel);
    QVERIFY2(line(text, "α_ij").endsWith(" | " + decimals(double(map->maps()[0].values[1])) + " |"),
             qPrintable(run + text));
    ViewHelp::toggle(panel);
  }
}

void TestReach::theTextNamesThePoint() {
  auto* panel = panelOf<CurvesPanel>("dense");
  QTRY_VERIFY_WITH_TIMEOUT(panel->chart("train/nll") && panel->isUpToDate(), kPatience);
  CurvePlot* chart = panel->chart("train/nll");
  chart->setFocus();
  QTest::keyClick(chart, Qt::Key_Right);
  QTest::keyClick(chart, Qt::Key_End);
  QVERIFY(chart->cursor());
  const Series& series = *chart->curves()[0].series;
  const QString text = explained(panel);
  QVERIFY2(line(text, "t").endsWith(QString(" | %1 |").arg(series.steps().back())),
           qPrintable(text));
  const QString value = numberText(series.values().back(), 6).replace(".", "\\.");
  QVERIFY2(line(text, "x_t").endsWith(" | " + value + " |"), qPrintable(text));
  QVERIFY(text.contains("train/nll"));
  ViewHelp::toggle(panel);
}

// What a screen reader calls it.
static QString accessibleName(QWidget* widget) {
  QAccessibleInterface* found = QAccessible::queryAccessibleInterface(widget);
  return found ? found->text(QAccessible::Name) : QString();
}

static QString labelOf(const QWidget* widget) {
  return QString("%1 %2 in %3")
      .arg(widget->metaObject()->className(), widget->objectName(),
           widget->parentWidget() ? widget->parentWidget()->objectName() : QString());
}

void TestReach::tabWalksThroughEveryPanel_data() {
  QTest::addColumn<QString>("panel");
  for (const Panel* panel : window_->panels()->all())
    QTest::newRow(qPrintable(panel->name())) << panel->name();
}

void TestReach::tabWalksThroughEveryPanel() {
  QFETCH(QString, panel);
  Panel* shown = window_->panels()->panel(panel);
  raise(panel);
  const bool history = panel == "target-attention";
  window_->panels()->select({.run = idOf(history ? kHistory : kFused)});
  settle(shown);
  walkThrough({shown});
}

// The inspector, each of its pages, and the jobs beside a panel.
void TestReach::tabWalksThroughTheFrame() {
  raise("runs");
  window_->panels()->select({.run = idOf(kFused)});
  settle(window_->panel<RunsPanel>());
  const qint64 job = window_->jobs()->add({.name = "a job", .cancel = [] {}});
  const QStringList actions{"showInspector", "showJobs"};
  for (const QString& name : actions) window_->findChild<QAction*>(name)->setChecked(true);
  const QList<QWidget*> parts{child<QWidget>("inspector"), child<QWidget>("jobsDock")};
  for (const QWidget* part : parts) QVERIFY2(part->isVisible(), qPrintable(part->objectName()));
  auto* pages = child<QTabWidget>("inspectorTabs");
  QTRY_VERIFY_WITH_TIMEOUT(pages->isEnabled(), kPatience);
  for (int page = 0; page < pages->count(); ++page) {
    pages->setCurrentIndex(page);
    walkThrough(parts);
    if (QTest::currentTestFailed()) break;
  }
  for (const QString& name : actions) window_->findChild<QAction*>(name)->setChecked(false);
  window_->jobs()->end(job);
}

// Every picture with values reads one out when the keys move its cursor.
void TestReach::everyChartSpeaks() {
  QStringList silent;
  int charts = 0;
  for (Panel* panel : window_->panels()->all()) {
    raise(panel->name());
    window_->panels()->select(
        {.run = idOf(panel->name() == "target-attention" ? kHistory : kFused)});
    settle(panel);
    for (Chart* chart : panel->findChildren<Chart*>()) {
      if (!chart->isVisible()) continue;
      chart->exportTo(path("spoken.csv"));
      if (fieldsOf(path("spoken.csv")).size() < 2) continue;
      ++charts;
      chart->setFocus();
      for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down}) QTest::keyClick(chart, key);
      QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(chart);
      const QString text = spoken->text(QAccessible::Description);
      if (!chart->hasFocus() || !text.contains(QRegularExpression("\\d"))) silent << labelOf(chart);
    }
  }
  qInfo("%d charts", charts);
  QVERIFY(charts > 8);
  QVERIFY2(silent.isEmpty(), qPrintable('\n' + silent.join('\n')));
}

// Tab leads through the whole window and back to where it began, Shift+Tab the other way round, and
// both to everything in these parts of it that takes the focus.
void TestReach::walkThrough(const QList<QWidget*>& parts) {
  static constexpr int kMost = 400;
  window_->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  QStringList unnamed, unreached;
  for (const bool back : {false, true}) {
    QWidget* const first = window_->findChild<QWidget*>("railFilter");
    QVERIFY(first);
    first->setFocus();
    QSet<QWidget*> seen;
    QStringList path;
    QWidget* focus = first;
    for (int steps = 0; steps < kMost; ++steps) {
      seen << focus;
      path << labelOf(focus);
      if (accessibleName(focus).isEmpty() && !unnamed.contains(path.last())) unnamed << path.last();
      QTest::keyClick(focus, Qt::Key_Tab, back ? Qt::ShiftModifier : Qt::NoModifier);
      QWidget* const next = QApplication::focusWidget();
      QVERIFY2(next, qPrintable("the focus is lost after " + path.last()));
      QVERIFY2(next != focus, qPrintable("a trap: " + path.last()));
      focus = next;
      if (focus == first) break;
      QVERIFY2(
          !seen.contains(focus),
          qPrintable(QString("a circle at %1 after\n%2").arg(labelOf(focus), path.join('\n'))));
    }
    QCOMPARE(focus, first);
    for (const QWidget* part : parts) {
      for (QWidget* widget : part->findChildren<QWidget*>()) {
        const bool reachable = widget->isVisible() && widget->isEnabled() &&
                               (widget->focusPolicy() & Qt::TabFocus) && !widget->focusProxy();
        if (reachable && !seen.contains(widget)) unreached << labelOf(widget);
      }
    }
  }
  QVERIFY2(unnamed.isEmpty(), qPrintable("no accessible name:\n" + unnamed.join('\n')));
  QVERIFY2(unreached.isEmpty(), qPrintable("not reached:\n" + unreached.join('\n')));
}

// A picture of the window around a widget.
static QImage around(QWidget* widget) {
  QWidget* window = widget->window();
  const QRect rect(widget->mapTo(window, QPoint()), widget->size());
  return window->grab(rect.adjusted(-3, -3, 3, 3)).toImage();
}

void TestReach::theFocusIsSeen() {
  QApplication::setCursorFlashTime(0);
  QSet<QString> kinds;
  QStringList unseen;
  QWidget* const other = window_->findChild<QWidget*>("railFilter");
  for (Panel* panel : window_->panels()->all()) {
    raise(panel->name());
    settle(panel);
    for (QWidget* widget : panel->findChildren<QWidget*>()) {
      if (!widget->isVisible() || !widget->isEnabled() || !(widget->focusPolicy() & Qt::TabFocus))
        continue;
      QString kind = widget->metaObject()->className();
      for (const char* style : {"flat", "primary", "compact", "chip", "dense"})
        kind += widget->property(style).toBool() ? style : "";
      if (auto* view = qobject_cast<QAbstractItemView*>(widget))
        kind += view->model() && view->model()->rowCount() > 0 ? " with rows" : " empty";
      if (kinds.contains(kind)) continue;
      kinds << kind;
      other->setFocus();
      const QImage without = around(widget);
      widget->setFocus(Qt::TabFocusReason);
      if (around(widget) == without) unseen << kind + ": " + labelOf(widget);
    }
  }
  qInfo("%d kinds of widgets", int(kinds.size()));
  QVERIFY2(unseen.isEmpty(), qPrintable('\n' + unseen.join('\n')));
}

// Of one preset of each family, and of all settings of training.
void TestReach::everyNumberFieldSaysItsUnitAndRange() {
  auto* launch = window_->panel<LaunchPanel>();
  raise("launch");
  QTRY_VERIFY_WITH_TIMEOUT(launch->isUpToDate() && launch->isReady(), kPatience);
  // The letters of models.md, which are the papers'.
  const QMap<QString, QMap<QString, QString>> symbols{
      {"mlrf/dec-sa4-cpu",
       {{"embed_dim", "d"},
        {"ffn_dim", "ff"},
        {"encoder_layers", "L"},
        {"fusion_attn_dim", "d_a"},
        {"fusion_ffn_dim", "d_f"}}},
      {"dhea/gate-cpu", {{"hidden", "d"}, {"encoder_layers", "N_e"}, {"decoder_layers", "N_d"}}},
      {"densenmt/4l-2-cpu",
       {{"embed_dim", "E"},
        {"token_embed_dim", "e"},
        {"hidden", "H"},
        {"growth", "d"},
        {"kernel", "K"},
        {"summary_every", "B"}}},
      {"deepatt/att-1-1-cpu", {{"embed_dim", "e"}, {"hidden", "h"}, {"columns", "C"}}}};
  int fields = 0, units = 0, found = 0;
  for (auto family = symbols.begin(); family != symbols.end(); ++family) {
    launch->choose(family.key(), "toy");
    QTRY_VERIFY_WITH_TIMEOUT(launch->isUpToDate(), kPatience);
    const ConfigModel* model = launch->config();
    for (int section = 0; section < model->rowCount(); ++section) {
      const QModelIndex parent = model->index(section, 0);
      for (int row = 0; row < model->rowCount(parent); ++row) {
        const QModelIndex key = model->index(row, ConfigModel::kKey, parent);
        const QString type = key.data(ConfigModel::kTypeRole).toString(),
                      path = key.data(ConfigModel::kPathRole).toString(),
                      tip = key.data(Qt::ToolTipRole).toString(),
                      unit = key.siblingAtColumn(ConfigModel::kUnit).data().toString();
        if (!type.startsWith("int") && !type.startsWith("number")) continue;
        ++fields;
        QVERIFY2(tip.section('\n', 0, 0).size() > 5, qPrintable(path));
        QVERIFY2(tip.contains("Allowed: "), qPrintable(path + ": " + tip));
        QVERIFY2(unit.isEmpty() || tip.contains("\nUnit: " + unit + "\n"), qPrintable(path));
        units += !unit.isEmpty();
        const QString symbol = family->value(path.section('.', 1));
        if (!path.startsWith("model.") || symbol.isEmpty()) continue;
        ++found;
        QVERIFY2(tip.contains(QRegularExpression("\\b" + symbol + "\\b")), qPrintable(tip));
      }
    }
  }
  QCOMPARE(found, 5 + 3 + 6 + 3);
  QVERIFY2(fields > 100 && units > 40, qPrintable(QString("%1, %2").arg(fields).arg(units)));
}

// The CPU time of this thread between two waits of its event loop.
class Bursts : public QObject {
 public:
  Bursts() {
    connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::aboutToBlock, this,
            [this] { end(); });
  }
  // The longest while `action` runs from the event loop and until `done`.
  double longest(const std::function<void()>& action, const std::function<bool()>& done) {
    QEventLoop loop;
    longest_ = 0;
    end();
    longest_ = 0;
    QTimer::singleShot(0, this, action);
    QTimer again;
    QElapsedTimer clock;
    clock.start();
    connect(&again, &QTimer::timeout, &loop, [&] {
      if ((done() && clock.elapsed() > 250) || clock.hasExpired(kPatience)) loop.quit();
    });
    again.start(20);
    loop.exec();
    end();
    return longest_;
  }

 private:
  void end() {
    const double now = cpuMilliseconds();
    longest_ = std::max(longest_, now - began_);
    began_ = now;
  }
  double began_ = cpuMilliseconds(), longest_ = 0;
};

// What took a new window, which lays out and draws each view for the first time, too long, and how
// long.
QMap<QString, QString> TestReach::slowInANewWindow() {
  QMap<QString, QString> slow;
  Bursts bursts;
  const auto measure = [&](const QString& what, Panel* panel, const std::function<void()>& action) {
    const double took = bursts.longest(
        action, [panel] { return !panel || panel->isEmpty() || panel->isUpToDate(); });
    if (took > kLongestTurn / 4) qInfo("%s: %.0f ms", qPrintable(what), took);
    if (took > kLongestTurn) slow[what] = QString("%1: %2 ms").arg(what).arg(took, 0, 'f', 0);
  };
  window_.reset();
  window_ = lightWindow(folder_.path(), {1280, 800});
  [this] {
    QTRY_VERIFY_WITH_TIMEOUT(window_->isOpened() && window_->rows().size() == 4, kPatience);
  }();
  for (Panel* panel : window_->panels()->all())
    measure("open " + panel->name(), panel, [&] { raise(panel->name()); });
  for (const QAction* perspective : window_->stage()->actions()) {
    const QString name = perspective->data().toString();
    measure("perspective " + name, nullptr, [&] { window_->showPerspective(name); });
    for (const RunRow& run : window_->rows()) {
      measure(name + ": choose " + run.name, nullptr, [&, id = run.id] {
        window_->panels()->select({.drawn = QVector<qint64>{id}, .run = id});
      });
    }
  }
  return slow;
}

// What is slow in one of three windows may be the computer's, which others use, too; what is slow
// in each of them is the window's.
void TestReach::theWindowAnswersAtOnce() {
  QMap<QString, QString> always = slowInANewWindow();
  for (int window = 1; window < 3 && !always.isEmpty(); ++window) {
    const QMap<QString, QString> slow = slowInANewWindow();
    always.removeIf([&](const auto& each) { return !slow.contains(each.key()); });
  }
  QVERIFY2(always.isEmpty(), qPrintable('\n' + QStringList(always.values()).join('\n')));
}

STRATA_TEST(TestReach)
#include "test_reach.moc"
