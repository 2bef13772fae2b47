#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// Contrastive pairs: a correct translation and one with a single wrong word, as written by
// `data generate --contrastive`.
struct ContrastiveCases {
  std::vector<std::string> phenomena;
  std::vector<int> distances;  // words between the two parts that must agree
  std::vector<std::string> sources, correct, wrong;
};

// Reads a table of five columns: phenomenon, distance, source, correct, wrong. Errors name file and
// line.
ContrastiveCases readContrastive(const std::string& path);

// How often the correct translation was more likely, per phenomenon and distance, and over all
// distances (-1).
struct ContrastiveAccuracy {
  std::string phenomenon;
  int distance = -1;
  std::int64_t pairs = 0, right = 0;
};
std::vector<ContrastiveAccuracy> accuracyByDistance(const ContrastiveCases& cases,
                                                    const std::vector<double>& correct,
                                                    const std::vector<double>& wrong);

std::string contrastiveTable(const std::vector<ContrastiveAccuracy>& rows);
Json contrastiveJson(const std::vector<ContrastiveAccuracy>& rows);

}  // namespace strata
