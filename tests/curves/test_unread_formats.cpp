// Figures of trainings that are known and not read: which format a file has, and what to do
// instead.
#include <QTest>

#include "core/curves/find_runs.h"
#include "core/curves/unread_formats.h"
#include "fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

constexpr const char* kMarian =
    "[2024-01-31 10:00:00] [marian] Marian v1.12.0 65bf82ff 2023-02-21 09:56:29 -0800\n"
    "[2024-01-31 10:00:00] [config] type: transformer\n"
    "[2024-01-31 10:01:00] Ep. 1 : Up. 100 : Sen. 6,200 : Cost 9.30612183 : Time 12.31s\n";
constexpr const char* kOpenNmt =
    "[2024-01-31 10:00:00,000 INFO] Building model...\n"
    "[2024-01-31 10:01:00,000 INFO] Step 50/ 1000; acc:   3.10; ppl: 22000.00; xent: 10.00; lr: "
    "0.00001; 5432/5433 tok/s;     12 sec\n";

// The format of a text in a file of this name; empty: none.
std::string formatOf(const std::string& name, const std::string& text) {
  TemporaryFolder folder;
  put(folder / name, text);
  const auto found = unreadFormatOf(folder / name);
  return found ? std::string(found->name) : std::string();
}

}  // namespace

class TestUnreadFormats : public QObject {
  Q_OBJECT

 private slots:
  void filesAreNamedByTheirBeginnings_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("format");
    const auto row = [](const char* name, const char* file, const char* text, const char* format) {
      QTest::newRow(name) << QString(file) << QString(text) << QString(format);
    };
    row("Marian", "x", kMarian, "Marian's log");
    row("Marian, appended", "train.log",
        "[2024-01-31 10:01:00] Ep. 1 : Up. 100 : Sen. 6,200 : Cost 9.30612183 : Time 12.31s\n",
        "Marian's log");
    row("Marian's valid.log", "valid.log",
        "[2024-01-31 10:01:00] [valid] Ep. 1 : Up. 200 : bleu : 12.5 : new best\n", "Marian's log");
    row("OpenNMT-py", "x", kOpenNmt, "OpenNMT-py's log");
    row("OpenNMT-py, old", "x",
        "[2019-01-31 10:01:00,000 INFO] Step 50/100000; acc:   3.10; ppl: 220.00; xent: 5.39; lr: "
        "0.00001; 5432/5433 tok/s;     12 sec\n",
        "OpenNMT-py's log");
    row("Sockeye's metrics", "metrics",
        "1\tbleu-val=0.10\tepoch=0\tperplexity-val=80.1\n2\tbleu-val=0.20\n",
        "Sockeye's metrics file");
    row("Sockeye's log", "log",
        "[2024-01-31:10:00:00:INFO:sockeye.training:create] Checkpoint [1]\tUpdates=1000 Epoch=0\n",
        "Sockeye's log");
    row("Hugging Face", "x", "{\n  \"best_metric\": null,\n  \"log_history\": [\n    {\n",
        "the state of Hugging Face's Trainer");
    row("a column called Step", "x", "Wall time,Step,Value\r\n1700000000.0,10,3.5\r\n", "CSV");
    row("CSV", "metrics.csv", "step,loss\n10,3.5\n", "CSV");
    row("TSV", "metrics.tsv", "step\tloss\n10\t3.5\n", "TSV");
    row("JSON lines", "log.jsonl", "{\"step\": 10, \"loss\": 3.5}\n", "JSON lines");
    row("MLflow's metric", "loss", "1700000000000 3.5 10\n1700000001000 3.25 20\n",
        "a part of MLflow's folder");
    row("MLflow's run", "meta.yaml", "artifact_uri: x\nexperiment_id: '0'\n",
        "a part of MLflow's folder");
    // Others.
    row("nothing", "x", "", "");
    row("prose", "train.log", "Up. and down, Step by step; acc\n1\n\t\n", "");
    row("numbers", "x", "1 2 3\n", "");
    row("one column", "x.csv", "loss\n3.5\n", "");
    row("commas", "x", "a,b\n1,2\n", "");
    row("JSON", "x", "{\"a\": 1}\n", "");
  }
  void filesAreNamedByTheirBeginnings() {
    QFETCH(QString, file);
    QFETCH(QString, text);
    QFETCH(QString, format);
    QCOMPARE(QString::fromStdString(formatOf(file.toStdString(), text.toStdString())), format);
  }

  void bytesOfAnyKindAreNoFormat() {
    const std::string header(":W&B\xE1\xBE\x00", 7);
    QCOMPARE(formatOf("run-1.wandb", header + std::string(40, '\0')),
             std::string("the file of a Weights & Biases run"));
    QCOMPARE(formatOf("x.csv",
                      "\xEF\xBB\xBF"
                      "a,b\n1,2\n"),
             std::string("CSV"));
    QCOMPARE(formatOf("x", std::string(200'000, '\0')), std::string());
    QCOMPARE(formatOf("x", std::string(200'000, '[')), std::string());
    QCOMPARE(formatOf("x", "\xFF\xFE\xFD\n\xC3"), std::string());
    QCOMPARE(formatOf("x.gz", "\x1F\x8B damaged"), std::string());
    QVERIFY(!unreadFormatOf("/nowhere/x"));
    QVERIFY(!unreadFormatOf("/dev/null"));
  }

  // Only the beginning of a file is read.
  void aLateFigureIsNotLookedFor() {
    const std::string lines(100'000, '\n');
    QCOMPARE(formatOf("x", lines + kMarian), std::string());
  }

  void aFolderHasTheFormatOfItsFirstFile() {
    TemporaryFolder folder;
    fs::create_directories(folder / "out/checkpoint-500");
    put(folder / "out/checkpoint-500/trainer_state.json", "{\"log_history\": []}");
    put(folder / "out/notes.txt", "nothing\n");
    put(folder / "out/vocabulary", kMarian);  // no name of a log
    const auto found = unreadFormatOf(folder.path());
    QVERIFY(found.has_value());
    QCOMPARE(found->file, folder / "out/checkpoint-500/trainer_state.json");
    put(folder / "out/a.log", kMarian);
    QCOMPARE(unreadFormatOf(folder.path())->file, folder / "out/a.log");
    fs::create_directories(folder / "a/b/c/d/e");
    put(folder / "a/b/c/d/e/train.log", kMarian);
    QVERIFY(!unreadFormatOf(folder / "a"));  // too deep
  }

  void theErrorOfAnImportSaysIt() {
    TemporaryFolder folder;
    put(folder / "train.log", kMarian);
    const auto errorOfImport = [&](const fs::path& path, const std::string& tool) {
      return usageErrorOf([&] { readToolRuns(path, tool); });
    };
    QHOLDS(errorOfImport(folder / "train.log", ""),
           "train.log has no curves of TensorBoard, fairseq or JoeyNMT; it is Marian's log, which "
           "is not read: make event files of it with marian-tensorboard");
    QHOLDS(errorOfImport(folder / "train.log", kFairseq),
           "has no curves of fairseq; it is Marian's log");
    QHOLDS(errorOfImport(folder.path(), ""),
           "/train.log is Marian's log, which is not read: make event files");
  }

  void aStopIsObeyed() {
    TemporaryFolder folder;
    put(folder / "train.log", kMarian);
    std::stop_source stop;
    stop.request_stop();
    const ReadOptions options{.stop = stop.get_token()};
    QVERIFY_THROWS_EXCEPTION(Cancelled, unreadFormatOf(folder / "train.log", options));
    QVERIFY_THROWS_EXCEPTION(Cancelled, unreadFormatOf(folder.path(), options));
  }
};

STRATA_GUILESS_TEST(TestUnreadFormats)
#include "test_unread_formats.moc"
