#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// Identifies a translation of an evaluation set; equal keys mean the same translation.
struct OutputKey {
  std::string set;
  std::string checkpoint;  // "step-00012000", "last20-step-00012000", "ensemble-..."
  std::string decode;      // "beam8.gnmt-1.6": valid as part of a file name
  // Digests of everything that the text depends on, by name ("model", "dataset").
  Json digests = Json::object();
};

// A stored translation: RUN/outputs/SET.CHECKPOINT.DECODE.{json, tokens, txt}.
struct StoredOutput {
  OutputKey key = {};
  std::vector<std::string> tokens = {};  // after the pipeline, BPE joined: what multi-bleu scores
  std::vector<std::string> text = {};    // plain text
  double seconds = 0;                    // of decoding
  Json settings = Json::object();        // complete decoding settings
  Json scores = Json::object();          // by the scorer's text: {"score", "signature", ...}
};

// The complete stored translation with this key, if any: other digests, damaged or missing files
// count as none.
std::optional<StoredOutput> findOutput(const std::filesystem::path& runFolder,
                                       const OutputKey& key);
// Writes text first and the JSON with its digests last, each file atomically.
void writeOutput(const std::filesystem::path& runFolder, const StoredOutput& output);

}  // namespace strata
