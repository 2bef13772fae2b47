// The configuration of the family `transformer`: the base model and the fusions of its layers. Wang
// et al., COLING 2018.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/model_config.h"
#include "core/run/table_sharing.h"

namespace strata::mlrf {

enum class FusionType { kNone, kAverage, kMaximum, kFeedForward, kSelfAttention };
enum class SharedW1 { kShared, kPerLayer, kPerHop };

// How one stack's levels become one vector per position. Fields that a type does not use keep their
// defaults.
struct FusionConfig {
  FusionType type = FusionType::kNone;
  std::int64_t hops = 4;            // kSelfAttention
  SharedW1 w1 = SharedW1::kShared;  // kSelfAttention
  bool featureWise = false;         // kSelfAttention: one weight per dimension
  bool includeEmbedding = false;    // level 0, the stack's input, is fused too
  bool layerEmbedding = false;      // an embedding of the level; kFeedForward, kSelfAttention
  bool plainNorm = false;  // kAverage: layer normalisation without gain and bias afterwards
  // kFeedForward, kSelfAttention: no layer normalisation afterwards; the top level added before it.
  bool withoutNorm = false, residual = false;

  bool hasNetwork() const {
    return type == FusionType::kFeedForward || type == FusionType::kSelfAttention;
  }
  bool on() const { return type != FusionType::kNone; }
  // n, the number of levels fused over a stack of this many layers.
  std::int64_t levels(std::int64_t layers) const { return layers + (includeEmbedding ? 1 : 0); }
};

// A complete model configuration (models' config.json).
struct MlrfConfig {
  static constexpr const char* kFamily = "transformer";

  std::int64_t sourceVocabulary = 0, targetVocabulary = 0;  // the four special tokens included
  std::int64_t embedDim = 256, ffnDim = 1024, heads = 4;
  std::int64_t encoderLayers = 3, decoderLayers = 3;
  bool outputBias = true;
  TableSharing sharing;
  FusionConfig encoderFusion, decoderFusion;
  std::int64_t fusionAttnDim = 1024, fusionFfnDim = 512;
  bool fusionBias = false;

  TableSharing::Tables tables() const {
    return {sourceVocabulary, targetVocabulary, embedDim, embedDim, "embed_dim"};
  }
  // Rows of fusion.layer_embedding.weight; 0 if neither side uses it.
  std::int64_t layerEmbeddingRows() const;
};

// Trainable values of each layer, and of each fusion without its layer embedding.
struct LayerCounts {
  std::int64_t encoderLayer = 0, decoderLayer = 0, encoderFusion = 0, decoderFusion = 0;
};
LayerCounts layerCounts(const MlrfConfig& config);

// Exact number of trainable values of the model; a tied table counts once.
std::int64_t parameterCount(const MlrfConfig& config);
Network networkOf(const MlrfConfig& config);

void describe(KeyTable& keys, MlrfConfig& config);
std::vector<ConfigProblem> problemsOf(const MlrfConfig& config);

}  // namespace strata::mlrf
