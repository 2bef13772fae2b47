#include "models/deepatt/encoder.h"

#include <fmt/format.h>

#include "core/nn/fused.h"
#include "core/nn/levels.h"
#include "models/deepatt/readers.h"

namespace strata::deepatt {
namespace {

using torch::Tensor;
using Kind = DropoutSite::Kind;

RecordingInfo fastForwardInfo(std::size_t column, std::size_t layer) {
  return {fmt::format("encoder.columns.{}.layers.{}.fast_forward", column, layer),
          "block",
          "encoder",
          static_cast<int>(layer),
          {"source", "feature"}};
}

// [p_1; p_2; ..] W^T without concatenating the parts.
Tensor joinedProduct(const std::vector<Tensor>& parts, const Tensor& weight) {
  Tensor sum;
  std::int64_t at = 0;
  for (const Tensor& part : parts) {
    const std::int64_t width = part.size(-1);
    const Tensor rows = part.reshape({-1, width}), own = weight.narrow(1, at, width);
    sum = sum.defined() ? plusProduct(sum, rows, own) : affine(rows, own);
    at += width;
  }
  auto shape = parts.front().sizes().vec();
  shape.back() = weight.size(0);
  return sum.view(shape);
}

}  // namespace

EncoderImpl::EncoderImpl(const DeepAttConfig& config, const std::shared_ptr<DropoutState>& dropout)
    : config_(config), table_(*this, {config.sourceVocabulary, config.embedDim}) {
  const auto newColumn = [](std::int64_t) { return std::make_shared<torch::nn::Module>(); };
  for (const auto& column : newStack(*this, "columns", config.columns, newColumn)) {
    columns_.push_back(newStack(*column, "layers", config.encoderLayers, [&](std::int64_t k) {
      return Layer(config, k == 0 ? config.embedDim : config.hidden, k == 0);
    }));
    auto& sites = sites_.emplace_back();
    for (std::int64_t k = 0; k < config.encoderLayers; ++k)
      sites.emplace_back(dropout, Kind::kFeatures);
  }
  if (config.interface == Interface::kAttention) {
    interface_ = register_module("interface_proj",
                                 Linear(config.interfaceWidth(), config.contextWidth(), false));
  }
}

// Eq. 5, (-1)^k: column a1 runs forward, backward, forward, ..; a2 is its mirror.
bool EncoderImpl::isReverse(std::size_t column, std::size_t layer) const {
  return config_.direction == ColumnDirection::kInterleaved && (column + layer) % 2 == 1;
}

// A level is the outputs of all columns, one after the other.
void EncoderImpl::publishLevel(const PublishedLevel& publish, std::size_t level,
                               std::vector<Flow>& flows) {
  if (publish.recorder == nullptr) return;
  std::vector<Tensor> columns;
  for (const Flow& flow : flows) columns.push_back(flow.h_TBH);
  const auto used = publish.pass(level, torch::cat(columns, -1)).chunk(std::ssize(flows), -1);
  for (std::size_t a = 0; a < flows.size(); ++a) flows[a].h_TBH = used[a].contiguous();
}

// All layers, the columns in parallel: they share nothing but the embedding. `h` in the result is
// after dropout, as the interface reads it.
std::vector<Flow> EncoderImpl::runColumns(const SourceBatch& source, Recorder* recorder) const {
  const PublishedLevel publish{recorder, "encoder", /*timeMajor=*/true};
  const Tensor x_SBE =
      publish.pass(0, embed(table_.weight, source.ids_BS, 1, {}, {}).transpose(0, 1).contiguous());
  const RecurrenceOptions options{.order = kSlots, .lengths_B = source.lengthsIfPadded()};
  const bool readsF = recorder != nullptr || config_.fastForward;
  std::vector<Flow> flows(columns_.size(), {x_SBE, {}});
  for (std::size_t k = 0; k < columns_.front().size(); ++k) {
    std::vector<Recurrence> recurrences;
    for (std::size_t a = 0; a < columns_.size(); ++a) {
      if (!readsF) {
        recurrences.push_back(columns_[a][k]->recurrenceOver(flows[a].h_TBH, {}, isReverse(a, k)));
        continue;
      }
      Published block;
      if (recorder != nullptr && k > 0) block = {recorder, fastForwardInfo(a, k), true};
      flows[a].f_TBG = columns_[a][k]->feed(flows[a].h_TBH, flows[a].f_TBG, block);
      recurrences.push_back(columns_[a][k]->recurrence(flows[a].f_TBG, {}, isReverse(a, k)));
    }
    const auto states = recur(recurrences, options);
    for (std::size_t a = 0; a < columns_.size(); ++a)
      flows[a].h_TBH = applyDropout(states[a], sites_[a][k].draw());
    publishLevel(publish, k + 1, flows);
    for (std::size_t a = 0; recorder != nullptr && a < flows.size(); ++a)
      publishFlow(recorder, fmt::format("encoder.columns.{}", a), k, flows[a]);
  }
  return flows;
}

Tensor EncoderImpl::forward(const SourceBatch& source, Recorder* recorder) const {
  const auto tops = runColumns(source, recorder);
  return config_.interface == Interface::kAttention ? attended(tops) : summarised(tops, source);
}

// Eqs. 7 and 8: e~_t = W_p [h^{a1}_t, h^{a2}_t, f^{a1}_t, f^{a2}_t], with the full f of the top
// layers.
Tensor EncoderImpl::attended(const std::vector<Flow>& tops) const {
  std::vector<Tensor> parts;
  for (const Flow& top : tops) parts.push_back(top.h_TBH);
  if (config_.fastForward) {
    for (const Flow& top : tops) parts.push_back(top.f_TBG);
  }
  return joinedProduct(parts, interface_->weight).transpose(0, 1).contiguous();
}

// Eqs. 7 and 8: c = [h^{a1}_m, Max(h^{a2}_t), Max(f^{a1}_t), Max(f^{a2}_t)] over true positions; m
// is the position that a1's top layer processes last. Departs from the paper: that is the first
// position if the layer runs backward, because h^{a1}_m has then read one word only; n_e = 9 runs
// forward.
Tensor EncoderImpl::summarised(const std::vector<Flow>& tops, const SourceBatch& source) const {
  const auto maximum = [&](const Tensor& x_SBD) {
    if (!source.padding_BS.defined()) return x_SBD.amax(0);
    return x_SBD
        .masked_fill(source.padding_BS.t().unsqueeze(2), -std::numeric_limits<double>::infinity())
        .amax(0);
  };
  const Tensor& first_SBH = tops.front().h_TBH;
  const bool reverse = isReverse(0, columns_.front().size() - 1);
  const Tensor last_B = reverse ? torch::zeros_like(source.lengths_B) : source.lengths_B - 1;
  const Tensor place_1BH = last_B.to(first_SBH.device())
                               .view({1, -1, 1})
                               .expand({1, first_SBH.size(1), first_SBH.size(2)});
  std::vector<Tensor> parts{first_SBH.gather(0, place_1BH).squeeze(0)};
  if (tops.size() > 1) parts.push_back(maximum(tops[1].h_TBH));
  if (config_.fastForward) {
    for (const Flow& top : tops) parts.push_back(maximum(top.f_TBG));
  }
  return torch::cat(parts, 1).unsqueeze(1);
}

void EncoderImpl::initialise(Initialiser& random, bool xavier) {
  table_.initialise(random, kDeviation);
  for (auto& column : columns_) {
    for (Layer& layer : column) layer->initialise(random, xavier);
  }
  if (interface_) initialiseMatrix(random, interface_->weight, xavier);
}

std::vector<RecordingInfo> EncoderImpl::recordable() const {
  std::vector<RecordingInfo> infos = levelInfos("encoder", columns_.front().size());
  if (!config_.fastForward) return infos;
  for (std::size_t a = 0; a < columns_.size(); ++a) {
    for (std::size_t k = 1; k < columns_[a].size(); ++k) infos.push_back(fastForwardInfo(a, k));
  }
  return infos;
}

}  // namespace strata::deepatt
