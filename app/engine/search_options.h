#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/decode/shortlist.h"
#include "core/run/search_request.h"

namespace strata {

// Search and sampling options from the command line.
struct SearchFlags {
  SearchRequest request;
  int nbest = 0;                  // 0: only the best, without its number
  std::string lengthPenalty;      // empty: the run's
  std::vector<double> maxLength;  // empty: the run's
  std::string compute = "float32", tooLong = "skip";
  bool sample = false;
  SamplingOptions sampling;

  SearchRequest asked() const;
};

// --compute: names of core/run/compute.h.
void addComputeOption(CLI::App& verb, std::string& compute);

// --shortlist K or K,F: fields of ShortlistOptions; no numbers: no shortlist.
CLI::Option* addShortlistOption(CLI::App& verb, std::vector<int>& numbers);
ShortlistOptions shortlistOptionsOf(const std::vector<int>& numbers);

// Adds --beam, --length-penalty and the others; `flags` must outlive the verb.
void addSearchOptions(CLI::App& verb, SearchFlags& flags);

}  // namespace strata
