// Checks shared by all families' tests: padding and other sentences in the batch change nothing,
// incremental decoding equals teacher forcing, dropout masks depend on their key, and a model can
// be saved and loaded.
#pragma once
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/batch.h"
#include "core/nn/translation_model.h"
#include "models/catalogue.h"

namespace strata::testing {

using torch::Tensor;

constexpr std::int64_t kSourceWords = 19, kTargetWords = 17;

// A small model of a family; `keys` overrides its defaults.
inline std::shared_ptr<TranslationModel> smallModel(const Json& keys,
                                                    torch::ScalarType type = torch::kFloat64,
                                                    const std::string& init = "default") {
  registerModels();
  Json config{{"format", 1}, {"src_vocab", kSourceWords}, {"tgt_vocab", kTargetWords}};
  config.update(keys);
  auto model = createModel(config, {.type = type});
  model->initialise(init, 5);
  return model;
}

// Redraws all parameters, so that initial values near zero hide nothing.
inline void shake(TranslationModel& model, double deviation = 0.4) {
  const torch::NoGradGuard frozen;
  torch::manual_seed(7);
  for (auto& parameter : model.parameters()) parameter.normal_(0, deviation);
}

struct Sentences {
  SourceBatch source;
  Tensor targetIn, targetOut;
};
// Three sentences of different lengths on both sides, not sorted by them.
inline Sentences threeSentences() {
  const auto ids =
      torch::tensor({{8, 9, 2, 1, 1}, {4, 5, 6, 7, 2}, {10, 2, 1, 1, 1}}, torch::kInt64);
  const auto in = torch::tensor({{2, 7, 8, 9}, {2, 5, 6, 1}, {2, 1, 1, 1}}, torch::kInt64);
  const auto out = torch::tensor({{7, 8, 9, 2}, {5, 6, 2, 1}, {2, 1, 1, 1}}, torch::kInt64);
  return {makeSourceBatch(ids, torch::tensor({3, 5, 2}, torch::kInt64)), in, out};
}

inline Tensor featuresOf(TranslationModel& model, const SourceBatch& source,
                         const Tensor& targetIn) {
  return model.decode(*model.encode(source, nullptr), targetIn, nullptr);
}

inline double largest(const Tensor& a, const Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// Every sentence gives the same result alone and in a batch; `tolerance` is relative to the largest
// value.
inline void checkPadding(TranslationModel& model, double tolerance) {
  model.eval();
  const torch::NoGradGuard frozen;
  const Sentences all = threeSentences();
  const Tensor together = model.project(featuresOf(model, all.source, all.targetIn));
  const double bound = tolerance * std::max(1.0, together.abs().max().item<double>());
  for (std::int64_t row = 0; row < 3; ++row) {
    const auto length = all.source.lengths_B[row].item<std::int64_t>();
    const auto words = (all.targetOut[row] != 1).sum().item<std::int64_t>();
    const auto source =
        makeSourceBatch(all.source.ids_BS.narrow(0, row, 1).narrow(1, 0, length).contiguous(),
                        torch::tensor({length}));
    QVERIFY(!source.padding_BS.defined());
    const Tensor alone = model.project(
        featuresOf(model, source, all.targetIn.narrow(0, row, 1).narrow(1, 0, words).contiguous()));
    const double difference = largest(alone[0], together[row].narrow(0, 0, words));
    QVERIFY2(difference < bound, qPrintable(QString::number(difference)));
  }
}

// Incremental decoding, also after rows are moved, repeated and dropped, gives the
// log-probabilities of teacher forcing, which has none at padding.
inline void checkSteps(TranslationModel& model) {
  model.eval();
  const torch::NoGradGuard frozen;
  const Sentences all = threeSentences();
  const auto memory = model.encode(all.source, nullptr);
  const Tensor expected =
      torch::log_softmax(model.project(model.decode(*memory, all.targetIn, nullptr)), -1);
  const auto state = model.begin(*memory);
  for (std::int64_t t = 0; t < 4; ++t) {
    const Tensor words_B = all.targetIn.select(1, t), isWord_B = words_B != kPadId;
    const Tensor got = model.step(*state, words_B, nullptr);
    QVERIFY(largest(got.index({isWord_B}), expected.select(1, t).index({isWord_B})) < 1e-9);
  }
  const auto other = model.begin(*memory);
  model.step(*other, all.targetIn.select(1, 0), nullptr);
  other->reorder(torch::tensor({1, 1, 0}, torch::kInt64));
  QCOMPARE(other->rows(), std::int64_t{3});
  const Tensor words = torch::stack({all.targetIn[1][1], all.targetIn[1][1], all.targetIn[0][1]});
  Tensor got = model.step(*other, words, nullptr);
  QVERIFY(largest(got[0], expected[1][1]) < 1e-9);
  QVERIFY(largest(got[1], expected[1][1]) < 1e-9);
  QVERIFY(largest(got[2], expected[0][1]) < 1e-9);
  other->reorder(torch::tensor({2}, torch::kInt64));
  QCOMPARE(other->rows(), std::int64_t{1});
  got = model.step(*other, all.targetIn[0][2].view({1}), nullptr);
  QVERIFY(largest(got[0], expected[0][2]) < 1e-9);
}

// Masks depend only on seed and step, not on threads.
inline void checkDropout(TranslationModel& model) {
  model.train();
  model.setDropout({0.3, 0.1, 0.1});
  const torch::NoGradGuard frozen;
  const Sentences all = threeSentences();
  const auto pass = [&](std::uint64_t seed, std::uint64_t step) {
    model.keyDropout(seed, step);
    return featuresOf(model, all.source, all.targetIn).clone();
  };
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Tensor first = pass(1, 1);
  QVERIFY(torch::equal(first, pass(1, 1)));
  at::set_num_threads(2);
  const Tensor again = pass(1, 1);
  at::set_num_threads(threads);
  QVERIFY(largest(first, again) < 1e-12);
  QVERIFY(largest(first, pass(1, 2)) > 1e-6);
  QVERIFY(largest(first, pass(2, 1)) > 1e-6);
}

inline void checkFiles(const TranslationModel& model) {
  const TemporaryFolder folder;
  saveModel(model, folder / "model");
  const auto again = loadModel(folder / "model");
  const auto before = model.named_parameters(), after = again->named_parameters();
  QCOMPARE(before.size(), after.size());
  for (const auto& parameter : before)
    QVERIFY(torch::equal(parameter.value().to(torch::kFloat32), after[parameter.key()]));
  QCOMPARE(again->config(), model.config());
}

// Over sentences and positions, padding included.
inline Tensor meanOfInternal(TranslationModel& model, const std::string& name) {
  const Sentences all = threeSentences();
  Recorder own({name});
  const auto memory = model.encode(all.source, &own);
  model.decode(*memory, all.targetIn, &own);
  const RecordedTensor& recorded = own.tensors().at(0);
  Tensor mean = recorded.values.mean(0, /*keepdim=*/true);
  for (std::size_t axis = 0; axis < recorded.info.axes.size(); ++axis) {
    const std::string& along = recorded.info.axes[axis];
    if (along == "target" || along == "source")
      mean = mean.mean(static_cast<std::int64_t>(axis) + 1, /*keepdim=*/true);
  }
  return mean;
}

// The internals published by incremental decoding are those of teacher forcing, and replacing an
// internal has the same effect in both.
inline void checkInterventions(TranslationModel& model, const std::vector<std::string>& texts) {
  model.eval();
  const torch::NoGradGuard frozen;
  const Sentences all = threeSentences();
  const Tensor untouched = featuresOf(model, all.source, all.targetIn);
  for (const std::string& text : texts) {
    Interventions interventions = Interventions::parse({text});
    interventions.check(model.recordable());
    for (const std::string& name : interventions.meansWanted())
      interventions.setMean(name, meanOfInternal(model, name));
    Recorder recorder;
    recorder.collectNothing();
    recorder.intervene(&interventions);
    const auto memory = model.encode(all.source, &recorder);
    const Tensor features = model.decode(*memory, all.targetIn, &recorder);
    QVERIFY2(largest(features, untouched) > 1e-9, text.c_str());
    const Tensor expected = torch::log_softmax(model.project(features), -1);
    const auto state = model.begin(*memory);
    for (std::int64_t t = 0; t < 4; ++t) {
      recorder.beginStep(t);
      const Tensor got = model.step(*state, all.targetIn.select(1, t), &recorder);
      QVERIFY2(largest(got, expected.select(1, t)) < 1e-9, text.c_str());
    }
  }
}

// The longest of three sentences alone, and the words of another.
struct OneSentence {
  SourceBatch source =
      makeSourceBatch(threeSentences().source.ids_BS.narrow(0, 1, 1), torch::tensor({5}));
  Tensor targetIn = threeSentences().targetIn.narrow(0, 0, 1);  // 4 words
};

inline Tensor featuresWith(TranslationModel& model, const Memory& memory, const Tensor& targetIn,
                           const std::vector<std::string>& texts) {
  const Interventions interventions = Interventions::parse(texts);
  interventions.check(model.recordable());
  Recorder recorder;
  recorder.collectNothing();
  recorder.intervene(&interventions);
  return model.decode(memory, targetIn, &recorder);
}

// Weights that are given as they are change nothing: every head or hop of maps at one position.
inline void checkOwnWeights(TranslationModel& model, const std::vector<std::string>& names) {
  model.eval();
  const torch::NoGradGuard frozen;
  const OneSentence one;
  Recorder own(names);
  const auto memory = model.encode(one.source, &own);
  const Tensor untouched = model.decode(*memory, one.targetIn, &own);
  QCOMPARE(own.tensors().size(), names.size());
  std::vector<std::string> texts;
  for (const RecordedTensor& map : own.tensors()) {
    const auto& axes = map.info.axes;
    const auto target = std::find(axes.begin(), axes.end(), "target") - axes.begin();
    const std::string unit = axes.size() < 3 ? "" : target == 0 ? axes[1] : axes[0];
    const Tensor rows = map.values[0].select(target, 2).reshape({-1, map.values.size(-1)});
    for (std::int64_t row = 0; row < rows.size(0); ++row) {
      std::string shares;
      for (std::int64_t at = 0; at < rows.size(1); ++at)
        shares += fmt::format("{}{}*{:.9g}", at ? "," : "", at, rows[row][at].item<double>());
      const std::string place = unit.empty() ? "" : fmt::format("{}={},", unit, row);
      texts.push_back(fmt::format("{}[{}target=2]=read:{}", map.info.name, place, shares));
    }
  }
  QVERIFY(largest(featuresWith(model, *memory, one.targetIn, texts), untouched) < 1e-6);
}

// All weight of all attentions to the source on its first word: a source of which the decoder sees
// no other. At one position: those before it stay.
inline void checkWeightsGiven(TranslationModel& model, const std::vector<std::string>& names) {
  model.eval();
  const torch::NoGradGuard frozen;
  const OneSentence one;
  const auto memory = model.encode(one.source, nullptr);
  const Tensor untouched = model.decode(*memory, one.targetIn, nullptr);
  std::vector<std::string> everywhere, third;
  for (const std::string& name : names) {
    everywhere.push_back(name + "=read:0");
    third.push_back(name + "[target=2]=read:0");
  }
  const Tensor forced = featuresWith(model, *memory, one.targetIn, everywhere),
               from = featuresWith(model, *memory, one.targetIn, third);
  memory->source = makeSourceBatch(one.source.ids_BS, torch::tensor({1}));
  QVERIFY(largest(forced, model.decode(*memory, one.targetIn, nullptr)) < 1e-9);
  QVERIFY(largest(forced, untouched) > 1e-4);
  QVERIFY(largest(from.narrow(1, 0, 2), untouched.narrow(1, 0, 2)) < 1e-9);
  QVERIFY(largest(from.select(1, 2), untouched.select(1, 2)) > 1e-6);
}

}  // namespace strata::testing
