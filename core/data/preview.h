#pragma once
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/data/clean.h"
#include "core/data/dataset.h"
#include "core/data/merge_effect.h"
#include "core/data/prepare.h"
#include "core/data/text_figures.h"

namespace strata {

// A line that does not become part of the dataset.
struct RejectedLine {
  std::string file;
  std::int64_t line = 0;  // from 1; 0: the file as a whole
  std::string reason;     // "empty", "too long", "ratio", "bad UTF-8", "unequal counts", ...
  std::string text;       // the pair, "source ||| target", or what is wrong
  bool stops = false;     // nothing can be prepared until it is mended
};

struct PreviewOptions {
  std::size_t pairs = 50, rejected = 100;  // how many are listed
  TextFiguresOptions figures = {};
  std::int64_t limit = 0;  // pairs of train to read; 0: all
  // Numbers of merges to try; the preparation's own is added. Empty: none.
  std::vector<std::int64_t> merges = {4000, 8000, 16000};
  std::int64_t mergePairs = 20000;  // size of the sample that they are learned from
  std::stop_token stop = {};
};

// What a preparation would read, drop and make, without making it.
struct DatasetPreview {
  std::int64_t read = 0;        // pairs of train
  bool complete = true;         // all of train has been read
  CleanCounts cleaning;         // of the pairs that were read and are text
  std::int64_t bad = 0;         // pairs with a line that is no text
  std::vector<TextPair> pairs;  // the first kept ones, as tokens
  std::vector<RejectedLine> rejected;
  std::int64_t rejectedLines = 0;                          // how many there are
  std::vector<std::pair<std::string, std::int64_t>> sets;  // names and sentences
  TextFigures figures;
  MergeEffect merges;
  std::vector<std::string> warnings;  // what to mend before preparing
  std::vector<std::string> notes;

  // Why nothing can be prepared; null: it can.
  const RejectedLine* obstacle() const;
  Json json() const;
};

// Reads the files of a preparation once. What prepareDataset() refuses is listed in `rejected` and
// reading goes on if it can. Not simulated: sentences drawn for evaluation, truecasing, limits on
// subwords. Throws Cancelled.
DatasetPreview previewDataset(const PrepareOptions& options, const PreviewOptions& preview = {},
                              Progress& progress = noProgress());

// The same figures for a prepared dataset, and its first pairs.
struct DatasetFigures {
  std::vector<TextPair> pairs;
  TextFigures figures;

  Json json() const;
};
DatasetFigures datasetFigures(const Dataset& dataset, const PreviewOptions& preview = {},
                              Progress& progress = noProgress());

}  // namespace strata
