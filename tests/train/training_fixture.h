#pragma once
// What tests of training share: a corpus in which the target is the source reversed, a pipeline
// that knows its words, a sink that keeps everything, and a model that is small enough to check by
// eye.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"
#include "core/run/events.h"
#include "core/run/experiment.h"
#include "core/train/trainer.h"

namespace strata::testing {

constexpr std::int64_t kVocabulary = 24;

inline std::shared_ptr<Corpus> reversedCorpus(const fs::path& path, std::int64_t pairs,
                                              std::uint64_t seed) {
  CorpusWriter writer(path, kVocabulary, kVocabulary);
  RandomStream random(seed);
  for (std::int64_t i = 0; i < pairs; ++i) {
    std::vector<TokenId> source(2 + random.below(7));
    for (auto& id : source)
      id = static_cast<TokenId>(kFirstWordId + random.below(kVocabulary - kFirstWordId));
    const std::vector<TokenId> target(source.rbegin(), source.rend());
    writer.add(source, target);
  }
  writer.finish();
  return std::make_shared<Corpus>(path);
}

// A Transformer of 2 + 2 layers, both sides fused by self-attention with 2 hops, for that corpus.
inline Json fusedTransformer(std::int64_t width) {
  const Json sa{{"type", "sa"},
                {"hops", 2},
                {"w1", "shared"},
                {"include_embedding", true},
                {"layer_embedding", true}};
  return {{"format", 1},
          {"family", "transformer"},
          {"embed_dim", width},
          {"ffn_dim", 2 * width},
          {"heads", 2},
          {"encoder_layers", 2},
          {"decoder_layers", 2},
          {"output_bias", true},
          {"share_decoder_input_output_embed", false},
          {"share_all_embeddings", false},
          {"encoder_fusion", sa},
          {"decoder_fusion", sa},
          {"fusion_attn_dim", width},
          {"fusion_ffn_dim", 2 * width},
          {"fusion_bias", false},
          {"src_vocab", kVocabulary},
          {"tgt_vocab", kVocabulary}};
}

// Word 4 is "a", word 5 "b", ...
inline std::string letter(TokenId id) {
  return id < kFirstWordId ? "</s>" : std::string(1, static_cast<char>('a' + id - kFirstWordId));
}
inline IdText letters() {
  const auto sentence = [](const std::vector<TokenId>& ids) {
    std::string text;
    for (const TokenId id : ids) {
      if (id >= kFirstWordId) text += (text.empty() ? "" : " ") + letter(id);
    }
    return text;
  };
  return {.source = sentence, .target = sentence, .sourceUnit = letter, .targetUnit = letter};
}

// Records all events of a run.
class KeepingSink : public EventSink {
 public:
  void scalars(const std::vector<ScalarEvent>& events) override {
    for (const auto& event : events) series[event.name].emplace_back(event.step, event.value);
  }
  void sample(const SampleEvent& event) override { samples.push_back(event); }
  void checkpoint(const CheckpointEvent& event) override { checkpoints.push_back(event); }
  void recording(const RecordingEvent& event) override { recordings.push_back(event); }
  void histograms(const HistogramEvent& event) override { counted.push_back(event); }
  void ended(const RunEndEvent& event) override { ends.push_back(event); }

  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> series;
  std::vector<SampleEvent> samples;
  std::vector<CheckpointEvent> checkpoints;
  std::vector<RecordingEvent> recordings;
  std::vector<HistogramEvent> counted;
  std::vector<RunEndEvent> ends;
};

// Predicts each word from the word before it and the mean of the source; dropout comes from
// libtorch's own generator, so that resuming has to restore it.
class TinyModel : public TranslationModel {
 public:
  struct TinyMemory : Memory {
    torch::Tensor mean_BD;
  };

  TinyModel() {
    source_ = newParameter(*this, "source", {kVocabulary, kWidth}, 0.0);
    target_ = newParameter(*this, "target", {kVocabulary, kWidth}, 0.0);
    output_ = newParameter(*this, "output", {kVocabulary, kWidth}, 0.0);
    config_ = {{"format", 1}, {"family", "tiny"}};
  }

  std::unique_ptr<Memory> encode(const SourceBatch& source, Recorder*) override {
    auto memory = std::make_unique<TinyMemory>();
    memory->source = source;
    auto words = torch::embedding(source_, source.ids_BS);
    if (source.padding_BS.defined()) words = words.masked_fill(source.padding_BS.unsqueeze(2), 0);
    memory->mean_BD = words.sum(1) / source.lengths_B.unsqueeze(1);
    return memory;
  }
  torch::Tensor decode(const Memory& memory, const torch::Tensor& targetIn_BT, Recorder*) override {
    const auto& mean = static_cast<const TinyMemory&>(memory).mean_BD;
    auto features = torch::dropout(torch::embedding(target_, targetIn_BT) + mean.unsqueeze(1),
                                   rate_, is_training());
    if (poisonAt >= 0 && decoded_++ == poisonAt) features = features * NAN;
    return features;
  }
  torch::Tensor project(const torch::Tensor& features) override {
    return torch::matmul(features, output_.t());
  }
  std::unique_ptr<DecoderState> begin(const Memory&) override {
    throw Error("the tiny model does not search");
  }
  torch::Tensor step(DecoderState&, const torch::Tensor&, Recorder*) override { return {}; }
  void setDropout(const DropoutRates& rates) override { rate_ = rates.dropout; }
  void keyDropout(std::uint64_t, std::uint64_t) override {}
  void initialise(const std::string&, std::uint64_t seed) override {
    torch::manual_seed(seed);
    const torch::NoGradGuard noGrad;
    for (auto& parameter : parameters())
      parameter.copy_(torch::empty(parameter.sizes()).normal_(0, 0.3));
  }
  std::vector<RecordingInfo> recordable() const override { return {}; }

  std::int64_t poisonAt = -1;  // the forward pass, from 0, whose features are not numbers

 private:
  static constexpr std::int64_t kWidth = 8;
  torch::Tensor source_, target_, output_;
  double rate_ = 0;
  std::int64_t decoded_ = 0;
};

inline std::shared_ptr<TinyModel> tinyModel(std::uint64_t seed = 1,
                                            const ParameterPlace& place = {}) {
  const ParameterPlaceScope scope(place);
  auto model = std::make_shared<TinyModel>();
  model->initialise("default", seed);
  return model;
}

// Small batches, all automatic actions switched off.
inline ExperimentSpec quietSpec() {
  ExperimentSpec spec;
  spec.training.dropout = 0.1;
  spec.training.logEvery = 1;
  PhaseSpec phase;
  phase.optimizer.lr = 0.01;
  phase.schedule.kind = ScheduleSpec::Kind::kConstant;
  phase.batch = {.unit = BatchSpec::Unit::kSentences, .size = 8};
  spec.training.phases = {phase};
  spec.validation = {};
  spec.validation.everyEpochs = 0;
  spec.validation.metrics = {"nll", "perplexity", "token-error"};
  spec.validation.samples = 0;
  spec.checkpoint.everyEpochs = 0;
  spec.recording.sentences = 0;
  return spec;
}

// A folder with a training corpus and a validation set.
struct Bench {
  TemporaryFolder folder;
  std::shared_ptr<Corpus> train = reversedCorpus(folder / "train.corpus", 200, 1);
  std::shared_ptr<Corpus> valid = reversedCorpus(folder / "valid.corpus", 40, 2);
  IdText text = letters();
  KeepingSink sink;
  TrainControl control;

  TrainerParts parts(std::shared_ptr<TranslationModel> model, const fs::path& run) {
    fs::create_directories(run);
    return {
        .model = std::move(model),
        .train = train,
        .sets = {{.name = "valid", .corpus = valid, .pairs = {}, .source = {}, .references = {}}},
        .text = text,
        .runFolder = run,
        .device = torch::kCPU,
        .sink = sink,
        .control = control};
  }
};

inline bool sameParameters(const TranslationModel& a, const TranslationModel& b) {
  const auto left = a.named_parameters(), right = b.named_parameters();
  return left.size() == right.size() &&
         std::all_of(left.begin(), left.end(), [&](const auto& item) {
           return torch::equal(item.value(), right[item.key()]);
         });
}

}  // namespace strata::testing
