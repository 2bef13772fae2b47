// A model that can be checked by hand: the probability of a word depends only on the previous word.
#pragma once
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/nn/decoder_cache.h"

namespace strata {

class BigramModel : public TranslationModel {
 public:
  // p[previous][next], rows of any sum; ids 0 and 1 never come.
  explicit BigramModel(const std::vector<std::vector<double>>& weights) {
    std::vector<double> flat;
    for (const auto& row : weights) flat.insert(flat.end(), row.begin(), row.end());
    const auto words = static_cast<std::int64_t>(weights.size());
    const auto table = torch::tensor(flat, torch::kFloat64).view({words, words});
    table_ = register_parameter("table", torch::log(table / table.sum(1, true)));
    config_ = {{"format", 1}, {"family", "bigram"}, {"src_vocab", words}, {"tgt_vocab", words}};
  }

  // Weights drawn from (0, 1).
  static std::shared_ptr<BigramModel> drawn(std::size_t words, std::uint64_t seed) {
    RandomStream random(seed);
    std::vector<std::vector<double>> weights(words, std::vector<double>(words));
    for (auto& row : weights) {
      for (double& weight : row) weight = 0.01 + random.uniform();
    }
    return std::make_shared<BigramModel>(weights);
  }

  double logProbability(TokenId previous, TokenId next) const {
    return table_[previous][next].item<double>();
  }

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder*) override {
    auto memory = std::make_unique<Memory>();
    memory->source = source;
    return memory;
  }
  torch::Tensor decode(const Memory&, const torch::Tensor& targetIn_BT, Recorder*) override {
    return torch::embedding(table_, targetIn_BT);
  }
  torch::Tensor project(const torch::Tensor& features) override { return features; }
  std::unique_ptr<DecoderState> begin(const Memory& memory) override {
    return std::make_unique<RowState>(memory.source.ids_BS.size(0));
  }
  torch::Tensor step(DecoderState& state, const torch::Tensor& tokens_R, Recorder*) override {
    TORCH_CHECK(state.rows() == tokens_R.size(0), "one token a row");
    return table_.detach().index_select(0, tokens_R);
  }
  void setDropout(const DropoutRates&) override {}
  void keyDropout(std::uint64_t, std::uint64_t) override {}
  void initialise(const std::string&, std::uint64_t) override {}
  std::vector<RecordingInfo> recordable() const override { return {}; }

 private:
  torch::Tensor table_;
};

}  // namespace strata
