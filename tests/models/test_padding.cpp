// Sentences of a padded batch give what each gives by itself, in every family at its own size.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/nn/cross_entropy.h"
#include "core/nn/word_rows.h"
#include "tests/models/small_preset.h"
#include "tests/program.h"

using namespace strata;
using namespace strata::testing;

namespace {

using torch::Tensor;

struct Pair {
  std::vector<std::int64_t> source, targetIn, targetOut;
};
const std::vector<Pair> kSentences{{{8, 9, 5, 6, 2}, {2, 4, 7}, {4, 7, 2}},
                                   {{10, 2}, {2, 8, 9, 10, 11, 5}, {8, 9, 10, 11, 5, 2}},
                                   {{4, 5, 7, 2}, {2, 6}, {6, 2}}};

Tensor paddedIds(const std::vector<std::vector<std::int64_t>>& sentences) {
  std::size_t longest = 0;
  for (const auto& ids : sentences) longest = std::max(longest, ids.size());
  const Tensor matrix = torch::full({std::ssize(sentences), static_cast<std::int64_t>(longest)},
                                    static_cast<std::int64_t>(kPadId), torch::kInt64);
  for (std::size_t b = 0; b < sentences.size(); ++b) {
    for (std::size_t t = 0; t < sentences[b].size(); ++t)
      matrix[static_cast<std::int64_t>(b)][static_cast<std::int64_t>(t)] = sentences[b][t];
  }
  return matrix;
}

// The loss of the pairs as one batch, added to the gradients; `recorder` asks for nothing, but
// keeps the padding.
double lossOf(TranslationModel& model, const std::vector<Pair>& pairs, Recorder* recorder) {
  std::vector<std::vector<std::int64_t>> sources, ins, outs;
  std::vector<std::int64_t> lengths;
  for (const Pair& pair : pairs) {
    sources.push_back(pair.source);
    ins.push_back(pair.targetIn);
    outs.push_back(pair.targetOut);
    lengths.push_back(std::ssize(pair.source));
  }
  const auto memory = model.encode(
      makeSourceBatch(paddedIds(sources), torch::tensor(lengths, torch::kInt64)), recorder);
  const Tensor features_BTD = model.decode(*memory, paddedIds(ins), recorder);
  const auto sums = crossEntropy(model, features_BTD, paddedIds(outs), {.labelSmoothing = 0.1});
  sums.loss.backward();
  return sums.loss.item<double>();
}

Tensor gradients(TranslationModel& model) {
  std::vector<Tensor> all;
  for (const Tensor& parameter : model.parameters()) {
    const Tensor gradient = parameter.grad();
    all.push_back(gradient.defined() ? gradient.flatten().clone()
                                     : torch::zeros({parameter.numel()}, parameter.options()));
    parameter.mutable_grad().reset();
  }
  return torch::cat(all);
}

}  // namespace

class TestPadding : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void batchesAreTheirSentences_data();
  void batchesAreTheirSentences();
  void masksBelongToWords();
  void rowsOfWords();
};

void TestPadding::batchesAreTheirSentences_data() {
  QTest::addColumn<std::string>("preset");
  for (const char* preset : {"baseline/transformer-iwslt", "mlrf/both-fnn-sa4", "dhea/hybrid",
                             "deepatt/att-2-2", "densenmt/4l-2", "baseline/fconv-iwslt"})
    QTest::newRow(preset) << std::string(preset);
}

void TestPadding::batchesAreTheirSentences() {
  QFETCH(std::string, preset);
  const auto model = shakenModel(preset, {});
  // Moderate values: with large ones dhea makes rounding a billion times as large.
  model->initialise("default", 5);
  double alone = 0;
  for (const Pair& pair : kSentences) alone += lossOf(*model, {pair}, nullptr);
  const Tensor gradientsAlone = gradients(*model);
  QVERIFY(gradientsAlone.norm().item<double>() > 0);
  Recorder recorder;
  recorder.collectNothing();
  for (Recorder* each : {static_cast<Recorder*>(nullptr), &recorder}) {
    const double together = lossOf(*model, kSentences, each);
    QVERIFY2(std::abs(together - alone) < 1e-9 * alone,
             qPrintable(QString::number(together - alone)));
    const Tensor difference = gradients(*model) - gradientsAlone;
    QVERIFY(difference.norm().item<double>() < 1e-9 * gradientsAlone.norm().item<double>());
  }
}

// Without padding, dropout zeroes the same features of each word as with it.
void TestPadding::masksBelongToWords() {
  for (const char* preset : {"baseline/transformer-iwslt", "mlrf/both-fnn-sa4"}) {
    const auto model = shakenModel(preset, {});
    model->initialise("default", 5);
    const double whole = lossOf(*model, kSentences, nullptr);
    gradients(*model);
    model->setDropout({.dropout = 0.3, .attention = 0.2, .activation = 0.1});
    model->train();
    Recorder recorder;
    recorder.collectNothing();
    const auto lossWithMasks = [&](Recorder* keepsPadding) {
      model->keyDropout(3, 7);
      return lossOf(*model, kSentences, keepsPadding);
    };
    const double padded = lossWithMasks(&recorder);
    const Tensor gradientsPadded = gradients(*model);
    QVERIFY(std::abs(padded - whole) > 1e-3 * whole);
    const double unpadded = lossWithMasks(nullptr);
    QVERIFY(std::abs(unpadded - padded) < 1e-9 * padded);
    const Tensor difference = gradients(*model) - gradientsPadded;
    QVERIFY(difference.norm().item<double>() < 1e-9 * gradientsPadded.norm().item<double>());
  }
}

void TestPadding::rowsOfWords() {
  // The second sentence contains the number of <pad> as a word.
  const Tensor ids = torch::tensor({{4, 5, 6}, {7, 1, 8}, {9, 1, 1}}, torch::kInt64);
  const WordRows rows = rowsWithoutPadding(ids);
  QVERIFY(rows.unpadded());
  QVERIFY(rows.lengths_B.equal(torch::tensor({3, 3, 1}, torch::kInt64)));
  QVERIFY(rows.starts_B.equal(torch::tensor({0, 3, 6}, torch::kInt64)));
  QVERIFY(rows.taken(ids).equal(torch::tensor({{4, 5, 6, 7, 1, 8, 9}}, torch::kInt64)));
  const Tensor positions = torch::arange(3, torch::kInt64).unsqueeze(1);
  QVERIFY(rows.repeated(positions).flatten().equal(
      torch::tensor({0, 1, 2, 0, 1, 2, 0}, torch::kInt64)));
  const Tensor x = torch::rand({1, 7, 2}).requires_grad_();
  const Tensor spread = rows.spread(x);
  QVERIFY(spread[2][0].equal(x[0][6]));
  QCOMPARE(spread[2].narrow(0, 1, 2).abs().sum().item<float>(), 0.0F);
  (spread * torch::arange(9).view({3, 3, 1})).sum().backward();
  QVERIFY(x.grad().select(2, 0).equal(torch::tensor({{0.F, 1.F, 2.F, 3.F, 4.F, 5.F, 6.F}})));
  QVERIFY(!rowsWithoutPadding(ids.narrow(0, 0, 2)).unpadded());
}

STRATA_APPLESS_TEST(TestPadding)
#include "test_padding.moc"
