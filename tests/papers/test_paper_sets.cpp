// Which measured scores a printed one may be subtracted from: those on the set that the paper
// scores.
#include <QTest>

#include "core/base/json.h"
#include "core/data/dataset.h"
#include "core/data/recipe.h"
#include "core/papers/catalogue.h"
#include "core/papers/paper_plan.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestPaperSets : public QObject {
  Q_OBJECT

  TemporaryFolder folder_;
  PaperEngine engine_;

  // A dataset without files that says a built-in recipe made it.
  void made(const std::string& recipe, const std::vector<std::string>& sets) const {
    Json manifest{{"format", "strata-dataset"},
                  {"format_version", 1},
                  {"name", recipe},
                  {"version", 1},
                  {"files", Json::object()},
                  {"digest", datasetDigest(Json::object())},
                  {"recipe", builtInRecipe(recipe)->document},
                  {"sets", Json::object()}};
    for (const std::string& set : sets) {
      const char* role = set == "valid" ? "valid" : "test";
      manifest["sets"][set] = {{"role", role}, {"sentences", 9}, {"references", 1}};
    }
    put(folder_ / recipe / "manifest.yaml", toYaml(manifest));
  }

  bool isPaperSetup(const std::string& id, const std::string& row, const std::string& column,
                    const std::vector<std::string>& sets = {}) const {
    const PaperTable& table = *findPaperTable(id);
    PaperOptions options;
    options.sets = sets;
    const PaperPlanner planner(engine_, folder_.path(), options, table.dataset);
    const PlannedCell cell = planner.plan({.row = table.row(row), .column = table.column(column)});
    Q_ASSERT(cell.missing.empty());
    return cell.paperSetup;
  }

 private slots:
  void initTestCase() {
    engine_.isPreset = [](const std::string&) { return true; };
    for (const char* recipe : {"iwslt14-deen-25k", "iwslt14-deen-word"})
      made(recipe, {"valid", "test", "test-5585"});
    made("iwslt14-deen", {"valid", "test"});
  }

  // dev2010 and tst2010 to tst2012, 5,585 sentences, against the standard set of 6,750.
  void germanEnglishOfDenseNetworks() {
    const std::string chosen = "=test-5585";
    for (const std::string column : {"de-en-64", "de-en-128", "de-en-256"}) {
      QVERIFY(!isPaperSetup("densenmt/table1", "BASE-4L", column));
      QVERIFY(isPaperSetup("densenmt/table1", "BASE-4L", column, {column + chosen}));
    }
    QVERIFY(!isPaperSetup("densenmt/table2", "DenseENC-4L", "de-en"));
    QVERIFY(isPaperSetup("densenmt/table2", "DenseENC-4L", "de-en", {"de-en" + chosen}));
    for (const char* row : {"DenseNMT-8L-1 (BPE)", "DenseNMT-8L-2 (word)"}) {
      QVERIFY(!isPaperSetup("densenmt/table4", row, "greedy"));
      QVERIFY(!isPaperSetup("densenmt/table4", row, "beam"));
      QVERIFY(isPaperSetup("densenmt/table4", row, "beam-5585"));
    }
  }

  // 7,000 pairs drawn at random against every 23rd pair; the test set is the paper's.
  void germanEnglishOfLayerFusion() {
    QVERIFY(!isPaperSetup("mlrf/table2", "Enc-FNN", "valid"));
    QVERIFY(isPaperSetup("mlrf/table2", "Enc-FNN", "test"));
    QVERIFY(isPaperSetup("mlrf/table4", "Dec-SA", "test"));
  }
};

STRATA_APPLESS_TEST(TestPaperSets)
#include "test_paper_sets.moc"
