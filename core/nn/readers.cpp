#include "core/nn/readers.h"

#include <algorithm>
#include <set>

#include "core/nn/layers.h"
#include "core/nn/weight_norm.h"

namespace strata {

using torch::Tensor;

std::vector<Reader> readersOf(const torch::nn::Module& model) {
  const auto* offers = dynamic_cast<const BlockReaders*>(&model);
  if (offers == nullptr) return {};
  const torch::NoGradGuard frozen;
  std::vector<Reader> readers = offers->readers();
  std::set<std::string> concatenating;
  for (const Reader& reader : readers) {
    if (reader.blocks.size() > 1) concatenating.insert(reader.map);
  }
  std::erase_if(readers, [&](const Reader& each) { return !concatenating.contains(each.map); });
  return readers;
}

std::vector<std::string> internalsOf(const std::vector<Reader>& readers) {
  std::set<std::string> names;
  for (const Reader& reader : readers) {
    for (const ReadBlock& block : reader.blocks) {
      names.insert(block.internal);
      if (!block.attention.empty()) names.insert(block.attention);
    }
  }
  return {names.begin(), names.end()};
}

EffectiveWeights::EffectiveWeights(const torch::nn::Module& model) {
  const torch::NoGradGuard frozen;
  for (const auto& named : model.named_modules("", /*include_self=*/false)) {
    if (const auto* layer = named.value()->as<WeightNormImpl>()) {
      const Tensor weight = layer->weight().detach();
      weights_[named.key()] = layer->isConvolution() ? weight : weight.unsqueeze(0);
      biases_[named.key()] = layer->bias.detach();
    } else if (const auto* linear = named.value()->as<LinearImpl>()) {
      weights_[named.key()] = linear->weight.detach().unsqueeze(0);
      biases_[named.key()] = linear->bias.defined() ? linear->bias.detach() : Tensor{};
    }
  }
}

Tensor blockValues(const ReadBlock& block, const std::map<std::string, Tensor>& published,
                   const Tensor& lengths_B) {
  const auto positions = lengths_B.max().item<std::int64_t>();
  Tensor x_BTI =
      published.at(block.internal).flatten(2).narrow(2, block.first, block.weight_KOI.size(2));
  if (!block.attention.empty()) x_BTI = torch::matmul(published.at(block.attention), x_BTI);
  if (x_BTI.size(1) == 1) x_BTI = x_BTI.expand({-1, positions, -1});  // the same for all positions
  const Tensor beyond_BT =
      torch::arange(positions, lengths_B.options()).unsqueeze(0) >= lengths_B.unsqueeze(1);
  return x_BTI.masked_fill(beyond_BT.to(x_BTI.device()).unsqueeze(2), 0);
}

Tensor readOf(const Reader& reader, const ReadBlock& block, const Tensor& x_BTI) {
  const std::int64_t taps = block.weight_KOI.size(0), positions = x_BTI.size(1);
  const Tensor padded = torch::constant_pad_nd(x_BTI, {0, 0, reader.left, taps - 1 - reader.left});
  Tensor sum;
  for (std::int64_t k = 0; k < taps; ++k) {
    const Tensor tap = torch::matmul(padded.narrow(1, k, positions), block.weight_KOI[k].t());
    sum = sum.defined() ? sum + tap : tap;
  }
  return sum;
}

}  // namespace strata
