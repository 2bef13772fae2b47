// The weights that effects are compared with, on real presets made small: computed once more for
// each sentence alone, without padding, from what the model publishes and from its parameters.
#include <QtTest>
#include <cmath>
#include <functional>
#include <map>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "app/engine/effect_weights.h"
#include "tests/models/small_preset.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace strata::testing;

using Values = std::map<std::string, Tensor>;  // of one sentence

// A model and what it publishes of each sentence.
struct Subject {
  std::shared_ptr<TranslationModel> model;
  std::vector<Values> sentences;

  Subject(const std::string& preset, std::vector<std::string> overrides)
      : model(shakenModel(preset, std::move(overrides))) {
    const torch::NoGradGuard frozen;
    for (std::size_t s = 0; s < kPairs.sources.size(); ++s) {
      const Tensor source = torch::tensor(kPairs.sources[s], torch::kInt64).unsqueeze(0);
      std::vector<TokenId> in = kPairs.targets[s];
      in.pop_back();
      in.insert(in.begin(), 2);
      Recorder recorder({"*"});
      const auto memory =
          model->encode(makeSourceBatch(source, torch::tensor({source.size(1)})), &recorder);
      model->decode(*memory, torch::tensor(in, torch::kInt64).unsqueeze(0), &recorder);
      auto& published = sentences.emplace_back();
      for (const RecordedTensor& each : recorder.tensors())
        published[each.info.name] = each.values[0];
    }
  }

  Tensor parameter(const std::string& name) const { return model->named_parameters()[name]; }
  // g v / |v|
  Tensor normed(const std::string& layer) const {
    const Tensor v = parameter(layer + ".weight_v"), g = parameter(layer + ".weight_g");
    return v / v.flatten(1).norm(2, 1).view(g.sizes()) * g;
  }
  // The root of the sum of squares over all sentences: shares of these are shares of RMS.
  double root(const std::function<Tensor(const Values&)>& of) const {
    const torch::NoGradGuard frozen;
    double squares = 0;
    for (const Values& each : sentences) squares += of(each).square().sum().item<double>();
    return std::sqrt(squares);
  }
  // The mean over all positions.
  double mean(const std::function<Tensor(const Values&)>& of) const {
    double sum = 0, count = 0;
    for (const Values& each : sentences) {
      const Tensor values = of(each);
      sum += values.sum().item<double>();
      count += static_cast<double>(values.numel());
    }
    return sum / count;
  }

  // As the verb measures them; effects are left out.
  std::vector<UnitEffect> measured(EffectKind kind, int batch = 64) const {
    const EffectUnits units = effectUnits(*model, kPairs, kind, EffectMode::kMean);
    MeasuredEffects all{.tokens = std::vector<TokensByClass>(3, TokensByClass{1}),
                        .with = std::vector<LossByClass>(3)};
    for (const EffectUnit& each : units.units)
      all.units.push_back({.name = each.name,
                           .intervention = each.intervention,
                           .group = each.group,
                           .without = all.with});
    addWeights(*model, kPairs, units.units, {.batchSentences = batch}, all);
    return effectStatistics(all, {.samples = 40}).units;
  }
};

std::vector<double> shares(std::vector<double> values) {
  double sum = 0;
  for (const double each : values) sum += each;
  for (double& each : values) each /= sum;
  return values;
}

void compare(double measured, double expected, const std::string& unit) {
  QVERIFY2(std::abs(measured - expected) < 1e-9 && expected > 0,
           qPrintable(QString("%1: %2, expected %3")
                          .arg(QString::fromStdString(unit))
                          .arg(measured)
                          .arg(expected)));
}

}  // namespace

class TestEffectWeights : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void blocksWeighTheMeanOfTheirReadersShares();
  void blocksOfTheDecoderHaveTwoParts();
  void fastForwardConnectionsHaveOneReader();
  void partsWeighWhatTheDecoderReads();
  void headsAndHopsWeighTheirColumns();
  void levelsWeighTheirMeanAndContribution();
  void contextsWeighTheirShareOfTheNorms();
};

// The encoder's readers after layer j: the convolutions of later layers and the key, as
// convolutions of a state in which everything but one block is 0.
void TestEffectWeights::blocksWeighTheMeanOfTheirReadersShares() {
  const Subject dense("densenmt/4l-1", kNarrowDense);
  const auto units = dense.measured(EffectKind::kBlocks);
  QCOMPARE(units.size(), std::size_t{8});
  // Of a reader of the state after `layers` layers, from the input to the newest.
  const auto sharesOf = [&](int layers, const Tensor& weight) {
    std::vector<double> roots;
    for (int only = 0; only <= layers; ++only) {
      roots.push_back(dense.root([&](const Values& published) {
        std::vector<Tensor> state;  // newest first
        for (int block = layers; block >= 0; --block) {
          const Tensor x =
              published.at(block == 0 ? "encoder.levels.0"
                                      : "encoder.layers." + std::to_string(block - 1) + ".block");
          state.push_back(block == only ? x : torch::zeros_like(x));
        }
        const Tensor x = torch::cat(state, 1).t().unsqueeze(0);
        return torch::conv1d(x, weight, {}, 1, (weight.size(2) - 1) / 2);
      }));
    }
    return shares(roots);
  };
  std::vector<std::vector<double>> readers;
  for (int layer = 1; layer < 4; ++layer)
    readers.push_back(
        sharesOf(layer, dense.normed("encoder.layers." + std::to_string(layer) + ".conv")));
  readers.push_back(sharesOf(4, dense.normed("encoder.key_projs.0").unsqueeze(2)));
  for (std::size_t block = 0; block < 4; ++block) {
    double sum = 0;
    for (std::size_t reader = block; reader < 4; ++reader) sum += readers[reader][block + 1];
    QCOMPARE(units[block].group, std::string("encoder"));
    compare(units[block].weight, sum / static_cast<double>(4 - block), units[block].name);
  }
}

// [a ; c]: the last block is read by the bottleneck only, after h0 and the other blocks.
void TestEffectWeights::blocksOfTheDecoderHaveTwoParts() {
  const Subject dense("densenmt/4l-2", kNarrowDense);
  const Tensor weight = dense.normed("decoder.bottleneck");
  std::vector<double> roots;
  std::int64_t at = 0;
  const auto add = [&](const std::string& name, std::int64_t first, std::int64_t width) {
    roots.push_back(dense.root([&](const Values& published) {
      return torch::matmul(published.at(name).narrow(1, first, width),
                           weight.narrow(1, at, width).t());
    }));
    at += width;
  };
  add("decoder.levels.0", 0, 10);
  for (const char* layer : {"0", "1", "2", "3"}) {
    for (const std::int64_t part : {0, 6})
      add(std::string("decoder.layers.") + layer + ".block", part, 6);
  }
  QCOMPARE(at, weight.size(1));
  const auto expected = shares(roots);
  const auto units = dense.measured(EffectKind::kBlocks);
  QCOMPARE(units.back().name, std::string("layer 4"));
  QCOMPARE(units.back().group, std::string("decoder"));
  compare(units.back().weight, expected[7] + expected[8], units.back().name);
  // One sentence at a time gives the same.
  compare(dense.measured(EffectKind::kBlocks, 1).back().weight, units.back().weight, "alone");
}

// The layer publishes f^k and what the connection adds to it; the rest comes from the layer below.
void TestEffectWeights::fastForwardConnectionsHaveOneReader() {
  const Subject deep("deepatt/att-2-2", {"model.embed_dim=6", "model.hidden=8"});
  const auto units = deep.measured(EffectKind::kBlocks);
  QCOMPARE(units.size(), std::size_t{3});  // two columns, and the decoder
  const char* layers[]{"encoder.columns.0.layers.1.", "encoder.columns.1.layers.1.",
                       "decoder.layers.1."};
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string layer = layers[i];
    const auto connection = [&](const Values& published) {
      return published.at(layer + "fast_forward");
    };
    const auto below = [&](const Values& published) {
      return published.at(layer + "f") - published.at(layer + "fast_forward");
    };
    QCOMPARE(units[i].intervention, layer + "fast_forward=mean");
    compare(units[i].weight, shares({deep.root(connection), deep.root(below)})[0], units[i].name);
  }
}

// What W_out makes of an attention to one part, times sqrt(S): the layers together.
void TestEffectWeights::partsWeighWhatTheDecoderReads() {
  const Subject dense("densenmt/4l-2", kNarrowDense);
  const auto units = dense.measured(EffectKind::kParts);
  QCOMPARE(units.size(), std::size_t{5});
  std::vector<double> roots;
  for (const char* part : {"0", "1", "2", "3", "4"}) {
    double squares = 0;
    for (const char* layer : {"0", "1", "2", "3"}) {
      const std::string attention = std::string("decoder.layers.") + layer + ".attn.";
      const Tensor out = dense.normed(attention + "out_proj");
      squares += std::pow(dense.root([&](const Values& published) {
        const Tensor map = published.at(attention + part);
        const Tensor read = map.matmul(published.at(std::string("encoder.values.") + part));
        return read.matmul(out.t()) * std::sqrt(static_cast<double>(map.size(1)));
      }),
                          2);
    }
    roots.push_back(std::sqrt(squares));
  }
  const auto expected = shares(roots);
  for (std::size_t part = 0; part < 5; ++part)
    compare(units[part].weight, expected[part], units[part].name);
}

// The full projection of all heads (hops) side by side, of which only one is not 0.
void TestEffectWeights::headsAndHopsWeighTheirColumns() {
  const Subject fused("mlrf/dec-sa4", kNarrowFused);
  const auto sharesOf = [&](const std::string& internal, const std::string& projection) {
    std::vector<double> roots;
    for (std::int64_t only = 0; only < 4; ++only) {
      roots.push_back(fused.root([&](const Values& published) {
        Tensor parts = published.at(internal).clone();  // [T, 4, width]
        for (std::int64_t part = 0; part < 4; ++part) {
          if (part != only) parts.select(1, part).zero_();
        }
        return parts.flatten(1).matmul(fused.parameter(projection).t());
      }));
    }
    return shares(roots);
  };
  const auto hops = fused.measured(EffectKind::kHops);
  const auto expected = sharesOf("decoder.fusion.hops", "decoder.fusion.fc1.weight");
  QCOMPARE(hops.size(), std::size_t{4});
  for (std::size_t hop = 0; hop < 4; ++hop)
    compare(hops[hop].weight, expected[hop], hops[hop].name);
  int compared = 0;
  for (const UnitEffect& head : fused.measured(EffectKind::kHeads)) {
    const std::string internal = head.intervention.substr(0, head.intervention.find('['));
    const std::string map = internal.substr(0, internal.rfind(".heads"));
    const auto at =
        static_cast<std::size_t>(head.intervention[head.intervention.find('=') + 1] - '0');
    compare(head.weight, sharesOf(internal, map + ".out_proj.weight")[at], head.intervention);
    ++compared;
  }
  QCOMPARE(compared, 3 * 3 * 4);  // layers, attentions, heads
}

void TestEffectWeights::levelsWeighTheirMeanAndContribution() {
  const Subject fused("mlrf/dec-sa4", kNarrowFused);
  const auto share = [](const Values& published) {  // [T, hops, levels]
    const Tensor scaled = published.at("decoder.fusion.hop_weights") *
                          published.at("decoder.fusion.levels").norm(2, -1).unsqueeze(1);
    return scaled / scaled.sum(-1, true);
  };
  const auto levels = fused.measured(EffectKind::kLevels),
             cells = fused.measured(EffectKind::kCells);
  QCOMPARE(levels.size(), std::size_t{4});
  QCOMPARE(cells.size(), std::size_t{16});
  for (std::int64_t level = 0; level < 4; ++level) {
    const UnitEffect& unit = levels[static_cast<std::size_t>(level)];
    compare(unit.weight, fused.mean([&](const Values& published) {
      return published.at("decoder.fusion.hop_weights").select(2, level);
    }),
            unit.name);
    compare(unit.contribution,
            fused.mean([&](const Values& published) { return share(published).select(2, level); }),
            unit.name);
    for (std::int64_t hop = 0; hop < 4; ++hop) {
      const UnitEffect& cell = cells[static_cast<std::size_t>(hop * 4 + level)];
      compare(cell.weight, fused.mean([&](const Values& published) {
        return published.at("decoder.fusion.hop_weights").select(2, level).select(1, hop);
      }),
              cell.name);
      compare(cell.contribution, fused.mean([&](const Values& published) {
        return share(published).select(2, level).select(1, hop);
      }),
              cell.name);
    }
  }
}

void TestEffectWeights::contextsWeighTheirShareOfTheNorms() {
  const Subject looksBack("dhea/gate", {"model.hidden=8"});
  const auto units = looksBack.measured(EffectKind::kContexts);
  QVERIFY(!units.empty());
  for (const UnitEffect& unit : units) {
    const std::string layer = unit.intervention.substr(0, unit.intervention.rfind('.') + 1);
    const bool source = unit.part == "source" || unit.name.ends_with("source");
    compare(unit.weight, looksBack.mean([&](const Values& published) {
      const Tensor gate = published.at(layer + "gate");
      const Tensor first = (gate * published.at(layer + "source_context")).norm(2, -1),
                   second = ((1 - gate) * published.at(layer + "history_context")).norm(2, -1);
      return (source ? first : second) / (first + second);
    }),
            unit.intervention);
  }
}

}  // namespace strata

STRATA_APPLESS_TEST(strata::TestEffectWeights)
#include "test_effect_weights.moc"
