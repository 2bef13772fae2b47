#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curves/curve_input.h"
#include "core/curves/curve_set.h"
#include "core/curves/fairseq_line.h"
#include "core/curves/find_runs.h"
#include "core/curves/log_prefix.h"
#include "core/curves/log_text.h"
#include "core/curves/training_start.h"

namespace strata {
namespace {

// Whether the log itself shows that its likelihoods are in bits: the perplexity is 2 to the power
// of the loss of the same line, within what rounding to 3 and 2 decimals (and to 6 digits) allows.
class BitProof {
 public:
  void add(const FairseqLine& line) {
    const auto nll = line.value("nll_loss"), loss = line.value("loss"), ppl = line.value("ppl");
    const auto bits = nll ? nll : loss;
    if (!bits || !ppl || !std::isfinite(*bits) || !std::isfinite(*ppl)) return;
    if (!fits(2, *bits, *ppl))
      refuted_ = true;
    else if (!fits(std::numbers::e, *bits, *ppl))
      shown_ = true;
  }

  bool holds() const { return shown_ && !refuted_; }

 private:
  static bool fits(double base, double exponent, double ppl) {
    const double slack = 0.0051 + 6e-6 * ppl;
    return ppl >= std::pow(base, exponent - 0.00051) - slack &&
           ppl <= std::pow(base, exponent + 0.00051) + slack;
  }

  bool shown_ = false, refuted_ = false;
};

// The figures of one training.
class FairseqTraining {
 public:
  explicit FairseqTraining(const ReadOptions& options) : curves_(options.limits) {}

  void add(const FairseqLine& line) {
    const std::int64_t step = stepOf(line);
    proof_.add(line);
    undated_ |= line.time == 0;
    const double time = line.time != 0 ? line.time : line.value("wall").value_or(lastWall_);
    if (line.time == 0) lastWall_ = time;
    const std::string set = setOf(line);
    if (line.kind == FairseqLine::Kind::kUpdates) {
      if (firstUpdate_ < 0) firstUpdate_ = step;
      // Training was continued from an earlier checkpoint, or anew: what follows it was repeated.
      if (step <= lastUpdate_) curves_.cutFrom(step <= firstUpdate_ ? 0 : step);
      lastUpdate_ = step;
      if (line.epoch >= 0) curves_.add("fairseq/train/epoch", {step, time, line.epoch});
    }
    if (line.kind != FairseqLine::Kind::kEpoch && std::ranges::find(sets_, set) == sets_.end() &&
        sets_.size() < kSets)
      sets_.push_back(set);
    for (const auto& [name, value] : line.values) {
      if (name != "num_updates") curves_.add("fairseq/" + set + "/" + name, {step, time, value});
    }
  }

  // It goes on from a checkpoint of the step.
  void goBackTo(std::int64_t step) {
    curves_.cutFrom(step + 1);
    lastUpdate_ = std::min(lastUpdate_, step);
  }
  void startAgain() {
    curves_.cutFrom(0);
    firstUpdate_ = lastUpdate_ = -1;
  }
  // Forgets the figures of a set.
  void forget(const std::string& set) {
    curves_.remove("fairseq/" + set + "/");
    if (set == "train") firstUpdate_ = lastUpdate_ = -1;
  }
  void begin(const TrainingStart& start, bool perSentence) {
    if (config_.empty()) config_ = start.config;
    perSentence_ |= perSentence;
  }

  std::int64_t firstUpdate() const { return firstUpdate_; }
  const std::string& config() const { return config_; }

  static std::int64_t stepOf(const FairseqLine& line) {
    return static_cast<std::int64_t>(*line.value("num_updates"));
  }
  static std::string setOf(const FairseqLine& line) {
    if (line.kind == FairseqLine::Kind::kUpdates) return "train";
    return line.kind == FairseqLine::Kind::kEpoch ? "epoch" : line.subset;
  }

  // Its curves by Strata's names where meaning and unit are the same.
  ToolRun take() {
    useOwnNames();
    ToolRun run{.tool = kFairseq, .notes = notes()};
    run.curves = curves_.take();
    return run;
  }

 private:
  void useOwnNames() {
    if (proof_.holds()) {
      for (const std::string& set : sets_) {
        const bool smoothed = curves_.has("fairseq/" + set + "/nll_loss");
        if (smoothed)
          curves_.rename("fairseq/" + set + "/nll_loss", set + "/nll", std::numbers::ln2);
        // Without label smoothing fairseq writes one loss, which is the likelihood.
        const std::string own = smoothed ? "/loss" : "/nll";
        if (!smoothed || !perSentence_)
          curves_.rename("fairseq/" + set + "/loss", set + own, std::numbers::ln2);
        curves_.rename("fairseq/" + set + "/ppl", set + "/perplexity");
      }
    }
    for (const std::string& set : sets_) {
      if (set != "train") curves_.rename("fairseq/" + set + "/bleu", set + "/bleu");
    }
    curves_.rename("fairseq/train/wps", "train/tokens_per_second");
    curves_.rename("fairseq/train/epoch", "train/epoch");
    curves_.rename("fairseq/train/lr", "lr");
    curves_.rename("fairseq/train/gnorm", "grad_norm/all");
  }

  std::vector<std::string> notes() {
    std::vector<std::string> notes = curves_.notes();
    if (!curves_.empty() && !proof_.holds())
      notes.push_back(
          "no line shows that the losses are in bits (ppl = 2^nll_loss): they keep fairseq's names "
          "and unit");
    if (perSentence_)
      notes.push_back("its losses are per sentence (sentence_avg): they keep fairseq's names");
    if (undated_)
      notes.push_back(
          "lines without a date: their times are the seconds of training, counted from 1970");
    return notes;
  }

  static constexpr std::size_t kSets = 1000;

  CurveSet curves_;
  BitProof proof_;
  std::vector<std::string> sets_;
  std::string config_;
  std::int64_t firstUpdate_ = -1, lastUpdate_ = -1;
  double lastWall_ = 0;
  bool perSentence_ = false, undated_ = false;
};

// Where the configuration begins that a start writes; npos: the line has none.
std::size_t fairseqConfigAt(std::string_view line) {
  const std::size_t at = line.find("Namespace(");
  return at != std::string_view::npos ? at : line.find("{'_name'");
}

// Without what differs from start to start.
std::string comparableFairseq(std::string_view config) {
  std::string text;
  while (!config.empty()) {
    const std::string_view setting = takeUntil(config, ", ");
    constexpr std::string_view kOfStart[] = {"distributed_", "device_id", "local_rank"};
    if (std::ranges::none_of(kOfStart, [&](std::string_view each) {
          return setting.find(each) != std::string_view::npos;
        }))
      text.append(setting).append(", ");
  }
  return text;
}

// The trainings of a log, one after the other.
class FairseqLog {
 public:
  explicit FairseqLog(const ReadOptions& options) : options_(options) {}

  void add(std::string_view text) {
    const auto line = fairseqLine(text);
    if (!line) return addOther(text);
    if (!(std::abs(*line->value("num_updates")) < 1e15)) return;
    const std::string set = FairseqTraining::setOf(*line);
    const auto use = ranks_.useOf(set, line->rank);
    if (use == RankChoice::Use::kSkip) return;
    if (trainings_.empty()) trainings_.emplace_back(options_);
    if (use == RankChoice::Use::kReplace) trainings_.back().forget(set);
    // What follows the load of a checkpoint belongs to the training that its updates continue.
    if (line->kind == FairseqLine::Kind::kUpdates || !start_.loads)
      begin(FairseqTraining::stepOf(*line));
    trainings_.back().add(*line);
  }

  std::vector<ToolRun> take() {
    if (!trainings_.empty()) trainings_.back().begin({}, perSentence_);
    std::vector<ToolRun> runs;
    for (FairseqTraining& training : trainings_) {
      ToolRun run = training.take();
      if (!run.curves.empty()) runs.push_back(std::move(run));
    }
    if (const std::string note = ranks_.note(); !note.empty() && !runs.empty())
      runs.front().notes.push_back(note);
    return runs;
  }

 private:
  void addOther(std::string_view text) {
    perSentence_ |= text.find("sentence_avg=True") != std::string_view::npos ||
                    text.find("'sentence_avg': True") != std::string_view::npos;
    if (const std::size_t at = fairseqConfigAt(text); ranks_.saysAt(text, at))
      start_ = {.seen = true, .config = comparableFairseq(text.substr(at))};
    // "training on 8 GPUs", "training on 8 devices (GPUs/TPUs)"
    const std::size_t on = text.find("training on ");
    if (ranks_.saysAt(text, on) && text.find("GPU", on) != std::string_view::npos)
      start_.seen = true;
    // "loaded checkpoint x/checkpoint_last.pt (epoch 1 @ 100 updates)"
    const std::size_t loaded = text.find("oaded checkpoint ");
    if (!ranks_.saysAt(text, loaded)) return;
    text.remove_prefix(loaded);
    takeUntil(text, " @ ");
    start_.loads = true;
    start_.loadedStep = wholeNumberIn(takeUntil(text, " updates"));
  }

  // Whether the figures of the step, the first ones after a start, belong to what was before it.
  void begin(std::int64_t step) {
    FairseqTraining* training = &trainings_.back();
    if (training->firstUpdate() >= 0) {
      const StartOf what = startOf(start_, step, training->firstUpdate(), training->config());
      if (what == StartOf::kAgain) training->startAgain();
      if (what == StartOf::kAnother) training = &trainings_.emplace_back(options_);
      if (what == StartOf::kSameTraining && start_.loadedStep)
        training->goBackTo(*start_.loadedStep);
    }
    training->begin(start_, perSentence_);
    start_ = {};
    perSentence_ = false;
  }

  ReadOptions options_;
  std::vector<FairseqTraining> trainings_;
  RankChoice ranks_;
  TrainingStart start_;  // since the last figures
  bool perSentence_ = false;
};

}  // namespace

bool isFairseqLog(const fs::path& file) {
  constexpr int kLines = 20'000;  // the model is printed before the first figures
  CurveInput input(file);
  std::string line;
  for (int i = 0; i < kLines && nextLogLine(input, line); ++i) {
    if (fairseqLine(line)) return true;
  }
  return false;
}

std::vector<ToolRun> readFairseq(const fs::path& log, const ReadOptions& options) {
  CurveInput input(log, options);
  FairseqLog figures(options);
  std::string line;
  while (nextLogLine(input, line)) figures.add(line);
  std::vector<ToolRun> runs = figures.take();
  if (runs.empty()) runs.push_back({.tool = kFairseq});
  if (input.isDamaged())
    runs.back().notes.push_back(
        fmt::format("{}: the compressed data end early or are damaged after {} "
                    "bytes of text: read up to there",
                    log.string(), input.offset()));
  nameTrainings(runs, log, {{log, input.fileBytes()}});
  return runs;
}

}  // namespace strata
