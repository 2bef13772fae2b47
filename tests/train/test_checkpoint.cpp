#include "train/training_fixture.h"

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/safetensors.h"
#include "core/train/average.h"
#include "core/train/checkpoint.h"
#include "tests/program.h"

namespace strata {

using testing::sameParameters;
using testing::tinyModel;

namespace {

struct Saved {
  TemporaryFolder run;
  std::shared_ptr<testing::TinyModel> model = tinyModel();
  Optimizer optimizer{model->parameterBuffer(), {}};

  CheckpointInfo write(std::int64_t step, std::map<std::string, double> scores = {}) {
    TrainingState state;
    state.step = step;
    state.tokens = 10 * step;
    state.scores = std::move(scores);
    state.scoresStep = step;
    return writeCheckpoint(run.path(), {.model = *model, .optimizer = optimizer, .state = state});
  }
};

QString messageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

class TestCheckpoint : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everythingComesBack();
  void damageIsNamedAndThePreviousOffered_data();
  void damageIsNamedAndThePreviousOffered();
  void aManifestOfAnyOtherShapeIsDamage_data();
  void aManifestOfAnyOtherShapeIsDamage();
  void aTrainingStateOfAnotherShapeIsAnError();
  void halfWrittenOnesAreInvisible();
  void sameStepIsReplaced();
  void selectors();
  void retentionKeepsBestLastAndPinned();
  void ofEqualOnesTheLaterIsBest();
  void modelFilesAreTheModelAlone();
  void foreignParametersAreRefused();
  void averageIsTheMean();
};

void TestCheckpoint::everythingComesBack() {
  Saved saved;
  for (auto& parameter : saved.model->parameters())
    parameter.mutable_grad() = torch::ones_like(parameter);
  saved.optimizer.step({0.1});
  torch::manual_seed(4);
  const auto info = saved.write(12, {{"valid/nll", 2.5}});
  QCOMPARE(info.folder.filename().string(), std::string("step-00000012"));
  const auto expected = torch::rand({5});

  const auto other = tinyModel(7);
  Optimizer optimizer(other->parameterBuffer(), {});
  const TrainingState state = readCheckpoint(info.folder, *other, optimizer);
  QCOMPARE(state.step, 12);
  QCOMPARE(state.tokens, 120);
  QCOMPARE(state.scores.at("valid/nll"), 2.5);
  QVERIFY(sameParameters(*saved.model, *other));
  for (const auto& [name, tensor] : saved.optimizer.save())
    QVERIFY(torch::equal(tensor, optimizer.save().at(name)));
  QVERIFY(torch::equal(torch::rand({5}), expected));  // the generator continues where it was
}

void TestCheckpoint::damageIsNamedAndThePreviousOffered_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("harm");
  for (const char* file :
       {"config.json", "model.safetensors", "training.safetensors", "manifest.json"}) {
    for (const char* harm : {"flip", "truncate", "remove"})
      QTest::addRow("%s %s", harm, file) << file << harm;
  }
}

void TestCheckpoint::damageIsNamedAndThePreviousOffered() {
  QFETCH(QString, file);
  QFETCH(QString, harm);
  Saved saved;
  saved.write(10);
  const auto info = saved.write(20);
  const fs::path path = info.folder / file.toStdString();
  std::string bytes = readFile(path);
  if (harm == "flip") bytes[bytes.size() / 2] ^= 1;
  if (harm == "truncate") bytes.resize(bytes.size() / 2);
  fs::remove(path);
  if (harm != "remove") writeFileAtomic(path, bytes);

  const QString message =
      messageOf([&] { readCheckpoint(info.folder, *saved.model, saved.optimizer); });
  QVERIFY2(message.contains(file), qPrintable(message));
  QVERIFY2(message.contains("step-00000010"), qPrintable(message));
  QCOMPARE(lastGoodCheckpoint(saved.run.path()).step, 10);
}

// Manifests that agree with their own digest, with one value replaced.
void TestCheckpoint::aManifestOfAnyOtherShapeIsDamage_data() {
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("value");
  for (const char* place :
       {"/format", "/scores", "/scores/valid~1nll", "/files", "/files/config.json",
        "/files/model.safetensors/bytes", "/files/training.safetensors/xxh3_128"}) {
    for (const char* value : {"null", "[]", "[1]", "{\"a\": [[]]}"})
      QTest::addRow("%s %s", place, value) << place << value;
  }
  QTest::addRow("a file of no content") << "/files/config.json"
                                        << "{}";
  QTest::addRow("no files") << "/files"
                            << "{}";
  QTest::addRow("a size in words") << "/files/config.json/bytes"
                                   << "\"many\"";
  QTest::addRow("digest") << "/digest"
                          << "7";
  QTest::addRow("whole: list") << ""
                               << "[]";
  QTest::addRow("whole: null") << ""
                               << "null";
  QTest::addRow("deep") << "" << QString(100'000, '[');
}

void TestCheckpoint::aManifestOfAnyOtherShapeIsDamage() {
  QFETCH(QString, place);
  QFETCH(QString, value);
  Saved saved;
  saved.write(10, {{"valid/nll", 3}});
  const auto info = saved.write(20, {{"valid/nll", 2}});
  const fs::path path = info.folder / "manifest.json";
  std::string text = value.toStdString();
  if (!place.isEmpty()) {
    Json manifest = parseJson(readFile(path), "manifest");
    manifest[Json::json_pointer(place.toStdString())] = parseJson(text, "value");
    if (place != "/digest") {
      manifest.erase("digest");
      manifest["digest"] = digestOf(manifest.dump());
    }
    text = manifest.dump();
  }
  writeFileAtomic(path, text);

  const auto all = listCheckpoints(saved.run.path());
  QCOMPARE(all.size(), std::size_t{2});
  QVERIFY2(QString::fromStdString(all.back().damage).contains("manifest.json"),
           all.back().damage.c_str());
  QVERIFY(!damageOf(info.folder).empty());
  QCOMPARE(lastGoodCheckpoint(saved.run.path()).step, 10);
  const QString message = messageOf([&] { findCheckpoint(saved.run.path(), "last", "valid/nll"); });
  QVERIFY2(message.contains("step-00000010"), qPrintable(message));
}

// A state that agrees with its digests but has keys of other types, as of another program version.
void TestCheckpoint::aTrainingStateOfAnotherShapeIsAnError() {
  Saved saved;
  const auto info = saved.write(10);
  const fs::path training = info.folder / "training.safetensors";
  {
    const SafetensorsFile file(training);
    const auto tensors = file.tensors();
    writeSafetensors(training, tensors, {{"state", R"({"step": "ten"})"}});
  }
  Json manifest = parseJson(readFile(info.folder / "manifest.json"), "manifest");
  manifest.erase("digest");
  manifest["files"]["training.safetensors"] = {{"bytes", fs::file_size(training)},
                                               {"xxh3_128", digestOfFile(training)}};
  manifest["digest"] = digestOf(manifest.dump());
  writeFileAtomic(info.folder / "manifest.json", manifest.dump());
  const QString message = messageOf([&] { readTrainingState(info.folder); });
  QVERIFY2(message.contains("training.safetensors"), qPrintable(message));
}

void TestCheckpoint::halfWrittenOnesAreInvisible() {
  Saved saved;
  saved.write(10);
  fs::create_directories(saved.run / "checkpoints/.step-00000020.new");
  writeFileAtomic(saved.run / "checkpoints/.step-00000020.new/config.json", "{}");
  QCOMPARE(listCheckpoints(saved.run.path()).size(), std::size_t{1});
  saved.write(20);
  QCOMPARE(listCheckpoints(saved.run.path()).back().step, 20);
  QVERIFY(!fs::exists(saved.run / "checkpoints/.step-00000020.new"));
}

void TestCheckpoint::sameStepIsReplaced() {
  Saved saved;
  saved.write(10);
  saved.write(10, {{"valid/nll", 1.0}});
  const auto all = listCheckpoints(saved.run.path());
  QCOMPARE(all.size(), std::size_t{1});
  QCOMPARE(all.front().scores.at("valid/nll"), 1.0);
  QCOMPARE(damageOf(all.front().folder), std::string());
}

void TestCheckpoint::selectors() {
  Saved saved;
  saved.write(10, {{"valid/nll", 2.0}, {"valid/multi-bleu", 10.0}});
  saved.write(20, {{"valid/nll", 1.0}, {"valid/multi-bleu", 30.0}});
  saved.write(30, {{"valid/nll", 1.5}, {"valid/multi-bleu", 20.0}});
  const auto& run = saved.run.path();
  QCOMPARE(findCheckpoint(run, "last", "valid/nll").step, 30);
  QCOMPARE(findCheckpoint(run, "best", "valid/nll").step, 20);
  QCOMPARE(findCheckpoint(run, "best", "valid/multi-bleu").step, 20);
  QCOMPARE(findCheckpoint(run, "10", "valid/nll").step, 10);
  QVERIFY(messageOf([&] { findCheckpoint(run, "11", "valid/nll"); }).contains("its newest is 30"));
  QVERIFY(messageOf([&] { findCheckpoint(run, "best", "valid/ter"); }).contains("@last"));
}

void TestCheckpoint::retentionKeepsBestLastAndPinned() {
  Saved saved;
  const double nll[] = {3.0, 1.0, 2.0, 4.0, 5.0, 6.0};
  for (int i = 0; i < 6; ++i) saved.write(10 * (i + 1), {{"valid/nll", nll[i]}});
  writeFileAtomic(saved.run / "checkpoints/step-00000010/pinned", "");
  const Retention retention{.keepLast = 2, .keepBest = 1, .metric = "valid/nll"};
  QVERIFY(wouldBeBest(saved.run.path(), {{"valid/nll", 0.5}}, retention));
  QVERIFY(wouldBeBest(saved.run.path(), {{"valid/nll", 1.0}}, retention));  // as good, and later
  QVERIFY(!wouldBeBest(saved.run.path(), {{"valid/nll", 1.1}}, retention));
  removeOldCheckpoints(saved.run.path(), retention);
  std::vector<std::int64_t> steps;
  for (const auto& info : listCheckpoints(saved.run.path())) steps.push_back(info.step);
  QCOMPARE(steps, (std::vector<std::int64_t>{10, 20, 50, 60}));
}

// An untrained model has a BLEU of 0, as a bad one has: the one that was trained longer is kept.
void TestCheckpoint::ofEqualOnesTheLaterIsBest() {
  for (const auto& [metric, value, worse] :
       {std::tuple("valid/multi-bleu", 0.0, -1.0), {"valid/nll", 2.0, 3.0}}) {
    Saved saved;
    for (const int step : {10, 20, 30}) saved.write(step, {{metric, value}});
    saved.write(40, {{metric, worse}});
    const auto& run = saved.run.path();
    QCOMPARE(findCheckpoint(run, "best", metric).step, 30);
    QCOMPARE(bestCheckpoint(run, metric)->step, 30);
    std::vector<std::int64_t> ranked;
    for (const auto& info : rankedCheckpoints(listCheckpoints(run), metric))
      ranked.push_back(info.step);
    QCOMPARE(ranked, (std::vector<std::int64_t>{30, 20, 10, 40}));
    const Retention retention{.keepLast = 1, .keepBest = 1, .metric = metric};
    QVERIFY(wouldBeBest(run, {{metric, value}}, retention));
    QVERIFY(!wouldBeBest(run, {{metric, worse}}, retention));
    removeOldCheckpoints(run, retention);
    std::vector<std::int64_t> steps;
    for (const auto& info : listCheckpoints(run)) steps.push_back(info.step);
    QCOMPARE(steps, (std::vector<std::int64_t>{30, 40}));
  }
}

void TestCheckpoint::modelFilesAreTheModelAlone() {
  Saved saved;
  const auto info = saved.write(1);
  const SafetensorsFile file(info.folder / "model.safetensors");
  QCOMPARE(file.tensors().size(), std::size_t{3});
  QVERIFY(file.at("source").type == DType::kFloat32);
  QCOMPARE(file.at("output").shape, (std::vector<std::int64_t>{testing::kVocabulary, 8}));
}

void TestCheckpoint::foreignParametersAreRefused() {
  Saved saved;
  TemporaryFolder folder;
  const std::string zeros(4 * sizeof(float), '\0');
  writeSafetensors(folder / "model.safetensors",
                   {{"source", {.type = DType::kFloat32, .shape = {2, 2}, .bytes = zeros}}});
  const QString message = messageOf([&] { readParameters(folder.path(), *saved.model); });
  QVERIFY2(message.contains("source") && message.contains("[2, 2]"), qPrintable(message));
}

void TestCheckpoint::averageIsTheMean() {
  Saved saved;
  const auto first = saved.write(1);
  const auto before = saved.model->parameters().front().detach().clone();
  {
    const torch::NoGradGuard noGrad;
    for (auto& parameter : saved.model->parameters()) parameter.add_(2.0);
  }
  const auto second = saved.write(2);
  TemporaryFolder folder;
  averageModels({first.folder, second.folder}, folder / "mean");
  const auto other = tinyModel(3);
  readParameters(folder / "mean", *other);
  QVERIFY(torch::allclose(other->parameters().front().detach(), before + 1.0));
  QVERIFY(
      messageOf([&] { averageModels({first.folder}, folder / "mean"); }).contains("is not empty"));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestCheckpoint)
#include "test_checkpoint.moc"
