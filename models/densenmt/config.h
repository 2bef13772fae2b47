// The configuration of the family `densenmt`: DenseNMT, its ablations and the convolutional
// baselines. Shen et al., NAACL 2018; models.md 1.
//   paper / models.md    here
//   E, e, e_o            embedDim, tokenEmbedDim, outEmbedDim
//   N, H, d, K           a side's layers, hidden, growth, kernel (one number per layer)
//   B                    summaryEvery
//   R                    positionRows
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/model_config.h"
#include "core/run/sentence_limit.h"
#include "core/run/table_sharing.h"

namespace strata::densenmt {

enum class SummaryKind { kConvolution, kLinearExtra };
enum class GradientScale { kNone, kParameters, kFlow };
// d0, the width of h0 and of summaries in a dense stack.
enum class BaseWidth { kHidden, kEmbedding };
// V of Eqs. 9 and 10: from the key and the word (released code), the key and L(h0), or L of its
// own.
enum class AttentionValues { kKeyAndWord, kKeyAndBase, kOwn };

// One side's stack of layers.
struct SideConfig {
  std::int64_t layers = 4;
  bool dense = true;  // false: residual
  PerLayer hidden{{256}}, growth{{128}}, kernel{{3}};
};

// A complete model configuration (models' config.json).
struct DenseConfig {
  static constexpr const char* kFamily = "densenmt";

  std::int64_t sourceVocabulary = 0, targetVocabulary = 0;  // the four special tokens included
  std::int64_t embedDim = 256, tokenEmbedDim = 256, outEmbedDim = 256;
  std::int64_t positionRows = 1024;
  PerLayer hidden{{256}}, growth{{128}}, kernel{{3}};  // of sides that do not set their own
  SideConfig encoder, decoder;
  std::int64_t denseAttention = 2;  // 1: one source, the final state; 2: one per part
  std::int64_t summaryEvery = 0;    // 0: none
  SummaryKind summaryKind = SummaryKind::kConvolution;
  BaseWidth baseWidth = BaseWidth::kHidden;
  AttentionValues attentionValues = AttentionValues::kKeyAndWord;
  bool withoutBase = false;        // h0 is none of the parts
  bool withoutQueryWord = false;   // Q does not contain the embedding of the target word
  bool withoutLengthGain = false;  // attention values are not multiplied by sqrt(S)
  bool withoutPartsGain = false;   // nor by sqrt(1/n)
  GradientScale gradientScale = GradientScale::kNone;
  TableSharing sharing;  // an output matrix that is an embedding table has no gain

  TableSharing::Tables tables() const {
    return {sourceVocabulary, targetVocabulary, tokenEmbedDim, outEmbedDim,
            "token_embed_dim and out_embed_dim"};
  }

  // Rows 0 and 1 are unused.
  SentenceLimit sentenceLimit() const {
    return {.tokens = positionRows - 2, .key = "model.position_rows", .value = positionRows};
  }
};

// The components of one layer.
struct LayerPlan {
  enum class Kind { kDense, kSummary, kResidual };
  Kind kind = Kind::kDense;
  std::int64_t inputWidth = 0;       // of the convolution
  std::int64_t width = 0;            // w: output width of the layer, d or H
  std::int64_t kernel = 0;           // K
  std::int64_t summarisedWidth = 0;  // input width of a linear summary before it; 0: none
  bool projectsSkip = false;         // the skip connection goes through a Linear
};

// One side's layers and their outputs.
struct StackPlan {
  std::int64_t inputWidth = 0;  // of h0: H_1, or E
  bool projectsInput = true;    // h0 = Linear(embedding); false: the embedding itself
  std::vector<LayerPlan> layers;
  std::int64_t outputWidth = 0;  // of the final state
  // Of the parts that can be attended to, newest first; the last is the base: h0 or a summary.
  std::vector<std::int64_t> partWidths;
  bool summarised = false;  // the base is a summary
};
StackPlan encoderPlan(const DenseConfig& config);
StackPlan decoderPlan(const DenseConfig& config);
// Widths of the encoder states that are attended to: the full final state, or its parts.
std::vector<std::int64_t> attendedWidths(const DenseConfig& config);
// Input widths of the projections that only values have, one per state that is attended to; empty
// if they are made of the keys.
std::vector<std::int64_t> ownValueWidths(const DenseConfig& config);
// Whether L(h0) is added to values.
bool addsBase(const DenseConfig& config);

// Trainable values of a weight-normalised Linear, or of a convolution with this many taps.
std::int64_t normalised(std::int64_t in, std::int64_t out, std::int64_t taps = 1);
// Of one side's positions and projections below its first layer, without the table of words.
std::int64_t inputParameters(const DenseConfig& config, const StackPlan& plan);
// Of one layer without its attention and without a linear summary before it.
std::int64_t layerParameters(const LayerPlan& layer);
std::int64_t summaryParameters(const LayerPlan& layer);  // of that summary; 0: there is none
std::int64_t attentionParameters(const DenseConfig& config, const LayerPlan& layer);
// Of the projections that make keys and values of the encoder's states.
std::int64_t memoryParameters(const DenseConfig& config);

// Exact number of trainable values of the model.
std::int64_t parameterCount(const DenseConfig& config);
Network networkOf(const DenseConfig& config);

void describe(KeyTable& keys, DenseConfig& config);
std::vector<ConfigProblem> problemsOf(const DenseConfig& config);

}  // namespace strata::densenmt
