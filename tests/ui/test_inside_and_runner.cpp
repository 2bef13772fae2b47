#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTableWidget>
#include <QtTest>
#include <cmath>
#include <map>

#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/trained_window.h"
#include "ui/panels/history_corpus_view.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/panels/hop_views.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/run_translations.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"

using namespace strata;
using namespace strata::ui;

// What the panels Hop weights and Target-side attention show is what `runs inside` and the figures
// of papers print: read from the panels' exports, and compared to the last digit that these write.
class TestInsideAndRunner : public QObject, TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase() { open(families().first(2)); }
  void cleanupTestCase() { window_.reset(); }
  void hopWeightsOfASentence();
  void meanHopWeights();
  void howHopsUseTheLevels();
  void sharesOfTheSource();
  void arcs();
  void sharesByBothMeasures();
  void distancesAndGoldHeads();
  void drawnRunsTranslateTheSameSentence();

 private:
  Json figure(const QString& id) const {
    return printed({"paper", "show", id, "--data", "toy", "--seeds", "1"});
  }
  Json inside(const QString& run) const { return printed({"runs", "inside", run}); }
  HopWeightsPanel* hopWeights();
  TargetAttentionPanel* targetAttention(int tab);
};

// The panel in front, with its run.
HopWeightsPanel* TestInsideAndRunner::hopWeights() {
  window_->showPerspective("inside");
  raise("hop-weights");
  HopWeightsPanel* panel = window_->panel<HopWeightsPanel>();
  panel->select({.run = idOf(kFused)});
  [&] {
    QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && !panel->isEmpty() && panel->isUpToDate(),
                             kPatience);
  }();
  return panel;
}

TargetAttentionPanel* TestInsideAndRunner::targetAttention(int tab) {
  window_->showPerspective("inside");
  raise("target-attention");
  TargetAttentionPanel* panel = window_->panel<TargetAttentionPanel>();
  panel->select({.run = idOf(kHistory)});
  [&] {
    QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && !panel->isEmpty() && panel->isUpToDate(),
                             kPatience);
  }();
  child<QTabWidget>("historyTabs")->setCurrentIndex(tab);
  return panel;
}

// One map per hop, from the highest level down in the panel and from the lowest up in the figure.
void TestInsideAndRunner::hopWeightsOfASentence() {
  HopWeightsPanel* panel = hopWeights();
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

// Of the newest step, and over training by hop and for their mean.
void TestInsideAndRunner::meanHopWeights() {
  HopWeightsPanel* panel = hopWeights();
  const Json hops = inside(kFused).at("hop_weights").at("decoder");
  const Json &levels = hops.at("levels"), &steps = hops.at("steps"), &newest = steps.back();
  QCOMPARE(steps.size(), std::size_t(3));
  panel->meanMap()->exportTo(path("means.csv"));
  const Records drawn = recordsOf(path("means.csv"));
  QCOMPARE(drawn.size(), qsizetype(levels.size() * newest.at("evenness").size()));
  for (const auto& record : drawn) {
    const auto level = std::find(levels.begin(), levels.end(), toStd(record["row"]));
    QVERIFY(level != levels.end());
    const Json& weights = newest.at("weights").at(std::size_t(level - levels.begin()));
    QCOMPARE(record["value"], exported(weights.at(record["column_number"].toUInt())));
  }
  QStringList entropies;
  for (const Json& entropy : newest.at("evenness"))
    entropies << QStringLiteral("hop %1: %2")
                     .arg(entropies.size() + 1)
                     .arg(entropy.get<double>(), 0, 'f', 2);
  QVERIFY(child<QLabel>("hopEntropy")->text().endsWith(": " + entropies.join(", ")));

  auto* hop = child<QComboBox>("hopOfCurve");
  QCOMPARE(hop->count(), int(entropies.size()) + 1);
  for (int choice = 0; choice < hop->count(); ++choice) {
    hop->setCurrentIndex(choice);
    QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate(), kPatience);
    panel->overTraining()->exportTo(path("training.csv"));
    std::map<std::pair<QString, qint64>, double> curves;  // by level and step
    for (const auto& record : recordsOf(path("training.csv")))
      // A curve per level where other charts have one per run.
      curves[{record["run"], record["step"].toLongLong()}] = record["value"].toDouble();
    QCOMPARE(curves.size(), (levels.size() + 1) * steps.size());  // and the uniform line
    for (const Json& step : steps)
      QVERIFY((curves.at({"uniform (AVG)", step.at("step").get<qint64>()}) ==
               1.0 / double(levels.size())));
    for (const Json& step : steps) {
      for (std::size_t level = 0; level < levels.size(); ++level) {
        const auto weights = step.at("weights").at(level).get<std::vector<double>>();
        double expected = 0;
        for (const double weight : weights) expected += weight / double(weights.size());
        if (choice > 0) expected = weights.at(std::size_t(choice) - 1);
        const auto point =
            curves.find({qs(levels[level].get<std::string>()), step.at("step").get<qint64>()});
        QVERIFY(point != curves.end());
        QVERIFY(std::abs(point->second - expected) < 1e-12);
      }
    }
  }
}

// Contributions, spread between positions, classes of words and similarity of hops.
void TestInsideAndRunner::howHopsUseTheLevels() {
  HopWeightsPanel* panel = hopWeights();
  const Json hops = inside(kFused).at("hop_weights").at("decoder");
  const Json &levels = hops.at("levels"), &newest = hops.at("steps").back();
  const auto place = [&levels](const QString& level) {
    return std::size_t(std::find(levels.begin(), levels.end(), toStd(level)) - levels.begin());
  };
  auto* measure = child<QComboBox>("hopMeasure");
  measure->setCurrentIndex(1);
  panel->meanMap()->exportTo(path("contributions.csv"));
  Records drawn = recordsOf(path("contributions.csv"));
  QCOMPARE(drawn.size(), qsizetype(levels.size() * 4));
  for (const auto& record : drawn) {
    const Json& level = newest.at("contributions").at(place(record["row"]));
    QCOMPARE(record["value"], exported(level.at(record["column_number"].toUInt())));
  }
  QVERIFY(newest.at("contributions") != newest.at("weights"));
  measure->setCurrentIndex(0);
  child<QComboBox>("hopOfCurve")->setCurrentIndex(2);  // hop 2; hops.spread begins with their mean
  panel->views()->spread()->exportTo(path("spread.csv"));
  drawn = recordsOf(path("spread.csv"));
  QCOMPARE(drawn.size(), qsizetype(levels.size()));
  const char* const columns[] = {"positions, low", "positions, lower quartile", "positions",
                                 "positions, upper quartile", "positions, high"};
  for (const auto& record : drawn) {
    const Json& level = hops.at("spread").at(2).at(place(record["level"]));
    for (std::size_t i = 0; i < 5; ++i) QCOMPARE(record[columns[i]], exported(level[i]));
  }
  panel->views()->classes()->exportTo(path("classes.csv"));
  drawn = recordsOf(path("classes.csv"));
  qsizetype known = 0;  // a class without words has no mean
  for (const Json& levelsOfClass : hops.at("classes"))
    for (const Json& level : levelsOfClass) known += level.at(1).is_null() ? 0 : 1;
  QCOMPARE(drawn.size(), known);
  QVERIFY(known >= 2 * qsizetype(levels.size()));
  for (const auto& record : drawn) {
    const Json& value =
        hops.at("classes").at(toStd(record["column"])).at(place(record["row"])).at(1);
    QCOMPARE(record["value"], exported(float(value.get<double>())));
  }
  panel->views()->similarity()->exportTo(path("similarity.csv"));
  drawn = recordsOf(path("similarity.csv"));
  QCOMPARE(drawn.size(), qsizetype(16));
  for (const auto& record : drawn) {
    const auto row = std::size_t(record["row"].back().digitValue() - 1);
    QCOMPARE(record["value"],
             exported(newest.at("similarity").at(row).at(record["column_number"].toUInt())));
  }
}

void TestInsideAndRunner::sharesOfTheSource() {
  TargetAttentionPanel* panel = targetAttention(1);
  panel->corpus()->byPosition()->exportTo(path("position.csv"));
  panel->corpus()->byClass()->exportTo(path("class.csv"));
  const Fields positions = fieldsOf(path("position.csv")), classes = fieldsOf(path("class.csv"));
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
void TestInsideAndRunner::arcs() {
  TargetAttentionPanel* panel = targetAttention(0);
  child<QComboBox>("historyLayer")->setCurrentIndex(3);  // mean, all, 1, 2
  child<QCheckBox>("historyWords")->setChecked(true);
  const Json charts = figure("dhea/figure3").at("arcs");
  QVERIFY(!charts.empty());
  panel->sentence()->arcs()->exportTo(path("arcs.csv"));
  const Records drawn = recordsOf(path("arcs.csv"));
  const Json& arcs = charts[0].at("arcs");
  QCOMPARE(qs(charts[0].at("words").get<std::vector<std::string>>()),
           panel->sentence()->arcs()->words());
  QCOMPARE(drawn.size(), qsizetype(arcs.size()));
  for (qsizetype i = 0; i < drawn.size(); ++i) {
    const Json& arc = arcs.at(std::size_t(i));
    QCOMPARE(drawn[i]["from_position"].toInt(), arc.at("from").get<int>());
    QCOMPARE(drawn[i]["to_position"].toInt(), arc.at("to").get<int>());
    QCOMPARE(drawn[i]["rank"].toInt(), arc.at("second").get<bool>() ? 2 : 1);
  }
}

void TestInsideAndRunner::sharesByBothMeasures() {
  TargetAttentionPanel* panel = targetAttention(1);
  const Json attention = inside(kHistory).at("target_attention");
  auto* measure = child<QComboBox>("historyMeasure");
  for (int choice = 0; choice < 2; ++choice) {
    measure->setCurrentIndex(choice);
    const Json& shares = attention.at("source_share").at(choice == 0 ? "norms" : "weights");
    panel->corpus()->byPosition()->exportTo(path("position.csv"));
    panel->corpus()->byClass()->exportTo(path("class.csv"));
    const Fields positions = fieldsOf(path("position.csv")), classes = fieldsOf(path("class.csv"));
    QCOMPARE(shares.at("layers").size(), std::size_t(2));
    QCOMPARE(classes.size(), qsizetype(attention.at("classes").size()) + 1);
    for (std::size_t layer = 0; layer < 2; ++layer) {
      const Json& byPosition = shares.at("by_position").at(layer);
      QVERIFY(byPosition.size() > 2 && byPosition.size() < std::size_t(positions.size()));
      for (std::size_t at = 0; at < byPosition.size(); ++at)
        QCOMPARE(positions[qsizetype(at) + 1][qsizetype(layer) + 1], exported(byPosition[at]));
      for (qsizetype at = 1; at < classes.size(); ++at) {
        const auto place = std::size_t(at) - 1;
        QCOMPARE(classes[at][0].section('\n', 0, 0),
                 qs(attention.at("classes").at(place).get<std::string>()));
        QCOMPARE(classes[at][qsizetype(layer) + 1],
                 exported(shares.at("by_class").at(layer).at(place)));
      }
    }
  }
}

// Of each layer and of their mean.
void TestInsideAndRunner::distancesAndGoldHeads() {
  targetAttention(1);
  const Json history = inside(kHistory).at("target_attention").at("history");
  QCOMPARE(history.size(), std::size_t(3));
  const auto named = [&](const QString& name) {
    return *std::find_if(history.begin(), history.end(), [&](const Json& each) {
      return qs(each.at("layer").get<std::string>()) == name;
    });
  };
  for (const auto& [choice, name] :
       {std::pair(0, "mean of the layers"), {2, "layer 1"}, {3, "layer 2"}}) {  // 1: all layers
    child<QComboBox>("historyLayer")->setCurrentIndex(choice);
    child<CategoryPlot>("historyDistances")->exportTo(path("distance.csv"));
    const Fields bins = fieldsOf(path("distance.csv"));
    const Json expected = named(name);
    QCOMPARE(bins[1], QStringList({"start", exported(expected.at("start")), ""}));
    QVERIFY(bins.size() > 12);
    for (const QStringList& bin : bins.mid(2)) {
      const auto back = bin[0].section('+', 0, 0).toUInt();
      QCOMPARE(bin[1], exported(expected.at("weight").at(back)));
      QCOMPARE(bin[2], exported(expected.at("strongest").at(back)));
    }
  }
  child<CategoryPlot>("historyGold")->exportTo(path("gold.csv"));
  const Fields gold = fieldsOf(path("gold.csv"));
  QCOMPARE(gold.size(), qsizetype(history.size()) + 1);
  for (const QStringList& line : gold.mid(1)) {
    const Json expected = named(line[0]).at("gold");
    QVERIFY(expected.at("words").get<int>() > 0);
    QCOMPARE(line.mid(1),
             QStringList({exported(expected.at("hits")), exported(expected.at("previous")),
                          exported(expected.at("chance"))}));
  }
}

// Asked only while they are visible; a run that is not drawn does not translate.
void TestInsideAndRunner::drawnRunsTranslateTheSameSentence() {
  window_->showPerspective("inside");
  raise("translate");
  auto* panel = window_->panel<TranslatePanel>();
  auto* table = child<QTableWidget>("translateRunsTable");
  window_->panels()->select({.drawn = QVector<qint64>{}, .run = idOf(kFused)});
  panel->setText("der kleine Hund sieht die Katze .");
  panel->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!panel->isBusy(), kPatience);
  child<QTabWidget>("translateViews")->setCurrentWidget(panel->others());
  QCOMPARE(table->rowCount(), 1);
  window_->panels()->select({.drawn = QVector<qint64>{idOf(kFused), idOf(kHistory)}});
  QCOMPARE(table->rowCount(), 2);
  QTRY_VERIFY_WITH_TIMEOUT(!table->item(1, 2)->text().isEmpty(), kPatience);
  QCOMPARE(table->item(1, 0)->text(), kHistory);
  int row = 0;
  for (const QString& run : {kFused, kHistory}) {
    const QByteArray output = outputOf({"translate", "--run", run + "@best", "--beam", "5",
                                        "--text=der kleine Hund sieht die Katze ."});
    QCOMPARE(table->item(row++, 2)->text(), QString::fromUtf8(output).trimmed());
  }
  window_->panels()->select({.drawn = QVector<qint64>{idOf(kFused)}});
  QCOMPARE(table->rowCount(), 1);
}

STRATA_TEST(TestInsideAndRunner)
#include "test_inside_and_runner.moc"
