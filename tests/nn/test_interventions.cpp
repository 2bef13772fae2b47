// The effect of interventions on published internals, on tensors that a person can check.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <cmath>

#include "core/nn/recorder.h"
#include "tests/fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

const RecordingInfo kGate{"gate", "gate", "decoder", 0, {"target", "feature"}};
const RecordingInfo kMap{"map", "attention", "decoder", 0, {"head", "target", "source"}};

Tensor apply(const std::vector<std::string>& texts, const RecordingInfo& info,
             const Tensor& values) {
  return Interventions::parse(texts).apply(info, values);
}

}  // namespace

class TestInterventions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void valuesReplaceWhatIsNamed();
  void indicesReplaceOneSlice();
  void indicesOfTwoAxesReplaceOneCell();
  void masksAreTheSoftmaxOverTheRest();
  void masksNeedARestAndAMap();
  void givenWeightsReplaceTheRow();
  void stepsReplaceTheirOwnPosition();
  void nothingReadsWhatComesLater();
  void whatCannotBeGivenIsNamed();
  void meansNeedToBeKnown();
  void meansLeaveOutWhatNothingReads();
  void meansAreOverTruePositions();
  void aHybridMapHasTwoKindsOfPadding();
  void whatCannotBeIsNamed();
  void recordersGiveBackWhatIsUsed();
};

void TestInterventions::valuesReplaceWhatIsNamed() {
  const Tensor gate = torch::tensor({{{0.25, 0.75}, {0.5, 1.0}}}, torch::kFloat64);
  QVERIFY(torch::equal(apply({"gate=zero"}, kGate, gate), torch::zeros_like(gate)));
  QVERIFY(torch::equal(apply({"gate=0.5"}, kGate, gate), torch::full_like(gate, 0.5)));
  QVERIFY(torch::equal(apply({"gate=-1e-3"}, kGate, gate), torch::full_like(gate, -1e-3)));
  QVERIFY(torch::equal(apply({"other=zero"}, kGate, gate), gate));
  QCOMPARE(gate[0][0][0].item<double>(), 0.25);  // the model's own tensor stays
}

void TestInterventions::indicesReplaceOneSlice() {
  const Tensor map = torch::arange(12, torch::kFloat64).view({1, 2, 2, 3});
  const Tensor off = apply({"map[head=1]=zero"}, kMap, map);
  QVERIFY(torch::equal(off[0][0], map[0][0]));
  QCOMPARE(off[0][1].abs().sum().item<double>(), 0.0);
  const Tensor both = apply({"map[head=0]=1", "map[source=2]=7"}, kMap, map);
  QVERIFY(torch::equal(both[0][0], torch::tensor({{1.0, 1.0, 7.0}, {1.0, 1.0, 7.0}})));
  QVERIFY(torch::equal(both[0][1], torch::tensor({{6.0, 7.0, 7.0}, {9.0, 10.0, 7.0}})));
}

void TestInterventions::indicesOfTwoAxesReplaceOneCell() {
  const Tensor map = torch::arange(12, torch::kFloat64).view({1, 2, 2, 3});
  const Tensor off = apply({"map[head=1,source=2]=-5"}, kMap, map);
  QVERIFY(torch::equal(off[0][0], map[0][0]));
  QVERIFY(torch::equal(off[0][1], torch::tensor({{6.0, 7.0, -5.0}, {9.0, 10.0, -5.0}})));
  const Tensor three = apply({"map[target=1,head=0,source=0]=zero"}, kMap, map);
  QCOMPARE((three - map).abs().sum().item<double>(), 3.0);
  QCOMPARE(three[0][0][1][0].item<double>(), 0.0);
}

// Energies 1, 2 and 3: without the second, the weights are the softmax of 1 and 3. A second mask
// takes the softmax over what the first has left.
void TestInterventions::masksAreTheSoftmaxOverTheRest() {
  const RecordingInfo hops{"hops", "hop_weights", "decoder", -1, {"target", "hop", "level"}};
  const Tensor energies = torch::tensor({1.0, 2.0, 3.0}, torch::kFloat64).view({1, 1, 1, 3});
  const Tensor weights = torch::softmax(energies.expand({1, 2, 2, 3}), -1);
  const double two = std::exp(1.0) + std::exp(3.0);
  const Tensor rest = torch::tensor({std::exp(1.0) / two, 0.0, std::exp(3.0) / two});
  const Tensor all = apply({"hops[level=1]=mask"}, hops, weights);
  QVERIFY(torch::allclose(all, rest.to(torch::kFloat64).expand_as(all), 1e-12, 1e-7));
  const Tensor cell = apply({"hops[hop=1,level=1]=mask"}, hops, weights);
  QVERIFY(torch::equal(cell.select(2, 0), weights.select(2, 0)));
  QVERIFY(torch::equal(cell.select(2, 1), all.select(2, 1)));
  const Tensor last = apply({"hops[level=1]=mask", "hops[level=0]=mask"}, hops, weights);
  QVERIFY(
      torch::allclose(last.select(3, 2), torch::ones({1, 2, 2}, torch::kFloat64), 1e-12, 1e-12));
  // A row keeps its own sum; without a rest it is 0.
  const Tensor part = torch::tensor({{0.1, 0.3, 0.2}, {0.5, 0.0, 0.0}}, torch::kFloat64);
  const Tensor masked = apply({"map[source=0]=mask"}, kMap, part.view({1, 1, 2, 3})).view({2, 3});
  QVERIFY(torch::allclose(masked,
                          torch::tensor({{0.0, 0.36, 0.24}, {0.0, 0.0, 0.0}}, torch::kFloat64)));
}

void TestInterventions::masksNeedARestAndAMap() {
  const Tensor map = torch::ones({1, 2, 2, 3}), gate = torch::ones({1, 2, 2});
  QVERIFY(holds(usageErrorOf([&] { apply({"map[head=1]=mask"}, kMap, map); }),
                "map[head=1]=mask: a mask needs an index of the axis 'source'"));
  QVERIFY(holds(usageErrorOf([&] { apply({"map=mask"}, kMap, map); }), "'source'"));
  QVERIFY(holds(usageErrorOf([&] { apply({"gate[feature=0]=mask"}, kGate, gate); }),
                "'gate' is no such map"));
}

void TestInterventions::givenWeightsReplaceTheRow() {
  const Tensor map = torch::softmax(torch::arange(12, torch::kFloat64).view({1, 2, 2, 3}), -1);
  const Tensor one = apply({"map[target=1]=read:2"}, kMap, map);
  const Tensor expected = torch::tensor({0.0, 0.0, 1.0}, torch::kFloat64);
  for (std::int64_t head = 0; head < 2; ++head) {
    QVERIFY(torch::equal(one[0][head][0], map[0][head][0]));
    QVERIFY(torch::equal(one[0][head][1], expected));
  }
  // Proportions: 1 and 3 are 1/4 and 3/4.
  const Tensor two = apply({"map[head=1,target=0]=read:0*1,2*3"}, kMap, map);
  QVERIFY(torch::equal(two[0][1][0], torch::tensor({0.25, 0.0, 0.75}, torch::kFloat64)));
  QCOMPARE((two - map).abs().gt(0).sum().item<std::int64_t>(), std::int64_t{3});
  QVERIFY(torch::equal(apply({"map=read:2"}, kMap, map), expected.expand_as(map)));
  QVERIFY(Interventions::parse({"map[target=1]=read:2"}).namesPositions());
  QVERIFY(!Interventions::parse({"map[head=1]=zero"}).namesPositions());
  QCOMPARE(Interventions::parse({"map[target=1]=read:2", "map[target=7]=zero"}).lastTarget(),
           std::optional<std::int64_t>(7));
  QVERIFY(!Interventions::parse({"map=zero"}).lastTarget());
}

// A step has one target position; only what names it, or none, acts in it.
void TestInterventions::stepsReplaceTheirOwnPosition() {
  const Tensor map = torch::softmax(torch::arange(6, torch::kFloat64).view({1, 2, 1, 3}), -1);
  const Interventions fifth = Interventions::parse({"map[target=4]=read:0"});
  QVERIFY(torch::equal(fifth.apply(kMap, map, 3), map));
  QVERIFY(torch::equal(fifth.apply(kMap, map, 5), map));
  QCOMPARE(fifth.apply(kMap, map, 4).select(3, 0).sum().item<double>(), 2.0);
  const Interventions mask = Interventions::parse({"map[target=4,source=2]=mask"});
  QVERIFY(torch::equal(mask.apply(kMap, map, 3), map));
  QCOMPARE(mask.apply(kMap, map, 4).select(3, 2).sum().item<double>(), 0.0);
  const Interventions everywhere = Interventions::parse({"map[source=1]=zero"});
  QCOMPARE(everywhere.apply(kMap, map, 9).select(3, 1).sum().item<double>(), 0.0);
}

void TestInterventions::nothingReadsWhatComesLater() {
  const RecordingInfo past{"past", "history_attention", "decoder", 0, {"target", "history"}};
  const RecordingInfo both{"both", "joint_attention", "decoder", 0, {"target", "memory"}};
  const Tensor square = torch::full({1, 4, 4}, 0.25), wide = torch::full({1, 4, 7}, 0.1);
  QCOMPARE(apply({"past[target=2]=read:2"}, past, square)[0][2][2].item<double>(), 1.0);
  QVERIFY(holds(usageErrorOf([&] { apply({"past[target=2]=read:3"}, past, square); }),
                "'past' has 3 along history there, so position 3 cannot be read"));
  QVERIFY(holds(usageErrorOf([&] { apply({"past=read:1"}, past, square); }), "has 1 along"));
  // The first three of the memory are the source.
  QCOMPARE(apply({"both[target=1]=read:4"}, both, wide)[0][1][4].item<double>(), 1.0);
  QVERIFY(!usageErrorOf([&] { apply({"both[target=1]=read:5"}, both, wide); }).empty());
  const Interventions third = Interventions::parse({"past[target=2]=read:2"});
  const Tensor step = torch::full({1, 1, 2}, 0.5), own = torch::full({1, 1, 3}, 0.5);
  QVERIFY(torch::equal(third.apply(past, step, 1), step));
  QCOMPARE(third.apply(past, own, 2)[0][0][2].item<double>(), 1.0);
}

void TestInterventions::whatCannotBeGivenIsNamed() {
  const Tensor map = torch::ones({1, 2, 2, 3}), gate = torch::ones({1, 2, 2});
  const auto error = [&](const std::string& text) {
    return usageErrorOf([&] {
      apply({text}, kGate, gate);
      apply({text}, kMap, map);
    });
  };
  QVERIFY(holds(error("map[target=0]=read:3"), "'map' has 3 along source, so position 3 cannot"));
  QVERIFY(holds(error("map[target=2]=read:0"), "'map' has 2 along target"));
  QVERIFY(holds(error("map[source=1]=read:0"), "weights over 'source' are given"));
  QVERIFY(holds(error("gate[target=1]=read:0"), "can be given, and 'gate' is no such map"));
  QVERIFY(holds(error("map=read:1*-2"), "the weight of position 1 must be at least 0"));
  QVERIFY(holds(error("map=read:1*nan"), "must be at least 0"));
  QVERIFY(holds(error("map=read:1*0"), "at least one weight must be above 0"));
  QVERIFY(holds(error("map=read:1,1*2"), "position 1 is given twice"));
  for (const char* text : {"map=read:", "map=read:a", "map=read:-1", "map=read:1*", "map=read:1,"})
    QVERIFY2(holds(error(text), "is not an intervention"), text);
}

void TestInterventions::meansNeedToBeKnown() {
  Interventions mean = Interventions::parse({"gate=mean"});
  QCOMPARE(mean.meansWanted(), std::vector<std::string>{"gate"});
  const Tensor gate = torch::zeros({2, 3, 2}, torch::kFloat64);
  QVERIFY(holds(usageErrorOf([&] { mean.apply(kGate, gate); }), "mean of 'gate'"));
  mean.setMean("gate", torch::tensor({0.25, 0.5}, torch::kFloat64));
  const Tensor replaced = mean.apply(kGate, gate);
  QVERIFY(torch::equal(replaced.select(2, 0), torch::full({2, 3}, 0.25, torch::kFloat64)));
  QVERIFY(torch::equal(replaced.select(2, 1), torch::full({2, 3}, 0.5, torch::kFloat64)));
}

// The second sentence has one source word less: no weight goes to its padding, in no head and no
// row, whatever its company. A gate of 0 is a value as any other.
void TestInterventions::meansLeaveOutWhatNothingReads() {
  const Tensor map =
      torch::tensor({{{0.2, 0.3, 0.5}, {0.6, 0.3, 0.1}}, {{0.9, 0.1, 0.0}, {0.5, 0.5, 0.0}}},
                    torch::kFloat64)
          .unsqueeze(1);
  Interventions mean = Interventions::parse({"map=mean"});
  mean.setMean("map", torch::tensor({0.4}, torch::kFloat64));
  const Tensor expected = torch::tensor(
      {{{0.4, 0.4, 0.4}, {0.4, 0.4, 0.4}}, {{0.4, 0.4, 0.0}, {0.4, 0.4, 0.0}}}, torch::kFloat64);
  const Tensor replaced = mean.apply(kMap, map);
  QVERIFY(torch::equal(replaced.squeeze(1), expected));
  QVERIFY(torch::equal(mean.apply(kMap, map.slice(0, 1, 2).slice(3, 0, 2)),
                       replaced.slice(0, 1, 2).slice(3, 0, 2)));
  Interventions head = Interventions::parse({"map[head=0]=mean"});
  head.setMean("map", torch::tensor({0.4}, torch::kFloat64));
  QVERIFY(torch::equal(head.apply(kMap, map), replaced));
  Interventions gate = Interventions::parse({"gate=mean"});
  gate.setMean("gate", torch::tensor({0.25, 0.5}, torch::kFloat64));
  QCOMPARE(gate.apply(kGate, torch::zeros({1, 1, 2}, torch::kFloat64)).sum().item<double>(), 0.75);
}

// Two sentences of 2 and 1 words: the third position is padding and does not count.
void TestInterventions::meansAreOverTruePositions() {
  const Tensor gate =
      torch::tensor({{{1.0, 10.0}, {3.0, 20.0}}, {{8.0, 60.0}, {99.0, 99.0}}}, torch::kFloat64);
  const PositionSum sum = sumOverPositions(kGate, gate,
                                           {.source_B = torch::tensor({5, 5}, torch::kInt64),
                                            .target_B = torch::tensor({2, 1}, torch::kInt64)});
  QCOMPARE(sum.positions, std::int64_t{3});
  QVERIFY(torch::equal(sum.sum, torch::tensor({12.0, 90.0}, torch::kFloat64)));
}

// The columns of a hybrid map are the source's, then the history's; 99 stands where either is
// padding. The first sentence has 2 source and 1 target words, the second 1 and 2.
void TestInterventions::aHybridMapHasTwoKindsOfPadding() {
  const RecordingInfo hybrid{"hybrid", "joint_attention", "decoder", 0, {"target", "memory"}};
  const Tensor map = torch::tensor({{{1.0, 2.0, 4.0, 99.0}, {99.0, 99.0, 99.0, 99.0}},
                                    {{10.0, 99.0, 20.0, 30.0}, {40.0, 99.0, 50.0, 60.0}}},
                                   torch::kFloat64);
  const PositionSum sum = sumOverPositions(hybrid, map,
                                           {.source_B = torch::tensor({2, 1}, torch::kInt64),
                                            .target_B = torch::tensor({1, 2}, torch::kInt64)});
  QCOMPARE(sum.positions, std::int64_t{1 * 3 + 2 * 3});
  QCOMPARE(sum.sum.item<double>(), 7.0 + 210.0);
}

void TestInterventions::whatCannotBeIsNamed() {
  for (const char* text : {"gate", "=zero", "gate=half", "gate[head]=zero", "gate[head=x]=zero",
                           "gate[head=-1]=zero", "[head=1]=zero", "gate[head=1=zero", "gate[]=zero",
                           "gate[head=1,]=zero", "gate[head=1,2]=zero", "gate[head=1,head=2]=zero"})
    QVERIFY2(holds(usageErrorOf([&] { Interventions::parse({text}); }), text), text);
  const Tensor map = torch::zeros({1, 2, 2, 3});
  QVERIFY(holds(usageErrorOf([&] { apply({"map[hop=1]=zero"}, kMap, map); }), "'hop'"));
  QVERIFY(holds(usageErrorOf([&] { apply({"map[head=2]=zero"}, kMap, map); }), "has 2 along head"));
  QVERIFY(holds(usageErrorOf([&] {
                  Interventions::parse({"gates=zero"}).check({kGate, kMap});
                }),
                "no internal 'gates'; it has gate, map"));
}

void TestInterventions::recordersGiveBackWhatIsUsed() {
  const Interventions half = Interventions::parse({"gate=0.5"});
  Recorder recorder({"map"});
  recorder.intervene(&half);
  const Tensor gate = torch::zeros({1, 2, 2});
  QVERIFY(recorder.wants("gate") && recorder.replaces("gate") && !recorder.replaces("map"));
  QVERIFY(torch::equal(recorder.publish(kGate, gate), torch::full_like(gate, 0.5)));
  QVERIFY(recorder.tensors().empty());  // only the map was to be collected
  const Tensor map = torch::ones({1, 2, 2, 3});
  QVERIFY(recorder.publish(kMap, map).is_same(map));
  QCOMPARE(recorder.tensors().size(), std::size_t{1});
  // A block is collected by name only.
  Recorder all;
  all.publish({"layer", "block", "encoder", 0, {"source", "feature"}}, gate);
  QVERIFY(all.tensors().empty());
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestInterventions)
#include "test_interventions.moc"
