// Waits of the host for a GPU during searches, on the counting device: one per step, and what is
// found is what the CPU finds.
#include <QtTest>

#include "core/decode/search_all.h"
#include "core/nn/arithmetic.h"
#include "device/waits_fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace testing;

// The same with all parameters redrawn, so that no two words are nearly equally likely, and in
// float64, so that the order of summation does not matter.
std::shared_ptr<TranslationModel> decidedModelOf(const ExperimentSpec& spec, bool onDevice) {
  const auto model = modelFor(spec, onDevice, torch::kFloat64);
  const torch::NoGradGuard frozen;
  torch::manual_seed(7);
  for (auto& parameter : model->parameters())
    parameter.copy_(torch::empty(parameter.sizes()).normal_(0, 0.2));
  return model;
}

const std::vector<std::vector<TokenId>> kSources{{7, 8, 9, 10, 11, 2}, {5, 6, 2}, {12, 4, 9, 2}};

// A search that hands back every hypothesis, of at most two tokens more than its source.
BeamOptions briefSearch(int beam) {
  BeamOptions options;
  options.beam = beam;
  options.nbest = 0;
  options.maxLengthFactor = 1;
  options.maxLengthOffset = 2;
  return options;
}

// Steps of a search whose every hypothesis is handed back.
std::int64_t stepsOf(const std::vector<std::vector<Hypothesis>>& found) {
  std::size_t steps = 0;
  for (const auto& hypotheses : found) {
    for (const Hypothesis& hypothesis : hypotheses)
      steps = std::max(steps, hypothesis.tokens.size());
  }
  return static_cast<std::int64_t>(steps);
}

std::int64_t recordingsIn(const std::vector<std::vector<Hypothesis>>& found) {
  std::int64_t recordings = 0;
  for (const auto& hypotheses : found) {
    for (const Hypothesis& hypothesis : hypotheses) recordings += std::ssize(hypothesis.recordings);
  }
  return recordings;
}

// On the device and on the host: the same words, and scores up to rounding.
void compareHypotheses(const std::vector<std::vector<Hypothesis>>& found,
                       const std::vector<std::vector<Hypothesis>>& host) {
  QCOMPARE(found.size(), host.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    QCOMPARE(found[i].size(), host[i].size());
    for (std::size_t k = 0; k < found[i].size(); ++k) {
      QCOMPARE(found[i][k].tokens, host[i][k].tokens);
      QVERIFY(std::abs(found[i][k].score - host[i][k].score) < 1e-3);
    }
  }
}

}  // namespace

class TestSearchWaits : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void searchesWaitOnceAStep_data();
  void searchesWaitOnceAStep();
  void laterSentencesWaitForNothingElse_data() { addSystems(); }
  void laterSentencesWaitForNothingElse();
  void halfSearchesWaitOnceAStep_data() { addSystems(); }
  void halfSearchesWaitOnceAStep();
};

void TestSearchWaits::searchesWaitOnceAStep_data() {
  QTest::addColumn<int>("system");
  QTest::addColumn<QString>("kind");
  for (std::size_t i = 0; i < std::size(kSystems); ++i) {
    for (const char* kind : {"greedy", "beam", "forced", "restricted", "sampled", "recorded"})
      QTest::addRow("%s %s", kSystems[i].preset, kind) << static_cast<int>(i) << kind;
  }
}

// One transfer per step brings the values that the host needs; nothing else waits, for any number
// of layers. Where the beams stay on the device, their words follow at the end. Recordings are for
// the host: one more transfer per internal and hypothesis, at the end of the search. The first
// search uploads position tables.
void TestSearchWaits::searchesWaitOnceAStep() {
  QFETCH(int, system);
  QFETCH(QString, kind);
  const ExperimentSpec spec = specOf(kSystems[system]);
  const auto model = decidedModelOf(spec, true);
  BeamInput input;
  input.sources = kSources;
  BeamOptions options = briefSearch(kind == "greedy" ? 1 : 4);
  if (kind == "forced") input.prefixes = {{7, 8}, {}, {9}};
  if (kind == "restricted") {
    options.noRepeat = 2;
    options.unknownPenalty = 1;
    options.minLength = 3;
    options.diversity = 0.1;
  }
  if (kind == "sampled") options.sampling = SamplingOptions{};
  if (kind == "recorded") options.record = {"*"};
  takeDeviceTraffic();
  const auto found = beamSearch(*model, input, options);
  DeviceTraffic traffic = takeDeviceTraffic();
  const std::string text = traffic.text();
  QVERIFY2(traffic.waits["upload"] <= kSystems[system].sinusoids, text.c_str());
  traffic.waits.erase("upload");
  const std::int64_t steps = stepsOf(found);
  QVERIFY(steps > 2);
  const std::int64_t recordings = recordingsIn(found);
  QCOMPARE(recordings > 0, kind == "recorded");
  const bool stays = kind == "greedy" || kind == "beam";
  QCOMPARE(traffic.text(), fmt::format("download {}", steps + recordings + (stays ? 1 : 0)));
  // The batch's three tensors; the first words, sentences, places and limits, and which sentences
  // go on, or a step's words, rows, sentences, places and forced words.
  QVERIFY2(traffic.pinnedUploads <= (stays ? 7 + std::ssize(kSources) : 3 + 5 * steps),
           std::to_string(traffic.pinnedUploads).c_str());

  const auto host = beamSearch(*decidedModelOf(spec, false), input, options);
  compareHypotheses(found, host);
}

// Sentences that take the places of completed ones: still one transfer per step, and one at the
// end.
void TestSearchWaits::laterSentencesWaitForNothingElse() {
  QFETCH(int, system);
  const ExperimentSpec spec = specOf(kSystems[system]);
  const auto model = decidedModelOf(spec, true);
  BeamInput input;
  for (const TokenId word : {5, 9}) {
    for (auto source : kSources) {
      source.front() = word;
      input.sources.push_back(source);
    }
  }
  const BeamOptions options = briefSearch(3);
  takeDeviceTraffic();
  const auto found = searchAll(*model, input, options, 2);
  DeviceTraffic traffic = takeDeviceTraffic();
  const std::string text = traffic.text();
  QVERIFY2(traffic.waits["upload"] <= kSystems[system].sinusoids, text.c_str());
  // Two places: the steps are half of all sentences' words at least, and at most the longest more.
  std::int64_t words = 0;
  for (const auto& hypotheses : found) words += stepsOf({hypotheses});
  const std::int64_t steps = traffic.waits["download"] - 1;
  QVERIFY2(steps >= words / 2 && steps <= words / 2 + stepsOf(found), text.c_str());
  traffic.waits.erase("upload");
  traffic.waits.erase("download");
  QVERIFY2(traffic.waits.empty(), text.c_str());

  const auto host = searchAll(*decidedModelOf(spec, false), input, options, 6);
  compareHypotheses(found, host);
}

// The same with products in bf16, which rounds factors on the device.
void TestSearchWaits::halfSearchesWaitOnceAStep() {
  QFETCH(int, system);
  const auto model = modelFor(specOf(kSystems[system]));
  const ArithmeticScope scope(model->productArithmetic(true));
  BeamInput input;
  input.sources = kSources;
  const BeamOptions options = briefSearch(3);
  takeDeviceTraffic();
  const auto found = beamSearch(*model, input, options);
  DeviceTraffic traffic = takeDeviceTraffic();
  const std::string text = traffic.text();
  QVERIFY2(traffic.waits["upload"] <= kSystems[system].sinusoids, text.c_str());
  traffic.waits.erase("upload");
  QCOMPARE(traffic.text(), fmt::format("download {}", stepsOf(found) + 1));
  for (const auto& hypotheses : found) {
    for (const Hypothesis& hypothesis : hypotheses) QVERIFY(std::isfinite(hypothesis.score));
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestSearchWaits)
#include "test_search_waits.moc"
