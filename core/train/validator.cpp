#include "core/train/validator.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>

#include "core/base/error.h"
#include "core/decode/translator.h"
#include "core/metrics/bleu.h"
#include "core/nn/arithmetic.h"
#include "core/nn/cross_entropy.h"
#include "core/train/batch_tensors.h"
#include "core/train/device.h"

namespace strata {
namespace {

constexpr std::int64_t kBatchTokens = 4096;

bool isBlank(const std::string& text) {
  return text.find_first_not_of(" \t") == std::string::npos;
}

// multi-bleu is undefined if no translation has a word, as at the start of training: 0 then.
double scoreOf(const std::vector<std::string>& hypotheses,
               const std::vector<std::vector<std::string>>& references) {
  if (std::all_of(hypotheses.begin(), hypotheses.end(), isBlank)) return 0;
  return corpusMultiBleu(hypotheses, references).score;
}

}  // namespace

std::vector<std::int64_t> ScoredSet::pairsToScore() const {
  if (!pairs.empty()) return pairs;
  std::vector<std::int64_t> all(static_cast<std::size_t>(corpus->pairs()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Validator::Validator(std::vector<ScoredSet> sets, IdText text, ValidatorOptions options)
    : sets_(std::move(sets)), text_(std::move(text)), options_(std::move(options)) {}

Validator::Result Validator::score(TranslationModel& model, const MovingAverage* average) const {
  Result result = scoreParameters(model);
  if (average == nullptr) return result;
  const MovingAverage::InPlace averaged(*average);
  for (const auto& [name, value] : scoreParameters(model).scores) {
    const auto slash = name.find('/');
    result.scores[name.substr(0, slash) + "/ema-" + name.substr(slash + 1)] = value;
  }
  return result;
}

Validator::Result Validator::scoreParameters(TranslationModel& model) const {
  const torch::NoGradGuard noGrad;
  const ArithmeticScope scope(model.productArithmetic(options_.bf16));
  model.eval();
  Result result;
  const auto& wanted = options_.validation;
  for (const ScoredSet& set : sets_) {
    if (wanted.wants("nll") || wanted.wants("perplexity") || wanted.wants("token-error")) {
      teacherForce(model, set, result);
    }
    translate(model, set, result);
  }
  return result;
}

void Validator::teacherForce(TranslationModel& model, const ScoredSet& set, Result& result) const {
  const EvaluationBatches batches(*set.corpus, {.size = kBatchTokens}, set.pairsToScore());
  std::vector<torch::Tensor> rows(static_cast<std::size_t>(batches.size()));
  std::int64_t tokens = 0;
  Batch batch;
  for (std::int64_t i = 0; i < batches.size(); ++i) {
    batches.fill(i, batch);
    tokens += batch.targetTokens();
    if (!isOwn(i)) continue;
    const BatchTensors tensors = tensorsOf(batch, options_.device);
    const auto memory = model.encode(tensors.source, nullptr);
    const auto features_BTD = model.decode(*memory, tensors.targetIn_BT, nullptr);
    const auto entropy =
        crossEntropy(model, features_BTD, tensors.targetOut_BT, {.countErrors = true});
    rows[static_cast<std::size_t>(i)] =
        torch::stack({entropy.nll, entropy.errors}).to(torch::kFloat64);
  }
  const auto sums = sumOfRows(rows);
  const double nll = sums[0] / static_cast<double>(tokens);
  const double error = sums[1] / static_cast<double>(tokens);
  const auto& wanted = options_.validation;
  if (wanted.wants("nll")) result.scores[set.name + "/nll"] = nll;
  if (wanted.wants("perplexity")) result.scores[set.name + "/perplexity"] = std::exp(nll);
  if (wanted.wants("token-error")) result.scores[set.name + "/token-error"] = error;
}

bool Validator::isOwn(std::int64_t batch) const {
  return options_.group == nullptr || batch % options_.group->size() == options_.group->rank();
}

// The sums of the rows [2] of all processes, added in their order, on the host.
std::array<double, 2> Validator::sumOfRows(std::vector<torch::Tensor>& rows) const {
  const auto nothing = torch::zeros({2}, torch::dtype(torch::kFloat64).device(options_.device));
  for (torch::Tensor& row : rows) {
    if (!row.defined()) row = nothing;
  }
  auto rows_N2 = rows.empty() ? nothing.unsqueeze(0).cpu() : torch::stack(rows).cpu();
  if (options_.group != nullptr) options_.group->sum(rows_N2);
  std::array<double, 2> sums{};
  const double* value = rows_N2.data_ptr<double>();
  for (std::int64_t i = 0; i < rows_N2.numel(); ++i)
    sums[static_cast<std::size_t>(i) % 2] += *value++;
  return sums;
}

void Validator::translate(TranslationModel& model, const ScoredSet& set, Result& result) const {
  const bool bleu = options_.validation.wants("multi-bleu") && !set.references.empty();
  const auto samples = static_cast<std::size_t>(set.monitored ? 0 : options_.validation.samples);
  auto pairs = set.pairsToScore();
  if (!bleu) pairs.resize(std::min(pairs.size(), samples));
  if (pairs.empty()) return;
  const auto hypotheses = translations(model, set, pairs);
  if (bleu) {
    std::vector<std::vector<std::string>> references(set.references.size());
    for (std::size_t r = 0; r < references.size(); ++r) {
      for (const auto pair : pairs)
        references[r].push_back(set.references[r].at(static_cast<std::size_t>(pair)));
    }
    result.scores[set.name + "/multi-bleu"] = scoreOf(hypotheses, references);
  }
  for (std::size_t i = 0; i < std::min(samples, pairs.size()); ++i) {
    const auto pair = static_cast<std::size_t>(pairs[i]);
    SampleEvent sample;
    sample.set = set.name;
    sample.sentence = pairs[i];
    sample.hypothesis = hypotheses[i];
    sample.source = set.source.empty()
                        ? text_.source(set.corpus->ids(CorpusSide::kSource, pairs[i]).toVector())
                        : set.source.at(pair);
    sample.reference = set.references.empty()
                           ? text_.target(set.corpus->ids(CorpusSide::kTarget, pairs[i]).toVector())
                           : set.references.front().at(pair);
    result.samples.push_back(std::move(sample));
  }
}

std::vector<std::string> Validator::translations(TranslationModel& model, const ScoredSet& set,
                                                 const std::vector<std::int64_t>& pairs) const {
  BeamOptions beam = beamOptionsOf(options_.decoding);
  beam.beam = options_.validation.beam;
  BeamInput input;
  for (const auto pair : pairs)
    input.sources.push_back(withEnd(set.corpus->ids(CorpusSide::kSource, pair).toVector()));
  ProcessGroup* group = options_.group;
  if (group != nullptr)
    input.part = {.index = static_cast<std::size_t>(group->rank()),
                  .of = static_cast<std::size_t>(group->size())};
  auto own = bestTokens(model, input, beam, options_.decoding.batchSentences, text_.target);
  if (group == nullptr) return own;
  // Each sentence has been translated by one process; in the others it is empty.
  for (const std::string& lines : group->gather(fmt::format("{}", fmt::join(own, "\n")))) {
    std::istringstream read(lines);
    std::string line;
    for (std::size_t i = 0; i < own.size() && std::getline(read, line); ++i) {
      if (!line.empty()) own[i] = line;
    }
  }
  return own;
}

}  // namespace strata
