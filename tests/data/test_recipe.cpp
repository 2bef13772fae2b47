#include <QTest>

#include "core/base/files.h"
#include "core/data/recipe.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

const std::string kHead =
    "recipe: tiny\ntitle: Tiny\nlicence: none\norigin: here\nget: \"write it\"\nsource: "
    "de\ntarget: en\n";

}  // namespace

class TestRecipe : public QObject {
  Q_OBJECT
 private slots:
  void readsEveryRecipeOfTheProgram() {
    int recipes = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(STRATA_SOURCE_DIR) / "datasets")) {
      if (entry.path().extension() != ".yaml") continue;
      const Recipe recipe = parseRecipe(readFile(entry.path()), entry.path().string());
      QCOMPARE(recipe.name, entry.path().stem().string());
      QVERIFY(!holds(recipe.get, "\n"));
      ++recipes;
    }
    QVERIFY(recipes >= 7);
  }

  void refusesWhatItDoesNotKnow() {
    const auto error = [](const std::string& rest) {
      return errorOf([&] { parseRecipe(kHead + rest, "tiny.yaml"); });
    };
    QVERIFY(holds(error(""), "'train' is missing"));
    const std::string train = "train:\n  - {source: a.de, target: a.en}\n";
    QCOMPARE(error(train), std::string());
    QVERIFY2(
        holds(error(train + "optons: {bpe: 3}\n"),
              "tiny.yaml:10: the recipe: 'optons' is unknown here; the nearest key is 'options'"),
        error(train + "optons: {bpe: 3}\n").c_str());
    QVERIFY(holds(error(train + "options: {bpe: many}\n"),
                  "the recipe, options: 'bpe' must be an integer of at least 0"));
    QVERIFY(holds(error(train + "options: {bpe: -1}\n"),
                  "the recipe, options: 'bpe' must be an integer of at least 0"));
    QVERIFY(holds(error("train:\n  - {source: a.de}\n"), "'source' or 'target' is missing"));
  }

  void findsFilesInFoldersAndArchives() {
    const TemporaryFolder folder;
    put(folder / "in/deep/a.de", "Haus\n");
    put(folder / "in/deep/a.en", "house\n");
    put(folder / "in/v.de", "Maus\n");
    QCOMPARE(std::system(("cd " + folder.path().string() +
                          "/in && gzip v.de && tar czf deep.tgz deep && rm -r deep")
                             .c_str()),
             0);
    const Recipe recipe =
        parseRecipe(kHead +
                        "train:\n  - {source: a.de, target: deep/a.en}\n"
                        "valid:\n  valid:\n    - {source: w.de | v.de, target: v.de}\n"
                        "test:\n  test:\n    - {source: t.de, target: t.en, optional: true}\n"
                        "join: {all: [valid, test]}\n"
                        "expect: {train: 1, valid: 1, test: 5, all: 6}\n",
                    "tiny.yaml");
    const PrepareOptions options = resolveRecipe(recipe, {folder / "in"});
    QCOMPARE(options.train.at(0).source.location, (folder / "in/deep.tgz").string() + ":deep/a.de");
    QCOMPARE(options.sets.size(), std::size_t{1});
    QCOMPARE(options.sets[0].parts[0].source.location, (folder / "in/v.de.gz").string());
    QVERIFY(options.joins.empty());
    QCOMPARE(options.expected.counts.size(), std::size_t{2});
    put(folder / "other/v.de", "Maus\n");
    QVERIFY(holds(errorOf([&] { resolveRecipe(recipe, {folder / "other"}); }),
                  "a.de, deep/a.en. How to get them: write it"));
    put(folder / "other/again/v.de", "Maus\n");
    QVERIFY(
        holds(errorOf([&] { resolveRecipe(recipe, {folder / "other"}); }), "give --from only one"));
  }
};

STRATA_GUILESS_TEST(TestRecipe)
#include "test_recipe.moc"
