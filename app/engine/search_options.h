#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/decode/beam_search.h"
#include "core/run/experiment.h"

namespace strata {

// Search and sampling options from the command line.
struct SearchFlags {
  std::string lengthPenalty;      // empty: the run's
  std::vector<double> maxLength;  // empty: the run's
  std::int64_t minLength = 1;
  int beam = 0, nbest = 0;  // 0: the run's setting, only the best
  int noRepeat = 0;
  double unknownPenalty = 0, diversity = 0;
  bool sample = false;
  SamplingOptions sampling;
};

// Adds --beam, --length-penalty and the others; `flags` must outlive the verb.
void addSearchOptions(CLI::App& verb, SearchFlags& flags);
// The options given, else the run's settings.
BeamOptions searchOptionsOf(const SearchFlags& flags, const DecodingSpec& decoding);

}  // namespace strata
