#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTreeView>
#include <QTreeWidget>
#include <QtTest>

#include "core/base/files.h"
#include "tests/program.h"
#include "tests/ui/trained_window.h"
#include "ui/panels/config_model.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/network_drawing.h"

using namespace strata;
using namespace strata::ui;

// The form of Launch in the real window, next to what the real program prints and does.
class TestLaunchFormAndRunner : public QObject, private TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase();
  void theFormFitsTheSmallestWindow();
  void previewsAreThoseOfADryRun();
  void everyFamilyIsDrawn();
  void theCopiedLineTrainsWhatStartWould();
  void editedYamlChangesTheForm();
  void aRunIsCopiedIntoTheForm();
  void aRunStartsFromACheckpointOfAnother();

 private:
  LaunchPanel* launch() const { return window_->panel<LaunchPanel>(); }
  void openForm();
  QByteArray storedConfig(const QString& run);
};

void TestLaunchFormAndRunner::initTestCase() {
  Trained run = families()[0];
  run.settings << "checkpoint.keep_last=5";
  TrainedWindow::open({run});
}

void TestLaunchFormAndRunner::openForm() {
  raise("launch");
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate() && launch()->isReady(), kPatience);
  launch()->choose("mlrf/dec-sa4-cpu", "toy");
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate(), kPatience);
  launch()->config()->clearOverrides();
  for (const char* setting :
       {"model.embed_dim=32", "model.ffn_dim=64", "model.fusion_attn_dim=32",
        "model.fusion_ffn_dim=64", "training.max_updates=2", "training.max_epochs=0",
        "training.threads=1", "training.batch.size=400", "validation.every_epochs=0",
        "validation.monitor=[]", "checkpoint.every_epochs=0", "training.init=default"}) {
    const QString text = QString::fromLatin1(setting);
    launch()->config()->setOverride(text.section('=', 0, 0), text.section('=', 1));
  }
  QTRY_VERIFY2_WITH_TIMEOUT(launch()->isUpToDate() && launch()->problem().isEmpty(),
                            qPrintable(launch()->problem()), kPatience);
}

void TestLaunchFormAndRunner::theFormFitsTheSmallestWindow() {
  window_->resize(1280, 800);
  openForm();
  auto* tree = launch()->findChild<QTreeView*>("configTree");
  int settings = 0;  // headings do not count
  for (QModelIndex index = tree->indexAt({2, 2});
       index.isValid() && tree->viewport()->rect().contains(tree->visualRect(index));
       index = tree->indexBelow(index))
    settings += index.parent().isValid();
  QVERIFY2(settings >= 18, qPrintable(QString::number(settings)));
  // The last line is in the window, outside of anything that scrolls.
  for (const char* name : {"launchParameters", "launchMemory", "launchTime", "launchStart"}) {
    const auto* widget = launch()->findChild<QWidget*>(QLatin1String(name));
    QVERIFY2(widget->isVisible() && widget->visibleRegion().boundingRect() == widget->rect(), name);
  }
}

void TestLaunchFormAndRunner::previewsAreThoseOfADryRun() {
  openForm();
  QStringList arguments = launch()->command();
  const Json report = printed(arguments << "--dry-run");
  const auto* drawing = launch()->findChild<NetworkDrawing*>("launchNetwork");
  QVERIFY(drawing->network().json() == report.at("network"));
  const qint64 parameters = report.at("parameters").get<qint64>();
  QCOMPARE(qint64(drawing->network().parameters()), parameters);
  QCOMPARE(launch()->findChild<QLabel*>("launchParameters")->text(), countText(parameters));
  // A click shows the equation.
  auto* tabs = launch()->findChild<QTabWidget*>("launchPreview");
  tabs->setCurrentIndex(0);
  auto* shown = const_cast<NetworkDrawing*>(drawing);
  QTest::mouseClick(shown, Qt::LeftButton, {}, shown->boxOf(1).center().toPoint());
  QCOMPARE(shown->chosen(), 1);
  QVERIFY(launch()->findChild<QLabel*>("launchPart")->text().contains("LN(x + SelfAtt(x))"));
  // Every sentence that is not left out is in one batch.
  double sentences = 0;
  for (const double count : launch()->findChild<CategoryPlot*>("launchBatches")->series()[0].values)
    sentences += count;
  QCOMPARE(qint64(sentences), report.at("sentences").get<qint64>());
  std::int64_t tokens = 0, positions = 0;
  for (const Json& each : report.at("batch_lengths")) {
    tokens += each.at("tokens").get<std::int64_t>();
    positions += each.at("positions").get<std::int64_t>();
  }
  QCOMPARE(tokens, report.at("source_tokens").get<std::int64_t>() +
                       report.at("target_tokens").get<std::int64_t>());
  QCOMPARE(1 - double(tokens) / double(positions), report.at("padding").get<double>());
  // The range holds the estimate, and says what it rests on.
  const double seconds = report.at("seconds").get<double>();
  QVERIFY(report.at("seconds_range")[0].get<double>() <= seconds);
  QVERIFY(report.at("seconds_range")[1].get<double>() >= seconds);
  const QString basis = launch()->findChild<QLabel*>("launchBasis")->text();
  QVERIFY2(basis.startsWith("3 steps measured here, 1 thread"), qPrintable(basis));
}

// The boxes' parameters sum to the figure that the model itself gives.
void TestLaunchFormAndRunner::everyFamilyIsDrawn() {
  const auto* drawing = launch()->findChild<NetworkDrawing*>("launchNetwork");
  auto* tabs = launch()->findChild<QTabWidget*>("launchPreview");
  const QString pictures = qEnvironmentVariable("STRATA_TEST_PICTURES");
  for (const char* preset :
       {"densenmt/8l-2", "deepatt/att-2-2-cpu", "dhea/gate-cpu", "mlrf/dec-sa4-cpu"}) {
    launch()->config()->clearOverrides();
    launch()->choose(preset, "toy");
    QTRY_VERIFY2_WITH_TIMEOUT(launch()->isUpToDate() && launch()->problem().isEmpty(),
                              qPrintable(launch()->problem()), kPatience);
    QCOMPARE(launch()->request().preset, QString(preset));
    QCOMPARE(launch()->findChild<QLabel*>("launchParameters")->text(),
             countText(drawing->network().parameters()));
    for (int tab = 0; tab < 3 && !pictures.isEmpty(); ++tab) {
      tabs->setCurrentIndex(tab);
      QTest::qWait(100);
      window_->grab().save(
          QStringLiteral("%1/%2-%3.png").arg(pictures, QString(preset).replace('/', '-')).arg(tab));
    }
  }
}

QByteArray TestLaunchFormAndRunner::storedConfig(const QString& run) {
  const Json shown = printed({"runs", "show", run});
  return QByteArray::fromStdString(
      readFile(fs::path(shown.at("folder").get<std::string>()) / "config.effective.yaml"));
}

void TestLaunchFormAndRunner::theCopiedLineTrainsWhatStartWould() {
  openForm();
  auto* name = launch()->findChild<QLineEdit*>("launchName");
  auto* start = launch()->findChild<QPushButton*>("launchStart");
  name->setText("copied");
  outputOfCopied(launch());
  QVERIFY(printed({"runs", "show", "copied"}).at("status") == "finished");
  // The same form again: the window says that there is such a run, and queues nothing.
  name->setText("clicked");
  QTest::mouseClick(start, Qt::LeftButton);
  QTRY_VERIFY2(launch()->problem().contains("copied"), qPrintable(launch()->problem()));
  QVERIFY(launch()->problem().contains("finished"));
  QCOMPARE(printed({"runs", "list"}).at("runs").size(), std::size_t(2));
  QTest::mouseClick(launch()->findChild<QPushButton*>("launchAnyway"), Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(window_->rows().size(), 3, kPatience);
  QCOMPARE(storedConfig("clicked"), storedConfig("copied"));
  QTRY_COMPARE(window_->perspective(), QString("watch"));
  // Another seed differs in nothing else.
  raise("launch");
  name->setText("seeded");
  QTest::mouseClick(start, Qt::LeftButton);
  QTRY_VERIFY(launch()->problem().contains("exactly this configuration"));
  QTest::mouseClick(launch()->findChild<QPushButton*>("launchOtherSeed"), Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(window_->rows().size(), 4, kPatience);
  const QByteArray other = storedConfig("seeded.s2");
  QCOMPARE(QByteArray(other).replace("seed: 2", "seed: 1"), storedConfig("copied"));
  QVERIFY(other != storedConfig("copied"));
}

// The form then is the run's configuration, to be changed: as it is, Start finds the run itself.
// What cannot be taken over says its line and changes nothing.
void TestLaunchFormAndRunner::editedYamlChangesTheForm() {
  openForm();
  auto* yaml = launch()->findChild<QPlainTextEdit*>("launchYaml");
  auto* apply = launch()->findChild<QPushButton*>("launchYamlApply");
  auto* problem = launch()->findChild<QLabel*>("launchYamlProblem");
  launch()->findChild<QTabWidget*>("launchPreview")->setCurrentIndex(3);
  QVERIFY(!apply->isVisible());
  const QString before = yaml->toPlainText();
  const QStringList overrides = launch()->request().overrides;
  const auto edit = [&](const QString& from, const QString& to) {
    QVERIFY2(before.contains(from), qPrintable(from));
    yaml->setPlainText(QString(before).replace(from, to));
    QVERIFY(apply->isVisible());
    QTest::mouseClick(apply, Qt::LeftButton);
  };
  const auto lineOf = [&](const QString& text) {
    return QStringLiteral("YAML:%1: ").arg(before.left(before.indexOf(text)).count('\n') + 1);
  };
  edit("ffn_dim: 64", "ffn_dims: 64");
  QVERIFY2(problem->text().startsWith(lineOf("ffn_dim: 64")) &&
               problem->text().contains("no setting model.ffn_dims"),
           qPrintable(problem->text()));
  edit("max_updates: 2", "max_updates: many");
  QVERIFY2(problem->text().startsWith(lineOf("max_updates: 2")), qPrintable(problem->text()));
  edit("dataset: toy", "dataset: other");
  QVERIFY2(problem->text().contains("is chosen above"), qPrintable(problem->text()));
  edit("  ffn_dim: 64", "\tffn_dim: 64");
  QVERIFY2(!problem->text().isEmpty(), "a tab");
  QCOMPARE(launch()->request().overrides, overrides);
  edit("max_updates: 2", "max_updates: 3");
  QVERIFY2(problem->text().isEmpty(), qPrintable(problem->text()));
  QVERIFY(!apply->isVisible());
  QVERIFY(launch()->request().overrides.contains("training.max_updates=3"));
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate(), kPatience);
  QCOMPARE(yaml->toPlainText(), QString(before).replace("max_updates: 2", "max_updates: 3"));
  yaml->appendPlainText("# later");
  QTest::mouseClick(launch()->findChild<QPushButton*>("launchYamlDiscard"), Qt::LeftButton);
  QVERIFY(!apply->isVisible() && yaml->toPlainText().contains("max_updates: 3"));
  launch()->findChild<QTabWidget*>("launchPreview")->setCurrentIndex(0);
}

void TestLaunchFormAndRunner::aRunIsCopiedIntoTheForm() {
  openForm();
  const QString run = families()[0].name;
  window_->showPerspective("watch");
  auto* runs = window_->panel<RunsPanel>();
  runs->selectRun(idOf(run));
  QTRY_VERIFY(runs->findChild<QAction*>("copyIntoLaunch")->isEnabled());
  runs->findChild<QAction*>("copyIntoLaunch")->trigger();
  QTRY_COMPARE(window_->perspective(), QString("train"));
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate() && launch()->problem().isEmpty(), kPatience);
  QVERIFY(launch()->request().overrides.contains("model.fusion_ffn_dim=64"));
  QVERIFY(!launch()->request().overrides.contains("training.max_updates=2"));  // of the form before
  QTest::mouseClick(launch()->findChild<QPushButton*>("launchStart"), Qt::LeftButton);
  QTRY_VERIFY2(launch()->problem().contains(run + " has exactly this configuration"),
               qPrintable(launch()->problem()));
}

void TestLaunchFormAndRunner::aRunStartsFromACheckpointOfAnother() {
  openForm();
  const QString run = families()[0].name;
  window_->panels()->select({.run = idOf(run)});
  child<QAction>("showInspector")->setChecked(true);
  auto* checkpoints = child<QTreeWidget>("inspectorCheckpoints");
  QTRY_VERIFY_WITH_TIMEOUT(checkpoints->topLevelItemCount() > 0, kPatience);
  checkpoints->setCurrentItem(checkpoints->topLevelItem(0));
  window_->showPerspective("watch");
  child<QAction>("forkCheckpoint")->trigger();
  QTRY_COMPARE(window_->perspective(), QString("train"));
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate() && launch()->problem().isEmpty(), kPatience);
  const auto step = checkpoints->topLevelItem(0)->text(0).remove(',');
  QVERIFY2(launch()->request().overrides.contains("training.from=" + run + "@" + step),
           qPrintable(launch()->request().overrides.join(' ')));
  child<QAction>("showInspector")->setChecked(false);
}

STRATA_TEST(TestLaunchFormAndRunner)
#include "test_launch_form_and_runner.moc"
