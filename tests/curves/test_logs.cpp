#include <QTest>
#include <cmath>
#include <ctime>
#include <numbers>

#include "core/curves/fairseq_line.h"
#include "core/curves/log_text.h"
#include "curves/curve_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

ToolRun reference(const std::string& name) {
  return readToolRuns(referenceFolders("curves").front() / name, "").at(0);
}

ToolRun logOf(const std::string& text, const std::string& tool = kFairseq) {
  TemporaryFolder folder;
  put(folder / "base.log", text);
  return readToolRuns(folder / "base.log", tool).at(0);
}

bool isNear(double a, double b) {
  return std::abs(a - b) < 1e-9;
}

std::string nameListOf(const ToolRun& run) {
  std::string text;
  for (const std::string& name : namesOf(run)) text += name + " ";
  return text;
}

}  // namespace

class TestLogs : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    qputenv("TZ", "UTC");
    tzset();
  }

  void numbersAreThoseOfPython() {
    QCOMPARE(numberIn(" 1e-05").value(), 1e-5);
    QVERIFY(std::isnan(numberIn("nan").value()));
    QVERIFY(std::isinf(numberIn("-inf").value()));
    for (const char* text : {"", "None", "1,5", "1 2", "0x10"}) QVERIFY(!numberIn(text));
    std::string_view line = "1970-01-02 00:00:01,250 rest";
    QCOMPARE(takeTime(line).value(), 86401.25);
    QCOMPARE(line, std::string_view(" rest"));
    for (std::string_view text : {"1970-01-02", "1970-01-02 00:00", "x"}) QVERIFY(!takeTime(text));
    for (const auto& [text, seconds] : {std::pair("1970-01-02T00:00:01", 86401.0),
                                        {"1970/01/02 00:00:01.5", 86401.5},
                                        {"01/02/1970 00:00:01", 86401.0},
                                        {"1970-01-02T02:00:01.250+02:00", 86401.25},
                                        {"1970-01-01T23:00:01.123456789Z", 82801.123456789}}) {
      std::string_view rest = text;
      QVERIFY2(isNear(takeTime(rest).value_or(0), seconds), text);
      QVERIFY2(rest.empty(), text);
    }
  }

  // A line keeps its figures, time and rank whatever loggers and launchers write before it.
  void prefixesOfLoggersAndLaunchersAreRead() {
    const std::string message = "epoch 001:     1 / 5 loss=4, num_updates=10";
    for (const auto& [prefix, time, rank] :
         {std::tuple("", 0.0, -1),
          {"| ", 0.0, -1},
          {"1970-01-02 00:00:01 | INFO | train_inner | ", 86401.0, -1},
          {"[rank0]: ", 0.0, 0},
          {"[rank3]: 1970-01-02 00:00:01 | INFO | train_inner | ", 86401.0, 3},
          {"3: ", 0.0, 3},
          {" 3: ", 0.0, 3},
          {"12: 1970-01-02 00:00:01 | INFO | x | ", 86401.0, 12},
          {"[default0]:", 0.0, 0},
          {"[1,0]<stdout>:", 0.0, 0},
          {"[1,2]<stdout>: ", 0.0, 2},
          {"Rank 1: ", 0.0, 1},
          {"1970-01-02T00:00:01.000Z ", 86401.0, -1},
          {"1970-01-02T00:00:01Z 2: ", 86401.0, 2},
          {"[1970-01-02 00:00:01] ", 86401.0, -1},
          {"01/02/1970 00:00:01 - INFO - fairseq.trainer - ", 86401.0, -1},
          {"INFO:fairseq_cli.train:", 0.0, -1},
          {"[INFO] ", 0.0, -1},
          {"1970-01-02 00:00:01,000 INFO fairseq.trainer: ", 86401.0, -1}}) {
      const auto line = fairseqLine(prefix + message);
      QVERIFY2(line && line->value("loss") == 4.0, prefix);
      QVERIFY2(isNear(line->time, time), prefix);
      QVERIFY2(line->rank.value_or(-1) == rank, prefix);
      const auto json = fairseqLine(std::string(prefix) +
                                    "{\"epoch\": 1, \"update\": 0.4, \"num_updates\": \"10\"}");
      QVERIFY2(json && isNear(json->time, time) && json->rank.value_or(-1) == rank, prefix);
    }
    QVERIFY(!fairseqLine("begin training epoch 1"));
    QVERIFY(!fairseqLine("the last depoch 001:     1 / 5 loss=4, num_updates=10"));
  }

  void coloursAndMarksAreTakenOff() {
    const std::string line = "epoch 001:     1 / 5 loss=4, num_updates=10\n";
    for (const std::string& text :
         {"\xef\xbb\xbf" + line, "\x1b[32mINFO\x1b[0m \x1b[1;31m" + line, "\x1b]0;title\x07" + line,
          line.substr(0, line.size() - 1) + "\x1b[0m\r\n"})
      QCOMPARE(valuesOf(*curveOf(logOf(text), "fairseq/train/loss")), std::vector<double>{4});
    std::string wide("\xff\xfe", 2);  // UTF-16, as some shells write what is redirected
    for (const char c : line) wide += {c, '\0'};
    QCOMPARE(valuesOf(*curveOf(logOf(wide, ""), "fairseq/train/loss")), std::vector<double>{4});
    const ToolRun joey = logOf(
        "\x1b[32m[rank0]: 2023-03-10 10:00:10,000 - INFO - joeynmt.training - \x1b[0m"
        "Epoch   1, Step:      100, Batch Loss:     5.1, Lr: 0.0003\n",
        "");
    QCOMPARE(joey.tool, std::string(kJoeyNmt));
    QCOMPARE(stepsOf(*curveOf(joey, "joeynmt/train/batch_loss")), std::vector<std::int64_t>{100});
  }

  void oneOfSeveralProcessesCounts() {
    const auto printed = [](const std::vector<std::pair<int, int>>& ranksAndSteps) {
      std::string text;
      for (const auto& [rank, step] : ranksAndSteps)
        text += fmt::format("{}: epoch 001:     1 / 5 loss={}, num_updates={}\n", rank,
                            1000 * rank + step, step);
      return logOf(text);
    };
    const ToolRun four = printed({{2, 10}, {0, 10}, {1, 10}, {0, 20}, {2, 20}, {1, 20}});
    QCOMPARE(valuesOf(*curveOf(four, "fairseq/train/loss")), (std::vector<double>{10, 20}));
    QVERIFY(says(four, "several processes print figures"));
    QVERIFY(!says(four, "repeated"));
    // Without rank 0 the first one counts.
    QCOMPARE(
        valuesOf(*curveOf(printed({{2, 10}, {1, 10}, {1, 20}, {2, 20}}), "fairseq/train/loss")),
        (std::vector<double>{2010, 2020}));
    QVERIFY(printed({{3, 10}, {3, 20}}).notes == printed({{0, 10}, {0, 20}}).notes);
  }

  // Continued from update 100: what was trained after it is replaced, and the validation stays.
  void aResumedLogGoesOnFromItsCheckpoint() {
    std::string text;
    const auto update = [&](int step, double loss) {
      text += fmt::format("epoch 001:     {} / 200 loss={}, num_updates={}\n", step, loss, step);
    };
    for (const int step : {90, 100, 110, 120, 130, 140}) update(step, 7);
    text += "epoch 001 | valid on 'valid' subset | loss 6.6 | num_updates 140\n";
    text += "loaded checkpoint /x/checkpoint_last.pt (epoch 1 @ 100 updates)\n";
    for (const int step : {120, 140, 160}) update(step, 5);
    text += "epoch 001 | valid on 'valid' subset | loss 6.5 | num_updates 160\n";
    const ToolRun run = logOf(text);
    QCOMPARE(stepsOf(*curveOf(run, "fairseq/train/loss")),
             (std::vector<std::int64_t>{90, 100, 120, 140, 160}));
    QCOMPARE(valuesOf(*curveOf(run, "fairseq/train/loss")), (std::vector<double>{7, 7, 5, 5, 5}));
    QCOMPARE(stepsOf(*curveOf(run, "fairseq/valid/loss")), (std::vector<std::int64_t>{160}));
    QVERIFY(says(run, "4 points were repeated later"));  // steps 120 and 140 of two series
    QVERIFY(says(run, "5 points are beyond a step to which the training went back"));
    QVERIFY(!says(run, "restart"));
  }

  void nothingIsSaidOfALogThatIsContinued() {
    const ToolRun run = logOf(
        "epoch 001:     1 / 5 loss=4, num_updates=10\n"
        "loaded checkpoint x.pt (epoch 1 @ 10 updates)\n"
        "epoch 001:     2 / 5 loss=3, num_updates=20\n");
    QCOMPARE(stepsOf(*curveOf(run, "fairseq/train/loss")), (std::vector<std::int64_t>{10, 20}));
    QVERIFY(!says(run, "repeated"));
  }

  void severalTrainingsOfALogAreSeveralRuns() {
    TemporaryFolder folder;
    const auto training = [](const std::string& config, const std::vector<int>& steps,
                             double loss) {
      std::string text = config + "\n";
      for (const int step : steps)
        text += fmt::format("epoch 001:     1 / 5 loss={}, num_updates={}\n", loss, step);
      return text;
    };
    const auto read = [&](const std::string& text) {
      put(folder / "base.log", text);
      return readToolRuns(folder / "base.log", "");
    };
    const std::string one = "INFO | fairseq_cli.train | Namespace(seed=1, distributed_port=4)";
    const std::string two = "INFO | fairseq_cli.train | Namespace(seed=2, distributed_port=4)";
    // The second one writes at other steps: a single curve would mix both.
    const auto runs = read(training(one, {10, 20, 30}, 4) + training(two, {25, 50}, 3));
    QCOMPARE(runs.size(), std::size_t(2));
    QCOMPARE(stepsOf(*curveOf(runs[0], "fairseq/train/loss")),
             (std::vector<std::int64_t>{10, 20, 30}));
    QCOMPARE(stepsOf(*curveOf(runs[1], "fairseq/train/loss")), (std::vector<std::int64_t>{25, 50}));
    QCOMPARE(runs[0].name, std::string("base"));
    QCOMPARE(runs[1].name, std::string("base-2"));
    QCOMPARE(runs[1].training, 2);
    QVERIFY(says(runs[1], "training 2 of 2"));
    // The same configuration from the beginning, at another port: it is trained once more.
    const std::string again = "INFO | fairseq_cli.train | Namespace(seed=1, distributed_port=5)";
    const auto once = read(training(one, {10, 20, 30}, 4) + training(again, {15}, 3));
    QCOMPARE(once.size(), std::size_t(1));
    QCOMPARE(stepsOf(*curveOf(once[0], "fairseq/train/loss")), (std::vector<std::int64_t>{15}));
    // One that loads a checkpoint goes on, with another configuration, too.
    const std::string load = "\nloaded checkpoint x.pt (epoch 1 @ 20 updates)";
    const auto on = read(training(one, {10, 20, 30}, 4) + training(two + load, {25, 50}, 3));
    QCOMPARE(on.size(), std::size_t(1));
    QCOMPARE(stepsOf(*curveOf(on[0], "fairseq/train/loss")),
             (std::vector<std::int64_t>{10, 20, 25, 50}));
    // But one that counts its updates anew from a loaded model does not.
    QCOMPARE(read(training(one, {10, 20, 30}, 4) + training(two + load, {10, 20}, 3)).size(),
             std::size_t(2));
  }

  void severalTrainingsOfJoeyNmtAreSeveralRuns() {
    TemporaryFolder folder;
    const auto training = [](const char* seed, const std::vector<int>& steps, double loss) {
      std::string text = "2023-03-10 10:00:00,000 - INFO - root - Hello! This is Joey-NMT.\n";
      text += fmt::format(
          "2023-03-10 10:00:00,000 - INFO - joeynmt.helpers - cfg.training.random_seed : {}\n",
          seed);
      for (const int step : steps)
        text += fmt::format(
            "2023-03-10 10:00:10,000 - INFO - joeynmt.training - Epoch   1, Step: {}, Batch Loss: "
            "{}, Lr: 0.1\n",
            step, loss);
      return text;
    };
    put(folder / "m/train.log", training("1", {100, 200}, 5) + training("2", {50, 150}, 4));
    put(folder / "m/validations.txt",
        "Steps: 100\tbleu: 1\nSteps: 200\tbleu: 2\nSteps: 100\tbleu: 3\n");
    const auto runs = readToolRuns(folder / "m", "");
    QCOMPARE(runs.size(), std::size_t(2));
    QCOMPARE(stepsOf(*curveOf(runs[0], "joeynmt/train/batch_loss")),
             (std::vector<std::int64_t>{100, 200}));
    QCOMPARE(valuesOf(*curveOf(runs[0], "valid/bleu")), (std::vector<double>{1, 2}));
    QCOMPARE(stepsOf(*curveOf(runs[1], "joeynmt/train/batch_loss")),
             (std::vector<std::int64_t>{50, 150}));
    QCOMPARE(valuesOf(*curveOf(runs[1], "valid/bleu")), (std::vector<double>{3}));
    QCOMPARE(runs[1].name, std::string("m-2"));
  }

  // After a resumption JoeyNMT validates once more at the step of the checkpoint.
  void aRepeatedValidationReplacesItselfOnly() {
    TemporaryFolder folder;
    std::string log;
    for (const auto& [step, loss] :
         {std::pair(100, 5.1), {200, 4.5}, {300, 4.1}, {400, 3.9}, {500, 3.8}})
      log += fmt::format(
          "2023-03-10 10:00:10,000 - INFO - joeynmt.training - Epoch   1, Step: {}, Batch Loss: "
          "{}, Lr: 0.0003\n",
          step, loss);
    put(folder / "m/train.log", log);
    put(folder / "m/validations.txt",
        "Steps: 100\tLoss: 5\tbleu: 1\nSteps: 300\tLoss: 4.2\tbleu: 6\n"
        "Steps: 300\tLoss: 4.15\tbleu: 6.5\nSteps: 500\tLoss: 3.9\tbleu: 7\n");
    const ToolRun run = readToolRuns(folder / "m", "").at(0);
    QCOMPARE(stepsOf(*curveOf(run, "joeynmt/train/batch_loss")),
             (std::vector<std::int64_t>{100, 200, 300, 400, 500}));
    QCOMPARE(stepsOf(*curveOf(run, "valid/bleu")), (std::vector<std::int64_t>{100, 300, 500}));
    QCOMPARE(valuesOf(*curveOf(run, "valid/bleu")), (std::vector<double>{1, 6.5, 7}));
    QVERIFY(says(run, "2 points were repeated later"));
  }

  void readsALineOfEachKind() {
    const auto json = fairseqLine(
        "2022-01-01 00:00:02 | INFO | train_inner | {\"epoch\": 1, \"update\": 0.4, \"loss\": "
        "\"12.4\", \"num_updates\": \"10\", \"x\": NaN}");
    QVERIFY(json && json->kind == FairseqLine::Kind::kUpdates);
    QCOMPARE(json->time, 1640995202.0);
    QCOMPARE(json->epoch, 0.4);
    QCOMPARE(json->value("loss").value(), 12.4);
    QVERIFY(std::isnan(json->value("x").value()));
    const auto hydra = fairseqLine(
        "[2022-01-01 00:00:02,500][valid][INFO] - {\"epoch\": 1, \"valid_loss\": \"8\", "
        "\"valid_num_updates\": \"10\"}");
    QVERIFY(hydra && hydra->kind == FairseqLine::Kind::kSubset);
    QCOMPARE(hydra->subset, std::string("valid"));
    QCOMPARE(hydra->time, 1640995202.5);
    QCOMPARE(hydra->value("loss").value(), 8.0);
    const auto old = fairseqLine("| epoch 002:      5 / 25 loss=7.59, num_updates=30");
    QVERIFY(old && isNear(old->epoch, 1.2));
    const auto subset =
        fairseqLine("epoch 001 | valid on 'valid1' subset | loss 7.904 | num_updates 25");
    QVERIFY(subset && subset->subset == "valid1" && subset->kind == FairseqLine::Kind::kSubset);
    for (const char* other :
         {"epoch 001 | loss 3", "{\"epoch\": 1}", "{", "epoch :", "epoch 1: 5 / 0 num_updates=3",
          "2022-01-01 00:00:02 | INFO | fairseq_cli.train | done",
          "{\"epoch\": [[[[[[[[[[1]]]]]]]]]]}"})
      QVERIFY2(!fairseqLine(other), other);
  }

  // The three logs are of one training, as fairseq's own code writes it in each form.
  void readsWhatFairseqWrites() {
    const ToolRun run = reference("fairseq-0.10.2-json.log");
    QCOMPARE(run.tool, std::string(kFairseq));
    QCOMPARE(run.metric(), std::string("valid/nll"));
    const Curve* nll = curveOf(run, "train/nll");
    QVERIFY(nll != nullptr);
    QCOMPARE(stepsOf(*nll), (std::vector<std::int64_t>{10, 20, 30, 40, 50}));
    QVERIFY(isNear(nll->points[0].value, 13.213 * std::numbers::ln2));
    QCOMPARE(nll->points[0].wallTime, 1640995202.0);
    QVERIFY(isNear(curveOf(run, "valid/loss")->points[1].value, 4.968 * std::numbers::ln2));
    QCOMPARE(valuesOf(*curveOf(run, "valid/bleu")), (std::vector<double>{11.23, 21.23}));
    QCOMPARE(valuesOf(*curveOf(run, "valid/perplexity")), (std::vector<double>{298.36, 31.11}));
    QCOMPARE(curveOf(run, "train/tokens_per_second")->points[0].value, 13843.6);
    QCOMPARE(curveOf(run, "lr")->points[4].value, 0.0005);
    QCOMPARE(curveOf(run, "grad_norm/all")->points[0].value, 1.361);
    QCOMPARE(valuesOf(*curveOf(run, "train/epoch")), (std::vector<double>{0.4, 0.8, 1.2, 1.6, 2}));
    // What has another meaning or unit keeps its name and value.
    QCOMPARE(curveOf(run, "fairseq/epoch/loss")->points[0].value, 10.376);
    QCOMPARE(curveOf(run, "fairseq/valid/best_loss")->points[0].value, 4.968);
    QVERIFY(run.notes.empty());
    for (const char* name : {"fairseq-0.12.2-simple.log", "fairseq-0.12.2-json-file.log"}) {
      const ToolRun other = reference(name);
      for (const Curve& curve : run.curves) {
        if (curve.name == "fairseq/epoch/train_wall") continue;
        const Curve* same = curveOf(other, curve.name);
        QVERIFY2(same != nullptr, curve.name.c_str());
        QCOMPARE(stepsOf(*same), stepsOf(curve));
        for (std::size_t i = 0; i < curve.points.size(); ++i)
          QVERIFY2(isNear(same->points[i].value, curve.points[i].value), curve.name.c_str());
      }
    }
    const ToolRun file = reference("fairseq-0.12.2-json-file.log");
    QCOMPARE(curveOf(file, "train/nll")->points[1].wallTime, 5.0);  // seconds of training
    QVERIFY(says(file, "lines without a date"));
  }

  void bitsMustBeShown() {
    // 2^3 = 8, but e^3 = 20.1.
    const std::string bits = "epoch 001:     1 / 5 loss=4, nll_loss=3, ppl=8, num_updates=10\n";
    const std::string nats = "epoch 001:     2 / 5 loss=4, nll_loss=3, ppl=20.09, num_updates=20\n";
    const std::string neither = "epoch 001:     3 / 5 loss=4, nll_loss=3, num_updates=30\n";
    const std::string both = "epoch 001:     3 / 5 loss=4, nll_loss=0, ppl=1, num_updates=30\n";
    QCOMPARE(nameListOf(logOf(bits)),
             std::string("train/epoch train/loss train/nll train/perplexity "));
    QVERIFY(isNear(curveOf(logOf(bits), "train/loss")->points[0].value, 4 * std::numbers::ln2));
    for (const std::string& text : {nats, neither, both, bits + nats}) {
      const ToolRun run = logOf(text);
      QVERIFY(curveOf(run, "train/nll") == nullptr && curveOf(run, "train/perplexity") == nullptr);
      QCOMPARE(curveOf(run, "fairseq/train/loss")->points[0].value, 4.0);
      QVERIFY(says(run, "no line shows that the losses are in bits"));
    }
    QVERIFY(curveOf(logOf(bits + neither), "train/nll") != nullptr);
    // 13.213 is rounded: 2^13.2125 = 9491.6, 2^13.2135 = 9498.2.
    for (const auto& [ppl, shown] :
         {std::pair{"9494.9", true}, {"9491.0", false}, {"9499", false}}) {
      const ToolRun run =
          logOf(fmt::format("epoch 001:     1 / 5 nll_loss=13.213, ppl={}, num_updates=10\n", ppl));
      QCOMPARE(curveOf(run, "train/nll") != nullptr, shown);
    }
  }

  void aLossWithoutSmoothingIsTheLikelihood() {
    const ToolRun run =
        logOf("epoch 001 | valid on 'valid' subset | loss 3 | ppl 8 | num_updates 7\n");
    QCOMPARE(nameListOf(run), std::string("valid/nll valid/perplexity "));
  }

  void lossesOfSentencesKeepTheirNames() {
    const ToolRun run = logOf(
        "2022-01-01 00:00:00 | INFO | fairseq_cli.train | Namespace(sentence_avg=True)\n"
        "epoch 001:     1 / 5 loss=80, nll_loss=3, ppl=8, num_updates=10\n");
    QCOMPARE(curveOf(run, "fairseq/train/loss")->points[0].value, 80.0);
    QVERIFY(curveOf(run, "train/nll") != nullptr);
    QVERIFY(says(run, "per sentence"));
  }

  void aRestartedLogIsRewound() {
    std::string text;
    for (const int step : {10, 20, 30, 20, 30})
      text += fmt::format("epoch 001:     1 / 5 loss=1, num_updates={}\n", step) +
              (step == 30 ? "epoch 001 | valid on 'valid' subset | loss 3 | num_updates 30\n" : "");
    const ToolRun run = logOf(text);
    QCOMPARE(stepsOf(*curveOf(run, "fairseq/train/loss")), (std::vector<std::int64_t>{10, 20, 30}));
    QCOMPARE(stepsOf(*curveOf(run, "fairseq/valid/loss")), (std::vector<std::int64_t>{30}));
    QVERIFY(says(run, "repeated later"));
  }

  void joeyNmtWithoutSmoothingHasOurNames() {
    const ToolRun run = reference("joeynmt-2.3.0");
    QCOMPARE(run.tool, std::string(kJoeyNmt));
    QCOMPARE(run.name, std::string("joeynmt-2.3.0"));
    QCOMPARE(valuesOf(*curveOf(run, "train/loss")),
             (std::vector<double>{5.533404, 4.585919, 3.848016, 3.273337}));
    QCOMPARE(stepsOf(*curveOf(run, "train/loss")), (std::vector<std::int64_t>{100, 200, 300, 400}));
    QCOMPARE(valuesOf(*curveOf(run, "valid/nll")), (std::vector<double>{4.83592, 3.52334}));
    QCOMPARE(valuesOf(*curveOf(run, "valid/perplexity")),
             (std::vector<double>{125.95424, 33.89735}));
    QCOMPARE(valuesOf(*curveOf(run, "valid/bleu")), (std::vector<double>{10, 20}));
    QCOMPARE(curveOf(run, "lr")->points.size(), 4u);
    QCOMPARE(curveOf(run, "train/tokens_per_second")->points[1].value, 2300.0);
    QCOMPARE(curveOf(run, "joeynmt/train/batch_acc")->points[0].value, 0.2);
    // 2022-05-12 10:01:03.315, the training line of step 200.
    QCOMPARE(curveOf(run, "valid/nll")->points[0].wallTime, 1652349663.315);
    QVERIFY(run.notes.empty());
  }

  void joeyNmtWithSmoothingKeepsItsNames() {
    const ToolRun run = reference("joeynmt-1.5.1");
    QCOMPARE(curveOf(run, "joeynmt/valid/loss")->points[0].value, 24179.59314);
    QCOMPARE(curveOf(run, "joeynmt/valid/ppl")->points[0].value, 125.95424);
    QCOMPARE(curveOf(run, "joeynmt/train/batch_loss")->points[0].value, 110.668086);
    QVERIFY(curveOf(run, "valid/bleu") != nullptr);
    QVERIFY(says(run, "label smoothing"));
    const ToolRun alone = reference("joeynmt-1.5.1/validations.txt");
    QCOMPARE(curveOf(alone, "lr")->points[0].value, 0.0003);
    QVERIFY(says(alone, "no train.log"));
  }

  void otherFilesAreRefused() {
    TemporaryFolder folder;
    put(folder / "a.log", "Epoch without figures\nSteps:\n\nepoch 001 | loss\n");
    QVERIFY(usageErrorOf([&] {
              readToolRuns(folder / "a.log", "");
            }).find("has no curves of TensorBoard, fairseq or JoeyNMT") != std::string::npos);
    QVERIFY(usageErrorOf([&] {
              readToolRuns(folder / "a.log", kFairseq);
            }).find("has no curves of fairseq") != std::string::npos);
    QVERIFY(usageErrorOf([&] { readToolRuns(folder / "b.log", ""); }).find("cannot read") !=
            std::string::npos);
    QVERIFY(!usageErrorOf([&] { readToolRuns(folder.path(), ""); }).empty());
  }

  void namesComeFromTheFiles() {
    QCOMPARE(runNameOf("/logs/base.log"), std::string("base"));
    QCOMPARE(runNameOf("/logs/base.log.gz"), std::string("base"));
    QCOMPARE(runNameOf("/models/base/train.log"), std::string("base"));
    QCOMPARE(runNameOf("/board/base/events.out.tfevents.17.host"), std::string("base"));
  }
};

STRATA_GUILESS_TEST(TestLogs)
#include "test_logs.moc"
