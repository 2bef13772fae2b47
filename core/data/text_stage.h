#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/data/lines.h"
#include "core/data/overlap.h"
#include "core/data/pair_text.h"
#include "core/data/prepare.h"
#include "core/data/sample.h"
#include "core/data/train_text.h"
#include "core/text/truecaser.h"

namespace strata {

// An evaluation set, whose text has been written.
struct SetText : EvaluationSet {
  std::int64_t blankSources = 0;          // kept in place
  std::vector<SegmentKey> segments = {};  // that the files name; some may lack their names
};

// The first half of preparing a dataset: from the user's files to tokens. Writes every evaluation
// set's text below folder/sets and train's below folder/work.
class TextStage {
 public:
  TextStage(const PrepareOptions& options, std::filesystem::path folder, Progress& progress);

  void run();

  const std::vector<SetText>& sets() const { return sets_; }
  TrainText& train() { return train_; }
  const TrainText& train() const { return train_; }
  const std::string& truecaser(int side) const {
    return truecasers_[static_cast<std::size_t>(side)];
  }

  const CleanCounts& cleaning() const { return pairs_.counts(); }
  std::int64_t heldOut() const { return heldOut_; }  // same sentence as a drawn pair, in no split
  std::int64_t overlapDropped() const { return dropped_; }
  std::vector<OverlapCounts> overlap() const { return overlap_.counts(); }
  const Json& inputs() const { return inputs_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct SetWriter;
  struct TrainWriter;

  SetText newSet(const std::string& name, bool test) const;
  void readSet(const SetInput& input);
  void joinSets(const JoinInput& join);
  void readTrain();
  void readTrainPart(const PairInput& part, TrainWriter& train);
  void addBlock(PairBlock& block, TrainWriter& train);
  void truecaseAll(const std::array<TruecaserTrainer, 2>& trainers);
  void truecaseFile(const std::filesystem::path& path, const Truecaser& truecaser) const;
  void drawSets();
  void findOverlap();
  std::int64_t wantedSample() const { return options_.validSample + options_.testSample; }
  std::filesystem::path trainRaw(int side) const;  // written only if sets are drawn from train
  std::uint64_t sampleKey(std::string_view source, std::string_view target,
                          std::int64_t line) const;
  void noteInputs(const PairInput& part, const ParallelLines& lines);
  void noteInput(const TextInput& input, const LineSource& lines, std::int64_t count);

  const PrepareOptions& options_;
  std::filesystem::path folder_;
  Progress& progress_;
  PairText pairs_;
  StreamSample sample_;
  OverlapIndex overlap_;
  std::vector<SetText> sets_;
  TrainText train_;
  std::array<std::string, 2> truecasers_;
  std::int64_t heldOut_ = 0, dropped_ = 0;
  Json inputs_ = Json::array();
  std::vector<std::string> warnings_;
};

}  // namespace strata
