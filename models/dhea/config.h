// The configuration of the family `dhea`: LSTM stacks whose decoder attends to the source and to
// its own history. Wang et al., COLING 2018, "Decoding-History Enhanced Attention".
#pragma once
#include <cstdint>
#include <vector>

#include "core/base/json.h"
#include "core/run/config.h"
#include "core/run/table_sharing.h"

namespace strata::dhea {

// How the context of the source and that of the decoding history are joined.
enum class History {
  kNone,    // the source alone
  kSum,     // added
  kGate,    // weighted by a gate, one a dimension
  kHybrid,  // one attention over both memories
};
enum class Direction { kForward, kBackward };

// A complete model configuration (models' config.json).
struct DheaConfig {
  std::int64_t sourceVocabulary = 0, targetVocabulary = 0;  // the four specials included
  std::int64_t hidden = 512;                                // d, the embeddings' width too
  std::int64_t encoderLayers = 6, decoderLayers = 4;        // LSTM layers; level 0 does not count
  History history = History::kGate;
  bool shareQkv = false;  // kSum, kGate: one (W_Q, W_K, W_V) for both memories
  Direction firstDirection = Direction::kForward;  // of encoder layer 1; layers alternate
  bool residual = false, layerNorm = false;        // models.md 3.3
  bool positionalEncoding = false;                 // sinusoids are added to both embeddings
  TableSharing sharing;

  TableSharing::Tables tables() const {
    return {sourceVocabulary, targetVocabulary, hidden, hidden, "hidden"};
  }

  bool attendsToHistory() const { return history != History::kNone; }

  // Reads a config.json (`format` 1, `family` dhea). Optional keys may be absent; unknown keys,
  // wrong types and impossible combinations are usage errors that name the key.
  static DheaConfig parse(const Json& config);
  // config.json again, every key explicit.
  Json json() const;
};

// Trainable values of the model, exact.
std::int64_t parameterCount(const DheaConfig& config);

// The keys below `model.` without vocabulary sizes, which the dataset gives.
std::vector<ConfigKey> modelKeys();
// Names what cannot be among the values of a resolved `model` object.
std::vector<ConfigProblem> completeModel(Json& model);

}  // namespace strata::dhea
