#pragma once
#include <string>

#include "app/commands/verbs.h"
#include "core/papers/paper_engine.h"

namespace strata {

// The built-in presets; translates and averages with this program's models, in this process.
PaperEngine paperEngine(const GlobalOptions& global, const std::string& device, int threads);
// The presets only: cannot translate.
PaperEngine presetsOnly();

}  // namespace strata
