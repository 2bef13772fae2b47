#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// What a translation of an evaluation set is of; two with equal keys are the same translation.
struct OutputKey {
  std::string set;
  std::string checkpoint;  // "step-00012000", "last20-step-00012000", "ensemble-..."
  std::string decode;      // "beam8.gnmt-1.6": a word that can stand in a file's name
  // Digests of all that the text depends on, by name ("model", "dataset").
  Json digests = Json::object();
};

// A stored translation: RUN/outputs/SET.CHECKPOINT.DECODE.{json, tokens, txt}.
struct StoredOutput {
  OutputKey key = {};
  std::vector<std::string> tokens = {};  // after the pipeline, BPE joined: what multi-bleu scores
  std::vector<std::string> text = {};    // plain text
  double seconds = 0;                    // of decoding
  Json settings = Json::object();        // how it was decoded, in full
  Json scores = Json::object();          // by the scorer's text: {"score", "signature", ...}
};

// The translation with this key, if it is stored whole: other digests, damaged or missing files
// count as none.
std::optional<StoredOutput> findOutput(const std::filesystem::path& runFolder,
                                       const OutputKey& key);
// Writes text first and the JSON that names its digests last, each file atomically.
void writeOutput(const std::filesystem::path& runFolder, const StoredOutput& output);

}  // namespace strata
