#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QtTest>
#include <map>

#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/trained_window.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/attention_views.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/map_grid.h"

using namespace strata;
using namespace strata::ui;

// The attention of trained models of all four families, as the panel exports it and as the line
// that it copies prints it.
class TestAttentionAndRunner : public QObject, TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase() { open(families()); }
  void cleanupTestCase() { window_.reset(); }
  void everyAttentionIsRecorded_data();
  void everyAttentionIsRecorded();
  void mapsEqualThoseOfTheRunner_data() { everyAttentionIsRecorded_data(); }
  void mapsEqualThoseOfTheRunner();
  void differencesEqualThoseOfTheRunner();
  void figuresEqualThoseOfTheRunner();
  void modelsCanBeCompared();

 private:
  AttentionPanel* shown(const QString& run);
  Json copiedLine(AttentionPanel* panel) const;
  void compareMaps(const Json& map, const char* values, int blocks, int block);
  void choose(const char* box, int data) {
    auto* choice = child<QComboBox>(box);
    const int index = choice->findData(data);
    if (index >= 0) choice->setCurrentIndex(index);
  }
};

AttentionPanel* TestAttentionAndRunner::shown(const QString& run) {
  window_->showPerspective("inside");
  raise("attention");
  auto* panel = window_->panel<AttentionPanel>();
  panel->select({.run = idOf(run), .other = 0});
  [&] {
    QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && !panel->isEmpty() && panel->isUpToDate(),
                             kPatience);
  }();
  panel->views()->setCurrentIndex(AttentionViews::kMatrix);
  return panel;
}

// What the panel's Copy command prints.
Json TestAttentionAndRunner::copiedLine(AttentionPanel* panel) const {
  QSignalSpy copied(panel, &AttentionPanel::commandCopied);
  for (QAction* action : panel->findChildren<QAction*>("copyCommand")) action->trigger();
  return printed(copied.value(0).value(0).toStringList());
}

void TestAttentionAndRunner::everyAttentionIsRecorded_data() {
  QTest::addColumn<QString>("run");
  QTest::addColumn<QStringList>("kinds");  // kind:layers:units
  QTest::newRow("transformer") << "mlrf-dec-sa4-zhen.toy.s1"
                               << QStringList{"encoder:2:4", "history:2:4", "source:2:4"};
  QTest::newRow("dhea") << "dhea-gate.toy.s1" << QStringList{"history:2:1", "source:2:1"};
  QTest::newRow("densenmt") << "dense" << QStringList{"source:4:5"};
  QTest::newRow("deepatt") << "deep" << QStringList{"source:1:1"};
}

// By the presets' own settings, for every head of every layer.
void TestAttentionAndRunner::everyAttentionIsRecorded() {
  QFETCH(QString, run);
  QFETCH(QStringList, kinds);
  const Json attention = printed({"runs", "inside", run}).at("attention");
  std::map<QString, std::pair<int, int>> counted;  // largest layer and unit of a kind
  for (const Json& each : attention) {
    auto& [layers, units] = counted[qs(each.at("kind").get<std::string>())];
    if (each.at("layer").is_number()) layers = std::max(layers, each.at("layer").get<int>());
    units = std::max({units, 1, each.at("unit").is_number() ? each.at("unit").get<int>() : 1});
    QVERIFY(each.at("words").get<int>() > 10);
    // A row is at most uniform, and its largest weight at least its mean.
    const double evenness = each.at("evenness").get<double>();
    QVERIFY(evenness > 0 && evenness <= 1.000001);
  }
  QStringList found;
  for (const auto& [kind, numbers] : counted)
    found << QStringLiteral("%1:%2:%3").arg(kind).arg(numbers.first).arg(numbers.second);
  QCOMPARE(found, kinds);
}

// `block`: of the `blocks` that stand side by side in the matrix.
void TestAttentionAndRunner::compareMaps(const Json& map, const char* values, int blocks,
                                         int block) {
  auto* matrix = window_->panel<AttentionPanel>()->views()->matrix();
  matrix->exportTo(path("attention.csv"));
  std::map<std::pair<int, int>, QString> drawn;
  for (const auto& record : recordsOf(path("attention.csv")))
    drawn[{record["row_number"].toInt(), record["column_number"].toInt()}] = record["value"];
  const Json& rows = map.at(values);
  const auto columns = map.at("columns").size();
  QCOMPARE(std::size_t(matrix->columns().size()), columns * std::size_t(blocks));
  QCOMPARE(matrix->maps()[0].rows, qs(map.at("rows").get<std::vector<std::string>>()));
  const bool causal = map.at("kind") == "history";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const auto at = drawn.find({int(row), block * int(columns) + int(column)});
      if (at == drawn.end()) {  // a word that was not there yet
        QVERIFY(causal && column > row && rows[row][column] == 0.0);
        continue;
      }
      QCOMPARE(at->second, exported(rows[row][column]));
    }
  }
}

void TestAttentionAndRunner::mapsEqualThoseOfTheRunner() {
  QFETCH(QString, run);
  AttentionPanel* panel = shown(run);
  for (const bool words : {false, true}) {
    child<QCheckBox>("attentionWords")->setChecked(words);
    const Json line = copiedLine(panel);
    const Json& maps = line.at("sentence").at("maps");
    QVERIFY(!maps.empty());
    for (const Json& map : maps) {
      const auto kind = attentionKindNamed(map.at("kind").get<std::string>());
      child<QComboBox>("attentionKind")->setCurrentIndex(int(*kind));
      choose("attentionLayer", map.at("layer").is_null() ? -1 : map.at("layer").get<int>() - 1);
      choose("attentionUnit", map.at("unit").is_null() ? -1 : map.at("unit").get<int>() - 1);
      compareMaps(map, "weights", 1, 0);
      if (QTest::currentTestFailed()) return;
    }
  }
  child<QCheckBox>("attentionWords")->setChecked(false);
}

// Of the first step to the last one.
void TestAttentionAndRunner::differencesEqualThoseOfTheRunner() {
  AttentionPanel* panel = shown("mlrf-dec-sa4-zhen.toy.s1");
  auto* others = child<QComboBox>("attentionOtherRun");
  others->setCurrentIndex(others->findData(idOf("mlrf-dec-sa4-zhen.toy.s1")));
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate(), kPatience);
  QCOMPARE(child<QComboBox>("attentionOtherStep")->currentText(), QString("step 20"));
  child<QComboBox>("attentionKind")->setCurrentIndex(int(AttentionKind::kSource));
  choose("attentionLayer", 1);
  choose("attentionUnit", 2);
  const Json line = copiedLine(panel);
  bool found = false;
  for (const Json& map : line.at("sentence").at("maps")) {
    if (map.at("kind") != "source" || map.at("layer") != 2 || map.at("unit") != 3) continue;
    compareMaps(map, "weights", 3, 0);
    compareMaps(map, "difference", 3, 2);
    double changed = 0;
    for (const Json& row : map.at("difference")) {
      double sum = 0;
      for (const Json& value : row) {
        sum += value.get<double>();
        changed = std::max(changed, std::abs(value.get<double>()));
      }
      QVERIFY(std::abs(sum) < 1e-5);  // both rows sum to 1
    }
    QVERIFY(changed > 0);
    found = true;
  }
  QVERIFY(found);
}

void TestAttentionAndRunner::figuresEqualThoseOfTheRunner() {
  shown("dense");
  child<QComboBox>("attentionKind")->setCurrentIndex(int(AttentionKind::kSource));
  const Json attention = printed({"runs", "inside", "dense"}).at("attention");
  for (const Json& each : attention) {
    choose("attentionLayer", each.at("layer").is_null() ? -1 : each.at("layer").get<int>() - 1);
    choose("attentionUnit", each.at("unit").is_null() ? -1 : each.at("unit").get<int>() - 1);
    const QString text = child<QLabel>("attentionFigures")->text();
    const auto number = [](const Json& value) {
      return QString::number(value.get<double>(), 'f', 3);
    };
    QVERIFY2(text.contains("evenness " + number(each.at("evenness"))), qPrintable(text));
    QVERIFY2(text.contains("largest weight " + number(each.at("largest"))), qPrintable(text));
    QVERIFY2(text.contains("AER " + number(each.at("alignment").at("aer"))), qPrintable(text));
  }
}

// Of two families: the means, which both have; a head that the other one lacks is refused in place.
void TestAttentionAndRunner::modelsCanBeCompared() {
  AttentionPanel* panel = shown("mlrf-dec-sa4-zhen.toy.s1");
  child<QComboBox>("attentionKind")->setCurrentIndex(int(AttentionKind::kSource));
  choose("attentionLayer", -1);
  choose("attentionUnit", -1);
  panel->select({.other = idOf("deep")});
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate(), kPatience);
  QVERIFY(child<QLabel>("attentionRefused")->isHidden());
  QCOMPARE(child<QLabel>("attentionFigures")->text().count("AER"), 2);
  choose("attentionUnit", 3);
  QVERIFY(child<QLabel>("attentionRefused")->isVisible());
  QVERIFY(child<QLabel>("attentionRefused")->text().contains("no such attention"));
  panel->select({.other = 0});
  QVERIFY(child<QLabel>("attentionRefused")->isHidden());
}

STRATA_TEST(TestAttentionAndRunner)
#include "test_attention_and_runner.moc"
