// How the BLEU of a model's translations changes without each of its parts.
#pragma once
#include <string>
#include <vector>

#include "core/inside/effects.h"

namespace strata {

// The set's sentences as translated by the model as it is, and without each of its units. Text is
// tokens, BPE joined, as validation during training scores it.
struct MeasuredTranslations {
  std::vector<std::vector<std::string>> references = {};  // [reference][sentence]
  std::vector<std::string> with = {};                     // by sentence
  std::vector<std::vector<std::string>> without = {};     // by unit and sentence
  int beam = 1;                                           // of the search
};

// Fills in multi-bleu of the model and, unit by unit, its change with the 95 % interval of the
// paired bootstrap that compares systems (core/metrics/significance.h), and the correlations of the
// changes with the weights. The units of `statistics` are those of `translations`.
void addBleu(EffectStatistics& statistics, const MeasuredTranslations& translations,
             const EffectOptions& options = {});

}  // namespace strata
