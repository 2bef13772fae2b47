#include "tests/fifth_paper/model.h"

#include "core/nn/decoder_cache.h"
#include "core/nn/layers.h"

namespace strata::fifth {
namespace {

using torch::Tensor;

const RecordingInfo kHopWeights{
    "decoder.fusion.hop_weights", "hop_weights", "decoder", -1, {"target", "hop", "level"}};

struct FifthMemory : Memory {
  Tensor mean_BD;
};

// The next word depends on the last one alone: a row is the sentence that it decodes.
class FifthState : public RowState {
 public:
  explicit FifthState(const Tensor& mean_BD)
      : RowState(mean_BD.size(0), EarlierWords::kNotRead), mean_RD(mean_BD), mean_BD_(mean_BD) {}

  Tensor mean_RD;

 protected:
  std::vector<RowTensor> rowTensors() override { return {{mean_RD, mean_BD_}}; }

 private:
  Tensor mean_BD_;
};

}  // namespace

void describe(KeyTable& keys, FifthConfig& config) {
  addSize(keys, "width", config.width, "Width of all vectors.");
  addSize(keys, "hops", config.hops, "Distributions over the levels.");
}

std::vector<ConfigProblem> problemsOf(const FifthConfig&) {
  return {};
}

std::int64_t parameterCount(const FifthConfig& config) {
  return config.width *
         (config.sourceVocabulary + 2 * config.targetVocabulary + 2 * config.width + config.hops);
}

FifthModel::FifthModel(const FifthConfig& config)
    : source_VD_(newParameter(*this, "source", {config.sourceVocabulary, config.width})),
      target_VD_(newParameter(*this, "target", {config.targetVocabulary, config.width})),
      joined_2DD_(newParameter(*this, "joined", {2 * config.width, config.width})),
      queries_PD_(newParameter(*this, "queries", {config.hops, config.width})),
      output_DV_(newParameter(*this, "output", {config.width, config.targetVocabulary})) {
  config_ = configJson(config);
}

std::unique_ptr<Memory> FifthModel::encode(const SourceBatch& source, Recorder*) {
  const auto words_BSD = torch::embedding(source_VD_, source.ids_BS);
  auto kept_BS1 = torch::ones_like(source.ids_BS, words_BSD.options()).unsqueeze(2);
  if (source.padding_BS.defined())
    kept_BS1 = kept_BS1.masked_fill(source.padding_BS.unsqueeze(2), 0);
  auto memory = std::make_unique<FifthMemory>();
  memory->source = source;
  memory->mean_BD = (words_BSD * kept_BS1).sum(1) / kept_BS1.sum(1);
  return memory;
}

Tensor FifthModel::fused(const Tensor& mean_BD, const Tensor& targetIn_BT,
                         Recorder* recorder) const {
  const auto z0_BTD = torch::embedding(target_VD_, targetIn_BT);
  const auto z1_BTD = mean_BD.unsqueeze(1).expand_as(z0_BTD);
  const auto z2_BTD = torch::tanh(torch::matmul(torch::cat({z0_BTD, z1_BTD}, 2), joined_2DD_));
  const auto levels_BTND = torch::stack({z0_BTD, z1_BTD, z2_BTD}, 2);
  auto a_BTPN = torch::softmax(torch::matmul(levels_BTND, queries_PD_.t()), 2).transpose(2, 3);
  if (recorder != nullptr) a_BTPN = recorder->publish(kHopWeights, a_BTPN);
  return torch::matmul(a_BTPN, levels_BTND).mean(2);
}

Tensor FifthModel::decode(const Memory& memory, const Tensor& targetIn_BT, Recorder* recorder) {
  return fused(dynamic_cast<const FifthMemory&>(memory).mean_BD, targetIn_BT, recorder);
}

Tensor FifthModel::project(const Tensor& features) {
  return torch::matmul(features, output_DV_);
}

std::unique_ptr<DecoderState> FifthModel::begin(const Memory& memory) {
  return std::make_unique<FifthState>(dynamic_cast<const FifthMemory&>(memory).mean_BD);
}

Tensor FifthModel::step(DecoderState& state, const Tensor& tokens_R, Recorder* recorder) {
  const torch::NoGradGuard frozen;
  const auto& own = dynamic_cast<FifthState&>(state);
  return logProbabilities(fused(own.mean_RD, tokens_R.unsqueeze(1), recorder).squeeze(1));
}

void FifthModel::initialise(const std::string&, std::uint64_t seed) {
  Initialiser random(seed);
  for (const Tensor& parameter : parameters()) random.normal(parameter, 0.3);
}

std::vector<RecordingInfo> FifthModel::recordable() const {
  return {kHopWeights};
}

ModelFamily family() {
  return makeFamily<FifthModel, FifthConfig>();
}

}  // namespace strata::fifth
