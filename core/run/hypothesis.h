#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/run/recording.h"

namespace strata {

// A completed hypothesis of a sentence: returned by the search, written by `translate --json` and
// serve, shown by panels.
struct Hypothesis {
  std::vector<std::int32_t> tokens = {};           // ids, ending in </s>
  double score = 0;                                // length-normalised, penalties included
  double logProbability = 0;                       // natural logarithm, </s> included; no penalties
  std::vector<double> tokenLogProbabilities = {};  // one per token; when sampling, the model's own
  // Without padding; row i of a decoder map is tokens[i].
  std::vector<Recording> recordings = {};
  // Filled by code that knows the text pipeline:
  std::vector<std::string> words = {};     // of the ids, </s> included
  std::string text = {};                   // plain text
  std::vector<std::string> replaced = {};  // words with every <unk> replaced, if requested
};

// What panels draw of a hypothesis; `source`: tokens as the model reads them, </s> included.
SentenceRecordings sentenceOf(const std::vector<std::string>& source, const Hypothesis& hypothesis);

// {"text", "tokens": words, "score", "logProbability", "logProbabilities", "replaced"?,
// "recordings"?: [what describes one, "shape", "values"]}, without ids.
Json toJson(const Hypothesis& hypothesis, bool withRecordings);
// Reads that back; throws nlohmann's exceptions if a member is missing or has another type.
Hypothesis hypothesisFrom(const Json& json);

}  // namespace strata
