// What every family must do, with the trainer and the search as they are: learn to copy and to
// reverse strings it has not seen within so many updates, and go on from a checkpoint as if nothing
// had happened.
#include <algorithm>
#include <set>

#include "core/decode/beam_search.h"
#include "core/train/checkpoint.h"
#include "core/train/device.h"
#include "models/catalogue.h"
#include "tests/program.h"
#include "train/training_fixture.h"

namespace strata {
namespace {

using testing::Bench;
using testing::kVocabulary;
using testing::quietSpec;
using testing::sameParameters;

constexpr std::uint64_t kLetters = 12;
constexpr std::int64_t kPairs = 4000, kUnseen = 200;
constexpr std::int64_t kBetweenTrials = 200;  // updates

using Words = std::vector<TokenId>;

Words someWords(RandomStream& random, std::uint64_t longest) {
  Words words(3 + random.below(longest - 2));
  for (auto& id : words) id = static_cast<TokenId>(kFirstWordId + random.below(kLetters));
  return words;
}

Words answer(const Words& words, bool reverse) {
  return reverse ? Words(words.rbegin(), words.rend()) : words;
}

// Training pairs, and strings that are none of their sources.
struct Task {
  bool reverse;
  std::shared_ptr<Corpus> train;
  std::vector<Words> unseen;
};
Task makeTask(const fs::path& path, bool reverse, std::uint64_t longest) {
  CorpusWriter writer(path, kVocabulary, kVocabulary);
  RandomStream random(1);
  std::set<Words> seen;
  for (std::int64_t i = 0; i < kPairs; ++i) {
    const Words words = someWords(random, longest);
    writer.add(words, answer(words, reverse));
    seen.insert(words);
  }
  writer.finish();
  Task task{reverse, std::make_shared<Corpus>(path), {}};
  while (std::ssize(task.unseen) < kUnseen) {
    const Words words = someWords(random, longest);
    if (!seen.contains(words)) task.unseen.push_back(words);
  }
  return task;
}

// The share of unseen strings whose greedy translation is right to the last word.
double shareRight(TranslationModel& model, const Task& task) {
  BeamInput input;
  for (const Words& words : task.unseen) {
    input.sources.push_back(words);
    input.sources.back().push_back(kEndId);
  }
  BeamOptions options;
  options.beam = 1;
  const auto found = beamSearch(model, input, options);
  int right = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Words expected = answer(task.unseen[i], task.reverse);
    expected.push_back(kEndId);
    right += found[i].front().tokens == expected ? 1 : 0;
  }
  return right / static_cast<double>(kUnseen);
}

struct Family {
  const char* name;
  const char* keys;
  const char* init;
  double rate;
  std::int64_t updates;       // at most
  std::uint64_t longest = 6;  // letters of a string
};
constexpr Family kFamilies[] = {
    {"transformer",
     R"({"family": "transformer", "embed_dim": 32, "ffn_dim": 64, "heads": 4, "encoder_layers": 2,
         "decoder_layers": 2, "decoder_fusion": {"type": "sa", "hops": 2}, "fusion_attn_dim": 16,
         "fusion_ffn_dim": 32})",
     "default", 3e-3, 1200},
    {"densenmt",
     R"({"family": "densenmt", "embed_dim": 32, "hidden": 32, "growth": 16, "encoder_layers": 3,
         "decoder_layers": 3, "summary_every": 3})",
     "default", 5e-3, 900},
    {"deepatt",
     R"({"family": "deepatt", "embed_dim": 16, "hidden": 48, "encoder_layers": 2,
         "decoder_layers": 2})",
     "default", 5e-3, 1200},
    {"deepatt ed",
     R"({"family": "deepatt", "embed_dim": 16, "hidden": 128, "encoder_layers": 1,
         "decoder_layers": 1, "interface": "max"})",
     "default", 4e-3, 2400, 4},  // one vector holds the whole string
    {"dhea",
     R"({"family": "dhea", "hidden": 32, "encoder_layers": 2, "decoder_layers": 2,
         "residual": true, "layer_norm": true})",
     "xavier", 4e-3, 2000},
};

std::shared_ptr<TranslationModel> make(const Family& family) {
  Json config{{"format", 1}, {"src_vocab", kVocabulary}, {"tgt_vocab", kVocabulary}};
  config.update(parseJson(family.keys, family.name));
  auto model = createModel(config);
  model->initialise(family.init, 1);
  return model;
}

void addFamilies() {
  QTest::addColumn<int>("family");
  QTest::addColumn<bool>("reverse");
  for (std::size_t i = 0; i < std::size(kFamilies); ++i) {
    for (const bool reverse : {false, true})
      QTest::addRow("%s %s", kFamilies[i].name, reverse ? "reverse" : "copy")
          << static_cast<int>(i) << reverse;
  }
}

}  // namespace

class TestFamilies : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    setThreads(1);  // tiny tensors: a second thread costs more than it brings
    registerModels();
  }
  void learnsStringsItHasNotSeen_data() { addFamilies(); }
  void learnsStringsItHasNotSeen();
  void resumesBitForBit_data();
  void resumesBitForBit();
};

void TestFamilies::learnsStringsItHasNotSeen() {
  QFETCH(int, family);
  QFETCH(bool, reverse);
  const Family& chosen = kFamilies[family];
  Bench bench;
  const Task task = makeTask(bench.folder / "strings.corpus", reverse, chosen.longest);
  bench.train = task.train;
  const auto model = make(chosen);
  auto spec = quietSpec();
  spec.training.dropout = 0;
  spec.training.clipNorm = 1;
  spec.training.logEvery = 100;
  auto& phase = spec.training.phases.front();
  phase.batch.size = 64;
  phase.optimizer.lr = chosen.rate;
  phase.schedule = {.kind = ScheduleSpec::Kind::kInverseSqrt, .warmup = 100};
#ifdef __SANITIZE_ADDRESS__
  constexpr double kWanted = 0.95;  // other rounding: 0.975 for one of the rows
#else
  constexpr double kWanted = 0.99;
#endif
  const fs::path run = bench.folder / "run";
  double right = 0;
  int inARow = 0;  // trials: what is right once may be so by chance
  for (std::int64_t done = 0; inARow < 2 && done < chosen.updates;) {
    const bool begun = done > 0;
    done = std::min(done + kBetweenTrials, chosen.updates);
    spec.training.maxUpdates = done;
    Trainer trainer(spec, bench.parts(model, run));
    if (begun) trainer.resume(findCheckpoint(run, "last", "valid/nll").folder);
    trainer.run();
    right = shareRight(*model, task);
    inARow = right >= kWanted ? inARow + 1 : 0;
  }
  QVERIFY2(right >= kWanted, qPrintable(QString::number(right)));
}

void TestFamilies::resumesBitForBit_data() {
  QTest::addColumn<int>("family");
  for (std::size_t i = 0; i < std::size(kFamilies); ++i)
    QTest::newRow(kFamilies[i].name) << static_cast<int>(i);
}

void TestFamilies::resumesBitForBit() {
  QFETCH(int, family);
  Bench bench;
  auto spec = quietSpec();
  spec.training.dropout = 0.3;
  spec.training.clipNorm = 1;
  spec.validation.everyUpdates = 6;
  const auto train = [&](const std::string& run, std::int64_t updates, bool resume) {
    const auto model = make(kFamilies[family]);
    spec.training.maxUpdates = updates;
    Trainer trainer(spec, bench.parts(model, bench.folder / run));
    if (resume) trainer.resume(findCheckpoint(bench.folder / run, "last", "valid/nll").folder);
    trainer.run();
    return model;
  };
  const auto whole = train("whole", 20, false);
  train("halves", 10, false);
  QVERIFY(sameParameters(*whole, *train("halves", 20, true)));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestFamilies)
#include "test_families.moc"
