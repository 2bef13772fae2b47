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

// What becomes of a log's figures.
class Log {
 public:
  explicit Log(const ReadOptions& options) : curves_(options.limits) {}

  void add(std::string_view text) {
    const auto line = fairseqLine(text);
    if (!line) {
      perSentence_ |= text.find("sentence_avg=True") != std::string_view::npos ||
                      text.find("'sentence_avg': True") != std::string_view::npos;
      return;
    }
    add(*line);
  }

  CurveSet& curves() { return curves_; }

  // The names of Strata where meaning and unit are the same.
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

  std::vector<std::string> notes() const {
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

 private:
  void add(const FairseqLine& line) {
    const double updates = *line.value("num_updates");
    if (!(std::abs(updates) < 1e15)) return;
    const auto step = static_cast<std::int64_t>(updates);
    proof_.add(line);
    undated_ |= line.time == 0;
    const double time = line.time != 0 ? line.time : line.value("wall").value_or(lastWall_);
    if (line.time == 0) lastWall_ = time;
    std::string set = "train";
    if (line.kind == FairseqLine::Kind::kUpdates) {
      // Training was continued from an earlier checkpoint: what follows it was repeated.
      if (step <= lastUpdate_) curves_.cutFrom(step);
      lastUpdate_ = step;
      if (line.epoch >= 0) curves_.add("fairseq/train/epoch", {step, time, line.epoch});
    } else if (line.kind == FairseqLine::Kind::kEpoch) {
      set = "epoch";
    } else {
      set = line.subset;
    }
    if (line.kind != FairseqLine::Kind::kEpoch && std::ranges::find(sets_, set) == sets_.end() &&
        sets_.size() < kSets)
      sets_.push_back(set);
    for (const auto& [name, value] : line.values) {
      if (name != "num_updates") curves_.add("fairseq/" + set + "/" + name, {step, time, value});
    }
  }

  static constexpr std::size_t kSets = 1000;

  CurveSet curves_;
  BitProof proof_;
  std::vector<std::string> sets_;
  std::int64_t lastUpdate_ = -1;
  double lastWall_ = 0;
  bool perSentence_ = false, undated_ = false;
};

}  // namespace

bool isFairseqLog(const fs::path& file) {
  constexpr int kLines = 20'000;  // the model is printed before the first figures
  CurveInput input(file);
  std::string line;
  for (int i = 0; i < kLines && input.nextLine(line); ++i) {
    if (fairseqLine(line)) return true;
  }
  return false;
}

ToolRun readFairseq(const fs::path& log, const ReadOptions& options) {
  ToolRun run{.tool = kFairseq, .name = runNameOf(log), .source = log};
  CurveInput input(log, options);
  Log figures(options);
  std::string line;
  while (input.nextLine(line)) figures.add(line);
  figures.useOwnNames();
  run.notes = figures.notes();
  if (input.isDamaged())
    run.notes.push_back(
        fmt::format("{}: the compressed data end early or are damaged after {} "
                    "bytes of text: read up to there",
                    log.string(), input.offset()));
  run.files.push_back({log, input.fileBytes()});
  run.curves = figures.curves().take();
  return run;
}

}  // namespace strata
