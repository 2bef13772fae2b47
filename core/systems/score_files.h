// Reads files of sentence scores that other programs made.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/imported_metric.h"

namespace strata {

// The scores of one system in such a file, in the order of the test set's sentences.
struct ScoreList {
  std::string name = {};                       // of the system in the file; may be empty
  std::vector<double> values = {};             // NaN: missing (null, NaN, None, an empty field)
  std::vector<std::string> translations = {};  // what was scored; empty: the file does not tell
  std::vector<std::string> sources = {}, references = {};  // likewise

  std::size_t missing() const;
  double mean() const;  // of the values that are there; NaN without any
};

//   format         what it is
//   comet-score    --to_json of comet-score: {PATH: [{"src", "mt", "ref", "COMET"}]}
//   comet-compare  the JSON of comet-compare: {"source", "translations": [{"name", "mt",
//                  "scores"}]}
//   comet-output   what comet-score prints: FILE, "Segment N" and "score: X", separated by tabs
//   seg-score      NAME.seg.score of mt-metrics-eval: SYSTEM blank SCORE, one block per system
//   tsv            columns separated by tabs, with or without a line of titles
struct ScoreFile {
  std::string format;
  ImportedMetricInfo metric = {};         // what the file tells, and the likely direction and scale
  std::vector<ScoreList> systems = {};    // at least one
  std::vector<std::string> columns = {};  // of a TSV: titles, or numbers from 1
  std::string scoreColumn = {};           // of a TSV: the one that was read
  std::vector<std::string> warnings = {};  // what was decided while reading, for the user
};

struct ScoreFileOptions {
  std::optional<std::string> format = {};  // empty: the content decides
  // Of a TSV, by title or number from 1. Empty: the only column of numbers that are no ids; no
  // texts; one system; the column of ids, if there is one (core/systems/score_table.h). Ids order
  // the rows; "none": the rows are in the order of the test set.
  std::string scoreColumn = {}, textColumn = {}, systemColumn = {}, idColumn = {};
};

// Damaged, truncated and too large files, bytes that are not UTF-8, values that are not numbers and
// files without scores are Errors that name the file and, in text files, the line.
ScoreFile readScoreFile(const std::filesystem::path& path, const ScoreFileOptions& options = {});

std::vector<std::string> scoreFileFormats();

// The titles of a TSV's columns, for choosing some of them; none of other formats.
std::vector<std::string> scoreColumns(const std::filesystem::path& path,
                                      const ScoreFileOptions& options = {});

}  // namespace strata
