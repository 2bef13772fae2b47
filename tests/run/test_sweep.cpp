#include <QtTest>

#include "core/base/error.h"
#include "core/run/sweep.h"
#include "tests/program.h"

using namespace strata;

class TestSweep : public QObject {
  Q_OBJECT

  static constexpr const char* kYaml =
      "sweep: tuning\n"
      "preset: mlrf/base\n"
      "data: toy\n"
      "set: [training.max_epochs=2]\n"
      "grid:\n"
      "  training.dropout: [0.1, 0.2]\n"
      "  training.optimizer.lr: [5.0e-4, 0.001, 0.002]\n"
      "seeds: 2\n"
      "slurm: {time: \"01:00:00\", gres: \"gpu:1\", cpus: 4, at_once: 5, lines: "
      "[\"--account=x\"]}\n";

  static bool refuses(const std::string& from, const std::string& to, const std::string& part) {
    std::string text = kYaml;
    text.replace(text.find(from), from.size(), to);
    try {
      expandSweep(parseSweep(text, "sweep.yaml"));
    } catch (const Error& error) {
      if (std::string(error.what()).find(part) != std::string::npos) return true;
      qWarning("%s", error.what());
    }
    return false;
  }

 private slots:
  void everyCombinationOnce() {
    const auto runs = expandSweep(parseSweep(kYaml, "sweep.yaml"));
    QCOMPARE(runs.size(), 12U);
    QCOMPARE(runs[0].name, std::string("tuning.dropout-0.1.lr-0.0005.s1"));
    QCOMPARE(runs[1].name, std::string("tuning.dropout-0.1.lr-0.0005.s2"));
    QCOMPARE(runs[11].name, std::string("tuning.dropout-0.2.lr-0.002.s2"));
    QCOMPARE(runs[7].overrides, (std::vector<std::string>{
                                    "training.max_epochs=2", "training.dropout=0.2",
                                    "training.optimizer.lr=0.0005", "data.dataset=toy", "seed=2"}));
  }

  void mistakesAreNamed() {
    QVERIFY(refuses("preset: mlrf/base", "presets: mlrf/base", "'preset' is missing"));
    QVERIFY(refuses("seeds: 2", "seeds: 0", "seeds"));
    QVERIFY(refuses("seeds: 2", "seed: 2", "'seeds'"));
    QVERIFY(refuses("[0.1, 0.2]", "0.1", "grid.training.dropout"));
    QVERIFY(refuses("[0.1, 0.2]", "[0.1, 0.1]", "two runs would be named"));
    QVERIFY(refuses("[\"--account=x\"]", "[\"account=x\"]", "options of sbatch"));
  }

  void theCommandHoldsTheSweep() {
    Sweep sweep = parseSweep(kYaml, "sweep.yaml");
    sweep.grid.emplace_back("training.from",
                            std::vector<std::string>{"a, b", "true", "[1, 2]", "it's \"x\""});
    const auto words = sweepCommand(sweep);
    QCOMPARE(words.front(), std::string("sweep"));
    Sweep read;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
      const std::string &option = words[i], &value = words[i + 1];
      if (option == "--name") read.name = value;
      if (option == "--preset") read.preset = value;
      if (option == "--data") read.dataset = value;
      if (option == "--set") read.overrides.push_back(value);
      if (option == "--seeds") read.seeds = parseSeeds(value);
      if (option != "--grid") continue;
      const auto equals = value.find('=');
      const std::string key = value.substr(0, equals);
      read.grid.emplace_back(key, parseGridValues(key, value.substr(equals + 1)));
    }
    QVERIFY(read.grid == sweep.grid && read.overrides == sweep.overrides);
    QVERIFY(read.seeds == sweep.seeds && read.name == sweep.name && read.preset == sweep.preset);
    QCOMPARE(runCount(sweep), std::size_t(48));
    QCOMPARE(read.dataset, std::string("toy"));
  }

  void seedsAreACountARangeOrAList() {
    using Seeds = std::vector<std::uint64_t>;
    QCOMPARE(parseSeeds("3"), (Seeds{1, 2, 3}));
    QCOMPARE(parseSeeds("4-6"), (Seeds{4, 5, 6}));
    QCOMPARE(parseSeeds("7,2"), (Seeds{7, 2}));
    for (const Seeds& seeds : {Seeds{1, 2, 3}, Seeds{5}, Seeds{4, 5}, Seeds{7, 2}})
      QCOMPARE(parseSeeds(seedsText(seeds)), seeds);
    for (const char* wrong : {"", "0", "x", "3-", "6-4", "1,,2", "-1", "1-99999999"})
      QVERIFY_EXCEPTION_THROWN(parseSeeds(wrong), Error);
    for (const char* wrong : {"", "]", "0.1, ]"})
      QVERIFY_EXCEPTION_THROWN(parseGridValues("a", wrong), Error);
  }

  void scriptHoldsSbatchsOptions() {
    const Sweep sweep = parseSweep(kYaml, "sweep.yaml");
    const std::string script = slurmScript(
        sweep, expandSweep(sweep),
        {.program = "/opt/it's/strata-run", .folder = "/s/x", .datasets = "/w/datasets"});
    for (const char* line :
         {"#!/bin/bash\n", "#SBATCH --array=0-11%5\n", "#SBATCH --signal=B:USR1@120\n",
          "#SBATCH --requeue\n", "#SBATCH --time=01:00:00\n", "#SBATCH --gres=gpu:1\n",
          "#SBATCH --cpus-per-task=4\n", "#SBATCH --account=x\n", "'/opt/it'\\''s/strata-run'",
          "scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$index\"", "'tuning.dropout-0.2.lr-0.002.s2'"})
      QVERIFY2(script.find(line) != std::string::npos, line);
    // Minutes as a number, and what sbatch would take apart.
    std::string text = kYaml;
    text.replace(text.find("\"01:00:00\""), 10, "90, qos: long");
    text.replace(0, text.find('\n'), "sweep: 'a \"b\" #c'");
    const Sweep quoted = parseSweep(text, "sweep.yaml");
    const std::string lines =
        slurmScript(quoted, expandSweep(quoted),
                    {.program = "/p", .folder = "/my 50%", .datasets = "/w/datasets"});
    for (const char* line :
         {"#SBATCH --job-name=\"a \\\"b\\\" #c\"\n", "#SBATCH --time=90\n", "#SBATCH --qos=long\n",
          "#SBATCH --output=\"/my 50%%/slurm-%A_%a.log\"\n"})
      QVERIFY2(lines.find(line) != std::string::npos, line);
    const SlurmPlaces places{.program = "/p", .folder = "/a\\b", .datasets = "/w"};
    QVERIFY_THROWS_EXCEPTION(Error, slurmScript(quoted, expandSweep(quoted), places));
    // sbatch reads options up to the first command only.
    QVERIFY(script.rfind("#SBATCH") < script.find("\nprogram="));
  }
};

STRATA_GUILESS_TEST(TestSweep)
#include "test_sweep.moc"
