// Weights given at one position of a translation: the model's own there, and what is replaced.
#include <QtTest>

#include "core/inside/attention_override.h"
#include "tests/program.h"

namespace strata {
namespace {

const RecordingInfo kHeads{"cross", "attention", "decoder", 0, {"head", "target", "source"}};
const RecordingInfo kPlain{"plain", "attention", "decoder", 1, {"target", "source"}};
const RecordingInfo kPast{"past", "history_attention", "decoder", 0, {"target", "history"}};
const RecordingInfo kBoth{"both", "joint_attention", "decoder", 0, {"target", "memory"}};
const RecordingInfo kHops{"hops", "hop_weights", "decoder", -1, {"target", "hop", "level"}, 1};

Recording counted(const RecordingInfo& info, std::vector<std::int64_t> shape) {
  Recording map{info, std::move(shape), {}};
  std::int64_t size = 1;
  for (const std::int64_t each : map.shape) size *= each;
  for (std::int64_t i = 0; i < size; ++i) map.values.push_back(float(i));
  return map;
}

// Two words of the source, three of the target.
SentenceRecordings sentence() {
  return {0,
          {"Hund", "</s>"},
          {"a", "dog", "</s>"},
          {counted(kHeads, {2, 3, 2}), counted(kPlain, {3, 2}), counted(kPast, {3, 3}),
           counted(kBoth, {3, 5}), counted(kHops, {3, 2, 3})}};
}

using Weights = std::vector<double>;
using Texts = std::vector<std::string>;

}  // namespace

class TestAttentionOverride : public QObject {
  Q_OBJECT
 private slots:
  void whatCanBeGiven();
  void ownWeights();
  void laterWordsAreNotRead();
  void interventions();
};

void TestAttentionOverride::whatCanBeGiven() {
  for (const RecordingInfo& info : {kHeads, kPlain, kPast, kBoth, kHops})
    QVERIFY(canOverride(info));
  QVERIFY(readsSource(kHeads) && readsSource(kPlain) && !readsSource(kPast) && !readsSource(kHops));
  QVERIFY(!canOverride({"self", "attention", "encoder", 0, {"head", "source", "source"}}));
  QVERIFY(!canOverride({"gate", "gate", "decoder", 0, {"target", "feature"}}));
  QCOMPARE(unitAxis(kHeads), std::string("head"));
  QCOMPARE(unitAxis(kHops), std::string("hop"));
  QCOMPARE(unitAxis(kPlain), std::string());
}

void TestAttentionOverride::ownWeights() {
  // Head 0 has 2, 3 in row 1; head 1 has 8, 9; the map without heads 2, 3.
  const OverrideRow one = overrideRow(sentence(), {{kHeads}, 1, 1});
  QCOMPARE(one.weights, (Weights{8, 9}));
  QCOMPARE(one.labels, (Texts{"Hund", "</s>"}));
  QCOMPARE(one.units, 2);
  QCOMPARE(overrideRow(sentence(), {{kHeads}, -1, 1}).weights, (Weights{5, 6}));
  QCOMPARE(overrideRow(sentence(), {{kHeads, kPlain}, -1, 1}).weights, (Weights{4, 5}));
  QCOMPARE(overrideRow(sentence(), {{kHeads, kPlain}, -1, 1}).units, 1);
  const OverrideRow hops = overrideRow(sentence(), {{kHops}, 1, 2});
  QCOMPARE(hops.weights, (Weights{15, 16, 17}));
  QCOMPARE(hops.labels, (Texts{"1", "2", "3"}));
  QVERIFY(overrideRow(sentence(), {{kPlain}, -1, 3}).weights.empty());  // there are three words
  QVERIFY(overrideRow(sentence(), {{kHeads}, 2, 0}).weights.empty());   // and two heads
  QVERIFY(overrideRow({}, {{kPlain}, -1, 0}).weights.empty());
}

void TestAttentionOverride::laterWordsAreNotRead() {
  const OverrideRow past = overrideRow(sentence(), {{kPast}, -1, 1});
  QCOMPARE(past.weights, (Weights{3, 4}));
  QCOMPARE(past.labels, (Texts{"</s>", "a"}));
  const OverrideRow both = overrideRow(sentence(), {{kBoth}, -1, 0});
  QCOMPARE(both.weights, (Weights{0, 1, 2}));
  QCOMPARE(both.labels, (Texts{"Hund", "</s>", "</s>"}));
}

void TestAttentionOverride::interventions() {
  QCOMPARE(interventionsOf({{kHeads, kPlain}, -1, 1}, {{std::nullopt, 1.0}}),
           (Texts{"cross[target=1]=read:1*1", "plain[target=1]=read:1*1"}));
  QCOMPARE(interventionsOf({{kHeads}, 1, 2}, {{0.25, 0.75}}),
           Texts{"cross[head=1,target=2]=read:0*0.25,1*0.75"});
  QCOMPARE(interventionsOf({{kHops}, 0, 2},
                           {{std::nullopt, std::nullopt, std::nullopt}, {true, false, true}}),
           (Texts{"hops[hop=0,target=2,level=0]=mask", "hops[hop=0,target=2,level=2]=mask"}));
  // Weights go before: a word without one is not read anyway.
  QCOMPARE(interventionsOf({{kPlain}, -1, 0}, {{1.0, std::nullopt}, {false, true}}),
           Texts{"plain[target=0]=read:0*1"});
  QVERIFY(interventionsOf({{kPlain}, -1, 0}, {{0.0, std::nullopt}, {false, false}}).empty());
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestAttentionOverride)
#include "test_attention_override.moc"
