#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/autograd.h>
#include <torch/types.h>
#endif

#include <cmath>

#include "core/nn/fused.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

Linear makeLinear(std::int64_t in, std::int64_t out, bool bias = true) {
  Linear made(in, out, bias);
  made->to(torch::kFloat64);
  const torch::NoGradGuard frozen;
  for (Tensor& parameter : made->parameters()) parameter.normal_();
  return made;
}

LayerNorm makeNorm(std::int64_t width) {
  LayerNorm made(width);
  made->to(torch::kFloat64);
  const torch::NoGradGuard frozen;
  for (Tensor& parameter : made->parameters()) parameter.normal_();
  return made;
}

Tensor input(at::IntArrayRef shape) {
  return torch::randn(shape, torch::kFloat64).requires_grad_();
}

// Values and gradients of two ways to compute the same thing.
void compareFused(const std::function<Tensor()>& fused, const std::function<Tensor()>& plain,
                  const std::vector<Tensor>& of) {
  const Tensor a = fused(), b = plain();
  QCOMPARE(a.sizes().vec(), b.sizes().vec());
  QVERIFY((a - b).abs().max().item<double>() < 1e-10);
  const Tensor weights = torch::randn_like(a.detach());
  const auto first = torch::autograd::grad({(a * weights).sum()}, of);
  const auto second = torch::autograd::grad({(b * weights).sum()}, of);
  for (std::size_t i = 0; i < of.size(); ++i)
    QVERIFY2((first[i] - second[i]).abs().max().item<double>() < 1e-9,
             qPrintable(QString::number(i)));
}

Tensor heads(const Tensor& x, std::int64_t count) {
  return x.unflatten(2, {count, -1}).transpose(1, 2);
}

// Attention as it is written in a paper.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& masked,
                 const Dropout& dropout) {
  const Tensor scores =
      torch::matmul(heads(q, 2), heads(k, 2).transpose(2, 3)) / std::sqrt(q.size(2) / 2.0);
  const Tensor weights = torch::softmax(scores.masked_fill(masked, -INFINITY), 3);
  return torch::matmul(applyDropout(weights, dropout), heads(v, 2)).transpose(1, 2).flatten(2);
}

const Dropout kDroppedOften{0.4, 77};

}  // namespace

// Every single-pass step against the same arithmetic in libtorch's operators, with the same masks.
class TestFused : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(11); }
  void packedProjections();
  void projectionsAndTheirInput();
  void feedForwardStep();
  void normStep();
  void sumAndFactor();
  void embedding();
  void causalSelfAttention();
  void paddedCrossAttention();
  void sumOfAttentions();
  void sumOfAttentionsToForcedValues();
  void readByManyAddsGradients();
  void dropoutKeepsItsShare();
  void rowsKeepTheirNumbers();
};

void TestFused::packedProjections() {
  const Linear q = makeLinear(6, 4), k = makeLinear(6, 5);
  const Tensor x = input({2, 3, 6});
  compareFused(
      [&] {
        return packedLinear(x, {q, k});
      },
      [&] {
        return torch::cat({q->forward(x), k->forward(x)}, 2);
      },
      {x, q->weight, q->bias, k->weight, k->bias});
  // The same where they lie one after the other, and nothing is copied.
  const ParameterBuffer buffer({{"q", q->weight}, {"k", k->weight}, {"b", q->bias}, {"c", k->bias}},
                               {{q->weight, k->weight}, {q->bias, k->bias}});
  QVERIFY(joinedParameters({q->weight, k->weight}).data_ptr() == q->weight.data_ptr());
  for (const bool kernels : {true, false}) {
    const ArithmeticScope scope({.kernels = kernels});
    compareFused(
        [&] {
          return packedLinear(x, {q, k});
        },
        [&] {
          return torch::cat({q->forward(x), k->forward(x)}, 2);
        },
        {x, q->weight, q->bias, k->weight, k->bias});
  }
  const Linear bare = makeLinear(6, 4, false), other = makeLinear(6, 5, false);
  compareFused(
      [&] {
        return packedLinear(x, {bare, other});
      },
      [&] {
        return torch::cat({bare->forward(x), other->forward(x)}, 2);
      },
      {x, bare->weight, other->weight});
}

// x goes on to readers that keep the gradient that they get, and to one that gives a new one.
void TestFused::projectionsAndTheirInput() {
  const Linear q = makeLinear(6, 4), k = makeLinear(6, 5);
  const Tensor x = input({2, 3, 6}), y = input({2, 3, 6});
  const auto plain = [&] { return torch::cat({q->forward(x), k->forward(x)}, 2); };
  const auto shared = [](const Tensor& product, const Tensor& sum) {
    return product.sum() + (sum * torch::arange(6, torch::kFloat64)).sum();
  };
  for (const bool kernels : {true, false}) {
    const ArithmeticScope scope({.kernels = kernels});
    compareFused(
        [&] {
          const auto [product, same] = packedLinearAndInput(x, {q, k});
          return torch::cat({product, same.sin()}, 2);
        },
        [&] {
          return torch::cat({plain(), x.sin()}, 2);
        },
        {x, q->weight, q->bias, k->weight, k->bias});
    compareFused(
        [&] {
          const auto [product, same] = packedLinearAndInput(x, {q, k});
          return shared(product, same + y);
        },
        [&] { return shared(plain(), x + y); }, {x, y, q->weight, q->bias, k->weight, k->bias});
    compareFused(
        [&] {
          return packedLinearAndInput(x, {q, k}).x.sin();
        },
        [&] { return x.sin(); }, {x});
  }
}

void TestFused::feedForwardStep() {
  const LayerNorm normal = makeNorm(6);
  const Tensor x = input({2, 5, 6});
  for (const auto& [bias, residual] : {std::pair{true, true}, {false, true}, {true, false}}) {
    const Linear first = makeLinear(6, 21, bias), second = makeLinear(21, 6, bias);
    std::vector<Tensor> of{x, first->weight, second->weight, normal->weight, normal->bias};
    if (bias) of.insert(of.end(), {first->bias, second->bias});
    for (const Dropout& outer : {Dropout{}, Dropout{.rate = 0.4, .key = 8}}) {
      for (const Dropout& inner : {Dropout{}, kDroppedOften}) {
        const auto plain = [&] {
          const Tensor hidden = applyDropout(torch::relu(first->forward(x)), inner);
          const Tensor sum = applyDropout(second->forward(hidden), outer);
          return torch::layer_norm(residual ? x + sum : sum, {6}, normal->weight, normal->bias,
                                   kNormEpsilon);
        };
        compareFused(
            [&] {
              return feedForward(x, {first, second, normal, inner, outer, residual});
            },
            plain, of);
      }
    }
  }
}

void TestFused::normStep() {
  const Linear layer = makeLinear(6, 10);
  const LayerNorm normal = makeNorm(10);
  const Tensor x = input({2, 5, 6}), residual = input({2, 5, 10});
  for (const Dropout& dropout : {Dropout{}, kDroppedOften}) {
    const auto plain = [&](const Tensor& added) {
      const Tensor sum = applyDropout(layer->forward(x), dropout) + added;
      return torch::layer_norm(sum, {10}, normal->weight, normal->bias, kNormEpsilon);
    };
    compareFused([&] { return linearDropoutNorm(x, layer, residual, normal, dropout); },
                 [&] { return plain(residual); },
                 {x, layer->weight, layer->bias, residual, normal->weight, normal->bias});
    compareFused([&] { return linearDropoutNorm(x, layer, {}, normal, dropout); },
                 [&] { return plain(torch::zeros({}, torch::kFloat64)); },
                 {x, layer->weight, layer->bias, normal->weight, normal->bias});
  }
}

void TestFused::sumAndFactor() {
  const Tensor x = input({2, 5, 21}), y = input({2, 5, 21}), z = input({5, 21, 2});
  compareFused([&] { return scaledSum(x, y, 0.7); }, [&] { return (x + y) * 0.7; }, {x, y});
  compareFused(
      [&] {
        return scaledSum(x, z.permute({2, 0, 1}), 0.7);
      },
      [&] {
        return (x + z.permute({2, 0, 1})) * 0.7;
      },
      {x, z});
}

void TestFused::embedding() {
  const Tensor table = input({7, 8}), positions = sinusoids(4, 8).requires_grad_();
  const auto ids = torch::tensor({{2, 3, 3, 6}, {4, 2, 1, 1}}, torch::kInt64);
  // The row of <pad> gets no gradient in either way.
  compareFused([&] { return embed(table, ids, 2.5, positions, kDroppedOften); },
               [&] {
                 return applyDropout(torch::embedding(table, ids, 1) * 2.5 + positions,
                                     kDroppedOften);
               },
               {table, positions});
}

void TestFused::causalSelfAttention() {
  const Tensor packed_BT3D =
      input({3, 19, 24});  // more positions than lanes, and not a multiple of them
  const auto later = torch::ones({19, 19}, torch::kBool).triu(1);
  for (const Dropout& dropout : {Dropout{}, kDroppedOften}) {
    const AttentionOptions options{.heads = 2, .causal = true, .dropout = dropout};
    compareFused([&] { return selfAttention(packed_BT3D, {}, options); },
                 [&] {
                   const auto parts = packed_BT3D.chunk(3, 2);
                   return attention(parts[0], parts[1], parts[2], later, dropout);
                 },
                 {packed_BT3D});
  }
  Recorder recorder;
  const Published map{&recorder, {"map", "attention", "decoder", 0, {"head", "target", "history"}}};
  selfAttention(packed_BT3D, {}, {.heads = 2, .causal = true, .map = map});
  const Tensor weights_BHTS = recorder.tensors().at(0).values;
  QVERIFY((weights_BHTS.sum(3) - 1).abs().max().item<double>() < 1e-12);
  QCOMPARE(weights_BHTS.masked_select(later).abs().max().item<double>(), 0.0);
}

void TestFused::paddedCrossAttention() {
  const Tensor q = input({3, 5, 8}), kv = input({3, 18, 16});
  const auto source = makeSourceBatch(torch::ones({3, 18}, torch::kInt64),
                                      torch::tensor({18, 3, 17}, torch::kInt64));
  const auto masked = source.padding_BS.unsqueeze(1).unsqueeze(1);
  for (const Dropout& dropout : {Dropout{}, kDroppedOften}) {
    compareFused(
        [&] {
          return crossAttention(q, kv, {{}, source}, {.heads = 2, .dropout = dropout});
        },
        [&] { return attention(q, kv.narrow(2, 0, 8), kv.narrow(2, 8, 8), masked, dropout); },
        {q, kv});
  }
}

SourceBatch paddedSource() {
  return makeSourceBatch(torch::ones({3, 18}, torch::kInt64),
                         torch::tensor({18, 3, 17}, torch::kInt64));
}

// Two attentions of the same queries, each with its own scale and dropout.
void TestFused::sumOfAttentions() {
  const Tensor q = input({3, 5, 8});
  const auto source = paddedSource();
  const auto masked = source.padding_BS.unsqueeze(1).unsqueeze(1);
  const Tensor one = input({3, 18, 8}), two = input({3, 18, 8}), shared = input({3, 18, 8});
  const SummedMemory memory{{one, two}, shared, 0.6};
  for (const auto& [first, second] :
       {std::pair<Dropout, Dropout>{},
        {kDroppedOften, {kDroppedOften.rate, kDroppedOften.key + 1}}}) {
    Recorder recorder;
    const auto options = [&](const Dropout& dropout, const char* name) {
      const Published map{&recorder,
                          {name, "attention", "decoder", 0, {"head", "target", "source"}}};
      return AttentionOptions{.heads = 2, .dropout = dropout, .scale = 0.7, .map = map};
    };
    const auto oracle = [&](const Tensor& keys, const Dropout& dropout) {
      return attention(q * (0.7 * 2), keys, (keys + shared) * 0.6, masked, dropout);
    };
    compareFused(
        [&] {
          return summedAttention(q, memory, source,
                                 {options(first, "one"), options(second, "two")});
        },
        [&] { return oracle(one, first) + oracle(two, second); }, {q, one, two, shared});
    const auto& maps = recorder.tensors();
    QVERIFY(maps.size() >= 2);
    QCOMPARE(maps[0].info.name, std::string("one"));
    QCOMPARE(maps[1].info.name, std::string("two"));
    const Tensor scores = torch::matmul(q.unflatten(2, {2, 4}).transpose(1, 2) * 0.7,
                                        two.unflatten(2, {2, 4}).permute({0, 2, 3, 1}))
                              .masked_fill(masked, -std::numeric_limits<double>::infinity());
    QVERIFY((maps[1].values - torch::softmax(scores, 3)).abs().max().item<double>() < 1e-12);
  }
}

// Values that something else put in place of the memory's own are read, and get the gradients.
void TestFused::sumOfAttentionsToForcedValues() {
  const Tensor q = input({3, 5, 8}), keys = input({3, 18, 8}), values = input({3, 18, 8});
  const auto source = paddedSource();
  const auto masked = source.padding_BS.unsqueeze(1).unsqueeze(1);
  const SummedMemory memory = readByMany({{keys}, input({3, 18, 8}), 0.6, {values}});
  compareFused(
      [&] { return summedAttention(q, memory, source, {{.heads = 2, .dropout = kDroppedOften}}); },
      [&] { return attention(q, keys, values, masked, kDroppedOften); }, {q, keys, values});
}

// Three readers of one memory and another use: gradients as if each reader had copies; when
// computed twice, and for some inputs only in between, nothing is left over or counted again.
void TestFused::readByManyAddsGradients() {
  const auto source = paddedSource();
  const Tensor keys = input({3, 18, 8}), words = input({3, 18, 8});
  const std::vector<Tensor> q{input({3, 5, 8}), input({3, 5, 8}), input({3, 5, 8})};
  const auto read = [&](const SummedMemory& memory) {
    Tensor sum = (memory.keys_BSD[0] * memory.shared_BSD).sum();
    for (const Tensor& each : q)
      sum =
          sum + summedAttention(each, memory, source, {{.heads = 2}, {.heads = 2}}).square().sum();
    return sum;
  };
  const SummedMemory memory{{keys * 2, keys * 5}, words * 3};
  const Tensor shared = read(readByMany(memory)), plain = read(memory);
  const std::vector<std::vector<Tensor>> asked{{keys, words, q[0]}, {q[1]}, {keys}, {words, keys}};
  for (const auto& of : asked) {
    const auto a = torch::autograd::grad({shared}, of, {}, /*retain_graph=*/true);
    const auto b = torch::autograd::grad({plain}, of, {}, /*retain_graph=*/true);
    for (std::size_t i = 0; i < of.size(); ++i)
      QVERIFY((a[i] - b[i]).abs().max().item<double>() < 1e-10);
  }
}

// 100,000 elements at rate 0.3: the share zeroed is within five standard deviations, and the mean
// stays.
void TestFused::dropoutKeepsItsShare() {
  const Tensor dropped = applyDropout(torch::ones({100, 1000}), Dropout{0.3, 4});
  QVERIFY(std::abs((dropped == 0).to(torch::kFloat64).mean().item<double>() - 0.3) < 0.0073);
  QVERIFY(std::abs(dropped.mean().item<double>() - 1) < 0.011);
  QVERIFY(!torch::equal(dropped, applyDropout(torch::ones({100, 1000}), Dropout{0.3, 5})));
  QVERIFY(!torch::equal(dropped[0], dropped[1]));
}

// A row's mask belongs to its number, wherever the row is and whichever thread computes it.
void TestFused::rowsKeepTheirNumbers() {
  const Tensor whole = applyDropout(torch::ones({9, 100}), kDroppedOften);
  const Tensor numbers = torch::tensor({8, 2, 3, 5, 6}, torch::kInt64);
  const int threads = at::get_num_threads();
  for (const int count : {1, 2}) {
    at::set_num_threads(count);
    const Tensor x = torch::ones({5, 100}).requires_grad_();
    const Tensor some = applyDropout(x, RowDropout(kDroppedOften, numbers));
    QVERIFY(torch::equal(some, whole.index_select(0, numbers)));
    some.sum().backward();
    QVERIFY(torch::equal(x.grad(), some));
  }
  at::set_num_threads(threads);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestFused)
#include "test_fused.moc"
