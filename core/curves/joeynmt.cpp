#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curves/curve_input.h"
#include "core/curves/curve_set.h"
#include "core/curves/find_runs.h"
#include "core/curves/log_text.h"

namespace strata {
namespace {

constexpr const char* kLog = "train.log";
constexpr const char* kValidations = "validations.txt";

// "Epoch   1, Step:      100, Batch Loss:     5.087412, Tokens per Sec:     2105, Lr: 0.000300"; a
// version has no commas, another one "Batch Acc:".
struct TrainLine {
  std::int64_t step = 0;
  double time = 0;
  std::map<std::string, double> values = {};  // by JoeyNMT's names
};

std::optional<double> numberAfter(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  text = trimmed(text.substr(at + name.size()));
  return numberIn(text.substr(0, text.find_first_of(", \t")));
}

std::optional<TrainLine> trainLine(std::string_view text) {
  TrainLine line;
  line.time = takeTime(text).value_or(0);
  const std::size_t at = text.find("Epoch ");
  if (at == std::string_view::npos || text.find(" Step:", at) == std::string_view::npos) return {};
  text.remove_prefix(at);
  const auto step = numberAfter(text, "Step:");
  if (!step || !(std::abs(*step) < 1e15) || *step != std::floor(*step)) return {};
  line.step = static_cast<std::int64_t>(*step);
  for (const char* name : {"Epoch", "Batch Loss", "Batch Acc", "Tokens per Sec", "Lr"}) {
    const std::string key = name == std::string_view("Epoch") ? "Epoch " : std::string(name) + ":";
    if (const auto value = numberAfter(text, key)) line.values[name] = *value;
  }
  if (!line.values.contains("Batch Loss")) return {};
  return line;
}

// "Steps: 1000\tLoss: 3.2\tPPL: 24.5\tbleu: 12.1\tLR: 0.0003\t*"
std::optional<std::vector<std::pair<std::string, double>>> validation(std::string_view text) {
  if (!text.starts_with("Steps:")) return {};
  std::vector<std::pair<std::string, double>> values;
  while (!text.empty() && values.size() < 100) {
    std::string_view part = takeUntil(text, "\t");
    std::string name(trimmed(takeUntil(part, ":")));
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (const auto number = numberIn(part)) values.emplace_back(name, *number);
  }
  if (values.empty() || values[0].first != "steps" || !(std::abs(values[0].second) < 1e15))
    return {};
  return values;
}

class Figures {
 public:
  explicit Figures(const ReadOptions& options) : curves_(options.limits) {}

  void addLogLine(std::string_view text) {
    if (const auto line = trainLine(text)) return addTraining(*line);
    // "cfg.training.label_smoothing : 0.1", as the log begins.
    constexpr std::string_view kConfig = "cfg.training.";
    const std::size_t at = text.find(kConfig);
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + kConfig.size());
    configured_ = true;
    const std::string_view key = trimmed(takeUntil(text, ":"));
    if (key == "label_smoothing") smoothing_ = numberIn(text).value_or(1);
    if (key == "normalization") perToken_ = trimmed(text) == "tokens";
  }

  void addValidation(std::string_view text) {
    const auto values = validation(text);
    if (!values) return;
    const auto step = static_cast<std::int64_t>(values->front().second);
    if (step <= lastValidation_) curves_.cutFrom(step);
    lastValidation_ = step;
    const auto next = times_.upper_bound(step);
    const double time = next == times_.begin() ? 0 : std::prev(next)->second;
    std::optional<double> loss, perplexity;
    for (const auto& [name, value] : *values) {
      if (name == "loss") loss = value;
      if (name == "ppl") perplexity = value;
      if (name != "steps") curves_.add("joeynmt/valid/" + name, {step, time, value});
    }
    constexpr double kRounding = 2e-5;  // both have five decimals
    if (loss && perplexity && !(std::abs(*loss - std::log(*perplexity)) < kRounding))
      lossIsMean_ = false;
  }

  // The names of Strata where meaning and unit are the same.
  void useOwnNames() {
    const bool plain = configured_ && smoothing_ == 0;  // the loss is the likelihood
    if (plain && perToken_) curves_.rename("joeynmt/train/batch_loss", "train/loss");
    if (plain) curves_.rename("joeynmt/valid/ppl", "valid/perplexity");
    // Version 1 writes the sum over the set.
    if (plain && lossIsMean_) curves_.rename("joeynmt/valid/loss", "valid/nll");
    curves_.rename("joeynmt/valid/bleu", "valid/bleu");
    curves_.rename("joeynmt/train/tokens_per_sec", "train/tokens_per_second");
    curves_.rename("joeynmt/train/lr", "lr");
    curves_.rename("joeynmt/valid/lr", "lr");  // only if there is no train.log
  }

  CurveSet& curves() { return curves_; }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes = curves_.notes();
    if (!configured_)
      notes.push_back(
          "no configuration in the log: losses and perplexities keep JoeyNMT's names, because with "
          "label smoothing they are others than Strata's");
    else if (smoothing_ != 0)
      notes.push_back(
          "trained with label smoothing: JoeyNMT's losses and perplexities contain it, and keep "
          "its names");
    if (times_.empty()) notes.push_back("no train.log: the points have no times");
    return notes;
  }

 private:
  void addTraining(const TrainLine& line) {
    if (line.step <= lastUpdate_) {
      curves_.cutFrom(line.step);
      times_.erase(times_.lower_bound(line.step), times_.end());
    }
    lastUpdate_ = line.step;
    if (times_.size() < kTimes) times_[line.step] = line.time;
    for (const auto& [name, value] : line.values) {
      std::string own = name;
      std::ranges::transform(own, own.begin(), [](char c) {
        return c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      });
      curves_.add("joeynmt/train/" + own, {line.step, line.time, value});
    }
  }

  static constexpr std::size_t kTimes = 5'000'000;

  CurveSet curves_;
  std::map<std::int64_t, double> times_;  // of training lines, by step
  std::int64_t lastUpdate_ = -1, lastValidation_ = -1;
  bool configured_ = false, perToken_ = false;
  bool lossIsMean_ = true;  // per word: it is the logarithm of the perplexity
  double smoothing_ = 0;
};

template <typename Use>
void readLines(const fs::path& file, const ReadOptions& options, ToolRun& run, const Use& use) {
  std::uint64_t before = 0;
  for (const CurveFile& earlier : run.files) before += earlier.bytes;
  CurveInput input(file, options, before);
  std::string line;
  while (input.nextLine(line)) use(line);
  if (input.isDamaged())
    run.notes.push_back(
        fmt::format("{}: the compressed data end early or are damaged after {} "
                    "bytes of text: read up to there",
                    file.string(), input.offset()));
  run.files.push_back({file, input.fileBytes()});
}

}  // namespace

bool isJoeyNmtFile(const fs::path& file) {
  constexpr int kLines = 20'000;
  CurveInput input(file);
  std::string line;
  for (int i = 0; i < kLines && input.nextLine(line); ++i) {
    if (trainLine(line) || (validation(line) && line.find('\t') != std::string::npos)) return true;
  }
  return false;
}

ToolRun readJoeyNmt(const fs::path& path, const ReadOptions& options) {
  const bool folder = fs::is_directory(path);
  ToolRun run{.tool = kJoeyNmt, .name = runNameOf(path), .source = path};
  const bool validationsOnly =
      !folder && path.filename().string().find("validations") != std::string::npos;
  Figures figures(options);
  const fs::path log = folder ? path / kLog : path;
  if (!validationsOnly && (!folder || fs::exists(log)))
    readLines(log, options, run, [&](const auto& line) { figures.addLogLine(line); });
  const fs::path report = folder ? path / kValidations : path;
  if (validationsOnly || (folder && fs::exists(report)))
    readLines(report, options, run, [&](const auto& line) { figures.addValidation(line); });
  figures.useOwnNames();
  std::ranges::copy(figures.notes(), std::back_inserter(run.notes));
  run.curves = figures.curves().take();
  return run;
}

}  // namespace strata
