// The configuration of the family `dhea`: LSTM stacks whose decoder attends to the source and to
// its own history. Wang et al., COLING 2018, "Decoding-History Enhanced Attention".
#pragma once
#include <cstdint>
#include <vector>

#include "core/run/model_config.h"
#include "core/run/table_sharing.h"

namespace strata::dhea {

// How the contexts of the source and of the decoding history are combined.
enum class History {
  kNone,    // only the source
  kSum,     // added
  kGate,    // weighted by a gate per dimension
  kHybrid,  // one attention over both memories
};
enum class Direction { kForward, kBackward };

// A complete model configuration (models' config.json).
struct DheaConfig {
  static constexpr const char* kFamily = "dhea";

  std::int64_t sourceVocabulary = 0, targetVocabulary = 0;  // the four special tokens included
  std::int64_t hidden = 512;                                // d, also the embeddings' width
  std::int64_t encoderLayers = 6, decoderLayers = 4;        // LSTM layers, without level 0
  History history = History::kGate;
  bool shareQkv = false;  // kSum, kGate: one (W_Q, W_K, W_V) for both memories
  Direction firstDirection = Direction::kForward;  // of encoder layer 1; layers alternate
  bool residual = false, layerNorm = false;        // models.md 3.3
  bool positionalEncoding = false;                 // sinusoids are added to both embeddings
  TableSharing sharing;

  TableSharing::Tables tables() const {
    return {sourceVocabulary, targetVocabulary, hidden, hidden, "hidden"};
  }
};

// Trainable values of one layer, attentions and gate included.
std::int64_t encoderLayerParameters(const DheaConfig& config);
std::int64_t decoderLayerParameters(const DheaConfig& config);

// Exact number of trainable values of the model.
std::int64_t parameterCount(const DheaConfig& config);
Network networkOf(const DheaConfig& config);

void describe(KeyTable& keys, DheaConfig& config);
std::vector<ConfigProblem> problemsOf(const DheaConfig& config);

}  // namespace strata::dhea
