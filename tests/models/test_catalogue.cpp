#include <QtTest>
#include <cmath>
#include <map>
#include <set>

#include "core/papers/catalogue.h"
#include "models/presets.h"

using namespace strata;

class TestCatalogue : public QObject {
  Q_OBJECT

  // The part before '/' of the program's presets.
  static std::set<std::string> papersWithPresets() {
    std::set<std::string> papers;
    for (const Preset& preset : presets())
      papers.insert(preset.name.substr(0, preset.name.find('/')));
    return papers;
  }

 private Q_SLOTS:
  void everyPresetExists() {
    const auto known = papersWithPresets();
    QVERIFY(known.contains("mlrf"));
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.push_back(preset.name);
    for (const char* paper : {"densenmt", "deepatt", "dhea", "mlrf"}) {
      const auto missing = missingPresets(paper, names);
      for (const std::string& problem : missing) qInfo("%s", problem.c_str());
      // A paper none of whose presets is here is not in this program; its rows are only listed.
      QVERIFY2(missing.empty() || !known.contains(paper), paper);
    }
  }

  void systemsOnACpuShareTheirRecipe() {
    Json shared;
    int systems = 0;
    for (const Preset& preset : presets()) {
      if (!preset.name.ends_with("-cpu")) continue;
      Json config = resolveConfig({.preset = preset.name}, builtInSources());
      config.erase("preset");
      config.erase("model");
      config["training"].erase("init");  // each family's own
      if (shared.is_null()) shared = config;
      QCOMPARE(toYaml(config), toYaml(shared));
      ++systems;
    }
    QVERIFY(systems >= 24);
    QCOMPARE(shared["training"]["phases"].size(), 2U);
  }

  void tablesOfAllFourPapersAreThere() {
    const std::vector<std::string> wanted{
        "densenmt/table1", "densenmt/table2", "densenmt/table3", "densenmt/table4",
        "densenmt/table5", "deepatt/table1",  "deepatt/table2",  "deepatt/table3",
        "deepatt/table4",  "deepatt/table5",  "deepatt/table6",  "deepatt/table7",
        "deepatt/table8",  "deepatt/table9",  "dhea/table1",     "dhea/table2",
        "mlrf/table2",     "mlrf/table3",     "mlrf/table4"};
    for (const std::string& id : wanted) QVERIFY2(findPaperTable(id) != nullptr, id.c_str());
    for (const char* id :
         {"densenmt/figure4", "densenmt/figure5", "densenmt/embedding", "densenmt/sumlen",
          "deepatt/figure3", "deepatt/figure4", "deepatt/beam", "deepatt/depth", "dhea/figure3",
          "dhea/ratio", "mlrf/figure3", "mlrf/figure4", "mlrf/figure5", "mlrf/classes"})
      QVERIFY2(findPaperFigure(id) != nullptr, id);
    QVERIFY(findPaperTable("mlrf/table9") == nullptr);
  }

  // How many figures each table prints, counted in the papers.
  void nothingPrintedIsLeftOut() {
    const std::map<std::string, std::size_t> counts{
        {"densenmt/table1", 54}, {"densenmt/table2", 18}, {"densenmt/table3", 19},
        {"densenmt/table4", 13}, {"densenmt/table5", 5},  {"deepatt/table1", 8},
        {"deepatt/table2", 4},   {"deepatt/table3", 3},   {"deepatt/table4", 4},
        {"deepatt/table5", 5},   {"deepatt/table6", 3},   {"deepatt/table7", 4},
        {"deepatt/table8", 7},   {"deepatt/table9", 6},   {"dhea/table1", 42},
        {"dhea/table2", 16},     {"mlrf/table2", 39},     {"mlrf/table3", 65},
        {"mlrf/table4", 9}};
    for (const auto& [id, wanted] : counts) {
      std::size_t found = 0;
      for (const PaperRow& row : findPaperTable(id)->rows) found += row.printed.size();
      QVERIFY2(found == wanted, id.c_str());
    }
  }

  // The averages that the papers print are the means of their columns, but for those that are known
  // not to be.
  void printedAveragesAreMeans() {
    std::set<std::string> differing;
    for (const PaperTable& table : paperTables()) {
      for (const PaperRow& row : table.rows) {
        for (const PaperColumn& column : table.columns) {
          const auto mean = table.recomputed(row, column);
          if (!mean || !row.printed.contains(column.key)) continue;
          if (std::abs(*mean - row.printed.at(column.key)) > 0.011)
            differing.insert(table.id + " " + row.name);
        }
      }
    }
    const std::set<std::string> known{"mlrf/table3 Dec-AVG", "mlrf/table3 Dec-FNN",
                                      "dhea/table1 DHEA + Sum",
                                      // 45.675 and 45.9125, printed as 45.66 and 45.90.
                                      "dhea/table1 DHEA + Hybrid", "dhea/table1 DHEA + Gate"};
    QVERIFY(differing == known);
  }

  // Every parameter count that the paper prints follows from preset and vocabulary, but for the row
  // whose printed count needs another W_1.
  void printedParametersAreOurs() {
    const PaperTable& table = *findPaperTable("mlrf/table2");
    int checked = 0;
    for (const PaperRow& row : table.rows) {
      if (!row.parameters) continue;
      const Json config = resolveConfig({.preset = row.preset}, builtInSources());
      const auto count = parameterCountOf(
          modelConfig(config.at("model"), table.vocabulary.source, table.vocabulary.target));
      const double millions = static_cast<double>(count) / 1e6;
      const bool equal = std::abs(millions - *row.parameters) < 0.0051;
      QVERIFY2(equal == (row.name != "Dec-SA (6 hops)"), row.name.c_str());
      ++checked;
    }
    QCOMPARE(checked, 15);
  }

  // Counts of the other papers' rows for their tables' vocabularies, worked out by hand from the
  // equations.
  void presetsOfRowsAreTheirModels() {
    const auto count = [](const std::string& table, const std::string& preset) {
      const VocabularySizes sizes = findPaperTable(table)->vocabulary;
      const Json config = resolveConfig({.preset = preset}, builtInSources());
      return parameterCountOf(modelConfig(config.at("model"), sizes.source, sizes.target));
    };
    QCOMPARE(count("densenmt/table1", "densenmt/4l-1"), std::int64_t{10467280});
    QCOMPARE(count("densenmt/table1", "densenmt/4l-1-e64"), std::int64_t{5650000});
    QCOMPARE(count("densenmt/table2", "densenmt/att-4l"), std::int64_t{10408912});
    QCOMPARE(count("densenmt/table5", "densenmt/wmt-15"), std::int64_t{170923296});
    QCOMPARE(count("densenmt/table5", "densenmt/convs2s-15"), std::int64_t{213669920});
    QCOMPARE(count("deepatt/table1", "deepatt/att-9-7"), std::int64_t{219896448});
    QCOMPARE(count("deepatt/table1", "deepatt/ed-9-7"), std::int64_t{220288640});
    QCOMPARE(count("dhea/table1", "dhea/gate"), std::int64_t{79656960});
  }
};

QTEST_GUILESS_MAIN(TestCatalogue)
#include "test_catalogue.moc"
