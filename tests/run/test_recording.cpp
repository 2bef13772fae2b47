// Recordings on disk: round trips, and errors that name damaged files.
#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/run/recording.h"
#include "tests/program.h"

using namespace strata;

namespace {

Recording recordingOf(const std::string& name, std::vector<std::int64_t> shape,
                      std::vector<std::string> axes) {
  Recording recording;
  recording.info = {.name = name,
                    .kind = "attention",
                    .side = "decoder",
                    .layer = 1,
                    .axes = std::move(axes),
                    .firstLevel = 1};
  recording.shape = std::move(shape);
  std::int64_t elements = 1;
  for (const std::int64_t size : recording.shape) elements *= size;
  for (std::int64_t i = 0; i < elements; ++i) recording.values.push_back(static_cast<float>(i) / 7);
  return recording;
}

std::vector<SentenceRecordings> example() {
  SentenceRecordings first{
      .sentence = 17, .source = {"ein", "Haus", "</s>"}, .target = {"a", "</s>"}, .recordings = {}};
  first.recordings.push_back(
      recordingOf("decoder.layers.1.encoder_attn", {4, 2, 3}, {"head", "target", "source"}));
  first.recordings.push_back(
      recordingOf("decoder.fusion.hop_weights", {2, 4, 3}, {"target", "hop", "level"}));
  SentenceRecordings second{
      .sentence = 3, .source = {"</s>"}, .target = {"</s>"}, .recordings = {}};
  second.recordings.push_back(
      recordingOf("decoder.layers.1.encoder_attn", {4, 1, 1}, {"head", "target", "source"}));
  return {first, second};
}

const Recording& named(const SentenceRecordings& sentence, const std::string& name) {
  for (const Recording& recording : sentence.recordings) {
    if (recording.info.name == name) return recording;
  }
  throw Error("no recording {}", name);
}

}  // namespace

class TestRecording : public QObject {
  Q_OBJECT

 private slots:
  void whatIsWrittenIsRead();
  void theIndexTellsWhatThereIs();
  void damageIsNamed();
  void wrongShapesAreRefused();
};

void TestRecording::whatIsWrittenIsRead() {
  const TemporaryFolder folder;
  const auto written = example();
  writeRecordings(folder / "step-5", written);
  QVERIFY(fs::exists(folder / "step-5/decoder.fusion.hop_weights.safetensors"));
  const auto read = readRecordings(folder / "step-5");
  QCOMPARE(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    QCOMPARE(read[i].sentence, written[i].sentence);
    QCOMPARE(read[i].source, written[i].source);
    QCOMPARE(read[i].target, written[i].target);
    QCOMPARE(read[i].recordings.size(), written[i].recordings.size());
    for (const Recording& recording : written[i].recordings) {
      const Recording& same = named(read[i], recording.info.name);
      QCOMPARE(same.shape, recording.shape);
      QCOMPARE(same.values, recording.values);
      QCOMPARE(same.info.axes, recording.info.axes);
      QCOMPARE(same.info.layer, 1);
      QCOMPARE(same.info.firstLevel, 1);
    }
  }
}

void TestRecording::theIndexTellsWhatThereIs() {
  const TemporaryFolder folder;
  writeRecordings(folder.path(), example());
  const auto infos = readRecordingInfos(folder.path());
  QCOMPARE(infos.size(), std::size_t(2));
  QCOMPARE(infos[0].name, std::string("decoder.fusion.hop_weights"));
  QCOMPARE(infos[1].axes, std::vector<std::string>({"head", "target", "source"}));
  QCOMPARE(infos[1].kind, std::string("attention"));
}

void TestRecording::damageIsNamed() {
  const TemporaryFolder folder;
  writeRecordings(folder.path(), example());
  const fs::path file = folder / "decoder.fusion.hop_weights.safetensors";
  std::string bytes = readFile(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  writeFileAtomic(file, bytes);
  try {
    readRecordings(folder.path());
    QFAIL("damage went unseen");
  } catch (const Error& error) {
    QVERIFY(std::string(error.what()).find("hop_weights.safetensors is damaged") !=
            std::string::npos);
  }
  writeFileAtomic(folder / "index.json", "{\"format\": 1}");
  QVERIFY_EXCEPTION_THROWN(readRecordings(folder.path()), Error);
  writeFileAtomic(folder / "index.json",
                  "{\"format\": 1, \"sentences\": [], \"recordings\": [{\"name\": \"a\", \"kind\": "
                  "\"\", \"side\": \"\", \"layer\": 0, \"axes\": [], \"file\": \"../x\"}]}");
  QVERIFY_EXCEPTION_THROWN(readRecordings(folder.path()), Error);
}

void TestRecording::wrongShapesAreRefused() {
  const TemporaryFolder folder;
  auto sentences = example();
  sentences[0].recordings[0].shape[0] = 5;
  QVERIFY_EXCEPTION_THROWN(writeRecordings(folder.path(), sentences), Error);
  sentences = example();
  sentences[0].recordings[0].info.name = "../evil";
  QVERIFY_EXCEPTION_THROWN(writeRecordings(folder.path(), sentences), Error);
}

STRATA_GUILESS_TEST(TestRecording)
#include "test_recording.moc"
