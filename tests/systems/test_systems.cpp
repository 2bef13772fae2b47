// The test sets and systems of a workspace, their names, and the reporting of damage.
#include <QTest>

#include "core/base/digest.h"
#include "tests/program.h"
#include "tests/systems/systems_fixture.h"

using namespace strata;

class TestSystems : public QObject {
  Q_OBJECT

 private slots:
  void listsSetsOfDatasets();
  void importsTestSets();
  void refusesBadTestSets();
  void noticesDamagedTestSets();
  void listsOutputsOfRuns();
  void namesSeveralOutputs();
  void groupsSeeds();
  void followsVersions();
  void leavesDamagedOutputsOut();
  void findsSystems();
  void readsNothingToList();
};

void TestSystems::listsSetsOfDatasets() {
  const SystemsFixture fixture;
  const auto sets = listTestSets(fixture.workspace);
  QCOMPARE(sets.size(), std::size_t{2});
  QCOMPARE(sets[0].id, std::string("small/valid"));
  QCOMPARE(sets[1].id, std::string("small/test"));
  QVERIFY(!sets[0].test && sets[1].test && !sets[1].imported);
  QCOMPARE(sets[1].sentences, 3);
  QCOMPARE(sets[1].target, std::string("en"));
  QVERIFY(sets[1].has(TextState::kRaw) && sets[1].has(TextState::kTokens));
  QCOMPARE(sets[1].referenceLines(TextState::kRaw), std::vector<Lines>{fixture.raw});
  QCOMPARE(sets[1].referenceLines(TextState::kTokens), std::vector<Lines>{fixture.tokens});
  QCOMPARE(sets[1].sourceLines(TextState::kTokens)[0], std::string("das haus ."));
  QHOLDS(usageErrorOf([&] { findTestSet(fixture.workspace, "small/tset"); }),
         "there are: small/valid, small/test");
  QHOLDS(usageErrorOf([&] { textStateNamed("ids"); }), "expected raw or tokens");
}

void TestSystems::importsTestSets() {
  const SystemsFixture fixture;
  put(fixture.folder / "r0", "one two\r\n\r\nthree\r\n");
  put(fixture.folder / "r1",
      "\xef\xbb\xbf"
      "1 2\n\n3");
  put(fixture.folder / "src", "eins zwei\n\ndrei\n");
  const NewTestSet wanted{.name = "news",
                          .references = {fixture.folder / "r0", fixture.folder / "r1"},
                          .source = fixture.folder / "src",
                          .state = TextState::kTokens,
                          .sourceLanguage = "de",
                          .targetLanguage = "en"};
  importTestSet(fixture.workspace, wanted);
  const TestSet set = findTestSet(fixture.workspace, "news");
  QVERIFY(set.imported && set.test && set.has(TextState::kTokens) && !set.has(TextState::kRaw));
  QCOMPARE(set.referenceLines(TextState::kTokens),
           (std::vector<Lines>{{"one two", "", "three"}, {"1 2", "", "3"}}));
  QCOMPARE(set.sourceLines(TextState::kTokens), (Lines{"eins zwei", "", "drei"}));
  QVERIFY(set.sourceLines(TextState::kRaw).empty());
  QHOLDS(usageErrorOf([&] { (void)set.referenceLines(TextState::kRaw); }),
         "was imported as tokens: it has no raw text");
  // The files may go; a second one of the name harms nothing.
  const auto before = contentOf(fixture.workspace.root() / "testsets");
  QHOLDS(usageErrorOf([&] { importTestSet(fixture.workspace, wanted); }),
         "there is already a test set 'news'");
  QCOMPARE(contentOf(fixture.workspace.root() / "testsets"), before);
}

void TestSystems::refusesBadTestSets() {
  const SystemsFixture fixture;
  put(fixture.folder / "three", "a\nb\nc\n");
  put(fixture.folder / "two", "a\nb\n");
  put(fixture.folder / "empty", "");
  put(fixture.folder / "latin", "a\nb\xe9\nc\n");
  const auto message = [&](const std::string& name, std::vector<fs::path> references,
                           const std::string& source = "") {
    return errorOf([&] {
      NewTestSet set;
      set.name = name;
      for (const fs::path& file : references)
        set.references.push_back(fixture.folder.path() / file);
      if (!source.empty()) set.source = fixture.folder / source;
      importTestSet(fixture.workspace, set);
    });
  };
  QHOLDS(message("a", {"three", "two"}), "two has 2 lines and ");
  QHOLDS(message("a", {"three", "two"}), "three has 3: line n of one belongs");
  QHOLDS(message("a", {"three", "two"}), "and line 3 of ");
  QHOLDS(message("a", {"two"}, "three"), "three has none");
  QHOLDS(message("a", {"empty"}), "empty: is empty");
  QHOLDS(message("a", {"three", "latin"}), "latin: line 2, byte 1");
  QHOLDS(message("a", {"absent"}), "absent");
  QHOLDS(message("a", {}), "needs a file of references");
  for (const std::string name : {"../x", "/x", "", ".x", "a/b", "a b"})
    QHOLDS(message(name, {"three"}), "cannot name a test set");
  QCOMPARE(listTestSets(fixture.workspace).size(), std::size_t{2});
}

void TestSystems::noticesDamagedTestSets() {
  const SystemsFixture fixture;
  put(fixture.folder / "ref", "a\nb\n");
  const TestSet set =
      importTestSet(fixture.workspace, {.name = "news", .references = {fixture.folder / "ref"}});
  put(set.folder / "raw.target", "a\nc\n");  // as long: only the digest tells
  QHOLDS(errorOf([&] { (void)set.referenceLines(TextState::kRaw); }), "its content has changed");
  put(set.folder / "raw.target", "a\n");
  std::vector<std::string> problems;
  QCOMPARE(listTestSets(fixture.workspace, &problems).size(), std::size_t{2});
  QCOMPARE(problems.size(), std::size_t{1});
  QHOLDS(problems[0], "raw.target: is missing or has another size");
  put(set.folder / "testset.json", "{\"format\": \"strata-test-set\"}");
  QHOLDS(usageErrorOf([&] { findTestSet(fixture.workspace, "news"); }), "testset.json: is damaged");
  const TestSet test = findTestSet(fixture.workspace, "small/test");
  put(test.folder / "raw.target", "THE HOUSE.\nA mouse!\nIt's old.\n");
  QHOLDS(errorOf([&] { (void)test.referenceLines(TextState::kRaw); }), "its content has changed");
}

void TestSystems::listsOutputsOfRuns() {
  SystemsFixture fixture;
  const RunSummary base = fixture.run("base"), other = fixture.run("other", 1, 0.3);
  fixture.output(other);
  fixture.output(base);
  fixture.output(base, "step-00000100", "beam5.mean", "valid");
  put(base.folder / "outputs/test.step-00000200.beam5.mean.txt", "half\n");  // no manifest yet
  fixture.import("alone", SystemsFixture::textOf(fixture.raw));
  const StoredSystems all = listSystems(fixture.workspace);
  QVERIFY(all.problems.empty());
  QCOMPARE(namesOf(all), (Lines{"base", "base", "other", "alone"}));
  const StoredSystems test = listSystems(fixture.workspace, "small/test");
  QCOMPARE(namesOf(test), (Lines{"base", "other", "alone"}));
  const StoredSystem& first = test.systems[0];
  QCOMPARE(first.id, fmt::format("run-{}/test.step-00000100.beam5.mean", base.id));
  QCOMPARE(first.testSet, std::string("small/test"));
  QCOMPARE(first.run, base.id);
  QCOMPARE(first.preset, std::string("mlrf/base"));
  QCOMPARE(first.checkpoint, std::string("step-00000100"));
  QCOMPARE(first.decode, std::string("beam5.mean"));
  QCOMPARE(first.sentences, 3);
  QVERIFY(first.created > 1e9 && first.seed == 1);
  QCOMPARE(first.lines(TextState::kRaw), (Lines{"step-00000100", "a mouse!", "it's old."}));
  QCOMPARE(first.lines(TextState::kTokens)[2], std::string("it &apos;s old ."));
  QVERIFY(first.scores().empty() && first.nbest(TextState::kRaw).empty());
  trashRun(fixture.workspace, base.id);
  QCOMPARE(namesOf(listSystems(fixture.workspace, "small/test")), (Lines{"other", "alone"}));
  QHOLDS(usageErrorOf([&] { listSystems(fixture.workspace, "small/x"); }), "no test set 'small/x'");
}

void TestSystems::namesSeveralOutputs() {
  SystemsFixture fixture;
  const RunSummary a = fixture.run("a"), b = fixture.run("b", 2), c = fixture.run("c", 3);
  fixture.output(a, "step-00000100");
  fixture.output(a, "step-00020000");
  fixture.output(b, "step-00000100", "beam1.mean");
  fixture.output(b, "step-00000100", "beam5.mean");
  fixture.output(c, "last20-step-00000100", "beam1.mean");
  fixture.output(c, "step-00000100", "beam5.mean");
  QCOMPARE(namesOf(listSystems(fixture.workspace, "small/test")),
           (Lines{"a step-100", "a step-20000", "b beam1.mean", "b beam5.mean",
                  "c last20-step-100 beam1.mean", "c step-100 beam5.mean"}));
  // An ensemble is never called by its first run's name alone. A name given twice is told apart.
  const RunSummary d = fixture.run("d", 4);
  fixture.output(d, "linear-0123abcd");
  fixture.import("x", SystemsFixture::textOf(fixture.raw));
  renameRun(fixture.workspace, b.id, "x");
  const Lines names = namesOf(listSystems(fixture.workspace, "small/test"));
  QCOMPARE(names[6], std::string("d linear-0123abcd"));
  QCOMPARE(names[2], std::string("x beam1.mean"));
  fs::remove(b.folder / "outputs/test.step-00000100.beam1.mean.json");
  const Lines fewer = namesOf(listSystems(fixture.workspace, "small/test"));
  QCOMPARE(fewer[2], std::string("x"));
  QCOMPARE(fewer.back(), std::string("x (imported)"));
}

void TestSystems::groupsSeeds() {
  SystemsFixture fixture;
  const RunSummary first = fixture.run("s1", 1), second = fixture.run("s2", 2);
  const RunSummary other = fixture.run("dropout", 3, 0.3);
  fixture.output(first, "step-00000100");
  fixture.output(second, "step-00000250");  // the best step of a run is its own
  fixture.output(other);
  fixture.output(first, "step-00000100", "beam1.mean");
  fixture.output(second, "last20-step-00000250");
  const StoredSystems all = listSystems(fixture.workspace);
  const auto group = [&](const std::string& name) { return findSystem(all, name).group; };
  QVERIFY(!group("s1 beam5.mean").empty());
  QCOMPARE(group("s1 beam5.mean"), group("s2 step-250"));
  QVERIFY(group("dropout") != group("s2 step-250"));
  QVERIFY(group("s1 beam1.mean") != group("s2 step-250"));
  QVERIFY(group("s2 last20-step-250") != group("s2 step-250"));
  // What is configured counts, not how it is written down.
  const RunSummary again = fixture.run("s9", 9);
  const fs::path config = again.folder / "config.effective.yaml";
  put(config, "# by hand\n" + readFile(config));
  fixture.output(again);
  QCOMPARE(findSystem(listSystems(fixture.workspace), "s9").group, group("s1 beam5.mean"));
}

void TestSystems::followsVersions() {
  SystemsFixture fixture;
  const RunSummary run = fixture.run("base");
  fixture.output(run);
  fixture.import("alone", SystemsFixture::textOf(fixture.raw));
  fixture.prepare(3);  // another version of the dataset
  const StoredSystems all = listSystems(fixture.workspace);
  QVERIFY(all.problems.empty());
  QCOMPARE(namesOf(all), (Lines{"base", "alone"}));
  QCOMPARE(all.systems[0].testSet, std::string("small@1/test"));
  QCOMPARE(all.systems[1].testSet, std::string("small@1/test"));
  QCOMPARE(listTestSets(fixture.workspace)[0].id, std::string("small/valid"));
  trashDataset(fixture.workspace.datasetsFolder(), "small@1");
  const StoredSystems gone = listSystems(fixture.workspace);
  QVERIFY(gone.systems.empty());
  QCOMPARE(gone.problems.size(), std::size_t{2});
  QHOLDS(gone.problems[0], "its test set no longer exists");
  QHOLDS(gone.problems[1], "its test set small/test no longer exists");
}

void TestSystems::leavesDamagedOutputsOut() {
  SystemsFixture fixture;
  const RunSummary run = fixture.run("base"), good = fixture.run("good", 2);
  fixture.output(run);
  fixture.output(good);
  // As long as it was: only its digest tells, when it is read.
  put(fixture.outputFile(run, ".txt"), "step-00000100\nA mouse!\nit's old.\n");
  const StoredSystem system = findSystem(listSystems(fixture.workspace), "base");
  QHOLDS(errorOf([&] { (void)system.lines(TextState::kRaw); }), "its content has changed");
  QCOMPARE(system.lines(TextState::kTokens).size(), std::size_t{3});
  const std::string manifest = readFile(fixture.outputFile(run, ".json"));
  const auto problem = [&] {
    const StoredSystems all = listSystems(fixture.workspace);
    return namesOf(all) == Lines{"good"} && all.problems.size() == 1 ? all.problems[0]
                                                                     : "not one problem";
  };
  const auto withManifest = [&](const std::string& key, const Json& value) {
    Json json = parseJson(manifest, "manifest");
    if (value.is_null()) json.erase(key);
    if (!value.is_null()) json[key] = value;
    put(fixture.outputFile(run, ".json"), json.dump());
    return problem();
  };
  for (const std::string key :
       {"checkpoint", "decode", "sentences", "text", "tokens", "set", "digests"})
    QHOLDS(withManifest(key, nullptr), ".json: is damaged");
  QHOLDS(withManifest("sentences", "three"), ".json: is damaged");
  QHOLDS(withManifest("sentences", 2), "has 2 sentences, but the test set small/test has 3");
  QHOLDS(withManifest("decode", "../x"), "is the manifest of test.step-00000100.../x");
  QHOLDS(withManifest("digests", Json{{"dataset", "0"}}), "no version of the dataset small");
  put(fixture.outputFile(run, ".json"), manifest.substr(0, 50));
  QHOLDS(problem(), "test.step-00000100.beam5.mean.json");
  put(fixture.outputFile(run, ".json"), manifest);
  put(fixture.outputFile(run, ".tokens"), "\n");
  QHOLDS(problem(), ".tokens: is missing or too short");
  fs::remove(fixture.outputFile(run, ".tokens"));
  QHOLDS(problem(), ".tokens: is missing or too short");
}

void TestSystems::findsSystems() {
  SystemsFixture fixture;
  const RunSummary a = fixture.run("a"), b = fixture.run("b", 2);
  fixture.output(a);
  fixture.output(b, "step-00000100");
  fixture.output(b, "step-00000200");
  fixture.import("alone", SystemsFixture::textOf(fixture.raw));
  const StoredSystems all = listSystems(fixture.workspace, "small/test");
  const auto found = [&](const std::string& wanted) { return findSystem(all, wanted).id; };
  QCOMPARE(found("a"), fmt::format("run-{}/test.step-00000100.beam5.mean", a.id));
  QCOMPARE(found(std::to_string(a.id)), found("a"));
  QCOMPARE(found("b step-200"), fmt::format("run-{}/test.step-00000200.beam5.mean", b.id));
  QCOMPARE(found(found("b step-200")), found("b step-200"));
  QCOMPARE(found("alone"), std::string("alone"));
  QHOLDS(usageErrorOf([&] { found("b"); }),
         "'b' is ambiguous: choose one of run-2/test.step-00000100");
  QHOLDS(usageErrorOf([&] { found("c"); }),
         "no system 'c'; there are: a, b step-100, b step-200, alone");
  QHOLDS(usageErrorOf([&] { findSystem({}, "c"); }), "there is none yet");
}

// Listing must not read texts: they are not opened at all.
void TestSystems::readsNothingToList() {
  SystemsFixture fixture;
  const RunSummary run = fixture.run("base");
  fixture.output(run);
  fixture.import("alone", SystemsFixture::textOf(fixture.raw));
  for (const fs::path& file : {fs::path(fixture.outputFile(run, ".txt")),
                               fixture.workspace.root() / "systems/alone/output.txt"}) {
    put(file, std::string(fs::file_size(file), '\xff'));
  }
  const StoredSystems all = listSystems(fixture.workspace);
  QCOMPARE(namesOf(all), (Lines{"base", "alone"}));
  for (const StoredSystem& system : all.systems)
    QHOLDS(errorOf([&] { (void)system.lines(TextState::kRaw); }), "its content has changed");
}

STRATA_GUILESS_TEST(TestSystems)
#include "test_systems.moc"
