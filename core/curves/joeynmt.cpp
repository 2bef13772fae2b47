#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curves/curve_input.h"
#include "core/curves/curve_set.h"
#include "core/curves/find_runs.h"
#include "core/curves/log_prefix.h"
#include "core/curves/log_text.h"
#include "core/curves/training_start.h"

namespace strata {
namespace {

constexpr const char* kLog = "train.log";
constexpr const char* kValidations = "validations.txt";

// "Epoch   1, Step:      100, Batch Loss:     5.087412, Tokens per Sec:     2105, Lr: 0.000300"; a
// version has no commas, another one "Batch Acc:".
struct TrainLine {
  std::int64_t step = 0;
  double time = 0;
  std::optional<int> rank = {};               // of the process that wrote it, if the line says it
  std::map<std::string, double> values = {};  // by JoeyNMT's names
};

std::optional<double> numberAfter(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  text = trimmed(text.substr(at + name.size()));
  return numberIn(text.substr(0, text.find_first_of(", \t")));
}

std::optional<TrainLine> trainLine(std::string_view text) {
  const std::size_t at = text.find("Epoch ");
  if (at == std::string_view::npos || text.find(" Step:", at) == std::string_view::npos) return {};
  const LogPrefix prefix = logPrefix(text.substr(0, at));
  TrainLine line{.time = prefix.time, .rank = prefix.rank};
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

using Validation = std::vector<std::pair<std::string, double>>;

// "Steps: 1000\tLoss: 3.2\tPPL: 24.5\tbleu: 12.1\tLR: 0.0003\t*"
std::optional<Validation> validation(std::string_view text) {
  const std::size_t at = text.find("Steps:");
  if (at == std::string_view::npos || !canBegin(text, at)) return {};
  text.remove_prefix(at);
  Validation values;
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

// The figures of one training.
class JoeyTraining {
 public:
  explicit JoeyTraining(const ReadOptions& options) : curves_(options.limits) {}

  void add(const TrainLine& line) {
    if (firstUpdate_ < 0) firstUpdate_ = line.step;
    if (line.step <= lastUpdate_) {
      const std::int64_t from = line.step <= firstUpdate_ ? 0 : line.step;
      curves_.cutFrom(from);
      times_.erase(times_.lower_bound(from), times_.end());
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

  // A validation may be done once more after a resumption: it replaces its own figures only.
  void addValidation(std::int64_t step, const Validation& values) {
    if (firstValidation_ < 0) firstValidation_ = step;
    const auto next = times_.upper_bound(step);
    const double time = next == times_.begin() ? 0 : std::prev(next)->second;
    std::optional<double> loss, perplexity;
    for (const auto& [name, value] : values) {
      if (name == "loss") loss = value;
      if (name == "ppl") perplexity = value;
      if (name != "steps") curves_.add("joeynmt/valid/" + name, {step, time, value});
    }
    constexpr double kRounding = 2e-5;  // both have five decimals
    if (loss && perplexity && !(std::abs(*loss - std::log(*perplexity)) < kRounding))
      lossIsMean_ = false;
  }

  void startAgain() {
    curves_.cutFrom(0);
    times_.clear();
    firstUpdate_ = lastUpdate_ = -1;
  }
  void forgetUpdates() {
    curves_.remove("joeynmt/train/");
    times_.clear();
    firstUpdate_ = lastUpdate_ = -1;
  }
  // `config`: "training.label_smoothing : 0.1" and so on, a setting a line.
  void begin(const std::string& config) {
    if (!config_.empty() || config.empty()) return;
    config_ = config;
    for (std::string_view rest = config_; !rest.empty();) {
      std::string_view value = takeUntil(rest, "\n");
      const std::string_view key = trimmed(takeUntil(value, ":"));
      configured_ |= key.starts_with("training.");
      if (key == "training.label_smoothing") smoothing_ = numberIn(value).value_or(1);
      if (key == "training.normalization") perToken_ = trimmed(value) == "tokens";
    }
  }

  std::int64_t firstUpdate() const { return firstUpdate_; }
  std::int64_t firstValidation() const { return firstValidation_; }
  const std::string& config() const { return config_; }

  // Its curves by Strata's names where meaning and unit are the same.
  ToolRun take() {
    useOwnNames();
    ToolRun run{.tool = kJoeyNmt, .notes = notes()};
    run.curves = curves_.take();
    return run;
  }

 private:
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

  std::vector<std::string> notes() {
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

  static constexpr std::size_t kTimes = 5'000'000;

  CurveSet curves_;
  std::map<std::int64_t, double> times_;  // of training lines, by step
  std::int64_t firstUpdate_ = -1, lastUpdate_ = -1, firstValidation_ = -1;
  std::string config_;
  bool configured_ = false, perToken_ = false;
  bool lossIsMean_ = true;  // per word: it is the logarithm of the perplexity
  double smoothing_ = 0;
};

// The trainings of a model's folder, one after the other.
class JoeyLog {
 public:
  explicit JoeyLog(const ReadOptions& options) : options_(options) {}

  void addLogLine(std::string_view text) {
    const auto line = trainLine(text);
    if (!line) return addOther(text);
    const auto use = ranks_.useOf("train", line->rank);
    if (use == RankChoice::Use::kSkip) return;
    JoeyTraining* training = &newest();
    if (use == RankChoice::Use::kReplace) training->forgetUpdates();
    if (start_.seen && training->firstUpdate() >= 0) {
      start_.config = comparable(config_);
      const StartOf what =
          startOf(start_, line->step, training->firstUpdate(), comparable(training->config()));
      if (what == StartOf::kAgain) training->startAgain();
      if (what == StartOf::kAnother) training = &trainings_.emplace_back(options_);
    }
    training->begin(config_);
    training->add(*line);
    start_ = {};
    config_.clear();
  }

  // A file that begins again at its first step goes on with the next training of the log.
  void addValidationLine(std::string_view text) {
    const auto values = validation(text);
    if (!values) return;
    const auto step = static_cast<std::int64_t>(values->front().second);
    newest();
    const std::int64_t first = trainings_[validated_].firstValidation();
    if (first >= 0 && step <= first && validated_ + 1 < trainings_.size()) ++validated_;
    trainings_[validated_].addValidation(step, *values);
  }

  std::vector<ToolRun> take() {
    newest().begin(config_);
    std::vector<ToolRun> runs;
    for (JoeyTraining& training : trainings_) runs.push_back(training.take());
    if (const std::string note = ranks_.note(); !note.empty()) runs.front().notes.push_back(note);
    return runs;
  }

 private:
  JoeyTraining& newest() {
    if (trainings_.empty()) trainings_.emplace_back(options_);
    return trainings_.back();
  }

  // Without what differs from start to start.
  static std::string comparable(std::string_view config) {
    std::string text;
    while (!config.empty()) {
      const std::string_view line = takeUntil(config, "\n");
      constexpr std::string_view kOfStart[] = {"training.load_model", "training.overwrite",
                                               "training.reset_"};
      if (std::ranges::none_of(kOfStart,
                               [&](std::string_view each) { return line.starts_with(each); }))
        text.append(line).append("\n");
    }
    return text;
  }

  // "Hello! This is Joey-NMT (version 2.3.0).", "cfg.training.label_smoothing : 0.1", "Loading
  // model from ...", as a log begins.
  void addOther(std::string_view text) {
    if (ranks_.saysAt(text, text.find("This is Joey-NMT"))) {
      start_ = {.seen = true};
      config_.clear();
    }
    if (ranks_.saysAt(text, text.find("oading model from "))) start_.loads = true;
    constexpr std::string_view kConfig = "cfg.";
    const std::size_t at = text.find(kConfig);
    constexpr std::size_t kMostBytes = 1u << 20;
    if (!ranks_.saysAt(text, at) || !canBegin(text, at) || config_.size() > kMostBytes) return;
    start_.seen = true;
    config_.append(text.substr(at + kConfig.size())).append("\n");
  }

  ReadOptions options_;
  std::vector<JoeyTraining> trainings_;
  std::size_t validated_ = 0;  // the training that validations belong to
  RankChoice ranks_;
  TrainingStart start_;  // since the last figures
  std::string config_;   // since then
};

// The files that were read, and how they ended.
struct Sources {
  std::vector<CurveFile> files;
  std::vector<std::string> notes;
};

template <typename Use>
void readLines(const fs::path& file, const ReadOptions& options, Sources& sources, const Use& use) {
  std::uint64_t before = 0;
  for (const CurveFile& earlier : sources.files) before += earlier.bytes;
  CurveInput input(file, options, before);
  std::string line;
  while (nextLogLine(input, line)) use(line);
  if (input.isDamaged())
    sources.notes.push_back(
        fmt::format("{}: the compressed data end early or are damaged after {} "
                    "bytes of text: read up to there",
                    file.string(), input.offset()));
  sources.files.push_back({file, input.fileBytes()});
}

}  // namespace

bool isJoeyNmtFile(const fs::path& file) {
  constexpr int kLines = 20'000;
  CurveInput input(file);
  std::string line;
  for (int i = 0; i < kLines && nextLogLine(input, line); ++i) {
    if (trainLine(line) || (validation(line) && line.find('\t') != std::string::npos)) return true;
  }
  return false;
}

std::vector<ToolRun> readJoeyNmt(const fs::path& path, const ReadOptions& options) {
  const bool folder = fs::is_directory(path);
  const bool validationsOnly =
      !folder && path.filename().string().find("validations") != std::string::npos;
  JoeyLog figures(options);
  Sources sources;
  const fs::path log = folder ? path / kLog : path;
  if (!validationsOnly && (!folder || fs::exists(log)))
    readLines(log, options, sources, [&](const auto& line) { figures.addLogLine(line); });
  const fs::path report = folder ? path / kValidations : path;
  if (validationsOnly || (folder && fs::exists(report)))
    readLines(report, options, sources, [&](const auto& line) { figures.addValidationLine(line); });
  std::vector<ToolRun> runs = figures.take();
  std::ranges::copy(sources.notes, std::back_inserter(runs.back().notes));
  nameTrainings(runs, path, sources.files);
  return runs;
}

}  // namespace strata
