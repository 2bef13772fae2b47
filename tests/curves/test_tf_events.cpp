#include <zlib.h>

#include <QTest>
#include <cmath>
#include <protozero/pbf_writer.hpp>

#include "core/curves/tf_events.h"
#include "curves/curve_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ToolRun readRun(const fs::path& file) {
  return readToolRuns(file, kTensorBoard).at(0);
}

std::string scalarEvent(std::int64_t step, const std::string& tag, float value, double time = 100) {
  std::string data;
  protozero::pbf_writer writer(data);
  writer.add_double(1, time);
  writer.add_int64(2, step);
  protozero::pbf_writer summary(writer, 5);
  protozero::pbf_writer entry(summary, 1);
  entry.add_string(1, tag);
  entry.add_float(2, value);
  return data;
}

std::string versionOfEvents(const std::string& version = "brain.Event:2") {
  std::string data;
  protozero::pbf_writer writer(data);
  writer.add_double(1, 100);
  writer.add_string(3, version);
  return tfRecord(data);
}

std::string sessionStart(std::int64_t step) {
  std::string data;
  protozero::pbf_writer writer(data);
  writer.add_int64(2, step);
  protozero::pbf_writer(writer, 7).add_enum(1, 1);
  return tfRecord(data);
}

std::string lossAt(const std::vector<std::int64_t>& steps, float value) {
  std::string records;
  for (const std::int64_t step : steps) records += tfRecord(scalarEvent(step, "loss", value));
  return records;
}

// A value of the scalars plugin as a tensor of the type; `content` or one of the lists.
std::string tensorEvent(std::int64_t step, int type, const std::string& content, double listed,
                        bool named = true) {
  std::string data;
  protozero::pbf_writer writer(data);
  writer.add_int64(2, step);
  protozero::pbf_writer summary(writer, 5);
  protozero::pbf_writer entry(summary, 1);
  entry.add_string(1, "tensor");
  if (named) {
    protozero::pbf_writer metadata(entry, 9);
    protozero::pbf_writer plugin(metadata, 1);
    plugin.add_string(1, "scalars");
  }
  protozero::pbf_writer tensor(entry, 8);
  tensor.add_enum(1, type);
  if (!content.empty()) tensor.add_bytes(4, content);
  const std::vector<float> singles{static_cast<float>(listed)};
  if (content.empty() && type == 1) tensor.add_packed_float(5, singles.begin(), singles.end());
  const std::vector<double> doubles{listed};
  if (content.empty() && type == 2) tensor.add_packed_double(6, doubles.begin(), doubles.end());
  return data;
}

template <typename Number>
std::string bytesOf(Number value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

class TestTfEvents : public QObject {
  Q_OBJECT

 private slots:
  void theSumIsCrc32c() {
    QCOMPARE(crc32c("123456789"), 0xE3069283u);  // the check value of CRC-32/ISCSI
    QCOMPARE(maskedCrc("123456789"), 0xC78AB0E5u);
    QCOMPARE(crc32c(""), 0u);
  }

  void readsARecordWrittenByHand() {
    QCOMPARE(tfRecord(kLossEvent), kLossRecord);
    TemporaryFolder folder;
    put(folder / "events.out.tfevents.1", kLossRecord);
    const ToolRun run = readRun(folder / "events.out.tfevents.1");
    QCOMPARE(namesOf(run), std::vector<std::string>{"loss"});
    QCOMPARE(run.curves[0].points.size(), 1u);
    QCOMPARE(run.curves[0].points[0].step, 7);
    QCOMPARE(run.curves[0].points[0].wallTime, 2.5);
    QCOMPARE(run.curves[0].points[0].value, 0.5);
    QVERIFY(run.notes.empty());
  }

  void readsTensorsOfTheScalarsPlugin() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1";
    put(file, tfRecord(tensorEvent(1, 1, bytesOf(0.25f), 0)) +
                  tfRecord(tensorEvent(2, 2, bytesOf(0.1), 0)) +
                  tfRecord(tensorEvent(3, 1, "", 0.75)) + tfRecord(tensorEvent(4, 2, "", 0.1)) +
                  // Only the first value of a tag has to name the plugin.
                  tfRecord(tensorEvent(5, 9, bytesOf(std::int64_t{-3}), 0, false)) +
                  tfRecord(tensorEvent(6, 1, "abc", 0)));
    const ToolRun run = readRun(file);
    QCOMPARE(valuesOf(run.curves.at(0)), (std::vector<double>{0.25, 0.1, 0.75, 0.1, -3}));
    QVERIFY(says(run, "1 scalars are tensors of another kind"));
    // Without the plugin's name it may be anything.
    put(file, tfRecord(tensorEvent(1, 1, bytesOf(0.25f), 0, false)) + kLossRecord);
    QCOMPARE(namesOf(readRun(file)), std::vector<std::string>{"loss"});
  }

  void exportedCurvesComeBackInSinglePrecision() {
    TemporaryFolder folder;
    const std::vector<Curve> curves{
        {"a", {{0, 1.5, 0.1}, {5, 2.25, kNaN}, {9, 3, -kInfinity}}},
        {"train/loss", {{0, 1.5, 1e300}, {5, 2.25, 16777217}, {7, 2.5, -0.0}}}};
    const fs::path file = folder / "run/events.out.tfevents.1.strata";
    writeEventFile(file, curves, 1);
    const ToolRun back = readRun(file);
    QCOMPARE(back.curves.size(), curves.size());
    for (std::size_t c = 0; c < curves.size(); ++c) {
      QCOMPARE(back.curves[c].name, curves[c].name);
      QCOMPARE(back.curves[c].points.size(), curves[c].points.size());
      for (std::size_t i = 0; i < curves[c].points.size(); ++i) {
        const ScalarPoint &was = curves[c].points[i], &is = back.curves[c].points[i];
        QCOMPARE(is.step, was.step);
        QCOMPARE(is.wallTime, was.wallTime);
        const double rounded = static_cast<float>(was.value);
        QVERIFY(std::isnan(rounded) ? std::isnan(is.value) : is.value == rounded);
      }
    }
    QCOMPARE(back.curves[1].points[1].value, 16777216.0);  // 2^24 + 1 has no single precision
    QCOMPARE(linesOf(file).empty(), false);
    QCOMPARE(std::distance(fs::directory_iterator(folder / "run"), {}), 1);  // nothing partial
  }

  // Without a version, or before version 2, a summary whose step is below that of the summary
  // before it removes the points of its own tags from there on.
  void aStepThatGoesBackRemovesItsTags() {
    TemporaryFolder folder;
    put(folder / "events.out.tfevents.1", lossAt({1, 2, 3, 4, 5}, 1) +
                                              tfRecord(scalarEvent(4, "valid", 1)) +
                                              tfRecord(scalarEvent(5, "other", 1)));
    put(folder / "events.out.tfevents.2", lossAt({3, 4}, 2) + tfRecord(scalarEvent(6, "valid", 2)));
    const ToolRun run = readToolRuns(folder.path(), "").at(0);
    QCOMPARE(stepsOf(*curveOf(run, "loss")), (std::vector<std::int64_t>{1, 2, 3, 4}));
    QCOMPARE(valuesOf(*curveOf(run, "loss")), (std::vector<double>{1, 1, 2, 2}));
    QCOMPARE(stepsOf(*curveOf(run, "valid")), (std::vector<std::int64_t>{4, 6}));
    QCOMPARE(stepsOf(*curveOf(run, "other")), (std::vector<std::int64_t>{5}));
    QVERIFY(says(run, "2 points were repeated later"));
    QVERIFY(says(run, "1 points are beyond a step to which the training went back"));
  }

  // From version 2 on only a session that starts removes points, and not the first one: that of
  // another tag, in another file, from its step on.
  void aSessionThatStartsAgainPurgesFromItsStepOn() {
    TemporaryFolder folder;
    put(folder / "events.out.tfevents.1",
        versionOfEvents() + lossAt({1}, 1) + sessionStart(0) + lossAt({2, 3, 4, 5}, 1) +
            tfRecord(scalarEvent(2, "bleu", 1)) + tfRecord(scalarEvent(4, "bleu", 1)));
    put(folder / "events.out.tfevents.2", versionOfEvents() + sessionStart(3) + lossAt({7}, 2));
    const ToolRun run = readToolRuns(folder.path(), "").at(0);
    QCOMPARE(stepsOf(*curveOf(run, "loss")), (std::vector<std::int64_t>{1, 2, 7}));
    QCOMPARE(stepsOf(*curveOf(run, "bleu")), (std::vector<std::int64_t>{2}));
    QVERIFY(says(run, "4 points are beyond a step to which the training went back"));
    QVERIFY(!says(run, "repeated later"));
    // In one file, too.
    put(folder / "one/events.out.tfevents.1", versionOfEvents() + sessionStart(0) +
                                                  lossAt({1, 2, 3}, 1) + sessionStart(2) +
                                                  lossAt({9}, 2));
    QCOMPARE(stepsOf(readRun(folder / "one/events.out.tfevents.1").curves.at(0)),
             (std::vector<std::int64_t>{1, 9}));
  }

  // Without a start nothing is removed: TensorBoard draws both, of which one step has one value.
  void filesThatOverlapKeepTheirPoints() {
    TemporaryFolder folder;
    put(folder / "events.out.tfevents.1", versionOfEvents() + lossAt({1, 3, 5}, 1));
    put(folder / "events.out.tfevents.2", versionOfEvents() + lossAt({2, 3, 4}, 2));
    const ToolRun run = readToolRuns(folder.path(), "").at(0);
    QCOMPARE(stepsOf(run.curves.at(0)), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    QCOMPARE(valuesOf(run.curves.at(0)), (std::vector<double>{1, 2, 2, 2, 1}));
    QVERIFY(says(run, "1 points were repeated later"));
  }

  void anOldVersionIsReadAsNone() {
    for (const char* version : {"brain.Event:1", "other"}) {
      TemporaryFolder folder;
      put(folder / "events.out.tfevents.1", versionOfEvents(version) + sessionStart(0) +
                                                lossAt({1, 2, 3}, 1) + sessionStart(1) +
                                                lossAt({3, 2}, 2));
      const ToolRun run = readRun(folder / "events.out.tfevents.1");
      QCOMPARE(stepsOf(run.curves.at(0)), (std::vector<std::int64_t>{1, 2}));
      QCOMPARE(valuesOf(run.curves.at(0)), (std::vector<double>{1, 2}));
    }
  }

  void foldersAreRuns() {
    TemporaryFolder folder;
    put(folder / "events.out.tfevents.1", kLossRecord);
    put(folder / "a/b/events.out.tfevents.1", kLossRecord);
    put(folder / "c/notes.txt", "no event file");
    const auto runs = readToolRuns(folder.path(), "");
    QCOMPARE(runs.size(), 2u);
    const std::string name = fs::canonical(folder.path()).filename().string();
    QCOMPARE(runs[0].name, name);
    QCOMPARE(runs[1].name, name + "-a/b");
    QCOMPARE(runs[1].source, fs::canonical(folder.path()) / "a/b");
  }

  void aTruncatedEndIsSaid() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1";
    for (std::size_t cut = 1; cut < kLossRecord.size(); ++cut) {
      put(file, kLossRecord + kLossRecord.substr(0, cut));
      const ToolRun run = readRun(file);
      QCOMPARE(run.points(), 1);
      QVERIFY(says(run, "ends within the record that begins at byte 42"));
    }
  }

  void damageEndsTheReading() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1";
    const std::string good = kLossRecord + tfRecord(scalarEvent(8, "loss", 1));
    for (const std::size_t at : {42u, 50u, 54u, 70u, 83u}) {  // length, its sum, data, their sum
      std::string bytes = good + kLossRecord;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
      put(file, bytes);
      const ToolRun run = readRun(file);
      QCOMPARE(run.points(), 1);
      QVERIFY(says(run, "is damaged at byte 42"));
      QVERIFY(says(run, file.filename().string()));
    }
    std::string bytes = good;
    bytes[20] = static_cast<char>(bytes[20] ^ 1);
    put(file, bytes);
    const std::string said = errorOf([&] { readRun(file); });
    QVERIFY(said.find("is no event file of TensorBoard") != std::string::npos);
    QVERIFY(said.find("byte 0") != std::string::npos);
  }

  void recordsThatAreNoEventsAreCounted() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1";
    put(file, kLossRecord + tfRecord("\x09 too short") + tfRecord(scalarEvent(8, "loss", 1)));
    const ToolRun run = readRun(file);
    QCOMPARE(run.points(), 2);
    QVERIFY(says(run, "1 records are no events"));
  }

  void gzipIsReadAsItsContent() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1.gz";
    gzFile out = gzopen(file.c_str(), "wb");
    for (int step = 0; step < 5000; ++step) {
      const std::string record = tfRecord(scalarEvent(step, "loss", static_cast<float>(step)));
      gzwrite(out, record.data(), static_cast<unsigned>(record.size()));
    }
    gzclose(out);
    QCOMPARE(readRun(file).points(), 5000);
    fs::resize_file(file, fs::file_size(file) / 2);
    const ToolRun cut = readRun(file);
    QVERIFY(cut.points() > 100 && cut.points() < 5000);
    QVERIFY(says(cut, "read up to there"));
  }

  void impossibleStepsAndTimesAreSaid() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1";
    put(file, tfRecord(scalarEvent(-3, "loss", 1)) +
                  tfRecord(scalarEvent(4'000'000'000'000'000'000, "loss", 1)) +
                  tfRecord(scalarEvent(2, "loss", 1, kInfinity)) +
                  tfRecord(scalarEvent(3, std::string(600, 'x'), 1)));
    const ToolRun run = readRun(file);
    QCOMPARE(run.points(), 1);
    QCOMPARE(run.curves[0].points[0].wallTime, 0.0);
    QVERIFY(says(run, "1 points have a negative step"));
    QVERIFY(says(run, "1 points have a step above 10^15"));
    QVERIFY(says(run, "longer than 500 bytes"));
    QVERIFY(says(run, "impossible time"));
  }

  void namesBecomePrintable() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1";
    put(file, tfRecord(scalarEvent(1, "a\nb", 1)) + tfRecord(scalarEvent(1, "a\tb", 2)) +
                  tfRecord(scalarEvent(1, "c\xFF", 3)));
    const ToolRun run = readRun(file);
    QCOMPARE(namesOf(run), (std::vector<std::string>{"a\uFFFDb", "a\uFFFDb (2)", "c\uFFFD"}));
  }

  void manySeriesAreBounded() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1";
    std::string bytes;
    for (int i = 0; i < 100'000; ++i)
      bytes += tfRecord(scalarEvent(1, "tag" + std::to_string(i), 1));
    put(file, bytes);
    const ToolRun run = readRun(file);
    QCOMPARE(run.curves.size(), CurveLimits().series);
    QVERIFY(says(run, "90000 points are of series beyond the first 10000"));
  }

  void pointsAreBounded() {
    TemporaryFolder folder;
    const fs::path file = folder / "events.out.tfevents.1";
    put(file, tfRecord(scalarEvent(1, "loss", 1)) + tfRecord(scalarEvent(2, "loss", 1)));
    ReadOptions options;
    options.limits.points = 1;
    QVERIFY(errorOf([&] { readToolRuns(file, "", options); }).find("more than 1 points") !=
            std::string::npos);
  }

  void stopsWhenAsked() {
    TemporaryFolder folder;
    put(folder / "events.out.tfevents.1", kLossRecord);
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_THROWS_EXCEPTION(Cancelled,
                             readToolRuns(folder.path(), "", {.stop = stop.get_token()}));
  }
};

STRATA_GUILESS_TEST(TestTfEvents)
#include "test_tf_events.moc"
