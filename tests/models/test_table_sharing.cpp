// One table of words in two or three places, in every family: the oracle is a model without
// sharing that holds the same values in all places.
#include <fmt/format.h>

#include "core/run/table_sharing.h"
#include "models/presets.h"
#include "tests/fixture.h"
#include "tests/models/model_fixture.h"
#include "tests/program.h"

using namespace strata;
using namespace strata::testing;

namespace {

constexpr std::int64_t kVocabulary = 17;
constexpr const char* kSource = "encoder.embed_tokens.weight";
constexpr const char* kTarget = "decoder.embed_tokens.weight";
constexpr const char* kOutput = "decoder.output_projection.weight";

struct Family {
  const char* name;
  Json keys;
};
const std::vector<Family> kFamilies{
    {"densenmt",
     {{"embed_dim", 8},
      {"position_rows", 12},
      {"hidden", 8},
      {"growth", 4},
      {"encoder_layers", 2},
      {"decoder_layers", 2}}},
    {"deepatt", {{"embed_dim", 8}, {"hidden", 8}, {"encoder_layers", 2}, {"decoder_layers", 2}}},
    {"dhea", {{"hidden", 8}, {"encoder_layers", 2}, {"decoder_layers", 2}}},
    {"transformer",
     {{"embed_dim", 8},
      {"ffn_dim", 16},
      {"heads", 2},
      {"encoder_layers", 2},
      {"decoder_layers", 2}}}};

std::shared_ptr<TranslationModel> modelOf(const Family& family, const Json& more) {
  Json keys = family.keys;
  keys.update({{"family", family.name}, {"src_vocab", kVocabulary}, {"tgt_vocab", kVocabulary}});
  keys.update(more);
  auto model = smallModel(keys);
  shake(*model);
  return model;
}

// Copies the shared model's parameters to the other model, the shared table to all its uses.
void spread(const TranslationModel& shared, TranslationModel& apart) {
  const torch::NoGradGuard frozen;
  const auto values = shared.named_parameters();
  const auto table = [&](bool output) {
    const bool all = !values.contains(kTarget);
    return output || !all ? values[all ? kSource : kTarget] : values[kSource];
  };
  for (auto& parameter : apart.named_parameters()) {
    const std::string& name = parameter.key();
    Tensor& value = parameter.value();
    if (values.contains(name)) {
      value.copy_(values[name]);
    } else if (name == kTarget || name == kOutput || name == fmt::format("{}_v", kOutput)) {
      value.copy_(table(true));
    } else if (name == fmt::format("{}_g", kOutput)) {  // no gain: that of the rows themselves
      value.copy_(table(true).norm(2, 1, true));
    } else {
      QFAIL(qPrintable(QString::fromStdString(name)));
    }
  }
}

// A row's family and key, and its models with sharing and without.
struct Row {
  const Family& own;
  QString key;
  std::shared_ptr<TranslationModel> shared, apart;
};
Row row() {
  QFETCH(int, family);
  QFETCH(QString, key);
  const Family& own = kFamilies[static_cast<std::size_t>(family)];
  return {own, key, modelOf(own, {{key.toStdString(), true}}), modelOf(own, Json::object())};
}

Tensor scoresOf(TranslationModel& model) {
  const Sentences all = threeSentences();
  return model.project(featuresOf(model, all.source, all.targetIn));
}

void addSharings() {
  QTest::addColumn<int>("family");
  QTest::addColumn<QString>("key");
  for (int i = 0; i < static_cast<int>(kFamilies.size()); ++i) {
    for (const char* key : {"share_decoder_input_output_embed", "share_all_embeddings"})
      QTest::addRow("%s %s", kFamilies[static_cast<std::size_t>(i)].name, key) << i << key;
  }
}

}  // namespace

class TestTableSharing : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void scoresAsWithTablesThatAreAlike_data() { addSharings(); }
  void scoresAsWithTablesThatAreAlike() {
    const auto [own, key, shared, apart] = row();
    spread(*shared, *apart);
    QVERIFY(largest(scoresOf(*shared), scoresOf(*apart)) < 1e-12);
    checkSteps(*shared);
    checkPadding(*shared, 1e-9);
  }

  // The gradient of the shared table is the sum of those of the separate tables.
  void gradientsAdd_data() { addSharings(); }
  void gradientsAdd() {
    const auto [own, key, shared, apart] = row();
    spread(*shared, *apart);
    torch::manual_seed(3);
    const Tensor direction = torch::randn_like(scoresOf(*apart));
    (scoresOf(*shared) * direction).sum().backward();
    (scoresOf(*apart) * direction).sum().backward();
    const auto parts = apart->named_parameters();
    if (!parts.contains(kOutput)) return;  // weight-normalised: its gradient is not the matrix's
    const bool all = key == "share_all_embeddings";
    Tensor sum = parts[kTarget].grad() + parts[kOutput].grad();
    if (all) sum = sum + parts[kSource].grad();
    const Tensor learnt = shared->named_parameters()[all ? kSource : kTarget].grad();
    QVERIFY(largest(learnt, sum) < 1e-10 * std::max(1.0, sum.abs().max().item<double>()));
  }

  void countsAndFiles_data() { addSharings(); }
  void countsAndFiles() {
    const auto [own, key, shared, apart] = row();
    const std::int64_t tables = key == "share_all_embeddings" ? 2 : 1;
    const bool normalised = std::string(own.name) == "densenmt";
    QCOMPARE(apart->parameterCount() - shared->parameterCount(),
             tables * kVocabulary * 8 + (normalised ? kVocabulary : 0));
    QCOMPARE(parameterCountOf(shared->config()), shared->parameterCount());
    TemporaryFolder folder;
    saveModel(*shared, folder / "model");
    const auto loaded = loadModel(folder / "model", {.type = torch::kFloat64});
    QVERIFY(largest(scoresOf(*loaded), scoresOf(*shared)) < 1e-5);  // files hold float32
  }

  void refusals() {
    const auto error = [](const Json& keys) { return usageErrorOf([&] { smallModel(keys); }); };
    QHOLDS(error({{"family", "dhea"}, {"hidden", 8}, {"share_all_embeddings", true}}),
           "'model.share_all_embeddings': needs one joint vocabulary, but the sides have 19 and "
           "17 words");
    QHOLDS(error({{"family", "deepatt"},
                  {"embed_dim", 8},
                  {"hidden", 16},
                  {"share_decoder_input_output_embed", true}}),
           "embeddings have 8 values but the output layer reads 16");
    QHOLDS(error({{"family", "densenmt"},
                  {"out_embed_dim", 12},
                  {"share_decoder_input_output_embed", true}}),
           "token_embed_dim and out_embed_dim");
  }
};

STRATA_TEST(TestTableSharing)
#include "test_table_sharing.moc"
