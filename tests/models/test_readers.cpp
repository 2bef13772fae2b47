// Who reads whom, on real presets made small: what a layer reads of its blocks adds up to what the
// layer computes, and the figures are those of the definition.
#include <QtTest>
#include <cmath>
#include <map>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/decode/reader_figures.h"
#include "core/inside/readers.h"
#include "tests/models/small_preset.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace strata::testing;

const std::vector<std::string> kNarrowDeep{"model.embed_dim=6", "model.hidden=8"};

std::shared_ptr<TranslationModel> smallOf(const std::string& preset) {
  return shakenModel(preset, preset.starts_with("densenmt")  ? kNarrowDense
                             : preset.starts_with("deepatt") ? kNarrowDeep
                             : preset.starts_with("mlrf")
                                 ? kNarrowFused
                                 : std::vector<std::string>{"model.hidden=8"});
}

// One pass over the three sentences: what the model publishes, and its features.
struct Pass {
  std::map<std::string, Tensor> published;
  Tensor features, source_B, target_B;

  Pass(TranslationModel& model, const std::vector<Reader>& readers) {
    const torch::NoGradGuard frozen;
    const Sentences all = threeSentences();
    Recorder recorder({"*"});
    const auto memory = model.encode(all.source, &recorder);
    features = model.decode(*memory, all.targetIn, &recorder);
    for (const RecordedTensor& each : recorder.tensors()) published[each.info.name] = each.values;
    source_B = all.source.lengths_B;
    target_B = torch::tensor({4, 3, 1}, torch::kInt64);
    for (const std::string& name : internalsOf(readers))
      QVERIFY2(published.contains(name), name.c_str());
  }

  const Tensor& lengths(const Reader& reader) const {
    return reader.side == "encoder" ? source_B : target_B;
  }
  Tensor sum(const Reader& reader) const {
    Tensor sum;
    for (const ReadBlock& block : reader.blocks) {
      const Tensor read = readOf(reader, block, blockValues(block, published, lengths(reader)));
      sum = sum.defined() ? sum + read : read;
    }
    return reader.bias_O.defined() ? sum + reader.bias_O : sum;
  }
};

// The largest difference at true positions.
double differenceOf(const Tensor& a_BTO, const Tensor& b_BTO, const Tensor& lengths_B) {
  double most = 0;
  for (std::int64_t row = 0; row < lengths_B.size(0); ++row) {
    const auto length = lengths_B[row].item<std::int64_t>();
    most =
        std::max(most, largest(a_BTO[row].narrow(0, 0, length), b_BTO[row].narrow(0, 0, length)));
  }
  return most;
}

// The model's own value where it publishes one; undefined for convolutions and skip connections.
Tensor computedBy(const Reader& reader, const Pass& pass) {
  const auto published = [&](const std::string& name) { return pass.published.at(name); };
  const std::string& name = reader.parameters;
  if (name.find("key_projs") != std::string::npos)
    return published("encoder.keys." + name.substr(18));
  if (name.find("value_projs") != std::string::npos && pass.published.contains("encoder.keys.1"))
    return published("encoder.values." + name.substr(20));  // Eq. 10; Eq. 9 adds L(h^0) to it
  if (name == "decoder.bottleneck") return pass.features;
  if (name.ends_with(".summary_proj")) return published(name.substr(0, name.size() - 5));
  if (name == "encoder.interface_proj") return published("encoder.memory");
  if (!name.empty()) return {};
  const std::string layer = std::to_string(std::stoi(reader.name.substr(6)) - 1);
  const std::string stack = reader.side == "decoder"
                                ? "decoder"
                                : std::string("encoder.columns.") + char(reader.map[9] - 1);
  return published(stack + ".layers." + layer + ".f");
}

// libtorch's convolution of the whole concatenation with g v / |v|, in the state's order.
Tensor convolved(TranslationModel& model, const Reader& reader, const Pass& pass) {
  std::vector<Tensor> parts;
  for (const ReadBlock& block : reader.blocks)
    parts.push_back(blockValues(block, pass.published, pass.lengths(reader)));
  if (reader.side == "encoder") std::reverse(parts.begin(), parts.end());  // newest first
  const auto parameters = model.named_parameters();
  Tensor v = parameters[reader.parameters + ".weight_v"];
  const Tensor norm =
      v.flatten(1).norm(2, 1).view(parameters[reader.parameters + ".weight_g"].sizes());
  Tensor weight = v / norm * parameters[reader.parameters + ".weight_g"];
  if (weight.dim() == 2) weight = weight.unsqueeze(2);
  const std::int64_t right = weight.size(2) - 1 - reader.left;
  const Tensor x =
      torch::constant_pad_nd(torch::cat(parts, 2).transpose(1, 2), {reader.left, right});
  return torch::conv1d(x, weight, parameters[reader.parameters + ".bias"]).transpose(1, 2);
}

std::vector<std::vector<BlockFigures>> figuresOf(TranslationModel& model, int batch = 64) {
  return measureReaders(model, readersOf(model), kPairs, {.batchSentences = batch}).figures;
}

const Reader& readerNamed(const std::vector<Reader>& readers, const std::string& map,
                          const std::string& name) {
  for (const Reader& reader : readers) {
    if (reader.map == map && reader.name == name) return reader;
  }
  throw Error("there is no reader {} of {}", name, map);
}

std::vector<std::string> blocksOf(const Reader& reader) {
  std::vector<std::string> names;
  for (const ReadBlock& block : reader.blocks) names.push_back(block.name);
  return names;
}

}  // namespace

class TestReaders : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void blocksAddUpToWhatTheLayerComputes_data();
  void blocksAddUpToWhatTheLayerComputes();
  void blocksHaveTheirNames();
  void figuresAreThoseOfTheDefinition();
  void batchesDoNotMatter();
  void aReaderOfOneBlockHasTheShareOne();
  void gainsCountAndNormsDoNot();
  void modelsWithoutSuchBlocksHaveNoReaders();
};

void TestReaders::blocksAddUpToWhatTheLayerComputes_data() {
  QTest::addColumn<QByteArray>("preset");
  QTest::addColumn<int>("readers");
  const auto row = [](const char* preset, int readers) {
    QTest::newRow(preset) << QByteArray(preset) << readers;
  };
  row("densenmt/4l-2", 4 + 5 + 4 + 1);  // convolutions, keys, convolutions, bottleneck
  row("densenmt/4l-1", 4 + 1 + 4 + 1);
  row("densenmt/enc-4l", 4 + 1);                  // the residual decoder reads no concatenation
  row("densenmt/8l-2", 9 + 3 + 9 + 1);            // and a skip connection per summary
  row("densenmt/8l-2-b5-linear", 9 + 5 + 9 + 1);  // and one linear summary on each side
  row("densenmt/literal-4l-1", 4 + 2 + 4 + 1);    // keys and values
  row("densenmt/literal-8l-2", 9 + 2 * 4 + 9 + 1);
  row("deepatt/att-9-7", 2 * (9 + 9) + 1 + 7 + 7);  // direct and chained, interface
  row("deepatt/ed-9-7", 2 * (9 + 9) + 7 + 7);
  row("deepatt/att-2-2-noff", 1 + 2);  // [h ; h] and [c ; y]
  row("mlrf/enc-fnn", 1);
  row("mlrf/dec-sa4", 1);
}

void TestReaders::blocksAddUpToWhatTheLayerComputes() {
  QFETCH(QByteArray, preset);
  QFETCH(int, readers);
  const auto model = smallOf(preset.toStdString());
  const auto all = readersOf(*model);
  const torch::NoGradGuard frozen;
  const Pass pass(*model, all);
  if (QTest::currentTestFailed()) return;
  QCOMPARE(int(all.size()), readers);
  const auto parameters = model->named_parameters();
  for (const Reader& reader : all) {
    const Tensor sum = pass.sum(reader);
    const std::string where = preset.toStdString() + ": " + reader.map + ", " + reader.name;
    const double bound = 1e-9 * std::max(1.0, sum.abs().max().item<double>());
    Tensor expected;
    if (reader.name == "fusion") {  // ReLU, W_b and the layer normalisation give the fused vector
      const std::string network = reader.side + ".fusion.";
      const Tensor fused = torch::layer_norm(
          torch::matmul(torch::relu(sum), parameters[network + "fc2.weight"].t()), {8},
          parameters[network + "layer_norm.weight"], parameters[network + "layer_norm.bias"]);
      expected = reader.side == "encoder" ? pass.published.at("encoder.memory") : pass.features;
      QVERIFY2(differenceOf(fused, expected, pass.lengths(reader)) < 1e-9, where.c_str());
      continue;
    }
    expected = computedBy(reader, pass);
    if (!expected.defined()) expected = convolved(*model, reader, pass);
    QVERIFY2(differenceOf(sum, expected, pass.lengths(reader)) < bound, where.c_str());
    if (!reader.parameters.ends_with(".conv") || reader.name.starts_with("summary")) continue;
    // The gated sum is what the layer adds to its stack.
    const std::string layer = reader.parameters.substr(0, reader.parameters.size() - 5);
    const Tensor gated = torch::glu(sum, 2), block = pass.published.at(layer + ".block");
    const Tensor made = block.narrow(2, block.size(2) - gated.size(2), gated.size(2));
    QVERIFY2(differenceOf(gated, made, pass.lengths(reader)) < 1e-9, where.c_str());
  }
}

void TestReaders::blocksHaveTheirNames() {
  using Names = std::vector<std::string>;
  const auto dense = readersOf(*smallOf("densenmt/4l-1"));
  QCOMPARE(blocksOf(readerNamed(dense, "encoder", "layer 3 conv")),
           (Names{"h0", "layer 1", "layer 2"}));
  QCOMPARE(blocksOf(readerNamed(dense, "decoder", "layer 2 conv")),
           (Names{"h0", "layer 1 a", "layer 1 c"}));
  QCOMPARE(blocksOf(readerNamed(dense, "encoder", "key")).size(), std::size_t{5});
  QCOMPARE(blocksOf(readerNamed(dense, "decoder", "bottleneck")).size(), std::size_t{9});
  const auto summaries = readersOf(*smallOf("densenmt/8l-2"));
  QCOMPARE(blocksOf(readerNamed(summaries, "encoder", "summary 6 skip")).size(), std::size_t{6});
  QCOMPARE(blocksOf(readerNamed(summaries, "encoder", "layer 8 conv")),
           (Names{"summary 6", "layer 7"}));
  const auto deep = readersOf(*smallOf("deepatt/att-9-7"));
  QCOMPARE(blocksOf(readerNamed(deep, "encoder a2", "layer 5")), (Names{"h below", "f below"}));
  QCOMPARE(blocksOf(readerNamed(deep, "decoder, chained", "layer 3")),
           (Names{"context", "word", "layer 1", "layer 2"}));
  QCOMPARE(blocksOf(readerNamed(deep, "interface", "interface")),
           (Names{"a1 h", "a2 h", "a1 f", "a2 f"}));
  const auto fused = readersOf(*smallOf("mlrf/enc-fnn"));
  QCOMPARE(blocksOf(fused.front()).front(), std::string("embedding"));
}

// By loops over sentences, positions, taps and features, for the second convolution of a decoder.
void TestReaders::figuresAreThoseOfTheDefinition() {
  const auto model = smallOf("densenmt/4l-1");
  const auto readers = readersOf(*model);
  const Pass pass(*model, readers);
  const Reader& reader = readerNamed(readers, "decoder", "layer 2 conv");
  const auto measured = measureReaders(*model, readers, kPairs);
  QCOMPARE(measured.sourcePositions, std::int64_t{10});
  QCOMPARE(measured.targetPositions, std::int64_t{8});
  const auto& figures = measured.figures[std::size_t(&reader - readers.data())];
  const torch::NoGradGuard frozen;
  const auto w = model->named_parameters()["decoder.layers.1.conv.weight_v"].accessor<double, 3>();
  const auto g = model->named_parameters()["decoder.layers.1.conv.weight_g"].accessor<double, 3>();
  const std::int64_t outputs = w.size(0), inputs = w.size(1), taps = w.size(2);
  std::vector<double> scale(std::size_t(outputs), 0.0);
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < inputs; ++i) {
      for (std::int64_t k = 0; k < taps; ++k) scale[std::size_t(o)] += w[o][i][k] * w[o][i][k];
    }
    scale[std::size_t(o)] = g[o][0][0] / std::sqrt(scale[std::size_t(o)]);
  }
  // Block 1 is the attention output of layer 1: columns 10 to 15, the first 6 of its block.
  const Tensor block = pass.published.at("decoder.layers.0.block").contiguous();
  const auto x = block.accessor<double, 3>();
  const std::int64_t lengths[] = {4, 3, 1};
  double weight = 0, input = 0, read = 0;
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < 6; ++i) {
      for (std::int64_t k = 0; k < taps; ++k)
        weight += std::pow(scale[std::size_t(o)] * w[o][10 + i][k], 2);
    }
  }
  for (std::int64_t s = 0; s < 3; ++s) {
    for (std::int64_t t = 0; t < lengths[s]; ++t) {
      for (std::int64_t i = 0; i < 6; ++i) input += x[s][t][i] * x[s][t][i];
      for (std::int64_t o = 0; o < outputs; ++o) {
        double sum = 0;
        for (std::int64_t k = 0; k < taps; ++k) {
          const std::int64_t from = t + k - (taps - 1);
          if (from < 0) continue;
          for (std::int64_t i = 0; i < 6; ++i)
            sum += scale[std::size_t(o)] * w[o][10 + i][k] * x[s][from][i];
        }
        read += sum * sum;
      }
    }
  }
  const auto near = [](double a, double b) { return std::abs(a - b) < 1e-12 * std::max(1.0, b); };
  QVERIFY(near(figures[1].weight, std::sqrt(weight / double(outputs * 6 * taps))));
  QVERIFY(near(figures[1].input, std::sqrt(input / (8 * 6))));
  QVERIFY(near(figures[1].read, std::sqrt(read / double(8 * outputs))));
}

void TestReaders::batchesDoNotMatter() {
  for (const char* preset : {"densenmt/8l-2", "deepatt/att-9-7", "deepatt/ed-9-7"}) {
    const auto model = smallOf(preset);
    const auto together = figuresOf(*model), alone = figuresOf(*model, 1);
    for (std::size_t r = 0; r < together.size(); ++r) {
      for (std::size_t b = 0; b < together[r].size(); ++b) {
        QVERIFY(together[r][b].read > 0);
        QVERIFY(std::abs(together[r][b].read - alone[r][b].read) < 1e-9 * together[r][b].read);
        QVERIFY(std::abs(together[r][b].input - alone[r][b].input) < 1e-9 * together[r][b].input);
      }
    }
  }
}

// Planted: one reader's columns are zero for all blocks but one.
void TestReaders::aReaderOfOneBlockHasTheShareOne() {
  const auto shares = [](const std::vector<BlockFigures>& figures) {
    ReaderReads reads;
    for (const BlockFigures& each : figures)
      reads.blocks.push_back({"", each.weight, each.input, each.read});
    std::vector<double> values;
    for (std::size_t b = 0; b < figures.size(); ++b)
      values.push_back(reads.value(b, ReadMeasure::kShare));
    return values;
  };
  const auto dense = smallOf("densenmt/4l-1");
  const auto before = readersOf(*dense);
  const auto conv = std::size_t(&readerNamed(before, "decoder", "layer 3 conv") - before.data());
  double sum = 0;
  for (const double share : shares(figuresOf(*dense)[conv])) sum += share;
  QVERIFY(std::abs(sum - 1) < 1e-12);
  {
    const torch::NoGradGuard frozen;
    Tensor v = dense->named_parameters()["decoder.layers.2.conv.weight_v"];
    v.narrow(1, 0, 10 + 6).zero_();    // h0, layer 1 a
    v.narrow(1, 10 + 12, 12).zero_();  // layer 2; layer 1 c stays
    dense->train();
    dense->eval();  // effective weights are cached
  }
  QCOMPARE(shares(figuresOf(*dense)[conv]), (std::vector<double>{0, 0, 1, 0, 0}));
  const auto deep = smallOf("deepatt/att-2-2");
  const auto readers = readersOf(*deep);
  const auto direct = std::size_t(&readerNamed(readers, "encoder a1", "layer 2") - readers.data()),
             chained = std::size_t(&readerNamed(readers, "encoder a1, chained", "layer 2") -
                                   readers.data());
  {
    const torch::NoGradGuard frozen;
    deep->named_parameters()["encoder.columns.0.layers.1.input_proj.weight"].zero_();
  }
  QCOMPARE(shares(figuresOf(*deep)[direct]), (std::vector<double>{0, 1}));   // h below, f below
  QCOMPARE(shares(figuresOf(*deep)[chained]), (std::vector<double>{1, 0}));  // word, layer 1
}

void TestReaders::gainsCountAndNormsDoNot() {
  const auto model = smallOf("densenmt/4l-1");
  const auto readers = readersOf(*model);
  const auto at = std::size_t(&readerNamed(readers, "decoder", "bottleneck") - readers.data());
  const auto before = figuresOf(*model)[at];
  const auto changed = [&](const char* parameter, double factor) {
    const torch::NoGradGuard frozen;
    model->named_parameters()[std::string("decoder.bottleneck.") + parameter].mul_(factor);
    return figuresOf(*model)[at];
  };
  const auto longer = changed("weight_v", 3), louder = changed("weight_g", 2);
  for (std::size_t b = 0; b < before.size(); ++b) {
    QVERIFY(std::abs(longer[b].weight / before[b].weight - 1) < 1e-12);
    QVERIFY(std::abs(longer[b].read / before[b].read - 1) < 1e-12);
    QVERIFY(std::abs(louder[b].weight / before[b].weight - 2) < 1e-12);
    QVERIFY(std::abs(louder[b].read / before[b].read - 2) < 1e-12);
  }
}

// And the keys of the configuration say so.
void TestReaders::modelsWithoutSuchBlocksHaveNoReaders() {
  for (const char* preset :
       {"densenmt/base-4l", "densenmt/att-4l", "mlrf/dec-avg", "mlrf/base", "dhea/gate"}) {
    const auto model = smallOf(preset);
    QVERIFY2(readersOf(*model).empty(), preset);
    QVERIFY2(!readersLackOf(model->config()).empty(), preset);
  }
  for (const char* preset :
       {"densenmt/4l-2", "densenmt/dec-4l", "deepatt/rnnsearch", "mlrf/enc-fnn", "mlrf/dec-sa4"}) {
    const auto model = smallOf(preset);
    QVERIFY2(!readersOf(*model).empty(), preset);
    QVERIFY2(readersLackOf(model->config()).empty(), preset);
  }
}

}  // namespace strata

STRATA_APPLESS_TEST(strata::TestReaders)
#include "test_readers.moc"
