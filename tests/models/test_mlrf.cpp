#include <map>

#include "core/nn/cross_entropy.h"
#include "tests/models/model_fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace testing;

struct Sizes {
  const char* name;
  const char* keys;           // merged into the default configuration of MLRF
  std::int64_t small, large;  // parameters with the vocabularies 8389/6428 and 8848/6632
};

// models.md section 7.
constexpr Sizes kSizes[] = {
    {"base", "{}", 10974748, 11196904},
    {"enc-avg", R"({"encoder_fusion": {"type": "avg"}})", 10974748, 11196904},
    {"dec-avg", R"({"decoder_fusion": {"type": "avg"}})", 10974748, 11196904},
    {"4+4", R"({"encoder_layers": 4, "decoder_layers": 4})", 12817948, 13040104},
    {"6+6", R"({"encoder_layers": 6, "decoder_layers": 6})", 16504348, 16726504},
    {"enc-fnn", R"({"encoder_fusion": {"type": "fnn"}})", 11631644, 11853800},
    {"dec-fnn", R"({"decoder_fusion": {"type": "fnn"}})", 11631644, 11853800},
    {"enc-sa4", R"({"encoder_fusion": {"type": "sa", "hops": 4}})", 11897884, 12120040},
    {"dec-sa4", R"({"decoder_fusion": {"type": "sa", "hops": 4}})", 11897884, 12120040},
    {"dec-sa6", R"({"decoder_fusion": {"type": "sa", "hops": 6}})", 12162076, 12384232},
    {"dec-sa6 per_hop", R"({"decoder_fusion": {"type": "sa", "hops": 6, "w1": "per_hop"}})",
     13472796, 13694952},
    {"dec-sa6 per_layer", R"({"decoder_fusion": {"type": "sa", "hops": 6, "w1": "per_layer"}})",
     12948508, 13170664},
    {"dec-sa4 per_layer", R"({"decoder_fusion": {"type": "sa", "hops": 4, "w1": "per_layer"}})",
     12684316, 12906472},
    {"both-fnn", R"({"encoder_fusion": {"type": "fnn"}, "decoder_fusion": {"type": "fnn"}})",
     12287516, 12509672},
    {"both-sa4", R"({"encoder_fusion": {"type": "sa"}, "decoder_fusion": {"type": "sa"}})",
     12819996, 13042152},
    {"both-fnn-sa4", R"({"encoder_fusion": {"type": "fnn"}, "decoder_fusion": {"type": "sa"}})",
     12553756, 12775912},
};

std::shared_ptr<TranslationModel> make(const std::string& keys, std::int64_t source,
                                       std::int64_t target) {
  Json config{
      {"format", 1}, {"family", "transformer"}, {"src_vocab", source}, {"tgt_vocab", target}};
  config.update(parseJson(keys, "test"));
  return createModel(config);
}

const char* const kSmall =
    R"({"embed_dim": 16, "ffn_dim": 24, "heads": 2, "encoder_layers": 2, "decoder_layers": 2, "fusion_attn_dim": 12,
        "fusion_ffn_dim": 10, "encoder_fusion": {"type": "fnn"}, "decoder_fusion": {"type": "sa", "hops": 3}})";

std::shared_ptr<TranslationModel> small(torch::ScalarType type = torch::kFloat64) {
  Json keys{{"family", "transformer"}};
  keys.update(parseJson(kSmall, "test"));
  return smallModel(keys, type);
}

}  // namespace

class TestMlrf : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void parameterCounts_data();
  void parameterCounts();
  void countsOfTheBaseline();
  void paddingIsInvisible();
  void stepsEqualTeacherForcing();
  void hopWeightsSumToOne();
  void aCellWithoutItsLevelKeepsItsWeight();
  void aHeadWithoutWeightsSaysNothing();
  void aFusionOfOneLevelIsRefused();
  void dropoutFollowsItsKey();
  void savedModelsComeBack();
  void damagedModelsAreRefused();
};

void TestMlrf::parameterCounts_data() {
  QTest::addColumn<int>("index");
  for (std::size_t i = 0; i < std::size(kSizes); ++i) QTest::newRow(kSizes[i].name) << int(i);
}

void TestMlrf::parameterCounts() {
  QFETCH(int, index);
  const Sizes& variant = kSizes[index];
  QCOMPARE(make(variant.keys, 8389, 6428)->parameterCount(), variant.small);
  QCOMPARE(make(variant.keys, 8848, 6632)->parameterCount(), variant.large);
}

void TestMlrf::countsOfTheBaseline() {
  const std::string keys =
      R"({"embed_dim": 512, "ffn_dim": 1024, "heads": 4, "encoder_layers": 6, "decoder_layers": 6,
                               "output_bias": false, )";
  QCOMPARE(
      make(keys + R"("share_decoder_input_output_embed": true})", 8848, 6632)->parameterCount(),
      std::int64_t{39469056});
  QCOMPARE(make(keys + R"("share_all_embeddings": true})", 10152, 10152)->parameterCount(),
           std::int64_t{36741120});
}

void TestMlrf::paddingIsInvisible() {
  checkPadding(*small(), 1e-9);
}

void TestMlrf::stepsEqualTeacherForcing() {
  checkSteps(*small());
}

void TestMlrf::hopWeightsSumToOne() {
  const auto model = small();
  model->eval();
  Recorder recorder({"decoder.fusion.*", "encoder.fusion.level_norms"});
  const Sentences all = threeSentences();
  model->decode(*model->encode(all.source, &recorder), all.targetIn, &recorder);
  // levels, norms, weights, levels as read and hops of the decoder, norms of the encoder
  QCOMPARE(recorder.tensors().size(), std::size_t{6});
  for (const RecordedTensor& recorded : recorder.tensors()) {
    if (recorded.info.name != "decoder.fusion.hop_weights") continue;
    QCOMPARE(recorded.values.sizes().vec(), (std::vector<std::int64_t>{3, 4, 3, 3}));
    QVERIFY((recorded.values.sum(-1) - 1).abs().max().item<double>() < 1e-12);
  }
}

// s~_p = sum_l a^l_p z~^l without one term; the weights and the other hops stay.
void TestMlrf::aCellWithoutItsLevelKeepsItsWeight() {
  const auto model = small();
  model->eval();
  const torch::NoGradGuard frozen;
  const Sentences all = threeSentences();
  const auto recorded = [&](const std::vector<std::string>& texts) {
    const Interventions replaced = Interventions::parse(texts);
    Recorder recorder({"decoder.fusion.*"});
    recorder.intervene(&replaced);
    model->decode(*model->encode(all.source, nullptr), all.targetIn, &recorder);
    std::map<std::string, Tensor> found;
    for (const RecordedTensor& each : recorder.tensors()) found[each.info.name] = each.values;
    return found;
  };
  auto before = recorded({});
  auto after = recorded({"decoder.fusion.read_levels[hop=1,level=2]=zero"});
  const Tensor a_BTPN = before["decoder.fusion.hop_weights"];
  QVERIFY(torch::equal(after["decoder.fusion.hop_weights"], a_BTPN));
  Tensor expected_BTPD = before["decoder.fusion.hops"].clone();
  expected_BTPD.select(2, 1) -=
      a_BTPN.select(2, 1).select(2, 2).unsqueeze(-1) * before["decoder.fusion.levels"].select(2, 2);
  QVERIFY(largest(after["decoder.fusion.hops"], expected_BTPD) < 1e-12);
}

// A head's output of 0 and weights of 0 are the same, in every attention.
void TestMlrf::aHeadWithoutWeightsSaysNothing() {
  const auto model = small();
  model->eval();
  const torch::NoGradGuard frozen;
  const Sentences all = threeSentences();
  const auto features = [&](const std::string& text) {
    const Interventions replaced = Interventions::parse({text});
    Recorder recorder;
    recorder.collectNothing();
    recorder.intervene(&replaced);
    return model->decode(*model->encode(all.source, &recorder), all.targetIn, &recorder);
  };
  for (const std::string map : {"encoder.layers.1.self_attn", "decoder.layers.0.self_attn",
                                "decoder.layers.1.encoder_attn"})
    QVERIFY(largest(features(map + "[head=1]=zero"), features(map + ".heads[head=1]=zero")) <
            1e-12);
}

// With one layer and no embedding level nothing is left to fuse.
void TestMlrf::aFusionOfOneLevelIsRefused() {
  QVERIFY_THROWS_EXCEPTION(
      Error,
      make(R"({"encoder_layers": 1, "decoder_layers": 1, "decoder_fusion": {"type": "avg"}})",
           kSourceWords, kTargetWords));
}

void TestMlrf::dropoutFollowsItsKey() {
  checkDropout(*small());
}

void TestMlrf::savedModelsComeBack() {
  checkFiles(*small(torch::kFloat32));
}

void TestMlrf::damagedModelsAreRefused() {
  const TemporaryFolder folder;
  saveModel(*small(torch::kFloat32), folder / "model");
  Json config = parseJson(readFile(folder / "model/config.json"), "config.json");
  config["output_bias"] = false;  // the file then holds a tensor too many
  writeFileAtomic(folder / "model/config.json", config.dump());
  QVERIFY_THROWS_EXCEPTION(Error, loadModel(folder / "model"));
  config["output_bias"] = true;
  config["ffn_dim"] = 25;
  writeFileAtomic(folder / "model/config.json", config.dump());
  QVERIFY_THROWS_EXCEPTION(Error, loadModel(folder / "model"));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestMlrf)
#include "test_mlrf.moc"
