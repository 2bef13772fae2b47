#pragma once
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/data/batcher.h"
#include "core/data/corpus.h"
#include "core/distributed/process_group.h"
#include "core/nn/translation_model.h"
#include "core/run/events.h"
#include "core/run/experiment.h"
#include "core/train/moving_average.h"

namespace strata {

// Converts ids to text, using the run's text pipeline.
struct IdText {
  // Tokens of a sentence: BPE joined, special ids left out.
  std::function<std::string(const std::vector<TokenId>&)> source, target;
  // One unit as the model reads it, </s> included.
  std::function<std::string(TokenId)> sourceUnit, targetUnit;
};

// Sentence pairs that are scored during training.
struct ScoredSet {
  std::string name;                      // "valid"; also the prefix of its series
  std::shared_ptr<const Corpus> corpus;  // source and first reference as ids
  std::vector<std::int64_t> pairs;       // indices in the corpus; empty: all of them
  std::vector<std::string> source;       // tokens, one per pair of the corpus; empty: from the ids
  std::vector<std::vector<std::string>> references;  // [reference][pair], tokens; empty: no BLEU
  bool monitored = false;                            // only plotted: no decision depends on it

  std::vector<std::int64_t> pairsToScore() const;  // indices
};

struct ValidatorOptions {
  ValidationSpec validation;
  DecodingSpec decoding;
  torch::Device device = torch::kCPU;
  bool bf16 = false;
  ProcessGroup* group = nullptr;  // shares the batches among these processes; null: no others
};

// Scores sets with dropout off: likelihood and token error by teacher forcing, multi-bleu on tokens
// by search. Processes that train together share the batches; all get the scores, which do not
// depend on their number.
class Validator {
 public:
  Validator(std::vector<ScoredSet> sets, IdText text, ValidatorOptions options);

  struct Result {
    std::map<std::string, double> scores;  // "valid/nll", "valid/multi-bleu", ...
    std::vector<SampleEvent> samples;      // without run and step
  };
  // With an average, its scores too: "valid/ema-nll" next to "valid/nll". Leaves the model in
  // evaluation mode.
  Result score(TranslationModel& model, const MovingAverage* average = nullptr) const;

  const std::vector<ScoredSet>& sets() const { return sets_; }

 private:
  Result scoreParameters(TranslationModel& model) const;
  void teacherForce(TranslationModel& model, const ScoredSet& set, Result& result) const;
  void translate(TranslationModel& model, const ScoredSet& set, Result& result) const;
  bool isOwn(std::int64_t batch) const;
  std::array<double, 2> sumOfRows(std::vector<torch::Tensor>& rows) const;
  // Tokens of the translations of these pairs, in their order.
  std::vector<std::string> translations(TranslationModel& model, const ScoredSet& set,
                                        const std::vector<std::int64_t>& pairs) const;

  std::vector<ScoredSet> sets_;
  IdText text_;
  ValidatorOptions options_;
};

}  // namespace strata
