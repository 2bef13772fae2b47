#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QProcess>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <map>

#include "core/base/json.h"
#include "ui/data/gradient_flow.h"
#include "ui/data/text.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/window/main_window.h"

using namespace strata;
using namespace strata::ui;

static constexpr int kPatience = 90000;  // ms; the machine may be busy

using Lines = QVector<QStringList>;
using Records = QVector<QMap<QString, QString>>;  // by title

// The fields of a CSV file as the panels write it, the titles first.
static Lines fieldsOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(path));
  Lines lines{{QString()}};
  bool quoted = false, closed = false;  // closed: a quote has just ended, which may be doubled
  for (const QChar c : QString::fromUtf8(file.readAll())) {
    QString& field = lines.last().last();
    if (c == '"') {
      if (closed) field += c;
      closed = quoted;
      quoted = !quoted;
      continue;
    }
    closed = false;
    if (quoted || (c != ',' && c != '\n')) {
      field += c;
    } else if (c == ',') {
      lines.last() << QString();
    } else {
      lines << QStringList{QString()};
    }
  }
  lines.removeLast();  // after the last line end
  return lines;
}

static Records recordsOf(const QString& path) {
  const Lines lines = fieldsOf(path);
  Records records;
  for (const QStringList& line : lines.mid(1)) {
    QMap<QString, QString> record;
    for (qsizetype i = 0; i < line.size(); ++i) record[lines[0][i]] = line[i];
    records << record;
  }
  return records;
}

// A number as the exports of plots and maps write it; none if there is none.
static QString exported(const Json& value) {
  return value.is_number() ? QString::number(value.get<double>(), 'g', 9) : QString();
}

// Every figure of a panel is the one that the program prints: read from the panel's export, and
// compared to the last digit that the export writes. With runs of all families, which the real
// program has trained.
class TestPanelsAndRunner : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void cleanupTestCase() { window_.reset(); }
  void theListOfRuns();
  void curves_data() { eachRun(); }
  void curves();
  void gradients_data() { eachRun(); }
  void gradients();
  void hopWeightsOfASentence();
  void sharesOfTheSource();
  void arcs();
  void comparisonFiles();
  void scoresAndTests();
  void buckets();
  void ngrams_data();
  void ngrams();
  void translations_data() { eachRun(); }
  void translations();
  void parameters();

 private:
  struct Trained {
    const char* name;  // two are those of runs of paper figures
    const char* preset;
    QStringList settings;
  };
  static QVector<Trained> trained();
  static void eachRun();
  QByteArray outputOf(const QStringList& arguments, const QByteArray& input = {}) const;
  Json printed(const QStringList& arguments, const QByteArray& input = {}) const;
  Json series(const QString& run) const { return printed({"runs", "export", run}).at("series"); }
  Json figure(const QString& id) const {
    return printed({"paper", "show", id, "--data", "toy", "--seeds", "1"});
  }
  Json compared(const QStringList& files = {}) const;
  void train(const Trained& run);
  qint64 idOf(const QString& run) const;
  void raise(const QString& panel);
  QString path(const QString& name) const { return folder_.filePath("exports/" + name); }
  template <typename T>
  T* child(const char* name) const {
    return window_->findChild<T*>(QLatin1String(name));
  }
  const Comparison& comparison() const { return *window_->panel<ComparePanel>()->comparison(); }
  QString systemName(const Json& name) const;  // as plots name it: they mark the baseline

  QTemporaryDir folder_;
  QString runner_;
  std::unique_ptr<MainWindow> window_;
};

QVector<TestPanelsAndRunner::Trained> TestPanelsAndRunner::trained() {
  return {
      {"mlrf-dec-sa4-zhen.toy.s1",
       "mlrf/dec-sa4-cpu",
       {"model.embed_dim=32", "model.ffn_dim=64", "model.fusion_attn_dim=32",
        "model.fusion_ffn_dim=64", "model.encoder_layers=2", "model.decoder_layers=2"}},
      {"dhea-gate.toy.s1",
       "dhea/gate-cpu",
       {"model.hidden=24", "model.encoder_layers=2", "model.decoder_layers=2"}},
      {"dense", "densenmt/4l-2-cpu", {"model.embed_dim=32", "model.hidden=32", "model.growth=16"}},
      {"deep", "deepatt/att-1-1-cpu", {"model.embed_dim=16", "model.hidden=32"}}};
}

void TestPanelsAndRunner::eachRun() {
  QTest::addColumn<QString>("run");
  for (const Trained& run : trained()) QTest::newRow(run.name) << QString(run.name);
}

QByteArray TestPanelsAndRunner::outputOf(const QStringList& arguments,
                                         const QByteArray& input) const {
  QProcess process;
  process.start(runner_,
                QStringList{"--workspace", folder_.path(), "--log-level", "error"} + arguments);
  process.write(input);
  process.closeWriteChannel();
  if (!process.waitForFinished(kPatience) || process.exitCode() != 0) {
    qWarning("%s: %s", qPrintable(arguments.join(' ')), process.readAllStandardError().constData());
    return {};
  }
  return process.readAllStandardOutput();
}

Json TestPanelsAndRunner::printed(const QStringList& arguments, const QByteArray& input) const {
  const QByteArray output = outputOf(QStringList{"--json"} + arguments, input);
  return parseJson(output.toStdString(), toStd(arguments.join(' ')));
}

void TestPanelsAndRunner::train(const Trained& run) {
  QStringList arguments{"train", "--preset", run.preset, "--data", "toy", "--name", run.name};
  QStringList settings{
      "training.threads=1",          "training.max_updates=60",     "training.max_epochs=0",
      "training.phases=[]",          "training.batch.size=400",     "training.log_every=5",
      "training.schedule.warmup=10", "validation.every_updates=20", "validation.every_epochs=0",
      "validation.monitor=[]",       "validation.metrics=[nll]",    "checkpoint.every_updates=20",
      "checkpoint.every_epochs=0",   "recording.sentences=3"};
  for (const QString& setting : settings + run.settings) arguments << "--set" << setting;
  outputOf(arguments);
  QVERIFY2(printed({"runs", "show", run.name}).at("status") == "finished", run.name);
  // Barely trained models may not stop by themselves.
  outputOf({"translate", "--run", run.name, "--set", "test", "--beam", "2", "--max-length", "0,12",
            "--threads", "1"});
}

void TestPanelsAndRunner::initTestCase() {
  runner_ = qEnvironmentVariable("STRATA_RUN",
                                 QFileInfo(STRATA_BIN_DIR "/strata-run").absoluteFilePath());
  QVERIFY2(QFileInfo::exists(runner_), "bin/strata-run is not built");
  qputenv("STRATA_RUN", runner_.toUtf8());
  QVERIFY(QDir(folder_.path()).mkpath("exports"));
  outputOf({"data", "generate", "--name", "toy", "--size", "400", "--seed", "6"});
  for (const Trained& run : trained()) {
    train(run);
    if (QTest::currentTestFailed()) return;
  }
  MainWindow::Options options;
  options.workspace = folder_.path();
  options.theme = ThemeChoice::kLight;
  options.themeGiven = true;
  window_ = std::make_unique<MainWindow>(options);
  window_->resize(1400, 900);
  window_->show();
  QTRY_VERIFY_WITH_TIMEOUT(window_->isOpened() && window_->rows().size() == trained().size(),
                           kPatience);
}

qint64 TestPanelsAndRunner::idOf(const QString& run) const {
  for (const RunRow& row : window_->rows()) {
    if (row.name == run) return row.id;
  }
  qFatal("there is no run %s", qPrintable(run));
}

void TestPanelsAndRunner::raise(const QString& panel) {
  window_->panels()->dock(panel)->raise();
}

QString TestPanelsAndRunner::systemName(const Json& name) const {
  const QString text = qs(name.get<std::string>());
  const bool baseline = text == qs(comparison().systems[comparison().baseline].name);
  return baseline ? QStringLiteral("%1 (baseline)").arg(text) : text;
}

void TestPanelsAndRunner::theListOfRuns() {
  const Json runs = printed({"runs", "list"}).at("runs");
  QCOMPARE(runs.size(), std::size_t(trained().size()));
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
  panel->showRuns({idOf(run)});
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
      QVERIFY(records[i]["wall_time"].toDouble() == point.at(1).get<double>());
      if (point.at(2).is_number())
        QVERIFY2(records[i]["value"].toDouble() == point.at(2).get<double>(), qPrintable(name));
    }
  }
}

void TestPanelsAndRunner::gradients() {
  QFETCH(QString, run);
  window_->showPerspective("watch");
  raise("gradient-flow");
  GradientFlowPanel* panel = window_->panel<GradientFlowPanel>();
  panel->showRun(idOf(run));
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

// One map per hop, from the highest level down in the panel and from the lowest up in the figure.
void TestPanelsAndRunner::hopWeightsOfASentence() {
  window_->showPerspective("inside");
  raise("hop-weights");
  HopWeightsPanel* panel = window_->panel<HopWeightsPanel>();
  panel->showRun(idOf("mlrf-dec-sa4-zhen.toy.s1"));
  QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && !panel->isEmpty() && panel->isUpToDate(),
                           kPatience);
  panel->sentenceMap()->exportTo(path("hops.csv"));
  std::map<std::tuple<QString, QString, int>, QString> drawn;  // by hop, level and column
  for (const auto& record : recordsOf(path("hops.csv")))
    drawn[{record["map"], record["row"], record["column_number"].toInt()}] = record["value"];
  const Json maps = figure("mlrf/figure5").at("maps");
  QCOMPARE(maps.size(), std::size_t(4));
  std::size_t all = 0;
  for (std::size_t hop = 0; hop < maps.size(); ++hop) {
    const std::size_t columns = maps[hop].at("columns").size();
    const Json& rows = maps[hop].at("rows");
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        const auto at = drawn.find(
            {QStringLiteral("hop %1").arg(hop + 1), qs(rows[row].get<std::string>()), int(column)});
        QVERIFY(at != drawn.end());
        QCOMPARE(at->second, exported(maps[hop].at("values").at(row * columns + column)));
        ++all;
      }
    }
  }
  QCOMPARE(drawn.size(), all);
}

void TestPanelsAndRunner::sharesOfTheSource() {
  window_->showPerspective("inside");
  raise("target-attention");
  TargetAttentionPanel* panel = window_->panel<TargetAttentionPanel>();
  panel->showRun(idOf("dhea-gate.toy.s1"));
  QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && !panel->isEmpty() && panel->isUpToDate(),
                           kPatience);
  child<QTabWidget>("historyTabs")->setCurrentIndex(1);
  panel->byPosition()->exportTo(path("position.csv"));
  panel->byClass()->exportTo(path("class.csv"));
  const Lines positions = fieldsOf(path("position.csv")), classes = fieldsOf(path("class.csv"));
  const Json shown = figure("dhea/ratio");
  int layers = 0;
  for (const Json& line : shown.at("panels").at(0).at("series")) {
    const QString name = qs(line.at("name").get<std::string>());
    if (!name.startsWith("DHEA + Gate, ")) continue;
    const auto column = positions[0].indexOf(name.section(", ", 1));
    QVERIFY2(column > 0, qPrintable(name));
    for (const Json& point : line.at("points"))
      QCOMPARE(positions[qsizetype(point.at("x").get<double>())][column], exported(point.at("y")));
    ++layers;
  }
  QCOMPARE(layers, 2);
  const Json& maps = shown.at("maps");
  const auto map = std::find_if(maps.begin(), maps.end(), [](const Json& each) {
    return each.at("title").get<std::string>().starts_with("DHEA + Gate:");
  });
  QVERIFY(map != maps.end() && !map->at("rows").empty());
  for (std::size_t row = 0; row < map->at("rows").size(); ++row) {
    const QString wordClass = qs(map->at("rows")[row].get<std::string>());
    const auto line = std::find_if(classes.begin(), classes.end(), [&](const QStringList& each) {
      return each[0].section('\n', 0, 0) == wordClass;
    });
    QVERIFY2(line != classes.end(), qPrintable(wordClass));
    for (int layer = 0; layer < layers; ++layer)
      QCOMPARE((*line)[layer + 1],
               exported(map->at("values").at(row * std::size_t(layers) + std::size_t(layer))));
  }
}

// Of the top layer, over whole words, sentence by sentence.
void TestPanelsAndRunner::arcs() {
  window_->showPerspective("inside");
  raise("target-attention");
  TargetAttentionPanel* panel = window_->panel<TargetAttentionPanel>();
  panel->showRun(idOf("dhea-gate.toy.s1"));
  QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && panel->isUpToDate(), kPatience);
  child<QTabWidget>("historyTabs")->setCurrentIndex(0);
  child<QComboBox>("historyLayer")->setCurrentIndex(3);  // mean, all, 1, 2
  child<QCheckBox>("historyWords")->setChecked(true);
  const Json charts = figure("dhea/figure3").at("arcs");
  QVERIFY(!charts.empty());
  panel->arcs()->exportTo(path("arcs.csv"));
  const Records drawn = recordsOf(path("arcs.csv"));
  const Json& arcs = charts[0].at("arcs");
  QCOMPARE(qs(charts[0].at("words").get<std::vector<std::string>>()), panel->arcs()->words());
  QCOMPARE(drawn.size(), qsizetype(arcs.size()));
  for (qsizetype i = 0; i < drawn.size(); ++i) {
    const Json& arc = arcs.at(std::size_t(i));
    QCOMPARE(drawn[i]["from_position"].toInt(), arc.at("from").get<int>());
    QCOMPARE(drawn[i]["to_position"].toInt(), arc.at("to").get<int>());
    QCOMPARE(drawn[i]["rank"].toInt(), arc.at("second").get<bool>() ? 2 : 1);
  }
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
    const Lines lines = fieldsOf(path("buckets.csv"));
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
    Lines drawn, expected;
    for (const QStringList& line : fieldsOf(path("ngrams.csv"))) {
      if (line[0] == title) drawn << QStringList{line[1], line[2], line[3], line[5]};
    }
    for (const Json& each : system.at(toStd(list)))
      expected << QStringList{qs(each.at("ngram").get<std::string>()), qs(each.at("order").dump()),
                              qs(each.at(toStd(first)).dump()), qs(each.at(toStd(second)).dump())};
    QCOMPARE(drawn, expected);
  }
}

// A sentence translated in the window and by the program.
void TestPanelsAndRunner::translations() {
  QFETCH(QString, run);
  const QString text = "der Hund";
  window_->showPerspective("inside");
  TranslatePanel* panel = window_->panel<TranslatePanel>();
  panel->showRun(idOf(run));
  child<QSpinBox>("translateNbest")->setValue(3);
  auto* checkpoint = child<QComboBox>("translateCheckpoint");
  checkpoint->setCurrentIndex(checkpoint->findData("last"));
  const int beam = std::max(3, child<QSpinBox>("translateBeam")->value());
  panel->setText(text);
  panel->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
  QVERIFY2(panel->error().isEmpty(), qPrintable(panel->error()));
  const Json hypotheses = printed({"translate", "--run", run + "@last", "--beam",
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

void TestPanelsAndRunner::parameters() {
  window_->showPerspective("launch");
  LaunchPanel* launch = window_->panel<LaunchPanel>();
  launch->reload();
  QTRY_VERIFY_WITH_TIMEOUT(launch->isUpToDate(), kPatience);
  for (const Trained& run : trained()) {
    launch->choose(run.preset, "toy");
    const Json dry = printed({"train", "--preset", run.preset, "--data", "toy", "--dry-run"});
    const QString wanted = countText(dry.at("parameters").get<qint64>());
    QTRY_COMPARE_WITH_TIMEOUT(child<QLabel>("launchParameters")->text(), wanted, kPatience);
  }
}

QTEST_MAIN(TestPanelsAndRunner)
#include "test_panels_and_runner.moc"
