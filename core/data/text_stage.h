#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/data/overlap.h"
#include "core/data/pair_text.h"
#include "core/data/prepare.h"
#include "core/data/sample.h"
#include "core/text/word_counter.h"

namespace strata {

// Train or an evaluation set, whose text has been written.
struct SetText : EvaluationSet {
  std::int64_t blankSources = 0;  // kept in place
};

// The first half of preparing a dataset: from the user's files to tokens. Writes every evaluation
// set's text below folder/sets and train's tokens below folder/work, one line per pair.
class TextStage {
 public:
  TextStage(const PrepareOptions& options, std::filesystem::path folder, Progress& progress);

  void run();

  const std::vector<SetText>& sets() const { return sets_; }
  std::filesystem::path trainTokens(int side) const { return train_.tokens(side); }
  const std::string& truecaser(int side) const {
    return truecasers_[static_cast<std::size_t>(side)];
  }

  bool inTrain(std::int64_t line) const { return !left_[static_cast<std::size_t>(line)]; }
  void leaveOut(std::int64_t line) { left_[static_cast<std::size_t>(line)] = true; }
  std::int64_t trainPairs() const;  // lines that are in train
  // Words of one side of train. Call recountWords() after leaveOut().
  const WordCounter& words(int side) const { return words_[static_cast<std::size_t>(side)]; }
  void recountWords();

  const CleanCounts& cleaning() const { return pairs_.counts(); }
  std::int64_t heldOut() const { return heldOut_; }  // same sentence as a drawn pair, in no split
  std::int64_t overlapDropped() const { return dropped_; }
  std::vector<OverlapCounts> overlap() const { return overlap_.counts(); }
  const Json& inputs() const { return inputs_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct SetWriter;

  SetText newSet(const std::string& name, bool test) const;
  template <typename Use>
  void readPart(const PairInput& part, std::size_t references, Use use);
  void readSet(const SetInput& input);
  void joinSets(const JoinInput& join);
  void readTrain();
  void addTrainPair(const ParallelLines& lines, SetWriter& train, SetWriter* everyNth);
  void truecaseAll();
  void truecaseFile(const std::filesystem::path& path, int side) const;
  void drawSets();
  void findOverlap();
  std::uint64_t sampleKey(std::string_view source, std::string_view target,
                          std::int64_t line) const;
  void noteInput(const TextInput& input, const LineSource& lines, std::int64_t count);

  const PrepareOptions& options_;
  std::filesystem::path folder_;
  Progress& progress_;
  PairText pairs_;
  StreamSample sample_;
  OverlapIndex overlap_;
  std::vector<SetText> sets_;
  SetText train_;  // its files before pairs are left out, one line per pair
  std::array<WordCounter, 2> words_;
  std::array<std::string, 2> truecasers_;
  std::vector<bool> left_;  // one bit per line: not in train
  std::int64_t heldOut_ = 0, dropped_ = 0;
  Json inputs_ = Json::array();
  std::vector<std::string> warnings_;
};

}  // namespace strata
