#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/decode/beam_search.h"
#include "core/run/experiment.h"

namespace strata {

// How translations are looked for, as flags say it.
struct SearchFlags {
  std::string lengthPenalty;      // empty: the run's
  std::vector<double> maxLength;  // empty: the run's
  std::int64_t minLength = 1;
  int beam = 0, nbest = 0;  // 0: the run's setting, the best alone
  int noRepeat = 0;
  double unknownPenalty = 0, diversity = 0;
  bool sample = false;
  SamplingOptions sampling;
};

// --beam, --length-penalty and the rest; `flags` must outlive the verb.
void addSearchOptions(CLI::App& verb, SearchFlags& flags);
// The run's settings where the flags name none.
BeamOptions searchOptionsOf(const SearchFlags& flags, const DecodingSpec& decoding);

}  // namespace strata
