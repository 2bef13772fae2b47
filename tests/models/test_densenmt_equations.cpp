// Equations 8 to 10 of DenseNMT as printed, on real presets made small: plain loops over numbers
// compute a^l from the encoder's layers and the decoder's convolutions that the model publishes.
#include <QtTest>
#include <cmath>
#include <functional>
#include <map>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/nn/recorder.h"
#include "tests/models/small_preset.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace strata::testing;
using Vector = std::vector<double>;

Vector vectorOf(const Tensor& values) {
  const Tensor own = values.detach().to(torch::kFloat64).contiguous().flatten();
  return {own.data_ptr<double>(), own.data_ptr<double>() + own.numel()};
}

Vector operator+(Vector a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Vector joined(Vector a, const Vector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double largestOf(const Vector& a, const Vector& b) {
  double most = std::abs(double(a.size()) - double(b.size()));
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// F(Q, K, V) of Eq. 8 for one query: no scale, no gain.
Vector attention(const Vector& q, const std::vector<Vector>& keys,
                 const std::vector<Vector>& values) {
  Vector scores;
  double sum = 0;
  for (const Vector& key : keys) {
    double score = 0;
    for (std::size_t i = 0; i < q.size(); ++i) score += q[i] * key[i];
    scores.push_back(std::exp(score));
    sum += scores.back();
  }
  Vector result(values.front().size(), 0.0);
  for (std::size_t s = 0; s < values.size(); ++s) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += scores[s] / sum * values[s][i];
  }
  return result;
}

// One sentence in a model: its parameters, and what it publishes.
struct Oracle {
  std::shared_ptr<TranslationModel> model;
  OneSentence one;
  std::map<std::string, Tensor> published;

  explicit Oracle(const std::string& preset, std::vector<std::string> overrides = {}) {
    std::vector<std::string> narrow{"model.embed_dim=8", "model.position_rows=12"};
    if (preset.find("8l") == std::string::npos) overrides.push_back("model.encoder_layers=3");
    narrow.insert(narrow.end(), {"model.hidden=10", "model.growth=6"});
    narrow.insert(narrow.end(), overrides.begin(), overrides.end());
    model = shakenModel(preset, narrow);
    const torch::NoGradGuard frozen;
    Recorder recorder({"*"});
    const auto memory = model->encode(one.source, &recorder);
    model->decode(*memory, one.targetIn, &recorder);
    for (const RecordedTensor& each : recorder.tensors()) published[each.info.name] = each.values;
  }

  Tensor parameter(const std::string& name) const { return model->named_parameters()[name]; }
  Vector at(const std::string& internal, std::int64_t position) const {
    return vectorOf(published.at(internal)[0][position]);
  }
  Vector level(std::size_t l, std::int64_t s) const {  // h^l at source position s
    return at("encoder.levels." + std::to_string(l), s);
  }

  // L(x): g v / |v| x + b.
  Vector linear(const std::string& name, const Vector& x) const {
    const Vector v = vectorOf(parameter(name + ".weight_v")),
                 g = vectorOf(parameter(name + ".weight_g"));
    Vector y = vectorOf(parameter(name + ".bias"));
    for (std::size_t o = 0; o < y.size(); ++o) {
      double norm = 0, sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        norm += v[o * x.size() + i] * v[o * x.size() + i];
        sum += v[o * x.size() + i] * x[i];
      }
      y[o] += g[o] * sum / std::sqrt(norm);
    }
    return y;
  }

  // a^l of decoder layer l at position t, where `read` says of part j K and V at position s.
  using Read = std::function<std::pair<Vector, Vector>(std::size_t j, std::int64_t s)>;
  Vector attended(std::size_t layer, std::int64_t t, std::size_t parts, const Read& read) const {
    const std::string name = "decoder.layers." + std::to_string(layer);
    const Vector block = at(name + ".block", t);  // [a ; z]
    const Vector z(block.begin() + std::ssize(block) / 2, block.end());
    const Vector q = linear(name + ".attn.q_proj", z);
    Vector sum(q.size(), 0.0);
    for (std::size_t j = 0; j < parts; ++j) {
      std::vector<Vector> keys, values;
      for (std::int64_t s = 0; s < 5; ++s) {
        const auto [key, value] = read(j, s);
        keys.push_back(key);
        values.push_back(value);
      }
      sum = sum + attention(q, keys, values);
    }
    return linear(name + ".attn.out_proj", sum);
  }

  void compare(std::size_t parts, const Read& read) const {
    for (std::size_t layer = 0; layer < 4; ++layer) {
      for (std::int64_t t = 0; t < 4; ++t) {
        const Vector block = at("decoder.layers." + std::to_string(layer) + ".block", t);
        const Vector a(block.begin(), block.begin() + std::ssize(block) / 2);
        QVERIFY(largestOf(a, attended(layer, t, parts, read)) < 1e-9);
      }
    }
  }
};

}  // namespace

class TestDenseNmtEquations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void oneAttention();
  void oneKeyForBoth();
  void attentionToEveryLayer();
  void attentionToEveryLayerOfAResidualStack();
  void attentionAfterASummary();
  void theBaseIsTheEmbedding();
};

// Eq. 9: K = L([h^3, .., h^0]), V = L([h^3, .., h^0]) + L(h^0).
void TestDenseNmtEquations::oneAttention() {
  const Oracle oracle("densenmt/literal-4l-1");
  oracle.compare(1, [&](std::size_t, std::int64_t s) {
    Vector all;
    for (const std::size_t l : {3, 2, 1, 0}) all = joined(all, oracle.level(l, s));
    return std::pair(oracle.linear("encoder.key_projs.0", all),
                     oracle.linear("encoder.value_projs.0", all) +
                         oracle.linear("encoder.base_proj", oracle.level(0, s)));
  });
}

// The other reading of Eq. 9: both L([h^3, .., h^0]) are the same.
void TestDenseNmtEquations::oneKeyForBoth() {
  const Oracle oracle("densenmt/literal-4l-1", {"model.attention_values=key_and_base"});
  oracle.compare(1, [&](std::size_t, std::int64_t s) {
    Vector all;
    for (const std::size_t l : {3, 2, 1, 0}) all = joined(all, oracle.level(l, s));
    const Vector key = oracle.linear("encoder.key_projs.0", all);
    return std::pair(key, key + oracle.linear("encoder.base_proj", oracle.level(0, s)));
  });
}

// Eq. 10: K = L(h^i), V = L([h^i, h^0]), i = 1 .. 3; parts are numbered from the newest.
void TestDenseNmtEquations::attentionToEveryLayer() {
  const Oracle oracle("densenmt/literal-4l-2");
  oracle.compare(3, [&](std::size_t j, std::int64_t s) {
    const std::string part = std::to_string(j);
    const Vector h = oracle.level(3 - j, s);
    return std::pair(oracle.linear("encoder.key_projs." + part, h),
                     oracle.linear("encoder.value_projs." + part, joined(h, oracle.level(0, s))));
  });
}

void TestDenseNmtEquations::attentionToEveryLayerOfAResidualStack() {
  const Oracle oracle("densenmt/literal-att-4l", {"model.dense_decoder=true"});
  QVERIFY(!oracle.model->named_parameters().contains("encoder.key_projs.3.bias"));
  oracle.compare(3, [&](std::size_t j, std::int64_t s) {
    const std::string part = std::to_string(j);
    const Vector h = oracle.level(3 - j, s);
    return std::pair(oracle.linear("encoder.key_projs." + part, h),
                     oracle.linear("encoder.value_projs." + part, joined(h, oracle.level(0, s))));
  });
}

// Of 8 layers with sumlen 6 the summary lies before the sixth: attention goes to layers 8, 7 and 6
// and to the summary, which is as wide as an embedding, and values read h^0 itself.
void TestDenseNmtEquations::attentionAfterASummary() {
  const Oracle oracle("densenmt/literal-8l-2");
  QCOMPARE(oracle.parameter("encoder.layers.5.summary_proj.weight_v").sizes().vec(),
           (std::vector<std::int64_t>{8, 8 + 5 * 6}));
  oracle.compare(4, [&](std::size_t j, std::int64_t s) {
    const std::string part = std::to_string(j);
    const Vector h = j < 3 ? oracle.level(8 - j, s) : oracle.at("encoder.layers.5.summary", s);
    return std::pair(oracle.linear("encoder.key_projs." + part, h),
                     oracle.linear("encoder.value_projs." + part, joined(h, oracle.level(0, s))));
  });
}

// Section 3.3: h0 and z0 are the embeddings of word and position, positions starting with row 2.
void TestDenseNmtEquations::theBaseIsTheEmbedding() {
  const Oracle oracle("densenmt/literal-4l-2");
  const std::vector<std::pair<std::string, Tensor>> sides{{"encoder", oracle.one.source.ids_BS},
                                                          {"decoder", oracle.one.targetIn}};
  for (const auto& [side, ids] : sides) {
    QVERIFY(!oracle.model->named_parameters().contains(side + ".in_proj.bias"));
    for (std::int64_t at = 0; at < ids.size(1); ++at) {
      const auto word = ids[0][at].item<std::int64_t>();
      const Vector expected = vectorOf(oracle.parameter(side + ".embed_tokens.weight")[word]) +
                              vectorOf(oracle.parameter(side + ".embed_positions.weight")[at + 2]);
      QVERIFY(largestOf(oracle.at(side + ".levels.0", at), expected) < 1e-12);
    }
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestDenseNmtEquations)
#include "test_densenmt_equations.moc"
