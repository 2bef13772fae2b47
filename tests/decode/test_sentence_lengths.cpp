// Models with positions for short sentences only: what searches and scorers do with longer ones.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/decode/ensemble.h"
#include "core/decode/scorer.h"
#include "core/decode/search_all.h"
#include "core/decode/sentence_lengths.h"
#include "models/catalogue.h"
#include "models/presets.h"
#include "tests/fixture.h"
#ifndef Q_MOC_RUN
#include "tests/program.h"
#endif

namespace strata {
namespace {

// 8 rows of positions, of which two are unused: sentences of at most 6 tokens.
std::shared_ptr<TranslationModel> denseModel(std::int64_t rows = 8) {
  registerModels();
  const Json config{{"format", 1},        {"family", "densenmt"},  {"src_vocab", 12},
                    {"tgt_vocab", 12},    {"embed_dim", 8},        {"hidden", 8},
                    {"growth", 4},        {"position_rows", rows}, {"encoder_layers", 2},
                    {"decoder_layers", 2}};
  auto model = createModel(config, {.type = torch::kFloat64});
  model->setDropout({});
  model->initialise("default", 3);
  model->eval();
  return model;
}

const std::vector<TokenId> kShort{4, 5, 6, kEndId}, kFull{4, 5, 6, 7, 8, kEndId},
    kLong{4, 5, 6, 7, 8, 9, 10, kEndId};

BeamOptions greedySearch(TooLong tooLong) {
  BeamOptions options;
  options.beam = 1;
  options.tooLong = tooLong;
  return options;
}

std::vector<std::vector<TokenId>> wordsOfAll(const std::vector<std::vector<Hypothesis>>& found) {
  std::vector<std::vector<TokenId>> words;
  for (const auto& each : found) words.push_back(each.at(0).tokens);
  return words;
}

}  // namespace

class TestSentenceLengths : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aModelSaysWhatItsConfigurationSays() {
    const auto model = denseModel();
    const auto limit = model->sentenceLimit();
    QVERIFY(limit.has_value());
    QCOMPARE(limit->tokens, std::int64_t(6));
    QCOMPARE(limit->key, std::string("model.position_rows"));
    QCOMPARE(limit->valueFor(8), std::int64_t(10));
    QCOMPARE(sentenceLimitOf(model->config())->tokens, std::int64_t(6));
    const Json free{{"format", 1}, {"family", "transformer"}, {"src_vocab", 12}, {"tgt_vocab", 12}};
    QVERIFY(!sentenceLimitOf(free));
    const Ensemble both({denseModel(20), model}, EnsembleKind::kLinear);
    QCOMPARE(both.sentenceLimit()->tokens, std::int64_t(6));
  }

  // 1.2 x 6 + 10 = 17 tokens would be allowed, but the model has positions for 6.
  void translationsEndWhereThePositionsDo() {
    const auto model = denseModel();
    for (const int beam : {1, 3}) {
      BeamOptions options;
      options.beam = options.nbest = beam;
      options.minLength = 100;  // the maximum takes precedence
      for (const auto& list :
           searchAll(*model, {.sources = {kFull, kShort, kFull}, .prefixes = {}}, options, 2)) {
        QVERIFY(!list.empty());
        for (const Hypothesis& each : list) QVERIFY(each.tokens.size() <= 6);
      }
    }
  }

  void aLongSentenceIsNamedBeforeAnythingIsSearched() {
    const auto model = denseModel();
    const BeamInput input{.sources = {kShort, kShort, kLong}, .prefixes = {}};
    const std::string error =
        usageErrorOf([&] { searchAll(*model, input, greedySearch(TooLong::kError), 1); });
    QHOLDS(error, "Sentence 3 has 8 source tokens, </s> included");
    QHOLDS(error, "positions for 6 (model.position_rows = 8)");
    QHOLDS(error, "model.position_rows of at least 10");
    QHOLDS(usageErrorOf([&] { beamSearch(*model, input, greedySearch(TooLong::kError)); }),
           "Sentence 3 has 8 source tokens");
  }

  void oneLongSentenceDoesNotEndTheOthers() {
    const auto model = denseModel();
    const BeamInput input{.sources = {kShort, kLong, kFull}, .prefixes = {}};
    const BeamInput fitting{.sources = {kShort, kFull}, .prefixes = {}};
    const auto alone = wordsOfAll(searchAll(*model, fitting, greedySearch(TooLong::kError), 1));
    const auto skipped = wordsOfAll(searchAll(*model, input, greedySearch(TooLong::kSkip), 1));
    QCOMPARE(skipped, (std::vector<std::vector<TokenId>>{alone[0], {kEndId}, alone[1]}));
    // Of 8 tokens the first 5 and </s> are left, which is the other sentence.
    const auto cut = wordsOfAll(searchAll(*model, input, greedySearch(TooLong::kCut), 1));
    QCOMPARE(cut, (std::vector<std::vector<TokenId>>{alone[0], alone[1], alone[1]}));
  }

  void aPrefixCanBeSkippedButNotCut() {
    const auto model = denseModel();
    const BeamInput input{.sources = {kShort}, .prefixes = {{4, 5, 6, 7, 8, 9}}};
    QCOMPARE(wordsOfAll(searchAll(*model, input, greedySearch(TooLong::kSkip), 1)).at(0),
             std::vector<TokenId>{kEndId});
    QHOLDS(usageErrorOf([&] { searchAll(*model, input, greedySearch(TooLong::kCut), 1); }),
           "Sentence 1 has 7 target tokens");
  }

  void scorersNameTheSide() {
    const auto model = denseModel();
    QHOLDS(usageErrorOf([&] {
             scorePairs(*model, {.sources = {kShort, kFull}, .targets = {kShort, kLong}});
           }),
           "Sentence 2 has 8 target tokens");
  }

  void choicesHaveNames() {
    for (const std::string& name : tooLongNames())
      QCOMPARE(std::string(nameOf(tooLongNamed(name))), name);
    QHOLDS(usageErrorOf([] { tooLongNamed("drop"); }), "expected error, cut, skip");
  }
};

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestSentenceLengths)
#include "test_sentence_lengths.moc"
