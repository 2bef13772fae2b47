// The configuration of the family `deepatt`: deep LSTM columns with fast-forward connections. Zhou
// et al., TACL 2016, "Deep Recurrent Models with Fast-Forward Connections for Neural Machine
// Translation".
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/run/model_config.h"
#include "core/run/table_sharing.h"

namespace strata::deepatt {

// What the decoder reads of the encoder.
enum class Interface {
  kAttention,  // Deep-Att: every position, by attention
  kMaximum,    // Deep-ED: one vector
};
enum class ColumnDirection {
  kInterleaved,  // layers alternate; the second column mirrors the first
  kForward,      // all layers of all columns run forward
};
enum class DecoderInit { kZero, kTanh };

// A complete model configuration (models' config.json).
struct DeepAttConfig {
  static constexpr const char* kFamily = "deepatt";

  std::int64_t sourceVocabulary = 0, targetVocabulary = 0;  // the four special tokens included
  std::int64_t embedDim = 256, hidden = 512;                // e, h
  std::int64_t encoderLayers = 9, decoderLayers = 7;        // n_e (of each column), n_d
  std::int64_t columns = 2;                                 // 1 or 2
  Interface interface = Interface::kAttention;
  bool fastForward = true;
  bool half = true;  // W_F reads only the first half of f (Eq. 6)
  ColumnDirection direction = ColumnDirection::kInterleaved;
  bool peephole = true;
  std::optional<std::int64_t> attentionDim;  // absent: h
  DecoderInit decoderInit = DecoderInit::kZero;
  TableSharing sharing;

  TableSharing::Tables tables() const {
    return {sourceVocabulary, targetVocabulary, embedDim, hidden, "embed_dim and hidden"};
  }
  // e_t or c: 5h per column, h without fast-forward connections.
  std::int64_t interfaceWidth() const { return columns * hidden * (fastForward ? 5 : 1); }
  // What the decoder reads at each step: a quarter of it after W_p, or c itself.
  std::int64_t contextWidth() const {
    return interface == Interface::kAttention ? interfaceWidth() / 4 : interfaceWidth();
  }
  std::int64_t attentionWidth() const { return attentionDim.value_or(hidden); }
};

// Trainable values of one layer, initial state not included. `reads`: width of the input of a
// lowest layer; 0: a layer above it.
std::int64_t layerParameters(const DeepAttConfig& config, std::int64_t reads);
std::int64_t attentionParameters(const DeepAttConfig& config);
std::int64_t initialStateParameters(const DeepAttConfig& config);  // of one decoder layer

// Exact number of trainable values of the model.
std::int64_t parameterCount(const DeepAttConfig& config);
Network networkOf(const DeepAttConfig& config);

void describe(KeyTable& keys, DeepAttConfig& config);
std::vector<ConfigProblem> problemsOf(const DeepAttConfig& config);

}  // namespace strata::deepatt
