#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/run/compute.h"
#include "core/run/length_rule.h"
#include "core/run/request_params.h"

namespace strata {

inline constexpr int kLargestBeam = 1000;

// How a token is sampled (models.md 10): temperature first, then top-k, then top-p.
struct SamplingOptions {
  double temperature = 1;  // > 0; p^(1/temperature), renormalised: below 1 prefers likely tokens
  int topK = 0;            // only the k most likely tokens; 0: all
  double topP = 1;  // (0, 1]: only the smallest set of most likely tokens with this probability
  std::uint64_t seed = 1;
};

// What a search does with a source that the model has no positions for.
enum class TooLong {
  kError,
  kCut,   // translates its beginning
  kSkip,  // its translation is empty
};
std::string_view nameOf(TooLong choice);  // "error", "cut", "skip"
std::vector<std::string> tooLongNames();
TooLong tooLongNamed(std::string_view name);  // a usage error if there is none

// At most floor(factor * S + offset) tokens for a source of S tokens, </s> included.
struct MaximumLength {
  double factor = 1.2, offset = 10;
};

// The options of a search, used by the command line, serve's clients and papers. Absent ones are
// taken from the run's configuration (`decoding`).
struct SearchRequest {
  std::optional<int> beam = {};  // 1 is greedy
  int nbest = 1;                 // at most the beam
  std::optional<LengthRule> lengthPenalty = {};
  std::optional<MaximumLength> maximumLength = {};
  std::int64_t minimumLength = 1;  // tokens, </s> included
  int noRepeat = 0;                // n: no n-gram is repeated; 0: no restriction
  double unknownPenalty = 0;       // >= 0, per <unk>
  double diversity = 0;            // >= 0
  Compute compute = Compute::kFloat32;
  TooLong tooLong = TooLong::kError;
  std::optional<SamplingOptions> sampling = {};  // instead of searching: `nbest` samples
};

// Members beam, nbest, lengthPenalty, maxLength (A,B or a number of tokens), minLength, noRepeat,
// unknownPenalty, diversity, compute, tooLong; members with default values are left out.
Json toJson(const SearchRequest& request);
SearchRequest readSearch(RequestParams& params);

}  // namespace strata
