// Translations of other toolkits in a workspace: every format, plain text and tokens, and input
// that must be rejected.
#include <fcntl.h>
#include <sys/file.h>

#include <QTest>
#include <atomic>
#include <cmath>
#include <thread>

#include "core/base/open_file.h"
#include "core/data/system_output.h"
#include "tests/program.h"
#include "tests/systems/systems_fixture.h"

using namespace strata;

namespace {

// The best translations and scores of each are {"the house", "a mouse", "old"} and {-0.5, -1,
// -2.5}.
const std::map<std::string, std::string> kFiles{
    {"plain", "the house\na mouse\nold\n"},
    {"fairseq-generate",
     "2024-01-31 12:00:00 | INFO | fairseq_cli.generate | {'_name': None, 'beam': 5}\n"
     "S-2\tes ist alt .\nT-2\tit 's old .\nH-2\t-2.5\tol@@ d\nD-2\t-2.5\told\nP-2\t-0.1\n"
     "S-0\tdas Ha@@ us .\nT-0\tthe house .\nH-0\t-0.5\tthe house\nD-0\t-0.5\tthe house\nP-0\t-0.1\n"
     "S-1\teine <unk> !\nT-1\ta mouse !\nH-1\t-1\ta mouse\nD-1\t-1\ta mouse\nP-1\t-0.1\n"},
    {"marian-nbest",
     "0 ||| the house ||| F0= -1 ||| -0.5\n0 ||| a house ||| F0= -1 ||| -0.75\n"
     "1 ||| a mouse ||| F0= -1 ||| -1\n2 ||| old ||| F0= -1 ||| -2.5\n2 ||| ||| F0= -1 ||| -3\n"},
    {"sockeye-nbest",
     "{\"sentence_id\": 1, \"translations\": [\"the house\", \"a house\"], \"scores\": [0.5, "
     "0.75]}\n"
     "{\"sentence_id\": 2, \"translations\": [\"a mouse\", \"x\"], \"scores\": [1, 2]}\n"
     "{\"sentence_id\": 3, \"translations\": [\"old\", \"new\"], \"scores\": [2.5, 3]}\n"},
    {"sockeye-scores", "0.5\tthe house\n1.0\ta mouse\n2.5\told\n"},
    {"numbered-scores", "1\t-1\ta mouse\n0\t-0.5\tthe house\n2\t-2.5\told\n"},
    {"xml",
     "<seg id=\"1\">the house</seg>\n<seg id=\"2\">a mouse</seg>\n<seg id=\"3\">old</seg>\n"},
};
const Lines kBest{"the house", "a mouse", "old"};

}  // namespace

class TestSystemImport : public QObject {
  Q_OBJECT

 private slots:
  void readsEveryFormat();
  void makesTheOtherState();
  void keepsScoresAndLists();
  void takesLinesAsTheyAre();
  void refusesWrongCounts();
  void refusesBadFiles();
  void refusesNames();
  void warns();
  void warnsOfTokens();
  void warnsOfOtherTestSets();
  void importsForImportedSets();
  void noticesDamage();
  void survivesBeingKilled();
  void importsOneOfSeveralAtOnce();
  void movesToTheTrash();
};

void TestSystemImport::readsEveryFormat() {
  SystemsFixture fixture;
  QCOMPARE(kFiles.size(), systemOutputFormats().size());
  for (const std::string& format : systemOutputFormats()) {
    const ImportedSystem imported = fixture.import(format, kFiles.at(format));
    QVERIFY2(imported.warnings.empty(), format.c_str());
    QCOMPARE(imported.system.format, format);
    const StoredSystem system = findSystem(listSystems(fixture.workspace, "small/test"), format);
    QCOMPARE(system.format, format);
    QCOMPARE(system.fileName, format);
    QCOMPARE(system.lines(TextState::kRaw), kBest);
    QCOMPARE(system.lines(TextState::kTokens), kBest);
    const bool scored = format != "plain" && format != "xml";
    QCOMPARE(system.hasScores, scored);
    const double sign = format.starts_with("sockeye") ? 1 : -1;
    if (scored) QCOMPARE(system.scores(), (std::vector<double>{sign * 0.5, sign * 1, sign * 2.5}));
    QCOMPARE(system.hasNBest, format.ends_with("-nbest"));
    // A format that is named is not guessed: every line is a translation then.
    put(fixture.folder / "again", kFiles.at("plain"));
    importSystem(fixture.workspace, {.name = "named-" + format,
                                     .testSet = "small/test",
                                     .file = fixture.folder / "again",
                                     .format = "plain"});
  }
}

void TestSystemImport::makesTheOtherState() {
  SystemsFixture fixture;
  const std::string raw = SystemsFixture::textOf(fixture.raw);
  const StoredSystem text = fixture.import("text", raw).system;
  QCOMPARE(text.lines(TextState::kRaw), fixture.raw);
  QCOMPARE(text.lines(TextState::kTokens), fixture.tokens);
  const std::string tokens = SystemsFixture::textOf(fixture.tokens);
  const StoredSystem words =
      fixture.import("words", tokens, "small/test", TextState::kTokens).system;
  QCOMPARE(words.lines(TextState::kTokens), fixture.tokens);
  QCOMPARE(words.lines(TextState::kRaw), (Lines{"the house.", "a mouse!", "it's old."}));
}

void TestSystemImport::keepsScoresAndLists() {
  SystemsFixture fixture;
  const StoredSystem system = fixture.import("lists", kFiles.at("marian-nbest")).system;
  QCOMPARE(system.nbest(TextState::kRaw),
           (std::vector<Lines>{{"the house", "a house"}, {"a mouse"}, {"old", ""}}));
  const StoredSystem raw = fixture
                               .import("dots",
                                       "0 ||| A b. ||| -1e-05\n0 ||| A, b! ||| -inf\n1 ||| C. ||| "
                                       "-0.1\n2 ||| D\t. ||| -123456.789012345\n")
                               .system;
  QCOMPARE(raw.scores(), (std::vector<double>{-1e-05, -0.1, -123456.789012345}));
  QCOMPARE(raw.nbest(TextState::kRaw), (std::vector<Lines>{{"A b.", "A, b!"}, {"C."}, {"D\t."}}));
  QCOMPARE(raw.nbest(TextState::kTokens)[0], (Lines{"a b .", "a , b !"}));
  // Sockeye gives sentences of the empty string no score.
  const StoredSystem partial =
      fixture
          .import("partial",
                  "{\"sentence_id\": 1, \"translation\": \"a\", \"score\": 0.5}\n"
                  "{\"sentence_id\": 2, \"translation\": \"\"}\n"
                  "{\"sentence_id\": 3, \"translation\": \"c\", \"score\": 0.25}\n")
          .system;
  const auto scores = partial.scores();
  QVERIFY(scores.size() == 3 && scores[0] == 0.5 && std::isnan(scores[1]) && scores[2] == 0.25);
  QVERIFY(!partial.hasNBest && partial.nbest(TextState::kRaw).empty());
}

void TestSystemImport::takesLinesAsTheyAre() {
  SystemsFixture fixture;
  const ImportedSystem crlf = fixture.import("crlf", "a b \r\n\r\n\xe2\x80\xa8 c\x0b");
  QCOMPARE(crlf.system.lines(TextState::kRaw), (Lines{"a b ", "", "\xe2\x80\xa8 c\x0b"}));
  QHOLDS(crlf.warnings.at(0), "removed the carriage return at the end of 2 lines");
  // JSON can hold what would be two lines.
  const ImportedSystem json = fixture.import("json",
                                             "{\"translation\": \"a\\nb\"}\n"
                                             "{\"translation\": \"c\\r\"}\n"
                                             "{\"translation\": \"d\"}\n");
  QCOMPARE(json.system.lines(TextState::kRaw), (Lines{"a b", "c ", "d"}));
  QHOLDS(json.warnings.at(0), "line breaks within 2 translations became spaces");
  put(fixture.folder / "packed", "a\nb\nc\n");
  QCOMPARE(std::system(("gzip " + (fixture.folder / "packed").string()).c_str()), 0);
  const auto packed = importSystem(
      fixture.workspace,
      {.name = "packed", .testSet = "small/test", .file = fixture.folder / "packed.gz"});
  QCOMPARE(packed.system.lines(TextState::kRaw), (Lines{"a", "b", "c"}));
}

void TestSystemImport::refusesWrongCounts() {
  SystemsFixture fixture;
  const std::string reference =
      (fixture.workspace.datasetsFolder() / "small/sets/test/raw.target").string();
  const std::string shorter = errorOf([&] { fixture.import("shorter", "a\nb\n"); });
  QHOLDS(shorter,
         (fixture.folder / "shorter").string() + " has 2 lines and " + reference + " has 3");
  QHOLDS(shorter, "line 3 of " + reference + " has none");
  const std::string longer = errorOf([&] { fixture.import("longer", "a\nb\nc\n\nd\n"); });
  QHOLDS(longer, "has 5 lines and " + reference + " has 3");
  QHOLDS(longer, "line 4 of " + (fixture.folder / "longer").string() + " has none");
  QHOLDS(errorOf([&] { fixture.import("nbest", "0 ||| a ||| -1\n1 ||| b ||| -1\n"); }),
         "has 2 translations and ");
  QVERIFY(contentOf(fixture.workspace.root() / "systems").empty());
}

void TestSystemImport::refusesBadFiles() {
  SystemsFixture fixture;
  QHOLDS(errorOf([&] { fixture.import("latin", "a\nb \xe4\nc\n"); }), "latin: line 2, byte 2");
  QHOLDS(errorOf([&] { fixture.import("empty", ""); }), "empty: is empty");
  QHOLDS(errorOf([&] { fixture.import("nul", std::string("a\nb\0\nc\n", 7)); }), "line 2, byte 1");
  QHOLDS(errorOf([&] { fixture.import("hole", "H-0\t-1\ta\nH-2\t-1\tc\n"); }), "id 1");
  QHOLDS(usageErrorOf([&] { fixture.import("lost", "a\nb\nc\n", "small/tset"); }),
         "no test set 'small/tset'");
  const auto importAs = [&](const std::string& format) {
    importSystem(
        fixture.workspace,
        {.name = "x", .testSet = "small/test", .file = fixture.folder / "lost", .format = format});
  };
  QHOLDS(usageErrorOf([&] { importAs("moses"); }), "unknown format 'moses'");
  QHOLDS(errorOf([&] { importAs("xml"); }), "contains no <seg>");
  QVERIFY(contentOf(fixture.workspace.root() / "systems").empty());
  // Lines that only other programs would end at.
  put(fixture.folder / "fixture", "");
  int refused = 0;
  for (const auto& entry : fs::directory_iterator(referenceFolders("lines").front())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("invalid-utf8.") || !name.ends_with(".txt")) continue;
    const std::string message = errorOf([&] {
      importSystem(fixture.workspace, {.name = "x", .testSet = "small/test", .file = entry.path()});
    });
    QVERIFY2(holds(message, name) && holds(message, "is not valid UTF-8"), message.c_str());
    ++refused;
  }
  QVERIFY(refused > 10);
  QVERIFY(contentOf(fixture.workspace.root() / "systems").empty());
}

void TestSystemImport::refusesNames() {
  SystemsFixture fixture;
  for (const std::string name : {"../x", "/x", "", ".x", "a/b", "a\\b", "a b", "-x"}) {
    put(fixture.folder / "file", "a\nb\nc\n");
    QHOLDS(usageErrorOf([&] {
             importSystem(fixture.workspace,
                          {.name = name, .testSet = "small/test", .file = fixture.folder / "file"});
           }),
           "cannot name a system");
  }
  fixture.output(fixture.run("base"));
  QHOLDS(usageErrorOf([&] { fixture.import("base", "a\nb\nc\n"); }), "the name 'base' is taken by");
  fixture.import("taken", "a\nb\nc\n");
  const auto before = contentOf(fixture.workspace.root() / "systems");
  QHOLDS(usageErrorOf([&] { fixture.import("taken", "d\ne\nf\n"); }),
         "there is already a system 'taken'");
  QHOLDS(usageErrorOf([&] { fixture.import("taken", "d\n", "small/valid"); }), "already");
  QCOMPARE(contentOf(fixture.workspace.root() / "systems"), before);
}

void TestSystemImport::warns() {
  SystemsFixture fixture;
  const ImportedSystem silent = fixture.import("silent", "\n \n\t\n");
  QCOMPARE(silent.warnings.size(), std::size_t{1});
  QHOLDS(silent.warnings[0], "silent: every translation is empty");
  QCOMPARE(silent.system.lines(TextState::kTokens),
           (Lines{"", " ", "\t"}));  // as Moses leaves them
  const ImportedSystem some = fixture.import("some", "a\n\n\n");
  QCOMPARE(some.warnings.size(), std::size_t{1});
  QHOLDS(some.warnings[0], "2 of 3 translations are empty (first line 2)");
  QHOLDS(fixture.import("bpe", "a\nmo@@ use\nc@@ d\n").warnings.at(0),
         "2 translations contain subword marks (first line 2)");
  QHOLDS(fixture
             .import("pieces",
                     "\xe2\x96\x81"
                     "a\nb\nc\n")
             .warnings.at(0),
         "1 translations contain");
  QVERIFY(fixture.import("address", "a @@ b\nme@example.org\n@@\n").warnings.empty());
}

// Of a set of 20 plain sentences; the same file is no reason for words if the set has tokens.
void TestSystemImport::warnsOfTokens() {
  SystemsFixture fixture;
  std::string raw, tokens;
  for (int i = 0; i < 20; ++i) {
    raw += fmt::format("a house {}.\n", i);
    tokens += fmt::format("a house {} .\n", i);
  }
  put(fixture.folder / "raw", raw);
  put(fixture.folder / "tokens", tokens);
  importTestSet(fixture.workspace, {.name = "plain", .references = {fixture.folder / "raw"}});
  importTestSet(
      fixture.workspace,
      {.name = "split", .references = {fixture.folder / "tokens"}, .state = TextState::kTokens});
  const auto warnings = fixture.import("tokenized", tokens, "plain").warnings;
  QCOMPARE(warnings.size(), std::size_t{1});
  QHOLDS(warnings[0], "20 of 20 translations and 0 of their references end in a tokenized period");
  QVERIFY(fixture.import("text", raw, "plain").warnings.empty());
  QVERIFY(fixture.import("words", tokens, "split", TextState::kTokens).warnings.empty());
}

void TestSystemImport::warnsOfOtherTestSets() {
  SystemsFixture fixture;
  std::string other = kFiles.at("fairseq-generate");
  const auto change = [&](const std::string& from, const std::string& to) {
    other.replace(other.find(from), from.size(), to);
  };
  change("das Ha@@ us .", "ein ganz anderer Satz");
  QVERIFY(fixture.import("one", other).warnings.empty());  // one of three may be cleaned otherwise
  change("es ist alt .", "noch ein anderer");
  const auto warnings = fixture.import("two", other).warnings;
  QCOMPARE(warnings.size(), std::size_t{1});
  QHOLDS(warnings[0],
         "two: sources: 2 of 3 sentences differ from those of the test set (first line 1: "
         "'ein ganz anderer Satz' against 'das haus .')");
  change("it 's old .", "something else entirely");
  change("the house .\n", "not these words\n");
  const auto both = fixture.import("three", other).warnings;
  QCOMPARE(both.size(), std::size_t{2});
  QHOLDS(both[1], "three: references: 2 of 3");
}

void TestSystemImport::importsForImportedSets() {
  SystemsFixture fixture;
  put(fixture.folder / "ref", "a b\nc\n");
  const auto add = [&](const std::string& name, TextState state) {
    NewTestSet set{.name = name, .references = {fixture.folder / "ref"}};
    set.state = state;
    importTestSet(fixture.workspace, set);
  };
  add("raw", TextState::kRaw);
  add("tok", TextState::kTokens);
  const StoredSystem system = fixture.import("x", "A.\nB\n", "raw").system;
  QVERIFY(system.has(TextState::kRaw) && !system.has(TextState::kTokens));
  QHOLDS(usageErrorOf([&] { (void)system.lines(TextState::kTokens); }), "x has no tokens");
  QVERIFY(system.nbest(TextState::kTokens).empty());
  QHOLDS(usageErrorOf([&] { fixture.import("y", "a\nb\n", "tok"); }),
         "was imported as tokens: give the system's output as tokens too");
  const StoredSystem words = fixture.import("y", "a\nb\n", "tok", TextState::kTokens).system;
  QVERIFY(words.has(TextState::kTokens) && !words.has(TextState::kRaw));
  QHOLDS(errorOf([&] { fixture.import("z", "a\n", "tok", TextState::kTokens); }), "tokens.target");
  // A set of another length under the same name is not the one that was translated.
  fs::remove_all(fixture.workspace.root() / "testsets/raw");
  put(fixture.folder / "ref", "a b\nc\nd\n");
  add("raw", TextState::kRaw);
  const StoredSystems all = listSystems(fixture.workspace);
  QCOMPARE(namesOf(all), Lines{"y"});
  QHOLDS(all.problems.at(0), "has 2 sentences, but the test set raw has 3");
}

void TestSystemImport::noticesDamage() {
  SystemsFixture fixture;
  const StoredSystem system = fixture.import("lists", kFiles.at("marian-nbest")).system;
  const auto before = contentOf(system.folder);
  QCOMPARE(before.size(), std::size_t{6});
  for (const auto& [file, content] : before) {
    put(file, "");
    const StoredSystems all = listSystems(fixture.workspace);
    QVERIFY(all.systems.empty() && all.problems.size() == 1);
    QHOLDS(all.problems[0], fs::path(file).filename().string());
    put(file, content);
  }
  const auto readAll = [&] {
    return errorOf([&] {
      for (const TextState state : {TextState::kRaw, TextState::kTokens}) {
        (void)system.lines(state);
        (void)system.nbest(state);
      }
      (void)system.scores();
    });
  };
  QCOMPARE(readAll(), std::string());
  for (const auto& [file, content] : before) {
    if (file.ends_with(".json")) continue;
    std::string changed = content;
    changed[changed.size() / 2] ^= 1;
    put(file, changed);
    QHOLDS(readAll(), file + ": its content has changed");
    put(file, content);
  }
  // A manifest that leads out of its folder, and one of a later program.
  const fs::path manifest = system.folder / "system.json";
  const auto problemOf = [&](const std::string& from, const std::string& to) {
    std::string text = before.at(manifest.string());
    text.replace(text.find(from), from.size(), to);
    put(manifest, text);
    return listSystems(fixture.workspace).problems.at(0);
  };
  QHOLDS(problemOf("output.scores", "../output.scores"), "only paths inside it are accepted");
  QHOLDS(problemOf("\"format_version\": 1", "\"format_version\": 2"), "has format 2");
  fs::create_directories(fixture.workspace.root() / "systems/bare");
  QCOMPARE(listSystems(fixture.workspace).problems.size(), std::size_t{2});
}

// The folder gets its name only when it is complete, and the remains of a killed process are
// removed by the next import.
void TestSystemImport::survivesBeingKilled() {
  SystemsFixture fixture;
  const fs::path folder = fixture.workspace.root() / "systems";
  const fs::path left = folder / ".preparing-half-1-0", grows = folder / ".preparing-other-1-0";
  put(left / "output.txt", "a\n");
  put(grows / "output.txt", "a\n");
  const OpenFile held(grows.string() + ".lock", O_CREAT | O_RDWR);
  QVERIFY(held.lock(LOCK_EX | LOCK_NB));  // its process lives, wherever
  const StoredSystems all = listSystems(fixture.workspace);
  QVERIFY(all.systems.empty() && all.problems.empty());
  fixture.import("half", "a\nb\nc\n");
  QVERIFY(!fs::exists(left) && !fs::exists(left.string() + ".lock"));
  QVERIFY(fs::exists(grows / "output.txt"));
  QCOMPARE(namesOf(listSystems(fixture.workspace)), Lines{"half"});
}

// The second importer gets an error, and the first one's files are complete.
void TestSystemImport::importsOneOfSeveralAtOnce() {
  SystemsFixture fixture;
  std::atomic<int> stored{0}, refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    const fs::path file = fixture.folder / fmt::format("file-{}", t);
    put(file, fmt::format("{0}\n{0}\n{0}\n", t));
    threads.emplace_back([&, file] {
      Workspace workspace(fixture.workspace.root(), {.networkFileSystem = false});
      const std::string message = errorOf([&] {
        importSystem(workspace, {.name = "same", .testSet = "small/test", .file = file});
      });
      ++(message.empty() ? stored : refused);
    });
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(stored.load(), 1);
  QCOMPARE(refused.load(), 3);
  const Lines lines = findSystem(listSystems(fixture.workspace), "same").lines(TextState::kTokens);
  QVERIFY(lines.size() == 3 && lines[0] == lines[1] && lines[1] == lines[2]);
}

void TestSystemImport::movesToTheTrash() {
  SystemsFixture fixture;
  fixture.output(fixture.run("base"));
  for (const std::string place : {"trash/systems-old", "trash/systems-old-2"}) {
    fixture.import("old", place + "\nb\nc\n");
    trashSystem(fixture.workspace, findSystem(listSystems(fixture.workspace), "old"));
    QHOLDS(readFile(fixture.workspace.root() / place / "output.txt"), place);
  }
  QHOLDS(readFile(fixture.workspace.root() / "trash/systems-old/output.txt"), "systems-old\n");
  const StoredSystems all = listSystems(fixture.workspace);
  QCOMPARE(namesOf(all), Lines{"base"});
  QHOLDS(usageErrorOf([&] { trashSystem(fixture.workspace, all.systems[0]); }),
         "is an output of the run 1");
  QCOMPARE(listRuns(fixture.workspace, {.trashed = true}).size(), std::size_t{1});
}

STRATA_GUILESS_TEST(TestSystemImport)
#include "test_system_import.moc"
