#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/run/recording.h"

namespace strata {

// A finished translation of a sentence: what a search finds, what `translate --json` and serve
// write, what panels show.
struct Hypothesis {
  std::vector<std::int32_t> tokens;           // ids, ending in </s>
  double score = 0;                           // by the length rule, penalties included
  double logProbability = 0;                  // natural logarithm, </s> included; no penalties
  std::vector<double> tokenLogProbabilities;  // one per token; the model's where they were drawn
  // Cut to true lengths; row i of a decoder map is tokens[i].
  std::vector<Recording> recordings;
  // Filled by whoever knows the text pipeline:
  std::vector<std::string> words = {};     // of the ids, </s> included
  std::string text = {};                   // plain text
  std::vector<std::string> replaced = {};  // units with every <unk> replaced, where that was asked
};

// {"text", "tokens": words, "score", "logProbability", "logProbabilities", "replaced"?,
// "recordings"?: [{"name", "kind", "side", "layer", "axes", "shape", "values"}]}. Ids are not in
// it.
Json toJson(const Hypothesis& hypothesis, bool withRecordings);
// Reads that back; throws nlohmann's exceptions where a member is missing or of another type.
Hypothesis hypothesisFrom(const Json& json);

// {"name", "kind", "side", "layer", "axes"}
Json toJson(const RecordingInfo& info);

}  // namespace strata
