#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QProcess>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/run/recording.h"
#include "tests/program.h"
#include "tests/ui/forced_model.h"
#include "tests/ui/light_window.h"
#include "tests/ui/patience.h"
#include "ui/data/text.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/heat_map.h"
#include "ui/window/main_window.h"

using namespace strata;
using namespace strata::ui;

static constexpr double kTolerance = 1e-6;      // of weights that were computed twice in float32
static constexpr int kLayers = 2, kLast = 120;  // of the decoder, the last update

// The real window with models that the real program has trained: the target-side attention panel
// shows the models' values.
class TestTrainedAttention : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void cleanupTestCase();
  void recordedSentencesAreTheModels_data();
  void recordedSentencesAreTheModels();
  void filesAreReadBackBitForBit();
  void translatedHypothesesAreTheModels_data();
  void translatedHypothesesAreTheModels();
  void wholeWordsKeepTheSums();

 private:
  template <typename T>
  T* child(const char* name) const {
    return panel()->findChild<T*>(QLatin1String(name));
  }
  TargetAttentionPanel* panel() const { return window_->panel<TargetAttentionPanel>(); }
  QStringList linesOf(const QString& file) const;  // of the dataset
  void train(const char* name, const char* preset);
  qint64 runOf(const QString& name) const;
  void open(const QString& run, int step);
  fixture::Forced force(const QString& run, int step, const QString& text,
                        const std::vector<std::string>&);
  void compare(const fixture::Forced& forced);
  void compareMap(const HeatMap& map, const fixture::Forced& forced,
                  const std::vector<int>& layers);
  void compareArcs(const ArcRow& row, const fixture::Forced& forced,
                   const std::vector<int>& layers);

  QTemporaryDir folder_;
  QString runner_;
  QStringList sentences_;  // of the validation set, as text
  QSet<QString> known_;    // words of the source vocabulary
  std::unique_ptr<fixture::Engine> engine_;
  std::unique_ptr<MainWindow> window_;
};

void TestTrainedAttention::train(const char* name, const char* preset) {
  QStringList arguments{"--workspace", folder_.path(), "--log-level", "error",  "train", "--preset",
                        preset,        "--data",       "toy",         "--name", name};
  for (const char* setting :
       {"model.hidden=24", "model.encoder_layers=2", "training.threads=1",
        "training.max_updates=120", "training.max_epochs=0", "training.phases=[]",
        "training.batch.size=400", "training.optimizer.lr=0.01", "training.schedule.warmup=10",
        "validation.every_updates=60", "validation.every_epochs=0", "validation.monitor=[]",
        "validation.metrics=[nll]", "checkpoint.every_updates=60", "checkpoint.every_epochs=0",
        "checkpoint.keep_last=5", "recording.sentences=3"})
    arguments << "--set" << setting;
  arguments << "--set" << QStringLiteral("model.decoder_layers=%1").arg(kLayers);
  QCOMPARE(QProcess::execute(runner_, arguments), 0);
}

QStringList TestTrainedAttention::linesOf(const QString& file) const {
  QFile text(folder_.filePath("datasets/toy/" + file));
  if (!text.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(file));
  return QString::fromUtf8(text.readAll()).split('\n', Qt::SkipEmptyParts);
}

void TestTrainedAttention::initTestCase() {
  runner_ = qEnvironmentVariable("STRATA_RUN",
                                 QFileInfo(STRATA_BIN_DIR "/strata-run").absoluteFilePath());
  QVERIFY2(QFileInfo::exists(runner_), "bin/strata-run is not built");
  qputenv("STRATA_RUN", runner_.toUtf8());
  QCOMPARE(QProcess::execute(runner_, {"--workspace", folder_.path(), "data", "generate", "--name",
                                       "toy", "--size", "400", "--seed", "6"}),
           0);
  train("gate", "dhea/gate-cpu");
  train("hybrid", "dhea/hybrid-cpu");
  if (QTest::currentTestFailed()) return;
  for (const QString& line : linesOf("sets/valid/raw.source")) sentences_ << line.trimmed();
  known_ = {"</s>"};
  for (const QString& line : linesOf("text/vocabulary.source")) known_ << line.section(' ', 0, 0);
  engine_ = std::make_unique<fixture::Engine>(runner_, folder_.path());
  window_ = lightWindow(folder_.path(), {1400, 900});
  QTRY_VERIFY_WITH_TIMEOUT(window_->isOpened() && window_->rows().size() == 2, kPatience);
  window_->showPerspective("inside");
  window_->bringUp("target-attention");
  QTRY_VERIFY(panel()->isVisible() && !panel()->isEmpty());
}

void TestTrainedAttention::cleanupTestCase() {
  window_.reset();
  engine_.reset();
}

qint64 TestTrainedAttention::runOf(const QString& name) const {
  for (const RunRow& row : window_->rows()) {
    if (row.name == name) return row.id;
  }
  return -1;
}

// The run and the recording of that step, by the panel's own list and slider.
void TestTrainedAttention::open(const QString& run, int step) {
  auto* runs = child<QComboBox>("historyRun");
  QVERIFY(runs && runs->findText(run) >= 0);
  runs->setCurrentIndex(runs->findText(run));
  auto* steps = child<QSlider>("historyStep");
  QTRY_COMPARE(steps->maximum(), 1);  // validated at half and at the end
  steps->setValue(step == kLast ? 1 : 0);
  QTRY_VERIFY_WITH_TIMEOUT(panel()->isUpToDate(), kPatience);
}

fixture::Forced TestTrainedAttention::force(const QString& run, int step, const QString& text,
                                            const std::vector<std::string>& target) {
  Json names = Json::array();
  const Json model{{"run", toStd(run)}, {"checkpoint", std::to_string(step)}};
  const Json loaded = engine_->ask("load", model);
  for (const Json& each : loaded["recordings"]) {
    if (each["side"] == "decoder" && each["kind"] != "block") names.push_back(each["name"]);
  }
  Json params = model;
  params.update({{"text", toStd(text)}, {"target", target}, {"record", names}});
  const Json answer = engine_->ask("force", params);
  const Json& hypothesis = answer["hypotheses"][0];
  fixture::Forced forced{
      .source = answer["tokens"], .target = hypothesis["tokens"], .recordings = {}};
  for (const Json& each : hypothesis["recordings"]) forced.recordings[each["name"]] = each;
  return forced;
}

static QStringList listOf(const std::vector<std::string>& words) {
  QStringList list;
  for (const std::string& word : words) list << qs(word);
  return list;
}

#define COMPARE_NEAR(actual, expected)                                          \
  do {                                                                          \
    const double shown_ = double(actual), computed_ = double(expected);         \
    QVERIFY2(std::abs(shown_ - computed_) <= kTolerance,                        \
             qPrintable(QStringLiteral("%1 is shown, %2 was computed (row %3)") \
                            .arg(shown_, 0, 'g', 9)                             \
                            .arg(computed_, 0, 'g', 9)                          \
                            .arg(row)));                                        \
  } while (false)

// The mean of some layers; of one alone, its own.
template <typename Value>
static double meanOver(const std::vector<int>& layers, Value value) {
  double sum = 0;
  for (const int layer : layers) sum += value(layer);
  return sum / double(layers.size());
}

void TestTrainedAttention::compareMap(const HeatMap& map, const fixture::Forced& forced,
                                      const std::vector<int>& layers) {
  QCOMPARE(map.rows, listOf(forced.target));
  const int columns = int(forced.columns().size());
  QCOMPARE(map.values.size(), std::size_t(columns * forced.words()));
  for (int row = 0; row < forced.words(); ++row) {
    const float* shown = map.values.data() + row * columns;
    double onSource = 0, onHistory = 0;
    for (int column = 0; column < forced.sources(); ++column, ++shown) {
      const double weight =
          meanOver(layers, [&](int l) { return forced.sourceWeight(l, row, column); });
      COMPARE_NEAR(*shown, weight);
      onSource += weight;
    }
    for (int column = 0; column < forced.words(); ++column, ++shown) {
      const double weight =
          meanOver(layers, [&](int l) { return forced.historyWeight(l, row, column); });
      if (column > row) {  // not written yet
        QVERIFY(std::isnan(*shown));
        QCOMPARE(weight, 0.0);
        continue;
      }
      COMPARE_NEAR(*shown, weight);
      onHistory += weight;
    }
    if (forced.has(0, "gate")) {
      COMPARE_NEAR(*shown++, meanOver(layers, [&](int l) { return forced.gate(l, row).first; }));
      COMPARE_NEAR(*shown++, meanOver(layers, [&](int l) { return forced.gate(l, row).second; }));
    } else {
      COMPARE_NEAR(*shown++, onSource);
    }
    COMPARE_NEAR(*shown++, meanOver(layers, [&](int l) { return forced.sourceShare(l, row); }));
    if (forced.has(0, "hybrid_attn")) {
      COMPARE_NEAR(*shown, 1);
      COMPARE_NEAR(onSource + onHistory, 1);
    } else {
      COMPARE_NEAR(shown[0], onSource);
      COMPARE_NEAR(shown[1], onHistory);
      COMPARE_NEAR(shown[0], 1);
      COMPARE_NEAR(shown[1], 1);
    }
  }
}

// From every word but the first a solid arc to the most attended earlier word, a dashed one to the
// second. The start symbol is no word.
void TestTrainedAttention::compareArcs(const ArcRow& drawn, const fixture::Forced& forced,
                                       const std::vector<int>& layers) {
  std::size_t next = 0;
  for (int row = 1; row < forced.words(); ++row) {
    const auto weightOn = [&](int word) {
      return meanOver(layers, [&](int l) { return forced.historyWeight(l, row, word + 1); });
    };
    std::vector<double> weights;
    for (int word = 0; word < row; ++word) weights.push_back(weightOn(word));
    std::sort(weights.rbegin(), weights.rend());
    for (std::size_t rank = 0; rank < std::min<std::size_t>(2, weights.size()); ++rank, ++next) {
      QVERIFY(next < drawn.arcs.size());
      const Arc& arc = drawn.arcs[next];
      QCOMPARE(arc.from, row);
      QCOMPARE(arc.second, rank == 1);
      QVERIFY(arc.to >= 0 && arc.to < row);
      COMPARE_NEAR(arc.weight, weights[rank]);
      COMPARE_NEAR(weightOn(arc.to), weights[rank]);
    }
  }
  QCOMPARE(next, drawn.arcs.size());
}

// The selected sentence: every layer, their mean, all at once.
void TestTrainedAttention::compare(const fixture::Forced& forced) {
  auto* layers = child<QComboBox>("historyLayer");
  QCOMPARE(layers->count(), kLayers + 2);
  std::vector<int> all;
  for (int layer = 0; layer < kLayers; ++layer) all.push_back(layer);
  for (int choice = 0; choice < layers->count(); ++choice) {
    layers->setCurrentIndex(choice);
    const bool every = layers->currentText() == "all layers";
    const auto& maps = panel()->sentence()->map()->maps();
    const auto& arcs = panel()->sentence()->arcs()->rows();
    QCOMPARE(panel()->sentence()->map()->columns(), listOf(forced.columns()));
    QCOMPARE(maps.size(), every ? kLayers : 1);
    QCOMPARE(arcs.size(), maps.size());
    for (int i = 0; i < maps.size(); ++i) {
      const std::vector<int> shown = every         ? std::vector{i}
                                     : choice == 0 ? all
                                                   : std::vector{choice - 2};
      compareMap(maps[i], forced, shown);
      if (QTest::currentTestFailed()) return;
      compareArcs(arcs[i], forced, shown);
      if (QTest::currentTestFailed()) return;
      if (every) QCOMPARE(maps[i].title, QStringLiteral("layer %1").arg(i + 1));
    }
  }
  layers->setCurrentIndex(0);
}

static void models() {
  QTest::addColumn<QString>("run");
  QTest::addColumn<int>("step");
  QTest::newRow("gate") << "gate" << kLast;
  QTest::newRow("hybrid") << "hybrid" << kLast;
}

void TestTrainedAttention::recordedSentencesAreTheModels_data() {
  models();
  QTest::newRow("gate, half trained") << "gate" << kLast / 2;
}

// Sentences that the trainer recorded, a batch at once, against the checkpoint of that step.
void TestTrainedAttention::recordedSentencesAreTheModels() {
  QFETCH(QString, run);
  QFETCH(int, step);
  open(run, step);
  auto* list = child<QListWidget>("historySentences");
  QTRY_COMPARE(list->count(), 3);
  for (int sentence = 0; sentence < list->count(); ++sentence) {
    list->setCurrentRow(sentence);
    std::vector<std::string> target;
    for (const QString& word : panel()->sentence()->map()->maps()[0].rows)
      target.push_back(toStd(word));
    fixture::Forced forced = force(run, step, sentences_[sentence], target);
    for (std::string& word : forced.source) {
      if (!known_.contains(qs(word))) word = "<unk>";  // a corpus holds what the model reads
    }
    compare(forced);
    if (QTest::currentTestFailed()) return;
  }
}

// Every float of the trainer's file arrives in the picture as it is.
void TestTrainedAttention::filesAreReadBackBitForBit() {
  open("gate", kLast);
  child<QListWidget>("historySentences")->setCurrentRow(1);
  child<QComboBox>("historyLayer")->setCurrentIndex(3);  // layer 2
  const QString folder = folder_.filePath(
      QStringLiteral("runs/%1-gate/recordings/step-%2").arg(runOf("gate")).arg(kLast));
  const SentenceRecordings recorded = readRecordings(folder.toStdString()).at(1);
  const HeatMap& map = panel()->sentence()->map()->maps()[0];
  const auto columns = std::size_t(panel()->sentence()->map()->columns().size());
  int compared = 0;
  for (const Recording& recording : recorded.recordings) {
    const bool source = recording.info.name == "decoder.layers.1.source_attn";
    if (!source && recording.info.name != "decoder.layers.1.buffer_attn") continue;
    const auto width = std::size_t(recording.shape[1]);
    const std::size_t first = source ? 0 : recorded.source.size();
    for (std::size_t row = 0; row < recorded.target.size(); ++row) {
      for (std::size_t column = 0; column < (source ? width : row + 1); ++column, ++compared)
        QCOMPARE(map.values[row * columns + first + column],
                 recording.values[row * width + column]);
    }
  }
  const auto words = int(recorded.target.size());
  QCOMPARE(compared, words * int(recorded.source.size()) + words * (words + 1) / 2);
}

void TestTrainedAttention::translatedHypothesesAreTheModels_data() {
  models();  // the window translates with the best and the last checkpoint
}

// The n-best of a sentence that the window has translated, recorded along the beam, against each
// hypothesis forced.
void TestTrainedAttention::translatedHypothesesAreTheModels() {
  QFETCH(QString, run);
  QFETCH(int, step);
  open(run, step);
  TranslatePanel* translate = window_->panel<TranslatePanel>();
  translate->select({.run = runOf(run)});
  auto* checkpoint = translate->findChild<QComboBox*>("translateCheckpoint");
  checkpoint->setCurrentIndex(checkpoint->findData("last"));
  translate->findChild<QSpinBox*>("translateNbest")->setValue(3);
  const QString text = sentences_[5];
  translate->setText(text);
  translate->translate();
  QTRY_VERIFY_WITH_TIMEOUT(!translate->isBusy(), kPatience);
  QVERIFY2(translate->error().isEmpty(), qPrintable(translate->error()));
  auto* list = child<QListWidget>("historySentences");
  QCOMPARE(list->count(), 6);  // above those that the trainer recorded
  for (int n = 0; n < 3; ++n) {
    QVERIFY(list->item(n)->text().startsWith(QStringLiteral("%1-best: ").arg(n + 1)));
    list->setCurrentRow(n);
    const auto& target = translate->hypotheses()[std::size_t(n)].words;
    QCOMPARE(panel()->sentence()->arcs()->words(), qs(target));
    compare(force(run, step, text, target));
    if (QTest::currentTestFailed()) return;
  }
}

// Subwords joined: a row keeps its sums, no piece is left.
void TestTrainedAttention::wholeWordsKeepTheSums() {
  open("hybrid", kLast);
  auto* list = child<QListWidget>("historySentences");
  auto* words = child<QCheckBox>("historyWords");
  int joined = 0;
  for (int sentence = 0; sentence < list->count(); ++sentence) {
    list->setCurrentRow(sentence);
    const qsizetype tokens = panel()->sentence()->map()->maps()[0].rows.size();
    words->setChecked(true);
    const HeatMap& map = panel()->sentence()->map()->maps()[0];
    const auto columns = panel()->sentence()->map()->columns().size();
    joined += int(tokens - map.rows.size());
    for (int row = 0; row < map.rows.size(); ++row) {
      QVERIFY(!map.rows[row].contains("@@"));
      const float sum = map.values[std::size_t((row + 1) * columns - 1)];
      COMPARE_NEAR(sum, 1);
    }
    words->setChecked(false);
  }
  QVERIFY2(joined > 0, "no sentence has subwords");
}

STRATA_TEST(TestTrainedAttention)
#include "test_trained_attention.moc"
