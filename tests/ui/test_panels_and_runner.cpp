#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextEdit>
#include <QTreeView>
#include <QtTest>
#include <map>

#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/trained_window.h"
#include "ui/data/gradient_flow.h"
#include "ui/data/text.h"
#include "ui/panels/attention_override.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/sentence_view.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/curve_plot.h"
#include "ui/widgets/hypothesis_tree_view.h"
#include "ui/widgets/system_list.h"
#include "ui/widgets/token_strip.h"
#include "ui/widgets/translation_diff.h"

using namespace strata;
using namespace strata::ui;

// Every figure of a panel is the one that the program prints: read from the panel's export, and
// compared to the last digit that the export writes. With runs of all families, which the real
// program has trained.
class TestPanelsAndRunner : public QObject, TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase() { open(families()); }
  void cleanupTestCase() { window_.reset(); }
  void theListOfRuns();
  void curves_data() { eachRun(); }
  void curves();
  void allPointsByTheCopiedLine_data() { eachRun(); }
  void allPointsByTheCopiedLine();
  void gradients_data() { eachRun(); }
  void gradients();
  void comparisonFiles();
  void scoresAndTests();
  void buckets();
  void ngrams_data();
  void ngrams();
  void aWordLeadsInside();
  void translations_data() { eachRun(); }
  void translations();
  void givenWeights_data() { eachRun(); }
  void givenWeights();
  void typedBeginnings();
  void parameters();

 private:
  static void eachRun();
  Json series(const QString& run) const { return printed({"runs", "export", run}).at("series"); }
  Json compared(const QStringList& files = {}) const;
  const Comparison& comparison() const { return *window_->panel<ComparePanel>()->comparison(); }
  QString systemName(const Json& name) const;  // as plots name it: they mark the baseline
};

void TestPanelsAndRunner::eachRun() {
  QTest::addColumn<QString>("run");
  for (const Trained& run : families()) QTest::newRow(run.name) << QString(run.name);
}

QString TestPanelsAndRunner::systemName(const Json& name) const {
  const QString text = qs(name.get<std::string>());
  const bool baseline = text == qs(comparison().systems[comparison().baseline].name);
  return baseline ? QStringLiteral("%1 (baseline)").arg(text) : text;
}

void TestPanelsAndRunner::theListOfRuns() {
  const Json runs = printed({"runs", "list"}).at("runs");
  QCOMPARE(runs.size(), std::size_t(families().size()));
  for (const Json& run : runs) {
    const qint64 id = run.at("id").get<qint64>();
    const auto row = std::find_if(window_->rows().begin(), window_->rows().end(),
                                  [id](const RunRow& each) { return each.id == id; });
    QVERIFY(row != window_->rows().end());
    QCOMPARE(row->name, qs(run.at("name").get<std::string>()));
    QCOMPARE(row->metric, qs(run.at("metric").get<std::string>()));
    QVERIFY(row->best == run.at("best").get<double>());
    QVERIFY(row->last == run.at("last").get<double>());
    QVERIFY(row->tokensPerSecond == run.at("tokens_per_second").get<double>());
    QVERIFY(row->seconds == run.at("seconds").get<double>());
    QCOMPARE(row->bestStep, run.at("best_step").get<qint64>());
    QCOMPARE(row->lastStep, run.at("last_step").get<qint64>());
    QCOMPARE(row->step, run.at("step").get<qint64>());
    QCOMPARE(row->seed, run.at("seed").get<qint64>());
  }
}

// All points of all series of a run but its gradients.
void TestPanelsAndRunner::curves() {
  QFETCH(QString, run);
  window_->showPerspective("watch");
  raise("curves");
  CurvesPanel* panel = window_->panel<CurvesPanel>();
  const Json all = series(run);
  QStringList names;
  for (const auto& [name, points] : all.items()) {
    if (!qs(name).startsWith(kGradientPrefix)) names << qs(name);
  }
  QVERIFY(names.contains("valid/nll") && names.size() > 3);
  window_->panels()->select({.drawn = QVector<qint64>{idOf(run)}});
  for (const QString& name : names) {
    QTRY_VERIFY_WITH_TIMEOUT((panel->showSeries(names), panel->chart(name)), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate(), kPatience);
    CurvePlot* chart = panel->chart(name);
    chart->exportTo(path("curve.csv"));
    const Records records = recordsOf(path("curve.csv"));
    const Json& points = all.at(toStd(name));
    QCOMPARE(records.size(), qsizetype(points.size()));
    for (qsizetype i = 0; i < records.size(); ++i) {
      const Json& point = points.at(std::size_t(i));
      QCOMPARE(records[i]["series"], name);
      QCOMPARE(records[i]["step"].toLongLong(), point.at(0).get<qint64>());
      QVERIFY2(records[i]["wall_time"].toDouble() == point.at(1).get<double>(),
               qPrintable(name + ": " + records[i]["wall_time"] + " instead of " +
                          QString::number(point.at(1).get<double>(), 'g', 17)));
      if (point.at(2).is_number())
        QVERIFY2(records[i]["value"].toDouble() == point.at(2).get<double>(), qPrintable(name));
    }
  }
}

// The copied line writes the points of all drawn runs, and those of the gradients.
void TestPanelsAndRunner::allPointsByTheCopiedLine() {
  QFETCH(QString, run);
  raise("curves");
  const QString other = families()[QString(families()[0].name) == run ? 1 : 0].name;
  window_->panels()->select({.drawn = QVector<qint64>{idOf(other), idOf(run)}, .run = idOf(run)});
  const QByteArray written = outputOfCopied(window_->panel<CurvesPanel>());
  for (const QString& name : {run, other}) {
    qsizetype count = 0;
    const Json all = series(name);
    for (const auto& each : all.items()) count += qsizetype(each.value().size());
    QCOMPARE(written.count(toStd(name + ",").c_str()), count);
  }
  QVERIFY2(written.contains(toStd(run + ",valid/nll,").c_str()), written.left(200).constData());
  window_->panels()->select({.drawn = QVector<qint64>{idOf(run)}});
  QVERIFY(outputOfCopied(window_->panel<CurvesPanel>()).startsWith("series,step,wall_time,value"));
}

void TestPanelsAndRunner::gradients() {
  QFETCH(QString, run);
  window_->showPerspective("watch");
  raise("gradient-flow");
  GradientFlowPanel* panel = window_->panel<GradientFlowPanel>();
  panel->select({.run = idOf(run)});
  QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && panel->isUpToDate(), kPatience);
  panel->exportTo(path("gradients.csv"));
  std::map<std::pair<QString, qint64>, double> drawn;  // by layer and step
  for (const auto& record : recordsOf(path("gradients.csv"))) {
    if (record["run"] == run)
      drawn[{record["layer"], record["step"].toLongLong()}] = record["norm"].toDouble();
  }
  std::size_t all = 0;
  const Json printedSeries = series(run);
  for (const auto& [name, points] : printedSeries.items()) {
    if (!qs(name).startsWith(kGradientPrefix)) continue;
    for (const Json& point : points) {
      const auto at = drawn.find({qs(name).mid(kGradientPrefix.size()), point.at(0).get<qint64>()});
      QVERIFY2(at != drawn.end(), name.c_str());
      QVERIFY2(at->second == point.at(2).get<double>(), name.c_str());
      ++all;
    }
  }
  QVERIFY(all > 10);
  QCOMPARE(drawn.size(), all);
}

// What the window compares now, by the program.
Json TestPanelsAndRunner::compared(const QStringList& files) const {
  const ComparisonOptions& options = comparison().options;
  QStringList arguments{"compare",
                        "--set",
                        qs(comparison().testSet),
                        "--baseline",
                        qs(comparison().systems[comparison().baseline].name),
                        "--system"};
  for (const ComparedSystem& system : comparison().systems) arguments << qs(system.name);
  QStringList metrics, edges;
  for (const std::string& metric : options.metrics) metrics << qs(metric);
  for (const double edge : options.lengthEdges) edges << QString::number(edge);
  return printed(arguments + QStringList{"--metric", metrics.join(',')} +
                 QStringList{"--length-edges", edges.join(',')} + files);
}

// The page, the sentences and the LaTeX table, byte for byte.
void TestPanelsAndRunner::comparisonFiles() {
  window_->showPerspective("compare");
  ComparePanel* panel = window_->panel<ComparePanel>();
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate() && panel->comparison(), kPatience);
  QVERIFY(comparison().systems.size() >= 2);
  using Kind = ExportTarget::Kind;
  compared({"--html", path("printed.html"), "--tsv", path("printed.tsv"), "--latex",
            path("printed.tex")});
  for (const auto& [kind, type] :
       {std::pair(Kind::kPage, "html"), std::pair(Kind::kSentences, "tsv"),
        std::pair(Kind::kLatex, "tex")}) {
    const QString shown = path(QStringLiteral("shown.") + type);
    panel->exportTo({kind, shown});
    QTRY_VERIFY(QFileInfo::exists(shown));
    QFile left(shown), right(path(QStringLiteral("printed.") + type));
    QVERIFY(left.open(QIODevice::ReadOnly) && right.open(QIODevice::ReadOnly));
    const QByteArray content = left.readAll();
    QVERIFY(!content.isEmpty());
    QVERIFY2(content == right.readAll(), type);
  }
}

void TestPanelsAndRunner::scoresAndTests() {
  const Json all = compared();
  child<ScoresView>("scoresView")->exportTo(path("scores.csv"));
  for (const MetricComparison& metric : comparison().metrics) {
    const std::string name = metric.metric->name();
    const Records rows = recordsOf(path(QStringLiteral("scores-%1.csv").arg(qs(name).toLower())));
    QCOMPARE(rows.size(), qsizetype(all.at("systems").size()));
    for (std::size_t s = 0; s < all.at("systems").size(); ++s) {
      const Json& system = all.at("systems")[s];
      const Json& score = system.at("scores").at(name);
      const auto& row = rows[qsizetype(s)];
      const double mean = score.at("mean").get<double>(), half = score.at("ci").get<double>();
      QCOMPARE(row["system"], qs(system.at("name").get<std::string>()));
      QCOMPARE(row[qs(name)], exported(score.at("score")));
      QCOMPARE(row["low"], exported(mean - half));
      QCOMPARE(row["high"], exported(mean + half));
      for (const Json& test : all.at("significance")) {
        if (test.at("metric") != name || test.at("system") != system.at("name")) continue;
        QCOMPARE(row["difference"], exported(test.at("difference")));
        QCOMPARE(row["difference low"], exported(test.at("low")));
        QCOMPARE(row["difference high"], exported(test.at("high")));
        QCOMPARE(row["p"], exported(test.at("p_value")));
        if (all.at("systems").size() > 2) QCOMPARE(row["p (Holm)"], exported(test.at("p_holm")));
      }
    }
  }
}

void TestPanelsAndRunner::buckets() {
  const Json all = compared().at("buckets");
  auto* view = child<BucketsView>("bucketsView");
  auto* choice = child<QComboBox>("bucketChoice");
  view->exportTo(path("buckets.csv"));  // draws it: the choices are filled
  QCOMPARE(choice->count(), int(all.size()));
  for (int table = 0; table < choice->count(); ++table) {
    choice->setCurrentIndex(table);
    view->exportTo(path("buckets.csv"));
    const Fields lines = fieldsOf(path("buckets.csv"));
    const Json& rows = all.at(std::size_t(table)).at("buckets");
    QCOMPARE(lines.size(), qsizetype(rows.size()) + 1);
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const QStringList& line = lines[qsizetype(b) + 1];
      QCOMPARE(line[0].section('\n', 0, 0), qs(rows[b].at("bucket").get<std::string>()));
      for (const Json& system : rows[b].at("systems")) {
        const auto at = lines[0].indexOf(systemName(system.at("name")));
        QVERIFY(at > 0);
        QCOMPARE(line[at], exported(system.at("score")));
        if (system.at("mean").is_null()) continue;
        const double mean = system.at("mean").get<double>(), half = system.at("ci").get<double>();
        QCOMPARE(line[at + 1], exported(mean - half));
        QCOMPARE(line[at + 2], exported(mean + half));
      }
    }
  }
}

void TestPanelsAndRunner::ngrams_data() {
  QTest::addColumn<QString>("title");
  QTest::addColumn<QString>("list");
  QTest::addColumn<QString>("first");
  QTest::addColumn<QString>("second");
  QTest::newRow("here") << "Confirmed more often here than in the baseline"
                        << "confirmed_here"
                        << "system"
                        << "baseline";
  QTest::newRow("baseline") << "Confirmed more often in the baseline than here"
                            << "confirmed_in_baseline"
                            << "system"
                            << "baseline";
  QTest::newRow("over") << "Over-produced here (counted per sentence)"
                        << "over_produced"
                        << "system"
                        << "confirmed";
  QTest::newRow("under") << "Under-produced here (counted per sentence)"
                         << "under_produced"
                         << "confirmed"
                         << "reference";
}

void TestPanelsAndRunner::ngrams() {
  QFETCH(QString, title);
  QFETCH(QString, list);
  QFETCH(QString, first);
  QFETCH(QString, second);
  const Json all = compared().at("ngrams");
  auto* view = child<NGramsView>("ngramsView");
  view->exportTo(path("ngrams.csv"));  // draws it: the choices are filled
  auto* choice = child<QComboBox>("ngramSystem");
  for (int i = 0; i < choice->count(); ++i) {
    choice->setCurrentIndex(i);
    view->exportTo(path("ngrams.csv"));
    const Json& system = all.at(choice->currentData().toUInt());
    if (!system.contains(toStd(list))) continue;  // the baseline itself
    Fields drawn, expected;
    for (const QStringList& line : fieldsOf(path("ngrams.csv"))) {
      if (line[0] == title) drawn << QStringList{line[1], line[2], line[3], line[5]};
    }
    for (const Json& each : system.at(toStd(list)))
      expected << QStringList{qs(each.at("ngram").get<std::string>()), qs(each.at("order").dump()),
                              qs(each.at(toStd(first)).dump()), qs(each.at(toStd(second)).dump())};
    QCOMPARE(drawn, expected);
  }
}

// A click on a word of the comparison: the panels inside show that run and that sentence.
void TestPanelsAndRunner::aWordLeadsInside() {
  window_->showPerspective("compare");
  ComparePanel* panel = window_->panel<ComparePanel>();
  const qint64 run = idOf("dhea-gate.toy.s1");
  QString wanted, other;
  for (int row = 0; row < panel->systems()->view()->model()->rowCount(); ++row) {
    const auto index = panel->systems()->view()->model()->index(row, 0);
    const QString id = index.data(Qt::UserRole + 1).toString();
    (panel->systems()->system(id)->run == run ? wanted : other) = id;
  }
  panel->systems()->choose({wanted, other}, other);
  QTest::qWait(20);
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate() && comparison().systems.size() == 2, kPatience);
  panel->tabs()->setCurrentWidget(panel->sentences());
  constexpr std::size_t kSentence = 7;
  panel->sentences()->showSentence(kSentence);
  TranslationDiff* diff = panel->sentences()->diff();
  QTRY_VERIFY(diff->isVisible() && !diff->wordRect(1, 0).isEmpty());
  QTest::mouseClick(diff->text()->viewport(), Qt::LeftButton, {}, diff->wordRect(1, 0).center());
  const QString sentence = qs(comparison().source[kSentence]);
  const auto holds = [&] {
    const Selection& now = window_->panels()->selection();
    QCOMPARE(now.run, std::optional<qint64>(run));
    QCOMPARE(now.sentence, std::optional<QString>(sentence));
    QCOMPARE(now.hypothesis, std::optional<int>(0));
    QCOMPARE(now.word, std::optional<int>(0));
  };
  holds();
  QCOMPARE(window_->perspective(), QString("inside"));
  TranslatePanel* translate = window_->panel<TranslatePanel>();
  QTRY_VERIFY_WITH_TIMEOUT(!translate->isBusy() && !translate->hypotheses().empty(), kPatience);
  QCOMPARE(translate->findChild<QComboBox*>("translateRun")->currentData().toLongLong(), run);
  QCOMPARE(child<QPlainTextEdit>("translateSource")->toPlainText(), sentence);
  const auto* attention = window_->panel<TargetAttentionPanel>();
  QTRY_VERIFY_WITH_TIMEOUT(attention->isUpToDate(), kPatience);
  QCOMPARE(child<QComboBox>("historyRun")->currentData().toLongLong(), run);
  const auto* listed = child<QListWidget>("historySentences");
  QTRY_VERIFY(listed->currentItem() && listed->currentItem()->text().startsWith("1-best"));
  holds();  // what the panels show has not changed the choice
}

// A sentence translated in the window and by the program.
void TestPanelsAndRunner::translations() {
  QFETCH(QString, run);
  const QString text = "der Hund";
  window_->showPerspective("inside");
  TranslatePanel* panel = window_->panel<TranslatePanel>();
  panel->select({.run = idOf(run)});
  child<QSpinBox>("translateNbest")->setValue(3);
  auto* checkpoint = child<QComboBox>("translateCheckpoint");
  checkpoint->setCurrentIndex(checkpoint->count() - 1);  // the first step that is stored
  const QString step = checkpoint->currentData().toString();
  QVERIFY2(step.toInt() > 0, qPrintable(step));
  const int beam = std::max(3, child<QSpinBox>("translateBeam")->value());
  panel->setText(text);
  panel->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
  QVERIFY2(panel->error().isEmpty(), qPrintable(panel->error()));
  const QByteArray copied = outputOfCopied(panel);
  QVERIFY2(copied.contains(panel->hypotheses()[0].text.c_str()), copied.constData());
  const Json hypotheses = printed({"translate", "--run", run + "@" + step, "--beam",
                                   QString::number(beam), "--nbest", "3"},
                                  text.toUtf8() + "\n")
                              .at("translations")
                              .at(0)
                              .at("hypotheses");
  const auto* table = child<QTableWidget>("translateTable");
  QCOMPARE(table->rowCount(), int(hypotheses.size()));
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const Hypothesis& shown = panel->hypotheses()[i];
    const double score = hypotheses[i].at("score").get<double>();
    QCOMPARE(table->item(int(i), 1)->text(), QString::number(score, 'f', 3));
    QCOMPARE(table->item(int(i), 2)->text(), qs(hypotheses[i].at("text").get<std::string>()));
    QVERIFY(shown.words == hypotheses[i].at("tokens").get<std::vector<std::string>>());
    // What is recorded for the panels may be computed by other operators.
    if (!shown.recordings.empty()) continue;
    QVERIFY(shown.score == score);
    QVERIFY(shown.logProbability == hypotheses[i].at("logProbability").get<double>());
    QVERIFY(shown.tokenLogProbabilities ==
            hypotheses[i].at("logProbabilities").get<std::vector<double>>());
  }
}

// An attention of every family that is made to read one word: the copied command prints the same.
void TestPanelsAndRunner::givenWeights() {
  QFETCH(QString, run);
  window_->showPerspective("inside");
  raise("translate");
  TranslatePanel* panel = window_->panel<TranslatePanel>();
  panel->select({.run = idOf(run)});
  panel->setText("der Hund sieht die Katze");
  panel->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
  child<QTabWidget>("translateViews")->setCurrentWidget(panel->attentionOverride());
  emit child<TokenStrip>("translateTokens")->chosen(1);
  auto* weights = child<QTableWidget>("overrideWeights");
  QTRY_VERIFY_WITH_TIMEOUT(weights->rowCount() > 1, kPatience);
  double sum = 0;
  for (int row = 0; row < weights->rowCount(); ++row)
    sum += weights->item(row, 1)->text().toDouble();
  QVERIFY2(std::abs(sum - 1) < 1e-3 * weights->rowCount(), qPrintable(QString::number(sum)));
  QTRY_COMPARE_WITH_TIMEOUT(child<QTableWidget>("overrideTranslations")->rowCount(), 1, kPatience);
  weights->selectRow(weights->rowCount() - 1);
  QTest::mouseClick(child<QPushButton>("overrideOnly"), Qt::LeftButton);
  auto* made = child<QTableWidget>("overrideTranslations");
  QTRY_VERIFY_WITH_TIMEOUT(made->rowCount() == 2 && !made->item(1, 1)->text().isEmpty(), kPatience);
  const QStringList command = panel->translateCommand();
  QVERIFY(command.join(' ').contains("--intervene=decoder."));
  const auto best = [this](const QStringList& arguments) {
    return printed(arguments).at("translations").at(0).at("hypotheses").at(0);
  };
  const QStringList without = command.filter(QRegularExpression("^(?!--intervene=)"));
  const Json changed = best(command), unchanged = best(without);
  QCOMPARE(made->item(1, 2)->text(), qs(changed.at("text").get<std::string>()));
  QCOMPARE(made->item(1, 1)->text(), QString::number(changed.at("score").get<double>(), 'f', 3));
  QCOMPARE(made->item(0, 2)->text(), qs(unchanged.at("text").get<std::string>()));
  QCOMPARE(made->item(0, 1)->text(), QString::number(unchanged.at("score").get<double>(), 'f', 3));
  QVERIFY(std::abs(changed.at("logProbabilities").at(1).get<double>() -
                   unchanged.at("logProbabilities").at(1).get<double>()) > 1e-7);
}

// Words that are typed in the tree, and a token that is chosen.
void TestPanelsAndRunner::typedBeginnings() {
  TranslatePanel* panel = window_->panel<TranslatePanel>();
  const auto best = [&] { return qs(panel->hypotheses().front().text); };
  const auto printedBest = [&] {
    const Json all = printed(panel->translateCommand()).at("translations");
    return qs(all.at(0).at("hypotheses").at(0).at("text").get<std::string>());
  };
  auto* tree = child<HypothesisTreeView>("translateTree");
  child<QTabWidget>("translateViews")->setCurrentIndex(1);
  tree->setCurrentItem(nullptr);
  QTest::keyClick(tree, Qt::Key_T);
  auto* line = child<QLineEdit>("translateBeginning");
  QTest::keyClicks(line, "he cat");
  QTest::keyClick(line, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
  QVERIFY2(best().startsWith("the cat", Qt::CaseInsensitive), qPrintable(best()));
  QCOMPARE(printedBest(), best());
  tree->setCurrentItem(tree->topLevelItem(0));
  QTest::keyClick(tree, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
  QVERIFY(panel->translateCommand().join(' ').contains("--prefix-tokens="));
  QCOMPARE(printedBest(), best());
}

void TestPanelsAndRunner::parameters() {
  window_->showPerspective("train");
  LaunchPanel* launch = window_->panel<LaunchPanel>();
  launch->reload();
  QTRY_VERIFY_WITH_TIMEOUT(launch->isUpToDate(), kPatience);
  for (const Trained& run : families()) {
    launch->choose(run.preset, "toy");
    const Json dry = printed({"train", "--preset", run.preset, "--data", "toy", "--dry-run"});
    const QString wanted = countText(dry.at("parameters").get<qint64>());
    QTRY_COMPARE_WITH_TIMEOUT(child<QLabel>("launchParameters")->text(), wanted, kPatience);
  }
}

STRATA_TEST(TestPanelsAndRunner)
#include "test_panels_and_runner.moc"
