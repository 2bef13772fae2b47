// Damaged or foreign files in a dataset: either they are rejected by name, or their content is
// unaffected.
#include <sys/stat.h>
#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cstring>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/data/corpus.h"
#include "core/data/generator/dataset.h"
#include "core/data/prepare.h"
#include "core/text/pipeline.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

constexpr int kFlips = 160;
constexpr const char* kNote = ".verified.json";

void addCorpus(const fs::path& path, Digest& digest) {
  const Corpus corpus(path);
  for (std::int64_t pair = 0; pair < corpus.pairs(); ++pair) {
    for (const CorpusSide side : {CorpusSide::kSource, CorpusSide::kTarget}) {
      const auto ids = corpus.ids(side, pair).toVector();
      digest.add({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(TokenId)});
      digest.add("\n");
    }
  }
}

// The digest of everything that training and scoring read from a dataset.
std::string whatIsRead(const fs::path& folder) {
  const Dataset dataset(folder);
  dataset.requireIntact();
  Digest digest;
  digest.add(dataset.manifest().dump());
  addCorpus(dataset.trainCorpus(), digest);
  for (const EvaluationSet& set : dataset.sets()) {
    addCorpus(set.corpus, digest);
    for (const fs::path& file : {set.tokensSource(), set.rawSource()}) digest.add(readFile(file));
    for (std::int64_t r = 0; r < set.references; ++r) {
      digest.add(readFile(set.tokensReference(r)));
      digest.add(readFile(set.rawReference(r)));
    }
  }
  TextPipeline text = TextPipeline::load(dataset.textFolder());
  digest.add(text.description().dump());
  for (const Side side : {Side::kSource, Side::kTarget})
    digest.add(text.vocabulary(side).toText() + text.tokens(side, "Der Hund sieht den Mann ."));
  return digest.hex();
}

std::vector<fs::path> filesOf(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path generated(const fs::path& datasets) {
  return generator::generateDataset(datasets, "generated", {.size = 400}, true).dataset.folder();
}

// With truecasers, codes, BPE vocabularies and two references.
fs::path prepared(const TemporaryFolder& folder) {
  RandomStream random(5);
  const auto write = [&](const std::string& name, int lines) {
    for (const char* language : {"de", "en"}) {
      std::string text;
      for (int i = 0; i < lines; ++i) {
        for (std::uint64_t words = 3 + random.below(5); words > 0; --words) {
          const auto letter = static_cast<char>('a' + random.below(20));
          text += fmt::format("{}{}", letter, letter) + (random.below(4) == 0 ? "Xy " : "zu ");
        }
        text += ".\n";
      }
      put(folder / (name + "." + language), text);
    }
  };
  write("train", 300);
  write("test", 20);
  const auto input = [&](const std::string& file) {
    return TextInput{.location = (folder / file).string()};
  };
  PrepareOptions options;
  options.name = "prepared";
  options.sourceLanguage = "de";
  options.targetLanguage = "en";
  options.train = {{input("train.de"), {input("train.en")}}};
  options.sets = {{"test", true, {{input("test.de"), {input("test.en"), input("test.en")}}}}};
  options.validSample = 30;
  options.tokenizer = "moses";
  options.truecase = true;
  options.bpeMerges = 40;
  options.bpeThreshold = 2;
  return prepareDataset(folder / "datasets", options).dataset.folder();
}

// Offsets of the header fields of the mapped format that a test changes.
constexpr std::size_t kVocabularySizes = 40, kChecksum = 120, kIds = 128;

// A corpus whose header gives these vocabulary sizes; everything else is valid.
void claimWords(const fs::path& path, std::uint64_t source, std::uint64_t target) {
  std::string bytes = readFile(path);
  std::memcpy(bytes.data() + kVocabularySizes, &source, sizeof source);
  std::memcpy(bytes.data() + kVocabularySizes + 8, &target, sizeof target);
  const std::uint64_t checksum = checksum64(std::string_view(bytes).substr(0, kChecksum));
  std::memcpy(bytes.data() + kChecksum, &checksum, sizeof checksum);
  put(path, bytes);
}

}  // namespace

class TestDamage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void noFlipIsSilent_data();
  void noFlipIsSilent();
  void idsAreThoseOfTheSide_data();
  void idsAreThoseOfTheSide();
  void specialIdsAndPlacesAreRefused();
  void filesAreComparedOnceUntilTheyChange();
  void aDamagedDatasetIsPreparedAgain();
  void manifestsOfOlderVersionsAreRead();
};

void TestDamage::noFlipIsSilent_data() {
  QTest::addColumn<bool>("isGenerated");
  QTest::newRow("generated") << true;
  QTest::newRow("prepared, truecased, two references") << false;
}

// Seeded flips of one bit over all files of a dataset. A refusal names the file. Only the manifest,
// whose digest is of what it says, and the note may be read in spite of one, and say what they
// said.
void TestDamage::noFlipIsSilent() {
  QFETCH(bool, isGenerated);
  const TemporaryFolder folder;
  const fs::path dataset = isGenerated ? generated(folder / "datasets") : prepared(folder);
  const std::string sound = whatIsRead(dataset);
  put(dataset / kNote, readFile(dataset / "manifest.yaml"));  // no note: it counts as none
  std::vector<fs::path> files = filesOf(dataset);
  RandomStream random(3);
  int refused = 0;
  std::vector<std::string> wrong;
  for (int flip = 0; flip < kFlips; ++flip) {
    // Every file in turn, so that small ones are covered.
    const fs::path& file = files[static_cast<std::size_t>(flip) % files.size()];
    const std::string bytes = readFile(file);
    if (bytes.empty()) continue;
    std::string flipped = bytes;
    const auto at = static_cast<std::size_t>(random.below(bytes.size()));
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random.below(8)));
    put(file, flipped);
    const std::string where = fmt::format("{}, byte {}", file.string(), at);
    std::string found;
    const std::string error = errorOf([&] { found = whatIsRead(dataset); });
    const bool isDigested = file.filename() != "manifest.yaml" && file.filename() != kNote;
    if (!error.empty()) {
      ++refused;
      if (!holds(error, file.filename().string())) wrong.push_back(where + " is called: " + error);
    } else if (found != sound || isDigested) {
      wrong.push_back(where + (found != sound ? " changes what is read" : " is passed over"));
    }
    put(file, bytes);
  }
  for (const std::string& flip : wrong) qInfo("%s", flip.c_str());
  qInfo("of %d flips over %zu files %d are refused", kFlips, files.size(), refused);
  QCOMPARE(wrong.size(), std::size_t{0});
  QVERIFY(refused > kFlips * 8 / 10);
  QCOMPARE(whatIsRead(dataset), sound);
}

void TestDamage::idsAreThoseOfTheSide_data() {
  QTest::addColumn<int>("source");
  QTest::addColumn<int>("target");
  QTest::addColumn<int>("most");  // ids of both sides are below this
  for (const int most : {60, 70000}) {
    for (const auto& [source, target] : {std::pair{0, 0}, {-1, 0}, {0, -1}, {-1, -1}, {-9, -2}}) {
      QTest::addRow("%d and %d words, ids to %d", most + source, most + target, most - 1)
          << most + source << most + target << most;
    }
  }
}

// Against a loop over all ids, on corpora of 0 to 39 pairs.
void TestDamage::idsAreThoseOfTheSide() {
  QFETCH(int, source);
  QFETCH(int, target);
  QFETCH(int, most);
  const TemporaryFolder folder;
  int refused = 0;
  for (int pairs = 0; pairs < 40; ++pairs) {
    RandomStream random(static_cast<std::uint64_t>(pairs + 1));
    CorpusWriter writer(folder / "c", most, most);
    bool fits = true;
    for (int pair = 0; pair < pairs; ++pair) {
      std::vector<TokenId> sides[2];
      for (int side = 0; side < 2; ++side) {
        for (std::uint64_t words = random.below(40); words > 0; --words) {
          // Mostly small ids, so that some corpora are valid.
          const bool large = random.below(200) == 0;
          const auto id = static_cast<TokenId>(large ? most - 1 - static_cast<int>(random.below(4))
                                                     : 3 + static_cast<int>(random.below(20)));
          fits = fits && id < (side == 0 ? source : target);
          sides[side].push_back(id);
        }
      }
      writer.add(sides[0], sides[1]);
    }
    writer.finish();
    claimWords(folder / "c", static_cast<std::uint64_t>(source),
               static_cast<std::uint64_t>(target));
    const std::string error = errorOf([&] { Corpus corpus(folder / "c"); });
    QVERIFY2(error.empty() == fits, error.c_str());
    if (error.empty()) continue;
    QHOLDS(error, "words have ids from 3");
    QHOLDS(error, (folder / "c").string());
    ++refused;
  }
  QCOMPARE(refused > 0, source < most || target < most);
}

void TestDamage::specialIdsAndPlacesAreRefused() {
  const TemporaryFolder folder;
  const fs::path path = folder / "c";
  {
    CorpusWriter writer(path, 10, 10);
    for (const TokenId special : {0, 1, 2})
      QHOLDS(errorOf([&] { writer.add(std::vector<TokenId>{special}, {}); }), "ids from 3");
  }
  CorpusWriter writer(path, 10, 10);
  writer.add(std::vector<TokenId>{4, 5, 3}, std::vector<TokenId>{6});
  writer.add({}, std::vector<TokenId>{9, 4});
  writer.finish();
  const std::string bytes = readFile(path);
  QCOMPARE(Corpus(path).length(CorpusSide::kTarget, 1), std::int64_t{2});
  const auto with = [&](std::size_t at, char value) {
    std::string changed = bytes;
    changed[at] = value;
    put(path, changed);
    return errorOf([&] { Corpus corpus(path); });
  };
  QHOLDS(with(kIds + 2, 1), "pair 0 has the source id 1");
  QHOLDS(with(kIds + 6, 2), "pair 0 has the target id 2");
  QHOLDS(with(kIds + 8, 10), "pair 1 has the target id 10");
  const std::size_t offsets = kIds + 16;  // 6 ids of 2 bytes and padding: 0, 3, 4, 4, 6
  QHOLDS(with(offsets, 1), "does not begin at its first id");
  QHOLDS(with(offsets + 8, 5), "the place of pair 0");
  QHOLDS(with(offsets + 8, 2), "total length of its sentences");
  QHOLDS(with(offsets + 32, 7), "the place of pair 1");
}

// A note that fits a damaged file shows that nobody read it; any other change of the file does away
// with the note.
void TestDamage::filesAreComparedOnceUntilTheyChange() {
  const TemporaryFolder folder;
  const Dataset dataset(generated(folder / "datasets"));
  const fs::path note = dataset.folder() / kNote, file = dataset.set("test").tokensReference();
  // Of a file that has just changed nothing is noted: its times cannot tell the next change yet. A
  // computer that takes a second for this is given another chance.
  for (int attempt = 0; attempt < 20; ++attempt) {
    QElapsedTimer timer;
    timer.start();
    put(file, readFile(file));
    dataset.requireIntact();
    const bool isNoted = fs::exists(note) && holds(readFile(note), "sets/test/tokens.target");
    if (timer.elapsed() > 1000) continue;
    QVERIFY(!isNoted);
    break;
  }
  QTest::qSleep(2100);
  dataset.requireIntact();
  Json noted = parseJson(readFile(note), "note");
  QCOMPARE(noted["files"].size(), dataset.manifest()["files"].size());
  const auto before = fs::last_write_time(note);
  dataset.requireIntact();
  QVERIFY(fs::last_write_time(note) == before);

  // Damage of one bit, with size and modification time unchanged.
  std::string bytes = readFile(file);
  bytes[10] = static_cast<char>(bytes[10] ^ 1);
  const auto written = fs::last_write_time(file);
  put(file, bytes);
  fs::last_write_time(file, written);
  QHOLDS(errorOf([&] { dataset.requireIntact(); }), "tokens.target: is damaged");
  QHOLDS(errorOf([&] { dataset.requireIntact(dataset.set("test")); }), "tokens.target: is damaged");
  dataset.requireIntact(dataset.set("valid"));
  dataset.requireIntact(noProgress(), "text");

  // Nobody reads it again when the note has its new times, unless asked to.
  struct stat info {};
  QCOMPARE(::stat(file.c_str(), &info), 0);
  Json& entry = noted["files"]["sets/test/tokens.target"];
  entry["mtime_ns"] = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  entry["ctime_ns"] = std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec;
  put(note, noted.dump());
  QCOMPARE(errorOf([&] { dataset.requireIntact(); }), std::string());
  QHOLDS(errorOf([&] { dataset.verify(); }), "tokens.target: is damaged");
  put(note, "{");
  QHOLDS(errorOf([&] { dataset.requireIntact(); }), "tokens.target: is damaged");
}

void TestDamage::aDamagedDatasetIsPreparedAgain() {
  const TemporaryFolder folder;
  const fs::path dataset = generated(folder / "datasets");
  const std::string digest = Dataset(dataset).digest();
  std::string bytes = readFile(dataset / "train.corpus");
  bytes[200] = static_cast<char>(bytes[200] ^ 4);
  put(dataset / "train.corpus", bytes);
  QVERIFY(generated(folder / "datasets") == dataset);
  const Dataset again = Dataset::open(folder / "datasets", "generated");
  again.requireIntact();
  QCOMPARE(again.digest(), digest);
  QVERIFY(fs::exists(folder / "datasets" / "generated@1" / "train.corpus"));
  // An intact one stays.
  generated(folder / "datasets");
  QCOMPARE(Dataset::open(folder / "datasets", "generated").version(), again.version());
}

void TestDamage::manifestsOfOlderVersionsAreRead() {
  const TemporaryFolder folder;
  const fs::path path = generated(folder / "datasets") / "manifest.yaml";
  Json manifest = parseYaml(readFile(path), "manifest").value;
  manifest["format_version"] = 1;
  manifest.erase("manifest_digest");
  put(path, toYaml(manifest));
  const Dataset older(path.parent_path());
  older.requireIntact();
  QCOMPARE(older.sets().size(), std::size_t{2});
  // A newer one without its digest is damaged.
  manifest["format_version"] = 2;
  put(path, toYaml(manifest));
  QHOLDS(errorOf([&] { Dataset dataset(path.parent_path()); }), "manifest_digest");
  manifest["format_version"] = 3;
  put(path, toYaml(manifest));
  QHOLDS(errorOf([&] { Dataset dataset(path.parent_path()); }), "has format 3");
}

STRATA_GUILESS_TEST(TestDamage)
#include "test_damage.moc"
