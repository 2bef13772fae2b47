// A model case: config.json, model.safetensors, batch.safetensors and the expected results.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "app/engine/verify_report.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "core/decode/beam_search.h"
#include "core/nn/cross_entropy.h"
#include "core/nn/upload.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr double kSmoothing = 0.1;  // label smoothing of loss_ls

struct Tolerances {
  Tolerance values, losses, gradients;
  double scores;
};
Tolerances tolerancesOf(torch::ScalarType type) {
  if (type == torch::kFloat64) return {{1e-6, 1e-5}, {0, 1e-9}, {1e-5, 1e-4}, 1e-7};
  return {{1e-5, 1e-4, true}, {0, 1e-5}, {1e-4, 1e-3, true}, 1e-3};
}

// On the CPU.
struct CaseBatch {
  SourceBatch source;
  Tensor targetIn, targetOut, sourceLengths, targetLengths;
};

// Throws if a tensor of the batch has values outside [least, most].
void requireRange(const std::filesystem::path& folder, const char* name, const Tensor& values,
                  std::int64_t least, std::int64_t most) {
  if (values.numel() > 0 && values.min().item<std::int64_t>() >= least &&
      values.max().item<std::int64_t>() <= most)
    return;
  throw Error("{}: '{}' has values outside {} to {}", (folder / "batch.safetensors").string(), name,
              least, most);
}

void checkBatch(const std::filesystem::path& folder, const CaseBatch& batch, const Json& config) {
  const auto lastSource = config.at("src_vocab").get<std::int64_t>() - 1;
  const auto lastTarget = config.at("tgt_vocab").get<std::int64_t>() - 1;
  requireRange(folder, "src", batch.source.ids_BS, 0, lastSource);
  requireRange(folder, "tgt_in", batch.targetIn, 0, lastTarget);
  requireRange(folder, "tgt_out", batch.targetOut, 0, lastTarget);
  requireRange(folder, "src_lengths", batch.sourceLengths, 1, batch.source.ids_BS.size(1));
  requireRange(folder, "tgt_lengths", batch.targetLengths, 1, batch.targetOut.size(1));
}

CaseBatch readBatch(const std::filesystem::path& folder, const Json& config) {
  const SafetensorsFile file(folder / "batch.safetensors");
  CaseBatch batch;
  batch.sourceLengths = expectedTensor(file, "src_lengths");
  batch.source = makeSourceBatch(expectedTensor(file, "src"), batch.sourceLengths);
  batch.targetIn = expectedTensor(file, "tgt_in");
  batch.targetOut = expectedTensor(file, "tgt_out");
  batch.targetLengths = expectedTensor(file, "tgt_lengths");
  checkBatch(folder, batch, config);
  return batch;
}

// Zeroes all positions beyond the sentence's length, as in the cases.
Tensor withoutPadding(const RecordedTensor& recorded, const CaseBatch& batch) {
  const Tensor values = recorded.values.cpu();
  Tensor cut = torch::zeros_like(values);
  for (std::int64_t sentence = 0; sentence < cut.size(0); ++sentence) {
    Tensor to = cut[sentence], from = values[sentence];
    for (std::size_t axis = 0; axis < recorded.info.axes.size(); ++axis) {
      const std::string& name = recorded.info.axes[axis];
      if (name != "source" && name != "target" && name != "history") continue;
      const Tensor& lengths = name == "source" ? batch.sourceLengths : batch.targetLengths;
      const auto length = lengths[sentence].item<std::int64_t>();
      to = to.narrow(static_cast<std::int64_t>(axis), 0, length);
      from = from.narrow(static_cast<std::int64_t>(axis), 0, length);
    }
    to.copy_(from);
  }
  // A memory of one vector per sentence is padded with zeros to the source length.
  if (recorded.info.kind == "states" && recorded.info.axes.front() == "part")
    cut = torch::constant_pad_nd(cut, {0, 0, 0, batch.source.ids_BS.size(1) - cut.size(1)}, 0);
  return cut;
}

// All tensors that expected.safetensors may contain, and the gradients.
struct Computed {
  std::map<std::string, Tensor> values, losses, gradients;
};

Computed compute(TranslationModel& model, const CaseBatch& batch) {
  Computed computed;
  model.eval();
  Recorder recorder;
  const auto device = model.device();
  const Tensor targetIn = uploaded(batch.targetIn, device),
               targetOut = uploaded(batch.targetOut, device);
  const auto memory = model.encode(uploaded(batch.source, device), &recorder);
  const Tensor features = model.decode(*memory, targetIn, &recorder);
  for (const RecordedTensor& recorded : recorder.tensors())
    computed.values[recorded.info.name] = withoutPadding(recorded, batch);
  const Tensor real = (targetOut != 1);
  const Tensor logits = model.project(features).detach();
  computed.values["logits"] = logits.masked_fill(~real.unsqueeze(2), 0);
  const Tensor tokens = tokenLogProbabilities(model, features, targetOut);
  computed.values["token_logprob"] = tokens;
  computed.losses["sentence_logprob"] = tokens.to(torch::kFloat64).sum(1);
  computed.losses["loss_ls"] =
      crossEntropy(model, features.detach(), targetOut, {.labelSmoothing = kSmoothing})
          .loss.detach()
          .view({1});
  const CrossEntropy plain = crossEntropy(model, features, targetOut, {});
  computed.losses["loss_nll"] = plain.loss.detach().view({1});
  plain.loss.backward();
  model.scaleGradients();
  for (const auto& parameter : model.named_parameters()) {
    const Tensor& gradient = parameter.value().grad();
    computed.gradients[parameter.key()] =
        gradient.defined() ? gradient : torch::zeros_like(parameter.value());
  }
  return computed;
}

void compareFile(const SafetensorsFile& file, const std::map<std::string, Tensor>& computed,
                 const std::string& prefix, const Tolerance& tolerance, VerifiedCase& verified) {
  for (const auto& [name, view] : file.tensors()) {
    const auto at = computed.find(name);
    if (at == computed.end()) continue;
    verified.comparisons.push_back(
        compareTensors(prefix + name, at->second, expectedTensor(file, name), tolerance));
  }
}

std::string ruleOf(const std::string& name) {
  if (name == "sum") return "none";
  if (name.starts_with("gnmt_")) return "gnmt:" + name.substr(5);
  if (name.starts_with("pow_")) return "power:" + name.substr(4);
  return name;
}

// Compares the hypotheses of one sentence with the expected list.
Comparison compareHypotheses(const std::string& name, const std::vector<Hypothesis>& found,
                             const Json& expected, double tolerance) {
  if (found.size() != expected.size())
    return missing(name, fmt::format("{} hypotheses instead of {}", found.size(), expected.size()));
  Comparison comparison{name, 0, tolerance, true, {}};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto tokens = expected[i].at("tokens").get<std::vector<TokenId>>();
    if (found[i].tokens != tokens) {
      return missing(name, fmt::format("hypothesis {} is [{}] instead of [{}]", i + 1,
                                       fmt::join(found[i].tokens, " "), fmt::join(tokens, " ")));
    }
    const double logProbability = expected[i].at("logprob").get<double>();
    const double score = expected[i].value("score", logProbability);
    const double own = expected[i].contains("score") ? found[i].score : found[i].logProbability;
    comparison.error = std::max({comparison.error, std::abs(own - score),
                                 std::abs(found[i].logProbability - logProbability)});
  }
  comparison.passed = comparison.error <= tolerance;
  return comparison;
}

void compareSearch(TranslationModel& model, const CaseBatch& batch,
                   const std::filesystem::path& path, double tolerance, VerifiedCase& verified) {
  const Json expected = readJson(path);
  const Json& sentences = expected.at("sentences");
  BeamInput input;
  for (std::int64_t row = 0; row < batch.sourceLengths.size(0); ++row) {
    std::vector<TokenId>& source = input.sources.emplace_back();
    const auto length = batch.sourceLengths[row].item<std::int64_t>();
    for (std::int64_t s = 0; s < length; ++s)
      source.push_back(static_cast<TokenId>(batch.source.ids_BS[row][s].item<std::int64_t>()));
  }
  BeamOptions options;
  options.maxLengthFactor = 0;
  options.maxLengthOffset = expected.at("max_len").get<double>();
  options.nbest = 0;
  const auto compareAll = [&](const std::string& rule, const auto& listOf) {
    const auto found = beamSearch(model, input, options);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::string name = fmt::format("beam.json[{}].{}", i, rule);
      verified.comparisons.push_back(
          compareHypotheses(name, found.at(i), listOf(sentences[i]), tolerance));
    }
  };
  options.beam = 1;
  options.lengthRule = LengthRule::parse("none");
  compareAll("greedy", [](const Json& sentence) { return Json::array({sentence.at("greedy")}); });
  options.beam = expected.at("beam").get<int>();
  for (const auto& [rule, list] : sentences.at(0).at("nbest").items()) {
    options.lengthRule = LengthRule::parse(ruleOf(rule));
    const std::string key = rule;
    compareAll("nbest." + key, [&](const Json& sentence) { return sentence.at("nbest").at(key); });
  }
}

}  // namespace

VerifiedCase verifyModelCase(const std::filesystem::path& folder, const ParameterPlace& place) {
  return verifyModelCase(folder, *loadModel(folder, place));
}

VerifiedCase verifyModelCase(const std::filesystem::path& folder, TranslationModel& model) {
  VerifiedCase verified{folder.string(), {}};
  const Tolerances tolerances = tolerancesOf(model.parameters().front().scalar_type());
  const CaseBatch batch = readBatch(folder, model.config());
  const Computed computed = compute(model, batch);
  const SafetensorsFile expected(folder / "expected.safetensors"),
      gradients(folder / "grads.safetensors");
  compareFile(expected, computed.values, "", tolerances.values, verified);
  compareFile(expected, computed.losses, "", tolerances.losses, verified);
  for (const auto& [name, view] : expected.tensors()) {
    if (!computed.values.contains(name) && !computed.losses.contains(name))
      verified.comparisons.push_back(missing(name, "is expected but was not computed"));
  }
  compareFile(gradients, computed.gradients, "gradient of ", tolerances.gradients, verified);
  for (const auto& [name, view] : gradients.tensors()) {
    if (!computed.gradients.contains(name))
      verified.comparisons.push_back(
          missing("gradient of " + name, "is expected but the parameter does not exist"));
  }
  for (const auto& [name, gradient] : computed.gradients) {
    if (!gradients.contains(name))
      verified.comparisons.push_back(missing("gradient of " + name, "is not in grads.safetensors"));
  }
  compareSearch(model, batch, folder / "beam.json", tolerances.scores, verified);
  return verified;
}

}  // namespace strata
