// The strict configuration: inheritance, overrides, and errors that name place, key and nearest
// key.
#include <QtTest>

#include "core/base/files.h"
#include "core/run/config.h"
#include "core/run/configuration_group.h"
#include "core/run/experiment.h"
#include "core/run/measured_series.h"
#include "core/run/table_sharing.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

// Two families and a few presets of a program that does not exist.
ConfigSources sources() {
  ConfigSources sources;
  const std::map<std::string, std::string> presets{
      {"paper/base",
       "model: {family: toy, width: 32}\ntraining: {dropout: 0.2, batch: {size: 80, unit: "
       "sentences}}\n"},
      {"paper/row", "preset: paper/base\nmodel: {width: 64}\n"},
      {"recipe/small", "preset: paper/base\ntraining: {dropout: 0.4}\n"},
      {"paper/small-row", "preset: paper/row, recipe/small\n"},
      {"paper/loop", "preset: paper/pool\n"},
      {"paper/pool", "preset: paper/loop\n"},
      {"paper/wrong", "preset: paper/base\ntraining:\n  dropuot: 0.1\n"},
  };
  sources.presetText = [presets](const std::string& name) -> std::optional<std::string> {
    const auto at = presets.find(name);
    return at == presets.end() ? std::nullopt : std::optional(at->second);
  };
  sources.presetNames = [presets] {
    std::vector<std::string> names;
    for (const auto& [name, text] : presets) names.push_back(name);
    return names;
  };
  sources.families = [] { return std::vector<std::string>{"toy", "other"}; };
  sources.modelKeys = [](const std::string& family) {
    ConfigKey width{.path = "model.width", .type = ConfigKey::Type::kInt, .defaultValue = 16};
    width.minimum = 1;
    ConfigKey half{.path = "model.half", .type = ConfigKey::Type::kInt};
    ConfigKey depth{.path = "model.depth", .type = ConfigKey::Type::kInt, .defaultValue = 2};
    ConfigKey widths{
        .path = "model.widths", .type = ConfigKey::Type::kIntOrList, .defaultValue = 8};
    widths.minimum = 1;
    std::vector<ConfigKey> keys = family == "toy" ? std::vector<ConfigKey>{width, half, widths}
                                                  : std::vector<ConfigKey>{depth};
    TableSharing sharing;
    for (ConfigKey& key : tableOf(sharing).keys("model.")) keys.push_back(std::move(key));
    return keys;
  };
  sources.completeModel = [](const std::string&, Json& model) -> std::vector<ConfigProblem> {
    if (!model.contains("width")) return {};
    if (model["width"] == 13) return {{"model.width", "13 is unlucky"}};
    if (model["half"].is_null()) model["half"] = model["width"].get<int>() / 2;
    return {};
  };
  return sources;
}

Json resolve(const std::string& preset, std::vector<std::string> overrides = {}) {
  return resolveConfig({.file = "", .preset = preset, .overrides = std::move(overrides)},
                       sources());
}

std::string errorOfSet(const std::string& override) {
  return usageErrorOf([&] { resolve("paper/base", {override}); });
}

}  // namespace

class TestConfig : public QObject {
  Q_OBJECT

 private slots:
  void defaultsAreValid();
  void presetsInherit();
  void severalPresetsFollowOneAnother();
  void theFileOverridesItsPreset();
  void theLastOverrideWins();
  void overridesTakeListsAndMappings();
  void aKeyMayBeANumberOrAList();
  void unknownKeysNameLineAndNearest();
  void wrongTypesAndRangesAreNamed();
  void cyclesAndUnknownPresetsAreNamed();
  void anotherFamilyHasOtherKeys();
  void dependentValuesAreFilledInAndChecked();
  void testSetsDecideNothing();
  void phasesFallBackToTraining();
  void phaseItemsAreStrict();
  void effectiveConfigurationsRoundTrip();
  void missingKeysAreRefused();
  void runsOfOlderProgramsAreRead();
  void aScorerThatIsLeftOpenStaysOpen();
  void onlyResumableKeysMayChange();
  void schemaDescribesEveryKey();
  void someKeysChangeNoScore();
  void seriesOfAFigureAreMeasured();
  void lengthRules();
};

void TestConfig::defaultsAreValid() {
  const Json config = resolve("");
  QCOMPARE(config["model"]["family"], "toy");
  const ExperimentSpec spec = parseExperiment(config);
  QCOMPARE(spec.seed, 1U);
  QCOMPARE(spec.training.phases.size(), 1U);
  QCOMPARE(spec.training.phases[0].batch.size, 4096);
  QCOMPARE(spec.training.phases[0].optimizer.beta2, 0.98);
  QCOMPARE(spec.validation.monitor[0].set, "train-sample");
  QCOMPARE(spec.validation.monitor[0].sentences, 2000);
  QCOMPARE(spec.decoding.maxLengthFactor, 1.2);
  QVERIFY(spec.validation.wants("multi-bleu"));
}

void TestConfig::presetsInherit() {
  const Json config = resolve("paper/row");
  QCOMPARE(config["preset"], "paper/row");
  QCOMPARE(config["model"]["width"], 64);
  QCOMPARE(config["training"]["dropout"], 0.2);
  QCOMPARE(config["training"]["batch"]["unit"], "sentences");
}

void TestConfig::severalPresetsFollowOneAnother() {
  // recipe/small says nothing of the model; paper/base is an ancestor of both others.
  const Json config = resolve("paper/row,recipe/small");
  QCOMPARE(config["preset"], "paper/row,recipe/small");
  QCOMPARE(config["model"]["width"], 64);
  QCOMPARE(config["training"]["dropout"], 0.4);
  QCOMPARE(config["training"]["batch"]["unit"], "sentences");
  QCOMPARE(resolve("recipe/small, paper/row")["training"]["dropout"], 0.4);
  // What two of them share counts once: it does not undo what came between.
  const Json both = resolve("paper/small-row");
  QCOMPARE(both["model"]["width"], 64);
  QCOMPARE(both["training"]["dropout"], 0.4);
  QHOLDS(usageErrorOf([] { resolve("paper/row,paper/bass"); }), "the nearest is 'paper/base'");
}

void TestConfig::theFileOverridesItsPreset() {
  const TemporaryFolder folder;
  const fs::path file = folder / "spec.yaml";
  writeFileAtomic(file, "preset: paper/row\nseed: 7\nmodel:\n  width: 8\n");
  const Json config =
      resolveConfig({.file = file.string(), .preset = "", .overrides = {}}, sources());
  QCOMPARE(config["seed"], 7);
  QCOMPARE(config["model"]["width"], 8);
  QCOMPARE(config["training"]["dropout"], 0.2);
  const Json other = resolveConfig(
      {.file = file.string(), .preset = "paper/base", .overrides = {"seed=9"}}, sources());
  QCOMPARE(other["preset"], "paper/base");
  QCOMPARE(other["seed"], 9);
}

void TestConfig::theLastOverrideWins() {
  QCOMPARE(resolve("", {"seed=3", "seed=4"})["seed"], 4);
  QCOMPARE(resolve("", {"training.batch.size=4e3"})["training"]["batch"]["size"], 4000);
  QCOMPARE(resolve("", {"data.dataset=iwslt14"})["data"]["dataset"], "iwslt14");
}

void TestConfig::overridesTakeListsAndMappings() {
  const Json config =
      resolve("", {"training.batch={unit: sentences, size: 32}", "recording.names=[a.b, c*]",
                   "training.optimizer.betas=[0.8, 0.9]", "early_stopping.metric="});
  QCOMPARE(config["training"]["batch"]["size"], 32);
  QCOMPARE(config["recording"]["names"], Json({"a.b", "c*"}));
  QCOMPARE(config["training"]["optimizer"]["betas"][0], 0.8);
  QCOMPARE(config["early_stopping"]["metric"], "");
}

void TestConfig::aKeyMayBeANumberOrAList() {
  QCOMPARE(resolve("paper/base")["model"]["widths"], 8);
  QCOMPARE(resolve("paper/base", {"model.widths=4"})["model"]["widths"], 4);
  QCOMPARE(resolve("paper/base", {"model.widths=[4, 2.0, 6]"})["model"]["widths"], Json({4, 2, 6}));
  QHOLDS(errorOfSet("model.widths=wide"),
         "'model.widths' must be an integer or a list of integers");
  QHOLDS(errorOfSet("model.widths=[]"), "'model.widths'");
  QHOLDS(errorOfSet("model.widths=[4, 0]"), "of at least 1, not 0");
  QHOLDS(errorOfSet("model.widths=[4, 1.5]"), "not 1.5");
}

void TestConfig::unknownKeysNameLineAndNearest() {
  const TemporaryFolder folder;
  const fs::path file = folder / "spec.yaml";
  writeFileAtomic(file, "seed: 1\ntraining:\n  max_epochs: 3\n  bacth:\n    size: 12\n");
  const std::string error =
      usageErrorOf([&] { resolveConfig({.file = file.string()}, sources()); });
  QHOLDS(error, file.string() + ":4");
  QHOLDS(error, "'training.bacth'");
  QHOLDS(errorOfSet("training.warmup=100"), "'training.schedule.warmup'");
  QHOLDS(errorOfSet("training.batch.sise=1"), "--set training.batch.sise=1");
  QHOLDS(errorOfSet("training.batch.sise=1"), "'training.batch.size'");
  QHOLDS(errorOfSet("training.dropout.rate=1"), "training.dropout");
  QHOLDS(usageErrorOf([] { resolve("paper/wrong"); }), "preset paper/wrong");
  QHOLDS(usageErrorOf([] { resolve("paper/wrong"); }), "training.dropout");
}

void TestConfig::wrongTypesAndRangesAreNamed() {
  QHOLDS(errorOfSet("seed=one"), "'seed' must be an integer");
  QHOLDS(errorOfSet("seed=1.5"), "an integer");
  QHOLDS(errorOfSet("training.batch.size=0"), "at least 1 (tokens or sentences)");
  QHOLDS(errorOfSet("training.dropout=1"), "from 0 to");
  QHOLDS(errorOfSet("training.optimizer.eps=0"), "greater than 0");
  QHOLDS(errorOfSet("training.optimizer.lr=.inf"), "a number");
  QHOLDS(errorOfSet("training.optimizer.betas=[0.9]"), "a list of 2 numbers");
  QHOLDS(errorOfSet("training.schedule.name=noan"), "did you mean 'noam'?");
  QHOLDS(errorOfSet("training.device=gpu"), "cuda:N");
  QHOLDS(errorOfSet("decoding.length_penalty=gnmt"), "gnmt:A");
  QHOLDS(errorOfSet("validation.metrics=[nll, ter]"), "expected nll, perplexity");
  QHOLDS(errorOfSet("validation.monitor=[train-sample]"), "train-sample:N");
  QHOLDS(errorOfSet("data.dataset=2014"), "in quotes");
  QHOLDS(errorOfSet("training=3"), "must be a mapping");
  QHOLDS(errorOfSet("seed"), "expected key=value");
}

void TestConfig::cyclesAndUnknownPresetsAreNamed() {
  QHOLDS(usageErrorOf([] { resolve("paper/loop"); }), "inherits from itself");
  QHOLDS(usageErrorOf([] { resolve("paper/bse"); }), "the nearest is 'paper/base'");
}

void TestConfig::anotherFamilyHasOtherKeys() {
  const Json other = resolve("", {"model.family=other"})["model"];
  QCOMPARE(other["depth"], 2);
  QVERIFY(!other.contains("width"));
  QHOLDS(usageErrorOf([] {
           resolve("", {"model.family=other", "model.width=3"});
         }),
         "unknown key 'model.width'");
  QHOLDS(errorOfSet("model.family=otter"), "did you mean 'other'?");
}

void TestConfig::dependentValuesAreFilledInAndChecked() {
  QCOMPARE(resolve("paper/row")["model"]["half"], 32);
  QCOMPARE(resolve("paper/row", {"model.half=3"})["model"]["half"], 3);
  QHOLDS(errorOfSet("model.width=13"), "--set model.width=13: 'model.width': 13 is unlucky");
}

void TestConfig::testSetsDecideNothing() {
  QHOLDS(errorOfSet("early_stopping={metric: train-sample/nll, patience: 3}"), "is only plotted");
  QHOLDS(usageErrorOf([] {
           resolve("", {"validation.monitor=[test]", "checkpoint.metric=test/nll"});
         }),
         "is only plotted");
  QHOLDS(usageErrorOf(
             [] { resolve("", {"training.schedule={name: plateau, metric: test2016/nll}"}); }),
         "a schedule may not");
  QHOLDS(errorOfSet("validation.sets=[valid, test]"), "validation.monitor");
  QHOLDS(errorOfSet("checkpoint.metric=dev/nll"), "not a set of validation.sets (valid)");
  QHOLDS(errorOfSet("checkpoint.metric=valid/ter"), "not in validation.metrics");
  QHOLDS(errorOfSet("early_stopping.metric=valid/nll"), "early_stopping.patience");
  QCOMPARE(resolve("", {"validation.monitor=[test:100]"})["validation"]["monitor"][0], "test:100");
}

void TestConfig::phasesFallBackToTraining() {
  const Json config =
      resolve("", {"training.optimizer.lr=0.1",
                   "training.phases=[{epochs: 4}, {epochs: 2, restart: true, "
                   "optimizer: {lr: 0.5}, schedule: {name: constant}, batch: {size: 9}}]"});
  const auto phases = parseExperiment(config).training.phases;
  QCOMPARE(phases.size(), 2U);
  QCOMPARE(phases[0].optimizer.lr, 0.1);
  QCOMPARE(phases[0].schedule.kind, ScheduleSpec::Kind::kNoam);
  QVERIFY(!phases[0].restart && phases[1].restart);
  QCOMPARE(phases[1].optimizer.lr, 0.5);
  QCOMPARE(phases[1].optimizer.beta2, 0.98);
  QCOMPARE(phases[1].batch.size, 9);
  QCOMPARE(phases[1].schedule.kind, ScheduleSpec::Kind::kConstant);
}

void TestConfig::phaseItemsAreStrict() {
  QHOLDS(errorOfSet("training.phases=[{epocs: 4}]"), "'epochs'");
  QHOLDS(errorOfSet("training.phases=[{epochs: 4, optimizer: {lr: -1}}]"),
         "'training.phases.0.optimizer.lr'");
  QHOLDS(errorOfSet("training.phases=[{restart: true}, {epochs: 1}]"), "only the last phase");
  QHOLDS(errorOfSet("training.optimizer.groups=[{match: [a], rate: 1}]"),
         "training.optimizer.groups.0.rate");
}

void TestConfig::effectiveConfigurationsRoundTrip() {
  const Json config =
      resolve("paper/row", {"training.phases=[{epochs: 4}]", "recording.names=[\"a b\", \"1\"]"});
  const Json read = parseYaml(toYaml(config), "config.effective.yaml").value;
  QCOMPARE(read, config);
  validateConfig(read, sources(), "config.effective.yaml");
}

void TestConfig::missingKeysAreRefused() {
  Json config = resolve("paper/row");
  config["training"].erase("clip_norm");
  QHOLDS(usageErrorOf([&] { validateConfig(config, sources(), "run 3"); }),
         "run 3: the key 'training.clip_norm' is missing");
  QHOLDS(usageErrorOf([&] { parseExperiment(config); }), "training.clip_norm");
}

void TestConfig::runsOfOlderProgramsAreRead() {
  const Json config = resolve("paper/row");
  Json older = config;
  older["training"].erase("ema");
  older["model"].erase("share_all_embeddings");
  older["criterion"] = {{"label_smoothing", config["criterion"]["label_smoothing"]}};
  QCOMPARE(Json::diff(withNewKeys(older), config).dump(), std::string("[]"));
  QCOMPARE(withNewKeys(config), config);
}

// scoring.case: what a run's start decides is absent before, and mixed where it stays absent.
void TestConfig::aScorerThatIsLeftOpenStaysOpen() {
  const Json open = resolve("paper/row"), lower = resolve("paper/row", {"scoring.case=lc"}),
             mixed = resolve("paper/row", {"scoring.case=mixed"});
  QVERIFY(!open.contains("scoring"));
  QVERIFY(!withNewKeys(open).contains("scoring"));
  QVERIFY(parseExperiment(open).scoring.letters == ScoringSpec::Case::kMixed);
  QVERIFY(parseExperiment(lower).scoring.letters == ScoringSpec::Case::kLower);
  QCOMPARE(mixed["scoring"]["case"], "mixed");
  validateConfig(open, sources(), "run 3");
  validateConfig(lower, sources(), "run 4");
  // The command that started a run continues it, whichever scorer it has got.
  QCOMPARE(resolveContinued(lower, open, sources()), lower);
  QCOMPARE(resolveContinued(lower, mixed, sources())["scoring"]["case"], "mixed");
  QCOMPARE(resolveResume(open, {"scoring.case=lc"}, sources())["scoring"]["case"], "lc");
  QHOLDS(errorOfSet("scoring.case=upper"), "one of mixed, lc");
  // It changes nothing of what is trained.
  QCOMPARE(configurationGroup(lower), configurationGroup(open));
}

void TestConfig::onlyResumableKeysMayChange() {
  const Json config = resolve("paper/row");
  const Json more = resolveResume(
      config, {"training.max_epochs=9", "validation.beam=2", "checkpoint.keep_last=1"}, sources());
  QCOMPARE(more["training"]["max_epochs"], 9);
  QCOMPARE(more["preset"], "paper/row");
  const std::string error =
      usageErrorOf([&] { resolveResume(config, {"training.dropout=0.3"}, sources()); });
  QHOLDS(error, "'training.dropout' cannot change");
  QHOLDS(error, "--from");
  QHOLDS(usageErrorOf([&] { resolveResume(config, {"training.max_epoch=9"}, sources()); }),
         "training.max_epochs");
  QHOLDS(usageErrorOf([&] { resolveResume(config, {"training={max_epochs: 9}"}, sources()); }),
         "cannot change");
}

void TestConfig::schemaDescribesEveryKey() {
  const ConfigSchema schema = schemaFor(resolve(""), sources());
  const Json json = schema.json();
  QCOMPARE(json.size(), schema.keys().size());
  for (const Json& key : json) {
    QVERIFY2(key["path"].get<std::string>().starts_with("model.") ||
                 !key["help"].get<std::string>().empty(),
             key.dump().c_str());
  }
  QCOMPARE(schema.find("training.threads")->resumable, true);
  QCOMPARE(schema.find("training.dropout")->resumable, false);
  QVERIFY(schema.find("training.thread") == nullptr);
}

// What is recorded and printed, and by which hardware; sections if all of their keys are such.
void TestConfig::someKeysChangeNoScore() {
  for (const char* text : {"recording.sentences=4", "recording={sentences: 4, names: [a]}",
                           "validation.monitor=[test]", "validation.samples=0",
                           "training.threads=2", "training.device=cuda:1"})
    QVERIFY2(isScoreless(text), text);
  for (const char* text :
       {"training.dropout=0.3", "validation.every_updates=10", "validation={}", "model.width=8",
        "checkpoint.metric=valid/nll", "training={threads: 2}", "recordings.sentences=4", "seed=2"})
    QVERIFY2(!isScoreless(text), text);
}

// A figure's series are measured by sets and metrics that are added where no decision depends on
// them; what training reports itself needs nothing.
void TestConfig::seriesOfAFigureAreMeasured() {
  Json config = resolve("paper/row", {"validation.monitor=[]", "validation.metrics=[nll]"});
  const std::vector<std::string> drawn{"lr", "test/token-error", "train-sample/nll", "train/nll",
                                       "valid/nll"};
  QCOMPARE(unmeasuredSeries(config, drawn),
           (std::vector<std::string>{"test/token-error", "train-sample/nll"}));
  const Json before = config;
  measureSeries(config, drawn);
  QCOMPARE(config["validation"]["monitor"], Json({"test", "train-sample:2000"}));
  QCOMPARE(config["validation"]["metrics"], Json({"nll", "token-error"}));
  QCOMPARE(config["validation"]["sets"], before["validation"]["sets"]);
  QVERIFY(unmeasuredSeries(config, drawn).empty());
}

void TestConfig::lengthRules() {
  QCOMPARE(LengthRule::parse("gnmt:1.6").alpha, 1.6);
  QCOMPARE(LengthRule::parse("power:0").text(), "power:0");
  QCOMPARE(LengthRule::parse("marian:0.6,-0.2").text(), "marian:0.6,-0.2");
  QCOMPARE(LengthRule::parse("mean").score(-14, 7), -2.0);
  QCOMPARE(LengthRule::parse("none").score(-14, 7), -14.0);
  QCOMPARE(LengthRule::parse("gnmt:2").score(-14, 7), -3.5);  // ((5 + 7) / 6)^2 = 4
  QCOMPARE(LengthRule::parse("power:2").score(-49, 7), -1.0);
  QCOMPARE(LengthRule::parse("marian:1,0.5").score(-14, 7), -2.5);  // (-14 - 3.5) / 7
  QCOMPARE(LengthRule::parse("marian:0,-1").score(-14, 7), -7.0);   // -14 + 7
  const auto gridOf = [](const char* text) {
    std::string all;
    for (const LengthRule& rule : LengthRule::parseGrid(text)) all += rule.text() + " ";
    return all;
  };
  QCOMPARE(gridOf("mean"), "mean ");
  QCOMPARE(gridOf("gnmt:0.6"), "gnmt:0.6 ");
  QCOMPARE(gridOf("gnmt:0..0.5:0.1"), "gnmt:0 gnmt:0.1 gnmt:0.2 gnmt:0.3 gnmt:0.4 gnmt:0.5 ");
  QCOMPARE(gridOf("power:1..2:0.4"), "power:1 power:1.4 power:1.8 ");
  QCOMPARE(gridOf("marian:0..1:1,-0.5..0:0.5"),
           "marian:0,-0.5 marian:0,0 marian:1,-0.5 marian:1,0 ");
  for (const char* wrong : {"gnmt:0..2", "gnmt:2..0:0.1", "gnmt:0..2:0", "gnmt:0..2:-1",
                            "gnmt:0..9:1e-9", "gnmt:a..2:1", "sum:0..1:1", "gnmt:", "gnmt:-1..0:1"})
    QHOLDS(usageErrorOf([&] { LengthRule::parseGrid(wrong); }), "length rule");
  for (const char* wrong :
       {"", "gnmt", "gnmt:", "gnmt:-1", "power:x", "power:1 ", "sum", "marian:1", "marian:1,",
        "marian:-1,0", "gnmt:1,2", "marian:1,2,3", "mean:1", "gnmt:inf"}) {
    QHOLDS(usageErrorOf([&] { LengthRule::parse(wrong); }), "length rule");
  }
}

STRATA_GUILESS_TEST(TestConfig)
#include "test_config.moc"
