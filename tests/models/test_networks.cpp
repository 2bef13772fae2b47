// The drawings of all presets' networks, without a model being made.
#include <QtTest>

#include "core/run/experiment.h"
#include "models/presets.h"
#include "tests/program.h"

using namespace strata;

class TestNetworks : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void partsSumToTheParameters();
  void connectionsAreThoseOfThePaper();
  void summariesRestartADenseStack();
  void jsonKeepsEverything();

 private:
  static Json modelOf(const std::string& preset, std::vector<std::string> overrides = {}) {
    return resolveConfig({.preset = preset, .overrides = std::move(overrides)}, builtInSources())
        .at("model");
  }
  static int count(const Network& network, Network::LinkKind kind) {
    return int(std::ranges::count(network.links, kind, &Network::Link::kind));
  }
};

// Each block's count is computed where it is drawn, the sum where models are counted.
void TestNetworks::partsSumToTheParameters() {
  int seen = 0;
  for (const Preset& preset : presets()) {
    const Json model = modelOf(preset.name);
    const bool joint = model.value("share_all_embeddings", false);
    const Json config = modelConfig(model, 8848, joint ? 8848 : 6632);
    const Network network = networkOf(config);
    QVERIFY2(network.parameters() == parameterCountOf(config), preset.name.c_str());
    for (const Network::Part& part : network.parts) {
      QVERIFY2(part.width > 0 && part.column < network.columns.size(), part.name.c_str());
      QVERIFY2(!part.equation.empty(), part.name.c_str());
    }
    for (const Network::Link& link : network.links)
      QVERIFY(link.from < network.parts.size() && link.to < network.parts.size());
    ++seen;
  }
  QVERIFY(seen > 60);
}

void TestNetworks::connectionsAreThoseOfThePaper() {
  using Kind = Network::LinkKind;
  // Three layers and a fused embedding on both sides, and the table of layer embeddings for both.
  const Network fused = networkOf(modelConfig(modelOf("mlrf/both-fnn-sa4"), 8848, 6632));
  QCOMPARE(count(fused, Kind::kFusion), 2 * 4 + 2);
  QCOMPARE(count(fused, Kind::kAttention), 3);
  QCOMPARE(count(fused, Kind::kResidual), 6);
  // The history is read in each of the four layers.
  const Network gate = networkOf(modelConfig(modelOf("dhea/gate"), 8848, 6632));
  QCOMPARE(count(gate, Kind::kHistory), 4);
  QCOMPARE(count(networkOf(modelConfig(modelOf("dhea/none"), 8848, 6632)), Kind::kHistory), 0);
  // Nine layers in each of two columns and seven above, and both tops into the interface.
  const Network deep = networkOf(modelConfig(modelOf("deepatt/att-9-7"), 8848, 6632));
  QCOMPARE(deep.columns.size(), std::size_t(3));
  QCOMPARE(count(deep, Kind::kFastForward), 2 * 8 + 6 + 2);
  // Layer i of four reads i earlier parts: the one below, and i-1 others; so does the output.
  const Network dense = networkOf(modelConfig(modelOf("densenmt/4l-2"), 8848, 6632));
  QCOMPARE(count(dense, Kind::kDense), (1 + 2 + 3) + (1 + 2 + 3 + 4));
  QCOMPARE(count(dense, Kind::kAttention), 5 + 4);
  QCOMPARE(count(dense, Kind::kResidual), 0);
  // Eq. 10 attends to layers 1 to 4 and reads h0 for the values; Eq. 9 does the same at once.
  for (const char* preset : {"densenmt/literal-4l-1", "densenmt/literal-4l-2"}) {
    const Network printed = networkOf(modelConfig(modelOf(preset), 8848, 6632));
    QCOMPARE(count(printed, Kind::kAttention), 5 + 4);
    QCOMPARE(printed.parts[0].width, 256);
  }
}

// N = 8, B = 6: layer 6 summarises the five before it and the embedding; three parts are attended
// to.
void TestNetworks::summariesRestartADenseStack() {
  using Kind = Network::LinkKind;
  const Network network = networkOf(modelConfig(modelOf("densenmt/8l-2"), 8848, 6632));
  QCOMPARE(count(network, Kind::kSummary), 2 * 6);
  QCOMPARE(count(network, Kind::kAttention), 3 + 8);
}

void TestNetworks::jsonKeepsEverything() {
  const Network network = networkOf(modelConfig(modelOf("densenmt/8l-2"), 8848, 6632));
  QVERIFY(Network::read(network.json()).json() == network.json());
  QVERIFY(Network::read(network.json()).links == network.links);
}

STRATA_GUILESS_TEST(TestNetworks)
#include "test_networks.moc"
