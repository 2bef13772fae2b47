#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/decode/beam_search.h"
#include "core/decode/candidates.h"
#include "core/decode/scorer.h"
#include "models/catalogue.h"
#ifndef Q_MOC_RUN
#include "tests/decode/with_rests.h"
#include "tests/program.h"
#endif

namespace strata {
namespace {

std::shared_ptr<TranslationModel> small(torch::ScalarType type = torch::kFloat64) {
  registerModels();
  const Json config{{"format", 1},
                    {"family", "transformer"},
                    {"src_vocab", 19},
                    {"tgt_vocab", 17},
                    {"embed_dim", 16},
                    {"ffn_dim", 24},
                    {"heads", 2},
                    {"encoder_layers", 2},
                    {"decoder_layers", 2},
                    {"fusion_attn_dim", 12},
                    {"fusion_ffn_dim", 10},
                    {"encoder_fusion", {{"type", "fnn"}}},
                    {"decoder_fusion", {{"type", "sa"}, {"hops", 3}}}};
  auto model = createModel(config, {.type = type});
  model->initialise("default", 7);  // its translations end early and late
  model->eval();
  return model;
}

// Recordings with their rests added, by name.
std::map<std::string, std::vector<double>> whole(const std::vector<Recording>& recordings) {
  std::map<std::string, std::vector<double>> sums;
  for (const Recording& recording : recordings) {
    std::string name = recording.info.name;
    if (name.ends_with(".rest")) name.resize(name.size() - 5);
    auto& values = sums[name];
    values.resize(recording.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += double(recording.values[i]);
  }
  return sums;
}

// The internals that the model publishes for given target words.
std::map<std::string, std::vector<double>> forced(TranslationModel& model,
                                                  const std::vector<TokenId>& source,
                                                  const std::vector<TokenId>& words) {
  const torch::NoGradGuard frozen;
  const std::vector<std::int64_t> ids(source.begin(), source.end());
  std::vector<std::int64_t> fed{2};
  fed.insert(fed.end(), words.begin(), words.end() - 1);
  const SentenceLengths lengths{std::ssize(source), std::ssize(words)};
  Recorder encoder, decoder;
  const auto memory = model.encode(
      makeSourceBatch(torch::tensor(ids).unsqueeze(0), torch::tensor({lengths.source})), &encoder);
  model.decode(*memory, torch::tensor(fed).unsqueeze(0), &decoder);
  std::vector<Recording> recordings;
  for (const Recorder& recorder : {encoder, decoder}) {
    for (const RecordedTensor& recorded : recorder.tensors())
      recordings.push_back(recordingOf(recorded, 0, lengths));
  }
  return whole(recordings);
}

BeamInput threeSentences() {
  return {.sources = {{4, 5, 6, 7, 2}, {8, 9, 2}, {10, 11, 12, 2}}, .prefixes = {}};
}

BeamOptions beamOf(int width) {
  BeamOptions options;
  options.beam = width;
  options.nbest = 0;
  options.maxLengthFactor = 0;
  options.maxLengthOffset = 7;
  return options;
}

}  // namespace

class TestBeamSearch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bestColumnsKeepTheOrderOfTies();
  void beamOneIsGreedy();
  void batchesChangeNothing();
  void scoresAreThoseOfTheScorer();
  void lengthRulesOnlyRank();
  void translationsAreAsLongAsAsked();
  void prefixesAreKept();
  void recordingsEqualAForcedRun_data();
  void recordingsEqualAForcedRun();
  void interventionsReachSearchAndScorer();
  void meansAreOfAllPositions();
  void cancellingStops();
  void emptySourcesAreRefused();
};

void TestBeamSearch::bestColumnsKeepTheOrderOfTies() {
  const auto table =
      torch::tensor({{9.0, 9.0, 1.0, 3.0, 3.0, 2.0, 3.0}, {0.0, 0.0, 5.0, 4.0, 4.0, 4.0, 6.0}});
  std::vector<Candidate> found;
  const CandidateTable candidates(table, 3);
  candidates.best(0, 1.0, found);
  QCOMPARE(found.size(), std::size_t{3});
  QCOMPARE(found[0].token, 3);  // 0 and 1 are <s> and <pad>
  QCOMPARE(found[1].token, 4);
  QCOMPARE(found[2].token, 6);
  QCOMPARE(found[0].total, 4.0);
  QCOMPARE(candidates.given(1, 2, 0.5).total, 5.5);
}

// The search by hand: feed, take the likeliest allowed word, until </s> or the last place.
void TestBeamSearch::beamOneIsGreedy() {
  const torch::NoGradGuard frozen;
  const auto model = small();
  const auto input = threeSentences();
  const auto found = beamSearch(*model, input, beamOf(1));
  for (std::size_t i = 0; i < input.sources.size(); ++i) {
    const std::vector<std::int64_t> ids(input.sources[i].begin(), input.sources[i].end());
    const auto length = static_cast<std::int64_t>(ids.size());
    const auto memory = model->encode(
        makeSourceBatch(torch::tensor(ids).unsqueeze(0), torch::tensor({length})), nullptr);
    std::vector<std::int64_t> fed{2};
    std::vector<TokenId> words;
    while (words.empty() || words.back() != kEndId) {
      auto scores =
          model->project(model->decode(*memory, torch::tensor(fed).unsqueeze(0), nullptr))[0][-1]
              .clone();
      scores[0] = scores[1] = -INFINITY;
      words.push_back(
          words.size() == 6 ? kEndId : static_cast<TokenId>(scores.argmax().item<std::int64_t>()));
      fed.push_back(words.back());
    }
    QCOMPARE(found[i].size(), std::size_t{1});
    QCOMPARE(found[i][0].tokens, words);
  }
}

void TestBeamSearch::batchesChangeNothing() {
  const auto model = small();
  const auto input = threeSentences();
  const auto together = beamSearch(*model, input, beamOf(4));
  for (std::size_t i = 0; i < input.sources.size(); ++i) {
    const auto alone =
        beamSearch(*model, {.sources = {input.sources[i]}, .prefixes = {}}, beamOf(4));
    QCOMPARE(alone[0].size(), together[i].size());
    for (std::size_t h = 0; h < alone[0].size(); ++h) {
      QCOMPARE(alone[0][h].tokens, together[i][h].tokens);
      QVERIFY(std::abs(alone[0][h].score - together[i][h].score) < 1e-9);
    }
  }
}

void TestBeamSearch::scoresAreThoseOfTheScorer() {
  const auto model = small();
  const auto input = threeSentences();
  const auto found = beamSearch(*model, input, beamOf(3));
  ScoredPairs pairs;
  std::vector<const Hypothesis*> hypotheses;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Hypothesis& hypothesis : found[i]) {
      pairs.sources.push_back(input.sources[i]);
      pairs.targets.push_back(hypothesis.tokens);
      hypotheses.push_back(&hypothesis);
    }
  }
  const auto scores = scorePairs(*model, pairs, {.batchSentences = 4});
  for (std::size_t i = 0; i < scores.size(); ++i) {
    QCOMPARE(scores[i].size(), hypotheses[i]->tokenLogProbabilities.size());
    double sum = 0;
    for (std::size_t t = 0; t < scores[i].size(); ++t) {
      QVERIFY(std::abs(scores[i][t] - hypotheses[i]->tokenLogProbabilities[t]) < 1e-9);
      sum += scores[i][t];
    }
    QVERIFY(std::abs(sum - hypotheses[i]->logProbability) < 1e-9);
  }
}

void TestBeamSearch::lengthRulesOnlyRank() {
  const auto model = small();
  const auto setOf = [&](const char* rule) {
    BeamOptions options = beamOf(4);
    options.lengthRule = LengthRule::parse(rule);
    std::map<std::vector<TokenId>, double> scores;
    double last = INFINITY;
    const auto found = beamSearch(*model, threeSentences(), options);
    for (const Hypothesis& hypothesis : found[0]) {
      if (hypothesis.score > last) return std::map<std::vector<TokenId>, double>();
      last = hypothesis.score;
      scores[hypothesis.tokens] = hypothesis.logProbability;
      const double n = double(hypothesis.tokens.size());
      const double divisor = std::string(rule) == "none"       ? 1
                             : std::string(rule) == "mean"     ? n
                             : std::string(rule) == "gnmt:0.6" ? std::pow((5 + n) / 6, 0.6)
                                                               : std::pow(n, 0.6);
      const double sum = hypothesis.logProbability - (rule[0] == 'm' && rule[1] == 'a' ? n / 5 : 0);
      if (std::abs(hypothesis.score - sum / divisor) > 1e-12)
        return std::map<std::vector<TokenId>, double>();
    }
    return scores;
  };
  const auto plain = setOf("none");
  QVERIFY(!plain.empty());
  QCOMPARE(setOf("mean"), plain);
  QCOMPARE(setOf("gnmt:0.6"), plain);
  QCOMPARE(setOf("power:0.6"), plain);
  QCOMPARE(setOf("marian:0.6,0.2"), plain);
}

void TestBeamSearch::translationsAreAsLongAsAsked() {
  const auto model = small();
  BeamOptions options = beamOf(12);  // at most 7 tokens
  const auto shortest = [&](std::int64_t least) {
    options.minLength = least;
    std::size_t length = SIZE_MAX;
    for (const auto& list : beamSearch(*model, threeSentences(), options)) {
      for (const Hypothesis& hypothesis : list) length = std::min(length, hypothesis.tokens.size());
    }
    return length;
  };
  QVERIFY(shortest(1) < 5);
  QCOMPARE(shortest(5), std::size_t(5));
  QCOMPARE(shortest(7), std::size_t(7));
  QCOMPARE(shortest(9), std::size_t(7));  // the most goes before it
}

void TestBeamSearch::prefixesAreKept() {
  const auto model = small();
  BeamInput input = threeSentences();
  input.prefixes = {{5, 6}, {}, {7, 8, 9, 10, 11, 12, 13, 14}};
  const auto found = beamSearch(*model, input, beamOf(3));
  for (std::size_t i = 0; i < found.size(); ++i) {
    QVERIFY(!found[i].empty());
    for (const Hypothesis& hypothesis : found[i]) {
      const auto& prefix = input.prefixes[i];
      QVERIFY(hypothesis.tokens.size() > prefix.size());
      QVERIFY(std::equal(prefix.begin(), prefix.end(), hypothesis.tokens.begin()));
      QCOMPARE(hypothesis.tokens.back(), kEndId);
    }
  }
}

void TestBeamSearch::recordingsEqualAForcedRun_data() {
  QTest::addColumn<int>("type");
  QTest::addColumn<double>("tolerance");
  QTest::addColumn<bool>("ofTheLargest");
  QTest::newRow("float64") << int(torch::kFloat64) << 1e-9 << false;
  QTest::newRow("float32") << int(torch::kFloat32) << 1e-4 << true;
}

void TestBeamSearch::recordingsEqualAForcedRun() {
  QFETCH(int, type);
  QFETCH(double, tolerance);
  QFETCH(bool, ofTheLargest);
  WithRests model(small(torch::ScalarType(type)));
  BeamOptions options = beamOf(4);
  options.record = {"*"};
  const auto input = threeSentences();
  const auto found = beamSearch(model, input, options);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Hypothesis& hypothesis : found[i]) {
      const auto expected = forced(model, input.sources[i], hypothesis.tokens);
      const auto got = whole(hypothesis.recordings);
      QCOMPARE(got.size(), model.recordable().size());
      QCOMPARE(hypothesis.recordings.size(), 2 * got.size());
      for (const auto& [name, values] : expected) {
        const auto largest = std::abs(*std::ranges::max_element(
            values, [](double a, double b) { return std::abs(a) < std::abs(b); }));
        QCOMPARE(got.at(name).size(), values.size());
        for (std::size_t v = 0; v < values.size(); ++v) {
          QVERIFY2(
              std::abs(got.at(name)[v] - values[v]) <= tolerance * (ofTheLargest ? largest : 1),
              name.c_str());
        }
      }
    }
  }
}

// Without an attention head, search and scorer still agree.
void TestBeamSearch::interventionsReachSearchAndScorer() {
  const auto model = small();
  const auto input = threeSentences();
  const auto replaced = Interventions::parse(
      {"decoder.layers.1.encoder_attn[head=0]=zero", "encoder.fusion.hop_weights=0.5"});
  const auto alsoInEncoder = Interventions::parse({"encoder.memory=zero"});
  const auto atOnePlace = Interventions::parse({"decoder.layers.1.encoder_attn[target=1]=read:0",
                                                "decoder.layers.0.self_attn[target=2]=read:1"});
  for (const Interventions* interventions : {&replaced, &alsoInEncoder, &atOnePlace}) {
    BeamOptions options = beamOf(3);
    options.minLength = 3;  // all the positions that are named
    options.interventions = interventions;
    const auto found = beamSearch(*model, input, options);
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const Hypothesis& hypothesis : found[i]) {
        const ScoredPairs pair{{input.sources[i]}, {hypothesis.tokens}};
        const auto without = scorePairs(*model, pair, {.interventions = interventions})[0];
        const auto with = scorePairs(*model, pair)[0];
        for (std::size_t t = 0; t < without.size(); ++t) {
          QVERIFY(std::abs(without[t] - hypothesis.tokenLogProbabilities[t]) < 1e-9);
          largest = std::max(largest, std::abs(with[t] - without[t]));
        }
        QVERIFY(hypothesis.recordings.empty());
      }
    }
    QVERIFY(largest > 1e-4);
  }
}

void TestBeamSearch::meansAreOfAllPositions() {
  WithRests model(small());
  const std::vector<std::string> names{"encoder.memory", "decoder.fusion.hop_weights"};
  ScoredPairs pairs{threeSentences().sources, {{4, 5, 2}, {6, 2}, {7, 8, 9, 10, 2}}};
  const auto means = internalMeans(*small(), pairs, names, {.batchSentences = 2});
  QCOMPARE(means.size(), names.size());
  for (const std::string& name : names) {
    const torch::Tensor& mean = means.at(name);
    const auto width = mean.numel();  // positions come first in both
    std::vector<double> sum(static_cast<std::size_t>(width), 0);
    std::size_t positions = 0;
    for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
      const auto values = forced(model, pairs.sources[i], pairs.targets[i]).at(name);
      positions += values.size() / sum.size();
      for (std::size_t v = 0; v < values.size(); ++v) sum[v % sum.size()] += values[v];
    }
    const auto flat = mean.flatten();
    for (std::int64_t v = 0; v < width; ++v)
      QVERIFY(std::abs(flat[v].item<double>() - sum[std::size_t(v)] / double(positions)) < 1e-9);
  }
  auto replaced = Interventions::parse({"encoder.memory=mean"});
  replaced.setMean("encoder.memory", means.at("encoder.memory"));
  const auto scores = scorePairs(*small(), pairs, {.interventions = &replaced});
  // The source is the same everywhere: two sources of one length are one to the decoder.
  const ScoredPairs others{{{9, 9, 9, 9, 2}, {5, 5, 2}, {6, 6, 6, 2}}, pairs.targets};
  const auto same = scorePairs(*small(), others, {.interventions = &replaced});
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t t = 0; t < scores[i].size(); ++t)
      QVERIFY(std::abs(scores[i][t] - same[i][t]) < 1e-9);
  }
}

void TestBeamSearch::cancellingStops() {
  std::stop_source source;
  source.request_stop();
  BeamOptions options = beamOf(2);
  options.stop = source.get_token();
  QVERIFY_THROWS_EXCEPTION(Cancelled, beamSearch(*small(), threeSentences(), options));
}

void TestBeamSearch::emptySourcesAreRefused() {
  QVERIFY_THROWS_EXCEPTION(Error,
                           beamSearch(*small(), {.sources = {{}}, .prefixes = {}}, beamOf(2)));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestBeamSearch)
#include "test_beam_search.moc"
