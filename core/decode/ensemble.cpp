#include "core/decode/ensemble.h"

#include <cmath>

#include "core/base/error.h"

namespace strata {
namespace {

using torch::Tensor;

struct EnsembleMemory : Memory {
  std::vector<std::unique_ptr<Memory>> parts;
};

struct EnsembleState : DecoderState {
  void reorder(const Tensor& rows) override {
    for (const auto& part : parts) part->reorder(rows);
  }
  void admit(const Tensor& sentences) override {
    for (const auto& part : parts) part->admit(sentences);
  }
  void forget(std::int64_t steps) override {
    for (const auto& part : parts) part->forget(steps);
  }
  std::int64_t rows() const override { return parts.front()->rows(); }
  std::vector<std::unique_ptr<DecoderState>> parts;
};

std::string nameIn(std::size_t member, const std::string& name) {
  return fmt::format("models.{}.{}", member, name);
}

void checkSizes(const std::vector<std::shared_ptr<TranslationModel>>& members) {
  for (const char* key : {"src_vocab", "tgt_vocab"}) {
    const auto expected = members.front()->config().at(key).get<std::int64_t>();
    for (std::size_t m = 1; m < members.size(); ++m) {
      const auto found = members[m]->config().at(key).get<std::int64_t>();
      if (found != expected) {
        throw usageError(
            "The models of an ensemble must have the same vocabularies: {} is {} in the first "
            "model but {} in model {}",
            key, expected, found, m + 1);
      }
    }
  }
}

}  // namespace

EnsembleKind ensembleKindNamed(std::string_view name) {
  if (name == "linear") return EnsembleKind::kLinear;
  if (name == "log") return EnsembleKind::kLog;
  throw usageError("unknown kind of ensemble '{}'; expected linear or log", name);
}

Ensemble::Ensemble(std::vector<std::shared_ptr<TranslationModel>> members, EnsembleKind kind)
    : members_(std::move(members)), kind_(kind) {
  if (members_.empty()) throw usageError("An ensemble needs at least one model");
  checkSizes(members_);
  for (std::size_t m = 0; m < members_.size(); ++m)
    register_module(fmt::format("models_{}", m), members_[m]);
  config_ = {{"family", "ensemble"},
             {"src_vocab", members_.front()->config().at("src_vocab")},
             {"tgt_vocab", members_.front()->config().at("tgt_vocab")}};
}

Tensor Ensemble::together(const std::vector<Tensor>& logProbabilities) const {
  Tensor sum = logProbabilities.front();
  if (logProbabilities.size() == 1) return sum;
  const auto count = static_cast<double>(logProbabilities.size());
  for (std::size_t m = 1; m < logProbabilities.size(); ++m) {
    const Tensor next = logProbabilities[m].to(sum.device());
    sum = kind_ == EnsembleKind::kLinear ? torch::logaddexp(sum, next) : sum + next;
  }
  return kind_ == EnsembleKind::kLinear ? sum - std::log(count)
                                        : torch::log_softmax(sum / count, -1);
}

template <typename Call>
auto Ensemble::recorded(std::size_t member, Recorder* recorder, Call call) {
  if (recorder == nullptr) return call(nullptr);
  std::vector<std::string> names;
  for (const RecordingInfo& info : members_[member]->recordable()) {
    if (recorder->wants(nameIn(member, info.name))) names.push_back(info.name);
  }
  if (names.empty()) return call(nullptr);
  Recorder own(names);
  Interventions inner;
  if (recorder->interventions() != nullptr)
    inner = recorder->interventions()->within(nameIn(member, ""));
  if (!inner.empty()) own.intervene(&inner);
  if (recorder->firstTarget()) own.beginStep(*recorder->firstTarget());
  auto result = call(&own);
  for (const RecordedTensor& found : own.tensors()) {
    RecordingInfo info = found.info;
    info.name = nameIn(member, info.name);
    recorder->publish(std::move(info), found.values);
  }
  return result;
}

std::unique_ptr<Memory> Ensemble::encode(const SourceBatch& source, Recorder* recorder) {
  auto memory = std::make_unique<EnsembleMemory>();
  memory->source = source;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    memory->parts.push_back(
        recorded(m, recorder, [&](Recorder* own) { return members_[m]->encode(source, own); }));
  }
  return memory;
}

Tensor Ensemble::decode(const Memory& memory, const Tensor& targetIn_BT, Recorder* recorder) {
  const auto& own = dynamic_cast<const EnsembleMemory&>(memory);
  std::vector<Tensor> all;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Tensor features_BTD = recorded(m, recorder, [&](Recorder* part) {
      return members_[m]->decode(*own.parts[m], targetIn_BT, part);
    });
    all.push_back(members_[m]->logProbabilities(features_BTD.flatten(0, 1)));
  }
  return together(all).unflatten(0, targetIn_BT.sizes());
}

std::unique_ptr<DecoderState> Ensemble::begin(const Memory& memory) {
  const auto& own = dynamic_cast<const EnsembleMemory&>(memory);
  auto state = std::make_unique<EnsembleState>();
  for (std::size_t m = 0; m < members_.size(); ++m)
    state->parts.push_back(members_[m]->begin(*own.parts[m]));
  return state;
}

Tensor Ensemble::step(DecoderState& state, const Tensor& tokens_R, Recorder* recorder) {
  auto& own = dynamic_cast<EnsembleState&>(state);
  std::vector<Tensor> all;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    all.push_back(recorded(m, recorder, [&](Recorder* part) {
      return members_[m]->step(*own.parts[m], tokens_R, part);
    }));
  }
  return together(all);
}

void Ensemble::initialise(const std::string& scheme, std::uint64_t seed) {
  for (std::size_t m = 0; m < members_.size(); ++m) members_[m]->initialise(scheme, seed + m);
}

std::optional<SentenceLimit> Ensemble::sentenceLimit() const {
  std::optional<SentenceLimit> lowest;
  for (const auto& member : members_) {
    const auto own = member->sentenceLimit();
    if (own && (!lowest || own->tokens < lowest->tokens)) lowest = own;
  }
  return lowest;
}

std::vector<RecordingInfo> Ensemble::recordable() const {
  std::vector<RecordingInfo> all;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (RecordingInfo info : members_[m]->recordable()) {
      info.name = nameIn(m, info.name);
      all.push_back(std::move(info));
    }
  }
  return all;
}

}  // namespace strata
