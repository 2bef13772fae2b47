#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/decode/ensemble.h"
#include "core/decode/unknown_words.h"
#include "tests/decode/bigram_model.h"
#include "tests/decode/side_of.h"
#include "tests/fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

RecordingInfo attention(const std::string& name, int layer, std::vector<std::string> axes) {
  return {name, "attention", "decoder", layer, std::move(axes)};
}

// Offers whatever internals a test wants it to.
class Offering : public BigramModel {
 public:
  explicit Offering(std::vector<RecordingInfo> infos)
      : BigramModel({{1, 1}, {1, 1}}), infos_(std::move(infos)) {}
  std::vector<RecordingInfo> recordable() const override { return infos_; }

 private:
  std::vector<RecordingInfo> infos_;
};

const std::vector<RecordingInfo> kLayers{
    attention("encoder.layers.5.self_attn", 5, {"head", "source", "source"}),
    attention("decoder.layers.0.encoder_attn", 0, {"head", "target", "source"}),
    attention("decoder.layers.1.encoder_attn", 1, {"head", "target", "source"}),
    attention("decoder.layers.1.attn.7", 1, {"target", "source"}),
    attention("decoder.layers.2.self_attn", 2, {"head", "target", "history"})};

Lexicon donkeys() {
  const std::vector<LexiconEntry> entries{{"Esel", "donkey", 1}};
  return Lexicon(entries);
}

// Two heads over three words and </s>, for the tokens <unk>, "a", <unk> and </s>.
Hypothesis twoUnknown() {
  Hypothesis hypothesis;
  hypothesis.tokens = {kUnknownId, kFirstWordId, kUnknownId, kEndId};
  const std::vector<float> first{0.1f, 0.2f, 0.3f, 0.4f, 1, 0, 0, 0,  //
                                 0.9f, 0.1f, 0,    0,    0, 0, 0, 1};
  const std::vector<float> second{0.1f, 0.5f, 0.2f, 0.2f, 0, 1, 0, 0,  //
                                  0.2f, 0.3f, 0.5f, 0,    0, 0, 0, 1};
  Recording map{attention("decoder.layers.1.encoder_attn", 1, {"head", "target", "source"}),
                {2, 4, 4},
                first};
  map.values.insert(map.values.end(), second.begin(), second.end());
  hypothesis.recordings = {map};
  return hypothesis;
}

}  // namespace

class TestUnknownWords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLastLayerAligns();
  void everyModelOfAnEnsembleAligns();
  void modelsWithoutAlignmentAreRefused();
  void positionsByHand();
  void historyIsNoSource();
  void unknownWordsAreTranslated();
  void partsOfAWordStandForIt();
};

void TestUnknownWords::theLastLayerAligns() {
  using Names = std::vector<std::string>;
  const Offering model(kLayers);
  QCOMPARE(alignmentNames(model, {}),
           (Names{"decoder.layers.1.encoder_attn", "decoder.layers.1.attn.7"}));
  QCOMPARE(alignmentNames(model, {.attention = "decoder.layers.0.encoder_attn"}),
           Names{"decoder.layers.0.encoder_attn"});
  QCOMPARE(alignmentNames(model, {.attention = "decoder.*"}).size(), std::size_t(3));
  const Offering interface({attention("decoder.attention", -1, {"target", "source"})});
  QCOMPARE(alignmentNames(interface, {}), Names{"decoder.attention"});
  const std::string message =
      usageErrorOf([&] { alignmentNames(model, {.attention = "decoder.layers.2.self_attn"}); });
  QVERIFY(holds(message, "decoder.layers.2.self_attn") &&
          holds(message, "decoder.layers.1.attn.7"));
}

void TestUnknownWords::everyModelOfAnEnsembleAligns() {
  const auto shallow = std::make_shared<Offering>(std::vector{kLayers[1]});
  const auto deep = std::make_shared<Offering>(kLayers);
  const Ensemble both({shallow, deep}, EnsembleKind::kLinear);
  QCOMPARE(alignmentNames(both, {}),
           (std::vector<std::string>{"models.0.decoder.layers.0.encoder_attn",
                                     "models.1.decoder.layers.1.encoder_attn",
                                     "models.1.decoder.layers.1.attn.7"}));
}

void TestUnknownWords::modelsWithoutAlignmentAreRefused() {
  const Offering model({kLayers[0], kLayers[4]});
  const std::string message = usageErrorOf([&] { alignmentNames(model, {}); });
  QVERIFY(holds(message, "--posunk") && holds(message, "bigram"));
}

// Means of the heads: <unk> 0.1 0.35 0.25, "a" 0.5 0.5 0, <unk> 0.55 0.2 0.25; </s> counts nowhere.
void TestUnknownWords::positionsByHand() {
  using Positions = std::vector<std::int64_t>;
  const std::vector<std::string> names{"decoder.layers.1.encoder_attn"};
  const Hypothesis hypothesis = twoUnknown();
  QCOMPARE(alignedPositions(hypothesis, names, -1), (Positions{1, 0, 0, 0}));
  QCOMPARE(alignedPositions(hypothesis, names, 0), (Positions{2, 0, 0, 0}));
  QCOMPARE(alignedPositions(hypothesis, names, 1), (Positions{1, 1, 2, 0}));
  QVERIFY(holds(usageErrorOf([&] { alignedPositions(hypothesis, names, 2); }), "2 heads"));
}

// Two words over three source positions, then the history's two columns, which weigh most.
void TestUnknownWords::historyIsNoSource() {
  const auto info = [] {
    auto made = attention("decoder.layers.0.hybrid_attn", 0, {"target", "memory"});
    made.kind = "joint_attention";
    return made;
  }();
  QCOMPARE(alignmentNames(Offering({info}), {}), std::vector<std::string>{info.name});
  Hypothesis hypothesis;
  hypothesis.tokens = {kUnknownId, kEndId};
  hypothesis.recordings = {
      {info, {2, 5}, {0.1f, 0.2f, 0.0f, 0.7f, 0, 0.2f, 0.1f, 0.1f, 0.1f, 0.5f}}};
  QCOMPARE(alignedPositions(hypothesis, {info.name}, -1), (std::vector<std::int64_t>{1, 0}));
}

void TestUnknownWords::unknownWordsAreTranslated() {
  TextPipeline text(sideOf({"der"}), sideOf({"a"}));
  const Offering model(kLayers);
  UnknownWords words(model, text, donkeys(), {.attention = "decoder.layers.1.encoder_attn"});
  QCOMPARE(words.tokens(twoUnknown(), "Graz der  Esel"), std::string("der a Graz"));
  QCOMPARE(words.tokens(twoUnknown(), "Esel Wien x"), std::string("Wien a donkey"));
  Hypothesis known;  // nothing was recorded, nothing is asked
  known.tokens = {kFirstWordId, kEndId};
  QCOMPARE(words.tokens(known, "der"), std::string("a"));
}

// "Esel" is one word of two units: a position in either means the whole.
void TestUnknownWords::partsOfAWordStandForIt() {
  PipelineSide source = sideOf({"Es@@", "el", "x"});
  source.codes = "#version: 0.2\nE s\ne l</w>\n";
  TextPipeline text(source, sideOf({"a"}));
  const Offering model(kLayers);
  UnknownWords words(model, text, donkeys(), {.attention = "decoder.layers.1.encoder_attn"});
  QCOMPARE(text.units(Side::kSource, "Esel x"), std::string("Es@@ el x"));
  QCOMPARE(words.tokens(twoUnknown(), "Esel x"), std::string("donkey a donkey"));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestUnknownWords)
#include "test_unknown_words.moc"
