// The Transformer by itself, without the family that MLRF makes of it.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "models/transformer/model.h"
#include "tests/models/model_fixture.h"
#include "tests/program.h"

namespace strata {

using namespace testing;

class TestTransformer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theFamilyWithoutFusionsIsTheTransformer();
  void bothSidesMayShareOneTable();
  void levelsAreReplacedInEveryStep();
};

namespace {

transformer::Shape smallShape() {
  return {.sourceVocabulary = kSourceWords,
          .targetVocabulary = kTargetWords,
          .encoderLayers = 2,
          .decoderLayers = 3,
          .layer = {.width = 16, .inner = 24, .heads = 2}};
}

}  // namespace

// The same parameters in the same order, drawn alike, and the same result.
void TestTransformer::theFamilyWithoutFusionsIsTheTransformer() {
  for (const char* init : {"default", "iwslt"}) {
    const auto family = smallModel({{"family", "transformer"},
                                    {"embed_dim", 16},
                                    {"ffn_dim", 24},
                                    {"heads", 2},
                                    {"encoder_layers", 2},
                                    {"decoder_layers", 3}},
                                   torch::kFloat32, init);
    const auto alone = std::make_shared<transformer::TransformerModel>(smallShape());
    alone->initialise(init, 5);
    const auto expected = family->named_parameters(), got = alone->named_parameters();
    QVERIFY(got.keys() == expected.keys());
    for (const auto& parameter : got)
      QVERIFY2(torch::equal(parameter.value(), expected[parameter.key()]), parameter.key().c_str());
    family->eval();
    alone->eval();
    const torch::NoGradGuard frozen;
    const Sentences all = threeSentences();
    QVERIFY(largest(featuresOf(*alone, all.source, all.targetIn),
                    featuresOf(*family, all.source, all.targetIn)) < 1e-5);
  }
}

void TestTransformer::bothSidesMayShareOneTable() {
  transformer::Shape shape = smallShape();
  shape.targetVocabulary = shape.sourceVocabulary;
  shape.sharing.all = true;
  const auto model = std::make_shared<transformer::TransformerModel>(shape);
  const auto parameters = model->named_parameters();
  QVERIFY(parameters.contains("encoder.embed_tokens.weight"));
  QVERIFY(!parameters.contains("decoder.embed_tokens.weight"));
  QVERIFY(!parameters.contains("decoder.output_projection.weight"));
  QVERIFY(model->projection().weight_VD.is_same(parameters["encoder.embed_tokens.weight"]));
}

void TestTransformer::levelsAreReplacedInEveryStep() {
  const auto model = smallModel({{"family", "transformer"},
                                 {"embed_dim", 16},
                                 {"ffn_dim", 24},
                                 {"heads", 2},
                                 {"encoder_layers", 2},
                                 {"decoder_layers", 2},
                                 {"fusion_attn_dim", 12},
                                 {"fusion_ffn_dim", 10},
                                 {"encoder_fusion", {{"type", "fnn"}}},
                                 {"decoder_fusion", {{"type", "sa"}, {"hops", 3}}}});
  checkInterventions(
      *model,
      {"encoder.levels.0=zero", "encoder.levels.fused=zero", "decoder.levels.1=0.5",
       "decoder.levels.2[feature=1]=2", "decoder.levels.fused=1", "decoder.fusion.levels=mean",
       "decoder.levels.1=mean", "decoder.layers.1.encoder_attn[target=1]=read:0*1,1*2",
       "decoder.layers.0.encoder_attn[head=1,target=2]=read:1",
       "decoder.layers.0.encoder_attn[target=1,source=1]=mask",
       "decoder.layers.1.self_attn[target=3]=read:0",
       "decoder.layers.1.self_attn[target=3,history=2]=mask",
       "decoder.fusion.hop_weights[target=1]=read:2",
       "decoder.fusion.hop_weights[target=1,hop=2]=read:0*0.3,2*0.7"});
  checkWeightsGiven(*model, {"decoder.layers.0.encoder_attn", "decoder.layers.1.encoder_attn"});
  checkOwnWeights(*model, {"decoder.layers.0.self_attn", "decoder.layers.0.encoder_attn",
                           "decoder.layers.1.encoder_attn", "decoder.fusion.hop_weights"});
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestTransformer)
#include "test_transformer.moc"
